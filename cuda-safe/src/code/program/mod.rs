//! CUDA C++ source, compiled at run time by NVRTC.
//!
//! A [`Program`] is source with options. Compiling it for an [`Architecture`] creates a
//! [`CompiledProgram`]. Results are stored on disk (see [`Cache`]).
//! [`Module::compile`](crate::Module::compile) compiles and loads a program in one call.
//!
//! - Source: [`Program`], [`FastCompile`], [`PrecompiledHeader`], [`precompiled_header_heap`],
//!   [`set_precompiled_header_heap`]
//! - Results: [`CompiledProgram`], [`Architecture`], [`Cache`]
//! - Link-time optimization: [`JitLinker`], [`JitLinkOptions`], [`JitLinkStatus`]
//! - The compiler: [`nvrtc_version`]

mod architecture;
mod builtins;
mod cache;
mod cancel;
mod compile;
mod compiled;
mod diagnostics;
mod disk_cache;
mod headers;
mod jit_link;
mod mixed;
mod newer;
mod nvrtc_path;
mod options;
mod precompiled;
mod version;

use std::{
    panic::Location,
    path::{Component, Path, PathBuf},
};

pub use architecture::Architecture;
pub use cache::Cache;
pub use compiled::CompiledProgram;
pub use jit_link::{JitLinkOptions, JitLinkStatus, JitLinker};
pub use options::FastCompile;
pub use precompiled::{PrecompiledHeader, precompiled_header_heap, set_precompiled_header_heap};
pub use version::nvrtc_version;

pub(crate) use crate::error::sources::{Loaded, Sources};
pub(crate) use builtins::library as nvrtc_library;

/// The name of programs without one.
const DEFAULT_NAME: &str = "program.cu";

/// Creates a [`Program`](crate::Program) from a file, whose path is relative to the current file, as
/// for [`include_str!`].
///
/// Messages of the compiler and fault reports show the path of the file, where
/// `Program::new(include_str!(…))` would show `program.cu`. The shown path is relative to the
/// workspace's root folder. For a dependency from a registry it is absolute.
///
/// ```
/// # use cuda_safe::Program;
/// # macro_rules! include_program { ($path:literal) => { Program::included("", file!(), $path) } }
/// let program: Program = include_program!("scale.cu").define("FACTOR", 3);
/// ```
#[macro_export]
macro_rules! include_program {
    ($path:expr $(,)?) => {
        $crate::Program::included(include_str!($path), file!(), $path)
    };
}

/// CUDA C++ source with compiler options.
///
/// Functions that take a program also take plain source. [`Module::compile`] compiles for the
/// context's device and loads the result. [`compile`](Self::compile) only compiles, and needs
/// neither a driver nor a device.
///
/// [`Module::compile`]: crate::Module::compile
///
/// ```
/// use cuda_safe::{Architecture, Program};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let compiled = Program::new(
///     "template <typename T> __global__ void scale(T *x) { x[threadIdx.x] *= FACTOR; }",
/// )
/// .define("FACTOR", 3)
/// .name_expression("scale<double>")
/// .compile(Architecture::virtual_of(90))?;
/// let name = compiled.lowered_name("scale<double>").unwrap();
/// assert!(compiled.ptx().contains(name));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    source: String,
    name: String,
    options: Vec<String>,
    include_paths: Vec<PathBuf>,
    headers: Vec<(String, String)>,
    name_expressions: Vec<String>,
    lines: bool,
    /// Whether the caller has vouched for the precompiled headers in the options.
    trusts_precompiled: bool,
    cache: Cache,
    /// The line of Rust that created the program.
    made_at: Option<&'static Location<'static>>,
}

