// Products of matrices by tensor cores: c = a b, with a in rows, c in rows. Sizes are multiples of the tiles.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// A warp for each 16 by 16 tile; b in rows.
extern "C" __global__ void gemm_wmma(float *c, const __half *a, const __half *b, int n, int k) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + i * n + column, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2.0f;
    wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

// Four warps for each 64 by 64 tile, by way of shared memory; b in rows.
extern "C" __global__ void gemm_mma(float *c, const __half *a, const __half *b, int n, int k) {
    __shared__ __align__(16) __half sa[64][16 + 8], sb[16][64 + 8];
    int row = blockIdx.y * 64, column = blockIdx.x * 64, t = threadIdx.x, lane = t % 32, warp = t / 32;
    float d[8][4] = {};
    for (int i = 0; i < k; i += 16) {
        __syncthreads();
        *(uint4 *)&sa[t / 2][t % 2 * 8] = *(const uint4 *)&a[(row + t / 2) * k + i + t % 2 * 8];
        *(uint4 *)&sb[t / 8][t % 8 * 8] = *(const uint4 *)&b[(i + t / 8) * n + column + t % 8 * 8];
        __syncthreads();
        unsigned x[4];
        unsigned from = shared_address(&sa[warp * 16 + lane % 16][lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(from) : "memory");
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            unsigned y[4];
            from = shared_address(&sb[lane % 16][j * 8 + lane / 16 * 8]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3]) : "r"(from) : "memory");
#pragma unroll
            for (int h = 0; h < 2; h++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                    : "+f"(d[j + h][0]), "+f"(d[j + h][1]), "+f"(d[j + h][2]), "+f"(d[j + h][3])
                    : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * h]), "r"(y[2 * h + 1]));
        }
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            c[(row + warp * 16 + lane / 4 + i / 2 * 8) * n + column + j * 8 + lane % 4 * 2 + i % 2] = d[j][i];
}

// A warpgroup for each 64 by 64 tile; b in columns. 128-byte swizzling, so 64 elements of k at once.
extern "C" __global__ void gemm_wgmma(float *c, const __half *a, const __half *b, int n, int k) {
    __shared__ __align__(1024) unsigned char sa[64 * 128], sb[64 * 128];
    int row = blockIdx.y * 64, column = blockIdx.x * 64, t = threadIdx.x;
    float d[32] = {};
    for (int i = 0; i < k; i += 64) {
        __syncthreads();
        for (int x = t; x < 64 * 8; x += 128) {
            int line = x / 8, piece = x % 8, to = line * 128 + (piece ^ line % 8) * 16;
            *(uint4 *)&sa[to] = *(const uint4 *)&a[(row + line) * k + i + piece * 8];
            *(uint4 *)&sb[to] = *(const uint4 *)&b[(column + line) * k + i + piece * 8];
        }
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int j = 0; j < 4; j++) {
            // Eight lines are 1024 bytes apart.
            unsigned long long rest = 1ull << 62 | 64ull << 32 | 1ull << 16;
            unsigned long long da = rest | ((shared_address(sa) + j * 32) & 0x3ffff) >> 4, db = rest | ((shared_address(sb) + j * 32) & 0x3ffff) >> 4;
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;\n}"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                  "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                  "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                : "l"(da), "l"(db), "r"(i + j));
        }
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    for (int j = 0; j < 32; j++)
        c[(row + t / 32 * 16 + t % 32 / 4 + j / 2 % 2 * 8) * n + column + j / 4 * 8 + t % 4 * 2 + j % 2] = d[j];
}
