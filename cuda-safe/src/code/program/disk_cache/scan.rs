//! Finds the header names in one text.
//!
//! Comments, strings, conditions and macros are not analysed. Everything that could be an
//! `#include` counts as one, so the result contains every header that the compiler may search for,
//! and possibly more. The result is `None` if a name is not spelled out, or if the value of the
//! text can change although no file changes.
//!
//! NVRTC 12.0, 12.4, 12.9, 13.0 and 13.5 were observed to agree on these rules:
//!
//! - A backslash joins two lines only if it is the last character of the line.
//! - `%:` means `#`.
//! - `__has_include` also works outside directives, and if `##` produced the word.
//! - `#import`, `#embed` and modules are errors.

use std::{borrow::Cow, iter, str};

use super::system::find;

/// A header that a text includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: String,
    /// Whether the name is `"name"` and not `<name>`.
    pub(super) quoted: bool,
}

/// Parts of words that are rejected anywhere in a text: tests for files, words with a value that
/// can change although no file changes, and macros by which CUDA's headers name other headers.
const REJECTED: [&str; 8] = [
    "has_include",
    "HAS_INCLUDE",
    "has_embed",
    "__DATE__",
    "__TIME__",
    "__TIMESTAMP__",
    "__THRUST_",
    "THRUST_MR_STD_MR_HEADER",
];

/// Returns the headers of a text, or `None` if they are not certain.
pub(super) fn headers(source: &[u8]) -> Option<Vec<Header>> {
    let text = joined(source)?;
    // The meaning of trigraphs depends on the dialect. These two mean `#` and a backslash.
    let mut rejected = REJECTED.iter().chain(&["??=", "??/"]);
    if rejected.any(|part| contains(&text, part)) {
        return None;
    }
    let mut headers = Vec::new();
    for sign in ["#", "%:"] {
        for at in positions(&text, sign).filter(|&at| may_begin_line(&text[..at])) {
            headers.extend(directive(&text[at + sign.len()..])?);
        }
    }
    Some(headers)
}

/// Returns whether a text contains the operator `##`.
pub(super) fn pastes(text: &[u8]) -> bool {
    contains(text, "##") || contains(text, "%:%:")
}

/// Words that must not be pasted, and three telling parts of each.
///
/// If a word is pasted from two or three others, one of these contains such a part. If it is pasted
/// from more, the first of them is a beginning of the word, and one of the texts contains it.
const PASTED: [[&str; 4]; 5] = [
    ["__has_include_next", "__h", "has_", "_include"],
    ["__has_embed", "__h", "has_", "_embed"],
    ["__DATE__", "__D", "DATE", "E__"],
    ["__TIME__", "__T", "TIME", "E__"],
    ["__TIMESTAMP__", "__T", "TIMESTAMP", "P__"],
];

/// Returns whether a text contains a word that `##` could extend to one of [`PASTED`].
pub(super) fn has_pieces(text: &[u8]) -> bool {
    let has_pieces = |text: &[u8], [whole, parts @ ..]: &[&str; 4]| {
        let mut places = parts.iter().flat_map(|part| positions(text, part));
        places.any(|at| str::from_utf8(word_at(text, at)).is_ok_and(|word| whole.contains(word)))
    };
    let begins = |word: &[u8]| {
        let mut all = PASTED.iter().map(|[whole, ..]| whole.as_bytes());
        !word.is_empty() && all.any(|whole| whole.len() > word.len() && whole.starts_with(word))
    };
    joined(text).is_none_or(|text| {
        PASTED.iter().any(|row| has_pieces(&text, row))
            || text.split(|&byte| !is_word(byte)).any(begins)
    })
}

fn word_at(text: &[u8], at: usize) -> &[u8] {
    let (before, after) = text.split_at(at);
    let before = before.iter().rev().take_while(|&&byte| is_word(byte));
    let after = after.iter().take_while(|&&byte| is_word(byte));
    &text[at - before.count()..at + after.count()]
}

/// Joins lines that end with a backslash.
///
/// Returns `None` if blanks follow the backslash, because compilers differ.
fn joined(source: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut text = Vec::new();
    let mut copied = 0;
    for at in positions(source, "\\") {
        let rest = &source[at + 1..];
        let length = match rest {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ if after_blanks(rest).starts_with(b"\n") => return None,
            _ => continue,
        };
        text.extend_from_slice(&source[copied..at]);
        copied = at + 1 + length;
    }
    if copied == 0 {
        return Some(Cow::Borrowed(source));
    }
    text.extend_from_slice(&source[copied..]);
    Some(Cow::Owned(text))
}

/// Returns whether `#` begins a directive after this text, possibly after a comment.
fn may_begin_line(before: &[u8]) -> bool {
    let blanks = before.iter().rev().take_while(|&&byte| is_blank(byte));
    let before = &before[..before.len() - blanks.count()];
    // Some compilers may treat other characters as blanks.
    before
        .last()
        .is_none_or(|&last| last == b'\n' || last >= 128)
        || before.ends_with(b"*/")
}

/// Returns the header of a directive, if it has one. The text begins after the `#`.
///
/// Returns `None` if the directive could include a header in another way.
fn directive(text: &[u8]) -> Option<Option<Header>> {
    let text = after_blanks(text);
    let length = text.iter().take_while(|&&byte| is_word(byte)).count();
    let (word, rest) = text.split_at(length);
    if word == b"include" {
        return Some(Some(header(after_blanks(rest))?));
    }
    let reads = ["include", "import", "embed", "using"];
    let reads = match word.first() {
        // There may be a comment before the directive's name.
        None => rest
            .first()
            .is_some_and(|&byte| byte == b'/' || byte >= 128),
        // A number would be a line marker of another preprocessor.
        Some(first) => first.is_ascii_digit() || reads.iter().any(|part| contains(word, part)),
    };
    (!reads).then_some(None)
}

/// Reads `"name"` or `<name>`.
fn header(text: &[u8]) -> Option<Header> {
    let (close, quoted) = match text.first()? {
        b'"' => (b'"', true),
        b'<' => (b'>', false),
        _ => return None,
    };
    let name = text[1..].split(|&byte| byte == close).next()?;
    let closed = text.get(1 + name.len()).is_some();
    let name = str::from_utf8(name).ok()?;
    // Compilers differ in escapes, and in comments within `<` and `>`.
    let plain = |c: char| !c.is_control() && !"\"'\\<>".contains(c);
    let plain = name.chars().all(plain) && !name.contains("//") && !name.contains("/*");
    (closed && plain && !name.is_empty()).then(|| Header {
        name: name.to_owned(),
        quoted,
    })
}

/// `\r` alone does not end a line. A NUL may be a blank.
fn is_blank(byte: u8) -> bool {
    matches!(byte, 0 | b' ' | b'\t' | 11..=13)
}

fn after_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|&&byte| is_blank(byte)).count();
    &text[blanks..]
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn contains(text: &[u8], wanted: &str) -> bool {
    positions(text, wanted).next().is_some()
}

/// Returns the positions of `wanted`.
fn positions(text: &[u8], wanted: &str) -> impl Iterator<Item = usize> {
    let mut end = 0;
    iter::from_fn(move || {
        let at = end + find(&text[end..], wanted)?;
        end = at + wanted.len();
        Some(at)
    })
}

mod tests;
