// The bins of values between ascending edges, for histograms of one or two dimensions.
//
// Requires DIMENSIONS, search.cuh and expression.cuh.

#pragma once

#include "search.cuh"

#define NO_BIN (~0ull)

struct Edges {
    const key_bits *at;
    u64 count;
};

// A bin includes its lower edge, and the last bin its upper edge too. Values outside the edges and NaN
// have no bin.
template <int V>
__device__ __forceinline__ void bins_between(const Edges &edges, const KEY_VALUE (&values)[V], u64 (&bins)[V]) {
    key_bits codes[V];
    place_t places[V];
#pragma unroll
    for (int v = 0; v < V; ++v) codes[v] = code_of(as_bits(storing<KEY, KEY_VALUE>::of(values[v])));
    search_sorted<true>(edges.at, edges.count, codes, places);
    const key_bits last = code_of(edges.at[edges.count - 1]);
#pragma unroll
    for (int v = 0; v < V; ++v) {
        const bool is_nan = FRACTION && codes[v] == (key_bits)~(key_bits)0, is_last = !is_nan && codes[v] == last;
        bins[v] = is_nan || places[v] == 0 || (places[v] == edges.count && !is_last) ? NO_BIN : (u64)places[v] - 1 - is_last;
    }
}

template <int V>
__device__ __forceinline__ void bins_of(const Outputs<V> &out, const Edges (&edges)[DIMENSIONS], u64 (&bins)[V]) {
    bins_between(edges[0], out.y0, bins);
#if DIMENSIONS == 2
    u64 columns[V];
    bins_between(edges[1], out.y1, columns);
#pragma unroll
    for (int v = 0; v < V; ++v)
        bins[v] = bins[v] == NO_BIN || columns[v] == NO_BIN ? NO_BIN : bins[v] * (edges[1].count - 1) + columns[v];
#endif
}
