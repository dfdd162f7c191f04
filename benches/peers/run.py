"""Measures the work of the benches with other libraries that are installed, for the same summary.

    python3 benches/peers/run.py [name ...]

README.md in this folder lists the libraries, their work and how to install them. Launch times are host times. Other
times are mostly medians of the device time between two events around a call, with the queue filled beforehand. Rows are
written to peers.jsonl in BENCH_OUT, or in target/benches if BENCH_OUT is not set. Missing libraries are recorded there. On
the emulator, only launches are measured.
"""

import ctypes
import functools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from ctypes import c_int, c_size_t, c_ulonglong, c_void_p
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "cuda-compute" / "tuning"), str(HERE)]
import arrays  # noqa: E402
import draws  # noqa: E402
import driver  # noqa: E402
import kernels  # noqa: E402
import sorts  # noqa: E402
import transfers  # noqa: E402
from driver import Gpu  # noqa: E402

SUM_SIZES = [1 << 10, 1 << 16, 1 << 20, 1 << 24, (1 << 27) - 157, 1 << 30]
IMAGES = [512, 1024, 4096, 8192]
FILTERS = [3, 5, 7, 9, 15, 31]
# Images with interleaved channels: their side, channels and filters, and the bytes of the types.
SIDE, INTERLEAVED, SMALL_FILTERS = 4096, [("u8", 1), ("u8", 3), ("u16", 1)], [3, 5, 9]
BYTES = {"u8": 1, "u16": 2}
POOL = 1 << 30
BATCH, ROUNDS = 64, 400  # launches, as in the bench `launch`
SPIN = """
extern "C" __global__ void spin(unsigned long long nanoseconds) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}
extern "C" __global__ void fill_bytes(unsigned *out, unsigned long long bytes) {
    for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < bytes / 4; i += gridDim.x * 256ull) {
        unsigned long long z = (i + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        out[i] = z >> 32;
    }
}
extern "C" __global__ void positive(bool *out, const float *x, unsigned long long count) {
    for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < count; i += gridDim.x * 256ull) {
        out[i] = x[i] > 0;
    }
}
extern "C" __global__ void three(float *x, float factor, unsigned n) {}
extern "C" __global__ void fill(float *out, unsigned long long count) {
    for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < count; i += gridDim.x * 256ull) {
        unsigned long long z = (i + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        out[i] = (int)(z >> 32) * 0x1p-31f;
    }
}
"""


def name_of(count):
    if count & (count - 1) == 0:
        return f"2^{count.bit_length() - 1}"
    return f"2^{count.bit_length()} - {(1 << count.bit_length()) - count}"


class Missing(Exception):
    """A requirement of a peer is not installed."""


