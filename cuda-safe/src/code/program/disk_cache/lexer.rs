//! The first phases of the preprocessor: it joins lines and removes comments.
//!
//! NVRTC 12.0, 12.4, 12.9, 13.0 and 13.5 were observed to agree on these rules:
//!
//! - A backslash joins two lines only if it is the last character of the line.
//! - `\r` alone does not end a line.
//! - A comment counts as a blank.
//! - An unclosed quote ends at the end of its line, also in groups that a condition skips.
//! - Raw strings are recognized, also in groups that a condition skips.
//! - `%:` means `#`.

use std::{borrow::Cow, ops::Range};

/// A text with its lines joined, and without comments and the contents of raw strings.
pub(super) struct Clean {
    pub(super) text: Vec<u8>,
    /// The position after the `#` of each directive.
    pub(super) directives: Vec<usize>,
    /// The positions of `__has_include` and `__has_include_next`.
    pub(super) probes: Vec<Range<usize>>,
    /// Whether the text contains the operator `##`.
    pub(super) pastes: bool,
    /// Whether the text contains a word that `##` could extend to one of [`PROBES`] or
    /// [`UNKNOWABLE`].
    pub(super) pieces: bool,
}

/// Words that test whether a file exists.
const PROBES: [&[u8]; 2] = [b"__has_include", b"__has_include_next"];

/// Words whose value can change although no file changes, and `__has_embed`, whose search is not
/// implemented here.
const UNKNOWABLE: [&[u8]; 4] = [b"__DATE__", b"__TIME__", b"__TIMESTAMP__", b"__has_embed"];

/// The prefixes of raw strings.
const RAW: [&[u8]; 5] = [b"R", b"LR", b"UR", b"uR", b"u8R"];

/// Returns `None` if compilers could read the text in more than one way, or if it contains a word
/// of [`UNKNOWABLE`].
pub(super) fn clean(source: &[u8]) -> Option<Clean> {
    let source = source.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source);
    let (source, joints) = joined(source)?;
    Lexer {
        source: &source,
        joints,
        at: 0,
        copied: 0,
        fresh: true,
        clean: Clean {
            text: Vec::with_capacity(source.len()),
            directives: Vec::new(),
            probes: Vec::new(),
            pastes: false,
            pieces: false,
        },
    }
    .run()
}

/// Joins lines that end with a backslash. Returns the text and the positions of the joints.
///
/// Returns `None` if the meaning depends on the dialect (trigraphs) or on the compiler (NUL bytes,
/// or blanks between a backslash and the end of the line).
fn joined(source: &[u8]) -> Option<(Cow<'_, [u8]>, Vec<usize>)> {
    if position(source, 0).is_some() || has_trigraph(source) {
        return None;
    }
    let mut text = Vec::new();
    let mut joints = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = position(&source[at..], b'\\') {
        at += found + 1;
        let skipped = match source[at..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            [b' ' | b'\t' | 11..=13, ..] if blank_to_the_end(&source[at..]) => return None,
            _ => continue,
        };
        text.extend_from_slice(&source[copied..at - 1]);
        joints.push(text.len());
        at += skipped;
        copied = at;
    }
    if joints.is_empty() {
        return Some((Cow::Borrowed(source), joints));
    }
    text.extend_from_slice(&source[copied..]);
    Some((Cow::Owned(text), joints))
}

fn has_trigraph(mut source: &[u8]) -> bool {
    while let Some(found) = find(source, b"??") {
        source = &source[found + 1..];
        if source
            .get(1)
            .is_some_and(|third| b"=/'()!<>-".contains(third))
        {
            return true;
        }
    }
    false
}

/// Returns whether the rest of the line is blank.
fn blank_to_the_end(rest: &[u8]) -> bool {
    rest.iter().find(|&&byte| !is_blank(byte)) == Some(&b'\n')
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 11..=13)
}

pub(super) fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
}

