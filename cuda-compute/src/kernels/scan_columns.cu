// Scans along an axis that is not the innermost: LANES threads next to each other along the inner
// axes, and the others down the axis, with ROWS elements each.
//
// Specialised by THREADS, LANES (a power of two up to 32), ROWS, CHAINED (whether a strip of
// columns is cut into tiles for several blocks, rather than processed by one), EXCLUSIVE, FIRST,
// combination.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "prefix.cuh"
#include "store_results.cuh"

#define WARPS (THREADS / 32)
#define DEEP (THREADS / LANES)
#define COLUMNS (LANES * VECTOR)

// `length` is the length of the axis. `inner` is the number of contiguous vectors inside it, which
// form `strips_of_row` strips. There are `strips` strips in total. `memory` is zero: two counters,
// followed by the values that tiles publish.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_columns(const __grid_constant__ Words w, u64 length, u64 inner, u64 strips_of_row, u64 strips, u64 tiles, u64 memory) {
    wait_for_previous_kernel();
    __shared__ alignas(16) accumulator shared[2][WARPS][COLUMNS];
#if CHAINED
    // Tiles nearer to the start of the axis come first.
    const unsigned number = take_ticket(memory);
    const u64 strip = number % (unsigned)strips, first = number / (unsigned)strips, last = first + 1;
#else
    const u64 strip = blockIdx.x, first = 0, last = tiles;
#endif
    const u64 outer = strip / strips_of_row, column = strip % strips_of_row * LANES + threadIdx.x % LANES;
    const bool active = column < inner;
    accumulator start[VECTOR];
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) start[v] = NEUTRAL;

    for (u64 tile = first; tile < last; ++tile) {
        const u64 row = tile * (DEEP * ROWS) + threadIdx.x / LANES * ROWS;
        const index_t at = (index_t)((outer * length + row) * inner + column);
        const u64 rows = active && row < length ? length - row : 0;
        Inputs<VECTOR> in[ROWS];
        accumulator x[ROWS][VECTOR], all[VECTOR], before[VECTOR];
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (r < rows) load<VECTOR>(w, at + r * (index_t)inner, in[r]);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) x[r][v] = NEUTRAL;
            if (r < rows) {
                Outputs<VECTOR> out;
                compute<VECTOR>(w, in[r], out);
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) x[r][v] = TAKEN(out, v);
            }
#pragma unroll
            for (int v = 0; v < VECTOR; ++v)
                if (r > 0) x[r][v] = combine(x[r - 1][v], x[r][v]);
        }
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) all[v] = x[ROWS - 1][v];
        down<THREADS, LANES>(all, before, shared[CHAINED ? 0 : tile % 2]);
#if CHAINED
        look_back_columns<THREADS, LANES>((u64 *)memory + 2, strips, strip, tiles, tile, active, all, start, shared);
#endif
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) before[v] = combine(start[v], before[v]);
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (r < rows) {
                Outputs<VECTOR> out;
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) {
#if EXCLUSIVE
                    out.y0[v] = (r == 0 && row == 0) || BEGINS(x[r][v]) ? (combined)(FIRST)
                                : VALUE_OF(r > 0 ? combine(before[v], x[r > 0 ? r - 1 : 0][v]) : before[v]);
#else
                    out.y0[v] = VALUE_OF(combine(before[v], x[r][v]));
#endif
                }
                const index_t n = at + r * (index_t)inner;
                store_results<VECTOR>(w, n, coordinates(w, n), out);
            }
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) start[v] = combine(start[v], all[v]);
    }
}
