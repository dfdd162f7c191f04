// Reduces expressions along some axes, several at once, in one launch. If there is one result,
// total.cu is used instead.
//
// The space has rows of kept axes, folded axes and, if the axis with contiguous elements is kept,
// columns: element (row, place, column) of [outer][length][inner]. Results are the same from run to
// run, because the order of combination depends only on the sizes and alignment.
//
// Specialised by THREADS, UNROLL, BLOCKS (the minimum per multiprocessor) and
//   FOLDED_FROM, FOLDED_TO   the first and the last folded axis
//   LANES     accumulators per thread: one for each element of a vector, or one for all if these
//             belong to one result
//   COLUMNS   0: contiguous elements are folded, and GROUP threads fold a row
//             else: contiguous elements are kept, and a block folds a tile of COLUMNS vectors of columns
//   ALONE     whether a thread folds a vector of columns alone
//   STAGED    whether a thread folds a row of N vectors, which a block copies to shared memory
// and by expression.cuh and fold.cuh, which are generated for each expression.

#include "array.cuh"
#include "complex.cuh"
#if STAGED
#include "staged.cuh"
#endif
#include "expression.cuh"
#include "folds.cuh"
#include "shuffle.cuh"
#include "fold.cuh"
#include "fold_steps.cuh"
#include "store_results.cuh"
#include "last_block.cuh"
#if STAGED
#include "row_staging.cuh"
#include "staged_copies.cuh"
#endif

static_assert(sizeof(accumulator) <= ROOM, "the host assumes a smaller accumulator");

struct Sizes {
    u64 outer;     // rows
    u64 length;    // of the folded axes, in vectors if contiguous elements are folded
    u64 inner;     // vectors of columns
    u64 count;     // elements per result
    u64 splits;    // blocks that share a row or a tile
    u64 share;     // of each of these blocks: rows, or vectors of a row
    u64 tiles;     // of columns
    u64 by_splits, by_tiles, by_inner;  // constants for dividing by them
    u64 partials;  // their partial results, if there are several
    u64 counters;  // the number of finished blocks, zero before and after
};

// The distance between the results of rows. If nothing is folded, the space has one place for each.
__device__ __forceinline__ u64 apart(const Sizes &s) { return s.length == 0 ? 1 : s.length; }

// The end of a block's share of a row or a tile.
__device__ __forceinline__ index_t end_of(const Sizes &s, index_t from) {
    const index_t share = (index_t)s.share, length = (index_t)s.length;
    return from < length && length - from > share ? from + share : length;
}

#if COLUMNS == 0

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
fold(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
    const unsigned block = GROUP == THREADS ? divide(blockIdx.x, 0, s.by_splits) : blockIdx.x;
    const unsigned split = GROUP == THREADS ? blockIdx.x - block * (unsigned)s.splits : 0;
    const u64 row = (u64)block * (THREADS / GROUP) + threadIdx.x / GROUP;
    const unsigned lane = threadIdx.x % GROUP;
    accumulator lanes[LANES];
#pragma unroll
    for (int i = 0; i < LANES; ++i) lanes[i].clear();
#if STAGED
    const u64 start = (u64)blockIdx.x * THREADS * N * VECTOR, all = s.outer * N * VECTOR;
    stage_in(w, start, all - start < THREADS * N * VECTOR ? (unsigned)(all - start) : THREADS * N * VECTOR);
    __syncthreads();
    if (row < s.outer)
        fold_vectors<VECTOR, FOLDED_FROM, FOLDED_TO>(w, 0, N, 1, 1, (index_t)(threadIdx.x * N), lanes);
#else
    if (row < s.outer) {
        const index_t from = split * (index_t)s.share, to = end_of(s, from);
        fold_vectors<VECTOR, FOLDED_FROM, FOLDED_TO>(w, from + lane, to, GROUP, 1, (index_t)(row * s.length), lanes);
    }
#endif
    fold_lanes(lanes);
    accumulator total = lanes[0];
#if GROUP > 32
    __shared__ alignas(16) char room[sizeof(accumulator) * (GROUP / 32)];
    accumulator *const of_warp = (accumulator *)room;
#else
    accumulator *const of_warp = nullptr;
#endif
    fold_group<GROUP>(total, of_warp);
    if (GROUP == THREADS && s.splits > 1) {
        accumulator *const partials = (accumulator *)s.partials + row * s.splits;
        if (threadIdx.x == 0) partials[split] = total;
        if (!comes_last((u64 *)s.counters + row, s.splits)) return;
        total.clear();
        for (u64 i = threadIdx.x; i < s.splits; i += THREADS) total.merge(partials[i]);
        // All threads have met since they read the memory of warps.
        fold_group<GROUP>(total, of_warp);
    }
    if (lane == 0 && row < s.outer) {
        Results<1> results;
        total.finish(results, 0, s.count);
        // The row's first vector.
        const index_t n = (index_t)(row * apart(s));
        store_results<1>(w, n, coordinates(w, n), results);
    }
}

