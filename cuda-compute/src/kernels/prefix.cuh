// Combination of values within a warp and a block, and the prefixes of tiles that blocks exchange.
//
// combination.cuh, which is generated for each combination, defines `accumulator`, the associative
// `combine(a, b)`, and its identity NEUTRAL. An accumulator is a value of type `combined`, or one
// with flags of segments. TAKEN converts an expression's values to an accumulator, VALUE_OF returns
// its value, and BEGINS returns whether the last of its elements begins a segment.
//
// Requires array.cuh, and VECTOR of expression.cuh.

#include "combination.cuh"

typedef unsigned long long u64;

// The 32-bit words of an accumulator, without padding, which would be uninitialised and expensive
// to move.
#define VALUE_WORDS ((int)((sizeof(combined) + 3) / 4))
#ifdef SEGMENTED
#define WORDS (VALUE_WORDS + 1)
#else
#define WORDS VALUE_WORDS
#endif

__device__ __forceinline__ void to_words(const accumulator &x, unsigned (&words)[WORDS]) {
    words[VALUE_WORDS - 1] = 0;
#ifdef SEGMENTED
    memcpy(words, &x.value, sizeof(combined));
    words[VALUE_WORDS] = x.flags;
#else
    memcpy(words, &x, sizeof(combined));
#endif
}

__device__ __forceinline__ accumulator of_words(const unsigned (&words)[WORDS]) {
    combined value;
    memcpy(&value, words, sizeof(combined));
#ifdef SEGMENTED
    return {value, words[VALUE_WORDS]};
#else
    return value;
#endif
}

// Shuffles of accumulators of any size.
#define SHUFFLED(name, instruction)                                                                                   \
    template <int WIDTH> __device__ __forceinline__ accumulator name(const accumulator &x, int by) {                  \
        unsigned words[WORDS];                                                                                        \
        to_words(x, words);                                                                                           \
        _Pragma("unroll") for (int i = 0; i < WORDS; ++i) words[i] = instruction(~0u, words[i], by, WIDTH);           \
        return of_words(words);                                                                                       \
    }
SHUFFLED(shuffle_up, __shfl_up_sync)
SHUFFLED(shuffle_down, __shfl_down_sync)
SHUFFLED(shuffle, __shfl_sync)
#undef SHUFFLED

// Combines each lane's value with those of the preceding lanes, of WIDTH lanes, in steps of STEP.
template <int WIDTH, int STEP = 1> __device__ __forceinline__ accumulator scan_lanes(accumulator x, int lane) {
#pragma unroll
    for (int distance = STEP; distance < WIDTH; distance *= 2) {
        const accumulator before = shuffle_up<WIDTH>(x, distance);
        if (lane >= distance) x = combine(before, x);
    }
    return x;
}

// Combines the values of all lanes in their order. Lane 0 gets the result.
__device__ __forceinline__ accumulator fold_lanes(accumulator x) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) x = combine(x, shuffle_down<32>(x, distance));
    return x;
}

// Returns a number for each block in the order in which blocks start. All blocks with lower numbers
// are running or have finished.
__device__ __forceinline__ unsigned take_ticket(u64 counter) {
    __shared__ alignas(16) unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd((unsigned *)counter, 1u);
    __syncthreads();
    return ticket;
}

// Zeroes `words` words for the next launch, if there are any. The last block to arrive does so,
// when no block reads them any more. Only the first warp calls this, because it is the one that
// reads and publishes.
__device__ __forceinline__ void leave_zeros(u64 *memory, u64 words) {
    if (words == 0) return;
    __syncwarp();
    bool last = false;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd((unsigned *)(memory + 1), 1u) == gridDim.x - 1;
    }
    if (!__shfl_sync(~0u, (int)last, 0)) return;
    __threadfence();
    for (u64 i = threadIdx.x; i < words; i += 32) memory[i] = 0;
}

