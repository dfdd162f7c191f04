// The data that `combine.cu` stores for each place and `combined.cu` adds to the array.

// Sums of floats are computed as sums of integers, which do not depend on order: see J. Demmel and
// H. D. Nguyen, "Fast reproducible floating-point summation", 2013. Here a place's unit is fixed
// before anything is added.
#define EXPONENT_BIAS 1200
#define NOT_FINITE 9999u

// |value| is below 2 to the power of this, without the bias. It is 0 for a zero, which has no effect.
__device__ __forceinline__ unsigned exponent_of(double value) {
    if (!isfinite(value)) return NOT_FINITE;
    int exponent;
    return frexp(value, &exponent) == 0 ? 0 : (unsigned)(exponent + EXPONENT_BIAS);
}

// Words of which the largest corresponds to the largest (or smallest) value. 0 means no value. NaN
// has no word.
template <class T> struct word { // integers of 8 and 16 bits
    template <bool LARGEST> static __device__ __forceinline__ unsigned of(T value) {
        return LARGEST ? (unsigned)((int)value + 0x10000) : (unsigned)(0x20000 - (int)value);
    }
    template <bool LARGEST> static __device__ __forceinline__ T back(unsigned word) {
        return (T)(LARGEST ? (int)word - 0x10000 : 0x20000 - (int)word);
    }
};
template <> struct word<float> { // halves
    template <bool LARGEST> static __device__ __forceinline__ unsigned of(float value) {
        if (isnan(value)) return 0;
        const unsigned bits = __float_as_uint(value), key = bits >> 31 ? ~bits : bits | 1u << 31;
        return LARGEST ? key : ~key;
    }
    template <bool LARGEST> static __device__ __forceinline__ float back(unsigned word) {
        const unsigned key = LARGEST ? word : ~word;
        return __uint_as_float(key >> 31 ? key & ~(1u << 31) : ~key);
    }
};

// Returns the slot of a place in a hash table, and assigns one if it has none. The number of slots
// is a power of two, and at least half of them stay free. A slot holds its place plus 1, or 0 while
// it is free.
__device__ __forceinline__ u64 slot_of(u64 *places, u64 slots, u64 at) {
    u64 slot = at * 0x9e3779b97f4a7c15ull;
    slot ^= slot >> 32;
    for (;; ++slot) {
        u64 *const place = places + (slot & (slots - 1));
        u64 held = relaxed(place);
        if (!held) held = atomicCAS(place, 0ull, at + 1);
        if (!held || held == at + 1) return slot & (slots - 1);
    }
}
