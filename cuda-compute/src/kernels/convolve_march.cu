// Convolution by small filters, bound by memory: no shared memory. A warp takes 128 columns and
// marches down `rows` rows; every input row is loaded once (neighbours' overlaps hit L1) and added
// to the KH output rows it belongs to, which wait in a ring of registers.
//
// Preamble: convolve_common's, THREADS, BLOCKS (of a multiprocessor) and PREFETCH, the
// rows loaded ahead.

#if ALIGNED
#define WINDOW ((SHIFT + 4 + KW - 1 + 3) / 4 * 4)
#else
#define WINDOW (4 + KW - 1)
#endif

struct Row {
    float at[WINDOW];
};

// Adds one input row to the output rows it belongs to. PHASE is the row's number modulo KH, which
// is the slot of the output row that starts with it; the first `started` filter rows apply.
template <int PHASE>
__device__ __forceinline__ void accumulate(float (&ring)[KH][4], const Row &row,
                                           const Weights &weights, int started) {
#pragma unroll
    for (int j = 0; j < KH; ++j) {
        if (j >= started) continue;
        const int slot = (PHASE - j + KH) % KH;
#pragma unroll
        for (int i = 0; i < KW; ++i)
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                const float product = row.at[SHIFT + c + i];
                ring[slot][c] = j == 0 && i == 0
                                    ? weights.at[0] * product
                                    : fmaf(weights.at[j * KW + i], product, ring[slot][c]);
            }
    }
}

template <bool EDGE>
struct March {
    const float *image;  // EDGE: the image; else the window in the next row to load
    float *out;
    const Shape &shape;
    const Weights &weights;
    int x, y, last;  // next row to load, last row that is needed
    int columns[EDGE ? WINDOW : 1];
    Row ahead[PREFETCH + 1];
    float ring[KH][4];

    // Loads the next row; past the last one, that one again.
    __device__ __forceinline__ void fetch(Row &row) {
        if constexpr (EDGE) {
            const int line = border(y, shape.in_height);
            const float *from = image + (long long)line * shape.in_pitch;
#pragma unroll
            for (int i = SHIFT; i < SHIFT + 4 + KW - 1; ++i)
                row.at[i] = BORDER == 0 && (columns[i] | line) < 0 ? 0.0f : __ldg(from + columns[i]);
        } else {
#if ALIGNED
#pragma unroll
            for (int i = 0; i < WINDOW; i += 4) {
                const float4 v = __ldg((const float4 *)(image + i));
                row.at[i] = v.x, row.at[i + 1] = v.y, row.at[i + 2] = v.z, row.at[i + 3] = v.w;
            }
#else
#pragma unroll
            for (int i = 0; i < WINDOW; ++i) row.at[i] = __ldg(image + i);
#endif
            if (y < last) image += shape.in_pitch;
        }
        if (y < last) ++y;
    }

    __device__ __forceinline__ Row next() {
        fetch(ahead[PREFETCH]);
        const Row row = ahead[0];
#pragma unroll
        for (int i = 0; i < PREFETCH; ++i) ahead[i] = ahead[i + 1];
        return row;
    }

    template <int PHASE>
    __device__ __forceinline__ void start() {
        if constexpr (PHASE < KH - 1) {
            const Row row = next();
            accumulate<PHASE>(ring, row, weights, PHASE + 1);
            start<PHASE + 1>();
        }
    }

    // Finishes one output row for each phase, until `left` rows are done.
    template <int STEP>
    __device__ __forceinline__ bool turn(int &left, int width) {
        if constexpr (STEP < KH) {
            constexpr int phase = (KH - 1 + STEP) % KH;
            const Row row = next();
            accumulate<phase>(ring, row, weights, KH);
            const float *done = ring[(phase + 1) % KH];
            if constexpr (EDGE) {
#pragma unroll
                for (int c = 0; c < 4; ++c)
                    if (c < width) __stcs(out + c, done[c]);
            } else {
                store4(out, done[0], done[1], done[2], done[3]);
            }
            out += shape.out_pitch;
            if (--left == 0) return false;
            return turn<STEP + 1>(left, width);
        } else {
            return true;
        }
    }

    __device__ __forceinline__ void run(int rows, int width) {
        if constexpr (EDGE)
#pragma unroll
            for (int i = 0; i < WINDOW; ++i) this->columns[i] = border(x + i, shape.in_width);
#pragma unroll
        for (int i = 0; i < PREFETCH; ++i) fetch(ahead[i]);
        start<0>();
        while (turn<0>(rows, width)) {
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
convolve_march(const float *__restrict__ input, float *__restrict__ output,
               const __grid_constant__ Shape shape, const __grid_constant__ Weights weights) {
    // Warps are numbered along a row of pieces first: neighbours share L1 and DRAM pages.
    const long long warp = (long long)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    const int piece = (int)(warp % shape.across);
    const long long rest = warp / shape.across;
    const int strip = (int)(rest % shape.down);
    const long long image = rest / shape.down;
    if (image >= shape.images) return;

    const int x = piece * 128 + threadIdx.x % 32 * 4;
    const int y = strip * shape.rows;
    const int rows = min(shape.rows, shape.out_height - y);
    const float *in = input + image * shape.in_image;
    float *out = output + image * shape.out_image + y * shape.out_pitch + x;
    const int in_x = x - PAD_X - SHIFT, in_y = y - PAD_Y, end = in_y + rows + KH - 1;

    // The whole warp stays inside the image, or the whole warp looks at every index.
    const int first = piece * 128 - PAD_X - SHIFT;
    if (first >= 0 && first + 124 + WINDOW <= shape.in_width && in_y >= 0 &&
        end <= shape.in_height && piece * 128 + 128 <= shape.out_width) {
        March<false> march{in + in_y * shape.in_pitch + in_x, out, shape, weights, in_x, in_y, end - 1};
        march.run(rows, 4);
    } else if (x < shape.out_width) {
        March<true> march{in, out, shape, weights, in_x, in_y, end - 1};
        march.run(rows, shape.out_width - x);
    }
}
