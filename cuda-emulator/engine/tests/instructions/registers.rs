//! Single integer instructions, on edge values and many others, compared with independent
//! computations.

use crate::common::rows::apply;

#[test]
fn integer_edges() {
    let edges = [
        0u32,
        1,
        2,
        31,
        32,
        33,
        63,
        255,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff,
        0xffff,
        0x8000,
        0x1234_5678,
    ];
    let mut rows = Vec::new();
    for a in edges {
        for b in edges {
            for c in [0, 5, 31, 32, 40, 300] {
                rows.push([a, b, c]);
            }
        }
    }
    let check = |op: &str, want: &dyn Fn(u32, u32, u32) -> u32| {
        let got = apply::<u32, u32>(op, "b32", "b32", &rows);
        for (row, got) in rows.iter().zip(got) {
            let [a, b, c] = *row;
            assert_eq!(got, want(a, b, c), "{op} of {row:x?}");
        }
    };
    check("shl.b32 %d, %a, %b", &|a, b, _| {
        if b > 31 { 0 } else { a << b }
    });
    check("shr.u32 %d, %a, %b", &|a, b, _| {
        if b > 31 { 0 } else { a >> b }
    });
    check("shr.s32 %d, %a, %b", &|a, b, _| {
        (a as i32 >> b.min(31)) as u32
    });
    check("div.s32 %d, %a, %b", &|a, b, _| {
        if b == 0 {
            u32::MAX
        } else {
            (a as i32).wrapping_div(b as i32) as u32
        }
    });
    check("rem.u32 %d, %a, %b", &|a, b, _| {
        a.checked_rem(b).unwrap_or(u32::MAX)
    });
    check("mul.hi.s32 %d, %a, %b", &|a, b, _| {
        (i64::from(a as i32).wrapping_mul(i64::from(b as i32)) >> 32) as u32
    });
    check("mul24.lo.s32 %d, %a, %b", &|a, b, _| {
        ((a << 8) as i32 >> 8).wrapping_mul((b << 8) as i32 >> 8) as u32
    });
    check("mad24.hi.u32 %d, %a, %b, %c", &|a, b, c| {
        ((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 16) as u32 + c
    });
    check("add.sat.s32 %d, %a, %b", &|a, b, _| {
        (a as i32).saturating_add(b as i32) as u32
    });
    check("sad.s32 %d, %a, %b, %c", &|a, b, c| {
        (a as i32).abs_diff(b as i32).wrapping_add(c)
    });
    check("abs.s32 %d, %a", &|a, _, _| {
        (a as i32).wrapping_abs() as u32
    });
    check("clz.b32 %d, %a", &|a, _, _| a.leading_zeros());
    check("bfind.u32 %d, %a", &|a, _, _| {
        if a == 0 {
            u32::MAX
        } else {
            31 - a.leading_zeros()
        }
    });
    check("bfind.shiftamt.s32 %d, %a", &|a, _, _| {
        let m = if (a as i32) < 0 { !a } else { a };
        if m == 0 { u32::MAX } else { m.leading_zeros() }
    });
    let field = |a: u32, at: u32, len: u32, signed: bool| {
        let (at, len) = (at & 255, len & 255);
        let sign = if !signed || len == 0 {
            0
        } else {
            a >> (at + len - 1).min(31) & 1
        };
        (0..32).fold(0, |d, i| {
            d | if i < len && at + i <= 31 {
                a >> (at + i) & 1
            } else {
                sign
            } << i
        })
    };
    check("bfe.u32 %d, %a, %b, %c", &|a, b, c| field(a, b, c, false));
    check("bfe.s32 %d, %a, %b, %c", &|a, b, c| field(a, b, c, true));
    check("bfi.b32 %d, %a, %b, %c, 7", &|a, b, c| {
        let at = c & 255;
        (0..7).fold(b, |d, i| {
            if at + i <= 31 {
                d & !(1 << (at + i)) | (a >> i & 1) << (at + i)
            } else {
                d
            }
        })
    });
    check("prmt.b32 %d, %a, %b, %c", &|a, b, c| {
        let all = u64::from(b) << 32 | u64::from(a);
        (0..4).fold(0, |d, i| {
            let s = c >> (4 * i) & 15;
            let byte = (all >> (8 * (s & 7))) as u8;
            d | u32::from(if s & 8 != 0 {
                if byte & 128 != 0 { 255 } else { 0 }
            } else {
                byte
            }) << (8 * i)
        })
    });
    check("shf.l.clamp.b32 %d, %a, %b, %c", &|a, b, c| {
        ((u64::from(b) << 32 | u64::from(a)) << c.min(32) >> 32) as u32
    });
    check("shf.r.wrap.b32 %d, %a, %b, %c", &|a, b, c| {
        ((u64::from(b) << 32 | u64::from(a)) >> (c & 31)) as u32
    });
    check("lop3.b32 %d, %a, %b, %c, 0x1b", &|a, b, c| {
        (0..32).fold(0, |d, i| {
            d | (0x1b >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i
        })
    });
    check("fns.b32 %d, %a, 3, 2", &|a, _, _| {
        (3..32)
            .filter(|i| a >> i & 1 != 0)
            .nth(1)
            .unwrap_or(u32::MAX)
    });
    check("bmsk.clamp.b32 %d, %a, %c", &|a, _, c| {
        if a > 31 {
            0
        } else {
            (if c > 31 { u32::MAX } else { (1 << c) - 1 }) << a
        }
    });
    check("dp2a.lo.s32.u32 %d, %a, %b, %c", &|a, b, c| {
        let x = |i: u32| (a >> (16 * i)) as i16 as i32;
        let y = |i: u32| (b >> (8 * i) & 255) as i32;
        (x(0) * y(0))
            .wrapping_add(x(1).wrapping_mul(y(1)))
            .wrapping_add(c as i32) as u32
    });
    check("slct.b32.s32 %d, %a, %b, %c", &|a, b, c| {
        if c as i32 >= 0 { a } else { b }
    });
    check("slct.ftz.b32.f32 %d, %a, %b, %c", &|a, b, c| {
        let c = f32::from_bits(c);
        if c >= 0.0 || c.is_subnormal() { a } else { b }
    });
    // The registers are wider than the results, which are extended by their sign.
    check("cvt.s16.u32 %d, %a", &|a, _, _| a as i16 as u32);
    check("cvt.u16.s32 %d, %a", &|a, _, _| (a as u16).into());
    check("cvt.s16.u8 %d, %a", &|a, _, _| (a as u8).into());
    check("cvt.s16.s8 %d, %a", &|a, _, _| a as i8 as u32);
    check("cvt.u16.s8 %d, %a", &|a, _, _| (a as i8 as u16).into());
    check(
        "{.reg .b64 %w; mov.b64 %w, {%a, %b}; cvt.s16.u64 %d, %w;}",
        &|a, _, _| a as i16 as u32,
    );
    check(
        "{.reg .b8 %x<4>; mov.b32 {%x0, %x1, %x2, %x3}, %a; mov.b32 %d, {%x3, %x2, %x1, %x0};}",
        &|a, _, _| a.swap_bytes(),
    );
    check(
        "{.reg .b128 %q; mov.b128 %q, {%a, %b, %c, %a}; mov.b128 {_, %d, _, _}, %q;}",
        &|_, b, _| b,
    );
    check("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c", &|a, b, c| {
        let s = |x: u32| (x as i32).clamp(0, 255) as u32;
        c << 16 | s(a) << 8 | s(b)
    });
    check("set.lt.u32.s32 %d, %a, %b", &|a, b, _| {
        if (a as i32) < b as i32 { u32::MAX } else { 0 }
    });
    check(
        "setp.eq.s32 %p2, %c, 5; setp.hi.and.u32 %p3|%p4, %a, %b, !%p2; selp.b32 %d, 1, 0, %p3; @%p4 add.u32 %d, %d, 2",
        &|a, b, c| u32::from(a > b && c != 5) + 2 * u32::from(a <= b && c != 5),
    );
    check("add.cc.u32 %r4, %a, %b; addc.u32 %d, %c, 0", &|a, b, c| {
        c + u32::from(a.checked_add(b).is_none())
    });
    check(
        "sub.cc.u32 %r4, %a, %b; subc.cc.u32 %r5, 0, 0; subc.u32 %d, %c, 0",
        &|a, b, c| c.wrapping_sub(u32::from(a < b)),
    );
    check(
        "mad.lo.cc.u32 %r4, %a, %b, %c; madc.hi.u32 %d, %a, %b, 7",
        &|a, b, c| {
            ((u64::from(a) * u64::from(b)).wrapping_add(u64::from(c)) >> 32).wrapping_add(7) as u32
        },
    );
}
