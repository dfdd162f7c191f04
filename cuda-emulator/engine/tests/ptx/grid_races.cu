// Global memory used by several blocks and warps, right and wrong. Compiled with line information:
// compile.py --option=-lineinfo grid_races.cu
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

extern "C" __global__ void increment(int *x) {
    x[0] += 1;
}
extern "C" __global__ void increment_atomic(int *x) { atomicAdd(x, 1); }
// A value that all blocks read, and one block writes afterwards.
extern "C" __global__ void broadcast(int *x, int *out, unsigned writer) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0];
    if (blockIdx.x == writer && threadIdx.x == 0) x[0] = 1;
}
// A sum whose last block adds the results of the others. The fence before the counter may be missing.
extern "C" __global__ void last_block(const int *in, int *part, unsigned *count, int *out, int fence) {
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        if (fence) __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (unsigned i = 0; i < gridDim.x; i++) total += part[i];
        out[0] = total;
    }
}
// As above, where every thread stores a value, executes a fence, and one of them counts.
extern "C" __global__ void last_block_of_all(int *part, unsigned *count, int *out) {
    __shared__ bool last;
    part[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        int total = 0;
        for (unsigned i = 0; i < gridDim.x; i++) total += part[i * blockDim.x + threadIdx.x];
        out[threadIdx.x] = total;
    }
}
// A chain of blocks: each waits for the one before, by volatile accesses with fences (0), or by release and acquire (1).
extern "C" __global__ void chain(int *value, int *flag, int how) {
    unsigned b = blockIdx.x;
    if (threadIdx.x != 0) return;
    if (b != 0) {
        if (how == 0) {
            while (!((volatile int *)flag)[b - 1]) {}
            __threadfence();
        } else {
            cuda::atomic_ref<int, cuda::thread_scope_device> f(flag[b - 1]);
            while (!f.load(cuda::memory_order_acquire)) {}
        }
        value[b] = value[b - 1] + 1;
    } else {
        value[0] = 1;
    }
    if (how == 0) {
        __threadfence();
        ((volatile int *)flag)[b] = 1;
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_device> f(flag[b]);
        f.store(1, cuda::memory_order_release);
    }
}
// Phases in which every block reads what its neighbor wrote, with or without a barrier of the grid.
extern "C" __global__ void phases(int *a, int *b, int synced) {
    cg::grid_group grid = cg::this_grid();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int phase = 0; phase < 4; phase++) {
        a[i] = i + phase;
        if (synced) grid.sync();
        b[i] = a[(i + blockDim.x) % n];
        if (synced) grid.sync();
    }
}
// Neighboring bytes of different blocks.
extern "C" __global__ void bytes(unsigned char *x) {
    x[blockIdx.x] += 1;
}
// The addition of the programming guide: a plain read before the atomic.
extern "C" __global__ void add_by_cas(unsigned long long *x) {
    unsigned long long old = *x, assumed;
    do {
        assumed = old;
        old = atomicCAS(x, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
    } while (assumed != old);
}
// A counter that one block resets while others count.
extern "C" __global__ void reset(int *x) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *x = 0;
    atomicAdd(x, 1);
}
// Two warps of a block that exchange values through global memory.
extern "C" __global__ void warps(int *x, int *out, int barrier) {
    int at = blockIdx.x * blockDim.x;
    x[at + threadIdx.x] = threadIdx.x;
    if (barrier) __syncthreads();
    out[at + threadIdx.x] = x[at + blockDim.x - 1 - threadIdx.x];
}
// Memory of the heap, which a block may get after another has freed it.
extern "C" __global__ void heap(int *out) {
    int *p = (int *)malloc(256);
    for (int i = 0; i < 64; i++) p[i] = i;
    out[blockIdx.x] = p[63];
    free(p);
}
// The blocks of a cluster exchange values through global memory.
extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(int *x, int *out, int synced) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    x[at] = at;
    if (synced) cg::this_cluster().sync();
    out[at] = x[at ^ blockDim.x];
}
// A lock around plain accesses.
extern "C" __global__ void lock(int *x, int *word, int locked) {
    if (threadIdx.x != 0) return;
    if (locked) while (atomicCAS(word, 0, 1) != 0) {}
    __threadfence();
    x[0] += 1;
    __threadfence();
    if (locked) atomicExch(word, 0);
}
// A counter that the last block resets by a plain write.
extern "C" __global__ void count_and_reset(unsigned *count) {
    if (threadIdx.x == 0 && atomicAdd(count, 1u) == gridDim.x - 1) *count = 0;
}
