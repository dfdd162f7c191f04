"""The work of the bench `arrays` by other libraries, under the same names.

Each call makes its result's memory as the library does by default: PyTorch's and CuPy's from their pools, which have kept
that of the last result. CUB writes into memory that is there.
"""

import ctypes
import functools
import itertools
import operator
import statistics
import time
from ctypes import c_longlong, c_size_t, c_void_p


def sizes(shape):
    def name(length):
        return f"2^{length.bit_length() - 1}" if length & (length - 1) == 0 else str(length)
    return " x ".join(name(length) for length in shape)


# For the plots: sizes, and the number of arrays that the work reads and writes.
EXPONENTS = range(10, 29, 2)
PLOTS = {"2x + 3": (1, 1), "sin(x) exp(y) + x y": (2, 1), "sum": (1, 0), "inclusive scan": (1, 1),
         "transposition of a square": (1, 1), "softmax of rows of 1024": (1, 1)}
MAPS = [1 << 20, 1 << 24, 1 << 27]
SHAPES = [(1 << 20,), (1 << 27,), (4096, 4096), (16384, 8192), (1 << 20, 64), (64, 1 << 20), (256, 256, 256)]


def product(shape):
    return functools.reduce(operator.mul, shape)


def turns(make, elements):
    """Alternates between several inputs, so that they are not read from the cache."""
    count = max(1, min(12, (1 << 27) // elements))
    return itertools.cycle([make() for _ in range(count)]).__next__


def rows(random, sin, exp, add, fused, softmax, mean_and_variance, argmax, cumsum, dense):
    """Yields (work, call) of each row. A call is None if the library lacks it. `fused` is for expressions as one kernel."""
    for n in MAPS:
        pairs = turns(lambda: (random((n,)), random((n,))), n)
        name = sizes((n,))
        yield f"2x + 3, {name} f32", fused(lambda x, y: 2 * x + 3), pairs
        yield f"sin(x) exp(y) + x y, {name} f32", fused(lambda x, y: sin(x) * exp(y) + x * y), pairs
        yield f"x + y and x - y, {name} f32", fused(lambda x, y: (x + y, x - y)), pairs
        yield f"inclusive scan of {name} f32", lambda x, y: cumsum(x, 0), pairs
        del pairs
    both = (random((16384, 8192)), random((8192,)))
    yield "matrix + row, 16384 x 8192 f32", lambda x, y: add(x, y), lambda: both
    del both
    square = random((8192, 8192))
    for axis in (0, 1):
        yield f"scan along axis {axis} of 2^13 x 2^13 f32", lambda x, axis=axis: cumsum(x, axis), lambda: (square,)
    del square
    for shape in SHAPES:
        inputs = turns(lambda: (random(shape),), product(shape))
        name = sizes(shape)
        if len(shape) == 1:
            yield f"sum of {name} f32", lambda x: x.sum(), inputs
            yield f"argmax of {name} f32", lambda x: argmax(x), inputs
            continue
        for axis in range(len(shape)):
            yield f"sum along axis {axis} of {name} f32", lambda x, axis=axis: x.sum(axis), inputs
        if len(shape) == 2:
            if mean_and_variance:
                yield f"mean and variance of rows, {name} f32", mean_and_variance, inputs
            if softmax:
                yield f"softmax of rows, {name} f32", softmax, inputs
            yield f"transposition of {name} f32", lambda x: dense(x.T), inputs


def device_us(peers, call, repeats=15):
    """Returns the median of the device times, after a warm-up call."""
    call()
    peers.reserve = 200_000 + 3_000_000
    return peers.gpu.median(lambda i: call(), repeats)


def measure(peers, by, work):
    for name, call, inputs in work:
        us = device_us(peers, lambda: call(*inputs()))
        peers.note(work=name, by=by, us=us, note="device time")


def measure_host(peers, by, name, call):
    """Returns the host time of a call that waits for its result."""
    call()
    times = []
    for _ in range(100):
        peers.gpu.sync()
        start = time.perf_counter()
        call()
        peers.gpu.sync()
        times.append((time.perf_counter() - start) * 1e6)
    peers.note(work=name, by=by, us=statistics.median(times), note="host time")


def measure_sizes(peers, by, calls):
    """Measures points of the plots. Each call gets inputs at changing positions of the pool: see `Calls`."""
    for exponent in EXPONENTS:
        count, edge = 1 << exponent, 1 << exponent // 2
        shapes = {"transposition of a square": (edge, edge), "softmax of rows of 1024": (count // 1024, 1024)}
        for plot, (reads, writes) in PLOTS.items():
            if plot in calls.of:
                shape = shapes.get(plot, (count,))
                us = device_us(peers, lambda: calls.of[plot](
                    *[calls.view(peers.piece(count), shape) for _ in range(reads)]))
                peers.note(plot=plot, elements=count, bytes=4 * (reads + writes) * count, by=by, us=us)


class Calls:
    """The plotted operations of a library, and its view of the pool's floats: view(place, shape)."""

    def __init__(self, view, **of):
        self.view = view
        names = dict(affine="2x + 3", wave="sin(x) exp(y) + x y", total="sum", scan="inclusive scan",
                     turn="transposition of a square", softmax="softmax of rows of 1024")
        self.of = {names[name]: call for name, call in of.items()}


def pytorch(peers):
    import torch

    class Pool:
        __cuda_array_interface__ = dict(shape=(peers.pool_floats,), typestr="<f4", data=(peers.pool, False), version=3)

    with torch.cuda.stream(torch.cuda.ExternalStream(peers.gpu.stream.value)):
        pool = torch.as_tensor(Pool(), device="cuda")

        def view(place, shape):
            return pool.narrow(0, place, product(shape)).view(shape)

        def work(fused):
            return rows(
                random=lambda shape: torch.rand(shape, device="cuda"), sin=torch.sin, exp=torch.exp, add=torch.add,
                fused=fused, softmax=lambda x: torch.softmax(x, 1),
                mean_and_variance=lambda x: torch.var_mean(x, 1), argmax=torch.argmax,
                cumsum=torch.cumsum, dense=lambda x: x.contiguous())
        measure(peers, "PyTorch", work(lambda f: f))
        # As in the bench: f32 without TF32, and f16 with all sums in f32, which is not PyTorch's default.
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        for name, element in (("f32", torch.float32), ("f16", torch.float16)):
            a, b = (torch.rand((4096, 4096), device="cuda").to(element) for _ in range(2))
            measure(peers, "PyTorch", [(f"product of 2^12 x 2^12 matrices of {name}", torch.matmul, lambda: (a, b))])
            del a, b
        numbers = view(peers.piece(1 << 27), (1 << 27,))
        mask = numbers > 0
        measure_host(peers, "PyTorch", "selection of half of 2^27 f32", lambda: numbers[mask])
        del numbers, mask
        values, sums = torch.rand(1 << 24, device="cuda"), torch.zeros(1 << 20, device="cuda")
        places = torch.randint(0, 1 << 20, (1 << 24,), dtype=torch.int32, device="cuda")
        added = "2^24 f32 added at 2^20 places"
        measure_host(peers, "PyTorch", added, lambda: sums.index_add_(0, places, values))
        torch.use_deterministic_algorithms(True)
        measure_host(peers, "PyTorch, deterministic", added, lambda: sums.index_add_(0, places, values))
        torch.use_deterministic_algorithms(False)
        del values, sums, places

        def affine(x):
            return 2 * x + 3

        def wave(x, y):
            return torch.sin(x) * torch.exp(y) + x * y

        def softmax(x):
            return torch.softmax(x, 1)
        measure_sizes(peers, "PyTorch", Calls(
            view, affine=affine, wave=wave, total=torch.sum, scan=lambda x: torch.cumsum(x, 0),
            turn=lambda x: x.T.contiguous(), softmax=softmax))
        torch.cuda.empty_cache()
        compiled = itertools.takewhile(lambda row: not row[0].startswith("matrix"), work(torch.compile))
        measure(peers, "torch.compile", (row for row in compiled if "scan" not in row[0]))
        measure_sizes(peers, "torch.compile", Calls(
            view, affine=torch.compile(affine), wave=torch.compile(wave), softmax=torch.compile(softmax)))
        torch.cuda.empty_cache()


def cupy(peers):
    import cupy

    def view(place, shape):
        memory = cupy.cuda.UnownedMemory(peers.pool, 4 * peers.pool_floats, None)
        return cupy.ndarray(shape, cupy.float32, cupy.cuda.MemoryPointer(memory, 4 * place))

    with cupy.cuda.ExternalStream(peers.gpu.stream.value):
        measure(peers, "CuPy", rows(
            random=lambda shape: cupy.random.random(shape, cupy.float32), sin=cupy.sin, exp=cupy.exp, add=cupy.add,
            fused=lambda f: f, softmax=None, mean_and_variance=None, argmax=lambda x: cupy.argmax(x),
            cumsum=cupy.cumsum, dense=cupy.ascontiguousarray))
        numbers = view(peers.piece(1 << 27), (1 << 27,))
        mask = numbers > 0
        measure_host(peers, "CuPy", "selection of half of 2^27 f32", lambda: numbers[mask])
        del numbers, mask
        values, sums = cupy.random.random(1 << 24, cupy.float32), cupy.zeros(1 << 20, cupy.float32)
        places = cupy.random.randint(0, 1 << 20, 1 << 24, cupy.int32)
        measure_host(peers, "CuPy", "2^24 f32 added at 2^20 places", lambda: cupy.add.at(sums, places, values))
        del values, sums, places
        measure_sizes(peers, "CuPy", Calls(
            view, affine=lambda x: 2 * x + 3, wave=lambda x, y: cupy.sin(x) * cupy.exp(y) + x * y,
            total=lambda x: x.sum(), scan=lambda x: cupy.cumsum(x, 0), turn=lambda x: cupy.ascontiguousarray(x.T)))
        cupy.get_default_memory_pool().free_all_blocks()


def cub(peers, library):
    gpu = peers.gpu
    room = 1 << 26
    temporary, size = gpu.alloc(room), c_size_t(room)
    out, small = gpu.alloc(4 << 28), gpu.alloc(256 * 8)

    def run(name, *arguments):
        """Pointers are device addresses as numbers. Lengths are c_longlong."""
        pointers = [x if isinstance(x, c_longlong) else c_void_p(x) for x in arguments]
        status = getattr(library, f"cub_{name}")(c_void_p(temporary), ctypes.byref(size), gpu.stream, *pointers)
        if status:
            raise RuntimeError(f"cub_{name}: CUDA runtime error {status}")

    def at(place):
        return peers.pool + 4 * place

    def measure_one(work, count, call):
        us = device_us(peers, lambda: call(at(peers.piece(count)), c_longlong(count)))
        peers.note(work=work, by="CUB", us=us, note="device time")

    for n in MAPS:
        name = sizes((n,))
        measure_one(f"2x + 3, {name} f32", n, lambda x, n: run("affine", x, out, n))
        measure_one(f"sin(x) exp(y) + x y, {name} f32", n,
                    lambda x, n: run("wave", x, at(peers.piece(n.value)), out, n))
        measure_one(f"inclusive scan of {name} f32", n, lambda x, n: run("scan", x, out, n))
    for shape in SHAPES:
        count, name = product(shape), sizes(shape)
        if len(shape) == 1:
            measure_one(f"sum of {name} f32", count, lambda x, n: run("sum", x, small, n))
            measure_one(f"argmax of {name} f32", count, lambda x, n: run("argmax", x, small, small + 8, n))
        else:
            columns = c_longlong(shape[-1])
            lines = c_longlong(count // shape[-1])
            measure_one(f"sum along axis {len(shape) - 1} of {name} f32", count,
                        lambda x, n: run("sum_of_rows", x, out, lines, columns))

    n = 1 << 27
    random_bytes, flags, chosen = gpu.alloc(n), gpu.alloc(n), ctypes.c_longlong()
    numbers = at(peers.piece(n))
    peers.launch("fill_bytes", random_bytes, n)
    peers.launch("positive", flags, numbers, n)
    us = device_us(peers, lambda: run("histogram", random_bytes, small, c_longlong(n)))
    peers.note(work="histogram of 2^27 u8, 256 bins", by="CUB", us=us, note="device time")

    def select():
        run("select", numbers, flags, out, small, c_longlong(n))
        peers.read(chosen, small)
    measure_host(peers, "CUB", "selection of half of 2^27 f32", select)
    if not 0.49 < chosen.value / n < 0.51:
        raise RuntimeError(f"CUB has selected {chosen.value} of {n}")

    measure_sizes(peers, "CUB", Calls(
        lambda place, shape: (at(place), c_longlong(product(shape))), affine=lambda x: run("affine", x[0], out, x[1]),
        wave=lambda x, y: run("wave", x[0], y[0], out, x[1]), total=lambda x: run("sum", x[0], small, x[1]),
        scan=lambda x: run("scan", x[0], out, x[1])))
