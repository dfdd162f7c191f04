// Clusters of several blocks: who is who, memory of other blocks, barriers among them, copies to them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ unsigned mapped(const void *p, unsigned rank) {
    unsigned at;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(p)), "r"(rank));
    return at;
}
static __device__ void init(unsigned long long *b, unsigned n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory");
}
static __device__ void expect(unsigned long long *b, unsigned n) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory");
}
static __device__ void wait(unsigned long long *b, unsigned parity) {
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}" ::"r"(shared_address(b)), "r"(parity) : "memory");
}
static __device__ unsigned block_number() {
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

// Fifteen words for each block.
extern "C" __global__ void ids(unsigned *out) {
    if (threadIdx.x + threadIdx.y + threadIdx.z) return;
    unsigned *at = out + block_number() * 15;
#define READ(n, name) { unsigned v; asm("mov.u32 %0, %%" name ";" : "=r"(v)); at[n] = v; }
    READ(0, "cluster_ctarank") READ(1, "cluster_nctarank")
    READ(2, "clusterid.x") READ(3, "clusterid.y") READ(4, "clusterid.z")
    READ(5, "nclusterid.x") READ(6, "nclusterid.y") READ(7, "nclusterid.z")
    READ(8, "cluster_ctaid.x") READ(9, "cluster_ctaid.y") READ(10, "cluster_ctaid.z")
    READ(11, "cluster_nctaid.x") READ(12, "cluster_nctaid.y") READ(13, "cluster_nctaid.z")
    unsigned e;
    asm("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(e));
    at[14] = e;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) fixed(unsigned *out) {
    if (threadIdx.x == 0) out[block_number()] = cg::this_cluster().block_rank() + 10 * cg::this_cluster().num_blocks();
}
extern "C" __global__ void __launch_bounds__(128, 1, 4) bounded(unsigned *out) {
    if (threadIdx.x == 0) out[block_number()] = cg::this_cluster().block_rank() + 10 * cg::this_cluster().num_blocks();
}

// Bins spread over the blocks of a cluster.
extern "C" __global__ void histogram(int *out, const int *in, int n, int bins) {
    extern __shared__ int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins; i += blockDim.x) mine[i] = 0;
    cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) {
        int bin = in[i];
        int *to = cluster.map_shared_rank(mine, bin / bins);
        atomicAdd(to + bin % bins, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(&out[cluster.block_rank() * bins + i], mine[i]);
}

// Values go around: after as many rounds as there are blocks everybody has seen all.
extern "C" __global__ void ring(int *out) {
    __shared__ int slot[2][64];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    int t = threadIdx.x, sum = 0;
    slot[0][t] = block_number() * 100 + t;
    for (unsigned round = 0; round < blocks; round++) {
        cluster.sync();
        sum = sum * 3 + slot[round % 2][t];
        cluster.map_shared_rank(slot[(round + 1) % 2], (rank + 1) % blocks)[t] = slot[round % 2][t];
    }
    cluster.sync();
    out[block_number() * 64 + t] = sum;
}

// Reads of others' memory, in all widths, between the two halves of a barrier.
extern "C" __global__ void halves(unsigned *out) {
    __shared__ alignas(16) unsigned words[128];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks(), t = threadIdx.x;
    words[t] = rank * 1000 + t;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    unsigned own = t * t;
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    for (unsigned r = 0; r < blocks; r++) {
        unsigned at = mapped(words, r), a, b, c, d;
        unsigned short h;
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at + t / 4 * 16) : "memory");
        own += (a + b + c + d) * (r + 1);
        asm volatile("ld.shared::cluster.u16 %0, [%1];" : "=h"(h) : "r"(at + t * 4) : "memory");
        own = own * 5 + h;
        unsigned long long wide;
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(wide) : "r"(at + t / 2 * 8) : "memory");
        own += (unsigned)(wide >> 32);
    }
    out[block_number() * 128 + t] = own;
    // Relaxed, as before an end: nobody goes while others read.
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    if (t % 2) asm volatile("barrier.cluster.wait;" ::: "memory");
    else asm volatile("barrier.cluster.wait;" ::: "memory");
}

// Every block sends a word to block 0 and arrives at its barrier; block 0 answers.
extern "C" __global__ void arrivals(int *out) {
    __shared__ unsigned long long full, answer;
    __shared__ int box[16], reply;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    if (threadIdx.x == 0) { init(&full, blocks); init(&answer, 1); }
    cluster.sync();
    if (threadIdx.x == 32) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(mapped(box, 0) + 4 * rank), "r"((rank + 1) * (int)(block_number() + 7)) : "memory");
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&full, 0)) : "memory");
    }
    if (rank == 0) {
        wait(&full, 0);
        int sum = 0;
        for (unsigned r = 0; r < blocks; r++) sum += box[r];
        __syncthreads();
        if (threadIdx.x < blocks) {
            *cluster.map_shared_rank(&reply, threadIdx.x) = sum * 10 + threadIdx.x;
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&answer, threadIdx.x)) : "memory");
        }
    }
    wait(&answer, 0);
    out[block_number() * blockDim.x + threadIdx.x] = reply;
    cluster.sync();
}

