//! Generates bindings with bindgen in two passes: one over the header as programs see it, and one
//! over its older declarations.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bindgen::callbacks::{EnumVariantCustomBehavior, EnumVariantValue, ItemInfo, ParseCallbacks};

use crate::locate::Toolkit;
use crate::names::{self, Declared, Enums};
use crate::{comments, items};

/// The headers that are bound, if they exist. The last one requires the feature `nvrtc`.
pub const HEADERS: [&str; 7] = [
    "cuda.h",
    "cudaProfiler.h",
    "cudaGL.h",
    "cudaTypedefs.h",
    "cudaProfilerTypedefs.h",
    "cudaGLTypedefs.h",
    "nvrtc.h",
];

/// Enums whose names come from the tables in `src/error`, which also contain newer codes.
const NAMED_BY_TABLE: [&str; 2] = ["CUresult", "nvrtcResult"];

/// Generated Rust source.
pub struct Bindings {
    /// The items at the crate's root.
    pub root: syn::File,
    /// Functions and types that the header hides: older versions, and the variants for per-thread
    /// streams.
    pub versioned: syn::File,
    /// Whether these are the bindings that this crate carries, rather than bindings of installed
    /// headers.
    pub carried: bool,
    /// The link targets of names in comments.
    targets: BTreeMap<String, String>,
}

impl Bindings {
    /// Creates the bindings that this crate carries. Their comments contain no references to names.
    pub fn carried(root: syn::File, versioned: syn::File) -> Self {
        Self {
            root,
            versioned,
            carried: true,
            targets: BTreeMap::new(),
        }
    }

    /// Returns the names of all functions of both files.
    pub fn functions(&self) -> BTreeSet<String> {
        let mut functions = items::declared(&self.root).functions;
        functions.extend(items::declared(&self.versioned).functions);
        functions
    }

    /// Returns the text of `file`, which is one of the two files or derived from one.
    pub fn text(&self, file: &syn::File) -> String {
        comments::resolve(&prettyplease::unparse(file), &self.targets)
    }
}

/// The options of a bindgen run.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub nvrtc: bool,
    /// Whether to include the header's text as documentation.
    pub comments: bool,
}

/// Runs bindgen over the headers of `toolkit`. libclang must be loaded.
pub fn generate(toolkit: &Toolkit, wanted: Wanted, out: &Path) -> Result<Bindings, String> {
    let headers = if wanted.nvrtc {
        &HEADERS[..]
    } else {
        &HEADERS[..HEADERS.len() - 1]
    };
    let mut wrapper = String::new();
    let mut text = String::new();
    for header in headers {
        if let Some(path) = toolkit.header(header) {
            let _ = writeln!(wrapper, "#include <{header}>");
            let bytes = fs::read(&path)
                .map_err(|error| format!("cuda-sys cannot read {}: {error}", path.display()))?;
            text += &String::from_utf8_lossy(&bytes);
        }
    }
    let include = [vec![system_headers(out)?], toolkit.include.clone()].concat();

    let mut first = run(&wrapper, &include, &[], wanted.comments)?;
    let declared = items::declared(&first.file);
    let enums = first
        .enums
        .into_iter()
        .filter(|(name, _)| declared.types.contains(name))
        .collect();
    let aliases = names::aliases(&text, &declared, &enums);
    let targets = link_targets(&declared, &aliases, &enums);
    items::without_debug(&mut first.file, |name| enums.contains_key(name));
    let tables = names::enum_tables(&enums, &NAMED_BY_TABLE);
    let more = syn::parse_file(&(aliases + &tables))
        .map_err(|error| format!("cuda-sys cannot read its generated names: {error}"))?;
    first.file.items.extend(more.items);

    let mut older = run(
        &wrapper,
        &include,
        &["-D__CUDA_API_VERSION_INTERNAL"],
        wanted.comments,
    )?;
    items::keep_unknown(&mut older.file, &declared);
    Ok(Bindings {
        root: first.file,
        versioned: older.file,
        carried: false,
        targets,
    })
}

/// The result of one bindgen pass.
struct Pass {
    file: syn::File,
    enums: Enums,
}

fn run(
    wrapper: &str,
    include: &[PathBuf],
    arguments: &[&str],
    comments: bool,
) -> Result<Pass, String> {
    let seen = Rc::new(RefCell::new(Enums::new()));
    let builder = bindgen::Builder::default()
        .header_contents("cuda_sys.h", wrapper)
        .clang_args(include.iter().map(|dir| format!("-I{}", dir.display())))
        .clang_args(arguments)
        .allowlist_file(r".*[/\\](cuda|cudaProfiler|cudaGL|cudaTypedefs|cudaProfilerTypedefs|cudaGLTypedefs|nvrtc)\.h")
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
        .generate_comments(comments)
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
            "cuda-sys cannot read bindgen's output for {}: {error}",
            directory.display()
        )
    })?;
    Ok(Pass {
        file,
        enums: seen.take(),
    })
}

/// The few system names that the CUDA headers need. They replace the headers of a C library and a
/// compiler (pip's libclang comes without `stddef.h`), and cross builds need no sysroot.
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

/// Returns the link targets of names in comments: the name itself, or the constant of an enum.
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

/// Names enums by their typedefs, records their constants, and translates comments.
#[derive(Debug)]
struct Recorder {
    enums: Rc<RefCell<Enums>>,
}

/// Returns the typedef name of an enum: `CUresult` for `cudaError_enum`, `CUlimit` for
/// `CUlimit_enum`.
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
