//! Options of the driver's compiler.

use std::{
    ffi::{c_uint, c_void},
    ptr,
    sync::atomic::{AtomicPtr, AtomicU8, Ordering},
};

use cuda_sys::{CUjit_option, CUresult};

use crate::{device::ComputeCapability, raw::flags::options};

options! {
    /// Options for the driver's compiler, which compiles PTX to machine code when a module is
    /// loaded.
    ///
    /// Machine code is loaded unchanged.
    ///
    /// ```
    /// # use cuda_safe::{Context, module::JitOptions, Module};
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
        /// The maximum number of registers per thread (`CU_JIT_MAX_REGISTERS`).
        max_registers: Option<u32>, set to u32;
        /// The optimization level, 0 to 4. The driver's default is 4 (`CU_JIT_OPTIMIZATION_LEVEL`).
        optimization_level: Option<u32>, set to u32;
        /// Whether to generate debug information (`CU_JIT_GENERATE_DEBUG_INFO`).
        debug_info: bool;
        /// Whether to generate line information (`CU_JIT_GENERATE_LINE_INFO`).
        line_info: bool;
        /// The minimum number of threads per block to compile for. It limits the registers if
        /// `max_registers` is not set (`CU_JIT_THREADS_PER_BLOCK`).
        threads_per_block: Option<u32>, set to u32;
        /// The device to compile for. The default is the context's device (`CU_JIT_TARGET`). Only a
        /// linker accepts another one.
        target: Option<ComputeCapability>, set to ComputeCapability;
        /// Whether the logs contain more details, such as the registers and memory of each kernel
        /// (`CU_JIT_LOG_VERBOSE`).
        verbose: bool;
        /// The maximum number of threads per block, for kernels without a `.maxntid` directive in
        /// PTX (`CU_JIT_MAX_THREADS_PER_BLOCK`). Drivers that do not know this option,
        /// `min_blocks_per_multiprocessor`, `override_directives` or `split_compile` return an
        /// error.
        max_threads_per_block: Option<u32>, set to u32;
        /// The number of blocks that must fit on a multiprocessor, for kernels without a
        /// `.minnctapersm` directive in PTX (`CU_JIT_MIN_CTA_PER_SM`).
        min_blocks_per_multiprocessor: Option<u32>, set to u32;
        /// Whether `max_registers`, `max_threads_per_block` and `min_blocks_per_multiprocessor`
        /// override the directives in PTX (`CU_JIT_OVERRIDE_DIRECTIVE_VALUES`).
        override_directives: bool;
        /// The number of compiler threads, if the code can be split. 0 means one per processor
        /// (`CU_JIT_SPLIT_COMPILE`).
        split_compile: Option<u32>, set to u32;
    }
}

/// The size in bytes of a buffer for a driver log. The driver writes no more than that.
const LOG_BYTES: usize = 16 << 10;

/// Returns the text in a log, up to the NUL that terminates it.
fn text_of(mut log: Vec<u8>) -> String {
    log.truncate(log.iter().position(|&byte| byte == 0).unwrap_or(log.len()));
    String::from_utf8_lossy(&log).into_owned()
}

impl JitOptions {
    /// Calls `load` with the options in the driver's representation, and returns its code and the
    /// error log.
    pub(super) fn with_raw(
        &self,
        load: impl FnOnce(c_uint, *mut CUjit_option, *mut *mut c_void) -> CUresult,
    ) -> (CUresult, String) {
        let request = Request::new(self);
        let (count, keys, values) = request.raw();
        let code = load(count, keys, values);
        (code, request.error_log())
    }

