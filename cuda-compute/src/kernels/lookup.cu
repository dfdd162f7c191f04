// Writes a part of a table, which the launch passes. Specialised by WORDS, the most words of a part.

#include "array.cuh"

struct Part { unsigned at[WORDS]; };

extern "C" __global__ void lookup(const __grid_constant__ Part part, u64 to, u64 count) {
    wait_for_previous_kernel();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) ((unsigned *)to)[i] = part.at[i];
}
