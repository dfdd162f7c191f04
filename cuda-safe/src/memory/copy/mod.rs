//! Driver calls that copy and fill device memory.

pub(crate) mod batch;
pub(crate) mod extent;
pub(crate) mod layout;
pub(crate) mod pipeline;
pub(crate) mod region;
pub(crate) mod region_call;
pub(crate) mod region_copy;
pub(crate) mod scope;
pub(crate) mod staging;
pub(crate) mod transfer;

use bytemuck::Pod;
use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use super::{
    copy::{extent::Extent, layout::Strides, region_copy::expect_no_capture},
    device::fresh,
    location::MemoryLocation,
    pointer::MemoryType,
    pool::options::MemoryAccess,
    size::byte_size,
};
use crate::{
    context::Settled,
    error::{Error, Result},
    stream::{Stream, owner::Owner, settle::HostRange},
};

/// Device memory without its element type: its address, size and owner.
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

/// Enqueues a copy from the host. Error messages name the method `call`.
///
/// # Safety
/// The caller must ensure that `host` stays readable until the copy has finished, and is as long as
/// `span`.
pub(crate) unsafe fn enqueue_upload<T: Pod>(
    call: &'static str,
    span: Span<'_>,
    stream: &Stream,
    host: *const [T],
) -> Result<()> {
    if span.bytes == 0 {
        return Ok(());
    }
    stream.ordered(call, [span.owner], || {
        let _current = stream.enter("cuMemcpyHtoDAsync_v2")?;
        // SAFETY: `span` is live device memory of that size. The caller guarantees that `host` is
        // valid.
        let code = unsafe {
            sys::cuMemcpyHtoDAsync_v2(span.ptr, host.cast(), span.bytes, stream.as_raw())
        };
        let checked = stream.check("cuMemcpyHtoDAsync_v2", code);
        explained(checked, stream, span)
    })
}

/// Enqueues a copy to the host. Error messages name the method `call`.
///
/// # Safety
/// The caller must ensure that `host` is as long as `span`. Until the copy has finished, `host`
/// must stay writable and must not be read.
pub(crate) unsafe fn enqueue_download<T: Pod>(
    call: &'static str,
    span: Span<'_>,
    stream: &Stream,
    host: *mut [T],
) -> Result<()> {
    if span.bytes == 0 {
        return Ok(());
    }
    stream.ordered(call, [span.owner], || {
        let _current = stream.enter("cuMemcpyDtoHAsync_v2")?;
        // SAFETY: `span` is live device memory of that size. The caller guarantees that `host` is
        // valid.
        let code = unsafe {
            sys::cuMemcpyDtoHAsync_v2(host.cast(), span.ptr, span.bytes, stream.as_raw())
        };
        let checked = stream.check("cuMemcpyDtoHAsync_v2", code);
        let written = host.cast::<T>().addr() as CUdeviceptr;
        explained_write(explained(checked, stream, span), stream, written)
    })
}

pub(crate) fn host_to_device<T: Pod>(span: Span<'_>, stream: &Stream, host: &[T]) -> Result<()> {
    if span.bytes == 0 {
        return Ok(());
    }
    let _current = stream.enter_to_wait("copy_from_slice")?;
    if staging::upload("copy_from_slice", span, stream, host.as_ptr().cast())? {
        return Ok(());
    }
    // SAFETY: `host` stays borrowed until the wait below has finished, even after a failure.
    let enqueued = unsafe { enqueue_upload("copy_from_slice", span, stream, host) };
    let waited = stream.end_borrow([HostRange::of(host)]);
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
    // SAFETY: `host` is as long as `span` and exclusively borrowed.
    if unsafe { staging::download("copy_to_slice", span, stream, host.as_mut_ptr().cast())? } {
        return Ok(());
    }
    // SAFETY: `host` stays borrowed until the wait below has finished, even after a failure.
    let enqueued = unsafe { enqueue_download("copy_to_slice", span, stream, host) };
    let waited = stream.end_borrow([HostRange::of(host)]);
    enqueued.and(waited)
}

