//! The copy of the working tree that contains the mutants.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the repository's root.
///
/// # Errors
/// Returns an error if the current folder is not in a repository.
pub fn root() -> Result<PathBuf, String> {
    let text = git(Path::new("."), &["rev-parse", "--show-toplevel"])?;
    Ok(PathBuf::from(text.trim_end()))
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .output()
        .map_err(|error| format!("git: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| format!("git: {error}"))
}

/// Returns the files of the working tree, tracked or not, except ignored ones.
///
/// # Errors
/// Returns an error if git fails.
pub fn files(root: &Path) -> Result<Vec<String>, String> {
    let options = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let mut files: Vec<String> = git(root, &options)?
        .split_terminator('\0')
        .filter(|file| root.join(file).symlink_metadata().is_ok())
        .map(String::from)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// Makes `tree` a copy of `root`, with other contents for some files. Unchanged files keep their
/// dates, so that they are not compiled again.
///
/// # Errors
/// Returns an error if a file can't be read or written.
pub fn copy(
    root: &Path,
    tree: &Path,
    files: &[String],
    changed: &BTreeMap<String, String>,
) -> Result<(), String> {
    let about = |file: &str, error: std::io::Error| format!("{file}: {error}");
    for file in files {
        let (from, to) = (root.join(file), tree.join(file));
        let folder = to.parent().unwrap_or(tree);
        fs::create_dir_all(folder).map_err(|error| about(file, error))?;
        if from.is_symlink() {
            let target = fs::read_link(&from).map_err(|error| about(file, error))?;
            link(&target, &to).map_err(|error| about(file, error))?;
            continue;
        }
        let contents = match changed.get(file) {
            Some(text) => text.clone().into_bytes(),
            None => fs::read(&from).map_err(|error| about(file, error))?,
        };
        if fs::read(&to).is_ok_and(|old| old == contents) {
            continue;
        }
        fs::write(&to, contents).map_err(|error| about(file, error))?;
        let permissions = fs::metadata(&from).map(|data| data.permissions());
        permissions
            .and_then(|permissions| fs::set_permissions(&to, permissions))
            .map_err(|error| about(file, error))?;
    }
    let known: BTreeSet<PathBuf> = files.iter().map(|file| tree.join(file)).collect();
    remove_others(tree, &known, tree).map_err(|error| about("the copy", error))?;
    // Headers and NVRTC, which are only read.
    if let Ok(cuda) = fs::canonicalize(root.join(".cuda")) {
        link(&cuda, &tree.join(".cuda")).map_err(|error| about(".cuda", error))?;
    }
    Ok(())
}

fn link(target: &Path, link: &Path) -> std::io::Result<()> {
    match fs::remove_file(link) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::os::unix::fs::symlink(target, link)
}

fn remove_others(folder: &Path, known: &BTreeSet<PathBuf>, tree: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            // Files of cargo or of tests. They may be missing when they are removed.
            remove_others(&path, known, tree)?;
        } else if !known.contains(&path) && path != tree.join(".cuda") {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_follow_the_original_and_keep_dates() {
        let folder = std::env::temp_dir().join(format!("mutants-tree-{}", std::process::id()));
        let (root, tree) = (folder.join("root"), folder.join("tree"));
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/one"), "1").unwrap();
        fs::write(root.join("two"), "2").unwrap();
        let both = ["a/one".to_string(), "two".to_string()];
        copy(&root, &tree, &both, &BTreeMap::new()).unwrap();
        let date = || {
            fs::metadata(tree.join("a/one"))
                .unwrap()
                .modified()
                .unwrap()
        };
        let before = date();

        let changed = BTreeMap::from([("two".to_string(), "changed".to_string())]);
        copy(&root, &tree, &both, &changed).unwrap();
        assert_eq!(fs::read_to_string(tree.join("two")).unwrap(), "changed");
        assert_eq!(date(), before);

        copy(&root, &tree, &both[..1], &BTreeMap::new()).unwrap();
        assert!(tree.join("a/one").exists() && !tree.join("two").exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
