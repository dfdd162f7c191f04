//! The options of module loading and linking, and the buffers that logs go to.

use super::arg::{In, Out};
use super::status::{Code, Result};

const WALL_TIME: u32 = 2;
const INFO_LOG_BUFFER: u32 = 3;
const INFO_LOG_SIZE: u32 = 4;
const ERROR_LOG_BUFFER: u32 = 5;
const ERROR_LOG_SIZE: u32 = 6;
/// Behind the newest option of CUDA 13.
const OPTIONS: u32 = 35;

/// Options as an array of numbers and an array of values, each value a word or a pointer.
#[derive(Clone, Copy)]
pub struct Options {
    count: usize,
    options: In<u32>,
    values: Out<u64>,
}

impl Options {
    /// Reads the options, refusing numbers that no header has.
    pub fn new(count: u32, options: In<u32>, values: Out<u64>) -> Result<Options> {
        let count = count as usize;
        for index in 0..count {
            if options.at(index)? >= OPTIONS || values.is_null() {
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

    /// The log buffers that the options name.
    pub fn logs(&self) -> Logs {
        let buffer = |pointer, size| match (self.value(pointer), self.value(size)) {
            (Some(address), Some(size)) if address != 0 => Some((address, size & 0xffff_ffff)),
            _ => None,
        };
        Logs {
            options: *self,
            info: buffer(INFO_LOG_BUFFER, INFO_LOG_SIZE),
            error: buffer(ERROR_LOG_BUFFER, ERROR_LOG_SIZE),
        }
    }

    /// Stores how long the work took.
    pub fn set_wall_time(&self, milliseconds: f32) {
        if let Some(place) = self.place(WALL_TIME) {
            place.set_optional(u64::from(milliseconds.to_bits()));
        }
    }
}

/// Where the client wants to read what happened.
#[derive(Clone, Copy)]
pub struct Logs {
    options: Options,
    info: Option<(u64, u64)>,
    error: Option<(u64, u64)>,
}

impl Logs {
    /// Writes both logs, cut to fit, and their lengths. An error that nobody reads goes to standard error.
    pub fn write(&self, info: &str, error: &str) {
        self.store(self.info, INFO_LOG_SIZE, info);
        self.store(self.error, ERROR_LOG_SIZE, error);
        if self.error.is_none() && !error.is_empty() {
            eprintln!("[cuda-emulator] {error}");
        }
    }

    fn store(&self, buffer: Option<(u64, u64)>, size_option: u32, text: &str) {
        let Some((address, size)) = buffer else {
            return;
        };
        let mut length = text.len().min(size.saturating_sub(1) as usize);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        if size > 0 {
            // SAFETY: the client promises a buffer of `size` bytes; `length` and the NUL fit into it.
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr(), address as *mut u8, length);
                *(address as *mut u8).add(length) = 0;
            }
        }
        if let Some(place) = self.options.place(size_option) {
            place.set_optional(length as u64);
        }
    }
}

impl Options {
    /// No options.
    pub fn none() -> Options {
        Options {
            count: 0,
            options: In::null(),
            values: Out::null(),
        }
    }
}
