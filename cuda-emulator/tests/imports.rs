//! The rooms of the emulator import each other in one direction only, as the tables in ARCHITECTURE.md say.
//!
//! A room is a folder of `src`, or a file beside the folders. ARCHITECTURE.md lists the rooms from the bottom up, each
//! with the rooms that it uses, and lists the exceptions with their reasons. The tests compare these tables with the
//! imports in the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The text of each file of a crate, by its path in `src` without `.rs`.
type Files = BTreeMap<String, String>;
/// The files that each file imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn files(folder: &Path, prefix: &str, found: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let name = format!("{prefix}{stem}");
        if path.is_dir() {
            files(&path, &format!("{name}/"), found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// The code of a file, without comments and without its tests, which may import what they like.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of a use tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((prefix, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap();
        return paths.push(path.trim().to_string());
    };
    let list = &rest[..rest.rfind('}').unwrap()];
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    for part in parts.into_iter().filter(|part| !part.trim().is_empty()) {
        expand(&format!("{}{}", prefix.trim(), part.trim()), paths);
    }
}

/// All paths of a file's code that begin with `crate` or `super`.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    let mut inline = String::new();
    // Use statements can span lines; all else is looked at word by word.
    while let Some(at) = rest.find("use ") {
        let (before, after) = rest.split_at(at);
        inline.push_str(before);
        let begins = before.is_empty() || before.ends_with(['\n', ' ', '\t']);
        let tree = &after["use ".len()..];
        if begins && (tree.starts_with("crate::") || tree.starts_with("super::")) {
            let (tree, after) = tree.split_once(';').unwrap();
            expand(tree, &mut found);
            rest = after;
        } else {
            rest = tree;
        }
    }
    inline.push_str(rest);
    let words = inline.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let words = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    found.extend(words.map(|word| word.trim_end_matches(':').to_string()));
    found
}

/// The file that a path in another file leads to.
fn resolve(files: &Files, from: &str, path: &str) -> Option<String> {
    let mut module: Vec<&str> = match from.strip_suffix("/mod") {
        Some(folder) => folder.split('/').collect(),
        None => from.split('/').collect(),
    };
    for part in path.split("::") {
        match part {
            "crate" => module.clear(),
            "super" => drop(module.pop()),
            "self" => {}
            part => module.push(part),
        }
    }
    (1..=module.len()).rev().find_map(|length| {
        let name = module[..length].join("/");
        let folder = format!("{name}/mod");
        [name, folder]
            .into_iter()
            .find(|name| files.contains_key(name))
    })
}

/// Which files of a crate each of its files imports.
fn imports(source: &str) -> Imports {
    let mut files_found = Files::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    files(&root, "", &mut files_found);
    files_found.remove("lib");
    let mut found = Imports::new();
    for (name, text) in &files_found {
        let paths = paths(&code(text));
        let imported = paths
            .iter()
            .filter_map(|path| resolve(&files_found, name, path));
        found.insert(
            name.clone(),
            imported.filter(|other| other != name).collect(),
        );
    }
    found
}

fn room(file: &str) -> &str {
    file.split('/').next().unwrap()
}

/// The cells of the rows of the table under a heading of ARCHITECTURE.md, which ends at the next heading.
fn table(heading: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md");
    let text = fs::read_to_string(path).unwrap();
    let section = text.split(&format!("\n{heading}\n")).nth(1);
    let section = section.unwrap_or_else(|| panic!("ARCHITECTURE.md has no `{heading}`"));
    let section = section.split("\n#").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        let cells = row.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().to_string()).collect()
    })
    .collect()
}

/// The names in backquotes in a cell, without `.rs` and the slash of a folder.
fn names(cell: &str) -> Vec<String> {
    let quoted = cell.split('`').skip(1).step_by(2);
    let plain = quoted.map(|name| {
        name.trim_end_matches(".rs")
            .trim_end_matches('/')
            .to_string()
    });
    plain.collect()
}

