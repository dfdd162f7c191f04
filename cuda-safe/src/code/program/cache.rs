//! Compiled programs on disk.

use std::{env, ffi::OsString, path::PathBuf};

/// Where compiled programs are stored between runs.
///
/// An entry is used only if compiling again would give the same result. Its key is a hash over
///
/// - the source, its name, the options with the architecture and the include paths, the name
///   expressions, and the headers from memory;
/// - path and contents of every file that may be included, and which of these are the same file;
/// - the build of NVRTC: its version, a part of the loaded library, size and time of its file and of
///   `libnvrtc-builtins`;
/// - the current directory, if the result names it because of an option: [`line_info`](crate::Program::line_info) or
///   [`device_debug`](crate::Program::device_debug).
///
/// The line information that programs have by default is the one exception to that rule: the folder in it is the current
/// one of the process that has compiled.
///
/// So an edit, a header that appears in front of another, or an update of NVRTC changes the key, and entries never
/// have to be invalidated. Files are recognised by their contents, not by their times.
///
/// NVRTC doesn't report which files it reads. What it may read is derived from the source texts, as its preprocessor
/// would do it, but for all conditions at once. If it isn't certain what a result depends on, nothing is stored, and
/// the program is compiled each time. That is so where
///
/// - a macro follows `#include`, or stands in `__has_include`, and its value isn't plainly a header's name, possibly
///   with other macros in it; or a macro's name with capitals in it is defined nowhere; or words that matter may be
///   pasted together;
/// - there is a directive that isn't C++'s (`#import`, `# 1 "file"`), a trigraph, or text that compilers read in
///   different ways, such as an apostrophe in prose with `/*` behind it on its line, even in a part that is skipped;
/// - the source contains the time of compilation (`__DATE__`, `__TIME__`);
/// - an [`option`](crate::Program::option) isn't known here, or reads or writes files of its own: precompiled
///   headers, `--time`, `-Xcudafe`, assembler options in a file; or the dialect is older than C++11;
/// - an environment variable is set that changes what NVRTC does, such as `NVRTC_APPEND_FLAGS`;
/// - a file can't be read, isn't a regular file, or changed during the compilation;
/// - `libnvrtc-builtins` isn't beside `libnvrtc`.
///
/// # Who can write to it
///
/// An entry holds code that will run. A folder or an entry is neither read nor written if it belongs to anybody but
/// this user or root, if its group or others may write to it, or if it is a symbolic link. That is not an error: the
/// program is compiled instead. New folders get the mode 0700, entries 0600. Somebody who may write to a folder
/// further up can replace this one, but not by one that would be trusted. Where ownership can't be determined, that
/// is on systems other than Linux, nothing is stored.
///
/// Entries are written to a temporary file and renamed, and they are verified when they are read. Several processes
/// may share a folder, and a broken entry is compiled again. An entry that can't be written is not stored; that is
/// not an error either.
///
/// ```
/// # use cuda_safe::{Architecture, program::Cache, Program};
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
    /// The folder named by the environment variable `CUDA_DIRECT_CACHE` (`off` for none); otherwise
    /// `$XDG_CACHE_HOME/cuda-direct`; otherwise `$HOME/.cache/cuda-direct`.
    #[default]
    Default,
    /// This folder. It is created if it does not exist.
    Folder(PathBuf),
    /// Nothing is stored.
    Off,
}

impl Cache {
    /// The folder of the entries; `None` if nothing is stored.
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
