// Combines the corresponding elements of several arrays in one pass, in the order of the arrays.
//
// Macros: ELEMENT is the type in memory, INPUTS the number of arrays, OPERATION one of the codes below.

enum { SUM, PRODUCT, MIN, MAX, MEAN };

struct Half {
    unsigned short bits;
};
struct Bfloat {
    unsigned short bits;
};

// The type in which an element is computed.
template <class E>
struct Number {
    typedef E Type;
    static __device__ Type of(E e) { return e; }
    static __device__ E from(Type v) { return v; }
};
template <>
struct Number<signed char> {
    typedef int Type;
    static __device__ int of(signed char e) { return e; }
    static __device__ signed char from(int v) { return (signed char)v; }
};
template <>
struct Number<unsigned char> {
    typedef unsigned Type;
    static __device__ unsigned of(unsigned char e) { return e; }
    static __device__ unsigned char from(unsigned v) { return (unsigned char)v; }
};
template <>
struct Number<Half> {
    typedef float Type;
    static __device__ float of(Half e) {
        float v;
        asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(e.bits));
        return v;
    }
    static __device__ Half from(float v) {
        Half e;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(e.bits) : "f"(v));
        return e;
    }
};
template <>
struct Number<Bfloat> {
    typedef float Type;
    static __device__ float of(Bfloat e) { return __uint_as_float((unsigned)e.bits << 16); }
    // Rounds to nearest, ties to even. Written by hand because devices before 8.0 have no instruction for it.
    static __device__ Bfloat from(float v) {
        unsigned bits = __float_as_uint(v);
        Bfloat e;
        e.bits = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
        return e;
    }
};

typedef Number<ELEMENT> Of;
typedef Of::Type Computed;

template <class C>
__device__ C add(C a, C b) { return a + b; }
template <class C>
__device__ C multiply(C a, C b) { return a * b; }
template <class C>
__device__ C least(C a, C b) { return b < a ? b : a; }
template <class C>
__device__ C greatest(C a, C b) { return a < b ? b : a; }
// Signed integers wrap around.
__device__ int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
__device__ int multiply(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
__device__ long long add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
__device__ long long multiply(long long a, long long b) {
    return (long long)((unsigned long long)a * (unsigned long long)b);
}
// NaN is ignored.
__device__ float least(float a, float b) { return fminf(a, b); }
__device__ float greatest(float a, float b) { return fmaxf(a, b); }
__device__ double least(double a, double b) { return fmin(a, b); }
__device__ double greatest(double a, double b) { return fmax(a, b); }

__device__ Computed combined(Computed a, Computed b) {
    switch (OPERATION) {
    case PRODUCT: return multiply(a, b);
    case MIN: return least(a, b);
    case MAX: return greatest(a, b);
    default: return add(a, b);
    }
}

__device__ ELEMENT finished(Computed v) {
    if (OPERATION != MEAN) return Of::from(v);
    // Integers wrap around, like their sum.
    if (sizeof(Computed) != sizeof(ELEMENT) && (Computed)0.5f == 0) v = Of::of(Of::from(v));
    return Of::from(v / (Computed)INPUTS);
}

struct Inputs {
    const ELEMENT *at[INPUTS];
};
struct alignas(16) Vector {
    ELEMENT e[16 / sizeof(ELEMENT)];
};

// `to` may be one of the inputs. `aligned` is set if all addresses are multiples of 16.
extern "C" __global__ void combine(const Inputs in, ELEMENT *to, unsigned long long count, int aligned) {
    const unsigned long long first = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    const unsigned long long step = gridDim.x * (unsigned long long)blockDim.x;
    const unsigned each = 16 / sizeof(ELEMENT);
    const unsigned long long vectors = aligned ? count / each : 0;
    for (unsigned long long i = first; i < vectors; i += step) {
        Vector x[INPUTS];
#pragma unroll
        for (int k = 0; k < INPUTS; ++k) x[k] = ((const Vector *)in.at[k])[i];
        Vector y;
#pragma unroll
        for (int j = 0; j < each; ++j) {
            Computed v = Of::of(x[0].e[j]);
#pragma unroll
            for (int k = 1; k < INPUTS; ++k) v = combined(v, Of::of(x[k].e[j]));
            y.e[j] = finished(v);
        }
        ((Vector *)to)[i] = y;
    }
    for (unsigned long long i = vectors * each + first; i < count; i += step) {
        Computed v = Of::of(in.at[0][i]);
#pragma unroll
        for (int k = 1; k < INPUTS; ++k) v = combined(v, Of::of(in.at[k][i]));
        to[i] = finished(v);
    }
}
