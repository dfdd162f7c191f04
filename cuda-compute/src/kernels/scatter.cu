// Stores values of an expression at places of an array.
//
// Specialised by THREADS, UNROLL (elements per thread), SIGNED (whether places may count from the
// end), STORED, VALUE and expression.cuh, whose first value is the element and second the place.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"

// If a place is not below `length`, its number plus 1 is written to `wrong`.
extern "C" __global__ void __launch_bounds__(THREADS)
scatter(const __grid_constant__ Words w, u64 count, u64 length, u64 target, u64 wrong) {
    const index_t first = (index_t)blockIdx.x * (THREADS * UNROLL) + threadIdx.x;
    Inputs<1> in[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < count) load<1>(w, first + u * THREADS, in[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < count) {
            Outputs<1> out;
            compute<1>(w, in[u], out);
            u64 at = (u64)out.y1[0];
            if (SIGNED && out.y1[0] < 0) at += length;
            if (at < length)
                ((STORED *)target)[at] = storing<STORED, VALUE>::of(out.y0[0]);
            else
                asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(wrong), "l"((u64)(first + u * THREADS) + 1)
                             : "memory");
        }
}
