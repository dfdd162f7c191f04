//! Convolves an image, from a file to a file.
//!
//! ```text
//! convolve_image [INPUT [OUTPUT [FILTER]]]
//! ```
//!
//! INPUT is a PNG or JPEG file, OUTPUT a PNG file. FILTER is box, gauss, sobel, sharpen, emboss, or a text
//! file with a square filter of odd size, one row per line. Without arguments the example generates
//! a picture and applies every named filter to it.
//!
//! Shows constants that are inserted into the source at run time (the image's width and the filter's
//! size), a kernel with a grid-stride loop, and the ready-made convolutions of `cuda-compute` for
//! comparison (of planes of floats, and of bytes with interleaved channels, as in the file). All
//! results are checked against the CPU. The output has the size of the input. Pixels beyond the border
//! count as zero. The weights of some filters, such as sobel, add up to zero, so their results have
//! both signs. The magnitudes are written, so that edges of either direction are visible.

mod common;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use common::{
    convolution::Convolution,
    cpu,
    filter::Filter,
    gpu::{Gpu, heading},
    measure::{Times, measure, measure_cpu, show},
    picture::{Picture, output_path, write_test_picture},
    ready_made,
    table::Table,
};
use cuda_safe::DeviceBuffer;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let gpu = Gpu::open()?;
    let work = Work::from_arguments(&gpu, &arguments)?;
    let picture = Picture::read(&work.input)?;
    heading(format!(
        "{}: {} x {} pixels, {} plane(s)",
        work.input.display(),
        picture.width,
        picture.height,
        picture.planes.len()
    ));

    let by_events = format!("{} by events", gpu.label());
    let by_clock = format!("{} by the clock", gpu.label());
    let ready = format!("{} cuda-compute", gpu.label());
    let by_bytes = format!("{ready}, bytes");
    let cores = format!("CPU, {} cores", cpu::cores());
    let mut table = Table::new(&[
        "filter", "size", &by_events, &by_clock, &ready, &by_bytes, &cores,
    ]);
    for (filter, output) in &work.outputs {
        let runs = gpu.size(10, 1);
        let (planes, times) = convolve(&gpu, &picture, filter, runs)?;
        let (ready_planes, ready) = ready_made::convolve(&gpu, &picture, filter, runs)?;
        let (bytes, of_bytes) = ready_made::convolve_bytes(&gpu, &picture, filter, runs)?;
        let (expected, cpu_time) = measure_cpu(3, || {
            let convolve = |plane: &Vec<f32>| cpu::convolve_all_cores(plane, picture.width, filter);
            picture.planes.iter().map(convolve).collect::<Vec<_>>()
        });
        check(&planes, &expected, filter, picture.width)?;
        check(&ready_planes, &expected, filter, picture.width)?;
        check_bytes(&bytes, &picture.with_planes(expected), filter)?;
        picture
            .with_planes(planes)
            .write(output, filter.finds_edges())?;
        table.row([
            filter.name.clone(),
            format!("{0} x {0}", filter.size),
            show(times.device),
            show(times.wall),
            show(ready.device),
            show(of_bytes.device),
            show(cpu_time),
        ]);
    }
    print!("{table}");
    println!(
        "By events: only the kernel of this example. By the clock: with the copies in both directions."
    );
    println!(
        "cuda-compute: the ready-made kernels, by events. A picture of bytes takes one launch."
    );
    println!("Every pixel was checked against the CPU.\n");
    for (filter, output) in &work.outputs {
        let what = if filter.finds_edges() {
            " (magnitudes: the results have both signs)"
        } else {
            ""
        };
        println!("wrote {}{what}", output.display());
    }
    Ok(())
}

/// The image, the filters, and the output paths.
struct Work {
    input: PathBuf,
    outputs: Vec<(Filter, PathBuf)>,
}

