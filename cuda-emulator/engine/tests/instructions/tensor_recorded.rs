//! `mma` compared with recorded results of an H200, for every shape, type and modifier.
//!
//! For each instruction, `data/tensor-h200.bin` contains eight words (length of its text, cases,
//! registers of `a`, `b`, `c`, of metadata and of `d`, and whether they have 64 bits), its text,
//! and the cases' registers before and after it, for 32 lanes each. It was derived from a recording
//! of 205 instructions with up to 196 cases each. One to three cases of each were kept, chosen by
//! number alone. All results were equal when the file was created.

use crate::common::load;

/// Reads the next word.
fn word(data: &mut &[u8]) -> usize {
    let (first, rest) = data.split_at(4);
    *data = rest;
    u32::from_le_bytes(first.try_into().expect("four bytes")) as usize
}

fn take<'d>(data: &mut &'d [u8], count: usize) -> &'d [u8] {
    let (first, rest) = data.split_at(count);
    *data = rest;
    first
}

/// Returns a kernel that loads each lane's registers from memory and stores the results. Each case
/// has a block.
fn kernel(text: &str, [a, b, c, e, d]: [usize; 5], size: usize) -> String {
    let ty = if size == 8 { "b64" } else { "b32" };
    let (before, after) = ((a + b + c + e) * 32 * size, d * 32 * size);
    let mut out = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{{\n\
         .reg .b64 %in, %out;\n.reg .b32 %x, %t;\n.reg .{ty} %a<{a}>, %b<{b}>, %c<{c}>, %d<{d}>;\n.reg .b32 %e<1>;\n\
         ld.param.u64 %in, [p];\nld.param.u64 %out, [q];\nmov.u32 %x, %ctaid.x;\nmov.u32 %t, %tid.x;\n\
         mad.wide.u32 %in, %x, {before}, %in;\nmad.wide.u32 %out, %x, {after}, %out;\n\
         mad.wide.u32 %in, %t, {size}, %in;\nmad.wide.u32 %out, %t, {size}, %out;\n"
    );
    let mut at = 0;
    for (name, count) in [("a", a), ("b", b), ("c", c), ("e", e)] {
        for i in 0..count {
            out += &format!("ld.global.{ty} %{name}{i}, [%in+{at}];\n");
            at += 32 * size;
        }
    }
    out += &format!("{text}\n");
    for i in 0..d {
        out += &format!("st.global.{ty} [%out+{}], %d{i};\n", i * 32 * size);
    }
    out + "ret;\n}\n"
}

#[test]
fn results_match_h200() {
    let mut data = include_bytes!("../data/tensor-h200.bin").as_slice();
    let mut instructions = 0;
    while !data.is_empty() {
        let [length, cases, a, b, c, e, d, wide] = std::array::from_fn(|_| word(&mut data));
        let size = if wide != 0 { 8 } else { 4 };
        let text = std::str::from_utf8(take(&mut data, length)).expect("text");
        let before = take(&mut data, cases * (a + b + c + e) * 32 * size);
        let after = take(&mut data, cases * d * 32 * size);
        let l = load(&kernel(text, [a, b, c, e, d], size));
        let (from, to) = (
            l.device.upload(before),
            l.device.allocate(after.len() as u64, true),
        );
        l.run("k", cases as u32, 32, args![from, to]);
        let got = l.device.download::<u8>(to, after.len());
        assert!(got == after, "{text}");
        instructions += 1;
    }
    assert_eq!(instructions, 205);
}
