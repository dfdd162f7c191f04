// The elements that a mask selects, side by side in their order. Every block takes a tile, finds by look_back of prefix.cuh
// how many the tiles before it select, gathers its own in shared memory, and writes them.
//
// Specialised by THREADS, UNROLL (vectors of a thread), STORED and VALUE (the element in memory, and as it is computed),
// combination.cuh (sums of 64-bit counts) and expression.cuh, whose first value is the element and second the mask.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "prefix.cuh"

#define WARPS (THREADS / 32)
#define TILE (THREADS * UNROLL * VECTOR)

// `memory` is zero: two counters, then what the tiles tell; the first `kept` words of it are for the next launch.
// `total` is where the number of elements goes.
extern "C" __global__ void __launch_bounds__(THREADS)
compress(const __grid_constant__ Words w, u64 length, u64 tiles, u64 memory, u64 kept, u64 result, u64 total) {
    __shared__ STORED selected[TILE];
    __shared__ unsigned of_warp[32];
    __shared__ u64 prefix;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u64 tile = tiles > 1 ? take_ticket(memory) : 0;
    const index_t vectors = (index_t)(length / VECTOR);
    const index_t first = (index_t)tile * (THREADS * UNROLL) + warp * (32 * UNROLL) + lane;

    Inputs<VECTOR> in[UNROLL];
    Outputs<VECTOR> out[UNROLL];
    unsigned before[UNROLL], all = 0;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * 32 < vectors) load<VECTOR>(w, first + u * 32, in[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        const index_t at = first + u * 32;
        if (at < vectors) {
            compute<VECTOR>(w, in[u], out[u]);
        } else {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) {
                out[u].y1[v] = false;
                if (VECTOR > 1 && at == vectors && (u64)at * VECTOR + v < length) {
                    Inputs<1> one;
                    Outputs<1> single;
                    load<1>(w, at * VECTOR + v, one);
                    compute<1>(w, one, single);
                    out[u].y0[v] = single.y0[0];
                    out[u].y1[v] = single.y1[0];
                }
            }
        }
        unsigned count = 0;
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) count += out[u].y1[v];
        unsigned up_to = count;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const unsigned below = __shfl_up_sync(~0u, up_to, distance);
            if (lane >= distance) up_to += below;
        }
        before[u] = all + up_to - count;
        all += __shfl_sync(~0u, up_to, 31);
    }
    if (lane == 0) of_warp[warp] = all;
    __syncthreads();
    unsigned start = 0, count = 0;
#pragma unroll
    for (int other = 0; other < WARPS; ++other) {
        if (other == warp) start = count;
        count += of_warp[other];
    }
    if (warp == 0) {
        u64 own = 0;
        if (tiles > 1) own = look_back((u64 *)memory + 2, tiles, tile, count);
        if (lane == 0) {
            prefix = own;
            if (tile + 1 == tiles) *(u64 *)total = own + count;
        }
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        unsigned place = start + before[u];
#pragma unroll
        for (int v = 0; v < VECTOR; ++v)
            if (out[u].y1[v]) selected[place++] = storing<STORED, VALUE>::of(out[u].y0[v]);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += THREADS) ((STORED *)result)[prefix + i] = selected[i];
    if (warp == 0) leave_zeros((u64 *)memory, kept);
}
