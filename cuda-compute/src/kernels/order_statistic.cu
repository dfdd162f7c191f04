// Finds the values at two places of the sorted values of an expression, without sorting them. Each
// launch finds one more digit of the values' codes, from the highest down.
//
// Specialised by THREADS, UNROLL (vectors that each thread loads at once), BINS (the number of digits,
// a power of two), sort.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "sort.cuh"

#define RANKS 2

// `code` has the known digits. `rest` is the value's place among those with the same digits.
struct Found {
    u64 code, rest;
};
struct Search {
    u64 finished, has_nan;
    Found found[RANKS];
    u64 bins[RANKS][BINS];
};

// `low` is the number of bits below the digit, and `high` that of the bits below the known digits.
// The first launch, with all bits, searches for the places `first` and `second`. The last launch
// writes the values to `result`, followed by NaN if there is any, and otherwise by the first value.
// `memory` is zero before the first launch.
extern "C" __global__ void __launch_bounds__(THREADS)
order_statistic(const __grid_constant__ Words w, u64 length, u64 low, u64 high, u64 first, u64 second, u64 memory,
                u64 result) {
    wait_for_previous_kernel();
    __shared__ unsigned counts[RANKS][BINS];
    __shared__ bool last;
    Search &search = *(Search *)memory;
    const bool begins = high == KEY_WIDTH;
    const unsigned mask = (1u << (unsigned)(high - low)) - 1;
    // The digits above `high` of the codes. With all bits, nothing is above.
    const auto above = [&](u64 code) { return begins ? 0 : code >> high; };
    u64 known[RANKS];
#pragma unroll
    for (int rank = 0; rank < RANKS; ++rank) known[rank] = begins ? 0 : above(search.found[rank].code);
    for (int i = threadIdx.x; i < RANKS * BINS; i += THREADS) (&counts[0][0])[i] = 0;
    __syncthreads();

    bool has_nan = false;
    const auto count = [&](KEY_VALUE value) {
        const u64 code = code_of(as_bits(storing<KEY, KEY_VALUE>::of(value)));
        has_nan |= FRACTION && code == (key_bits)~(key_bits)0;
        const unsigned digit = (unsigned)(code >> low) & mask;
        // Two places with the same digits so far share their counts.
        if (above(code) == known[0]) atomicAdd(&counts[0][digit], 1u);
        else if (above(code) == known[1]) atomicAdd(&counts[1][digit], 1u);
    };
    const u64 vectors = length / VECTOR;
    for (u64 at = (u64)blockIdx.x * (THREADS * UNROLL) + threadIdx.x; at < vectors;
         at += (u64)gridDim.x * (THREADS * UNROLL)) {
        Inputs<VECTOR> in[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (at + u * THREADS < vectors) load<VECTOR>(w, (index_t)(at + u * THREADS), in[u]);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (at + u * THREADS < vectors) {
                Outputs<VECTOR> out;
                compute<VECTOR>(w, in[u], out);
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) count(out.y0[v]);
            }
    }
    if (VECTOR > 1 && blockIdx.x == 0 && vectors * VECTOR + threadIdx.x < length) {
        Inputs<1> in;
        Outputs<1> out;
        load<1>(w, (index_t)(vectors * VECTOR + threadIdx.x), in);
        compute<1>(w, in, out);
        count(out.y0[0]);
    }
    has_nan = __syncthreads_or(has_nan);
    for (int i = threadIdx.x; i < RANKS * BINS; i += THREADS) {
        const unsigned all = (&counts[0][0])[i];
        if (all) atomicAdd(&search.bins[0][0] + i, (u64)all);
    }
    if (threadIdx.x == 0 && begins && has_nan) atomicOr(&search.has_nan, 1ull);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&search.finished, 1ull) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;

    // The last block finds the digits.
    __threadfence();
    constexpr int own = BINS / THREADS;
#pragma unroll
    for (int rank = 0; rank < RANKS; ++rank) {
        const int counted = rank > 0 && known[rank] == known[0] ? 0 : rank;
        const u64 rest = begins ? (rank == 0 ? first : second) : search.found[rank].rest;
        u64 bins[own], before[own];
#pragma unroll
        for (int i = 0; i < own; ++i) bins[i] = relaxed(&search.bins[counted][threadIdx.x * own + i]);
        scan_counts<WARPS>(bins, before);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < own; ++i)
            if (before[i] <= rest && rest - before[i] < bins[i]) {
                const u64 code = (begins ? 0 : search.found[rank].code) | (u64)(threadIdx.x * own + i) << low;
                search.found[rank] = {code, rest - before[i]};
                if (low == 0) {
                    const key_bits key = key_of_code((key_bits)code);
                    ((key_bits *)result)[rank] = key;
                    if (rank == 0)
                        ((key_bits *)result)[RANKS] = relaxed(&search.has_nan) ? key_of_code((key_bits)~(key_bits)0) : key;
                }
            }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < RANKS * BINS; i += THREADS) (&search.bins[0][0])[i] = 0;
    if (threadIdx.x == 0) search.finished = 0;
}
