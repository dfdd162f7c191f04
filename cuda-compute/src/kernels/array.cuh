// Elements of arrays: their types in memory, and the types in which they are computed.

#pragma once

#include "scalar.cuh"

// The generated code of an expression may leave some coordinates unused.
#pragma nv_diag_suppress 177

typedef unsigned long long u64;

// Waits for the kernels before this one on its stream. Every kernel begins with this call, because it may have been launched
// before the previous kernel has ended.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// A bool is a byte, 0 or 1. Any other value counts as 1.
struct stored_bool { unsigned char bits; };

// Halves are computed as floats and rounded after each operation. These conversions of f16 may change the
// sign of NaN.
__device__ __forceinline__ unsigned short f16_bits(float x) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
__device__ __forceinline__ float f16_number(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
// These copy it.
__device__ __forceinline__ float from_f16_bits(unsigned short bits) {
    return __uint_as_float(__float_as_uint(f16_number(bits)) | (bits & 0x8000u) << 16);
}
__device__ __forceinline__ unsigned short to_f16_bits(float x) {
    return (unsigned short)((f16_bits(x) & 0x7fffu) | (__float_as_uint(x) >> 16 & 0x8000u));
}
__device__ __forceinline__ unsigned short to_bf16_bits(float x) {
    const unsigned bits = __float_as_uint(x);
#if __CUDA_ARCH__ >= 800
    unsigned short rounded;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(x));
    return (unsigned short)((rounded & 0x7fffu) | (bits >> 16 & 0x8000u));
#else
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)(bits >> 16 | 0x7fffu);
    return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
#endif
}
// Converts halves in structs to floats for user functions.
struct stored_f16 {
    unsigned short bits;
    __device__ __forceinline__ operator float() const { return from_f16_bits(bits); }
    __device__ __forceinline__ stored_f16 &operator=(float x) {
        bits = to_f16_bits(x);
        return *this;
    }
};
struct stored_bf16 {
    unsigned short bits;
    __device__ __forceinline__ operator float() const { return __uint_as_float((unsigned)bits << 16); }
    __device__ __forceinline__ stored_bf16 &operator=(float x) {
        bits = to_bf16_bits(x);
        return *this;
    }
};
#ifdef FLOAT8
// 8-bit floats: 4 or 5 bits of exponent. Conversions round to the nearest, and clamp to the largest
// number, infinities too.
template <int F8_FRACTION, int F8_BIAS, unsigned F8_LARGEST, unsigned F8_NOT_A_NUMBER>
__device__ __forceinline__ unsigned char to_f8_bits(float x) {
    const unsigned sign = __float_as_uint(x) >> 24 & 0x80u, bits = __float_as_uint(x) & 0x7fffffffu;
    const int dropped = 23 - F8_FRACTION;
    unsigned rounded;
    if (bits > 0x7f800000u) {
        rounded = F8_NOT_A_NUMBER;
    } else if (bits >= (unsigned)(128 - F8_BIAS) << 23) {
        rounded = ((bits + (1u << (dropped - 1)) - 1 + (bits >> dropped & 1)) >> dropped) - ((127 - F8_BIAS) << F8_FRACTION);
        rounded = min(rounded, F8_LARGEST);
    } else {
        // The last bit of this number is that of subnormal numbers, so the addition rounds.
        const unsigned one = (unsigned)(151 - F8_BIAS - F8_FRACTION) << 23;
        rounded = __float_as_uint(__uint_as_float(bits) + __uint_as_float(one)) - one;
    }
    return (unsigned char)(sign | rounded);
}
// Stores a value that was loaded as E5M2. Unlike casts, it keeps infinities.
__device__ __forceinline__ unsigned char to_f8e5m2_bits(float x) {
    const unsigned bits = __float_as_uint(x);
    if ((bits & 0x7fffffffu) == 0x7f800000u) return (unsigned char)(bits >> 24 & 0x80u | 0x7cu);
    return to_f8_bits<2, 15, 0x7b, 0x7e>(x);
}
struct stored_f8e4m3 {
    unsigned char bits;
    __device__ __forceinline__ operator float() const {
        const unsigned sign = (bits & 0x80u) << 24, rest = bits & 0x7fu;
        const float value = __uint_as_float(rest << 20) * __uint_as_float((127u + 120) << 23);
        return __uint_as_float(sign | (rest == 0x7f ? 0x7fffffffu : __float_as_uint(value)));
    }
    __device__ __forceinline__ stored_f8e4m3 &operator=(float x) {
        bits = to_f8_bits<3, 7, 0x7e, 0x7f>(x);
        return *this;
    }
};
struct stored_f8e5m2 {
    unsigned char bits;
    __device__ __forceinline__ operator float() const { return from_f16_bits((unsigned short)(bits << 8)); }
    __device__ __forceinline__ stored_f8e5m2 &operator=(float x) {
        bits = to_f8e5m2_bits(x);
        return *this;
    }
};
__device__ __forceinline__ float value_of(stored_f8e4m3 x) { return x; }
__device__ __forceinline__ float value_of(stored_f8e5m2 x) { return x; }
#endif
__device__ __forceinline__ float value_of(stored_f16 x) { return x; }
__device__ __forceinline__ float value_of(stored_bf16 x) { return x; }
// The same for an operand of arithmetic, where the sign of NaN does not matter.
__device__ __forceinline__ float number_of(stored_f16 x) {
    return f16_number(x.bits);
}
__device__ __forceinline__ bool value_of(stored_bool x) { return x.bits != 0; }
template <class T> __device__ __forceinline__ T value_of(T x) { return x; }

