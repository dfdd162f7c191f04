// CUB with a C interface, for run.py, arrays.py, sorts.py and tune.py. Like CUB's functions, each one takes its temporary memory and
// the size of that memory. Without memory it only sets the size.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

// The two sums of the bench `sum` and of tune.py, with memory of fixed size.
extern "C" int cub_sum_f32(const float *in, float *out, long long count, void *temporary,
                           size_t bytes, void *stream) {
    return cub::DeviceReduce::Sum(temporary, bytes, in, out, count, (cudaStream_t)stream);
}

extern "C" int cub_sum_f32_32(const float *in, float *out, int count, void *temporary,
                              size_t bytes, void *stream) {
    return cub::DeviceReduce::Sum(temporary, bytes, in, out, count, (cudaStream_t)stream);
}

#define PEER(name, ...) \
    extern "C" int cub_##name(void *temporary, size_t *bytes, cudaStream_t stream, __VA_ARGS__)

PEER(sum, const float *in, float *out, long long count) {
    return cub::DeviceReduce::Sum(temporary, *bytes, in, out, count, stream);
}

PEER(argmax, const float *in, float *largest, long long *place, long long count) {
    return cub::DeviceReduce::ArgMax(temporary, *bytes, in, largest, place, count, stream);
}

PEER(scan, const float *in, float *out, long long count) {
    return cub::DeviceScan::InclusiveSum(temporary, *bytes, in, out, count, stream);
}

PEER(select, const float *in, const bool *flags, float *out, long long *selected, long long count) {
    return cub::DeviceSelect::Flagged(temporary, *bytes, in, flags, out, selected, count, stream);
}

PEER(histogram, const unsigned char *in, unsigned *bins, long long count) {
    return cub::DeviceHistogram::HistogramEven(temporary, *bytes, in, bins, 257, 0, 256, count, stream);
}

// The start of a row.
struct RowStart {
    long long columns;
    __host__ __device__ long long operator()(long long row) const { return row * columns; }
};

PEER(sum_of_rows, const float *in, float *out, long long rows, long long columns) {
    const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(0ll), RowStart{columns});
    return cub::DeviceSegmentedReduce::Sum(temporary, *bytes, in, out, rows, starts, starts + 1, stream);
}

struct Affine {
    __device__ float operator()(float x) const { return 2 * x + 3; }
};

PEER(affine, const float *in, float *out, long long count) {
    return cub::DeviceTransform::Transform(temporary, *bytes, in, out, count, Affine{}, stream);
}

struct Wave {
    __device__ float operator()(float x, float y) const { return sinf(x) * expf(y) + x * y; }
};

PEER(wave, const float *x, const float *y, float *out, long long count) {
    const auto inputs = cuda::std::make_tuple(x, y);
    return cub::DeviceTransform::Transform(temporary, *bytes, inputs, out, count, Wave{}, stream);
}

#define SORT(name, type)                                                                              \
    PEER(sort_##name, const type *in, type *out, long long count) {                                   \
        return cub::DeviceRadixSort::SortKeys(temporary, *bytes, in, out, count, 0, 8 * sizeof(type), stream); \
    }
SORT(u8, unsigned char)
SORT(u32, unsigned)
SORT(f32, float)
SORT(u64, unsigned long long)

PEER(sort_pairs, const unsigned *in, unsigned *out, const unsigned *values, unsigned *moved, long long count) {
    return cub::DeviceRadixSort::SortPairs(temporary, *bytes, in, out, values, moved, count, 0, 32, stream);
}

PEER(sort_rows, const unsigned *in, unsigned *out, long long rows, long long columns) {
    const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(0ll), RowStart{columns});
    return cub::DeviceSegmentedSort::SortKeys(temporary, *bytes, in, out, rows * columns, rows, starts, starts + 1, stream);
}

PEER(unique, const unsigned *in, unsigned *out, long long *selected, long long count) {
    return cub::DeviceSelect::Unique(temporary, *bytes, in, out, selected, count, stream);
}