pub(crate) fn device_to_vec<T: Pod>(span: Span<'_>, stream: &Stream, len: usize) -> Result<Vec<T>> {
    byte_size::<T>(len, "to_vec")?;
    let mut host = Vec::<T>::with_capacity(len);
    let spare: *mut [T] = std::ptr::slice_from_raw_parts_mut(host.as_mut_ptr(), len);
    fresh::prefer_large_pages(spare.cast(), span.bytes);
    if span.bytes > 0 {
        let _current = stream.enter_to_wait("to_vec")?;
        // SAFETY: the vector owns the memory, which is at least as long as `span`.
        if unsafe { staging::download("to_vec", span, stream, spare.cast())? } {
            // SAFETY: the copy has written all `len` elements, and all bit patterns are valid for
            // `T`.
            unsafe { host.set_len(len) };
            return Ok(host);
        }
        // SAFETY: the capacity is `len`, and `host` lives until the wait below has finished, or
        // forever.
        let enqueued = unsafe { enqueue_download("to_vec", span, stream, spare) };
        match stream.settle() {
            Settled::Done => enqueued?,
            Settled::Failed(error) | Settled::Faulted(error) => {
                return Err(enqueued.err().unwrap_or(error));
            }
            Settled::Unknown(error) => {
                std::mem::forget(host); // the copy may still write to it
                return Err(enqueued.err().unwrap_or(error));
            }
        }
    }
    // SAFETY: the copy has written all `len` elements, and all bit patterns are valid for `T`.
    // Elements of size zero need no writing.
    unsafe { host.set_len(len) };
    Ok(host)
}

pub(crate) fn device_to_device(to: Span<'_>, stream: &Stream, from: Span<'_>) -> Result<()> {
    if to.bytes == 0 {
        return Ok(());
    }
    if to.overlaps(from) {
        // Possible with two globals of the same variable, or with views created by unsafe code.
        return Err(Error::invalid(
            "copy_from",
            format!(
                "the source ({} bytes at {:#x}) and the destination (at {:#x}) overlap. Fix: copy to another buffer \
                 first",
                from.bytes, from.ptr, to.ptr
            ),
        ));
    }
    if is_between_devices(stream, [to.owner, from.owner]) {
        return between_devices(to, stream, from);
    }
    stream.ordered("copy_from", [to.owner, from.owner], || {
        let _current = stream.enter("cuMemcpyDtoDAsync_v2")?;
        // SAFETY: both are live device memory of this size, ordered on this stream, and do not
        // overlap.
        let code =
            unsafe { sys::cuMemcpyDtoDAsync_v2(to.ptr, from.ptr, to.bytes, stream.as_raw()) };
        let checked = stream.check("cuMemcpyDtoDAsync_v2", code);
        let explained = explained(explained(checked, stream, from), stream, to);
        explained_write(explained, stream, to.ptr)
    })
}

/// Adds the reason to the error of a copy or fill that the driver rejected.
#[inline]
pub(super) fn explained(result: Result<()>, stream: &Stream, span: Span<'_>) -> Result<()> {
    result.map_err(|error| match rejection_reason(&error, stream, span) {
        Some(why) => error.with_detail(why),
        None => error,
    })
}

#[cold]
fn rejection_reason(error: &Error, stream: &Stream, span: Span<'_>) -> Option<String> {
    if error.driver_code() != Some(CUresult::CUDA_ERROR_INVALID_VALUE) {
        return None;
    }
    if let Some(why) = other_device_reason(stream, span.owner) {
        return Some(why);
    }
    let here = stream.context().device();
    let (mut flags, location) = (0, MemoryLocation::device(here).raw());
    // SAFETY: `flags` is valid for the write and `location` for the read. The driver looks up the
    // address.
    let code = unsafe { sys::cuMemGetAccess(&mut flags, &location, span.ptr) };
    if code != CUresult::CUDA_SUCCESS {
        return None; // not mapped memory
    }
    let may = match MemoryAccess(flags as u32) {
        MemoryAccess::NONE => "has no access to it",
        MemoryAccess::READ => "can only read it",
        _ => return None,
    };
    let device = here.ordinal();
    Some(format!(
        "the memory is mapped, but device {device} {may}. Fix: call Mapping::set_access first"
    ))
}

