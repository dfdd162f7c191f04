//! For build scripts: compiles a folder of CUDA C++ by NVRTC when a program is built, embeds the result, and declares the
//! kernels as functions of Rust.
//!
//! ```no_run
//! // build.rs
//! cuda_build::Build::new("kernels").architectures(["sm_80", "sm_90"]).run();
//! ```
//!
//! The file `kernels.rs` in `OUT_DIR`, to be included, has a module for each `.cu` file of the folder:
//!
//! ```ignore
//! mod kernels {
//!     include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
//! }
//! ```
//!
//! | in the module of a file | is |
//! | --- | --- |
//! | `Kernels` | a struct as [`cuda_safe::kernels!`](https://docs.rs/cuda-safe) makes it: a typed method for each kernel; `Kernels::load(&context)` loads the code |
//! | `EMBEDDED` | the machine code and the PTX, for `Module::from_embedded` and `Library::from_embedded` |
//! | `PROGRAM` | in place of that where the source is embedded: see [`Build::or_source`] |
//!
//! The crate that includes it depends on `cuda-safe`, under this name.
//!
//! # Which kernels are declared
//!
//! A kernel is declared if it has at most 32 parameters, all of them numbers, `bool`, or pointers to these, and if it is
//! outside of namespaces and templates. The signatures are read from the text, and compared with the compiled code. The names
//! of the parameters come from the text.
//!
//! The documentation of `Kernels` lists all other kernels with the reason. Get them by `Module::function`, or declare them by
//! hand with `cuda_safe::kernels!` and `from_module`.
//!
//! | in the kernel | declared |
//! | --- | --- |
//! | `const float *x` | `x: &[f32]` |
//! | `float *x` | `x: &mut [f32]` |
//! | `unsigned n`, `size_t n`, `long long n` | `n: u32`, `n: usize`, `n: i64` |
//!
//! # Where NVRTC is looked for
//!
//! The file that `CUDA_SYS_LIBNVRTC` names, then what `cuda-direct-sys` has found, where the crate that is built depends on
//! it directly; then `lib64` and `lib` of `CUDA_PATH`, `CUDA_HOME` and `CUDA_ROOT`; then what the loader finds; then
//! `/usr/local/cuda`, `/opt/cuda`, and pip's packages of the active Python. CUDA's own headers are those beside it.
#![forbid(missing_docs)]

mod generate;
mod includes;
mod nvrtc;
mod scan;
mod signature;
mod types;

use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
};

use generate::{Compiled, Unit};
use includes::{Header, Included};
use nvrtc::Nvrtc;

/// A folder of `.cu` files, and how to compile them. Paths are relative to the package.
#[derive(Clone, Debug)]
#[must_use = "`run` compiles"]
pub struct Build {
    folder: PathBuf,
    root: Option<PathBuf>,
    out: Option<PathBuf>,
    architectures: Vec<String>,
    ptx: Option<String>,
    include_paths: Vec<PathBuf>,
    options: Vec<String>,
    or_source: bool,
}

/// Why nothing was made: no compiler, or what it says.
#[derive(Clone, Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

type Result<T> = std::result::Result<T, Error>;

