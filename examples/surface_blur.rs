//! Blurs a picture in several passes between two arrays, which are read by textures and written by surfaces.
//!
//! ```text
//! surface_blur [INPUT [OUTPUT [PASSES]]]
//! ```
//!
//! INPUT is a PNG or JPEG file, OUTPUT a PNG file. Without arguments the example generates a picture.
//!
//! Shows arrays that are created for surfaces, and textures and surfaces as parameters of a typed
//! kernel. Both keep their array alive. The texture repeats the edge pixels, so the kernel needs no
//! special case for them. The result is checked against the CPU and equals it bit for bit, because
//! the texture does not interpolate.

mod common;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::{measure, show},
    picture::{Picture, output_path, write_test_picture},
};
use cuda_safe::{
    LaunchConfig, Sampler, Surface, Texture,
    array::{ArrayFlags, CudaArray, TexelFormat},
};

cuda_safe::kernels! {
    /// The blur.
    struct Kernels = r#"
        __global__ void blur(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height) {
            const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
            if (x >= width || y >= height) return;
            float sum = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) sum += tex2D<float>(from, x + dx + 0.5f, y + dy + 0.5f);
            // A surface counts the first coordinate in bytes.
            surf2Dwrite(sum / 9, to, x * (int)sizeof(float), y);
        }"#;
    /// The mean of a pixel and its eight neighbors.
    fn blur(from: &Texture, to: &Surface, width: i32, height: i32);
}

/// An array with the texture and the surface by which kernels access it.
struct Canvas {
    array: CudaArray,
    texture: Texture,
    surface: Surface,
}

impl Canvas {
    fn new(gpu: &Gpu, width: usize, height: usize) -> Result<Self> {
        let format = TexelFormat::of::<f32>();
        let array = CudaArray::new(&gpu.context, format, [width, height], ArrayFlags::SURFACE)?;
        Ok(Self {
            texture: Texture::new(&array, Sampler::default())?,
            surface: Surface::new(&array)?,
            array,
        })
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let gpu = Gpu::open()?;
    let input = match arguments.first() {
        Some(path) => PathBuf::from(path),
        None => write_test_picture(gpu.size(2048, 160), gpu.size(1536, 120))?,
    };
    let output = match arguments.get(1) {
        Some(path) => PathBuf::from(path),
        None => output_path("blurred.png")?,
    };
    let passes: usize = match arguments.get(2) {
        Some(text) => text.parse().context("PASSES must be a number")?,
        None => 6,
    };
    let picture = Picture::read(&input)?;
    let (width, height) = (picture.width, picture.height);
    heading(format!(
        "{}: {width} x {height} pixels, {passes} passes",
        input.display()
    ));

    let kernels = Kernels::load(&gpu.context)?;
    let canvases = [
        Canvas::new(&gpu, width, height)?,
        Canvas::new(&gpu, width, height)?,
    ];
    let blocks = (width.div_ceil(16) as u32, height.div_ceil(16) as u32);
    let config = LaunchConfig::new(blocks, (16, 16));
    let mut planes = Vec::new();
    for plane in &picture.planes {
        canvases[0].array.copy_from_slice(&gpu.stream, plane)?;
        for pass in 0..passes {
            let (from, to) = (
                &canvases[pass % 2].texture,
                &canvases[(pass + 1) % 2].surface,
            );
            // SAFETY: both arrays have width x height floats. One is read and the other written, in the stream's order.
            unsafe { kernels.blur(&gpu.stream, config, from, to, width as i32, height as i32)? };
        }
        planes.push(canvases[passes % 2].array.to_vec::<f32>(&gpu.stream)?);
    }
    for (blurred, plane) in planes.iter().zip(&picture.planes) {
        let expected = (0..passes).fold(plane.clone(), |plane, _| on_cpu(&plane, width, height));
        ensure!(*blurred == expected, "the values differ from the CPU's");
    }
    println!("all values equal the CPU's");
    let times = measure(&gpu, gpu.size(20, 1), || {
        let (from, to) = (&canvases[0].texture, &canvases[1].surface);
        // SAFETY: as above.
        unsafe { kernels.blur(&gpu.stream, config, from, to, width as i32, height as i32)? };
        Ok(())
    })?;
    println!(
        "{}, one pass of one plane: {}",
        gpu.label(),
        show(times.device)
    );
    picture.with_planes(planes).write(&output, false)?;
    println!("written: {}", output.display());
    Ok(())
}

fn on_cpu(plane: &[f32], width: usize, height: usize) -> Vec<f32> {
    let at = |x: i64, y: i64| {
        let x = x.clamp(0, width as i64 - 1) as usize;
        plane[y.clamp(0, height as i64 - 1) as usize * width + x]
    };
    let pixel = |i: usize| {
        let (x, y) = ((i % width) as i64, (i / width) as i64);
        let mut sum = 0.0f32;
        for dy in -1..=1 {
            for dx in -1..=1 {
                sum += at(x + dx, y + dy);
            }
        }
        sum / 9.0
    };
    (0..width * height).map(pixel).collect()
}
