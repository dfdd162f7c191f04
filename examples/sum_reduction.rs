//! The sum of 2^27 − 157 normally distributed numbers, in several ways.
//!
//! Compares a complete reduction on the GPU, a reduction to one partial sum per block that the CPU
//! finishes, and the ready-made reduction of `cuda-compute`. Shows the rounding error of each one in
//! float32, compared with a float64 sum.

mod common;

use std::time::Duration;

use anyhow::{Result, ensure};
use common::{
    cpu, data,
    gpu::{Gpu, heading},
    measure::{Times, bandwidth, measure, measure_cpu, measure_prepared, show},
    ready_made,
    sum::{Sum, tolerance},
    table::Table,
};
use cuda_safe::DeviceBuffer;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let len = gpu.size((1 << 27) - 157, (1 << 24) - 157);
    let runs = gpu.size(20, 1);

    heading(format!("the sum of {len} normally distributed floats"));
    let x = data::normal(len);
    let mut report = Report::new(&x);
    println!(
        "float64 on the CPU: {:.6}. A float32 sum may be off by {:.3}.",
        report.exact, report.limit
    );

    // The obvious loop over all numbers accumulates rounding errors, so its sum is shown without a
    // check against the limit.
    let (sum, time) = measure_cpu(3, || cpu::sum_plain(&x));
    report.show("CPU, a plain loop", sum, None, time);
    let (sum, time) = measure_cpu(3, || cpu::sum_one_core(&x));
    report.add("CPU, one core, vectors", sum, None, time)?;
    let (sum, time) = measure_cpu(3, || cpu::sum_all_cores(&x));
    report.add(
        &format!("CPU, {} cores, vectors", cpu::cores()),
        sum,
        None,
        time,
    )?;

    let original = DeviceBuffer::from_slice(&gpu.stream, &x)?;
    let label = gpu.label();
    let (sum, times) = complete_reduction(&gpu, &original, runs)?;
    let name = format!("{label}, complete reduction");
    report.add(&name, sum, Some(times.device), times.wall)?;
    let (sum, times) = partial_sums(&gpu, &original, runs)?;
    let name = format!("{label}, {} partial sums, CPU", Sum::partials_of(len));
    report.add(&name, sum, Some(times.device), times.wall)?;

    let (sum, times) = ready_made::sum(&gpu, &original, runs)?;
    let name = format!("{label}, cuda-compute");
    report.add(&name, sum, Some(times.device), times.wall)?;

    println!("\n{}", report.table);
    println!("The time by the clock ends when the host has the sum. GB/s are by events");
    println!("if there are any. The input is already on the device.");
    Ok(())
}

/// (a) Everything on the device, which returns one number.
fn complete_reduction(gpu: &Gpu, x: &DeviceBuffer<f32>, runs: usize) -> Result<(f32, Times)> {
    let mut kernels = Sum::new(gpu)?;
    let mut sum = 0.0;
    let device = measure(gpu, runs, || kernels.enqueue(gpu, x))?.device;
    let wall = measure(gpu, runs, || {
        kernels.enqueue(gpu, x)?;
        sum = kernels.result(gpu)?;
        Ok(())
    })?
    .wall;
    Ok((sum, Times { device, wall }))
}

/// (b) Each block reduces its elements in place to one partial sum, and the CPU adds these. Every run
/// destroys its input, so it works on a copy. The measurement excludes copying.
fn partial_sums(gpu: &Gpu, x: &DeviceBuffer<f32>, runs: usize) -> Result<(f32, Times)> {
    let kernels = Sum::new(gpu)?;
    let mut copy = DeviceBuffer::<f32>::uninit(&gpu.stream, x.len())?;
    let mut partials = DeviceBuffer::<f32>::uninit(&gpu.stream, Sum::partials_of(x.len()))?;
    let mut on_host = vec![0.0f32; partials.len()];
    let renew = |copy: &mut DeviceBuffer<f32>| Ok(copy.copy_from(&gpu.stream, x)?);
    let mut sum = 0.0;
    let device = measure_prepared(gpu, runs, &mut copy, renew, |copy| {
        kernels.enqueue_in_place(gpu, &mut partials, copy)
    })?
    .device;
    let wall = measure_prepared(gpu, runs, &mut copy, renew, |copy| {
        kernels.enqueue_in_place(gpu, &mut partials, copy)?;
        partials.copy_to_slice(&gpu.stream, &mut on_host)?;
        sum = on_host
            .iter()
            .map(|&partial| f64::from(partial))
            .sum::<f64>() as f32;
        Ok(())
    })?
    .wall;
    Ok((sum, Times { device, wall }))
}

/// A table of all results.
struct Report {
    exact: f64,
    limit: f64,
    bytes: usize,
    table: Table,
}

impl Report {
    fn new(x: &[f32]) -> Self {
        let head = [
            "method",
            "sum",
            "error",
            "by events",
            "by the clock",
            "GB/s",
        ];
        Self {
            exact: cpu::sum_f64(x),
            limit: tolerance(cpu::sum_of_magnitudes(x)),
            bytes: size_of_val(x),
            table: Table::new(&head),
        }
    }

    /// Adds a row to the table.
    fn show(&mut self, way: &str, sum: f32, device: Option<Duration>, wall: Duration) {
        let error = f64::from(sum) - self.exact;
        self.table.row([
            way.to_owned(),
            format!("{sum:.3}"),
            format!("{error:+.1e}"),
            device.map(show).unwrap_or_default(),
            show(wall),
            bandwidth(self.bytes, device.unwrap_or(wall)),
        ]);
    }

    /// Adds a row whose sum must be within the limit.
    fn add(&mut self, way: &str, sum: f32, device: Option<Duration>, wall: Duration) -> Result<()> {
        self.show(way, sum, device, wall);
        let error = (f64::from(sum) - self.exact).abs();
        ensure!(
            error <= self.limit,
            "{way}: {sum} is off by {error}, and the limit is {}",
            self.limit
        );
        Ok(())
    }
}
