// Combines values of an expression with elements of an array. The result does not depend on the
// values' order, except for sums of floats by pass 0.
//
// Specialised by THREADS, UNROLL (elements per thread), SIGNED (whether places may count from the
// end), STORED, VALUE, COMBINING (0: sum, 1: minimum, 2: maximum), PASS and expression.cuh, whose
// first value is the element and second the place. Passes:
//   0  into the array itself: integers of 32 and 64 bits, minima and maxima of floats of 32 and 64 bits,
//      and their sums in any order. Vectors have consecutive places, and are only for sums of floats.
//      With COPIES above 0, each block first adds its values in that many copies of the array in shared
//      memory, which warps use in turn.
//   1  into words, one for each place, initially zero: see word
//   2  sums of floats: the largest exponent of each place's values
//   3  sums of floats: integers in units derived from this exponent, LIMBS for each place
// `combined.cu` adds the results of passes 1 and 3 to the array. They are stored for each element of
// the array or, if HASHED, for each slot of a table: see slot_of.

#include "array.cuh"
#include "complex.cuh"
#include "combine.cuh"
#include "expression.cuh"

#if PASS == 0
template <class T> struct is_float { static const bool value = false; };
template <> struct is_float<float> { static const bool value = true; };

// The minimum or maximum of floats. A NaN in the array is replaced by the first number. After that,
// atomic operations on the bits give the right order. As signed integers, positive floats are in
// their own order and above all others. As unsigned integers, negative floats are in reverse order
// and above all others.
template <class SIGNED_BITS, class BITS, class T>
__device__ __forceinline__ void combine_floats(T *target, T value, T before, BITS before_bits, SIGNED_BITS bits) {
    if (isnan(value) || (COMBINING == 1 ? before < value : before > value)) return;
    BITS *const place = (BITS *)target;
    if (isnan(before) && atomicCAS(place, before_bits, (BITS)bits) == before_bits) return;
    const bool smallest = COMBINING == 1;
    if (bits >= 0)
        smallest ? atomicMin((SIGNED_BITS *)place, bits) : atomicMax((SIGNED_BITS *)place, bits);
    else
        smallest ? atomicMax(place, (BITS)bits) : atomicMin(place, (BITS)bits);
}
__device__ __forceinline__ void combine_one(float *place, float value) {
    if (COMBINING == 0) {
        atomicAdd(place, value);
        return;
    }
    const unsigned before = relaxed((const unsigned *)place);
    combine_floats(place, value, __uint_as_float(before), before, __float_as_int(value));
}
__device__ __forceinline__ void combine_one(double *place, double value) {
    if (COMBINING == 0) {
        atomicAdd(place, value);
        return;
    }
    const u64 before = relaxed((const u64 *)place);
    combine_floats(place, value, __longlong_as_double((long long)before), before, __double_as_longlong(value));
}
template <class T> __device__ __forceinline__ void combine_one(T *place, T value) {
    if (COMBINING == 1) atomicMin(place, value);
    else if (COMBINING == 2) atomicMax(place, value);
    else if (sizeof(T) == 8) atomicAdd((u64 *)place, (u64)value);
    else atomicAdd((unsigned *)place, (unsigned)value);
}
template <class T> __device__ __forceinline__ void combine_one(complex<T> *place, complex<T> value) {
    atomicAdd(&place->re, value.re);
    atomicAdd(&place->im, value.im);
}
template <class T> __device__ __forceinline__ void combine_at(u64 target, u64 at, T value) {
    combine_one((T *)target + at, value);
}
// Consecutive elements, which are aligned to their size.
template <class T, int V> __device__ __forceinline__ void combine_all(u64 target, u64 at, const T (&values)[V]) {
#if __CUDA_ARCH__ >= 900
    if constexpr (V % 4 == 0 && is_float<T>::value) {
#pragma unroll
        for (int v = 0; v < V; v += 4)
            atomicAdd((float4 *)((T *)target + at + v), make_float4(values[v], values[v + 1], values[v + 2], values[v + 3]));
        return;
    }
    if constexpr (V == 2 && is_float<T>::value) {
        atomicAdd((float2 *)((T *)target + at), make_float2(values[0], values[1]));
        return;
    }
#endif
#pragma unroll
    for (int v = 0; v < V; ++v) combine_at<T>(target, at + v, values[v]);
}
#elif PASS == 1
template <class T> __device__ __forceinline__ void combine_at(u64 words, u64 at, T value) {
    unsigned *place = (unsigned *)words + at;
    if (COMBINING == 0) atomicAdd(place, (unsigned)value);
    else if (const unsigned key = word<T>::template of<COMBINING == 2>(value)) atomicMax(place, key);
}
#else
__device__ __forceinline__ void combine_real(u64 limbs, u64 exponents, u64 at, double value, int bits) {
    unsigned *exponent = (unsigned *)exponents + at;
    if (PASS == 2) {
        const unsigned own = exponent_of(value);
        if (own > relaxed(exponent)) atomicMax(exponent, own);
        return;
    }
    u64 *limb = (u64 *)limbs + at * LIMBS;
    if (*exponent == NOT_FINITE) {
        if (!isfinite(value)) atomicOr(limb, isnan(value) ? 4ull : value > 0 ? 1ull : 2ull);
        return;
    }
    double left = ldexp(value, bits - ((int)*exponent - EXPONENT_BIAS));
#pragma unroll
    for (int i = 0; i < LIMBS; ++i) {
        const long long whole = (long long)left;
        if (whole) atomicAdd(limb + i, (u64)whole);
        left = (left - (double)whole) * (double)(1ll << bits);
    }
}
template <class T>
__device__ __forceinline__ void combine_at(u64 limbs, u64 exponents, u64 at, T value, int bits) {
    combine_real(limbs, exponents, at, value, bits);
}
template <class T>
__device__ __forceinline__ void combine_at(u64 limbs, u64 exponents, u64 at, complex<T> value, int bits) {
    combine_real(limbs, exponents, at * 2, value.re, bits);
    combine_real(limbs, exponents, at * 2 + 1, value.im, bits);
}
#endif

