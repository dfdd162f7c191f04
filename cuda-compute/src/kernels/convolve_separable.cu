// Separable convolution, both passes in one kernel: row filter into shared memory, column filter
// from a ring of KH running sums a column in registers. A block takes THREADS * COLUMNS columns and
// goes down `rows` rows in groups of GROUP, a multiple of KH; while the column filter works on one
// group, the input of the next arrives.
//
// Preamble: convolve_common's (weights: KW of the row filter, then KH of the column filter),
// THREADS, COLUMNS (columns a thread, 1 or 2), GROUP, BLOCKS.

#define TILE_WIDTH (THREADS * COLUMNS)
// Pitches of 4 modulo 32 floats: 16-byte accesses of eight rows at one column touch all banks once.
#define IN_WIDTH (TILE_WIDTH + (SHIFT + KW - 1 + 3) / 4 * 4)
#define IN_PITCH ((IN_WIDTH + 27) / 32 * 32 + 4)
#define MID_PITCH (TILE_WIDTH + 4)
#define SPAN 16

extern __shared__ __align__(16) float shared[];

__device__ __forceinline__ void load(float *in, const Source &source, int first, int count) {
    load_rows<THREADS, IN_WIDTH / 4, IN_PITCH, GROUP>(in, source, first, count, 0);
    commit_copies();
}

// Row filter: SPAN columns of one row a thread; the lanes of a warp take different rows.
__device__ __forceinline__ void filter_rows(float *mid, const float *in, const float *weights,
                                            int rows) {
    constexpr int BANDS = (GROUP + 31) / 32;
    for (int unit = threadIdx.x; unit < BANDS * 32 * (TILE_WIDTH / SPAN); unit += THREADS) {
        const int row = unit % 32 + unit / 32 % BANDS * 32;
        const int column = unit / (32 * BANDS) * SPAN;
        if (row >= rows) continue;
        const float *from = in + row * IN_PITCH + column;
        float sum[SPAN] = {};
#pragma unroll
        for (int i = 0; i < SHIFT + SPAN + KW - 1; i += 4) {
            const float4 v = *(const float4 *)(from + i);
            const float at[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int e = 0; e < 4; ++e)
#pragma unroll
                for (int c = 0; c < SPAN; ++c) {
                    const int k = i + e - SHIFT - c;
                    if (k >= 0 && k < KW) sum[c] = fmaf(weights[k], at[e], sum[c]);
                }
        }
        float *to = mid + row * MID_PITCH + column;
#pragma unroll
        for (int c = 0; c < SPAN; c += 4)
            *(float4 *)(to + c) = make_float4(sum[c], sum[c + 1], sum[c + 2], sum[c + 3]);
    }
}

// The column filter of one thread: COLUMNS columns of the output, and the running sums of the KH
// output rows that the next input row belongs to.
struct ColumnFilter {
    const Weights &weights;
    const Shape &shape;
    float *out;
    int width;    // columns of the image from the thread's first on
    int pending;  // input rows before the first output row is complete
    float ring[KH][COLUMNS];

    // Adds an input row; PHASE is its number modulo KH, the slot of the output row it starts.
    __device__ __forceinline__ void add(int phase, const float *row) {
        float at[COLUMNS];
        if constexpr (COLUMNS == 2) {
            const float2 v = *(const float2 *)row;
            at[0] = v.x, at[1] = v.y;
        } else {
            at[0] = *row;
        }
#pragma unroll
        for (int j = 0; j < KH; ++j) {
            const int slot = (phase - j + KH) % KH;
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c)
                ring[slot][c] = j == 0 ? weights.at[KW] * at[c]
                                       : fmaf(weights.at[KW + j], at[c], ring[slot][c]);
        }
    }

    __device__ __forceinline__ void store(int phase) {
        const float *done = ring[(phase + 1) % KH];
        if (COLUMNS == 2 && ALIGNED && width >= 2) {
            *(float2 *)out = make_float2(done[0], done[COLUMNS - 1]);
        } else {
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c)
                if (c < width) out[c] = done[c];
        }
        out += shape.out_pitch;
    }

    // A whole group, all of whose rows complete an output row.
    __device__ __forceinline__ void whole_group(const float *row) {
#pragma unroll 1
        for (int turn = 0; turn < GROUP / KH; ++turn) {
#pragma unroll
            for (int phase = 0; phase < KH; ++phase) {
                add(phase, row + phase * MID_PITCH);
                store(phase);
            }
            row += KH * MID_PITCH;
        }
    }

    // The first `rows` rows of a group.
    __device__ __forceinline__ void part_of_group(const float *row, int rows) {
        while (rows > 0) {
#pragma unroll
            for (int phase = 0; phase < KH; ++phase) {
                if (rows-- <= 0) return;
                add(phase, row);
                row += MID_PITCH;
                if (pending > 0)
                    --pending;
                else
                    store(phase);
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
convolve_separable(const float *__restrict__ input, float *__restrict__ output,
                   const __grid_constant__ Shape shape, const __grid_constant__ Weights weights) {
    const int across = blockIdx.x % shape.across;
    const unsigned rest = blockIdx.x / shape.across;
    const int down = rest % shape.down;
    const long long image = rest / shape.down;
    const int left = across * TILE_WIDTH, top = down * shape.rows;

    float *const in = shared;
    float *const mid = shared + GROUP * IN_PITCH;
    const Source source{input + image * shape.in_image, shape, left - PAD_X - SHIFT, top - PAD_Y};
    const int needed = min(shape.rows, shape.out_height - top) + KH - 1;

    const int x = left + threadIdx.x * COLUMNS;
    ColumnFilter columns{weights, shape,
                         output + image * shape.out_image + top * shape.out_pitch + x,
                         shape.out_width - x, KH - 1};
#pragma unroll
    for (int i = 0; i < KH * COLUMNS; ++i) columns.ring[i / COLUMNS][i % COLUMNS] = 0.0f;

    load(in, source, 0, min(GROUP, needed));
    for (int done = 0; done < needed; done += GROUP) {
        wait_copies<0>();
        __syncthreads();
        const int rows = min(GROUP, needed - done);
        filter_rows(mid, in, weights.at, rows);
        __syncthreads();
        // The next group arrives while the column filter works.
        if (done + GROUP < needed)
            load(in, source, done + GROUP, min(GROUP, needed - done - GROUP));
        const float *row = mid + threadIdx.x * COLUMNS;
        // Twice the code for large filters would take the compiler too long.
        if (KH <= 32 && rows == GROUP && columns.pending == 0)
            columns.whole_group(row);
        else
            columns.part_of_group(row, rows);
    }
}
