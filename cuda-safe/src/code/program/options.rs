//! Less common compiler options. `Program` has the common ones in its own file.

use std::{fmt, path::Path};

use super::Program;

/// The amount of optimization that a compilation omits to finish sooner, for
/// [`Program::fast_compile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FastCompile {
    /// Omits a little optimization.
    Min,
    /// Omits expensive optimizations.
    Mid,
    /// Omits almost all optimization, for the fastest compilation.
    Max,
}

impl fmt::Display for FastCompile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Min => "min",
            Self::Mid => "mid",
            Self::Max => "max",
        })
    }
}

/// Compiler options that are rarely needed or that only newer compilers support. A compiler that
/// does not support an option reports an error of kind
/// [`ErrorKind::Compile`](crate::ErrorKind::Compile).
///
/// ```
/// # use cuda_safe::{Architecture, Program};
/// # fn main() -> cuda_safe::Result<()> {
/// let program = Program::new("__global__ void k(float *x) { *x = x[1] / x[2]; }");
/// let target = Architecture::virtual_of(90);
/// assert!(program.clone().compile(target)?.ptx().contains("div.rn.f32"));
/// assert!(program.precise_division(false).compile(target)?.ptx().contains("div.full.f32"));
/// # Ok(())
/// # }
/// ```
impl Program {
    /// Sets whether single-precision denormal numbers are flushed to zero (`--ftz`). The default is
    /// `false`.
    #[must_use]
    pub fn flush_denormals(self, flush: bool) -> Self {
        self.option(format!("--ftz={flush}"))
    }

    /// Sets whether single-precision divisions and reciprocals are rounded correctly
    /// (`--prec-div`). The default is `true`.
    #[must_use]
    pub fn precise_division(self, precise: bool) -> Self {
        self.option(format!("--prec-div={precise}"))
    }

    /// Sets whether single-precision square roots are rounded correctly (`--prec-sqrt`). The
    /// default is `true`.
    #[must_use]
    pub fn precise_roots(self, precise: bool) -> Self {
        self.option(format!("--prec-sqrt={precise}"))
    }

    /// Enables more vectorization (`--extra-device-vectorization`).
    #[must_use]
    pub fn extra_vectorization(self) -> Self {
        self.option("--extra-device-vectorization")
    }

    /// Promises that the pointers in kernels' parameters do not overlap (`--restrict`). If they do,
    /// the kernel has undefined behavior, and the caller of the `unsafe` launch is responsible for
    /// it.
    #[must_use]
    pub fn restrict(self) -> Self {
        self.option("--restrict")
    }

    /// Treats functions without an annotation as `__device__`
    /// (`--device-as-default-execution-space`), for headers that were not written for CUDA.
    #[must_use]
    pub fn device_by_default(self) -> Self {
        self.option("--device-as-default-execution-space")
    }

    /// Allows `__int128` (`--device-int128`).
    #[must_use]
    pub fn int128(self) -> Self {
        self.option("--device-int128")
    }

    /// Allows `__float128` (`--device-float128`). Requires compute capability 10.0.
    #[must_use]
    pub fn float128(self) -> Self {
        self.option("--device-float128")
    }

    /// Includes a header before the source (`--pre-include`).
    #[must_use]
    pub fn pre_include(self, header: &str) -> Self {
        self.option(format!("--pre-include={header}"))
    }

    /// Suppresses all warnings (`--disable-warnings`).
    #[must_use]
    pub fn disable_warnings(self) -> Self {
        self.option("--disable-warnings")
    }

    /// Suppresses the warnings with a number, which messages show after `#` (`--diag-suppress`).
    #[must_use]
    pub fn suppress_diagnostic(self, number: u32) -> Self {
        self.option(format!("--diag-suppress={number}"))
    }

    /// Turns the warnings with a number into errors (`--diag-error`).
    #[must_use]
    pub fn diagnostic_as_error(self, number: u32) -> Self {
        self.option(format!("--diag-error={number}"))
    }

    /// Sets the number of compiler threads (`--split-compile`). 0 means one per processor. The
    /// default is 1.
    ///
    /// It is worthwhile for programs with many kernels. Requires NVRTC 12.4.
    #[must_use]
    pub fn split_compile(self, threads: u32) -> Self {
        self.option(format!("--split-compile={threads}"))
    }

    /// Omits the less common built-in declarations of the compiler, so that it starts faster
    /// (`--minimal`).
    ///
    /// Among others, printf, malloc and textures are missing then. Requires NVRTC 12.4.
    #[must_use]
    pub fn minimal(self) -> Self {
        self.option("--minimal")
    }

    /// Trades execution speed for compilation speed (`--Ofast-compile`). Requires NVRTC 12.9.
    #[must_use]
    pub fn fast_compile(self, level: FastCompile) -> Self {
        self.option(format!("--Ofast-compile={level}"))
    }

    /// Makes functions detect writes beyond an array on their stack (`--device-stack-protector`).
    /// Requires NVRTC 12.6.
    #[must_use]
    pub fn stack_protector(self, protect: bool) -> Self {
        self.option(format!("--device-stack-protector={protect}"))
    }

    /// Bypasses NVRTC's own cache in memory or on disk (`--no-cache`). [`cache`](Self::cache)
    /// controls this crate's cache. Requires NVRTC 12.9.
    #[must_use]
    pub fn no_compiler_cache(self) -> Self {
        self.option("--no-cache")
    }

    /// Writes the duration of each phase to a file, as comma-separated values (`--time`). The
    /// compilation is not cached.
    #[must_use]
    pub fn write_timing(self, file: impl AsRef<Path>) -> Self {
        self.option(format!("--time={}", file.as_ref().display()))
    }

    /// Writes the duration of each header, template and pass to a file that `chrome://tracing` and
    /// Perfetto can show (`--fdevice-time-trace`).
    ///
    /// The compiler appends `.json` to the name. For machine code, it fails if that file already
    /// exists (NVRTC 13.0). The compilation is not cached. Requires NVRTC 12.8.
    #[must_use]
    pub fn write_time_trace(self, file: impl AsRef<Path>) -> Self {
        self.option(format!("--fdevice-time-trace={}", file.as_ref().display()))
    }
}
