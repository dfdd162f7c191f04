// Reduces expressions to one result each, several at once, in one launch.
//
// Every block folds a fixed set of elements and publishes its partial in the workspace. One block
// then folds the partials in a fixed order, so that the same input, length, alignment and grid give
// the same bits. The workspace is all zero before and after a launch.
//
// Specialised by
//   THREADS, UNROLL   threads per block, vectors in flight per thread
//   LANES             accumulators per thread: one for each element of a vector, or one for all
//   PIECES            1: each block reads one piece of the elements, 0: the blocks' reads are interleaved
//   BLOCKS            blocks per multiprocessor that registers must suffice for, 0: the compiler's choice
//   ROOM              the largest size of an accumulator, in bytes
// and by expression.cuh and fold.cuh, which are generated for each expression.

#define LOAD_PACK load_streamed

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "folds.cuh"
#include "shuffle.cuh"
#include "fold.cuh"
#include "fold_steps.cuh"
#include "store_results.cuh"

static_assert(sizeof(accumulator) <= ROOM, "the host assumes a smaller accumulator");

struct Sizes {
    u64 head;       // elements before the first vector, where the operands' addresses lead
    u64 workspace;  // words for the partials, if there are several blocks
};

// Folds the elements of one thread: its vectors, and at most one of the single elements before the
// first vector and after the last one.
FOLD void fold_thread(const Words &w, u64 head, accumulator &total) {
    const index_t thread = (index_t)blockIdx.x * THREADS + threadIdx.x;
    const index_t vectors = (index_t)((w.at[0] - head) / VECTOR);
    accumulator lanes[LANES];
#pragma unroll
    for (int lane = 0; lane < LANES; ++lane) lanes[lane].clear();
#if PIECES
    // Each block's vectors are contiguous.
    const u64 batches = ((u64)vectors + THREADS * UNROLL - 1) / (THREADS * UNROLL);
    const index_t from = (index_t)(batches * blockIdx.x / gridDim.x * (THREADS * UNROLL));
    const index_t end = (index_t)(batches * (blockIdx.x + 1) / gridDim.x * (THREADS * UNROLL));
    fold_vectors<VECTOR, 0, LAST_AXIS>(w, from + threadIdx.x, end < vectors ? end : vectors, THREADS, 1, 0, lanes);
#else
    // The vectors are distributed in turn.
    fold_vectors<VECTOR, 0, LAST_AXIS>(w, thread, vectors, (index_t)gridDim.x * THREADS, 1, 0, lanes);
#endif
    fold_lanes(lanes);
    total = lanes[0];
    // There are fewer than 2 * VECTOR single elements: one thread each. They are folded on their
    // own, because an accumulator takes values in the order of their places.
    const index_t loose = (index_t)(w.at[0] - (u64)vectors * VECTOR);
    if (VECTOR > 1 && thread < loose) {
        const index_t n = (thread < head ? 0 : vectors * VECTOR) + thread - (index_t)head;
        Inputs<1> in;
        Outputs<1> out;
        load<1>(w, n, in);
        compute<1>(w, in, out);
        accumulator single;
        single.clear();
        single.take(out, 0);
        total.merge(single);
    }
}

// A partial is stored as 64-bit words, each with 32 bits of the accumulator and a mark. A word is
// written and read as a whole, so the mark alone proves that the value has been published, without a
// fence or counter.
#define WORDS ((int)(sizeof(accumulator) + 3) / 4)
// The words of a partial that a thread loads at once.
#define ROUND (WORDS <= 8 ? WORDS : 8)

FOLD void publish(u64 *words, const accumulator &value) {
    unsigned halves[WORDS];
    halves[WORDS - 1] = 0;
    memcpy(halves, &value, sizeof(value));
#pragma unroll
    for (int i = 0; i < WORDS; ++i)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i), "l"((1ull << 32) | halves[i])
                     : "memory");
}

// Waits for a partial, folds it, and zeroes it for the next launch.
FOLD void take(accumulator &total, u64 *at) {
    unsigned halves[WORDS];
#pragma unroll
    for (int from = 0; from < WORDS; from += ROUND) {
        u64 words[ROUND];
        // All loads of a round are in flight together.
        bool missing;
        do {
            missing = false;
#pragma unroll
            for (int i = 0; i < ROUND; ++i) {
                words[i] = 1;
                if (from + i < WORDS)
                    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(words[i]) : "l"(at + from + i) : "memory");
            }
#pragma unroll
            for (int i = 0; i < ROUND; ++i) missing |= words[i] == 0;
        } while (missing);
#pragma unroll
        for (int i = 0; i < ROUND; ++i)
            if (from + i < WORDS) {
                halves[from + i] = (unsigned)words[i];
                at[from + i] = 0;
            }
    }
    accumulator partial;
    memcpy(&partial, halves, sizeof(partial));
    total.merge(partial);
}

#if BLOCKS
#define BOUNDS __launch_bounds__(THREADS, BLOCKS)
#else
#define BOUNDS __launch_bounds__(THREADS)
#endif

extern "C" __global__ void BOUNDS
total(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
    __shared__ alignas(16) char room[sizeof(accumulator) * (THREADS / 32)];
    accumulator value;
    fold_thread(w, s.head, value);
    u64 *const workspace = (u64 *)s.workspace;
    // The second round folds the partials. Both have the same code, because a small launch takes most of
    // its time to load instructions.
#pragma unroll 1
    for (bool last = gridDim.x == 1;; last = true) {
        fold_group<THREADS>(value, (accumulator *)room);
        if (last) break;
        if (threadIdx.x == 0) publish(workspace + blockIdx.x * WORDS, value);
        // The last block of the grid starts last, so it waits the least.
        if (blockIdx.x != gridDim.x - 1) return;
        value.clear();
        for (unsigned block = threadIdx.x; block < gridDim.x; block += THREADS)
            take(value, workspace + block * WORDS);
        __syncthreads();  // before the memory of warps is written again
    }
    if (threadIdx.x == 0) {
        Results<1> results;
        value.finish(results, 0, w.at[0]);
        store_results<1>(w, 0, coordinates(w, 0), results);
    }
}