// Rounds the result of an operation. The sign of NaN may change.
__device__ __forceinline__ float rounded_f16(float x) {
    return f16_number(f16_bits(x));
}
__device__ __forceinline__ float rounded_bf16(float x) {
#if __CUDA_ARCH__ >= 800
    // The lower half is 0, which leaves a float.
    float value;
    asm("{.reg .b32 halves; cvt.rn.bf16x2.f32 halves, %1, %2; mov.b32 %0, halves;}" : "=f"(value) : "f"(x), "f"(0.0f));
    return value;
#else
    return value_of(stored_bf16{to_bf16_bits(x)});
#endif
}

// Converts wider types with a single rounding: first to a float, rounded towards zero, whose last
// bit is set if the value is not exact. A float has more than two bits more than a half, so the
// second rounding gives the correct result.
__device__ __forceinline__ float to_odd(double x) {
    const float cut = __double2float_rz(x);
    return (double)cut == x || isnan(x) ? cut : __uint_as_float(__float_as_uint(cut) | 1);
}
__device__ __forceinline__ float to_odd(long long x) {
    const float cut = __ll2float_rz(x);
    return (long long)cut == x ? cut : __uint_as_float(__float_as_uint(cut) | 1);
}
__device__ __forceinline__ float to_odd(u64 x) {
    const float cut = __ull2float_rz(x);
    return (u64)cut == x ? cut : __uint_as_float(__float_as_uint(cut) | 1);
}
__device__ __forceinline__ float to_odd(int x) { return to_odd((long long)x); }
__device__ __forceinline__ float to_odd(unsigned x) { return to_odd((u64)x); }
__device__ __forceinline__ float to_odd(float x) { return x; }
template <class T> __device__ __forceinline__ float to_f16(T x) { return rounded_f16(to_odd(x)); }
template <class T> __device__ __forceinline__ float to_bf16(T x) { return rounded_bf16(to_odd(x)); }

template <class S, class C> struct storing {
    static __device__ __forceinline__ S of(C x) { return x; }
    static __device__ __forceinline__ S of_rounded(C x) { return of(x); }
};
template <> struct storing<stored_bool, bool> {
    static __device__ __forceinline__ stored_bool of(bool x) { return {(unsigned char)x}; }
    static __device__ __forceinline__ stored_bool of_rounded(bool x) { return of(x); }
};
template <> struct storing<stored_f16, float> {
    static __device__ __forceinline__ stored_f16 of(float x) { return {to_f16_bits(x)}; }
    static __device__ __forceinline__ stored_f16 of_rounded(float x) { return of(x); }
    static __device__ __forceinline__ stored_f16 of_number(float x) {
        return {f16_bits(x)};
    }
    static __device__ __forceinline__ unsigned of_pair(float low, float high) {
        unsigned pair;
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
        return pair;
    }
};
template <> struct storing<stored_bf16, float> {
    static __device__ __forceinline__ stored_bf16 of(float x) { return {to_bf16_bits(x)}; }
    static __device__ __forceinline__ stored_bf16 of_rounded(float x) { return {(unsigned short)(__float_as_uint(x) >> 16)}; }
    static __device__ __forceinline__ stored_bf16 of_number(float x) { return of(x); }
    static __device__ __forceinline__ unsigned of_pair(float low, float high) {
        unsigned pair;
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
        return pair;
    }
};
#ifdef FLOAT8
__device__ __forceinline__ float rounded_f8e4m3(float x) { return value_of(stored_f8e4m3{to_f8_bits<3, 7, 0x7e, 0x7f>(x)}); }
__device__ __forceinline__ float rounded_f8e5m2(float x) { return value_of(stored_f8e5m2{to_f8_bits<2, 15, 0x7b, 0x7e>(x)}); }
template <class T> __device__ __forceinline__ float to_f8e4m3(T x) { return rounded_f8e4m3(to_odd(x)); }
template <class T> __device__ __forceinline__ float to_f8e5m2(T x) { return rounded_f8e5m2(to_odd(x)); }
template <> struct storing<stored_f8e4m3, float> {
    static __device__ __forceinline__ stored_f8e4m3 of(float x) { return {to_f8_bits<3, 7, 0x7e, 0x7f>(x)}; }
    static __device__ __forceinline__ stored_f8e4m3 of_rounded(float x) { return of(x); }
};
template <> struct storing<stored_f8e5m2, float> {
    static __device__ __forceinline__ stored_f8e5m2 of(float x) { return {to_f8e5m2_bits(x)}; }
    static __device__ __forceinline__ stored_f8e5m2 of_rounded(float x) { return of(x); }
};
#endif

