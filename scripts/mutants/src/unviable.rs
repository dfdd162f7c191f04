//! Finds out which mutants don't compile, by the places that the compiler complains of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::find::Found;
use crate::rewrite::Rewritten;

/// A file with its mutants, as it was given to the compiler.
pub struct Compiled<'a> {
    /// What there is.
    pub found: &'a Found,
    /// The text.
    pub rewritten: Rewritten,
}

/// A place in a message of the compiler.
struct Place<'a> {
    file: &'a str,
    start: usize,
    end: usize,
    primary: bool,
}

/// The mutants that an error of the compiler is about, by file.
pub fn blame<'a>(
    error: &'a Value,
    files: &'a BTreeMap<String, Compiled<'a>>,
) -> BTreeSet<(&'a str, usize)> {
    let mut places = Vec::new();
    collect(error, true, &mut places);
    for child in error["children"].as_array().into_iter().flatten() {
        collect(child, false, &mut places);
    }
    let by_place = |primary: bool, find: fn(&Compiled<'_>, &Place<'_>) -> Vec<usize>| {
        let mut blamed = BTreeSet::new();
        for place in places.iter().filter(|place| place.primary || !primary) {
            if let Some((name, file)) = files.get_key_value(place.file) {
                let mutants = find(file, place);
                blamed.extend(mutants.into_iter().map(|mutant| (name.as_str(), mutant)));
            }
        }
        blamed
    };
    // From the sure to the likely.
    let ways = [
        by_place(true, inserted),
        by_place(false, inserted),
        not_constant(error, files),
        by_place(true, covered),
        by_place(true, around),
        by_place(false, around),
    ];
    ways.into_iter()
        .find(|blamed| !blamed.is_empty())
        .unwrap_or_default()
}

fn collect<'a>(message: &'a Value, main: bool, places: &mut Vec<Place<'a>>) {
    for span in message["spans"].as_array().into_iter().flatten() {
        let primary = main && span["is_primary"] == true;
        // What a macro wrote has a place in the macro, and one where the macro was used.
        let mut span = span;
        loop {
            let byte = |name: &str| span[name].as_u64().map(|byte| byte as usize);
            if let (Some(file), Some(start), Some(end)) = (
                span["file_name"].as_str(),
                byte("byte_start"),
                byte("byte_end"),
            ) {
                places.push(Place {
                    file,
                    start,
                    end,
                    primary,
                });
            }
            match &span["expansion"] {
                Value::Null => break,
                expansion => span = &expansion["span"],
            }
        }
    }
}

/// The mutants whose inserted text the place lies in.
fn inserted(file: &Compiled<'_>, place: &Place<'_>) -> Vec<usize> {
    file.rewritten
        .inserted
        .iter()
        .filter(|(bytes, mutants)| {
            mutants.len() == 1 && bytes.start <= place.start && place.end <= bytes.end
        })
        .flat_map(|(_, mutants)| mutants.clone())
        .collect()
}

/// The mutants of the expression that the place is.
fn covered(file: &Compiled<'_>, place: &Place<'_>) -> Vec<usize> {
    let exact =
        |bytes: &std::ops::Range<usize>| bytes.start == place.start && bytes.end == place.end;
    file.rewritten
        .enclosing
        .iter()
        .filter(|(bytes, _)| exact(bytes))
        .flat_map(|(_, mutants)| mutants.clone())
        .collect()
}

/// All mutants of the smallest expression or function around the place.
fn around(file: &Compiled<'_>, place: &Place<'_>) -> Vec<usize> {
    let enclosing = &file.rewritten.enclosing;
    let holds =
        |bytes: &std::ops::Range<usize>| bytes.start <= place.start && place.end <= bytes.end;
    let smallest = enclosing
        .iter()
        .map(|(bytes, _)| bytes)
        .filter(|bytes| holds(bytes))
        .min_by_key(|bytes| bytes.len());
    enclosing
        .iter()
        .filter(|(bytes, _)| Some(bytes) == smallest)
        .flat_map(|(_, mutants)| mutants.clone())
        .collect()
}

/// Those of a function that lost its `const` and is called in a constant.
fn not_constant<'a>(
    error: &Value,
    files: &'a BTreeMap<String, Compiled<'a>>,
) -> BTreeSet<(&'a str, usize)> {
    let text = error["message"].as_str().unwrap_or_default();
    let mut blamed = BTreeSet::new();
    if !text.contains("non-const") {
        return blamed;
    }
    let Some(path) = text.split('`').nth(1) else {
        return blamed;
    };
    // Without the types that it is called with, whose names may be paths too.
    let path = path.split("::<").next().unwrap_or(path);
    let name = path.rsplit("::").next().unwrap_or(path);
    for (file, compiled) in files {
        let functions = compiled.found.const_functions.iter();
        for function in functions.filter(|function| function.name == name) {
            blamed.extend(
                function
                    .mutants
                    .clone()
                    .map(|mutant| (file.as_str(), mutant)),
            );
        }
    }
    blamed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, rewrite};

    /// The changes that are blamed for an error at the `nth` place of `at` in the rewritten text.
    fn blamed(source: &str, at: &str, nth: usize, message: &str) -> Vec<String> {
        let found = find::search("a/src/x.rs", source).unwrap();
        let rewritten = rewrite::rewrite(source, &found, &|index| Some(index as u32 + 1));
        let (start, _) = rewritten.text.match_indices(at).nth(nth).expect(at);
        let error = serde_json::json!({
            "message": message,
            "spans": [{
                "file_name": "a/src/x.rs",
                "byte_start": start,
                "byte_end": start + at.len(),
                "is_primary": true,
                "expansion": null,
            }],
            "children": [],
        });
        let files = BTreeMap::from([(
            "a/src/x.rs".to_string(),
            Compiled {
                found: &found,
                rewritten,
            },
        )]);
        blame(&error, &files)
            .into_iter()
            .map(|(_, mutant)| found.mutants[mutant].change.clone())
            .collect()
    }

    #[test]
    fn errors_belong_to_what_was_inserted() {
        let source = "fn f(a: &A) -> A { g(a + b, a == c) }";
        assert_eq!(blamed(source, "(a) - (b)", 0, ""), ["+ becomes - in a + b"]);
        assert_eq!(blamed(source, "-", 1, ""), ["+ becomes - in a + b"]);
        assert_eq!(
            blamed(source, "Default", 0, ""),
            ["returns -> A: Default::default()"]
        );
    }

    #[test]
    fn an_error_in_the_original_belongs_to_what_is_around_it() {
        let source = "fn f(a: &A) -> A { g(a + b, a == c) }";
        assert_eq!(blamed(source, "a == c", 0, ""), ["== becomes != in a == c"]);
        assert_eq!(blamed(source, "g(", 0, "").len(), 4, "all of the function");
    }

    #[test]
    fn functions_that_are_called_in_constants_stay_constant() {
        let source = "const fn f(a: u8) -> u8 { a + 1 } const A: u8 = f(1);";
        for path in ["x::f", "f::<u8>", "x::f::<a::B, c::D>"] {
            let message = format!("cannot call non-const function `{path}` in constants");
            let all = blamed(source, "f(1)", 0, &message);
            assert_eq!(all.len(), 4, "{path}: {all:?}");
        }
    }
}
