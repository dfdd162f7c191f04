// Adds to an array the data that `combine.cu` has stored for each of its places.
//
// Specialised by THREADS, STORED, PART (the type in which a part is computed: VALUE, or that of a
// complex number's parts), COMBINING, LIMBS (integers per sum of floats, or 0 if there is a word
// for each place) and HASHED (whether there is a slot of a table for each place, rather than one
// for each element).

#include "array.cuh"
#include "complex.cuh"
#include "combine.cuh"

#if LIMBS
__device__ __forceinline__ double sum_of(double before, unsigned exponent, const u64 *limbs, int bits) {
    if (exponent == 0) return before;
    if (exponent == NOT_FINITE) {
        const u64 seen = limbs[0];
        return before + (seen & 4 || seen == 3 ? __longlong_as_double(0x7ff8000000000000ll)
                                               : __longlong_as_double(seen == 1 ? 0x7ff0000000000000ll : 0xfff0000000000000ll));
    }
    long long parts[LIMBS];
#pragma unroll
    for (int i = 0; i < LIMBS; ++i) parts[i] = (long long)limbs[i];
#pragma unroll
    for (int i = LIMBS - 1; i > 0; --i) {
        parts[i - 1] += parts[i] >> bits;
        parts[i] &= (1ll << bits) - 1;
    }
    const int unit = (int)exponent - EXPONENT_BIAS - bits;
    double high = (double)parts[0], low = (double)(parts[0] - (long long)high), scale = 1;
#pragma unroll
    for (int i = 1; i < LIMBS; ++i) {
        scale /= (double)(1ll << bits);
        low += (double)parts[i] * scale;
    }
    high = ldexp(high, unit);
    low = ldexp(low, unit);
    // The rounding error of a sum of two numbers is representable in their own type: D. E. Knuth,
    // The Art of Computer Programming, volume 2, 4.2.2, theorem B.
    const double sum = before + high, other = sum - before;
    const double error = (before - (sum - other)) + (high - other);
    return isfinite(sum) ? sum + (error + low) : sum;
}
#endif

template <class T> struct part_of { typedef STORED type; };
template <class T> struct part_of<complex<T>> { typedef T type; };

extern "C" __global__ void __launch_bounds__(THREADS)
combined(u64 parts, u64 target, const u64 *words, const unsigned *exponents, u64 bits, const u64 *places) {
    wait_for_previous_kernel();
    const u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (at >= parts) return;
    typedef typename part_of<STORED>::type part;
#if HASHED
    const u64 of_element = sizeof(STORED) / sizeof(part), held = places[at / of_element];
    if (!held) return;
    part *place = (part *)target + (held - 1) * of_element + at % of_element;
#else
    part *place = (part *)target + at;
#endif
    const PART before = value_of(*place);
#if LIMBS
    if (exponents[at]) *place = storing<part, PART>::of((PART)sum_of(before, exponents[at], words + at * LIMBS, (int)bits));
#else
    const unsigned key = ((const unsigned *)words)[at];
    if (!key) return;
#if COMBINING == 0
    *place = storing<part, PART>::of((PART)(before + (PART)key));
#else
    // Words, which are 0 for NaN.
    if (key > word<PART>::template of<COMBINING == 2>(before))
        *place = storing<part, PART>::of(word<PART>::template back<COMBINING == 2>(key));
#endif
#endif
}
