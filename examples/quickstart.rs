//! The tour of the library, from a first kernel to a table of GPU against CPU.
//!
//! ```text
//! quickstart [INPUT [OUTPUT]]
//! ```
//!
//! Shows a kernel compiled from a string, buffers, the short way with `In` and `Out`, an image
//! convolved from a file to a file, the sum of 2^27 − 157 numbers, and times taken by events. INPUT
//! and OUTPUT are PNG or JPEG files; without them it makes its own picture.

mod common;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use common::{
    convolution::Convolution,
    cpu, data,
    filter::Filter,
    gpu::{Gpu, heading},
    measure::{measure, measure_cpu, ratio, show},
    picture::{Picture, output_path, write_test_picture},
    sum::{Sum, tolerance},
    table::Table,
};
use cuda_safe::{DeviceBuffer, Event, In, LaunchConfig, Module, Out};

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (input, output) = (arguments.next(), arguments.next());

    heading("1. The device");
    let gpu = Gpu::open()?;
    let cores = format!("CPU, {} cores", cpu::cores());
    let mut table = Table::new(&[
        "",
        gpu.label(),
        "CPU, one core",
        &cores,
        "gain over all cores",
    ]);
    multiply_vectors(&gpu)?;
    convolve_picture(&gpu, input, output, &mut table)?;
    sum_numbers(&gpu, &mut table)?;

    heading(format!("5. The {} against the CPU", gpu.label()));
    print!("{table}");
    println!(
        "Times of the {} by events, with the data on the device already.",
        gpu.label()
    );
    println!("\nAll results are right.");
    Ok(())
}

/// A kernel from a string, launched with buffers and then with the host's slices.
fn multiply_vectors(gpu: &Gpu) -> Result<()> {
    heading("2. Two vectors multiplied");
    let source = r#"
        extern "C" __global__ void multiply_them(float *dest, const float *a, const float *b) {
            const int i = threadIdx.x;
            dest[i] = a[i] * b[i];
        }"#;
    let multiply_them = Module::compile(&gpu.context, source)?.function("multiply_them")?;
    let numbers = data::normal(800);
    let (a_host, b_host) = numbers.split_at(400);
    let config = LaunchConfig::new(1, 400);

    // With buffers: memory on the device is made, filled and read back by hand.
    let a = DeviceBuffer::from_slice(&gpu.stream, a_host)?;
    let b = DeviceBuffer::from_slice(&gpu.stream, b_host)?;
    let mut dest = DeviceBuffer::<f32>::zeroed(&gpu.stream, 400)?;
    let (start, end) = (Event::new(&gpu.context)?, Event::new(&gpu.context)?);
    start.record(&gpu.stream)?;
    // SAFETY: the kernel reads 400 elements of a and b and writes 400 of dest.
    unsafe { multiply_them.launch(&gpu.stream, config, (&mut dest, &a, &b))? };
    end.record(&gpu.stream)?;
    let product = dest.to_vec(&gpu.stream)?;
    check_product(&product, a_host, b_host)?;
    println!(
        "with buffers:     400 products, the kernel took {}",
        show(end.duration_since(&start)?)
    );

    // With In and Out: the host's slices travel with the launch.
    let mut product = vec![0.0f32; 400];
    // SAFETY: as above.
    unsafe {
        multiply_them.launch(
            &gpu.stream,
            config,
            (Out(&mut product), In(a_host), In(b_host)),
        )?
    };
    check_product(&product, a_host, b_host)?;
    println!("with In and Out:  the same 400 products");
    Ok(())
}

fn check_product(product: &[f32], a: &[f32], b: &[f32]) -> Result<()> {
    for (i, ((p, a), b)) in product.iter().zip(a).zip(b).enumerate() {
        ensure!(*p == a * b, "element {i}: {a} * {b} is not {p}");
    }
    Ok(())
}

/// A picture from a file to a file through a 7 x 7 Gaussian filter.
fn convolve_picture(
    gpu: &Gpu,
    input: Option<PathBuf>,
    output: Option<PathBuf>,
    table: &mut Table,
) -> Result<()> {
    heading("3. An image convolved");
    let (width, height) = gpu.size((4000, 3000), (640, 480));
    let input = input.map_or_else(|| write_test_picture(width, height), Ok)?;
    let output = output.map_or_else(|| output_path("quickstart.png"), Ok)?;
    let picture = Picture::read(&input)?;
    let filter = Filter::find("gauss")?;

    let convolution = Convolution::new(gpu, picture.width, &filter)?;
    let mut out = DeviceBuffer::<f32>::uninit(&gpu.stream, picture.width * picture.height)?;
    let mut planes = Vec::new();
    for plane in &picture.planes {
        let image = DeviceBuffer::from_slice(&gpu.stream, plane)?;
        convolution.run(gpu, &mut out, &image)?;
        planes.push(out.to_vec(&gpu.stream)?);
    }
    for (plane, result) in picture.planes.iter().zip(&planes) {
        let expected = cpu::convolve_all_cores(plane, picture.width, &filter);
        let (difference, at) = cpu::largest_difference(result, &expected);
        let limit = filter.tolerance(255.0);
        ensure!(difference <= limit, "pixel {at} is off by {difference}");
    }
    let first = &picture.planes[0];
    let image = DeviceBuffer::from_slice(&gpu.stream, first)?;
    let times = measure(gpu, gpu.size(20, 1), || {
        convolution.run(gpu, &mut out, &image)
    })?;
    let (_, one) = measure_cpu(2, || cpu::convolve_one_core(first, picture.width, &filter));
    let (_, all) = measure_cpu(2, || cpu::convolve_all_cores(first, picture.width, &filter));
    let name = format!(
        "{0} x {0} filter, {1} x {2} pixels",
        filter.size, picture.width, picture.height
    );
    table.row([
        name,
        show(times.device),
        show(one),
        show(all),
        ratio(all, times.device),
    ]);

    picture.with_planes(planes).write(&output, false)?;
    println!("read   {}", input.display());
    println!("wrote  {}", output.display());
    Ok(())
}

/// The sum of many normal-distributed numbers.
fn sum_numbers(gpu: &Gpu, table: &mut Table) -> Result<()> {
    let len = gpu.size((1 << 27) - 157, (1 << 24) - 157);
    heading(format!("4. The sum of {len} normal-distributed numbers"));
    let x_host = data::normal(len);
    let x = DeviceBuffer::from_slice(&gpu.stream, &x_host)?;
    let mut kernels = Sum::new(gpu)?;
    let times = measure(gpu, gpu.size(20, 1), || kernels.enqueue(gpu, &x))?;
    let sum = kernels.result(gpu)?;

    let exact = cpu::sum_f64(&x_host);
    let (error, limit) = (
        f64::from(sum) - exact,
        tolerance(cpu::sum_of_magnitudes(&x_host)),
    );
    println!("{sum:.3} in float32 on the device, {exact:.3} in float64 on the CPU");
    ensure!(
        error.abs() <= limit,
        "the sum is off by {error}, and {limit} is the limit"
    );
    let (_, one) = measure_cpu(3, || cpu::sum_one_core(&x_host));
    let (_, all) = measure_cpu(3, || cpu::sum_all_cores(&x_host));
    let name = format!("sum of {len} floats");
    table.row([
        name,
        show(times.device),
        show(one),
        show(all),
        ratio(all, times.device),
    ]);
    Ok(())
}
