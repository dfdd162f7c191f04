//! Finds the headers that a source includes.
//!
//! NVRTC does not report them. As in its preprocessor, a quoted name is searched next to the
//! including file, then in the include paths. Conditions are not evaluated, so the result may
//! contain headers that the compiler skips: those of both branches of an `#if`, those of all
//! definitions of a macro, and for `#include_next` all headers of the name in the include paths.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Result, cant,
    scan::{Piece, before_comment, directive, pieces},
};

/// A header.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    /// The name after `#include`, without its quotes or brackets.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The contents. They need not be UTF-8, because the compiler accepts any bytes in comments and
    /// literals.
    pub(crate) text: Vec<u8>,
}

/// The direct and indirect headers of a source.
#[derive(Debug, Default)]
pub(crate) struct Included {
    /// The headers, once for every name that a directive uses.
    pub(crate) headers: Vec<Header>,
    /// Macros in directives such as `#include NAME` that no file defines as the name of a header.
    pub(crate) unknown: Vec<String>,
}

/// Follows the includes of a source in `folder`. The compiler's `options` may define macros and
/// include headers before the source.
pub(crate) fn follow(
    source: &str,
    folder: &Path,
    include_paths: &[PathBuf],
    options: &[String],
) -> Result<Included> {
    let mut search = Search {
        include_paths,
        macros: BTreeMap::new(),
        by_macro: BTreeSet::new(),
        found: HashSet::new(),
        scanned: HashSet::new(),
        included: Included::default(),
    };
    for value in values(options, &["--define-macro", "-D"]) {
        if let Some((name, value)) = value.split_once('=') {
            search.define(name, value);
        }
    }
    for name in values(options, &["--pre-include", "-include"]) {
        search.find(&name, Some(Path::new("")))?;
    }
    search.scan(source, folder)?;
    search.resolve_macros()?;
    Ok(search.included)
}

/// Returns the values of a compiler option. Option and value may be one argument or two.
pub(crate) fn values(options: &[String], names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut options = options.iter().map(|option| option.trim());
    while let Some(option) = options.next() {
        if names.contains(&option) {
            found.extend(options.next().map(str::to_owned));
            continue;
        }
        let value = names.iter().find_map(|name| {
            let rest = option.strip_prefix(name)?;
            match rest.strip_prefix(['=', ' ']) {
                Some(value) => Some(value),
                // Only a short option can be joined to its value.
                None => (name.len() == 2).then_some(rest),
            }
        });
        found.extend(value.map(|value| value.trim().to_owned()));
    }
    found
}

struct Search<'a> {
    include_paths: &'a [PathBuf],
    /// Macros that are defined as the name of a header, with all of their definitions.
    macros: BTreeMap<String, BTreeSet<String>>,
    /// The macro of each `#include NAME`, and the folder of its file.
    by_macro: BTreeSet<(String, PathBuf)>,
    /// The names and files of `included.headers`.
    found: HashSet<(String, PathBuf)>,
    scanned: HashSet<PathBuf>,
    included: Included,
}

