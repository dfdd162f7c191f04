// Convolution of an image streamed through shared memory. A block takes 128 columns and goes down
// `rows` output rows, WARPS * ROWS at a time; the rows of the next steps arrive meanwhile in a ring.
// A thread computes 4 columns x ROWS rows, PASS filter rows at a time, so that one 16-byte load
// from shared memory serves up to PASS * 16 multiplications and one weight serves 4 * ROWS.
//
// Preamble: convolve_common's, WARPS, ROWS, PASS, BLOCKS (of a multiprocessor), AHEAD (steps loaded
// ahead) and ROLLED (1: passes in a loop; 0: unrolled).

#define THREADS (WARPS * 32)
#define STEP (WARPS * ROWS)
// Rows above a step's own that it needs, and rows of the ring: multiples of ROWS, so that a group of
// ROWS rows never wraps around.
#define HEAD ((KH - 1 + ROWS - 1) / ROWS * ROWS)
#define RING (HEAD + STEP * (1 + AHEAD))
#define VECTORS (32 + (SHIFT + KW - 1 + 3) / 4)
#define PITCH (VECTORS * 4)

// Groups of ROWS rows that a thread's window spans.
#define GROUPS ((ROWS + KH - 1 + ROWS - 1) / ROWS)

extern __shared__ __align__(16) float ring[];

// Adds COUNT filter rows to the thread's outputs. `row_at(i)` is where the lane's columns of the
// window's i-th row lie in the ring; FIRST says that there is no sum yet.
template <int COUNT, bool FIRST, typename RowAt>
__device__ __forceinline__ void accumulate(float (&sum)[ROWS][4], const RowAt &row_at,
                                           const float *weights) {
#pragma unroll
    for (int row = 0; row < ROWS + COUNT - 1; ++row) {
        const float *window = row_at(row);
        float4 l = *(const float4 *)window;
#pragma unroll
        for (int i = -SHIFT; i < KW; i += 4) {
            float4 r = l;
            // The last columns need no further load when the filter ends on the boundary.
            if (i + 1 < KW) r = *(const float4 *)(window + i + SHIFT + 4);
            const float v[8] = {l.x, l.y, l.z, l.w, r.x, r.y, r.z, r.w};
#pragma unroll
            for (int j = 0; j < COUNT; ++j) {
                if (row - j < 0 || row - j >= ROWS) continue;
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    if (i + k < 0 || i + k >= KW) continue;
                    const float weight = weights[j * WEIGHT_PITCH + i + k];
#pragma unroll
                    for (int c = 0; c < 4; ++c)
                        sum[row - j][c] = FIRST && j == 0 && i + k == 0
                                              ? weight * v[c + k]
                                              : fmaf(weight, v[c + k], sum[row - j][c]);
                }
            }
            l = r;
        }
    }
}

