// cub::DeviceReduce behind a C interface, for the comparison in tune.py.
#include <cub/device/device_reduce.cuh>

template <typename T>
static int sum(const T *in, T *out, long long count, void *temporary, size_t bytes, void *stream) {
    return cub::DeviceReduce::Sum(temporary, bytes, in, out, count, (cudaStream_t)stream);
}

extern "C" int cub_sum_f32(const float *in, float *out, long long count, void *temporary,
                           size_t bytes, void *stream) {
    return sum(in, out, count, temporary, bytes, stream);
}

extern "C" int cub_sum_f32_32(const float *in, float *out, int count, void *temporary,
                              size_t bytes, void *stream) {
    return cub::DeviceReduce::Sum(temporary, bytes, in, out, count, (cudaStream_t)stream);
}
