//! Compiled programs on disk.

use std::{env, ffi::OsString, path::PathBuf};

/// Where compiled programs are kept between runs.
///
/// An entry is used only where compiling afresh would give the same. Its key is a hash over
///
/// - the source, its name, the options with the architecture and the include paths, the name
///   expressions, and the headers from memory;
/// - path and contents of every file that may be included, and which of these are one file;
/// - the build of NVRTC: its version, a part of the library in memory, size and time of its file
///   and of `libnvrtc-builtins`;
/// - the current folder where the result names it, as line information does.
///
/// So an edit, a header that appears in front of another, or an update of NVRTC gives another key,
/// and no entry ever needs to be thrown away. Files are known by their contents; their times
/// don't count.
///
/// NVRTC doesn't tell what it reads. What it may read is found out from the texts, as its
/// preprocessor would do it, but under all conditions at once. Where it isn't certain what a
/// result depends on, nothing is kept, and the program is compiled each time:
///
/// - after `#include` or in `__has_include` stands a macro, and what it stands for isn't plainly a
///   header's name with other macros in it, or a macro's name with capitals in it is defined
///   nowhere; words that matter may be pasted together;
/// - there is a directive that isn't C++'s (`#import`, `# 1 "file"`), a trigraph, or a text that
///   compilers read in different ways, such as an apostrophe in prose with `/*` behind it on its
///   line, be it in a part that is skipped;
/// - the time of compilation is in it (`__DATE__`, `__TIME__`);
/// - an [`option`](crate::Program::option) isn't known here, or reads or writes files of its own:
///   precompiled headers, `--time`, `-Xcudafe`, options of the assembler in a file; or the dialect
///   is older than C++11;
/// - a variable is set by which NVRTC changes what it does, such as `NVRTC_APPEND_FLAGS`;
/// - a file can't be read, isn't a file, or was changed while it was compiled;
/// - `libnvrtc-builtins` isn't beside `libnvrtc`.
///
/// # Who can write to it
///
/// An entry holds code that will run. A folder or an entry that isn't this user's or root's, or
/// that group or others may write to, is neither read nor written, nor is one that is a link:
/// that is no error, the program is compiled. New folders get the mode 0700, entries 0600. Who may
/// write to a folder further up can put another in its place, but none that would be trusted. Where
/// ownership can't be told, that is on systems other than Linux, nothing is kept.
///
/// Entries are written to a temporary file and renamed, and checked when they are read: several
/// processes may share a folder, and a broken entry is compiled afresh. What can't be written is
/// not kept; that is no error either.
///
/// ```
/// # use cuda_safe::{Architecture, Cache, Program};
/// # fn main() -> cuda_safe::Result<()> {
/// let folder = std::env::temp_dir().join(format!("cache-{}", std::process::id()));
/// let program = Program::new("__global__ void nothing() {}");
/// let kept = program.clone().cache(Cache::Folder(folder.clone()));
/// let target = Architecture::virtual_of(90);
/// assert!(!kept.compile(target)?.is_from_cache());
/// assert!(kept.compile(target)?.is_from_cache());
/// assert!(!program.cache(Cache::Off).compile(target)?.is_from_cache());
/// # std::fs::remove_dir_all(&folder).expect("the folder's end");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cache {
    /// The folder named by the environment variable `CUDA_DIRECT_CACHE` (`off` for none),
    /// otherwise `$XDG_CACHE_HOME/cuda-direct`, otherwise `$HOME/.cache/cuda-direct`.
    #[default]
    Default,
    /// A folder; made when it does not exist.
    Folder(PathBuf),
    /// Nothing is kept.
    Off,
}

impl Cache {
    /// Where entries are; `None` when there are to be none.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::Off => None,
            Self::Folder(folder) => Some(folder.clone()),
            Self::Default => default_folder(|name| env::var_os(name)),
        }
    }
}

fn default_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    match variable("CUDA_DIRECT_CACHE") {
        Some(value) if value == "off" => return None,
        Some(value) if !value.is_empty() => return Some(value.into()),
        _ => {}
    }
    let absolute = |name| Some(PathBuf::from(variable(name)?)).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".cache")))
        .map(|folder| folder.join("cuda-direct"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_folder_is_named_by_variables() {
        let folder = |variables: &[(&str, &str)]| {
            default_folder(|name| {
                let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
                Some(value.into())
            })
        };
        let (own, xdg, home) = ("CUDA_DIRECT_CACHE", "XDG_CACHE_HOME", "HOME");
        for (variables, expected) in [
            (&[(own, "/a"), (xdg, "/b"), (home, "/c")][..], Some("/a")),
            (&[(own, "a")], Some("a")),
            (&[(own, "off"), (xdg, "/b"), (home, "/c")], None),
            (&[(own, "Off")], Some("Off")),
            (
                &[(own, ""), (xdg, "/b"), (home, "/c")],
                Some("/b/cuda-direct"),
            ),
            (&[(xdg, "/b"), (home, "/c")], Some("/b/cuda-direct")),
            (&[(xdg, "b"), (home, "/c")], Some("/c/.cache/cuda-direct")),
            (&[(xdg, ""), (home, "/c")], Some("/c/.cache/cuda-direct")),
            (&[(home, "/c")], Some("/c/.cache/cuda-direct")),
            (&[(home, "c")], None),
            (&[(xdg, "b"), (home, "")], None),
            (&[], None),
        ] {
            assert_eq!(
                folder(variables),
                expected.map(PathBuf::from),
                "{variables:?}"
            );
        }
    }

    #[test]
    fn a_folder_is_as_it_was_given() {
        assert_eq!(Cache::Off.folder(), None);
        assert_eq!(Cache::Folder("a".into()).folder(), Some("a".into()));
        assert_eq!(Cache::default(), Cache::Default);
    }
}
