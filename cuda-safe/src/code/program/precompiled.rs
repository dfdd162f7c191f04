//! Precompiled headers: the compiler's state after the headers, kept in a file.

use std::path::Path;

use cuda_sys::{nvrtcProgram, nvrtcResult};

use super::{Program, cancel, newer};
use crate::error::{Error, Result};

/// What became of a precompiled header that was to be written: [`CompiledProgram::precompiled_header`].
///
/// [`CompiledProgram::precompiled_header`]: crate::CompiledProgram::precompiled_header
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrecompiledHeader {
    /// It was written.
    Created,
    /// The compiler saw no use in one, or what it was to be written for isn't fit for it.
    NotAttempted,
    /// Something went wrong; the log may say what.
    Failed,
    /// The compiler's heap for it is too small: [`set_precompiled_header_heap`] with as many bytes, before another
    /// compilation, makes it large enough.
    HeapExhausted {
        /// Bytes that would have been enough.
        required: usize,
    },
}

impl Program {
    /// Writes a precompiled header (`--create-pch`): the state in which the compiler is behind the `#include`s at the
    /// beginning of the source, or at `#pragma nv_hdrstop`. Other programs that begin in the same way are compiled faster
    /// with it, by [`use_precompiled_header`](Self::use_precompiled_header). [`CompiledProgram::precompiled_header`] says
    /// whether it was written. Such a compilation is not cached. NVRTC 12.8 and newer.
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

    /// Uses a precompiled header (`--use-pch`). Where it doesn't fit the program, or the compiler can't have its memory where
    /// it was when it was written, the compiler says so in the log and reads the headers themselves. Such a compilation is
    /// not cached. NVRTC 12.8 and newer.
    ///
    /// # Safety
    /// The file was written by the same build of NVRTC, is unaltered, and comes from a source that may run code in this
    /// process: it is a part of the compiler's memory, in which that follows addresses.
    #[must_use]
    pub unsafe fn use_precompiled_header(mut self, file: impl AsRef<Path>) -> Self {
        self.trusts_precompiled = true;
        self.option(format!("--use-pch={}", file.as_ref().display()))
    }

    /// Lets the compiler use and write precompiled headers in a folder as it sees fit (`--pch`, `--pch-dir`). Such a
    /// compilation is not cached. NVRTC 12.8 and newer.
    ///
    /// # Safety
    /// As for [`use_precompiled_header`](Self::use_precompiled_header), for each file in the folder.
    #[must_use]
    pub unsafe fn precompiled_headers_in(mut self, folder: impl AsRef<Path>) -> Self {
        self.trusts_precompiled = true;
        self.option("--pch")
            .option(format!("--pch-dir={}", folder.as_ref().display()))
    }

    /// Sets whether templates that the headers use are instantiated before they are written
    /// (`--instantiate-templates-in-pch`).
    #[must_use]
    pub fn instantiate_templates_in_precompiled_header(self, instantiate: bool) -> Self {
        self.option(format!("--instantiate-templates-in-pch={instantiate}"))
    }
}

/// The name of an option that has to do with precompiled headers.
fn name(option: &str) -> &str {
    let option = option.trim_matches(' ').trim_start_matches('-');
    option.split('=').next().unwrap_or(option)
}

/// Refuses options that have the compiler read a precompiled header, unless the caller has vouched for it.
pub(super) fn check(program: &Program) -> Result<()> {
    let reads = |option: &&String| matches!(name(option), "pch" | "use-pch");
    match program.options.iter().find(reads) {
        Some(option) if !program.trusts_precompiled => Err(Error::invalid(
            "nvrtcCompileProgram",
            format!(
                "the option {option} reads precompiled headers, which have to be trusted: \
                 Program::use_precompiled_header and Program::precompiled_headers_in, which are unsafe, say so"
            ),
        )),
        _ => Ok(()),
    }
}

/// What became of the precompiled header of a program that was compiled; `None` if none was asked for, or the compiler
/// can't tell.
///
/// # Safety
/// A live program.
pub(super) unsafe fn status(program: &Program, raw: nvrtcProgram) -> Option<PrecompiledHeader> {
    // Numbers, since these codes are newer than the oldest headers.
    const NOT_ATTEMPTED: nvrtcResult = nvrtcResult(13);
    const HEAP_EXHAUSTED: nvrtcResult = nvrtcResult(14);
    let asks = |option: &String| matches!(name(option), "pch" | "create-pch");
    if !program.options.iter().any(asks) {
        return None;
    }
    let get_status = newer::nvrtcGetPCHCreateStatus().ok()?;
    // SAFETY: the caller's promise.
    Some(match unsafe { get_status(raw) } {
        nvrtcResult::NVRTC_SUCCESS => PrecompiledHeader::Created,
        NOT_ATTEMPTED => PrecompiledHeader::NotAttempted,
        HEAP_EXHAUSTED => {
            let mut required = 0;
            let get_required = newer::nvrtcGetPCHHeapSizeRequired().ok()?;
            // SAFETY: the caller's promise; `required` is valid for the write.
            let code = unsafe { get_required(raw, &mut required) };
            super::version::check("nvrtcGetPCHHeapSizeRequired", code).ok()?;
            PrecompiledHeader::HeapExhausted { required }
        }
        _ => PrecompiledHeader::Failed,
    })
}

/// How many bytes the compiler has for precompiled headers.
///
/// # Errors
/// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where NVRTC is older than 12.8.
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
    // SAFETY: `bytes` is valid for the write.
    super::version::check("nvrtcGetPCHHeapSize", unsafe { get_size(&mut bytes) })?;
    Ok(bytes)
}

/// Sets the number of bytes that the compiler has for precompiled headers, in the whole process.
///
/// The compiler may round the number up. It forgets the headers that it has read so far. The call waits for all
/// compilations of this crate to finish.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if NVRTC is older than 12.8, and
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) in the function that
/// [`Program::compile_unless`] calls. Otherwise returns NVRTC's code.
#[doc(alias = "nvrtcSetPCHHeapSize")]
pub fn set_precompiled_header_heap(bytes: usize) -> Result<()> {
    let set_size = newer::nvrtcSetPCHHeapSize()?;
    cancel::refuse_within("nvrtcSetPCHHeapSize")?;
    let _alone = HEAP
        .write()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // SAFETY: a number; nothing compiles meanwhile, as the memory of headers in use would be freed.
    super::version::check("nvrtcSetPCHHeapSize", unsafe { set_size(bytes) })
}

/// Held by whoever compiles: the heap is the process's.
pub(super) static HEAP: std::sync::RwLock<()> = std::sync::RwLock::new(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_has_to_be_trusted() {
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