#elif ALONE

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
fold(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
    const index_t number = (index_t)blockIdx.x * THREADS + threadIdx.x, inner = (index_t)s.inner, length = (index_t)s.length;
    if (number >= (index_t)s.outer * inner) return;
    const index_t row = divide(number, (index_t)s.inner, s.by_inner);
    const index_t base = row * (index_t)apart(s) * inner + (number - row * inner);
    accumulator lanes[VECTOR];
#pragma unroll
    for (int i = 0; i < VECTOR; ++i) lanes[i].clear();
    fold_vectors<VECTOR, FOLDED_FROM, FOLDED_TO>(w, 0, length, 1, inner, base, lanes);
    Results<VECTOR> results;
#pragma unroll
    for (int i = 0; i < VECTOR; ++i) lanes[i].finish(results, i, s.count);
    store_results<VECTOR>(w, base, coordinates(w, base), results);
}

#else

#define ROWS (THREADS / COLUMNS)

// Combines the accumulators of a tile's threads per column: first within warps, then of all warps. The
// threads of the first row get the results. If all accumulators need over 16 KiB of shared memory, those
// of one lane at a time are there.
__device__ __forceinline__ void fold_tile(accumulator (&lanes)[VECTOR]) {
    enum { WARPS = THREADS / 32, BYTES = sizeof(accumulator) * WARPS * COLUMNS };
    enum { MANY = VECTOR * BYTES <= 16384 ? VECTOR : 1 };
    __shared__ alignas(16) char room[MANY * BYTES];
    accumulator *const parts = (accumulator *)room;
    const unsigned warp = threadIdx.x / 32, column = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < VECTOR; ++i)
#pragma unroll
        for (int distance = COLUMNS; distance < 32; distance *= 2) lanes[i].merge(shuffled(lanes[i], distance));
    // The lower half of the warps takes the accumulators of the upper half, until one warp is left. Each
    // half writes to a place of its own.
#pragma unroll
    for (int from = 0; from < VECTOR; from += MANY)
#pragma unroll
        for (int half = WARPS / 2; half > 0; half /= 2) {
            if (warp >= half && warp < 2 * half && column < COLUMNS)
#pragma unroll
                for (int i = 0; i < MANY; ++i) parts[(i * WARPS + warp) * COLUMNS + column] = lanes[from + i];
            __syncthreads();
            if (warp < half && column < COLUMNS)
#pragma unroll
                for (int i = 0; i < MANY; ++i) lanes[from + i].merge(parts[(i * WARPS + warp + half) * COLUMNS + column]);
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
fold(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
    const unsigned pieces = divide(blockIdx.x, 0, s.by_tiles), tile = blockIdx.x - pieces * (unsigned)s.tiles;
    const unsigned row = divide(pieces, 0, s.by_splits), split = pieces - row * (unsigned)s.splits;
    const index_t column = (index_t)tile * COLUMNS + threadIdx.x % COLUMNS, inner = (index_t)s.inner;
    const unsigned y = threadIdx.x / COLUMNS;
    const index_t base = row * (index_t)apart(s) * inner + column;
    accumulator lanes[VECTOR];
#pragma unroll
    for (int i = 0; i < VECTOR; ++i) lanes[i].clear();
    if (column < inner) {
        const index_t from = split * (index_t)s.share, to = end_of(s, from);
        fold_vectors<VECTOR, FOLDED_FROM, FOLDED_TO>(w, from + y, to, ROWS, inner, base, lanes);
    }
    fold_tile(lanes);
    if (s.splits > 1) {
        // Partials of a tile are [split][lane][column], so that writes are coalesced.
        accumulator *const partials =
            (accumulator *)s.partials + (row * s.tiles + tile) * s.splits * (COLUMNS * VECTOR);
        if (y == 0)
#pragma unroll
            for (int i = 0; i < VECTOR; ++i) partials[(split * VECTOR + i) * COLUMNS + threadIdx.x] = lanes[i];
        if (!comes_last((u64 *)s.counters + row * s.tiles + tile, s.splits)) return;
#pragma unroll
        for (int i = 0; i < VECTOR; ++i) {
            lanes[i].clear();
            for (u64 from = y; from < s.splits; from += ROWS)
                lanes[i].merge(partials[(from * VECTOR + i) * COLUMNS + threadIdx.x % COLUMNS]);
        }
        fold_tile(lanes);
    }
    if (y == 0 && column < inner) {
        Results<VECTOR> results;
#pragma unroll
        for (int i = 0; i < VECTOR; ++i) lanes[i].finish(results, i, s.count);
        store_results<VECTOR>(w, base, coordinates(w, base), results);
    }
}

#endif
