//! Options of the compiler in the driver.

use std::{
    ffi::{c_uint, c_void},
    ptr,
};

use cuda_sys::{CUjit_option, CUresult};

use crate::flags::options;

options! {
    /// Options for the compiler in the driver, which turns PTX into machine code when a module is
    /// loaded. Machine code passes through unchanged.
    ///
    /// ```
    /// # use cuda_safe::{Context, JitOptions, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let options = JitOptions::default().max_registers(32).optimization_level(4).line_info(true);
    /// assert_eq!(options.max_registers, Some(32));
    /// let ptx = ".version 7.0
    ///     .target sm_75
    ///     .address_size 64
    ///     .visible .entry nothing() { ret; }";
    /// let module = Module::from_ptx_with(&context, ptx, &options)?;
    /// assert!(module.function("nothing").is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub struct JitOptions {
        /// The greatest number of registers per thread (`CU_JIT_MAX_REGISTERS`).
        max_registers: Option<u32>, set to u32;
        /// The level of optimisation, 0 to 4; the driver's default is 4 (`CU_JIT_OPTIMIZATION_LEVEL`).
        optimization_level: Option<u32>, set to u32;
        /// Whether to generate information for a debugger (`CU_JIT_GENERATE_DEBUG_INFO`).
        debug_info: bool;
        /// Whether to generate source lines (`CU_JIT_GENERATE_LINE_INFO`).
        line_info: bool;
    }
}

/// The size of the buffer for the driver's error log, in bytes; the driver writes no more than that.
const LOG_BYTES: usize = 16 << 10;

impl JitOptions {
    /// Calls `load` with the options as the driver takes them, and returns the error log.
    pub(super) fn with_raw(
        &self,
        load: impl FnOnce(c_uint, *mut CUjit_option, *mut *mut c_void) -> CUresult,
    ) -> (CUresult, String) {
        let mut log = vec![0u8; LOG_BYTES];
        // Small numbers are passed in the pointer itself.
        let number = |value: usize| ptr::without_provenance_mut::<c_void>(value);
        let mut keys = vec![
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = vec![log.as_mut_ptr().cast::<c_void>(), number(LOG_BYTES)];
        let mut option = |key, value: usize| {
            keys.push(key);
            values.push(number(value));
        };
        if let Some(registers) = self.max_registers {
            option(CUjit_option::CU_JIT_MAX_REGISTERS, registers as usize);
        }
        if let Some(level) = self.optimization_level {
            option(CUjit_option::CU_JIT_OPTIMIZATION_LEVEL, level as usize);
        }
        if self.debug_info {
            option(CUjit_option::CU_JIT_GENERATE_DEBUG_INFO, 1);
        }
        if self.line_info {
            option(CUjit_option::CU_JIT_GENERATE_LINE_INFO, 1);
        }
        let code = load(keys.len() as c_uint, keys.as_mut_ptr(), values.as_mut_ptr());
        log.truncate(log.iter().position(|&byte| byte == 0).unwrap_or(log.len()));
        (code, String::from_utf8_lossy(&log).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pair = (CUjit_option, usize);

    /// What the driver is given, but for the log: options with their values.
    fn given(options: JitOptions) -> Vec<Pair> {
        let mut given = Vec::new();
        let (code, log) = options.with_raw(|count, keys, values| {
            // SAFETY: both arrays are as long as the count.
            given = (0..count as usize)
                .map(|i| unsafe { (*keys.add(i), (*values.add(i)).addr()) })
                .collect();
            CUresult::CUDA_SUCCESS
        });
        assert_eq!((code, log), (CUresult::CUDA_SUCCESS, String::new()));
        assert_eq!(given[0].0, CUjit_option::CU_JIT_ERROR_LOG_BUFFER);
        let size = (CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 16 * 1024);
        assert_eq!(given[1], size);
        given.split_off(2)
    }

    #[test]
    fn each_option_is_handed_over() {
        let none = JitOptions::default();
        assert_eq!(given(none), []);
        let registers = (CUjit_option::CU_JIT_MAX_REGISTERS, 32);
        let level = (CUjit_option::CU_JIT_OPTIMIZATION_LEVEL, 3);
        let debug = (CUjit_option::CU_JIT_GENERATE_DEBUG_INFO, 1);
        let lines = (CUjit_option::CU_JIT_GENERATE_LINE_INFO, 1);
        assert_eq!(given(none.max_registers(32)), [registers]);
        assert_eq!(given(none.optimization_level(3)), [level]);
        assert_eq!(given(none.debug_info(true)), [debug]);
        assert_eq!(given(none.line_info(true)), [lines]);
        let all = none
            .line_info(true)
            .debug_info(true)
            .optimization_level(3)
            .max_registers(32);
        assert_eq!(given(all), [registers, level, debug, lines]);
    }

    /// The log when the driver writes this.
    fn log(text: &[u8]) -> String {
        let (code, log) = JitOptions::default().with_raw(|_, _, values| {
            // SAFETY: the log's buffer is the first value, and longer than the texts here.
            unsafe { ptr::copy_nonoverlapping(text.as_ptr(), (*values).cast(), text.len()) };
            CUresult::CUDA_ERROR_INVALID_PTX
        });
        assert_eq!(code, CUresult::CUDA_ERROR_INVALID_PTX);
        log
    }

    #[test]
    fn the_log_ends_where_the_driver_ended_it() {
        assert_eq!(log(b""), "");
        assert_eq!(log(b"line 3: no\n\0left from before"), "line 3: no\n");
        assert_eq!(log(b"\xffx"), "\u{fffd}x");
        // A driver that forgets the end.
        assert_eq!(log(&[b'x'; LOG_BYTES]).len(), LOG_BYTES);
        assert_eq!(log(&[b'x'; LOG_BYTES - 1]).len(), LOG_BYTES - 1);
    }
}
