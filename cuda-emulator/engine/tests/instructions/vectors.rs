//! Vector accesses are a single access: no thread sees a part of another thread's store.
//!
//! On an H200, none of 160,000 reads of each form was torn.

use crate::common::{Loaded, load};
use cuda_emulator_engine::Device as _;

/// An access of several elements, in PTX notation.
struct Form {
    access: &'static str,
    /// The type and number of the registers.
    register: &'static str,
    count: usize,
    bytes: u32,
}

const fn form(access: &'static str, register: &'static str, count: usize, bytes: u32) -> Form {
    Form {
        access,
        register,
        count,
        bytes,
    }
}

const FORMS: [Form; 12] = [
    form("v2.u8", "b32", 2, 2),
    form("v4.u8", "b32", 4, 4),
    form("v2.u16", "b32", 2, 4),
    form("v4.u16", "b32", 4, 8),
    form("v2.u32", "b32", 2, 8),
    form("v2.b32", "b64", 2, 8),
    form("v4.u32", "b32", 4, 16),
    form("v4.f32", "f32", 4, 16),
    form("v2.u64", "b64", 2, 16),
    form("v2.f64", "f64", 2, 16),
    form("v4.b32", "b64", 4, 16),
    form("b128", "b128", 1, 16),
];

impl Form {
    fn list(&self, name: &str) -> String {
        let names: Vec<String> = (0..self.count).map(|i| format!("%{name}{i}")).collect();
        if self.count == 1 {
            names[0].clone()
        } else {
            format!("{{{}}}", names.join(", "))
        }
    }

    /// Even blocks store vectors with equal bytes. Odd blocks load them and count those with
    /// different bytes. Each lane has a separate vector.
    fn kernel(&self, order: &str) -> String {
        let Form {
            access,
            register,
            bytes,
            ..
        } = self;
        let faster = bytes / 2 + 2;
        let (stored, loaded) = (self.list("s"), self.list("l"));
        // The same byte everywhere: a 64-bit value, truncated to the elements' sizes.
        let fill: String = if *register == "b128" {
            "    mov.b128 %s0, {%rd4, %rd4};\n".into()
        } else {
            let from = if register.ends_with("64") {
                "%rd4"
            } else {
                "%r4"
            };
            (0..self.count)
                .map(|i| format!("    mov.b{} %s{i}, {from};\n", &register[1..]))
                .collect()
        };
        // Elements are compared in memory, after a store.
        format!(
            "
.version 8.3
.target sm_90
.address_size 64
.visible .entry tear(.param .u64 data, .param .u64 torn, .param .u64 seen, .param .u32 n) {{
    .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<8>;
    .reg .{register} %s<4>; .reg .{register} %l<4>;
    .local .align 16 .b8 own[16];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r9, 0;
    mov.u32 %r10, 0;
    and.b32 %r3, %r2, 1;
    setp.ne.u32 %p1, %r3, 0;
    ld.param.u64 %rd1, [data];
    mul.wide.u32 %rd2, %r1, {bytes};
    add.u64 %rd1, %rd1, %rd2;
    ld.param.u32 %r5, [n];
    // Readers need more time per round.
    @!%p1 mul.lo.u32 %r5, %r5, {faster};
    mov.u32 %r6, 0;
LOOP:
    @%p1 bra READ;
    add.u32 %r4, %r6, %r2;
    and.b32 %r4, %r4, 255;
    mul.lo.u32 %r4, %r4, 0x01010101;
    mov.b64 %rd4, {{%r4, %r4}};
{fill}
    st{order}.global.{access} [%rd1], {stored};
    bra NEXT;
READ:
    ld{order}.global.{access} {loaded}, [%rd1];
    st.local.{access} [own], {loaded};
    ld.local.u8 %r11, [own];
    // Also counts changes, since the test shows nothing if no thread writes.
    setp.ne.u32 %p4, %r11, %r12;
    @%p4 add.u32 %r10, %r10, 1;
    mov.u32 %r12, %r11;
    mov.u32 %r13, 1;
    mov.u64 %rd6, own;
    mov.pred %p3, 0;
BYTES:
    cvt.u64.u32 %rd7, %r13;
    add.u64 %rd7, %rd6, %rd7;
    ld.local.u8 %r14, [%rd7];
    setp.ne.or.u32 %p3, %r14, %r11, %p3;
    add.u32 %r13, %r13, 1;
    setp.lt.u32 %p5, %r13, {bytes};
    @%p5 bra BYTES;
    @%p3 add.u32 %r9, %r9, 1;
NEXT:
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, %r5;
    @%p2 bra LOOP;
    ld.param.u64 %rd3, [torn];
    red.global.add.u32 [%rd3], %r9;
    ld.param.u64 %rd3, [seen];
    red.global.add.u32 [%rd3], %r10;
    ret;
}}
"
        )
    }
}

