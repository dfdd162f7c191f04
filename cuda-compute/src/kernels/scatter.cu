// Stores values of an expression at places of an array.
//
// Specialised by THREADS, UNROLL (elements per thread), SIGNED (whether places may count from the
// end), STORED, VALUE and expression.cuh, whose first value is the element and second the place.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"

template <class W, class T> __device__ __forceinline__ void store_words(T *to, const T &value) {
#pragma unroll
    for (int i = 0; i < (int)(sizeof(T) / sizeof(W)); ++i) {
        W word;
        memcpy(&word, (const char *)&value + i * sizeof(W), sizeof(W));
        ((volatile W *)to)[i] = word;
    }
}

// Several threads may store to the same place. Volatile stores of words do not race.
template <class T> __device__ __forceinline__ void store_at(T *to, const T &value) {
    if constexpr (alignof(T) >= 8)
        store_words<u64>(to, value);
    else if constexpr (alignof(T) == 4)
        store_words<unsigned>(to, value);
    else if constexpr (alignof(T) == 2)
        store_words<unsigned short>(to, value);
    else
        store_words<unsigned char>(to, value);
}

// If a place is not below `length`, its number plus 1 is written to `wrong`.
extern "C" __global__ void __launch_bounds__(THREADS)
scatter(const __grid_constant__ Words w, u64 count, u64 length, u64 target, u64 wrong) {
    wait_for_previous_kernel();
    const index_t first = (index_t)blockIdx.x * (THREADS * UNROLL) + threadIdx.x;
    Inputs<1> in[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < count) load<1>(w, first + u * THREADS, in[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < count) {
            Outputs<1> out;
            compute<1>(w, in[u], out);
            u64 at = (u64)out.y1[0];
            if (SIGNED && out.y1[0] < 0) at += length;
            if (at < length)
                store_at((STORED *)target + at, storing<STORED, VALUE>::of(out.y0[0]));
            else
                asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(wrong), "l"((u64)(first + u * THREADS) + 1)
                             : "memory");
        }
}