impl Build {
    /// The files of a folder whose names end in `.cu`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            root: None,
            out: None,
            architectures: Vec::new(),
            ptx: None,
            include_paths: Vec::new(),
            options: Vec::new(),
            or_source: false,
        }
    }

    /// Sets for which architectures there is machine code: `sm_90`, or `sm_90a` with what only that one has. Without this
    /// call there is none.
    pub fn architectures<T: Into<String>>(
        mut self,
        architectures: impl IntoIterator<Item = T>,
    ) -> Self {
        self.architectures = architectures.into_iter().map(Into::into).collect();
        self
    }

    /// Sets for which architecture there is PTX, which the driver compiles for that and for all newer ones: `compute_75`.
    /// The default is that of the newest machine code that isn't for one device alone; without machine code, `compute_75`.
    pub fn ptx(mut self, architecture: impl Into<String>) -> Self {
        self.ptx = Some(architecture.into());
        self
    }

    /// Adds a folder in which `#include` looks for headers, beside the folder of the including file.
    pub fn include_path(mut self, folder: impl Into<PathBuf>) -> Self {
        self.include_paths.push(folder.into());
        self
    }

    /// Defines a preprocessor macro.
    pub fn define(self, name: &str, value: impl fmt::Display) -> Self {
        self.option(format!("--define-macro={name}={value}"))
    }

    /// Adds an option as NVRTC documents it.
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Embeds the sources if NVRTC is missing. The program then compiles them when it runs, as `Module::compile` does, and
    /// `cuda-safe` needs its feature `nvrtc`.
    ///
    /// The headers that the sources include are embedded as well, except CUDA's own. The embedded sources find a header by the
    /// name in its `#include`, so a name must lead to one file only. Nothing is compiled, so the kernels of both
    /// branches of an `#if` are declared, except for a literal condition such as `#if 0`.
    pub fn or_source(mut self) -> Self {
        self.or_source = true;
        self
    }

    /// Sets the folder that paths are relative to; the default is that of the package (`CARGO_MANIFEST_DIR`).
    pub fn root(mut self, folder: impl Into<PathBuf>) -> Self {
        self.root = Some(folder.into());
        self
    }

    /// Sets the folder that is written to; the default is `OUT_DIR`.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out = Some(folder.into());
        self
    }

    /// Compiles, and writes `kernels.rs`, which cargo is told to make again when a file changes. An error is shown, and ends
    /// the build script.
    pub fn run(&self) {
        if let Err(error) = self.try_run() {
            eprintln!("{error}");
            for line in error.to_string().lines() {
                println!("cargo::error={line}");
            }
            std::process::exit(1);
        }
    }

    /// As [`run`](Self::run); the caller decides about an error. Returns the file that was written.
    ///
    /// # Errors
    /// NVRTC is not there; a file can't be read or written; what the compiler says, with file and line.
    pub fn try_run(&self) -> Result<PathBuf> {
        let root = match &self.root {
            Some(root) => root.clone(),
            None => variable("CARGO_MANIFEST_DIR")?,
        };
        let out = match &self.out {
            Some(out) => out.clone(),
            None => variable("OUT_DIR")?,
        };
        self.watch(&root);
        let sources = self.sources(&root)?;
        let compiled = match Nvrtc::find() {
            Ok(nvrtc) => self.compile(&nvrtc, &root, sources)?,
            Err(error) if self.or_source => {
                println!(
                    "cargo::warning=the sources in {} are embedded, and compiled when the program runs: {error}",
                    self.folder.display()
                );
                self.embed(&root, sources)?
            }
            Err(error) => return Err(error),
        };
        let file = out.join("kernels.rs");
        let text = generate::write(&out, &compiled)?;
        fs::write(&file, text).map_err(|error| cant("write", &file, &error))?;
        Ok(file)
    }

    /// Tells cargo what the result depends on.
    fn watch(&self, root: &Path) {
        // Of a folder, cargo looks at everything below.
        for folder in [&self.folder].into_iter().chain(&self.include_paths) {
            println!("cargo::rerun-if-changed={}", root.join(folder).display());
        }
        for name in nvrtc::VARIABLES {
            println!("cargo::rerun-if-env-changed={name}");
        }
    }

    /// Finds the headers of a source, and makes cargo watch them.
    fn included(&self, root: &Path, name: &str, text: &str) -> Result<Vec<Header>> {
        let own = root.join(name);
        let folder = own.parent().unwrap_or(root);
        let by_option = includes::values(&self.options, &["--include-path", "-I"]);
        let folders: Vec<PathBuf> = [folder.to_owned()]
            .into_iter()
            .chain(by_option.into_iter().map(PathBuf::from))
            .chain(self.include_paths.iter().map(|folder| root.join(folder)))
            .collect();
        let Included { headers, unknown } =
            includes::follow(text, folder, &folders, &self.options)?;
        for header in &headers {
            println!("cargo::rerun-if-changed={}", header.path.display());
        }
        for macro_name in unknown {
            println!(
                "cargo::warning={name}: `#include {macro_name}` can't be followed: no file defines the macro as the name of a \
                 header. Changes of that header are only noticed in the folder of the sources and in include paths, and \
                 `or_source` does not embed it. Fix: include the header by its name"
            );
        }
        Ok(headers)
    }

    /// The files with their texts, by name.
    fn sources(&self, root: &Path) -> Result<Vec<(String, Vec<u8>)>> {
        let folder = root.join(&self.folder);
        let found = files(&folder, &["cu"])?;
        if found.is_empty() {
            return Err(Error(format!(
                "there is no .cu file in {}",
                folder.display()
            )));
        }
        found.iter().map(|path| read(path, root)).collect()
    }

    fn compile(
        &self,
        nvrtc: &Nvrtc,
        root: &Path,
        sources: Vec<(String, Vec<u8>)>,
    ) -> Result<Vec<Unit>> {
        let mut options: Vec<_> = self.options.clone();
        // Relative names in messages are those of the package, wherever cargo runs this.
        for folder in self.include_paths.iter().map(|folder| root.join(folder)) {
            options.push(format!("--include-path={}", folder.display()));
        }
        for folder in nvrtc.include_paths() {
            options.push(format!("--include-path={}", folder.display()));
        }
        let ptx_for = self.ptx_architecture();
        sources
            .into_iter()
            .map(|(name, text)| {
                let readable = String::from_utf8_lossy(&text);
                self.included(root, &name, &readable)?;
                let own = root.join(&name);
                let mut options = options.clone();
                if let Some(folder) = own.parent() {
                    options.insert(0, format!("--include-path={}", folder.display()));
                }
                let cubins = self.architectures.iter().map(|architecture| {
                    let code = nvrtc.compile(&name, &text, architecture, &options)?;
                    Ok((architecture.clone(), code.cubin))
                });
                let cubins = cubins.collect::<Result<_>>()?;
                let ptx = nvrtc.compile(&name, &text, &ptx_for, &options)?.ptx;
                let kernels = signature::of(&readable, Some(&ptx));
                let code = Compiled::Code { cubins, ptx };
                Ok(Unit {
                    name,
                    code,
                    kernels,
                })
            })
            .collect()
    }

    fn embed(&self, root: &Path, sources: Vec<(String, Vec<u8>)>) -> Result<Vec<Unit>> {
        let units = sources.into_iter().map(|(name, text)| {
            let text = embedded(&root.join(&name), text)?;
            let headers = one_of_each(&name, self.included(root, &name, &text)?)?;
            Ok(Unit {
                kernels: signature::of(&text, None),
                code: Compiled::Source {
                    text,
                    headers,
                    options: self.options.clone(),
                },
                name,
            })
        });
        units.collect()
    }

    fn ptx_architecture(&self) -> String {
        if let Some(ptx) = &self.ptx {
            return ptx.clone();
        }
        let number = |architecture: &String| architecture.strip_prefix("sm_")?.parse::<u32>().ok();
        let newest = self.architectures.iter().filter_map(number).max();
        format!("compute_{}", newest.unwrap_or(75))
    }
}

