//! Transposes a matrix in tiles. One thread copies each tile.
//!
//! Shows `TensorMap`: a kernel takes two maps by value, copies a tile to shared memory with the first one, exchanges rows and
//! columns there, and copies it to global memory with the second one. The sides of the matrix are not multiples of the
//! tile's sides. Elements outside of the matrix are neither read nor written, and the kernel does not need its sides.

mod common;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, show},
};
use cuda_safe::{DeviceAttribute, DeviceBuffer, LaunchConfig, Module, tensor_map::TensorMap};

/// Rows and columns of a tile.
const TILE: u32 = 32;

const SOURCE: &str = r#"
// The CUtensorMap of cuda.h.
struct alignas(64) TensorMap { char bytes[128]; };

__device__ unsigned shared(const void *p) { return __cvta_generic_to_shared(p); }

extern "C" __global__ void transpose(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to) {
    __shared__ alignas(128) float in[32][32];
    __shared__ alignas(128) float out[32][32];
    __shared__ unsigned long long arrived;
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared(&arrived)));
        asm volatile("fence.mbarrier_init.release.cluster;");
        // The barrier counts the bytes of a whole tile, even if the tile extends beyond the matrix.
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared(&arrived)), "n"(sizeof in));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(shared(in)), "l"(&from), "r"(x), "r"(y), "r"(shared(&arrived)) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }"
                 :: "r"(shared(&arrived)) : "memory");

    // Along diagonals, so that the threads of a warp access different banks for loads and stores.
    for (int row = threadIdx.x / 32; row < 32; row += blockDim.x / 32) {
        const int column = threadIdx.x % 32, k = (row + column) % 32;
        out[k][column] = in[column][k];
    }
    // After this fence, the copy sees the values that threads have written.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                     :: "l"(&to), "r"(y), "r"(x), "r"(shared(out)) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let capability = gpu.context.device().compute_capability()?;
    if gpu
        .context
        .device()
        .attribute(DeviceAttribute::TENSOR_MAP_ACCESS_SUPPORTED)?
        == 0
    {
        println!("Tensor maps need compute capability 9.0, but this device has {capability}.");
        return Ok(());
    }
    let (width, height) = gpu.size((10_004usize, 6_404usize), (212, 100));
    heading(format!("{height} rows of {width} numbers, transposed"));

    let matrix = data::uniform(width * height);
    let input = DeviceBuffer::from_slice(&gpu.stream, &matrix)?;
    let mut output = DeviceBuffer::<f32>::zeroed(&gpu.stream, width * height)?;
    let transpose = Module::compile(&gpu.context, SOURCE)?.function("transpose")?;
    let side = |n: usize| (n as u32).div_ceil(TILE);
    let config = LaunchConfig::new((side(width), side(height)), 256);
    let times = {
        let (wide, high) = (width as u64, height as u64);
        // The dimension with consecutive elements comes first.
        let from = TensorMap::builder(&input, &[wide, high]).tiled(&[TILE, TILE])?;
        let to = TensorMap::builder(&mut output, &[high, wide]).tiled(&[TILE, TILE])?;
        measure(&gpu, 5, || {
            // SAFETY: the kernel reads through the first map and writes through the second. Both are borrowed here.
            unsafe { transpose.launch(&gpu.stream, config, (from, to))? };
            Ok(())
        })?
    };
    println!("{}: {}", gpu.label(), show(times.device));

    let transposed = output.to_vec(&gpu.stream)?;
    for (i, &value) in transposed.iter().enumerate() {
        let (row, column) = (i / height, i % height);
        ensure!(
            value == matrix[column * width + row],
            "row {row}, column {column} is wrong"
        );
    }
    println!("Every number is in the right place.");
    Ok(())
}
