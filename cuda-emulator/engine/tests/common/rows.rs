//! Runs one instruction on many rows of operands.

use super::{Arg, load};

/// Runs `d = op(a, b, c)` on each row. `reg` is the register type, `mem` the type in memory.
pub fn apply<T: Copy + Default, R: Copy + Default>(
    op: &str,
    from: &str,
    to: &str,
    rows: &[[T; 3]],
) -> Vec<R> {
    let (f, t) = (size_of::<T>() * 8, size_of::<R>() * 8);
    let flat: Vec<T> = rows.iter().flatten().copied().collect();
    let ptx = format!(
        ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{
        .reg .{from} %a, %b, %c; .reg .{to} %d; .reg .b32 %r<6>; .reg .pred %p<5>; .reg .b64 %rd<6>;
        mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
        ld.param.u32 %r2, [n]; setp.ge.u32 %p1, %r1, %r2; @%p1 bra DONE;
        ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
        mul.wide.u32 %rd3, %r1, {}; add.u64 %rd1, %rd1, %rd3;
        ld.global.b{f} %a, [%rd1]; ld.global.b{f} %b, [%rd1+{}]; ld.global.b{f} %c, [%rd1+{}];
        {op};
        mul.wide.u32 %rd3, %r1, {}; add.u64 %rd2, %rd2, %rd3;
        st.global.b{t} [%rd2], %d;
        DONE: ret; }}",
        f / 8 * 3,
        f / 8,
        f / 8 * 2,
        t / 8
    );
    let m = load(&ptx);
    let input = m.device.upload(&flat);
    let out = m
        .device
        .allocate((rows.len() * size_of::<R>()) as u64, true);
    m.run(
        "k",
        rows.len().div_ceil(96) as u32,
        96,
        &[input.into(), out.into(), Arg::from(rows.len() as u32)],
    );
    m.device.download(out, rows.len())
}

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

pub const SINGLES: [u32; 16] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0x3eaa_aaab,
];

/// Returns edge values in all combinations of two, and random ones.
pub fn singles() -> Vec<[u32; 3]> {
    let mut random = Random(7);
    let mut rows = Vec::new();
    for a in SINGLES {
        for b in SINGLES {
            rows.push([a, b, SINGLES[random.next() as usize % 16]]);
        }
    }
    for i in 0..4000 {
        let mut one = || random.next() as u32;
        let (a, b, c) = (one(), one(), one());
        // Half of the rows have similar values, so that sums cancel.
        rows.push(if i % 2 == 0 {
            [a, b, c]
        } else {
            [a, a ^ b & 0x80ff_ffff, (a ^ c & 0x8fff_ffff)]
        });
    }
    rows
}

pub fn bits32(x: f32) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}
