//! The headers of `.npy` files.

use std::{
    fmt::Display,
    io::{self, Read, Write},
};

use npyz::{DType, NpyHeader, WriterBuilder as _};

use super::file::failed;
use crate::{
    array::{Layout, Order, Shape},
    element::{DataType, Element},
    error::{Error, Result},
};

/// The element types with NumPy's type strings, after the byte order.
const TYPES: [(DataType, &str); 15] = [
    (DataType::Bool, "b1"),
    (DataType::I8, "i1"),
    (DataType::I16, "i2"),
    (DataType::I32, "i4"),
    (DataType::I64, "i8"),
    (DataType::U8, "u1"),
    (DataType::U16, "u2"),
    (DataType::U32, "u4"),
    (DataType::U64, "u8"),
    (DataType::F16, "f2"),
    (DataType::Bf16, "V2"),
    (DataType::F32, "f4"),
    (DataType::F64, "f8"),
    (DataType::Complex32, "c8"),
    (DataType::Complex64, "c16"),
];

/// Returns NumPy's string for an element type in this machine's byte order.
pub(super) fn type_string<T: Element>(name: &impl Display) -> Result<String> {
    let known = TYPES.iter().find(|(data, _)| *data == T::DATA_TYPE);
    let (data, code) = known.ok_or_else(|| {
        let fix = match T::DATA_TYPE {
            DataType::Struct(_) => "save the fields one by one",
            _ => "cast them to a wider type",
        };
        Error::File(format!(
            "{name}: elements of {} have no type in a .npy file. Fix: {fix}",
            T::DATA_TYPE.name()
        ))
    })?;
    Ok(format!(
        "{}{code}",
        if data.size() == 1 { '|' } else { '<' }
    ))
}

/// The layout of the elements after a header.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) big_endian: bool,
}

impl Header {
    /// Reads a header, and checks the type of the elements.
    pub(super) fn read<T: Element>(source: &mut impl Read, name: &str) -> Result<Self> {
        let wanted = type_string::<T>(&name)?;
        let bytes = header_bytes(source)
            .map_err(failed(&name, "the header of a .npy file can't be read"))?;
        let header = NpyHeader::from_reader(&*bytes)
            .map_err(failed(&name, "the header of a .npy file can't be read"))?;
        let found = match header.dtype() {
            DType::Plain(string) => string.to_string(),
            other => other.descr(),
        };
        if found.get(1..) != wanted.get(1..) {
            return Err(mismatch::<T>(name, &found, &wanted));
        }
        let order = match header.order() {
            npyz::Order::C => Order::C,
            npyz::Order::Fortran => Order::F,
        };
        let lengths = header.shape().iter().map(|&length| length as usize);
        let shape = Shape::new(&lengths.collect::<Vec<_>>())?;
        Ok(Self {
            layout: Layout::dense(shape, order),
            big_endian: found.starts_with('>'),
        })
    }
}

/// Writes the header of elements that are contiguous in an order.
pub(super) fn write<T: Element>(
    target: &mut impl Write,
    name: &str,
    shape: Shape,
    order: Order,
) -> Result<()> {
    let string = type_string::<T>(&name)?;
    let string = string
        .parse()
        .map_err(failed(&name, "a type string is invalid"))?;
    let lengths: Vec<u64> = shape
        .as_slice()
        .iter()
        .map(|&length| length as u64)
        .collect();
    let order = match order {
        Order::C => npyz::Order::C,
        Order::F => npyz::Order::Fortran,
    };
    npyz::WriteOptions::new_header_only()
        .dtype(DType::Plain(string))
        .shape(&lengths)
        .order(order)
        .writer(target)
        .write_header_only()
        .map_err(failed(&name, "can't be written"))?;
    Ok(())
}

fn is_complex(data: DataType) -> bool {
    matches!(data, DataType::Complex32 | DataType::Complex64)
}

/// Reads the bytes of a header. Returns an error if its shape has more elements than addresses, since
/// `npyz` does not check this.
fn header_bytes(source: &mut impl Read) -> io::Result<Vec<u8>> {
    const MAGIC: &[u8] = b"\x93NUMPY";
    let mut bytes = vec![0; 8];
    source.read_exact(&mut bytes)?;
    if !bytes.starts_with(MAGIC) {
        return Ok(bytes); // which `npyz` reports
    }
    let mut length = [0; 4];
    let size = if bytes[6] == 1 { 2 } else { 4 };
    source.read_exact(&mut length[..size])?;
    bytes.extend(&length[..size]);
    let length = u32::from_le_bytes(length);
    source.take(length.into()).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let shape = text
        .split_once("'shape'")
        .and_then(|(_, rest)| rest.split_once('('))
        .and_then(|(_, rest)| rest.split_once(')'))
        .map_or("", |(shape, _)| shape);
    let lengths = shape
        .split(',')
        .map(str::trim)
        .filter(|length| !length.is_empty());
    let mut elements = 1u64;
    for length in lengths {
        // A length that is no number is reported by `npyz`.
        let length = length.parse().unwrap_or(1u64);
        elements = elements.checked_mul(length.max(1)).ok_or_else(|| {
            io::Error::other(format!("the shape ({shape}) has too many elements"))
        })?;
    }
    Ok(bytes)
}

#[cold]
fn mismatch<T: Element>(name: &str, found: &str, wanted: &str) -> Error {
    let known = TYPES.iter().find(|(_, code)| found.get(1..) == Some(code));
    let (kind, fix) = match known {
        Some((data, _)) => (
            format!(" ({})", data.name()),
            match is_complex(*data) && !is_complex(T::DATA_TYPE) {
                true => format!("load Array<{}>, and take its real() part", data.name()),
                false => format!("load Array<{}>, and convert it with cast()", data.name()),
            },
        ),
        None if T::DATA_TYPE == DataType::Bf16 => (
            String::new(),
            "save it from NumPy as x.astype(ml_dtypes.bfloat16)".to_owned(),
        ),
        None => (
            String::new(),
            format!("save it from NumPy as x.astype(\"{wanted}\")"),
        ),
    };
    Error::File(format!(
        "{name}: the elements are {found}{kind}, but Array<{}> needs {wanted}. Fix: {fix}",
        T::DATA_TYPE.name()
    ))
}
