// Counts the digits of keys, for all passes of a radix sort at once.
//
// Specialised by THREADS, ITEMS, COUNT (the type of counts), sort.cuh and sort_input.cuh.

#include "array.cuh"
#include "sort_input.cuh"

// A block counts some of the keys of one line. `bins` has PASSES * DIGITS counters for each line,
// all zero. `chunks` is the number of blocks of a line.
extern "C" __global__ void __launch_bounds__(THREADS)
sort_count(INPUT u64 length, u64 chunks, u64 keys_in, u64 bins) {
    wait_for_previous_kernel();
    __shared__ unsigned counts[PASSES][DIGITS];
    constexpr u64 items_in = 0;
    for (int i = threadIdx.x; i < PASSES * DIGITS; i += THREADS) counts[i / DIGITS][i % DIGITS] = 0;
    __syncthreads();
    const u64 line = blockIdx.x / (unsigned)chunks, chunk = blockIdx.x % (unsigned)chunks, begin = line * length;
    for (u64 first = chunk * TILE; first < length; first += chunks * TILE) {
        key_bits keys[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const u64 at = first + i * THREADS + threadIdx.x;
            if (at < length) keys[i] = INPUT_AT(begin + at).key;
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (first + i * THREADS + threadIdx.x < length) {
#pragma unroll
                for (int pass = 0; pass < PASSES; ++pass) atomicAdd(&counts[pass][digit_of(keys[i], 8 * pass)], 1u);
            }
    }
    __syncthreads();
    COUNT *const of_line = (COUNT *)bins + line * (PASSES * DIGITS);
    for (int i = threadIdx.x; i < PASSES * DIGITS; i += THREADS) {
        const unsigned count = counts[i / DIGITS][i % DIGITS];
        if (count) atomicAdd(of_line + i, (COUNT)count);
    }
}
