//! Precompiled headers: the compiler's state after the headers, stored in a file.

use std::path::Path;

use cuda_sys::{nvrtcProgram, nvrtcResult};

use super::{Program, cancel, newer};
use crate::error::{Error, Result};

/// The outcome of writing a precompiled header, returned by
/// [`CompiledProgram::precompiled_header`].
///
/// [`CompiledProgram::precompiled_header`]: crate::CompiledProgram::precompiled_header
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrecompiledHeader {
    /// The file was written.
    Created,
    /// The compiler expected no benefit, or the program is not suitable.
    NotAttempted,
    /// An error occurred. The log may explain it.
    Failed,
    /// The compiler's heap for precompiled headers is too small. Before the next compilation, call
    /// [`set_precompiled_header_heap`] with the required size.
    HeapExhausted {
        /// The size in bytes that would have been enough.
        required: usize,
    },
}

impl Program {
    /// Writes a precompiled header (`--create-pch`).
    ///
    /// It stores the compiler's state after the `#include`s at the beginning of the source, or at
    /// `#pragma nv_hdrstop`. Other programs that begin in the same way compile faster with
    /// [`use_precompiled_header`](Self::use_precompiled_header).
    /// [`CompiledProgram::precompiled_header`] returns whether the file was written. The
    /// compilation is not cached. Requires NVRTC 12.8.
    ///
    /// [`CompiledProgram::precompiled_header`]: crate::CompiledProgram::precompiled_header
    ///
    /// ```no_run
    /// # use cuda_safe::{Architecture, program::PrecompiledHeader, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let target = Architecture::real_of(90);
    /// let first = Program::new("#include <cub/cub.cuh>\n__global__ void a() {}");
    /// let written = first.create_precompiled_header("cub.pch").compile(target)?;
    /// assert_eq!(written.precompiled_header(), Some(PrecompiledHeader::Created));
    /// let second = Program::new("#include <cub/cub.cuh>\n__global__ void b() {}");
    /// // SAFETY: written just now, by this compiler.
    /// let second = unsafe { second.use_precompiled_header("cub.pch") }.compile(target)?;
    /// # let _ = second;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn create_precompiled_header(self, file: impl AsRef<Path>) -> Self {
        self.option(format!("--create-pch={}", file.as_ref().display()))
    }

    /// Uses a precompiled header (`--use-pch`).
    ///
    /// If the header does not fit the program, or if the compiler cannot get its memory at the same
    /// addresses as when the header was written, the compiler notes it in the log and reads the
    /// original headers. The compilation is not cached. Requires NVRTC 12.8.
    ///
    /// # Safety
    /// The caller must ensure that the file was written by the same build of NVRTC, is unaltered,
    /// and comes from a source that may run code in this process. The file contains memory of the
    /// compiler, which follows addresses in it.
    #[must_use]
    pub unsafe fn use_precompiled_header(mut self, file: impl AsRef<Path>) -> Self {
        self.trusts_precompiled = true;
        self.option(format!("--use-pch={}", file.as_ref().display()))
    }

    /// Lets the compiler decide when to use and write precompiled headers in a folder (`--pch`,
    /// `--pch-dir`). The compilation is not cached. Requires NVRTC 12.8.
    ///
    /// # Safety
    /// Each file in the folder must satisfy the conditions of
    /// [`use_precompiled_header`](Self::use_precompiled_header).
    #[must_use]
    pub unsafe fn precompiled_headers_in(mut self, folder: impl AsRef<Path>) -> Self {
        self.trusts_precompiled = true;
        self.option("--pch")
            .option(format!("--pch-dir={}", folder.as_ref().display()))
    }

    /// Sets whether the templates that headers use are instantiated before the precompiled header
    /// is written (`--instantiate-templates-in-pch`).
    #[must_use]
    pub fn instantiate_templates_in_precompiled_header(self, instantiate: bool) -> Self {
        self.option(format!("--instantiate-templates-in-pch={instantiate}"))
    }
}

/// Returns the name of an option.
fn name(option: &str) -> &str {
    let option = option.trim_matches(' ').trim_start_matches('-');
    option.split('=').next().unwrap_or(option)
}

/// Rejects options with which the compiler reads a precompiled header, unless the caller has
/// vouched for it.
pub(super) fn check(program: &Program) -> Result<()> {
    let reads = |option: &&String| matches!(name(option), "pch" | "use-pch");
    match program.options.iter().find(reads) {
        Some(option) if !program.trusts_precompiled => Err(Error::invalid(
            "nvrtcCompileProgram",
            format!(
                "the option {option} reads precompiled headers, which must be trusted. Fix: call \
                 Program::use_precompiled_header or Program::precompiled_headers_in, which are unsafe"
            ),
        )),
        _ => Ok(()),
    }
}

