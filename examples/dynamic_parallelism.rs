//! Kernels that launch kernels: an integral with adaptive refinement.
//!
//! Each block integrates a piece of the interval. If two steps of its rule differ by too much, it launches two grids for
//! the halves, without the host. For this, one call links the compiled program with the toolkit's device runtime
//! (`libcudadevrt.a`). The result is checked against the known integral, and against the same refinement on the host.

mod common;

use anyhow::{Result, ensure};
use common::gpu::{Gpu, heading};
use cuda_safe::{DeviceBuffer, LaunchConfig, Module};

const SOURCE: &str = r#"
__device__ double f(double x) { return 1.0 / (1e-4 + (x - 0.3) * (x - 0.3)); }

// Simpson's rule on [a, b].
__device__ double simpson(double a, double b) {
    return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b));
}

extern "C" __global__ void integrate(double a, double b, double tolerance, double *sum, unsigned *pieces) {
    const double middle = (a + b) / 2;
    const double whole = simpson(a, b), halves = simpson(a, middle) + simpson(middle, b);
    if (fabs(whole - halves) < 15 * tolerance) {
        atomicAdd(sum, halves + (halves - whole) / 15);
        atomicAdd(pieces, 1);
        return;
    }
    integrate<<<1, 1>>>(a, middle, tolerance / 2, sum, pieces);
    integrate<<<1, 1>>>(middle, b, tolerance / 2, sum, pieces);
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    heading("Compiled, and linked with the device runtime");
    let module = Module::compile_with_device_runtime(&gpu.context, SOURCE)?;
    let integrate = module.function("integrate")?;
    println!("kernels: {:?}", module.function_names()?);

    heading("One launch from the host");
    let mut sum = DeviceBuffer::<f64>::zeroed(&gpu.stream, 1)?;
    let mut pieces = DeviceBuffer::<u32>::zeroed(&gpu.stream, 1)?;
    let tolerance = 1e-6;
    let arguments = (0.0f64, 1.0f64, tolerance, &mut sum, &mut pieces);
    // SAFETY: all kernels add to one number each.
    unsafe { integrate.launch(&gpu.stream, LaunchConfig::new(1, 1), arguments)? };
    let (sum, pieces) = (sum.to_vec(&gpu.stream)?[0], pieces.to_vec(&gpu.stream)?[0]);
    let exact = 100.0 * ((0.7f64 / 1e-2).atan() + (0.3f64 / 1e-2).atan());
    println!("integral {sum:.9}, exact {exact:.9}, from {pieces} pieces");
    ensure!((sum - exact).abs() < 10.0 * tolerance);

    heading("The same on the host");
    let on_host = count(0.0, 1.0, tolerance);
    println!("{on_host} pieces");
    // If the last bits differ, a comparison may have another result.
    ensure!(pieces.abs_diff(on_host) <= 2);
    Ok(())
}

fn f(x: f64) -> f64 {
    1.0 / (1e-4 + (x - 0.3) * (x - 0.3))
}

fn simpson(a: f64, b: f64) -> f64 {
    (b - a) / 6.0 * (f(a) + 4.0 * f((a + b) / 2.0) + f(b))
}

/// The number of pieces after the refinement.
fn count(a: f64, b: f64, tolerance: f64) -> u32 {
    let middle = (a + b) / 2.0;
    let difference = simpson(a, b) - (simpson(a, middle) + simpson(middle, b));
    if difference.abs() < 15.0 * tolerance {
        return 1;
    }
    count(a, middle, tolerance / 2.0) + count(middle, b, tolerance / 2.0)
}
