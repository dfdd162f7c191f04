//! Kernels as Rust functions: declared once, compared with the source, called with typed arguments.
//!
//! Shows declarations of memory, values, structs, templates and pointers that may be null. The CUDA
//! compiler compares a declaration with the source, and the example shows its error for a mismatch. Every
//! result is checked against the CPU.

mod common;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
};
use cuda_safe::{DeviceBuffer, ErrorKind, In, InOut, LaunchConfig, Out};

/// Programs usually keep this in a separate file and use `include_str!`.
const SOURCE: &str = r#"
struct Affine { float scale, shift; };

__global__ void saxpy(float a, const float *x, float *y, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

// Skips the elements that the mask excludes, if there is a mask.
__global__ void affine(float *x, Affine f, const bool *mask, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (!mask || mask[i])) x[i] = f.scale * x[i] + f.shift;
}

template <typename T> __global__ void largest_of_pairs(T *out, const T *x, unsigned pairs) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) out[i] = x[2 * i] > x[2 * i + 1] ? x[2 * i] : x[2 * i + 1];
}

__global__ void lengths(float *out, const float2 *points, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrtf(points[i].x * points[i].x + points[i].y * points[i].y);
}
"#;

/// The same struct in Rust.
#[derive(Clone, Copy)]
#[repr(C)]
struct Affine {
    scale: f32,
    shift: f32,
}

cuda_safe::kernels! {
    /// Small kernels on arrays of `n` elements.
    struct Kernels = SOURCE;

    /// `y += a x`
    fn saxpy(a: f32, x: &[f32], y: &mut [f32], n: u32);

    /// `x = scale x + shift` where the mask is not 0, or everywhere if its address is 0.
    fn affine(x: &mut [f32], f: Affine, mask: *const u8, n: u32);

    /// The larger element of each pair of neighbors.
    fn largest_i64(out: &mut [i64], x: &[i64], pairs: u32) = "largest_of_pairs<long long>";

    /// Distances of points from the origin. The C++ type is named, so only this type matches.
    fn lengths(out: &mut [f32], points: &[[f32; 2]] = "const float2 *", n: u32);
}

cuda_safe::kernels! {
    /// A declaration with mistakes: `y` is written, and `n` is unsigned in the source.
    struct Mistaken = SOURCE;

    fn saxpy(a: f32, x: &[f32], y: &[f32], n: i32);
    fn lengths(out: &mut [f32], points: &[[f32; 3]], n: u32);
}

const ELEMENTS: u32 = 1000;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let kernels = Kernels::load(&gpu.context)?;
    let config = LaunchConfig::for_elements(ELEMENTS);
    memory_and_values(&gpu, &kernels, config)?;
    structs_and_null(&gpu, &kernels, config)?;
    templates_and_vectors(&gpu, &kernels, config)?;
    what_does_not_match(&gpu)
}

fn memory_and_values(gpu: &Gpu, kernels: &Kernels, config: LaunchConfig) -> Result<()> {
    heading("memory and values");
    let (x_host, y_host) = (
        data::normal(ELEMENTS as usize),
        data::uniform(ELEMENTS as usize),
    );
    let x = DeviceBuffer::from_slice(&gpu.stream, &x_host)?;
    let mut y = DeviceBuffer::from_slice(&gpu.stream, &y_host)?;
    // `2.0` needs no suffix, and `&y` instead of `&mut y` would not compile.
    // SAFETY: both have ELEMENTS elements.
    unsafe { kernels.saxpy(&gpu.stream, config, 2.0, &x, &mut y, ELEMENTS)? };
    let results = y.to_vec(&gpu.stream)?;
    for ((x, y), result) in x_host.iter().zip(&y_host).zip(results) {
        // The compiler may fuse the two operations, which rounds only once.
        ensure!(
            (result - (2.0 * x + y)).abs() <= 1e-6,
            "2 * {x} + {y} is not {result}"
        );
    }
    println!("2 x + y, of {ELEMENTS} elements");
    Ok(())
}

fn structs_and_null(gpu: &Gpu, kernels: &Kernels, config: LaunchConfig) -> Result<()> {
    heading("a struct by value, and an address that may be null");
    let before = data::uniform(ELEMENTS as usize);
    let f = Affine {
        scale: 2.0,
        shift: 1.0,
    };
    let mask_host: Vec<u8> = (0..ELEMENTS).map(|i| u8::from(i % 3 == 0)).collect();
    let mask = DeviceBuffer::from_slice(&gpu.stream, &mask_host)?;
    for address in [0, mask.as_device_ptr()] {
        let mut x = before.clone();
        // SAFETY: ELEMENTS elements in both, and the mask lives until the launch has waited.
        unsafe { kernels.affine(&gpu.stream, config, InOut(&mut x), f, address, ELEMENTS)? };
        for ((before, after), mask) in before.iter().zip(&x).zip(&mask_host) {
            let is_left_out = address != 0 && *mask == 0;
            let expected = if is_left_out {
                *before
            } else {
                2.0 * before + 1.0
            };
            ensure!(
                (after - expected).abs() <= 1e-6,
                "{before} became {after}, not {expected}"
            );
        }
    }
    println!("2 x + 1, for all elements and with a mask");
    Ok(())
}

fn templates_and_vectors(gpu: &Gpu, kernels: &Kernels, config: LaunchConfig) -> Result<()> {
    heading("an instance of a template, and a named C++ type");
    let x: Vec<i64> = (0..2 * i64::from(ELEMENTS))
        .map(|i| i * 7919 % 1009)
        .collect();
    let mut largest = vec![0i64; ELEMENTS as usize];
    let points: Vec<[f32; 2]> = (0..ELEMENTS)
        .map(|i| [3.0 * i as f32, 4.0 * i as f32])
        .collect();
    let mut lengths = vec![0.0f32; ELEMENTS as usize];
    // SAFETY: two elements and one result per pair, and ELEMENTS points and lengths.
    unsafe {
        kernels.largest_i64(&gpu.stream, config, Out(&mut largest), In(&x), ELEMENTS)?;
        kernels.lengths(
            &gpu.stream,
            config,
            Out(&mut lengths),
            In(&points),
            ELEMENTS,
        )?;
    }
    for (pair, result) in x.chunks_exact(2).zip(&largest) {
        ensure!(pair.iter().max() == Some(result), "{pair:?} gave {result}");
    }
    for (i, length) in lengths.iter().enumerate() {
        let expected = 5.0 * i as f32;
        ensure!(
            (length - expected).abs() <= 1e-6 * expected,
            "the distance of a point is {length}, not {expected}"
        );
    }
    println!("{ELEMENTS} pairs of long long, and {ELEMENTS} points of float2");
    // Each kernel is also a field, which has the methods of `Function`.
    let full = LaunchConfig::for_occupancy(&kernels.lengths, ELEMENTS)?;
    println!(
        "`{}` runs best in blocks of {}",
        kernels.lengths.name(),
        full.block.x
    );
    Ok(())
}

fn what_does_not_match(gpu: &Gpu) -> Result<()> {
    heading("a declaration that does not match its source");
    let Err(error) = Mistaken::load(&gpu.context) else {
        anyhow::bail!("the mistakes were accepted");
    };
    ensure!(*error.kind() == ErrorKind::Signature, "{error}");
    for part in [
        "`y` is declared as `const float *` and is `float *`",
        "`n` is declared as `int` and is `unsigned int`",
        "[f32; 3] has 12 bytes, the C++ type 8",
    ] {
        ensure!(
            error.detail().contains(part),
            "missing in the error: {part}"
        );
    }
    println!("{error}");
    println!("\nAll results are correct.");
    Ok(())
}
