// Combines the values of an expression within segments that are given by offsets.
//
// Specialised by THREADS, LANES (threads per segment, a power of two), UNROLL (values that each
// thread loads at once), FIRST (the result for an empty segment), STORED (the type of results in
// memory), combination.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "prefix.cuh"

#define WARP_LANES (LANES < 32 ? LANES : 32)

// `offsets` has the first place of each of the segments, followed by the end of the last one. Places
// beyond `length` are the end of the values.
extern "C" __global__ void __launch_bounds__(THREADS)
segment_reduce(const __grid_constant__ Words w, u64 length, u64 segments, const u64 *offsets, u64 result) {
    const int lane = threadIdx.x % LANES;
    const u64 segment = (u64)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const bool exists = segment < segments;
    const u64 begin = exists ? offsets[segment] : 0, end = exists ? min(offsets[segment + 1], length) : 0;
    accumulator own = NEUTRAL;
    for (u64 first = begin + lane; first < end; first += LANES * UNROLL) {
        Inputs<1> in[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (first + u * LANES < end) load<1>(w, (index_t)(first + u * LANES), in[u]);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (first + u * LANES < end) {
                Outputs<1> out;
                compute<1>(w, in[u], out);
                own = combine(own, TAKEN(out, 0));
            }
    }
#pragma unroll
    for (int distance = 1; distance < WARP_LANES; distance *= 2) own = combine(own, shuffle_down<WARP_LANES>(own, distance));
#if LANES > 32
    __shared__ alignas(16) accumulator of_warps[LANES / 32];
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (lane == 0)
        for (int warp = 1; warp < LANES / 32; ++warp) own = combine(own, of_warps[warp]);
#endif
    if (exists && lane == 0) {
        const combined results[1] = {begin < end ? VALUE_OF(own) : (combined)(FIRST)};
        store_pack<STORED, 1>(result, (long long)segment, results);
    }
}
