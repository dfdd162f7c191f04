// The elements of a thread, as vectors that lie side by side with those of its neighbours, and their prefixes.
//
// Needs UNROLL, VECTOR and prefix.cuh.

// Combines the values of each vector with those before them in it, and finds what lies before each vector among the
// group of GROUP lanes: vectors are counted by `u` first, then by lane. The result is what the group combines to.
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

// The results of a vector: `start` is what lies before it, `first` whether nothing does.
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
