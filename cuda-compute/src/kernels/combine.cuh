// What `combine.cu` leaves for each place, and `combined.cu` adds to the array.

// Sums of floats are sums of integers, which no order changes: see J. Demmel and H. D. Nguyen, "Fast reproducible
// floating-point summation", 2013. Here a place's unit is fixed before anything is added.
#define EXPONENT_BIAS 1200
#define NOT_FINITE 9999u

// |value| is below 2 to the power of this, without the bias. 0 for a zero, which changes nothing.
__device__ __forceinline__ unsigned exponent_of(double value) {
    if (!isfinite(value)) return NOT_FINITE;
    int exponent;
    return frexp(value, &exponent) == 0 ? 0 : (unsigned)(exponent + EXPONENT_BIAS);
}

// Words whose largest belongs to the largest (or smallest) value; 0 is none. NaN has none.
template <class T> struct word { // integers of 8 and 16 bits
    typedef unsigned type;
    template <bool LARGEST> static __device__ __forceinline__ unsigned of(T value) {
        return LARGEST ? (unsigned)((int)value + 0x10000) : (unsigned)(0x20000 - (int)value);
    }
    template <bool LARGEST> static __device__ __forceinline__ T back(unsigned word) {
        return (T)(LARGEST ? (int)word - 0x10000 : 0x20000 - (int)word);
    }
};
template <> struct word<float> {
    typedef unsigned type;
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
template <> struct word<double> {
    typedef u64 type;
    template <bool LARGEST> static __device__ __forceinline__ u64 of(double value) {
        if (isnan(value)) return 0;
        const u64 bits = (u64)__double_as_longlong(value), key = bits >> 63 ? ~bits : bits | 1ull << 63;
        return LARGEST ? key : ~key;
    }
    template <bool LARGEST> static __device__ __forceinline__ double back(u64 word) {
        const u64 key = LARGEST ? word : ~word;
        return __longlong_as_double((long long)(key >> 63 ? key & ~(1ull << 63) : ~key));
    }
};