const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// Returns the first position of `wanted`.
fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let (&first, others) = wanted.split_first()?;
    let mut at = 0;
    loop {
        at += position(&text[at..], first)?;
        if text[at + 1..].starts_with(others) {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns the first position of a byte. The C library's `memchr` is several times as fast as a
/// loop in Rust.
fn position(text: &[u8], byte: u8) -> Option<usize> {
    // SAFETY: the pointer and the length are those of a slice.
    let found = unsafe { libc::memchr(text.as_ptr().cast(), byte.into(), text.len()) };
    (!found.is_null()).then(|| found as usize - text.as_ptr() as usize)
}

struct Lexer<'a> {
    source: &'a [u8],
    joints: Vec<usize>,
    at: usize,
    /// The length of the source that has been copied to the clean text or removed.
    copied: usize,
    /// Whether the line is blank so far, so that `#` begins a directive.
    fresh: bool,
    clean: Clean,
}

impl Lexer<'_> {
    fn run(mut self) -> Option<Clean> {
        while let Some(&byte) = self.source.get(self.at) {
            match (byte, self.source.get(self.at + 1)) {
                (b'\n', _) => {
                    self.fresh = true;
                    self.at += 1;
                }
                (byte, _) if is_blank(byte) => self.at += 1,
                (b'/', Some(b'/')) => {
                    let end = self.line_end();
                    self.replace(self.at, end, b"");
                }
                (b'/', Some(b'*')) => {
                    let end = find(self.source.get(self.at + 2..)?, b"*/")?;
                    self.replace(self.at, self.at + 2 + end + 2, b" ");
                }
                (b'#', _) if self.fresh => self.directive(1),
                (b'%', Some(b':')) if self.fresh => self.directive(2),
                _ => {
                    self.fresh = false;
                    self.token(byte)?;
                }
            }
        }
        self.replace(self.source.len(), self.source.len(), b"");
        Some(self.clean)
    }

    fn token(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'"' | b'\'' => self.quoted(byte),
            b'0'..=b'9' => self.number(),
            byte if is_word(byte) => self.word(),
            // Some compilers accept these bytes in identifiers.
            128.. => None,
            _ => {
                let rest = &self.source[self.at..];
                self.clean.pastes |= rest.starts_with(b"##") || rest.starts_with(b"%:%:");
                self.at += 1;
                Some(())
            }
        }
    }

    /// Replaces `from..to` with `with` in the clean text, and continues after it.
    fn replace(&mut self, from: usize, to: usize, with: &[u8]) {
        let text = &mut self.clean.text;
        text.extend_from_slice(&self.source[self.copied..from]);
        text.extend_from_slice(with);
        self.copied = to;
        self.at = to;
    }

    /// Converts a position in the source to one in the clean text.
    fn place(&self, at: usize) -> usize {
        self.clean.text.len() + at - self.copied
    }

    fn line_end(&self) -> usize {
        let rest = &self.source[self.at..];
        self.at + position(rest, b'\n').unwrap_or(rest.len())
    }

    fn directive(&mut self, sign: usize) {
        self.fresh = false;
        self.at += sign;
        self.clean.directives.push(self.place(self.at));
    }

    fn word(&mut self) -> Option<()> {
        let start = self.at;
        let length = self.source[start..].iter().position(|&byte| !is_word(byte));
        self.at = length.map_or(self.source.len(), |length| start + length);
        let word = &self.source[start..self.at];
        if UNKNOWABLE.contains(&word) {
            return None;
        }
        if PROBES.contains(&word) {
            let place = self.place(start);
            self.clean.probes.push(place..place + word.len());
        } else {
            self.clean.pieces |= is_piece(word);
        }
        if RAW.contains(&word) && self.source.get(self.at) == Some(&b'"') {
            return self.raw();
        }
        Some(())
    }

    /// Reads a number, which may contain quotes as digit separators.
    ///
    /// In C++11, such a quote begins a character literal. The two readings differ only if the
    /// number contains an underscore, or if a comment or a string begins on the rest of the line.
    /// Returns `None` in these cases.
    fn number(&mut self) -> Option<()> {
        let start = self.at;
        let mut separated = false;
        while let Some(&byte) = self.source.get(self.at) {
            let next = self.source.get(self.at + 1);
            if byte == b'\'' && next.is_some_and(|&next| is_word(next)) {
                separated = true;
            } else if !is_word(byte) && byte != b'.' {
                break;
            }
            self.at += 1;
        }
        let number = &self.source[start..self.at];
        let rest = &self.source[self.at..self.line_end()];
        let differs = number.contains(&b'_') || rest.contains(&b'"') || find(rest, b"/*").is_some();
        (!separated || !differs).then_some(())
    }

    fn quoted(&mut self, quote: u8) -> Option<()> {
        let start = self.at;
        let line = self.line_end();
        let mut end = start + 1;
        while end < line && self.source[end] != quote {
            end += if self.source[end] == b'\\' { 2 } else { 1 };
        }
        let closed = end < line;
        let end = end.min(line);
        // The quote may be an apostrophe in prose. `/*` then begins a comment.
        if (!closed || quote == b'\'') && find(&self.source[start..end], b"/*").is_some() {
            return None;
        }
        if closed {
            self.at = end + 1;
        } else {
            self.replace(start + 1, end, b"");
        }
        Some(())
    }

    /// Reads a raw string after its prefix, and replaces it with an empty string.
    fn raw(&mut self) -> Option<()> {
        let open = self.at + 1;
        let rest = &self.source[open..];
        let length = rest.iter().take(17).position(|&byte| byte == b'(')?;
        let delimiter = &rest[..length];
        if !delimiter.iter().all(|&byte| is_word(byte)) {
            return None;
        }
        let close = [b")", delimiter, b"\""].concat();
        let end = open + find(rest, &close)? + close.len();
        // In a raw string, a backslash does not join lines.
        if self.joints.iter().any(|joint| (open..end).contains(joint)) {
            return None;
        }
        self.replace(open, end, b"\"");
        Some(())
    }
}