class Peers:
    def __init__(self, wanted):
        folder = Path(os.environ.get("BENCH_OUT", "target/benches"))
        folder.mkdir(parents=True, exist_ok=True)
        # Some peers alone keep the rows of the others. Of two rows of the same work, the last one counts.
        self.rows = open(folder / "peers.jsonl", "a" if wanted else "w")
        self.gpu = gpu = Gpu()
        self.emulated = gpu.name().startswith("CUDA emulator")
        self.kernels = str(kernels.compile_cubin(kernels.Kernel(SPIN, "peers.cu"), ptx=self.emulated))
        spin = gpu.function(self.kernels, "spin")
        self.reserve = 200_000  # host time per call in nanoseconds, during which the device waits
        gpu.hold = lambda ns: gpu.launch(spin, 1, 1, [c_ulonglong(ns + self.reserve)])
        self.out_floats = 2 * IMAGES[-1] ** 2
        self.pool_floats = POOL
        self.cursor = self.out_cursor = 0

    @functools.cached_property
    def pool(self):
        """A buffer of inputs, used in rotation."""
        if self.emulated:
            raise Missing("needs a GPU")
        pool = self.gpu.alloc(4 * POOL)
        self.launch("fill", pool, POOL)
        return pool

    @functools.cached_property
    def out(self):
        return self.gpu.alloc(4 * self.out_floats)

    def launch(self, kernel, *arguments):
        """Runs one of the kernels above, and waits for it."""
        function = self.gpu.function(self.kernels, kernel)
        self.gpu.launch(function, 4096, 256, [c_ulonglong(argument) for argument in arguments])
        self.gpu.sync()

    def read(self, value, pointer):
        """Waits, and copies a number of ctypes from the device."""
        self.gpu.sync()
        driver.check(driver.cuda.cuMemcpyDtoH_v2(ctypes.byref(value), c_ulonglong(pointer),
                                                 c_size_t(ctypes.sizeof(value))))

    def note(self, **row):
        self.rows.write(json.dumps(row) + "\n")
        self.rows.flush()
        if "us" in row:
            work = row.get("work") or f"{row['plot']}, {name_of(row['elements'])}"
            print(f"    {work:36} {row['by']:26} {row['us']:10.2f} us", flush=True)

    def missing(self, by, why):
        print(f"  {by}: missing ({why})", flush=True)
        self.note(missing=by, why=str(why)[:200])

    def piece(self, floats):
        step = (floats + 1023) // 1024 * 1024
        if self.cursor + step > POOL:
            self.cursor = 0
        at, self.cursor = self.cursor, self.cursor + step
        return at

    def out_piece(self, floats):
        """Outputs rotate as in the benches."""
        if self.out_cursor + floats > self.out_floats:
            self.out_cursor = 0
        at, self.out_cursor = self.out_cursor, self.out_cursor + floats
        return at

    def sums(self, by, call):
        """call(offset in floats, count) enqueues one sum on the common stream."""
        for count in SUM_SIZES:
            call(self.piece(count), count)
            self.reserve = 200_000 + 3_000_000
            us = self.gpu.median(lambda i: call(self.piece(count), count), 15)
            self.note(work=f"sum of {name_of(count)} f32", by=by, us=us, note="device time")

    def convolutions(self, by, prepare):
        """prepare(size, k) returns call(offset in floats), or None if it is not supported."""
        for size in IMAGES:
            for k in FILTERS:
                call = prepare(size, k)
                if call is None:
                    continue
                call(self.piece(size * size))
                self.reserve = 200_000 + 3_000_000
                us = self.gpu.median(lambda i: call(self.piece(size * size)), 9)
                self.note(work=f"{size}² by {k} x {k}", by=by, us=us, note="device time")

    def images(self, by, prepare):
        """prepare(type, channels, k) returns call(address of an image)."""
        for element, channels in INTERLEAVED:
            floats = SIDE * SIDE * channels * BYTES[element] // 4
            for k in SMALL_FILTERS:
                call = prepare(element, channels, k)
                call(self.pool + 4 * self.piece(floats))
                self.reserve = 200_000 + 3_000_000
                us = self.gpu.median(lambda i: call(self.pool + 4 * self.piece(floats)), 9)
                interleaved = f" x {channels}" if channels > 1 else ""
                self.note(work=f"{SIDE}²{interleaved} {element} by {k} x {k}", by=by, us=us, note="device time")

    def launches(self, by, call, synchronize):
        """Measures the host time of a launch with three arguments, in batches between which the queue empties,
        and of a launch with a wait."""
        def waited():
            call()
            synchronize()

        for work, step in [("launch with 3 arguments", call),
                           ("launch with 3 arguments, waited for", waited)]:
            times = []
            for _ in range(ROUNDS):
                start = time.perf_counter()
                for _ in range(BATCH):
                    step()
                times.append((time.perf_counter() - start) / BATCH * 1e6)
                synchronize()
            self.note(work=work, by=by, us=statistics.median(times), note="host time")


def weights(k):
    return [((i * 7919) % 1000) / 1000 - 0.48 for i in range(k * k)]


@functools.cache
def cub_library():
    built = os.environ.get("CUB_PEER")
    if built:
        return ctypes.CDLL(built)
    library = Path(tempfile.mkdtemp()) / "libcub_peer.so"
    nvcc = kernels.find(["bin/nvcc"])
    if not nvcc:
        raise Missing("nvcc is not installed. Fix: install it, or set CUB_PEER to a library built from cub.cu")
    subprocess.run([nvcc, "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC",
                    "-o", str(library), str(HERE / "cub.cu")], check=True)
    return ctypes.CDLL(str(library))


def cub(peers):
    function = cub_library().cub_sum_f32_32
    temporary, result = peers.gpu.alloc(1 << 24), peers.gpu.alloc(256)
    peers.sums("CUB", lambda at, n: function(
        c_void_p(peers.pool + 4 * at), c_void_p(result), c_int(n), c_void_p(temporary),
        c_size_t(1 << 24), peers.gpu.stream))


