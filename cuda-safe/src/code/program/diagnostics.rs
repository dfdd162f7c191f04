//! Adds the source lines to the compiler's log, and advice about missing headers.

use std::fmt::Write;

use super::headers;
use crate::error::sources::around;

/// Returns the log with source lines and advice.
///
/// If a line of the log names a line in one of the named texts, the numbered source around that
/// line follows it. Messages about name expressions show the expression. The compiler's count of
/// errors is left out, because it names the program even if all errors are in headers. Advice comes
/// at the end.
pub(super) fn explain<'a>(
    log: &str,
    texts: impl Iterator<Item = (&'a str, &'a str)> + Clone,
) -> String {
    let mut text = String::with_capacity(log.len() * 2);
    let mut lines = log.trim_end().lines().peekable();
    while let Some(message) = lines.next() {
        if is_count(message) {
            continue;
        }
        if let Some((expression, message)) = expression_message(message, lines.peek().copied()) {
            let column = lines.nth(1).and_then(|caret| caret.find('^'));
            // The compiler repeats the message in other words.
            if !message.contains("Error in parsing name expression") {
                let _ = writeln!(text, "name expression `{expression}`:{message}");
                let _ = writeln!(text, "  {expression}");
                if let Some(column) = column.and_then(|at| at.checked_sub(PRAGMA.len())) {
                    let _ = writeln!(text, "  {:column$}^", "");
                }
            } else if lines.peek().is_some_and(|line| line.is_empty()) {
                lines.next();
            }
            continue;
        }
        text.push_str(message);
        text.push('\n');
        let named = |(name, source)| Some((place(message, name)?, source));
        let Some((number, source)) = texts.clone().find_map(named) else {
            continue;
        };
        // The compiler quotes the line and marks a column below it. The numbered lines show the
        // mark instead.
        let mut ahead = lines.clone();
        let quoted = ahead.next().and_then(|line| line.strip_prefix("  "));
        let mark = ahead.next().filter(|line| line.trim() == "^");
        let column = match (quoted, mark.and_then(|line| line.find('^')?.checked_sub(2))) {
            (Some(quoted), Some(column)) if line_of(source, number) == Some(quoted) => {
                lines = ahead;
                Some(column)
            }
            _ => None,
        };
        text.push_str(&around(source, number, column));
    }
    text.truncate(text.trim_end().len());
    for header in log.lines().filter_map(headers::missing) {
        let _ = write!(text, "\n{}", headers::header_advice(header));
    }
    if let Some(name) = log.lines().find_map(headers::unknown_integer) {
        let _ = write!(text, "\n{}", headers::integer_advice(name));
    }
    for (kind, advice) in REFERENCES {
        if log.contains(&format!(": error: {kind} is not a template")) {
            let _ = write!(text, "\n{advice}");
        }
    }
    text
}

/// Advice about texture and surface references, by the name of their type.
const REFERENCES: [(&str, &str); 2] = [
    (
        "texture",
        "`texture<...>` is a texture reference, which CUDA 12 removed. Fix: declare a kernel parameter \
         `cudaTextureObject_t t`, read it with `tex2D<float>(t, x, y)`, and pass `&texture` (a `Texture`) to the launch",
    ),
    (
        "surface",
        "`surface<...>` is a surface reference, which CUDA 12 removed. Fix: declare a kernel parameter \
         `cudaSurfaceObject_t s`, write it with `surf2Dwrite(value, s, x * sizeof(value), y)`, and pass `&surface` (a \
         `Surface`) to the launch",
    ),
];

/// Returns whether a line is the compiler's count of errors, such as
/// `2 errors detected in the compilation of "a.cu".`
fn is_count(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_digit())
        && line.contains(" detected in the compilation of \"")
}

fn line_of(source: &str, number: usize) -> Option<&str> {
    source.lines().nth(number.checked_sub(1)?)
}

const PRAGMA: &str = "  #pragma nv_mangled_name ";

/// Parses a message about a name expression, which the compiler treats as a line of a separate
/// text. Returns the expression and the text after the line number.
fn expression_message<'a>(message: &'a str, quoted: Option<&'a str>) -> Option<(&'a str, &'a str)> {
    let rest = message.strip_prefix("__nv_name_map(")?;
    let (_, message) = rest.split_once("):")?;
    Some((quoted?.strip_prefix(PRAGMA)?, message))
}

