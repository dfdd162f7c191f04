// Interpolates linearly between samples at the values of an expression, as NumPy's `interp` does.
//
// Specialised by THREADS, STORED, VALUE and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"

__device__ __forceinline__ VALUE sample(u64 samples, u64 n) { return value_of(load_one<STORED>(samples, n)); }

// There are `samples` samples `fp` at ascending positions `xp`, at least one.
extern "C" __global__ void __launch_bounds__(THREADS)
interp(const __grid_constant__ Words w, u64 count, u64 samples, u64 xp, u64 fp, u64 result) {
    wait_for_previous_kernel();
    const index_t n = (index_t)blockIdx.x * THREADS + threadIdx.x;
    if (n >= count) return;
    Inputs<1> in;
    load<1>(w, n, in);
    Outputs<1> out;
    compute<1>(w, in, out);
    const VALUE x = out.y0[0];
    u64 low = 0, high = samples - 1;
    VALUE y;
    if (x != x) {
        y = x;
    } else if (x < sample(xp, low)) {
        y = sample(fp, low);
    } else if (!(x < sample(xp, high))) {
        y = sample(fp, high);
    } else {
        while (high - low > 1) {
            const u64 middle = low + (high - low) / 2;
            if (x < sample(xp, middle))
                high = middle;
            else
                low = middle;
        }
        const VALUE left = sample(xp, low), right = sample(xp, high);
        const VALUE from = sample(fp, low), to = sample(fp, high);
        const VALUE slope = (to - from) / (right - left);
        y = x == left ? from : slope * (x - left) + from;
        // With an infinite sample, the other end may have a result.
        if (y != y && x != left) y = slope * (x - right) + to;
        if (y != y && from == to) y = from;
    }
    ((STORED *)result)[n] = storing<STORED, VALUE>::of(y);
}
