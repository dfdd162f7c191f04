//! Sums on the GPU by handwritten kernels.

use anyhow::Result;
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Module, Program};

use super::gpu::Gpu;

const SOURCE: &str = r#"
// Each thread sums elements with a fixed stride, and the block adds its threads' sums in shared memory.
extern "C" __global__ void sum_of_blocks(float *sums, const float *x, unsigned long long n) {
    __shared__ float shared[THREADS];
    float sum = 0.0f;
    const unsigned long long stride = gridDim.x * THREADS;
    for (unsigned long long i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) sum += x[i];
    shared[threadIdx.x] = sum;
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}

// Each block repeatedly halves its 2 * THREADS elements in place, until one is left.
extern "C" __global__ void reduce_in_place(float *partials, float *x, unsigned long long n) {
    const unsigned long long first = 2ull * THREADS * blockIdx.x;
    for (unsigned half = THREADS; half > 0; half /= 2) {
        const unsigned long long i = first + threadIdx.x;
        if (threadIdx.x < half && i + half < n) x[i] += x[i + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) partials[blockIdx.x] = x[first];
}
"#;

/// Threads per block, a power of two.
const THREADS: u32 = 512;

/// The kernels, and the memory that they need in addition to their input.
pub struct Sum {
    sum_of_blocks: Function,
    reduce_in_place: Function,
    /// Enough blocks to fill the device.
    blocks: u32,
    sums: DeviceBuffer<f32>,
    total: DeviceBuffer<f32>,
}

impl Sum {
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let program = Program::new(SOURCE)
            .name("sum.cu")
            .define("THREADS", THREADS);
        let module = Module::compile(&gpu.context, program)?;
        let sum_of_blocks = module.function("sum_of_blocks")?;
        let each = sum_of_blocks.max_active_blocks(THREADS, 0)?;
        let blocks = each * gpu.context.device().multiprocessor_count()?;
        Ok(Self {
            reduce_in_place: module.function("reduce_in_place")?,
            sum_of_blocks,
            blocks,
            sums: DeviceBuffer::uninit(&gpu.stream, blocks as usize)?,
            total: DeviceBuffer::uninit(&gpu.stream, 1)?,
        })
    }

    /// Enqueues the whole sum. The first launch reduces the elements to one sum per block, and the second
    /// one reduces these sums with a single block of the same kernel.
    pub fn enqueue(&mut self, gpu: &Gpu, x: &DeviceBuffer<f32>) -> Result<()> {
        let all = LaunchConfig::new(self.blocks, THREADS);
        let one = LaunchConfig::new(1, THREADS);
        let (n, blocks) = (x.len() as u64, u64::from(self.blocks));
        // SAFETY: the first launch reads n elements and writes one sum per block. The second one
        // reads those and writes one. All buffers belong to this stream.
        unsafe {
            self.sum_of_blocks
                .launch(&gpu.stream, all, (&mut self.sums, x, n))?;
            self.sum_of_blocks
                .launch(&gpu.stream, one, (&mut self.total, &self.sums, blocks))?;
        }
        Ok(())
    }

    /// Waits for the last enqueued sum, and returns it.
    pub fn result(&self, gpu: &Gpu) -> Result<f32> {
        Ok(self.total.to_vec(&gpu.stream)?[0])
    }

    /// Returns the number of partial sums of [`enqueue_in_place`](Self::enqueue_in_place) for `len`
    /// elements.
    pub fn partials_of(len: usize) -> usize {
        len.div_ceil(2 * THREADS as usize)
    }

    /// Enqueues the reduction of each block's elements in place, to one partial sum per block, which the
    /// CPU adds. Destroys `x`.
    pub fn enqueue_in_place(
        &self,
        gpu: &Gpu,
        partials: &mut DeviceBuffer<f32>,
        x: &mut DeviceBuffer<f32>,
    ) -> Result<()> {
        let blocks = Self::partials_of(x.len());
        anyhow::ensure!(
            partials.len() == blocks,
            "the output must have {blocks} elements, one per block"
        );
        let config = LaunchConfig::new(u32::try_from(blocks)?, THREADS);
        let n = x.len() as u64;
        // SAFETY: each block reads and writes its own 2 x THREADS of n elements, and one partial.
        unsafe {
            self.reduce_in_place
                .launch(&gpu.stream, config, (partials, x, n))?
        };
        Ok(())
    }
}

/// Returns the error limit for a sum of `len` numbers with a sum of magnitudes `magnitudes`. Each of the
/// few thousand additions of a number rounds by at most half a unit in the last place. Such errors
/// partly cancel out, so the limit is generous.
pub fn tolerance(magnitudes: f64) -> f64 {
    magnitudes * f64::from(f32::EPSILON)
}
