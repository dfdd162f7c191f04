// Reduces expressions with transposed operands along some axes, several reductions at once, in one
// launch.
//
// The space is divided into tiles: see corner.cuh. A block folds tiles one after the other along the
// reduced axes. It reads transposed operands along their own contiguous axis into shared memory.
// Results are the same from run to run, because the order of combination depends only on the sizes.
//
// Specialised by RANK, ACROSS, WIDTH and HEIGHT (both a warp's number of threads), UNROLL (the tiles that
// are loaded before any is folded), FOLDED (a bit for each reduced axis), READ (the elements of transposed
// operands that a thread reads at once), EARLY (whether registers suffice to load all operands before any
// element is computed), and by expression.cuh, transposed.cuh and fold.cuh, which are generated for each
// expression.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "folds.cuh"
#include "shuffle.cuh"
#include "fold.cuh"
#include "fold_steps.cuh"
#include "store_results.cuh"
#include "corner.cuh"
#include "transposed.cuh"
#include "last_block.cuh"

static_assert(sizeof(accumulator) <= ROOM, "the host assumes a smaller accumulator");

struct Sizes {
    u64 count;     // elements per result
    u64 folded;    // tiles per result
    u64 splits;    // blocks that share them
    u64 share;     // tiles of each of these blocks
    u64 by_splits; // a constant for dividing by them
    u64 partials;  // their partial results, if there are several
    u64 counters;  // the number of finished blocks, zero before and after
    u64 lengths[RANK], by[RANK];  // see corner.cuh
};

#define LAST (RANK - 1)
#define EDGE WIDTH
#define WARPS 8
#define STEPS (EDGE / WARPS)
#define ALONG_IS_FOLDED (FOLDED >> LAST & 1)
#define ACROSS_IS_FOLDED (FOLDED >> ACROSS & 1)
// Accumulators of a block that go into one result each, and of one of the threads that hold them.
#define RESULTS ((ALONG_IS_FOLDED ? 1 : EDGE) * (ACROSS_IS_FOLDED ? 1 : EDGE))
#define HELD (RESULTS == EDGE * EDGE ? STEPS : 1)
// Calls after which a thread merges its accumulators into others, which bounds rounding errors.
#define CALLS 32

// Combines the accumulators of the threads with the same place in their warps, into those of the first
// warp.
__device__ __forceinline__ void fold_warps(accumulator &total, accumulator *shared) {
    const unsigned y = threadIdx.x / EDGE;
    // The lower half of the warps takes the accumulators of the upper half, until one is left.
#pragma unroll
    for (int half = WARPS / 2; half > 0; half /= 2) {
        if (y >= half && y < 2 * half) shared[threadIdx.x] = total;
        __syncthreads();
        if (y < half) total.merge(shared[threadIdx.x + half * EDGE]);
    }
}

// Exchanges accumulators, so that the first RESULTS / HELD threads hold the results of the block.
__device__ __forceinline__ void fold_block(accumulator (&lanes)[STEPS], accumulator *shared) {
    if constexpr (ACROSS_IS_FOLDED) {
#pragma unroll
        for (int step = 1; step < STEPS; ++step) lanes[0].merge(lanes[step]);
        if constexpr (ALONG_IS_FOLDED) fold_group<EDGE * WARPS>(lanes[0], shared);
        else fold_warps(lanes[0], shared);
    } else if constexpr (ALONG_IS_FOLDED) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            fold_group<EDGE>(lanes[step], nullptr);
            if (threadIdx.x % EDGE == 0) shared[step * WARPS + threadIdx.x / EDGE] = lanes[step];
        }
        __syncthreads();
        if (threadIdx.x < EDGE) lanes[0] = shared[threadIdx.x];
    }
}

// Combines the partial results of all blocks that share results. No thread may still read `shared`.
__device__ __forceinline__ void fold_partials(const accumulator *partials, u64 splits, accumulator (&lanes)[STEPS],
                                              accumulator *shared) {
#pragma unroll
    for (int i = 0; i < HELD; ++i) lanes[i].clear();
    if constexpr (HELD > 1) {
        for (u64 split = 0; split < splits; ++split)
#pragma unroll
            for (int i = 0; i < HELD; ++i)
                lanes[i].merge(partials[(split * HELD + i) * (EDGE * WARPS) + threadIdx.x]);
    } else {
        for (u64 split = threadIdx.x / RESULTS; split < splits; split += EDGE * WARPS / RESULTS)
            lanes[0].merge(partials[split * RESULTS + threadIdx.x % RESULTS]);
        if constexpr (RESULTS == 1) fold_group<EDGE * WARPS>(lanes[0], shared);
        else fold_warps(lanes[0], shared);
    }
}

// The place of a thread's element in the row of a tile, or of the last element there is.
__device__ __forceinline__ Coordinates place_of(Coordinates corner, unsigned row, unsigned last_along, unsigned last_across) {
    corner.at[LAST] += min(threadIdx.x % EDGE, last_along);
    corner.at[ACROSS] += min(row, last_across);
    return corner;
}

