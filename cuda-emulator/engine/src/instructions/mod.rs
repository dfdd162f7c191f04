//! The instruction list: every instruction that the emulator supports, by family.
//!
//! A family's file has the arithmetic of its instructions and their entries. An instruction whose
//! operands follow an existing [`Form`](crate::ir::Form) needs only an entry. Lowering, checks, the
//! disassembly and the guide's table use it.

mod address;
mod approximate;
mod atomic;
pub(super) mod bits;
mod clock;
mod compare;
mod control;
mod convert;
mod copy;
mod double;
mod half;
mod integer;
mod listing;
mod load_store;
mod mbarrier;
mod r#move;
#[cfg(test)]
mod operand_fuzz;
#[cfg(test)]
mod page;
mod select;
mod single;
mod soft;
mod system;
mod tensor;
mod tensor_map;
mod texture;
pub(super) mod video;
mod warp;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::ir::notation::Pattern;
use crate::ir::{Choice, Opcode};
use crate::ptx::Type;

pub(super) use address::{
    ADDRESS, ADDRESS_OF_32, ADDRESS_OF_ARGUMENT, ADDRESS_OF_LOCAL, ADDRESS_OF_PARAM, POLL,
};
pub(super) use clock::varying;
pub(super) use compare::{COPY_PREDICATES, SWAPPED, WIDEN_BRAIN, WIDEN_HALF};
pub(super) use control::{CALL_INDIRECT, FENCE, RETURN};
pub(super) use convert::{LOW_WORD, general};
pub(super) use copy::{BULK, BULK_COMMIT, BULK_MULTICAST, BULK_PREFETCH, BULK_WAIT, COPY_ASYNC};
pub(super) use load_store::{
    LOAD, LOAD_FRAME, LOAD_PARAM, LOAD_VECTOR, Move, STORE, STORE_FRAME, STORE_VECTOR,
    find as find_move,
};
pub(super) use mbarrier::{MBARRIER_CHANGE, MBARRIER_WAIT, MBARRIER_WAIT_PARITY, NEGATE};
pub(super) use r#move::{
    COPY, COPY_PREDICATE, HALF_OF_128, JOIN, PART_OF_32, PART_OF_64, WORD_OF_128,
};
pub(super) use select::{SELECT, SELECT_UPPER};
pub(super) use system::{
    ASSERT_FAIL, DEVICE_RUNTIME, FREE, LAUNCH_GRAPH, MALLOC, PRINT, SET_CONDITIONAL,
    SET_NODE_ENABLED, SET_NODE_GRID, SET_NODE_PARAM, UPDATE_NODES,
};
pub(super) use tensor::GATHER;
pub(super) use tensor_map::{TENSOR_COPY, TENSOR_MAP_COPY, TENSOR_REPLACE};
pub(super) use texture::{QUERY, SAMPLE, SURFACE};

/// A group of related instructions.
pub(super) struct Family {
    /// The heading in the guide.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the guide's page"))]
    name: &'static str,
    lists: &'static [&'static [Opcode]],
}

const fn family(name: &'static str, lists: &'static [&'static [Opcode]]) -> Family {
    Family { name, lists }
}

/// The entries of all families. The first matching entry is used, so special cases come before
/// general ones.
static FAMILIES: &[Family] = &[
    family("Integer arithmetic", integer::LISTS),
    family("Single precision", single::LISTS),
    family("Double precision", double::LISTS),
    family("Half precision and bfloat16", half::LISTS),
    family("Transcendental functions", approximate::LISTS),
    family("Bits", bits::LISTS),
    family("Video", video::LISTS),
    family("Comparisons", compare::LISTS),
    family("Selections", select::LISTS),
    family("Moves", r#move::LISTS),
    family("Conversions", convert::LISTS),
    family("Loads and stores", load_store::LISTS),
    family("Atomic operations", atomic::LISTS),
    family("Addresses", address::LISTS),
    family("Asynchronous copies", copy::LISTS),
    family("Tensor maps", tensor_map::LISTS),
    family("Textures and surfaces", texture::LISTS),
    family("Barriers in memory", mbarrier::LISTS),
    family("Operations of a warp", warp::LISTS),
    family("Tensor cores", tensor::LISTS),
    family("Control, barriers, fences, hints", control::LISTS),
];

/// The entries of a mnemonic.
pub(super) type Entries = Vec<(Pattern, &'static Opcode)>;

/// Returns the entries of a mnemonic. None if the emulator does not support it.
pub(super) fn entries(mnemonic: &str) -> Option<&'static Entries> {
    static INDEX: OnceLock<HashMap<&'static str, Entries>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: HashMap<_, Entries> = HashMap::new();
        for opcode in FAMILIES.iter().flat_map(|f| f.lists).copied().flatten() {
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

/// Returns the entry for an instruction with these modifiers, and the immediate that they encode.
pub(super) fn find(entries: &Entries, modifiers: &[&str]) -> Option<(&'static Opcode, u64)> {
    let (_, opcode) = entries.iter().find(|(p, _)| p.fits(modifiers))?;
    let chosen = opcode.encode.map_or(0, |f| f(&Choice(modifiers)));
    Some((opcode, opcode.imm | chosen))
}

/// Returns whether the instruction lacks a type that every entry of the mnemonic needs.
pub(super) fn untyped(entries: &Entries, modifiers: &[&str]) -> bool {
    entries.iter().all(|(p, _)| p.typed()) && modifiers.iter().all(|m| Type::parse(m).is_none())
}

/// Returns the reason and a remedy for an unsupported mnemonic.
pub(super) fn unknown(mnemonic: &str) -> &'static str {
    match mnemonic {
        "tcgen05" => {
            "the emulator does not support the tensor cores of compute capability 10.0. Fix: compile the kernel for 9.0a"
        }
        "multimem" => "the emulator does not support multicast memory",
        "clusterlaunchcontrol" => {
            "the emulator does not support features newer than compute capability 9.0"
        }
        _ => "the emulator does not support this instruction",
    }
}

/// Returns the reason why no entry of a mnemonic matches.
pub(super) fn mismatch(entries: &Entries, modifiers: &[&str]) -> String {
    let strange = modifiers
        .iter()
        .find(|m| !entries.iter().any(|(p, _)| p.knows(m)));
    if let Some(strange) = strange {
        return format!("the emulator does not support `.{strange}` on this instruction");
    }
    // Sort the entries by the number of modifiers that they match.
    let mut closest: Vec<_> = entries.iter().collect();
    closest
        .sort_by_key(|(p, _)| std::cmp::Reverse(modifiers.iter().filter(|m| p.knows(m)).count()));
    let known: Vec<&str> = closest.iter().take(3).map(|(_, o)| o.name).collect();
    format!(
        "the emulator does not support this form of the instruction. The closest supported form is {}",
        known.join(", ")
    )
}
