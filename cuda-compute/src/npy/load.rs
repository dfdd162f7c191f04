//! Arrays from files.

use std::{io::Read, sync::Arc};

use cuda_safe::{DeviceBuffer, PinnedBuffer, Stream, memory::Transfer};

use super::{
    file::{CHUNK, failed},
    header::Header,
};
use crate::{
    array::{Array, Memory},
    element::{Class, DataType, Element},
    error::{Error, Result},
    kernel::Kernels,
};

/// Reads an array. `name` names the source in errors.
pub(super) fn load<T: Element>(
    stream: &Stream,
    source: &mut impl Read,
    name: &str,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Array<T>> {
    let header = Header::read::<T>(source, name)?;
    let shape = header.layout.shape;
    let bytes = shape.elements().checked_mul(T::DATA_TYPE.size());
    let bytes = bytes.ok_or_else(|| {
        Error::Shape(format!(
            "{name}: the size in bytes of shape {shape} overflows"
        ))
    })?;
    let kernels = Kernels::of(stream)?;
    let mut buffer = DeviceBuffer::uninit(stream, bytes)?;
    let pinned = || PinnedBuffer::<u8>::zeroed(stream.context(), bytes.min(CHUNK));
    let mut host = if bytes == 0 { None } else { Some(pinned()?) };
    let mut before: Option<Transfer<u8>> = None;
    let mut done = 0;
    while let Some(mut part) = host.take() {
        let length = part.len().min(bytes - done);
        let read = source.read_exact(&mut part[..length]);
        read.map_err(failed(
            &name,
            &format!("the {bytes} bytes of an array of shape {shape} can't be read"),
        ))?;
        convert(&mut part[..length], T::DATA_TYPE, header.big_endian);
        let mut target = buffer.slice_mut(done..done + length)?;
        done += length;
        if done < bytes {
            // The next part is read while this one is copied.
            host = Some(match before.take() {
                Some(transfer) => transfer.wait()?,
                None => pinned()?,
            });
            let upload = stream.upload(part, &mut target);
            before = Some(upload.map_err(cuda_safe::Error::from)?);
        } else {
            target.copy_from_slice(stream, &part[..length])?;
        }
        progress(done, bytes);
    }
    if let Some(transfer) = before {
        transfer.wait()?;
    }
    let memory = Arc::new(Memory::of(&kernels, buffer));
    Ok(Array::of(memory, header.layout))
}

/// Converts elements to this machine's byte order, and bools to 0 or 1.
fn convert(bytes: &mut [u8], data: DataType, big_endian: bool) {
    if data == DataType::Bool {
        for byte in bytes {
            *byte = u8::from(*byte != 0);
        }
    } else if big_endian {
        let parts = if data.class() == Class::Complex { 2 } else { 1 };
        for number in bytes.chunks_exact_mut(data.size() / parts) {
            number.reverse();
        }
    }
}
