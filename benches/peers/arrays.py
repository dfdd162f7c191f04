"""The work of bench `arrays` by libraries of arrays, under the same names."""

import itertools


def sizes(shape):
    def name(length):
        return f"2^{length.bit_length() - 1}" if length & (length - 1) == 0 else str(length)
    return " x ".join(name(length) for length in shape)


SHAPES = [(1 << 20,), (1 << 27,), (4096, 4096), (16384, 8192), (1 << 20, 64), (64, 1 << 20), (256, 256, 256)]


def turns(make, elements):
    """Several inputs in turn, so that the cache is not what is measured."""
    count = max(1, min(12, (1 << 27) // elements))
    return itertools.cycle([make() for _ in range(count)]).__next__


def rows(random, sin, exp, add, fused, softmax, mean_and_variance, argmax, cumsum, dense):
    """(work, call) of each row; what a library lacks is None. `fused` says who makes one kernel of an expression."""
    for n in (1 << 20, 1 << 24, 1 << 27):
        pairs = turns(lambda: (random((n,)), random((n,))), n)
        name = sizes((n,))
        yield f"2x + 3, {name} f32", fused(lambda x, y: 2 * x + 3), pairs
        yield f"sin(x) exp(y) + x y, {name} f32", fused(lambda x, y: sin(x) * exp(y) + x * y), pairs
        yield f"x + y and x - y, {name} f32", fused(lambda x, y: (x + y, x - y)), pairs
        yield f"inclusive scan of {name} f32", lambda x, y: cumsum(x), pairs
        del pairs
    both = (random((16384, 8192)), random((8192,)))
    yield "matrix + row, 16384 x 8192 f32", lambda x, y: add(x, y), lambda: both
    del both
    for shape in SHAPES:
        elements = 1
        for length in shape:
            elements *= length
        inputs = turns(lambda: (random(shape),), elements)
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


def measure(peers, by, work):
    for name, call, inputs in work:
        call(*inputs())
        peers.reserve = 200_000 + 3_000_000
        us = peers.gpu.median(lambda i: call(*inputs()), 15)
        peers.note(work=name, by=by, us=us, note="device time")


def pytorch(peers):
    import torch
    with torch.cuda.stream(torch.cuda.ExternalStream(peers.gpu.stream.value)):
        def work(fused):
            return rows(
                random=lambda shape: torch.rand(shape, device="cuda"), sin=torch.sin, exp=torch.exp, add=torch.add,
                fused=fused, softmax=lambda x: torch.softmax(x, 1),
                mean_and_variance=lambda x: torch.var_mean(x, 1), argmax=torch.argmax,
                cumsum=lambda x: torch.cumsum(x, 0), dense=lambda x: x.contiguous())
        measure(peers, "PyTorch", work(lambda f: f))
        torch.cuda.empty_cache()
        compiled = itertools.takewhile(lambda row: not row[0].startswith("matrix"), work(torch.compile))
        measure(peers, "torch.compile", (row for row in compiled if not row[0].startswith("inclusive")))
        torch.cuda.empty_cache()


def cupy(peers):
    import cupy
    with cupy.cuda.ExternalStream(peers.gpu.stream.value):
        measure(peers, "CuPy", rows(
            random=lambda shape: cupy.random.random(shape, cupy.float32), sin=cupy.sin, exp=cupy.exp, add=cupy.add,
            fused=lambda f: f, softmax=None, mean_and_variance=None, argmax=lambda x: cupy.argmax(x),
            cumsum=lambda x: cupy.cumsum(x), dense=cupy.ascontiguousarray))
        cupy.get_default_memory_pool().free_all_blocks()
