// Searches sorted keys for many values of an expression. Each block first copies the last key of each
// group of keys into shared memory, and finds the group of a value there.
//
// Specialised by THREADS, GROUP (the keys of a group, if a thread loads them at once, and otherwise 0),
// search.cuh, search_answer.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "search.cuh"
#include "search_answer.cuh"

template <int V>
__device__ __forceinline__ void search_at(const Words &w, u64 at, const key_bits *last_codes, unsigned groups, u64 of_group,
                                          const key_bits *sorted, u64 length, u64 result) {
    Inputs<V> in;
    Outputs<V> out;
    load<V>(w, (index_t)at, in);
    compute<V>(w, in, out);
    key_bits codes[V];
    unsigned group[V];
    place_t places[V];
    ANSWER answers[V];
#pragma unroll
    for (int v = 0; v < V; ++v) codes[v] = code_of(as_bits(storing<KEY, KEY_VALUE>::of(out.y0[v])));
    search_codes<AFTER_EQUAL>([&](unsigned place) { return last_codes[place]; }, groups, codes, group);
    // The last key of a value's group does not come before the value.
#if GROUP
    pack<key_bits, GROUP> keys[V];
#pragma unroll
    for (int v = 0; v < V; ++v)
        keys[v] = load_pack<key_bits, GROUP>((u64)sorted, group[v] < groups - 1 ? (long long)group[v] * GROUP : 0);
#endif
#pragma unroll
    for (int v = 0; v < V; ++v) {
        place_t place = (place_t)group[v] * (place_t)of_group;
        if (group[v] == groups) {
            place = (place_t)length;
#if GROUP
        } else if (group[v] < groups - 1) {
#pragma unroll
            for (int i = 0; i < GROUP - 1; ++i) place += is_before<AFTER_EQUAL>(code_of(keys[v].at[i]), codes[v]);
#endif
        } else {
            const u64 rest = length - place;
            place_t more[1];
            const key_bits code[1] = {codes[v]};
            search_sorted<AFTER_EQUAL>(sorted + place, (rest < of_group ? rest : of_group) - 1, code, more);
            place += more[0];
        }
        places[v] = place;
    }
    answer_of(sorted, length, codes, places, answers);
    store_pack<RESULT, V, ANSWER>(result, (long long)at * V, answers);
}

// `sorted` has `length` keys in `groups` groups of `of_group`, the last of which may be shorter. `result`
// has `count` elements.
extern "C" __global__ void __launch_bounds__(THREADS)
search_shared(const __grid_constant__ Words w, u64 count, u64 sorted, u64 length, u64 groups, u64 of_group, u64 result) {
    extern __shared__ key_bits last_codes[];
    const key_bits *const keys = (const key_bits *)sorted;
    for (unsigned group = threadIdx.x; group < groups; group += THREADS) {
        const u64 last = (group + 1) * of_group - 1;
        last_codes[group] = code_of(keys[last < length ? last : length - 1]);
    }
    __syncthreads();
    const u64 vectors = count / VECTOR;
    for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < vectors; at += (u64)gridDim.x * THREADS)
        search_at<VECTOR>(w, at, last_codes, (unsigned)groups, of_group, keys, length, result);
    if (VECTOR > 1 && blockIdx.x == 0)
        for (u64 i = vectors * VECTOR + threadIdx.x; i < count; i += THREADS)
            search_at<1>(w, i, last_codes, (unsigned)groups, of_group, keys, length, result);
}
