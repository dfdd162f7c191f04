// Kernels that launch kernels. Compile with --option=-rdc=true; link with libcudadevrt.a.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// --- Trees of launches ----------------------------------------------------------------------------------------------

extern "C" __global__ void empty() {}

extern "C" __global__ void large_block(int* out) { out[threadIdx.x] = 1; }

// Fibonacci by a tree of launches: a grid with a small number adds it, any other launches two grids.
extern "C" __global__ void fibonacci(unsigned* sum, int n) {
    if (n < 2) {
        atomicAdd(sum, n);
    } else {
        fibonacci<<<1, 1>>>(sum, n - 1);
        fibonacci<<<1, 1, 0, cudaStreamFireAndForget>>>(sum, n - 2);
    }
}

// Quicksort with one thread per part.
extern "C" __global__ void quicksort(int* data, int left, int right) {
    int l = left, r = right, pivot = data[(left + right) / 2];
    while (l <= r) {
        while (data[l] < pivot) l++;
        while (data[r] > pivot) r--;
        if (l <= r) {
            int t = data[l];
            data[l++] = data[r];
            data[r--] = t;
        }
    }
    cudaStream_t stream;
    if (left < r) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(data, left, r);
        cudaStreamDestroy(stream);
    }
    if (l < right) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(data, l, right);
        cudaStreamDestroy(stream);
    }
}

// --- Order ----------------------------------------------------------------------------------------------------------

struct Log {
    unsigned count;
    int entries[63];
};

extern "C" __global__ void note(Log* log, int what) {
    unsigned at = atomicAdd(&log->count, 1);
    if (at < 63) log->entries[at] = what;
}

extern "C" __global__ void note_both(Log* log, int what) {
    note<<<1, 1>>>(log, what + 1);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, what + 2);
    note<<<1, 1>>>(log, what + 1);
    unsigned at = atomicAdd(&log->count, 1);
    if (at < 63) log->entries[at] = what;
}

// Expected order: 1, 2, 3, then 10, 11, 11, 12, then 20. The tail launches of 10 and 20 are first in the source.
extern "C" __global__ void tail(Log* log) {
    note_both<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 10);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 20);
    note<<<1, 1>>>(log, 1);
    note<<<1, 1>>>(log, 2);
    note<<<1, 1>>>(log, 3);
}

extern "C" __global__ void add(int* x, int n) { *x += n; }
extern "C" __global__ void multiply(int* x, int n) { *x *= n; }

// Two streams in order, and a third that waits for both by events: ((5 + 1) * 2) + ((7 + 3) * 4) = 52.
extern "C" __global__ void join(int* x, int* y, int* sum) { *sum = *x + *y; }
extern "C" __global__ void streams(int* x, int* codes) {
    cudaStream_t s[3];
    cudaEvent_t e[2];
    for (int i = 0; i < 3; i++) *codes++ = cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    for (int i = 0; i < 2; i++) *codes++ = cudaEventCreateWithFlags(&e[i], cudaEventDisableTiming);
    add<<<1, 1, 0, s[0]>>>(x, 1);
    add<<<1, 1, 0, s[1]>>>(x + 1, 3);
    multiply<<<1, 1, 0, s[0]>>>(x, 2);
    multiply<<<1, 1, 0, s[1]>>>(x + 1, 4);
    for (int i = 0; i < 2; i++) {
        *codes++ = cudaEventRecord(e[i], s[i]);
        *codes++ = cudaStreamWaitEvent(s[2], e[i], 0);
    }
    join<<<1, 1, 0, s[2]>>>(x, x + 1, x + 2);
    // Later work in the first two streams is not waited for. Later work in the third stream is in order.
    multiply<<<1, 1, 0, s[2]>>>(x + 2, 10);
    for (int i = 0; i < 2; i++) *codes++ = cudaEventDestroy(e[i]);
    for (int i = 0; i < 3; i++) *codes++ = cudaStreamDestroy(s[i]);
    *codes++ = cudaGetLastError();
}

// --- Memory ---------------------------------------------------------------------------------------------------------

