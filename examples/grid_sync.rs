//! A cooperative launch: all blocks of a grid wait for each other.
//!
//! Scales a vector to length 1. The first element can only be written when the sum of all squares is known. This takes two
//! kernels, or one whose blocks synchronize in the middle and keep their elements in registers.

mod common;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, ratio, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, LaunchConfig, Module};

const SOURCE: &str = r#"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ void add_up(double own, double *sum) {
    __shared__ double warps[32];
    for (int offset = 16; offset > 0; offset /= 2) own += __shfl_down_sync(~0u, own, offset);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < blockDim.x / 32; ++i) own += warps[i];
        atomicAdd(sum, own);
    }
}

extern "C" __global__ void squares(const float *x, double *sum, int n) {
    double own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += (double)x[i] * x[i];
    add_up(own, sum);
}

extern "C" __global__ void scale(float *x, const double *sum, int n) {
    const float factor = rsqrt(*sum);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= factor;
}

// PER elements per thread, which stay in registers.
extern "C" __global__ void normalise(float *x, double *sum, int n) {
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float mine[PER];
    double own = 0;
    #pragma unroll
    for (int k = 0; k < PER; ++k) {
        const int i = first + k * step;
        mine[k] = i < n ? x[i] : 0.0f;
        own += (double)mine[k] * mine[k];
    }
    add_up(own, sum);
    cg::this_grid().sync(); // every block has added its part
    const float factor = rsqrt(*sum);
    #pragma unroll
    for (int k = 0; k < PER; ++k) {
        const int i = first + k * step;
        if (i < n) x[i] = mine[k] * factor;
    }
}
"#;

const PER: usize = 16;
const BLOCK: u32 = 256;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let stream = &gpu.stream;
    let source = format!("#define PER {PER}\n{SOURCE}");
    let module = Module::compile(&gpu.context, &source)?;
    let normalise = module.function("normalise")?;
    // All blocks must be resident at the same time, because more could not wait for each other.
    let each = normalise.max_active_blocks(BLOCK, 0)?;
    let blocks = gpu.size(each * gpu.context.device().multiprocessor_count()?, 4);
    let len = blocks as usize * BLOCK as usize * PER;
    heading(format!(
        "{len} elements, {blocks} blocks of {BLOCK} threads"
    ));
    let (squares, scale) = (module.function("squares")?, module.function("scale")?);
    let input = data::normal(len);
    let start = DeviceBuffer::from_slice(stream, &input)?;
    let mut x = DeviceBuffer::<f32>::uninit(stream, len)?;
    let mut sum = DeviceBuffer::<f64>::zeroed(stream, 1)?;
    let n = len as i32;
    let config = LaunchConfig::new(blocks, BLOCK);

    let two = measure(&gpu, 9, || {
        x.copy_from(stream, &start)?;
        sum.fill(stream, 0.0)?;
        // SAFETY: n elements and one sum.
        unsafe {
            squares.launch(stream, config, (&x, &mut sum, n))?;
            scale.launch(stream, config, (&mut x, &sum, n))?;
            Ok(())
        }
    })?;
    check(&input, &x.to_vec(stream)?)?;
    let one = measure(&gpu, 9, || {
        x.copy_from(stream, &start)?;
        sum.fill(stream, 0.0)?;
        // SAFETY: as above, with PER elements for each thread.
        unsafe { normalise.launch(stream, config.cooperative(true), (&mut x, &mut sum, n))? };
        Ok(())
    })?;
    check(&input, &x.to_vec(stream)?)?;

    let mut table = Table::new(&["with the copy before", "time", "gain"]);
    table.row(["two kernels".into(), show(two.device), String::new()]);
    let gain = ratio(two.device, one.device);
    table.row(["one with synchronization".into(), show(one.device), gain]);
    println!("{table}");

    // A grid that is too large is rejected and does not hang.
    let too_large = LaunchConfig::new(gpu.size(2 * blocks, 1 << 20), BLOCK).cooperative(true);
    // SAFETY: rejected.
    let refused = unsafe { normalise.launch(stream, too_large, (&mut x, &mut sum, n)) };
    println!(
        "Twice as many blocks: {}",
        refused.expect_err("more than are resident")
    );
    Ok(())
}

fn check(input: &[f32], output: &[f32]) -> Result<()> {
    let sum: f64 = input.iter().map(|&x| f64::from(x).powi(2)).sum();
    for (i, (&x, &got)) in input.iter().zip(output).enumerate() {
        let expected = f64::from(x) / sum.sqrt();
        let error = (f64::from(got) - expected).abs();
        ensure!(
            error <= 1e-6 * expected.abs(),
            "element {i} is {got}, but {expected} on the CPU"
        );
    }
    Ok(())
}
