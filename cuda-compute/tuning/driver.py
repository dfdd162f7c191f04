"""The driver calls that the tuning program needs, through ctypes."""

import ctypes
import statistics
from ctypes import byref, c_float, c_int, c_longlong, c_size_t, c_ulonglong, c_void_p

cuda = ctypes.CDLL("libcuda.so.1")


def check(status, what=""):
    if status:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(status, byref(name))
        raise RuntimeError(f"{what}: {name.value.decode() if name.value else status}")


class Gpu:
    def __init__(self):
        check(cuda.cuInit(0), "cuInit")
        device = c_int()
        check(cuda.cuDeviceGet(byref(device), 0))
        self.context = c_void_p()
        check(cuda.cuDevicePrimaryCtxRetain(byref(self.context), device))
        check(cuda.cuCtxSetCurrent(self.context))
        self.device = device
        self.stream = c_void_p()
        check(cuda.cuStreamCreate(byref(self.stream), 1))
        self.pairs = []
        self.multiprocessors = self.attribute(16)

    def attribute(self, number):
        value = c_int()
        check(cuda.cuDeviceGetAttribute(byref(value), number, self.device))
        return value.value

    def name(self):
        text = ctypes.create_string_buffer(128)
        check(cuda.cuDeviceGetName(text, 128, self.device))
        return text.value.decode()

    def alloc(self, size):
        pointer = c_ulonglong()
        check(cuda.cuMemAlloc_v2(byref(pointer), c_size_t(size)), "cuMemAlloc")
        return pointer.value

    def zero(self, pointer, size, byte=0):
        check(cuda.cuMemsetD8_v2(c_ulonglong(pointer), byte, c_size_t(size)))

    def upload(self, pointer, array):
        check(cuda.cuMemcpyHtoD_v2(c_ulonglong(pointer), c_void_p(array.ctypes.data),
                                   c_size_t(array.nbytes)))

    def download(self, array, pointer):
        self.sync()
        check(cuda.cuMemcpyDtoH_v2(c_void_p(array.ctypes.data), c_ulonglong(pointer),
                                   c_size_t(array.nbytes)))
        return array

    def copy(self, to, source, size):
        check(cuda.cuMemcpyDtoDAsync_v2(c_ulonglong(to), c_ulonglong(source), c_size_t(size),
                                        self.stream))

    def sync(self):
        check(cuda.cuStreamSynchronize(self.stream), "cuStreamSynchronize")

    def function(self, path, name, shared=0):
        module, function = c_void_p(), c_void_p()
        check(cuda.cuModuleLoad(byref(module), str(path).encode()), f"load {path}")
        check(cuda.cuModuleGetFunction(byref(function), module, name.encode()), name)
        if shared > 48 * 1024:
            check(cuda.cuFuncSetAttribute(function, 8, shared), "shared memory")
        return function

    def occupancy(self, function, threads, shared):
        blocks = c_int()
        check(cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(byref(blocks), function, threads,
                                                               c_size_t(shared)))
        return blocks.value

    def launch(self, function, grid, block, args, shared=0):
        grid = grid if isinstance(grid, tuple) else (grid, 1, 1)
        pointers = (c_void_p * len(args))(*[ctypes.addressof(a) for a in args])
        check(cuda.cuLaunchKernel(function, *grid, block, 1, 1, shared, self.stream, pointers, None),
              "launch")

    def events(self, count):
        while len(self.pairs) < count:
            pair = (c_void_p(), c_void_p())
            check(cuda.cuEventCreate(byref(pair[0]), 0))
            check(cuda.cuEventCreate(byref(pair[1]), 0))
            self.pairs.append(pair)
        return self.pairs[:count]

    def times(self, work, repeats):
        """Returns the microseconds of each repeat between two events around work(i). The queue is
        filled while the device spins, so the result does not include the host's time."""
        self.hold(repeats * 25_000 + 200_000)
        for i, (before, after) in enumerate(self.events(repeats)):
            cuda.cuEventRecord(before, self.stream)
            work(i)
            cuda.cuEventRecord(after, self.stream)
        self.sync()
        result = []
        for before, after in self.events(repeats):
            elapsed = c_float()
            check(cuda.cuEventElapsedTime_v2(byref(elapsed), before, after))
            result.append(elapsed.value * 1e3)
        return result

    def median(self, work, repeats=15):
        return statistics.median(self.times(work, repeats))
