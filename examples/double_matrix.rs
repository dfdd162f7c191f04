//! A 4 x 4 matrix doubled on the device: the smallest complete program.
//!
//! Shows explicit copies to the device and back, a kernel compiled from a string, and a two-dimensional
//! block. Then it does the same in one line with `InOut`.

mod common;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, InOut, LaunchConfig, Module};

const SIDE: usize = 4;

const SOURCE: &str = r#"
extern "C" __global__ void double_them(float *a) {
    const int i = threadIdx.x + threadIdx.y * 4;
    a[i] *= 2;
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let double_them = Module::compile(&gpu.context, SOURCE)?.function("double_them")?;
    let config = LaunchConfig::new(1, (4, 4));

    let original = data::normal(SIDE * SIDE);
    heading("the original");
    print_matrix(&original);

    // Step by step: allocate and copy, launch, copy back.
    let mut a = DeviceBuffer::from_slice(&gpu.stream, &original)?;
    // SAFETY: 4 x 4 threads, each with one of the buffer's 16 elements.
    unsafe { double_them.launch(&gpu.stream, config, (&mut a,))? };
    let doubled = a.to_vec(&gpu.stream)?;
    heading("doubled on the device");
    print_matrix(&doubled);
    check(&original, &doubled)?;

    // Shorter: the launch copies the host's array to the device and back.
    let mut matrix = original.clone();
    // SAFETY: as above, with the array's 16 elements.
    unsafe { double_them.launch(&gpu.stream, config, (InOut(&mut matrix),))? };
    check(&original, &matrix)?;
    println!("\nInOut computes the same.");

    let kernel = measure(&gpu, gpu.size(100, 5), || {
        // SAFETY: as above.
        unsafe { double_them.launch(&gpu.stream, config, (&mut a,))? };
        Ok(())
    })?;
    let in_out = measure(&gpu, gpu.size(100, 5), || {
        // SAFETY: as above.
        unsafe { double_them.launch(&gpu.stream, config, (InOut(&mut matrix),))? };
        Ok(())
    })?;
    heading("times");
    let mut table = Table::new(&["", "by events", "by the clock"]);
    table.row(["only the kernel", &show(kernel.device), &show(kernel.wall)]);
    table.row([
        "InOut: copy, kernel, copy",
        &show(in_out.device),
        &show(in_out.wall),
    ]);
    print!("{table}");
    Ok(())
}

fn check(original: &[f32], doubled: &[f32]) -> Result<()> {
    let expected: Vec<f32> = original.iter().map(|value| 2.0 * value).collect();
    ensure!(doubled == expected, "{doubled:?} is not twice {original:?}");
    Ok(())
}

fn print_matrix(values: &[f32]) {
    for row in values.chunks(SIDE) {
        let cells: Vec<String> = row.iter().map(|value| format!("{value:8.4}")).collect();
        println!("  {}", cells.join(" "));
    }
}