// Calls `combine` with the place and the values of UNROLL vectors from `first` on. There are `count` vectors. If a
// place is not below `length`, its vector's number plus 1 is written to `wrong`, unless that is 0.
template <class N, class F>
__device__ __forceinline__ void combine_vectors(const Words &w, N first, u64 count, u64 length, u64 wrong, F combine) {
    Inputs<VECTOR> in[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < count) load<VECTOR>(w, (index_t)(first + u * THREADS), in[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
        if (first + u * THREADS < count) {
            Outputs<VECTOR> out;
            compute<VECTOR>(w, in[u], out);
            u64 at = (u64)out.y1[0];
            if (SIGNED && out.y1[0] < 0) at += length;
            if (at < length)
                combine(at, out.y0);
            else if (wrong)
                asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(wrong), "l"((u64)(first + u * THREADS) + 1)
                             : "memory");
        }
}

#if PASS == 0 && COPIES > 0
// The value of a place to which nothing was added. Adding it changes no number, not even -0.
template <class T> __device__ __forceinline__ T untouched() { return rs_type<T>::real ? -(T)0 : (T)0; }
template <class T> __device__ __forceinline__ bool is_untouched(T value) {
    return value == 0 && (!rs_type<T>::real || signbit((double)value));
}

// For an array of few elements.
extern "C" __global__ void __launch_bounds__(THREADS)
combine(const __grid_constant__ Words w, u64 count, u64 length, u64 target, u64, u64, u64 wrong, u64, u64) {
    wait_for_previous_kernel();
    extern __shared__ unsigned char shared[];
    // A complex number is two parts.
    PART *const sums = (PART *)shared;
    const unsigned parts = (unsigned)length * (unsigned)(sizeof(VALUE) / sizeof(PART));
    for (unsigned i = threadIdx.x; i < parts * COPIES; i += THREADS) sums[i] = untouched<PART>();
    __syncthreads();
    VALUE *const own = (VALUE *)(sums + threadIdx.x / 32 % COPIES * parts);
    const u64 step = (u64)gridDim.x * (THREADS * UNROLL);
    for (u64 first = (u64)blockIdx.x * (THREADS * UNROLL) + threadIdx.x; first < count; first += step)
        combine_vectors(w, first, count, length, wrong, [&](u64 at, const VALUE(&values)[VECTOR]) {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) combine_one(own + at + v, values[v]);
        });
    __syncthreads();
    for (unsigned i = threadIdx.x; i < parts; i += THREADS) {
        PART sum = sums[i];
#pragma unroll
        for (int copy = 1; copy < COPIES; ++copy) sum = rs_add<PART>(sum, sums[copy * parts + i]);
        if (!is_untouched(sum)) combine_one((PART *)target + i, sum);
    }
}
#else
extern "C" __global__ void __launch_bounds__(THREADS)
combine(const __grid_constant__ Words w, u64 count, u64 length, u64 target, u64 exponents, u64 bits, u64 wrong, u64 places,
        u64 slots) {
    wait_for_previous_kernel();
    const index_t first = (index_t)blockIdx.x * (THREADS * UNROLL) + threadIdx.x;
    combine_vectors(w, first, count, length, wrong, [&](u64 at, const VALUE(&values)[VECTOR]) {
#if HASHED
        at = slot_of((u64 *)places, slots, at);
#endif
#if PASS == 0
        combine_all(target, at, values);
#elif PASS == 1
        combine_at<VALUE>(target, at, values[0]);
#else
        combine_at(target, exponents, at, values[0], (int)bits);
#endif
    });
}
#endif
