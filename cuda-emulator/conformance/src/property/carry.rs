//! Random carry chains of three to five instructions. The flag is set before it is read.

use crate::form::Form;
use crate::operand::{
    Operand::{I32, I64},
    Width::{B32, B64},
};
use crate::random::Random;

/// Chains of each type.
const CHAINS: usize = 40;

const FIRST: [&str; 4] = ["add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"];
const NEXT: [&str; 8] = [
    "addc",
    "subc",
    "madc.lo",
    "madc.hi",
    "addc.cc",
    "subc.cc",
    "madc.lo.cc",
    "madc.hi.cc",
];

fn sources(instruction: &str) -> usize {
    if instruction.starts_with("mad") { 3 } else { 2 }
}

/// Adds forms named `carries TYPE INSTRUCTION INSTRUCTION …`, with a result for each instruction.
pub fn add(forms: &mut Vec<Form>) {
    for (t, operand, width) in [
        ("u32", I32, B32),
        ("s32", I32, B32),
        ("u64", I64, B64),
        ("s64", I64, B64),
    ] {
        let mut random = Random::from_name(&format!("carries {t}"));
        for _ in 0..CHAINS {
            let mut chain = vec![*random.pick(&FIRST)];
            for _ in 0..1 + random.below(3) {
                // Instructions that do not read the flag also occur in the middle.
                let restart = random.below(6) == 0;
                chain.push(*random.pick(if restart { &FIRST[..] } else { &NEXT }));
            }
            chain.push(*random.pick(&NEXT[..4]));
            let (mut body, mut used) = (String::new(), 0);
            for (i, instruction) in chain.iter().enumerate() {
                let last = used + sources(instruction);
                let list: Vec<String> = (used..last).map(|a| format!("%a{a}")).collect();
                body += &format!("{instruction}.{t} %d{i}, {};\n", list.join(", "));
                used = last;
            }
            let name = format!("carries {t} {}", chain.join(" "));
            let form = Form::new(name, &vec![operand; used], &vec![width; chain.len()]);
            forms.push(form.body(body.trim_end()));
        }
    }
}

/// Returns the results of a chain. The flag is the carry of a sum. A subtraction adds the
/// complement, so the flag means that nothing was borrowed.
pub fn reference(chain: &str, operands: &[u64]) -> Option<Vec<u64>> {
    let mut words = chain.split(' ');
    let t = words.next()?;
    let bits: u32 = t[1..].parse().ok()?;
    let ones = u128::MAX >> (128 - bits);
    let (mut rest, mut flag, mut results) = (operands, 0, Vec::new());
    for instruction in words {
        let (mine, others) = rest.split_at_checked(sources(instruction))?;
        rest = others;
        let (mut a, mut b) = (u128::from(mine[0]), u128::from(mine[1]));
        if instruction.starts_with("mad") {
            let signed = |x: u128| ((x << (128 - bits)) as i128 >> (128 - bits)) as u128;
            let product = match t.starts_with('s') {
                true => signed(a).wrapping_mul(signed(b)),
                false => a * b,
            };
            let high = instruction.contains(".hi");
            a = (product >> if high { bits } else { 0 }) & ones;
            b = mine[2].into();
        }
        let name = instruction.split('.').next()?;
        let subtracts = name.starts_with("sub");
        if subtracts {
            b = !b & ones;
        }
        let sum = a
            + b
            + if name.ends_with('c') {
                flag
            } else {
                u128::from(subtracts)
            };
        results.push((sum & ones) as u64);
        if instruction.ends_with(".cc") {
            flag = sum >> bits;
        }
    }
    Some(results)
}
