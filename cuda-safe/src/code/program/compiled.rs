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
    /// The PTX text; empty if the program was compiled for [link-time optimisation](crate::Program::lto), or is linked machine
    /// code.
    #[must_use]
    pub fn ptx(&self) -> &str {
        &self.ptx
    }

    /// The machine code (a cubin); `None` if the program was compiled for a virtual architecture.
    #[must_use]
    pub fn cubin(&self) -> Option<&[u8]> {
        self.cubin.as_deref()
    }

    /// What a [`JitLinker`](crate::program::JitLinker) takes, in a format of the compiler's version; `None` if the program was not
    /// compiled for [link-time optimisation](crate::Program::lto).
    #[must_use]
    #[doc(alias = "nvrtcGetLTOIR")]
    pub fn lto_ir(&self) -> Option<&[u8]> {
        self.lto_ir.as_deref()
    }

    /// The compiler's log: its warnings.
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

    /// The mangled name of a name expression that was given to the program. White space makes no difference:
    /// `f< float >` is `f<float>`.
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

    /// What became of the precompiled header that was to be written; `None` if none was, or this compiler can't tell.
    #[must_use]
    #[doc(alias = "nvrtcGetPCHCreateStatus")]
    pub fn precompiled_header(&self) -> Option<PrecompiledHeader> {
        self.precompiled
    }

    /// Whether this came from the cache on disk; [`Cache`](super::Cache) says when it can't.
    #[must_use]
    pub fn is_from_cache(&self) -> bool {
        self.from_cache
    }
}
