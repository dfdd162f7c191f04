// Stores the results of reductions or of a scan, or the values that are computed from them. It needs
// expression.cuh.

// `n` is the number of a vector of elements that the results are of, and `c` its coordinates. Neither
// the results nor other operands differ along reduced axes, so any such vector can be used.
template <int V, class R>
__device__ __forceinline__ void store_results(const Words &w, index_t n, const Coordinates &c, const R &results) {
#ifdef AFTER
    Inputs<V> in;
    give<V>(results, in);
    load_late<V>(w, n, c, in);
    Outputs_after<V> out;
    compute_after<V>(w, in, out);
    store<V, true>(w, n, c, out);
#else
    store<V>(w, n, c, results);
#endif
}
