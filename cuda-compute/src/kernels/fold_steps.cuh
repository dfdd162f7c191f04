// Steps that the kernels of reductions share: the folds of a thread, and of a group of threads. They
// need expression.cuh, fold.cuh and UNROLL, the number of vectors that are loaded before any is folded.

// Folds a vector into the accumulators of its elements, or into one.
template <int V, int L> FOLD void take_vector(const Outputs<V> &out, accumulator (&lanes)[L]) {
    if constexpr (L == V)
#pragma unroll
        for (int lane = 0; lane < V; ++lane) lanes[lane].take(out, lane);
    else lanes[0].take_all(values_across<Outputs<V>, V>{out});
}

// Folds every `step`-th vector from `from` up to `to`, each times `scale` behind `base`, into the
// accumulators of the vectors' elements, or into one. The vectors differ only along the axes FROM to TO.
template <int V, int FROM, int TO, int L>
FOLD void fold_vectors(const Words &w, index_t from, index_t to, index_t step, index_t scale, index_t base,
                       accumulator (&lanes)[L]) {
    index_t at = from, n = base + from * scale;
    const index_t by = step * scale;
    Coordinates c = coordinates(w, n);
    const Coordinates c_by = coordinates(w, by);
    for (; at + (UNROLL - 1) * step < to; at += UNROLL * step) {
        Inputs<V> in[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            load<V>(w, n, c, in[u]);
            n += by;
            advance<FROM, TO>(w, c, c_by);
        }
        // Without this, the compiler places each load before its first use. Behind a function with branches,
        // such as a rounded square root, ptxas cannot move it back, and a thread waits for each load.
        asm volatile("" ::: "memory");
        Outputs<V> out[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) compute<V>(w, in[u], out[u]);
        if constexpr (L == V)
#pragma unroll
            for (int lane = 0; lane < V; ++lane) lanes[lane].take_all(values_down<Outputs<V>, UNROLL>{out, lane});
        else lanes[0].take_all(values_of_all<Outputs<V>, V, UNROLL>{out});
    }
    if (UNROLL > 1 && at < to) {
        Inputs<V> in[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL - 1; ++u)
            if (at + u * step < to) {
                load<V>(w, n, c, in[u]);
                n += by;
                advance<FROM, TO>(w, c, c_by);
            }
#pragma unroll
        for (int u = 0; u < UNROLL - 1; ++u)
            if (at + u * step < to) {
                Outputs<V> out;
                compute<V>(w, in[u], out);
                take_vector(out, lanes);
            }
    }
}

// Folds the accumulators of a vector's elements into the first one.
template <int V> FOLD void fold_lanes(accumulator (&lanes)[V]) {
#pragma unroll
    for (int width = 1; width < V; width *= 2)
#pragma unroll
        for (int lane = 0; lane + width < V; lane += 2 * width) lanes[lane].merge(lanes[lane + width]);
}

// Folds the accumulators of MEMBERS adjacent threads. The first of them gets the result. A group of
// more than a warp is a whole block. It needs shared memory for an accumulator of each warp, which
// no thread may still be reading.
template <int MEMBERS> FOLD void fold_group(accumulator &total, accumulator *of_warp) {
#pragma unroll
    for (int distance = (MEMBERS < 32 ? MEMBERS : 32) / 2; distance > 0; distance /= 2)
        total.merge(shuffled(total, distance));
    if constexpr (MEMBERS > 32) {
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = total;
        __syncthreads();
        if (threadIdx.x >= 32) return;
        total.clear();
        if (threadIdx.x < MEMBERS / 32) total = of_warp[threadIdx.x];
#pragma unroll
        for (int distance = MEMBERS / 64; distance > 0; distance /= 2) total.merge(shuffled(total, distance));
    }
}