// Elements that a thread loads or stores at once, aligned to their total size: at most 16 bytes, or
// 32 in two steps. Structs of other sizes are accessed one by one with their own alignment.
template <class T> struct is_vector { static const bool value = sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0; };
template <class T, int V> struct alignas(is_vector<T>::value ? sizeof(T) * V : alignof(T)) pack { T at[V]; };

template <class T, int V> __device__ __forceinline__ pack<T, V> load_pack(const T *base, long long offset) {
    return *(const pack<T, V> *)(base + offset);
}
template <class T, int V> __device__ __forceinline__ pack<T, V> load_pack(u64 base, long long offset) {
    return load_pack<T, V>((const T *)base, offset);
}
// The same for data that is read once, so that it does not displace other data in L1.
template <class T, int V> __device__ __forceinline__ pack<T, V> load_streamed(u64 base, long long offset) {
    if constexpr (sizeof(pack<T, V>) == 16 && alignof(pack<T, V>) == 16) {
        unsigned words[4];
        asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
            : "l"((const T *)base + offset));
        pack<T, V> values;
        memcpy(&values, words, sizeof(values));
        return values;
    } else {
        return load_pack<T, V>(base, offset);
    }
}
// The same from an address that is only aligned for one element.
template <class T, int V> __device__ __forceinline__ pack<T, V> load_each(u64 base, long long offset) {
    pack<T, V> values;
#pragma unroll
    for (int lane = 0; lane < V; ++lane) values.at[lane] = ((const T *)base)[offset + lane];
    return values;
}
// The place of an index along an axis: the nearest one if it is out of bounds. Negative indices count from the end.
template <class I, class L> __device__ __forceinline__ L taken_place(I index, L length) {
    if (rs_type<I>::has_sign && index < (I)0) {
        const long long from_end = (long long)index + (long long)length;
        return from_end < 0 ? 0 : (L)from_end;
    }
    return (u64)index < (u64)length ? (L)index : length - 1;
}
// Elements at an offset that increases by STEP, each moved by its index.
template <class T, int V, class P, class L>
__device__ __forceinline__ pack<T, V> load_taken(u64 base, long long offset, const P &indices, L length, L stride, int step) {
    pack<T, V> values;
#pragma unroll
    for (int lane = 0; lane < V; ++lane)
        values.at[lane] = ((const T *)base)[offset + lane * step + taken_place(value_of(indices.at[lane]), length) * stride];
    return values;
}
template <class T> __device__ __forceinline__ T load_one(u64 base, long long offset) {
    return ((const T *)base)[offset];
}
// Values may be any, may be numbers of type T already, or may be results of arithmetic, whose NaN has no
// sign that matters.
enum { ANY, ROUNDED_VALUES, RESULTS_OF_ARITHMETIC };
template <class T, int V, int KIND = ANY, class C>
__device__ __forceinline__ void store_pack(T *base, long long offset, const C (&values)[V]) {
    pack<T, V> stored;
#if __CUDA_ARCH__ >= 800
    if constexpr (KIND == RESULTS_OF_ARITHMETIC && V % 2 == 0) {
#pragma unroll
        for (int lane = 0; lane < V; lane += 2) {
            const unsigned pair = storing<T, C>::of_pair(values[lane], values[lane + 1]);
            memcpy(&stored.at[lane], &pair, sizeof(pair));
        }
    } else
#endif
#pragma unroll
    for (int lane = 0; lane < V; ++lane)
        if constexpr (KIND == RESULTS_OF_ARITHMETIC) stored.at[lane] = storing<T, C>::of_number(values[lane]);
        else if constexpr (KIND == ROUNDED_VALUES) stored.at[lane] = storing<T, C>::of_rounded(values[lane]);
        else stored.at[lane] = storing<T, C>::of(values[lane]);
    *(pack<T, V> *)(base + offset) = stored;
}
template <class T, int V, int KIND = ANY, class C>
__device__ __forceinline__ void store_pack(u64 base, long long offset, const C (&values)[V]) {
    store_pack<T, V, KIND>((T *)base, offset, values);
}

