// Elementwise work, a shared-memory sum, a 5 x 5 convolution, printf.
extern "C" __global__ void multiply(float *dest, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dest[i] = a[i] * b[i];
}
extern "C" __global__ void empty() {}
extern "C" __global__ void sum(float *out, const float *in, unsigned n) {
    __shared__ float s[256];
    float t = 0;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) t += in[i];
    s[threadIdx.x] = t;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, s[0]);
}
extern "C" __global__ void sum_warp(float *out, const float *in, unsigned n) {
    float t = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) t += in[i];
    for (int k = 16; k > 0; k >>= 1) t += __shfl_down_sync(~0u, t, k);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, t);
}
__constant__ float filter[25];
extern "C" __global__ void convolve(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float acc = 0;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) {
            int xx = x + i - 2, yy = y + j - 2;
            if (xx >= 0 && xx < w && yy >= 0 && yy < h) acc += filter[j * 5 + i] * in[yy * w + xx];
        }
    out[y * w + x] = acc;
}
extern "C" __global__ void hello(int n, double d, const char *s) {
    if (threadIdx.x < n) printf("thread %d of %u: %f %s %lld %%\n", threadIdx.x, blockDim.x, d, s, (long long)1 << 40);
}
