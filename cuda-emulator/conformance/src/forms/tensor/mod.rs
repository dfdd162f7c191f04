//! Tensor cores: matrix products, and copies of fragments between memory and registers. A warp, or
//! a block of four warps, computes one product.

mod layout;
mod matrix;
mod mma;
mod numbers;
mod wgmma;
mod wgmma_maps;
mod wmma;

use crate::form::Form;
use crate::operand::{
    Operand::{self, I32, I64},
    Width::{self, B32, B64},
};

use layout::Registers;

pub fn add(forms: &mut Vec<Form>) {
    mma::add(forms);
    wmma::add(forms);
    matrix::add(forms);
    wgmma::add(forms);
    wgmma_maps::add(forms);
}

/// Returns `count` registers in braces, starting with number `first`.
fn braces(prefix: &str, first: usize, count: usize) -> String {
    let names = (first..first + count).map(|i| format!("%{prefix}{i}"));
    format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
}

/// Returns operands and results of 64 or 32 bits.
fn widths(operands: usize, results: usize, wide: bool) -> (Vec<Operand>, Vec<Width>) {
    let (operand, result) = if wide { (I64, B64) } else { (I32, B32) };
    (vec![operand; operands], vec![result; results])
}

/// Sets a form's operands to the registers of each warp or warpgroup.
fn feed(mut form: Form, groups: &[Registers]) -> Form {
    form.given.clear();
    form.cases = 0;
    for registers in groups {
        assert_eq!(registers.len(), form.operands.len(), "{}", form.name);
        let threads = registers[0].len();
        for thread in 0..threads {
            form.given.extend(registers.iter().map(|r| r[thread]));
        }
        form.cases += threads;
    }
    form
}

/// Converts words of memory to registers. Thread `t` of `threads` has the words `t`, `t + threads`,
/// …. Missing words are zero.
fn spread(words: &[u64], threads: usize) -> Registers {
    let rows = words.chunks(threads);
    rows.map(|row| {
        let mut row = row.to_vec();
        row.resize(threads, 0);
        row
    })
    .collect()
}
