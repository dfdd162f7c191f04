// Binary searches among sorted keys, which are compared by their codes.
//
// Requires WIDE (whether places need 64 bits) and sort.cuh.

#pragma once

#include "sort.cuh"

#if WIDE
typedef u64 place_t;
#else
typedef unsigned place_t;
#endif

// Whether a key comes before a value. With RIGHT, an equal key does.
template <bool RIGHT> __device__ __forceinline__ bool is_before(key_bits code, key_bits value) {
    return RIGHT ? code <= value : code < value;
}

// Computes for each value how many of the `length` sorted keys come before it. All searches take the same
// number of steps at once, so that their loads overlap.
template <bool RIGHT, int COUNT>
__device__ __forceinline__ void search_sorted(const key_bits *sorted, u64 length, const key_bits (&values)[COUNT],
                                              place_t (&places)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) places[i] = 0;
    // Each place is at most `left` too low.
    for (place_t left = (place_t)length; left > 0;) {
        const place_t half = left / 2 + left % 2;
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            if (is_before<RIGHT>(code_of(sorted[places[i] + half - 1]), values[i])) places[i] += half;
        left -= half;
    }
}
