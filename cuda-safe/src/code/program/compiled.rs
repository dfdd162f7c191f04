//! Compiled programs.

use std::sync::Arc;

use super::{PrecompiledHeader, Sources};
use crate::code::expression::same_expression;

/// A compiled program: PTX, machine code if it was requested, and the mangled names of templates.
///
/// ```
/// # use cuda_safe::{Architecture, Program};
/// # fn main() -> cuda_safe::Result<()> {
/// let program = Program::new("template <int N> __global__ void fill(int *x) { int y; *x = N; }")
///     .name_expression("fill<3>");
/// let compiled = program.compile(Architecture::virtual_of(90))?;
/// assert!(compiled.lowered_name("fill<3>").is_some_and(|name| compiled.ptx().contains(name)));
/// assert_eq!(compiled.lowered_name("fill<4>"), None);
/// assert!(compiled.cubin().is_none()); // a virtual architecture
/// println!("warnings: {}", compiled.log());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct CompiledProgram {
    pub(super) ptx: String,
    pub(super) cubin: Option<Vec<u8>>,
    pub(super) lto_ir: Option<Vec<u8>>,
    pub(super) log: String,
    pub(super) lowered: Vec<(String, String)>,
    pub(super) precompiled: Option<PrecompiledHeader>,
    pub(super) from_cache: bool,
    pub(super) sources: Arc<Sources>,
}

impl CompiledProgram {
    /// Returns the PTX text. It is empty if the program was compiled for [link-time
    /// optimization](crate::Program::lto) or is linked machine code.
    #[must_use]
    pub fn ptx(&self) -> &str {
        &self.ptx
    }

    /// Returns the machine code (a cubin), or `None` if the program was compiled for a virtual
    /// architecture.
    #[must_use]
    pub fn cubin(&self) -> Option<&[u8]> {
        self.cubin.as_deref()
    }

    /// Returns the input for a [`JitLinker`](crate::program::JitLinker), in the format of the
    /// compiler's version. Returns `None` if the program was not compiled for [link-time
    /// optimization](crate::Program::lto).
    ///
    /// See [`nvrtcGetLTOIR`](https://docs.nvidia.com/cuda/nvrtc/index.html) in NVIDIA's manual.
    #[must_use]
    #[doc(alias = "nvrtcGetLTOIR")]
    pub fn lto_ir(&self) -> Option<&[u8]> {
        self.lto_ir.as_deref()
    }

    /// Returns the compiler's log, which contains its warnings.
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__global__ void k() { int unused; }");
    /// let compiled = program.compile(Architecture::virtual_of(90))?;
    /// assert!(compiled.log().contains("unused"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Returns the mangled name of a name expression of the program. White space is ignored:
    /// `f< float >` is the same as `f<float>`.
    #[must_use]
    pub fn lowered_name(&self, expression: &str) -> Option<&str> {
        let mut lowered = self.lowered.iter();
        let (_, lowered) = lowered.find(|(known, _)| same_expression(known, expression))?;
        Some(lowered)
    }

    pub(crate) fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    pub(crate) fn lowered_names(&self) -> &[(String, String)] {
        &self.lowered
    }

    /// Returns the outcome of writing a precompiled header. Returns `None` if none was requested,
    /// or if the compiler cannot report it.
    ///
    /// See [`nvrtcGetPCHCreateStatus`](https://docs.nvidia.com/cuda/nvrtc/index.html) in NVIDIA's manual.
    #[must_use]
    #[doc(alias = "nvrtcGetPCHCreateStatus")]
    pub fn precompiled_header(&self) -> Option<PrecompiledHeader> {
        self.precompiled
    }

    /// Returns whether the program came from the cache on disk. [`Cache`](super::Cache) lists the
    /// cases in which nothing is stored.
    #[must_use]
    pub fn is_from_cache(&self) -> bool {
        self.from_cache
    }
}
