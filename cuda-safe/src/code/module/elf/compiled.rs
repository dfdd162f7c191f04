//! Tests with cubins from the compiler, for every architecture that it supports.

use super::check;
use crate::code::program::{Architecture, Cache, Program};

const SOURCE: &str = r#"
    __device__ int counter = 5;
    __device__ double large[100000];
    __constant__ float table[4];
    template <int N> __global__ void fill(int *x) { *x = N; printf("%d\n", N); }
    extern "C" __device__ __noinline__ int twice(int x) { return 2 * x * counter; }
    extern "C" __global__ void use_all(float *out, const float *in, unsigned n) {
        extern __shared__ float dynamic[];
        __shared__ float fixed[64];
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        fixed[threadIdx.x % 64] = sinf(in[i]);
        dynamic[threadIdx.x] = table[i % 4] + large[i];
        __syncthreads();
        if (i < n) out[i] = fixed[63 - threadIdx.x % 64] + dynamic[0] + twice(i);
    }"#;

/// Cubins from the compiler are accepted, and truncated ones are rejected.
#[test]
fn complete_cubins_are_accepted() {
    let mut count = 0;
    // SAFETY: the pointer to the count is valid.
    let code = unsafe { cuda_sys::nvrtcGetNumSupportedArchs(&mut count) };
    assert_eq!(code, cuda_sys::nvrtcResult::NVRTC_SUCCESS);
    let mut known = vec![0; count as usize];
    // SAFETY: the array has the length that the call above returned.
    let code = unsafe { cuda_sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) };
    assert_eq!(code, cuda_sys::nvrtcResult::NVRTC_SUCCESS);
    assert!(known.contains(&90), "{known:?}");
    for number in known {
        for options in [&[][..], &["-G"], &["-lineinfo"], &["-dc"]] {
            let program = options.iter().fold(
                Program::new(SOURCE)
                    .name_expression("fill<3>")
                    .cache(Cache::Off),
                |program, option| program.option(*option),
            );
            let what = format!("sm_{number} {options:?}");
            let architecture = Architecture::real_of(number as u32);
            let compiled = program
                .compile(architecture)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            let cubin = compiled.cubin().unwrap();
            check(cubin).unwrap_or_else(|error| panic!("{what}: {error}"));
            // The headers are at the end, so every truncation is detected.
            for missing in [1, 8, 57, 64, 65, cubin.len() / 2, cubin.len() - 3] {
                let cut = &cubin[..cubin.len() - missing];
                assert!(check(cut).is_err(), "{what}: without {missing}");
            }
        }
    }
}