impl Search<'_> {
    fn scan(&mut self, text: &str, folder: &Path) -> Result<()> {
        for piece in pieces(text) {
            let Piece::Directive(text) = piece else {
                continue;
            };
            let joined = text.replace("\\\r\n", "").replace("\\\n", "");
            match directive(&joined) {
                ("include", argument) => match header_name(argument) {
                    Some((name, quoted)) => self.find(name, quoted.then_some(folder))?,
                    None => {
                        let name = before_comment(argument).to_owned();
                        self.by_macro.insert((name, folder.to_owned()));
                    }
                },
                ("include_next", argument) => {
                    if let Some((name, _)) = header_name(argument) {
                        self.find_all(name)?;
                    }
                }
                ("define", definition) => {
                    if let Some((name, value)) = definition.split_once(char::is_whitespace) {
                        self.define(name, value);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn define(&mut self, name: &str, value: &str) {
        if header_name(value.trim()).is_some() {
            let values = self.macros.entry(name.to_owned()).or_default();
            values.insert(value.trim().to_owned());
        }
    }

    /// Follows `#include NAME` after everything else, because a macro may be defined in another
    /// file.
    fn resolve_macros(&mut self) -> Result<()> {
        let mut followed = HashSet::new();
        // Each header may define macros, and include others through macros.
        loop {
            let mut new = Vec::new();
            for (name, folder) in &self.by_macro {
                for value in self.macros.get(name).into_iter().flatten() {
                    new.push((value.clone(), folder.clone()));
                }
            }
            new.retain(|one| followed.insert(one.clone()));
            if new.is_empty() {
                break;
            }
            for (value, folder) in new {
                if let Some((name, quoted)) = header_name(&value) {
                    self.find(name, quoted.then_some(&*folder))?;
                }
            }
        }
        let names = self.by_macro.iter().map(|(name, _)| name);
        let unknown: BTreeSet<_> = names
            .filter(|name| !self.macros.contains_key(*name))
            .cloned()
            .collect();
        self.included.unknown = unknown.into_iter().collect();
        Ok(())
    }

    /// Adds the header with this name and everything that it includes. A missing header is ignored:
    /// it is either one of CUDA's own, or the compiler skips its directive, or the compiler reports
    /// it.
    fn find(&mut self, name: &str, beside: Option<&Path>) -> Result<()> {
        let folders = beside
            .into_iter()
            .chain(self.include_paths.iter().map(|path| &**path));
        let mut candidates = folders.map(|folder| folder.join(name));
        match candidates.find(|path| path.is_file()) {
            Some(path) => self.add(name, path),
            None => Ok(()),
        }
    }

    /// Adds all headers with this name in the include paths. Which of them is next depends on the
    /// path through which the including file was found.
    fn find_all(&mut self, name: &str) -> Result<()> {
        let include_paths = self.include_paths;
        let candidates = include_paths.iter().map(|folder| folder.join(name));
        candidates
            .filter(|path| path.is_file())
            .try_for_each(|path| self.add(name, path))
    }

    fn add(&mut self, name: &str, path: PathBuf) -> Result<()> {
        // `a/../b` is another path for `b`.
        let unreadable = |error| cant("read", &path, &error);
        let file = fs::canonicalize(&path).map_err(unreadable)?;
        if !self.found.insert((name.to_owned(), file.clone())) {
            return Ok(());
        }
        let text = fs::read(&path).map_err(unreadable)?;
        if self.scanned.insert(file) {
            let folder = path.parent().unwrap_or(Path::new(""));
            self.scan(&String::from_utf8_lossy(&text), folder)?;
        }
        self.included.headers.push(Header {
            name: name.to_owned(),
            path,
            text,
        });
        Ok(())
    }
}

/// Returns the name in `"name"` or `<name>`, and whether it is quoted.
fn header_name(argument: &str) -> Option<(&str, bool)> {
    let quoted = argument
        .strip_prefix('"')
        .and_then(|rest| rest.split_once('"'));
    let bracketed = argument
        .strip_prefix('<')
        .and_then(|rest| rest.split_once('>'));
    match (quoted, bracketed) {
        (Some((name, _)), _) => Some((name, true)),
        (_, Some((name, _))) => Some((name, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvrtc::Nvrtc;

    /// A folder with these files, which is removed on drop.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let path =
                std::env::temp_dir().join(format!("cuda-build-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            for (name, text) in files {
                let file = path.join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, text).unwrap();
            }
            Self(path)
        }

        /// Follows a source in `kernels/`, with `include/` as an include path.
        fn follow(&self, source: &str, options: &[&str]) -> Included {
            let options: Vec<_> = options.iter().map(|&option| option.to_owned()).collect();
            let kernels = self.0.join("kernels");
            let paths = [kernels.clone(), self.0.join("include")];
            follow(source, &kernels, &paths, &options).unwrap()
        }

        /// Returns the name and the file of each header, sorted.
        fn names(&self, included: &Included) -> Vec<String> {
            let name = |header: &Header| {
                let path = header.path.strip_prefix(&self.0).unwrap();
                format!("{} {}", header.name, path.display())
            };
            let mut names: Vec<_> = included.headers.iter().map(name).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const FILES: &[(&str, &str)] = &[
        (
            "kernels/sub/first.cuh",
            "#include \"second.cuh\"\n#include \"../own.inc\"",
        ),
        ("kernels/sub/second.cuh", "#pragma once\n#define SECOND 2"),
        (
            "kernels/own.inc",
            "#pragma once\n#include \"sub/first.cuh\"\n#define OWN 1",
        ),
        (
            "common/outer.cuh",
            "#include <deep/shared.h>\n#define OUTER SHARED",
        ),
        ("include/deep/shared.h", "#define SHARED 3"),
    ];

    const SOURCE: &str = "#include \"sub/first.cuh\"\n#  include \"../common/outer.cuh\" // beside\n\
        #if 0\n#include \"own.inc\"\n#endif\n// #include \"sub/second.cuh\"\n#include <cuda_fp16.h>\n\
        __global__ void k(int *x) { *x = OWN + SECOND + OUTER; }\n";

    #[test]
    fn headers_are_found_through_other_headers() {
        let folder = Folder::new("through", FILES);
        let included = folder.follow(SOURCE, &[]);
        assert_eq!(
            folder.names(&included),
            [
                "../common/outer.cuh kernels/../common/outer.cuh",
                "../own.inc kernels/sub/../own.inc",
                "deep/shared.h include/deep/shared.h",
                "second.cuh kernels/sub/second.cuh",
                "sub/first.cuh kernels/sub/first.cuh",
            ]
        );
        assert!(included.unknown.is_empty());
    }

    #[test]
    fn found_headers_are_sufficient_for_the_compiler() {
        let folder = Folder::new("memory", FILES);
        let source = SOURCE.replace("#include <cuda_fp16.h>", "");
        let included = folder.follow(&source, &[]);
        let headers: Vec<_> = included
            .headers
            .iter()
            .map(|header| (&*header.name, str::from_utf8(&header.text).unwrap()))
            .collect();
        let nvrtc = Nvrtc::for_tests();
        nvrtc.compile_in_memory(&source, &headers).unwrap();
        for left_out in 0..headers.len() {
            let mut some = headers.clone();
            let (name, _) = some.remove(left_out);
            let log = nvrtc.compile_in_memory(&source, &some).unwrap_err();
            assert!(log.contains(name), "{name}: {log}");
        }
    }

    #[test]
    fn macros_that_name_headers_are_followed() {
        let folder = Folder::new(
            "macros",
            &[
                ("kernels/config.h", "#define NEXT <by_macro.h>"),
                ("include/by_macro.h", ""),
                ("include/first.h", ""),
                ("include/defined.h", ""),
            ],
        );
        let source = "#include NEXT\n#include \"config.h\"\n#include DEFINED // by an option\n#include UNKNOWN\n";
        let options = [
            "--define-macro=DEFINED=<defined.h>",
            "-include",
            "first.h",
            "-DN=3",
        ];
        let included = folder.follow(source, &options);
        assert_eq!(
            folder.names(&included),
            [
                "by_macro.h include/by_macro.h",
                "config.h kernels/config.h",
                "defined.h include/defined.h",
                "first.h include/first.h"
            ]
        );
        assert_eq!(included.unknown, ["UNKNOWN"]);
    }

    #[test]
    fn all_definitions_of_a_macro_are_followed() {
        let files = ["first", "second", "third"].map(|name| (format!("include/{name}.h"), ""));
        let mut files: Vec<_> = files.iter().map(|(name, text)| (&**name, *text)).collect();
        // The third file is defined by a header that is found through the macro itself.
        files[1].1 = "#undef NEXT\n#define NEXT <third.h>";
        let folder = Folder::new("definitions", &files);
        let source = "#ifdef FAST\n#define NEXT <first.h>\n#else\n#define NEXT <second.h>\n#endif\n#include NEXT\n";
        let included = folder.follow(source, &[]);
        assert_eq!(
            folder.names(&included),
            [
                "first.h include/first.h",
                "second.h include/second.h",
                "third.h include/third.h"
            ]
        );
        assert!(included.unknown.is_empty());
    }

    #[test]
    fn the_next_header_of_a_name_is_followed() {
        let folder = Folder::new(
            "next",
            &[
                (
                    "kernels/own.h",
                    "#pragma once\n#include_next <own.h>\n#include_next OWN",
                ),
                ("include/own.h", "#include <deep.h>"),
                ("include/deep.h", ""),
            ],
        );
        let included = folder.follow("#include \"own.h\"\n", &[]);
        assert_eq!(
            folder.names(&included),
            [
                "deep.h include/deep.h",
                "own.h include/own.h",
                "own.h kernels/own.h"
            ]
        );
    }

    #[test]
    fn headers_need_not_be_utf_8() {
        let folder = Folder::new("latin", &[("include/next.h", "")]);
        let latin = b"// \xa9 1999\n#include <next.h>\n";
        fs::write(folder.0.join("include/latin.h"), latin).unwrap();
        let included = folder.follow("#include <latin.h>\n", &[]);
        assert_eq!(
            folder.names(&included),
            ["latin.h include/latin.h", "next.h include/next.h"]
        );
        assert_eq!(included.headers[1].text, latin);
    }

    #[test]
    fn option_values_are_parsed_in_all_forms() {
        let options = [
            "-I/a",
            "-I=/b",
            "-I",
            "/c",
            "--include-path=/d",
            "--include-path",
            "/e",
            "-I /f",
            "-lineinfo",
            "--include-paths=/no",
        ];
        let options = options.map(str::to_owned);
        let found = values(&options, &["--include-path", "-I"]);
        assert_eq!(found, ["/a", "/b", "/c", "/d", "/e", "/f"]);
    }
}
