// Functions of halves, computed as floats. PRECISION is the number of significant binary digits, 11 for f16 and
// 8 for bf16. Results are rounded afterwards, so that errors far below a half's last digit do not matter.

#ifndef HALF_FUNCTIONS
#define HALF_FUNCTIONS

#define HALF template <int PRECISION> __device__ __forceinline__ float

// Approximate instructions. With `ftz`, they flush subnormal numbers, which saves instructions. f16 has none
// when it is a float, and bf16 has the same as float.
__device__ __forceinline__ float approximate_reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

HALF approximate_exp2(float x) {
    float y;
    if constexpr (PRECISION == 8) asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    else asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

HALF half_rsqrt(float x) {
    float y;
    if constexpr (PRECISION == 8) asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    else asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Outside of the fast path, so that its code is not repeated.
__device__ __noinline__ float divided_exactly(float a, float b) { return a / b; }

// Correctly rounded. Quotients of bf16 are at least 2^-17 (relative) away from the middle of two of them, which is
// far more than this error, unless they or the divisor are subnormal or the reciprocal is. Those of f16 are refined
// to the nearest float.
HALF half_divide(float a, float b) {
    float reciprocal = approximate_reciprocal(b);
    const float rough = a * reciprocal;
    if constexpr (PRECISION == 8) {
        const bool ordinary = fabsf(b) > 0x1p-120f && fabsf(b) < 0x1p+120f && fabsf(rough) > 0x1p-120f;
        return ordinary ? rough : divided_exactly(a, b);
    } else {
        reciprocal = fmaf(fmaf(-b, reciprocal, 1.0f), reciprocal, reciprocal);
        const float quotient = a * reciprocal, refined = fmaf(fmaf(-b, quotient, a), reciprocal, quotient);
        // NaN if a or b is infinite or NaN, or b is 0. The sign of 0 is lost.
        return refined != refined || refined == 0 ? rough : refined;
    }
}

// Correctly rounded. Roots of bf16 are at least 2^-18 (relative) away from the middle of two of them. Those of f16
// are refined to the nearest float.
HALF half_sqrt(float x) {
    if constexpr (PRECISION == 8) {
        float root;
        asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
        return root;
    } else {
        const float reciprocal = half_rsqrt<PRECISION>(x), rough = x * reciprocal;
        const float root = fmaf(fmaf(-rough, rough, x), 0.5f * reciprocal, rough);
        return x == 0 || x == __int_as_float(0x7f800000) ? x : root;
    }
}

HALF half_exp(float x) { return approximate_exp2<PRECISION>(x * 1.44269504f); }

// The error of lg2.approx is 2^-22 of 1 where the logarithm is small. Near 1, f16 takes the series.
HALF half_ln(float x) {
    float y;
    if constexpr (PRECISION == 8) asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    else asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    y *= 0.693147181f;
    if constexpr (PRECISION == 11) {
        const float t = x - 1.0f;
        const float near = t * fmaf(t, fmaf(t, fmaf(t, fmaf(t, 0.2f, -0.25f), 0.333333333f), -0.5f), 1.0f);
        if (fabsf(t) < 0.0625f) y = near;
    }
    return y;
}

HALF half_sigmoid_of(float x, float numerator) {
    const float power = half_exp<PRECISION>(-fabsf(x)), below = x < 0 ? power : 1.0f;
    return numerator * below * approximate_reciprocal(1.0f + power);
}
HALF half_sigmoid(float x) { return half_sigmoid_of<PRECISION>(x, 1.0f); }
HALF half_silu(float x) { return half_sigmoid_of<PRECISION>(x, x); }

// Small arguments take the series, where the difference from 1 would lose digits.
HALF half_tanh(float x) {
    const float square = x * x;
    const float first = PRECISION == 8 ? -0.333333333f : fmaf(square, fmaf(square, -0.0539682540f, 0.133333333f), -0.333333333f);
    const float small = fmaf(x * square, first, x);
    const float power = approximate_exp2<11>(fabsf(x) * 2.88539008f);
    const float large = fmaf(-2.0f, approximate_reciprocal(power + 1.0f), 1.0f);
    return copysignf(fabsf(x) < (PRECISION == 8 ? 0.1f : 0.3f) ? small : large, x);
}

// The sine of x, or the cosine if HALVES is 1. The argument is reduced to a distance from the nearest zero of the
// function, of up to a quarter of its period: that zero is (n + HALVES / 2) pi. The instruction for the sine has an
// error of 2^-21, so small distances take the series. All of f16 is below LARGE, above which the distance would be
// inaccurate.
template <int HALVES> __device__ __forceinline__ float half_wave(float x) {
    const float shift = 0.5f * HALVES, magic = 12582912.0f;
    // The sum with 1.5 * 2^23 rounds to an integer, whose last bit is the sum's.
    const float sum = fmaf(x, 0.318309886f, -shift) + magic, zero = sum - magic + shift;
    const float distance = fmaf(zero, 8.74227766e-8f, fmaf(zero, -3.14159274f, x));
    float wave;
    asm("sin.approx.ftz.f32 %0, %1;" : "=f"(wave) : "f"(distance));
    if (fabsf(distance) < 0x1p-5f) wave = fmaf(distance * distance, distance * -0.166666667f, distance);
    return __uint_as_float(__float_as_uint(wave) ^ (__float_as_uint(sum) + HALVES) << 31);
}
#define LARGE 65536.0f
HALF half_sin(float x) {
    if (PRECISION == 8 && fabsf(x) >= LARGE) return rs_sin_of_large(x);
    return x == 0 ? x : half_wave<0>(x); // keeps -0
}
HALF half_cos(float x) {
    if (PRECISION == 8 && fabsf(x) >= LARGE) return rs_cos_of_large(x);
    return half_wave<1>(x);
}

#endif
