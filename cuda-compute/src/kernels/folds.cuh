// What folds values to one: clear, take a value, merge with another of its kind, and the result of `count` values.

template <class T> __device__ __forceinline__ T plus(T a, T b) { return rs_add(a, b); }
template <class T> __device__ __forceinline__ complex<T> plus(complex<T> a, complex<T> b) { return a + b; }
template <class T> __device__ __forceinline__ T times(T a, T b) { return rs_mul(a, b); }
template <class T> __device__ __forceinline__ complex<T> times(complex<T> a, complex<T> b) { return a * b; }
template <class T> __device__ __forceinline__ T divided(T a, u64 count) { return a / (T)count; }
template <class T> __device__ __forceinline__ complex<T> divided(complex<T> a, u64 count) {
    return {a.re / (T)count, a.im / (T)count};
}
__device__ __forceinline__ bool is_nan(float x) { return isnan(x); }
__device__ __forceinline__ bool is_nan(double x) { return isnan(x); }
template <class T> __device__ __forceinline__ bool is_nan(T) { return false; }

#define FOLD __device__ __forceinline__

template <class T> struct fold_sum {
    typedef T type;
    T sum;
    FOLD void clear() { sum = T{}; }
    FOLD void take(T x) { sum = plus(sum, x); }
    FOLD void merge(const fold_sum &other) { sum = plus(sum, other.sum); }
    FOLD T result(u64) const { return sum; }
};

template <class T> struct fold_mean : fold_sum<T> {
    FOLD T result(u64 count) const { return divided(this->sum, count); }
};

template <class T> struct fold_product {
    typedef T type;
    T product;
    FOLD void clear() { product = T{1}; }
    FOLD void take(T x) { product = times(product, x); }
    FOLD void merge(const fold_product &other) { product = times(product, other.product); }
    FOLD T result(u64) const { return product; }
};

// The smallest or the largest; a number is preferred to NaN.
template <class T, bool LARGEST> struct fold_extreme {
    typedef T type;
    T value;
    FOLD void clear() {
        if constexpr (sizeof(T) == 4 && rs_type<T>::real) value = __int_as_float(0x7fffffff);
        else if constexpr (rs_type<T>::real) value = __longlong_as_double(0x7fffffffffffffffll);
        else value = LARGEST ? rs_type<T>::lowest : rs_type<T>::highest;
    }
    FOLD void take(T x) {
        const bool better = LARGEST ? x > value : x < value;
        if (better || (is_nan(value) && !is_nan(x))) value = x;
    }
    FOLD void merge(const fold_extreme &other) { take(other.value); }
    FOLD T result(u64) const { return value; }
};

// The first place of the smallest or the largest; that of a number is preferred to that of NaN. A thread takes values in
// the order of their places.
template <class T, class P, bool LARGEST> struct fold_place {
    typedef u64 type;
    T value;
    P place;
    static FOLD T worst() {
        fold_extreme<T, LARGEST> extreme;
        extreme.clear();
        return extreme.value;
    }
    // Not when one of them is NaN; the first value is.
    static FOLD bool better(T x, T than) {
        if constexpr (rs_type<T>::real) return x == x && !(LARGEST ? x <= than : x >= than);
        else return LARGEST ? x > than : x < than;
    }
    FOLD void clear() { value = worst(); place = (P)-1; }
    FOLD void take(T x, u64 at) {
        if (better(x, value)) { value = x; place = (P)at; }
    }
    FOLD void merge(const fold_place &other) {
        if (better(other.value, value) || (other.value == value && other.place < place)) *this = other;
    }
    // If nothing was better than the worst, all are the worst, or NaN.
    FOLD u64 result(u64) const { return place == (P)-1 ? 0 : place; }
};

template <bool ALL> struct fold_truth {
    typedef bool type;
    bool truth;
    FOLD void clear() { truth = ALL; }
    FOLD void take(bool x) { truth = ALL ? truth && x : truth || x; }
    FOLD void merge(const fold_truth &other) { take(other.truth); }
    FOLD bool result(u64) const { return truth; }
};

// Sums of squared distances from the mean, of several values at a time about their own mean; merged as Chan, Golub and
// LeVeque do, "Updating formulae and a pairwise algorithm for computing sample variances", 1979. LESS is taken off the
// divisor.
template <class T, int LESS, bool ROOT> struct fold_variance {
    typedef T type;
    T taken, mean, squares;
    // Approximate for floats: a mean that is a little off its place costs nothing, since squares are taken about where it
    // is.
    static FOLD float share(float part, float all) { return __fdividef(part, all); }
    static FOLD double share(double part, double all) { return part / all; }
    FOLD void clear() { taken = mean = squares = 0; }
    FOLD void add(T count, T their_mean, T their_squares) {
        const T all = taken + count, weight = share(count, all), distance = their_mean - mean;
        mean += distance * weight;
        squares += their_squares + distance * distance * taken * weight;
        taken = all;
    }
    FOLD void take(T x) { add(1, x, 0); }
    template <int MANY> FOLD void take_all(const T (&x)[MANY]) {
        T sum = x[0], around = 0;
#pragma unroll
        for (int i = 1; i < MANY; ++i) sum += x[i];
        const T own = sum * ((T)1 / MANY);
#pragma unroll
        for (int i = 0; i < MANY; ++i) around += (x[i] - own) * (x[i] - own);
        add(MANY, own, around);
    }
    FOLD void merge(const fold_variance &other) {
        if (other.taken > 0) add(other.taken, other.mean, other.squares);
    }
    FOLD T result(u64 count) const {
        const T variance = squares / (T)((long long)count - LESS);
        return ROOT ? (sizeof(T) == 8 ? (T)sqrt((double)variance) : (T)sqrtf((float)variance)) : variance;
    }
};

// Values of one result that are taken together: one of each of several vectors, or all of one vector.
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
