//! A source text as the preprocessor sees it: without comments, with lines joined.
//!
//! NVRTC 12.0, 12.4, 12.9, 13.0 and 13.5 were observed to agree on these rules: a backslash joins lines only at the
//! very end of a line; `\r` alone does not end a line; a comment counts as a blank; quotes that aren't closed end
//! with their line, and raw strings are strings, even in groups that a condition skips; `%:` stands for `#`.

use std::{borrow::Cow, ops::Range};

/// A text without comments, joined lines, and contents of raw strings.
pub(super) struct Clean {
    pub(super) text: Vec<u8>,
    /// Where each directive continues after its `#`.
    pub(super) directives: Vec<usize>,
    /// The places of `__has_include` and `__has_include_next`.
    pub(super) probes: Vec<Range<usize>>,
    /// Whether words are pasted together anywhere.
    pub(super) pastes: bool,
    /// Whether there is a piece of a word that matters.
    pub(super) pieces: bool,
}

/// Words that test whether a file exists.
const PROBES: [&[u8]; 2] = [b"__has_include", b"__has_include_next"];

/// Words whose value changes although no file does, or that look for a file in another way.
const UNKNOWABLE: [&[u8]; 4] = [b"__DATE__", b"__TIME__", b"__TIMESTAMP__", b"__has_embed"];

/// What makes a string raw.
const RAW: [&[u8]; 5] = [b"R", b"LR", b"UR", b"uR", b"u8R"];

/// `None` where compilers may read the text in more than one way, and for words whose value no file determines.
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

/// The text without the backslashes that join lines, and the places of these. `None` where the meaning depends on the
/// dialect (trigraphs) or on the compiler (NUL, blanks between a backslash and the line's end).
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

/// Whether only blanks come before the line's end.
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

/// The first place of `wanted`.
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

/// The first place of a byte. The C library's search is several times as fast as one written here.
fn position(text: &[u8], byte: u8) -> Option<usize> {
    // SAFETY: a slice's memory and length.
    let found = unsafe { libc::memchr(text.as_ptr().cast(), byte.into(), text.len()) };
    (!found.is_null()).then(|| found as usize - text.as_ptr() as usize)
}

struct Lexer<'a> {
    source: &'a [u8],
    joints: Vec<usize>,
    at: usize,
    /// How much of the source is in the clean text, or left out of it.
    copied: usize,
    /// Whether the line has only blanks so far, so that `#` begins a directive.
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
            // A letter for some compilers.
            128.. => None,
            _ => {
                let rest = &self.source[self.at..];
                self.clean.pastes |= rest.starts_with(b"##") || rest.starts_with(b"%:%:");
                self.at += 1;
                Some(())
            }
        }
    }

    /// Continues behind `from..to`, for which the clean text gets `with` instead.
    fn replace(&mut self, from: usize, to: usize, with: &[u8]) {
        let text = &mut self.clean.text;
        text.extend_from_slice(&self.source[self.copied..from]);
        text.extend_from_slice(with);
        self.copied = to;
        self.at = to;
    }

    /// The place in the clean text of something in the source.
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

    /// A number may contain quotes as separators. In C++11 these begin characters, which makes no difference to other
    /// lines, unless a comment or a string begins on this one.
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
        // An apostrophe may belong to prose, and then what looks like a comment is one.
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

    /// A raw string, whose prefix was read; it becomes an empty one.
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
        // A joint of lines is none in a raw string.
        if self.joints.iter().any(|joint| (open..end).contains(joint)) {
            return None;
        }
        self.replace(open, end, b"\"");
        Some(())
    }
}

/// Whether a word that matters may be the result of pasting this one and another, or this one between underscores.
fn is_piece(word: &[u8]) -> bool {
    // The first letter distinguishes most words.
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
    /// The places of a word.
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

    /// The line that a place is on.
    pub(super) fn line(&self, at: usize) -> Range<usize> {
        let start = self.text[..at].iter().rposition(|&byte| byte == b'\n');
        let end = position(&self.text[at..], b'\n');
        start.map_or(0, |i| i + 1)..end.map_or(self.text.len(), |i| at + i)
    }
}

mod tests;