extern "C" __global__ void fill(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i * i;
}
extern "C" __global__ void collect(int* data, int n, int* out) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += data[i];
    *out = sum;
    cudaFree(data);
}
extern "C" __global__ void shared_memory_of_children(int* out) {
    int* data;
    out[1] = cudaMalloc((void**)&data, 100 * sizeof(int));
    fill<<<4, 32>>>(data, 100);
    collect<<<1, 1>>>(data, 100, out);
    out[2] = cudaMalloc((void**)&data, 0);
    out[3] = cudaGetLastError();
    out[4] = cudaGetLastError();
    out[5] = cudaMalloc((void**)&data, 1ull << 50);
    out[6] = cudaFree(nullptr);
}

// After a fill, copies 4 x 3 x 2 bytes at (1, 2, 1) of a box of 16 x 5 x 3 to (2, 1, 0) of another, in one stream.
extern "C" __global__ void copies(unsigned char* from, unsigned char* to, int* codes) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    codes[0] = cudaMemsetAsync(to, 0x11, 16 * 5 * 3, s);
    cudaMemcpy3DParms p = {};
    p.srcPtr.ptr = from, p.srcPtr.pitch = 16, p.srcPtr.xsize = 16, p.srcPtr.ysize = 5;
    p.dstPtr.ptr = to, p.dstPtr.pitch = 16, p.dstPtr.xsize = 16, p.dstPtr.ysize = 5;
    p.srcPos.x = 1, p.srcPos.y = 2, p.srcPos.z = 1;
    p.dstPos.x = 2, p.dstPos.y = 1, p.dstPos.z = 0;
    p.extent.width = 4, p.extent.height = 3, p.extent.depth = 2;
    p.kind = cudaMemcpyDeviceToDevice;
    codes[1] = cudaMemcpy3DAsync(&p, s);
    codes[2] = cudaMemcpy2DAsync(to + 160, 16, from, 8, 5, 3, cudaMemcpyDefault, s);
    codes[3] = cudaMemset2DAsync(to + 168, 16, 0x22, 3, 2, s);
    cudaPitchedPtr box = {to + 80 + 12, 16, 16, 5};
    cudaExtent extent = {2, 2, 2};
    codes[4] = cudaMemset3DAsync(box, 0x33, extent, s);
    codes[5] = cudaMemcpyAsync(to + 230, from + 3, 7, cudaMemcpyDeviceToDevice, s);
    int local = 0;
    codes[6] = cudaMemcpyAsync(to, &local, 4, cudaMemcpyDeviceToDevice, s);
    codes[7] = cudaMemcpyAsync(to, from, 4, cudaMemcpyHostToDevice, s);
    codes[8] = cudaMemcpy2DAsync(to, 4, from, 16, 5, 2, cudaMemcpyDeviceToDevice, s);
    codes[9] = cudaMemcpyAsync(nullptr, from, 4, cudaMemcpyDeviceToDevice, s);
    codes[10] = cudaMemcpyAsync(nullptr, from, 0, cudaMemcpyDeviceToDevice, s);
    codes[11] = cudaMemset2DAsync(to, 2, 0, 3, 2, s);
    codes[12] = cudaMemcpy3DAsync(nullptr, s);
    codes[13] = cudaGetLastError();
}

// --- Errors and queries ---------------------------------------------------------------------------------------------

extern "C" __global__ void errors(int* codes) {
    empty<<<0, 1>>>();
    codes[0] = cudaPeekAtLastError();
    codes[1] = cudaGetLastError();
    codes[2] = cudaGetLastError();
    empty<<<1, 1025>>>();
    codes[3] = cudaGetLastError();
    empty<<<1, dim3(1, 1, 65)>>>();
    codes[4] = cudaGetLastError();
    empty<<<dim3(1, 65536), 1>>>();
    codes[5] = cudaGetLastError();
    empty<<<1, 1, 64 << 10>>>();
    codes[6] = cudaGetLastError();
    cudaStream_t s = 0;
    codes[7] = cudaStreamCreateWithFlags(&s, cudaStreamDefault);
    cudaEvent_t e = 0;
    codes[8] = cudaEventCreateWithFlags(&e, cudaEventDefault);
    codes[9] = cudaGetLastError();
    int value = -1;
    codes[10] = cudaGetDevice(&value);
    codes[11] = value;
    codes[12] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
    codes[13] = value;
    codes[14] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99);
    codes[15] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0);
    size_t size = 0;
    codes[16] = cudaDeviceGetLimit(&size, cudaLimitDevRuntimePendingLaunchCount);
    codes[17] = (int)size;
    codes[18] = cudaDeviceGetLimit(&size, (cudaLimit)77);
    codes[19] = cudaRuntimeGetVersion(&value);
    codes[20] = value;
    cudaFuncAttributes attributes;
    codes[21] = cudaFuncGetAttributes(&attributes, (const void*)large_block);
    codes[22] = attributes.maxThreadsPerBlock;
    codes[23] = (int)attributes.sharedSizeBytes;
    codes[24] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, (const void*)empty, 1024, 0);
    codes[25] = value;
    const char* name = cudaGetErrorName(cudaErrorInvalidValue);
    const char* text = cudaGetErrorString(cudaErrorInvalidConfiguration);
    int sum = 0;
    for (int i = 0; name[i]; i++) sum += name[i];
    codes[26] = sum;
    for (sum = 0; *text; text++) sum += *text;
    codes[27] = sum;
    codes[28] = cudaGetLastError();
}

