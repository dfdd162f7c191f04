//! Kernels that were compiled and embedded when this program was built.
//!
//! The build script compiles the folder `examples/kernels` with `cuda-direct-build`, to machine code for two architectures
//! and to PTX for all others. A program with embedded kernels needs no compiler at run time. Shows the typed kernels that
//! were generated from the sources, one function for several element types, an instance of a template, a kernel whose
//! types Rust cannot express, and one library for two contexts. Every result is checked.

mod common;

use anyhow::{Result, ensure};
use common::gpu::{Gpu, heading};
use cuda_safe::{
    Context, ContextFlags, DeviceBuffer, InOut, LaunchConfig, Stream, memory::PlainData,
};

mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

/// The same struct as in `vectors.cu`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Affine {
    scale: f32,
    shift: f32,
}

cuda_safe::kernels! {
    /// The kernel that the build script could not declare, declared by hand.
    struct ByHand;
    /// `x = scale x + shift`
    fn affine(x: &mut [f32], f: Affine, n: u32);
}

/// The element types with a kernel that scales them.
trait Scale: PlainData {
    /// Multiplies all elements by a factor.
    ///
    /// # Safety
    /// The caller must ensure that work on `x` on other streams is ordered with this stream.
    unsafe fn scale(
        kernels: &kernels::vectors::Kernels,
        stream: &Stream,
        x: &mut DeviceBuffer<Self>,
        factor: Self,
    ) -> cuda_safe::Result<()>;
}

/// Implements [`Scale`] by a kernel.
macro_rules! scale {
    ($element:ty, $kernel:ident) => {
        impl Scale for $element {
            unsafe fn scale(
                kernels: &kernels::vectors::Kernels,
                stream: &Stream,
                x: &mut DeviceBuffer<Self>,
                factor: Self,
            ) -> cuda_safe::Result<()> {
                let n = x.len();
                let config = LaunchConfig::for_elements(n);
                // SAFETY: the kernel writes the n elements of x.
                unsafe { kernels.$kernel(stream, config, x, factor, n as u32) }
            }
        }
    };
}
scale!(f32, scale_f32);
scale!(f64, scale_f64);

fn scaled<T: Scale>(
    kernels: &kernels::vectors::Kernels,
    stream: &Stream,
    x: &[T],
    factor: T,
) -> cuda_safe::Result<Vec<T>> {
    let mut x = DeviceBuffer::from_slice(stream, x)?;
    // SAFETY: all work is on this stream.
    unsafe { T::scale(kernels, stream, &mut x, factor)? };
    x.to_vec(stream)
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

    heading("One function for several element types");
    ensure!(scaled(&vectors, &gpu.stream, &[1.0f32, 2.0], 3.0)? == [3.0, 6.0]);
    ensure!(scaled(&vectors, &gpu.stream, &[1.0f64, 2.0], 0.5)? == [0.5, 1.0]);
    println!("scale: f32 and f64");

    heading("Instances of a template");
    let negate = vectors.saxpy.module().function("negate<int>")?;
    let mut negated = [1, -2, 3];
    // SAFETY: three elements.
    unsafe {
        negate.launch(&gpu.stream, LaunchConfig::new(1, 3), (InOut(&mut negated),))?;
    }
    ensure!(negated == [-1, 2, -3]);
    println!("negate<int>: {negated:?}");

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
