// The variance of a row whose values can be computed several times, after the corrected algorithm in
// two passes of T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for computing the sample
// variance: analysis and recommendations", The American Statistician 37(3), 1983. Distances from the
// row's first value give the mean, so that a large mean costs no digits. If another stage has computed the
// mean, there is no first pass: see rows.rs.
//
// Needs rows.cu's THREADS, GROUP, COLUMNS, GIVEN and fold_rows.

// Gives all threads the values of the first thread of their row, or of their columns.
template <class T> __device__ __forceinline__ void take_first(const T (&values)[VECTOR], T (&first)[GIVEN]) {
#if COLUMNS
    enum { ROWS = COLUMNS };
    const unsigned row = threadIdx.x % COLUMNS, lane = threadIdx.x / COLUMNS;
#elif GROUP > 32
    enum { ROWS = THREADS / GROUP };
    const unsigned row = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
#endif
#if (COLUMNS && GROUP > 1) || GROUP > 32
    __shared__ T shared[GIVEN * ROWS];
    if (lane == 0)
#pragma unroll
        for (int i = 0; i < GIVEN; ++i) shared[i * ROWS + row] = values[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < GIVEN; ++i) first[i] = shared[i * ROWS + row];
    __syncthreads();  // before the next use
#else
#pragma unroll
    for (int i = 0; i < GIVEN; ++i) first[i] = COLUMNS ? values[i] : from_first(values[i], GROUP);
#endif
}

// A power of 2, so that products with it are exact. No sum of `count` distances, each times this, overflows.
template <class T> __device__ __forceinline__ T scale_for(u64 count) {
    return (T)1 / (T)(4ull << (64 - __clzll((long long)count)));
}

// The first pass: the sum of distances from a value, times `scale`.
template <class T> struct fold_distances : fold_sum<T> {
    enum { ORDERED = 0 };
    template <int MANY> FOLD void take(const T (&x)[MANY], T from, T scale) {
        T scaled[MANY];
#pragma unroll
        for (int i = 0; i < MANY; ++i) scaled[i] = fma(x[i], scale, -from * scale);
        this->take_all(scaled);
    }
};

// The second pass: distances from the mean, and their squares. The distances correct the squares for
// the mean's rounding error.
template <class T> struct fold_squares {
    enum { ORDERED = 0 };
    fold_sum<T> sum, squares;
    FOLD void clear() {
        sum.clear();
        squares.clear();
    }
    template <int MANY> FOLD void take(const T (&x)[MANY], T mean) {
        T distances[MANY], products[MANY];
#pragma unroll
        for (int i = 0; i < MANY; ++i) {
            distances[i] = x[i] - mean;
            products[i] = distances[i] * distances[i];
        }
        sum.take_all(distances);
        squares.take_all(products);
    }
    FOLD void merge(const fold_squares &other) {
        sum.merge(other.sum);
        squares.merge(other.squares);
    }
    // The sum of squares is NaN if a value was infinite or NaN, and infinite if it overflowed.
    template <u64 DDOF, bool ROOT> FOLD T result(u64 count) const {
        const T all = squares.value, left = sum.value;
        const T corrected = isfinite(all) ? max(all - left * (left / (T)count), (T)0) : all;
        const T variance = corrected / (T)(count > DDOF ? count - DDOF : 0);
        return ROOT ? (sizeof(T) == 8 ? (T)sqrt((double)variance) : (T)sqrtf((float)variance)) : variance;
    }
};

// The values of a vector that belong to a row: all of them, or one if rows are columns.
template <class T, class F> __device__ __forceinline__ void for_rows(const T (&values)[VECTOR], F take) {
#pragma unroll
    for (int row = 0; row < GIVEN; ++row) {
        T own[VECTOR / GIVEN];
#pragma unroll
        for (int i = 0; i < VECTOR / GIVEN; ++i) own[i] = values[row + i];
        take(row, own);
    }
}