/// The headers by name. Returns an error if headers of one name differ, since embedded headers have no folders.
fn one_of_each(source: &str, headers: Vec<Header>) -> Result<Vec<(String, String)>> {
    let mut kept: Vec<&Header> = Vec::new();
    for header in &headers {
        match kept.iter().find(|other| other.name == header.name) {
            None => kept.push(header),
            Some(other) if other.text == header.text => {}
            Some(other) => {
                return Err(Error(format!(
                    "{source}: `#include \"{}\"` names two files, {} and {}. A source that is compiled when the program runs \
                 finds its headers by name alone. Fix: include one of them by another path, or install NVRTC where the \
                 program is built",
                    header.name,
                    other.path.display(),
                    header.path.display()
                )));
            }
        }
    }
    let texts = kept.into_iter().map(|header| {
        let text = embedded(&header.path, header.text.clone())?;
        Ok((header.name.clone(), text))
    });
    texts.collect()
}

/// The text of a file that is embedded in the program, which takes only UTF-8.
fn embedded(path: &Path, text: Vec<u8>) -> Result<String> {
    String::from_utf8(text).map_err(|error| {
        let error = error.utf8_error();
        Error(format!(
            "{}: byte {} is not UTF-8, and the program embeds the file as text. Fix: save the file as UTF-8, or install NVRTC \
             where the program is built",
            path.display(),
            error.valid_up_to()
        ))
    })
}

fn variable(name: &str) -> Result<PathBuf> {
    let value = env::var_os(name);
    let missing = || {
        Error(format!(
            "{name} is not set: cuda-build is for build scripts"
        ))
    };
    value.map(PathBuf::from).ok_or_else(missing)
}

fn cant(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error(format!("can't {what} {}: {error}", path.display()))
}

/// The files of a folder, not of those below it, whose names end like this; sorted.
fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| cant("read", folder, &error))?;
    let fits = |path: &PathBuf| {
        let extension = path.extension().and_then(|one| one.to_str());
        path.is_file() && extension.is_some_and(|one| extensions.contains(&one))
    };
    let mut files: Vec<_> = entries
        .flatten()
        .map(|one| one.path())
        .filter(fits)
        .collect();
    files.sort();
    Ok(files)
}

/// A file's name below `root`, and its text.
fn read(path: &Path, root: &Path) -> Result<(String, Vec<u8>)> {
    let text = fs::read(path).map_err(|error| cant("read", path, &error))?;
    let name = path.strip_prefix(root).unwrap_or(path);
    Ok((name.to_string_lossy().replace('\\', "/"), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_is_for_the_newest_that_is_not_for_one_alone() {
        let of = |all: &[&str]| {
            Build::new("k")
                .architectures(all.to_vec())
                .ptx_architecture()
        };
        assert_eq!(of(&[]), "compute_75");
        assert_eq!(of(&["sm_80", "sm_90", "sm_100a"]), "compute_90");
        assert_eq!(of(&["sm_90a"]), "compute_75");
        assert_eq!(
            Build::new("k").ptx("compute_60").ptx_architecture(),
            "compute_60"
        );
    }
}