// st.async and red.async to the next block.
extern "C" __global__ void async_stores(int *out) {
    __shared__ alignas(16) int box[64];
    __shared__ int sums[4];
    __shared__ alignas(8) unsigned long long wide[2];
    __shared__ unsigned long long full, added;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks(), t = threadIdx.x;
    if (t == 0) { init(&full, 1); init(&added, 1); wide[0] = 5; wide[1] = 0xff; }
    if (t < 4) sums[t] = 100;
    if (t == 0) { expect(&full, 64 * 4 + 16); expect(&added, 64 * 4 * 3 + 2 * 8); }
    cluster.sync();
    int v = block_number() * 1000 + t;
    if (t < 16)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(mapped(box + 2 * t, next)), "r"(v), "r"(v + 50), "r"(mapped(&full, next)) : "memory");
    else if (t < 24)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %2, %2}, [%3];" ::"r"(mapped(box + 32 + 4 * (t - 16), next)), "r"(v), "r"(-v), "r"(mapped(&full, next)) : "memory");
    else if (t < 26)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];" ::"r"(mapped(wide + (t - 24), next)), "l"((unsigned long long)v << 32 | t), "r"(mapped(&full, next)) : "memory");
    unsigned to = mapped(sums, next), on = mapped(&added, next);
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(to), "r"(t), "r"(on) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%0], %1, [%2];" ::"r"(to + 4), "r"(v), "r"(on) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%0], %1, [%2];" ::"r"(to + 8), "r"(v), "r"(on) : "memory");
    wait(&full, 0);
    if (t < 2) asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(mapped(wide, next)), "l"(1ull << 40), "r"(on) : "memory");
    wait(&added, 0);
    int *at = out + block_number() * 72;
    at[t] = box[t];
    if (t < 3) at[64 + t] = sums[t];
    if (t == 3) { at[67] = (int)wide[0]; at[68] = (int)(wide[0] >> 32); at[69] = (int)wide[1]; at[70] = (int)(wide[1] >> 32); at[71] = 0; }
    cluster.sync();
}

// A bulk copy to the next block, which counts its bytes.
extern "C" __global__ void bulk_peer(int *out, int rounds) {
    __shared__ alignas(128) int from[128], to[128];
    __shared__ unsigned long long full;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks(), t = threadIdx.x;
    if (t == 0) init(&full, 1);
    int sum = 0;
    for (int round = 0; round < rounds; round++) {
        from[t] = block_number() * 1000 + round * 200 + t;
        if (t == 0) expect(&full, sizeof from);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        cluster.sync();
        if (t == 0)
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(mapped(to, next)), "r"(shared_address(from)), "r"((unsigned)sizeof from), "r"(mapped(&full, next)) : "memory");
        wait(&full, round % 2);
        sum = sum * 7 + to[(t + 5) % 128];
        cluster.sync();
    }
    out[block_number() * 128 + t] = sum;
}

// One block copies for all those of the mask.
extern "C" __global__ void multicast(int *out, const int *in, unsigned mask) {
    __shared__ alignas(128) int tile[256];
    __shared__ unsigned long long full;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    bool takes = mask >> rank & 1;
    tile[t] = tile[t + 128] = -1;
    if (t == 0) init(&full, 1);
    if (t == 0 && takes) expect(&full, sizeof tile);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync();
    if (t == 0 && rank == cluster.num_blocks() - 1)
        for (int half = 0; half < 2; half++)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(tile + 128 * half)), "l"(__cvta_generic_to_global(in + 256 * (block_number() / cluster.num_blocks()) + 128 * half)), "r"(512), "r"(shared_address(&full)), "h"((unsigned short)mask) : "memory");
    if (takes) wait(&full, 0);
    out[block_number() * 256 + t] = tile[t];
    out[block_number() * 256 + 128 + t] = tile[t + 128];
    cluster.sync();
}

