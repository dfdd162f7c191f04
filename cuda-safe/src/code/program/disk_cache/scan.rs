//! Finds the header names, macros and `__has_include` tests in one text.

use std::ops::Range;

use super::lexer::{Clean, clean, is_blank, is_word};

/// A header that a text includes or tests for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) name: String,
    /// Whether the request is `"name"` and not `<name>`.
    pub(super) quoted: bool,
    /// Whether the compiler may expand macros in the name.
    pub(super) expands: bool,
}

/// A `#define`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Macro {
    pub(super) name: Vec<u8>,
    pub(super) body: Vec<u8>,
    pub(super) has_parameters: bool,
}

/// An analysed text.
pub(super) struct Text {
    clean: Clean,
    pub(super) requests: Vec<Request>,
    /// Macros that are the operand of an `#include`.
    pub(super) by_macro: Vec<String>,
    pub(super) macros: Vec<Macro>,
    /// Macros that expand to `__has_include`.
    pub(super) aliases: Vec<String>,
}

/// Directives that read no file.
const HARMLESS: [&[u8]; 17] = [
    b"assert",
    b"define",
    b"elif",
    b"elifdef",
    b"elifndef",
    b"else",
    b"endif",
    b"error",
    b"ident",
    b"if",
    b"ifdef",
    b"ifndef",
    b"line",
    b"pragma",
    b"unassert",
    b"undef",
    b"warning",
];

/// The words that precede the name of a macro to define it, undefine it or test whether it is
/// defined.
const NAMING: [&[u8]; 7] = [
    b"define",
    b"defined",
    b"elifdef",
    b"elifndef",
    b"ifdef",
    b"ifndef",
    b"undef",
];

impl Text {
    /// Analyses a text. Returns `None` if it is not certain which files the text refers to.
    pub(super) fn scan(source: &[u8]) -> Option<Self> {
        let mut clean = clean(source)?;
        let directives = std::mem::take(&mut clean.directives);
        let probes = std::mem::take(&mut clean.probes);
        let mut text = Self {
            clean,
            requests: Vec::new(),
            by_macro: Vec::new(),
            macros: Vec::new(),
            aliases: Vec::new(),
        };
        for at in directives {
            text.directive(at)?;
        }
        for place in probes {
            text.probe(place, false)?;
        }
        Some(text)
    }

    /// Adds the headers that the text tests for with `alias`, a macro that expands to
    /// `__has_include`.
    pub(super) fn scan_for(&mut self, alias: &str) -> Option<()> {
        self.clean
            .occurrences(alias.as_bytes())
            .into_iter()
            .try_for_each(|place| self.probe(place, true))
    }

    pub(super) fn pastes(&self) -> bool {
        self.clean.pastes
    }

    pub(super) fn has_pieces(&self) -> bool {
        self.clean.pieces
    }

    fn directive(&mut self, at: usize) -> Option<()> {
        let end = self.clean.line(at).end;
        let mut rest = Cursor::new(&self.clean.text, at..end);
        let directive = rest.word();
        match &self.clean.text[directive] {
            b"include" | b"include_next" => {
                if let Some(request) = rest.header_name() {
                    self.requests.push(request);
                    return Some(());
                }
                // The operand is a macro. Macros with arguments are not implemented.
                let name = rest.word();
                let name = rest.is_at_end().then(|| &self.clean.text[name])?;
                self.by_macro.push(string(name)?);
            }
            b"define" => {
                let name = rest.word();
                self.macros.push(Macro {
                    name: self.clean.text[name].to_vec(),
                    has_parameters: rest.next_is(b'('),
                    body: rest.rest().trim_ascii().to_vec(),
                });
            }
            // `#` alone is harmless. A number would be a line marker of another preprocessor.
            b"" => return rest.is_at_end().then_some(()),
            other => return HARMLESS.contains(&other).then_some(()),
        }
        Some(())
    }

