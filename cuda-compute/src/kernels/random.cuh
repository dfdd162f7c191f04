// Random numbers: bits from a counter, and the numbers computed from them.
//
// Everything except the Poisson, binomial and gamma distributions is IEEE 754 arithmetic with explicit
// rounding, so that no compiler contracts it differently. It gives the same bits on every device. The
// coefficients are minimax fits made for this file.

#include "array.cuh"

#define RANDOM __device__ __forceinline__

// Both halves of a product in one instruction, however the compiler translates 64-bit products.
RANDOM void product(unsigned a, unsigned b, unsigned &high, unsigned &low) {
    asm("{\n\t.reg .u64 wide;\n\tmul.wide.u32 wide, %2, %3;\n\tmov.b64 {%0, %1}, wide;\n\t}" : "=r"(low), "=r"(high) : "r"(a), "r"(b));
}

// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
RANDOM void philox(unsigned (&c)[4], unsigned k0, unsigned k1) {
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        unsigned high0, low0, high1, low1;
        product(c[0], 0xd2511f53u, high0, low0);
        product(c[2], 0xcd9e8d57u, high1, low1);
        c[0] = high1 ^ c[1] ^ k0;
        c[2] = high0 ^ c[3] ^ k1;
        c[1] = low1;
        c[3] = low0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
}

// A block of a sequence. Numbers that need more than one block per element increment `attempt`.
RANDOM void random_block(u64 key, u64 block, unsigned attempt, unsigned (&words)[4]) {
    words[0] = (unsigned)block;
    words[1] = (unsigned)(block >> 32);
    words[2] = attempt;
    words[3] = 0;
    philox(words, (unsigned)key, (unsigned)(key >> 32));
}

// The two float types, and the bits from which one number is computed.
template <class T> struct random_float;

template <> struct random_float<float> {
    typedef unsigned bits;
    static const unsigned two_thirds = 0xaaaaaaab;
    // The bit pattern of 2/3, and the bits of an exponent. A number in [2/3, 4/3) is not scaled by
    // a power of 2.
    static const int third = 0x3f2aaaab, exponent = (int)0xff800000;
    static constexpr float per_exponent = 0x1p-23f, ulp = 0x1p-32f, pi = 0x1.921fb6p+1f, ln2 = 0x1.62e43p-1f;
    static RANDOM float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
    static RANDOM float mul(float a, float b) { return __fmul_rn(a, b); }
    static RANDOM float root(float x) { return __fsqrt_rn(x); }
    static RANDOM float of(unsigned x) { return __uint2float_rn(x); }
    static RANDOM float of(int x) { return __int2float_rn(x); }
    static RANDOM int pattern(float x) { return __float_as_int(x); }
    static RANDOM float of_pattern(int x) { return __int_as_float(x); }
    // (ln(1 + f) - f) / f², for |f| up to 1/3. The relative error of ln(1 + f) is 2^-27.7.
    static RANDOM float log(float f) {
        float p = -0x1.093280p-3f;
        p = fma(p, f, 0x1.1ed134p-3f);
        p = fma(p, f, -0x1.f25d8cp-4f);
        p = fma(p, f, 0x1.1ebe6cp-3f);
        p = fma(p, f, -0x1.55a758p-3f);
        p = fma(p, f, 0x1.99d1f2p-3f);
        p = fma(p, f, -0x1.fffe84p-3f);
        p = fma(p, f, 0x1.555502p-2f);
        return fma(p, f, -0.5f);
    }
    // (sin(πx) / x - π) / x² and (cos(πx) - 1) / x², as polynomials in z = x², for |x| up to 1/4.
    static RANDOM float sine(float z) { return fma(fma(-0x1.2dc850p-1f, z, 0x1.466004p+1f), z, -0x1.4abbbep+2f); }
    static RANDOM float cosine(float z) {
        return fma(fma(fma(0x1.d9d580p-3f, z, -0x1.55c5e0p+0f), z, 0x1.03c1dep+2f), z, -0x1.3bd3ccp+2f);
    }
};

