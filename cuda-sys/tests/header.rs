//! Compares the bindings with the header that they were generated from.
#![allow(dead_code)]

#[path = "../build/generate/names.rs"]
mod names;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_sys::{CUdevice_attribute, CUresult, TOOLKIT_INCLUDE_DIRS};

const ROOT: &str = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"));
const VERSIONED: &str = include_str!(concat!(env!("OUT_DIR"), "/versioned.rs"));
const CASTS: &str = include_str!("../src/casts.rs");

fn header(name: &str) -> Option<String> {
    let file = TOOLKIT_INCLUDE_DIRS
        .iter()
        .map(|dir| Path::new(dir).join(name))
        .find(|file| file.is_file())?;
    Some(
        String::from_utf8_lossy(&std::fs::read(file).expect("the header can be read")).into_owned(),
    )
}

/// Returns the header without its comments.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out += before;
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    out + rest
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// Returns every full name that the source declares.
fn declared(source: &'static str) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    for line in source.lines().map(str::trim_start) {
        let rest = [
            "pub fn ",
            "pub struct ",
            "pub union ",
            "pub type ",
            "pub const ",
        ]
        .iter()
        .find_map(|keyword| line.strip_prefix(keyword))
        .or_else(|| {
            line.strip_prefix("pub use ")?
                .split_once(" as ")
                .map(|(_, name)| name)
        });
        names.extend(rest.and_then(|rest| identifiers(rest).next()));
    }
    names
}

#[test]
fn every_function_is_bound() {
    let (root, versioned) = (declared(ROOT), declared(VERSIONED));
    let mut count = 0;
    for name in ["cuda.h", "cudaProfiler.h", "cudaGL.h"] {
        let Some(text) = header(name) else { continue };
        for after in code(&text).split(" CUDAAPI ").skip(1) {
            let function = identifiers(after).next().expect("a name follows");
            // The definition of CUDAAPI itself, and a Windows function.
            if !function.starts_with("cu") || function == "cuWGLGetDevice" {
                continue;
            }
            assert!(
                root.contains(function) || versioned.contains(function),
                "{function} of {name} is not bound"
            );
            count += 1;
        }
    }
    assert!(count > 500, "{count} functions: is this cuda.h?");
}

#[cfg(feature = "nvrtc")]
#[test]
fn every_nvrtc_function_is_bound() {
    let root = declared(ROOT);
    let text = header("nvrtc.h").expect("nvrtc.h exists");
    let code = code(&text);
    let functions: Vec<&str> = identifiers(&code)
        .filter(|word| {
            word.strip_prefix("nvrtc")
                .is_some_and(|rest| rest.starts_with(char::is_uppercase))
        })
        // Two types and a C++ template.
        .filter(|word| !["nvrtcResult", "nvrtcProgram", "nvrtcGetTypeName"].contains(word))
        .collect();
    assert!(functions.len() >= 17, "{functions:?}");
    for function in functions {
        assert!(root.contains(function), "{function} is not bound");
    }
}

#[test]
fn every_type_is_bound() {
    let (root, versioned) = (declared(ROOT), declared(VERSIONED));
    let text = header("cuda.h").expect("cuda.h exists");
    let mut count = 0;
    for line in code(&text).lines() {
        let closes = line.strip_prefix("} ").filter(|rest| rest.ends_with(';'));
        let renames = line
            .strip_prefix("typedef ")
            .filter(|rest| rest.ends_with(';') && !rest.contains('('));
        let Some(name) = closes.or(renames).and_then(|rest| identifiers(rest).last()) else {
            continue;
        };
        // The two types with sizes in their names are for MSVC.
        assert!(
            root.contains(name) || versioned.contains(name),
            "{name} is not bound: {line}"
        );
        count += 1;
    }
    assert!(count > 150, "{count} types: is this cuda.h?");
}

#[test]
fn every_macro_is_bound() {
    let (root, casts) = (declared(ROOT), declared(CASTS));
    let mut text = header("cuda.h").expect("cuda.h exists");
    if cfg!(feature = "nvrtc") {
        text += &header("nvrtc.h").expect("nvrtc.h exists");
    }
    let text = code(&text);
    let mut constants = 0;
    for line in text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("#define"))
    {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a macro has a name");
        let public = ["CU", "NVRTC_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
            && !name.contains('(')
            && words.next().is_some();
        // The calling conventions of Windows.
        if public && !["CUDAAPI", "CUDA_CB"].contains(&name) {
            assert!(
                root.contains(name) || casts.contains(name),
                "{name} is not bound:{line}"
            );
            constants += 1;
        }
    }
    assert!(constants > 40, "{constants} macros: is this cuda.h?");
    let mut functions = 0;
    for (name, target) in names::renamings(&text)
        .into_iter()
        .filter(|(name, _)| name.starts_with("cu"))
    {
        // The names for the per-thread default stream are in `versioned`.
        if !target.ends_with("_ptsz") && !target.ends_with("_ptds") {
            assert!(
                root.contains(name),
                "{name}, an alias of {target}, is not bound"
            );
            functions += 1;
        }
    }
    assert!(functions > 100, "{functions} names: is this cuda.h?");
}