/// Adds a reason like [`explained`], for a call that writes to an address of the device or the
/// host.
#[inline]
pub(super) fn explained_write<R>(
    result: Result<R>,
    stream: &Stream,
    address: CUdeviceptr,
) -> Result<R> {
    result.map_err(|error| match error.driver_code() {
        Some(CUresult::CUDA_ERROR_INVALID_VALUE) => match read_only_reason(stream, address) {
            Some(why) => error.with_detail(why),
            None => error,
        },
        _ => error,
    })
}

/// Returns the reason for a rejected write if the memory is registered as read-only.
#[cold]
pub(super) fn read_only_reason(stream: &Stream, address: CUdeviceptr) -> Option<&'static str> {
    let info = stream.context().pointer_info(address).ok()?;
    let read_only = info.memory_type == MemoryType::HOST && info.access == MemoryAccess::READ;
    read_only.then_some(
        "the destination is host memory that is registered with RegisterFlags::READ_ONLY, to which the device must not \
         write. Fix: register it without READ_ONLY, or copy to other memory",
    )
}

/// Returns whether memory is on another device than the stream. If so, memory from a pool can be
/// used only by calls that take the contexts.
pub(crate) fn is_between_devices(stream: &Stream, owners: [Owner<'_>; 2]) -> bool {
    let here = stream.context().device();
    owners.iter().any(|owner| owner.context().device() != here)
}

/// Returns the reason for a rejected call if the memory is on another device than the stream.
#[cold]
pub(super) fn other_device_reason(stream: &Stream, owner: Owner<'_>) -> Option<String> {
    let [here, there] = [stream.context(), owner.context()].map(|one| one.device().ordinal());
    (here != there).then(|| {
        format!(
            "the stream is on device {here}, but the memory is on device {there}. Fix: use a stream of the memory's \
             device, or give the stream's device access (MemoryPool::grant_access for a DeviceBuffer, otherwise \
             PeerAccess)"
        )
    })
}

fn between_devices(to: Span<'_>, stream: &Stream, from: Span<'_>) -> Result<()> {
    let _uncaptured = expect_no_capture(stream, "copy_from")?;
    stream.ordered("copy_from", [to.owner, from.owner], || {
        let (target, source) = (to.owner.context(), from.owner.context());
        let _current = stream.enter("cuMemcpyPeerAsync")?;
        // SAFETY: both are live memory of this size in these contexts, ordered on this stream, and
        // do not overlap.
        let code = unsafe {
            sys::cuMemcpyPeerAsync(
                to.ptr,
                target.as_raw(),
                from.ptr,
                source.as_raw(),
                to.bytes,
                stream.as_raw(),
            )
        };
        stream.check("cuMemcpyPeerAsync", code)
    })
}

/// Fills the whole span with repetitions of `pattern`.
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
    let enqueue = || {
        let _current = stream.enter("cuMemsetD8Async")?;
        let raw = stream.as_raw();
        let check = |call, code| stream.check(call, code);
        match *pattern {
            // SAFETY: `span` is live device memory of this size.
            [value, ..] if uniform => check("cuMemsetD8Async", unsafe {
                sys::cuMemsetD8Async(ptr, value, bytes, raw)
            }),
            // SAFETY: as above; `count` times 2 is `bytes`.
            [a, b] if ptr.is_multiple_of(2) => check("cuMemsetD16Async", unsafe {
                sys::cuMemsetD16Async(ptr, u16::from_ne_bytes([a, b]), count, raw)
            }),
            // SAFETY: as above; `count` times 4 is `bytes`.
            [a, b, c, d] if ptr.is_multiple_of(4) => check("cuMemsetD32Async", unsafe {
                sys::cuMemsetD32Async(ptr, u32::from_ne_bytes([a, b, c, d]), count, raw)
            }),
            _ => fill_columns(ptr, pattern, count, stream),
        }
    };
    stream.ordered("fill", [span.owner], || {
        explained_write(explained(enqueue(), stream, span), stream, ptr)
    })
}