impl Program {
    /// Creates a program without options.
    ///
    /// Fault reports that name a line of the source also name the line of Rust that called this,
    /// unless the program has a [`name`](Self::name). [`include_program!`](crate::include_program)
    /// creates a program from a file, with its name.
    ///
    /// ```
    /// use cuda_safe::Program;
    ///
    /// let program = Program::new("__global__ void nothing() {}");
    /// assert_eq!(program.source(), "__global__ void nothing() {}");
    /// ```
    #[track_caller]
    pub fn new(source: impl Into<String>) -> Self {
        Self::from_text(source.into()).made_at(Location::caller())
    }

    fn from_text(source: String) -> Self {
        Self {
            source,
            name: DEFAULT_NAME.into(),
            options: Vec::new(),
            include_paths: Vec::new(),
            headers: Vec::new(),
            name_expressions: Vec::new(),
            lines: true,
            trusts_precompiled: false,
            cache: Cache::Default,
            made_at: None,
        }
    }

    /// Sets the line of Rust that created the program, unless it is known.
    pub(crate) fn made_at(mut self, place: &'static Location<'static>) -> Self {
        self.made_at.get_or_insert(place);
        self
    }

    /// Creates a program from the file `path`, which is relative to the folder of `rust_file`, for
    /// [`include_program!`](crate::include_program).
    #[doc(hidden)]
    #[must_use]
    pub fn included(source: &str, rust_file: &str, path: &str) -> Self {
        let folder = Path::new(rust_file).parent().unwrap_or(Path::new(""));
        let file = without_parents(&folder.join(path));
        Self::from_text(source.to_owned()).name(nvrtc_path::for_nvrtc(&file))
    }

