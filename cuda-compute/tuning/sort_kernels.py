"""Checks and measures the kernels of sorts on the device, with CuPy.

    python3 sort_kernels.py [check] [sort] [rows] [statistic] [top]

The kernels are those of src/kernels, compiled here with the macros that src/sort/kernel.rs defines, for
keys in memory. Times are the device time of a captured sort, launched ten times in a row: the best of
three. They include the clearing of the scratch memory.
"""

import math
import pathlib
import sys

import cupy as cp
import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "src" / "kernels"
# The type in kernels, the type of values, the bits of a float's fraction, and whether it is signed.
TYPES = {
    "u1": ("unsigned char", "unsigned char", 0, 0), "i1": ("signed char", "signed char", 0, 1),
    "u2": ("unsigned short", "unsigned short", 0, 0), "i2": ("short", "short", 0, 1),
    "u4": ("unsigned", "unsigned", 0, 0), "i4": ("int", "int", 0, 1),
    "u8": ("u64", "u64", 0, 0), "i8": ("long long", "long long", 0, 1),
    "f2": ("stored_f16", "float", 10, 0), "f4": ("float", "float", 23, 0), "f8": ("double", "double", 52, 0),
}
# An expression that reads keys from memory, in the form that src/expression/render.rs generates.
EXPRESSION = """
#include "array.cuh"
struct Words { u64 base; };
typedef u64 index_t;
template <int V> struct Inputs { pack<KEY, V> x; };
template <int V> struct Outputs { KEY_VALUE y0[V]; };
template <int V> __device__ __forceinline__ void load(const Words &w, index_t at, Inputs<V> &in) {
    in.x = load_pack<KEY, V>(w.base, at * V);
}
template <int V> __device__ __forceinline__ void compute(const Words &, const Inputs<V> &in, Outputs<V> &out) {
    for (int v = 0; v < V; ++v) out.y0[v] = value_of(in.x.at[v]);
}
"""
compiled = {}


def kernel(name, dtype, threads, items, item_bytes=0, places=0, out_bytes=None, descending=0, **others):
    stored, value, fraction, signed = TYPES[dtype]
    defines = dict(KEY=stored, KEY_VALUE=value, FRACTION=fraction, SIGNED=signed, DESCENDING=descending,
                   THREADS=threads, ITEMS=items, FUSED=0, ITEM_BYTES=item_bytes, PLACES=places,
                   OUT_BYTES=out_bytes or item_bytes, COUNT="unsigned", WRITE_KEYS=1, BLOCKS=1) | others
    key = (name, tuple(sorted(defines.items())))
    if key not in compiled:
        text = (KERNELS / f"{name}.cu").read_text().replace('#include "expression.cuh"', EXPRESSION)
        options = ("-std=c++17", f"-I{KERNELS}", *(f"-D{macro}={value}" for macro, value in defines.items()))
        compiled[key] = cp.RawModule(code=text, options=options).get_function(name)
    return compiled[key]


def launch(function, blocks, threads, *parameters):
    function((blocks,), (threads,), tuple(np.uint64(x.data.ptr if hasattr(x, "data") else x) for x in parameters))


def clear(address, count):
    cp.cuda.runtime.memsetAsync(address, 0, count, cp.cuda.get_current_stream().ptr)


