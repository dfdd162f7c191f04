// Finds the first keys of the sorted order of each line, if few are wanted. Each key is read once, and
// a warp reads a line. Its lanes have the first keys so far, in their order.
//
// Specialised by THREADS, ITEMS (vectors that a thread reads at once), sort.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "entry.cuh"

__device__ __forceinline__ u64 shuffled(u64 value, int lane) { return __shfl_sync(~0u, value, lane); }
__device__ __forceinline__ WideEntry shuffled(WideEntry value, int lane) {
    return {__shfl_sync(~0u, value.code, lane), __shfl_sync(~0u, value.place, lane)};
}

// A line has `length` keys, a multiple of VECTOR, and fewer than 2^32 - 1. `values` and `places` are
// the results: `kept` for each line, in their order. `kept` is at most 32 and at most `length`.
extern "C" __global__ void __launch_bounds__(THREADS)
top_k_warp(const __grid_constant__ Words w, u64 lines, u64 length, u64 kept, u64 values, u64 places) {
    wait_for_previous_kernel();
    const u64 line = ((u64)blockIdx.x * THREADS + threadIdx.x) / 32, start = line * length;
    if (line >= lines) return;
    const unsigned lane = threadIdx.x % 32, vectors = (unsigned)(length / VECTOR);
    const Entry none = entries_of::of((key_bits)~(key_bits)0, ~0u);
    // This lane's entry among the first ones, and the last of these that is wanted.
    Entry held = none, limit = none;

    Inputs<VECTOR> in[ITEMS];
    const auto load_from = [&](unsigned from) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (from + i * 32 + lane < vectors) load<VECTOR>(w, (index_t)(start / VECTOR + from + i * 32 + lane), in[i]);
    };
    load_from(0);
    for (unsigned from = 0; from < vectors; from += 32 * ITEMS) {
        key_bits codes[OWN];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) codes[i * VECTOR + v] = (key_bits)~(key_bits)0;
            if (from + i * 32 + lane < vectors) {
                Outputs<VECTOR> out;
                compute<VECTOR>(w, in[i], out);
#pragma unroll
                for (int v = 0; v < VECTOR; ++v)
                    codes[i * VECTOR + v] = code_of(as_bits(storing<KEY, KEY_VALUE>::of(out.y0[v])));
            }
        }
        if (vectors - from > 32 * ITEMS) load_from(from + 32 * ITEMS);
        key_bits lowest = codes[0];
#pragma unroll
        for (int i = 1; i < OWN; ++i) lowest = codes[i] < lowest ? codes[i] : lowest;
        if (!__any_sync(~0u, lowest <= entries_of::code(limit))) continue;
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            const unsigned vector = from + i / VECTOR * 32 + lane;
            const Entry entry = vector < vectors ? entries_of::of(codes[i], vector * VECTOR + i % VECTOR) : none;
            for (unsigned better = __ballot_sync(~0u, entry < limit); better != 0;) {
                const Entry inserted = shuffled(entry, __ffs(better) - 1);
                const unsigned before = __popc(__ballot_sync(~0u, held < inserted));
                const Entry below = shuffled(held, (int)lane - 1 & 31);
                if (lane == before) held = inserted;
                else if (lane > before) held = below;
                limit = shuffled(held, (int)kept - 1);
                better = better & better - 1 & __ballot_sync(~0u, entry < limit);
            }
        }
    }
    if (lane < kept) {
        const unsigned place = entries_of::place(held);
        Inputs<1> single;
        Outputs<1> out;
        load<1>(w, (index_t)(start + place), single);
        compute<1>(w, single, out);
        ((key_bits *)values)[line * kept + lane] = as_bits(storing<KEY, KEY_VALUE>::of(out.y0[0]));
        ((u64 *)places)[line * kept + lane] = place;
    }
}
