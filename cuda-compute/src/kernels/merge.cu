// Merges two sorted arrays of keys. Equal keys of the first array come first.
//
// A block writes a tile of the result. Its keys are contiguous in both arrays, which a binary search
// along a diagonal finds, and in shared memory each thread finds its own part in the same way: see
// Green, McColl and Bader, "GPU Merge Path" (2012).
//
// Specialised by THREADS, ITEMS (results per thread) and sort.cuh.

#include "array.cuh"
#include "sort.cuh"

// The number of keys of `one` among the first `diagonal` of the merged keys.
template <class Place>
__device__ __forceinline__ Place split(const key_bits *one, Place ones, const key_bits *other, Place others,
                                       Place diagonal) {
    Place low = diagonal > others ? diagonal - others : 0, high = diagonal < ones ? diagonal : ones;
    while (low < high) {
        const Place middle = low + (high - low) / 2;
        if (code_of(one[middle]) <= code_of(other[diagonal - 1 - middle])) low = middle + 1;
        else high = middle;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(THREADS)
merge(u64 one_address, u64 ones, u64 other_address, u64 others, u64 result) {
    wait_for_previous_kernel();
    __shared__ key_bits keys[TILE];
    __shared__ u64 bounds[2];
    const key_bits *const one = (const key_bits *)one_address, *const other = (const key_bits *)other_address;
    const u64 begin = (u64)blockIdx.x * TILE, count = ones + others;
    const u64 end = begin + TILE < count ? begin + TILE : count;
    if (threadIdx.x < 2) bounds[threadIdx.x] = split<u64>(one, ones, other, others, threadIdx.x == 0 ? begin : end);
    __syncthreads();
    // The tile's keys of the first array, followed by those of the second.
    const u64 first = bounds[0], second = begin - first;
    // In unsorted arrays, the bounds may have any distance.
    const int length = (int)(end - begin);
    const int own_ones = bounds[1] < first ? 0 : (int)min(bounds[1] - first, (u64)length), own_others = length - own_ones;
    for (int i = threadIdx.x; i < length; i += THREADS) keys[i] = i < own_ones ? one[first + i] : other[second + i - own_ones];
    __syncthreads();

    const int start = min((int)threadIdx.x * ITEMS, length);
    int a = split<int>(keys, own_ones, keys + own_ones, own_others, start), b = start - a;
    key_bits merged[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const bool has_a = a < own_ones, has_b = b < own_others;
        if (!has_a && !has_b) break;
        const bool takes_a = has_a && (!has_b || code_of(keys[a]) <= code_of(keys[own_ones + b]));
        merged[i] = takes_a ? keys[a++] : keys[own_ones + b++];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
        if (start + i < length) keys[start + i] = merged[i];
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += THREADS) ((key_bits *)result)[begin + i] = keys[i];
}
