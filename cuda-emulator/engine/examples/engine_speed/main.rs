//! Measures the engine: lane-instructions per second, the sum and convolution kernels, launch and
//! load time.
//!
//! Run `cargo run --release -p cuda-emulator-engine --example engine_speed`. Words after `--`
//! select measurements: only lines that contain all of them are run, such as `-- sum 65536 "1
//! threads"`.

#[path = "../../tests/common/mod.rs"]
mod common;
mod memory;
#[cfg(target_arch = "x86_64")]
mod translated;

use std::time::{Duration, Instant};

use common::{Loaded, load};

const LOOPS: &str = r#"
.version 7.0
.target sm_75
.address_size 64
.visible .entry integers(.param .u64 out, .param .u32 n) {
    .reg .b32 %r<12>; .reg .pred %p<2>; .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    ld.param.u32 %r3, [n];
L:
    mad.lo.s32 %r1, %r1, 1664525, 1013904223;
    xor.b32 %r4, %r1, %r2;
    shl.b32 %r5, %r4, 3;
    add.s32 %r1, %r5, %r1;
    and.b32 %r6, %r1, 65535;
    sub.s32 %r1, %r1, %r6;
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r3;
    @%p1 bra L;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry floats(.param .u64 out, .param .u32 n) {
    .reg .b32 %r<12>; .reg .f32 %f<8>; .reg .pred %p<2>; .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    mov.f32 %f2, 0f3F7FFFFE;
    mov.u32 %r2, 0;
    ld.param.u32 %r3, [n];
L:
    fma.rn.f32 %f1, %f1, %f2, 0f3F000000;
    mul.f32 %f3, %f1, 0f3F800001;
    add.f32 %f4, %f3, %f1;
    fma.rn.f32 %f1, %f4, 0f3E800000, %f3;
    sub.f32 %f1, %f1, %f4;
    max.f32 %f1, %f1, 0f00000000;
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r3;
    @%p1 bra L;
    ld.param.u64 %rd1, [out];
    st.global.f32 [%rd1], %f1;
    ret;
}
// Odd and even lanes diverge in every round.
.visible .entry halves(.param .u64 out, .param .u32 n) {
    .reg .b32 %r<12>; .reg .f32 %f<4>; .reg .pred %p<3>; .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x;
    and.b32 %r4, %r1, 1;
    setp.ne.u32 %p2, %r4, 0;
    cvt.rn.f32.u32 %f1, %r1;
    mov.u32 %r2, 0;
    ld.param.u32 %r3, [n];
L:
    @%p2 bra ODD;
    mad.lo.s32 %r1, %r1, 1664525, 1013904223;
    xor.b32 %r5, %r1, %r2;
    shl.b32 %r5, %r5, 3;
    add.s32 %r1, %r5, %r1;
    bra JOIN;
ODD:
    fma.rn.f32 %f1, %f1, 0f3F7FFFFE, 0f3F000000;
    mul.f32 %f2, %f1, 0f3E800001;
    add.f32 %f1, %f2, 0f3F800000;
    max.f32 %f1, %f1, 0f00000000;
JOIN:
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r3;
    @%p1 bra L;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r1;
    st.global.f32 [%rd1+4], %f1;
    ret;
}
"#;

fn best(runs: usize, mut f: impl FnMut()) -> Duration {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// Returns whether a line is selected: it contains every word of the command line.
fn wanted(line: &str) -> bool {
    std::env::args().skip(1).all(|word| line.contains(&word))
}

/// One thread, and one for each core.
fn threads() -> Vec<usize> {
    match std::thread::available_parallelism().map_or(1, usize::from) {
        1 => vec![1],
        host => vec![1, host],
    }
}

fn main() {
    arithmetic();
    memory::measure();
    sums();
    convolution();
    launches();
    loads();
    #[cfg(target_arch = "x86_64")]
    by_hand();
}

/// The speed that a compiler could reach. See the module.
#[cfg(target_arch = "x86_64")]
fn by_hand() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let n = 1 << 24;
    let data = std::cell::LazyCell::new(|| vec![1f32; n]);
    for width in translated::WIDTHS {
        let line = format!("by hand, {width:?}: integers");
        if wanted(&line) {
            let mut executed = 0;
            let time = best(3, || executed = translated::integers(width, 64, 2000));
            let rate = executed as f64 * 32.0 / time.as_secs_f64() / 1e6;
            println!("{line}: {rate:.0} million lane-instructions/s");
        }
        for grid in [1024, 65536] {
            let line = format!("by hand, {width:?}: sum, {grid} blocks");
            if wanted(&line) {
                let first = data.as_ptr() as u64;
                let end = first + 4 * n as u64;
                let input = translated::Region { first, end };
                let out = AtomicU32::new(0);
                let time = best(3, || {
                    out.store(0, Ordering::Relaxed);
                    translated::sum(width, grid, &out, input, n as u32);
                });
                assert_eq!(f32::from_bits(out.into_inner()), n as f32);
                println!("{line}: {time:?}");
            }
        }
    }
}

fn arithmetic() {
    let mut m = load(LOOPS);
    m.options.time_limit = None;
    for kernel in ["integers", "floats", "halves"] {
        for threads in threads() {
            let line = format!("arithmetic on {kernel}, {threads} threads");
            if wanted(&line) {
                m.options.threads = threads;
                let out = m.device.allocate(64, true);
                let mut instructions = 0;
                let time = best(3, || {
                    let stats = m.run(kernel, 8 * threads as u32, 256, args![out, 2000]);
                    instructions = stats.warp_instructions;
                });
                let rate = instructions as f64 * 32.0 / time.as_secs_f64() / 1e6;
                println!("{line}: {rate:.0} million lane-instructions/s");
            }
        }
    }
}

fn simple() -> Loaded {
    let mut m = load(include_str!("../../tests/ptx/simple.ptx"));
    m.options.time_limit = None;
    m
}

fn sums() {
    let mut m = simple();
    let n = 1 << 24;
    let mut input = None;
    for threads in threads() {
        m.options.threads = threads;
        for kernel in ["sum", "sum_warp"] {
            for grid in [1024, 65536] {
                let line = format!("{kernel} of 2^24, {grid} blocks, {threads} threads");
                if wanted(&line) {
                    let input = *input.get_or_insert_with(|| m.device.upload(&vec![1f32; n]));
                    let out = m.device.upload(&[0f32]);
                    let mut stats = Default::default();
                    let time = best(3, || {
                        stats = m.run(kernel, grid, 256, args![out, input, n as u32])
                    });
                    println!("{line}: {time:?}, {stats:?}");
                }
            }
        }
    }
}

fn convolution() {
    let mut m = simple();
    let image = m.device.upload(&vec![0.5f32; 1 << 20]);
    let out = m.device.allocate(4 << 20, true);
    for threads in threads() {
        let line = format!("5x5 convolution of 1024^2, {threads} threads");
        if wanted(&line) {
            m.options.threads = threads;
            let mut stats = Default::default();
            let time = best(3, || {
                let arguments = args![out, image, 1024, 1024];
                stats = m
                    .try_run("convolve", [64, 64, 1], [16, 16, 1], 0, false, arguments)
                    .unwrap_or_else(|f| panic!("{f}"));
            });
            println!("{line}: {time:?}, {stats:?}");
        }
    }
}

fn launches() {
    let m = simple();
    for (grid, block) in [(1, 1), (1, 32), (1, 256), (2, 32), (100, 256)] {
        let line = format!("launch of an empty kernel, {grid} x {block}");
        if wanted(&line) {
            let count = 2000;
            let time = best(5, || {
                (0..count).for_each(|_| {
                    m.run("empty", grid, block, args![]);
                })
            });
            println!("{line}: {:?}", time / count);
        }
    }
}

fn loads() {
    for (name, text) in [
        ("simple", include_str!("../../tests/ptx/simple.ptx")),
        ("features", include_str!("../../tests/ptx/features.ptx")),
    ] {
        let line = format!("load of {name}, {} lines", text.lines().count());
        if wanted(&line) {
            let time = best(5, || drop(cuda_emulator_engine::Program::load(text)));
            println!("{line}: {time:?}");
        }
    }
}
