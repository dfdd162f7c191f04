//! Bindings by bindgen: one pass over the header as programs see it, one over its older declarations.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{env, fs};

use bindgen::callbacks::{EnumVariantCustomBehavior, EnumVariantValue, ItemInfo, ParseCallbacks};

use crate::locate::{Machine, Toolkit, remedy};
use crate::names::{self, Declared, Enums};
use crate::{comments, items};

/// The headers that are bound; the last one with feature `nvrtc` only.
pub const HEADERS: [&str; 4] = ["cuda.h", "cudaProfiler.h", "cudaGL.h", "nvrtc.h"];

/// Enums whose names come from the tables in `src/error`, which also know newer codes.
const NAMED_BY_TABLE: [&str; 2] = ["CUresult", "nvrtcResult"];

/// Generated Rust source.
pub struct Bindings {
    /// What belongs at the crate's root.
    pub root: String,
    /// Functions and types that the header hides: older versions, and the per-thread-stream variants.
    pub versioned: String,
    /// Names of all functions of both.
    pub functions: BTreeSet<String>,
}

/// Runs bindgen over the headers of `toolkit`.
pub fn generate(
    machine: &Machine,
    toolkit: &Toolkit,
    nvrtc: bool,
    out: &Path,
) -> Result<Bindings, String> {
    load_libclang(machine)?;
    let wanted = if nvrtc { &HEADERS[..] } else { &HEADERS[..3] };
    let mut wrapper = String::new();
    let mut text = String::new();
    for header in wanted {
        if let Some(path) = toolkit
            .include
            .iter()
            .map(|dir| dir.join(header))
            .find(|path| path.is_file())
        {
            let _ = writeln!(wrapper, "#include <{header}>");
            let bytes = fs::read(&path)
                .map_err(|error| format!("cuda-sys cannot read {}: {error}", path.display()))?;
            text += &String::from_utf8_lossy(&bytes);
        }
    }
    let include = [vec![system_headers(out)?], toolkit.include.clone()].concat();

    let mut first = run(&wrapper, &include, &[])?;
    let declared = items::declared(&first.file);
    let enums = first
        .enums
        .into_iter()
        .filter(|(name, _)| declared.types.contains(name))
        .collect();
    let aliases = names::aliases(&text, &declared, &enums);
    let targets = link_targets(&declared, &aliases, &enums);
    items::without_debug(&mut first.file, |name| enums.contains_key(name));
    let root = prettyplease::unparse(&first.file)
        + &aliases
        + &names::enum_tables(&enums, &NAMED_BY_TABLE);

    let mut older = run(&wrapper, &include, &["-D__CUDA_API_VERSION_INTERNAL"])?;
    items::keep_unknown(&mut older.file, &declared);
    let functions = declared
        .functions
        .union(&items::declared(&older.file).functions)
        .cloned()
        .collect();
    Ok(Bindings {
        root: comments::resolve(&root, &targets),
        versioned: comments::resolve(&prettyplease::unparse(&older.file), &targets),
        functions,
    })
}

/// What one pass of bindgen gives.
struct Pass {
    file: syn::File,
    enums: Enums,
}

fn run(wrapper: &str, include: &[PathBuf], arguments: &[&str]) -> Result<Pass, String> {
    let seen = Rc::new(RefCell::new(Enums::new()));
    let builder = bindgen::Builder::default()
        .header_contents("cuda_sys.h", wrapper)
        .clang_args(include.iter().map(|dir| format!("-I{}", dir.display())))
        .clang_args(arguments)
        .allowlist_file(r".*[/\\](cuda|cudaProfiler|cudaGL|nvrtc)\.h")
        .default_enum_style(bindgen::EnumVariation::NewType {
            is_bitfield: false,
            is_global: false,
        })
        .prepend_enum_name(false)
        .use_core()
        .derive_default(true)
        .derive_eq(true)
        .derive_hash(true)
        .layout_tests(true)
        .formatter(bindgen::Formatter::None)
        .disable_header_comment()
        .parse_callbacks(Box::new(Recorder {
            enums: Rc::clone(&seen),
        }));
    let directory = include
        .iter()
        .find(|dir| dir.join("cuda.h").is_file())
        .unwrap_or(&include[0]);
    let bindings = builder.generate().map_err(|error| {
        format!(
            "cuda-sys cannot read the CUDA headers in {}:\n{error}",
            directory.display()
        )
    })?;
    let file = syn::parse_file(&bindings.to_string()).map_err(|error| {
        format!(
            "cuda-sys cannot read what bindgen made of {}: {error}",
            directory.display()
        )
    })?;
    Ok(Pass {
        file,
        enums: seen.take(),
    })
}

