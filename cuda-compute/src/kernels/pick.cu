// Copies elements of an array from the places that an expression gives.
//
// Specialised by THREADS, UNROLL (elements per thread), STORED, VALUE and expression.cuh, whose
// first value is the place and second the result for places out of bounds.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"

// The array has `length` elements. If a place is out of bounds and `wrong` is not 0, the place's
// number plus 1 is written there.
extern "C" __global__ void __launch_bounds__(THREADS)
pick(const __grid_constant__ Words w, u64 count, u64 length, u64 source, u64 result, u64 wrong) {
    wait_for_previous_kernel();
    const index_t first = (index_t)blockIdx.x * (THREADS * UNROLL) + threadIdx.x;
    STORED picked[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        const index_t n = first + u * THREADS;
        if (n >= count) continue;
        Inputs<1> in;
        load<1>(w, n, in);
        Outputs<1> out;
        compute<1>(w, in, out);
        if (out.y0[0] < length) {
            picked[u] = load_one<STORED>(source, out.y0[0]);
            continue;
        }
        picked[u] = storing<STORED, VALUE>::of(out.y1[0]);
        if (wrong != 0)
            asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(wrong), "l"((u64)n + 1) : "memory");
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < count) ((STORED *)result)[first + u * THREADS] = picked[u];
}
