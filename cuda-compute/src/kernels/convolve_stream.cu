// Convolution of an image streamed through shared memory. A block takes 128 columns and goes down
// `rows` output rows, WARPS * ROWS at a time; the rows of the next steps arrive meanwhile in a ring.
// A thread computes 4 columns x ROWS rows, PASS filter rows at a time, so that one 16-byte load
// from shared memory serves up to PASS * 16 multiplications and one weight serves 4 * ROWS.
//
// Preamble: convolve_common's, WARPS, ROWS, PASS, BLOCKS (of a multiprocessor), AHEAD (steps loaded
// ahead) and ROLLED (1: passes in a loop; 0: unrolled).

#define THREADS (WARPS * 32)
#define STEP (WARPS * ROWS)
#define RING (KH - 1 + STEP * (1 + AHEAD))
#define VECTORS (32 + (SHIFT + KW - 1 + 3) / 4)
#define PITCH (VECTORS * 4)

extern __shared__ __align__(16) float ring[];

__device__ __forceinline__ void load(const Source &source, int first, int count, int slot) {
    load_rows<THREADS, VECTORS, PITCH, RING>(ring, source, first, count, slot);
    commit_copies();
}

// Adds COUNT filter rows to the thread's outputs. `offset` is where the thread's window starts in
// the ring, in floats; `limit` is where its lane's column leaves the ring.
template <int COUNT>
__device__ __forceinline__ void accumulate(float (&sum)[ROWS][4], int offset, int limit,
                                           const float *weights) {
#pragma unroll
    for (int row = 0; row < ROWS + COUNT - 1; ++row) {
        int at = offset + row * PITCH;
        at -= at >= limit ? RING * PITCH : 0;
        const float *window = ring + at;
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
#pragma unroll
                    for (int c = 0; c < 4; ++c)
                        sum[row - j][c] = fmaf(weights[j * KW + i + k], v[c + k], sum[row - j][c]);
                }
            }
            l = r;
        }
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
    float *out = output + image * shape.out_image + (top + warp * ROWS) * shape.out_pitch + x;

    // Rows asked for so far, and the ring slots where the next load and the next step begin. Loads
    // past the strip's last row ask for nothing.
    const int needed = rows + KH - 1;
    int loaded = KH - 1 + STEP, next = KH - 1 + STEP, slot = 0;
    load(source, 0, min(loaded, needed), 0);
#pragma unroll
    for (int i = 0; i < AHEAD - 1; ++i) {
        load(source, loaded, min(STEP, needed - loaded), next);
        loaded += STEP;
        next += STEP;
    }

    for (int done = 0; done < rows; done += STEP) {
        wait_copies<AHEAD - 1>();
        if (WARPS > 1)
            __syncthreads();
        else
            __syncwarp();
        // Into the slots of the rows that the last step was through with.
        load(source, loaded, min(STEP, needed - loaded), next);
        loaded += STEP;
        next += STEP;
        next -= next >= RING ? RING : 0;

        float sum[ROWS][4] = {};
        int start = slot + warp * ROWS;
        start -= start >= RING ? RING : 0;
        int offset = start * PITCH + lane * 4;
        const int limit = RING * PITCH + lane * 4;
        const float *weight = weights.at;
        if constexpr (ROLLED) {
#pragma unroll 1
            for (int pass = 0; pass < KH / PASS; ++pass) {
                accumulate<PASS>(sum, offset, limit, weight);
                offset += PASS * PITCH;
                offset -= offset >= limit ? RING * PITCH : 0;
                weight += PASS * KW;
            }
        } else {
#pragma unroll
            for (int pass = 0; pass < KH / PASS; ++pass)
                accumulate<PASS>(sum, offset + pass * PASS * PITCH, limit,
                                 weights.at + pass * PASS * KW);
            offset += KH / PASS * PASS * PITCH;
            weight += KH / PASS * PASS * KW;
        }
        if constexpr (KH % PASS != 0) accumulate<KH % PASS>(sum, offset, limit, weight);
        slot += STEP;
        slot -= slot >= RING ? RING : 0;

        const int here = rows - done - warp * ROWS;
        if (whole && here >= ROWS) {
#pragma unroll
            for (int row = 0; row < ROWS; ++row)
                store4(out + row * shape.out_pitch, sum[row][0], sum[row][1], sum[row][2],
                       sum[row][3]);
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