/// Returns the line number in `name(12): error: ...`.
fn place(message: &str, name: &str) -> Option<usize> {
    let (number, rest) = message
        .strip_prefix(name)?
        .strip_prefix('(')?
        .split_once(')')?;
    rest.starts_with(':').then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests {
    fn explain(log: &str, name: &str, source: &str) -> String {
        super::explain(log, [(name, source)].into_iter())
    }

    #[test]
    fn line_is_shown_with_its_neighbors() {
        let log = "a.cu(2): error: identifier \"y\" is undefined\n    x = y;\n        ^\n";
        let text = explain(log, "a.cu", "int x;\nx = y;\nint z;\n");
        assert!(
            text.contains("     1 | int x;\n >    2 | x = y;\n      3 | int z;\n"),
            "{text}"
        );
        assert!(text.ends_with('^'), "the quoted line differs: {text:?}");
    }

    #[test]
    fn line_is_shown_once_with_its_mark() {
        let log = "a.cu(2): error: identifier \"y\" is undefined\n      x = y;\n          ^\n\na.cu(1): error: z\n";
        assert_eq!(
            explain(log, "a.cu", "int x;\n    x = y;\nint z;\n"),
            "a.cu(2): error: identifier \"y\" is undefined\n      1 | int x;\n >    2 |     x = y;\n        |         ^\n      \
             3 | int z;\n\na.cu(1): error: z\n >    1 | int x;\n      2 |     x = y;"
        );
    }

    #[test]
    fn messages_about_name_expressions_show_them() {
        let log = "__nv_name_map(4): error: identifier \"h\" is undefined\n  #pragma nv_mangled_name h<int>\n                          \
                   ^\n\n__nv_name_map(4): error: Error in parsing name expression for lowered name lookup. Input name \
                   expression was: \" h < int >\"\n  #pragma nv_mangled_name h<int>\n                          ^\n\n2 errors \
                   detected in the compilation of \"a.cu\".\n";
        assert_eq!(
            explain(log, "a.cu", "one\n"),
            "name expression `h<int>`: error: identifier \"h\" is undefined\n  h<int>\n  ^"
        );
        // A message of an unknown form.
        let log = "__nv_name_map(5): error: x\n  y\n  ^";
        assert_eq!(explain(log, "a.cu", "one\n"), log);
    }

    #[test]
    fn lines_at_the_ends_have_fewer_neighbors() {
        let source = "one\ntwo\nthree\nfour\nfive\n";
        let shown = |number: u32| {
            let text = explain(&format!("a.cu({number}): error: x\n\n"), "a.cu", source);
            let numbers = text.lines().skip(1).map(|line| line[..9].trim().to_owned());
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(shown(1), [">    1 |", "2 |"]);
        assert_eq!(shown(2), ["1 |", ">    2 |", "3 |"]);
        assert_eq!(shown(3), ["1 |", "2 |", ">    3 |", "4 |"]);
        assert_eq!(shown(5), ["3 |", "4 |", ">    5 |"]);
        assert_eq!(explain("x\n\n\n", "a.cu", source), "x");
    }

    #[test]
    fn lines_of_headers_are_shown() {
        let log = "b.cuh(1): error: x\na.cu(2): note: y\n";
        let texts = [("a.cu", "one\ntwo\n"), ("b.cuh", "three\n")];
        let text = super::explain(log, texts.into_iter());
        assert_eq!(
            text,
            "b.cuh(1): error: x\n >    1 | three\na.cu(2): note: y\n      1 | one\n >    2 | two"
        );
    }

    #[test]
    fn advice_about_missing_headers_is_at_the_end() {
        let log = "a.cu(1): catastrophic error: cannot open source file \"cstdint\"\n  #include <cstdint>\n\n\
                   1 catastrophic error detected in the compilation of \"a.cu\".\nCompilation terminated.\n";
        let text = explain(log, "a.cu", "#include <cstdint>\n");
        let (_, advice) = text.split_once("terminated.\n").unwrap();
        assert!(advice.contains("<cuda/std/cstdint>"), "{text}");
        assert_eq!(advice.lines().count(), 1);
    }

    #[test]
    fn undefined_integer_types_get_advice_once() {
        let log = "a.cu(1): error: identifier \"uint32_t\" is undefined\n\n\
                   a.cu(2): error: identifier \"uint32_t\" is undefined\n\n\
                   2 errors detected in the compilation of \"a.cu\".\n";
        let text = explain(log, "a.cu", "uint32_t x;\nuint32_t y;\n");
        assert!(!text.contains("detected"), "{text}");
        assert_eq!(
            text.lines().last().unwrap(),
            "`uint32_t` needs `#include <cuda/std/cstdint>` from CUDA's headers. `unsigned int` needs no header"
        );
        let other = "a.cu(1): error: identifier \"width_t\" is undefined";
        assert_eq!(explain(other, "b.cu", ""), other);
    }

    #[test]
    fn texture_and_surface_references_get_advice() {
        let log = "a.cu(1): error: texture is not a template\n\n1 error detected in the compilation of \"a.cu\".\n";
        assert_eq!(
            explain(log, "a.cu", "texture<float, 2> t;\n"),
            "a.cu(1): error: texture is not a template\n >    1 | texture<float, 2> t;\n\
             `texture<...>` is a texture reference, which CUDA 12 removed. Fix: declare a kernel parameter \
             `cudaTextureObject_t t`, read it with `tex2D<float>(t, x, y)`, and pass `&texture` (a `Texture`) to the launch"
        );
        let log = "a.cu(1): error: surface is not a template\n";
        let text = explain(log, "b.cu", "");
        assert!(
            text.ends_with(
                "\n`surface<...>` is a surface reference, which CUDA 12 removed. Fix: declare a kernel parameter \
                 `cudaSurfaceObject_t s`, write it with `surf2Dwrite(value, s, x * sizeof(value), y)`, and pass \
                 `&surface` (a `Surface`) to the launch"
            ),
            "{text}"
        );
    }

    #[test]
    fn other_files_and_invalid_lines_are_not_changed() {
        for log in [
            "b.cu(2): error: x",
            "a.cu(x): error",
            "a.cu(2) error",
            "a.cu(99): error: x",
            "a.cu(0): error: x",
        ] {
            assert_eq!(explain(log, "a.cu", "one\ntwo\n"), log);
        }
    }
}
