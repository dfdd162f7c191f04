// Stores the elements that a mask selects, contiguously and in order. Every block takes a tile,
// uses look_back of prefix.cuh to count the elements selected by the tiles before it, and writes
// its own. Each warp collects those of 32 vectors in shared memory, so that writes are coalesced.
//
// Specialised by THREADS, UNROLL (vectors per thread), CHAINED (whether there are several tiles),
// STORED and VALUE (the types of the element in memory and in computations), combination.cuh (sums
// of 64-bit counts) and expression.cuh, whose first value is the element and second the mask.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "prefix.cuh"

static_assert(UNROLL * VECTOR <= 32, "a thread's mask bits must fit in one register");

// `memory` is zero: two counters, followed by the values that tiles publish. The first `kept` words
// must be zero again for the next launch. The number of elements is written to `total`.
extern "C" __global__ void __launch_bounds__(THREADS)
compress(const __grid_constant__ Words w, u64 length, u64 tiles, u64 memory, u64 kept, u64 result, u64 total) {
    wait_for_previous_kernel();
    __shared__ alignas(16) STORED together[THREADS / 32][32 * VECTOR];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u64 tile = CHAINED ? take_ticket(memory) : 0;
    const index_t vectors = (index_t)(length / VECTOR);
    const index_t first = (index_t)tile * (THREADS * UNROLL) + warp * (32 * UNROLL) + lane;

    Inputs<VECTOR> in[UNROLL];
    VALUE values[UNROLL][VECTOR];
    unsigned mask = 0, up_to[UNROLL], all = 0;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * 32 < vectors) load<VECTOR>(w, first + u * 32, in[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        const index_t at = first + u * 32;
        if (at < vectors) {
            Outputs<VECTOR> out;
            compute<VECTOR>(w, in[u], out);
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) {
                values[u][v] = out.y0[v];
                mask |= (unsigned)out.y1[v] << (u * VECTOR + v);
            }
        } else if (VECTOR > 1 && at == vectors) {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v)
                if ((u64)at * VECTOR + v < length) {
                    Inputs<1> one;
                    Outputs<1> out;
                    load<1>(w, at * VECTOR + v, one);
                    compute<1>(w, one, out);
                    values[u][v] = out.y0[0];
                    mask |= (unsigned)out.y1[0] << (u * VECTOR + v);
                }
        }
        up_to[u] = __popc(mask >> (u * VECTOR) & (unsigned)((1ull << VECTOR) - 1));
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const unsigned below = __shfl_up_sync(~0u, up_to[u], distance);
            if (lane >= distance) up_to[u] += below;
        }
        all += __shfl_sync(~0u, up_to[u], 31);
    }
    const Before prefix = look_back<THREADS, CHAINED>((u64 *)memory + 2, tiles, tile, all);
    if (threadIdx.x == 0 && tile + 1 == tiles) *(u64 *)total = prefix.tile + prefix.all;

    STORED *to = (STORED *)result + (prefix.tile + prefix.warp);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        const unsigned selected = mask >> (u * VECTOR) & (unsigned)((1ull << VECTOR) - 1);
        unsigned place = up_to[u] - __popc(selected);
#pragma unroll
        for (int v = 0; v < VECTOR; ++v)
            if (selected >> v & 1) together[warp][place++] = storing<STORED, VALUE>::of(values[u][v]);
        __syncwarp();
        const unsigned count = __shfl_sync(~0u, up_to[u], 31);
#pragma unroll 1
        for (unsigned i = lane; i < count; i += 32) to[i] = together[warp][i];
        to += count;
        __syncwarp();
    }
#if CHAINED
    if (warp == 0) leave_zeros((u64 *)memory, kept);
#endif
}
