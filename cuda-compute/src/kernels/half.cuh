// Functions of halves, computed as floats. PRECISION is the number of significant binary digits, 11 for f16 and
// 8 for bf16. Results are rounded afterwards, so that errors far below a half's last digit do not matter.

#ifndef HALF_FUNCTIONS
#define HALF_FUNCTIONS

// Arithmetic on two halves of type T in a word, the first in its lower half, or on a single one. Sums, differences and
// products are rounded once. The sign of NaN may change.
#define ON_PAIRS template <class T> __device__ __forceinline__
template <class T> struct is_bf16 { static const bool value = false; };
template <> struct is_bf16<stored_bf16> { static const bool value = true; };

ON_PAIRS float low_of(unsigned pair) {
    if constexpr (is_bf16<T>::value) return __uint_as_float(pair << 16);
    else return f16_number((unsigned short)pair);
}
ON_PAIRS float low_of(unsigned short half) { return low_of<T>((unsigned)half); }
ON_PAIRS float high_of(unsigned pair) {
    if constexpr (is_bf16<T>::value) return __uint_as_float(pair & 0xffff0000u);
    else return f16_number((unsigned short)(pair >> 16));
}
ON_PAIRS unsigned short rounded_half(float x) { return storing<T, float>::of_number(x).bits; }

// With a V of 1, these return a single half, and otherwise a pair.
#define MAKES_PAIRS template <int V, class T> __device__ __forceinline__ auto
MAKES_PAIRS pair_of(float low, float high) {
    if constexpr (V == 1) return rounded_half<T>(low);
#if __CUDA_ARCH__ >= 800
    else return storing<T, float>::of_pair(low, high);
#else
    else return rounded_half<T>(low) | (unsigned)rounded_half<T>(high) << 16;
#endif
}
// Of floats that are halves.
MAKES_PAIRS pair_of_halves(float low, float high) {
    if constexpr (V > 1 && is_bf16<T>::value) return __byte_perm(__float_as_uint(low), __float_as_uint(high), 0x7632);
    else return pair_of<V, T>(low, high);
}
MAKES_PAIRS same_pair(T half) {
    if constexpr (V == 1) return half.bits;
    else return __byte_perm(half.bits, 0, 0x1010);
}
// The elements at `lane` and after it.
MAKES_PAIRS pair_at(const pack<T, V> &halves, int lane) {
    if constexpr (V == 1) {
        return halves.at[0].bits;
    } else {
        unsigned pair;
        memcpy(&pair, &halves.at[lane], sizeof(pair));
        return pair;
    }
}

ON_PAIRS unsigned pair_neg(unsigned pair) { return pair ^ 0x80008000u; }
ON_PAIRS unsigned pair_abs(unsigned pair) { return pair & 0x7fff7fffu; }
ON_PAIRS unsigned short pair_neg(unsigned short half) { return half ^ 0x8000u; }
ON_PAIRS unsigned short pair_abs(unsigned short half) { return half & 0x7fffu; }

// F16 and BF16 are instructions from these compute capabilities on. The operands of BF16 are %1 and %2, or those of a
// multiply-add, for which %3 is 1, %4 is -1, and %5 is -0, to which a product adds without a change.
#ifdef __CUDA_ARCH__
#define ARCHITECTURE __CUDA_ARCH__
#else
#define ARCHITECTURE 0
#endif
#define HALF_OPERATION(NAME, F16_SINCE, F16, BF16, BF16_OPERANDS, EXPRESSION)                             \
    PAIR_OPERATION(NAME, unsigned, "=r", "r", 0x10001u, F16_SINCE, F16 "x2", BF16 "x2", BF16_OPERANDS,   \
        (pair_of<2, T>(of(low_of<T>(a), low_of<T>(b)), of(high_of<T>(a), high_of<T>(b)))), EXPRESSION)   \
    PAIR_OPERATION(NAME, unsigned short, "=h", "h", (unsigned short)1, F16_SINCE, F16, BF16,             \
        BF16_OPERANDS, (rounded_half<T>(of(low_of<T>(a), low_of<T>(b)))), EXPRESSION)
#define PAIR_OPERATION(NAME, PAIR_TYPE, OUT, IN, EACH, F16_SINCE, F16, BF16, BF16_OPERANDS, BY_FLOATS, EXPRESSION) \
    ON_PAIRS PAIR_TYPE NAME(PAIR_TYPE a, PAIR_TYPE b) {                                                  \
        PAIR_TYPE result;                                                                                \
        if constexpr (!is_bf16<T>::value && ARCHITECTURE >= F16_SINCE) {                                 \
            asm(F16 " %0, %1, %2;" : OUT(result) : IN(a), IN(b));                                        \
        } else if constexpr (is_bf16<T>::value && ARCHITECTURE >= 800) {                                 \
            const PAIR_TYPE one = 0x3f80 * EACH, minus_one = 0xbf80 * EACH, minus_zero = 0x8000 * EACH;  \
            asm(BF16 " %0, " BF16_OPERANDS ";" : OUT(result) : IN(a), IN(b), IN(one), IN(minus_one), IN(minus_zero)); \
        } else {                                                                                         \
            const auto of = [](float x, float y) { return EXPRESSION; };                                 \
            result = BY_FLOATS;                                                                          \
        }                                                                                                \
        return result;                                                                                   \
    }
#if ARCHITECTURE >= 900
HALF_OPERATION(pair_add, 0, "add.rn.f16", "add.rn.bf16", "%1, %2", x + y)
HALF_OPERATION(pair_sub, 0, "sub.rn.f16", "sub.rn.bf16", "%1, %2", x - y)
HALF_OPERATION(pair_mul, 0, "mul.rn.f16", "mul.rn.bf16", "%1, %2", x * y)
#else
HALF_OPERATION(pair_add, 0, "add.rn.f16", "fma.rn.bf16", "%1, %3, %2", x + y)
HALF_OPERATION(pair_sub, 0, "sub.rn.f16", "fma.rn.bf16", "%2, %4, %1", x - y)
HALF_OPERATION(pair_mul, 0, "mul.rn.f16", "fma.rn.bf16", "%1, %2, %5", x * y)
#endif
// The other value is preferred to NaN.
HALF_OPERATION(pair_max, 800, "max.f16", "max.bf16", "%1, %2", fmaxf(x, y))
HALF_OPERATION(pair_min, 800, "min.f16", "min.bf16", "%1, %2", fminf(x, y))

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
// far more than this error, unless they or the divisor are subnormal or the reciprocal is. Quotients of f16 are
// refined to the nearest float.
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

// Correctly rounded. Roots of bf16 are at least 2^-18 (relative) away from the middle of two of them. Roots
// of f16 are refined to the nearest float.
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
HALF half_erf(float x) {
    const float size = fabsf(x), square = x * x;
    const float last = PRECISION == 8 ? 0.103266655f : fmaf(square, -0.0243891968f, 0.112456256f);
    const float first = PRECISION == 8 ? 1.12836676f : 1.12837902f, second = PRECISION == 8 ? -0.375238967f : -0.376107338f;
    const float small = x * fmaf(square, fmaf(square, last, second), first);
    const float k = approximate_reciprocal(fmaf(0.5f, size, 1.0f));
    const float polynomial = k * fmaf(k, fmaf(k, 0.595385158f, 0.0885534147f), 0.317726188f);
    const float large = fmaf(-approximate_exp2<11>(square * -1.44269504f), polynomial, 1.0f);
    return size < 0.5f ? small : copysignf(large, x);
}
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
