// Reduction of one or two vectors to one value in a single launch.
//
// Every block folds a fixed set of elements and publishes its partial in the workspace. One block
// then folds the partials in a fixed order, so that the same input, length, alignment and grid give
// the same bits. The workspace is all zero before and after a launch.
//
// Specialised by the macros of element.cuh and
//   INPUTS                    1 or 2
//   THREADS, UNROLL           threads per block, 16-byte loads in flight per thread
//   PIECES                    1: each block reads one piece of the vector, 0: the blocks' reads are interleaved
// and by operation.cuh, which is generated for each operation and defines
//   IDENTITY                  the neutral accumulator
//   map(x) or map(x, y)       converts an element (or a pair) to an accumulator
//   combine(a, b)             combines two accumulators, associative and commutative

#include "element.cuh"
#include "operation.cuh"

typedef unsigned long long u64;

#ifndef LOAD
#define LOAD "ld.global.nc.L1::no_allocate"
#endif

// Elements of one 16-byte load.
#define LANES (16 / (int)sizeof(element))

struct vector {
    uint4 bits;

    __device__ element operator[](int lane) const {
        const unsigned words[4] = {bits.x, bits.y, bits.z, bits.w};
        if constexpr (sizeof(element) == 8) {
            const u64 word = words[2 * lane] | ((u64)words[2 * lane + 1] << 32);
            return reinterpret_cast<const element &>(word);
        } else {
            const int each = 4 / sizeof(element);
            const unsigned word = words[lane / each] >> (lane % each * 8 * sizeof(element));
            return reinterpret_cast<const element &>(word);
        }
    }
};

// A streaming 16-byte load. The data is read once, so it should not displace other data in L1.
__device__ __forceinline__ vector load(const element *at) {
    vector v;
    asm(LOAD ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.bits.x), "=r"(v.bits.y), "=r"(v.bits.z), "=r"(v.bits.w)
        : "l"(at));
    return v;
}

// 16 bytes from an address that is only element-aligned.
__device__ __forceinline__ vector load_unaligned(const element *at) {
    union {
        element lanes[LANES];
        uint4 bits;
    } u;
#pragma unroll
    for (int lane = 0; lane < LANES; ++lane) u.lanes[lane] = at[lane];
    return vector{u.bits};
}

// Folds the accumulators of a warp into every lane's result.
__device__ __forceinline__ accumulator fold_warp(accumulator value) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value = combine(value, __shfl_xor_sync(~0u, value, distance));
    return value;
}

// Folds the accumulators of a block into thread 0's result. `of_warp` is shared memory that is not
// used for anything else.
__device__ __forceinline__ accumulator fold_block(accumulator value, accumulator *of_warp) {
    value = fold_warp(value);
    if (THREADS > 32) {
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
        __syncthreads();
        if (threadIdx.x < 32) {
            value = threadIdx.x < THREADS / 32 ? of_warp[threadIdx.x] : (accumulator)IDENTITY;
#pragma unroll
            for (int distance = THREADS / 64; distance > 0; distance /= 2)
                value = combine(value, __shfl_xor_sync(~0u, value, distance));
        }
    }
    return value;
}

// Folds UNROLL mapped vectors into the lanes' accumulators as a tree over the vectors, so the error
// of a long sum grows with the number of batches, not of elements.
__device__ __forceinline__ void fold_batch(accumulator (&lanes)[LANES],
                                           accumulator (&batch)[UNROLL][LANES]) {
#pragma unroll
    for (int width = 1; width < UNROLL; width *= 2)
#pragma unroll
        for (int u = 0; u + width < UNROLL; u += 2 * width)
#pragma unroll
            for (int lane = 0; lane < LANES; ++lane)
                batch[u][lane] = combine(batch[u][lane], batch[u + width][lane]);
#pragma unroll
    for (int lane = 0; lane < LANES; ++lane) lanes[lane] = combine(lanes[lane], batch[0][lane]);
}

#if INPUTS == 2
__device__ __forceinline__ accumulator map_of(element first, element second) {
    const accumulator x = value_of(first);
    const accumulator y = value_of(second);
    return map(x, y);
}
#define MAP(v, w, lane) map_of((v)[lane], (w)[lane])
#define MAP_AT(i) map_of(x[i], y[i])
#else
#define MAP(v, w, lane) map(value_of((v)[lane]))
#define MAP_AT(i) map(value_of(x[i]))
#endif