/// Runs one test at a time, since each needs all cores.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static CORES: std::sync::Mutex<()> = std::sync::Mutex::new(());
    CORES.lock().unwrap_or_else(|held| held.into_inner())
}

fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

/// Runs a kernel with one block per core. Returns the number of torn reads, and the number of reads
/// whose value changed.
fn torn(m: &mut Loaded, kernel: &str, lanes: u32, rounds: u32) -> (u32, u32) {
    // ThreadSanitizer makes each round many times slower.
    let rounds = match cfg!(cuda_emulator_tsan) {
        true => rounds / 10,
        false => rounds,
    };
    let blocks = cores().max(2);
    m.options.threads = blocks as usize;
    let data = m.device.upload(&[0u128; 32]);
    let counts = m.device.upload(&[0u32; 2]);
    m.run(
        kernel,
        blocks,
        lanes,
        args![data, counts, counts + 4, rounds],
    );
    let counts = m.device.download::<u32>(counts, 2);
    (counts[0], counts[1])
}

#[test]
fn vector_accesses_are_not_torn() {
    let _alone = alone();
    for form in &FORMS {
        for order in ["", ".relaxed.gpu"] {
            let mut m = load(&form.kernel(order));
            for (lanes, rounds) in [(1, 100_000), (32, 4000), (20, 4000)] {
                let (torn, changes) = torn(&mut m, "tear", lanes, rounds);
                println!(
                    "{}{order}, {lanes} lanes: {changes} changes, {torn} torn",
                    form.access
                );
                assert_eq!(torn, 0, "{}{order}, {lanes} lanes", form.access);
                assert_ne!(changes, 0, "no thread wrote during the reads");
            }
        }
    }
}

/// Copies vectors under a guard, through memory of each kind. Every lane has 64 bytes, and `step`
/// lanes share them.
fn copies(form: &Form) -> String {
    let Form { access, bytes, .. } = form;
    let list = form.list("s");
    format!(
        "
.version 8.3
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 in, .param .u64 out, .param .u32 mask, .param .u32 step) {{
    .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<8>;
    .reg .{register} %s<4>;
    .shared .align 16 .b8 window[2048];
    .local .align 16 .b8 own[32];
    mov.u32 %r1, %tid.x;
    ld.param.u32 %r2, [mask];
    shr.u32 %r3, %r2, %r1;
    and.b32 %r3, %r3, 1;
    setp.ne.u32 %p1, %r3, 0;
    ld.param.u32 %r4, [step];
    mul.lo.u32 %r5, %r1, %r4;
    ld.param.u64 %rd1, [in];
    mul.wide.u32 %rd2, %r5, 1;
    add.u64 %rd1, %rd1, %rd2;
    ld.param.u64 %rd3, [out];
    mul.wide.u32 %rd4, %r1, {bytes};
    add.u64 %rd3, %rd3, %rd4;
    // These lanes must not use the address.
    @!%p1 mov.u64 %rd1, 8;
    @!%p1 mov.u64 %rd3, 8;
    mov.u32 %r6, window;
    mad.lo.u32 %r6, %r1, 64, %r6;
    @!%p1 mov.u32 %r6, 0xfffffff0;
    cvt.u64.u32 %rd5, %r6;
    mov.u64 %rd6, own;
    cvta.local.u64 %rd7, %rd6;
    cvta.shared.u64 %rd8, %rd5;
    @%p1 ld.global.{access} {list}, [%rd1];
    @%p1 st.shared.{access} [%r6], {list};
    @%p1 ld.{access} {list}, [%rd8];
    @%p1 st.local.{access} [%rd6+0], {list};
    @%p1 ld.{access} {list}, [%rd7];
    @%p1 st.shared.{access} [%rd5+32], {list};
    @%p1 ld.shared.{access} {list}, [%r6+32];
    @%p1 st.{access} [%rd3], {list};
    ret;
}}
",
        register = form.register,
    )
}

