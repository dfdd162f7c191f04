//! The driver calls that copy and set device memory.

use bytemuck::Pod;
use cuda_sys::{self as sys, CUdeviceptr};

use super::{owner::Owner, size::byte_size};
use crate::{
    error::{Error, Result},
    settle::Settled,
    stream::Stream,
};

/// Device memory without its type: where it is, how long, and what it belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Span<'a> {
    pub(crate) ptr: CUdeviceptr,
    pub(crate) bytes: usize,
    pub(crate) owner: Owner<'a>,
}

impl Span<'_> {
    fn overlaps(self, other: Self) -> bool {
        let end = |span: Self| span.ptr + span.bytes as CUdeviceptr;
        self.ptr < end(other) && other.ptr < end(self)
    }
}

/// Enqueues a copy from the host.
///
/// # Safety
/// `host` stays readable until the copy has finished, and is as long as `span`.
pub(crate) unsafe fn host_to_device_enqueue<T: Pod>(
    span: Span<'_>,
    stream: &Stream,
    host: *const [T],
) -> Result<()> {
    if span.bytes == 0 {
        return Ok(());
    }
    stream.ordered_with([span.owner], || {
        let _current = stream.enter()?;
        // SAFETY: `span` is live device memory of that many bytes, `host` as this function's
        // contract says.
        let code = unsafe {
            sys::cuMemcpyHtoDAsync_v2(span.ptr, host.cast(), span.bytes, stream.as_raw())
        };
        stream.check("cuMemcpyHtoDAsync_v2", code)
    })
}

/// Enqueues a copy to the host.
///
/// # Safety
/// `host` stays writable until the copy has finished, nobody reads it until then, and it is as long as `span`.
pub(crate) unsafe fn device_to_host_enqueue<T: Pod>(
    span: Span<'_>,
    stream: &Stream,
    host: *mut [T],
) -> Result<()> {
    if span.bytes == 0 {
        return Ok(());
    }
    stream.ordered_with([span.owner], || {
        let _current = stream.enter()?;
        // SAFETY: `span` is live device memory of that many bytes, `host` as this function's
        // contract says.
        let code = unsafe {
            sys::cuMemcpyDtoHAsync_v2(host.cast(), span.ptr, span.bytes, stream.as_raw())
        };
        stream.check("cuMemcpyDtoHAsync_v2", code)
    })
}

pub(crate) fn host_to_device<T: Pod>(span: Span<'_>, stream: &Stream, host: &[T]) -> Result<()> {
    if span.bytes == 0 {
        return Ok(());
    }
    let _current = stream.enter_to_wait("copy_from_slice")?;
    // SAFETY: `host` is borrowed until the wait below is over, which also follows a failure.
    let enqueued = unsafe { host_to_device_enqueue(span, stream, host) };
    let waited = stream.settle().or_abort();
    enqueued.and(waited)
}

pub(crate) fn device_to_host<T: Pod>(
    span: Span<'_>,
    stream: &Stream,
    host: &mut [T],
) -> Result<()> {
    if span.bytes == 0 {
        return Ok(());
    }
    let _current = stream.enter_to_wait("copy_to_slice")?;
    // SAFETY: `host` is borrowed until the wait below is over, which also follows a failure.
    let enqueued = unsafe { device_to_host_enqueue(span, stream, host) };
    let waited = stream.settle().or_abort();
    enqueued.and(waited)
}

pub(crate) fn device_to_vec<T: Pod>(span: Span<'_>, stream: &Stream, len: usize) -> Result<Vec<T>> {
    byte_size::<T>(len, "to_vec")?;
    let mut host = Vec::<T>::with_capacity(len);
    let spare: *mut [T] = std::ptr::slice_from_raw_parts_mut(host.as_mut_ptr(), len);
    if span.bytes > 0 {
        let _current = stream.enter_to_wait("to_vec")?;
        // SAFETY: the capacity is `len`, and `host` lives until the wait below is over, or for ever.
        let enqueued = unsafe { device_to_host_enqueue(span, stream, spare) };
        match stream.settle() {
            Settled::Done => enqueued?,
            Settled::Failed(error) => return Err(enqueued.err().unwrap_or(error)),
            Settled::Unknown(error) => {
                std::mem::forget(host); // the copy may still write to it
                return Err(enqueued.err().unwrap_or(error));
            }
        }
    }
    // SAFETY: the copy has written all `len` elements, any bits are valid for `T`; elements of
    // size zero need no writing.
    unsafe { host.set_len(len) };
    Ok(host)
}

