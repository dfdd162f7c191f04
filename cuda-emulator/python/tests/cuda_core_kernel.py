"""cuda.core: CUDA C++ compiled by NVRTC to PTX, compared with NumPy."""

import numpy as np
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = """
extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""

device = Device()
device.set_current()
assert device.name.startswith("CUDA emulator"), device.name
stream = device.create_stream()
options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
kernel = Program(SOURCE, code_type="c++", options=options).compile("ptx").get_kernel("saxpy")

n = 1000
memory = LegacyPinnedMemoryResource()
x_buffer, y_buffer = memory.allocate(4 * n), memory.allocate(4 * n)
x, y = (np.from_dlpack(buffer).view(np.float32) for buffer in (x_buffer, y_buffer))
x[:] = np.arange(n)
y[:] = 1
launch(stream, LaunchConfig(grid=(n + 255) // 256, block=256), kernel, np.float32(2), x_buffer, y_buffer, np.uint32(n))
stream.sync()
assert np.array_equal(y, 2 * np.arange(n, dtype=np.float32) + 1), y
print("cuda.core: passed")
