//! Compiled programs on disk.

use std::{env, ffi::OsString, path::PathBuf};

/// Where compiled programs are kept between runs.
///
/// The key is a hash over the source, options, name expressions, architecture, NVRTC's version
/// and the contents of everything that may be included, so that an entry never needs to be
/// thrown away. Entries are written to a temporary file and renamed, and checked when they are
/// read: several processes may share a folder, and a broken entry is compiled afresh. What can't
/// be written is not kept; that is no error.
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
