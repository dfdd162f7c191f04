// Combines the values of an expression within segments that are given by offsets.
//
// Specialised by THREADS, LANES (threads per segment, a power of two: at most 32, or THREADS), UNROLL
// (values that each thread loads at once), FIRST (the result for an empty segment), STORED (the type
// of results in memory), combination.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "prefix.cuh"

// A segment of more values is left to the whole block.
#define LONGEST (LANES * UNROLL * 32)

struct Segment {
    u64 begin, end;

    // Places beyond `length` are the end of the values.
    __device__ __forceinline__ Segment(const u64 *offsets, u64 number, u64 length)
        : begin(offsets[number]), end(min(offsets[number + 1], length)) {}
    __device__ __forceinline__ bool is_empty() const { return begin >= end; }
    __device__ __forceinline__ bool is_long() const { return LANES < THREADS && !is_empty() && end - begin > LONGEST; }
};

// Combines the values from `begin` to `end` with WIDTH threads, of which this is number `lane`. The
// first of them gets the result. All threads of the block call this.
template <int WIDTH>
__device__ __forceinline__ accumulator combine_values_between(const Words &w, u64 begin, u64 end, int lane) {
    accumulator own = NEUTRAL;
    for (u64 first = begin + lane; first < end; first += WIDTH * UNROLL) {
        Inputs<1> in[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (first + u * WIDTH < end) load<1>(w, (index_t)(first + u * WIDTH), in[u]);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (first + u * WIDTH < end) {
                Outputs<1> out;
                compute<1>(w, in[u], out);
                own = combine(own, TAKEN(out, 0));
            }
    }
    constexpr int lanes = WIDTH < 32 ? WIDTH : 32, warps = WIDTH / lanes;
#pragma unroll
    for (int distance = 1; distance < lanes; distance *= 2) own = combine(own, shuffle_down<lanes>(own, distance));
    if (warps > 1) {
        __shared__ alignas(16) accumulator of_warps[warps];
        __syncthreads();
        if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
        __syncthreads();
        if (lane == 0)
            for (int warp = 1; warp < warps; ++warp) own = combine(own, of_warps[warp]);
    }
    return own;
}

// `offsets` has the first place of each of the segments, followed by the end of the last one.
extern "C" __global__ void __launch_bounds__(THREADS)
segment_reduce(const __grid_constant__ Words w, u64 length, u64 segments, const u64 *offsets, u64 result) {
    wait_for_previous_kernel();
    const auto store_result = [&](u64 number, bool is_empty, accumulator all) {
        const combined results[1] = {is_empty ? (combined)(FIRST) : VALUE_OF(all)};
        store_pack<STORED, 1>(result, (long long)number, results);
    };
    const u64 first = (u64)blockIdx.x * (THREADS / LANES), own = first + threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;
    // A group without a segment combines nothing.
    const bool exists = own < segments;
    const Segment segment(offsets, exists ? own : segments - 1, length);
    const bool is_long = exists && segment.is_long();
    const u64 end = exists && !is_long ? segment.end : segment.begin;
    const accumulator all = combine_values_between<LANES>(w, segment.begin, end, lane);
    if (exists && !is_long && lane == 0) store_result(own, segment.is_empty(), all);
#if LANES < THREADS
    if (!__syncthreads_or(is_long)) return;
    for (u64 number = first; number < min(first + THREADS / LANES, segments); ++number) {
        const Segment other(offsets, number, length);
        if (!other.is_long()) continue;
        const accumulator all = combine_values_between<THREADS>(w, other.begin, other.end, threadIdx.x);
        if (threadIdx.x == 0) store_result(number, false, all);
    }
#endif
}
