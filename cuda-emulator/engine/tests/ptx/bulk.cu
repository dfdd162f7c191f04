// Bulk copies, by hand and through the headers.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void init(unsigned long long *b, unsigned n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory");
}
static __device__ void expect(unsigned long long *b, unsigned n) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory");
}
static __device__ void arrive(unsigned long long *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
static __device__ void wait(unsigned long long *b, unsigned parity) {
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}" ::"r"(shared_address(b)), "r"(parity) : "memory");
}
static __device__ void load(void *to, const void *from, unsigned n, unsigned long long *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        ::"r"(shared_address(to)), "l"(__cvta_generic_to_global(from)), "r"(n), "r"(shared_address(b)) : "memory");
}
static __device__ void load_hinted(void *to, const void *from, unsigned n, unsigned long long *b) {
    asm volatile("{\n.reg .b64 policy;\ncreatepolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], policy;\n}"
        ::"r"(shared_address(to)), "l"(__cvta_generic_to_global(from)), "r"(n), "r"(shared_address(b)) : "memory");
}
static __device__ void store(void *to, const void *from, unsigned n) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)), "r"(shared_address(from)), "r"(n) : "memory");
}
static __device__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> static __device__ void wait_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }
template <int N> static __device__ void wait_stored() { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory"); }

// A ring of stages: the last warp fills, the others double what they find and put it out again.
constexpr int STAGES = 3, TILE = 128;
extern "C" __global__ void ring(int *out, const int *in, int tiles) {
    __shared__ alignas(128) int stage[STAGES][TILE];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) { init(&full[s], 1); init(&empty[s], 4); }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 4) {
        if (lane == 0)
            for (int t = 0; t < tiles; t++) {
                int s = t % STAGES, round = t / STAGES;
                wait(&empty[s], round % 2 ^ 1);
                expect(&full[s], sizeof stage[s]);
                const int *from = in + ((size_t)blockIdx.x * tiles + t) * TILE;
                load(stage[s], from, TILE * 2, &full[s]);
                load_hinted(stage[s] + TILE / 2, from + TILE / 2, TILE * 2, &full[s]);
            }
    } else {
        for (int t = 0; t < tiles; t++) {
            int s = t % STAGES, round = t / STAGES;
            wait(&full[s], round % 2);
            int value = stage[s][threadIdx.x];
            __syncwarp();
            if (lane == 0) arrive(&empty[s]);
            out[((size_t)blockIdx.x * tiles + t) * TILE + threadIdx.x] = 2 * value;
        }
    }
}
// Out through shared memory, two groups under way.
extern "C" __global__ void stores(int *out, int tiles) {
    __shared__ alignas(16) int stage[2][64];
    for (int t = 0; t < tiles; t++) {
        if (threadIdx.x == 0) wait_read<1>();
        __syncthreads();
        stage[t % 2][threadIdx.x] = t * 1000 + threadIdx.x;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) { store(out + t * 64, stage[t % 2], sizeof stage[0]); commit(); }
    }
    if (threadIdx.x == 0) wait_stored<0>();
}
// The same by the headers: barrier with a byte count, and the instructions of cuda::ptx.
extern "C" __global__ void headers(int *out, const int *in) {
    __shared__ alignas(128) int s[256];
    __shared__ barrier bar;
    if (threadIdx.x == 0) { init(&bar, blockDim.x); ptx::fence_proxy_async(ptx::space_shared); }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(s, in, cuda::aligned_size_t<16>(sizeof s), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof s);
    } else {
        token = bar.arrive();
    }
    bar.wait(cuda::std::move(token));
    s[threadIdx.x] += 7;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s, sizeof s);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
// What the headers make of a copy by a whole block: bulk where both ends are aligned, else by the threads.
extern "C" __global__ void by_block(int *out, const int *in, int offset) {
    __shared__ alignas(128) int s[256];
    __shared__ barrier bar;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof s), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = s[threadIdx.x];
    __syncthreads();
    cuda::memcpy_async(block, s, in + offset, 4 * blockDim.x, bar);
    bar.arrive_and_wait();
    out[blockDim.x + threadIdx.x] = s[threadIdx.x];
}
// The forms of the arrivals and waits with semantics and scope.
extern "C" __global__ void forms(int *out, const int *in) {
    __shared__ alignas(128) int s[64];
    __shared__ uint64_t bar[2];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar[0], 2);
        ptx::mbarrier_init(&bar[1], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(in)), "n"(256) : "memory");
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar[0], 128);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in, 256, &bar[0]);
        auto state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar[0], 128);
        (void)state;
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, &bar[0]);
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar[0], 0, 1000)) {}
    if (threadIdx.x == 0) {
        // The block's own barrier by its address in the cluster.
        unsigned at;
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(at) : "r"(shared_address(&bar[1])));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
    }
    while (!ptx::mbarrier_test_wait_parity(&bar[1], 0)) {}
    out[threadIdx.x] = 2 * s[threadIdx.x];
}
// Without waiting: what was in shared memory before.
extern "C" __global__ void hasty(int *out, const int *in) {
    __shared__ alignas(16) int s[32];
    __shared__ unsigned long long bar;
    s[threadIdx.x] = -1;
    if (threadIdx.x == 0) init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) { expect(&bar, sizeof s); load(s, in, sizeof s, &bar); }
    __syncwarp();
    out[threadIdx.x] = *(volatile int *)&s[threadIdx.x];
}
// Overwrites what a copy out still reads.
extern "C" __global__ void early(int *out) {
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = 1;
    __syncwarp();
    if (threadIdx.x == 0) { store(out, s, sizeof s); commit(); }
    __syncwarp();
    s[threadIdx.x] = 2;
    __syncwarp();
    if (threadIdx.x == 0) wait_stored<0>();
}
// One copy, wherever and however long.
extern "C" __global__ void one(const char *in, int offset, unsigned bytes) {
    __shared__ alignas(128) char s[256];
    __shared__ unsigned long long bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, bytes);
        load(s + offset, in, bytes, &bar);
        wait(&bar, 0);
    }
}
// The same place twice: nobody waits until the others have read it.
extern "C" __global__ void unguarded(int *out, const int *in) {
    __shared__ alignas(16) int s[64];
    __shared__ unsigned long long full[2];
    if (threadIdx.x == 0) { init(&full[0], 1); init(&full[1], 1); }
    __syncthreads();
    for (int t = 0; t < 2; t++) {
        if (threadIdx.x == 0) { expect(&full[t], sizeof s); load(s, in + t * 64, sizeof s, &full[t]); }
        wait(&full[t], 0);
        out[t * 64 + threadIdx.x] = s[threadIdx.x];
    }
}
