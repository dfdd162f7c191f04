// Copies of a block's rows between global and shared memory, in vectors of 16 bytes. The rows of a block
// start at a multiple of 16 bytes.
//
// Needs THREADS and N (vectors of a row) of the kernel, and expression.cuh.

template <class T> struct vectors_of {
    static const unsigned EACH = 16 / sizeof(T);
    static const int OF_THREAD = (N * VECTOR * sizeof(T) + 15) / 16;
};

// Copies `count` elements, at most N * VECTOR for each thread.
template <class T> __device__ __forceinline__ void copy_in(T *to, u64 base, u64 first, unsigned count) {
    typedef vectors_of<T> V;
    const T *from = (const T *)base + first;
    const unsigned vectors = count / V::EACH, rest = vectors * V::EACH + threadIdx.x;
    uint4 values[V::OF_THREAD];
#pragma unroll
    for (int i = 0; i < V::OF_THREAD; ++i) {
        const unsigned at = i * THREADS + threadIdx.x;
        if (at < vectors) values[i] = ((const uint4 *)from)[at];
    }
#pragma unroll
    for (int i = 0; i < V::OF_THREAD; ++i) {
        const unsigned at = i * THREADS + threadIdx.x;
        if (at < vectors) ((uint4 *)to)[at] = values[i];
    }
    if (rest < count) to[rest] = from[rest];
}

template <class T> __device__ __forceinline__ void copy_out(u64 base, const T *from, u64 first, unsigned count) {
    typedef vectors_of<T> V;
    T *to = (T *)base + first;
    const unsigned vectors = count / V::EACH, rest = vectors * V::EACH + threadIdx.x;
#pragma unroll
    for (int i = 0; i < V::OF_THREAD; ++i) {
        const unsigned at = i * THREADS + threadIdx.x;
        if (at < vectors) ((uint4 *)to)[at] = ((const uint4 *)from)[at];
    }
    if (rest < count) to[rest] = from[rest];
}
