//! A tour of the library, from a first kernel to a comparison of GPU and CPU.
//!
//! ```text
//! quickstart [INPUT [OUTPUT]]
//! ```
//!
//! Shows a kernel compiled from a string, buffers, host slices with `In` and `Out`, the convolution of an
//! image file, the sum of 2^27 − 157 numbers, and times measured by events. INPUT is a PNG or
//! JPEG file, OUTPUT a PNG file. Without them, the example generates a picture.

mod common;

use std::{path::PathBuf, time::Duration};

use anyhow::{Result, ensure};
use common::{
    convolution::Convolution,
    cpu, data,
    filter::Filter,
    gpu::{Gpu, heading},
    measure::{measure, measure_cpu, ratio, show},
    picture::{Picture, output_path, write_test_picture},
    ready_made,
    sum::{Sum, tolerance},
    table::Table,
};
use cuda_safe::{DeviceBuffer, Event, In, LaunchConfig, Module, Out};

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (input, output) = (arguments.next(), arguments.next());

    heading("1. The device");
    let gpu = Gpu::open()?;
    let mut table = Race::head();
    multiply_vectors(&gpu)?;
    convolve_picture(&gpu, input, output, &mut table)?;
    sum_numbers(&gpu, &mut table)?;

    heading(format!("5. The {} against the CPU", gpu.label()));
    print!("{table}");
    println!(
        "Own kernel and cuda-compute: on the {}, by events, with the data on the device.",
        gpu.label()
    );
    println!("Gain: cuda-compute compared with all cores.");
    println!("\nAll results are correct.");
    Ok(())
}

/// A kernel from a string, launched with buffers and then with host slices.
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

    // With buffers: allocates, fills and reads device memory explicitly.
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

    // With In and Out: the launch copies the host's slices.
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

/// Applies a 7 x 7 Gaussian filter to a picture file.
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
        check_plane(result, &expected, filter.tolerance(255.0))?;
    }
    // The comparison uses one plane.
    let plane = picture.with_planes(vec![picture.planes[0].clone()]);
    let (first, runs) = (&plane.planes[0], gpu.size(20, 1));
    let image = DeviceBuffer::from_slice(&gpu.stream, first)?;
    let here = measure(gpu, runs, || convolution.run(gpu, &mut out, &image))?;
    let (ready, ready_times) = ready_made::convolve(gpu, &plane, &filter, runs)?;
    check_plane(&ready[0], &planes[0], 2.0 * filter.tolerance(255.0))?;
    let race = Race {
        here: here.device,
        ready_made: ready_times.device,
        one_core: measure_cpu(2, || cpu::convolve_one_core(first, plane.width, &filter)).1,
        all_cores: measure_cpu(2, || cpu::convolve_all_cores(first, plane.width, &filter)).1,
    };
    let size = filter.size;
    let name = format!(
        "{size} x {size} filter, {} x {} pixels",
        plane.width, plane.height
    );
    table.row(race.cells(name));

    picture.with_planes(planes).write(&output, false)?;
    println!("read   {}", input.display());
    println!("wrote  {}", output.display());
    Ok(())
}

/// Sums many normally distributed numbers.
fn sum_numbers(gpu: &Gpu, table: &mut Table) -> Result<()> {
    let len = gpu.size((1 << 27) - 157, (1 << 24) - 157);
    heading(format!("4. The sum of {len} normally distributed numbers"));
    let x_host = data::normal(len);
    let x = DeviceBuffer::from_slice(&gpu.stream, &x_host)?;
    let mut kernels = Sum::new(gpu)?;
    let runs = gpu.size(20, 1);
    let times = measure(gpu, runs, || kernels.enqueue(gpu, &x))?;
    let sum = kernels.result(gpu)?;

    let (ready, ready_times) = ready_made::sum(gpu, &x, runs)?;

    let exact = cpu::sum_f64(&x_host);
    let limit = tolerance(cpu::sum_of_magnitudes(&x_host));
    println!("float32, kernel written here:  {sum:.3}");
    println!("float32, cuda-compute:         {ready:.3}");
    println!("float64 on the CPU:            {exact:.3}");
    for sum in [sum, ready] {
        let error = (f64::from(sum) - exact).abs();
        ensure!(
            error <= limit,
            "a sum is off by {error}, and the limit is {limit}"
        );
    }
    let race = Race {
        here: times.device,
        ready_made: ready_times.device,
        one_core: measure_cpu(3, || cpu::sum_one_core(&x_host)).1,
        all_cores: measure_cpu(3, || cpu::sum_all_cores(&x_host)).1,
    };
    table.row(race.cells(format!("sum of {len} floats")));
    Ok(())
}

fn check_plane(plane: &[f32], expected: &[f32], limit: f32) -> Result<()> {
    let (difference, at) = cpu::largest_difference(plane, expected);
    ensure!(difference <= limit, "pixel {at} is off by {difference}");
    Ok(())
}

/// Times of the same work in four implementations.
struct Race {
    here: Duration,
    ready_made: Duration,
    one_core: Duration,
    all_cores: Duration,
}

impl Race {
    fn head() -> Table {
        let cores = format!("CPU, {} cores", cpu::cores());
        Table::new(&[
            "",
            "own kernel",
            "cuda-compute",
            "CPU, one core",
            &cores,
            "gain",
        ])
    }

    fn cells(&self, name: String) -> [String; 6] {
        [
            name,
            show(self.here),
            show(self.ready_made),
            show(self.one_core),
            show(self.all_cores),
            ratio(self.all_cores, self.ready_made),
        ]
    }
}
