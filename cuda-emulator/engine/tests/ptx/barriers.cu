// Barriers in shared memory, asynchronous copies, groups of several warps.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void barrier(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    int v = threadIdx.x;
    for (int i = 0; i < 5; i++) {
        s[threadIdx.x] = v;
        b.arrive_and_wait();
        v = s[(threadIdx.x + 1) % 64] + 1;
        b.arrive_and_wait();
    }
    out[threadIdx.x] = v;
}
// One warp fills, the other takes.
extern "C" __global__ void producer(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    __shared__ int slot[32];
    if (threadIdx.x == 0) { init(&full, 64); init(&empty, 64); }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        if (threadIdx.x < 32) { empty.arrive_and_wait(); slot[threadIdx.x] = i * threadIdx.x; auto t = full.arrive(); (void)t; }
        else { auto t = empty.arrive(); (void)t; full.arrive_and_wait(); sum += slot[threadIdx.x - 32]; }
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void copies(int *out, const int *in) {
    __shared__ int s[2][128];
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[i % 2][threadIdx.x], in + i * 128 + threadIdx.x, sizeof(int), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        __syncthreads();
        sum += s[i % 2][127 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void wide(int *out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<64>(block);
    out[threadIdx.x] = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
}
// The barrier of a cluster of one block, whose halves needn't come together; one warp leaves early.
extern "C" __global__ void cluster(int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int s[128];
    int v = threadIdx.x;
    for (int i = 0; i < 6; i++) {
        s[threadIdx.x] = v;
        auto token = cluster.barrier_arrive();
        int mine = s[threadIdx.x];
        cluster.barrier_wait(static_cast<decltype(token) &&>(token));
        v = mine + *cluster.map_shared_rank(&s[(threadIdx.x + 1) % 96], cluster.block_rank());
        cluster.sync();
        if (threadIdx.x >= 96) break;
    }
    out[threadIdx.x] = v + cluster.num_blocks() + cluster.query_shared_rank(s);
}