template <> struct random_float<double> {
    typedef u64 bits;
    static const u64 two_thirds = 0xaaaaaaaaaaaaaaab;
    static const long long third = 0x3fe5555555555556ll, exponent = (long long)0xfff0000000000000ull;
    static constexpr double per_exponent = 0x1p-52, ulp = 0x1p-64, pi = 0x1.921fb54442d18p+1, ln2 = 0x1.62e42fefa39efp-1;
    static RANDOM double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
    static RANDOM double mul(double a, double b) { return __dmul_rn(a, b); }
    static RANDOM double root(double x) { return __dsqrt_rn(x); }
    static RANDOM double of(u64 x) { return __ull2double_rn(x); }
    static RANDOM double of(long long x) { return __ll2double_rn(x); }
    static RANDOM long long pattern(double x) { return __double_as_longlong(x); }
    static RANDOM double of_pattern(long long x) { return __longlong_as_double(x); }
    // The relative error is 2^-56.9.
    static RANDOM double log(double f) {
        double p = 0x1.5cb1b48072e97p-4;
        p = fma(p, f, -0x1.64270096676adp-4);
        p = fma(p, f, 0x1.55688cc6ab5ccp-5);
        p = fma(p, f, -0x1.737cb297d7d66p-5);
        p = fma(p, f, 0x1.efec011914e36p-5);
        p = fma(p, f, -0x1.062496ceb7ca6p-4);
        p = fma(p, f, 0x1.106647d3dcb3ap-4);
        p = fma(p, f, -0x1.24077b747640dp-4);
        p = fma(p, f, 0x1.3b1dfe7fd5288p-4);
        p = fma(p, f, -0x1.555cfce612c52p-4);
        p = fma(p, f, 0x1.745cb1fc8efcep-4);
        p = fma(p, f, -0x1.99995651bcd06p-4);
        p = fma(p, f, 0x1.c71c742eb7774p-4);
        p = fma(p, f, -0x1.000000b0cf567p-3);
        p = fma(p, f, 0x1.249249205bf88p-3);
        p = fma(p, f, -0x1.55555553595d3p-3);
        p = fma(p, f, 0x1.99999999a0f93p-3);
        p = fma(p, f, -0x1.00000000014bap-2);
        p = fma(p, f, 0x1.5555555555531p-2);
        return fma(p, f, -0x1.ffffffffffff8p-2);
    }
    static RANDOM double sine(double z) {
        double p = 0x1.e3ff261aa2a98p-12;
        p = fma(p, z, -0x1.e30098928f61cp-8);
        p = fma(p, z, 0x1.5078300c3cc4bp-4);
        p = fma(p, z, -0x1.32d2cce3240dbp-1);
        p = fma(p, z, 0x1.466bc67758cb1p+1);
        return fma(p, z, -0x1.4abbce625be46p+2);
    }
    static RANDOM double cosine(double z) {
        double p = -0x1.b263c28510869p-14;
        p = fma(p, z, 0x1.f9cc40aa10e31p-10);
        p = fma(p, z, -0x1.a6d1ec7e08288p-6);
        p = fma(p, z, 0x1.e1f5068367addp-3);
        p = fma(p, z, -0x1.55d3c7e3c9280p+0);
        p = fma(p, z, 0x1.03c1f081b5aaep+2);
        return fma(p, z, -0x1.3bd3cc9be45dep+2);
    }
};

RANDOM float uniform_of(unsigned bits) { return __fmul_rn(__uint2float_rn(bits >> 8), 0x1p-24f); }
RANDOM double uniform_of(u64 bits) { return __dmul_rn(__ull2double_rn(bits >> 11), 0x1p-53); }

// -ln(u) for u = (bits + 1/2) / 2^width.
template <class T> RANDOM T negative_log(typename random_float<T>::bits bits) {
    typedef random_float<T> F;
    // From 2/3 on, use the distance to 1, because u itself would lose the last bits.
    const bool high = bits >= F::two_thirds;
    const T u = F::fma(F::of(high ? ~bits : bits), F::ulp, F::ulp / 2);
    const auto power = high ? 0 : (F::pattern(u) - F::third) & F::exponent;
    const T f = high ? -u : F::of_pattern(F::pattern(u) - power) - (T)1;
    const T near = F::fma(F::mul(f, f), F::log(f), f);
    return -F::fma(F::mul(F::of(power), F::per_exponent), F::ln2, near);
}
RANDOM float exponential_of(unsigned bits) { return negative_log<float>(bits); }
RANDOM double exponential_of(u64 bits) { return negative_log<double>(bits); }

