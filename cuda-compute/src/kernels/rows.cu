// Expressions of whole rows that contain reductions of those rows, such as a softmax: a row is read once, kept in
// registers, folded as often as needed and written once.
//
// Specialised by THREADS, GROUP (threads of a row), N (vectors of a thread) and by expression.cuh and stages.cuh, which
// are written for each expression: see expression/rows.rs.

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

// Combines what the threads of a row have; all have the result. Lanes merge in different orders. Where that
// changes the last digits, all take the result of the first lane.
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
    const u64 row = (u64)blockIdx.x * (THREADS / GROUP) + threadIdx.x / GROUP;
    const unsigned lane = threadIdx.x % GROUP;
    // Vectors of this thread; none beyond the last row.
    const unsigned mine = row < s.rows && lane < s.length ? ((unsigned)s.length - lane + GROUP - 1) / GROUP : 0;
    const index_t first = (index_t)(row * s.length + lane);
    Inputs<VECTOR> in[N];
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (i < mine) load<VECTOR>(w, first + i * GROUP, in[i]);
    run_stages(w, mine, s.count, in);
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (i < mine) {
            Outputs<VECTOR> out;
            compute<VECTOR>(w, in[i], out);
            store<VECTOR>(w, first + i * GROUP, out);
        }
}
