// Convolution of images in the format of most files: small elements and interleaved channels. A
// block converts the input of 128 elements by WARPS * ROWS rows to floats in shared memory. A
// thread computes 4 elements x ROWS rows. Only the edges require knowledge of pixels: within a row,
// the same channel of the next pixel is CHANNELS elements ahead.
//
// An element of the output is the sum over the filter's rows, and within a row over its columns.
// Each product is added by a fused multiply-add. All specialisations use this order, so the bits
// are the same.
//
// Specialised by convolve_common.cuh's macros (ALIGNED: rows of the input start at multiples of 4
// elements), PIXEL, CHANNELS, OUT_ALIGNED (the same for the output), WARPS, ROWS, BLOCKS and GROUP
// (filter rows at a time).

#include "array.cuh"
#include "convolve_common.cuh"

#define U8 0
#define U16 1
#define F16 2
#define BF16 3
#define F32 4

#if PIXEL == U8
typedef unsigned char element_t;
#elif PIXEL == F32
typedef unsigned element_t;
#else
typedef unsigned short element_t;
#endif

#define SIZE ((int)sizeof(element_t))
#define THREADS (WARPS * 32)
#define TILE_ROWS (WARPS * ROWS + KH - 1)
// In units of 4 elements: those of a row of the tile, and those from which a thread's 4 outputs are
// computed.
#define VECTORS (32 + (SHIFT + (KW - 1) * CHANNELS + 3) / 4)
#define WINDOW (1 + (SHIFT + (KW - 1) * CHANNELS + 3) / 4)
// Elements on either side that a load of 4 may access.
#define MARGIN (ALIGNED || SIZE == 4 ? 0 : 4)

extern __shared__ float4 tile[];

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

// The pixel of an element, which may be outside the image.
__device__ __forceinline__ int pixel_of(int element) {
    const int bias = 1 << 16;
    return CHANNELS == 1 ? element : (int)((unsigned)(element + bias * CHANNELS) / CHANNELS) - bias;
}

// Elements that start outside the image or end there.
__device__ __noinline__ Four load_odd(const element_t *line, int x, int width) {
    Four four = {};
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        const int pixel = pixel_of(x + e), from = border(pixel, width);
        if (from >= 0) set(four, e, line[from * CHANNELS + (x + e - pixel * CHANNELS)]);
    }
    return four;
}

__device__ __forceinline__ void fill(int i, const Four &four) {
    tile[i] = make_float4(value(four, 0), value(four, 1), value(four, 2), value(four, 3));
}

// The block's window of the image, from element `left` of row `top` on. It may extend beyond the
// image.
__device__ __forceinline__ void load_tile(const element_t *image, const Geometry &geometry, int left, int top) {
    const int elements = geometry.in_width * CHANNELS;
    if (left >= MARGIN && left + VECTORS * 4 + MARGIN <= elements && top >= 0 && top + TILE_ROWS <= geometry.in_height) {
        const element_t *corner = image + top * geometry.in_pitch + left;
#pragma unroll 4
        for (int i = threadIdx.x; i < TILE_ROWS * VECTORS; i += THREADS)
            fill(i, load_four(corner + i / VECTORS * geometry.in_pitch + i % VECTORS * 4));
    } else {
        for (int i = threadIdx.x; i < TILE_ROWS * VECTORS; i += THREADS) {
            const int x = left + i % VECTORS * 4, y = border(top + i / VECTORS, geometry.in_height);
            const element_t *line = image + y * geometry.in_pitch;
            if (y < 0)
                fill(i, Four{});
            else if (x >= MARGIN && x + 4 + MARGIN <= elements)
                fill(i, load_four(line + x));
            else
                fill(i, load_odd(line, x, geometry.in_width));
        }
    }
}

// Adds COUNT filter rows to the thread's outputs.
template <int COUNT>
__device__ __forceinline__ void accumulate(float (&sum)[ROWS][4], const float4 *window, const float *weights) {
#pragma unroll
    for (int row = 0; row < ROWS + COUNT - 1; ++row) {
        float x[WINDOW * 4];
#pragma unroll
        for (int v = 0; v < WINDOW; ++v) {
            const float4 four = window[row * VECTORS + v];
            x[4 * v] = four.x, x[4 * v + 1] = four.y, x[4 * v + 2] = four.z, x[4 * v + 3] = four.w;
        }
#pragma unroll
        for (int i = 0; i < KW; ++i)
#pragma unroll
            for (int j = 0; j < COUNT; ++j) {
                if (row - j < 0 || row - j >= ROWS) continue;
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    sum[row - j][e] = fmaf(weights[j * WEIGHT_PITCH + i], x[SHIFT + i * CHANNELS + e], sum[row - j][e]);
            }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
convolve_image(const element_t *__restrict__ input, element_t *__restrict__ output,
               const __grid_constant__ Geometry geometry, const __grid_constant__ Weights weights) {
    const int left = blockIdx.x % geometry.across * 128, top = blockIdx.x / geometry.across * (WARPS * ROWS);
    load_tile(input, geometry, left - PAD_X * CHANNELS - SHIFT, top - PAD_Y);
    __syncthreads();

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float4 *window = tile + warp * ROWS * VECTORS + lane;
    float sum[ROWS][4] = {};
    int j = 0;
#pragma unroll 1
    for (; j + GROUP <= KH; j += GROUP)
        accumulate<GROUP>(sum, window + j * VECTORS, weights.at + j * WEIGHT_PITCH);
    if constexpr (KH % GROUP != 0)
        accumulate<KH % GROUP>(sum, window + j * VECTORS, weights.at + j * WEIGHT_PITCH);

    const int elements = geometry.out_width * CHANNELS;
    const int x = left + lane * 4, y = top + warp * ROWS;
    element_t *out = output + y * geometry.out_pitch + x;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        if (y + row >= geometry.out_height) return;
        const Four four = four_of(sum[row]);
        if (left + 128 <= elements) {
            store_four(out, four, lane);
        } else {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (x + e < elements) out[e] = (element_t)get(four, e);
        }
        out += geometry.out_pitch;
    }
}
