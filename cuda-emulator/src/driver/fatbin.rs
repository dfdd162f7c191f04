//! Fat binaries: containers of PTX and machine code for several architectures.

use std::io::Read as _;

use super::status::{Code, Result};

/// First word of a fat binary.
pub const MAGIC: u32 = 0xba55_ed50;
/// First word of the wrapper that points to one.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;

const KIND_PTX: u16 = 1;
const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
/// No honest PTX is larger.
const MOST: u64 = 1 << 30;

/// The PTX of a fat binary that suits a device best.
pub struct Found {
    /// The PTX text, if there is one.
    pub ptx: Option<String>,
    /// Whether there is machine code.
    pub has_machine_code: bool,
}

/// Length of a whole fat binary, from its header.
pub fn length(header: &[u8; 16]) -> u64 {
    let header_size = u64::from(u16::from_le_bytes([header[6], header[7]]));
    header_size + u64::from_le_bytes(header[8..16].try_into().expect("eight bytes"))
}

fn field<const N: usize>(bytes: &[u8], offset: usize) -> Result<[u8; N]> {
    bytes
        .get(offset..offset + N)
        .and_then(|field| field.try_into().ok())
        .ok_or(Code::ERROR_INVALID_IMAGE)
}

/// Finds the PTX for the newest architecture that isn't newer than `capability` (90 for 9.0), or the oldest one.
///
/// # Errors
/// `CUDA_ERROR_INVALID_IMAGE` when the container is damaged.
pub fn find_ptx(bytes: &[u8], capability: u32) -> Result<Found> {
    let mut offset = usize::from(u16::from_le_bytes(field(bytes, 6)?));
    let mut found: Option<(u32, Vec<u8>)> = None;
    let mut has_machine_code = false;
    while offset < bytes.len() {
        let entry = &bytes[offset..];
        let kind = u16::from_le_bytes(field(entry, 0)?);
        let header_size = u32::from_le_bytes(field(entry, 4)?) as usize;
        let size = u64::from_le_bytes(field(entry, 8)?) as usize;
        let compressed_size = u32::from_le_bytes(field(entry, 16)?) as usize;
        let architecture = u32::from_le_bytes(field(entry, 28)?);
        let flags = u64::from_le_bytes(field(entry, 40)?);
        let plain_size = u64::from_le_bytes(field(entry, 56)?);
        let end = header_size
            .checked_add(size)
            .filter(|end| *end <= entry.len() && header_size >= 64);
        let end = end.ok_or(Code::ERROR_INVALID_IMAGE)?;
        let payload = &entry[header_size..end];
        if kind == KIND_PTX {
            let better = match &found {
                None => true,
                Some((other, _)) if architecture > capability => architecture < *other,
                Some((other, _)) => *other > capability || architecture > *other,
            };
            if better {
                let text = match flags & (FLAG_LZ4 | FLAG_ZSTD) {
                    0 => payload.to_vec(),
                    _ if plain_size > MOST || compressed_size > payload.len() => {
                        return Err(Code::ERROR_INVALID_IMAGE);
                    }
                    FLAG_LZ4 => lz4_flex::block::decompress(
                        &payload[..compressed_size],
                        plain_size as usize,
                    )
                    .map_err(|_| Code::ERROR_INVALID_IMAGE)?,
                    _ => unpack_zstd(&payload[..compressed_size])?,
                };
                found = Some((architecture, text));
            }
        } else {
            has_machine_code = true;
        }
        offset += end;
    }
    let ptx = found.map(|(_, mut text)| {
        text.truncate(
            text.iter()
                .position(|byte| *byte == 0)
                .unwrap_or(text.len()),
        );
        String::from_utf8(text).map_err(|_| Code::ERROR_INVALID_IMAGE)
    });
    Ok(Found {
        ptx: ptx.transpose()?,
        has_machine_code,
    })
}

fn unpack_zstd(bytes: &[u8]) -> Result<Vec<u8>> {
    let decoder =
        ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|_| Code::ERROR_INVALID_IMAGE)?;
    let mut text = Vec::new();
    decoder
        .take(MOST)
        .read_to_end(&mut text)
        .map_err(|_| Code::ERROR_INVALID_IMAGE)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: u16, architecture: u32, flags: u64, payload: &[u8], plain: usize) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[0..2].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&64u32.to_le_bytes());
        bytes[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        bytes[16..20].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        bytes[28..32].copy_from_slice(&architecture.to_le_bytes());
        bytes[40..48].copy_from_slice(&flags.to_le_bytes());
        bytes[56..64].copy_from_slice(&(plain as u64).to_le_bytes());
        bytes.extend_from_slice(payload);
        bytes
    }

    fn container(entries: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend_from_slice(&[1, 0, 16, 0]);
        let size: usize = entries.iter().map(Vec::len).sum();
        bytes.extend_from_slice(&(size as u64).to_le_bytes());
        bytes.extend(entries.concat());
        bytes
    }

    #[test]
    fn the_best_architecture_is_chosen() {
        let text = |name: &str| format!(".version 7.0 // {name}\0");
        let make = |architectures: &[u32]| {
            let entries: Vec<_> = architectures
                .iter()
                .map(|a| entry(KIND_PTX, *a, 0, text(&a.to_string()).as_bytes(), 0))
                .collect();
            find_ptx(&container(&entries), 90).unwrap().ptx.unwrap()
        };
        assert!(make(&[75, 90, 80]).ends_with("90"));
        assert!(make(&[100, 80, 120]).ends_with("80"));
        assert!(make(&[120, 100]).ends_with("100"));
    }

    #[test]
    fn compressed_text_is_unpacked() {
        let text = ".version 8.0\n".repeat(50);
        let packed = lz4_flex::block::compress(text.as_bytes());
        let bytes = container(&[
            entry(2, 90, 0, b"machine code", 0),
            entry(KIND_PTX, 80, FLAG_LZ4, &packed, text.len()),
        ]);
        let found = find_ptx(&bytes, 90).unwrap();
        assert_eq!(found.ptx.unwrap(), text);
        assert!(found.has_machine_code);
    }

    #[test]
    fn damage_is_an_error() {
        let good = container(&[entry(KIND_PTX, 80, 0, b".version 8.0", 0)]);
        for cut in 17..good.len() {
            assert!(find_ptx(&good[..cut], 90).is_err(), "{cut}");
        }
        let mut long = good.clone();
        long[24] = 0xff;
        assert!(find_ptx(&long, 90).is_err());
        let bad = container(&[entry(KIND_PTX, 80, FLAG_LZ4, &[0xff; 9], 100)]);
        assert!(find_ptx(&bad, 90).is_err());
    }
}
