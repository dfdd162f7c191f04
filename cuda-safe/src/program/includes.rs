//! Which files a program includes, for the cache's key.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The contents of everything that `source` may include: a superset, since conditions are not
/// evaluated. `None` when that can't be told (an include by macro, or an unreadable file).
pub(super) fn contents(
    source: &str,
    headers: &[(String, String)],
    directories: &[PathBuf],
) -> Option<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut seen_in_memory = BTreeSet::new();
    let mut pending: Vec<(String, Option<PathBuf>)> = vec![(source.to_owned(), None)];
    while let Some((text, folder)) = pending.pop() {
        for include in included(&text) {
            let (name, quoted) = include?;
            if let Some((name, header)) = headers.iter().find(|(known, _)| *known == name) {
                if seen_in_memory.insert(name) {
                    pending.push((header.clone(), None));
                }
                continue;
            }
            let beside = folder.as_deref().filter(|_| quoted);
            let candidates = beside
                .into_iter()
                .chain(directories.iter().map(PathBuf::as_path));
            // What isn't there now is not part of the key; once it is there, it is.
            let Some(path) = candidates
                .map(|d| d.join(&name))
                .find(|path| path.is_file())
            else {
                continue;
            };
            if found.contains_key(&path) {
                continue;
            }
            let bytes = fs::read(&path).ok()?;
            pending.push((
                String::from_utf8_lossy(&bytes).into_owned(),
                path.parent().map(Path::to_path_buf),
            ));
            found.insert(path, bytes);
        }
    }
    Some(found)
}

/// The names after `#include`, and whether each is in quotes; `None` for one that is a macro.
fn included(text: &str) -> impl Iterator<Item = Option<(String, bool)>> {
    text.lines().filter_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        let operand = directive.strip_prefix("include")?;
        let operand = operand.strip_prefix("_next").unwrap_or(operand);
        if operand.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None; // another directive that begins alike
        }
        let operand = operand.trim_start();
        let (close, quoted) = match operand.chars().next() {
            Some('"') => ('"', true),
            Some('<') => ('>', false),
            _ => return Some(None),
        };
        let name = operand[1..].split(close).next().unwrap_or_default();
        Some(Some((name.to_owned(), quoted)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_followed_through_memory_and_files() {
        let folder =
            std::env::temp_dir().join(format!("cuda-direct-includes-{}", std::process::id()));
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::write(
            folder.join("sub/b.h"),
            "#include \"c.h\"\n# include <missing.h>\n",
        )
        .unwrap();
        fs::write(folder.join("sub/c.h"), "int c;\n").unwrap();
        let headers = [("a.h".to_owned(), "  #  include <sub/b.h>\n".to_owned())];
        let found = contents(
            "#include \"a.h\"\n",
            &headers,
            std::slice::from_ref(&folder),
        )
        .unwrap();
        let names: Vec<_> = found
            .keys()
            .map(|p| p.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["b.h", "c.h"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_include_by_macro_can_not_be_followed() {
        assert!(contents("#define X \"a.h\"\n#include X\n", &[], &[]).is_none());
        assert!(contents("#included\n", &[], &[]).unwrap().is_empty());
    }
}