    /// Analyses one use of `__has_include`, or of a macro that expands to it. The compiler expands
    /// macros between the parentheses of such a macro, but not between those of `__has_include`.
    fn probe(&mut self, place: Range<usize>, by_macro: bool) -> Option<()> {
        let text = &self.clean.text;
        let line = self.clean.line(place.start);
        let before = text[line.start..place.start].trim_ascii_end();
        let last_word = |text: &[u8]| {
            let length = text.iter().rev().take_while(|&&b| is_word(b)).count();
            NAMING.contains(&&text[text.len() - length..])
        };
        let in_parentheses = before.strip_suffix(b"(").map(<[u8]>::trim_ascii_end);
        if last_word(before) || in_parentheses.is_some_and(last_word) {
            return Some(());
        }
        let mut rest = Cursor::new(text, place.end..line.end);
        if rest.skip(b'(')
            && let Some(request) = rest.header_name()
            && rest.skip(b')')
        {
            let defines = Cursor::new(text, line).defines();
            self.requests.push(Request {
                expands: by_macro || defines,
                ..request
            });
            return Some(());
        }
        let alias = Cursor::new(text, line).alias(&text[place])?;
        self.aliases.push(string(alias)?);
        Some(())
    }
}

fn string(text: &[u8]) -> Option<String> {
    (!text.is_empty()).then(|| String::from_utf8(text.to_vec()).ok())?
}

/// A reader of one part of a text.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a [u8], part: Range<usize>) -> Self {
        Self {
            text,
            at: part.start,
            end: part.end,
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..self.end]
    }

    fn next_is(&self, byte: u8) -> bool {
        self.rest().first() == Some(&byte)
    }

    fn blanks(&mut self) {
        self.at += self.rest().iter().take_while(|&&b| is_blank(b)).count();
    }

    fn is_at_end(&mut self) -> bool {
        self.blanks();
        self.rest().is_empty()
    }

    fn skip(&mut self, byte: u8) -> bool {
        self.blanks();
        let there = self.next_is(byte);
        self.at += usize::from(there);
        there
    }

    fn word(&mut self) -> Range<usize> {
        self.blanks();
        let start = self.at;
        self.at += self.rest().iter().take_while(|&&b| is_word(b)).count();
        start..self.at
    }

    /// Reads `"name"` or `<name>`.
    fn header_name(&mut self) -> Option<Request> {
        self.blanks();
        let (close, quoted) = match self.rest().first()? {
            b'"' => (b'"', true),
            b'<' => (b'>', false),
            _ => return None,
        };
        let name = &self.rest()[1..];
        let name = &name[..name.iter().position(|&byte| byte == close)?];
        // Quotes and backslashes have no special meaning in a header name, but the lexer has
        // already treated them as quotes and escapes.
        if name.iter().any(|byte| b"\"'\\".contains(byte)) {
            return None;
        }
        self.at += name.len() + 2;
        Some(Request {
            name: string(name)?,
            quoted,
            expands: false,
        })
    }

    /// Reads a directive's `#` and name, and returns whether they are `#define`.
    fn defines(&mut self) -> bool {
        self.skip(b'#') && &self.text[self.word()] == b"define"
    }

    /// Returns the name in `#define NAME(X) word(X)` or `#define NAME word`.
    fn alias(mut self, word: &[u8]) -> Option<&'a [u8]> {
        let text = self.text;
        self.defines().then_some(())?;
        let name = &text[self.word()];
        let parameter = if self.next_is(b'(') {
            self.skip(b'(');
            let parameter = &text[self.word()];
            (self.skip(b')') && !parameter.is_empty()).then_some(parameter)?
        } else {
            b""
        };
        if &text[self.word()] != word {
            return None;
        }
        if !parameter.is_empty() {
            let same = self.skip(b'(') && &text[self.word()] == parameter;
            (same && self.skip(b')')).then_some(())?;
        }
        self.is_at_end().then_some(name)
    }
}

mod tests;
