// Expressions of whole rows that contain reductions of those rows, such as a softmax. A row is read
// once, kept in registers, folded as often as needed and written once.
//
// Specialised by THREADS, GROUP (threads per row), N (vectors per thread), LATE (vectors whose late operands
// are loaded together), BLOCKS (blocks of a multiprocessor for which the registers suffice), APART (see Mine),
// FOLDED_FROM and FOLDED_TO (the first and the last axis of a row), expression.cuh and stages.cuh. These two
// are generated for each expression: see expression/rows.rs. If COLUMNS is not 0, the elements of a row are
// not adjacent, but those of neighbouring rows are. A block then computes that many vectors of neighbours. A
// reduction has GIVEN results for a vector. If STAGED, a thread computes a row of N vectors, which a block
// copies to shared memory and back together with others. `kept` has the values of stages that the results need
// and that take long to compute.

#include "array.cuh"
#include "complex.cuh"
#if STAGED
#include "staged.cuh"
#endif
#include "expression.cuh"
#include "folds.cuh"
#include "shuffle.cuh"

struct Sizes {
    u64 rows;
    u64 length;  // of a row, in vectors if its elements are adjacent
    u64 count;   // elements of a row
    u64 inner;   // vectors of neighbouring rows whose elements are adjacent
    u64 tiles;   // blocks for these
    u64 by_tiles;  // a constant for dividing by their number
};

// The vectors of a thread. Only the last may not exist, so the others need no conditions. If APART, they have
// conditions, because the compiler would mix the computations of several vectors. Long ones in f64 would take
// too many registers.
struct Mine {
    unsigned lane;
    u64 length;
    __device__ __forceinline__ unsigned count() const {
        return lane < length ? ((unsigned)length - lane + GROUP - 1) / GROUP : 0;
    }
    __device__ __forceinline__ bool has(int i) const {
        return APART ? i < count() : i < N - 1 || lane + (N - 1) * GROUP < length;
    }
};

// Combines the values of a row's threads, and gives all of them the result, for each row of a vector. Lanes
// merge in different orders. If that changes the last digits, all lanes take the result of the first one.
template <class A> __device__ __forceinline__ void fold_rows(A (&totals)[GIVEN]) {
#if COLUMNS
    if (GROUP == 1) return;
    // The lanes of a warp that have the same columns, then the warps. All threads merge these in the same
    // order. If all accumulators need over 16 KiB of shared memory, those of one row at a time are there.
    enum { PARTS = COLUMNS < 32 ? THREADS / 32 : THREADS / COLUMNS, BYTES = sizeof(A) * PARTS * COLUMNS };
    enum { MANY = GIVEN * BYTES <= 16384 ? GIVEN : 1 };
    __shared__ alignas(16) char room[MANY * BYTES];
    A *const parts = (A *)room;
    const unsigned each = COLUMNS < 32 ? 32 : COLUMNS, column = threadIdx.x % COLUMNS;
#pragma unroll
    for (int row = 0; row < GIVEN; ++row)
#pragma unroll
        for (int distance = COLUMNS; distance < 32; distance *= 2)
            totals[row].merge(shuffled(totals[row], distance));
#pragma unroll
    for (int from = 0; from < GIVEN; from += MANY) {
        if (threadIdx.x % each < COLUMNS)
#pragma unroll
            for (int i = 0; i < MANY; ++i)
                parts[(i * PARTS + threadIdx.x / each) * COLUMNS + column] = totals[from + i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < MANY; ++i) {
            totals[from + i] = parts[i * PARTS * COLUMNS + column];
#pragma unroll
            for (unsigned part = 1; part < PARTS; ++part)
                totals[from + i].merge(parts[(i * PARTS + part) * COLUMNS + column]);
        }
        __syncthreads();  // before the memory is written again
    }
#else
    A &total = totals[0];
#pragma unroll
    for (int distance = 1; distance < (GROUP < 32 ? GROUP : 32); distance *= 2)
        total.merge(shuffled(total, distance));
#if GROUP <= 32
    if (A::ORDERED) total = from_first(total, GROUP);
#else
    __shared__ alignas(16) char room[sizeof(A) * (THREADS / 32)];
    A *const of_warp = (A *)room;
    const unsigned first = threadIdx.x / GROUP * (GROUP / 32);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = total;
    __syncthreads();
    total = of_warp[first];
    for (unsigned warp = 1; warp < GROUP / 32; ++warp) total.merge(of_warp[first + warp]);
    __syncthreads();  // before the next fold of this kind
#endif
#endif
}