// A value is stored as 64-bit words, each with 32 bits of the value and a mark, in memory that was
// zero. A word is written and read as a whole, so the mark alone proves that the value has been
// published.
__device__ __forceinline__ void publish(u64 *words, accumulator value) {
    unsigned halves[WORDS];
    to_words(value, halves);
#pragma unroll
    for (int i = 0; i < WORDS; ++i)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i), "l"((1ull << 32) | halves[i]) : "memory");
}

// Reads a value if it is wanted. Returns whether it has been published.
__device__ __forceinline__ bool poll(const u64 *words, bool wanted, u64 (&read)[WORDS]) {
    bool there = true;
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        read[i] = 0;
        if (wanted) {
            read[i] = relaxed(words + i);
            there &= read[i] != 0;
        }
    }
    return there;
}

// Waits for a value if it is wanted, and returns it.
__device__ __forceinline__ accumulator await(const u64 *words, bool wanted) {
    u64 read[WORDS];
    while (!poll(words, wanted, read)) {}
    if (!wanted) return NEUTRAL;
    unsigned halves[WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; ++i) halves[i] = (unsigned)read[i];
    return of_words(halves);
}

// The prefix of a warp's part of a line.
struct Before {
    accumulator tile;  // everything before its tile
    accumulator warp;  // everything before it in its tile
    accumulator all;   // the combination of the tile
};

// For all threads of a block. `own` is the combination of the warp. With CHAIN, the line has
// several tiles.
//
// A tile publishes its combination. The last tile of a group of tiles publishes the combination of
// everything up to the group's end. The prefix of a tile is the value at the end of the previous
// group, combined with the preceding tiles of its own group. Each thread reads one of these values,
// all at once, so a tile waits for one round trip after the last of them was published. A look-back
// that takes all values published so far (Merrill and Garland, "Single-pass parallel prefix scan
// with decoupled look-back", 2016) may combine them differently in each run. This one always
// combines the same values in the same order, so sums of floats have the same bits.
template <int THREADS_, bool CHAIN>
__device__ __forceinline__ Before look_back(u64 *memory, u64 tiles, u64 tile, accumulator own) {
    constexpr int warps = THREADS_ / 32, group_tiles = THREADS_ < 256 ? THREADS_ : 256, readers = group_tiles / 32;
    __shared__ alignas(16) accumulator of_warp[warps];
    __shared__ alignas(16) accumulator of_readers[readers + 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Before before = {NEUTRAL, NEUTRAL, own};
    if (warps > 1) {
        if (lane == 0) of_warp[warp] = own;
        __syncthreads();
        const accumulator up_to = scan_lanes<32>(lane < warps ? of_warp[lane] : (accumulator)(NEUTRAL), lane);
        before.all = shuffle<32>(up_to, warps - 1);
        if (warp > 0) before.warp = shuffle<32>(up_to, warp - 1);
    }
    if (!CHAIN) return before;

    u64 *const ones = memory, *const ends = ones + tiles * WORDS;
    // There are fewer than 2^31 tiles.
    const unsigned group = (unsigned)tile / group_tiles, place = (unsigned)tile % group_tiles;
    if (threadIdx.x == 0 && tile + 1 < tiles) publish(ones + tile * WORDS, before.all);
    if (warp < readers) {
        const accumulator one = await(ones + (tile - place + threadIdx.x) * WORDS, threadIdx.x < place);
        __syncwarp();
        const accumulator part = fold_lanes(one);
        if (lane == 0) of_readers[warp] = part;
    }
    // Written in the first group too, because the compiler may read it before it checks the group.
    if (threadIdx.x == THREADS_ - 1) of_readers[readers] = await(ends + (group - 1) * WORDS, group > 0);
    __syncthreads();
    before.tile = shuffle<32>(fold_lanes(lane < readers ? of_readers[lane] : (accumulator)(NEUTRAL)), 0);
    if (group > 0) before.tile = combine(of_readers[readers], before.tile);
    if (place == group_tiles - 1 && threadIdx.x == 0 && tile + 1 < tiles)
        publish(ends + group * WORDS, combine(before.tile, before.all));
    return before;
}

// Prefixes along an axis that is not the innermost. A block has LANES_ threads next to each other,
// with VECTOR columns each, and the others down the axis.

// Combines down the threads of each column. `before` becomes the combination of the threads above,
// and `x` that of all threads. Calls alternate between the two halves of `shared`, so that one
// barrier is enough.
template <int THREADS_, int LANES_>
__device__ __forceinline__ void down(accumulator (&x)[VECTOR], accumulator (&before)[VECTOR],
                                     accumulator (*shared)[LANES_ * VECTOR]) {
    constexpr int warps = THREADS_ / 32;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = threadIdx.x % LANES_;
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        x[v] = scan_lanes<32, LANES_>(x[v], lane);
        before[v] = NEUTRAL;
        if (LANES_ < 32) {
            const accumulator above = shuffle_up<32>(x[v], LANES_ % 32);
            if (lane >= LANES_) before[v] = above;
        }
        if (lane >= 32 - LANES_) shared[warp][across * VECTOR + v] = x[v];
    }
    __syncthreads();
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        accumulator all = shared[0][across * VECTOR + v], above = NEUTRAL;
#pragma unroll
        for (int other = 1; other < warps; ++other) {
            if (other == warp) above = all;
            all = combine(all, shared[other][across * VECTOR + v]);
        }
        if (warp > 0) before[v] = combine(above, before[v]);
        x[v] = all;
    }
}