def npp(peers):
    core = kernels.find(["lib64/libnppc.so.13", "lib/libnppc.so.13"])
    path = kernels.find(["lib64/libnppif.so.13", "lib/libnppif.so.13"])
    if not core or not path:
        raise Missing("libnppif.so.13 is not installed")
    ctypes.CDLL(core, mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(path)

    class Context(ctypes.Structure):
        _fields_ = [("stream", c_void_p), ("device", c_int), ("multiprocessors", c_int),
                    ("threads_mp", c_int), ("threads_block", c_int), ("shared", c_size_t),
                    ("major", c_int), ("minor", c_int), ("flags", ctypes.c_uint), ("reserved", c_int)]

    class Size(ctypes.Structure):
        _fields_ = [("width", c_int), ("height", c_int)]

    context = Context(peers.gpu.stream, 0, peers.gpu.multiprocessors, 2048, 1024, 49152, 9, 0, 1, 0)
    coefficients = peers.gpu.alloc(1 << 14)

    def filtering(call, size, step, k):
        """Returns run(image, result) for images of size² with rows of `step` bytes."""
        array = (ctypes.c_float * (k * k))(*weights(k))
        peers.gpu.sync()
        ctypes.CDLL("libcuda.so.1").cuMemcpyHtoD_v2(c_ulonglong(coefficients), array,
                                                    c_size_t(4 * k * k))

        def run(image, result):
            status = call(c_void_p(image), c_int(step), Size(size, size), Size(0, 0), c_void_p(result), c_int(step),
                          Size(size, size), c_void_p(coefficients), Size(k, k), Size(k // 2, k // 2), c_int(2), context)
            if status:
                raise RuntimeError(f"NPP status {status}")
        return run

    def prepare(size, k):
        run = filtering(library.nppiFilterBorder_32f_C1R_Ctx, size, 4 * size, k)
        return lambda at: run(peers.pool + 4 * at, peers.out + 4 * peers.out_piece(size * size))

    def prepare_image(element, channels, k):
        call = getattr(library, f"nppiFilterBorder32f_{8 * BYTES[element]}u_C{channels}R_Ctx")
        step = SIDE * channels * BYTES[element]
        run = filtering(call, SIDE, step, k)
        return lambda image: run(image, peers.out + 4 * peers.out_piece(SIDE * step // 4))

    peers.convolutions("NPP", prepare)
    peers.images("NPP", prepare_image)


def cupy(peers):
    import cupy
    import cupyx.scipy.ndimage as ndimage
    stream = cupy.cuda.ExternalStream(peers.gpu.stream.value)

    def view(pointer, at, shape, count):
        memory = cupy.cuda.UnownedMemory(pointer, 4 * (at + count), None)
        return cupy.ndarray(shape, cupy.float32, cupy.cuda.MemoryPointer(memory, 4 * at))

    with stream:
        result = cupy.empty((), cupy.float32)
        peers.sums("CuPy", lambda at, n: view(peers.pool, at, n, n).sum(out=result))

        def prepare(size, k):
            filter_ = cupy.array(weights(k), cupy.float32).reshape(k, k)
            pixels = size * size

            def run(at):
                out = view(peers.out, peers.out_piece(pixels), (size, size), pixels)
                image = view(peers.pool, at, (size, size), pixels)
                ndimage.convolve(image, filter_, output=out, mode="constant")
            return run
        peers.convolutions("CuPy", prepare)
        kernel = cupy.RawKernel('extern "C" __global__ void three(float *x, float f, unsigned n) {}',
                                "three")
        factor, n = cupy.float32(2), cupy.uint32(256)
        peers.launches("CuPy", lambda: kernel((1,), (32,), (result, factor, n)), stream.synchronize)


def torch(peers):
    import torch
    torch.backends.cudnn.benchmark = True  # its fastest algorithm
    stream = torch.cuda.ExternalStream(peers.gpu.stream.value)
    with torch.cuda.stream(stream):
        class View:
            def __init__(self, pointer, shape):
                self.__cuda_array_interface__ = dict(shape=shape, typestr="<f4", data=(pointer, False),
                                                     version=3)
        pool = torch.as_tensor(View(peers.pool, (POOL,)), device="cuda")
        result = torch.empty((), device="cuda")
        peers.sums("PyTorch", lambda at, n: torch.sum(pool[at:at + n], dim=0, out=result))

        def prepare(size, k):
            filter_ = torch.tensor(weights(k), device="cuda").reshape(1, 1, k, k)

            def call(tf32, at):
                # TF32 is its default, but for some sizes it selects slower algorithms.
                torch.backends.cudnn.allow_tf32 = tf32
                return torch.nn.functional.conv2d(
                    pool[at:at + size * size].reshape(1, 1, size, size), filter_, padding=k // 2)
            peers.reserve = 200_000 + 3_000_000
            times = {}
            for tf32 in (True, False):
                call(tf32, peers.piece(size * size))
                times[tf32] = peers.gpu.median(lambda i: call(tf32, peers.piece(size * size)), 5)
            return functools.partial(call, min(times, key=times.get))
        peers.convolutions("PyTorch", prepare)


def numba(peers):
    if peers.emulated:
        raise Missing("compiles to machine code, which the emulator does not support")
    import numpy as np
    # numba-cuda (at least up to 0.30) uses names that NumPy 2.5 removed.
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack
    from numba import cuda
    cuda.current_context()
    stream = cuda.stream()

    @cuda.jit("void(float32[:], float32, uint32)")
    def three(x, factor, n):
        pass
    array = cuda.device_array(256, np.float32)
    launch = three[1, 32, stream]
    peers.launches("numba-cuda", lambda: launch(array, np.float32(2), np.uint32(256)),
                   stream.synchronize)


def pycuda(peers):
    import numpy as np
    import pycuda.driver as driver
    driver.init()
    context = driver.Device(0).retain_primary_context()
    context.push()
    try:
        function = driver.module_from_file(peers.kernels).get_function("three")
        array, stream = driver.mem_alloc(1024), driver.Stream()
        factor, n = np.float32(2), np.uint32(256)
        peers.launches("PyCUDA", lambda: function(array, factor, n, grid=(1, 1), block=(32, 1, 1),
                                                  stream=stream), stream.synchronize)
        function.prepare("PfI")
        peers.launches("PyCUDA, prepared", lambda: function.prepared_async_call(
            (1, 1), (32, 1, 1), stream, array, 2.0, 256), stream.synchronize)
    finally:
        # Otherwise, PyCUDA aborts the process at its end.
        context.pop()
        context.detach()


def cuda_core(peers):
    import numpy as np
    from cuda.core import Device, LaunchConfig, ObjectCode, launch
    device = Device(0)
    device.set_current()
    stream = device.create_stream()
    load = ObjectCode.from_ptx if peers.emulated else ObjectCode.from_cubin
    kernel = load(peers.kernels).get_kernel("three")
    config = LaunchConfig(grid=1, block=32)
    pointer, factor, n = peers.gpu.alloc(1024), np.float32(2), np.uint32(256)
    peers.launches("cuda.core", lambda: launch(stream, config, kernel, pointer, factor, n), stream.sync)


def rust_program(name):
    """Returns a peer's program from an environment variable, or builds it."""
    variable = f"{name.upper()}_PEER"
    if os.environ.get(variable):
        return os.environ[variable]
    cargo = shutil.which(os.environ.get("CARGO", "cargo"))
    if not cargo:
        raise Missing(f"cargo is not installed. Fix: install it, or set {variable} to a program built elsewhere")
    target = ROOT / "target" / f"{name}-peer"
    subprocess.run([cargo, "build", "--quiet", "--release", "--locked", "--target-dir", str(target),
                    "--manifest-path", str(HERE / name / "Cargo.toml")], check=True)
    return target / "release" / f"{name}-peer"


def rust(peers, name):
    """Runs a separate process, which creates its own context and prints rows."""
    with subprocess.Popen([rust_program(name), peers.kernels], stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            peers.note(**json.loads(line))
    if program.returncode:
        raise RuntimeError(f"its program ended with status {program.returncode}")


def main():
    wanted = sys.argv[1:]
    peers = Peers(wanted)
    for by, run in [("CUB", cub), ("NPP", npp), ("CuPy", cupy), ("PyTorch", torch),
                    ("numba-cuda", numba), ("PyCUDA", pycuda), ("cuda.core", cuda_core),
                    ("cudarc", lambda peers: rust(peers, "cudarc")), ("PyTorch arrays", arrays.pytorch),
                    ("CuPy arrays", arrays.cupy), ("CUB arrays", lambda peers: arrays.cub(peers, cub_library())),
                    ("PyTorch sorts", sorts.pytorch), ("CuPy sorts", sorts.cupy),
                    ("CUB sorts", lambda peers: sorts.cub(peers, cub_library())), ("cuRAND", draws.curand), ("PyTorch random", draws.pytorch),
                    ("CuPy transfers", transfers.cupy), ("PyTorch transfers", transfers.pytorch),
                    ("candle", lambda peers: rust(peers, "candle")), ("burn", lambda peers: rust(peers, "burn"))]:
        if wanted and by not in wanted:
            continue
        try:
            run(peers)
        except (ImportError, Missing) as why:
            peers.missing(by, why)
        except Exception as error:  # a peer's failure is reported and does not affect other peers
            print(f"  {by} FAILED: {type(error).__name__}: {error}", flush=True)
            peers.note(failed=by, why=f"{type(error).__name__}: {error}"[:300])


if __name__ == "__main__":
    main()