/// Fills the elements of rows and slices with repetitions of `pattern`, and leaves the gaps
/// unchanged.
pub(crate) fn fill_rows(
    ptr: CUdeviceptr,
    strides: Strides,
    owner: Owner<'_>,
    stream: &Stream,
    pattern: &[u8],
) -> Result<()> {
    let Extent { height, depth, .. } = strides.extent;
    let (row, pitch) = (strides.row(), strides.pitch);
    if row == 0 || strides.extent.is_empty() || pattern.is_empty() {
        return Ok(());
    }
    // The shortest prefix of which the pattern consists, of the sizes that the driver supports.
    let short = [1, 2, 4].into_iter().find(|&size| {
        pattern.len().is_multiple_of(size)
            && pattern.chunks(size).all(|part| part == &pattern[..size])
    });
    let size = short.unwrap_or(pattern.len());
    let pattern = &pattern[..size];
    if !row.is_multiple_of(size) {
        return Err(Error::invalid(
            "fill",
            format!("the size of a row of {row} bytes is not a multiple of the pattern's {size}"),
        ));
    }
    // Other rows are filled column by column, because the driver has no call for them.
    let numbers = [if height * depth > 1 { pitch } else { 0 }, ptr as usize];
    let aligned = numbers.iter().all(|number| number.is_multiple_of(size));
    let whole_rows = short.is_some() && aligned;
    // Slices without gaps between them are like the rows of one slice.
    let (rows, slices) = match strides.slice_rows == height {
        true => (height * depth, 1),
        false => (height, depth),
    };
    let enqueue = || {
        let _current = stream.enter("cuMemsetD2D8Async")?;
        for slice in 0..slices {
            let ptr = ptr + (slice * strides.slice_rows * pitch) as CUdeviceptr;
            if whole_rows {
                fill_rectangle(ptr, pitch, pattern, [row / size, rows], stream)?;
                continue;
            }
            for y in 0..rows {
                let ptr = ptr + (y * pitch) as CUdeviceptr;
                fill_columns(ptr, pattern, row / size, stream)?;
            }
        }
        Ok(())
    };
    let bytes = strides.span();
    let span = Span { ptr, bytes, owner };
    stream.ordered("fill", [owner], || {
        explained_write(explained(enqueue(), stream, span), stream, ptr)
    })
}

/// Fills rows with a pattern of 1, 2 or 4 bytes.
fn fill_rectangle(
    ptr: CUdeviceptr,
    pitch: usize,
    pattern: &[u8],
    [width, rows]: [usize; 2],
    stream: &Stream,
) -> Result<()> {
    let raw = stream.as_raw();
    // SAFETY (all calls below): the rows are live device memory.
    let (call, code) = match *pattern {
        // SAFETY: as above.
        [value] => ("cuMemsetD2D8Async", unsafe {
            sys::cuMemsetD2D8Async(ptr, pitch, value, width, rows, raw)
        }),
        // SAFETY: as above.
        [a, b] => ("cuMemsetD2D16Async", unsafe {
            let value = u16::from_ne_bytes([a, b]);
            sys::cuMemsetD2D16Async(ptr, pitch, value, width, rows, raw)
        }),
        // SAFETY: as above.
        [a, b, c, d] => ("cuMemsetD2D32Async", unsafe {
            let value = u32::from_ne_bytes([a, b, c, d]);
            sys::cuMemsetD2D32Async(ptr, pitch, value, width, rows, raw)
        }),
        _ => unreachable!("the driver supports three sizes"),
    };
    stream.check(call, code)
}

/// Fills with a pattern for which there is no memset, column by column of a matrix whose rows are
/// the elements.
fn fill_columns(ptr: CUdeviceptr, pattern: &[u8], rows: usize, stream: &Stream) -> Result<()> {
    let (pitch, raw) = (pattern.len(), stream.as_raw());
    // A 4-byte column must start at a multiple of 4 in every row.
    let (words, bytes) = if pitch.is_multiple_of(4) && ptr.is_multiple_of(4) {
        (pattern, &[][..])
    } else {
        (&[][..], pattern)
    };
    for (i, word) in words.chunks_exact(4).enumerate() {
        let value = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        // SAFETY: the live span consists of `rows` rows of `pitch` bytes, and the column is within
        // a row.
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