/// Returns the outcome of writing the precompiled header of a compiled program. Returns `None` if
/// none was requested, or if the compiler cannot report it.
///
/// # Safety
/// The caller must ensure that the program is live.
pub(super) unsafe fn status(program: &Program, raw: nvrtcProgram) -> Option<PrecompiledHeader> {
    // Numbers, because these codes are newer than the oldest supported headers.
    const NOT_ATTEMPTED: nvrtcResult = nvrtcResult(13);
    const HEAP_EXHAUSTED: nvrtcResult = nvrtcResult(14);
    let asks = |option: &String| matches!(name(option), "pch" | "create-pch");
    if !program.options.iter().any(asks) {
        return None;
    }
    let get_status = newer::nvrtcGetPCHCreateStatus().ok()?;
    // SAFETY: guaranteed by the caller.
    Some(match unsafe { get_status(raw) } {
        nvrtcResult::NVRTC_SUCCESS => PrecompiledHeader::Created,
        NOT_ATTEMPTED => PrecompiledHeader::NotAttempted,
        HEAP_EXHAUSTED => {
            let mut required = 0;
            let get_required = newer::nvrtcGetPCHHeapSizeRequired().ok()?;
            // SAFETY: guaranteed by the caller. `required` is valid for writing.
            let code = unsafe { get_required(raw, &mut required) };
            super::version::check("nvrtcGetPCHHeapSizeRequired", code).ok()?;
            PrecompiledHeader::HeapExhausted { required }
        }
        _ => PrecompiledHeader::Failed,
    })
}

/// Returns the size in bytes of the compiler's heap for precompiled headers.
///
/// See [`nvrtcGetPCHHeapSize`](https://docs.nvidia.com/cuda/nvrtc/index.html) in NVIDIA's manual.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if NVRTC is older than 12.8.
///
/// ```no_run
/// # fn main() -> cuda_safe::Result<()> {
/// cuda_safe::program::set_precompiled_header_heap(512 << 20)?;
/// assert_eq!(cuda_safe::program::precompiled_header_heap()?, 512 << 20);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "nvrtcGetPCHHeapSize")]
pub fn precompiled_header_heap() -> Result<usize> {
    let get_size = newer::nvrtcGetPCHHeapSize()?;
    let mut bytes = 0;
    // SAFETY: `bytes` is valid for writing.
    super::version::check("nvrtcGetPCHHeapSize", unsafe { get_size(&mut bytes) })?;
    Ok(bytes)
}

/// Sets the size in bytes of the compiler's heap for precompiled headers, for the whole process.
///
/// The compiler may round the size up. It forgets the headers that it has read so far. The call
/// waits for all compilations of this crate to finish.
///
/// See [`nvrtcSetPCHHeapSize`](https://docs.nvidia.com/cuda/nvrtc/index.html) in NVIDIA's manual.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if NVRTC is older than 12.8.
/// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if it is called in the
/// function that [`Program::compile_unless`] calls. Otherwise returns NVRTC's error.
#[doc(alias = "nvrtcSetPCHHeapSize")]
pub fn set_precompiled_header_heap(bytes: usize) -> Result<()> {
    let set_size = newer::nvrtcSetPCHHeapSize()?;
    cancel::reject_in_callback("nvrtcSetPCHHeapSize")?;
    let _alone = HEAP
        .write()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // SAFETY: the argument is a number. No compilation runs at the same time, because this frees
    // the memory of headers in use.
    super::version::check("nvrtcSetPCHHeapSize", unsafe { set_size(bytes) })
}

/// Compilations hold this lock for reading, because the heap belongs to the whole process.
pub(super) static HEAP: std::sync::RwLock<()> = std::sync::RwLock::new(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_precompiled_headers_needs_trust() {
        for option in ["--pch", "-pch", "--use-pch=a", "-use-pch=a", " --use-pch=a"] {
            let error = check(&Program::new("").option(option)).unwrap_err();
            assert!(error.detail().contains("which are unsafe"), "{error}");
        }
        for option in [
            "--create-pch=a",
            "--pch-dir=a",
            "--pch-verbose=true",
            "-Dpch",
        ] {
            assert!(check(&Program::new("").option(option)).is_ok(), "{option}");
        }
        // SAFETY: nothing is compiled.
        let [one, other] = unsafe {
            [
                Program::new("").use_precompiled_header("a b"),
                Program::new("").precompiled_headers_in("c"),
            ]
        };
        assert_eq!(one.options, ["--use-pch=a b"]);
        assert_eq!(other.options, ["--pch", "--pch-dir=c"]);
        assert!(check(&one).is_ok() && check(&other).is_ok());
    }
}
