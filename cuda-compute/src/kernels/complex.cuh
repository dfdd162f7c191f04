#pragma once

// Complex numbers. Multiplication and division are C's without its treatment of infinities, as in
// NumPy: they return NaN if a part overflows. The functions follow C's Annex G for infinities, NaN
// and the signs of zeros.

#include "scalar.cuh"

template <class T> struct alignas(2 * sizeof(T)) complex { T re, im; };

// The type in structs, where it has the alignment of its parts.
template <class T> struct stored_complex {
    T re, im;
    __device__ __forceinline__ operator complex<T>() const { return {re, im}; }
    __device__ __forceinline__ stored_complex &operator=(complex<T> z) {
        re = z.re;
        im = z.im;
        return *this;
    }
};
template <class T> __device__ __forceinline__ bool operator==(stored_complex<T> a, stored_complex<T> b) { return a.re == b.re && a.im == b.im; }

template <class T> __device__ __forceinline__ complex<T> operator+(complex<T> a, complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T> __device__ __forceinline__ complex<T> operator-(complex<T> a, complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <class T> __device__ __forceinline__ complex<T> operator-(complex<T> a) { return {-a.re, -a.im}; }
template <class T> __device__ __forceinline__ complex<T> operator*(complex<T> a, complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// One leaves the other factor unchanged: (1 + 0i)(inf + 0i) has an imaginary part of 0, not of NaN.
template <class T> __device__ __forceinline__ complex<T> c_times(complex<T> a, complex<T> b) {
    return a.re == 1 && a.im == 0 ? b : b.re == 1 && b.im == 0 ? a : a * b;
}
// Smith, "Algorithm 116: Complex division", 1962: dividing by the larger part of the divisor first
// avoids intermediate overflow.
template <class T> __device__ __forceinline__ complex<T> operator/(complex<T> a, complex<T> b) {
    if (rs_abs(b.re) >= rs_abs(b.im)) {
        if (b.re == 0 && b.im == 0) return {a.re / rs_abs(b.re), a.im / rs_abs(b.re)};
        const T ratio = b.im / b.re, size = b.re + b.im * ratio;
        return {(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
    }
    const T ratio = b.re / b.im, size = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
}
template <class T> __device__ __forceinline__ bool operator==(complex<T> a, complex<T> b) { return a.re == b.re && a.im == b.im; }
template <class T> __device__ __forceinline__ bool operator!=(complex<T> a, complex<T> b) { return !(a == b); }

template <class To, class T> __device__ __forceinline__ To c_cast(complex<T> z) { return To{decltype(To::re)(z.re), decltype(To::re)(z.im)}; }
template <class T> __device__ __forceinline__ complex<T> c_conj(complex<T> z) { return {z.re, -z.im}; }
template <class T> __device__ __forceinline__ T c_norm(complex<T> z) { return z.re * z.re + z.im * z.im; }
__device__ __forceinline__ float c_abs(complex<float> z) { return hypotf(z.re, z.im); }
__device__ __forceinline__ double c_abs(complex<double> z) { return hypot(z.re, z.im); }
__device__ __forceinline__ float c_arg(complex<float> z) { return atan2f(z.im, z.re); }
__device__ __forceinline__ double c_arg(complex<double> z) { return atan2(z.im, z.re); }

// Functions of real numbers in both precisions.
#define REAL(name, single, twice)                                                        \
    __device__ __forceinline__ float name(float x) { return single(x); }                 \
    __device__ __forceinline__ double name(double x) { return twice(x); }
REAL(r_exp, expf, exp)
REAL(r_log, logf, log)
REAL(r_log1p, log1pf, log1p)
REAL(r_sqrt, sqrtf, sqrt)
REAL(r_sin, rs_sin, sin)
REAL(r_cos, rs_cos, cos)
REAL(r_sinh, sinhf, sinh)
REAL(r_cosh, coshf, cosh)
REAL(r_tan, tanf, tan)
REAL(r_tanh, tanhf, tanh)
#undef REAL

// Beyond this size of x, e^x and cosh(x) may overflow even if a product with them does not.
template <class T> __device__ __forceinline__ T large_exponent() { return (T)(sizeof(T) == 4 ? 88 : 709); }
// wave * e^|x| / 2 for large |x|. The factors of e^|x| are multiplied one by one, to avoid
// intermediate overflow.
template <class T> __device__ __forceinline__ T grown(T x, T wave) {
    const T step = large_exponent<T>(), e_step = (T)(sizeof(T) == 4 ? 1.6516362549940018e38 : 8.218407461554972e307);
    T rest = rs_abs(x) - step;
    wave *= e_step / 2;
    if (rest > step) {
        rest -= step;
        wave *= e_step;
    }
    return wave * r_exp(rest);
}

template <class T> __device__ __forceinline__ complex<T> c_exp(complex<T> z) {
    if (z.im == 0) return {r_exp(z.re), z.im};
    if (!isfinite(z.im)) {
        const T nan = z.im - z.im;
        if (!isinf(z.re)) return {nan, nan};
        return z.re < 0 ? complex<T>{0, 0} : complex<T>{z.re, nan};
    }
    const T c = r_cos(z.im), s = r_sin(z.im);
    if (z.re > large_exponent<T>()) return {grown(z.re, 2 * c), grown(z.re, 2 * s)};
    const T size = r_exp(z.re);
    return {size * c, size * s};
}
// Parts beyond these limits are scaled, because their size would overflow or have few bits.
template <class T> __device__ __forceinline__ T huge_part() { return (T)(sizeof(T) == 4 ? 1e38 : 1e307); }
template <class T> __device__ __forceinline__ T tiny_part() { return (T)(sizeof(T) == 4 ? 1e-30 : 1e-290); }
template <class T> __device__ __forceinline__ T two_to_64() { return (T)18446744073709551616.0; }
// Near 1, use log1p: the logarithm of a rounded size would consist only of its rounding error.
template <class T> __device__ __forceinline__ complex<T> c_log(complex<T> z) {
    const T a = rs_abs(z.re), b = rs_abs(z.im), large = a < b ? b : a, small = a < b ? a : b;
    T size;
    if (large > (T)0.5 && large < 2) size = (T)0.5 * r_log1p((large - 1) * (large + 1) + small * small);
    else if (large > huge_part<T>()) size = r_log(c_abs(complex<T>{a / 4, b / 4})) + (T)1.3862943611198906188;
    else if (large < tiny_part<T>()) size = r_log(c_abs(complex<T>{a * two_to_64<T>(), b * two_to_64<T>()})) - (T)44.361419555836499802;
    else size = r_log(c_abs(z));
    return {size, c_arg(z)};
}
template <class T> __device__ __forceinline__ complex<T> c_log10(complex<T> z) {
    const complex<T> natural = c_log(z);
    const T factor = (T)0.43429448190325182765;
    return {natural.re * factor, natural.im * factor};
}
// Returns the root whose real part is not negative. The sign of a zero imaginary part decides on
// which side of the cut z is.
template <class T> __device__ __forceinline__ complex<T> c_sqrt(complex<T> z) {
    if (z.re == 0 && z.im == 0) return {0, z.im};
    if (isinf(z.im)) return {rs_abs(z.im), z.im};
    const T a = rs_abs(z.re), b = rs_abs(z.im), large = a < b ? b : a;
    const bool huge = large > huge_part<T>(), tiny = large < tiny_part<T>();
    const T scale = huge ? (T)0.0625 : tiny ? two_to_64<T>() : (T)1, back = huge ? 4 : tiny ? (T)(1 / 4294967296.0) : (T)1;
    const T re = a * scale, im = b * scale;
    const T half = r_sqrt((re + c_abs(complex<T>{re, im})) * (T)0.5), other = im / (half + half);
    const complex<T> root = z.re >= 0 ? complex<T>{half * back, other * back} : complex<T>{other * back, half * back};
    return signbit(z.im) ? c_conj(root) : root;
}
// Powers of 0 follow NumPy. A real exponent multiplies the parts of the logarithm separately,
// because 0 times an infinite part would be NaN.
template <class T> __device__ __forceinline__ complex<T> c_pow(complex<T> a, complex<T> b) {
    if (b.re == 0 && b.im == 0) return {1, 0};
    if (a.re == 0 && a.im == 0) {
        const T power = b.re > 0 ? (T)0 : (T)__longlong_as_double(0x7ff8000000000000ll);
        return {power, power};
    }
    const complex<T> log = c_log(a);
    return c_exp(b.im == 0 ? complex<T>{b.re * log.re, b.re * log.im} : b * log);
}
template <class T> __device__ __forceinline__ complex<T> c_sinh(complex<T> z) {
    if (z.im == 0) return {r_sinh(z.re), z.im};
    if (!isfinite(z.im)) {
        const T nan = z.im - z.im;
        return {z.re == 0 || isinf(z.re) ? z.re : nan, nan};
    }
    const T c = r_cos(z.im), s = r_sin(z.im);
    if (rs_abs(z.re) > large_exponent<T>()) return {grown(z.re, z.re < 0 ? -c : c), grown(z.re, s)};
    return {r_sinh(z.re) * c, r_cosh(z.re) * s};
}
template <class T> __device__ __forceinline__ complex<T> c_cosh(complex<T> z) {
    if (z.im == 0) return {r_cosh(z.re), signbit(z.re) ? -z.im : z.im};
    if (!isfinite(z.im)) {
        const T nan = z.im - z.im;
        return {isinf(z.re) ? rs_abs(z.re) : nan, z.re == 0 ? z.re : nan};
    }
    const T c = r_cos(z.im), s = r_sin(z.im);
    if (rs_abs(z.re) > large_exponent<T>()) return {grown(z.re, c), grown(z.re, z.re < 0 ? -s : s)};
    return {r_cosh(z.re) * c, r_sinh(z.re) * s};
}
// sin(z) = -i sinh(iz), cos(z) = cosh(iz), tan(z) = -i tanh(iz).
template <class T> __device__ __forceinline__ complex<T> c_sin(complex<T> z) {
    const complex<T> turned = c_sinh(complex<T>{-z.im, z.re});
    return {turned.im, -turned.re};
}
template <class T> __device__ __forceinline__ complex<T> c_cos(complex<T> z) { return c_cosh(complex<T>{-z.im, z.re}); }
// Kahan, "Branch cuts for complex elementary functions", 1987: uses tan and sinh, in which nothing
// cancels.
template <class T> __device__ __forceinline__ complex<T> c_tanh(complex<T> z) {
    if (z.im == 0) return {r_tanh(z.re), z.im};
    if (!isfinite(z.im)) {
        const T nan = z.im - z.im;
        if (isinf(z.re)) return {z.re < 0 ? (T)-1 : (T)1, 0};
        return {z.re == 0 ? z.re : nan, nan};
    }
    if (rs_abs(z.re) > 20) return {z.re < 0 ? (T)-1 : (T)1, 4 * r_sin(z.im) * r_cos(z.im) * r_exp(-2 * rs_abs(z.re))};
    const T t = r_tan(z.im), s = r_sinh(z.re), b = 1 + t * t, r = r_sqrt(1 + s * s), d = 1 + b * s * s;
    return {b * r * s / d, t / d};
}
template <class T> __device__ __forceinline__ complex<T> c_tan(complex<T> z) {
    const complex<T> turned = c_tanh(complex<T>{-z.im, z.re});
    return {turned.im, -turned.re};
}
