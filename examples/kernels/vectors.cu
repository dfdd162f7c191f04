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
