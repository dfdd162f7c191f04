"""numba-cuda: a kernel with shared memory, a barrier and an atomic, compared with NumPy."""

import numpy as np
from numba import cuda

THREADS = 128


@cuda.jit
def dot(a, b, total):
    shared = cuda.shared.array(THREADS, np.float32)
    i, lane = cuda.grid(1), cuda.threadIdx.x
    shared[lane] = a[i] * b[i] if i < a.size else 0
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if lane < half:
            shared[lane] += shared[lane + half]
        cuda.syncthreads()
        half //= 2
    if lane == 0:
        cuda.atomic.add(total, 0, shared[0])


assert "CUDA emulator" in str(cuda.get_current_device().name)
# Small integers, so that every order of the sum gives the same result.
a = (np.arange(1000) % 7).astype(np.float32)
b = (np.arange(1000) % 5).astype(np.float32)
total = np.zeros(1, np.float32)
dot[(a.size + THREADS - 1) // THREADS, THREADS](a, b, total)
assert total[0] == np.dot(a, b), (total, np.dot(a, b))
print("numba-cuda: passed")
