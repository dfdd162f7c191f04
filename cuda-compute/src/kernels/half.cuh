// Functions of halves, computed as floats. PRECISION is the number of significant binary digits, 11 for f16 and
// 8 for bf16. Results are rounded afterwards, so that errors far below a half's last digit do not matter.

#ifndef HALF_FUNCTIONS
#define HALF_FUNCTIONS

#define HALF template <int PRECISION> __device__ __forceinline__ float

__device__ __forceinline__ float approximate_reciprocal(float x) {
    float y;
    asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float approximate_exp2(float x) {
    float y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Correctly rounded. Quotients of bf16 are at least 2^-17 (relative) away from the middle of two of them, which is
// far more than this error, unless they or the divisor are subnormal. Those of f16 are refined to the nearest float.
HALF half_divide(float a, float b) {
    if constexpr (PRECISION == 8) {
        float quotient;
        asm("div.full.f32 %0, %1, %2;" : "=f"(quotient) : "f"(a), "f"(b));
        if ((fabsf(quotient) < 0x1p-120f || fabsf(b) < 0x1p-120f) && a != 0) quotient = a / b;
        return quotient;
    } else {
        float reciprocal = approximate_reciprocal(b);
        const float rough = a * reciprocal;
        reciprocal = fmaf(fmaf(-b, reciprocal, 1.0f), reciprocal, reciprocal);
        const float quotient = a * reciprocal, refined = fmaf(fmaf(-b, quotient, a), reciprocal, quotient);
        // NaN if a or b is infinite or NaN, or b is 0. The sign of 0 is lost.
        return refined != refined || refined == 0 ? rough : refined;
    }
}

// Correctly rounded. Roots of bf16 are at least 2^-18 (relative) away from the middle of two of them.
HALF half_sqrt(float x) {
    if constexpr (PRECISION == 8) {
        float root;
        asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
        return root;
    } else {
        return sqrtf(x);
    }
}

HALF half_exp(float x) { return approximate_exp2(x * 1.44269504f); }

// The error of lg2.approx is 2^-22 of 1 where the logarithm is small. Near 1, f16 takes the series.
HALF half_ln(float x) {
    float y;
    asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
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
    const float square = x * x, small = fmaf(x * square, fmaf(square, fmaf(square, -0.0539682540f, 0.133333333f), -0.333333333f), x);
    const float power = approximate_exp2(fabsf(x) * 2.88539008f);
    const float large = fmaf(-2.0f, approximate_reciprocal(power + 1.0f), 1.0f);
    return copysignf(fabsf(x) < 0.3f ? small : large, x);
}

#endif
