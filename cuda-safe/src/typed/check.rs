//! Compares declared signatures with the source.
//!
//! The compiler makes the comparison: static assertions are appended to the source and produce no
//! code. If one fails, the module `mismatch` finds out which one and why.

use std::{
    collections::BTreeSet,
    fmt::Write,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::{Declaration, mismatch};
use crate::{
    code::program::{Architecture, CompiledProgram, Program},
    device::ComputeCapability,
    error::Result,
};

/// The C++11 definitions for the comparison. They can be appended to any program. `$` is replaced
/// with the [`prefix`] of their names.
const CHECK: &str = include_str!("check.cuh");

/// Words that the comparisons use, in addition to those of [`CHECK`].
const COMPARISONS: &str = "static_assert decltype float double";

pub(super) fn compile(
    program: &Program,
    capability: ComputeCapability,
    declarations: &[Declaration],
) -> Result<CompiledProgram> {
    let architecture = Architecture::for_device(capability)?;
    let named = declarations.iter().fold(program.clone(), |program, one| {
        program.name_expression(one.name)
    });
    let mut assertions = String::new();
    for declaration in declarations {
        let Facts { actual, declared } = facts(declaration);
        let _ = writeln!(
            assertions,
            "static_assert($fits<{actual}, {declared}>::$is, \"\");"
        );
    }
    followed_by(&named, declarations, &[CHECK, &assertions])
        .compile(architecture)
        .map_err(|error| {
            mismatch::reason(program, architecture.without_code(), declarations).unwrap_or(error)
        })
}

/// The C++ types of a kernel and of its declaration.
pub(super) struct Facts {
    pub(super) actual: String,
    pub(super) declared: String,
}

pub(super) fn facts(declaration: &Declaration) -> Facts {
    let parameters = declaration.parameters.iter();
    let comparisons: Vec<_> = parameters
        .zip((declaration.signature)())
        .map(|((_, exact), declared)| declared.comparison(*exact))
        .collect();
    Facts {
        actual: format!("decltype(&{})", declaration.name),
        declared: format!("$declared<{}>", comparisons.join(", ")),
    }
}

/// Returns the prefix of all names in the text that is appended to a source. It contains a hash of
/// the source, so the source cannot declare such names itself.
pub(super) fn prefix(program: &Program) -> String {
    let mut hasher = DefaultHasher::new();
    program.source().hash(&mut hasher);
    format!("cuda_direct_{:016x}_", hasher.finish())
}

/// Returns the program with text appended on separate lines.
///
/// A source can define macros with the names of kernels or of keywords, such as `static_assert` and
/// `float`. These macros are undefined before the text. NVRTC looks kernels up after the text, so
/// it finds the kernels that were compared.
fn followed_by(program: &Program, declarations: &[Declaration], parts: &[&str]) -> Program {
    let names = declarations.iter().map(|one| without_arguments(one.name));
    let names: Vec<String> = names.collect();
    let mut text = format!("\n\n{}", undefined(&[CHECK, COMPARISONS, &names.join(" ")]));
    let prefix = prefix(program);
    for part in parts {
        text.push_str(&part.replace('$', &prefix));
    }
    program.clone().append(&text)
}

/// Returns a name expression without its template arguments. The source's macros apply to template
/// arguments.
fn without_arguments(name: &str) -> String {
    let mut depth = 0;
    let outside = |c: &char| {
        depth += i32::from(*c == '<');
        let is_outside = depth == 0;
        depth -= i32::from(*c == '>');
        is_outside
    };
    name.chars().filter(outside).collect()
}

/// Returns directives that undefine all words of `texts` except names with the prefix.
fn undefined(texts: &[&str]) -> String {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let is_word = |text: &&str| text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let words = texts.iter().flat_map(|text| text.split(|c| !is_of_word(c)));
    let words: BTreeSet<&str> = words.filter(is_word).collect();
    words
        .iter()
        .map(|word| format!("#undef {word}\n"))
        .collect()
}

pub(super) fn with_query(program: &Program, declarations: &[Declaration], text: &str) -> Program {
    followed_by(
        program,
        declarations,
        &[CHECK, include_str!("mismatch.cuh"), text],
    )
}

#[cfg(test)]
mod tests;
