// Kernels of the tuning program: data, references and ceilings.

typedef unsigned long long u64;

__device__ unsigned mix(u64 i, unsigned seed) {
    u64 z = i + 0x9E3779B97F4A7C15ull * (seed + 1);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (unsigned)(z >> 32);
}

// Uniform in [-1, 1).
extern "C" __global__ void fill_random(float *out, u64 count, unsigned seed) {
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count;
         i += (u64)gridDim.x * blockDim.x)
        out[i] = (int)mix(i, seed) * 0x1p-31f;
}

extern "C" __global__ void spin(u64 nanoseconds) {
    u64 start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

extern "C" __global__ void empty() {}

// Ceiling: a plain loop of 16-byte loads that are summed. The block sums are not combined.
extern "C" __global__ void __launch_bounds__(1024) read_only(const float4 *in, float *out, u64 count) {
    float sum = 0;
    const u64 stride = (u64)gridDim.x * blockDim.x;
    u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
#pragma unroll 4
    for (; i < count; i += stride) {
        const float4 v = in[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    if (sum == 12345.678f) *out = sum;
}

extern "C" __global__ void __launch_bounds__(1024) copy(const float4 *in, float4 *out, u64 count) {
    const u64 stride = (u64)gridDim.x * blockDim.x;
#pragma unroll 4
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += stride) out[i] = in[i];
}

// Ceiling: 32 independent chains of FMAs per thread, with 1024 FMAs per iteration.
extern "C" __global__ void __launch_bounds__(512) fma_rate(float *out, float a, float b, int turns) {
    float x[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) x[i] = threadIdx.x * 0.001f + i;
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int k = 0; k < 32; ++k)
#pragma unroll
            for (int i = 0; i < 32; ++i) x[i] = fmaf(x[i], a, b);
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 32; ++i) sum += x[i];
    if (sum == 12345.678f) *out = sum;
}

// Reference: every product in float64. The border rules are those of convolve_common.cuh.
extern "C" __global__ void convolve_reference(const float *in, float *out, const float *weights,
                                              int kw, int kh, int pad_x, int pad_y, int border,
                                              int in_width, int in_height, long long in_pitch,
                                              int out_width, int out_height, long long out_pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= out_width) return;
    for (int y = blockIdx.y; y < out_height; y += gridDim.y) {
        double sum = 0;
        for (int j = 0; j < kh; ++j)
            for (int i = 0; i < kw; ++i) {
                int column = x + i - pad_x, row = y + j - pad_y;
                int *at[2] = {&column, &row}, size[2] = {in_width, in_height};
                bool zero = false;
                for (int axis = 0; axis < 2; ++axis) {
                    int v = *at[axis];
                    const int n = size[axis];
                    if (v < 0 || v >= n) {
                        if (border == 0) zero = true;
                        if (border == 1) v = v < 0 ? 0 : n - 1;
                        while (border == 2 && n > 1 && (v < 0 || v >= n))
                            v = v < 0 ? -v : 2 * (n - 1) - v;
                        if (border == 2 && n == 1) v = 0;
                        while (border == 3 && v < 0) v += n;
                        if (border == 3) v %= n;
                    }
                    *at[axis] = v;
                }
                if (!zero) sum += (double)weights[j * kw + i] * (double)in[row * in_pitch + column];
            }
        out[y * out_pitch + x] = (float)sum;
    }
}

// The largest absolute difference, as the bits of a non-negative float. NaN counts as the largest.
extern "C" __global__ void largest_difference(const float *a, const float *b, int width, int height,
                                              long long pitch_a, long long pitch_b, unsigned *out) {
    unsigned largest = 0;
    for (int y = blockIdx.y; y < height; y += gridDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x) {
            const unsigned bits = __float_as_uint(fabsf(a[y * pitch_a + x] - b[y * pitch_b + x]));
            largest = bits > largest ? bits : largest;
        }
    atomicMax(out, largest);
}
