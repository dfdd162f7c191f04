//! The source text of a kernel, assembled from parts.

use std::{
    borrow::Cow,
    fmt::{Display, Write as _},
};

use cuda_safe::{Program, driver::Version, program::nvrtc_version};

/// The header `array.cuh`. Every kernel includes it, so the code of 8-bit floats is compiled only with
/// their feature.
pub(crate) const ARRAYS: &str = if cfg!(feature = "float8") {
    concat!("#define FLOAT8\n", include_str!("../kernels/array.cuh"))
} else {
    include_str!("../kernels/array.cuh")
};

/// The header with the element structs, if there are any.
pub(crate) const TYPES: &str = "types.cuh";

/// CUDA C++ source as passed to the compiler: a file of `kernels/`, the headers that it includes,
/// and the macros that specialise it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    file: &'static str,
    text: &'static str,
    entry: &'static str,
    defines: Vec<(&'static str, String)>,
    headers: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    /// The headers that are included before the macros and the kernel's text.
    first: Vec<Cow<'static, str>>,
}

impl Source {
    /// Creates the source of the kernel `entry` from a file's text. Messages show the file's name.
    pub(crate) fn new(file: &'static str, text: &'static str, entry: &'static str) -> Self {
        Self {
            file,
            text,
            entry,
            defines: Vec::new(),
            headers: Vec::new(),
            first: Vec::new(),
        }
    }

    /// Adds a macro, whose value is a number, a type or an expression of one line.
    pub(crate) fn define(mut self, name: &'static str, value: impl Display) -> Self {
        self.defines.push((name, value.to_string()));
        self
    }

    /// Adds a header, for `#include "name"`. User code goes into headers, so that the compiler's
    /// messages name its lines.
    pub(crate) fn header(
        mut self,
        name: impl Into<Cow<'static, str>>,
        text: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.headers.push((name.into(), text.into()));
        self
    }

    /// Adds a header that is included before the macros and the kernel's text. The macros are not
    /// defined there, so user code can use their names.
    pub(crate) fn before(
        mut self,
        name: impl Into<Cow<'static, str>>,
        text: impl Into<Cow<'static, str>>,
    ) -> Self {
        let name = name.into();
        self.first.push(name.clone());
        self.header(name, text)
    }

    /// Returns whether there is a header with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(own, _)| own == name)
    }

    /// Returns an unused name for a file of user code.
    pub(crate) fn free_name(&self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}.{number}.cu"));
        std::iter::once(format!("{name}.cu"))
            .chain(numbered)
            .find(|name| name != self.file && !self.has(name))
            .unwrap_or_default()
    }

    /// Returns the kernel's name.
    pub fn entry(&self) -> &'static str {
        self.entry
    }

    /// Returns the program to compile. The macros come after user code, because they would replace
    /// identifiers in it.
    pub(crate) fn program(&self) -> Program {
        let program = if self.first.is_empty() && !self.has(TYPES) {
            let program = Program::new(self.text).name(self.file);
            let defines = self.defines.iter();
            defines.fold(program, |program, (name, value)| {
                program.define(name, value)
            })
        } else {
            Program::new(self.with_macros_last())
                .name("kernel.cu")
                .header(self.file, self.text)
        };
        let program = self.headers.iter().fold(program, |program, (name, text)| {
            program.header(name.as_ref(), text.as_ref())
        });
        // Without users' code, kernels need none of the declarations that this omits. It saves about
        // 5 ms of 30 for each kernel.
        match self.first.is_empty() && has_minimal() {
            true => program.minimal(),
            false => program,
        }
    }

    /// Returns the text that includes everything, in this order: structs, the first headers, the
    /// macros, the kernel's text.
    fn with_macros_last(&self) -> String {
        let mut text = String::from("#include \"array.cuh\"\n#include \"complex.cuh\"\n");
        if self.has(TYPES) {
            let _ = writeln!(text, "#include \"{TYPES}\"");
        }
        for name in &self.first {
            let _ = writeln!(text, "#include \"{name}\"");
        }
        for (name, value) in &self.defines {
            let _ = writeln!(text, "#define {name} {value}");
        }
        let _ = writeln!(text, "#include \"{}\"", self.file);
        text
    }
}

