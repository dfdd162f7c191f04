// Planted faults, compiled with line information: compile.py --option=-lineinfo checks.cu
extern "C" __global__ void past_end(int *p, int n) {
    p[threadIdx.x + n] = 1;
}
extern "C" __global__ void misaligned(char *p) {
    *(int *)(p + 4 * threadIdx.x + 1) = 1;
}
extern "C" __global__ void race(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void no_race(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void unwritten(int *out) {
    __shared__ int s[64];
    if (threadIdx.x < 60) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void divergent(int *out) {
    if (threadIdx.x < 32) { out[threadIdx.x] = 1; __syncthreads(); }
    else { out[threadIdx.x] = 2; __syncthreads(); }
}
extern "C" __global__ void early(int *out) {
    if (threadIdx.x >= 32) return;
    __syncthreads();
    out[threadIdx.x] = 1;
}
extern "C" __global__ void stuck(int *out) {
    if (threadIdx.x == 0) __syncwarp();
    else __syncthreads();
    out[threadIdx.x] = 1;
}
__device__ __noinline__ int endless(volatile int *p, int n) {
    int a[8];
    for (int i = 0; i < 8; i++) a[i] = p[i] + n;
    return endless(a, n + 1) + a[n & 7];
}
extern "C" __global__ void overflow(int *p) { p[0] = endless(p, 0); }
__device__ __noinline__ int local_index(int i) {
    volatile int a[4];
    for (int k = 0; k < 4; k++) a[k] = k;
    return a[i];
}
extern "C" __global__ void past_local(int *p, int i) { p[0] = local_index(i); }
extern "C" __global__ void read_only(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" __global__ void wild_call(void (*f)(int)) { f(1); }
