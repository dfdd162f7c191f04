#![cfg(all(test, unix))]

use std::{
    ffi::CString,
    os::unix::fs::symlink,
    thread,
    time::{Duration, SystemTime},
};

use super::*;
use crate::code::program::disk_cache::folder::Folder;

/// A program with its headers from memory and its include paths.
struct Case<'a> {
    folder: &'a Folder,
    source: &'a str,
    name: &'a str,
    memory: &'a [(String, String)],
    directories: &'a [&'a str],
    toolkit: &'a [&'a str],
}

impl<'a> Case<'a> {
    fn new(folder: &'a Folder, source: &'a str) -> Self {
        Self {
            folder,
            source,
            name: "src/a.cu",
            memory: &[],
            directories: &["inc", "more/"],
            toolkit: &[],
        }
    }

    /// Returns the hash of the files and the hash of their metadata.
    fn hashes(&self) -> Option<(String, String)> {
        let (mut key, mut state) = (Hash::new(), Hash::new());
        let path = |name: &&str| self.folder.path(name);
        let directories: Vec<_> = self.directories.iter().map(path).collect();
        let toolkit: Vec<_> = self.toolkit.iter().map(path).map(PathBuf::from).collect();
        let mut files = Files::new(self.memory);
        files.add(self.source, &self.folder.path(self.name))?;
        for (name, text) in self.memory {
            files.add(text, name)?;
        }
        files.hash(&directories, &toolkit, &mut key, &mut state)?;
        Some((key.finish(), state.finish()))
    }

    fn found(&self) -> Option<String> {
        Some(self.hashes()?.0)
    }

    /// Asserts that the hash depends on the existence and the contents of a file, and that the
    /// result is uncertain if the file includes a file that is not hashed.
    #[track_caller]
    fn depends_on(&self, file: &str) {
        let path = self.folder.0.join(file);
        let without = self.found().expect("certain");
        self.folder.write(file, "// one\n");
        let one = self.found().expect("certain");
        self.folder.write(file, "// two\n");
        let two = self.found().expect("certain");
        self.folder.write(file, "#include \"/a.h\"\n");
        assert_eq!(self.found(), None, "{file}");
        fs::remove_file(path).unwrap();
        assert!(without != one && one != two && two != without, "{file}");
    }