#[test]
fn guarded_vector_copies_preserve_bytes() {
    let wide = [
        form("v8.b32", "b32", 8, 32),
        form("v4.b64", "b64", 4, 32),
        form("v2.s8", "b32", 2, 2),
        form("v4.s16", "b64", 4, 8),
        form("v4.s32", "b64", 4, 16),
    ];
    let input: Vec<u8> = (0..8192u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 13) as u8)
        .collect();
    for form in FORMS.iter().chain(&wide) {
        let m = load(&copies(form).replace("%s<4>", "%s<8>"));
        let bytes = form.bytes as usize;
        let from = m.device.upload(&input);
        for step in [0, bytes, 3 * bytes, 4 * bytes] {
            for mask in [
                u32::MAX,
                1,
                1 << 31,
                0x8000_0001,
                0xffff_0fff,
                0x0010_0400,
                0x5555_5555,
            ] {
                let to = m.device.upload(&[0xeeu8; 1024]);
                m.run("copy", 1, 32, args![from, to, mask, step as u32]);
                let found: Vec<u8> = m.device.download(to, 1024);
                let mut expected = vec![0xeeu8; 1024];
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    expected[lane * bytes..][..bytes]
                        .copy_from_slice(&input[lane * step..][..bytes]);
                }
                assert_eq!(found, expected, "{} by {step}, {mask:#x}", form.access);
            }
        }
    }
}

/// Block 0 stores pairs with plain stores, and others use 16-byte atomics. No thread may see halves
/// of different pairs.
const MIXED: &str = "
.version 8.4
.target sm_90
.address_size 64
.visible .entry mixed(.param .u64 data, .param .u64 torn, .param .u64 seen, .param .u32 n) {
    .reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .pred %p<6>; .reg .b128 %q<4>;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r9, 0;
    mov.u32 %r10, 0;
    setp.ne.u32 %p1, %r2, 0;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r5, [n];
    mov.u32 %r6, 0;
    mov.u64 %rd8, 0;
LOOP:
    mul.lo.u32 %r7, %r6, 2;
    add.u32 %r7, %r7, %r2;
    cvt.u64.u32 %rd2, %r7;
    @%p1 bra ATOMIC;
    st.global.v2.u64 [%rd1], {%rd2, %rd2};
    bra CHECKED;
ATOMIC:
    mov.b128 %q1, {%rd2, %rd2};
    and.b32 %r8, %r6, 1;
    setp.eq.u32 %p4, %r8, 0;
    @%p4 atom.global.exch.b128 %q2, [%rd1], %q1;
    @%p4 bra SPLIT;
    ld.global.v2.u64 {%rd4, %rd5}, [%rd1];
    mov.b128 %q3, {%rd4, %rd5};
    atom.global.cas.b128 %q2, [%rd1], %q3, %q1;
SPLIT:
    mov.b128 {%rd6, %rd7}, %q2;
    setp.ne.u64 %p3, %rd6, %rd7;
    @%p3 add.u32 %r9, %r9, 1;
    setp.ne.u64 %p3, %rd6, %rd8;
    @%p3 add.u32 %r10, %r10, 1;
    mov.u64 %rd8, %rd2;
CHECKED:
    ld.global.v2.u64 {%rd6, %rd7}, [%rd1];
    setp.ne.u64 %p3, %rd6, %rd7;
    @%p3 add.u32 %r9, %r9, 1;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, %r5;
    @%p2 bra LOOP;
    ld.param.u64 %rd3, [torn];
    red.global.add.u32 [%rd3], %r9;
    ld.param.u64 %rd3, [seen];
    red.global.add.u32 [%rd3], %r10;
    ret;
}

// Each thread adds 1 to both halves.
.visible .entry count(.param .u64 data, .param .u64 unused, .param .u64 other, .param .u32 n) {
    .reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .pred %p<6>; .reg .b128 %q<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r5, [n];
    mov.u32 %r6, 0;
LOOP:
    ld.global.v2.u64 {%rd4, %rd5}, [%rd1];
    mov.b128 %q1, {%rd4, %rd5};
    add.u64 %rd6, %rd4, 1;
    add.u64 %rd7, %rd5, 1;
    mov.b128 %q2, {%rd6, %rd7};
    atom.global.cas.b128 %q3, [%rd1], %q1, %q2;
    mov.b128 {%rd6, %rd7}, %q3;
    setp.ne.u64 %p1, %rd6, %rd4;
    @%p1 bra LOOP;
    setp.ne.u64 %p1, %rd7, %rd5;
    @%p1 bra LOOP;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, %r5;
    @%p2 bra LOOP;
    ret;
}
";

#[test]
fn sixteen_byte_atomics_and_plain_accesses() {
    let _alone = alone();
    let mut m = load(MIXED);
    let (torn, changes) = torn(&mut m, "mixed", 1, 200_000);
    println!("{changes} changes, {torn} torn");
    assert_eq!(torn, 0);

    let data = m.device.upload(&[0u128; 1]);
    m.run("count", 4, 20, args![data, 0u64, 0u64, 500]);
    assert_eq!(m.device.download::<u64>(data, 2), [40_000, 40_000]);
}