// Combines the values that `count` tiles published for this thread's columns, in their order.
// `words` points to the first of them. The threads down the block take some each.
template <int THREADS_, int LANES_>
__device__ __forceinline__ void take(const u64 *words, u64 stride, int count, bool active, accumulator (&x)[VECTOR]) {
    constexpr int deep = THREADS_ / LANES_, each = deep < 32 ? 32 / deep : 1;
    const int own = threadIdx.x / LANES_ * each;
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) x[v] = NEUTRAL;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const bool wanted = active && own + i < count;
#pragma unroll
        for (int v = 0; v < VECTOR; ++v)
            x[v] = combine(x[v], await(words + (own + i) * stride + v * WORDS, wanted));
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

// The prefix of a tile for each column of a strip: the value at the end of the previous set, the
// preceding groups of the set, and the preceding tiles of the group. The order is fixed, as in
// look_back.
template <int THREADS_, int LANES_>
__device__ __forceinline__ void look_back_columns(u64 *memory, u64 strips, u64 strip, u64 tiles, u64 tile, bool active,
                                                  const accumulator (&aggregate)[VECTOR],
                                                  accumulator (&prefix)[VECTOR],
                                                  accumulator (*shared)[THREADS_ / 32][LANES_ * VECTOR]) {
    constexpr int columns = LANES_ * VECTOR;
    const u64 stride = strips * columns * WORDS;
    const Tiles published(memory + (strip * columns + threadIdx.x % LANES_ * VECTOR) * WORDS, tiles, stride);
    const u64 group = tile / 32, set = tile / 1024;
    const bool publishes = active && threadIdx.x < LANES_;
    if (publishes && tile + 1 < tiles)
        for (int v = 0; v < VECTOR; ++v) publish(published.ones + tile * stride + v * WORDS, aggregate[v]);
    accumulator near[VECTOR], far[VECTOR], own[VECTOR], before[VECTOR];
    take<THREADS_, LANES_>(published.ones + group * 32 * stride, stride, (int)(tile % 32), active, near);
    down<THREADS_, LANES_>(near, before, shared[1]);
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        own[v] = combine(near[v], aggregate[v]);
        if (publishes && tile % 32 == 31) publish(published.groups + group * stride + v * WORDS, own[v]);
    }
    take<THREADS_, LANES_>(published.groups + set * 32 * stride, stride, (int)(group % 32), active, far);
    down<THREADS_, LANES_>(far, before, shared[0]);
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
        if (set > 0) far[v] = combine(await(published.sets + (set - 1) * stride + v * WORDS, active), far[v]);
        if (publishes && tile % 1024 == 1023) publish(published.sets + set * stride + v * WORDS, combine(far[v], own[v]));
        prefix[v] = combine(far[v], near[v]);
    }
}
