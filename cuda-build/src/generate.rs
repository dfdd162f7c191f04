//! The Rust that is included: a module for each file.

use std::{fmt::Write, fs, path::Path};

use crate::{
    Result, cant,
    signature::{Kernel, in_rust},
};

/// A file, and what has become of it.
pub(crate) struct Unit {
    /// Its path below the package.
    pub(crate) name: String,
    pub(crate) code: Compiled,
    pub(crate) kernels: Vec<Kernel>,
}

pub(crate) enum Compiled {
    /// Machine code by architecture, and PTX.
    Code {
        cubins: Vec<(String, Vec<u8>)>,
        ptx: String,
    },
    /// To be compiled when the program runs.
    Source {
        text: String,
        /// The names and texts of headers. NVRTC takes each name once.
        headers: Vec<(String, String)>,
        options: Vec<String>,
    },
}

/// The text of `kernels.rs`; the code that it embeds is written beside it.
pub(crate) fn write(out: &Path, units: &[Unit]) -> Result<String> {
    let mut text = String::from("// Made by cuda-build.\n");
    let mut names: Vec<String> = Vec::new();
    for unit in units {
        let stem = Path::new(&unit.name).file_stem().unwrap_or_default();
        let mut module = in_rust(&stem.to_string_lossy());
        while names.contains(&module) {
            module.push('_');
        }
        let code = code(out, &module, unit)?;
        let _ = write!(
            text,
            "\n/// Kernels of `{}`.\n#[allow(dead_code, reason = \"a program need not use all\")]\npub mod {module} {{\n{code}{}}}\n",
            unit.name,
            kernels(unit)
        );
        names.push(module);
    }
    Ok(text)
}

/// The embedded code, as an item.
fn code(out: &Path, module: &str, unit: &Unit) -> Result<String> {
    let save = |name: &str, bytes: &[u8]| {
        let file = out.join(name);
        fs::write(&file, bytes).map_err(|error| cant("write", &file, &error))?;
        Ok(format!("{:?}", file.display().to_string()))
    };
    match &unit.code {
        Compiled::Code { cubins, ptx } => {
            let mut list = String::new();
            for (architecture, cubin) in cubins {
                let file = save(&format!("{module}.{architecture}.cubin"), cubin)?;
                let _ = writeln!(
                    list,
                    "            ({architecture:?}, include_bytes!({file})),"
                );
            }
            let ptx = save(&format!("{module}.ptx"), ptx.as_bytes())?;
            let mut names = String::new();
            for kernel in unit.kernels.iter().filter(|one| one.linked != one.name) {
                let _ = writeln!(names, "        ({:?}, {:?}),", kernel.name, kernel.linked);
            }
            Ok(format!(
                "    /// The machine code and the PTX.\n    \
                 // SAFETY: NVRTC has just compiled them, and the build script has written them as they were.\n    \
                 pub static EMBEDDED: ::cuda_safe::module::Embedded = unsafe {{\n        \
                 ::cuda_safe::module::Embedded::new(&[\n{list}        ], include_str!({ptx}))\n    }}\n    \
                 .with_names(&[\n{names}    ]);\n\n{}",
                ways(
                    "Module::from_embedded(context, &EMBEDDED)",
                    "Library::from_embedded(device, &EMBEDDED)"
                )
            ))
        }
        Compiled::Source {
            text,
            headers,
            options,
        } => {
            let file = save(&format!("{module}.cu"), text.as_bytes())?;
            let mut calls = String::new();
            for (number, (name, text)) in headers.iter().enumerate() {
                let file = save(&format!("{module}.{number}.h"), text.as_bytes())?;
                let _ = write!(
                    calls,
                    "\n            .header({name:?}, include_str!({file}))"
                );
            }
            for option in options {
                let _ = write!(calls, "\n            .option({option:?})");
            }
            for kernel in unit.kernels.iter().filter(|one| one.is_known_by_name()) {
                let _ = write!(calls, "\n            .name_expression({:?})", kernel.name);
            }
            Ok(format!(
                "    /// The program, which is compiled when it is loaded.\n    \
                 pub fn program() -> ::cuda_safe::Program {{\n        \
                 ::cuda_safe::Program::new(include_str!({file}))\n            .name({:?}){calls}\n    }}\n\n{}",
                unit.name,
                ways(
                    "Module::compile(context, program())",
                    "Library::compile(device, program())"
                )
            ))
        }
    }
}

/// The ways to load the code.
fn ways(module: &str, library: &str) -> String {
    format!(
        "    /// Loads the code into a context.\n    ///\n    /// # Errors\n    \
         /// `ErrorKind::Load` where there is none for the device.\n    \
         pub fn module(context: &::cuda_safe::Context) -> ::cuda_safe::Result<::cuda_safe::Module> {{\n        \
         ::cuda_safe::{module}\n    }}\n\n    \
         /// Loads the code for all contexts of a device.\n    ///\n    /// # Errors\n    /// As `module`.\n    \
         pub fn library(device: ::cuda_safe::Device) -> ::cuda_safe::Result<::cuda_safe::Library> {{\n        \
         ::cuda_safe::{library}\n    }}\n\n"
    )
}

/// The struct of the kernels, with its way to be loaded.
fn kernels(unit: &Unit) -> String {
    let is_source = matches!(unit.code, Compiled::Source { .. });
    let mut text = String::from(
        "    ::cuda_safe::kernels! {\n        /// The kernels, as functions of Rust.\n",
    );
    for kernel in &unit.kernels {
        if let Err(why) = &kernel.parameters {
            let _ = writeln!(
                text,
                "        ///\n        /// Not declared: `{}`, {why}.",
                kernel.text
            );
        }
    }
    let _ = writeln!(
        text,
        "        pub struct Kernels{};",
        if is_source { " = program()" } else { "" }
    );
    // The struct has these already.
    let taken = [
        "load",
        "program",
        "compile",
        "from_module",
        "clone",
        "__take",
    ];
    let mut methods: Vec<String> = taken.map(str::to_owned).into();
    for kernel in &unit.kernels {
        let Ok(parameters) = &kernel.parameters else {
            continue;
        };
        let parameters: Vec<_> = parameters
            .iter()
            .map(|(name, of)| format!("{name}: {}", of.in_rust()))
            .collect();
        let mut method = in_rust(&kernel.name);
        while methods.contains(&method) {
            method.push('_');
        }
        let _ = writeln!(
            text,
            "        /// `{}`\n        pub fn {method}({}) = {:?};",
            kernel.text,
            parameters.join(", "),
            kernel.name
        );
        methods.push(method);
    }
    text.push_str("    }\n");
    if !is_source {
        text.push_str(
            "\n    impl Kernels {\n        \
             /// Loads the code into a context, and compares the signatures.\n        \
             ///\n        /// # Errors\n        \
             /// `ErrorKind::Load` where there is no code for the device.\n        \
             pub fn load(context: &::cuda_safe::Context) -> ::cuda_safe::Result<Self> {\n            \
             Self::from_module(&module(context)?)\n        }\n    }\n",
        );
    }
    text
}