/// A single-pass scan with decoupled look-back. Each warp has a tile, whose state is a flag and a
/// value in one vector. `flag` and `access` are the types of the state. The flag is 1 for the
/// tile's own sum, and 2 for the sum up to and including the tile.
fn scan(order: &str, access: &str, ty: &str, bytes: u32) -> String {
    let size = &ty[1..];
    format!(
        "
.version 8.0
.target sm_90
.address_size 64
.visible .entry scan(.param .u64 states, .param .u64 in, .param .u64 out) {{
    .reg .b32 %r<24>; .reg .b64 %rd<16>; .reg .pred %p<8>; .reg .b{size} %s<8>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [states];
    // The tile's sum.
    ld.param.u64 %rd2, [in];
    mad.lo.u32 %r3, %r2, 32, %r1;
    mul.wide.u32 %rd3, %r3, 4;
    add.u64 %rd2, %rd2, %rd3;
    ld.global.u32 %r4, [%rd2];
    redux.sync.add.u32 %r5, %r4, 0xffffffff;
    mul.wide.u32 %rd4, %r2, {bytes};
    add.u64 %rd4, %rd1, %rd4;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r6, 1;
    cvt.u{size}.u32 %s1, %r6;
    cvt.u{size}.u32 %s2, %r5;
    @%p1 st{order}.global.{access} [%rd4], {{%s1, %s2}};
    // The sum of the previous tiles, 32 at a time.
    mov.u32 %r7, 0;
    sub.u32 %r8, %r2, 1;
    sub.u32 %r8, %r8, %r1;
BACK:
    setp.ge.s32 %p2, %r8, 0;
    mul.wide.s32 %rd5, %r8, {bytes};
    add.u64 %rd5, %rd1, %rd5;
    mov.u{size} %s3, 2;
    mov.u{size} %s4, 0;
POLL:
    @%p2 ld{order}.global.{access} {{%s3, %s4}}, [%rd5];
    setp.eq.u{size} %p3, %s3, 0;
    vote.sync.any.pred %p4, %p3, 0xffffffff;
    @%p4 bra POLL;
    setp.eq.u{size} %p5, %s3, 2;
    vote.sync.ballot.b32 %r9, %p5, 0xffffffff;
    // The lanes up to the first that has a complete sum.
    neg.s32 %r10, %r9;
    and.b32 %r10, %r9, %r10;
    sub.u32 %r11, %r10, 1;
    or.b32 %r11, %r11, %r10;
    shr.u32 %r12, %r11, %r1;
    and.b32 %r12, %r12, 1;
    setp.ne.u32 %p6, %r12, 0;
    cvt.u32.u{size} %r13, %s4;
    selp.u32 %r13, %r13, 0, %p6;
    redux.sync.add.u32 %r14, %r13, 0xffffffff;
    add.u32 %r7, %r7, %r14;
    sub.u32 %r8, %r8, 32;
    setp.eq.u32 %p7, %r9, 0;
    @%p7 bra BACK;
    add.u32 %r15, %r7, %r5;
    mov.u32 %r6, 2;
    cvt.u{size}.u32 %s1, %r6;
    cvt.u{size}.u32 %s2, %r15;
    @%p1 st{order}.global.{access} [%rd4], {{%s1, %s2}};
    ld.param.u64 %rd6, [out];
    mul.wide.u32 %rd7, %r2, 4;
    add.u64 %rd6, %rd6, %rd7;
    @%p1 st.global.u32 [%rd6], %r15;
    ret;
}}
"
    )
}

#[test]
fn decoupled_look_back() {
    let _alone = alone();
    let tiles = 512u32;
    let input: Vec<u32> = (0..tiles * 32).map(|i| i % 77 + 1).collect();
    let mut sum = 0;
    let expected: Vec<u32> = input
        .chunks(32)
        .map(|tile| {
            sum += tile.iter().sum::<u32>();
            sum
        })
        .collect();
    for (access, ty, bytes) in [("v2.u32", "u32", 8), ("v2.u64", "u64", 16)] {
        for order in ["", ".relaxed.gpu"] {
            let mut m = load(&scan(order, access, ty, bytes));
            m.options.threads = cores().max(2) as usize;
            let input = m.device.upload(&input);
            let mut wrong = 0;
            for _ in 0..200 {
                let states = m.device.upload(&vec![0u128; tiles as usize]);
                let out = m.device.allocate(u64::from(tiles) * 4, true);
                m.run("scan", tiles, 32, args![states, input, out]);
                let found: Vec<u32> = m.device.download(out, tiles as usize);
                wrong += u32::from(found != expected);
                assert!(m.device.free(states) && m.device.free(out));
            }
            assert_eq!(wrong, 0, "wrong sums of 200, {access}{order}");
        }
    }
}