    /// Sets the file name that messages and line information show. The default is `program.cu`.
    ///
    /// ```
    /// use cuda_safe::{Architecture, Program};
    ///
    /// let program = Program::new("no CUDA C++").name("kernels/scale.cu");
    /// let error = program.compile(Architecture::virtual_of(90)).unwrap_err();
    /// assert!(error.to_string().contains("kernels/scale.cu"));
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Defines a preprocessor macro (`--define-macro`).
    ///
    /// This is the best way to pass constants that are known only at run time. The compiler can
    /// fold them and unroll loops with them.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module, Program, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let program = Program::new("__device__ int area = WIDTH * HEIGHT;")
    ///     .define("WIDTH", 640)
    ///     .define("HEIGHT", 480);
    /// let area = Module::compile(&context, program)?.global::<i32>("area", 1)?;
    /// assert_eq!(area.to_vec(&stream)?, [640 * 480]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn define(self, macro_name: &str, value: impl std::fmt::Display) -> Self {
        self.option(format!("--define-macro={macro_name}={value}"))
    }

    /// Adds a directory in which `#include` searches for headers (`--include-path`). It is searched
    /// before the toolkit's headers, which are always available.
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let folder = std::env::temp_dir().join(format!("include-path-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder).expect("a folder");
    /// std::fs::write(folder.join("three.h"), "const int three = 3;").expect("a header");
    /// let program = Program::new("#include \"three.h\"\n__device__ int x[three];");
    /// let target = Architecture::virtual_of(90);
    /// assert!(program.clone().include_path(&folder).compile(target).is_ok());
    /// assert!(program.compile(target).is_err());
    /// # std::fs::remove_dir_all(&folder).expect("the folder's end");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn include_path(mut self, directory: impl Into<PathBuf>) -> Self {
        self.include_paths.push(directory.into());
        self
    }

    /// Adds a header from memory, for `#include "name"`.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module, Program, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let program = Program::new("#include \"three.h\"\n__device__ int x = THREE;")
    ///     .header("three.h", "#define THREE 3");
    /// let x = Module::compile(&context, program)?.global::<i32>("x", 1)?;
    /// assert_eq!(x.to_vec(&stream)?, [3]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, source: impl Into<String>) -> Self {
        self.headers.push((name.into(), source.into()));
        self
    }

    /// Keeps a template instance, or another name that C++ mangles, in the compiled program, so
    /// that it can be looked up by this expression, such as `scale<double>` or
    /// `&my_namespace::value`.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let program = Program::new("template <int N> __global__ void fill(int *x) { *x = N; }")
    ///     .name_expression("fill<3>")
    ///     .name_expression("fill<4>");
    /// let module = Module::compile(&context, program)?;
    /// assert!(module.function("fill<4>").is_ok());
    /// assert!(module.function("fill<5>").is_err());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn name_expression(mut self, expression: impl Into<String>) -> Self {
        self.name_expressions.push(expression.into());
        self
    }

    /// Generates line information with the current directory, for profilers and fault reports
    /// (`--generate-line-info`).
    ///
    /// Line information is generated without this call too, and changes no instruction. This call
    /// only determines the folder of the file in it, which is then the current directory. By
    /// default the folder can be that of an earlier process that stored the code in the
    /// [cache](Cache).
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__global__ void k(float *x) { *x = 1; }").name("ones.cu").line_info();
    /// let compiled = program.compile(Architecture::virtual_of(90))?;
    /// let file = std::env::current_dir().expect("a folder").join("ones.cu");
    /// assert!(compiled.ptx().contains(&format!(".file\t1 {file:?}")));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn line_info(self) -> Self {
        self.option("--generate-line-info")
    }

    /// Omits line information, for programs whose machine code must be small or must not reveal its
    /// source.
    ///
    /// The machine code of 453 programs that `cuda-compute` compiles in its tests took 28 MB with
    /// line information and 10 MB without. The instructions were the same (CUDA 13.0, November
    /// 2026).
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__global__ void k(float *x) { *x = 1; }");
    /// let target = Architecture::virtual_of(90);
    /// assert!(program.compile(target)?.ptx().contains(".loc"));
    /// assert!(!program.without_line_info().compile(target)?.ptx().contains(".loc"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn without_line_info(mut self) -> Self {
        self.lines = false;
        self
    }

    /// Compiles for a debugger, without optimization (`--device-debug`).
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__global__ void k(float *x) { *x = 1; }").device_debug();
    /// let compiled = program.compile(Architecture::virtual_of(90))?;
    /// assert!(compiled.ptx().contains(".target sm_90, debug"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn device_debug(self) -> Self {
        self.option("--device-debug")
    }

    /// Trades accuracy for speed: flushes denormals, and approximates division, roots and
    /// transcendental functions (`--use_fast_math`).
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__global__ void k(float *x) { *x = sinf(*x); }");
    /// let compiled = program.fast_math().compile(Architecture::virtual_of(90))?;
    /// assert!(compiled.ptx().contains("sin.approx.ftz.f32"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn fast_math(self) -> Self {
        self.option("--use_fast_math")
    }

    /// Sets whether a multiplication and an addition can be contracted to one instruction that
    /// rounds once (`--fmad`). The compiler's default is `true`.
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__global__ void k(float *x) { *x = x[0] * x[1] + x[2]; }");
    /// let target = Architecture::virtual_of(90);
    /// assert!(program.clone().compile(target)?.ptx().contains("fma.rn.f32"));
    /// assert!(!program.fmad(false).compile(target)?.ptx().contains("fma.rn.f32"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn fmad(self, contract: bool) -> Self {
        self.option(format!("--fmad={contract}"))
    }

    /// Sets the maximum number of registers per thread (`--maxrregcount`).
    ///
    /// ```
    /// # use cuda_safe::{Context, module::FunctionAttribute, Module, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let program = Program::new(r#"extern "C" __global__ void k(float *x) { *x = 1; }"#);
    /// let k = Module::compile(&context, program.max_registers(32))?.function("k")?;
    /// assert!(k.attribute(FunctionAttribute::NUM_REGS)? <= 32);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn max_registers(self, registers: u32) -> Self {
        self.option(format!("--maxrregcount={registers}"))
    }

    /// Sets the C++ dialect: 11, 14, 17 or 20 (`--std`).
    ///
    /// ```
    /// use cuda_safe::{Architecture, Program};
    ///
    /// let program = Program::new("template <typename T> concept Small = sizeof(T) < 4;");
    /// let target = Architecture::virtual_of(90);
    /// assert!(program.clone().cpp_standard(20).compile(target).is_ok());
    /// assert!(program.cpp_standard(17).compile(target).is_err());
    /// ```
    #[must_use]
    pub fn cpp_standard(self, year: u32) -> Self {
        self.option(format!("--std=c++{year}"))
    }

    /// Compiles code that can be linked with other code (`--relocatable-device-code`).
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("extern __device__ int x; __global__ void k() { x = 1; }");
    /// let target = Architecture::virtual_of(90);
    /// assert!(program.clone().relocatable().compile(target)?.ptx().contains(".extern .global"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn relocatable(self) -> Self {
        self.option("--relocatable-device-code=true")
    }

    /// Compiles for link-time optimization (`-dlto`).
    ///
    /// The result is neither PTX nor machine code, but the input of a [`JitLinker`]. This implies
    /// [`relocatable`](Self::relocatable).
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__device__ int answer() { return 42; }").lto();
    /// let compiled = program.compile(Architecture::virtual_of(90))?;
    /// assert!(compiled.lto_ir().is_some() && compiled.ptx().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn lto(self) -> Self {
        self.option("-dlto")
    }

    /// Adds an option in NVRTC's syntax, for options that have no method here.
    ///
    /// ```
    /// use cuda_safe::{Architecture, Program};
    ///
    /// let program = Program::new("__global__ void k() { int unused; }");
    /// let target = Architecture::virtual_of(90);
    /// assert!(program.clone().option("--disable-warnings").compile(target).is_ok());
    /// assert!(program.option("--no-such-option").compile(target).is_err());
    /// ```
    #[must_use]
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Sets the folder in which compiled programs are stored between runs. The default is
    /// [`Cache::Default`].
    #[must_use]
    pub fn cache(mut self, cache: Cache) -> Self {
        self.cache = cache;
        self
    }

    /// Appends text to the source.
    pub(crate) fn append(mut self, text: &str) -> Self {
        self.source.push_str(text);
        self
    }

    pub(crate) fn own_name(&self) -> &str {
        &self.name
    }

    /// Returns the source text.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl Program {
    /// Returns the source and its headers, for fault reports.
    pub(super) fn sources(&self) -> Sources {
        let own = (self.name.clone(), self.source.clone());
        let place = self.made_at.filter(|_| self.name == DEFAULT_NAME);
        let place = place.map(|place| format!("{}:{}", place.file(), place.line()));
        Sources::new([own].into_iter().chain(self.headers.iter().cloned()), place)
    }
}

