// What the race check has to accuse, and what it must not: compile.py --option=-lineinfo races.cu
#include <cuda/atomic>
extern "C" __global__ void reverse(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void reduction(int *out) {
    __shared__ int s[256];
    s[threadIdx.x] = 1;
    __syncthreads();
#pragma unroll 1
    for (int k = 128; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
    }
    __syncthreads();
    out[threadIdx.x] = s[0];
}
extern "C" __global__ void buffers(int *out, const int *in, int count) {
    __shared__ int s[2][64];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        s[i % count][threadIdx.x] = in[i * 64 + threadIdx.x];
        __syncthreads();
        sum += s[i % count][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
// Two pairs of warps, a barrier for each pair. What one pair writes the other reads.
extern "C" __global__ void pairs(int *out, int across) {
    __shared__ int s[128];
    int t = threadIdx.x, pair = t / 64;
    s[t] = t;
    asm volatile("bar.sync %0, 64;" :: "r"(1 + pair) : "memory");
    out[t] = s[across ? 127 - t : pair * 64 + 63 - t % 64];
}
// One warp fills for the other, by barriers of which each waits for one only.
extern "C" __global__ void arrivals(int *out) {
    __shared__ int s[32];
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        if (threadIdx.x < 32) {
            if (i) asm volatile("bar.sync 2, 64;" ::: "memory");
            s[threadIdx.x] = i * threadIdx.x;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += s[threadIdx.x - 32];
            if (i < 7) asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    out[threadIdx.x] = sum;
}
// A message from the first warp to the last: by release and acquire (0), relaxed with fences (1), without fences (2),
// read-modify-writes (3), volatile with fences (4); `where` is the flag in global memory, or null for one in shared.
extern "C" __global__ void message(int *out, int how, int *where) {
    __shared__ int s[32], own;
    if (threadIdx.x == 0) own = 0;
    __syncthreads();
    int &flag = where ? *where : own;
    cuda::atomic_ref<int, cuda::thread_scope_block> f(flag);
    if (threadIdx.x < 32) {
        s[threadIdx.x] = threadIdx.x + 1;
        __syncwarp();
        if (threadIdx.x == 0) {
            if (how == 0) f.store(1, cuda::memory_order_release);
            if (how == 1) { __threadfence_block(); f.store(1, cuda::memory_order_relaxed); }
            if (how == 2) f.store(1, cuda::memory_order_relaxed);
            if (how == 3) f.fetch_add(1, cuda::memory_order_release);
            if (how == 4) { __threadfence_block(); *(volatile int *)&flag = 1; }
        }
    } else if (threadIdx.x >= blockDim.x - 32) {
        if (how == 0) while (!f.load(cuda::memory_order_acquire)) {}
        if (how == 1) { while (!f.load(cuda::memory_order_relaxed)) {} __threadfence_block(); }
        if (how == 2) while (!f.load(cuda::memory_order_relaxed)) {}
        if (how == 3) while (!f.fetch_add(0, cuda::memory_order_acquire)) {}
        if (how == 4) { while (!*(volatile int *)&flag) {} __threadfence_block(); }
        out[threadIdx.x % 32] = s[threadIdx.x % 32];
    }
}
// A lock in shared memory around weak accesses.
extern "C" __global__ void lock(int *out) {
    __shared__ int s, word;
    if (threadIdx.x == 0) s = word = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_block> l(word);
        while (l.exchange(1, cuda::memory_order_acquire)) {}
        s += threadIdx.x;
        l.store(0, cuda::memory_order_release);
    }
    __syncthreads();
    out[threadIdx.x] = s;
}
// A weak read of what another warp updates by atomics.
extern "C" __global__ void mixed(int *out) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&s, 1);
    else out[threadIdx.x] = s;
}
