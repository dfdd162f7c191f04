// Groups that synchronise by strong accesses: barriers with a completion function, tiles of several warps.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
struct Completion {
    int *count;
    __device__ void operator()() noexcept { *count += 1; }
};
extern "C" __global__ void completion(int *out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block, Completion>;
    __shared__ int s[128], count;
    __shared__ alignas(Barrier) unsigned char room[sizeof(Barrier)];
    Barrier *b = reinterpret_cast<Barrier *>(room);
    if (threadIdx.x == 0) {
        count = 0;
        new (b) Barrier(blockDim.x, Completion{&count});
    }
    __syncthreads();
    int v = threadIdx.x;
    for (int i = 0; i < 5; i++) {
        s[threadIdx.x] = v;
        b->arrive_and_wait();
        v = s[(threadIdx.x + 33) % 128] + count;
        b->arrive_and_wait();
    }
    out[threadIdx.x] = v;
}
extern "C" __global__ void tiles(int *out) {
    __shared__ int s[256];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<128>(block);
    int first = threadIdx.x / 128 * 128, v = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        s[threadIdx.x] = v;
        tile.sync();
        v = s[first + (threadIdx.x + 33) % 128];
        tile.sync();
    }
    v += cg::reduce(tile, v, cg::plus<int>());
    v += cg::inclusive_scan(tile, (int)threadIdx.x);
    v += tile.shfl(v, 5) + 1000 * tile.any(threadIdx.x == 140);
    out[threadIdx.x] = v;
}
// The tiles are two; what one writes the other reads.
extern "C" __global__ void tiles_across(int *out) {
    __shared__ int s[256];
    auto tile = cg::tiled_partition<128>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    tile.sync();
    out[threadIdx.x] = s[255 - threadIdx.x];
}