// Launches until one fails: in a stream, as tail launches or fire-and-forget. Stores the count and the error.
extern "C" __global__ void many(int* out, int kind, int most) {
    cudaStream_t s = kind == 0 ? 0 : kind == 1 ? cudaStreamTailLaunch : cudaStreamFireAndForget;
    int n = 0, code = 0;
    while (n < most) {
        empty<<<1, 1, 0, s>>>();
        code = cudaGetLastError();
        if (code) break;
        n++;
    }
    out[0] = n, out[1] = code;
}

// A chain of launches. Stores its depth and the error that ends it.
extern "C" __global__ void deep(int* out, int depth, int most, int kind) {
    cudaStream_t s = kind == 0 ? 0 : cudaStreamTailLaunch;
    out[0] = depth;
    if (depth < most) {
        deep<<<1, 1, 0, s>>>(out, depth + 1, most, kind);
        out[1] = cudaGetLastError();
    }
}

// A child that faults.
extern "C" __global__ void wild(int* p) { *p = 1; }
extern "C" __global__ void parent_of_wild() {
    if (threadIdx.x == 3) wild<<<1, 1>>>((int*)0x10);
}

// --- Streams of threads and blocks ----------------------------------------------------------------------------------

// Each thread adds its number to a cell through a child whose block has several threads and shared memory.
extern "C" __global__ void in_shared(unsigned* cell, unsigned what) {
    extern __shared__ unsigned parts[];
    parts[threadIdx.x] = what + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < blockDim.x; i++) atomicAdd(cell, parts[i]);
}
extern "C" __global__ void every_thread(unsigned* cells) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    in_shared<<<2, 8, 32>>>(cells + i, i);
    in_shared<<<1, 4, 16, cudaStreamPerThread>>>(cells + i, 1000);
}

// --- Whole grids ----------------------------------------------------------------------------------------------------

extern "C" __global__ void grid_sync(unsigned* cells, unsigned* sums) {
    cg::grid_group grid = cg::this_grid();
    for (unsigned round = 1; round <= 3; round++) {
        if (grid.thread_rank() % blockDim.x == 0) atomicAdd(&cells[round], blockIdx.x + round);
        grid.sync();
        if (threadIdx.x == 1) sums[(round - 1) * gridDim.x + blockIdx.x] = cells[round];
    }
}

// The calls that older headers and other compilers generate.
extern "C" __global__ void grid_calls(unsigned* cells, unsigned* sums) {
    unsigned long long handle = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    unsigned code = 0;
    for (unsigned round = 1; round <= 3; round++) {
        if (threadIdx.x == 0) atomicAdd(&cells[round], blockIdx.x + round);
        code |= round == 2 ? cudaCGSynchronizeGrid(handle, 0) : cudaCGSynchronize(handle, 0);
        if (threadIdx.x == 1) sums[(round - 1) * gridDim.x + blockIdx.x] = cells[round] + code;
    }
}

// The sizes and ranks of the grid, or the errors without a cooperative launch.
extern "C" __global__ void grid_numbers(unsigned* out) {
    unsigned long long handle = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    unsigned* mine = out + 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    mine[0] = handle != 0;
    mine[1] = cudaCGGetSize(mine + 2, mine + 3, handle);
    mine[4] = cudaCGGetRank(mine + 5, mine + 6, handle);
    mine[7] = cudaCGGetIntrinsicHandle((cudaCGScope)7) != 0;
    if (!handle) mine[7] = cudaCGSynchronize(handle, 0);
}
