// Combination of values within a warp, and the prefixes of tiles that blocks tell each other.
//
// combination.cuh, which is written for each combination, defines `accumulator`, `combine(a, b)`, which is associative,
// and NEUTRAL, which changes nothing that it is combined with.

#include "combination.cuh"

typedef unsigned long long u64;

// Shuffles of values of any size.
#define SHUFFLED(name, instruction)                                                                                   \
    template <int WIDTH, class T> __device__ __forceinline__ T name(T x, int by) {                                    \
        unsigned words[(sizeof(T) + 3) / 4] = {};                                                                     \
        memcpy(words, &x, sizeof(T));                                                                                 \
        _Pragma("unroll") for (int i = 0; i < (int)(sizeof(words) / 4); ++i) words[i] =                               \
            instruction(~0u, words[i], by, WIDTH);                                                                    \
        memcpy(&x, words, sizeof(T));                                                                                 \
        return x;                                                                                                     \
    }
SHUFFLED(shuffle_up, __shfl_up_sync)
SHUFFLED(shuffle_down, __shfl_down_sync)
SHUFFLED(shuffle, __shfl_sync)
#undef SHUFFLED

// Each lane's value combined with those of the lanes before it, of WIDTH lanes, by steps of STEP.
template <int WIDTH, int STEP = 1> __device__ __forceinline__ accumulator scan_lanes(accumulator x, int lane) {
#pragma unroll
    for (int distance = STEP; distance < WIDTH; distance *= 2) {
        const accumulator before = shuffle_up<WIDTH>(x, distance);
        if (lane >= distance) x = combine(before, x);
    }
    return x;
}

// The values of all lanes in their order, in lane 0.
__device__ __forceinline__ accumulator fold_lanes(accumulator x) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) x = combine(x, shuffle_down<32>(x, distance));
    return x;
}

// A number for each block, in the order in which blocks begin: whoever has a lower one is running or has ended.
__device__ __forceinline__ unsigned take_ticket(u64 counter) {
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd((unsigned *)counter, 1u);
    __syncthreads();
    return ticket;
}

// Leaves `words` zeros to the next launch, if there are any: the last block to come here does, when nobody reads them any
// more. For the first warp, which is the one that reads and tells.
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

// A value travels as 64-bit words of 32 bits of value and a mark, in memory that was zero. A word is written and read
// whole, so the mark alone says that the value is there.
#define WORDS ((int)((sizeof(accumulator) + 3) / 4))

__device__ __forceinline__ void publish(u64 *words, accumulator value) {
    unsigned halves[WORDS] = {};
    memcpy(halves, &value, sizeof(value));
#pragma unroll
    for (int i = 0; i < WORDS; ++i)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i), "l"((1ull << 32) | halves[i]) : "memory");
}

// Reads a value if it is wanted; whether it is there.
__device__ __forceinline__ bool poll(const u64 *words, bool wanted, u64 (&read)[WORDS]) {
    bool there = true;
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        read[i] = 0;
        if (wanted) {
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(read[i]) : "l"(words + i) : "memory");
            there &= read[i] != 0;
        }
    }
    return there;
}

__device__ __forceinline__ accumulator value_read(const u64 (&read)[WORDS], bool wanted) {
    if (!wanted) return NEUTRAL;
    unsigned halves[WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; ++i) halves[i] = (unsigned)read[i];
    accumulator value;
    memcpy(&value, halves, sizeof(value));
    return value;
}

// The prefix of a tile, in lane 0 of the warp that calls this: what all tiles before it in its line combine to.
// `aggregate` is the tile's own combination.
//
// Tiles are counted in groups of 32, and groups in sets of 32. A tile tells its aggregate; the last tile of a group tells
// the group's; the last tile of a set tells that of everything from the line's beginning to the set's end. The prefix is
// the end of the set before, then the groups of the set that lie before, then the tiles of the group that lie before:
// 63 values at most, all read at once. Unlike a look-back that takes whatever has been told so far (Merrill and Garland,
// "Single-pass parallel prefix scan with decoupled look-back", 2016), it combines the same values in the same order
// every time, so that sums of real numbers have the same bits.
struct Tiles {
    u64 *ones, *groups, *sets;

    __device__ __forceinline__ Tiles(u64 *memory, u64 tiles, u64 stride)
        : ones(memory), groups(ones + tiles * stride), sets(groups + (tiles + 31) / 32 * stride) {}
};

__device__ __forceinline__ accumulator look_back(u64 *memory, u64 tiles, u64 tile, accumulator aggregate) {
    const Tiles told(memory, tiles, WORDS);
    const int lane = threadIdx.x % 32;
    const u64 group = tile / 32, set = tile / 1024;
    if (lane == 0 && tile + 1 < tiles) publish(told.ones + tile * WORDS, aggregate);
    // Lane 0 of the far ones is the set before, the others are groups.
    const u64 *const near_words = told.ones + (group * 32 + lane) * WORDS;
    const u64 *const far_words =
        lane == 0 ? told.sets + (set - 1) * WORDS : told.groups + (set * 32 + lane - 1) * WORDS;
    const bool near_wanted = lane < tile % 32, far_wanted = lane == 0 ? set > 0 : lane <= group % 32;
    u64 near_read[WORDS], far_read[WORDS];
    bool near_there = poll(near_words, near_wanted, near_read);
    bool far_there = poll(far_words, far_wanted, far_read);
    while (!near_there) near_there = poll(near_words, near_wanted, near_read);
    __syncwarp();
    const accumulator near = fold_lanes(value_read(near_read, near_wanted));
    const accumulator own = combine(near, aggregate);
    if (lane == 0 && tile % 32 == 31) publish(told.groups + group * WORDS, own);
    while (!far_there) far_there = poll(far_words, far_wanted, far_read);
    __syncwarp();
    const accumulator far = fold_lanes(value_read(far_read, far_wanted));
    if (lane == 0 && tile % 1024 == 1023) publish(told.sets + set * WORDS, combine(far, own));
    return combine(far, near);
}
