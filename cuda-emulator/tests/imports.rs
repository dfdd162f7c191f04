//! The modules of the driver side import each other in one direction only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Imports = BTreeMap<String, BTreeSet<String>>;

/// Which modules of a folder each of its modules imports by `use super::`; tests may import what they like.
fn imports(folder: &Path) -> Imports {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        if path.is_file() && name != "mod" {
            texts.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    let mut found = Imports::new();
    for (name, text) in &texts {
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let mut imported = BTreeSet::new();
        for import in text.split("use super::").skip(1) {
            let import = import.split(';').next().unwrap();
            let list = import.strip_prefix('{').unwrap_or(import);
            // The first word of every path; what is inside of its braces are no modules.
            let mut depth = 0;
            for word in list.split_inclusive(['{', '}', ',']) {
                let first = word
                    .trim()
                    .split(|c: char| !c.is_alphanumeric() && c != '_');
                let first = first.into_iter().next().unwrap();
                if depth == 0 && texts.contains_key(first) && first != name {
                    imported.insert(first.to_string());
                }
                depth += word.matches('{').count();
                depth = depth.saturating_sub(word.matches('}').count());
            }
        }
        found.insert(name.clone(), imported);
    }
    found
}

/// The modules that are left when those that import nothing that is left are taken away, again and again.
fn circular(mut imports: Imports) -> Vec<String> {
    loop {
        let names: BTreeSet<String> = imports.keys().cloned().collect();
        let before = names.len();
        imports.retain(|_, imported| imported.iter().any(|one| names.contains(one)));
        if imports.len() == before {
            return imports.into_keys().collect();
        }
    }
}

#[test]
fn the_driver_side_has_no_circle() {
    let imports = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(imports["stream"].contains("context"), "{imports:?}");
    assert!(imports["event"].contains("streams"), "{imports:?}");
    assert_eq!(circular(imports), [""; 0]);
}

#[test]
fn a_circle_would_be_found() {
    let of = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let imports = Imports::from([
        ("a".to_string(), of(&["b"])),
        ("b".to_string(), of(&["c", "d"])),
        ("c".to_string(), of(&["a"])),
        ("d".to_string(), of(&[])),
    ]);
    assert_eq!(circular(imports), ["a", "b", "c"]);
}
