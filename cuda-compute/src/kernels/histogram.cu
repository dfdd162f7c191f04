// Counts how often each bin occurs among the values of an expression. A value is the number of its
// bin, or is between two of given edges.
//
// Specialised by THREADS, UNROLL (vectors that each thread loads at once), COPIES (of a block's
// counters in dynamic shared memory, among which the lanes of a warp are distributed: a power of 2, or
// 0 if all blocks count in the result), DIMENSIONS (of the edges, or 0 if values are numbers of bins),
// edges.cuh if there are edges, and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"

#if DIMENSIONS
#include "edges.cuh"
#define BINS_OF(out, bins) bins_of(out, edges, bins)
typedef u64 bin_number;
#else
#define BINS_OF(out, bins) copy_bins((out).y0, bins)
// Counters in shared memory are so few that negative numbers of 32 bits are none of them.
template <bool WIDE> struct number_of_bin { typedef u64 type; };
template <> struct number_of_bin<false> { typedef unsigned type; };
typedef number_of_bin<!COPIES || sizeof(((Outputs<1> *)0)->y0[0]) == 8>::type bin_number;
#endif

template <class T, int V> __device__ __forceinline__ void copy_bins(const T (&values)[V], bin_number (&bins)[V]) {
#pragma unroll
    for (int v = 0; v < V; ++v) bins[v] = values[v];
}

__device__ __forceinline__ void count_value(bin_number value, bin_number bins, unsigned *own, u64 *result) {
#if COPIES >= 8
    // Other values count behind the last bin, because this takes no branch. With few copies, the threads
    // of a warp would wait for one another there.
    atomicAdd(own + (value < bins ? value : bins) * COPIES, 1u);
#elif COPIES
    if (value < bins) atomicAdd(own + value * COPIES, 1u);
#else
    if (value < bins) atomicAdd(result + value, 1ull);
#endif
}

// Each block processes fewer than 2^32 of the `length` values. `result` has `bins` counters, all
// zero.
extern "C" __global__ void __launch_bounds__(THREADS)
histogram(const __grid_constant__ Words w, u64 length, u64 bins, u64 *result
#if DIMENSIONS > 0
          , u64 edges_0, u64 count_0
#endif
#if DIMENSIONS > 1
          , u64 edges_1, u64 count_1
#endif
) {
    wait_for_previous_kernel();
#if DIMENSIONS == 1
    const Edges edges[] = {{(const key_bits *)edges_0, count_0}};
#elif DIMENSIONS == 2
    const Edges edges[] = {{(const key_bits *)edges_0, count_0}, {(const key_bits *)edges_1, count_1}};
#endif
    extern __shared__ unsigned counters[];
    unsigned *own = counters;
#if COPIES
    for (unsigned i = threadIdx.x; i < (bins + 1) * COPIES; i += THREADS) counters[i] = 0;
    own += threadIdx.x % COPIES;
    __syncthreads();
#endif
    const u64 vectors = length / VECTOR;
    for (u64 first = (u64)blockIdx.x * (THREADS * UNROLL) + threadIdx.x; first < vectors;
         first += (u64)gridDim.x * (THREADS * UNROLL)) {
        Inputs<VECTOR> in[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (first + u * THREADS < vectors) load<VECTOR>(w, (index_t)(first + u * THREADS), in[u]);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (first + u * THREADS < vectors) {
                Outputs<VECTOR> out;
                compute<VECTOR>(w, in[u], out);
                bin_number numbers[VECTOR];
                BINS_OF(out, numbers);
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) count_value(numbers[v], (bin_number)bins, own, result);
            }
    }
    if (VECTOR > 1 && blockIdx.x == 0 && vectors * VECTOR + threadIdx.x < length) {
        Inputs<1> in;
        Outputs<1> out;
        load<1>(w, (index_t)(vectors * VECTOR + threadIdx.x), in);
        compute<1>(w, in, out);
        bin_number number[1];
        BINS_OF(out, number);
        count_value(number[0], (bin_number)bins, own, result);
    }
#if COPIES
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bins; i += THREADS) {
        u64 all = 0;
#pragma unroll
        // In an order in which the threads of a warp access different banks.
        for (unsigned copy = 0; copy < COPIES; ++copy) all += counters[i * COPIES + (copy + i) % COPIES];
        if (all) atomicAdd(result + i, all);
    }
#endif
}
