//! Matrix products by tensor cores, and their faults.

use std::time::Instant;

use crate::common::{Loaded, load};
use cuda_emulator_engine::{FaultKind, Options, Program};

fn module(options: Options) -> Loaded {
    Loaded {
        options: Options {
            time_limit: Some(std::time::Duration::from_secs(120)),
            ..options
        },
        ..load(include_str!("../ptx/tensor.ptx"))
    }
}

/// Options without and with every check, and with other orders.
fn ways() -> Vec<Options> {
    let mut ways = vec![Options::default()];
    ways.extend((0..2).map(|seed| Options {
        seed: Some(seed),
        check_race: true,
        check_uninit: true,
        check_barrier: true,
        ..Options::default()
    }));
    ways
}

/// Returns small integers, whose products and sums are exact.
fn matrix(rows: usize, columns: usize, salt: usize) -> Vec<i32> {
    let number = |i: usize| ((i * 2_654_435_761 + salt * 97) >> 7) % 9;
    (0..rows * columns).map(|i| number(i) as i32 - 4).collect()
}

fn halves(numbers: &[i32]) -> Vec<u16> {
    let half = |&x: &i32| half::f16::from_f32(x as f32).to_bits();
    numbers.iter().map(half).collect()
}

fn transposed(numbers: &[i32], rows: usize, columns: usize) -> Vec<i32> {
    let at = |i: usize| numbers[i % rows * columns + i / rows];
    (0..rows * columns).map(at).collect()
}

fn product(a: &[i32], b: &[i32], m: usize, n: usize, k: usize) -> Vec<f32> {
    let mut c = vec![0; m * n];
    for i in 0..m {
        for l in 0..k {
            for j in 0..n {
                c[i * n + j] += a[i * k + l] * b[l * n + j];
            }
        }
    }
    c.into_iter().map(|x| x as f32).collect()
}

/// Runs a kernel on matrices of this size with all options.
fn gemm(kernel: &str, tile: usize, threads: u32, columns: bool, factor: f32) {
    let (m, n, k) = (128, 192, 128);
    let (a, b) = (matrix(m, k, 1), matrix(k, n, 2));
    let want: Vec<f32> = product(&a, &b, m, n, k)
        .iter()
        .map(|x| x * factor)
        .collect();
    let b = if columns { transposed(&b, k, n) } else { b };
    for options in ways() {
        let l = module(options);
        let c = l.device.upload(&vec![f32::NAN; m * n]);
        let (a, b) = (l.device.upload(&halves(&a)), l.device.upload(&halves(&b)));
        let grid = [(n / tile) as u32, (m / tile) as u32, 1];
        l.run(kernel, grid, threads, args![c, a, b, n as i32, k as i32]);
        assert_eq!(l.device.download::<f32>(c, m * n), want, "{kernel}");
    }
}

#[test]
fn wmma() {
    gemm("gemm_wmma", 16, 32, false, 2.0);
}

#[test]
fn mma_with_ldmatrix() {
    gemm("gemm_mma", 64, 128, false, 1.0);
}

#[test]
fn wgmma_with_descriptors() {
    gemm("gemm_wgmma", 64, 128, true, 1.0);
}

/// A product of size 1000^3, which is too slow if each product takes more than a few microseconds.
#[test]
#[ignore = "a measurement, to be run optimized"]
fn thousand_cubed() {
    let n = 1024;
    let (a, b) = (matrix(n, n, 1), matrix(n, n, 2));
    let l = module(Options {
        threads: 1,
        ..Options::default()
    });
    let c = l.device.upload(&vec![0.0f32; n * n]);
    let (ha, hb) = (l.device.upload(&halves(&a)), l.device.upload(&halves(&b)));
    let start = Instant::now();
    let args = args![c, ha, hb, n as i32, n as i32];
    l.run("gemm_mma", [16, 16, 1], 128, args);
    println!("{:.2} s", start.elapsed().as_secs_f64());
    assert_eq!(l.device.download::<f32>(c, n * n), product(&a, &b, n, n, n));
    assert!(start.elapsed().as_secs_f64() < 3.0);
}

/// Returns a kernel around some instructions. `%t` is the thread, and `%out` the address of the
/// results.
fn kernel(body: &str) -> Loaded {
    load(&format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .b64 %out, %r64;\n.reg .b32 %t, %x, %a, %b;\n.reg .f32 %c<4>;\n.reg .pred %p;\n\
         .shared .align 128 .b8 s[4096];\nld.param.u64 %out, [p];\nmov.u32 %t, %tid.x;\n\
         mad.wide.u32 %out, %t, 16, %out;\n{body}\nret;\n}}\n"
    ))
}

const MMA: &str = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%a, %a}, {%b}, {%c0, %c1, %c2, %c3};";

