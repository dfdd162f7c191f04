//! The file of recorded results.
//!
//! It is one zlib stream of: the device's name, the name, fingerprint and result columns of each
//! form, and then the columns. Equal columns are stored once. Their bytes are ordered by
//! significance, which compresses better.

use std::collections::HashMap;

use anyhow::{Result, bail};

use crate::form::Form;
use crate::operand::Width;
use crate::run::Columns;

const MAGIC: &[u8; 8] = b"ptxdata1";
/// Maximum size of unpacked results.
const LIMIT: usize = 256 << 20;

/// The results of a form on the device.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The [`Form::fingerprint`] at the time of recording.
    pub fingerprint: u64,
    /// The results.
    pub columns: Columns,
}

/// The results of a recording.
#[derive(Clone, Debug)]
pub struct Data {
    /// The device and driver that produced the results.
    pub device: String,
    /// The results, by the form's name.
    pub forms: HashMap<String, Recorded>,
}

/// Packs the results of forms on `device`.
#[must_use]
pub fn pack(device: &str, results: &[(&Form, Columns)]) -> Vec<u8> {
    let mut unique: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut ordered: Vec<Vec<u8>> = Vec::new();
    let mut head = Vec::new();
    put_text(&mut head, device);
    put(&mut head, results.len());
    for (form, columns) in results {
        put_text(&mut head, &form.name);
        head.extend(form.fingerprint().to_le_bytes());
        put(&mut head, columns.len());
        for (column, &width) in columns.iter().zip(&form.results) {
            let bytes = pack_column(column, width);
            let next = ordered.len() as u32;
            let id = *unique.entry(bytes).or_insert_with_key(|bytes| {
                ordered.push(bytes.clone());
                next
            });
            put(&mut head, id as usize);
        }
    }
    put(&mut head, ordered.len());
    for column in &ordered {
        put(&mut head, column.len());
        head.extend(column);
    }
    let mut packed = MAGIC.to_vec();
    packed.extend(miniz_oxide::deflate::compress_to_vec_zlib(&head, 10));
    packed
}

/// Unpacks the output of [`pack`].
///
/// # Errors
///
/// Returns an error if the data are corrupt.
pub fn unpack(packed: &[u8]) -> Result<Data> {
    let Some(stream) = packed.strip_prefix(MAGIC) else {
        bail!("the data do not start with the header of recorded results");
    };
    let body = match miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(stream, LIMIT) {
        Ok(body) => body,
        Err(error) => bail!("the data cannot be unpacked: {error}"),
    };
    let mut rest = Reader(&body);
    let device = rest.text()?;
    let mut heads = Vec::new();
    for _ in 0..rest.number()? {
        let name = rest.text()?;
        let fingerprint = rest.bytes(8)?;
        let fingerprint = fingerprint
            .iter()
            .rev()
            .fold(0, |f, &b| f << 8 | u64::from(b));
        let count = rest.number()?;
        let ids = (0..count)
            .map(|_| rest.number())
            .collect::<Result<Vec<_>>>()?;
        heads.push((name, fingerprint, ids));
    }
    let mut columns = Vec::new();
    for _ in 0..rest.number()? {
        let length = rest.number()?;
        columns.push(unpack_column(rest.bytes(length)?)?);
    }
    let mut forms = HashMap::new();
    for (name, fingerprint, ids) in heads {
        let Some(columns) = ids.iter().map(|&id| columns.get(id).cloned()).collect() else {
            bail!("{name} refers to a missing column");
        };
        forms.insert(
            name,
            Recorded {
                fingerprint,
                columns,
            },
        );
    }
    Ok(Data { device, forms })
}

fn pack_column(column: &[u64], width: Width) -> Vec<u8> {
    let bytes = match width {
        Width::Pred => 0,
        width => width.bits() / 8,
    };
    let mut packed = vec![bytes as u8];
    if bytes == 0 {
        packed.extend(
            column
                .chunks(8)
                .map(|chunk| chunk.iter().rev().fold(0u8, |b, &v| b << 1 | (v & 1) as u8)),
        );
    }
    for byte in 0..bytes {
        packed.extend(column.iter().map(|value| (value >> (8 * byte)) as u8));
    }
    packed
}

fn unpack_column(packed: &[u8]) -> Result<Vec<u64>> {
    match packed.split_first() {
        Some((0, bits)) => Ok(bits
            .iter()
            .flat_map(|&byte| (0..8).map(move |bit| u64::from(byte >> bit & 1)))
            .collect()),
        Some((&bytes, planes)) if planes.len() % usize::from(bytes) == 0 => {
            let mut column = vec![0; planes.len() / usize::from(bytes)];
            for (byte, plane) in planes.chunks(column.len().max(1)).enumerate() {
                for (value, &part) in column.iter_mut().zip(plane) {
                    *value |= u64::from(part) << (8 * byte);
                }
            }
            Ok(column)
        }
        _ => bail!("a column of results is corrupt"),
    }
}

fn put(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u32).to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len());
    bytes.extend(text.as_bytes());
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: usize) -> Result<&'a [u8]> {
        let Some((bytes, rest)) = self.0.split_at_checked(length) else {
            bail!("the data are truncated");
        };
        self.0 = rest;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<usize> {
        let bytes = self.bytes(4)?;
        Ok(bytes.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b)))
    }

    fn text(&mut self) -> Result<String> {
        let length = self.number()?;
        Ok(std::str::from_utf8(self.bytes(length)?)?.to_owned())
    }
}
