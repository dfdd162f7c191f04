// Control flow, calls, synchronisation, libraries: one kernel a feature.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>
namespace cg = cooperative_groups;

extern "C" __global__ void matmul(float *c, const float *a, const float *b, int n) {
    __shared__ float sa[16][16], sb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float t = 0;
    for (int k = 0; k < n; k += 16) {
        sa[threadIdx.y][threadIdx.x] = y < n && k + threadIdx.x < n ? a[y * n + k + threadIdx.x] : 0;
        sb[threadIdx.y][threadIdx.x] = x < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + x] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++) t += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < n) c[y * n + x] = t;
}
// A lock taken by every thread of every block, lanes of one warp included.
__device__ int lock_word;
extern "C" __global__ void locks(unsigned *counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            __threadfence();
            *(volatile unsigned *)counter = *(volatile unsigned *)counter + 1;
            __threadfence();
            atomicExch(&lock_word, 0);
            done = true;
        }
    }
}
// The same, written so that the holder leaves the loop before it unlocks.
extern "C" __global__ void locks_outside(unsigned *counter) {
    while (atomicCAS(&lock_word, 0, 1) != 0) {}
    __threadfence();
    *(volatile unsigned *)counter += 1;
    __threadfence();
    atomicExch(&lock_word, 0);
}
__device__ unsigned arrived;
extern "C" __global__ void grid_barrier(unsigned *out) {
    for (unsigned round = 1; round <= 3; round++) {
        out[(round - 1) * gridDim.x + blockIdx.x] = round == 1 ? blockIdx.x : out[(round - 2) * gridDim.x + (blockIdx.x + 1) % gridDim.x] + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(&arrived, 1);
            while (*(volatile unsigned *)&arrived < round * gridDim.x) {}
            __threadfence();
        }
        __syncthreads();
    }
}
extern "C" __global__ void cooperative(unsigned *out) {
    cg::grid_group g = cg::this_grid();
    out[g.thread_rank()] = g.thread_rank();
    g.sync();
    unsigned v = out[(g.thread_rank() + 33) % g.size()];
    g.sync();
    out[g.thread_rank()] = v * 2;
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x % 13); }
struct Big { int a[5]; double d; };
__device__ __noinline__ Big make(int i, Big b) { b.a[i % 5] += i; b.d *= 2; return b; }
extern "C" __global__ void structs(Big in, double *out) {
    Big b = make(threadIdx.x, in);
    double s = b.d;
    for (int i = 0; i < 5; i++) s += b.a[(i + threadIdx.x) % 5] * (i + 1);
    out[threadIdx.x] = s;
}
typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int negate(int x) { return -x; }
__device__ Function table[3] = {twice, square, negate};
extern "C" __global__ void indirect(int *out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }
struct Shape { __device__ virtual int area() const = 0; };
struct Square : Shape { int s; __device__ Square(int s) : s(s) {} __device__ int area() const override { return s * s; } };
struct Rectangle : Shape { int a, b; __device__ Rectangle(int a, int b) : a(a), b(b) {} __device__ int area() const override { return a * b; } };
extern "C" __global__ void virtuals(int *out) {
    Square s(threadIdx.x);
    Rectangle r(threadIdx.x, 3);
    const Shape *shape = threadIdx.x % 2 ? (const Shape *)&s : &r;
    out[threadIdx.x] = shape->area();
}
extern "C" __global__ void switches(const int *in, int *out) {
    int x = in[threadIdx.x];
    switch (x) {
    case 0: out[threadIdx.x] = 5; break;
    case 1: out[threadIdx.x] = x * 7; break;
    case 2: out[threadIdx.x] = x << 9; break;
    case 3: out[threadIdx.x] = 100 / x; break;
    case 4: out[threadIdx.x] = __popc(x * 12345); break;
    case 5: out[threadIdx.x] = __clz(x); break;
    case 6: out[threadIdx.x] = x ^ 0x55; break;
    case 7: out[threadIdx.x] = -x; break;
    default: out[threadIdx.x] = -1;
    }
}
extern "C" __global__ void collatz(unsigned *out) {
    unsigned long long n = blockIdx.x * blockDim.x + threadIdx.x + 1;
    unsigned steps = 0;
    while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = steps;
}
extern "C" __global__ void blocks(int *out, const int *in) {
    using Reduce = cub::BlockReduce<int, 128>;
    using Scan = cub::BlockScan<int, 128>;
    using Sort = cub::BlockRadixSort<int, 128, 4>;
    __shared__ union { typename Reduce::TempStorage r; typename Scan::TempStorage s; typename Sort::TempStorage o; } t;
    int i = blockIdx.x * 128 + threadIdx.x;
    int v = in[i], total, prefix;
    total = Reduce(t.r).Sum(v);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
    Scan(t.s).InclusiveSum(v, prefix);
    out[gridDim.x + i] = prefix;
    __syncthreads();
    int keys[4];
    for (int k = 0; k < 4; k++) keys[k] = in[(i * 4 + k) % (gridDim.x * 128)] * 7919 % 1000;
    Sort(t.o).Sort(keys);
    for (int k = 0; k < 4; k++) out[gridDim.x + gridDim.x * 128 + i * 4 + k] = keys[k];
}
extern "C" __global__ void warps(int *out, const int *in) {
    using Reduce = cub::WarpReduce<int>;
    using Scan = cub::WarpScan<int>;
    __shared__ typename Reduce::TempStorage r[4];
    __shared__ typename Scan::TempStorage s[4];
    int w = threadIdx.x / 32, v = in[threadIdx.x], p;
    int total = Reduce(r[w]).Reduce(v, cuda::maximum<int>{});
    Scan(s[w]).ExclusiveSum(v, p);
    if (threadIdx.x % 32 == 0) out[w] = total;
    out[4 + threadIdx.x] = p;
}
extern "C" __global__ void tiles(int *out, const int *in) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = in[threadIdx.x];
    out[threadIdx.x] = cg::reduce(tile, v, cg::plus<int>());
    out[blockDim.x + threadIdx.x] = cg::inclusive_scan(tile, v, cg::plus<int>());
    auto active = cg::coalesced_threads();
    if (v % 3 == 0) {
        auto some = cg::coalesced_threads();
        out[2 * blockDim.x + threadIdx.x] = some.size() * 100 + some.thread_rank();
    } else out[2 * blockDim.x + threadIdx.x] = active.size();
    auto labeled = cg::labeled_partition(active, v % 4);
    out[3 * blockDim.x + threadIdx.x] = labeled.size();
}
extern "C" __global__ void halves(__half *h, __nv_bfloat16 *b, const float *x, int n) {
    int i = threadIdx.x;
    if (i < n) {
        __half a = __float2half(x[i]), c = __float2half(x[(i + 1) % n]);
        h[i] = __hfma(a, c, __hadd(a, __hmul(c, c)));
        h[n + i] = hsqrt(__habs(a));
#if __CUDA_ARCH__ >= 800
        h[2 * n + i] = __hmax(a, c);
#else
        h[2 * n + i] = a > c ? a : c;
#endif
        __nv_bfloat16 p = __float2bfloat16(x[i]), q = __float2bfloat16(x[(i + 1) % n]);
#if __CUDA_ARCH__ >= 800
        b[i] = __hfma(p, q, __hsub(p, q));
#endif
#if __CUDA_ARCH__ >= 800
        b[n + i] = hexp(p);
#endif
        __half2 v = __floats2half2_rn(x[i], x[(i + 1) % n]);
        v = __hfma2(v, v, v);
        h[3 * n + i] = __low2half(v);
        h[4 * n + i] = __high2half(v);
        h[5 * n + i] = __hgt(a, c) ? a : __hneg(c);
    }
}
extern "C" __global__ void math32(float *out, const float *x, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float v = x[i];
    int k = 0;
#define PUT(e) out[n * k++ + i] = e
    PUT(sinf(v)); PUT(cosf(v)); PUT(tanf(v)); PUT(expf(v)); PUT(logf(fabsf(v))); PUT(powf(fabsf(v), 1.7f));
    PUT(sqrtf(fabsf(v))); PUT(rsqrtf(fabsf(v))); PUT(cbrtf(v)); PUT(atanf(v)); PUT(asinf(v / 1000)); PUT(tanhf(v));
    PUT(erff(v)); PUT(lgammaf(fabsf(v) + 0.5f)); PUT(fmodf(v, 0.7f)); PUT(expm1f(v)); PUT(log1pf(fabsf(v))); PUT(hypotf(v, 3));
    PUT(ldexpf(v, 3)); PUT(roundf(v)); PUT(v / 3.0f); PUT(floorf(v)); PUT(atan2f(v, 2)); PUT(__expf(v)); PUT(__sinf(v)); PUT(__fdividef(v, 3));
}
extern "C" __global__ void math64(double *out, const double *x, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    double v = x[i];
    int k = 0;
    PUT(sin(v)); PUT(cos(v)); PUT(tan(v)); PUT(exp(v)); PUT(log(fabs(v))); PUT(pow(fabs(v), 1.7));
    PUT(sqrt(fabs(v))); PUT(rsqrt(fabs(v))); PUT(cbrt(v)); PUT(atan(v)); PUT(asin(v / 1000)); PUT(tanh(v));
    PUT(erf(v)); PUT(tgamma(fabs(v) / 10 + 0.5)); PUT(fmod(v, 0.7)); PUT(expm1(v)); PUT(log1p(fabs(v))); PUT(hypot(v, 3));
    PUT(1 / v); PUT(v / 3); PUT(rint(v)); PUT(floor(v)); PUT(atan2(v, 2)); PUT(sinh(v / 10));
}
extern "C" __global__ void atomics(unsigned *u, int *s, float *f, double *d, unsigned long long *l) {
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    atomicAdd(&u[0], i); atomicMax(&u[1], i); atomicMin(&u[2], i); atomicInc(&u[3], 10); atomicDec(&u[4], 10);
    atomicAnd(&u[5], ~(1u << i % 32)); atomicOr(&u[6], 1u << i % 31); atomicXor(&u[7], i); atomicSub(&u[8], 3);
    atomicMax(&s[0], (int)i - 50); atomicMin(&s[1], (int)i - 50); atomicAdd(f, 0.5f); atomicAdd(d, 0.25); atomicAdd(l, 1ull << 33);
    atomicMax(l + 1, (unsigned long long)i << 32);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> r(u[9]);
    r.fetch_add(2, cuda::std::memory_order_acq_rel);
    __shared__ unsigned sh;
    if (threadIdx.x == 0) sh = 0;
    __syncthreads();
    atomicAdd(&sh, 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&u[10], sh);
}
extern "C" __global__ void votes(unsigned *out) {
    int i = threadIdx.x;
    out[i] = __ballot_sync(~0u, i % 3 == 0);
    out[32 + i] = __any_sync(~0u, i == 7) + 2 * __all_sync(~0u, i < 32) + 4 * __all_sync(~0u, i < 31);
    out[64 + i] = __match_any_sync(~0u, i % 5);
    int p;
    out[96 + i] = __match_all_sync(~0u, 3, &p) + p;
    if (i % 2) out[128 + i] = __activemask();
#if __CUDA_ARCH__ >= 800
    else out[128 + i] = __reduce_add_sync(0x55555555, i);
#else
    else out[128 + i] = 240;
#endif
    out[160 + i] = __shfl_xor_sync(~0u, i * i, 5);
    out[192 + i] = __shfl_up_sync(~0u, i * i, 3, 8);
    out[224 + i] = __syncthreads_count(i % 3 == 0) + 100 * __syncthreads_and(i < 32) + 200 * __syncthreads_or(i == 100);
}
// Lanes meet at __syncwarp from different places.
extern "C" __global__ void syncwarps(int *out) {
    __shared__ int s[32];
    int i = threadIdx.x;
    if (i < 16) { s[i] = i; __syncwarp(); out[i] = s[31 - i]; }
    else { s[i] = 2 * i; __syncwarp(); out[i] = s[31 - i]; }
}
extern "C" __global__ void dynamic(int *out) {
    extern __shared__ int dyn[];
    __shared__ int fixed[3];
    dyn[threadIdx.x] = threadIdx.x * 3;
    if (threadIdx.x < 3) fixed[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = dyn[blockDim.x - 1 - threadIdx.x] + fixed[threadIdx.x % 3];
}
extern "C" __global__ void heap(int **out) {
    int *p = (int *)malloc(64);
    for (int i = 0; i < 16; i++) p[i] = i * threadIdx.x;
    int s = 0;
    for (int i = 0; i < 16; i++) s += p[i];
    free(p);
    ((int *)out)[threadIdx.x] = s;
}
extern "C" __global__ void asserts(int n) { assert(threadIdx.x != n && "a message"); }
extern "C" __global__ void traps(int n) { if (threadIdx.x == n) __trap(); }
extern "C" __global__ void forever(volatile int *p) { while (*p == 0) {} }
extern "C" __global__ void standard(double *out) {
    cuda::std::array<double, 4> a{1, 2, 3, threadIdx.x * 1.0};
    cuda::std::complex<double> z(a[threadIdx.x % 4], 1);
    z = z * z + cuda::std::complex<double>(0, a[3]);
    auto t = cuda::std::make_tuple(z.real(), z.imag());
    out[threadIdx.x] = cuda::std::get<0>(t) + 10 * cuda::std::get<1>(t);
}
extern "C" __global__ void integers(long long *out, const int *x, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    int a = x[i], b = x[(i + 1) % n];
    long long la = (long long)a * 1000003 + b, lb = (long long)b * 77777 - a;
    int k = 0;
    PUT(a + b); PUT(a * b); PUT(b ? a / b : 0); PUT(b ? a % b : 0); PUT((unsigned)a >> (b & 31)); PUT(a >> (b & 31));
    PUT(lb ? la / lb : 0); PUT(lb ? la % lb : 0); PUT((long long)__umul64hi(la, lb)); PUT(__mulhi(a, b)); PUT(__brev(a)); PUT(__popcll(la));
    PUT(__clzll(la)); PUT(__ffs(a)); PUT(__byte_perm(a, b, 0x5140)); PUT(__funnelshift_l(a, b, 5)); PUT(min(a, b)); PUT(max(la, lb));
    PUT(abs(a)); PUT(__sad(a, b, 7)); PUT(__dp4a(a, b, 100)); PUT((long long)((unsigned __int128)la * lb >> 40)); PUT((short)a * (short)b); PUT((unsigned char)a);
    PUT(__vadd2(a, b)); PUT(__vmaxs4(a, b)); PUT(a == b); PUT((long long)(float)la); PUT((long long)(double)la); PUT((int)(float)a);
}
