#![cfg(test)]

use std::{
    env,
    ffi::CString,
    os::unix::fs::symlink,
    time::{Duration, SystemTime},
};

use super::*;
use crate::code::program::{compile::toolkit_include_paths, disk_cache::folder::Folder};
use cuda_sys::TOOLKIT_INCLUDE_DIRS;

/// A program, its include paths and its pre-included headers.
struct Case<'a> {
    folder: &'a Folder,
    source: &'a str,
    name: &'a str,
    directories: &'a [&'a str],
    first: &'a [&'a str],
}

impl<'a> Case<'a> {
    fn new(folder: &'a Folder, source: &'a str) -> Self {
        Self {
            folder,
            source,
            name: "src/a.cu",
            directories: &["inc", "more/"],
            first: &[],
        }
    }

    /// Returns the hash of the files and the hash of their metadata.
    fn hashes(&self) -> Option<(String, String)> {
        let (mut found, mut state) = (Hash::new(), Hash::new());
        let directories = self.directories.iter().map(|name| self.folder.path(name));
        let directories: Vec<_> = directories.collect();
        let mut includes = Includes::new(&directories, &mut found, &mut state);
        includes.add(self.source.as_bytes(), &self.folder.path(self.name))?;
        for name in self.first {
            includes.add_first(name)?;
        }
        includes.follow()?;
        Some((found.finish(), state.finish()))
    }

    fn found(&self) -> Option<String> {
        Some(self.hashes()?.0)
    }

    /// Asserts that the hash depends on the existence and the contents of a file.
    #[track_caller]
    fn depends_on(&self, file: &str) {
        let path = self.folder.0.join(file);
        let without = self.found().expect("understood");
        self.folder.write(file, "// one\n");
        let one = self.found().expect("understood");
        self.folder.write(file, "// two\n");
        let two = self.found().expect("understood");
        fs::remove_file(path).unwrap();
        assert!(without != one && one != two && two != without, "{file}");
        assert_eq!(self.found().unwrap(), without, "{file}");
    }

