// Scans along the innermost axis of many short rows: a group of lanes for each row.
//
// Specialised by THREADS, UNROLL, LANES (per row, a power of two up to 32), EXCLUSIVE, FIRST,
// combination.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "prefix.cuh"
#include "store_results.cuh"
#include "tile.cuh"

// A row has `vectors` vectors.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_rows(const __grid_constant__ Words w, u64 rows, u64 vectors) {
    wait_for_previous_kernel();
    const int lane = threadIdx.x % LANES;
    const u64 row = (u64)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const index_t begin = (index_t)row * (index_t)vectors, end = row < rows ? (index_t)vectors : 0;
    accumulator start = NEUTRAL;
    // All lanes make the same number of rounds, because they shuffle together.
    for (index_t round = 0; round < (index_t)vectors; round += LANES * UNROLL) {
        Inputs<VECTOR> in[UNROLL];
        accumulator x[UNROLL][VECTOR], before[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (round + u * LANES + lane < end) load<VECTOR>(w, begin + round + u * LANES + lane, in[u]);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) x[u][v] = NEUTRAL;
            if (round + u * LANES + lane < end) {
                Outputs<VECTOR> out;
                compute<VECTOR>(w, in[u], out);
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) x[u][v] = TAKEN(out, v);
            }
        }
        const accumulator all = scan_vectors<LANES>(x, before, lane);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const index_t at = round + u * LANES + lane;
            Outputs<VECTOR> out;
            results_of(x[u], combine(start, before[u]), at == 0, out.y0);
            if (at < end) store_results<VECTOR>(w, begin + at, coordinates(w, begin + at), out);
        }
        start = combine(start, all);
    }
}
