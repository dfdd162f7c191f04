// Deliberate faults, and features of kernels other than computing. Compiled with line information.
// In this folder: ../ptx/compile.py --option=-lineinfo --out . faults.cu

extern "C" __global__ void put(int *p, int i) { p[i + threadIdx.x] = 1; }
extern "C" __global__ void put_odd(char *p) { *(int *)(p + 2) = 1; }
extern "C" __global__ void shared_past(int *out, int i) {
    __shared__ int s[16];
    s[i] = 1;
    out[0] = s[0];
}
extern "C" __global__ void local_past(int *out, int i) {
    volatile int a[4];
    for (int k = 0; k < 4; k++) a[k] = k;
    out[0] = a[i];
}
__constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void constant_past(int *out, int i) { out[0] = table[i]; }
extern "C" __global__ void read_global(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" __global__ void count_up(int *counter) { atomicAdd(counter, 1); }
extern "C" __global__ void read_local(int *out, int n) {
    int a[8];
    for (int k = 0; k < n; k++) ((volatile int *)a)[k] = k;
    out[threadIdx.x] = ((volatile int *)a)[threadIdx.x & 7];
}
__device__ __noinline__ int sum_local(int n) {
    volatile int a[8];
    for (int k = 0; k < n; k++) a[k] = k;
    int sum = 0;
    for (int k = 0; k < 8; k++) sum += a[k];
    return sum;
}
// The second call reads data that the first call left in the same stack memory.
extern "C" __global__ void read_frame(int *out, int n) { out[threadIdx.x] = sum_local(8) + sum_local(n); }
extern "C" __global__ void shared_race(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void shared_histogram(int *out) {
    __shared__ int s[4];
    if (threadIdx.x < 4) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[threadIdx.x % 4], 1);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x % 4];
}
extern "C" __global__ void divergent(int *out) {
    if (threadIdx.x < 32) { out[threadIdx.x] = 1; __syncthreads(); }
    else { out[threadIdx.x] = 2; __syncthreads(); }
}
__device__ __noinline__ int endless(volatile int *p, int n) {
    int a[8];
    for (int i = 0; i < 8; i++) a[i] = p[i] + n;
    return endless(a, n + 1) + a[n & 7];
}
extern "C" __global__ void deep(int *p) { p[0] = endless(p, 0); }
extern "C" __global__ void forever(volatile int *flag) { while (!*flag) {} }
extern "C" __global__ void stop() { asm volatile("trap;"); }
extern "C" __global__ void breakpoint() { asm volatile("brkpt;"); }
extern "C" __global__ void check(int n) { assert(n == 4 && "n is four"); }
extern "C" __global__ void speak(double x) {
    int written = printf("block %d, thread %u: %s %5.2f %c%%\n", blockIdx.x, threadIdx.x, "text", x, 'c');
    if (written < 0) printf("printf failed\n");
}
// Each thread allocates memory from the heap, fills it, reads it and frees it.
extern "C" __global__ void heap(int *out) {
    int *p = (int *)malloc(64);
    if (!p) { out[threadIdx.x] = -1; return; }
    for (int k = 0; k < 16; k++) p[k] = k + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 16; k++) sum += p[k];
    free(p);
    out[threadIdx.x] = sum;
}
extern "C" __global__ void heap_past() { int *p = (int *)malloc(64); p[16] = 1; free(p); }
extern "C" __global__ void heap_freed() { volatile int *p = (int *)malloc(64); free((int *)p); p[0] = 1; }
extern "C" __global__ void heap_twice(int *p) { free(p); }
extern "C" __global__ void heap_all(int *out, size_t size) { out[0] = malloc(size) == nullptr; }
// One block waits for the other.
extern "C" __global__ void wait_asleep(volatile int *flag, int *out) {
    if (blockIdx.x == 0) { while (!*flag) __nanosleep(100); out[0] = *flag; }
    else { __nanosleep(1000); __threadfence(); *flag = 7; }
}
// Records the order in which blocks and warps run.
extern "C" __global__ void order(int *counter, int *out) {
    if (threadIdx.x % 32 == 0) out[atomicAdd(counter, 1)] = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
}
// A tree sum. With `barrier` 0 it lacks barriers, as if a block were a single warp.
extern "C" __global__ void tree_sum(int *out, int barrier) {
    __shared__ volatile int s[256];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        int other = threadIdx.x < half ? s[threadIdx.x + half] : 0;
        if (barrier) __syncthreads();
        s[threadIdx.x] = s[threadIdx.x] + other;
        if (barrier) __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
// Blocks that update one element without an atomic.
extern "C" __global__ void add_one(int *x) { x[0] += 1; }
// A barrier that half of the threads don't reach.
extern "C" __global__ void early(int *out) {
    if (threadIdx.x >= 32) return;
    __syncthreads();
    out[threadIdx.x] = 1;
}
