// Scans along the innermost axis. A block takes each tile of a line, reads its elements once and
// writes its results once. Blocks get the prefix of their tile from look_back of prefix.cuh.
//
// Specialised by THREADS, UNROLL (vectors per thread), CHAINED (whether lines have several tiles),
// EXCLUSIVE, FIRST (the first result of an exclusive scan), combination.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "prefix.cuh"
#include "store_results.cuh"
#include "tile.cuh"

// `length` is the length of a line. `memory` is zero: two counters, followed by the values that the
// tiles of each line publish. The first `kept` words must be zero again for the next launch.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_line(const __grid_constant__ Words w, u64 length, u64 tiles, u64 memory, u64 words_of_line, u64 kept) {
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#if CHAINED
    // The number of tiles fits in 32 bits, because it is limited by the blocks of a grid.
    const unsigned number = take_ticket(memory);
    const u64 line = number / (unsigned)tiles, tile = number % (unsigned)tiles;
#else
    const u64 line = blockIdx.x, tile = 0;
#endif
    // Only a single line can end within a vector.
    const index_t vectors = (index_t)(length / VECTOR), begin = (index_t)line * vectors;
    const index_t first = (index_t)tile * (THREADS * UNROLL) + warp * (32 * UNROLL) + lane;

    Inputs<VECTOR> in[UNROLL];
    accumulator x[UNROLL][VECTOR], before[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * 32 < vectors) load<VECTOR>(w, begin + first + u * 32, in[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        const index_t at = first + u * 32;
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) x[u][v] = NEUTRAL;
        if (at < vectors) {
            Outputs<VECTOR> out;
            compute<VECTOR>(w, in[u], out);
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) x[u][v] = TAKEN(out, v);
        } else if (VECTOR > 1 && at == vectors) {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v)
                if ((u64)at * VECTOR + v < length) {
                    Inputs<1> one;
                    Outputs<1> out;
                    load<1>(w, at * VECTOR + v, one);
                    compute<1>(w, one, out);
                    x[u][v] = TAKEN(out, 0);
                }
        }
    }

    const accumulator own = scan_vectors<32>(x, before, lane);
    const Before prefix = look_back<THREADS, CHAINED>((u64 *)memory + 2 + line * words_of_line, tiles, tile, own);
    const accumulator start = combine(prefix.tile, prefix.warp);

#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        const index_t at = first + u * 32;
        Outputs<VECTOR> out;
        results_of(x[u], combine(start, before[u]), at == 0, out.y0);
        if (at < vectors) {
            store_results<VECTOR>(w, begin + at, coordinates(w, begin + at), out);
        } else if (VECTOR > 1 && at == vectors) {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v)
                if ((u64)at * VECTOR + v < length) {
                    Outputs<1> one;
                    one.y0[0] = out.y0[v];
                    store_results<1>(w, at * VECTOR + v, coordinates(w, at * VECTOR + v), one);
                }
        }
    }
#if CHAINED
    if (warp == 0) leave_zeros((u64 *)memory, kept);
#endif
}