// Two independent normal numbers (Box and Muller, "A note on the generation of random normal deviates", 1958): a
// distance from 0 and an angle of (b + 1/2) / 2^width turns.
template <class T> RANDOM void normal_pair(typename random_float<T>::bits a, typename random_float<T>::bits b, T &x, T &y) {
    typedef random_float<T> F;
    typedef decltype(F::pattern(x)) Signed;
    const int width = 8 * sizeof(T);
    const T r = F::root(negative_log<T>(a) * (T)2);
    // The nearest quarter turn, and the remainder in half turns, up to a quarter.
    const typename F::bits half = (typename F::bits)1 << (width - 3);
    const unsigned quarter = (unsigned)((b + half) >> (width - 2));
    const Signed left = (Signed)(b + half - ((typename F::bits)quarter << (width - 2))) - (Signed)half;
    const T angle = F::fma(F::of(left), F::ulp * 2, F::ulp), z = F::mul(angle, angle);
    const T sine = F::fma(F::mul(angle, z), F::sine(z), F::mul(angle, F::pi)), cosine = F::fma(F::cosine(z), z, (T)1);
    const T across = quarter & 1 ? sine : cosine, along = quarter & 1 ? cosine : sine;
    x = F::mul(r, (quarter + 1) & 2 ? -across : across);
    y = F::mul(r, quarter & 2 ? -along : along);
}

// The contents of a block: four words, or two words of 64 bits (low half first), or normal numbers
// from pairs of these.
RANDOM void of_block(const unsigned (&block)[4], unsigned (&values)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) values[i] = block[i];
}
RANDOM void of_block(const unsigned (&block)[4], u64 (&values)[2]) {
    values[0] = block[0] | (u64)block[1] << 32;
    values[1] = block[2] | (u64)block[3] << 32;
}
RANDOM void of_block(const unsigned (&block)[4], float (&values)[4]) {
    normal_pair(block[0], block[1], values[0], values[1]);
    normal_pair(block[2], block[3], values[2], values[3]);
}
RANDOM void of_block(const unsigned (&block)[4], double (&values)[2]) {
    normal_pair(block[0] | (u64)block[1] << 32, block[2] | (u64)block[3] << 32, values[0], values[1]);
}

// The values from `place` on, a multiple of V, of those that start with the block `start`.
template <class T, int V> RANDOM void draw(u64 key, u64 start, u64 place, T (&values)[V]) {
    const int each = 16 / sizeof(T);
    if constexpr (V >= each) {
#pragma unroll
        for (int i = 0; i < V / each; ++i) {
            unsigned block[4];
            T some[each];
            random_block(key, start + place / each + i, 0, block);
            of_block(block, some);
#pragma unroll
            for (int k = 0; k < each; ++k) values[i * each + k] = some[k];
        }
    } else {
        unsigned block[4];
        random_block(key, start + place / each, 0, block);
        // One pair of words suffices for up to two floats.
        if constexpr (sizeof(T) == 4) {
            const bool later = (place & 2) != 0;
            const unsigned a = later ? block[2] : block[0], b = later ? block[3] : block[1];
            T pair[2];
            if constexpr (rs_type<T>::real) {
                normal_pair(a, b, pair[0], pair[1]);
            } else {
                pair[0] = a;
                pair[1] = b;
            }
            if constexpr (V == 2) {
                values[0] = pair[0];
                values[1] = pair[1];
            } else {
                values[0] = place & 1 ? pair[1] : pair[0];
            }
        } else {
            T pair[2];
            of_block(block, pair);
            values[0] = place & 1 ? pair[1] : pair[0];
        }
    }
}

// One of `count` numbers: the integer part of the product of `count` and a number in [0, 1) of 64
// or 128 bits.
RANDOM u64 below(u64 bits, u64 count) { return __umul64hi(bits, count); }
RANDOM u64 below(u64 high, u64 low, u64 count) {
    const u64 part = high * count, sum = part + __umul64hi(low, count);
    return __umul64hi(high, count) + (sum < part);
}

