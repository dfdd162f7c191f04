//! The options of module loading and linking, and their log buffers.

use super::register_counts::Bounds;
use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;

/// One more than the newest option of CUDA 13.0.
const OPTIONS: u32 = CU_JIT_SPLIT_COMPILE + 1;

/// Options: an array of numbers and an array of values. Each value is a word or a pointer.
#[derive(Clone, Copy)]
pub struct Options {
    count: usize,
    options: In<u32>,
    values: Out<u64>,
}

impl Options {
    /// Reads the options.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` for options that no header has, for missing values, and
    /// for a limit of no registers.
    pub fn new(count: u32, options: In<u32>, values: Out<u64>) -> Result<Options> {
        let count = count as usize;
        for index in 0..count {
            let option = options.at(index)?;
            if option >= OPTIONS
                || values.is_null()
                || option == CU_JIT_MAX_REGISTERS && values.at(index).get()? as u32 == 0
            {
                return Err(Code::ERROR_INVALID_VALUE);
            }
        }
        Ok(Options {
            count,
            options,
            values,
        })
    }

    fn place(&self, option: u32) -> Option<Out<u64>> {
        (0..self.count)
            .find(|&index| self.options.at(index) == Ok(option))
            .map(|index| self.values.at(index))
    }

    fn value(&self, option: u32) -> Option<u64> {
        self.place(option)?.get().ok()
    }

    /// Returns the log buffers among the options.
    pub fn logs(&self) -> Logs {
        let buffer = |pointer, size| match (self.value(pointer), self.place(size)) {
            (Some(address), Some(length)) if address != 0 => Some(Buffer {
                address,
                size: length.get().ok()? & 0xffff_ffff,
                length,
            }),
            _ => None,
        };
        Logs {
            info: buffer(CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES),
            error: buffer(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES),
        }
    }

    /// Returns the limits for the compiler. The values are 32 bits wide.
    pub fn bounds(&self) -> Bounds {
        let number = |option| self.value(option).map(|value| value as u32);
        Bounds {
            registers: number(CU_JIT_MAX_REGISTERS),
            threads: number(CU_JIT_THREADS_PER_BLOCK),
            max_threads: number(CU_JIT_MAX_THREADS_PER_BLOCK),
            min_blocks: number(CU_JIT_MIN_CTA_PER_SM),
            overrides: number(CU_JIT_OVERRIDE_DIRECTIVE_VALUES).is_some_and(|value| value != 0),
        }
    }

    /// Returns `CU_JIT_TARGET`.
    pub fn target(&self) -> Option<u32> {
        self.value(CU_JIT_TARGET).map(|value| value as u32)
    }

    /// Stores the duration of the work.
    pub fn set_wall_time(&self, milliseconds: f32) {
        if let Some(place) = self.place(CU_JIT_WALL_TIME) {
            place.set_optional(u64::from(milliseconds.to_bits()));
        }
    }
}

/// The client's log buffers. A linker keeps them. Of the client's option arrays, only the values
/// live as long as the linker, and the buffers' lengths are stored there.
#[derive(Clone, Copy)]
pub struct Logs {
    info: Option<Buffer>,
    error: Option<Buffer>,
}

/// A log buffer, and the place for the length of the log.
#[derive(Clone, Copy)]
struct Buffer {
    address: u64,
    size: u64,
    length: Out<u64>,
}

impl Logs {
    /// Writes both logs, truncated if necessary, and their lengths. Without an error buffer, errors
    /// go to standard error.
    pub fn write(&self, info: &str, error: &str) {
        for (buffer, text) in [(self.info, info), (self.error, error)] {
            if let Some(buffer) = buffer {
                buffer.store(text);
            }
        }
        if self.error.is_none() && !error.is_empty() {
            eprintln!("[cuda-emulator] {error}");
        }
    }
}

impl Buffer {
    fn store(self, text: &str) {
        let Buffer { address, size, .. } = self;
        let mut length = text.len().min(size.saturating_sub(1) as usize);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        if size > 0 {
            // SAFETY: the client guarantees a buffer of `size` bytes. `length` bytes and the NUL
            // fit into it.
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr(), address as *mut u8, length);
                *(address as *mut u8).add(length) = 0;
            }
        }
        self.length.set_optional(length as u64);
    }
}

impl Options {
    /// Creates an empty set of options.
    pub fn none() -> Options {
        Options {
            count: 0,
            options: In::null(),
            values: Out::null(),
        }
    }
}
