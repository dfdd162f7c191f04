// Scalar arithmetic as defined by Rust, for cases that C++ leaves undefined or computes in another
// type.
//
// The types are bool, signed char, unsigned char, short, unsigned short, int, unsigned, long long,
// unsigned long long, float and double. Integers wrap around. Operations at which Rust panics have
// a result here: dividing by zero yields 0.

#ifndef RS_SCALAR
#define RS_SCALAR

#define RS_FUNCTION __device__ __forceinline__

// Properties of a type. `wide` is the unsigned type in which its arithmetic wraps around. It is at
// least as wide as int, because C++ computes narrower types in int, where overflow is undefined.
template <typename T> struct rs_type;

#define RS_INTEGER(T, UNSIGNED, WIDE, SIGNED)                                                                         \
    template <> struct rs_type<T> {                                                                                   \
        typedef UNSIGNED bits;                                                                                        \
        typedef WIDE wide;                                                                                            \
        static const bool real = false, integer = true, has_sign = SIGNED;                                            \
        static const int width = 8 * sizeof(T);                                                                       \
        static const T highest = (T)((UNSIGNED)-1 >> (SIGNED ? 1 : 0));                                               \
        static const T lowest = SIGNED ? (T)(-highest - 1) : (T)0;                                                    \
    };
#define RS_OTHER(T, BITS, REAL)                                                                                       \
    template <> struct rs_type<T> {                                                                                   \
        typedef BITS bits;                                                                                            \
        static const bool real = REAL, integer = false, has_sign = REAL;                                              \
        static const int width = 8 * sizeof(T);                                                                       \
    };
RS_INTEGER(signed char, unsigned char, unsigned, true)
RS_INTEGER(unsigned char, unsigned char, unsigned, false)
RS_INTEGER(short, unsigned short, unsigned, true)
RS_INTEGER(unsigned short, unsigned short, unsigned, false)
RS_INTEGER(int, unsigned, unsigned, true)
RS_INTEGER(unsigned, unsigned, unsigned, false)
RS_INTEGER(long long, unsigned long long, unsigned long long, true)
RS_INTEGER(unsigned long long, unsigned long long, unsigned long long, false)
RS_OTHER(float, unsigned, true)
RS_OTHER(double, unsigned long long, true)
RS_OTHER(bool, unsigned char, false)

// Conversions between bits and values.

RS_FUNCTION unsigned rs_to_bits(float x) { return __float_as_uint(x); }
RS_FUNCTION unsigned long long rs_to_bits(double x) { return (unsigned long long)__double_as_longlong(x); }
template <typename T> RS_FUNCTION T rs_from_bits(typename rs_type<T>::bits bits) {
    if constexpr (sizeof(T) == 4) {
        return __uint_as_float(bits);
    } else {
        return __longlong_as_double((long long)bits);
    }
}

// The operators.

template <typename T> RS_FUNCTION T rs_add(T a, T b) {
    if constexpr (rs_type<T>::real) {
        return a + b;
    } else {
        typedef typename rs_type<T>::wide wide;
        return (T)((wide)a + (wide)b);
    }
}

template <typename T> RS_FUNCTION T rs_sub(T a, T b) {
    if constexpr (rs_type<T>::real) {
        return a - b;
    } else {
        typedef typename rs_type<T>::wide wide;
        return (T)((wide)a - (wide)b);
    }
}

template <typename T> RS_FUNCTION T rs_mul(T a, T b) {
    if constexpr (rs_type<T>::real) {
        return a * b;
    } else {
        typedef typename rs_type<T>::wide wide;
        return (T)((wide)a * (wide)b);
    }
}

// Negates, rather than computing 0 - x, which would turn -0.0 into 0.0.
template <typename T> RS_FUNCTION T rs_neg(T a) {
    if constexpr (rs_type<T>::real) {
        return -a;
    } else {
        return rs_sub<T>((T)0, a);
    }
}

