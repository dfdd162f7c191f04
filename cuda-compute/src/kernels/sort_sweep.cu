// A pass of a radix sort: moves all keys and items to their places by one digit, and keeps the order
// of those with equal digits. Every key is read and written once.
//
// Blocks take the tiles of a line in order. A tile publishes its count of each digit, and adds up
// those of the tiles before it ("Onesweep: A Faster Least Significant Digit Radix Sort for GPUs",
// Adinets and Merrill, 2022, arXiv 2206.01784).
//
// Specialised by THREADS, ITEMS, BLOCKS (per multiprocessor), COUNT (the type of counts), WRITE_KEYS
// (whether the result has keys), sort.cuh and sort_input.cuh.

#include "array.cuh"
#include "sort_input.cuh"

// A published count: two marks, and the number of keys with a digit in the tile, or before the end
// of the tile. The latter includes all keys with lower digits.
#define OF_TILE ((COUNT)1 << (8 * sizeof(COUNT) - 2))
#define UP_TO ((COUNT)2 << (8 * sizeof(COUNT) - 2))
#define NUMBER (OF_TILE - 1)
// Published counts that a thread reads at once.
#define AT_ONCE 4

__device__ __forceinline__ COUNT published(const COUNT *place) { return relaxed(place); }
__device__ __forceinline__ void publish(unsigned *place, unsigned value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(place), "r"(value) : "memory");
}
__device__ __forceinline__ void publish(u64 *place, u64 value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(place), "l"(value) : "memory");
}

// The place of the tile's first key with a digit. `states` points to the digit's count in the line's
// first tile. Only later tiles call this.
__device__ __forceinline__ COUNT look_back(const COUNT *states, u64 tile) {
    COUNT sum = 0;
    for (;;) {
        COUNT read[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) read[i] = (u64)i < tile ? published(states + (tile - 1 - i) * DIGITS) : 0;
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            if (read[i] == 0) break;
            sum += read[i] & NUMBER;
            if (read[i] & UP_TO) return sum;
            --tile;
        }
    }
}

// Lines have `tiles` tiles. `counter` is zero. `bins` are the counts of this pass's digits in each
// line. `states` has DIGITS zeros for each tile, and `next` is zeroed for the next pass, if there is
// one.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
sort_sweep(INPUT u64 length, u64 tiles, u64 keys_in, u64 items_in, u64 keys_out, u64 items_out, u64 counter, u64 bins,
           u64 states, u64 next, u64 pass) {
    wait_for_previous_kernel();
    __shared__ alignas(16) union {
        Ranking ranking;
        key_bits keys[TILE];
#if ITEM_BYTES
        item_bits items[TILE];
#endif
    } shared;
    __shared__ COUNT starts[DIGITS];
    __shared__ unsigned ticket;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, shift = 8 * (int)pass;
    if (threadIdx.x == 0) ticket = atomicAdd((unsigned *)counter, 1u);
    __syncthreads();
    const unsigned number = ticket;
    const u64 line = number / (unsigned)tiles, tile = number % (unsigned)tiles;
    const u64 begin = line * length, of_tile = tile * TILE, rest = length - of_tile;
    const unsigned valid = rest < TILE ? (unsigned)rest : TILE, first = warp * (32 * ITEMS) + lane;

    key_bits keys[ITEMS];
    unsigned digits[ITEMS], ranks[ITEMS], totals[OWN_DIGITS], before[OWN_DIGITS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const unsigned at = first + i * 32;
        keys[i] = 0;
        if (at < valid) keys[i] = INPUT_AT(begin + of_tile + at).key;
    }
    // What follows the last key behaves like a key with the highest digit.
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) digits[i] = first + i * 32 < valid ? digit_of(keys[i], shift) : DIGITS - 1;
    count_digits(digits, shared.ranking, totals);

    COUNT *const own = (COUNT *)states + ((u64)number - tile) * DIGITS, *const zeroed = (COUNT *)next + (u64)number * DIGITS;
    COUNT lower[OWN_DIGITS];
    if (tile == 0) {
        COUNT bin[OWN_DIGITS];
#pragma unroll
        for (int i = 0; i < OWN_DIGITS; ++i) {
            const int digit = threadIdx.x * OWN_DIGITS + i;
            bin[i] = digit < DIGITS ? ((const COUNT *)bins)[line * (PASSES * DIGITS) + digit] : 0;
        }
        scan_counts<DIGIT_WARPS>(bin, lower);
    }
#pragma unroll
    for (int i = 0; i < OWN_DIGITS; ++i) {
        const int digit = threadIdx.x * OWN_DIGITS + i;
        if (digit < DIGITS) {
            if (tile + 1 < tiles)
                publish(own + tile * DIGITS + digit, tile == 0 ? UP_TO | (lower[i] + totals[i]) : OF_TILE | (COUNT)totals[i]);
            if (next) zeroed[digit] = 0;
        }
    }
    scan_counts<DIGIT_WARPS>(totals, before);
    rank_digits(digits, shared.ranking, before, ranks);

#if ITEM_BYTES
    // Two ranks or four digits in a register leave registers for the items.
    unsigned packed_ranks[(ITEMS + 1) / 2] = {}, packed_digits[(ITEMS + 3) / 4] = {};
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) packed_ranks[i / 2] |= ranks[i] << i % 2 * 16;
    const auto rank_of = [&](int i) { return packed_ranks[i / 2] >> i % 2 * 16 & 0xffff; };
    const auto packed_digit = [&](int i) { return packed_digits[i / 4] >> i % 4 * 8 & 0xff; };
#else
    const auto rank_of = [&](int i) { return ranks[i]; };
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) shared.keys[rank_of(i)] = keys[i];
#pragma unroll
    for (int i = 0; i < OWN_DIGITS; ++i) {
        const int digit = threadIdx.x * OWN_DIGITS + i;
        if (digit < DIGITS) {
            if (tile > 0) {
                lower[i] = look_back(own + digit, tile);
                if (tile + 1 < tiles) publish(own + tile * DIGITS + digit, UP_TO | (lower[i] + totals[i]));
            }
            starts[digit] = lower[i] - before[i];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const unsigned at = i * THREADS + threadIdx.x;
        if (at < valid) {
            const key_bits key = shared.keys[at];
            const unsigned digit = digit_of(key, shift);
#if ITEM_BYTES
            packed_digits[i / 4] |= digit << i % 4 * 8;
#endif
#if WRITE_KEYS
            ((key_bits *)keys_out)[begin + (COUNT)(starts[digit] + at)] = key;
#endif
        }
    }
#if ITEM_BYTES
    // Items are read this late because they would occupy registers before.
    item_bits items[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const unsigned at = first + i * 32;
#if PLACES
        items[i] = (item_bits)(of_tile + at);
#else
        items[i] = 0;
        if (at < valid) items[i] = INPUT_AT(begin + of_tile + at).item;
#endif
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) shared.items[rank_of(i)] = items[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const unsigned at = i * THREADS + threadIdx.x;
        if (at < valid) ((out_bits *)items_out)[begin + (COUNT)(starts[packed_digit(i)] + at)] = (out_bits)shared.items[at];
    }
#endif
}
