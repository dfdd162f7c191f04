//! `ldmatrix`, `stmatrix` and `movmatrix`.

use super::{braces, feed, spread, widths};
use crate::form::Form;
use crate::random::Random;

/// Words of shared memory that each lane writes and reads: 64 rows of 16 bytes in total.
const WORDS: usize = 8;

pub fn add(forms: &mut Vec<Form>) {
    for count in [1, 2, 4] {
        for trans in ["", ".trans"] {
            load(forms, count, trans);
            store(forms, count, trans);
        }
    }
    let name = "movmatrix.sync.aligned.m8n8.trans.b16";
    let (operands, results) = widths(1, 1, false);
    let form = Form::new(name, &operands, &results);
    let words: Vec<u64> = (0..32).map(|i| (2 * i) | (2 * i + 1) << 16).collect();
    forms.push(feed(form, &[spread(&words, 32)]));
}

/// Fills a warp's memory with the first operands. `at` is the row in the last operand.
fn filled(around: &str, last: usize) -> String {
    let mut text = String::from(
        "{\n.shared .align 16 .b8 memory[4096];\n.reg .b32 own, at;\n\
         mov.u32 at, memory;\nand.b32 %x, %y, 0x60;\nmad.lo.u32 own, %x, 32, at;\n",
    );
    text += &format!(
        "mad.lo.u32 at, %a{last}, 16, own;\nand.b32 %x, %y, 0x1f;\nmad.lo.u32 own, %x, 4, own;\n"
    );
    for word in 0..WORDS {
        text += &format!("st.shared.b32 [own+{}], %a{word};\n", word * 128);
    }
    text + "bar.warp.sync 0xffffffff;\n" + around + "\n}"
}

/// Returns distinct rows of a warp's memory.
fn rows(random: &mut Random) -> Vec<u64> {
    let mut rows: Vec<u64> = (0..64).collect();
    for i in (1..64).rev() {
        rows.swap(i, random.below(i + 1));
    }
    rows.truncate(32);
    rows
}

/// Each 16-bit element contains its index.
fn numbered() -> Vec<u64> {
    let word = |i: u64| (2 * i) | (2 * i + 1) << 16;
    (0..32 * WORDS as u64).map(word).collect()
}

fn load(forms: &mut Vec<Form>, count: usize, trans: &str) {
    let name = format!("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16");
    let (operands, results) = widths(WORDS + 1, count, false);
    let body = filled(&format!("{name} {}, [at];", braces("d", 0, count)), WORDS);
    let form = Form::new(&name, &operands, &results).body(body);
    let mut random = Random::from_name(&name);
    let warps = (0..2).map(|_| {
        let mut registers = spread(&numbered(), 32);
        registers.push(rows(&mut random));
        registers
    });
    let warps: Vec<_> = warps.collect();
    forms.push(feed(form, &warps));
}

fn store(forms: &mut Vec<Form>, count: usize, trans: &str) {
    let name = format!("stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16");
    let (operands, results) = widths(WORDS + count + 1, WORDS, false);
    let mut rest = format!(
        "{name} [at], {};\nbar.warp.sync 0xffffffff;\n",
        braces("a", WORDS, count)
    );
    for word in 0..WORDS {
        rest += &format!("ld.shared.b32 %d{word}, [own+{}];\n", word * 128);
    }
    let body = filled(rest.trim_end(), WORDS + count);
    let form = Form::new(&name, &operands, &results).body(body);
    let mut random = Random::from_name(&name);
    let warps = (0..2).map(|_| {
        let mut registers = spread(&vec![0xffff_ffff; 32 * WORDS], 32);
        registers.extend(spread(&numbered()[..32 * count], 32));
        registers.push(rows(&mut random));
        registers
    });
    let warps: Vec<_> = warps.collect();
    forms.push(feed(form, &warps));
}