/// Returns whether the compiler has the option `--minimal`.
fn has_minimal() -> bool {
    let since = Version {
        major: 12,
        minor: 4,
    };
    nvrtc_version().is_ok_and(|version| version >= since)
}

/// Methods that return the parts of a source, for programs that compile them in another way.
#[cfg(feature = "tuning")]
impl Source {
    /// Returns the file's name and text.
    #[must_use]
    pub fn file(&self) -> (&'static str, &'static str) {
        (self.file, self.text)
    }

    /// Returns the macros by name and value.
    pub fn defines(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.defines
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
    }

    /// Returns the headers by name and text.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, text)| (name.as_ref(), text.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Architecture;

    use super::*;

    #[test]
    fn all_parts_are_compiled() {
        let text = "#include \"three.cuh\"\nextern \"C\" __global__ void k(TYPE *x) { *x = THREE + FOUR; }";
        let source = Source::new("parts.cu", text, "k")
            .define("TYPE", "unsigned long long")
            .define("FOUR", 4)
            .header("three.cuh", "#define THREE 3\n".to_owned());
        let compiled = source.program().compile(Architecture::virtual_of(90));
        let ptx = compiled.unwrap().ptx().to_owned();
        assert!(
            ptx.contains(".entry k(") && ptx.contains("st.global.u64"),
            "{ptx}"
        );
        assert_eq!((source.file(), source.entry()), (("parts.cu", text), "k"));
        let defines = [("TYPE", "unsigned long long"), ("FOUR", "4")];
        assert!(source.defines().eq(defines));
        assert!(source.headers().eq([("three.cuh", "#define THREE 3\n")]));
        let wrong = Source::new("wrong.cu", "int x = FOUR;", "k").program();
        let error = wrong.compile(Architecture::virtual_of(90)).unwrap_err();
        assert!(error.to_string().contains("wrong.cu"), "{error}");
    }

    #[test]
    fn macros_come_behind_what_users_name() {
        let is_last = |source: &Source| {
            let text = format!("{:?}", source.program());
            let last = text.contains("name: \"kernel.cu\"");
            assert!(last || text.contains("name: \"own.cu\""), "{text}");
            last
        };
        let plain = Source::new("own.cu", "", "k").define("THREADS", 256);
        assert!(!is_last(&plain));
        assert!(!is_last(&plain.clone().header("other.cuh", "")));
        assert!(is_last(&plain.clone().header(TYPES, "")));
        let before = plain.clone().before("mine.cu", "");
        assert!(is_last(&before) && is_last(&before.clone().header(TYPES, "")));
        assert_eq!(
            before.header(TYPES, "").with_macros_last(),
            "#include \"array.cuh\"\n#include \"complex.cuh\"\n#include \"types.cuh\"\n\
             #include \"mine.cu\"\n#define THREADS 256\n#include \"own.cu\"\n"
        );
    }

    #[test]
    fn files_of_users_have_names_of_their_own() {
        let source = Source::new("own.cu", "", "k");
        assert_eq!(source.free_name("mine"), "mine.cu");
        assert_eq!(source.free_name("own"), "own.2.cu");
        let source = source.header("own.2.cu", "").header("mine.cu", "");
        assert_eq!(source.free_name("own"), "own.3.cu");
        assert_eq!(source.free_name("mine"), "mine.2.cu");
    }

    #[test]
    fn kernels_wait_for_the_previous_one() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/kernels");
        let mut kernels = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            for (at, _) in text.match_indices("extern \"C\" __global__") {
                let body = text[at..].split_once(") {\n").unwrap().1;
                let waits = body.trim_start().starts_with("wait_for_previous_kernel();");
                // These are launched in the ordinary way.
                assert_eq!(waits, !name.starts_with("convolve_"), "{name}");
                kernels += 1;
            }
        }
        assert!(kernels > 30, "{kernels}");
    }
}
