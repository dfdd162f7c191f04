//! Pointer arguments passed over the C ABI.
//!
//! Each type has the layout of the C pointer that it represents, and comes from a C caller. The
//! driver's contract binds that caller: a pointer that is not null is valid for the duration of the
//! call. These types check for null, so that the functions that use them need no check.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::fmt;

use super::status::Result;
use crate::abi::{self, failure_reason};

/// A value that the trace can print.
pub trait Show {
    /// Writes the value. `done` means that the call succeeded, so that results may be read.
    fn show(&self, done: bool, out: &mut dyn fmt::Write) -> fmt::Result;
}

macro_rules! show_numbers {
    ($($ty:ty),*) => {$(
        impl Show for $ty {
            fn show(&self, _done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
                write!(out, "{self}")
            }
        }
    )*};
}
show_numbers!(i8, u8, i16, u16, i32, u32, i64, f32);

// Addresses, handles and sizes: numbers large enough for an address or handle are hexadecimal.
impl Show for u64 {
    fn show(&self, _done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        if *self >= 1 << 32 {
            write!(out, "{self:#x}")
        } else {
            write!(out, "{self}")
        }
    }
}
impl Show for usize {
    fn show(&self, done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        (*self as u64).show(done, out)
    }
}

/// `T *`: a place for a result. Null is rejected.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}

// SAFETY: the C caller guarantees access through the pointer, independently of the thread.
unsafe impl<T> Send for Out<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Out<T> {}

impl<T> Out<T> {
    pub const fn null() -> Self {
        Out(std::ptr::null_mut())
    }

    /// Rejects null before the call does anything.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn check(self) -> Result<Self> {
        if self.0.is_null() {
            return Err(failure_reason::null());
        }
        Ok(self)
    }

    /// Stores the result.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn set(self, value: T) -> Result {
        self.check()?;
        // SAFETY: not null, and the C caller guarantees a place for a T. Alignment is not assumed.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Stores the result if the pointer is not null.
    pub fn set_optional(self, value: T) {
        if !self.is_null() {
            let _ = self.set(value);
        }
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub fn address(self) -> u64 {
        self.0 as u64
    }

    /// Returns the pointer to the element at `index`.
    pub fn at(self, index: usize) -> Self {
        Out(self.0.wrapping_add(index))
    }

    /// Casts the pointer, for calls whose other arguments determine the type.
    pub fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }
}

impl<T: Copy> Out<T> {
    /// Reads the value stored there, for arguments that are both input and output.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn get(self) -> Result<T> {
        self.check()?;
        // SAFETY: as in `set`. The caller has stored a T.
        Ok(unsafe { self.0.read_unaligned() })
    }
}

impl<T: Show + Copy> Show for Out<T> {
    fn show(&self, done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.is_null() {
            return out.write_str("null");
        }
        match self.get() {
            Ok(value) if done => {
                out.write_char('&')?;
                value.show(done, out)
            }
            _ => write!(out, "{:p}", self.0),
        }
    }
}

/// Maximum number of values in an array argument. Sensible batches are far smaller.
const MOST_VALUES: usize = 1 << 20;

/// `const T *`: one value or an array to read.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(*const T);

// SAFETY: as for `Out`.
unsafe impl<T> Send for In<T> {}
// SAFETY: as for `Out`.
unsafe impl<T> Sync for In<T> {}

impl<T: Copy> In<T> {
    pub const fn null() -> Self {
        In(std::ptr::null())
    }

    /// Creates a pointer from an address in a structure that the C caller passed. The driver's
    /// contract covers it like a pointer argument.
    pub const fn of(address: u64) -> Self {
        In(address as *const T)
    }

