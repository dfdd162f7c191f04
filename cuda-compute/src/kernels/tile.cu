// Expressions with transposed operands, whose contiguous axis is not that of the result. A block
// reads a square of each operand along the operand's contiguous axis into shared memory, and
// continues along the result's.
//
// Specialised by expression.cuh and turned.cuh, which are generated for each expression: see
// expression/tile.rs. There are RANK axes, outermost first. The last one is contiguous in the
// result, and ACROSS is the one along which the transposed operands are contiguous. EDGE is the
// edge of a square, of which ROWS rows are read at once.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"

struct Lengths { u64 at[8]; };
struct Place { offset_t at[RANK]; };

#include "turned.cuh"

extern "C" __global__ void __launch_bounds__(EDGE * ROWS)
tile(const __grid_constant__ Words w, const __grid_constant__ Lengths lengths) {
    wait_for_previous_kernel();
    __shared__ Turned turned;
    const u64 along = lengths.at[RANK - 1], across = lengths.at[ACROSS];
    const u64 tiles_along = (along + EDGE - 1) / EDGE, tiles_across = (across + EDGE - 1) / EDGE;
    u64 rest = blockIdx.x;
    const u64 first_along = rest % tiles_along * EDGE;
    rest /= tiles_along;
    const u64 first_across = rest % tiles_across * EDGE;
    rest /= tiles_across;
    Place place;
#pragma unroll
    for (int axis = RANK - 2; axis >= 0; --axis)
        if (axis != ACROSS) {
            place.at[axis] = (offset_t)(rest % lengths.at[axis]);
            rest /= lengths.at[axis];
        }
    const unsigned x = threadIdx.x % EDGE, y = threadIdx.x / EDGE;
    const unsigned left_along = (unsigned)min(along - first_along, (u64)EDGE);
    const unsigned left_across = (unsigned)min(across - first_across, (u64)EDGE);
#pragma unroll
    for (unsigned step = 0; step < EDGE; step += ROWS) {
        const unsigned row = step + y;
        place.at[RANK - 1] = (offset_t)(first_along + row);
        place.at[ACROSS] = (offset_t)(first_across + x);
        if (row < left_along && x < left_across) turn(w, place, turned, row, x);
    }
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < EDGE; step += ROWS) {
        const unsigned row = step + y;
        place.at[RANK - 1] = (offset_t)(first_along + x);
        place.at[ACROSS] = (offset_t)(first_across + row);
        if (x < left_along && row < left_across) {
            Inputs<1> in;
            Outputs<1> out;
            load_at(w, place, turned, x, row, in);
            compute<1>(w, in, out);
            store_at(w, place, out);
        }
    }
}
