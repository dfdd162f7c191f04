// Compiled when the examples are built: see ../embedded_kernels.rs.
#include "index.cuh"

__global__ void saxpy(float a, const float *__restrict__ x, float *__restrict__ y, unsigned n) {
    const unsigned i = index();
    if (i < n) y[i] += a * x[i];
}

__global__ void largest(const int *x, int *out, unsigned long long n) {
    const unsigned i = index();
    if (i < n) atomicMax(out, x[i]);
}

struct Affine { float scale, shift; };

// The build script cannot declare structs in Rust, so this kernel is declared by hand.
extern "C" __global__ void affine(float *x, Affine f, unsigned n) {
    const unsigned i = index();
    if (i < n) x[i] = f.scale * x[i] + f.shift;
}

// Kernels for several element types share a template of device code.
template <typename T> __device__ void scale(T *x, T factor, unsigned n) {
    const unsigned i = index();
    if (i < n) x[i] *= factor;
}

__global__ void scale_f32(float *x, float factor, unsigned n) { scale(x, factor, n); }
__global__ void scale_f64(double *x, double factor, unsigned n) { scale(x, factor, n); }

// The build script lists instances of a template. They are looked up by their names in C++.
template <typename T> __global__ void negate(T *x) { x[threadIdx.x] = -x[threadIdx.x]; }
template __global__ void negate<int>(int *x);
template __global__ void negate<float>(float *x);
