//! A C library that exchanges arrays with PyTorch and CuPy in Python. `cuda_direct.py` wraps it with ctypes. The README in
//! this folder describes how to run it.
//!
//! If a function fails, it returns null or a number other than 0, and `arrays_error` returns the reason.

mod typed;

use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_void},
    slice,
    sync::OnceLock,
};

use cuda_compute::{
    Error, MAX_RANK, Result,
    interop::{CudaArrayInterface, ImportedTensor, dlpack::DLDataType, stream_number},
};
use cuda_safe::{Context, MemoryPool, Stream};
use typed::Typed;

/// The handle of an array in Python.
pub type Handle = *mut Box<dyn Typed>;

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

static STREAM: OnceLock<Stream> = OnceLock::new();

/// The stream of all arrays here, on the first device.
fn stream() -> Result<&'static Stream> {
    if let Some(stream) = STREAM.get() {
        return Ok(stream);
    }
    let stream = Stream::new(&Context::primary(0)?)?;
    Ok(STREAM.get_or_init(|| stream))
}

fn or<R>(failed: R, result: Result<R>) -> R {
    result.unwrap_or_else(|error| {
        let text = CString::new(error.to_string()).unwrap_or_default();
        ERROR.set(text);
        failed
    })
}

fn handle(array: Result<Box<dyn Typed>>) -> Handle {
    or(
        std::ptr::null_mut(),
        array.map(|array| Box::into_raw(Box::new(array))),
    )
}

/// Returns the text of the thread's last error. It is valid until the next error.
#[unsafe(no_mangle)]
pub extern "C" fn arrays_error() -> *const c_char {
    ERROR.with_borrow(|text| text.as_ptr())
}

/// Returns the number of the stream that all arrays belong to, or 0 on errors.
#[unsafe(no_mangle)]
pub extern "C" fn arrays_stream() -> i64 {
    or(0, stream().map(stream_number))
}

/// Waits for all work, and returns the bytes allocated from the driver's pool, or `u64::MAX` on errors.
#[unsafe(no_mangle)]
pub extern "C" fn arrays_used() -> u64 {
    let used = || {
        let context = stream()?.context();
        context.synchronize()?;
        Ok(MemoryPool::current(context)?.used()?)
    };
    or(u64::MAX, used())
}

/// Creates an array with a copy of the host's elements, in C order.
///
/// # Safety
/// The caller must ensure that:
/// - `lengths` has `rank` numbers;
/// - `host` has all elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_new(
    code: u8,
    bits: u8,
    rank: usize,
    lengths: *const usize,
    host: *const u8,
) -> Handle {
    let lanes = 1;
    let new = || {
        // SAFETY: by this function's contract.
        let lengths = unsafe { slice::from_raw_parts(lengths, rank) };
        let bytes = lengths.iter().product::<usize>() * usize::from(bits) / 8;
        // SAFETY: by this function's contract.
        let host = unsafe { slice::from_raw_parts(host, bytes) };
        typed::new(stream()?, DLDataType { code, bits, lanes }, lengths, host)
    };
    handle(new())
}

/// Creates an array from the memory of a DLPack tensor. If `producer` is not -1, it is the number of the stream on which the
/// tensor is ready and its memory is reused later. Otherwise the tensor is ready on `arrays_stream`.
///
/// # Safety
/// The conditions of `ImportedTensor::from_versioned` or `from_unversioned` apply, and those of
/// `ImportedTensor::into_array` or `into_array_with_producer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_take(
    tensor: *mut c_void,
    versioned: bool,
    producer: i64,
) -> Handle {
    let take = || {
        // SAFETY: by this function's contract.
        let tensor = unsafe {
            match versioned {
                true => ImportedTensor::from_versioned(tensor.cast())?,
                false => ImportedTensor::from_unversioned(tensor.cast())?,
            }
        };
        let own = stream()?;
        let raw = std::ptr::with_exposed_provenance_mut(producer as usize);
        // SAFETY: a live stream, by this function's contract.
        let producer = (producer > 0).then(|| unsafe { Stream::borrow_raw(raw, own.context()) });
        // SAFETY: by this function's contract.
        unsafe { typed::take(own, tensor, producer.as_ref()) }
    };
    handle(take())
}

/// Returns the tensor of an array for the `stream` argument of `__dlpack__` (null for `None`). It is read-only and shares
/// the array's memory. If `give` is set, it is writable, and the handle becomes invalid, even if the call fails.
///
/// # Safety
/// The caller must ensure that:
/// - the handle is one of this library;
/// - the stream is live, or one of DLPack's special numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_tensor(
    array: Handle,
    give: bool,
    stream: *const i64,
    versioned: bool,
) -> *mut c_void {
    let tensor = || {
        // SAFETY: by this function's contract.
        let mut tensor = unsafe {
            match give {
                true => Box::from_raw(array).give()?,
                false => (*array).share(),
            }
        };
        // SAFETY: by this function's contract.
        unsafe { tensor.ready_for(stream.as_ref().copied())? };
        Ok(match versioned {
            true => tensor.into_raw().cast(),
            false => tensor.into_raw_unversioned()?.cast(),
        })
    };
    or(std::ptr::null_mut(), tensor())
}

