"""Copies of pageable memory by other libraries, under the names of the bench `transfer`. Host times, including the wait."""

import statistics
import time

SIZES = [1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30]


def host_us(call):
    """Returns the median of the calls of a quarter of a second, or at least three, as the bench does."""
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - begin < 0.25 and len(times) < 1000):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def measure(peers, by, prepare):
    """prepare(bytes) returns the copies to the device, to host memory that was used before, and to new host memory."""
    for size in SIZES:
        name = f"2^{size.bit_length() - 1} bytes pageable"
        for way, call in zip(("to the device", "to the host", "to a new vector"), prepare(size)):
            us = host_us(call)
            peers.note(work=f"{name}, {way}", by=by, us=us, note=f"{size / us / 1e3:.1f} GB/s")


def cupy(peers):
    import cupy
    import numpy

    def prepare(size):
        host = numpy.arange(size // 4, dtype=numpy.float32)
        back = host.copy()
        device = cupy.asarray(host)
        wait = cupy.cuda.get_current_stream().synchronize

        def up():
            device.set(host)
            wait()
        return up, lambda: device.get(out=back), lambda: device.get()
    measure(peers, "CuPy", prepare)
    cupy.get_default_memory_pool().free_all_blocks()


def pytorch(peers):
    import torch

    def prepare(size):
        host = torch.arange(size // 4, dtype=torch.float32)
        back = host.clone()
        device = host.to("cuda")

        def up():
            device.copy_(host)
            torch.cuda.synchronize()
        return up, lambda: back.copy_(device), lambda: device.cpu()
    measure(peers, "PyTorch", prepare)
    torch.cuda.empty_cache()
