// Gathers elements of an expression by their places along an axis.
//
// Specialised by THREADS, UNROLL (vectors per thread), INDEX (the type of the places), SIGNED
// (whether they may count from the end), CLAMPED (whether out-of-bounds places are moved to the
// nearest end rather than reported), NARROW (whether 32 bits suffice to count the result's
// vectors), STORED, VALUE and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"

#if NARROW
typedef unsigned number_t;
#else
typedef u64 number_t;
#endif

// The result has `count` vectors, `inner` of them for each place. There are `places` places along
// an axis of `length`. If a place is out of bounds, its number plus 1 is written to `wrong`.
extern "C" __global__ void __launch_bounds__(THREADS)
gather(const __grid_constant__ Words w, u64 count, u64 inner, u64 places, u64 length, u64 indices, u64 result, u64 wrong) {
    wait_for_previous_kernel();
    const number_t first = (number_t)blockIdx.x * (THREADS * UNROLL) + threadIdx.x;
    index_t from[UNROLL];
    bool there[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        const number_t n = first + u * THREADS;
        there[u] = n < count;
        if (!there[u]) continue;
        const number_t rest = n / (number_t)inner, outer = rest / (number_t)places, place = rest % (number_t)places;
        const INDEX index = ((const INDEX *)indices)[place];
        u64 at = (u64)index;
        if (SIGNED && index < 0) at += length;
        if (at >= length) {
#if CLAMPED
            at = SIGNED && index < 0 ? 0 : length - 1;
#else
            asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(wrong), "l"((u64)place + 1) : "memory");
            there[u] = false;
#endif
        }
        from[u] = ((index_t)outer * (index_t)length + (index_t)at) * (index_t)inner + (index_t)(n % (number_t)inner);
    }
    Inputs<VECTOR> in[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (there[u]) load<VECTOR>(w, from[u], in[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (there[u]) {
            Outputs<VECTOR> out;
            compute<VECTOR>(w, in[u], out);
            store_pack<STORED, VECTOR>(result, (long long)(first + u * THREADS) * VECTOR, out.y0);
        }
}