// Results of arithmetic on pairs of halves, or on a single one: see half.cuh.
template <int V> struct pairs { unsigned at[V / 2]; };
template <> struct pairs<1> { unsigned short at[1]; };
template <class T, int V, int KIND = ANY>
__device__ __forceinline__ void store_pack(T *base, long long offset, const pairs<V> &values) {
    pack<T, V> stored;
    static_assert(sizeof(stored) == sizeof(values.at));
    memcpy(&stored, values.at, sizeof(stored));
    *(pack<T, V> *)(base + offset) = stored;
}
template <class T, int V, int KIND = ANY>
__device__ __forceinline__ void store_pack(u64 base, long long offset, const pairs<V> &values) {
    store_pack<T, V, KIND>((T *)base, offset, values);
}

// A field at this byte offset from the start of a value.
template <class F, int OFFSET, class S> __device__ __forceinline__ F field_of(const S &value) {
    F field;
    memcpy(&field, (const char *)&value + OFFSET, sizeof(F));
    return field;
}
template <class T> __device__ __forceinline__ bool equal_arrays(const T &a, const T &b) { return a == b; }
template <class T, int LENGTH>
__device__ __forceinline__ bool equal_arrays(const T (&a)[LENGTH], const T (&b)[LENGTH]) {
    bool equal = true;
    for (int i = 0; i < LENGTH; ++i) equal = equal && equal_arrays(a[i], b[i]);
    return equal;
}

// A number that is passed at launch.
template <class T> __device__ __forceinline__ T scalar(const u64 *words) {
    T value;
    memcpy(&value, words, sizeof(T));
    return value;
}

// Loads of memory that other threads may be changing.
__device__ __forceinline__ unsigned relaxed(const unsigned *place) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}
__device__ __forceinline__ u64 relaxed(const u64 *place) {
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(place) : "memory");
    return value;
}

// Quotients by a length that the host has prepared (Granlund and Montgomery, "Division by invariant
// integers using multiplication", 1994, for dividends of 31 bits). The low half of `magic` is the
// factor, the high half the shift.
__device__ __forceinline__ unsigned divide(unsigned n, u64, u64 magic) {
    return (__umulhi(n, (unsigned)magic) + n) >> (unsigned)(magic >> 32);
}
__device__ __forceinline__ u64 divide(u64 n, u64 length, u64) { return n / length; }

// Functions that C doesn't have.

// 1 / (1 + exp(-x)), and this times x. The power is at most 1, so that it doesn't overflow.
__device__ __forceinline__ float sigmoid_of(float x, float numerator) {
    const float power = expf(-fabsf(x)), below = x < 0 ? power : 1.0f;
    float reciprocal;
    // `ftz` saves instructions for subnormal numbers, which 1 to 2 have no need of.
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(1.0f + power));
    return numerator * below * reciprocal;
}
__device__ __forceinline__ double sigmoid_of(double x, double numerator) {
    const double power = exp(-fabs(x));
    return numerator * (x < 0 ? power : 1.0) / (1.0 + power);
}
template <class T> __device__ __forceinline__ T sigmoid(T x) { return sigmoid_of(x, (T)1); }
template <class T> __device__ __forceinline__ T silu(T x) { return sigmoid_of(x, x); }
__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }
__device__ __forceinline__ double gelu(double x) { return 0.5 * x * (1.0 + erf(x * 0.70710678118654752440)); }

__device__ __forceinline__ float frexp_fraction(float x) { int e; return frexpf(x, &e); }
__device__ __forceinline__ double frexp_fraction(double x) { int e; return frexp(x, &e); }
__device__ __forceinline__ int frexp_exponent(float x) { int e; frexpf(x, &e); return isfinite(x) ? e : 0; }
__device__ __forceinline__ int frexp_exponent(double x) { int e; frexp(x, &e); return isfinite(x) ? e : 0; }