template <typename T> RS_FUNCTION T rs_abs(T a) {
    if constexpr (rs_type<T>::real) {
        return fabs(a);
    } else {
        return rs_type<T>::has_sign && a < (T)0 ? rs_neg<T>(a) : a;
    }
}

// The quotient, rounded towards zero. Dividing by zero yields 0, and the lowest value divided by -1
// wraps around.
template <typename T> RS_FUNCTION T rs_div(T a, T b) {
    if constexpr (rs_type<T>::real) {
        return a / b;
    } else {
        if (b == (T)0) {
            return (T)0;
        }
        if (rs_type<T>::has_sign && b == (T)-1) {
            return rs_neg<T>(a);
        }
        return (T)(a / b);
    }
}

// The remainder, with the sign of `a`. Dividing by zero yields 0.
template <typename T> RS_FUNCTION T rs_rem(T a, T b) {
    if constexpr (rs_type<T>::real) {
        return fmod(a, b);
    } else {
        if (b == (T)0 || (rs_type<T>::has_sign && b == (T)-1)) {
            return (T)0;
        }
        return (T)(a % b);
    }
}

// Shifts use the count modulo the width, whatever the type of the count.
template <typename T, typename Count> RS_FUNCTION T rs_shl(T a, Count count) {
    typedef typename rs_type<T>::wide wide;
    return (T)((wide)a << ((unsigned)count & (rs_type<T>::width - 1)));
}

template <typename T, typename Count> RS_FUNCTION T rs_shr(T a, Count count) {
    return (T)(a >> ((unsigned)count & (rs_type<T>::width - 1)));
}

// Shifts by any count. If it is the width or more, all bits are shifted out. A negative count is
// treated as a large one.
template <typename T, typename Count> RS_FUNCTION T rs_unbounded_shl(T a, Count count) {
    return (typename rs_type<Count>::bits)count < rs_type<T>::width ? rs_shl(a, count) : (T)0;
}

template <typename T, typename Count> RS_FUNCTION T rs_unbounded_shr(T a, Count count) {
    return (typename rs_type<Count>::bits)count < rs_type<T>::width ? rs_shr(a, count) : (T)(a < (T)0 ? -1 : 0);
}

// `as`, and conversions that Rust's `as` lacks: a number is true unless it is zero. Floats are
// rounded towards zero and saturate. NaN becomes 0.
template <typename To, typename From> RS_FUNCTION To rs_cast(From x) {
    if constexpr (!rs_type<To>::real && !rs_type<To>::integer) {
        return x != (From)0;
    } else if constexpr (rs_type<From>::real && rs_type<To>::integer) {
        // Powers of two, so exact in either type.
        const From half = (From)(1ull << (rs_type<To>::width - 1));
        const From low = rs_type<To>::has_sign ? -half : (From)0;
        const From end = rs_type<To>::has_sign ? half : half * (From)2;
        if (!(x >= low)) {
            return x != x ? (To)0 : rs_type<To>::lowest;
        }
        return x >= end ? rs_type<To>::highest : (To)x;
    } else {
        return (To)x;
    }
}

// Methods of all numbers.

// C++'s `max` and `min` for integers. For floats, the other value is preferred to NaN.
template <typename T> RS_FUNCTION T rs_max(T a, T b) {
    if constexpr (rs_type<T>::real) {
        return fmax(a, b);
    } else {
        return a < b ? b : a;
    }
}

template <typename T> RS_FUNCTION T rs_min(T a, T b) {
    if constexpr (rs_type<T>::real) {
        return fmin(a, b);
    } else {
        return b < a ? b : a;
    }
}

// NaN is preferred to a number, and the first of two equal values to the second, as in NumPy's
// `maximum` and `minimum`.
template <typename T> RS_FUNCTION T rs_maximum_or_nan(T a, T b) { return a >= b || a != a ? a : b; }
template <typename T> RS_FUNCTION T rs_minimum_or_nan(T a, T b) { return a <= b || a != a ? a : b; }

