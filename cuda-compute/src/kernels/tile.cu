// Expressions with transposed operands, whose contiguous axis is not that of the result. A block
// reads a tile of each operand along the operand's contiguous axis into shared memory, and continues
// along the result's.
//
// Specialised by expression.cuh and transposed.cuh, which are generated for each expression: see
// expression/transposed.rs. There are RANK axes, outermost first. The last one is contiguous in the
// result, and ACROSS is the one along which the transposed operands are contiguous. A tile has WIDTH
// elements along the last axis and HEIGHT along ACROSS. A block has THREADS threads, each of which
// reads READ consecutive elements of transposed operands at once, and writes VECTOR of the results.
// EARLY means that registers suffice to load all operands before any element is computed.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "corner.cuh"
#include "transposed.cuh"

struct Sizes {
    u64 lengths[RANK];  // of the axes
    u64 by[RANK];       // constants for dividing by the number of tiles along each axis
};

// The place of a thread's element in a tile at this step. Each row has `length` places, `each` elements apart.
struct Place {
    unsigned row, column;
    __device__ __forceinline__ Place(unsigned step, unsigned length, unsigned each) {
        if (THREADS % length == 0) {
            row = step * (THREADS / length) + threadIdx.x / length;
            column = threadIdx.x % length * each;
        } else {
            const unsigned place = step * THREADS + threadIdx.x;
            row = place / length;
            column = place % length * each;
        }
    }
};

#define READS ((WIDTH * (HEIGHT / READ) + THREADS - 1) / THREADS)
#define STEPS ((HEIGHT * (WIDTH / VECTOR) + THREADS - 1) / THREADS)

extern "C" __global__ void __launch_bounds__(THREADS)
tile(const __grid_constant__ Words w, const __grid_constant__ Sizes s) {
    wait_for_previous_kernel();
    __shared__ Transposed transposed;
    Coordinates corner;
    set_corner<~0u>(s.lengths, s.by, blockIdx.x, corner);
    const unsigned width = (unsigned)min((index_t)s.lengths[RANK - 1] - (index_t)corner.at[RANK - 1], (index_t)WIDTH);
    const unsigned height = (unsigned)min((index_t)s.lengths[ACROSS] - (index_t)corner.at[ACROSS], (index_t)HEIGHT);
    Read<READ> read[READS];
#pragma unroll
    for (unsigned step = 0; step < READS; ++step) {
        const Place from(step, HEIGHT / READ, READ);
        Coordinates c = corner;
        c.at[RANK - 1] += from.row;
        c.at[ACROSS] += from.column;
        if (from.row < width && from.column < height) load_transposed(w, c, read[step]);
    }
    Inputs<VECTOR> in[STEPS];
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
        const Place to(step, WIDTH / VECTOR, VECTOR);
        Coordinates c = corner;
        c.at[RANK - 1] += to.column;
        c.at[ACROSS] += to.row;
        if (EARLY && to.column < width && to.row < height) load_others(w, c, in[step]);
    }
#pragma unroll
    for (unsigned step = 0; step < READS; ++step) {
        const Place from(step, HEIGHT / READ, READ);
        if (from.row < width && from.column < height) put_transposed(read[step], transposed, from.row, from.column);
    }
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
        const Place to(step, WIDTH / VECTOR, VECTOR);
        Coordinates c = corner;
        c.at[RANK - 1] += to.column;
        c.at[ACROSS] += to.row;
        if (to.column < width && to.row < height) {
            Inputs<VECTOR> &own = in[step];
            Outputs<VECTOR> out;
            if (!EARLY) load_others(w, c, own);
            take_transposed(transposed, to.column, to.row, own);
            compute<VECTOR>(w, own, out);
            store<VECTOR, true>(w, 0, c, out);
        }
    }
}
