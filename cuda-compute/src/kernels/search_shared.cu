// Searches sorted keys for many values of an expression. Each block first copies some keys, which divide
// all keys into groups, into shared memory, and finds the group of a value there.
//
// Specialised by THREADS, GROUP (the keys of a group, if a thread loads them at once, and otherwise 0),
// search.cuh, search_answer.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "search.cuh"
#include "search_answer.cuh"

// `tree` has the codes of a binary search tree with `levels` levels: those after node n are nodes 2n and
// 2n + 1. A level is contiguous, so that few lanes access the same bank.
template <int V>
__device__ __forceinline__ void search_at(const Words &w, u64 at, const key_bits *tree, int levels, unsigned groups,
                                          u64 of_group, const key_bits *sorted, u64 length, u64 result) {
    Inputs<V> in;
    Outputs<V> out;
    load<V>(w, (index_t)at, in);
    compute<V>(w, in, out);
    key_bits codes[V];
    unsigned group[V];
    place_t places[V];
    ANSWER answers[V];
#pragma unroll
    for (int v = 0; v < V; ++v) {
        codes[v] = code_of(as_bits(storing<KEY, KEY_VALUE>::of(out.y0[v])));
        group[v] = 1;
    }
    for (int level = 0; level < levels; ++level)
#pragma unroll
        for (int v = 0; v < V; ++v) group[v] = 2 * group[v] + is_before<AFTER_EQUAL>(tree[group[v]], codes[v]);
#pragma unroll
    for (int v = 0; v < V; ++v) group[v] = min(group[v] - (1u << levels), groups - 1);
#if GROUP
    pack<key_bits, GROUP> keys[V];
#pragma unroll
    for (int v = 0; v < V; ++v)
        keys[v] = load_pack<key_bits, GROUP>((u64)sorted, group[v] < groups - 1 ? (long long)group[v] * GROUP : 0);
#endif
#pragma unroll
    for (int v = 0; v < V; ++v) {
        places[v] = (place_t)group[v] * (place_t)of_group;
        // The last key of a group, except for the last one, does not come before the value.
#if GROUP
        if (group[v] < groups - 1) {
#pragma unroll
            for (int i = 0; i < GROUP - 1; ++i) places[v] += is_before<AFTER_EQUAL>(code_of(keys[v].at[i]), codes[v]);
            continue;
        }
#endif
        const u64 left = group[v] < groups - 1 ? of_group - 1 : length - places[v];
        const key_bits code[1] = {codes[v]};
        place_t more[1];
        search_sorted<AFTER_EQUAL>(sorted + places[v], left, code, more);
        places[v] += more[0];
    }
    answer_of(sorted, length, codes, places, answers);
    store_pack<RESULT, V>(result, (long long)at * V, answers);
}

// `sorted` has `length` keys in `groups` groups of `of_group`, the last of which may be shorter. There
// are fewer groups than 2 to the power of `levels`, or as many. `result` has `count` elements.
extern "C" __global__ void __launch_bounds__(THREADS)
search_shared(const __grid_constant__ Words w, u64 count, u64 sorted, u64 length, u64 groups, u64 of_group, u64 levels,
              u64 result) {
    wait_for_previous_kernel();
    extern __shared__ key_bits tree[];
    const key_bits *const keys = (const key_bits *)sorted;
    const unsigned nodes = 1u << levels;
    for (unsigned node = threadIdx.x; node < nodes; node += THREADS) {
        // The group that the node's key ends. Nodes beyond the last one but one have the highest code.
        const int level = 31 - __clz(node | 1);
        const unsigned group = (2 * (node - (1u << level)) + 1) * (nodes >> (level + 1)) - 1;
        tree[node] = node > 0 && group < groups - 1 ? code_of(keys[(group + 1) * of_group - 1]) : (key_bits)~(key_bits)0;
    }
    __syncthreads();
    const u64 vectors = count / VECTOR;
    for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < vectors; at += (u64)gridDim.x * THREADS)
        search_at<VECTOR>(w, at, tree, (int)levels, (unsigned)groups, of_group, keys, length, result);
    if (VECTOR > 1 && blockIdx.x == 0)
        for (u64 i = vectors * VECTOR + threadIdx.x; i < count; i += THREADS)
            search_at<1>(w, i, tree, (int)levels, (unsigned)groups, of_group, keys, length, result);
}