/// Returns whether pasting this word with others could produce a word of [`PROBES`] or
/// [`UNKNOWABLE`].
fn is_piece(word: &[u8]) -> bool {
    // This test is cheap and rejects most words.
    let letter = word.iter().find(|&&byte| byte != b'_');
    if word.len() < 4 || !letter.is_some_and(|letter| b"DATIha".contains(letter)) {
        return false;
    }
    PROBES.iter().chain(&UNKNOWABLE).any(|whole| {
        let head = whole.starts_with(word);
        let tail = whole.ends_with(word) && word.len() + 3 >= whole.len();
        let middle = whole
            .strip_prefix(b"__")
            .and_then(|rest| rest.strip_suffix(b"__"));
        head || tail || middle == Some(word)
    })
}

impl Clean {
    /// Returns the positions of a word.
    pub(super) fn occurrences(&self, word: &[u8]) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let inside = |byte: Option<&u8>| byte.is_some_and(|&byte| is_word(byte));
        let mut at = 0;
        while let Some(found) = find(&self.text[at..], word) {
            let place = at + found..at + found + word.len();
            at = place.end;
            let before = place.start.checked_sub(1).and_then(|i| self.text.get(i));
            if !inside(before) && !inside(self.text.get(place.end)) {
                places.push(place);
            }
        }
        places
    }

    /// Returns the line that contains a position.
    pub(super) fn line(&self, at: usize) -> Range<usize> {
        let start = self.text[..at].iter().rposition(|&byte| byte == b'\n');
        let end = position(&self.text[at..], b'\n');
        start.map_or(0, |i| i + 1)..end.map_or(self.text.len(), |i| at + i)
    }
}

mod tests;
