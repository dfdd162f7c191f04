//! The documentation page of instructions, generated from the instruction list.
//!
//! The test fails if the page differs from the list. With `UPDATE_PAGES=1`, it writes the page.

use std::fmt::Write as _;

use super::{FAMILIES, Family};
use crate::ir::{Form, Opcode, Targets};

const HEAD: &str = "\
# Instructions

The PTX instructions that are implemented, in the manual's notation: a part in braces is optional, one of the parts in
brackets is required, and `*` stands for any modifiers. A number in parentheses is the first compute capability that has
the instruction. Loading a module with it for a lower one returns an error. Instructions marked `9.0a` need a module with
`.target sm_90a` (or, except for `wgmma`, a newer one with the suffix `a` or `f`). `CUDA_EMULATOR_TRACE=code` shows the
engine's instructions for a module.
";

/// Returns the entries of a family grouped by mnemonic, in the order of the list.
fn mnemonics(family: &Family) -> Vec<(&'static str, Vec<&'static Opcode>)> {
    let mut out: Vec<(&str, Vec<&Opcode>)> = Vec::new();
    for opcode in family.lists.iter().copied().flatten() {
        if opcode.form == Form::Internal {
            continue;
        }
        match out.iter_mut().find(|(name, _)| *name == opcode.mnemonic()) {
            Some((_, opcodes)) => opcodes.push(opcode),
            None => out.push((opcode.mnemonic(), vec![opcode])),
        }
    }
    out
}

fn page() -> String {
    let mut out = String::from(HEAD);
    for family in FAMILIES {
        let _ = write!(out, "\n## {}\n\n", family.name);
        let faults = family.lists.iter().copied().flatten();
        let faults: std::collections::BTreeSet<&str> =
            faults.flat_map(|o| o.code.faults.names()).collect();
        if !faults.is_empty() {
            let faults: Vec<&str> = faults.into_iter().collect();
            let _ = writeln!(out, "May fault: {}.\n", faults.join(", "));
        }
        for (_, opcodes) in mnemonics(family) {
            let mut forms: Vec<String> = Vec::new();
            for opcode in opcodes {
                let since = match opcode.since {
                    0 => String::new(),
                    since => {
                        let a = match opcode.targets {
                            Targets::All => "",
                            Targets::Specific | Targets::One => "a",
                        };
                        format!(" ({}.{}{a})", since / 10, since % 10)
                    }
                };
                let form = format!("`{}`{since}", opcode.name);
                // Fast special cases have the names of general entries.
                if !forms.contains(&form) {
                    forms.push(form);
                }
            }
            let _ = writeln!(out, "- {}", forms.join(", "));
        }
    }
    out
}

#[test]
fn page_matches_instruction_list() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/instructions.md");
    let wanted = page();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/instructions.md differs from the instruction list. Fix: run this test with UPDATE_PAGES=1"
    );
}

/// An entry would never be used if earlier entries matched all its instructions.
#[test]
fn no_entry_is_hidden_by_another() {
    for family in FAMILIES {
        for (mnemonic, opcodes) in mnemonics(family) {
            let entries = super::entries(mnemonic).unwrap();
            for opcode in opcodes {
                let taken = opcode.spellings().into_iter().all(|spelling| {
                    let modifiers: Vec<&str> = spelling.split('.').skip(1).collect();
                    let (found, _) = super::find(entries, &modifiers).unwrap();
                    !std::ptr::eq(found, opcode)
                });
                assert!(!taken, "{} is never used", opcode.name);
            }
        }
    }
}
