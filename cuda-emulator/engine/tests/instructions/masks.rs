//! Partly active warps: only active lanes get results, and only their addresses matter.

use crate::common::load;
use cuda_emulator_engine::FaultKind;

/// Masks of 32 lanes: the ends, single lanes, gaps, few and many lanes.
fn masks() -> Vec<u32> {
    let mut masks = vec![u32::MAX, 1, 1 << 31, 0x8000_0001, 0xaaaa_aaaa, 0x5555_5555];
    for n in 1..32 {
        masks.extend([u32::MAX >> n, u32::MAX << n, 1 << n, !(1 << n)]);
    }
    let mut x = 0x9e37_79b9u32;
    for _ in 0..40 {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        masks.extend([x, x & x.rotate_left(7), x | x.rotate_left(9)]);
    }
    masks.retain(|&mask| mask != 0);
    masks
}

/// Loads, computes, compares and stores under a guard. Inactive lanes have invalid addresses. `$ty`
/// is the type in memory, `$reg` the register's type, and `$size` its size in bytes.
fn guarded(ty: &str, reg: &str, size: u32) -> String {
    let wide = if reg == "b64" { "u64" } else { "u32" };
    let register = if reg == "b16" { "b32" } else { reg };
    format!(
        r#"
.version 8.0
.target sm_80
.address_size 64
.visible .entry guarded(.param .u64 in, .param .u64 out, .param .u64 all, .param .u32 mask, .param .u32 step) {{
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .reg .{register} %v<4>;
    .shared .align 8 .b8 window[256];
    mov.u32 %r1, %tid.x;
    ld.param.u32 %r2, [mask];
    shr.u32 %r3, %r2, %r1;
    and.b32 %r3, %r3, 1;
    setp.ne.u32 %p1, %r3, 0;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u64 %rd3, [all];
    ld.param.u32 %r4, [step];
    mul.wide.u32 %rd4, %r1, %r4;
    add.s64 %rd1, %rd1, %rd4;
    mul.wide.u32 %rd4, %r1, {size};
    add.s64 %rd2, %rd2, %rd4;
    add.s64 %rd3, %rd3, %rd4;
    @!%p1 mov.u64 %rd1, 8;
    @!%p1 mov.u64 %rd2, 8;
    mov.{register} %v1, 77;
    @%p1 ld.global.{ty} %v1, [%rd1];
    @%p1 add.{wide} %v1, %v1, 3;
    @%p1 setp.gt.{wide} %p2, %v1, 100;
    @!%p1 setp.ne.u32 %p2, %r1, %r1;
    @%p1 selp.{register} %v1, %v1, 100, %p2;
    // Through shared memory, with shared and generic addresses.
    mov.u32 %r5, window;
    mad.lo.u32 %r5, %r1, {size}, %r5;
    st.shared.{ty} [%r5], 0;
    @!%p1 mov.u32 %r5, 0xfffffff0;
    @%p1 st.shared.{ty} [%r5], %v1;
    cvt.u64.u32 %rd5, %r5;
    cvta.shared.u64 %rd5, %rd5;
    @%p1 ld.{ty} %v2, [%rd5];
    @%p1 st.global.{ty} [%rd2], %v2;
    st.global.{ty} [%rd3], %v1;
    ret;
}}
"#
    )
}

fn check<T>(ty: &str, reg: &str, number: fn(u64) -> T, value: fn(T) -> u64)
where
    T: Copy + Default + PartialEq + std::fmt::Debug,
{
    let size = size_of::<T>() as u32;
    let mut m = load(&guarded(ty, reg, size));
    m.options.threads = 1;
    let data: Vec<T> = (0..64u64).map(|i| number(i * 0x0107_0503 % 251)).collect();
    for mask in masks() {
        // The same address for all lanes, consecutive ones, and every second one.
        for step in [0, size, 2 * size] {
            let input = m.device.upload(&data);
            let out = m.device.upload(&[number(0xee); 32]);
            let all = m.device.upload(&[number(0xee); 32]);
            // The first block looks up the region, and the second one finds it in the cache.
            m.run("guarded", 2, 32, args![input, out, all, mask, step]);
            let (mut some, mut every) = ([number(0xee); 32], [number(77); 32]);
            for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                let loaded = value(data[lane * (step / size) as usize]);
                some[lane] = number((loaded + 3).max(100));
                every[lane] = some[lane];
            }
            let context = format!("{ty}, mask {mask:#034b}, step {step}");
            assert_eq!(m.device.download::<T>(out, 32), some, "{context}");
            assert_eq!(m.device.download::<T>(all, 32), every, "{context}");
        }
    }
}

#[test]
fn one_byte_elements() {
    check::<u8>("u8", "b16", |x| x as u8, u64::from);
}

#[test]
fn two_byte_elements() {
    check::<u16>("u16", "b16", |x| x as u16, u64::from);
}

#[test]
fn four_byte_elements() {
    check::<u32>("u32", "b32", |x| x as u32, u64::from);
}

#[test]
fn eight_byte_elements() {
    check::<u64>("u64", "b64", |x| x, |x| x);
}

/// The second block uses `more` additional lanes at the end, and reads `back` bytes further to the
/// front.
const ENDS: &str = r#"
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 out, .param .u64 in, .param .u32 first, .param .u32 end, .param .u32 more,
    .param .u32 back) {
    .reg .b32 %r<8>; .reg .b64 %rd<5>; .reg .pred %p<3>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r7, %ctaid.x;
    ld.param.u32 %r2, [first];
    ld.param.u32 %r3, [end];
    ld.param.u32 %r4, [more];
    ld.param.u32 %r5, [back];
    mad.lo.u32 %r3, %r4, %r7, %r3;
    setp.lt.u32 %p1, %r1, %r2;
    setp.ge.or.u32 %p1, %r1, %r3, %p1;
    @%p1 bra DONE;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mul.wide.u32 %rd4, %r7, %r5;
    sub.s64 %rd2, %rd2, %rd4;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.u32 %r6, [%rd2];
    st.global.u32 [%rd1], %r6;
DONE:
    ret;
}
"#;

/// A warp with inactive last lanes may end exactly at the end of the memory, but not one lane
/// later. The same holds at its start.
#[test]
fn accesses_are_checked_at_the_ends_of_memory() {
    let mut m = load(ENDS);
    m.options.threads = 1;
    let data: Vec<u32> = (1..=64).collect();
    for count in 1..=32u32 {
        let data = &data[..count as usize];
        let input = m.device.upload(data);
        let out = m.device.upload(&vec![0u32; data.len()]);
        m.run("copy", 2, 32, args![out, input, 0, count, 0, 0]);
        assert_eq!(m.device.download::<u32>(out, data.len()), data);
        let fault = |out, input, first, end, more, back| {
            let arguments = args![out, input, first, end, more, back];
            let fault = m.fault("copy", 2, 32, arguments);
            assert_eq!(fault.kind, FaultKind::IllegalAddress, "{}", fault.report);
            assert_eq!(fault.block, [1, 0, 0]);
            (fault.thread, fault.report.contains("write"))
        };
        let room = m.device.upload(&[0u32; 32]);
        if count < 32 {
            let lane = [count, 0, 0];
            assert_eq!(fault(room, input, 0, count, 1, 0), (lane, false));
            let long = m.device.upload(&[0u32; 32]);
            assert_eq!(fault(out, long, 0, count, 1, 0), (lane, true));
        }
        // The lanes from 1 on. Lane 1 is one element before the memory.
        if count > 1 {
            let lane = [1, 0, 0];
            assert_eq!(fault(room, input, 1, count, 0, 8), (lane, false));
        }
    }
}
