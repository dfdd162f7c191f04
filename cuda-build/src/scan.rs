//! Splits a C++ source into code and preprocessor directives.

/// A part of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Piece<'a> {
    Code(&'a str),
    /// A comment or a literal.
    Blank,
    /// A whole directive, including its continuation lines.
    Directive(&'a str),
}

/// Returns the parts of a source, without the branches that a literal condition such as `#if 0`
/// excludes.
pub(crate) fn pieces(source: &str) -> Vec<Piece<'_>> {
    let mut branches: Vec<Branch> = Vec::new();
    let mut kept = split(source);
    kept.retain(|piece| {
        if let Piece::Directive(text) = piece {
            follow(&mut branches, text);
        }
        branches.iter().all(|branch| !branch.is_off)
    });
    kept
}

/// Returns a directive's name and the rest of it, such as `("include", "<x.h> // why")`.
pub(crate) fn directive(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches('#').trim_start();
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (name, rest.trim())
}

/// Returns the text before the first comment.
pub(crate) fn before_comment(text: &str) -> &str {
    let marks = ["//", "/*"].iter().filter_map(|mark| text.find(mark));
    text[..marks.min().unwrap_or(text.len())].trim()
}

/// A branch of an open `#if`.
struct Branch {
    /// Whether the compiler skips this branch regardless of macros.
    is_off: bool,
    /// Whether the compiler uses this branch or an earlier one regardless of macros.
    is_decided: bool,
}

fn follow(branches: &mut Vec<Branch>, text: &str) {
    let (name, condition) = directive(text);
    let (never, always) = match before_comment(condition) {
        "0" | "false" => (true, false),
        "1" | "true" => (false, true),
        _ => (false, false),
    };
    match (name, branches.last_mut()) {
        ("if", _) => branches.push(Branch {
            is_off: never,
            is_decided: always,
        }),
        ("ifdef" | "ifndef", _) => branches.push(Branch {
            is_off: false,
            is_decided: false,
        }),
        ("elif", Some(branch)) => {
            branch.is_off = branch.is_decided || never;
            branch.is_decided |= always;
        }
        ("else" | "elifdef" | "elifndef", Some(branch)) => branch.is_off = branch.is_decided,
        ("endif", _) => {
            branches.pop();
        }
        _ => {}
    }
}

fn split(source: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = source;
    let mut is_line_start = true;
    while let Some(c) = rest.chars().next() {
        let (length, is_blank) = match c {
            '/' if rest.starts_with("//") => (line(rest), true),
            '/' if rest.starts_with("/*") => (block_comment(rest), true),
            '"' | '\'' => (literal(rest, c), true),
            _ if is_word(c) => match raw_string(rest) {
                Some(length) => (length, true),
                None => (word(rest), false),
            },
            _ => (c.len_utf8(), false),
        };
        let is_directive = c == '#' && is_line_start;
        let length = if is_directive { line(rest) } else { length };
        let (text, behind) = rest.split_at(length);
        pieces.push(match (is_directive, is_blank) {
            (true, _) => Piece::Directive(text),
            (_, true) => Piece::Blank,
            _ => Piece::Code(text),
        });
        // The preprocessor treats a comment as a space.
        is_line_start = match c {
            '\n' => true,
            '/' if is_blank => is_line_start,
            _ => is_line_start && c.is_whitespace(),
        };
        rest = behind;
    }
    pieces
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of an identifier or a number. In a number, `'` separates digits.
fn word(text: &str) -> usize {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let separates = c == '\''
            && is_number
            && chars
                .peek()
                .is_some_and(|(_, next)| next.is_ascii_alphanumeric());
        if !is_word(c) && !separates {
            return at;
        }
    }
    text.len()
}

/// Returns the length of a raw string, if one begins here.
fn raw_string(text: &str) -> Option<usize> {
    let prefixes = ["R\"", "LR\"", "uR\"", "UR\"", "u8R\""];
    let prefix = prefixes.iter().find(|prefix| text.starts_with(**prefix))?;
    let (delimiter, _) = text[prefix.len()..].split_once('(')?;
    let end = format!("){delimiter}\"");
    Some(text.find(&end).map_or(text.len(), |at| at + end.len()))
}

/// Returns the length of a string or a character literal. It ends at the end of its line at the
/// latest, because text that is never compiled may contain apostrophes.
fn literal(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\r' if is_escaped => {}
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return at,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn block_comment(text: &str) -> usize {
    text[2..].find("*/").map_or(text.len(), |end| end + 4)
}

/// Returns the length of the rest of a line, including the lines that a backslash or a comment
/// joins to it, without the newline.
fn line(text: &str) -> usize {
    let is_comment = text.starts_with("//");
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        at += match c {
            '\n' => return at,
            '\\' if rest.starts_with("\\\r\n") => 3,
            '\\' if rest.starts_with("\\\n") => 2,
            _ if is_comment => c.len_utf8(),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '/' if rest.starts_with("//") => return at + line(rest),
            '"' | '\'' => literal(rest, c),
            _ => c.len_utf8(),
        };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> String {
        let text = |piece: Piece<'_>| match piece {
            Piece::Code(text) => text.to_owned(),
            Piece::Blank => String::from(" "),
            Piece::Directive(_) => String::new(),
        };
        let all: String = pieces(source).into_iter().map(text).collect();
        all.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn literals_and_comments_are_blank() {
        for (source, expected) in [
            ("a '\"' b", "a b"),
            ("a '\\'' b L'\"' c", "a b L c"),
            ("1'000'000 + 0xA'B '\"' c", "1'000'000 + 0xA'B c"),
            ("a \"'\" b \"\\\"\" c", "a b c"),
            ("a u8R\"x(\" ' )\" )x\" b", "a b"),
            ("FOUR \"b\" c", "FOUR c"),
            ("a // b \\\n c\nd", "a d"),
            ("a /* \" */ b // '\nc", "a b c"),
            ("isn't this\nb", "isn b"),
        ] {
            assert_eq!(code(source), expected, "{source}");
        }
    }

    #[test]
    fn directives_are_separate_pieces() {
        let source =
            "a\n #define Q '\"' /* over\ntwo lines */ 1 \\\n more\nb # c\n/* x */ #include <d>\ne";
        let directives: Vec<_> = pieces(source)
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Directive(text) => Some(directive(text)),
                _ => None,
            })
            .collect();
        let define = ("define", "Q '\"' /* over\ntwo lines */ 1 \\\n more");
        assert_eq!(directives, [define, ("include", "<d>")]);
        assert_eq!(before_comment(define.1), "Q '\"'");
        assert_eq!(code(source), "a b # c e");
    }

    #[test]
    fn branches_with_a_literal_condition_are_left_out() {
        for (source, expected) in [
            ("#if 0\na\n#else\nb\n#endif\nc", "b c"),
            ("#if 1\na\n#else\nb\n#endif\nc", "a c"),
            ("#if 0 // off\na\n#elif X\nb\n#else\nc\n#endif", "b c"),
            ("#if X\na\n#elif 1\nb\n#else\nc\n#endif", "a b"),
            ("#if 0\n#ifdef X\na\n#else\nb\n#endif\nc\n#endif\nd", "d"),
            ("#ifdef X\na\n#else\nb\n#endif", "a b"),
        ] {
            assert_eq!(code(source), expected, "{source}");
        }
    }
}