impl Work {
    fn from_arguments(gpu: &Gpu, arguments: &[String]) -> Result<Self> {
        let (input, output, filter) = match arguments {
            [] => return Self::every_filter(gpu),
            [option, ..] if option.starts_with('-') => {
                bail!("usage: convolve_image [INPUT [OUTPUT [FILTER]]]")
            }
            [input] => (input, None, "gauss"),
            [input, output] => (input, Some(output), "gauss"),
            [input, output, filter] => (input, Some(output), filter.as_str()),
            _ => bail!("usage: convolve_image [INPUT [OUTPUT [FILTER]]]"),
        };
        let filter = Filter::find(filter)?;
        let output = match output {
            Some(output) => PathBuf::from(output),
            None => output_path("convolved.png")?,
        };
        ensure!(
            output != Path::new(input),
            "the output would overwrite the input {input}"
        );
        Ok(Self {
            input: input.into(),
            outputs: vec![(filter, output)],
        })
    }

    fn every_filter(gpu: &Gpu) -> Result<Self> {
        let (width, height) = gpu.size((4000, 3000), (640, 480));
        let named = Filter::NAMES.into_iter().filter_map(Filter::named);
        let outputs = named.map(|filter| {
            let path = output_path(&format!("{}.png", filter.name))?;
            Ok((filter, path))
        });
        Ok(Self {
            input: write_test_picture(width, height)?,
            outputs: outputs.collect::<Result<_>>()?,
        })
    }
}

/// Convolves every plane. The events measure the kernels. The clock also includes the copies.
fn convolve(
    gpu: &Gpu,
    picture: &Picture,
    filter: &Filter,
    runs: usize,
) -> Result<(Vec<Vec<f32>>, Times)> {
    let convolution = Convolution::new(gpu, picture.width, filter)?;
    let images = picture
        .planes
        .iter()
        .map(|plane| DeviceBuffer::from_slice(&gpu.stream, plane))
        .collect::<cuda_safe::Result<Vec<_>>>()?;
    let mut out = DeviceBuffer::<f32>::uninit(&gpu.stream, picture.width * picture.height)?;
    let device = measure(gpu, runs, || {
        images
            .iter()
            .try_for_each(|image| convolution.run(gpu, &mut out, image))
    })?
    .device;

    let mut image = DeviceBuffer::<f32>::uninit(&gpu.stream, out.len())?;
    let mut planes = vec![vec![0.0; out.len()]; picture.planes.len()];
    let wall = measure(gpu, runs, || {
        for (plane, result) in picture.planes.iter().zip(&mut planes) {
            image.copy_from_slice(&gpu.stream, plane)?;
            convolution.run(gpu, &mut out, &image)?;
            out.copy_to_slice(&gpu.stream, result)?;
        }
        Ok(())
    })?
    .wall;
    Ok((planes, Times { device, wall }))
}

fn check(planes: &[Vec<f32>], expected: &[Vec<f32>], filter: &Filter, width: usize) -> Result<()> {
    let limit = filter.tolerance(255.0);
    for (plane, expected) in planes.iter().zip(expected) {
        let (difference, at) = cpu::largest_difference(plane, expected);
        ensure!(
            difference <= limit,
            "{}: pixel {}, {} is {}, but {} on the CPU",
            filter.name,
            at % width,
            at / width,
            plane[at],
            expected[at]
        );
    }
    Ok(())
}

/// Checks the bytes. A sum between two integers may be rounded to either one.
fn check_bytes(bytes: &[u8], expected: &Picture, filter: &Filter) -> Result<()> {
    let limit = filter.tolerance(255.0);
    let [low, high] = [-limit, limit].map(|slack| expected.bytes(|value| value + slack));
    for (at, byte) in bytes.iter().enumerate() {
        let (low, high) = (low[at], high[at]);
        ensure!(
            (low..=high).contains(byte),
            "{}: byte {at} is {byte}, but {low} to {high} on the CPU",
            filter.name
        );
    }
    Ok(())
}
