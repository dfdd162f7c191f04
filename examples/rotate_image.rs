//! Rotates a picture about its center with a texture.
//!
//! ```text
//! rotate_image [INPUT [OUTPUT [DEGREES]]]
//! ```
//!
//! INPUT is a PNG or JPEG file, OUTPUT a PNG file. Without arguments the example generates a picture.
//!
//! Shows a CUDA array with four bytes per texel, and a texture of it. In one instruction, the device normalizes the bytes to
//! 0..1, interpolates between the four texels around a point, and returns black outside of the picture. The result is
//! checked against the CPU, whose weights are exact. The weights of a texture have eight fractional bits.

mod common;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use common::{
    cpu,
    gpu::{Gpu, heading},
    measure::{measure, measure_cpu, show},
    picture::{Picture, output_path, write_test_picture},
};
use cuda_safe::{
    DeviceBuffer, LaunchConfig, Module, Sampler, Texture,
    array::CudaArray,
    texture::{AddressMode, FilterMode},
};

const SOURCE: &str = r#"
extern "C" __global__ void rotate(uchar4 *out, cudaTextureObject_t image, int width, int height, float cosine, float sine) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    // Relative to the center. The center of a texel is half a texel from its corner.
    const float u = x + 0.5f - width / 2.0f, v = y + 0.5f - height / 2.0f;
    const float4 c = tex2D<float4>(image, cosine * u + sine * v + width / 2.0f, cosine * v - sine * u + height / 2.0f);
    out[y * width + x] = make_uchar4(c.x * 255 + 0.5f, c.y * 255 + 0.5f, c.z * 255 + 0.5f, 255);
}"#;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let gpu = Gpu::open()?;
    let input = match arguments.first() {
        Some(path) => PathBuf::from(path),
        None => write_test_picture(gpu.size(4096, 320), gpu.size(3072, 240))?,
    };
    let output = match arguments.get(1) {
        Some(path) => PathBuf::from(path),
        None => output_path("rotated.png")?,
    };
    let degrees: f32 = match arguments.get(2) {
        Some(text) => text.parse().context("DEGREES must be a number")?,
        None => 30.0,
    };
    let picture = Picture::read(&input)?;
    let (width, height) = (picture.width, picture.height);
    heading(format!(
        "{}: {width} x {height} pixels, rotated by {degrees} degrees",
        input.display()
    ));

    // Four bytes per texel, because there are no texels of three.
    let texels: Vec<[u8; 4]> = (0..width * height)
        .map(|i| {
            let plane = |c: usize| picture.planes[c.min(picture.planes.len() - 1)][i] as u8;
            [plane(0), plane(1), plane(2), 255]
        })
        .collect();
    let array = CudaArray::from_slice(&gpu.stream, [width, height], &texels)?;
    let sampler = Sampler::default()
        .address([AddressMode::BORDER; 3]) // black by default
        .filter(FilterMode::LINEAR)
        .normalized_read(true);
    let texture = Texture::new(&array, sampler)?;

    let module = Module::compile(&gpu.context, SOURCE)?;
    let rotate = module.function("rotate")?;
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let mut out = DeviceBuffer::<[u8; 4]>::zeroed(&gpu.stream, width * height)?;
    let blocks = (width.div_ceil(16) as u32, height.div_ceil(16) as u32);
    let config = LaunchConfig::new(blocks, (16, 16));
    let times = measure(&gpu, gpu.size(20, 1), || {
        let size = (width as i32, height as i32);
        // SAFETY: the kernel writes an element for each pixel, and reads a texture of two dimensions and four bytes.
        unsafe {
            rotate.launch(
                &gpu.stream,
                config,
                (&mut out, &texture, size.0, size.1, cosine, sine),
            )?;
        }
        Ok(())
    })?;
    let turned = out.to_vec(&gpu.stream)?;

    let (expected, cpu_time) =
        measure_cpu(3, || rotate_on_cpu(&texels, width, height, cosine, sine));
    let worst = turned
        .iter()
        .zip(&expected)
        .flat_map(|(a, b)| (0..3).map(move |c| (f32::from(a[c]) - b[c]).abs()))
        .fold(0.0f32, f32::max);
    // Two weights, each off by up to 255 / 512, the rounding of the coordinates, and half a step of the byte.
    ensure!(worst < 2.5, "a channel differs by {worst}");
    println!("largest difference from the CPU: {worst:.2} of 255");
    println!(
        "{}: {}. CPU, {} cores: {}",
        gpu.label(),
        show(times.device),
        cpu::cores(),
        show(cpu_time)
    );
    let planes = (0..3).map(|c| turned.iter().map(|texel| f32::from(texel[c])).collect());
    picture
        .with_planes(planes.collect())
        .write(&output, false)?;
    println!("written: {}", output.display());
    Ok(())
}

/// Computes the same on the CPU with exact weights, as numbers from 0 to 255.
fn rotate_on_cpu(
    texels: &[[u8; 4]],
    width: usize,
    height: usize,
    cosine: f32,
    sine: f32,
) -> Vec<[f32; 4]> {
    let texel = |x: i64, y: i64| -> [f32; 4] {
        let inside = (0..width as i64).contains(&x) && (0..height as i64).contains(&y);
        match inside {
            true => texels[y as usize * width + x as usize].map(f32::from),
            false => [0.0; 4],
        }
    };
    let rows: Vec<usize> = (0..height).collect();
    let row = |y: usize| {
        (0..width).map(move |x| {
            let u = x as f32 + 0.5 - width as f32 / 2.0;
            let v = y as f32 + 0.5 - height as f32 / 2.0;
            let s = cosine * u + sine * v + width as f32 / 2.0 - 0.5;
            let t = cosine * v - sine * u + height as f32 / 2.0 - 0.5;
            let (left, top) = (s.floor(), t.floor());
            let (a, b) = (s - left, t - top);
            let (left, top) = (left as i64, top as i64);
            let corners = [
                (texel(left, top), (1.0 - a) * (1.0 - b)),
                (texel(left + 1, top), a * (1.0 - b)),
                (texel(left, top + 1), (1.0 - a) * b),
                (texel(left + 1, top + 1), a * b),
            ];
            std::array::from_fn(|c| {
                corners
                    .iter()
                    .map(|(texel, weight)| texel[c] * weight)
                    .sum()
            })
        })
    };
    let share = rows.len().div_ceil(cpu::cores()).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = rows
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().flat_map(|&y| row(y)).collect::<Vec<_>>()))
            .collect();
        let joined = parts.into_iter().map(|part| part.join().expect("no panic"));
        joined.flatten().collect()
    })
}
