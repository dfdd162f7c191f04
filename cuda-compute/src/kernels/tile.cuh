// The elements of a thread, as vectors that alternate with those of neighbouring threads, and their
// prefixes.
//
// Requires UNROLL, VECTOR and prefix.cuh.

// Combines the values within each vector, and computes the prefix of each vector among the group of
// GROUP lanes. Vectors are ordered by `u`, then by lane. Returns the combination of the group.
template <int GROUP>
__device__ __forceinline__ accumulator scan_vectors(accumulator (&x)[UNROLL][VECTOR], accumulator (&before)[UNROLL],
                                                    int lane) {
    accumulator ends[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
        for (int v = 1; v < VECTOR; ++v) x[u][v] = combine(x[u][v - 1], x[u][v]);
        ends[u] = scan_lanes<GROUP>(x[u][VECTOR - 1], lane);
    }
    accumulator all = NEUTRAL;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
        before[u] = shuffle_up<GROUP>(ends[u], 1);
        before[u] = lane == 0 ? all : combine(all, before[u]);
        all = combine(all, shuffle<GROUP>(ends[u], GROUP - 1));
    }
    return all;
}

// The results of a vector. `start` is its prefix, and `first` is true if nothing precedes it.
__device__ __forceinline__ void results_of(const accumulator (&x)[VECTOR], accumulator start, bool first,
                                           combined (&results)[VECTOR]) {
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
#if EXCLUSIVE
        results[v] = (v == 0 && first) || BEGINS(x[v]) ? (combined)(FIRST) : VALUE_OF(v == 0 ? start : combine(start, x[v > 0 ? v - 1 : 0]));
#else
        results[v] = VALUE_OF(combine(start, x[v]));
#endif
    }
}