// Takes the values of a vector, for one row or one for each lane.
template <class A, class O> __device__ __forceinline__ void take(A (&totals)[GIVEN], const O &out) {
    if constexpr (COLUMNS == 0) totals[0].take_all(values_across<O, VECTOR>{out});
    else
#pragma unroll
        for (int lane = 0; lane < GIVEN; ++lane) totals[lane].take(out, lane);
}

#include "row_variance.cuh"
#if STAGED
#include "row_staging.cuh"
#include "staged_copies.cuh"
#endif
#include "stages.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
rows(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
#if COLUMNS
    const unsigned outer = divide(blockIdx.x, 0, s.by_tiles), tile = blockIdx.x - outer * (unsigned)s.tiles;
    const u64 own = (u64)tile * COLUMNS + threadIdx.x % COLUMNS;
    const unsigned lane = threadIdx.x / COLUMNS;
    // Threads without a row read the last one. They store nothing.
    const bool has_row = own < s.inner;
    const u64 column = has_row ? own : s.inner - 1;
    const index_t first = (index_t)((outer * s.length + lane) * s.inner + column), step = GROUP * (index_t)s.inner;
#else
    const u64 own = (u64)blockIdx.x * (THREADS / GROUP) + threadIdx.x / GROUP;
    const unsigned lane = threadIdx.x % GROUP;
    // Threads without a row read the last one. They store nothing.
    const bool has_row = own < s.rows;
    const u64 row = has_row ? own : s.rows - 1;
    const index_t first = (index_t)(row * s.length + lane), step = GROUP;
#endif
#if STAGED
    // The elements of the block, and the place of this thread's row among them.
    const u64 start = (u64)blockIdx.x * THREADS * N * VECTOR, all = s.rows * N * VECTOR;
    const unsigned here = all - start < THREADS * N * VECTOR ? (unsigned)(all - start) : THREADS * N * VECTOR;
    const index_t place = has_row ? threadIdx.x * N : 0;
    stage_in(w, start, here);
    __syncthreads();
#else
    const index_t place = first;
#endif
    const Mine mine{lane, s.length};
    Inputs<VECTOR> in[N];
    const Coordinates c_first = coordinates(w, first), c_by = coordinates(w, step);
    Coordinates c = c_first;
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (mine.has(i)) {
            load<VECTOR>(w, place + i * step, c, in[i]);
            advance<FOLDED_FROM, FOLDED_TO>(w, c, c_by);
        }
    Kept<VECTOR> kept[N];
    run_stages(w, mine, s.count, in, kept);
    // Once, because the compiler would compute these values for each vector whose existence it tests.
    Outputs_of_row<VECTOR> of_row;
    compute_of_row<VECTOR>(w, in[0], of_row);
#if STAGED
    __syncthreads();  // all rows are in registers
#endif
    // A load cannot come before the store of another vector, to which its operand might belong. So the late
    // operands of several vectors are loaded together.
    c = c_first;
#pragma unroll
    for (int from = 0; from < N; from += LATE) {
        Coordinates c_late = c;
#pragma unroll
        for (int i = from; i < from + LATE && i < N; ++i)
            if (LATE > 1 && mine.has(i)) {
                load_late<VECTOR>(w, place + i * step, c_late, in[i]);
                advance<FOLDED_FROM, FOLDED_TO>(w, c_late, c_by);
            }
#pragma unroll
        for (int i = from; i < from + LATE && i < N; ++i)
            if (mine.has(i)) {
                if (LATE == 1) load_late<VECTOR>(w, place + i * step, c, in[i]);
                Outputs<VECTOR> out;
                compute<VECTOR>(w, in[i], of_row, kept[i], out);
                if (has_row) store<VECTOR, true>(w, place + i * step, c, out);
                advance<FOLDED_FROM, FOLDED_TO>(w, c, c_by);
            }
    }
#if STAGED
    __syncthreads();
    stage_out(w, start, here);
#endif
}
