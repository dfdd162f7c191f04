//! Tests of the safe layer against a driver: that of a GPU if there is one, otherwise the emulator.

mod alignment;
mod array_regions;
mod arrays;
mod attributes;
mod batches;
mod call_names;
mod contexts;
mod devices;
mod embedded;
mod events;
mod external;
#[path = "../common/failure.rs"]
mod failure;
mod green_contexts;
mod host_memory;
mod launches;
mod libraries;
mod linking;
mod managed;
mod memory;
mod migration;
mod modules;
#[cfg(feature = "opengl")]
mod opengl;
mod pipelines;
mod pitched;
mod pointers;
mod pools;
mod programs;
mod region_copies;
mod settings;
mod staging;
mod streams;
mod surfaces;
mod tensor_maps;
mod textures;
mod threads;
mod transfers;
mod typed;
mod virtual_memory;

use cuda_safe::{
    Context, ErrorKind, Function, Module, Program, Result, Stream,
    driver::{self, Version},
};
pub(crate) use failure::{failure, rejection};

/// Returns the primary context of device 0 and a stream on it.
pub(crate) fn device() -> (Context, Stream) {
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (context, stream)
}

/// Returns the result of a call that needs a driver of this CUDA version, or `None` if the driver
/// is older and the call returned `Unsupported`.
#[track_caller]
pub(crate) fn since<T>(major: u32, minor: u32, result: Result<T>) -> Option<Result<T>> {
    let version = driver::version().expect("a driver");
    if version >= (Version { major, minor }) {
        return Some(result);
    }
    let Err(error) = result else {
        panic!("driver {version} unexpectedly supports the call")
    };
    assert_eq!(*error.kind(), ErrorKind::Unsupported, "{error}");
    None
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

/// Compiles a program and returns one of its kernels.
pub(crate) fn compile(context: &Context, source: impl Into<Program>, name: &str) -> Function {
    let module = Module::compile(context, source).expect("the source compiles");
    module.function(name).expect("a kernel")
}

pub(crate) fn kernels(context: &Context) -> Module {
    Module::compile(context, KERNELS).expect("the kernels compile")
}
