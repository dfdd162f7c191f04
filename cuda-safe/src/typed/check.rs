//! Compares signatures with the source. The compiler does it, by assertions after the source, which leave nothing in
//! the code. If one fails, `tell` finds out which one and why.

use std::{
    collections::BTreeSet,
    fmt::Write,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::{Declaration, tell};
use crate::{
    code::program::{Architecture, CompiledProgram, Program},
    device::ComputeCapability,
    error::Result,
};

/// What declares and compares, in C++11; any program may precede it. `$` stands for the [`prefix`] of its names.
const CHECK: &str = include_str!("check.cuh");

/// Words that the comparisons have beside those of [`CHECK`].
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
            tell::reason(program, architecture.without_code(), declarations).unwrap_or(error)
        })
}

/// Types in C++: the kernel's, and the one that it is compared with.
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

/// The prefix of all names in the text behind a source. It contains a hash of that source, so that the source does not
/// declare such names itself.
pub(super) fn prefix(program: &Program) -> String {
    let mut hasher = DefaultHasher::new();
    program.source().hash(&mut hasher);
    format!("cuda_direct_{:016x}_", hasher.finish())
}

/// The program with text after its source, on lines of its own.
///
/// A source may define macros with the names of keywords, such as `static_assert` or `float`, or with those of kernels. They
/// end before the text. NVRTC looks kernels up after the text, and so finds those that were compared.
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

/// A name expression without its template arguments, in which macros of the source count.
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

/// Directives that undefine all words of some texts, but for names with the prefix.
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

pub(super) fn telling(program: &Program, declarations: &[Declaration], text: &str) -> Program {
    followed_by(
        program,
        declarations,
        &[CHECK, include_str!("tell.cuh"), text],
    )
}

#[cfg(test)]
mod tests;
