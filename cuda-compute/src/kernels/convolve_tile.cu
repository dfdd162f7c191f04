// Convolution through a tile in shared memory: with larger filters, bound by arithmetic, and of
// images with small elements or interleaved channels. A block loads the input of 128 elements by
// WARPS * ROWS rows as floats. A thread computes 4 elements x ROWS rows, PAIR filter rows at a time,
// so that one 16-byte load from shared memory serves several filter rows and one weight serves
// 4 * ROWS multiplications. Only the edges require knowledge of pixels: within a row, the same
// channel of the next pixel is CHANNELS elements ahead.
//
// Specialised by convolve_common.cuh's macros, WARPS, ROWS, PAIR and BLOCKS.

#include "convolve_common.cuh"
#include "convolve_pixel.cuh"

#define THREADS (WARPS * 32)
#define TILE_ROWS (WARPS * ROWS + KH - 1)
// In units of 4 elements: those of a row of the tile, and those from which a thread's 4 outputs are
// computed.
#define VECTORS (32 + (SHIFT + (KW - 1) * CHANNELS + 3) / 4)
#define WINDOW (VECTORS - 31)

extern __shared__ float4 tile[];

#if PLANES

// Planes are copied asynchronously, because their elements are floats already.
__device__ __forceinline__ unsigned cell(int i) { return (unsigned)__cvta_generic_to_shared(tile) + i * 16; }

__device__ __forceinline__ void load_inside(int i, const element_t *at) { copy16_async(cell(i), at); }

// The 4 elements from column x of row y on, which may be outside the image.
__device__ __forceinline__ void load_anywhere(int i, const element_t *image, const Geometry &geometry, int x, int y) {
    const int from_y = border(y, geometry.in_height);
    const element_t *line = image + max(from_y, 0) * geometry.in_pitch;
    if (ALIGNED && x >= 0 && x + 4 <= geometry.in_width) {
        copy16_async(cell(i), line + x, from_y < 0 ? 0 : 16);
    } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int from_x = border(x + e, geometry.in_width);
            copy4_async(cell(i) + 4 * e, line + max(from_x, 0), (from_x | from_y) < 0 ? 0 : 4);
        }
    }
}

__device__ __forceinline__ void wait_loads() {
    commit_copies();
    wait_copies<0>();
}

// Adds COUNT filter rows to the thread's outputs, 4 columns of each at a time. The window of a row
// moves by one load, and the registers do not depend on the filter's width.
template <int COUNT>
__device__ __forceinline__ void accumulate(float (&sum)[ROWS][4], const float4 *window, const float *weights) {
    float4 left[ROWS + COUNT - 1];
#pragma unroll
    for (int row = 0; row < ROWS + COUNT - 1; ++row) left[row] = window[row * VECTORS];
#pragma unroll
    for (int i = -SHIFT; i < KW; i += 4) {
#pragma unroll
        for (int row = 0; row < ROWS + COUNT - 1; ++row) {
            const float4 l = left[row];
            float4 r = l;
            // The last columns need no further load when the filter ends on the boundary.
            if (i + 1 < KW) r = window[row * VECTORS + (i + SHIFT) / 4 + 1];
            const float at[8] = {l.x, l.y, l.z, l.w, r.x, r.y, r.z, r.w};
#pragma unroll
            for (int j = 0; j < COUNT; ++j) {
                if (row - j < 0 || row - j >= ROWS) continue;
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    if (i + k < 0 || i + k >= KW) continue;
#pragma unroll
                    for (int c = 0; c < 4; ++c)
                        sum[row - j][c] =
                            fmaf(weights[j * WEIGHT_PITCH + i + k], at[c + k], sum[row - j][c]);
                }
            }
            left[row] = r;
        }
    }
}

#else

__device__ __forceinline__ void fill(int i, const Four &four) {
    tile[i] = make_float4(value(four, 0), value(four, 1), value(four, 2), value(four, 3));
}

__device__ __forceinline__ void load_inside(int i, const element_t *at) { fill(i, load_four(at)); }

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

// The 4 elements from element x of row y on, which may be outside the image.
__device__ __forceinline__ void load_anywhere(int i, const element_t *image, const Geometry &geometry, int x, int y) {
    const int from_y = border(y, geometry.in_height);
    const element_t *line = image + from_y * geometry.in_pitch;
    Four four = {};
    if (from_y >= 0) {
        const bool inside = x >= MARGIN && x + 4 + MARGIN <= geometry.in_width * CHANNELS;
        four = inside ? load_four(line + x) : load_odd(line, x, geometry.in_width);
    }
    fill(i, four);
}

__device__ __forceinline__ void wait_loads() {}

// Adds COUNT filter rows to the thread's outputs: for each output row by row, and within a row
// column by column. All specialisations for images use this order, so the bits are the same.
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

#endif

// The block's window of the image, from element `left` of row `top` on. It may extend beyond the
// image.
__device__ __forceinline__ void load_tile(const element_t *image, const Geometry &geometry, int left, int top) {
    const bool inside = left >= MARGIN && left + VECTORS * 4 + MARGIN <= geometry.in_width * CHANNELS && top >= 0 &&
                        top + TILE_ROWS <= geometry.in_height;
    // An unaligned plane has no faster way inside the image.
    if ((ALIGNED || !PLANES) && inside) {
        const element_t *corner = image + top * geometry.in_pitch + left;
#if !PLANES
#pragma unroll 4
#endif
        for (int i = threadIdx.x; i < TILE_ROWS * VECTORS; i += THREADS)
            load_inside(i, corner + i / VECTORS * geometry.in_pitch + i % VECTORS * 4);
    } else {
        for (int i = threadIdx.x; i < TILE_ROWS * VECTORS; i += THREADS)
            load_anywhere(i, image, geometry, left + i % VECTORS * 4, top + i / VECTORS);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
convolve_tile(const element_t *__restrict__ input, element_t *__restrict__ output,
              const __grid_constant__ Geometry geometry, const __grid_constant__ Weights weights) {
    const auto [across, down, image] = piece(geometry);
    const int left = across * 128, top = down * (WARPS * ROWS);
    load_tile(input + image * geometry.in_image, geometry, left - PAD_X * CHANNELS - SHIFT, top - PAD_Y);
    wait_loads();
    __syncthreads();

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float4 *window = tile + warp * ROWS * VECTORS + lane;
    float sum[ROWS][4] = {};
    int j = 0;
#pragma unroll 1
    for (; j + PAIR <= KH; j += PAIR)
        accumulate<PAIR>(sum, window + j * VECTORS, weights.at + j * WEIGHT_PITCH);
    if constexpr (KH % PAIR != 0)
        accumulate<KH % PAIR>(sum, window + j * VECTORS, weights.at + j * WEIGHT_PITCH);

    const int elements = geometry.out_width * CHANNELS;
    const int x = left + lane * 4, y = top + warp * ROWS;
    element_t *out = output + image * geometry.out_image + y * geometry.out_pitch + x;
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
