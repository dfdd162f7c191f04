// Sorts lines that fit in a block, one block for each.
//
// Specialised by THREADS, ITEMS, WRITE_KEYS (whether the result has keys), sort.cuh and
// sort_input.cuh.

#include "array.cuh"
#include "sort_input.cuh"

// Writes the first `kept` keys and items of each line.
extern "C" __global__ void __launch_bounds__(THREADS)
sort_rows(INPUT u64 length, u64 kept, u64 keys_in, u64 items_in, u64 keys_out, u64 items_out) {
    wait_for_previous_kernel();
    __shared__ alignas(16) union {
        Ranking ranking;
        key_bits keys[TILE];
#if ITEM_BYTES
        item_bits items[TILE];
#endif
    } shared;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u64 line = blockIdx.x, begin = line * length;
    const unsigned valid = (unsigned)length, first = warp * (32 * ITEMS) + lane;

    key_bits keys[ITEMS];
#if ITEM_BYTES
    item_bits items[ITEMS];
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const unsigned at = first + i * 32;
        keys[i] = 0;
#if ITEM_BYTES
        items[i] = PLACES ? (item_bits)at : (item_bits)0;
#endif
        if (at < valid) {
            const Input input = INPUT_AT(begin + at);
            keys[i] = input.key;
#if ITEM_BYTES && !PLACES
            items[i] = input.item;
#endif
        }
    }
    // What follows the last key has the highest digits, and stays last because the sort is stable.
    // It needs no mark after the first pass, because the number of keys is known.
#pragma unroll 1
    for (int pass = 0; pass < PASSES; ++pass) {
        unsigned digits[ITEMS], ranks[ITEMS], totals[OWN_DIGITS], before[OWN_DIGITS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) digits[i] = first + i * 32 < valid ? digit_of(keys[i], 8 * pass) : DIGITS - 1;
        count_digits(digits, shared.ranking, totals);
        scan_counts<DIGIT_WARPS>(totals, before);
        rank_digits(digits, shared.ranking, before, ranks);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) shared.keys[ranks[i]] = keys[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) keys[i] = shared.keys[first + i * 32];
        __syncthreads();
#if ITEM_BYTES
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) shared.items[ranks[i]] = items[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) items[i] = shared.items[first + i * 32];
        __syncthreads();
#endif
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const unsigned at = first + i * 32;
        if (at < kept) {
#if WRITE_KEYS
            ((key_bits *)keys_out)[line * kept + at] = keys[i];
#endif
#if ITEM_BYTES
            ((out_bits *)items_out)[line * kept + at] = (out_bits)items[i];
#endif
        }
    }
}
