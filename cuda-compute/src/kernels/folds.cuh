// Folds of values: clear, take a value, merge with another fold of the same type, and the result of
// `count` values.

template <class T> __device__ __forceinline__ T plus(T a, T b) { return rs_add(a, b); }
template <class T> __device__ __forceinline__ complex<T> plus(complex<T> a, complex<T> b) { return a + b; }
template <class T> __device__ __forceinline__ T times(T a, T b) { return rs_mul(a, b); }
template <class T> __device__ __forceinline__ complex<T> times(complex<T> a, complex<T> b) { return c_times(a, b); }
template <class T> __device__ __forceinline__ T divided(T a, u64 count) { return a / (T)count; }
template <class T> __device__ __forceinline__ complex<T> divided(complex<T> a, u64 count) {
    return {a.re / (T)count, a.im / (T)count};
}
__device__ __forceinline__ bool is_nan(float x) { return isnan(x); }
__device__ __forceinline__ bool is_nan(double x) { return isnan(x); }
template <class T> __device__ __forceinline__ bool is_nan(T) { return false; }

#define FOLD __device__ __forceinline__

// A fold whose accumulator is a value: PAIR has its type, its identity, and `of`, which combines two.
template <class PAIR> struct fold_pairs {
    typedef typename PAIR::type type;
    type value;
    FOLD void clear() { value = PAIR::identity(); }
    FOLD void take(type x) { value = PAIR::of(value, x); }
    // Combines the values as a tree, so the error of a long sum grows with the number of calls, not
    // of values.
    template <int MANY> FOLD void take_all(const type (&x)[MANY]) {
        type tree[MANY];
#pragma unroll
        for (int i = 0; i < MANY; ++i) tree[i] = x[i];
#pragma unroll
        for (int width = 1; width < MANY; width *= 2)
#pragma unroll
            for (int i = 0; i + width < MANY; i += 2 * width) tree[i] = PAIR::of(tree[i], tree[i + width]);
        take(tree[0]);
    }
    FOLD void merge(const fold_pairs &other) { take(other.value); }
    FOLD type result(u64) const { return value; }
};

template <class T> struct pair_sum {
    typedef T type;
    static FOLD T identity() { return T{}; }
    static FOLD T of(T a, T b) { return plus(a, b); }
};
template <class T> using fold_sum = fold_pairs<pair_sum<T>>;

template <class T> struct fold_mean : fold_sum<T> {
    FOLD T result(u64 count) const { return divided(this->value, count); }
};

template <class T> struct pair_product {
    typedef T type;
    static FOLD T identity() { return T{1}; }
    static FOLD T of(T a, T b) { return times(a, b); }
};
template <class T> using fold_product = fold_pairs<pair_product<T>>;

// The minimum or maximum. If one of two values is NaN, the result is NaN with NANS, and the other
// value without.
template <class T, bool LARGEST, bool NANS> struct pair_extreme {
    typedef T type;
    static FOLD T identity() {
        if constexpr (!rs_type<T>::real) return LARGEST ? rs_type<T>::lowest : rs_type<T>::highest;
        else if constexpr (NANS) return (T)__longlong_as_double(LARGEST ? 0xfff0000000000000ll : 0x7ff0000000000000ll);
        else if constexpr (sizeof(T) == 4) return __int_as_float(0x7fffffff);
        else return __longlong_as_double(0x7fffffffffffffffll);
    }
    static FOLD T of(T a, T b) {
        if constexpr (rs_type<T>::real && !NANS) {
            // One instruction each.
            if constexpr (sizeof(T) == 4) return LARGEST ? fmaxf(a, b) : fminf(a, b);
            else return LARGEST ? fmax(a, b) : fmin(a, b);
        } else {
            const bool better = LARGEST ? b > a : b < a;
            return better || (NANS && is_nan(b)) ? b : a;
        }
    }
};
template <class T, bool LARGEST, bool NANS> using fold_extreme = fold_pairs<pair_extreme<T, LARGEST, NANS>>;