// The fold of one thread: vectors at, at + stride, ..., and the single elements before the first
// 16-byte boundary of x and after the last.
template <bool SECOND_ALIGNED>
__device__ __forceinline__ accumulator fold_thread(const element *__restrict__ x,
                                                   const element *__restrict__ y, u64 count) {
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x;
    u64 head = (16 - ((u64)x & 15)) % 16 / sizeof(element);
    head = head < count ? head : count;
    const u64 vectors = (count - head) / LANES;
    const element *const x_body = x + head;
    const element *const y_body = y + head;

    accumulator lanes[LANES];
#pragma unroll
    for (int lane = 0; lane < LANES; ++lane) lanes[lane] = IDENTITY;

#if PIECES
    // Each block's vectors are contiguous.
    const u64 batches = (vectors + THREADS * UNROLL - 1) / (THREADS * UNROLL);
    const u64 end = min(vectors, batches * (blockIdx.x + 1) / gridDim.x * (THREADS * UNROLL));
    const u64 stride = THREADS;
    u64 at = batches * blockIdx.x / gridDim.x * (THREADS * UNROLL) + threadIdx.x;
#else
    // The vectors are distributed in turn.
    const u64 end = vectors, stride = (u64)gridDim.x * THREADS;
    u64 at = thread;
#endif
    for (; at + (UNROLL - 1) * stride < end; at += UNROLL * stride) {
        vector v[UNROLL], w[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            v[u] = load(x_body + (at + u * stride) * LANES);
            if (INPUTS == 2)
                w[u] = SECOND_ALIGNED ? load(y_body + (at + u * stride) * LANES)
                                      : load_unaligned(y_body + (at + u * stride) * LANES);
        }
        accumulator batch[UNROLL][LANES];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
#pragma unroll
            for (int lane = 0; lane < LANES; ++lane) batch[u][lane] = MAP(v[u], w[u], lane);
        fold_batch(lanes, batch);
    }
    if (UNROLL > 1 && at < end) {
        vector v[UNROLL], w[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL - 1; ++u)
            if (at + u * stride < end) {
                v[u] = load(x_body + (at + u * stride) * LANES);
                if (INPUTS == 2)
                    w[u] = SECOND_ALIGNED ? load(y_body + (at + u * stride) * LANES)
                                          : load_unaligned(y_body + (at + u * stride) * LANES);
            }
#pragma unroll
        for (int u = 0; u < UNROLL - 1; ++u)
            if (at + u * stride < end)
#pragma unroll
                for (int lane = 0; lane < LANES; ++lane)
                    lanes[lane] = combine(lanes[lane], MAP(v[u], w[u], lane));
    }

    // There are fewer than 2 * LANES single elements: one thread each.
    const u64 loose = count - vectors * LANES;
    if (thread < loose) {
        const u64 i = thread < head ? thread : vectors * LANES + thread;
        lanes[0] = combine(lanes[0], MAP_AT(i));
    }
#pragma unroll
    for (int width = 1; width < LANES; width *= 2)
#pragma unroll
        for (int lane = 0; lane + width < LANES; lane += 2 * width)
            lanes[lane] = combine(lanes[lane], lanes[lane + width]);
    return lanes[0];
}

// A partial is stored as 64-bit words, each with 32 bits of the value and a mark. A word is written
// and read as a whole, so the mark alone proves that the value has been published, without a fence
// or counter.
#define WORDS ((int)sizeof(accumulator) / 4)

__device__ __forceinline__ void publish(u64 *words, accumulator value) {
    unsigned halves[WORDS];
    memcpy(halves, &value, sizeof(value));
#pragma unroll
    for (int i = 0; i < WORDS; ++i)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i),
                     "l"((1ull << 32) | halves[i])
                     : "memory");
}

// Waits for the partials block, block + STEP, ... of `blocks`, at most COUNT of them, folds them,
// and zeroes them for the next launch.
template <int COUNT, int STEP>
__device__ __forceinline__ accumulator take(u64 *workspace, unsigned block, unsigned blocks) {
    u64 words[COUNT][WORDS];
    // All loads of a round are in flight together.
    bool missing;
    do {
        missing = false;
#pragma unroll
        for (int n = 0; n < COUNT; ++n)
#pragma unroll
            for (int i = 0; i < WORDS; ++i) {
                words[n][i] = 1;
                if (block + n * STEP < blocks)
                    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                                 : "=l"(words[n][i])
                                 : "l"(workspace + (block + n * STEP) * WORDS + i)
                                 : "memory");
            }
#pragma unroll
        for (int n = 0; n < COUNT; ++n)
#pragma unroll
            for (int i = 0; i < WORDS; ++i) missing |= words[n][i] == 0;
    } while (missing);
    accumulator value = IDENTITY;
#pragma unroll
    for (int n = 0; n < COUNT; ++n)
        if (block + n * STEP < blocks) {
            unsigned halves[WORDS];
#pragma unroll
            for (int i = 0; i < WORDS; ++i) {
                halves[i] = (unsigned)words[n][i];
                workspace[(block + n * STEP) * WORDS + i] = 0;
            }
            accumulator partial;
            memcpy(&partial, halves, sizeof(partial));
            value = combine(value, partial);
        }
    return value;
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce(const element *__restrict__ x,
#if INPUTS == 2
       const element *__restrict__ y,
#endif
       u64 count, u64 *workspace, accumulator *result) {
#if INPUTS == 2
    const bool second_aligned = ((u64)x - (u64)y) % 16 == 0;
    accumulator value = second_aligned ? fold_thread<true>(x, y, count)
                                       : fold_thread<false>(x, y, count);
#else
    accumulator value = fold_thread<true>(x, x, count);
#endif
    __shared__ accumulator of_warp[2][32];
    value = fold_block(value, of_warp[0]);
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *result = value;
        return;
    }
    if (threadIdx.x == 0) publish(workspace + blockIdx.x * WORDS, value);
    // The last block of the grid starts last, so it waits the least.
    if (blockIdx.x != gridDim.x - 1) return;
    if (gridDim.x <= 128) {
        // For few partials, use one warp and no barrier.
        if (threadIdx.x >= 32) return;
        value = fold_warp(take<4, 32>(workspace, threadIdx.x, gridDim.x));
    } else {
        value = IDENTITY;
        for (unsigned block = threadIdx.x; block < gridDim.x; block += THREADS)
            value = combine(value, take<1, 1>(workspace, block, gridDim.x));
        value = fold_block(value, of_warp[1]);
    }
    if (threadIdx.x == 0) *result = value;
}