// The round function of half of an index.
RANDOM unsigned mixed(unsigned half, unsigned key) {
    unsigned high, low;
    product(half ^ key, 0xd2511f53u, high, low);
    const unsigned bits = high ^ low;
    return bits ^ bits >> 16;
}

// Returns the number at an index of the permutation of `count` numbers that a block defines: see
// random/permutation.rs.
RANDOM u64 permuted(u64 place, u64 count, u64 key, u64 block) {
    unsigned words[4];
    random_block(key, block, 0, words);
    const int bits = max(64 - __clzll((long long)(count - 1)), 8), low = bits / 2;
    const unsigned low_mask = ~0u >> (32 - low), high_mask = ~0u >> (32 - (bits - low));
    do {
        unsigned a = (unsigned)place & low_mask, b = (unsigned)(place >> low);
        unsigned k0 = words[0], k1 = words[1];
        for (int round = 0; round < 12; ++round) {
            a ^= mixed(b, k0) & low_mask;
            b ^= mixed(a, k1) & high_mask;
            k0 += words[2] | 1;
            k1 += words[3] | 1;
        }
        place = (u64)b << low | a;
    } while (place >= count);
    return place;
}

// A count of a distribution, from 32 bits and the table in random/table.rs.
RANDOM unsigned count_of_table(unsigned bits, u64 table, unsigned first, unsigned log_buckets) {
    const unsigned bucket = bits >> (32 - log_buckets), entry = ((const unsigned *)table)[bucket];
    const unsigned others = (1u << log_buckets) - 1;
    return first + (bits << log_buckets < (entry & ~others) ? bucket : entry & others);
}

// Computes a Poisson number from its own block, and from further attempts if needed.
static __device__ __noinline__ unsigned poisson(u64 block, u64 key, double mean) {
    unsigned words[4];
    if (!(mean > 0)) return 0;
    if (mean < 10) {
        // Knuth, "The art of computer programming", volume 2, 3.4.1: count events while the product
        // of uniform numbers stays above exp(-mean).
        const double end = exp(-mean);
        double product = 1;
        unsigned events = 0;
        for (unsigned attempt = 0;; ++attempt) {
            random_block(key, block, attempt, words);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                product *= __fma_rn((double)words[i], 0x1p-32, 0x1p-33);
                if (product <= end) return events;
                ++events;
            }
        }
    }
    // Hörmann, "The transformed rejection method for generating Poisson random variables", 1993: PTRS.
    if (mean > 0x1p31) mean = 0x1p31;
    const double ln_mean = log(mean), b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    const double ln_inverse = log(1.1239 + 1.1328 / (b - 3.4)), inner = 0.9277 - 3.6224 / (b - 2);
    for (unsigned attempt = 0;; ++attempt) {
        random_block(key, block, attempt, words);
#pragma unroll 1
        for (int i = 0; i < 4; i += 2) {
            const double u = __fma_rn((double)words[i], 0x1p-32, 0x1p-33 - 0.5);
            const double v = __fma_rn((double)words[i + 1], 0x1p-32, 0x1p-33);
            const double edge = 0.5 - fabs(u), k = floor((2 * a / edge + b) * u + mean + 0.43);
            if (k < 0 || k >= 0x1p32 || (edge < 0.013 && v > edge)) continue;
            if (edge >= 0.07 && v <= inner) return (unsigned)k;
            if (log(v) + ln_inverse - log(a / (edge * edge) + b) <= k * ln_mean - mean - lgamma(k + 1)) return (unsigned)k;
        }
    }
}