// NaN if any of them is NaN. With bounds in the wrong order, the upper one.
template <typename T> RS_FUNCTION T rs_clamp(T x, T low, T high) {
    return rs_minimum_or_nan<T>(rs_maximum_or_nan<T>(x, low), high);
}

template <typename T> RS_FUNCTION T rs_signum(T x) {
    if constexpr (rs_type<T>::real) {
        return x != x ? x : copysign((T)1, x);
    } else {
        return (T)((x > (T)0) - (x < (T)0));
    }
}

template <typename T> RS_FUNCTION T rs_rem_euclid(T a, T b) {
    const T rest = rs_rem<T>(a, b);
    return rest < (T)0 ? rs_add<T>(rest, rs_abs<T>(b)) : rest;
}

template <typename T> RS_FUNCTION T rs_div_euclid(T a, T b) {
    T quotient = rs_div<T>(a, b);
    if constexpr (rs_type<T>::real) {
        quotient = trunc(quotient);
    }
    if (rs_rem<T>(a, b) < (T)0) {
        return b > (T)0 ? rs_sub<T>(quotient, (T)1) : rs_add<T>(quotient, (T)1);
    }
    return quotient;
}

// The remainder of `rs_div_floor`, with the sign of `b`. Dividing by zero yields 0 for integers and
// NaN for floats.
template <typename T> RS_FUNCTION T rs_mod_floor(T a, T b) {
    const T rest = rs_rem<T>(a, b);
    if (rest == (T)0) {
        if constexpr (rs_type<T>::real) {
            return copysign((T)0, b);
        }
        return rest;
    }
    return (rest < (T)0) != (b < (T)0) ? rs_add<T>(rest, b) : rest;
}

// The quotient, rounded down. Dividing by zero yields 0 for integers, and the quotient for floats.
template <typename T> RS_FUNCTION T rs_div_floor(T a, T b) {
    const T rest = rs_rem<T>(a, b);
    const bool below = rest != (T)0 && (rest < (T)0) != (b < (T)0);
    if constexpr (rs_type<T>::real) {
        if (b == (T)0) {
            return a / b;
        }
        // An integer, except for the rounding of the difference and the division.
        const T quotient = (a - rest) / b - (below ? (T)1 : (T)0);
        if (quotient == (T)0) {
            return copysign((T)0, a / b);
        }
        const T whole = floor(quotient);
        return quotient - whole > (T)0.5 ? whole + (T)1 : whole;
    } else {
        return rs_sub<T>(rs_div<T>(a, b), below ? (T)1 : (T)0);
    }
}

// Powers by squaring.
template <typename T> RS_FUNCTION T rs_pow(T base, unsigned exponent) {
    T power = (T)1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) {
            power = rs_mul<T>(power, base);
        }
        base = rs_mul<T>(base, base);
    }
    return power;
}

template <typename T> RS_FUNCTION T rs_powi(T base, int exponent) {
    const T power = rs_pow<T>(base, exponent < 0 ? 0u - (unsigned)exponent : (unsigned)exponent);
    return exponent < 0 ? (T)1 / power : power;
}

// NumPy's functions of two numbers.

// A power of integers. The power of a negative exponent is rounded towards zero, and that of 0 is 0.
template <typename T> RS_FUNCTION T rs_power(T base, T exponent) {
    if (exponent < (T)0) {
        const T odd = (exponent & 1) != 0 ? base : (T)1;
        return base == (T)1 || base == (T)-1 ? odd : (T)0;
    }
    T power = (T)1;
    for (; exponent != (T)0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            power = rs_mul<T>(power, base);
        }
        base = rs_mul<T>(base, base);
    }
    return power;
}

