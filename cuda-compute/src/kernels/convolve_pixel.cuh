// The elements of images: their formats in memory, and loads and stores of 4 at a time.
//
// Specialised by convolve_common.cuh's macros.

#if PIXEL == F16 || PIXEL == BF16
#include "array.cuh"
#endif

#if PIXEL == U8
typedef unsigned char element_t;
#elif PIXEL == F32
typedef unsigned element_t;
#else
typedef unsigned short element_t;
#endif

#define SIZE ((int)sizeof(element_t))
// Elements on either side that a load of 4 may access.
#define MARGIN (ALIGNED || SIZE == 4 ? 0 : 4)

// 4 elements in their format in memory.
struct alignas(4 * SIZE) Four {
    unsigned word[SIZE];
};

__device__ __forceinline__ unsigned get(const Four &four, int e) {
    return SIZE == 4 ? four.word[e] : four.word[e * SIZE / 4] >> 8 * SIZE * (e % (4 / SIZE));
}

__device__ __forceinline__ void set(Four &four, int e, unsigned bits) {
    four.word[e * SIZE / 4] |= SIZE == 4 ? bits : bits << 8 * SIZE * (e % (4 / SIZE));
}

__device__ __forceinline__ float value(const Four &four, int e) {
#if PIXEL == U8
    // The low bits of 2^23 + x are the integer x.
    return __uint_as_float(__byte_perm(four.word[0], 0x4b000000, 0x7440 + e)) - 8388608.0f;
#elif PIXEL == U16
    return __uint_as_float(__byte_perm(four.word[e / 2], 0x4b000000, e % 2 ? 0x7432 : 0x7410)) - 8388608.0f;
#elif PIXEL == F16
    return value_of(stored_f16{(unsigned short)get(four, e)});
#elif PIXEL == BF16
    return value_of(stored_bf16{(unsigned short)get(four, e)});
#else
    return __uint_as_float(four.word[e]);
#endif
}

// Rounds to nearest, ties to even. Integers saturate, and NaN becomes 0.
__device__ __forceinline__ unsigned bits_of(float x) {
#if PIXEL == U8 || PIXEL == U16
    return __float_as_uint(fminf(fmaxf(x, 0.0f), PIXEL == U8 ? 255.0f : 65535.0f) + 8388608.0f);
#elif PIXEL == F16
    return to_f16_bits(x);
#elif PIXEL == BF16
    return to_bf16_bits(x);
#else
    return __float_as_uint(x);
#endif
}

__device__ __forceinline__ Four four_of(const float (&x)[4]) {
    unsigned bits[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) bits[e] = bits_of(x[e]);
    Four four;
    if (SIZE == 4) {
#pragma unroll
        for (int e = 0; e < SIZE; ++e) four.word[e] = bits[e];
    } else {
        const int halves = SIZE == 1 ? 0x0040 : 0x5410;
        const unsigned low = __byte_perm(bits[0], bits[1], halves), high = __byte_perm(bits[2], bits[3], halves);
        four.word[0] = SIZE == 1 ? __byte_perm(low, high, 0x5410) : low;
        if (SIZE == 2) four.word[SIZE - 1] = high;
    }
    return four;
}

__device__ __forceinline__ Four load_four(const element_t *at) {
#if ALIGNED
    return *(const Four *)at;
#else
    Four four;
#if PIXEL == F32
#pragma unroll
    for (int e = 0; e < 4; ++e) four.word[e] = at[e];
#else
    // The words that contain the elements. There is one more if the elements start between two
    // words.
    const unsigned beyond = (unsigned)(size_t)at % 4;
    const unsigned *words = (const unsigned *)((size_t)at - beyond);
    unsigned low = words[0];
#pragma unroll
    for (int k = 0; k < SIZE; ++k) {
        const unsigned high = words[k + 1];
        four.word[k] = __funnelshift_r(low, high, 8 * beyond);
        low = high;
    }
#endif
    return four;
#endif
}

// Stores a warp's 128 elements, 4 of each lane.
__device__ __forceinline__ void store_four(element_t *at, const Four &four, int lane) {
#if OUT_ALIGNED
    *(Four *)at = four;
#elif PIXEL == F32
#pragma unroll
    for (int e = 0; e < 4; ++e) at[e] = four.word[e];
#else
    // Whole words, combined from two lanes' elements if rows start between two words. The warp's
    // first and last elements share their words with other warps.
    const unsigned beyond = (unsigned)(size_t)at % 4;
    unsigned *words = (unsigned *)((size_t)at - beyond);
    unsigned low = __shfl_up_sync(~0u, four.word[SIZE - 1], 1);
#pragma unroll
    for (int k = 0; k < SIZE; ++k) {
        if (k > 0 || lane > 0 || beyond == 0) words[k] = __funnelshift_l(low, four.word[k], 8 * beyond);
        low = four.word[k];
    }
    if (beyond == 0) return;
#pragma unroll
    for (int e = 0; e < 4; ++e)
        if (lane == 0 ? e * SIZE < 4 - (int)beyond : lane == 31 && e * SIZE >= 4 * SIZE - (int)beyond)
            at[e] = (element_t)get(four, e);
#endif
}
