// Keys as bits: their order, their digits, and ranks of digits within a block.
//
// Requires array.cuh, THREADS (a multiple of 32), ITEMS (keys per thread), KEY (the type of a key
// in memory), FRACTION (bits of a float's fraction, or 0), SIGNED (whether keys are signed integers)
// and DESCENDING.

#pragma once

template <int BYTES> struct bits_of_size;
template <> struct bits_of_size<1> { typedef unsigned char type; };
template <> struct bits_of_size<2> { typedef unsigned short type; };
template <> struct bits_of_size<4> { typedef unsigned type; };
template <> struct bits_of_size<8> { typedef u64 type; };
typedef bits_of_size<sizeof(KEY)>::type key_bits;

#define KEY_WIDTH (8 * (int)sizeof(KEY))
#define DIGITS 256
#define PASSES ((int)sizeof(KEY))
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)

// The place of a key in the order, as an unsigned integer. Equal keys have equal codes: -0 has that
// of 0. All NaNs have the highest code in both directions.
__device__ __forceinline__ key_bits code_of(key_bits key) {
    constexpr key_bits sign = (key_bits)((key_bits)1 << (KEY_WIDTH - 1));
    key_bits code = key;
#if FRACTION
    constexpr key_bits infinity = (key_bits)(((u64)sign - 1) >> FRACTION << FRACTION), magnitude = (key_bits)(sign - 1);
    if ((key & magnitude) > infinity) return (key_bits)~(key_bits)0;
    if ((key & magnitude) == 0) code = 0;
    code = (key_bits)(code ^ (code & sign ? (key_bits)~(key_bits)0 : sign));
#elif SIGNED
    code = (key_bits)(code ^ sign);
#endif
    return DESCENDING ? (key_bits)~code : code;
}

// The bits of a key with this code.
__device__ __forceinline__ key_bits key_of_code(key_bits code) {
    constexpr key_bits sign = (key_bits)((key_bits)1 << (KEY_WIDTH - 1));
#if FRACTION
    if (code == (key_bits)~(key_bits)0) return (key_bits)(sign - 1);
#endif
    if (DESCENDING) code = (key_bits)~code;
#if FRACTION
    code = (key_bits)(code ^ (code & sign ? sign : (key_bits)~(key_bits)0));
#elif SIGNED
    code = (key_bits)(code ^ sign);
#endif
    return code;
}

__device__ __forceinline__ unsigned digit_of(key_bits key, int shift) {
    return (unsigned)(code_of(key) >> shift) & (DIGITS - 1);
}

template <class T> __device__ __forceinline__ typename bits_of_size<sizeof(T)>::type as_bits(const T &value) {
    typename bits_of_size<sizeof(T)>::type bits;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

// Each thread is responsible for some consecutive digits. With more threads than digits, some have
// none.
#define OWN_DIGITS (THREADS < DIGITS ? DIGITS / THREADS : 1)
#define DIGIT_WARPS (THREADS < DIGITS ? WARPS : DIGITS / 32)

// The exclusive prefixes of the block's counts. Each thread has COUNTS consecutive ones, which are zero
// from the warp USED on. For all threads.
template <int USED, class T, int COUNTS>
__device__ __forceinline__ void scan_counts(const T (&counts)[COUNTS], T (&before)[COUNTS]) {
    __shared__ T of_warps[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T own = 0;
#pragma unroll
    for (int i = 0; i < COUNTS; ++i) own += counts[i];
    T up_to = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const T below = __shfl_up_sync(~0u, up_to, distance);
        if (lane >= distance) up_to += below;
    }
    if (WARPS > 1) {
        __syncthreads();
        if (lane == 31) of_warps[warp] = up_to;
        __syncthreads();
        T prefix = 0;
#pragma unroll
        for (int other = 0; other < USED; ++other)
            if (other < warp) prefix += of_warps[other];
        up_to += prefix;
    }
    before[0] = up_to - own;
#pragma unroll
    for (int i = 1; i < COUNTS; ++i) before[i] = before[i - 1] + counts[i - 1];
}

// For each warp and digit: the number of keys, and then the place of the next one. `lanes` has the
// lanes whose present key has the digit.
struct Ranking {
    unsigned counts[WARPS][DIGITS], lanes[WARPS][DIGITS];
};

// Counts the digits of a block. The keys of a warp are contiguous, and alternate among its lanes.
// `totals` becomes the block's counts of this thread's digits.
__device__ __forceinline__ void count_digits(const unsigned (&digits)[ITEMS], Ranking &ranking,
                                             unsigned (&totals)[OWN_DIGITS]) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = lane; i < DIGITS; i += 32) ranking.counts[warp][i] = ranking.lanes[warp][i] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) atomicAdd(&ranking.counts[warp][digits[i]], 1u);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < OWN_DIGITS; ++i) {
        totals[i] = 0;
        const int digit = threadIdx.x * OWN_DIGITS + i;
        if (digit < DIGITS)
#pragma unroll
            for (int other = 0; other < WARPS; ++other) totals[i] += ranking.counts[other][digit];
    }
}

// Computes each key's place in the sorted block. `before` is the exclusive prefix of the totals.
// Afterwards, all threads have finished with `ranking`.
__device__ __forceinline__ void rank_digits(const unsigned (&digits)[ITEMS], Ranking &ranking,
                                            const unsigned (&before)[OWN_DIGITS], unsigned (&ranks)[ITEMS]) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < OWN_DIGITS; ++i) {
        const int digit = threadIdx.x * OWN_DIGITS + i;
        unsigned place = before[i];
        if (digit < DIGITS)
#pragma unroll
            for (int other = 0; other < WARPS; ++other) {
                const unsigned count = ranking.counts[other][digit];
                ranking.counts[other][digit] = place;
                place += count;
            }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        unsigned *const lanes = &ranking.lanes[warp][digits[i]];
        atomicOr(lanes, 1u << lane);
        __syncwarp();
        const unsigned same = *lanes, preceding = same & ((1u << lane) - 1);
        __syncwarp();
        unsigned place = 0;
        if (preceding == 0) {
            place = atomicAdd(&ranking.counts[warp][digits[i]], __popc(same));
            *lanes = 0;
        }
        ranks[i] = __shfl_sync(~0u, place, __ffs(same) - 1) + __popc(preceding);
        __syncwarp();
    }
    __syncthreads();
}