template <typename T> RS_FUNCTION T rs_gcd(T a, T b) {
    typedef typename rs_type<T>::bits bits;
    bits divisor = (bits)rs_abs<T>(a), rest = (bits)rs_abs<T>(b);
    while (rest != 0) {
        const bits next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return (T)divisor;
}

template <typename T> RS_FUNCTION T rs_lcm(T a, T b) {
    typedef typename rs_type<T>::bits bits;
    const bits divisor = (bits)rs_gcd<T>(a, b);
    return divisor == 0 ? (T)0 : (T)rs_mul<bits>((bits)rs_abs<T>(a) / divisor, (bits)rs_abs<T>(b));
}

// The first branch also handles equal infinities, whose difference is NaN.
template <typename T> RS_FUNCTION T rs_logaddexp(T a, T b) {
    if (a == b) {
        return a + (T)0.69314718055994530942;
    }
    const T distance = a - b;
    return (distance > (T)0 ? a : b) + log1p(exp(-fabs(distance)));
}

template <typename T> RS_FUNCTION T rs_logaddexp2(T a, T b) {
    if (a == b) {
        return a + (T)1;
    }
    const T distance = a - b;
    return (distance > (T)0 ? a : b) + log1p(exp2(-fabs(distance))) * (T)1.44269504088896340736;
}

// Methods of integers.

template <typename T> RS_FUNCTION T rs_saturating_add(T a, T b) {
    const T sum = rs_add<T>(a, b);
    if constexpr (rs_type<T>::has_sign) {
        // A sum overflows if its sign differs from that of both operands.
        if (((a ^ sum) & (b ^ sum)) < 0) {
            return a < (T)0 ? rs_type<T>::lowest : rs_type<T>::highest;
        }
        return sum;
    } else {
        return sum < a ? rs_type<T>::highest : sum;
    }
}

template <typename T> RS_FUNCTION T rs_saturating_sub(T a, T b) {
    const T difference = rs_sub<T>(a, b);
    if constexpr (rs_type<T>::has_sign) {
        if (((a ^ b) & (a ^ difference)) < 0) {
            return a < (T)0 ? rs_type<T>::lowest : rs_type<T>::highest;
        }
        return difference;
    } else {
        return a < b ? (T)0 : difference;
    }
}

// The distance, in the unsigned type.
template <typename T> RS_FUNCTION typename rs_type<T>::bits rs_abs_diff(T a, T b) {
    typedef typename rs_type<T>::bits bits;
    return a < b ? rs_sub<bits>((bits)b, (bits)a) : rs_sub<bits>((bits)a, (bits)b);
}

// For unsigned integers.
template <typename T> RS_FUNCTION bool rs_is_multiple_of(T a, T b) {
    return b == (T)0 ? a == (T)0 : rs_rem<T>(a, b) == (T)0;
}

template <typename T> RS_FUNCTION T rs_div_ceil(T a, T b) {
    return rs_add<T>(rs_div<T>(a, b), rs_rem<T>(a, b) == (T)0 ? (T)0 : (T)1);
}

template <typename T> RS_FUNCTION unsigned rs_count_ones(T x) {
    return __popcll((unsigned long long)(typename rs_type<T>::bits)x);
}

template <typename T> RS_FUNCTION unsigned rs_leading_zeros(T x) {
    return __clzll((long long)(typename rs_type<T>::bits)x) - (64 - rs_type<T>::width);
}

// The position of the lowest bit that is 1, or the width if there is none.
template <typename T> RS_FUNCTION unsigned rs_trailing_zeros(T x) {
    const int lowest_one = __ffsll((long long)(typename rs_type<T>::bits)x);
    return lowest_one == 0 ? rs_type<T>::width : lowest_one - 1;
}

template <typename T> RS_FUNCTION T rs_rotate_left(T x, unsigned count) {
    typedef typename rs_type<T>::bits bits;
    return (T)(bits)(rs_shl<bits>((bits)x, count) | rs_shr<bits>((bits)x, 0u - count));
}

template <typename T> RS_FUNCTION T rs_rotate_right(T x, unsigned count) { return rs_rotate_left<T>(x, 0u - count); }

// Methods of floats.

template <typename T> RS_FUNCTION T rs_fract(T x) { return x - trunc(x); }
template <typename T> RS_FUNCTION bool rs_is_nan(T x) { return x != x; }
template <typename T> RS_FUNCTION bool rs_is_infinite(T x) {
    return fabs(x) == (T)__longlong_as_double(0x7ff0000000000000ll);
}
template <typename T> RS_FUNCTION bool rs_is_finite(T x) {
    return fabs(x) < (T)__longlong_as_double(0x7ff0000000000000ll);
}
template <typename T> RS_FUNCTION bool rs_is_sign_negative(T x) {
    return (rs_to_bits(x) >> (rs_type<T>::width - 1)) != 0;
}
RS_FUNCTION float rs_to_degrees(float x) { return x * 57.2957795130823208767981548141051703f; }
RS_FUNCTION double rs_to_degrees(double x) { return x * (180.0 / 3.14159265358979323846264338327950288); }
RS_FUNCTION float rs_to_radians(float x) { return x * (3.14159265358979323846264338327950288f / 180.0f); }
RS_FUNCTION double rs_to_radians(double x) { return x * (3.14159265358979323846264338327950288 / 180.0); }

// Called in each iteration of a loop that might not end. C++ may assume that a loop without side
// effects ends. In Rust it may run forever.
RS_FUNCTION void rs_turn() { asm volatile(""); }

#undef RS_INTEGER
#undef RS_OTHER

// Sines and cosines.

// The sine of x, or the cosine if HALVES is 1, for |x| up to RS_LARGE. The argument is reduced to a distance from the
// nearest zero of the function, (n + HALVES / 2) pi. Pi is the sum of three floats, so that the distance keeps all its digits.
// A polynomial of degree 9 approximates the sine of the distance, with an error of 6e-9 (relative). For all floats from 0
// to 105,613, sines are at most 1.73 units in the last place from the exact ones, and cosines 1.78.
template <int HALVES> RS_FUNCTION float rs_wave(float x) {
    // The sum with 1.5 * 2^23 rounds to an integer, whose last bit is the sum's.
    const float magic = 12582912.0f;
    const float sum = HALVES ? fmaf(x, 0.318309886f, -0.5f) + magic : fmaf(x, 0.318309886f, magic);
    float zero = sum - magic;
    if constexpr (HALVES) zero += 0.5f;
    const float distance = fmaf(zero, -0x1.846988p-47f, fmaf(zero, -0x1.4442dp-23f, fmaf(zero, -0x1.921fb4p+1f, x)));
    const float square = distance * distance;
    float series = fmaf(square, 2.606103e-6f, -1.98097783e-4f);
    series = fmaf(square, fmaf(square, series, 8.33306927e-3f), -0.166666597f);
    const float wave = fmaf(distance * square, series, distance);
    const unsigned sign = (__float_as_uint(sum) + HALVES) << 31;
    // A sine of -0 is -0, but the polynomial of -0 is 0, so the sign is that of the distance. No distance of a cosine is 0.
    return copysignf(wave, __uint_as_float(__float_as_uint(HALVES ? wave : distance) ^ sign));
}

// Outside of the fast path, so that its code is not repeated. It is several times as long.
__device__ __noinline__ float rs_sin_of_large(float x) { return sinf(x); }
__device__ __noinline__ float rs_cos_of_large(float x) { return cosf(x); }

#define RS_LARGE 105615.0f
RS_FUNCTION float rs_sin(float x) {
    const float wave = rs_wave<0>(x);
    return fabsf(x) >= RS_LARGE ? rs_sin_of_large(x) : wave;
}
RS_FUNCTION float rs_cos(float x) {
    const float wave = rs_wave<1>(x);
    return fabsf(x) >= RS_LARGE ? rs_cos_of_large(x) : wave;
}

#endif
