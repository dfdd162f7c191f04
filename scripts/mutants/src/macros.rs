//! Finds changes inside macros: in the output of `macro_rules!`, and in the bodies of the
//! emulator's `export!`.
//!
//! The output of a macro is parsed with `_name` in place of `$name` and with spaces in place of
//! repetitions, so that every byte keeps its position. One mutant applies to all uses of the macro.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::visit::Visit;
use syn::{Block, File, ImplItem, ItemMacro};

use crate::find::{Bytes, Finder, Output};

/// Searches a macro's definition, or the use of a known macro.
pub fn search(finder: &mut Finder<'_>, item: &ItemMacro) {
    let path = &item.mac.path;
    if path.is_ident("macro_rules") {
        let name = item
            .ident
            .as_ref()
            .map_or_else(String::new, ToString::to_string);
        let groups = item
            .mac
            .tokens
            .clone()
            .into_iter()
            .filter_map(|token| match token {
                TokenTree::Group(group) => Some(group),
                _ => None,
            });
        // Pattern, text, pattern, text, ...
        for group in groups.skip(1).step_by(2) {
            finder.within(format!("{name}!"), |finder| written(finder, &name, group));
        }
    } else if path.is_ident("export") {
        exported(finder, item.mac.tokens.clone());
    }
}

fn is(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

fn inside(group: &Group) -> Bytes {
    group.span_open().byte_range().end..group.span_close().byte_range().start
}

/// Returns the end of the repetition that begins at `tokens[0]`: `$( ... ) separator *`.
fn repetition(tokens: &[TokenTree]) -> Option<(&Group, usize)> {
    let [first, TokenTree::Group(group), rest @ ..] = tokens else {
        return None;
    };
    if !is(Some(first), '$') || group.delimiter() != Delimiter::Parenthesis {
        return None;
    }
    let ends = |token: Option<&TokenTree>| ['*', '+', '?'].into_iter().any(|sign| is(token, sign));
    let length = if ends(rest.first()) { 3 } else { 4 };
    (tokens.len() >= length).then_some((group, length))
}

/// Searches the output of one rule of a macro.
fn written(finder: &mut Finder<'_>, name: &str, mut group: Group) {
    let mut tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    // If the whole output is repeated, treat it as if it occurred once.
    while let Some((inner, length)) = repetition(&tokens) {
        if length != tokens.len() {
            break;
        }
        group = inner.clone();
        tokens = group.stream().into_iter().collect();
    }
    if tokens.is_empty() {
        return;
    }
    let bytes = inside(&group);
    let mut text = blank(finder.text, bytes.clone());
    fill(&mut text, &tokens);
    let text = String::from_utf8(text).expect("whole characters were replaced");
    let members = |input: ParseStream<'_>| {
        let mut members: Vec<ImplItem> = Vec::new();
        while !input.is_empty() {
            members.push(input.parse()?);
        }
        Ok(members)
    };
    if let Ok(items) = syn::parse_str::<File>(&text) {
        finder.visit_file(&items);
    } else if let Ok(members) = members.parse_str(&text) {
        for member in &members {
            finder.visit_impl_item(member);
        }
    } else if let Ok(statements) = Block::parse_within.parse_str(&text) {
        for statement in &statements {
            finder.visit_stmt(statement);
        }
    } else {
        finder.pass_over(bytes.start, format!("macro {name}!, which can't be parsed"));
    }
}

/// Returns the text with spaces outside of `bytes`.
fn blank(text: &str, bytes: Bytes) -> Vec<u8> {
    let mut blanked = vec![b' '; text.len()];
    blanked[bytes.clone()].copy_from_slice(&text.as_bytes()[bytes]);
    blanked
}

/// Replaces `$` by `_`, and repetitions by spaces.
fn fill(text: &mut [u8], tokens: &[TokenTree]) {
    let mut rest = tokens;
    while let [token, after @ ..] = rest {
        if let Some((_, length)) = repetition(rest) {
            let start = token.span().byte_range().start;
            let end = rest[length - 1].span().byte_range().end;
            text[start..end].fill(b' ');
            rest = &rest[length..];
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                fill(text, &inner);
            }
            TokenTree::Punct(punct) if punct.as_char() == '$' => {
                text[punct.span().byte_range()].fill(b'_');
            }
            _ => {}
        }
        rest = after;
    }
}

/// Searches any number of `fn name(..) { body }` or `fn name / name_ptsz(..) { body }`, which
/// return `Result<()>`.
fn exported(finder: &mut Finder<'_>, tokens: TokenStream) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let output = Output {
        shown: " -> Result".into(),
        values: vec!["Ok(())".into()],
        iterates: false,
    };
    for (index, token) in tokens.iter().enumerate() {
        let (TokenTree::Ident(word), Some(TokenTree::Ident(name))) = (token, tokens.get(index + 1))
        else {
            continue;
        };
        let body = tokens[index..].iter().find_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
            _ => None,
        });
        let (true, Some(body)) = (*word == "fn", body) else {
            continue;
        };
        let start = token.span().byte_range().start;
        let braces = body.span().byte_range();
        let text = String::from_utf8(blank(finder.text, braces.clone()));
        let block = text
            .ok()
            .and_then(|text| syn::parse_str::<Block>(&text).ok());
        match block {
            Some(block) => finder.function(name.to_string(), start..braces.end, &output, &block),
            None => finder.pass_over(start, format!("the body of {name}, which can't be parsed")),
        }
    }
}
