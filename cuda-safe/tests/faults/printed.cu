// The test of `include_program!` defines SIZE.
__device__ int table[SIZE];