    /// Returns the driver's options with their values.
    fn pairs(&self) -> Vec<(CUjit_option, usize)> {
        let capability = |one: ComputeCapability| (one.major * 10 + one.minor) as usize;
        let number = |value: Option<u32>| value.map(|value| value as usize);
        let flag = |is_set: bool| is_set.then_some(1);
        // Numbers, if the bindings can be older than the option.
        [
            (
                CUjit_option::CU_JIT_MAX_REGISTERS,
                number(self.max_registers),
            ),
            (
                CUjit_option::CU_JIT_THREADS_PER_BLOCK,
                number(self.threads_per_block),
            ),
            (
                CUjit_option::CU_JIT_OPTIMIZATION_LEVEL,
                number(self.optimization_level),
            ),
            (CUjit_option::CU_JIT_TARGET, self.target.map(capability)),
            (
                CUjit_option::CU_JIT_GENERATE_DEBUG_INFO,
                flag(self.debug_info),
            ),
            (
                CUjit_option::CU_JIT_GENERATE_LINE_INFO,
                flag(self.line_info),
            ),
            (CUjit_option::CU_JIT_LOG_VERBOSE, flag(self.verbose)),
            (CUjit_option(31), number(self.min_blocks_per_multiprocessor)),
            (CUjit_option(32), number(self.max_threads_per_block)),
            (CUjit_option(33), flag(self.override_directives)),
            (CUjit_option(34), number(self.split_compile)),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
    }
}

/// Options in the driver's representation, with the buffers for its logs.
///
/// A linker writes to the buffers and the values for as long as it lives. A library can do so too,
/// because its code is compiled when it is needed.
pub(super) struct Request {
    error: Box<[AtomicU8; LOG_BYTES]>,
    info: Box<[AtomicU8; LOG_BYTES]>,
    keys: Box<[CUjit_option]>,
    values: Box<[AtomicPtr<c_void>]>,
}

impl Request {
    pub(super) fn new(options: &JitOptions) -> Self {
        let log = || Box::new([const { AtomicU8::new(0) }; LOG_BYTES]);
        let (error, info) = (log(), log());
        let place = |log: &[AtomicU8; LOG_BYTES]| log.as_ptr().cast_mut().cast::<c_void>();
        // Small numbers are passed in the pointer itself.
        let number = |value: usize| ptr::without_provenance_mut::<c_void>(value);
        let (keys, values): (Vec<_>, Vec<_>) = [
            (CUjit_option::CU_JIT_ERROR_LOG_BUFFER, place(&error)),
            (
                CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                number(LOG_BYTES),
            ),
            (CUjit_option::CU_JIT_INFO_LOG_BUFFER, place(&info)),
            (
                CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                number(LOG_BYTES),
            ),
        ]
        .into_iter()
        .chain(
            options
                .pairs()
                .into_iter()
                .map(|(key, value)| (key, number(value))),
        )
        .map(|(key, value)| (key, AtomicPtr::new(value)))
        .unzip();
        Self {
            error,
            info,
            keys: keys.into(),
            values: values.into(),
        }
    }

    /// Returns the number of options, the keys and the values. The arrays stay valid for as long as
    /// this value lives.
    pub(super) fn raw(&self) -> (c_uint, *mut CUjit_option, *mut *mut c_void) {
        (
            self.keys.len() as c_uint,
            self.keys.as_ptr().cast_mut(),
            // The type has the layout of a pointer and can be written through a shared reference.
            self.values.as_ptr().cast_mut().cast(),
        )
    }

    /// Returns the driver's error log.
    pub(super) fn error_log(&self) -> String {
        text_of(
            self.error
                .iter()
                .map(|byte| byte.load(Ordering::Relaxed))
                .collect(),
        )
    }

    /// Returns the driver's information log.
    pub(super) fn info_log(&self) -> String {
        text_of(
            self.info
                .iter()
                .map(|byte| byte.load(Ordering::Relaxed))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pair = (CUjit_option, usize);

    /// Returns the options and values that the driver receives, without the logs.
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
        assert_eq!(given[2].0, CUjit_option::CU_JIT_INFO_LOG_BUFFER);
        let size = (CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 16 * 1024);
        assert_eq!(given[3], size);
        given.split_off(4)
    }

    #[test]
    fn each_option_is_passed_to_the_driver() {
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
        let ninety = ComputeCapability { major: 9, minor: 0 };
        let numbered = |number, value| [(CUjit_option(number), value)];
        assert_eq!(given(none.threads_per_block(64)), numbered(1, 64));
        assert_eq!(given(none.target(ninety)), numbered(9, 90));
        let other = ComputeCapability { major: 8, minor: 6 };
        assert_eq!(given(none.target(other)), numbered(9, 86));
        assert_eq!(given(none.verbose(true)), numbered(12, 1));
        assert_eq!(
            given(none.min_blocks_per_multiprocessor(2)),
            numbered(31, 2)
        );
        assert_eq!(given(none.max_threads_per_block(128)), numbered(32, 128));
        assert_eq!(given(none.override_directives(true)), numbered(33, 1));
        assert_eq!(given(none.split_compile(0)), numbered(34, 0));
        let all = none
            .line_info(true)
            .debug_info(true)
            .optimization_level(3)
            .max_registers(32);
        assert_eq!(given(all), [registers, level, debug, lines]);
    }

    /// Returns the log after the driver has written `text`.
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
    fn log_ends_at_its_nul() {
        assert_eq!(log(b""), "");
        assert_eq!(log(b"line 3: no\n\0left from before"), "line 3: no\n");
        assert_eq!(log(b"\xffx"), "\u{fffd}x");
        // A driver that does not terminate the log.
        assert_eq!(log(&[b'x'; LOG_BYTES]).len(), LOG_BYTES);
        assert_eq!(log(&[b'x'; LOG_BYTES - 1]).len(), LOG_BYTES - 1);
    }
}
