//! Cuts an oblique slice through a volume with a three-dimensional texture.
//!
//! ```text
//! volume_slice [SIDE [OUTPUT]]
//! ```
//!
//! SIDE is the side of the volume in texels, OUTPUT a PNG file.
//!
//! Shows a three-dimensional CUDA array that is filled from device memory, where a kernel has computed it. The texture uses
//! normalized coordinates and interpolates between the eight texels around a point. The slice is checked against the CPU,
//! which interpolates with exact weights.

mod common;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::{measure, show},
    picture::{Picture, output_path},
};
use cuda_safe::{
    DeviceBuffer, LaunchConfig, Module, Sampler, Stream, Texture, array::CudaArray,
    texture::FilterMode,
};

const SOURCE: &str = r#"
// Shells around two points.
extern "C" __global__ void shells(float *volume, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= side) return;
    const float u = (x + 0.5f) / side, v = (y + 0.5f) / side, w = (z + 0.5f) / side;
    const float a = norm3df(u - 0.3f, v - 0.4f, w - 0.5f), b = norm3df(u - 0.7f, v - 0.6f, w - 0.45f);
    volume[((long long)z * side + y) * side + x] = 0.5f + 0.25f * cosf(40 * a) * expf(-2 * a) + 0.25f * cosf(60 * b) * expf(-3 * b);
}

// A plane through the center, spanned by two directions.
extern "C" __global__ void slice(float *out, cudaTextureObject_t volume, int edge, float3 right, float3 down) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= edge) return;
    const float s = (x + 0.5f) / edge - 0.5f, t = (y + 0.5f) / edge - 0.5f;
    out[y * edge + x] = tex3D<float>(volume, 0.5f + s * right.x + t * down.x, 0.5f + s * right.y + t * down.y,
                                     0.5f + s * right.z + t * down.z);
}"#;

const RIGHT: [f32; 3] = [0.9, 0.3, 0.0];
const DOWN: [f32; 3] = [-0.2, 0.6, 0.7];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let gpu = Gpu::open()?;
    let side: usize = match arguments.first() {
        Some(text) => text.parse().context("SIDE must be a number")?,
        None => gpu.size(512, 48),
    };
    let output = match arguments.get(1) {
        Some(path) => PathBuf::from(path),
        None => output_path("slice.png")?,
    };
    ensure!(
        (2..=1024).contains(&side),
        "SIDE is {side}, and must be 2 to 1024"
    );
    let edge = gpu.size(2048, 256);
    heading(format!(
        "a volume of {side} x {side} x {side} texels, a slice of {edge} x {edge} pixels"
    ));

    let module = Module::compile(&gpu.context, SOURCE)?;
    let volume = volume(&gpu.stream, &module, side)?;
    let texels = volume.to_vec(&gpu.stream)?;
    let array = CudaArray::uninit::<f32>(&gpu.context, [side; 3])?;
    array.copy_from(&gpu.stream, &volume)?;
    drop(volume); // in stream order, after the copy
    let sampler = Sampler::default()
        .normalized_coordinates(true)
        .filter(FilterMode::LINEAR);
    let texture = Texture::new(&array, sampler)?;

    let slice = module.function("slice")?;
    let mut out = DeviceBuffer::<f32>::zeroed(&gpu.stream, edge * edge)?;
    let config = LaunchConfig::new((edge.div_ceil(128) as u32, edge as u32), 128);
    let times = measure(&gpu, gpu.size(20, 1), || {
        let arguments = (&mut out, &texture, edge as i32, RIGHT, DOWN);
        // SAFETY: the kernel writes edge x edge floats, and reads a texture of three dimensions.
        unsafe { slice.launch(&gpu.stream, config, arguments)? };
        Ok(())
    })?;
    let pixels = out.to_vec(&gpu.stream)?;
    let worst = pixels
        .iter()
        .enumerate()
        .map(|(i, pixel)| (pixel - on_cpu(&texels, side, edge, i)).abs())
        .fold(0.0f32, f32::max);
    // Three weights, each off by up to 1/512 of the difference of neighbors, which is far below 1.
    ensure!(worst < 6.0 / 512.0, "a pixel differs by {worst}");
    println!("largest difference from the CPU: {worst:.5}, for values from 0 to 1");
    println!("{}: {}", gpu.label(), show(times.device));
    let picture = Picture {
        width: edge,
        height: edge,
        planes: vec![pixels.iter().map(|value| value * 255.0).collect()],
    };
    picture.write(&output, false)?;
    println!("written: {}", output.display());
    Ok(())
}

fn volume(stream: &Stream, module: &Module, side: usize) -> Result<DeviceBuffer<f32>> {
    let mut volume = DeviceBuffer::<f32>::uninit(stream, side * side * side)?;
    let blocks = (side.div_ceil(128) as u32, side as u32, side as u32);
    let shells = module.function("shells")?;
    // SAFETY: the kernel writes side x side x side floats.
    unsafe {
        shells.launch(
            stream,
            LaunchConfig::new(blocks, 128),
            (&mut volume, side as i32),
        )?
    };
    Ok(volume)
}

/// Computes a pixel with exact weights.
fn on_cpu(texels: &[f32], side: usize, edge: usize, i: usize) -> f32 {
    let s = ((i % edge) as f32 + 0.5) / edge as f32 - 0.5;
    let t = ((i / edge) as f32 + 0.5) / edge as f32 - 0.5;
    let at: [f32; 3] =
        std::array::from_fn(|axis| (0.5 + s * RIGHT[axis] + t * DOWN[axis]) * side as f32 - 0.5);
    let mut sum = 0.0;
    for corner in 0..8usize {
        let (mut weight, mut index) = (1.0, 0);
        for axis in (0..3).rev() {
            let low = at[axis].floor();
            let high = corner >> axis & 1;
            let part = at[axis] - low;
            weight *= if high == 1 { part } else { 1.0 - part };
            let place = (low as i64 + high as i64).clamp(0, side as i64 - 1);
            index = index * side + place as usize;
        }
        sum += weight * texels[index];
    }
    sum
}