class Sweeps:
    """A sort by passes, as src/sort/plan.rs enqueues it."""

    def __init__(self, dtype, lines, length, variant, item_bytes=0, places=0, out_bytes=None, descending=0):
        self.threads, items, blocks = variant
        self.lines, self.length, self.passes, self.places = lines, length, int(dtype[1]), places
        self.tiles = -(-length // (self.threads * items))
        self.count = kernel("sort_count", dtype, 512, 8, descending=descending)
        self.chunks = max(1, min(-(-length // 4096), -(-132 * 4 // lines)))
        self.sweeps = [
            kernel("sort_sweep", dtype, self.threads, items, item_bytes, int(places and p == 0),
                   out_bytes if p == self.passes - 1 else item_bytes, descending, BLOCKS=blocks,
                   WRITE_KEYS=int(not (places and p == self.passes - 1)))
            for p in range(self.passes)
        ]
        self.bins, self.states = 1024, 1024 * lines * self.tiles
        self.begin = self.bins + 1024 * lines * self.passes
        self.scratch = cp.empty(self.begin + 2 * self.states, np.uint8)
        self.keys = [cp.empty(lines * length, dtype) for _ in range(2 if places else 1)]
        self.items = cp.empty(lines * length * item_bytes, np.uint8)

    def __call__(self, keys, items, keys_out, items_out):
        base = self.scratch.data.ptr
        clear(base, self.begin + self.states)
        launch(self.count, self.lines * self.chunks, 512, self.length, self.chunks, keys, base + self.bins)
        for p, sweep in enumerate(self.sweeps):
            if (self.passes - p) % 2:
                to = (self.keys[1] if self.places else keys_out, items_out)
            else:
                to = (self.keys[0], self.items)
            states = [base + self.begin + self.states * (which % 2) for which in (p, p + 1)]
            launch(sweep, self.lines * self.tiles, self.threads, self.length, self.tiles, keys, items, *to, base + 4 * p,
                   base + self.bins + 1024 * p, states[0], states[1] if p + 1 < self.passes else 0, p)
            keys, items = to


def random_keys(dtype, count, distinct=None):
    if distinct:
        return cp.random.randint(0, distinct, size=count).astype(dtype)
    words = cp.random.randint(0, 1 << 32, size=-(-count * int(dtype[1]) // 4), dtype=cp.uint32)
    return words.view(cp.uint8)[:count * int(dtype[1])].view(dtype).copy()


def timed(work):
    # The inputs were created on another stream.
    cp.cuda.Device().synchronize()
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        work()
        stream.synchronize()
        stream.begin_capture()
        work()
        graph = stream.end_capture()
        times = []
        for _ in range(4):
            begin, end = cp.cuda.Event(), cp.cuda.Event()
            begin.record(stream)
            for _ in range(10):
                graph.launch(stream=stream)
            end.record(stream)
            stream.synchronize()
            times.append(cp.cuda.get_elapsed_time(begin, end) * 100)
    return min(times[1:])


def sorted_by(dtype, lines, length, variant, **options):
    keys = random_keys(dtype, lines * length)
    items, bytes_ = None, options.get("item_bytes", 0)
    if bytes_ and not options.get("places"):
        items = random_keys(f"u{bytes_}", lines * length)
    sort = Sweeps(dtype, lines, length, variant, **options)
    out = cp.empty_like(keys)
    items_out = cp.empty(lines * length * (options.get("out_bytes") or bytes_), np.uint8)
    return lambda: sort(keys, items if items is not None else 0, out, items_out), keys, out, items_out


def rows(dtype, lines, length, threads, items):
    keys, out = random_keys(dtype, lines * length), cp.empty(lines * length, dtype)
    places = cp.empty(lines * length, np.uint64)
    function = kernel("sort_rows", dtype, threads, items, 4, 1, 8)
    return lambda: launch(function, lines, threads, length, length, keys, 0, out, places), keys, out, places


def statistic(keys, dtype, first, second):
    function = kernel("order_statistic", dtype, 512, 1, UNROLL=2, BINS=2048, VECTOR=32 // max(int(dtype[1]), 4), FUSED=1)
    memory, out = cp.empty(8 * (2 + 2 * 2050), np.uint8), cp.empty(3, dtype)

    def work():
        clear(memory.data.ptr, memory.nbytes)
        high = 8 * int(dtype[1])
        while high:
            low = max(0, high - 11)
            launch(function, 132 * 4, 512, keys, keys.size, low, high, first, second, memory, out)
            high = low
    return work, out


def step_of(chunks):
    """A step through the chunks, as src/sort/few.rs chooses it."""
    step = int(chunks * 0.618)
    while math.gcd(step, chunks) > 1:
        step += 1
    return step % chunks


def top(keys, dtype, lines, k, segments, threads, most, own=8):
    size = int(dtype[1])
    vector, length = min(own, 16 // size), keys.size // lines
    if lines > 1 and length % vector:
        vector = 1
    function = kernel("top_k", dtype, threads, own // vector, MOST=most, VECTOR=vector, FUSED=1, SEGMENTED=int(segments > 1))
    of_segment = -(-length // segments // own) * own
    segments = -(-length // of_segment)
    last = length - (segments - 1) * of_segment
    steps = [step_of(max(1, -(-count // (threads * own)))) for count in (of_segment, last // vector * vector)]
    values, places = cp.empty(lines * k, dtype), cp.empty(lines * k, np.uint64)
    common = cp.empty(lines * (2 + most), np.uint64)
    entries = cp.empty(lines * segments * k * (2 if size > 4 else 1), np.uint64)

    def work():
        clear(common.data.ptr, common.nbytes)
        launch(function, lines * segments, threads, keys, length, segments, of_segment, *steps, k, common, entries, values, places)
    return work, places


def top_of_rows(keys, dtype, lines, k, threads, own=8):
    length = keys.size // lines
    vector = math.gcd(min(own, 16 // int(dtype[1])), length)
    function = kernel("top_k_warp", dtype, threads, own // vector, VECTOR=vector, FUSED=1)
    values, places = cp.empty(lines * k, dtype), cp.empty(lines * k, np.uint64)
    return (lambda: launch(function, -(-lines * 32 // threads), threads, keys, lines, length, k, values, places)), places


def check():
    for dtype in TYPES:
        for lines, length in ((1, 1), (1, 100_003), (3, 33_333)):
            work, keys, out, _ = sorted_by(dtype, lines, length, (384, 8, 2))
            work()
            host = keys.get().reshape(lines, length)
            assert np.array_equal(out.get().reshape(lines, length), np.sort(host), equal_nan=dtype[0] == "f"), dtype
            work, keys, _, places = sorted_by(dtype, lines, length, (384, 8, 2), item_bytes=4, places=1, out_bytes=8)
            work()
            host = keys.get().reshape(lines, length)
            wanted = np.argsort(host, kind="stable")
            assert np.array_equal(places.view(np.uint64).get().reshape(lines, length), wanted), dtype
            work, out = statistic(keys, dtype, 0, keys.size // 2)
            work()
            wanted = np.sort(keys.get())[[0, keys.size // 2]]
            assert np.array_equal(out.get()[:2], wanted, equal_nan=dtype[0] == "f"), dtype
        for threads, items in ((32, 4), (512, 8)):
            work, keys, _, places = rows(dtype, 7, threads * items - 5, threads, items)
            work()
            wanted = np.argsort(keys.get().reshape(7, -1), kind="stable")
            assert np.array_equal(places.get().reshape(7, -1), wanted), dtype
        for keys in (random_keys(dtype, 60_003), cp.sort(random_keys(dtype, 60_003)), cp.sort(random_keys(dtype, 60_003))[::-1].copy(),
                     random_keys(dtype, 60_003, 3), random_keys(dtype, 60_000)):
            for lines, k, segments, threads, most in ((1, 20, 1, 128, 32), (3, 20, 1, 128, 32), (1, 1, 30, 128, 32), (1, 32, 7, 128, 32),
                                                      (1, 100, 7, 256, 128), (3, 128, 4, 256, 128)):
                work, places = top(keys, dtype, lines, k, segments, threads, most)
                places.fill(7)
                work()
                wanted = np.argsort(keys.get().reshape(lines, -1), kind="stable")[:, :k]
                assert np.array_equal(places.get().reshape(lines, -1), wanted), (dtype, lines, k, segments)
            for lines, k in ((1, 32), (3, 1), (12, 10), (37, 32)):
                part = keys[:keys.size // lines * lines]
                work, places = top_of_rows(part, dtype, lines, k, 128)
                places.fill(7)
                work()
                wanted = np.argsort(part.get().reshape(lines, -1), kind="stable")[:, :k]
                assert np.array_equal(places.get().reshape(lines, -1), wanted), (dtype, lines, k)
    print("the kernels agree with NumPy, except sort_fill and descending order, which are not checked here")


def sort():
    for name, dtype, power, variant, options in (
        ("u32", "u4", 16, (256, 8, 3), {}), ("u32", "u4", 20, (384, 16, 3), {}), ("u32", "u4", 24, (512, 20, 2), {}),
        ("u32", "u4", 27, (512, 20, 2), {}), ("f32", "f4", 27, (512, 16, 2), {}), ("u64", "u8", 20, (512, 8, 2), {}),
        ("u64", "u8", 27, (512, 10, 2), {}), ("u32 with u32", "u4", 20, (512, 8, 2), dict(item_bytes=4)),
        ("u32 with u32", "u4", 27, (512, 16, 2), dict(item_bytes=4)),
        ("f32 with places", "f4", 20, (512, 8, 2), dict(item_bytes=4, places=1, out_bytes=8)),
        ("f32 with places", "f4", 27, (512, 16, 2), dict(item_bytes=4, places=1, out_bytes=8)),
    ):
        work = sorted_by(dtype, 1, 1 << power, variant, **options)[0]
        print(f"{name}, 2^{power}, {variant}: {timed(work):.1f} µs", flush=True)


def measure_rows():
    for threads, items in ((512, 16), (256, 16), (512, 8)):
        length = threads * items
        keys, out = random_keys("u4", 1 << 27), cp.empty(1 << 27, "u4")
        function = kernel("sort_rows", "u4", threads, items)
        lines = (1 << 27) // length
        time = timed(lambda: launch(function, lines, threads, length, length, keys, 0, out, 0))
        print(f"u32, {lines} rows of {length}, {threads} threads: {time:.1f} µs", flush=True)


def measure_statistic():
    keys = cp.random.standard_normal(1 << 27, dtype="f4")
    print(f"two places of 2^27 f32: {timed(statistic(keys, 'f4', (1 << 26) - 1, 1 << 26)[0]):.1f} µs")


def measure_top():
    keys = cp.random.standard_normal(1 << 27, dtype="f4")
    for k in (1, 10, 32):
        print(f"{k} of 2^14 rows of 2^13 f32: {timed(top_of_rows(keys, 'f4', 1 << 14, k, 128, 16)[0]):.1f} µs")
    for lines in (1 << 11, 1 << 12, 1 << 17):
        warps, blocks = timed(top_of_rows(keys, "f4", lines, 10, 128, 16)[0]), timed(top(keys, "f4", lines, 10, 1, 128, 32, 16)[0])
        print(f"10 of {lines} rows: {warps:.1f} µs by warps, {blocks:.1f} by blocks")
    for order, keys in (("normal", keys), ("ascending", cp.sort(keys)), ("descending", cp.sort(keys)[::-1].copy())):
        for power in (20, 24, 27):
            for segments in (264, 396, 528):
                if (1 << power) // segments >= 2048:
                    work = top(keys[:1 << power], "f4", 1, 100, segments, 256, 128, 16)[0]
                    print(f"100 of 2^{power} f32, {order}, {segments} segments: {timed(work):.1f} µs", flush=True)


if __name__ == "__main__":
    parts = dict(check=check, sort=sort, rows=measure_rows, statistic=measure_statistic, top=measure_top)
    for part in sys.argv[1:] or parts:
        parts[part]()
