//! Kernels that were compiled and embedded when this program was built.
//!
//! The build script compiles the folder `examples/kernels` with `cuda-direct-build`, to machine code for two architectures
//! and to PTX for all others. A program with embedded kernels needs no compiler at run time. Shows the typed kernels that
//! were generated from the sources, a kernel whose types Rust cannot express, and one library for two contexts. Every
//! result is checked.

mod common;

use anyhow::{Result, ensure};
use common::gpu::{Gpu, heading};
use cuda_safe::{Context, ContextFlags, DeviceBuffer, InOut, LaunchConfig, Stream};

mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

/// As in `vectors.cu`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Affine {
    scale: f32,
    shift: f32,
}

cuda_safe::kernels! {
    /// The kernel that the build script could not declare.
    struct ByHand;
    /// `x = scale x + shift`
    fn affine(x: &mut [f32], f: Affine, n: u32);
}

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let n = 1000;
    let config = LaunchConfig::for_elements(n);

    heading("Declared by the build script");
    let vectors = kernels::vectors::Kernels::load(&gpu.context)?;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let of_device = DeviceBuffer::from_slice(&gpu.stream, &x)?;
    let mut y = DeviceBuffer::from_slice(&gpu.stream, &vec![1.0f32; n])?;
    // SAFETY: both have n elements.
    unsafe { vectors.saxpy(&gpu.stream, config, 2.0, &of_device, &mut y, n as u32)? };
    let y = y.to_vec(&gpu.stream)?;
    ensure!(y.iter().zip(&x).all(|(y, x)| *y == 1.0 + 2.0 * x));
    println!("saxpy: y[{}] = {}", n - 1, y[n - 1]);
    let numbers: Vec<i32> = (0..n as i32).map(|i| (i * 37) % 1009).collect();
    let mut largest = [i32::MIN];
    let of_device = DeviceBuffer::from_slice(&gpu.stream, &numbers)?;
    // SAFETY: n elements, and one number.
    unsafe {
        vectors.largest(
            &gpu.stream,
            config,
            &of_device,
            InOut(&mut largest),
            n as u64,
        )?;
    }
    ensure!(Some(&largest[0]) == numbers.iter().max());
    println!("largest: {}", largest[0]);

    heading("Declared by hand");
    let by_hand = ByHand::from_module(vectors.saxpy.module())?;
    let mut values = [1.0f32, 2.0, 3.0];
    let affine = Affine {
        scale: 10.0,
        shift: 0.5,
    };
    // SAFETY: three elements.
    unsafe {
        by_hand.affine(
            &gpu.stream,
            LaunchConfig::new(1, 3),
            InOut(&mut values),
            affine,
            3,
        )?;
    }
    ensure!(values == [10.5, 20.5, 30.5]);
    println!("affine: {values:?}");

    heading("Loaded once for two contexts");
    let device = gpu.context.device();
    let library = kernels::vectors::library(device)?;
    let kernel = library.kernel("largest")?;
    for context in [
        gpu.context.clone(),
        Context::create(device, ContextFlags::AUTO)?,
    ] {
        let stream = Stream::new(&context)?;
        let (mut out, function) = ([i32::MIN], kernel.function(&context)?);
        let of_device = DeviceBuffer::from_slice(&stream, &numbers)?;
        let arguments = (&of_device, InOut(&mut out), n as u64);
        // SAFETY: as above.
        unsafe { function.launch(&stream, config, arguments)? };
        ensure!(out == largest);
    }
    println!("largest: the same in both contexts");
    Ok(())
}
