//! Two vectors multiplied element by element, then two matrices.
//!
//! Shows several arguments, one block of 400 threads, a two-dimensional block with row and column, and
//! a check of both against the CPU.

mod common;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, In, LaunchConfig, Module, Out};

const ELEMENTS: u32 = 400;
const ROWS: u32 = 20;
const COLUMNS: u32 = 10;

const SOURCE: &str = r#"
extern "C" __global__ void multiply_vectors(float *dest, const float *a, const float *b) {
    const int i = threadIdx.x;
    dest[i] = a[i] * b[i];
}

extern "C" __global__ void multiply_matrices(float *dest, const float *a, const float *b,
                                             int columns) {
    const int row = threadIdx.y;
    const int column = threadIdx.x;
    const int i = row * columns + column;
    dest[i] = a[i] * b[i];
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let module = Module::compile(&gpu.context, SOURCE)?;
    let mut table = Table::new(&["element by element", "by events", "by the clock"]);

    // 400 floats: one block of 400 threads, and buffers that stay on the device.
    let multiply = module.function("multiply_vectors")?;
    let numbers = data::normal(2 * ELEMENTS as usize);
    let (a_host, b_host) = numbers.split_at(ELEMENTS as usize);
    let a = DeviceBuffer::from_slice(&gpu.stream, a_host)?;
    let b = DeviceBuffer::from_slice(&gpu.stream, b_host)?;
    let mut dest = DeviceBuffer::<f32>::zeroed(&gpu.stream, a.len())?;
    let config = LaunchConfig::new(1, ELEMENTS);
    let times = measure(&gpu, gpu.size(100, 5), || {
        // SAFETY: 400 threads, each with one element of the three buffers of 400.
        unsafe { multiply.launch(&gpu.stream, config, (&mut dest, &a, &b))? };
        Ok(())
    })?;
    let product = dest.to_vec(&gpu.stream)?;
    heading("two vectors of 400");
    println!(
        "  {:8.4?}\n* {:8.4?}\n= {:8.4?} ...",
        &a_host[..4],
        &b_host[..4],
        &product[..4]
    );
    check(&product, a_host, b_host)?;
    table.row(["vectors of 400", &show(times.device), &show(times.wall)]);

    // A 20 x 10 matrix: x counts columns, y counts rows. The launch copies the host's slices.
    let multiply = module.function("multiply_matrices")?;
    let elements = (ROWS * COLUMNS) as usize;
    let (a_host, b_host) = (&a_host[..elements], &b_host[..elements]);
    let mut product = vec![0.0f32; elements];
    let config = LaunchConfig::new(1, (COLUMNS, ROWS));
    let times = measure(&gpu, gpu.size(100, 5), || {
        let arguments = (Out(&mut product), In(a_host), In(b_host), COLUMNS);
        // SAFETY: 20 x 10 threads, each with one element of the three slices of 200.
        unsafe { multiply.launch(&gpu.stream, config, arguments)? };
        Ok(())
    })?;
    heading("two matrices of 20 x 10: the first rows of the product");
    for row in product.chunks(COLUMNS as usize).take(3) {
        println!("  {row:7.3?}");
    }
    check(&product, a_host, b_host)?;
    table.row([
        "matrices of 20 x 10, with copies",
        &show(times.device),
        &show(times.wall),
    ]);

    heading("times");
    print!("{table}");
    Ok(())
}

/// A single multiplication rounds in the same way everywhere, so the results are equal bit for bit.
fn check(product: &[f32], a: &[f32], b: &[f32]) -> Result<()> {
    for (i, ((p, a), b)) in product.iter().zip(a).zip(b).enumerate() {
        ensure!(
            *p == a * b,
            "element {i}: {a} * {b} is {p}, but {} on the CPU",
            a * b
        );
    }
    println!("  all {} products equal the CPU's", product.len());
    Ok(())
}