    /// Returns the value.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn get(self) -> Result<T> {
        self.at(0)
    }

    /// Returns the value at `index` of an array.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn at(self, index: usize) -> Result<T> {
        if self.0.is_null() {
            return Err(failure_reason::null());
        }
        // SAFETY: not null, and the C caller guarantees an array that is long enough.
        Ok(unsafe { self.0.wrapping_add(index).read_unaligned() })
    }

    /// Copies the first `count` values. If `count` is 0, the pointer may be null.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null, or if there are more values than
    /// any call accepts.
    pub fn array(self, count: usize) -> Result<Vec<T>> {
        if count > MOST_VALUES {
            return Err(failure_reason::invalid(format!(
                "an array of {count} values was passed, but no call accepts more than {MOST_VALUES}"
            )));
        }
        self.block(count)
    }

    /// Copies the first `count` values as one block.
    fn block(self, count: usize) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(failure_reason::null());
        }
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(count).map_err(|_| {
            let size = size_of::<T>();
            failure_reason::invalid(format!(
                "{count} values of {size} bytes do not fit into memory"
            ))
        })?;
        // SAFETY: not null, and the C caller guarantees `count` values. Bytes need no alignment.
        // The vector has room for `count` values, and its length changes only after they are
        // written.
        unsafe {
            let to: *mut u8 = values.as_mut_ptr().cast();
            self.0
                .cast::<u8>()
                .copy_to_nonoverlapping(to, count * size_of::<T>());
            values.set_len(count);
        }
        Ok(values)
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl In<u8> {
    /// Copies a file's contents or other data of any length.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null, or if the process cannot allocate
    /// that many bytes.
    pub fn bytes(self, length: usize) -> Result<Vec<u8>> {
        self.block(length)
    }
}

impl<T> Show for In<T> {
    fn show(&self, _done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.0.is_null() {
            out.write_str("null")
        } else {
            write!(out, "{:p}", self.0)
        }
    }
}

/// `const char *`: NUL-terminated text.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl Text {
    /// Returns the text.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn get(self) -> Result<&'static CStr> {
        if self.0.is_null() {
            return Err(failure_reason::null());
        }
        // SAFETY: not null and NUL-terminated, as the C caller guarantees. The reference is not
        // kept beyond the call.
        Ok(unsafe { CStr::from_ptr(self.0) })
    }

    /// Returns the text as UTF-8.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is null or the text is not UTF-8.
    pub fn str(self) -> Result<&'static str> {
        let text = self.get()?;
        text.to_str()
            .map_err(|_| failure_reason::invalid(format!("the text {text:?} is not UTF-8")))
    }

    /// Returns a name for messages, empty for null.
    pub fn lossy(self) -> Cow<'static, str> {
        match self.0.is_null() {
            true => Cow::default(),
            false => self.get().map(CStr::to_string_lossy).unwrap_or_default(),
        }
    }
}

impl Show for Text {
    fn show(&self, _done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        match self.0.is_null() {
            true => out.write_str("null"),
            false => match self.get() {
                Ok(text) => write!(out, "{text:?}"),
                Err(_) => out.write_str("null"),
            },
        }
    }
}

/// Writes a NUL-terminated text to a `char *` buffer of `len` bytes, truncated if necessary.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the buffer is null or `len` is not positive.
pub fn set_text(buffer: Out<u8>, len: i32, text: &str) -> Result {
    buffer.check()?;
    if len <= 0 {
        return Err(failure_reason::invalid(format!(
            "a buffer of {len} bytes has no room for a text"
        )));
    }
    let kept = &text.as_bytes()[..text.len().min(len as usize - 1)];
    for (index, byte) in kept.iter().chain([&0]).enumerate() {
        buffer.at(index).set(*byte)?;
    }
    Ok(())
}

/// A buffer whose contents a trace should not print.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Buffer(pub Out<u8>);

impl Show for Buffer {
    fn show(&self, _done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{:#x}", self.0.address())
    }
}

/// Defines enum values that the trace prints by name.
macro_rules! named {
    ($($name:ident $owner:literal),*) => {$(
        #[doc = concat!("A `", $owner, "`.")]
        #[repr(transparent)]
        #[derive(Clone, Copy)]
        pub struct $name(pub u32);

        impl Show for $name {
            fn show(&self, done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
                match abi::name($owner, self.0) {
                    Some(name) => out.write_str(name),
                    None => self.0.show(done, out),
                }
            }
        }
    )*};
}

named!(
    DeviceAttribute "CUdevice_attribute",
    FunctionAttribute "CUfunction_attribute",
    Limit "CUlimit",
    PointerAttribute "CUpointer_attribute",
    PoolAttribute "CUmemPool_attribute",
    RangeAttribute "CUmem_range_attribute"
);

/// A function pointer or another opaque word.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Word(pub u64);

impl Show for Word {
    fn show(&self, _done: bool, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{:#x}", self.0)
    }
}

/// Declares types whose contents a trace does not print.
macro_rules! opaque {
    ($($ty:ty),*) => {$(
        impl $crate::abi::pointers::Show for $ty {
            fn show(&self, _done: bool, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
                out.write_str("..")
            }
        }
    )*};
}
pub(crate) use opaque;

opaque!([u8; 16], [u32; 2]);
