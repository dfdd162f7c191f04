// Convolution with larger filters, bound by arithmetic. A block loads the input of 128 columns by
// WARPS * ROWS rows into shared memory. A thread computes 4 columns x ROWS rows, PAIR filter rows
// at a time, so that one 16-byte load from shared memory serves up to PAIR * 16 multiplications and
// one weight serves 4 * ROWS.
//
// Specialised by convolve_common.cuh's macros, WARPS, ROWS and PAIR.

#include "convolve_common.cuh"

#define THREADS (WARPS * 32)
#define TILE_ROWS (WARPS * ROWS + KH - 1)
#define TILE_PITCH (128 + (SHIFT + KW - 1 + 3) / 4 * 4)

#define VECTORS (TILE_PITCH / 4)

extern __shared__ __align__(16) float tile[];

// Starts copying the block's window of the image, from column `left` and row `top` on. It may
// extend beyond the image.
__device__ __forceinline__ void load_tile(const float *image, const Geometry &geometry, int left, int top) {
    const unsigned base = (unsigned)__cvta_generic_to_shared(tile);
    const bool inside = left >= 0 && left + TILE_PITCH <= geometry.in_width && top >= 0 &&
                        top + TILE_ROWS <= geometry.in_height;
    if (ALIGNED && inside) {
        const float *corner = image + top * geometry.in_pitch + left;
        for (int i = threadIdx.x; i < TILE_ROWS * VECTORS; i += THREADS) {
            const int row = i / VECTORS, column = i % VECTORS * 4;
            copy16_async(base + (row * TILE_PITCH + column) * 4,
                         corner + row * geometry.in_pitch + column);
        }
    } else {
        for (int i = threadIdx.x; i < TILE_ROWS * VECTORS; i += THREADS) {
            const int row = i / VECTORS, column = i % VECTORS * 4;
            const unsigned cell = base + (row * TILE_PITCH + column) * 4;
            const int from_y = border(top + row, geometry.in_height);
            const float *line = image + max(from_y, 0) * geometry.in_pitch;
            const int x = left + column;
            if (ALIGNED && x >= 0 && x + 4 <= geometry.in_width) {
                copy16_async(cell, line + x, from_y < 0 ? 0 : 16);
            } else {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int from_x = border(x + e, geometry.in_width);
                    copy4_async(cell + 4 * e, line + max(from_x, 0),
                                (from_x | from_y) < 0 ? 0 : 4);
                }
            }
        }
    }
}

// Adds COUNT filter rows, from filter row j, to the thread's outputs.
template <int COUNT>
__device__ __forceinline__ void accumulate(float (&sum)[ROWS][4], const float *window,
                                           const float *weights) {
    float4 left[ROWS + COUNT - 1];
#pragma unroll
    for (int row = 0; row < ROWS + COUNT - 1; ++row)
        left[row] = *(const float4 *)(window + row * TILE_PITCH);
#pragma unroll
    for (int i = -SHIFT; i < KW; i += 4) {
#pragma unroll
        for (int row = 0; row < ROWS + COUNT - 1; ++row) {
            const float4 l = left[row];
            float4 r = l;
            // The last columns need no further load when the filter ends on the boundary.
            if (i + 1 < KW) r = *(const float4 *)(window + row * TILE_PITCH + i + SHIFT + 4);
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

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
convolve_tile(const float *__restrict__ input, float *__restrict__ output,
              const __grid_constant__ Geometry geometry, const __grid_constant__ Weights weights) {
    const int across = blockIdx.x % geometry.across;
    const unsigned rest = blockIdx.x / geometry.across;
    const int down = rest % geometry.down;
    const long long image = rest / geometry.down;
    const int left = across * 128, top = down * (WARPS * ROWS);
    load_tile(input + image * geometry.in_image, geometry, left - PAD_X - SHIFT, top - PAD_Y);
    commit_copies();
    wait_copies<0>();
    __syncthreads();

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float *window = tile + warp * ROWS * TILE_PITCH + lane * 4;
    float sum[ROWS][4] = {};
    int j = 0;
#pragma unroll 1
    for (; j + PAIR <= KH; j += PAIR)
        accumulate<PAIR>(sum, window + j * TILE_PITCH, weights.at + j * WEIGHT_PITCH);
    if constexpr (KH % PAIR != 0)
        accumulate<KH % PAIR>(sum, window + j * TILE_PITCH, weights.at + j * WEIGHT_PITCH);

    const int x = left + lane * 4, y = top + warp * ROWS;
    float *out = output + image * geometry.out_image + y * geometry.out_pitch + x;
    if (left + 128 <= geometry.out_width && y + ROWS <= geometry.out_height) {
#pragma unroll
        for (int row = 0; row < ROWS; ++row)
            store4(out + row * geometry.out_pitch, sum[row][0], sum[row][1], sum[row][2], sum[row][3]);
    } else {
#pragma unroll
        for (int row = 0; row < ROWS; ++row)
#pragma unroll
            for (int c = 0; c < 4; ++c)
                if (x + c < geometry.out_width && y + row < geometry.out_height)
                    out[row * geometry.out_pitch + c] = sum[row][c];
    }
}
