// Searches sorted keys for the values of an expression.
//
// Specialised by THREADS, search.cuh, search_answer.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "search.cuh"
#include "search_answer.cuh"

template <int V>
__device__ __forceinline__ void search_at(const Words &w, u64 at, const key_bits *sorted, u64 length, u64 result) {
    Inputs<V> in;
    Outputs<V> out;
    load<V>(w, (index_t)at, in);
    compute<V>(w, in, out);
    key_bits codes[V];
    place_t places[V];
    ANSWER answers[V];
#pragma unroll
    for (int v = 0; v < V; ++v) codes[v] = code_of(as_bits(storing<KEY, KEY_VALUE>::of(out.y0[v])));
    search_sorted<AFTER_EQUAL>(sorted, length, codes, places);
    answer_of(sorted, length, codes, places, answers);
    store_pack<RESULT, V>(result, (long long)at * V, answers);
}

// `sorted` has `length` keys, and `result` has `count` elements.
extern "C" __global__ void __launch_bounds__(THREADS)
search(const __grid_constant__ Words w, u64 count, u64 sorted, u64 length, u64 result) {
    wait_for_previous_kernel();
    const u64 at = (u64)blockIdx.x * THREADS + threadIdx.x, vectors = count / VECTOR;
    const key_bits *const keys = (const key_bits *)sorted;
    if (at < vectors) search_at<VECTOR>(w, at, keys, length, result);
    else if (VECTOR > 1 && at == vectors)
        for (u64 i = vectors * VECTOR; i < count; ++i) search_at<1>(w, i, keys, length, result);
}
