//! Options of nvJitLink.

/// Options for a [`JitLinker`](crate::program::JitLinker).
///
/// ```
/// use cuda_safe::program::JitLinkOptions;
///
/// let options = JitLinkOptions::default().max_registers(64).kernel_used("saxpy").split_compile(0);
/// assert_eq!(options.as_slice(), ["-maxrregcount=64", "-kernels-used=saxpy", "-split-compile=0"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct JitLinkOptions(Vec<String>);

impl JitLinkOptions {
    /// Sets the greatest number of registers per thread (`-maxrregcount`).
    #[must_use]
    pub fn max_registers(self, registers: u32) -> Self {
        self.option(format!("-maxrregcount={registers}"))
    }

    /// Sets the level of optimisation (`-O`): 0 or 3, which is the default.
    #[must_use]
    pub fn optimization_level(self, level: u32) -> Self {
        self.option(format!("-O{level}"))
    }

    /// Generates information for a debugger (`-g`).
    #[must_use]
    pub fn debug_info(self) -> Self {
        self.option("-g")
    }

    /// Generates source lines (`-lineinfo`), from what was compiled with them.
    #[must_use]
    pub fn line_info(self) -> Self {
        self.option("-lineinfo")
    }

    /// Trades accuracy for speed, as far as this is decided when LTO IR is compiled: flushes denormals, approximates
    /// division and roots (`-ftz=1 -prec-div=0 -prec-sqrt=0`).
    #[must_use]
    pub fn fast_math(self) -> Self {
        self.option("-ftz=1")
            .option("-prec-div=0")
            .option("-prec-sqrt=0")
    }

    /// Sets whether a multiplication and an addition may be contracted to one instruction that rounds once (`-fma`).
    #[must_use]
    pub fn fma(self, contract: bool) -> Self {
        self.option(format!("-fma={}", u8::from(contract)))
    }

    /// Names a kernel that is used, by the name that it is linked by (`-kernels-used`). Kernels that aren't named may then be
    /// left out.
    #[must_use]
    pub fn kernel_used(self, name: &str) -> Self {
        self.option(format!("-kernels-used={name}"))
    }

    /// Names a variable that the host uses (`-variables-used`). Variables that aren't named may then be left out.
    #[must_use]
    pub fn variable_used(self, name: &str) -> Self {
        self.option(format!("-variables-used={name}"))
    }

    /// Leaves variables out that no device code uses (`-optimize-unused-variables`).
    #[must_use]
    pub fn optimize_unused_variables(self) -> Self {
        self.option("-optimize-unused-variables")
    }

    /// Sets how many threads compile (`-split-compile`): 0 for as many as there are processors, 1 is the default.
    #[must_use]
    pub fn split_compile(self, threads: u32) -> Self {
        self.option(format!("-split-compile={threads}"))
    }

    /// Says more in the log, such as registers and memory of each kernel (`-verbose`).
    #[must_use]
    pub fn verbose(self) -> Self {
        self.option("-verbose")
    }

    /// Adds an option as nvJitLink documents it, for options that have no method here.
    #[must_use]
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.0.push(option.into());
        self
    }

    /// The options as nvJitLink is given them.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}
