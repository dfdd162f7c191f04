// Computes expressions of one shape element by element and stores them.
//
// Specialised by THREADS, UNROLL (vectors per thread, all loaded before any is computed), TAIL (whether
// elements follow the last vector) and expression.cuh, which is generated for each expression: see
// expression/render.rs.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) elementwise(const __grid_constant__ Words w) {
    wait_for_previous_kernel();
    const index_t vectors = (index_t)(w.at[0] / VECTOR);
    const index_t first = (index_t)blockIdx.x * (THREADS * UNROLL) + threadIdx.x;
    const Coordinates c_first = coordinates(w, first), c_by = coordinates(w, THREADS);
    Coordinates c = c_first;
    Inputs<VECTOR> in[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < vectors) {
            load<VECTOR>(w, first + u * THREADS, c, in[u]);
            advance<0, LAST_AXIS>(w, c, c_by);
        }
    c = c_first;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < vectors) {
            Outputs<VECTOR> out;
            compute<VECTOR>(w, in[u], out);
            store<VECTOR, true>(w, first + u * THREADS, c, out);
            advance<0, LAST_AXIS>(w, c, c_by);
        }
#if TAIL
    if (blockIdx.x == gridDim.x - 1) {
        // Only linear operands and single broadcast elements can end within a vector.
        const index_t n = vectors * VECTOR + threadIdx.x;
        if (n < w.at[0]) {
            Inputs<1> in;
            Outputs<1> out;
            load<1>(w, n, in);
            compute<1>(w, in, out);
            store<1, true>(w, n, out);
        }
    }
#endif
}
