// Convolution with the smallest filters, bound by memory, without shared memory or barriers. A
// thread computes 4 columns x ROWS rows. It loads its own columns and gets its neighbours' from the
// other lanes of the warp. The WARPS warps of a block are above each other, so that the rows they
// share are loaded once into L1.
//
// Specialised by convolve_common.cuh's macros, WARPS, ROWS and BLOCKS. The filter must not reach
// farther than 4 columns to either side.

#include "convolve_common.cuh"

#define THREADS (WARPS * 32)
#define LEFT PAD_X
#define RIGHT (KW - 1 - PAD_X)
#define WINDOW (4 + KW - 1)
#define HALO (LEFT > RIGHT ? LEFT : RIGHT)

// The input rows of one warp. `at` is the lane's first own column in the first row.
template <bool EDGE>
__device__ __forceinline__ void run(const float *image, const Geometry &geometry,
                                    const Weights &weights, float *out, int x, int y) {
    const int lane = threadIdx.x % 32;
    int columns[EDGE ? WINDOW : 1];
    if constexpr (EDGE)
#pragma unroll
        for (int i = 0; i < WINDOW; ++i) columns[i] = border(x - LEFT + i, geometry.in_width);

    float sum[ROWS][4];
#pragma unroll
    for (int row = 0; row < ROWS + KH - 1; ++row) {
        float window[WINDOW];
        if constexpr (EDGE) {
            const int from_y = border(y - PAD_Y + row, geometry.in_height);
            const float *line = image + max(from_y, 0) * geometry.in_pitch;
#pragma unroll
            for (int i = 0; i < WINDOW; ++i)
                window[i] = (columns[i] | from_y) < 0 ? 0.0f : line[columns[i]];
        } else {
            const float *line = image + (y - PAD_Y + row) * geometry.in_pitch + x;
#if ALIGNED
            const float4 own = *(const float4 *)line;
#else
            const float4 own = make_float4(line[0], line[1], line[2], line[3]);
#endif
            const float v[4] = {own.x, own.y, own.z, own.w};
            // For columns beyond the warp's, the lower half of the lanes loads the values that lane
            // 0 needs, and the upper half those that lane 31 needs. The whole warp uses only two
            // addresses.
            const float *from = line - 4 * lane + (lane < 16 ? -LEFT : 128);
            float beyond[HALO + 1];
#pragma unroll
            for (int i = 0; i < HALO; ++i) beyond[i] = from[i];
#pragma unroll
            for (int c = 0; c < 4; ++c) window[LEFT + c] = v[c];
#pragma unroll
            for (int i = 0; i < LEFT; ++i) {
                const float neighbour = __shfl_up_sync(~0u, v[4 - LEFT + i], 1);
                window[i] = lane == 0 ? beyond[i] : neighbour;
            }
#pragma unroll
            for (int i = 0; i < RIGHT; ++i) {
                const float neighbour = __shfl_down_sync(~0u, v[i], 1);
                window[LEFT + 4 + i] = lane == 31 ? beyond[i] : neighbour;
            }
        }
#pragma unroll
        for (int j = 0; j < KH; ++j) {
            const int r = row - j;
            if (r < 0 || r >= ROWS) continue;
#pragma unroll
            for (int i = 0; i < KW; ++i)
#pragma unroll
                for (int c = 0; c < 4; ++c)
                    sum[r][c] = j == 0 && i == 0
                                    ? weights.at[0] * window[c]
                                    : fmaf(weights.at[j * WEIGHT_PITCH + i], window[c + i], sum[r][c]);
        }
    }

#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        if constexpr (EDGE) {
#pragma unroll
            for (int c = 0; c < 4; ++c)
                if (x + c < geometry.out_width && y + row < geometry.out_height) out[c] = sum[row][c];
        } else {
            store4(out, sum[row][0], sum[row][1], sum[row][2], sum[row][3]);
        }
        out += geometry.out_pitch;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
convolve_direct(const float *input, float *output, const __grid_constant__ Geometry geometry,
                const __grid_constant__ Weights weights) {
    const auto [across, down, image] = piece(geometry);
    const int left = across * 128, x = left + threadIdx.x % 32 * 4;
    const int y = (down * WARPS + threadIdx.x / 32) * ROWS;
    if (y >= geometry.out_height) return;
    const float *in = input + image * geometry.in_image;
    float *out = output + image * geometry.out_image + y * geometry.out_pitch + x;
    // Either the whole warp stays inside the image, or the whole warp checks every index.
    if (left >= LEFT && left + 128 + HALO <= geometry.in_width && left + 128 <= geometry.out_width &&
        y >= PAD_Y && y - PAD_Y + ROWS + KH - 1 <= geometry.in_height && y + ROWS <= geometry.out_height)
        run<false>(in, geometry, weights, out, x, y);
    else
        run<true>(in, geometry, weights, out, x, y);
}
