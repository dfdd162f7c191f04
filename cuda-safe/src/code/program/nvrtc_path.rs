//! Paths as NVRTC shows and opens them.

use std::path::Path;

/// Returns a path for NVRTC.
///
/// On Windows it has `/` between folders, as in NVRTC's messages, and no verbatim prefix (`\\?\`),
/// which [`std::fs::canonicalize`] adds. `/` does not separate folders after such a prefix.
pub(super) fn for_nvrtc(path: &Path) -> String {
    let path = path.to_string_lossy().into_owned();
    if cfg!(windows) {
        without_backslashes(&path)
    } else {
        path
    }
}

fn without_backslashes(path: &str) -> String {
    let path = path.replace('\\', "/");
    // The prefix of network paths is `\\?\UNC\`.
    let drive = |path: &&str| path.as_bytes().get(1) == Some(&b':');
    let short = path.strip_prefix("//?/").filter(drive);
    short.map_or(path.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_paths_have_slashes_and_no_verbatim_prefix() {
        for (path, expected) in [
            (r"C:\a b\inc\", "C:/a b/inc/"),
            (r"\\?\C:\a\b", "C:/a/b"),
            (r"\\?\UNC\server\a", "//?/UNC/server/a"),
            (r"\\server\a", "//server/a"),
            ("inc/a.h", "inc/a.h"),
        ] {
            assert_eq!(without_backslashes(path), expected, "{path}");
        }
        let name = Path::new(r"a\b");
        assert_eq!(for_nvrtc(name), if cfg!(windows) { "a/b" } else { r"a\b" });
    }
}
