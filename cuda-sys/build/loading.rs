//! For the feature `dynamic-loading`: replaces function declarations by definitions that look up the
//! function at the first call.
//!
//! Each definition has the path, the signature and the documentation of the declaration. Its body
//! reads an address, which the first call looks up, and jumps to it. No C name is exported, so that
//! a search for `cuInit` in the process does not find this one.
//!
//! The bindings are text that prettyplease has formatted, so lines are enough to find declarations.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The first line of a block of declarations.
pub const BLOCK: &str = "unsafe extern \"C\" {";
const FUNCTION: &str = "pub fn ";

/// Returns the names of the functions that `bindings` declares.
pub fn functions(bindings: &str) -> BTreeSet<String> {
    bindings
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.strip_prefix(FUNCTION))
        .filter_map(|rest| rest.split_once('('))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Returns `bindings` with all declared functions defined.
pub fn define(bindings: &str) -> Result<String, String> {
    let mut defined = String::with_capacity(2 * bindings.len());
    let mut lines = bindings.lines();
    while let Some(line) = lines.next() {
        if line != BLOCK {
            defined.push_str(line);
            defined.push('\n');
            continue;
        }
        let mut declaration = String::new();
        for line in lines.by_ref().take_while(|&line| line != "}") {
            // Documentation and attributes stay as they are.
            if declaration.is_empty() && !line.trim_start().starts_with(FUNCTION) {
                let _ = writeln!(defined, "{line}");
                continue;
            }
            let line = line.trim_start();
            declaration = declaration + line + " ";
            if line.ends_with(';') {
                define_one(&declaration, &mut defined)
                    .ok_or_else(|| format!("cuda-sys cannot read its binding `{declaration}`"))?;
                declaration.clear();
            }
        }
    }
    Ok(defined)
}

/// Adds the definition of `pub fn name(a: A, b: B) -> R;`.
fn define_one(declaration: &str, defined: &mut String) -> Option<()> {
    let signature = declaration.trim_end().strip_suffix(';')?;
    let (name, rest) = signature.strip_prefix(FUNCTION)?.split_once('(')?;
    let (arguments, result) = rest.split_at(closing(rest)?);
    let arguments = split(arguments);
    let (names, types): (Vec<&str>, Vec<&str>) = arguments
        .iter()
        .map(|argument| argument.split_once(": "))
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .unzip();
    let result = result.strip_prefix(')')?.trim();
    let library = if name.starts_with("nvrtc") {
        "NVRTC"
    } else {
        "DRIVER"
    };
    let (names, types) = (names.join(", "), types.join(", "));
    let _ = write!(
        defined,
        "#[inline]
pub unsafe extern \"C\" fn {name}({}) {result} {{
    static SYMBOL: crate::loading::Symbol = crate::loading::Symbol::new(c\"{name}\");
    match SYMBOL.address(&crate::loading::{library}) {{
        Some(address) => unsafe {{
            ::core::mem::transmute::<
                ::core::ptr::NonNull<::core::ffi::c_void>,
                unsafe extern \"C\" fn({types}) {result},
            >(address)({names})
        }},
        None => crate::loading::Answer::without(&crate::loading::{library}),
    }}
}}
",
        arguments.join(", ")
    );
    Some(())
}

/// Returns the position of the parenthesis that closes the argument list.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// Splits arguments at commas outside of brackets.
fn split(arguments: &str) -> Vec<&str> {
    let (mut depth, mut before) = (0, ' ');
    arguments
        .split(|c| {
            match c {
                '(' | '[' | '<' => depth += 1,
                // Not the arrow of a result.
                ')' | ']' | '>' if before != '-' => depth -= 1,
                _ => {}
            }
            before = c;
            c == ',' && depth == 0
        })
        .map(str::trim)
        .filter(|argument| !argument.is_empty())
        .collect()
}