// The first place of the minimum or maximum. If one of two values is NaN, the result is the place
// of NaN with NANS, and the place of the other value without. A thread may take values in any order of
// their places, because it reads in the order of memory.
template <class T, class P, bool LARGEST, bool NANS> struct fold_place {
    typedef u64 type;
    T value;
    P place;
    static FOLD bool better(T x, T than) {
        if constexpr (!rs_type<T>::real) return LARGEST ? x > than : x < than;
        else return !is_nan(NANS ? than : x) && !(LARGEST ? x <= than : x >= than);
    }
    static FOLD bool equal(T a, T b) { return a == b || (NANS && is_nan(a) && is_nan(b)); }
    // Includes padding, because copies through memory move it.
    FOLD void clear() { memset(this, 0, sizeof(*this)); value = pair_extreme<T, LARGEST, NANS>::identity(); place = (P)-1; }
    FOLD void take(T x, u64 at) {
        if (better(x, value) || (equal(x, value) && (P)at < place)) { value = x; place = (P)at; }
    }
    FOLD void merge(const fold_place &other) { take(other.value, other.place); }
    // If no value was better than the worst possible one, all values are the worst one or NaN.
    FOLD u64 result(u64) const { return place == (P)-1 ? 0 : place; }
};

template <bool ALL> struct pair_truth {
    typedef bool type;
    static FOLD bool identity() { return ALL; }
    static FOLD bool of(bool a, bool b) { return ALL ? a && b : a || b; }
};
template <bool ALL> using fold_truth = fold_pairs<pair_truth<ALL>>;

// Sums of squared distances from the mean. Several values at a time are taken about their own mean,
// and merged as in Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for
// computing sample variances", 1979. The mean is the sum of `mean` and its rounding error `rest`,
// so distances from a large mean lose no digits. `taken` is NaN if a value was infinite or NaN. If
// it is not, an infinite or NaN `squares` means overflow. DDOF is subtracted from the divisor.
template <class T, u64 DDOF, bool ROOT> struct fold_variance {
    typedef T type;
    T taken, mean, rest, squares;
    // Approximate for floats. A slightly inaccurate mean does no harm, because squares are taken
    // about its actual value.
    static FOLD float share(float part, float all) { return __fdividef(part, all); }
    static FOLD double share(double part, double all) { return part / all; }
    FOLD void clear() { taken = mean = rest = squares = 0; }
    FOLD void add(T count, T their_mean, T their_rest, T their_squares) {
        // The first mean is copied, because a weight near 1 would cost digits.
        const bool first = taken == 0;
        const T from = first ? their_mean : mean, from_rest = first ? their_rest : rest;
        const T all = taken + count, weight = share(count, all);
        const T distance = (their_mean - from) + (their_rest - from_rest), moved = from_rest + distance * weight;
        mean = from + moved;
        rest = (from - mean) + moved;
        squares += their_squares + distance * (distance * (taken * weight));
        taken = all;
    }
    FOLD void take(T x) { add(x * 0 + 1, x, 0, 0); }
    template <int MANY> FOLD void take_all(const T (&x)[MANY]) {
        if (MANY == 1) return take(x[0]);
        // Distances from the first value, scaled so that no sum of them overflows. The sum is
        // finite if all values are.
        const T small = (T)1 / (4 * MANY), large = 4 * MANY, first = -x[0] * small;
        T from_first[MANY], sum = 0;
#pragma unroll
        for (int i = 1; i < MANY; ++i) {
            from_first[i] = fma(x[i], small, first);
            sum += from_first[i];
        }
        const T own = sum * ((T)1 / MANY);
        T around = own * own;
#pragma unroll
        for (int i = 1; i < MANY; ++i) around += (from_first[i] - own) * (from_first[i] - own);
        add(own * 0 + MANY, x[0], own * large, around * (large * large));
    }
    FOLD void merge(const fold_variance &other) {
        if (other.taken != 0) add(other.taken, other.mean, other.rest, other.squares);
    }
    FOLD T result(u64 count) const {
        if (isnan(taken)) return taken;
        const T sum = isfinite(squares) ? squares : (T)__longlong_as_double(0x7ff0000000000000ll);
        const T variance = sum / (T)(count > DDOF ? count - DDOF : 0);
        return ROOT ? (sizeof(T) == 8 ? (T)sqrt((double)variance) : (T)sqrtf((float)variance)) : variance;
    }
};

// Values of one result that are taken together: one of each of several vectors, all of one vector, or
// all of several vectors.
template <class O, int MANY> struct values_down {
    enum { count = MANY };
    const O (&outputs)[MANY];
    int column;
    FOLD const O &output(int i) const { return outputs[i]; }
    FOLD int lane(int) const { return column; }
};
template <class O, int MANY> struct values_across {
    enum { count = MANY };
    const O &outputs;
    FOLD const O &output(int) const { return outputs; }
    FOLD int lane(int i) const { return i; }
};
template <class O, int V, int MANY> struct values_of_all {
    enum { count = V * MANY };
    const O (&outputs)[MANY];
    FOLD const O &output(int i) const { return outputs[i / V]; }
    FOLD int lane(int i) const { return i % V; }
};