/// Removes each `..` with the folder before it: `src/reduce.cu` for `tests/../src/reduce.cu`.
fn without_parents(path: &Path) -> PathBuf {
    let mut file = PathBuf::new();
    for part in path.components() {
        match (part, file.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => _ = file.pop(),
            _ => file.push(part),
        }
    }
    file
}

impl From<&str> for Program {
    fn from(source: &str) -> Self {
        Self::from_text(source.to_owned())
    }
}

impl From<String> for Program {
    fn from(source: String) -> Self {
        Self::from_text(source)
    }
}

impl From<&String> for Program {
    fn from(source: &String) -> Self {
        Self::from_text(source.clone())
    }
}

impl From<&Program> for Program {
    fn from(program: &Program) -> Self {
        program.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_included_files_have_no_parent_folders() {
        for (rust_file, path, name) in [
            ("tests/reduce.rs", "../src/reduce.cu", "src/reduce.cu"),
            ("a/b/c.rs", "../../d.cu", "d.cu"),
            ("main.rs", "../d.cu", "../d.cu"),
            ("../x/main.rs", "../../d.cu", "../../d.cu"),
            ("src/main.rs", "kernels/d.cu", "src/kernels/d.cu"),
        ] {
            assert_eq!(Program::included("", rust_file, path).name, name);
        }
    }
}