    #[track_caller]
    fn ignores(&self, file: &str) {
        let without = self.found().expect("understood");
        let path = self.folder.write(file, "// one\n");
        assert_eq!(self.found().expect("understood"), without, "{file}");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn headers_are_searched_in_the_folders_of_the_compiler() {
    let folder = Folder::new();
    for name in ["src", "inc", "more"] {
        fs::create_dir(folder.0.join(name)).unwrap();
    }
    let quoted = Case::new(&folder, "#include \"a.h\"\n");
    for file in ["src/a.h", "inc/a.h", "more/a.h"] {
        quoted.depends_on(file);
    }
    quoted.ignores("a.h");
    quoted.ignores("src/b.h");
    quoted.ignores("src/a.h.stdh");
    let angle = Case::new(&folder, "#include <sub/a.h>\n");
    angle.depends_on("inc/sub/a.h");
    angle.depends_on("more/sub/a.h");
    angle.ignores("src/sub/a.h");
    let next = Case::new(&folder, "#include_next <a.h>\n");
    next.depends_on("inc/a.h");
    next.depends_on("more/a.h");
    let question = Case::new(&folder, "#if __has_include(\"a.h\")\n#endif\n");
    question.depends_on("src/a.h");
    question.depends_on("more/a.h");
    // A name without an extension is also searched for with `.stdh`.
    let bare = Case::new(&folder, "#include \"x.y/a\"\n");
    for file in ["src/x.y/a", "src/x.y/a.stdh", "inc/x.y/a.stdh"] {
        bare.depends_on(file);
    }
    let absolute = format!("#include <{}>\n", folder.path("b.h"));
    let absolute = Case::new(&folder, &absolute);
    absolute.depends_on("b.h");
    absolute.ignores("inc/b.h");
}

#[test]
fn a_program_name_without_a_folder_means_the_current_folder() {
    let folder = Folder::new();
    let file = folder.write("a.h", "");
    // The path goes through the current folder's name, so it is valid only from the current folder.
    let here = env::current_dir().unwrap().canonicalize().unwrap();
    let name = here.file_name().unwrap().to_str().unwrap();
    let up = "../".repeat(here.components().count() - 1);
    let file = file.strip_prefix("/").unwrap().to_str().unwrap();
    let source = format!("#include \"../{name}/{up}{file}\"\n");
    let finds = |name: &str, directories: &[String]| {
        let (mut found, mut state) = (Hash::new(), Hash::new());
        let mut includes = Includes::new(directories, &mut found, &mut state);
        includes.add(source.as_bytes(), name).unwrap();
        includes.follow().unwrap();
        found.finish() != Hash::new().finish()
    };
    assert!(finds("a.cu", &[]));
    assert!(finds("", &[]));
    assert!(!finds("src/a.cu", &[]));
    assert!(!finds("src/", &[]));
    assert!(finds("src/a.cu", &[String::new()]));
    assert!(finds("src/a.cu", &[".".to_owned()]));
}

#[test]
fn pre_included_headers_are_followed() {
    let folder = Folder::new();
    let absolute = folder.path("first.h");
    let mut case = Case::new(&folder, "");
    case.ignores("inc/first.h");
    let names = ["first.h"];
    case.first = &names;
    case.depends_on("inc/first.h");
    case.depends_on("more/first.h");
    case.ignores("src/first.h");
    let names = [absolute.as_str()];
    case.first = &names;
    case.depends_on("first.h");
    folder.write("first.h", "#include \"next.h\"\n");
    case.depends_on("next.h");
}

#[test]
fn headers_are_followed_from_their_own_folder() {
    let folder = Folder::new();
    folder.write("inc/sub/b.h", "#include \"c.h\"\n# include <missing.h>\n");
    folder.write(
        "inc/sub/c.h",
        "#pragma once\n#include \"b.h\"\n#include \"../d.h\"\n",
    );
    let case = Case::new(&folder, "#include <sub/b.h>\n");
    case.depends_on("inc/d.h");
    case.depends_on("inc/missing.h");
    case.depends_on("inc/c.h");
    case.ignores("src/c.h");
    folder.write("inc/sub/c.h", "#import <x>\n");
    assert_eq!(case.found(), None);
}

#[test]
fn all_texts_are_followed() {
    let folder = Folder::new();
    let (mut found, mut state) = (Hash::new(), Hash::new());
    folder.write("one/a.h", "");
    folder.write("two/a.h", "");
    let mut includes = Includes::new(&[], &mut found, &mut state);
    includes
        .add(b"#include \"a.h\"", &folder.path("one/x"))
        .unwrap();
    includes
        .add(b"#include \"a.h\"", &folder.path("two/x"))
        .unwrap();
    assert_eq!(includes.add(b"#import <a>", "x"), None);
    includes.follow().unwrap();
    let mut expected = Hash::new();
    for (number, name) in ["one/a.h", "two/a.h"].into_iter().enumerate() {
        expected
            .part(folder.path(name))
            .part(number.to_le_bytes())
            .part([1])
            .part("");
    }
    assert_eq!(found.finish(), expected.finish());
}

#[test]
fn macros_in_include_directives_are_expanded() {
    let folder = Folder::new();
    Case::new(&folder, "#define H \"a.h\"\n#include H\n").depends_on("src/a.h");
    Case::new(&folder, "#define H <a.h>\n#include H\n").depends_on("inc/a.h");
    Case::new(&folder, "#define H <a.h>\n#include H\n").ignores("src/a.h");
    Case::new(&folder, "#define R x/y\n#define H <R/a.h>\n#include H\n").ignores("inc/a.h");
    let replaced = "#define r x/y\n#define H <r/a.h>\n#include H\n";
    Case::new(&folder, replaced).depends_on("inc/x/y/a.h");
    Case::new(&folder, replaced).depends_on("inc/r/a.h");
    // Macros without a definition, or with an ambiguous one.
    assert_eq!(Case::new(&folder, "#include H\n").found(), None);
    assert_eq!(
        Case::new(&folder, "#define H f(x)\n#include H\n").found(),
        None
    );
    // Definitions that are found later, or through another macro.
    folder.write("inc/later.h", "#define H <a.h>\n");
    let later = "#include H\n#define L <later.h>\n#include L\n";
    Case::new(&folder, later).depends_on("inc/a.h");
    folder.write("inc/later.h", "#define H \"a.h\"\n#define r z\n");
    Case::new(&folder, "#include <later.h>\n#include H\n").depends_on("src/a.h");
    let later = "#define H <r/a.h>\n#include H\n#define L <later.h>\n#include L\n";
    Case::new(&folder, later).depends_on("inc/z/a.h");
}

#[test]
fn aliases_of_has_include_are_followed() {
    let folder = Folder::new();
    let direct = "#define HAS(x) __has_include(x)\n#if HAS(\"a.h\") || HAS(<b.h>)\n#endif\n";
    Case::new(&folder, direct).depends_on("src/a.h");
    Case::new(&folder, direct).depends_on("inc/b.h");
    // The use is in another text and is found before the definition.
    folder.write(
        "inc/has.h",
        "#define HAS2(x) HAS(x)\n#define HAS(x) __has_include(x)\n",
    );
    folder.write("inc/use.h", "#if HAS2(\"c.h\")\n#endif\n");
    let far = "#include <use.h>\n#include <has.h>\n#define r z\n#if HAS(<r/d.h>)\n#endif\n";
    Case::new(&folder, far).depends_on("inc/c.h");
    Case::new(&folder, far).depends_on("inc/r/d.h");
    Case::new(&folder, far).depends_on("inc/z/d.h");
    Case::new(&folder, far).ignores("src/c.h");
    // Macros are not expanded in a direct `__has_include` or in quotes.
    let plain = "#define r z\n#if __has_include(<r/d.h>)\n#endif\n";
    Case::new(&folder, plain).ignores("inc/z/d.h");
    let quoted = "#define r z\n#define H __has_include(\"r/d.h\")\n#if H\n#endif\n";
    Case::new(&folder, quoted).ignores("src/z/d.h");
    Case::new(&folder, quoted).ignores("inc/z/d.h");
    folder.write("inc/use.h", "#if HAS2(X)\n#endif\n");
    assert_eq!(Case::new(&folder, far).found(), None);
    folder.write("inc/use.h", "");
    assert!(Case::new(&folder, far).found().is_some());
    assert_eq!(
        Case::new(&folder, "#define H(x) __has_include(x)\n#if H(<a b>)\n").found(),
        None
    );
}

#[test]
fn words_may_be_pasted_across_texts() {
    let folder = Folder::new();
    let case = Case::new(&folder, "#include <paste.h>\n#include <piece.h>\n");
    folder.write("inc/paste.h", "#define PASTE(a, b) a##b\n");
    assert!(case.found().is_some());
    folder.write("inc/piece.h", "PASTE(__has_, include)\n");
    assert_eq!(case.found(), None);
    folder.write("inc/paste.h", "");
    assert!(case.found().is_some());
}

#[test]
fn only_files_are_read() {
    let folder = Folder::new();
    fs::create_dir_all(folder.0.join("src/a.h")).unwrap();
    fs::create_dir_all(folder.0.join("inc")).unwrap();
    let case = Case::new(&folder, "#include \"a.h\"\n");
    case.depends_on("inc/a.h");
    // A file with the name of an include path contains no headers.
    folder.write("more", "");
    case.depends_on("inc/a.h");
    // Reading a pipe would block.
    let pipe = CString::new(folder.path("inc/a.h")).unwrap();
    // SAFETY: the path is NUL-terminated.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    assert_eq!(case.found(), None);
    fs::remove_file(folder.0.join("inc/a.h")).unwrap();
    // It is not known how the compiler treats a link to itself.
    symlink("a.h", folder.0.join("inc/a.h")).unwrap();
    assert_eq!(case.found(), None);
}

#[test]
fn links_differ_from_copies() {
    let folder = Folder::new();
    folder.write("inc/a.h", "#pragma once\n");
    folder.write("more/a.h", "#pragma once\n");
    let case = Case::new(&folder, "#include <a.h>\n");
    let copies = case.found().unwrap();
    fs::remove_file(folder.0.join("more/a.h")).unwrap();
    symlink("../inc/a.h", folder.0.join("more/a.h")).unwrap();
    let linked = case.found().unwrap();
    assert_ne!(linked, copies);
    fs::remove_file(folder.0.join("more/a.h")).unwrap();
    fs::hard_link(folder.0.join("inc/a.h"), folder.0.join("more/a.h")).unwrap();
    assert_eq!(case.found().unwrap(), linked);
}

#[test]
fn a_file_is_followed_once_per_folder() {
    let folder = Folder::new();
    // The path gets longer with each inclusion.
    folder.write(
        "inc/sub/a.h",
        "#include \"../sub/a.h\"\n#include \"../sub/./b.h\"\n",
    );
    let case = Case::new(&folder, "#include <sub/a.h>\n");
    case.depends_on("inc/sub/b.h");
    // Through a link, the file includes files of another folder.
    folder.write("real/c.h", "#include \"d.h\"\n");
    symlink("../real/c.h", folder.0.join("inc/c.h")).unwrap();
    let case = Case::new(&folder, "#include \"../real/c.h\"\n#include <c.h>\n");
    fs::create_dir(folder.0.join("src")).unwrap();
    case.depends_on("real/d.h");
    case.depends_on("inc/d.h");
    // A second path to the same file changes the hash.
    folder.write("inc/e.h", "");
    let source = format!(
        "#include <e.h>\n#include \"{}\"\n",
        folder.path("way/../inc/e.h")
    );
    let case = Case::new(&folder, &source);
    let without = case.found().unwrap();
    fs::create_dir(folder.0.join("way")).unwrap();
    assert_ne!(case.found().unwrap(), without);
}

#[test]
fn a_file_that_changed_and_changed_back_is_detected() {
    let folder = Folder::new();
    let path = folder.write("inc/a.h", "1");
    let case = Case::new(&folder, "#include <a.h>\n");
    let first = case.hashes().unwrap();
    assert_eq!(case.hashes().unwrap(), first);
    let file = fs::File::options().write(true).open(&path).unwrap();
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    for earlier in [Duration::from_secs(5), Duration::from_nanos(300)] {
        let before = case.hashes().unwrap();
        file.set_modified(written - earlier).unwrap();
        let (found, state) = case.hashes().unwrap();
        assert_eq!(found, first.0);
        assert_ne!(state, before.1, "{earlier:?}");
    }
    // The modification time was set back, but the inode's change time differs.
    std::thread::sleep(Duration::from_millis(20));
    file.set_modified(written).unwrap();
    let (found, state) = case.hashes().unwrap();
    assert_eq!(found, first.0);
    assert_ne!(state, first.1);
    // Another file with the same contents and times.
    let (a, b) = (folder.write("inc/b.h", "1"), folder.0.join("inc/a.h"));
    let now = SystemTime::now();
    fs::File::options()
        .write(true)
        .open(&a)
        .unwrap()
        .set_modified(now)
        .unwrap();
    file.set_modified(now).unwrap();
    let before = case.hashes().unwrap();
    fs::rename(a, b).unwrap();
    let after = case.hashes().unwrap();
    assert_eq!(after.0, before.0);
    assert_ne!(after.1, before.1);
}

#[test]
fn the_toolkit_headers_can_be_analysed() {
    let directories: Vec<_> = toolkit_include_paths(|name| env::var_os(name), TOOLKIT_INCLUDE_DIRS)
        .into_iter()
        .map(|path| path.into_os_string().into_string().unwrap())
        .collect();
    for header in ["mma.h", "cooperative_groups.h"] {
        let (mut found, mut state) = (Hash::new(), Hash::new());
        let mut includes = Includes::new(&directories, &mut found, &mut state);
        let source = format!("#include <{header}>\n");
        includes.add(source.as_bytes(), "a.cu").unwrap();
        assert!(includes.follow().is_some(), "{header}");
        assert_ne!(found.finish(), Hash::new().finish(), "{header}");
    }
}
