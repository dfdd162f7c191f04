// Access patterns of a plain copy of an image, to find the one closest to the driver's own copy.
// LD, ST: "", ".cs", and so on. PER: vectors per thread. PATTERN: 0 block-contiguous, 1 strips of
// 128 columns (one warp wide) by PER rows, 2 strips as wide as the block by PER rows.
extern "C" __global__ void __launch_bounds__(THREADS) copy_pattern(const float *in, float *out,
                                                                   int width, int height) {
    float4 v[PER];
    long long at[PER];
#if PATTERN == 0
    const long long base = ((long long)blockIdx.x * THREADS * PER + threadIdx.x) * 4;
    for (int i = 0; i < PER; ++i) at[i] = base + (long long)i * THREADS * 4;
#elif PATTERN == 1
    const int across = width / 128;
    const long long warp = (long long)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    for (int i = 0; i < PER; ++i)
        at[i] = (warp / across * PER + i) * width + warp % across * 128 + threadIdx.x % 32 * 4;
#else
    const int across = width / (THREADS * 4);
    for (int i = 0; i < PER; ++i)
        at[i] = (long long)(blockIdx.x / across * PER + i) * width + blockIdx.x % across * THREADS * 4 + threadIdx.x * 4;
#endif
#pragma unroll
    for (int i = 0; i < PER; ++i)
        asm volatile("ld.global" LD ".v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v[i].x), "=f"(v[i].y), "=f"(v[i].z), "=f"(v[i].w) : "l"(in + at[i]));
#pragma unroll
    for (int i = 0; i < PER; ++i)
        asm volatile("st.global" ST ".v4.f32 [%4], {%0,%1,%2,%3};" :: "f"(v[i].x), "f"(v[i].y), "f"(v[i].z), "f"(v[i].w), "l"(out + at[i]) : "memory");
}