extern "C" __global__ void __launch_bounds__(EDGE * WARPS, BLOCKS)
fold_tile(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
    __shared__ Transposed transposed[UNROLL];
    const unsigned block = divide(blockIdx.x, 0, s.by_splits), split = blockIdx.x - block * (unsigned)s.splits;
    const unsigned x = threadIdx.x % EDGE, y = threadIdx.x / EDGE;
    Coordinates corner;
#pragma unroll
    for (int axis = 0; axis < RANK; ++axis) corner.at[axis] = 0;
    set_corner<~(unsigned)FOLDED>(s.lengths, s.by, block, corner);
    accumulator lanes[STEPS], later[STEPS];
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        lanes[step].clear();
        later[step].clear();
    }
    const index_t tiles = (index_t)s.folded, share = (index_t)s.share;
    const index_t from = split * share, to = from < tiles && tiles - from > share ? from + share : tiles;
    int calls = 0;
    for (index_t first = from; first < to; first += UNROLL) {
        Inputs<1> in[UNROLL][STEPS];
        Coordinates corners[UNROLL];
        // The last elements of each tile along the two axes. Threads behind them read these again.
        unsigned last_along[UNROLL], last_across[UNROLL];
        // Whether all threads read elements of the reduced axes of their own.
        bool all = to - first >= UNROLL;
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            if (first + u < to) set_corner<(unsigned)FOLDED>(s.lengths, s.by, first + u, corner);
            corners[u] = corner;
            last_along[u] = (unsigned)min((index_t)s.lengths[LAST] - (index_t)corner.at[LAST], (index_t)EDGE) - 1;
            last_across[u] = (unsigned)min((index_t)s.lengths[ACROSS] - (index_t)corner.at[ACROSS], (index_t)EDGE) - 1;
            all = all && (!ALONG_IS_FOLDED || last_along[u] == EDGE - 1) && (!ACROSS_IS_FOLDED || last_across[u] == EDGE - 1);
#pragma unroll
            for (unsigned step = 0; step < STEPS / READ; ++step) {
                const unsigned place = step * (EDGE * WARPS) + threadIdx.x;
                const unsigned row = place / (EDGE / READ), column = place % (EDGE / READ) * READ;
                Coordinates c = corner;
                c.at[LAST] += min(row, last_along[u]);
                c.at[ACROSS] += min(column, last_across[u] + 1 - READ);
                Read<READ> read;
                load_transposed(w, c, read);
                put_transposed(read, transposed[u], row, column);
            }
#pragma unroll
            for (unsigned step = 0; step < STEPS; ++step)
                if (EARLY) load_others(w, place_of(corner, step * WARPS + y, last_along[u], last_across[u]), in[u][step]);
        }
        __syncthreads();
#pragma unroll
        for (unsigned step = 0; step < STEPS; ++step) {
            const unsigned row = step * WARPS + y;
            Outputs<1> out[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                Inputs<1> &own = in[u][step];
                if (!EARLY) load_others(w, place_of(corners[u], row, last_along[u], last_across[u]), own);
                take_transposed(transposed[u], x, row, own);
                compute<1>(w, own, out[u]);
            }
            if (all) lanes[step].take_all(values_down<Outputs<1>, UNROLL>{out, 0});
            else
#pragma unroll
                for (int u = 0; u < UNROLL; ++u)
                    if (first + u < to && (!ALONG_IS_FOLDED || x <= last_along[u]) &&
                        (!ACROSS_IS_FOLDED || row <= last_across[u]))
                        lanes[step].take(out[u], 0);
        }
        __syncthreads();
        if (++calls == CALLS) {
            calls = 0;
#pragma unroll
            for (int step = 0; step < STEPS; ++step) {
                later[step].merge(lanes[step]);
                lanes[step].clear();
            }
        }
    }
#pragma unroll
    for (int step = 0; step < STEPS; ++step) lanes[step].merge(later[step]);
    // The memory of a tile's operands is not used for accumulators, which may be larger.
    __shared__ alignas(16) char room[sizeof(accumulator) * (HELD > 1 ? 1 : EDGE * WARPS)];
    accumulator *const shared = (accumulator *)room;
    fold_block(lanes, shared);
    const unsigned holders = RESULTS / HELD;
    if (s.splits > 1) {
        accumulator *const partials = (accumulator *)s.partials + (u64)block * s.splits * RESULTS;
        if (threadIdx.x < holders)
#pragma unroll
            for (int i = 0; i < HELD; ++i) partials[(split * HELD + i) * holders + threadIdx.x] = lanes[i];
        if (!comes_last((u64 *)s.counters + block, s.splits)) return;
        fold_partials(partials, s.splits, lanes, shared);
    }
    if (threadIdx.x >= holders) return;
    // Results have no stride along reduced axes.
#pragma unroll
    for (int i = 0; i < HELD; ++i) {
        Coordinates c = corner;
        const unsigned row = HELD > 1 ? i * WARPS + y : x;
        if (!ALONG_IS_FOLDED) c.at[LAST] += x;
        if (!ACROSS_IS_FOLDED) c.at[ACROSS] += ALONG_IS_FOLDED ? x : row;
        const bool outside = (!ALONG_IS_FOLDED && c.at[LAST] >= (offset_t)s.lengths[LAST]) ||
                             (!ACROSS_IS_FOLDED && c.at[ACROSS] >= (offset_t)s.lengths[ACROSS]);
        if (outside) continue;
        Results<1> results;
        lanes[i].finish(results, 0, s.count);
        store_results<1>(w, 0, c, results);
    }
}