/// Lets the C compiler check the bindings' layout of every struct and union.
#[test]
fn layouts_agree_with_the_c_compiler() {
    let text = header("cuda.h").expect("cuda.h exists") + &header("nvrtc.h").unwrap_or_default();
    let code = code(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    let words: Vec<&str> = identifiers(&code).collect();
    let tags: Vec<(&str, &str)> = words
        .windows(2)
        .filter(|pair| ["struct", "union", "enum"].contains(&pair[0]))
        .map(|pair| (pair[1], pair[0]))
        .filter(|(name, keyword)| code.contains(&format!("{keyword} {name} {{")))
        .collect();
    // A struct nested in another has its own name in C, and the outer one's name as a prefix in
    // Rust.
    let tag = |name: &str| {
        let found = tags.iter().find(|(tag, _)| *tag == name);
        let inner = || {
            tags.iter().find(|(tag, _)| {
                name.strip_suffix(tag)
                    .is_some_and(|outer| outer.ends_with('_'))
            })
        };
        let bare = || words.contains(&name).then(|| name.to_owned());
        found
            .map(|(tag, keyword)| format!("{keyword} {tag}"))
            .or_else(bare)
            .unwrap_or_else(|| {
                let (tag, keyword) =
                    inner().unwrap_or_else(|| panic!("{name} is not in the header"));
                format!("{keyword} {tag}")
            })
    };
    let mut source = String::from("#include <stddef.h>\n#include <cuda.h>\n");
    if cfg!(feature = "nvrtc") {
        source += "#include <nvrtc.h>\n";
    }
    let mut count = 0;
    for test in ROOT.split(';') {
        let Some((_, after)) = test.split_once('"') else {
            continue;
        };
        let Some((label, check)) = after.split_once('"') else {
            continue;
        };
        let Some((number, _)) = check.rsplit_once("usize") else {
            continue;
        };
        let number = number.rsplit(' ').next().expect("a part");
        if label.contains("__bindgen") {
            continue;
        }
        let (value, name) = if let Some(name) = label.strip_prefix("Size of ") {
            (format!("sizeof({})", tag(name)), name)
        } else if let Some(name) = label.strip_prefix("Alignment of ") {
            (format!("_Alignof({})", tag(name)), name)
        } else if let Some((name, field)) = label
            .strip_prefix("Offset of field: ")
            .and_then(|s| s.split_once("::"))
        {
            let field = match field {
                // Keywords of Rust.
                "type_" | "fn_" => field.trim_end_matches('_'),
                _ => field,
            };
            (format!("offsetof({}, {field})", tag(name)), name)
        } else {
            continue;
        };
        source += &format!("_Static_assert({value} == {number}, \"{name}\");\n");
        count += 1;
    }
    assert!(count > 300, "{count} layout tests in the bindings");
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("layout.c");
    std::fs::write(&file, source).expect("the file can be written");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let include = TOOLKIT_INCLUDE_DIRS.iter().map(|dir| format!("-I{dir}"));
    let mut words = compiler.split_whitespace();
    let output = Command::new(words.next().unwrap_or("cc"))
        .args(words)
        .args(["-std=c11", "-fsyntax-only", "-w"])
        .args(include)
        .arg(&file)
        .output();
    let output = output.expect("there is a C compiler");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn driver_error_table_is_complete() {
    assert!(CUresult::ALL.len() >= 90);
    for &(name, code) in CUresult::ALL {
        assert_eq!(code.name(), Some(name));
        let description = code
            .description()
            .expect("a code with a name has a description");
        assert_eq!(
            code.to_string(),
            format!("{name} ({}): {description}", code.0)
        );
    }
}

#[cfg(feature = "nvrtc")]
#[test]
fn nvrtc_error_table_is_complete() {
    assert!(cuda_sys::nvrtcResult::ALL.len() >= 12);
    for &(name, code) in cuda_sys::nvrtcResult::ALL {
        assert_eq!(code.name(), Some(name));
        assert!(code.description().is_some_and(|text| !text.is_empty()));
    }
}

#[test]
fn newer_codes_have_names() {
    assert_eq!(CUresult(916).name(), Some("CUDA_ERROR_KEY_ROTATION"));
    assert_eq!(CUresult(998).name(), None);
    assert_eq!(CUresult(1_000).name(), None);
    assert_eq!(
        format!("{:#?} {:#?}", CUresult(2), CUresult(998)),
        "CUDA_ERROR_OUT_OF_MEMORY CUresult(998)"
    );
    // `main` and `expect` print errors with `Debug`.
    for code in [CUresult(2), CUresult(998)] {
        assert_eq!(format!("{code:?}"), code.to_string());
    }
    let code = format!("{:?}", cuda_sys::nvrtcResult(7));
    assert_eq!(
        code,
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE (7): NVRTC did not find its second library, libnvrtc-builtins, or could \
         not use it. Fix: put it in the folder of libnvrtc, and set LD_LIBRARY_PATH to that folder"
    );
    assert_eq!(CUresult(998).to_string(), "unknown CUresult code 998");
    assert_eq!(
        (CUresult(0).result(), CUresult(998).result()),
        (Ok(()), Err(CUresult(998)))
    );
}

#[test]
fn constants_print_as_their_names() {
    let warp = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE;
    assert_eq!(warp.0, 10);
    assert_eq!(format!("{warp:?}"), "CU_DEVICE_ATTRIBUTE_WARP_SIZE");
    assert_eq!(
        format!("{:?}", CUdevice_attribute(100_000)),
        "CUdevice_attribute(100000)"
    );
    assert!(CUdevice_attribute::ALL.contains(&("CU_DEVICE_ATTRIBUTE_WARP_SIZE", warp)));
}

#[test]
fn cast_macros_have_the_header_s_values() {
    assert_eq!(cuda_sys::CU_STREAM_LEGACY.addr(), 1);
    assert_eq!(cuda_sys::CU_STREAM_PER_THREAD.addr(), 2);
    let launch = [
        cuda_sys::CU_LAUNCH_PARAM_END,
        cuda_sys::CU_LAUNCH_PARAM_BUFFER_POINTER,
        cuda_sys::CU_LAUNCH_PARAM_BUFFER_SIZE,
    ];
    assert_eq!(launch.map(|pointer| pointer.addr()), [0, 1, 2]);
    assert_eq!(
        (cuda_sys::CU_DEVICE_CPU, cuda_sys::CU_DEVICE_INVALID),
        (-1, -2)
    );
}

#[test]
fn memory_location_keeps_its_identifier() {
    use cuda_sys::{CUmemLocation, CUmemLocationType};
    let location = CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 7);
    assert_eq!(
        location.type_,
        CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE
    );
    assert_eq!(location.identifier(), 7);
}

#[test]
fn every_function_has_a_pointer_type() {
    for source in [ROOT, VERSIONED] {
        let names = declared(source);
        let functions = source.match_indices("    pub fn cu");
        let mut count = 0;
        for (at, _) in functions {
            let name = identifiers(&source[at + "    pub fn ".len()..]).next();
            let pointer = format!("PFN_{}", name.expect("a name follows"));
            assert!(names.contains(&*pointer), "no {pointer}");
            count += 1;
        }
        assert!(count > 90, "{count} functions");
    }
    // The types are those of the functions, under each of the names.
    let _: cuda_sys::PFN_cuMemAlloc_v2 = cuda_sys::cuMemAlloc_v2;
    let _: cuda_sys::PFN_cuMemAlloc = cuda_sys::cuMemAlloc;
    let _: cuda_sys::versioned::PFN_cuMemAlloc = cuda_sys::versioned::cuMemAlloc;
    let _: cuda_sys::PFN_cuLaunchKernel = cuda_sys::cuLaunchKernel;
    #[cfg(feature = "nvrtc")]
    let _: cuda_sys::PFN_nvrtcVersion = cuda_sys::nvrtcVersion;
}

/// Every toolkit contains `cudaTypedefs.h`, but not every package of headers does.
#[test]
fn versioned_pointer_types_match_the_header() {
    let Some(text) = header("cudaTypedefs.h") else {
        return;
    };
    let (root, versioned) = (declared(ROOT), declared(VERSIONED));
    let mut count = 0;
    for after in code(&text).split("(CUDAAPI *").skip(1) {
        let name = identifiers(after).next().expect("a name follows");
        assert!(
            root.contains(name) || versioned.contains(name),
            "{name} is not bound"
        );
        count += 1;
    }
    assert!(count > 400, "{count} types: is this cudaTypedefs.h?");
    for line in ROOT.lines().chain(VERSIONED.lines()) {
        let pointer = line.trim_start().starts_with("pub type PFN_");
        assert!(!pointer || !line.contains("Option"), "{line}");
    }
}

#[test]
fn comments_begin_with_their_text() {
    let arrows = |source: &str| {
        let comments = source.lines().map(str::trim_start);
        let begin = |line: &&str| line.starts_with("///&lt; ") || line.starts_with("/**&lt; ");
        comments.filter(begin).count()
    };
    assert_eq!(arrows("///&lt; Automatic scheduling\n"), 1);
    assert_eq!((arrows(ROOT), arrows(VERSIONED)), (0, 0));
    assert!(
        ROOT.contains("///Automatic scheduling"),
        "the comment itself is present"
    );
}

#[test]
fn no_type_collapses_to_bytes() {
    assert!(!ROOT.contains("_bindgen_opaque_blob") && !VERSIONED.contains("_bindgen_opaque_blob"));
    let value = cuda_sys::CUlaunchAttributeValue { cooperative: 1 };
    // SAFETY: the field was written just before.
    assert_eq!(unsafe { value.cooperative }, 1);
}
