//! The sum of 2^27 − 157 normal-distributed numbers, in several ways.
//!
//! Shows a reduction that is completed on the GPU; one that leaves a partial sum for each block, and
//! is finished on the CPU; the ready-made one of `cuda-compute`; and the rounding error of each in
//! float32, against a float64 sum.

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

    heading(format!("the sum of {len} normal-distributed floats"));
    let x = data::normal(len);
    let mut report = Report::new(&x);
    println!(
        "float64 on the CPU says {:.6}; a float32 sum may be off by {:.3}",
        report.exact, report.limit
    );

    // One number after the other is what a first program does. Its errors pile up, so it is only
    // shown and not held to the limit.
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
    println!(
        "The time by the clock lasts until the host has the sum; GB/s are by the events where"
    );
    println!("there are any. The input lies on the device already.");
    Ok(())
}

/// (a) All of it on the device: one number comes back.
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

/// (b) Each block reduces its elements in place and leaves one partial sum; the CPU adds those.
/// Every run destroys its input, so it works on a copy. Copying is not measured.
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

/// The results side by side.
struct Report {
    exact: f64,
    limit: f64,
    bytes: usize,
    table: Table,
}

impl Report {
    fn new(x: &[f32]) -> Self {
        let head = ["way", "sum", "error", "by events", "by the clock", "GB/s"];
        Self {
            exact: cpu::sum_f64(x),
            limit: tolerance(cpu::sum_of_magnitudes(x)),
            bytes: size_of_val(x),
            table: Table::new(&head),
        }
    }

    /// A row of the table.
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

    /// A row of the table whose sum must be right.
    fn add(&mut self, way: &str, sum: f32, device: Option<Duration>, wall: Duration) -> Result<()> {
        self.show(way, sum, device, wall);
        let error = (f64::from(sum) - self.exact).abs();
        ensure!(
            error <= self.limit,
            "{way}: {sum} is off by {error}, and {} is the limit",
            self.limit
        );
        Ok(())
    }
}
