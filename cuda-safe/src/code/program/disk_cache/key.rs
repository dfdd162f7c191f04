//! The key of a cache entry.

use std::{env, path::PathBuf};

use super::{files::Files, hash::Hash, identity, options};
use crate::code::program::Program;

/// Identifies a compilation by everything that its result depends on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// The hash of the compiler, the options and all texts. The name of the entry's file.
    pub(super) name: String,
    /// The hash of the files' metadata. It shows that a file was changed and changed back between
    /// two computations of the key.
    state: String,
}

/// Undocumented environment variables that NVRTC 12.0 to 13.5 reads and that may change its output.
const VARIABLES: [&str; 10] = [
    "CAN_FINALIZE_DEBUG",
    "EDG_BASE",
    "EDG_MODULES_PATH",
    "FINALIZER_CUBIE",
    "FINALIZER_USE_LEGACY_ELF_BUILDER",
    "LLVM_OVERRIDE_PRODUCER",
    "NVRTCWIZ",
    "NVRTC_APPEND_FLAGS",
    "NVVM_IR_VER_CHK",
    "NV_NVVM_VERSION",
];

impl Key {
    /// Returns `None` if the files that the result depends on cannot be determined with certainty.
    pub(super) fn of(program: &Program, options: &[String], toolkit: &[PathBuf]) -> Option<Self> {
        if VARIABLES.iter().any(|name| env::var_os(name).is_some()) {
            return None;
        }
        let reads = options::reads(options)?;
        let (mut key, mut state) = (Hash::new(), Hash::new());
        key.part(identity::of_nvrtc()?)
            .part(&program.name)
            .part(&program.source);
        for list in [options, &program.name_expressions] {
            key.number(list.len() as u64);
            for item in list {
                key.part(item);
            }
        }
        key.part([u8::from(program.lines)]);
        key.number(program.headers.len() as u64);
        for (name, text) in &program.headers {
            key.part(name).part(text);
        }
        if reads.places {
            key.part(env::current_dir().ok()?.as_os_str().as_encoded_bytes());
            // If this is a path of the same folder, NVRTC writes it instead.
            let shown = env::var_os("PWD").unwrap_or_default();
            key.part(shown.as_encoded_bytes());
        }
        // Headers that come first are searched for as if a file in the current folder included them,
        // but whether headers from memory replace them is not certain.
        let in_memory = |name| program.headers.iter().any(|(header, _)| header == name);
        if reads.first.iter().any(in_memory) {
            return None;
        }
        let first = reads.first.iter();
        let first: Vec<_> = first.map(|name| format!("#include \"{name}\"\n")).collect();
        let mut files = Files::new(&program.headers);
        let expressions = program.name_expressions.iter();
        for text in expressions
            .chain(&reads.definitions)
            .chain([&program.source])
        {
            files.add(text, &program.name)?;
        }
        for (name, text) in &program.headers {
            files.add(text, name)?;
        }
        for text in &first {
            files.add(text, "")?;
        }
        files.hash(&reads.directories, toolkit, &mut key, &mut state)?;
        Some(Self {
            name: key.finish(),
            state: state.finish(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::program::disk_cache::folder::Folder;

    fn key(program: &Program, options: &[&str]) -> Option<Key> {
        let options: Vec<_> = options.iter().map(|&option| option.to_owned()).collect();
        Key::of(program, &options, &[])
    }

    #[test]
    fn key_depends_on_every_input() {
        let plain = || Program::new("int a;").name("a.cu");
        let keys = [
            key(&plain(), &[]),
            key(&plain().name("b.cu"), &[]),
            key(&Program::new("int b;").name("a.cu"), &[]),
            key(&plain().name_expression("a"), &[]),
            key(&plain().name_expression("b"), &[]),
            key(&plain().name_expression("a").name_expression("b"), &[]),
            key(&plain().header("a", "b"), &[]),
            key(&plain().header("a", "c"), &[]),
            key(&plain().header("b", "b"), &[]),
            key(&plain().header("a", "b").header("b", "b"), &[]),
            key(&plain(), &["-w"]),
            key(&plain(), &["-dc"]),
            key(&plain(), &["-w", "-dc"]),
            key(&plain(), &["-dc", "-w"]),
            key(&plain(), &["-DA"]),
            key(&plain(), &["-lineinfo"]),
            key(&plain().without_line_info(), &[]),
        ];
        for (i, one) in keys.iter().enumerate() {
            let one = one.as_ref().expect("certain");
            for other in &keys[..i] {
                assert_ne!(one.name, other.as_ref().unwrap().name, "{i}");
            }
        }
        assert_eq!(key(&plain(), &[]), keys[0]);
    }

    #[test]
    fn all_texts_are_searched_for_includes() {
        let folder = Folder::new();
        let directory = format!("-I{}", folder.path(""));
        let name = folder.path("a.cu");
        let (angle, quoted) = ("#include <a.h>\n", "#include \"a.h\"\n");
        let beside = Program::new("").name(&name);
        let cases: [(Program, &[&str]); 6] = [
            (Program::new(angle), &[&directory]),
            (Program::new("").header("x", angle), &[&directory]),
            (Program::new("").name_expression(angle), &[&directory]),
            (Program::new(""), &["-include=a.h", &directory]),
            (Program::new(quoted).name(&name), &[]),
            (beside.header(folder.path("x.h"), quoted), &[]),
        ];
        for (i, (program, options)) in cases.iter().enumerate() {
            let without = key(program, options).expect("certain");
            folder.write("a.h", "// one");
            let one = key(program, options).expect("certain");
            folder.write("a.h", "// two");
            let two = key(program, options).expect("certain");
            folder.write("a.h", "#import <a>");
            assert_eq!(key(program, options), None, "{i}");
            std::fs::remove_file(folder.0.join("a.h")).unwrap();
            assert_ne!(without.name, one.name, "{i}");
            assert_ne!(one.name, two.name, "{i}");
            assert_ne!(one.state, two.state, "{i}");
        }
        let uncertain = "#include A\n";
        assert_eq!(key(&Program::new(uncertain), &[]), None);
        assert_eq!(key(&Program::new("").header("x", uncertain), &[]), None);
        assert_eq!(key(&Program::new("").name_expression(uncertain), &[]), None);
        assert_eq!(key(&Program::new(""), &["-DA=__has_include(<a>)"]), None);
        assert_eq!(key(&Program::new(""), &["-DA=__TIME__"]), None);
        assert_eq!(key(&Program::new(""), &["-include=/a.h"]), None);
        let memory = Program::new("").header("a.h", "");
        assert_eq!(key(&memory, &["-include=a.h"]), None);
        assert_eq!(key(&Program::new(""), &["--pch"]), None);
    }
}
