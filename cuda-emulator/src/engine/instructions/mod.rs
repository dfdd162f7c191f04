//! The instruction list: every instruction that the emulator knows, by family.
//!
//! A family's file has the arithmetic of its instructions and their entries. An entry is all that is needed for an
//! instruction whose operands follow a known [`Form`](super::ir::Form): lowering, checks, the disassembly and the
//! guide's table read it.

mod approximate;
mod control;
mod double;
mod half;
mod integer;
mod single;
mod soft;
mod system;
mod warp;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::ir::notation::Pattern;
use super::ir::{Choice, Opcode};
use super::lanes;
use crate::ptx::Type;

pub(super) use control::{CALL_INDIRECT, FENCE, RETURN};
pub(super) use system::{ASSERT_FAIL, FREE, MALLOC, PRINT};

/// Every family's entries. Of those that fit an instruction the first is taken, so special cases stand before general
/// ones.
static FAMILIES: &[&[&[Opcode]]] = &[
    integer::LISTS,
    single::LISTS,
    double::LISTS,
    half::LISTS,
    approximate::LISTS,
    warp::LISTS,
    control::LISTS,
];

/// The entries of one mnemonic.
pub(super) type Entries = Vec<(Pattern, &'static Opcode)>;

/// The entries that a mnemonic has; None if the emulator doesn't know it.
pub(super) fn entries(mnemonic: &str) -> Option<&'static Entries> {
    static INDEX: OnceLock<HashMap<&'static str, Entries>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: HashMap<_, Entries> = HashMap::new();
        for opcode in FAMILIES.iter().copied().flatten().copied().flatten() {
            let pattern = Pattern::parse(opcode.name);
            index
                .entry(opcode.mnemonic())
                .or_default()
                .push((pattern, opcode));
        }
        index
    });
    index.get(mnemonic)
}

/// The entry that an instruction with these modifiers has, and what they make of its immediate.
pub(super) fn find(entries: &Entries, modifiers: &[&str]) -> Option<(&'static Opcode, u64)> {
    let (_, opcode) = entries.iter().find(|(p, _)| p.fits(modifiers))?;
    let chosen = opcode.encode.map_or(0, |f| f(&Choice(modifiers)));
    Some((opcode, opcode.imm | chosen))
}

/// Whether a type is missing that every entry of the mnemonic needs.
pub(super) fn untyped(entries: &Entries, modifiers: &[&str]) -> bool {
    entries.iter().all(|(p, _)| p.typed()) && modifiers.iter().all(|m| Type::parse(m).is_none())
}

/// Why no entry of a mnemonic fits.
pub(super) fn refusal(entries: &Entries, modifiers: &[&str]) -> String {
    let strange = modifiers
        .iter()
        .find(|m| !entries.iter().any(|(p, _)| p.knows(m)));
    if let Some(strange) = strange {
        return format!("the emulator doesn't know `.{strange}` on this instruction");
    }
    let known: Vec<&str> = entries.iter().map(|(_, opcode)| opcode.name).collect();
    format!(
        "the emulator doesn't know this form of the instruction; it knows {}",
        known.join(", ")
    )
}

/// Copies a predicate.
pub(super) const COPY_PREDICATE: Opcode =
    Opcode::internal("copy predicate", lanes::predicate(|a, _| a));
