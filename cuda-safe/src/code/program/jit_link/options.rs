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
    /// Sets the maximum number of registers per thread (`-maxrregcount`).
    #[must_use]
    pub fn max_registers(self, registers: u32) -> Self {
        self.option(format!("-maxrregcount={registers}"))
    }

    /// Sets the optimization level (`-O`): 0 or 3. The default is 3.
    #[must_use]
    pub fn optimization_level(self, level: u32) -> Self {
        self.option(format!("-O{level}"))
    }

    /// Generates debug information (`-g`).
    #[must_use]
    pub fn debug_info(self) -> Self {
        self.option("-g")
    }

    /// Generates line information (`-lineinfo`) for code that was compiled with it.
    #[must_use]
    pub fn line_info(self) -> Self {
        self.option("-lineinfo")
    }

    /// Trades accuracy for speed: flushes denormals and approximates division and roots
    /// (`-ftz=1 -prec-div=0 -prec-sqrt=0`). It affects code that is generated from LTO IR.
    #[must_use]
    pub fn fast_math(self) -> Self {
        self.option("-ftz=1")
            .option("-prec-div=0")
            .option("-prec-sqrt=0")
    }

    /// Sets whether a multiplication and an addition can be contracted to one instruction that
    /// rounds once (`-fma`).
    #[must_use]
    pub fn fma(self, contract: bool) -> Self {
        self.option(format!("-fma={}", u8::from(contract)))
    }

    /// Marks a kernel as used, by its linked name (`-kernels-used`). Other kernels may then be
    /// omitted.
    #[must_use]
    pub fn kernel_used(self, name: &str) -> Self {
        self.option(format!("-kernels-used={name}"))
    }

    /// Marks a variable as used by the host (`-variables-used`). Other variables may then be
    /// omitted.
    #[must_use]
    pub fn variable_used(self, name: &str) -> Self {
        self.option(format!("-variables-used={name}"))
    }

    /// Omits variables that no device code uses (`-optimize-unused-variables`).
    #[must_use]
    pub fn optimize_unused_variables(self) -> Self {
        self.option("-optimize-unused-variables")
    }

    /// Sets the number of compiler threads (`-split-compile`). 0 means one per processor. The
    /// default is 1.
    #[must_use]
    pub fn split_compile(self, threads: u32) -> Self {
        self.option(format!("-split-compile={threads}"))
    }

    /// Adds details to the log, such as the registers and memory of each kernel (`-verbose`).
    #[must_use]
    pub fn verbose(self) -> Self {
        self.option("-verbose")
    }

    /// Adds an option in nvJitLink's syntax, for options that have no method here.
    #[must_use]
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.0.push(option.into());
        self
    }

    /// Returns the options in nvJitLink's syntax.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}
