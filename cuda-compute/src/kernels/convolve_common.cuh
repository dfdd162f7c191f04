// Code that the convolution kernels share: parameters, border rules and loads.
//
// All kernels correlate: output(x, y) = sum of weight(i, j) * input(x + i - PAD_X, y + j - PAD_Y).
// Specialised by the macros
//   KW, KH            filter width and height
//   PAD_X, PAD_Y      the filter element at the output's position
//   BORDER            0 zero, 1 clamp, 2 reflect (edge not repeated), 3 wrap
//   PIXEL             the type of an element: U8, U16, F16, BF16 or F32
//   CHANNELS          contiguous elements per pixel
//   ALIGNED           1 if all rows of the input start at multiples of 4 elements
//   OUT_ALIGNED       the same for the output
//   WEIGHTS           weights that a kernel gets, if they are not the whole filter

#define U8 0
#define U16 1
#define F16 2
#define BF16 3
#define F32 4

// Planes may come in batches, and either all of their rows are aligned or none is expected to be.
#define PLANES (PIXEL == F32 && CHANNELS == 1)

// The layout of the images, and the division of the output into pieces.
struct Geometry {
    // Distances in elements between rows and between the images of a batch.
    long long in_pitch, out_pitch, in_image, out_image;
    int in_width, in_height, out_width, out_height;
    // Pieces across, pieces down, rows of a piece, images.
    int across, down, rows, images;
};

// The place of a block's piece among the pieces of an image, and the image in the batch.
struct Piece {
    int across, down;
    long long image;
};

__device__ __forceinline__ Piece piece(const Geometry &geometry) {
    const unsigned across = blockIdx.x % geometry.across, rest = blockIdx.x / geometry.across;
    if (!PLANES) return {(int)across, (int)rest, 0};
    return {(int)across, (int)(rest % geometry.down), rest / geometry.down};
}

// Filter rows are padded to an even width, so that weights can be read in pairs.
#define WEIGHT_PITCH ((KW + 1) / 2 * 2)

#ifndef WEIGHTS
#define WEIGHTS (WEIGHT_PITCH * KH)
#endif

struct __align__(16) Weights {
    float at[WEIGHTS];
};

// Elements to the left of the first needed one that are read so that a load of 4 is aligned.
#define SHIFT (ALIGNED ? (4 - PAD_X * CHANNELS % 4) % 4 : 0)

// Returns the index inside 0..size whose pixel is used for i, or -1 for a zero.
__device__ __noinline__ int outside(int i, int size) {
#if BORDER == 0
    return -1;
#elif BORDER == 1
    return i < 0 ? 0 : size - 1;
#elif BORDER == 2
    if (size == 1) return 0;
    // Twice a size may overflow an int. The pattern is symmetric about 0.
    const unsigned period = 2u * (size - 1), at = (i < 0 ? 0u - i : i) % period;
    return at < size ? at : period - at;
#else
    i %= size;
    return i < 0 ? i + size : i;
#endif
}

__device__ __forceinline__ int border(int i, int size) {
    return (unsigned)i < (unsigned)size ? i : outside(i, size);
}

__device__ __forceinline__ void copy16_async(unsigned to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Copies to shared memory. The first `bytes` bytes come from `from`, and the rest are zero.
__device__ __forceinline__ void copy16_async(unsigned to, const void *from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void copy4_async(unsigned to, const void *from, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void commit_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` of this thread's groups of copies are in flight.
template <int pending>
__device__ __forceinline__ void wait_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Plain stores, because streaming stores (.cs) measured slower.
__device__ __forceinline__ void store4(float *at, float a, float b, float c, float d) {
#if OUT_ALIGNED
    *(float4 *)at = make_float4(a, b, c, d);
#else
    at[0] = a, at[1] = b, at[2] = c, at[3] = d;
#endif
}
