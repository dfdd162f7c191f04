// Convolution in downward steps. A block is one warp. It takes 128 columns and `rows` output rows,
// and processes ROWS input rows per step, which are prefetched to a ring in shared memory. A lane
// keeps 4 columns of the incomplete output rows. These move by ROWS registers per step at no cost,
// because the first multiply-add of each reads the sum from its previous register.
//
// The order of the additions depends on the position of an output row within a step. Because `rows`
// is a multiple of ROWS, the bits do not depend on the division of the image.
//
// Specialised by convolve_common.cuh's macros, ROWS, BLOCKS (per multiprocessor), DEPTH (steps in
// the ring) and SEPARABLE (1: weights are KW of the row filter, followed by KH of the column
// filter).

#include "convolve_common.cuh"

// Vectors of 16 bytes: those of a row, and those to the left of the warp's own 32.
#define VECTORS (32 + (SHIFT + KW - 1 + 3) / 4)
#define LEFT ((PAD_X + SHIFT) / 4)
#define PITCH (VECTORS * 4)
// 16-byte loads of a lane's window.
#define WINDOW ((SHIFT + KW + 3 + 3) / 4)
#define ROW_BYTES (PITCH * 4)
#define STEP_BYTES (ROWS * ROW_BYTES)
// Sums per step: all output rows to which its input rows contribute.
#define SUMS (KH + ROWS - 1)

extern __shared__ __align__(16) float shared[];

__device__ __forceinline__ float4 load_shared(unsigned at) {
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(at));
    return v;
}

// Adds ROWS input rows. Afterwards sum[SUMS - 1 - i] belongs to output row done + i, and the first
// ROWS of these are complete. Without WHOLE, some are outside 0..rows and need no sum.
template <bool WHOLE>
__device__ __forceinline__ void add_rows(float (&sum)[SUMS][4], unsigned at,
                                         const Weights &weights, int done, int rows) {
    float v[ROWS][WINDOW * 4];
#pragma unroll
    for (int m = 0; m < ROWS; ++m)
#pragma unroll
        for (int i = 0; i < WINDOW; ++i) {
            const float4 four = load_shared(at + m * ROW_BYTES + 16 * i);
            v[m][4 * i] = four.x, v[m][4 * i + 1] = four.y;
            v[m][4 * i + 2] = four.z, v[m][4 * i + 3] = four.w;
        }
#if SEPARABLE
    float filtered[ROWS][4];
#pragma unroll
    for (int i = 0; i < KW; ++i)
#pragma unroll
        for (int m = 0; m < ROWS; ++m)
#pragma unroll
            for (int c = 0; c < 4; ++c)
                filtered[m][c] = i == 0 ? weights.at[0] * v[m][SHIFT + c]
                                        : fmaf(weights.at[i], v[m][SHIFT + c + i], filtered[m][c]);
#endif
#pragma unroll
    for (int j = KH - 1; j >= 0; --j) {
        // The output rows to which filter row j applied to the step's input rows contributes.
        const int to = done + KH - 1 - j;
        if (!WHOLE && (to + ROWS <= 0 || to >= rows)) continue;
#pragma unroll
        for (int i = 0; i < (SEPARABLE ? 1 : KW); ++i)
#pragma unroll
            for (int m = 0; m < ROWS; ++m) {
                const int s = j + ROWS - 1 - m;
                // Filter row j is the first to reach sum s, which was ROWS registers lower before.
                const bool begins = i == 0 && (m == ROWS - 1 || j == KH - 1);
#pragma unroll
                for (int c = 0; c < 4; ++c) {
#if SEPARABLE
                    const float weight = weights.at[KW + j], x = filtered[m][c];
#else
                    const float weight = weights.at[j * WEIGHT_PITCH + i], x = v[m][SHIFT + c + i];
#endif
                    if (!begins)
                        sum[s][c] = fmaf(weight, x, sum[s][c]);
                    else if (s < ROWS)
                        sum[s][c] = weight * x;
                    else
                        sum[s][c] = fmaf(weight, x, sum[s < ROWS ? 0 : s - ROWS][c]);
                }
            }
    }
}

// A lane's share of copying a row: a vector of the warp's own columns and, in the first lanes, one
// of the adjacent columns.
struct Part {
    int from, to;  // start of the vector: column of the image, byte of the row in shared memory
    enum { NONE, COPY, ZERO, ODD } kind;
};

// Applies the border rule to a vector that may be outside the image. Beyond `end` the ring has
// zeros, because lanes read them for columns that belong to no output.
__device__ __forceinline__ Part part(int column, int end, int to, int width) {
    if (column >= end) return {0, to, Part::ZERO};
    if (column >= 0 && column + 4 <= width) return {column, to, Part::COPY};
    const int first = border(column, width);
    // Columns are multiples of 4, so a vector that starts outside is completely outside.
    if (BORDER == 0 && first < 0) return {0, to, Part::ZERO};
    if (BORDER == 3 && first % 4 == 0 && first + 4 <= width) return {first, to, Part::COPY};
    return {column, to, Part::ODD};
}

__device__ __forceinline__ void copy_part(const Part &part, unsigned to, const float *line,
                                          bool inside) {
    if (part.kind == Part::COPY || part.kind == Part::ZERO)
        copy16_async(to + part.to, line + part.from, inside && part.kind == Part::COPY ? 16 : 0);
}

// The same for a vector whose elements come from arbitrary columns.
__device__ __noinline__ void copy_odd(int column, unsigned to, const float *line, bool inside,
                                      int width) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        const int from = border(column + e, width);
        copy4_async(to + 4 * e, line + max(from, 0), from < 0 || !inside ? 0 : 4);
    }
}

