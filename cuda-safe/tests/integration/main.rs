//! The safe layer against a driver: a GPU's where there is one, the emulator's otherwise.

mod attributes;
mod contexts;
mod devices;
mod embedded;
mod events;
mod green_contexts;
mod launches;
mod libraries;
mod linking;
mod managed;
mod memory;
mod modules;
mod pipelines;
mod programs;
mod settings;
mod streams;
mod tensor_maps;
mod threads;
mod transfers;
mod typed;

use cuda_safe::{Context, Module, Stream};

/// The primary context of device 0 and a stream on it.
pub(crate) fn device() -> (Context, Stream) {
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (context, stream)
}

/// Small kernels that many tests use.
pub(crate) const KERNELS: &str = r#"
struct Pair { float scale; int offset; };

extern "C" __global__ void scale(float *x, float factor, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

extern "C" __global__ void affine(float *out, const float *in, Pair pair, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * pair.scale + pair.offset;
}

extern "C" __global__ void spin(unsigned long long nanoseconds, unsigned *out) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
    if (out) *out = 1;
}

extern "C" __global__ void shared_sum(unsigned *out, unsigned n) {
    extern __shared__ unsigned values[];
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) values[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < n; ++i) sum += values[i];
        *out = sum;
    }
}

extern "C" __global__ void no_parameters() {}
"#;

pub(crate) fn kernels(context: &Context) -> Module {
    Module::compile(context, KERNELS).expect("the kernels compile")
}