    #[track_caller]
    fn ignores(&self, file: &str) {
        let without = self.found().expect("certain");
        let path = self.folder.write(file, "#include \"/a.h\"\n");
        assert_eq!(self.found().expect("certain"), without, "{file}");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn headers_are_searched_in_the_folders_of_the_compiler() {
    let folder = Folder::new();
    let quoted = Case::new(&folder, "#include \"a.h\"\n");
    for file in ["inc/a.h", "more/a.h", "src/a.h", "src/a.h.stdh"] {
        quoted.depends_on(file);
    }
    quoted.ignores("a.h");
    quoted.ignores("src/b.h");
    let angle = Case::new(&folder, "#include <sub/a.h>\n");
    angle.depends_on("inc/sub/a.h");
    angle.depends_on("more/sub/a.h");
    angle.ignores("src/sub/a.h");
    // A name without an extension is also searched for with `.stdh`.
    let bare = Case::new(&folder, "#include \"x.y/a\"\n");
    for file in ["src/x.y/a", "src/x.y/a.stdh", "inc/x.y/a.stdh"] {
        bare.depends_on(file);
    }
}

#[test]
fn all_files_of_the_searched_folders_are_hashed() {
    let folder = Folder::new();
    let case = Case::new(&folder, "#include \"a.h\"\n");
    // The header includes others from its own folder, or CUDA's headers do.
    for file in ["inc/b.h", "inc/sub/c.h", "more/cuda_fp16.h", "inc/x.md"] {
        case.depends_on(file);
    }
    folder.write("src/a.h", "");
    case.depends_on("src/sub/d.h");
    // Hidden files cannot be included.
    case.ignores("inc/.a.h");
    case.ignores("src/.git/a.h");
    assert_eq!(Case::new(&folder, "#include <.a.h>\n").found(), None);
}

#[test]
fn programs_without_includes_depend_on_no_files() {
    let folder = Folder::new();
    let memory = [("a.h".to_owned(), "#include <b.h>\n".to_owned())];
    let memory = [&memory[..], &[("b.h".to_owned(), String::new())]].concat();
    for source in ["", "#include \"a.h\"\n", "#include <b.h>\n"] {
        let case = Case {
            memory: &memory,
            ..Case::new(&folder, source)
        };
        for file in ["src/a.h", "inc/a.h", "inc/b.h", "inc/c.h"] {
            case.ignores(file);
        }
    }
    for source in ["#include <c.h>", "#include <x/a.h>"] {
        let case = Case {
            memory: &memory,
            ..Case::new(&folder, source)
        };
        case.depends_on("inc/a.h");
    }
    // A header from memory is in the folder of its name.
    let memory = [(folder.path("side/m.h"), "#include \"a.h\"\n".to_owned())];
    let case = Case {
        memory: &memory,
        ..Case::new(&folder, "")
    };
    case.depends_on("side/a.h");
    case.ignores("src/a.h");
}

#[test]
fn names_outside_the_searched_folders_are_rejected() {
    let folder = Folder::new();
    for name in ["/a.h", "../a.h", "a/../b.h", "..", ".a/b.h", "./.a"] {
        for source in [
            format!("#include <{name}>\n"),
            format!("#include \"{name}\"\n"),
        ] {
            assert_eq!(Case::new(&folder, &source).found(), None, "{source}");
            folder.write("inc/a.h", &source);
            let case = Case::new(&folder, "#include <b.h>\n");
            assert_eq!(case.found(), None, "{source}");
            fs::remove_file(folder.0.join("inc/a.h")).unwrap();
        }
        let memory = [(name.to_owned(), String::new())];
        let source = format!("#include \"{name}\"\n");
        let case = Case {
            memory: &memory,
            ..Case::new(&folder, &source)
        };
        assert!(case.found().is_some(), "{name}");
    }
    for name in ["./a.h", "a./b..h", "a..b/c"] {
        let source = format!("#include \"{name}\"\n");
        assert!(Case::new(&folder, &source).found().is_some(), "{name}");
    }
}

#[test]
fn a_program_name_without_a_folder_means_the_current_folder() {
    // The tests run in the folder of this package, or in that of an archive of test programs.
    assert!(Path::new("LICENSE-MIT").exists());
    let other = Folder::new();
    other.write("a.h", "");
    let in_other = other.path("a.cu");
    let finds = |source: &str, name: &str| {
        let mut files = Files::new(&[]);
        files.add(source, name).unwrap();
        !files.folders.is_empty()
    };
    let source = "#include \"LICENSE-MIT\"\n";
    assert!(finds(source, "a.cu"));
    assert!(finds(source, ""));
    assert!(!finds(source, "no/a.cu"));
    assert!(!finds(source, "no/"));
    assert!(finds("#include \"a.h\"\n", &in_other));
    assert!(!finds("#include \"a.h\"\n", "a.cu"));
    assert!(!finds("#include <a.h>\n", &in_other));
}

#[test]
fn words_may_be_pasted_across_texts() {
    let folder = Folder::new();
    let memory = |text: &str| [("m.h".to_owned(), text.to_owned())];
    let found = |source, memory: &[(String, String)]| {
        let case = Case {
            memory,
            ..Case::new(&folder, source)
        };
        case.found().is_some()
    };
    let (paste, pieces) = ("#define PASTE(a, b) a##b\n", "PASTE(__TI, ME__)\n");
    assert!(found(paste, &memory("")));
    assert!(found(pieces, &memory("")));
    assert!(!found(pieces, &memory(paste)));
    assert!(!found(paste, &memory(pieces)));
    // Files may contain the operator.
    assert!(!found("PASTE(__TI, ME__)\n#include <a.h>\n", &[]));
    folder.write("inc/piece.h", pieces);
    assert!(!found("#include <a.h>\n", &[]));
    assert!(found("", &[]));
}

#[test]
fn only_files_are_read() {
    let folder = Folder::new();
    let case = Case::new(&folder, "#include \"a.h\"\n");
    fs::create_dir_all(folder.0.join("src/a.h")).unwrap();
    case.depends_on("inc/a.h");
    // A file with the name of an include path contains no headers.
    folder.write("more", "#include A");
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
    // A link to a missing file is no file yet.
    fs::remove_file(folder.0.join("inc/a.h")).unwrap();
    symlink("../real.h", folder.0.join("inc/a.h")).unwrap();
    case.depends_on("real.h");
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
    // Folders behind links are hashed too.
    folder.write("real/b.h", "");
    symlink("../real", folder.0.join("inc/link")).unwrap();
    case.depends_on("real/c.h");
}

#[test]
fn large_folders_are_rejected() {
    let folder = Folder::new();
    let case = Case::new(&folder, "#include <a.h>\n");
    for number in 0..MOST {
        folder.write(&format!("inc/{number}"), "");
    }
    assert!(case.found().is_some());
    folder.write("more/a.h", "");
    assert_eq!(case.found(), None);
    let toolkit = ["inc"];
    assert!(
        Case {
            toolkit: &toolkit,
            ..case
        }
        .found()
        .is_none(),
        "new"
    );
    fs::remove_dir_all(folder.0.join("inc")).unwrap();
    let file = fs::File::create(folder.0.join("more/large")).unwrap();
    let case = Case::new(&folder, "#include <a.h>\n");
    file.set_len(1 << 20).unwrap();
    assert!(case.found().is_some());
    file.set_len(MOST_BYTES + 1).unwrap();
    assert_eq!(case.found(), None);
    // A link to a folder above never ends.
    fs::remove_file(folder.0.join("more/large")).unwrap();
    symlink(".", folder.0.join("more/loop")).unwrap();
    assert_eq!(case.found(), None);
}

#[test]
fn the_toolkit_is_identified_by_its_times() {
    let folder = Folder::new();
    let escape = "#define H <a.h>\n#include H\n";
    let path = folder.write("inc/cuda.h", escape);
    folder.write("inc/cccl/a.h", escape);
    symlink("inc", folder.0.join("link")).unwrap();
    let toolkit = ["inc", "inc/cccl"];
    let found = |directories| {
        let case = Case {
            directories,
            toolkit: &toolkit,
            ..Case::new(&folder, "#include <cuda.h>\n")
        };
        case.found()
    };
    // A file that has just changed could change again without a new time.
    assert_eq!(found(&["inc"]), None);
    thread::sleep(Duration::from_millis(2_100));
    let first = found(&["inc", "inc/cccl"]).expect("certain");
    assert_eq!(found(&["inc", "inc/cccl"]).unwrap(), first);
    assert!(found(&["link"]).is_some());
    assert!(found(&["inc/cccl", "inc"]).is_some());
    assert_eq!(
        found(&["inc/cccl", "inc", "more"]),
        found(&["inc/cccl", "inc", "more"])
    );
    assert_eq!(
        Case::new(&folder, "#include <cuda.h>\n").found(),
        None,
        "no toolkit"
    );
    // A change sets the time when the file's metadata changed, whatever is done to the other time.
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(fs::metadata(&path).unwrap().modified().unwrap())
        .unwrap();
    assert_eq!(found(&["inc"]), None);
    thread::sleep(Duration::from_millis(2_100));
    assert_ne!(found(&["inc", "inc/cccl"]).expect("certain"), first);
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
    thread::sleep(Duration::from_millis(20));
    file.set_modified(written).unwrap();
    let (found, state) = case.hashes().unwrap();
    assert_eq!(found, first.0);
    assert_ne!(state, first.1);
    // Another file with the same contents and times.
    let (a, b) = (folder.write("b.h", "1"), folder.0.join("inc/a.h"));
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
fn a_header_that_existed_for_a_moment_is_detected() {
    let folder = Folder::new();
    folder.write("more/a.h", "1");
    folder.write("src/a.cu", "");
    for (source, place) in [
        ("#include <a.h>\n", "inc/a.h"),
        ("#include \"a.h\"\n", "src/a.h"),
    ] {
        folder.write("inc/other.h", "");
        let case = Case::new(&folder, source);
        let before = case.hashes().unwrap();
        assert_eq!(case.hashes().unwrap(), before);
        // The times of files have the resolution of the system's clock tick.
        thread::sleep(Duration::from_millis(20));
        fs::remove_file(folder.write(place, "2")).unwrap();
        let after = case.hashes().unwrap();
        assert_eq!(after.0, before.0, "{place}");
        assert_ne!(after.1, before.1, "{place}");
    }
}

#[test]
fn a_link_that_changed_and_changed_back_is_detected() {
    let folder = Folder::new();
    for version in ["v1", "v2"] {
        folder.write(&format!("{version}/a.h"), version);
    }
    let link = folder.0.join("inc");
    let point_to = |version: &str| {
        let _ = fs::remove_file(&link);
        symlink(folder.0.join(version), &link).unwrap();
    };
    point_to("v1");
    let case = Case::new(&folder, "#include <a.h>\n");
    let before = case.hashes().unwrap();
    thread::sleep(Duration::from_millis(20));
    point_to("v2");
    point_to("v1");
    let after = case.hashes().unwrap();
    assert_eq!(after.0, before.0);
    assert_ne!(after.1, before.1);
}

#[test]
fn hostile_folders_are_rejected() {
    let folder = Folder::new();
    let case = Case::new(&folder, "#include <a.h>\n");
    folder.write(&format!("inc/{}a.h", "d/".repeat(MOST_LEVELS - 1)), "");
    assert!(case.found().is_some());
    folder.write(&format!("inc/{}a.h", "d/".repeat(MOST_LEVELS)), "");
    assert_eq!(case.found(), None, "too many levels");
    fs::remove_dir_all(folder.0.join("inc")).unwrap();
    for number in 0..=MOST_ENTRIES {
        folder.write(&format!("inc/.{number}"), "");
    }
    assert_eq!(case.found(), None, "too many hidden files");
    fs::remove_dir_all(folder.0.join("inc")).unwrap();
    // A pipe that replaced a file after its metadata was read.
    let pipe = CString::new(folder.path("pipe")).unwrap();
    // SAFETY: the name ends in NUL.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    assert_eq!(read(&folder.0.join("pipe"), 10), None);
    let file = folder.write("file", "0123456789");
    assert_eq!(read(&file, 10).unwrap(), b"0123456789");
    assert_eq!(read(&file, 9), None);
}

#[test]
fn system_folders_are_read_like_other_folders() {
    let folder = Folder::new();
    folder.write("cuda/a.h", "");
    let case = Case {
        toolkit: &["cuda"],
        directories: &["cuda"],
        ..Case::new(&folder, "#include <a.h>\n")
    };
    folder.write("cuda/stdio.h", "");
    let before = case.found().unwrap();
    folder.write("cuda/a.h", "changed");
    assert_ne!(case.found().unwrap(), before);
    folder.write("cuda/a.h", "#include MACRO\n");
    assert_eq!(case.found(), None);
}
