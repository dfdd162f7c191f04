// Expressions with transposed operands, whose contiguous axis is not that of the result. A block
// reads a square of each operand along the operand's contiguous axis into shared memory, and
// continues along the result's.
//
// Specialised by expression.cuh and transposed.cuh, which are generated for each expression: see
// expression/transposed.rs. There are RANK axes, outermost first. The last one is contiguous in the
// result, and ACROSS is the one along which the transposed operands are contiguous. EDGE is the
// edge of a square, of which ROWS rows are read at once.
// EARLY means that registers suffice to load all operands before any element is computed.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "transposed.cuh"
#include "corner.cuh"

struct Sizes {
    u64 lengths[RANK];  // of the axes
    u64 by[RANK];       // constants for dividing by the number of tiles along each axis
};

#define STEPS (EDGE / ROWS)

extern "C" __global__ void __launch_bounds__(EDGE * ROWS)
tile(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
    __shared__ Transposed transposed;
    Coordinates corner;
    set_corner<~0u>(s.lengths, s.by, blockIdx.x, corner);
    const unsigned x = threadIdx.x % EDGE, y = threadIdx.x / EDGE;
    const index_t along = (index_t)s.lengths[RANK - 1] - (index_t)corner.at[RANK - 1];
    const index_t across = (index_t)s.lengths[ACROSS] - (index_t)corner.at[ACROSS];
    Inputs<1> in[STEPS];
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
        const unsigned row = step * ROWS + y;
        Coordinates c = corner;
        c.at[RANK - 1] += row;
        c.at[ACROSS] += x;
        if (row < along && x < across) load_transposed(w, c, transposed, row, x);
    }
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
        const unsigned row = step * ROWS + y;
        Coordinates c = corner;
        c.at[RANK - 1] += x;
        c.at[ACROSS] += row;
        if (EARLY && x < along && row < across) load_others(w, c, in[step]);
    }
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
        const unsigned row = step * ROWS + y;
        Coordinates c = corner;
        c.at[RANK - 1] += x;
        c.at[ACROSS] += row;
        if (x < along && row < across) {
            Inputs<1> &own = in[step];
            Outputs<1> out;
            if (!EARLY) load_others(w, c, own);
            take_transposed(transposed, x, row, own);
            compute<1>(w, own, out);
            store<1>(w, 0, c, out);
        }
    }
}
