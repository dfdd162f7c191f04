//! The cache of compiled programs on disk.

use std::{env, ffi::OsString, path::PathBuf};

/// The folder in which compiled programs are stored between runs.
///
/// An entry is used only if compiling again would give the same result. Its key is a hash of:
///
/// - the source, its name, the options with the architecture and the include paths, the name
///   expressions, and the headers from memory;
/// - every file in the include paths, if the program includes anything but headers from memory. If a
///   source or a header from memory includes a file from its folder, every file in that folder too.
///   The hash contains the files' paths and contents, and which of the paths are the same file. For
///   the CUDA toolkit's files, it contains their paths, sizes and times;
/// - the build of NVRTC: its version, a part of the loaded library, and the size and time of its
///   file and of `libnvrtc-builtins`;
/// - the current directory, if an option writes it into the result:
///   [`line_info`](crate::Program::line_info) or [`device_debug`](crate::Program::device_debug).
///
/// The default line information is the one exception. It contains the current directory of the
/// process that compiled the program.
///
/// An edit, a new header that hides another one, or an update of the toolkit or of NVRTC changes the
/// key, so entries never need to be invalidated. A program is also compiled again if a file changes
/// that it does not include, but that is in one of these folders.
///
/// NVRTC does not report which files it reads. If the cache cannot be certain that the result depends
/// on nothing else, it stores nothing and the program is compiled each time. This happens if:
///
/// - the user's folders have more than 2,000 files, 64 MiB or 64 levels. Hidden files do not count. A
///   system folder with CUDA's headers, such as `/usr/include`, counts as the user's. Fix: move the
///   headers to a separate folder, or pass them to [`Program::header`](crate::Program::header);
/// - the program, or any file in the user's folders, includes a header by an absolute path, by a
///   path with `..` or with a hidden folder, or through a macro. Comments are not recognized;
/// - it contains `#include_next`, `#import`, `#embed`, `__has_include`, or the time of compilation
///   (`__DATE__`, `__TIME__`), or parts from which the operator `##` could make these words;
/// - it contains text that compilers read in different ways, such as trigraphs or blanks between a
///   backslash and the end of the line;
/// - the cache does not know an [`option`](crate::Program::option), or the value of an option is not
///   in the same string, or the option reads or writes files: precompiled headers, `--time`,
///   `-Xcudafe`, or assembler options in a file;
/// - an environment variable that affects NVRTC is set, such as `NVRTC_APPEND_FLAGS`;
/// - a file is not a regular file, cannot be read, or changed during the compilation, or a file of
///   the toolkit changed in the last second;
/// - `libnvrtc-builtins` is not next to `libnvrtc`.
///
/// # Permissions
///
/// An entry contains code that will run. The cache neither reads nor writes a folder or an entry if
/// it belongs to a user other than this one or root, if its group or others can write to it, or if
/// it is a symbolic link. This is not an error: the program is compiled instead. New folders have
/// the mode 0700 and new entries 0600. A user who can write to a parent folder can replace the
/// cache folder, but the cache does not trust the replacement.
///
/// On Windows, a folder or an entry is trusted if it belongs to this user, the system or the group
/// of administrators, and if its permissions allow writes to nobody else. New folders and entries
/// inherit the permissions of the folder above.
///
/// Entries are written to a temporary file and renamed, and they are verified when they are read.
/// Several processes can share a folder. A damaged entry is compiled again. If an entry cannot be
/// written, it is not stored, which is not an error either.
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
    /// The folder in the environment variable `CUDA_DIRECT_CACHE` (`off` disables the cache). If it
    /// is unset or empty, `$XDG_CACHE_HOME/cuda-direct` or else `$HOME/.cache/cuda-direct`. On
    /// Windows, `%LOCALAPPDATA%\cuda-direct\cache`.
    #[default]
    Default,
    /// This folder. It is created if it does not exist.
    Folder(PathBuf),
    /// Nothing is stored.
    Off,
}

impl Cache {
    /// Returns the folder of the entries, or `None` if nothing is stored.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::Off => None,
            Self::Folder(folder) => Some(folder.clone()),
            Self::Default => default_folder(cfg!(windows), |name| env::var_os(name)),
        }
    }
}

fn default_folder(windows: bool, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    match variable("CUDA_DIRECT_CACHE") {
        Some(value) if value == "off" => return None,
        Some(value) if !value.is_empty() => return Some(value.into()),
        _ => {}
    }
    let absolute = |name| Some(PathBuf::from(variable(name)?)).filter(|path| path.is_absolute());
    if windows {
        let folder = absolute("LOCALAPPDATA")?;
        return Some(folder.join("cuda-direct").join("cache"));
    }
    absolute("XDG_CACHE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".cache")))
        .map(|folder| folder.join("cuda-direct"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_folder_of_windows_is_local() {
        let data = env::temp_dir();
        let folder = |set: &'static str| {
            default_folder(true, |name| (name == set).then(|| data.clone().into()))
        };
        let expected = data.join("cuda-direct").join("cache");
        assert_eq!(folder("LOCALAPPDATA"), Some(expected));
        assert_eq!(folder("CUDA_DIRECT_CACHE").as_ref(), Some(&data));
        assert_eq!(folder("HOME"), None);
    }

    #[cfg(unix)] // Windows' absolute paths begin with a drive.
    #[test]
    fn default_folder_depends_on_environment_variables() {
        let folder = |variables: &[(&str, &str)]| {
            default_folder(false, |name| {
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
    fn explicit_folder_is_used_unchanged() {
        assert_eq!(Cache::Off.folder(), None);
        assert_eq!(Cache::Folder("a".into()).folder(), Some("a".into()));
        assert_eq!(Cache::default(), Cache::Default);
    }
}