// Atomics on block 0's memory, by generic addresses and by others; what subnormal numbers become.
extern "C" __global__ void atomics(unsigned *out) {
    __shared__ unsigned words[8];
    __shared__ float floats[4];
    __shared__ unsigned long long wide[2];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks(), t = threadIdx.x;
    if (t < 8) words[t] = t == 3 ? ~0u : 0;
    if (t < 4) floats[t] = 0;
    if (t < 2) wide[t] = 0;
    cluster.sync();
    unsigned *w = cluster.map_shared_rank(words, 0);
    float *f = cluster.map_shared_rank(floats, 0);
    atomicAdd(w, t);
    atomicMax(w + 1, rank * 64 + t);
    atomicOr(w + 2, 1u << rank);
    atomicAnd(w + 3, ~(1u << rank));
    for (;;) { unsigned old = *(volatile unsigned *)(w + 4); if (atomicCAS(w + 4, old, old + 2) == old) break; }
    atomicAdd(cluster.map_shared_rank(wide, 0), 1ull << 33);
    atomicAdd(f, 0.5f);
    if (t == 0) atomicAdd(f + 1, 1e-40f);
    asm volatile("red.relaxed.cluster.shared::cluster.inc.u32 [%0], %1;" ::"r"(mapped(words + 5, 0)), "r"(10) : "memory");
    unsigned old;
    asm volatile("atom.acq_rel.cluster.shared::cluster.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(mapped(words + 6, rank)), "r"(t + 1) : "memory");
    if (t == 0) asm volatile("red.shared::cluster.add.f32 [%0], %1;" ::"r"(mapped(floats + 2, 0)), "f"(1e-40f) : "memory");
    cluster.sync();
    if (rank == 0 && t == 0) {
        // If the grid has rows, some clusters share places. They write equal values.
        unsigned *at = out + block_number() / blocks * 12;
        for (int i = 0; i < 6; i++) atomicExch(at + i, words[i]);
        atomicExch(at + 6, (unsigned)(wide[0] >> 33));
        for (int i = 0; i < 3; i++) atomicExch(at + 7 + i, __float_as_uint(floats[i]));
        atomicExch(at + 10, words[6] >= 1 && words[6] <= blockDim.x);
        atomicExch(at + 11, blocks);
    }
    cluster.sync();
}

// Eight words for each block.
extern "C" __global__ void spaces(unsigned *out) {
    __shared__ int here[4];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), other = (rank + 1) % cluster.num_blocks();
    int *there = cluster.map_shared_rank(here + 1, other), *self = cluster.map_shared_rank(here + 1, rank);
    unsigned *at = out + block_number() * 8;
    here[1] = 5;
    cluster.sync();
    unsigned v;
#define IS(n, space, p) asm("{\n.reg .pred p;\nisspacep." space " p, %1;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(v) : "l"(p)); at[n] = v;
    IS(0, "shared::cta", here + 1) IS(1, "shared::cluster", here + 1) IS(2, "shared::cta", there) IS(3, "shared::cluster", there)
    IS(4, "global", there)
    asm("getctarank.u64 %0, %1;" : "=r"(v) : "l"(there));
    at[5] = v == other;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(v) : "r"(mapped(here, other)));
    at[6] = v == other;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(v) : "r"(shared_address(here)));
    at[7] = (v == rank) + 2 * (*self == 5) + 4 * (cluster.query_shared_rank(there) == other) + 8 * (self == here + 1);
    cluster.sync();
}

// A thread that has ended counts as having come to the barrier, once.
extern "C" __global__ void ends(int *out) {
    __shared__ int count;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    if (t == 0) count = 0;
    cluster.sync();
    if (t % 4 == 1) return;
    if (t % 4 == 2) {
        atomicAdd(cluster.map_shared_rank(&count, 0), 1);
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        return;
    }
    for (int i = 0; i < 50 * (int)rank; i++) atomicAdd(cluster.map_shared_rank(&count, 0), 2), atomicAdd(cluster.map_shared_rank(&count, 0), -2);
    atomicAdd(cluster.map_shared_rank(&count, 0), 1);
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    if (t == 0) out[block_number()] = *cluster.map_shared_rank(&count, 0);
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// What must not be: a rank that isn't there; memory of a block that has ended; past the end of it.
extern "C" __global__ void wrong_rank(int *out, unsigned rank) {
    __shared__ int here[4];
    here[threadIdx.x % 4] = 1;
    cg::this_cluster().sync();
    out[0] = cg::this_cluster().map_shared_rank(here, rank)[0];
}
extern "C" __global__ void ended_block(int *out) {
    __shared__ int here[4];
    here[threadIdx.x % 4] = 1;
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    if (cluster.block_rank() == 1) return;
    for (int i = 0; i < 2000; i++) __nanosleep(1000);
    out[0] = *(volatile int *)cluster.map_shared_rank(here, 1);
}
extern "C" __global__ void past_end(int *out, int offset) {
    __shared__ int here[4];
    here[threadIdx.x % 4] = 1;
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    out[0] = *(volatile int *)(cluster.map_shared_rank(here, 1) + offset);
    cluster.sync();
}
extern "C" __global__ void handed_over(int *out) {
    __shared__ int here;
    __shared__ int *pointer;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    if (threadIdx.x == 0) here = 10 + rank;
    if (threadIdx.x == 0) *cluster.map_shared_rank(&pointer, (rank + 1) % blocks) = &here;
    cluster.sync();
    if (threadIdx.x == 0) out[block_number()] = *pointer;
    cluster.sync();
}

// Kernels that overlap: the second one waits for the first.
extern "C" __global__ void primary(int *data, int n) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 20; k++) __nanosleep(1000);
    if (i < n) data[i] = data[i] * 2 + 1;
}
extern "C" __global__ void secondary(int *out, const int *data, int n) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = ((const volatile int *)data)[n - 1 - i];
}
