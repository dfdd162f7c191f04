//! Splits PTX text into tokens.

use super::{LoadError, LoadErrorKind};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, opcode or special register, including dots and `::`: `ld.global.f32`, `%tid.x`.
    Word,
    /// `.directive` or `.modifier`, one segment.
    Dot,
    /// A number, not yet decoded.
    Number,
    /// A string, including quotes.
    String,
    /// Any other single character.
    Punct(u8),
    /// The end.
    End,
}

/// A token: kind, position in the text, line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
    pub line: u32,
}

fn word_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'$' | b'%')
}

fn word_part(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%')
}

/// Returns all tokens of the text. The last one is `End`.
pub(super) fn lex(source: &str) -> Result<Vec<Token>, LoadError> {
    let text = source.as_bytes();
    let error = |line, message: String| LoadError {
        kind: LoadErrorKind::Syntax,
        line,
        instruction: String::new(),
        message,
    };
    if text.len() >= u32::MAX as usize {
        return Err(error(0, "the text is larger than 4 GiB".into()));
    }
    let at = |i: usize| text.get(i).copied().unwrap_or(0);
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let (mut i, mut line) = (0, 1u32);
    while i < text.len() {
        let c = text[i];
        let start = i;
        let first_line = line;
        let kind = match c {
            b'\n' => {
                line += 1;
                i += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                i += 1;
                continue;
            }
            b'/' if at(i + 1) == b'/' => {
                while i < text.len() && text[i] != b'\n' {
                    i += 1;
                }
                continue;
            }
            b'/' if at(i + 1) == b'*' => {
                i += 2;
                while i < text.len() && !(text[i] == b'*' && at(i + 1) == b'/') {
                    line += u32::from(text[i] == b'\n');
                    i += 1;
                }
                if i >= text.len() {
                    return Err(error(first_line, "a comment is not terminated".into()));
                }
                i += 2;
                continue;
            }
            b'"' => {
                i += 1;
                while i < text.len() && text[i] != b'"' {
                    line += u32::from(text[i] == b'\n');
                    i += 1 + usize::from(text[i] == b'\\');
                }
                if i >= text.len() {
                    return Err(error(first_line, "a string is not terminated".into()));
                }
                i += 1;
                Kind::String
            }
            b'.' if word_start(at(i + 1)) => {
                i += 2;
                while word_part(at(i)) {
                    i += 1;
                }
                // `.shared::cta` and similar names are one segment.
                while at(i) == b':' && at(i + 1) == b':' && word_part(at(i + 2)) {
                    i += 3;
                    while word_part(at(i)) {
                        i += 1;
                    }
                }
                Kind::Dot
            }
            b'0'..=b'9' => {
                let hex = c == b'0' && matches!(at(i + 1), b'x' | b'X' | b'f' | b'F' | b'd' | b'D');
                i += 1;
                loop {
                    let d = at(i);
                    if d.is_ascii_alphanumeric()
                        || (d == b'.' && !hex && at(i + 1).is_ascii_digit())
                    {
                        i += 1;
                        if !hex && matches!(d, b'e' | b'E') && matches!(at(i), b'+' | b'-') {
                            i += 1;
                        }
                    } else if d == b'.' && !hex && !word_part(at(i + 1)) {
                        i += 1;
                    } else {
                        break;
                    }
                }
                Kind::Number
            }
            c if word_start(c) => {
                i += 1;
                loop {
                    if word_part(at(i)) {
                        i += 1;
                    } else if (at(i) == b'.' && word_part(at(i + 1)))
                        || (at(i) == b':' && at(i + 1) == b':' && word_part(at(i + 2)))
                    {
                        i += 2;
                    } else {
                        break;
                    }
                }
                // A lone `%` is the remainder operator.
                if i == start + 1 && c == b'%' {
                    Kind::Punct(b'%')
                } else {
                    Kind::Word
                }
            }
            c if c < 0x80 => {
                i += 1;
                Kind::Punct(c)
            }
            _ => {
                return Err(error(
                    line,
                    "a character outside ASCII; is this PTX text?".into(),
                ));
            }
        };
        tokens.push(Token {
            kind,
            start: start as u32,
            end: i.min(text.len()) as u32,
            line: first_line,
        });
    }
    tokens.push(Token {
        kind: Kind::End,
        start: text.len() as u32,
        end: text.len() as u32,
        line,
    });
    Ok(tokens)
}