/// Products are truncated individually at 25 bits after the point of the sum's largest exponent.
#[test]
fn small_products_are_truncated() {
    // 2^-13 and 2^-12 as f16, in both halves. The addend is 1.
    for (a, want) in [
        (0x0800_0800u32, 1.0f32),
        (0x0c00_0c00, 1.0 + 8.0 / 33_554_432.0),
    ] {
        let l = kernel(&format!(
            "mov.b32 %a, {a};\nmov.b32 %b, 0x08000800;\nmov.f32 %c0, 0f3f800000;\nmov.f32 %c1, %c0;\n\
             mov.f32 %c2, %c0;\nmov.f32 %c3, %c0;\n{MMA}\nst.global.v4.f32 [%out], {{%c0, %c1, %c2, %c3}};"
        ));
        let out = l.device.upload(&[0f32; 128]);
        l.run("k", 1, 32, args![out]);
        assert_eq!(l.device.download::<f32>(out, 128), [want; 128]);
    }
}

/// Diverged lanes wait for each other.
#[test]
fn diverged_lanes_reconverge_before_a_product() {
    let l = kernel(&format!(
        "mov.b32 %a, 0x3c003c00;\nmov.b32 %b, %a;\nand.b32 %x, %t, 1;\nsetp.eq.u32 %p, %x, 0;\n@%p bra odd;\n\
         mov.f32 %c0, 0f3f800000;\nbra join;\nodd:\nmov.f32 %c0, 0f40000000;\njoin:\nmov.f32 %c1, %c0;\n\
         mov.f32 %c2, %c0;\nmov.f32 %c3, %c0;\n{MMA}\nst.global.v4.f32 [%out], {{%c0, %c1, %c2, %c3}};"
    ));
    let out = l.device.upload(&[0f32; 128]);
    l.run("k", 1, 32, args![out]);
    let want: Vec<f32> = (0..128)
        .map(|i| if i / 4 % 2 == 0 { 10.0 } else { 9.0 })
        .collect();
    assert_eq!(l.device.download::<f32>(out, 128), want);
}

/// Returns the fault of some instructions.
fn fault(body: &str, threads: u32) -> (FaultKind, String) {
    let l = kernel(body);
    let out = l.device.upload(&[0f32; 4096]);
    let fault = l.fault("k", 1, threads, args![out]);
    (fault.kind, fault.to_string())
}

#[test]
fn faults() {
    let start = "mov.b32 %a, 0;\nmov.b32 %b, 0;\nmov.f32 %c0, 0f00000000;\nmov.f32 %c1, %c0;\nmov.f32 %c2, %c0;\nmov.f32 %c3, %c0;\n";
    let (kind, text) = fault(
        &format!("{start}setp.eq.u32 %p, %t, 3;\n@%p bra end;\n{MMA}\nend:"),
        32,
    );
    assert_eq!(kind, FaultKind::IllegalInstruction, "{text}");
    assert!(text.contains("lane 3 has ended"), "{text}");
    let (kind, text) = fault(&format!("{start}{MMA}"), 20);
    assert_eq!(kind, FaultKind::IllegalInstruction, "{text}");
    assert!(text.contains("lane 20"), "{text}");
    let (kind, text) = fault(
        "mov.u32 %x, s;\nadd.u32 %x, %x, 8;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a}, [%x];",
        32,
    );
    assert_eq!(kind, FaultKind::MisalignedAddress, "{text}");
    let (kind, text) = fault(
        "mov.u32 %x, s;\nadd.u32 %x, %x, 4096;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%x], {%t};",
        32,
    );
    assert_eq!(kind, FaultKind::IllegalAddress, "{text}");
    let group = "mov.b64 %r64, 0;\nsetp.ne.u32 %p, %t, %t;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %r64, %r64, %p, 1, 1, 0, 0;";
    let (kind, text) = fault(&format!("{start}{group}"), 32);
    assert_eq!(kind, FaultKind::IllegalInstruction, "{text}");
    assert!(text.contains("128 threads"), "{text}");
    let beyond = group.replace("%r64, 0;", "%r64, 0x3fff;");
    let (kind, text) = fault(&format!("{start}{beyond}"), 128);
    assert_eq!(kind, FaultKind::IllegalAddress, "{text}");
}

/// Instructions that are rejected when the module is loaded.
#[test]
fn invalid_products_are_rejected() {
    let refused = |body: &str, words: &str| {
        let text = format!(
            ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %a, %b;\n\
             .reg .f32 %c<4>;\n.reg .b64 %d;\n{body}\nret;\n}}\n"
        );
        let error = Program::load(&text).err().expect("refused").to_string();
        assert!(error.contains(words), "{error}");
    };
    let short = MMA.replace("{%a, %a}", "{%a}");
    refused(&short, "2 registers in braces are needed here, not 1");
    refused(&MMA.replace("m16n8k8", "m16n8k12"), "`.m16n8k12`");
    refused(
        "tcgen05.alloc.cta_group::1.sync.aligned.b32 [%a], 32;",
        "tcgen05",
    );
    refused(
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%a, %a, %a, %a}, {%b, %b, %b, %b}, {%c0, %c1, %c2, %c3}, %a, 2;",
        "the sparsity selector must be a constant below 2",
    );
}