// Filter rows J and on, unrolled; `groups` are the lane's columns of the window's row groups.
template <int J>
__device__ __forceinline__ void accumulate_from(float (&sum)[ROWS][4],
                                                const float *const (&groups)[GROUPS],
                                                const Weights &weights) {
    if constexpr (J < KH) {
        constexpr int count = KH - J < PASS ? KH - J : PASS;
        accumulate<count, J == 0>(
            sum,
            [&](int row) { return groups[(J + row) / ROWS] + (J + row) % ROWS * PITCH; },
            weights.at + J * WEIGHT_PITCH);
        accumulate_from<J + PASS>(sum, groups, weights);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
convolve_stream(const float *__restrict__ input, float *__restrict__ output,
                const __grid_constant__ Shape shape, const __grid_constant__ Weights weights) {
    const int across = blockIdx.x % shape.across;
    const unsigned rest = blockIdx.x / shape.across;
    const int top = rest % shape.down * shape.rows;
    const long long image = rest / shape.down;
    const Source source{input + image * shape.in_image, shape, across * 128 - PAD_X - SHIFT,
                        top - PAD_Y};

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int x = across * 128 + lane * 4;
    const bool whole = across * 128 + 128 <= shape.out_width;
    const int rows = min(shape.rows, shape.out_height - top);
    const int needed = rows + KH - 1;
    float *out = output + image * shape.out_image + (top + warp * ROWS) * shape.out_pitch + x;

    // Rows asked for so far, and the ring slots where the next load and the next step begin. Loads
    // past the strip's last row ask for nothing.
    int loaded = HEAD + STEP, next = HEAD + STEP, slot = 0;
    load_rows<THREADS, VECTORS, PITCH, RING>(ring, source, 0, min(loaded, needed), 0);
    commit_copies();
    const bool inside = ALIGNED && source.left >= 0 && source.left + PITCH <= shape.in_width &&
                        source.top >= 0;
    const float *from = source.image + (source.top + loaded + warp * ROWS) * shape.in_pitch +
                        source.left;
    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);

    // Starts loading the rows of one step.
    const auto load_step = [&] {
        if (inside && source.top + loaded + STEP <= shape.in_height && loaded + STEP <= needed) {
            // Every warp loads ROWS rows: a lane takes 16 bytes of each, some a piece of the halo.
            int at = next + warp * ROWS;
            at -= at >= RING ? RING : 0;
            const unsigned to = base + at * PITCH * 4;
            const float *row = from + lane * 4;
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
                copy16_async(to + i * PITCH * 4 + lane * 16, row);
                row += shape.in_pitch;
            }
            constexpr int halo = VECTORS - 32;
            if constexpr (halo > 0)
#pragma unroll
                for (int i = 0; i < ROWS * halo; i += 32) {
                    const int row = (i + lane) / halo, column = 128 + (i + lane) % halo * 4;
                    if (ROWS * halo % 32 == 0 || i + lane < ROWS * halo)
                        copy16_async(to + (row * PITCH + column) * 4,
                                     from + row * shape.in_pitch + column);
                }
        } else if (loaded < needed) {
            load_rows<THREADS, VECTORS, PITCH, RING>(ring, source, loaded,
                                                     min(STEP, needed - loaded), next);
        }
        commit_copies();
        from += STEP * shape.in_pitch;
        loaded += STEP;
        next += STEP;
        next -= next >= RING ? RING : 0;
    };

#pragma unroll
    for (int i = 0; i < AHEAD - 1; ++i) load_step();
    for (int done = 0; done < rows; done += STEP) {
        wait_copies<AHEAD - 1>();
        if (WARPS > 1)
            __syncthreads();
        else
            __syncwarp();
        // Into the slots of the rows that the last step was through with.
        load_step();

        float sum[ROWS][4];
        int at = slot + warp * ROWS;
        at -= at >= RING ? RING : 0;
        if constexpr (!ROLLED) {
            const float *groups[GROUPS];
#pragma unroll
            for (int g = 0; g < GROUPS; ++g) {
                groups[g] = ring + at * PITCH + lane * 4;
                at += ROWS;
                at -= at >= RING ? RING : 0;
            }
            accumulate_from<0>(sum, groups, weights);
        } else {
#pragma unroll
            for (int i = 0; i < ROWS * 4; ++i) sum[i / 4][i % 4] = 0.0f;
            int offset = at * PITCH + lane * 4;
            const int limit = RING * PITCH + lane * 4;
            const auto row_at = [&](int row) {
                int at = offset + row * PITCH;
                at -= at >= limit ? RING * PITCH : 0;
                return ring + at;
            };
            const float *weight = weights.at;
#pragma unroll 1
            for (int pass = 0; pass < KH / PASS; ++pass) {
                accumulate<PASS, false>(sum, row_at, weight);
                offset += PASS * PITCH;
                offset -= offset >= limit ? RING * PITCH : 0;
                weight += PASS * WEIGHT_PITCH;
            }
            if constexpr (KH % PASS != 0) accumulate<KH % PASS, false>(sum, row_at, weight);
        }
        slot += STEP;
        slot -= slot >= RING ? RING : 0;

        const int here = rows - done - warp * ROWS;
        if (whole && here >= ROWS) {
            float *row_out = out;
#pragma unroll
            for (int row = 0; row < ROWS; ++row) {
                store4(row_out, sum[row][0], sum[row][1], sum[row][2], sum[row][3]);
                row_out += shape.out_pitch;
            }
        } else {
#pragma unroll
            for (int row = 0; row < ROWS; ++row)
#pragma unroll
                for (int c = 0; c < 4; ++c)
                    if (x + c < shape.out_width && row < here)
                        out[row * shape.out_pitch + c] = sum[row][c];
        }
        out += STEP * shape.out_pitch;
    }
}
