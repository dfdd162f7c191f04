//! Mutants and their names.

use std::collections::HashMap;

/// One change to the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The path relative to the repository's root, with `/`.
    pub file: String,
    /// The line, starting at 1.
    pub line: usize,
    /// The column in characters, starting at 1.
    pub column: usize,
    /// The function with its enclosing items, such as `<impl Drop for Stream>::drop`.
    pub function: String,
    /// The change.
    pub change: String,
    /// The number of this change among equal ones of the function, starting at 1.
    pub ordinal: usize,
}

impl Mutant {
    /// Returns a name that does not depend on line numbers or on other functions.
    pub fn identity(&self) -> String {
        let Self {
            file,
            function,
            change,
            ..
        } = self;
        match self.ordinal {
            1 => format!("{file}: {function}: {change}"),
            n => format!("{file}: {function}: {change} #{n}"),
        }
    }

    /// Returns the location for people and editors.
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Numbers equal changes of one function.
pub fn number(mutants: &mut [Mutant]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for mutant in mutants {
        mutant.ordinal = 1;
        let count = seen.entry(mutant.identity()).or_default();
        *count += 1;
        mutant.ordinal = *count;
    }
}

/// Returns source text on one line, shortened in the middle if it is long.
pub fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = line.chars().count();
    if count <= MOST {
        return line;
    }
    let head: String = line.chars().take(MOST / 2).collect();
    let tail: String = line.chars().skip(count - MOST / 2).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(line: usize, change: &str) -> Mutant {
        Mutant {
            file: "a/src/b.rs".into(),
            line,
            column: 1,
            function: "f".into(),
            change: change.into(),
            ordinal: 0,
        }
    }

    #[test]
    fn identities_number_equal_changes_and_ignore_lines() {
        let names = |lines: [usize; 3]| {
            let mut all = [
                mutant(lines[0], "x"),
                mutant(lines[1], "y"),
                mutant(lines[2], "x"),
            ];
            number(&mut all);
            all.map(|one| one.identity())
        };
        let expected = [
            "a/src/b.rs: f: x",
            "a/src/b.rs: f: y",
            "a/src/b.rs: f: x #2",
        ];
        assert_eq!(names([1, 2, 3]), expected);
        assert_eq!(names([11, 12, 13]), expected);
    }

    #[test]
    fn long_text_is_shortened_to_one_line() {
        assert_eq!(shown("a\n    == b"), "a == b");
        let long = shown(&"ä".repeat(100));
        assert_eq!(long.chars().count(), 61);
        assert!(long.contains('…'));
    }
}
