//! The key of a cache entry.

use std::env;

use sha2::{Digest, Sha256};

use super::{identity, includes::Includes, options};
use crate::code::program::Program;

/// A hash over a list of byte strings. The length of each is hashed too, so that `ab`, `c` and `a`,
/// `bc` have different hashes.
pub(super) struct Hash(Sha256);

impl Hash {
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(super) fn part(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    fn count(&mut self, number: usize) -> &mut Self {
        self.part((number as u64).to_le_bytes())
    }

    pub(super) fn finish(self) -> String {
        self.0
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

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
    pub(super) fn of(program: &Program, options: &[String]) -> Option<Self> {
        if VARIABLES.iter().any(|name| env::var_os(name).is_some()) {
            return None;
        }
        let reads = options::reads(options)?;
        let (mut key, mut state) = (Hash::new(), Hash::new());
        key.part(identity::of_nvrtc()?)
            .part(&program.name)
            .part(&program.source);
        for list in [options, &program.name_expressions] {
            key.count(list.len());
            for item in list {
                key.part(item);
            }
        }
        key.part([u8::from(program.lines)]);
        key.count(program.headers.len());
        for (name, text) in &program.headers {
            key.part(name).part(text);
        }
        if reads.places {
            key.part(env::current_dir().ok()?.as_os_str().as_encoded_bytes());
        }
        let mut includes = Includes::new(&reads.directories, &mut key, &mut state);
        let expressions = program.name_expressions.iter();
        for text in expressions.chain([&reads.definitions, &program.source]) {
            includes.add(text.as_bytes(), &program.name)?;
        }
        for (name, text) in &program.headers {
            includes.add(text.as_bytes(), name)?;
        }
        for name in &reads.first {
            includes.add_first(name)?;
        }
        includes.follow()?;
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

    #[test]
    fn hash_separates_parts() {
        let hash = |parts: &[&str]| {
            let mut hash = Hash::new();
            parts.iter().for_each(|part| {
                hash.part(part);
            });
            hash.finish()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["a", ""]), hash(&["a"]));
        assert_eq!(hash(&["a", "b"]), hash(&["a", "b"]));
        assert_eq!(hash(&[]).len(), 64);
        assert_ne!(
            Hash::new().count(1).part("").0.clone().finalize(),
            Hash::new().0.finalize()
        );
    }

    fn key(program: &Program, options: &[&str]) -> Option<Key> {
        let options: Vec<_> = options.iter().map(|&option| option.to_owned()).collect();
        Key::of(program, &options)
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
            let one = one.as_ref().expect("understood");
            for other in &keys[..i] {
                assert_ne!(one.name, other.as_ref().unwrap().name, "{i}");
            }
        }
        assert_eq!(key(&plain(), &[]), keys[0]);
    }

    #[test]
    fn all_texts_are_searched_for_includes() {
        let folder = Folder::new();
        let include = format!("#include \"{}\"\n", folder.path("a.h"));
        let define = format!("-DA=__has_include(\"{}\")", folder.path("a.h"));
        let first = format!("-include={}", folder.path("a.h"));
        let directory = format!("-I{}", folder.path(""));
        let name = folder.path("a.cu");
        let beside = Program::new("").name(&name);
        let quoted = "#include \"a.h\"\n";
        let cases: [(Program, &[&str]); 8] = [
            (Program::new(&include), &[]),
            (Program::new("").header("x", &include), &[]),
            (Program::new("").name_expression(&include), &[]),
            (Program::new(""), &[&define]),
            (Program::new(""), &[&first]),
            (Program::new("#include <a.h>"), &[&directory]),
            (Program::new(quoted).name(&name), &[]),
            (beside.header(folder.path("x.h"), quoted), &[]),
        ];
        for (i, (program, options)) in cases.iter().enumerate() {
            let without = key(program, options).expect("understood");
            folder.write("a.h", "// one");
            let one = key(program, options).expect("understood");
            folder.write("a.h", "// two");
            let two = key(program, options).expect("understood");
            folder.write("a.h", "#import <a>");
            assert_eq!(key(program, options), None, "{i}");
            std::fs::remove_file(folder.0.join("a.h")).unwrap();
            assert_ne!(without.name, one.name, "{i}");
            assert_ne!(one.name, two.name, "{i}");
            assert_ne!(one.state, two.state, "{i}");
        }
        assert_eq!(key(&Program::new("#include A"), &[]), None);
        assert_eq!(key(&Program::new(""), &["--pch"]), None);
    }
}