/// The result of `arrays_facts`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Facts {
    rank: usize,
    lengths: [usize; MAX_RANK],
    /// In bytes.
    strides: [isize; MAX_RANK],
    typestr: [c_char; 8],
    address: u64,
    stream: i64,
    read_only: bool,
    version: u32,
}

/// Writes the fields of `__cuda_array_interface__` to `facts`. For writable access, the array is copied first if others
/// share its memory.
///
/// # Safety
/// The caller must ensure that:
/// - the handle is one of this library;
/// - `facts` is valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_facts(array: Handle, writing: bool, facts: *mut Facts) -> i32 {
    let tell = || {
        // SAFETY: by this function's contract.
        let interface = unsafe { (*array).facts(writing)? };
        let mut own = Facts {
            rank: interface.shape.len(),
            address: interface.data,
            stream: interface.stream.unwrap_or(-1),
            read_only: interface.read_only,
            version: interface.version,
            ..Facts::default()
        };
        own.lengths[..own.rank].copy_from_slice(&interface.shape);
        let strides = interface.strides.as_deref().unwrap_or_default();
        own.strides[..strides.len()].copy_from_slice(strides);
        for (to, from) in own.typestr.iter_mut().zip(interface.typestr.bytes()) {
            *to = from as c_char;
        }
        // SAFETY: by this function's contract.
        unsafe { facts.write(own) };
        Ok(0)
    };
    or(1, tell())
}

/// A Python object that must stay alive.
struct Keeper {
    release: unsafe extern "C" fn(u64),
    object: u64,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // SAFETY: the function that was passed to `arrays_of_facts`.
        unsafe { (self.release)(self.object) };
    }
}

/// Creates an array from the memory of another object's `__cuda_array_interface__`. When the object is no longer needed,
/// `release` is called with `object`, even if this call fails.
///
/// # Safety
/// The conditions of `Array::from_cuda_array_interface` apply. `facts` must be valid for reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_of_facts(
    facts: *const Facts,
    release: unsafe extern "C" fn(u64),
    object: u64,
) -> Handle {
    let keeper = Keeper { release, object };
    let take = || {
        // SAFETY: by this function's contract.
        let facts = unsafe { &*facts };
        // SAFETY: a name that ends with zero, by this function's contract.
        let typestr = unsafe { CStr::from_ptr(facts.typestr.as_ptr()) };
        let interface = CudaArrayInterface {
            shape: facts.lengths[..facts.rank].into(),
            strides: Some(facts.strides[..facts.rank].into()),
            typestr: typestr.to_string_lossy(),
            data: facts.address,
            read_only: facts.read_only,
            stream: (facts.stream != -1).then_some(facts.stream),
            version: facts.version,
        };
        // SAFETY: by this function's contract.
        unsafe { typed::of_facts(stream()?, &interface, keeper) }
    };
    handle(take())
}

/// Returns a new array, selected by `what`:
///
/// - 0: another reference
/// - 1: all elements doubled, or negated for truth values
/// - 2: the transposed array
/// - 3: every second element of the first axis, starting with the second
///
/// # Safety
/// The caller must ensure that the handle is one of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_made(array: Handle, what: u8) -> Handle {
    // SAFETY: by this function's contract.
    let array = unsafe { &**array };
    handle(match what {
        0 => Ok(array.another()),
        1 => array.doubled(),
        2 => Ok(array.transposed()),
        3 => array.every_second(),
        _ => Err(Error::Value(format!(
            "`what` is {what}, but must be 0 to 3"
        ))),
    })
}

/// Doubles all elements in place, or negates truth values.
///
/// # Safety
/// The caller must ensure that the handle is one of this library, and that it is not used elsewhere
/// during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_double(array: Handle) -> i32 {
    // SAFETY: by this function's contract.
    or(1, unsafe { (*array).double() }.map(|()| 0))
}

/// Copies the elements to the host, in C order.
///
/// # Safety
/// The caller must ensure that:
/// - the handle is one of this library;
/// - `host` has room for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_read(array: Handle, host: *mut u8, bytes: usize) -> i32 {
    // SAFETY: by this function's contract.
    let (array, host) = unsafe { (&**array, slice::from_raw_parts_mut(host, bytes)) };
    or(1, array.read(host).map(|()| 0))
}

/// Drops an array.
///
/// # Safety
/// The caller must ensure that the handle is one of this library, and that it is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrays_drop(array: Handle) {
    // SAFETY: by this function's contract.
    drop(unsafe { Box::from_raw(array) });
}
