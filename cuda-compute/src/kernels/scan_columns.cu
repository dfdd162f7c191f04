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

#define WARPS (THREADS / 32)
#define DEEP (THREADS / LANES)
#define COLUMNS (LANES * VECTOR)

// Combines down the threads of each column. `before` becomes the combination of the threads above,
// and `x` that of all threads. Calls alternate between the two halves of `shared`, so that one
// barrier is enough.
__device__ __forceinline__ void down(accumulator (&x)[VECTOR], accumulator (&before)[VECTOR],
                                     accumulator (*shared)[COLUMNS]) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = threadIdx.x % LANES;
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        x[v] = scan_lanes<32, LANES>(x[v], lane);
        before[v] = NEUTRAL;
        if (LANES < 32) {
            const accumulator above = shuffle_up<32>(x[v], LANES % 32);
            if (lane >= LANES) before[v] = above;
        }
        if (lane >= 32 - LANES) shared[warp][across * VECTOR + v] = x[v];
    }
    __syncthreads();
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        accumulator all = shared[0][across * VECTOR + v], above = NEUTRAL;
#pragma unroll
        for (int other = 1; other < WARPS; ++other) {
            if (other == warp) above = all;
            all = combine(all, shared[other][across * VECTOR + v]);
        }
        if (warp > 0) before[v] = combine(above, before[v]);
        x[v] = all;
    }
}

// Combines the values that `count` tiles published for this thread's columns, in their order.
// `words` points to the first of them. The threads down the block take some each.
__device__ __forceinline__ void take(const u64 *words, u64 stride, int count, bool active, accumulator (&x)[VECTOR]) {
    const int each = DEEP < 32 ? 32 / DEEP : 1, own = threadIdx.x / LANES * each;
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) x[v] = NEUTRAL;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const bool wanted = active && own + i < count;
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
            u64 read[WORDS];
            while (!poll(words + (own + i) * stride + v * WORDS, wanted, read)) {}
            x[v] = combine(x[v], value_read(read, wanted));
        }
    }
}

// The values that the tiles of a strip publish, on three levels: tiles form groups of 32, and
// groups form sets of 32. The last tile of a group publishes the group's combination, and the last
// of a set that of everything up to the set's end.
struct Tiles {
    u64 *ones, *groups, *sets;

    __device__ __forceinline__ Tiles(u64 *memory, u64 tiles, u64 stride)
        : ones(memory), groups(ones + tiles * stride), sets(groups + (tiles + 31) / 32 * stride) {}
};

// The prefix of a tile for each column of a strip, as in look_back of prefix.cuh: the value at the
// end of the previous set, the preceding groups of the set, and the preceding tiles of the group.
__device__ __forceinline__ void look_back(u64 *memory, u64 strips, u64 strip, u64 tiles, u64 tile, bool active,
                                          const accumulator (&aggregate)[VECTOR], accumulator (&prefix)[VECTOR],
                                          accumulator (*shared)[WARPS][COLUMNS]) {
    const u64 stride = strips * COLUMNS * WORDS;
    const Tiles published(memory + (strip * COLUMNS + threadIdx.x % LANES * VECTOR) * WORDS, tiles, stride);
    const u64 group = tile / 32, set = tile / 1024;
    const bool publishes = active && threadIdx.x < LANES;
    if (publishes && tile + 1 < tiles)
        for (int v = 0; v < VECTOR; ++v) publish(published.ones + tile * stride + v * WORDS, aggregate[v]);
    accumulator near[VECTOR], far[VECTOR], own[VECTOR], before[VECTOR];
    take(published.ones + group * 32 * stride, stride, (int)(tile % 32), active, near);
    down(near, before, shared[1]);
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        own[v] = combine(near[v], aggregate[v]);
        if (publishes && tile % 32 == 31) publish(published.groups + group * stride + v * WORDS, own[v]);
    }
    take(published.groups + set * 32 * stride, stride, (int)(group % 32), active, far);
    down(far, before, shared[0]);
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        if (set > 0) {
            u64 read[WORDS];
            while (!poll(published.sets + (set - 1) * stride + v * WORDS, active, read)) {}
            far[v] = combine(value_read(read, active), far[v]);
        }
        if (publishes && tile % 1024 == 1023) publish(published.sets + set * stride + v * WORDS, combine(far[v], own[v]));
        prefix[v] = combine(far[v], near[v]);
    }
}

// `length` is the length of the axis. `inner` is the number of contiguous vectors inside it, which
// form `strips_of_row` strips. There are `strips` strips in total. `memory` is zero: two counters,
// followed by the values that tiles publish.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_columns(const __grid_constant__ Words w, u64 length, u64 inner, u64 strips_of_row, u64 strips, u64 tiles, u64 memory) {
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
        down(all, before, shared[CHAINED ? 0 : tile % 2]);
#if CHAINED
        look_back((u64 *)memory + 2, strips, strip, tiles, tile, active, all, start, shared);
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
                store<VECTOR>(w, at + r * (index_t)inner, out);
            }
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) start[v] = combine(start[v], all[v]);
    }
}
