// Expressions of whole rows that contain reductions of those rows, such as a softmax. A row is read
// once, kept in registers, folded as often as needed and written once.
//
// Specialised by THREADS, GROUP (threads per row), N (vectors per thread), FOLDED_FROM and FOLDED_TO (the
// first and the last axis of a row), expression.cuh and stages.cuh. These two are generated for each expression: see expression/rows.rs.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "folds.cuh"
#include "shuffle.cuh"

struct Sizes {
    u64 rows;
    u64 length;  // of a row, in vectors
    u64 count;   // elements of a row
};

// Combines the values of a row's threads, and gives all of them the result. Lanes merge in
// different orders. If that changes the last digits, all lanes take the result of the first one.
template <class A> __device__ __forceinline__ void fold_row(A &total) {
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
}

#include "stages.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
rows(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
    const u64 row = (u64)blockIdx.x * (THREADS / GROUP) + threadIdx.x / GROUP;
    const unsigned lane = threadIdx.x % GROUP;
    // Vectors of this thread, or none beyond the last row.
    const unsigned mine = row < s.rows && lane < s.length ? ((unsigned)s.length - lane + GROUP - 1) / GROUP : 0;
    const index_t first = (index_t)(row * s.length + lane);
    Inputs<VECTOR> in[N];
    const Coordinates c_first = coordinates(w, first), c_by = coordinates(w, GROUP);
    Coordinates c = c_first;
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (i < mine) {
            load<VECTOR>(w, first + i * GROUP, c, in[i]);
            advance<FOLDED_FROM, FOLDED_TO>(w, c, c_by);
        }
    run_stages(w, mine, s.count, in);
    c = c_first;
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (i < mine) {
            Outputs<VECTOR> out;
            compute<VECTOR>(w, in[i], out);
            store<VECTOR, true>(w, first + i * GROUP, c, out);
            advance<FOLDED_FROM, FOLDED_TO>(w, c, c_by);
        }
}
