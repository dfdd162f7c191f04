// The variance of a row whose values can be computed several times, after the corrected algorithm in
// two passes of T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for computing the sample
// variance: analysis and recommendations", The American Statistician 37(3), 1983. Distances from the
// row's first value give the mean, so that a large mean costs no digits.
//
// Needs rows.cu's THREADS, GROUP, COLUMNS, GIVEN and fold_row.

// The value of the first thread of a row, or of a column.
template <class T> __device__ __forceinline__ T of_first_thread(T value) {
#if COLUMNS
    if (GROUP == 1) return value;
    __shared__ T first[COLUMNS];
    const unsigned row = threadIdx.x % COLUMNS, lane = threadIdx.x / COLUMNS;
#elif GROUP <= 32
    return from_first(value, GROUP);
#else
    __shared__ T first[THREADS / GROUP];
    const unsigned row = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
#endif
#if COLUMNS || GROUP > 32
    if (lane == 0) first[row] = value;
    __syncthreads();
    value = first[row];
    __syncthreads();  // before the next use
    return value;
#endif
}

// The sum of values of one row, by a tree.
template <int MANY, class T> __device__ __forceinline__ T sum_of(T (&x)[MANY]) {
#pragma unroll
    for (int width = 1; width < MANY; width *= 2)
#pragma unroll
        for (int i = 0; i + width < MANY; i += 2 * width) x[i] += x[i + width];
    return x[0];
}

// A power of 2, so that products with it are exact. No sum of `count` distances, each times this, overflows.
template <class T> __device__ __forceinline__ T scale_for(u64 count) {
    return (T)1 / (T)(4ull << (64 - __clzll((long long)count)));
}

// The first pass: the sum of distances from a value, times `scale`.
template <class T> struct fold_distances {
    enum { ORDERED = 0 };
    T sum;
    FOLD void clear() { sum = 0; }
    template <int MANY> FOLD void take(const T (&x)[MANY], T from, T scale) {
        T scaled[MANY];
#pragma unroll
        for (int i = 0; i < MANY; ++i) scaled[i] = fma(x[i], scale, -from * scale);
        sum += sum_of(scaled);
    }
    FOLD void merge(const fold_distances &other) { sum += other.sum; }
};

// The second pass: distances from the mean, and their squares. The distances correct the squares for
// the mean's rounding error.
template <class T> struct fold_squares {
    enum { ORDERED = 0 };
    T sum, squares;
    FOLD void clear() { sum = squares = 0; }
    template <int MANY> FOLD void take(const T (&x)[MANY], T mean) {
        T distances[MANY], products[MANY];
#pragma unroll
        for (int i = 0; i < MANY; ++i) {
            distances[i] = x[i] - mean;
            products[i] = distances[i] * distances[i];
        }
        sum += sum_of(distances);
        squares += sum_of(products);
    }
    FOLD void merge(const fold_squares &other) {
        sum += other.sum;
        squares += other.squares;
    }
    // If a value was infinite or NaN, so is `squares`, which then is NaN. If it overflowed, it is infinite.
    template <u64 DDOF, bool ROOT> FOLD T result(u64 count) const {
        const T corrected = isfinite(squares) ? max(squares - sum * (sum / (T)count), (T)0) : squares;
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
