//! Options of the compiler beyond the common ones, which `Program` has in its own file.

use std::{fmt, path::Path};

use super::Program;

/// How much running time a compilation may give away to be done sooner: [`Program::fast_compile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FastCompile {
    /// Little of either.
    Min,
    /// Without expensive optimisations.
    Mid,
    /// As fast as the compiler can: hardly any optimisation.
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

/// Options that newer compilers have, or that are rarely needed. A compiler that does not know one says so, in an error of
/// kind [`ErrorKind::Compile`](crate::ErrorKind::Compile).
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
    /// Sets whether denormal numbers of single precision are flushed to zero (`--ftz`). The default is `false`.
    #[must_use]
    pub fn flush_denormals(self, flush: bool) -> Self {
        self.option(format!("--ftz={flush}"))
    }

    /// Sets whether divisions and reciprocals of single precision are rounded correctly (`--prec-div`). The default is
    /// `true`.
    #[must_use]
    pub fn precise_division(self, precise: bool) -> Self {
        self.option(format!("--prec-div={precise}"))
    }

    /// Sets whether square roots of single precision are rounded correctly (`--prec-sqrt`). The default is `true`.
    #[must_use]
    pub fn precise_roots(self, precise: bool) -> Self {
        self.option(format!("--prec-sqrt={precise}"))
    }

    /// Lets the vectoriser do more (`--extra-device-vectorization`).
    #[must_use]
    pub fn extra_vectorization(self) -> Self {
        self.option("--extra-device-vectorization")
    }

    /// Promises that pointers among kernels' parameters don't overlap (`--restrict`). Kernels whose pointers do are then
    /// undefined behaviour, as launches are `unsafe` for.
    #[must_use]
    pub fn restrict(self) -> Self {
        self.option("--restrict")
    }

    /// Takes functions without an annotation as `__device__` (`--device-as-default-execution-space`): for headers that know
    /// nothing of CUDA.
    #[must_use]
    pub fn device_by_default(self) -> Self {
        self.option("--device-as-default-execution-space")
    }

    /// Allows `__int128` (`--device-int128`).
    #[must_use]
    pub fn int128(self) -> Self {
        self.option("--device-int128")
    }

    /// Allows `__float128` (`--device-float128`), which devices of compute capability 10.0 and newer have.
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

    /// Suppresses the warnings of a number, which messages show behind `#` (`--diag-suppress`).
    #[must_use]
    pub fn suppress_diagnostic(self, number: u32) -> Self {
        self.option(format!("--diag-suppress={number}"))
    }

    /// Makes an error of the warnings of a number (`--diag-error`).
    #[must_use]
    pub fn diagnostic_is_error(self, number: u32) -> Self {
        self.option(format!("--diag-error={number}"))
    }

    /// Lets several threads compile (`--split-compile`): 0 for as many as there are processors, 1 is the default. It pays for
    /// programs with many kernels. NVRTC 12.4 and newer.
    #[must_use]
    pub fn split_compile(self, threads: u32) -> Self {
        self.option(format!("--split-compile={threads}"))
    }

    /// Leaves out what few programs need of what the compiler defines by itself, so that it starts faster (`--minimal`):
    /// without it are printf, malloc and textures, for instance. NVRTC 12.4 and newer.
    #[must_use]
    pub fn minimal(self) -> Self {
        self.option("--minimal")
    }

    /// Gives away running time to be compiled sooner (`--Ofast-compile`). NVRTC 12.9 and newer.
    #[must_use]
    pub fn fast_compile(self, level: FastCompile) -> Self {
        self.option(format!("--Ofast-compile={level}"))
    }

    /// Has functions find out that somebody wrote beyond an array on their stack (`--device-stack-protector`). NVRTC 12.6
    /// and newer.
    #[must_use]
    pub fn stack_protector(self, protect: bool) -> Self {
        self.option(format!("--device-stack-protector={protect}"))
    }

    /// Bypasses the cache that NVRTC itself has in memory or on disk (`--no-cache`); [`cache`](Self::cache) is about this
    /// crate's. NVRTC 12.9 and newer.
    #[must_use]
    pub fn no_compiler_cache(self) -> Self {
        self.option("--no-cache")
    }

    /// Writes how long each phase took to a file, as comma-separated values (`--time`). Such a compilation is not cached.
    #[must_use]
    pub fn time_to(self, file: impl AsRef<Path>) -> Self {
        self.option(format!("--time={}", file.as_ref().display()))
    }

    /// Writes what took how long to a file that `chrome://tracing` and Perfetto show (`--fdevice-time-trace`): each header,
    /// template and pass. The compiler puts `.json` behind the name, and fails for machine code where there is such a file
    /// already (NVRTC 13.0). Such a compilation is not cached. NVRTC 12.8 and newer.
    #[must_use]
    pub fn time_trace_to(self, file: impl AsRef<Path>) -> Self {
        self.option(format!("--fdevice-time-trace={}", file.as_ref().display()))
    }
}