// Computes a binomial number from its own block, and from further attempts if needed. `half` is the
// smaller one of the probabilities of success and failure.
static __device__ __noinline__ unsigned binomial_of_half(u64 block, u64 key, double trials, double half) {
    unsigned words[4];
    const double mean = trials * half, odds = half / (1 - half);
    if (mean < 10) {
        // Inversion: subtract the probabilities of 0, 1, 2, ... from a uniform number. More successes
        // than `most` have a probability below 1e-12.
        const double none = exp(trials * log1p(-half)), most = fmin(trials, mean + 10 * sqrt(mean + 1));
        for (unsigned attempt = 0;; ++attempt) {
            random_block(key, block, attempt, words);
            double left = __fma_rn((double)(words[0] | (u64)words[1] << 32), 0x1p-64, 0x1p-65), probability = none;
            for (double k = 0; k <= most; ++k) {
                if (left <= probability) return (unsigned)k;
                left -= probability;
                probability *= (trials - k) / (k + 1) * odds;
            }
        }
    }
    // Hörmann, "The generation of binomial random variates", 1993: BTRS.
    const double deviation = sqrt(mean * (1 - half)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * half;
    const double inner = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * deviation, log_odds = log(odds);
    const double mode = floor((trials + 1) * half), at_mode = lgamma(mode + 1) + lgamma(trials - mode + 1);
    for (unsigned attempt = 0;; ++attempt) {
        random_block(key, block, attempt, words);
#pragma unroll 1
        for (int i = 0; i < 4; i += 2) {
            const double u = __fma_rn((double)words[i], 0x1p-32, 0x1p-33 - 0.5);
            const double v = __fma_rn((double)words[i + 1], 0x1p-32, 0x1p-33);
            const double edge = 0.5 - fabs(u), k = floor((2 * a / edge + b) * u + mean + 0.5);
            if (k < 0 || k > trials) continue;
            if (edge >= 0.07 && v <= inner) return (unsigned)k;
            if (log(v * alpha / (a / (edge * edge) + b)) <= at_mode - lgamma(k + 1) - lgamma(trials - k + 1) + (k - mode) * log_odds)
                return (unsigned)k;
        }
    }
}

RANDOM unsigned binomial(u64 block, u64 key, unsigned trials, double probability) {
    if (!(probability > 0)) return 0;
    if (probability >= 1) return trials;
    const bool rare = probability <= 0.5;
    const unsigned events = binomial_of_half(block, key, trials, rare ? probability : 1 - probability);
    return rare ? events : trials - events;
}

// Computes a gamma number with a shape of at least 1: Marsaglia and Tsang, "A simple method for
// generating gamma variables", 2000. Two blocks have two attempts.
static __device__ __noinline__ double gamma_above(u64 block, u64 key, double shape) {
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (unsigned attempt = 0;; attempt += 2) {
        unsigned words[4];
        double x[2];
        u64 bits[2];
        random_block(key, block, attempt, words);
        of_block(words, x);
        random_block(key, block, attempt + 1, words);
        of_block(words, bits);
#pragma unroll 1
        for (int i = 0; i < 2; ++i) {
            const double root = 1 + c * x[i], v = root * root * root, square = x[i] * x[i];
            if (!(root > 0)) continue;
            const double u = __fma_rn((double)bits[i], 0x1p-64, 0x1p-65);
            if (u < 1 - 0.0331 * square * square || log(u) < 0.5 * square + d * (1 - v + log(v))) return d * v;
        }
    }
}

// Computes the logarithm of u^(1/shape), the factor that leads from `shape + 1` to `shape`, with a block
// that no attempt uses.
RANDOM double log_boost(u64 block, u64 key, double shape) {
    unsigned words[4];
    random_block(key, block, ~0u, words);
    return -negative_log<double>(words[0] | (u64)words[1] << 32) / shape;
}

// Computes a gamma number, or its logarithm, which does not underflow.
template <bool LOG> RANDOM double gamma_of(u64 block, u64 key, double shape) {
    // 0 or its logarithm for 0, NaN for NaN and negative shapes, and infinity.
    if (!(shape > 0) || isinf(shape)) return LOG ? log(shape) : sqrt(shape);
    const bool boosted = shape < 1;
    const double above = gamma_above(block, key, boosted ? shape + 1 : shape);
    const double boost = boosted ? log_boost(block, key, shape) : 0.0;
    return LOG ? log(above) + boost : boosted ? above * exp(boost) : above;
}

RANDOM double gamma_number(u64 block, u64 key, double shape) { return gamma_of<false>(block, key, shape); }
RANDOM double log_gamma_number(u64 block, u64 key, double shape) { return gamma_of<true>(block, key, shape); }

#undef RANDOM
