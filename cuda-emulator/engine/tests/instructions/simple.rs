//! Element-wise kernels, sums in shared memory and in warps, convolution, printf.

use crate::common::load;

const SIMPLE: &str = include_str!("../ptx/simple.ptx");

fn numbers(n: usize) -> Vec<f32> {
    let mut x = 12345u32;
    (0..n)
        .map(|_| {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            (x >> 8) as f32 / (1 << 24) as f32 - 0.5
        })
        .collect()
}

#[test]
fn multiply() {
    let m = load(SIMPLE);
    let (a, b) = (numbers(1000), numbers(1000));
    let (da, db) = (m.device.upload(&a), m.device.upload(&b));
    let dest = m.device.allocate(4000, true);
    m.run("multiply", 8, 128, args![dest, da, db, 1000]);
    let want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
    assert_eq!(m.device.download::<f32>(dest, 1000), want);
}

#[test]
fn sums() {
    let m = load(SIMPLE);
    let n = 100_003;
    let data = numbers(n);
    let input = m.device.upload(&data);
    let want: f64 = data.iter().map(|&x| f64::from(x)).sum();
    for (kernel, block) in [("sum", 256), ("sum_warp", 96)] {
        let out = m.device.upload(&[0f32]);
        m.run(kernel, 40, block, args![out, input, n as u32]);
        let got = f64::from(m.device.download::<f32>(out, 1)[0]);
        assert!(
            (got - want).abs() < 0.05,
            "{kernel}: {got} instead of {want}"
        );
    }
}

#[test]
fn convolve() {
    let m = load(SIMPLE);
    let (w, h) = (67usize, 41usize);
    let image = numbers(w * h);
    let filter = numbers(25);
    // SAFETY: the variable has 100 bytes.
    unsafe { std::ptr::copy_nonoverlapping(filter.as_ptr(), m.variable("filter") as *mut f32, 25) };
    let input = m.device.upload(&image);
    let out = m.device.allocate((w * h * 4) as u64, true);
    let args = args![out, input, w as i32, h as i32];
    m.run("convolve", [5, 6, 1], [16, 8, 1], args);
    let got = m.device.download::<f32>(out, w * h);
    for y in 0..h as i32 {
        for x in 0..w as i32 {
            let mut acc = 0f32;
            for j in 0..5 {
                for i in 0..5 {
                    let (xx, yy) = (x + i - 2, y + j - 2);
                    if xx >= 0 && xx < w as i32 && yy >= 0 && yy < h as i32 {
                        acc = filter[(j * 5 + i) as usize]
                            .mul_add(image[(yy * w as i32 + xx) as usize], acc);
                    }
                }
            }
            assert_eq!(
                got[(y * w as i32 + x) as usize].to_bits(),
                acc.to_bits(),
                "at {x}, {y}"
            );
        }
    }
}

#[test]
fn hello() {
    let m = load(SIMPLE);
    let text = m.device.upload(b"text\0");
    m.run("hello", 1, 4, args![2, 1.5f64, text]);
    let want = "thread 0 of 4: 1.500000 text 1099511627776 %\nthread 1 of 4: 1.500000 text 1099511627776 %\n";
    assert_eq!(m.device.text(), want);
}

#[test]
fn out_of_bounds() {
    let m = load(SIMPLE);
    let a = m.device.upload(&[1f32; 100]);
    let fault = m.fault("multiply", 2, 64, args![a, a, a, 128]);
    assert_eq!(fault.kind, cuda_emulator_engine::FaultKind::IllegalAddress);
    assert_eq!((fault.block, fault.thread), ([1, 0, 0], [36, 0, 0]));
    assert!(fault.report.contains("read of 4 bytes"), "{fault}");
    assert!(fault.report.contains("ld.global.f32"), "{fault}");
}

#[test]
fn parameters_in_registers() {
    let m = load(include_str!("../ptx/registers.ptx"));
    let (out, halves) = (m.device.allocate(128, true), m.device.allocate(256, true));
    m.run("k", 1, 32, args![out, halves]);
    let want: Vec<i32> = (0..32)
        .map(|i| {
            let a = i - 16;
            1 + i32::from(i == 5) + if a < 0 { a } else { a + 1007 }
        })
        .collect();
    assert_eq!(m.device.download::<i32>(out, 32), want);
    let want: Vec<f64> = (0..32).map(|i| f64::from(i) / 2.0).collect();
    assert_eq!(m.device.download::<f64>(halves, 32), want);
    let error = cuda_emulator_engine::Program::load(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.reg .u32 a) { ret; }",
    )
    .map(|_| ())
    .expect_err("a kernel");
    assert_eq!(error.kind, cuda_emulator_engine::LoadErrorKind::Syntax);
}