extern "C" __global__ void __launch_bounds__(32, BLOCKS)
convolve_march(const float *__restrict__ input, float *__restrict__ output,
               const __grid_constant__ Geometry geometry, const __grid_constant__ Weights weights) {
    const auto [across, down, image] = piece(geometry);
    const int top = down * geometry.rows;
    const int rows = min(geometry.rows, geometry.out_height - top);
    const int needed = rows + KH - 1;

    const int lane = threadIdx.x;
    const int left = across * 128, x = left + lane * 4, above = top - PAD_Y;
    const bool whole = left + 128 <= geometry.out_width;
    const float *const source = input + image * geometry.in_image;
    // Columns from this one on belong to no output.
    const int end = min(geometry.out_width, left + 128) - PAD_X + KW - 1;
    const Part own = part(x - PAD_X - SHIFT + LEFT * 4, end, (LEFT + lane) * 16, geometry.in_width);
    const int beside = lane < LEFT ? lane : lane + 32;
    const Part halo = lane < VECTORS - 32
                          ? part(left - PAD_X - SHIFT + beside * 4, end, beside * 16, geometry.in_width)
                          : Part{0, 0, Part::NONE};
    const bool odd = __any_sync(~0u, own.kind == Part::ODD || halo.kind == Part::ODD);

    // Starts the copies of the image row y, which may be outside.
    const auto copy_row = [&](unsigned to, const float *line, bool inside) {
        if (ALIGNED) {
            copy_part(own, to, line, inside);
            if (VECTORS > 32) copy_part(halo, to, line, inside);
            if (odd) {
                if (own.kind == Part::ODD)
                    copy_odd(own.from, to + own.to, line, inside, geometry.in_width);
                if (VECTORS > 32 && halo.kind == Part::ODD)
                    copy_odd(halo.from, to + halo.to, line, inside, geometry.in_width);
                __syncwarp();
            }
        } else {
#pragma unroll
            for (int i = 0; i < PITCH; i += 32) {
                const int column = left - PAD_X - SHIFT + i + lane;
                const int from = column < end ? border(column, geometry.in_width) : -1;
                if (i + lane < PITCH)
                    copy4_async(to + (i + lane) * 4, line + max(from, 0),
                                from < 0 || !inside ? 0 : 4);
            }
        }
    };

    // The shuffle keeps the compiler from recomputing the address in every step.
    const unsigned ring = __shfl_sync(~0u, (unsigned)__cvta_generic_to_shared(shared), 0);
    // The steps whose first rows are the `plains` rows from `plain` on have all their rows inside
    // the image.
    const int plain = (max(0, -above) + ROWS - 1) / ROWS * ROWS;
    const int plains = max(0, min(needed, geometry.in_height - above) - (ROWS - 1) - plain);
    const float *line = source + above * geometry.in_pitch;
    int asked = 0;
    // Starts the copies of the next step's rows.
    const auto ask = [&](unsigned slot) {
        if ((unsigned)(asked - plain) < (unsigned)plains) {
#pragma unroll
            for (int m = 0; m < ROWS; ++m)
                copy_row(slot + m * ROW_BYTES, line + m * geometry.in_pitch, true);
        } else if (asked < needed) {
            // The last step reads rows that belong to no output: zeros.
#pragma unroll 1
            for (int m = 0; m < ROWS; ++m) {
                const int y = asked + m < needed ? border(above + asked + m, geometry.in_height) : -1;
                copy_row(slot + m * ROW_BYTES, source + max(y, 0) * geometry.in_pitch, y >= 0);
            }
        }
        commit_copies();
        line += ROWS * geometry.in_pitch;
        asked += ROWS;
    };

#pragma unroll 1
    for (int i = 0; i < DEPTH - 1; ++i) ask(ring + i * STEP_BYTES);

    float sum[SUMS][4];
#pragma unroll
    for (int i = 0; i < SUMS * 4; ++i) sum[i / 4][i % 4] = 0.0f;
    float *out = output + image * geometry.out_image + top * geometry.out_pitch + x;
    unsigned slot = ring, last = ring + (DEPTH - 1) * STEP_BYTES;
    // Output rows from `done` on are complete after the step.
#pragma unroll 1
    for (int done = 1 - KH; done < rows; done += ROWS) {
        wait_copies<DEPTH - 2>();
        __syncwarp();
        // Copy into the slots of the previous step, which the whole warp has finished reading.
        ask(last);
        last = slot;
        const unsigned at = slot + lane * 16;
        slot = slot == ring + (DEPTH - 1) * STEP_BYTES ? ring : slot + STEP_BYTES;
        // For a separable filter, skipping rows that belong to no output costs as much as it saves.
        if (SEPARABLE || (done >= 0 && done + KH - 1 + ROWS <= rows)) {
            add_rows<true>(sum, at, weights, done, rows);
        } else {
            add_rows<false>(sum, at, weights, done, rows);
        }
        if (whole && done >= 0 && done + ROWS <= rows) {
#pragma unroll
            for (int m = 0; m < ROWS; ++m) {
                const float *v = sum[SUMS - 1 - m];
                store4(out, v[0], v[1], v[2], v[3]);
                out += geometry.out_pitch;
            }
        } else {
#pragma unroll
            for (int m = 0; m < ROWS; ++m)
                if (done + m >= 0 && done + m < rows) {
#pragma unroll
                    for (int c = 0; c < 4; ++c)
                        if (x + c < geometry.out_width) out[c] = sum[SUMS - 1 - m][c];
                    out += geometry.out_pitch;
                }
        }
    }
}