pub(crate) fn device_to_device(to: Span<'_>, stream: &Stream, from: Span<'_>) -> Result<()> {
    if to.bytes == 0 {
        return Ok(());
    }
    if to.overlaps(from) {
        // Two globals of the same variable, or views that unsafe code created.
        return Err(Error::invalid(
            "copy_from",
            format!(
                "the source, {} bytes at {:#x}, and the destination, at {:#x}, overlap: copy to another buffer first",
                from.bytes, from.ptr, to.ptr
            ),
        ));
    }
    stream.ordered_with([to.owner, from.owner], || {
        let _current = stream.enter()?;
        // SAFETY: both are live device memory of `bytes`, ordered on this stream, and apart.
        let code =
            unsafe { sys::cuMemcpyDtoDAsync_v2(to.ptr, from.ptr, to.bytes, stream.as_raw()) };
        stream.check("cuMemcpyDtoDAsync_v2", code)
    })
}

/// Repeats `pattern` over the whole span.
pub(crate) fn fill(span: Span<'_>, stream: &Stream, pattern: &[u8]) -> Result<()> {
    if span.bytes == 0 || pattern.is_empty() {
        return Ok(());
    }
    if !span.bytes.is_multiple_of(pattern.len()) {
        return Err(Error::invalid(
            "fill",
            format!(
                "the size of {} bytes is not a multiple of the pattern's {}",
                span.bytes,
                pattern.len()
            ),
        ));
    }
    let uniform = pattern.iter().all(|byte| *byte == pattern[0]);
    let (Span { ptr, bytes, .. }, count) = (span, span.bytes / pattern.len());
    stream.ordered_with([span.owner], || {
        let _current = stream.enter()?;
        let raw = stream.as_raw();
        let check = |call, code| stream.check(call, code);
        match *pattern {
            // SAFETY: `span` is live device memory of `bytes`.
            [value, ..] if uniform => check("cuMemsetD8Async", unsafe {
                sys::cuMemsetD8Async(ptr, value, bytes, raw)
            }),
            // SAFETY: as above; `count` times 2 is `bytes`.
            [a, b] => check("cuMemsetD16Async", unsafe {
                sys::cuMemsetD16Async(ptr, u16::from_ne_bytes([a, b]), count, raw)
            }),
            // SAFETY: as above; `count` times 4 is `bytes`.
            [a, b, c, d] => check("cuMemsetD32Async", unsafe {
                sys::cuMemsetD32Async(ptr, u32::from_ne_bytes([a, b, c, d]), count, raw)
            }),
            _ => fill_columns(ptr, pattern, count, stream),
        }
    })
}

/// A pattern for which there is no plain memset: as columns of a matrix whose rows are the elements.
fn fill_columns(ptr: CUdeviceptr, pattern: &[u8], rows: usize, stream: &Stream) -> Result<()> {
    let (pitch, raw) = (pattern.len(), stream.as_raw());
    // A 4-byte column must start at a multiple of 4 in every row.
    let (words, bytes) = if pitch.is_multiple_of(4) {
        (pattern, &[][..])
    } else {
        (&[][..], pattern)
    };
    for (i, word) in words.chunks_exact(4).enumerate() {
        let value = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        // SAFETY: `rows` rows of `pitch` bytes are the live span; the column lies within a row.
        let code = unsafe {
            sys::cuMemsetD2D32Async(ptr + 4 * i as CUdeviceptr, pitch, value, 1, rows, raw)
        };
        stream.check("cuMemsetD2D32Async", code)?;
    }
    for (i, &value) in bytes.iter().enumerate() {
        // SAFETY: as above.
        let code =
            unsafe { sys::cuMemsetD2D8Async(ptr + i as CUdeviceptr, pitch, value, 1, rows, raw) };
        stream.check("cuMemsetD2D8Async", code)?;
    }
    Ok(())
}
