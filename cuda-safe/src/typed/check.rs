//! Compares signatures with the source. The compiler does it, by assertions after the source, which leave nothing in
//! the code. If one fails, `tell` finds out which one and why.

use std::fmt::Write;

use super::{Declaration, tell};
use crate::{
    device::ComputeCapability,
    error::Result,
    program::{Architecture, CompiledProgram, Program},
};

/// What declares and compares, in C++11; any program may precede it. `$` stands for a prefix: whatever a program
/// defines as a macro, it is not a name in here.
const CHECK: &str = include_str!("check.cuh");

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
    followed_by(&named, &[CHECK, &assertions])
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

/// The program with text after its source, on lines of its own.
pub(super) fn followed_by(program: &Program, parts: &[&str]) -> Program {
    let mut text = String::from("\n\n");
    for part in parts {
        text.push_str(&part.replace('$', "cuda_direct_"));
    }
    program.clone().append(&text)
}

pub(super) fn telling(program: &Program, text: &str) -> Program {
    followed_by(program, &[CHECK, include_str!("tell.cuh"), text])
}

#[cfg(test)]
mod tests;