/// Sees to it that bindgen finds libclang, which it loads at run time.
fn load_libclang(machine: &Machine) -> Result<(), String> {
    if env::var_os("LIBCLANG_PATH").is_none() {
        let ours = [machine.repository.join(".cuda/clang/native")];
        let python = || {
            (machine.site_packages)()
                .into_iter()
                .map(|dir| dir.join("clang/native"))
        };
        let holds = |dir: &PathBuf| {
            ["libclang.so", "libclang.dll", "libclang.dylib"]
                .iter()
                .any(|name| dir.join(name).is_file())
        };
        if let Some(dir) = ours.into_iter().find(holds) {
            set_libclang_path(&dir);
        } else if clang_version().is_err()
            && let Some(dir) = python().find(holds)
        {
            set_libclang_path(&dir);
        }
    }
    clang_version().map_err(|reason| {
        format!(
            "cuda-sys cannot load libclang, with which bindgen reads the CUDA headers:\n  {reason}\n\
             Looked at: LIBCLANG_PATH, {}, llvm-config and the system's directories, Python's packages.\n\
             To mend it: {}",
            machine.repository.join(".cuda/clang/native").display(),
            remedy(machine.repository)
        )
    })
}

fn set_libclang_path(dir: &Path) {
    // SAFETY: the build script has one thread, so nothing reads the environment meanwhile.
    unsafe { env::set_var("LIBCLANG_PATH", dir) };
}

/// Loads libclang; bindgen panics when it cannot, and its message says why.
fn clang_version() -> Result<(), String> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(bindgen::clang_version));
    panic::set_hook(hook);
    result.map(drop).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given")
            .to_owned()
    })
}

/// The few names that the CUDA headers want of the system's, so that neither a C library's headers nor
/// a compiler's need be there (pip's libclang comes without `stddef.h`) and cross builds need no sysroot.
fn system_headers(out: &Path) -> Result<PathBuf, String> {
    let dir = out.join("include");
    let stdint: String = [8, 16, 32, 64]
        .iter()
        .map(|n| {
            format!("typedef __INT{n}_TYPE__ int{n}_t;\ntypedef __UINT{n}_TYPE__ uint{n}_t;\n")
        })
        .collect();
    let stdint =
        stdint + "typedef __INTPTR_TYPE__ intptr_t;\ntypedef __UINTPTR_TYPE__ uintptr_t;\n";
    let stddef = "typedef __SIZE_TYPE__ size_t;\n#define NULL ((void *)0)\n";
    let gl = "typedef unsigned int GLenum;\ntypedef unsigned int GLuint;\ntypedef int GLint;\n";
    let files = [
        ("stddef.h", stddef),
        ("stdlib.h", "#include <stddef.h>\n"),
        ("stdint.h", &stdint),
        ("GL/gl.h", gl),
    ];
    for (name, text) in files {
        let file = dir.join(name);
        fs::create_dir_all(file.parent().unwrap_or(&dir))
            .and_then(|()| fs::write(&file, format!("#pragma once\n{text}")))
            .map_err(|error| format!("cuda-sys cannot write {}: {error}", file.display()))?;
    }
    Ok(dir)
}

/// What a name in a comment links to: itself, or the constant of an enum.
fn link_targets(declared: &Declared, aliases: &str, enums: &Enums) -> BTreeMap<String, String> {
    let mut targets = BTreeMap::new();
    for (owner, constants) in enums {
        for (name, _) in constants {
            targets.insert(name.clone(), format!("{owner}::{name}"));
        }
    }
    let renamed = aliases
        .lines()
        .filter_map(|line| line.split_once(" as ")?.1.strip_suffix(';'));
    let all = declared
        .functions
        .iter()
        .chain(&declared.types)
        .map(String::as_str)
        .chain(renamed);
    targets.extend(all.map(|name| (name.to_owned(), name.to_owned())));
    targets
}

/// Names enums by their typedef, notes their constants, translates comments.
#[derive(Debug)]
struct Recorder {
    enums: Rc<RefCell<Enums>>,
}

/// The typedef's name of an enum: `CUresult` for `cudaError_enum`, `CUlimit` for `CUlimit_enum`.
fn enum_name(tag: &str) -> Option<&str> {
    match tag {
        "cudaError_enum" => Some("CUresult"),
        _ => tag
            .strip_suffix("_enum")
            .filter(|name| name.starts_with("CU")),
    }
}

impl ParseCallbacks for Recorder {
    fn item_name(&self, item: ItemInfo) -> Option<String> {
        enum_name(item.name).map(str::to_owned)
    }

    fn enum_variant_behavior(
        &self,
        tag: Option<&str>,
        constant: &str,
        value: EnumVariantValue,
    ) -> Option<EnumVariantCustomBehavior> {
        let tag = tag?.trim_start_matches("enum ");
        let value = match value {
            EnumVariantValue::Boolean(value) => value.into(),
            EnumVariantValue::Signed(value) => value,
            EnumVariantValue::Unsigned(value) => i64::try_from(value).ok()?,
        };
        let name = enum_name(tag).unwrap_or(tag).to_owned();
        let mut enums = self.enums.borrow_mut();
        let constants = enums.entry(name).or_default();
        if !constants.iter().any(|(known, _)| known == constant) {
            constants.push((constant.to_owned(), value));
        }
        None
    }

    fn process_comment(&self, comment: &str) -> Option<String> {
        Some(comments::markdown(comment))
    }
}
