// Functions of halves, computed as floats. PRECISION is the number of significant binary digits, 11 for f16 and
// 8 for bf16. Results are rounded afterwards, so that errors far below a half's last digit do not matter.

#ifndef HALF_FUNCTIONS
#define HALF_FUNCTIONS

// Two halves of type T in a word, the first in its lower half. Sums, differences and products are rounded once. The
// sign of NaN may change.
#define ON_PAIRS template <class T> __device__ __forceinline__
template <class T> struct is_bf16 { static const bool value = false; };
template <> struct is_bf16<stored_bf16> { static const bool value = true; };

ON_PAIRS float low_of(unsigned pair) {
    if constexpr (is_bf16<T>::value) return __uint_as_float(pair << 16);
    else return f16_number((unsigned short)pair);
}
// Of a single half, the same.
template <class T, int V> __device__ __forceinline__ float high_of(unsigned pair) {
    if constexpr (V == 1) return low_of<T>(pair);
    else if constexpr (is_bf16<T>::value) return __uint_as_float(pair & 0xffff0000u);
    else return f16_number((unsigned short)(pair >> 16));
}
ON_PAIRS unsigned pair_of(float low, float high) {
#if __CUDA_ARCH__ >= 800
    return storing<T, float>::of_pair(low, high);
#else
    return storing<T, float>::of_number(low).bits | (unsigned)storing<T, float>::of_number(high).bits << 16;
#endif
}
// Of floats that are halves.
ON_PAIRS unsigned pair_of_halves(float low, float high) {
    if constexpr (is_bf16<T>::value) return __byte_perm(__float_as_uint(low), __float_as_uint(high), 0x7632);
    else return pair_of<T>(low, high);
}
ON_PAIRS unsigned same_pair(T half) { return half.bits * 0x10001u; }
// The elements at `lane` and after it, if there is another.
template <class T, int V> __device__ __forceinline__ unsigned pair_at(const pack<T, V> &halves, int lane) {
    if constexpr (V == 1) return halves.at[0].bits;
    unsigned pair;
    memcpy(&pair, &halves.at[lane], sizeof(pair));
    return pair;
}

// Before compute capability 9.0, only a multiply-add of bf16 is an instruction.
#define PAIR_OPERATION(NAME, INSTRUCTION, MULTIPLY_ADD, EXPRESSION)                                                       \
    ON_PAIRS unsigned NAME(unsigned a, unsigned b) {                                                                          \
        unsigned result;                                                                                                  \
        if constexpr (!is_bf16<T>::value) asm(INSTRUCTION ".rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));       \
        else BF16_PAIR(INSTRUCTION, MULTIPLY_ADD, EXPRESSION)                                                             \
        return result;                                                                                                    \
    }
#if __CUDA_ARCH__ >= 900
#define BF16_PAIR(INSTRUCTION, MULTIPLY_ADD, EXPRESSION)                                                                  \
    asm(INSTRUCTION ".rn.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
#elif __CUDA_ARCH__ >= 800
#define BF16_PAIR(INSTRUCTION, MULTIPLY_ADD, EXPRESSION)                                                                  \
    asm("fma.rn.bf16x2 %0, " MULTIPLY_ADD ";" : "=r"(result) : "r"(a), "r"(b), "r"(0x3f803f80), "r"(0xbf80bf80), "r"(0x80008000));
#else
#define BF16_PAIR(INSTRUCTION, MULTIPLY_ADD, EXPRESSION)                                                                  \
    {                                                                                                                     \
        const auto of = [](float x, float y) { return EXPRESSION; };                                                      \
        result = pair_of<T>(of(low_of<T>(a), low_of<T>(b)), of(high_of<T, 2>(a), high_of<T, 2>(b)));                            \
    }
#endif
// %3 is 1, %4 is -1, and %5 is -0, to which a product adds without a change.
PAIR_OPERATION(pair_add, "add", "%1, %3, %2", x + y)
PAIR_OPERATION(pair_sub, "sub", "%2, %4, %1", x - y)
PAIR_OPERATION(pair_mul, "mul", "%1, %2, %5", x * y)

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

// The normal distribution beyond |x| is exp(-x^2 / 2) times a polynomial in 1 / (1 + c |x|), which was fitted to the
// digits that the result needs.
HALF half_gelu(float x) {
    const float size = fabsf(x);
    float polynomial;
    if constexpr (PRECISION == 8) {
        const float k = approximate_reciprocal(fmaf(0.275f, size, 1.0f));
        polynomial = k * fmaf(k, fmaf(k, fmaf(k, 0.371973531f, -0.206007376f), 0.2469001f), 0.0871254656f);
    } else {
        const float k = approximate_reciprocal(fmaf(0.325f, size, 1.0f));
        const float inner = fmaf(k, fmaf(k, -0.109212842f, 0.394504568f), -0.115621927f);
        polynomial = k * fmaf(k, fmaf(k, inner, 0.212163879f), 0.118167223f);
    }
    const float beyond = approximate_exp2<11>(x * x * -0.721347520f) * polynomial;
    return x * (x > 0 ? 1.0f - beyond : beyond);
}

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
    const float magic = 12582912.0f;
    // The sum with 1.5 * 2^23 rounds to an integer, whose last bit is the sum's.
    float sum, zero, same;
    if constexpr (HALVES == 1) {
        sum = fmaf(x, 0.318309886f, -0.5f) + magic;
        zero = same = sum - magic + 0.5f;
    } else {
        // A difference of 0 is rounded to 0 and to -0, so that the distance of -0 is -0.
        sum = fmaf(x, 0.318309886f, magic);
        zero = sum - magic;
        same = __fadd_rd(sum, -magic);
    }
    const float distance = fmaf(same, 8.74227766e-8f, fmaf(zero, -3.14159274f, x));
    float wave;
    asm("sin.approx.ftz.f32 %0, %1;" : "=f"(wave) : "f"(distance));
    if (fabsf(distance) < 0x1p-5f) wave = distance * fmaf(distance * distance, -0.166666667f, 1.0f);
    return __uint_as_float(__float_as_uint(wave) ^ (__float_as_uint(sum) + HALVES) << 31);
}
#define LARGE 65536.0f
HALF half_sin(float x) {
    if (PRECISION == 8 && fabsf(x) >= LARGE) return rs_sin_of_large(x);
    return half_wave<0>(x);
}
HALF half_cos(float x) {
    if (PRECISION == 8 && fabsf(x) >= LARGE) return rs_cos_of_large(x);
    return half_wave<1>(x);
}

#endif
