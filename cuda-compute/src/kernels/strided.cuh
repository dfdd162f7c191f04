// Arrays with strides as kernel parameters, for `Array::strided` and `Array::strided_mut`.

#pragma once

// The elements of an array with N axes. T is const if the kernel only reads. Indices are not
// checked.
template <typename T, int N> struct Strided {
    T *data;
    long long shape[N];
    long long strides[N]; // in elements

    // The element at these indices, one for each axis.
    template <typename... I> __device__ T &operator()(I... indices) const {
        static_assert(sizeof...(I) == N, "Strided: pass one index for each axis");
        const long long at[N] = {static_cast<long long>(indices)...};
        long long offset = 0;
        for (int axis = 0; axis < N; ++axis) offset += at[axis] * strides[axis];
        return data[offset];
    }

    // The element at this place in C order.
    __device__ T &operator[](long long place) const {
        long long offset = 0;
        for (int axis = N - 1; axis >= 0; --axis) {
            offset += place % shape[axis] * strides[axis];
            place /= shape[axis];
        }
        return data[offset];
    }

    // The number of elements.
    __device__ long long size() const {
        long long size = 1;
        for (int axis = 0; axis < N; ++axis) size *= shape[axis];
        return size;
    }
};