/// What contradicts the tables.
fn complaints(
    imports: &Imports,
    rooms: &[(String, BTreeSet<String>)],
    exceptions: &BTreeSet<(String, String)>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (place, (room, uses)) in rooms.iter().enumerate() {
        for used in uses {
            if !rooms[..place].iter().any(|(below, _)| below == used) {
                wrong.push(format!(
                    "the table has `{room}` use `{used}`, which isn't above it"
                ));
            }
        }
    }
    let (mut seen, mut excepted) = (BTreeSet::new(), BTreeSet::new());
    for (file, imported) in imports {
        let here = room(file);
        let Some((_, uses)) = rooms.iter().find(|(room, _)| room == here) else {
            wrong.push(format!("the table lacks the room `{here}`"));
            continue;
        };
        for other in imported {
            let there = room(other);
            let exception = (file.clone(), there.to_string());
            if here == there {
                continue;
            }
            if exceptions.contains(&exception) {
                excepted.insert(exception);
            } else if uses.contains(there) {
                seen.insert((here, there));
            } else {
                wrong.push(format!(
                    "`{file}` imports `{other}`: `{here}` may not use `{there}`"
                ));
            }
        }
    }
    for (room, uses) in rooms {
        if !imports.keys().any(|file| self::room(file) == room) {
            wrong.push(format!("there is no room `{room}`"));
        }
        for used in uses {
            if !seen.contains(&(room.as_str(), used.as_str())) {
                wrong.push(format!("`{room}` no longer uses `{used}`"));
            }
        }
    }
    for (file, room) in exceptions.difference(&excepted) {
        wrong.push(format!("`{file}` no longer needs `{room}`"));
    }
    wrong
}

/// The files that import each other in circles: those that lead back to themselves.
fn circular(imports: &Imports) -> BTreeSet<String> {
    let leads_back = |file: &String| {
        let mut open: Vec<&String> = imports[file].iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(one) = open.pop() {
            if seen.insert(one) {
                open.extend(&imports[one]);
            }
        }
        seen.contains(file)
    };
    imports
        .keys()
        .filter(|file| leads_back(file))
        .cloned()
        .collect()
}

fn compare(source: &str, heading: &str) {
    let imports = imports(source);
    let rooms: Vec<_> = table(heading)
        .iter()
        .map(|row| {
            let name = names(&row[0]).remove(0);
            (name, names(&row[2]).into_iter().collect())
        })
        .collect();
    let mut exceptions = BTreeSet::new();
    for row in table(&format!("{heading}: exceptions")) {
        let used = names(&row[1]);
        let pairs = names(&row[0]).into_iter();
        exceptions.extend(
            pairs.flat_map(|file| used.iter().map(move |used| (file.clone(), used.clone()))),
        );
    }
    assert_eq!(complaints(&imports, &rooms, &exceptions), [""; 0]);
    let known = table(&format!("{heading}: circles"));
    let known: BTreeSet<String> = known.iter().flat_map(|row| names(&row[0])).collect();
    assert_eq!(
        circular(&imports),
        known,
        "the files that import each other in circles"
    );
}

#[test]
fn the_driver_side_keeps_to_its_table() {
    compare("src", "### Rooms of the driver side");
}

#[test]
fn the_engine_keeps_to_its_table() {
    compare("engine/src", "### Rooms of the engine");
}

#[test]
fn imports_are_found() {
    let imports = imports("src");
    assert!(
        imports["queue/stream"].contains("process/context"),
        "{imports:?}"
    );
    assert!(imports["graph/plan"].contains("graph/node"), "{imports:?}");
    assert!(
        imports["api/memory"].contains("memory/allocations"),
        "{imports:?}"
    );
}

#[test]
fn use_trees_and_inline_paths_are_read() {
    let text = "use crate::a::{self, b::{C, D as E}, f};\npub use super::g::*;\nfn h() { crate::i::j(); $crate::k::l }";
    let wanted = [
        "crate::a::self",
        "crate::a::b::C",
        "crate::a::b::D",
        "crate::a::f",
        "super::g::*",
        "crate::i::j",
        "crate::k::l",
    ];
    assert_eq!(paths(&code(text)), wanted);
}

#[test]
fn a_wrong_arrow_is_found() {
    let set = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let imports = Imports::from([
        ("low/a".to_string(), set(&["high/b"])),
        ("high/b".to_string(), set(&["low/c"])),
        ("low/c".to_string(), set(&[])),
    ]);
    let rooms = [
        ("low".to_string(), set(&[])),
        ("high".to_string(), set(&["low"])),
    ];
    let wrong = complaints(&imports, &rooms, &BTreeSet::new());
    assert_eq!(
        wrong,
        ["`low/a` imports `high/b`: `low` may not use `high`"]
    );
    let exceptions = BTreeSet::from([("low/a".to_string(), "high".to_string())]);
    assert_eq!(complaints(&imports, &rooms, &exceptions), [""; 0]);
    let wrong = complaints(&imports, &rooms[..1], &exceptions);
    assert_eq!(wrong, ["the table lacks the room `high`"]);
}

#[test]
fn a_circle_is_found() {
    let set = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let imports = Imports::from([
        ("a".to_string(), set(&["b"])),
        ("b".to_string(), set(&["c", "d"])),
        ("c".to_string(), set(&["b"])),
        ("d".to_string(), set(&[])),
    ]);
    assert_eq!(
        circular(&imports),
        BTreeSet::from(["b".to_string(), "c".to_string()])
    );
}
