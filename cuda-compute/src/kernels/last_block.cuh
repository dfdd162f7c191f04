// The block that finishes last among several that share a result.

// Returns whether this block is the last of `blocks` blocks with the same counter, which is zero
// before and after. In that case all that they have written can be read.
__device__ __forceinline__ bool comes_last(u64 *counter, u64 blocks) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd((unsigned long long *)counter, 1ull) == blocks - 1;
        if (last) *counter = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}
