"""Measures variants of the kernels of arrays on the device, and prints the best of each workload.

    python3 array_kernels.py [elementwise] [fold] [total] [scan] [select] [normal] [images]

The kernels are those of src/kernels, compiled here with other macros. Their expressions are written
by hand below, in the form that src/expression/render.rs generates for f32. Times are medians between
two events around the launch, and around the clearing of the tiles' memory if a kernel needs it. The
queue is filled beforehand. Inputs are random and rotate through 4 GiB.
"""

import ctypes
import itertools
import sys
from collections import defaultdict
from ctypes import c_int, c_longlong, c_ulonglong

import driver
import kernels

FOLDER = kernels.HERE.parent / "src" / "kernels"
POOL = 4 << 30


def up(a, b):
    return -(-a // b)


def words(*values):
    return (c_ulonglong * len(values))(*values)


def kernel(file, headers, **defines):
    """Returns a kernel of src/kernels, with the headers that are generated for an expression."""
    texts = dict(headers)
    for path in FOLDER.glob("*.cuh"):
        texts.setdefault(path.name, path.read_text())
    return kernels.Kernel((FOLDER / file).read_text(), file, tuple(defines.items()), tuple(sorted(texts.items())))


# Expressions of f32.

STORE = "store_pack<float, V>(w.at[{slot}], {offset}, out.y{i});"
HEAD = ("typedef unsigned index_t;\ntypedef int offset_t;\n#define VECTOR 4\n"
        "#ifndef LOAD_PACK\n#define LOAD_PACK load_pack\n#endif\n"
        "struct Words { unsigned long long at[8]; };\n")


def expression(inputs, results, store="n * V", place=False, slot=None):
    """`results` are C++ expressions of x0, x1, … with their types. The words are the number of
    elements, the inputs and the outputs."""
    lines = [HEAD, "template <int V> struct Inputs {"]
    lines += [f"    pack<float, V> x{i};" for i in range(inputs)] + ["    offset_t place;", "};"]
    lines += ["template <int V> __device__ __forceinline__ void load(const Words &w, index_t n, Inputs<V> &in) {"]
    lines += [f"    in.x{i} = LOAD_PACK<float, V>(w.at[{1 + i}], (offset_t)(n * V));" for i in range(inputs)]
    lines += ["    in.place = n * V;", "}", "template <int V> struct Outputs {"]
    lines += [f"    {kind} y{i}[V];" for i, (kind, _) in enumerate(results)] + ["};"]
    lines += ["template <int V> __device__ __forceinline__ void compute(const Words &w, const Inputs<V> &in, "
              "Outputs<V> &out) {", "#pragma unroll", "    for (int lane = 0; lane < V; ++lane) {"]
    lines += [f"        const float x{i} = in.x{i}.at[lane];" for i in range(inputs)]
    lines += [f"        out.y{i}[lane] = {value};" for i, (_, value) in enumerate(results)] + ["    }", "}"]
    lines += ["template <int V, class O> __device__ __forceinline__ void store(const Words &w, index_t n, const O &out) {"]
    if store:
        slot = 1 + inputs if slot is None else slot
        count = 1 if place else len(results)
        lines += ["    " + STORE.format(slot=slot + i, offset=store, i=i) for i in range(count)]
    else:
        lines += ["    *(u64 *)w.at[2] = out.y0[0];"]
    return "\n".join(lines + ["}", ""])


X = ("float", "x0")
SUM = """typedef float combined;
typedef combined accumulator;
__device__ __forceinline__ accumulator combine(accumulator a, accumulator b) { return a + b; }
#define NEUTRAL ((accumulator)-0.0)
#define TAKEN(out, v) (out).y0[v]
#define VALUE_OF(x) (x)
#define BEGINS(x) false
"""
COUNT = SUM.replace("float", "unsigned long long").replace("-0.0", "0")
NORMAL = """#include "random.cuh"
""" + HEAD + """template <int V> struct Inputs { offset_t x0; };
template <int V> __device__ __forceinline__ void load(const Words &, index_t n, Inputs<V> &in) { in.x0 = n * V; }
template <int V> struct Outputs { float y0[V]; };
template <int V> __device__ __forceinline__ void compute(const Words &w, const Inputs<V> &in, Outputs<V> &out) {
    draw(w.at[2], w.at[3], (index_t)in.x0, out.y0);
}
template <int V, class O> __device__ __forceinline__ void store(const Words &w, index_t n, const O &out) {
    store_pack<float, V>(w.at[1], n * V, out.y0);
}
"""


def folds(*parts):
    """Returns fold.cuh for structs of folds.cuh. Those of places take values one at a time."""
    each = list(enumerate(parts))
    value = "values.output(i).y0[values.lane(i)]"
    take, together = "", ""
    for i, struct in each:
        if "place" in struct:
            take += f" f{i}.take(out.y0[lane], out.y1[lane]);"
            together += (f"#pragma unroll\n        for (int i = 0; i < V::count; ++i) "
                         f"f{i}.take({value}, {value.replace('y0', 'y1')});\n")
        else:
            take += f" f{i}.take(out.y0[lane]);"
            together += (f"        float x{i}[V::count];\n#pragma unroll\n        for (int i = 0; i < V::count; ++i) "
                         f"x{i}[i] = {value};\n        f{i}.take_all(x{i});\n")
    return ("struct accumulator {\n" + "".join(f"    {struct} f{i};\n" for i, struct in each)
            + "    FOLD void clear() {" + "".join(f" f{i}.clear();" for i, _ in each)
            + " }\n    template <class O> FOLD void take(const O &out, int lane) {" + take
            + " }\n    template <class V> FOLD void take_all(const V &values) {\n" + together
            + "    }\n    FOLD void merge(const accumulator &other) {"
            + "".join(f" f{i}.merge(other.f{i});" for i, _ in each)
            + " }\n    template <class R> FOLD void finish(R &results, int lane, u64 count) const {"
            + "".join(f" results.y{i}[lane] = f{i}.result(count);" for i, _ in each)
            + " }\n};\ntemplate <int V> struct Results {\n"
            + "".join(f"    {struct}::type y{i}[V];\n" for i, struct in each) + "};\n")


FOLDS = {
    "sum": ["fold_sum<float>"],
    "mean and variance": ["fold_mean<float>", "fold_variance<float, 0, false>"],
    "argmax": ["fold_place<float, index_t, true, false>"],
}


def magic(length):
    """The same as `magic` of expression/operands.rs."""
    shift = (length - 1).bit_length()
    return (((1 << 32) * ((1 << shift) - length)) // length + 1) | shift << 32


class Sizes(ctypes.Structure):
    _fields_ = [(n, c_ulonglong) for n in ("outer", "length", "inner", "count", "splits", "partials", "counters")]


class Geometry(ctypes.Structure):
    """The same as in convolve_common.cuh."""
    _fields_ = ([(n, c_longlong) for n in ("in_pitch", "out_pitch", "in_image", "out_image")]
                + [(n, c_int) for n in ("in_width", "in_height", "out_width", "out_height", "across", "down", "rows", "images")])


class Tuner:
    def __init__(self):
        self.gpu, self.wanted = driver.Gpu(), None
        self.pool, self.out = self.gpu.alloc(POOL), self.gpu.alloc(POOL)
        # Clearing this much memory takes longer than enqueueing the launches of a measurement.
        self.gpu.hold = lambda _: [self.clear(self.out, POOL) for _ in range(4)]
        self.room, self.counters, self.turn = self.gpu.alloc(64 << 20), self.gpu.alloc(1 << 20), 0
        for memory, size in [(self.room, 64 << 20), (self.counters, 1 << 20)]:
            self.gpu.zero(memory, size)
        fill = self.function(kernel("elementwise.cu", {"expression.cuh": NORMAL}, THREADS=256, UNROLL=1), "elementwise")
        quarter = POOL // 16
        for i in range(4):
            self.gpu.launch(fill, quarter // 1024, 256, [words(quarter, self.pool + i * quarter * 4, 7 + i, 0)])
        self.gpu.sync()

    def function(self, built, name):
        if self.wanted is not None:
            self.wanted.append(built)
            return None
        return self.gpu.function(kernels.compile_cubin(built), name)

    def run(self, suite):
        """Collects the kernels that the suite needs, compiles all of them at once, and measures."""
        self.wanted = []
        getattr(self, suite)()
        kernels.compile_all(self.wanted)
        self.wanted = None
        getattr(self, suite)()

    def input(self, count):
        if self.turn + 4 * count > POOL:
            self.turn = 0
        self.turn += 4 * count
        return self.pool + self.turn - 4 * count

    def clear(self, memory, size):
        driver.cuda.cuMemsetD8Async(c_ulonglong(memory), 0, ctypes.c_size_t(size), self.gpu.stream)

    def median(self, work, repeats):
        return 0.0 if self.wanted is not None else self.gpu.median(work, repeats)

    def show(self, rows, best=4):
        if self.wanted is not None:
            return
        for work, found in rows.items():
            for us, variant in sorted(found, key=lambda row: row[0])[:best]:
                print(f"  {work:45} {us:9.2f} us  {variant}", flush=True)

    def elementwise(self):
        rows = defaultdict(list)
        works = {"2x + 3": (1, "x0 * 2.0f + 3.0f"), "sin(x) exp(y) + x y": (2, "sinf(x0) * expf(x1) + x0 * x1")}
        for (name, (inputs, value)), threads, unroll in itertools.product(works.items(), [128, 256, 512], [1, 2, 4, 8]):
            built = kernel("elementwise.cu", {"expression.cuh": expression(inputs, [("float", value)])},
                           THREADS=threads, UNROLL=unroll)
            function = self.function(built, "elementwise")
            for exponent in (16, 20, 22, 24, 27):
                count = 1 << exponent

                def work(i):
                    own = [self.input(count) for _ in range(inputs)]
                    self.gpu.launch(function, up(count // 4, threads * unroll), threads,
                                    [words(count, *own, self.out + i % 8 * 4 * count)])
                us = self.median(work, 31 if exponent < 24 else 11)
                rows[f"{name}, 2^{exponent}"].append((us, dict(threads=threads, unroll=unroll)))
        self.show(rows)

    def normal(self):
        rows = defaultdict(list)
        for threads, unroll in itertools.product([128, 256], [1, 2, 4]):
            built = kernel("elementwise.cu", {"expression.cuh": NORMAL}, THREADS=threads, UNROLL=unroll)
            function, count = self.function(built, "elementwise"), 1 << 27
            us = self.median(lambda i: self.gpu.launch(
                function, up(count // 4, threads * unroll), threads,
                [words(count, self.out + i % 4 * 4 * count, 77, 0)]), 7)
            rows["normal, 2^27"].append((us, dict(threads=threads, unroll=unroll)))
        self.show(rows)

    def fold(self):
        rows = defaultdict(list)
        shapes = [(1 << 14, 1 << 13), (1 << 12, 1 << 12), (1 << 16, 256), (1 << 20, 64), (64, 1 << 20)]
        for name, (outer, length) in itertools.product(["sum", "mean and variance"], shapes):
            parts = FOLDS[name]
            groups = [256] if outer <= 64 else [2, 4, 8] if length == 64 else [8, 16, 32] if length == 256 else [32, 256]
            splits = [1] if outer > 64 else [4, 8, 16]
            for group, split, unroll in itertools.product(groups, splits, [2, 4, 8]):
                us = self.folded(parts, (outer, length, 1), split, GROUP=group, COLUMNS=0, UNROLL=unroll)
                rows[f"{name} of rows, {outer} x {length}"].append((us, dict(group=group, splits=split, unroll=unroll)))
        for name, shape in itertools.product(
                ["sum", "mean and variance"],
                [(1, 1 << 12, 1 << 12), (256, 256, 256), (1, 1 << 20, 64), (1, 1 << 14, 1 << 13)]):
            tiles = shape[0] * up(shape[2] // 4, 32)
            for columns, split, unroll in itertools.product([8, 16, 32], {1, max(1, 264 // tiles), max(1, 528 // tiles)}, [2, 4, 8]):
                us = self.folded(FOLDS[name], shape, split, GROUP=0, COLUMNS=columns, UNROLL=unroll)
                rows[f"{name} of columns, {shape}"].append((us, dict(columns=columns, splits=split, unroll=unroll)))
        self.show(rows)

    def folded(self, parts, shape, splits, **macros):
        outer, length, inner = shape
        count, columns = outer * length * inner, macros["COLUMNS"]
        store = "n * V" if columns else "divide(n, w.at[6], w.at[7]) * V"
        text = expression(1, [X] * len(parts), store=store)
        built = kernel("fold.cu", {"expression.cuh": text, "fold.cuh": folds(*parts)}, THREADS=256, BLOCKS=4, ROOM=32,
                       LANES=4,
                       **macros)
        function = self.function(built, "fold")
        vectors = (length, inner // 4) if columns else (length // 4, 1)
        sizes = Sizes(outer, *vectors, length, splits, self.room, self.counters)
        rows = outer * up(vectors[1], columns) if columns else up(outer, 256 // macros["GROUP"])
        results = [self.out, self.out + (1 << 30)]
        return self.median(lambda i: self.gpu.launch(function, rows * splits, 256, [
            words(count, self.input(count), *results, 0, 0, length // 4, magic(length // 4)), sizes]),
            15 if count < 1 << 27 else 7)

    def total(self):
        rows = defaultdict(list)
        variants = itertools.product(FOLDS.items(), [256, 512, 1024], [1, 2, 4], [0, 1])
        for (name, parts), threads, unroll, pieces in variants:
            place = "place" in parts[0]
            results = [X, ("unsigned long long", "in.place + lane")] if place else [X] * len(parts)
            text = expression(1, results, store=None if place else "n * V")
            built = kernel("total.cu", {"expression.cuh": text, "fold.cuh": folds(*parts)}, THREADS=threads,
                           UNROLL=unroll, PIECES=pieces, BLOCKS=0, ROOM=32, LANES=4)
            function = self.function(built, "total")
            for exponent in (16, 20, 24, 27):
                count = 1 << exponent
                needed = up(count // 4, threads * unroll)
                for grid in {min(needed, 132 * blocks) for blocks in (2, 4)}:
                    us = self.median(lambda i: self.gpu.launch(function, grid, threads, [
                        words(count, self.input(count), self.out, self.out + 256), words(0, self.counters)]),
                        31 if exponent < 24 else 11)
                    rows[f"{name}, 2^{exponent}"].append(
                        (us, dict(threads=threads, unroll=unroll, pieces=pieces, grid=grid)))
        self.show(rows)

    def scan(self):
        rows = defaultdict(list)
        headers = {"expression.cuh": expression(1, [X]), "combination.cuh": SUM}
        for threads, unroll in [(256, 4), (256, 8), (512, 4), (512, 8), (1024, 4), (1024, 8), (1024, 10)]:
            built = kernel("scan_line.cu", headers, THREADS=threads, UNROLL=unroll, CHAINED=1, EXCLUSIVE=0, FIRST=0)
            function = self.function(built, "scan_line")
            for exponent in (18, 20, 22, 24, 27):
                count = 1 << exponent
                tiles = up(count // 4, threads * unroll)
                words_per_line = tiles + up(tiles, 32) + up(tiles, 1024)

                def work(i):
                    self.clear(self.room, (words_per_line + 2) * 8)
                    self.gpu.launch(function, tiles, threads, [
                        words(count, self.input(count), self.out + i % 4 * 4 * count),
                        *map(c_ulonglong, (count, tiles, self.room, words_per_line, 0))])
                us = self.median(work, 15 if exponent < 27 else 7)
                rows[f"inclusive scan, 2^{exponent}"].append((us, dict(threads=threads, unroll=unroll)))
        self.show(rows)

    def select(self):
        rows = defaultdict(list)
        headers = {"expression.cuh": expression(1, [X, ("bool", "x0 > 0.0f")], store="n * V", place=True),
                   "combination.cuh": COUNT}
        for threads, unroll in [(256, 4), (256, 8), (512, 2), (512, 4), (512, 8), (1024, 2), (1024, 4), (1024, 8)]:
            built = kernel("compress.cu", headers, THREADS=threads, UNROLL=unroll, CHAINED=1, STORED="float",
                           VALUE="float")
            function = self.function(built, "compress")
            for exponent in (18, 20, 22, 24, 27):
                count = 1 << exponent
                tiles = up(count // 4, threads * unroll)

                def work(i):
                    self.clear(self.room, (3 * tiles + 64) * 16)
                    self.gpu.launch(function, tiles, threads, [
                        words(count, self.input(count)),
                        *map(c_ulonglong, (count, tiles, self.room, 0, self.out + i % 4 * 4 * count, self.counters))])
                us = self.median(work, 15 if exponent < 27 else 7)
                rows[f"selection of half, 2^{exponent}"].append((us, dict(threads=threads, unroll=unroll)))
        self.gpu.zero(self.counters, 8)
        self.show(rows)

    def images(self):
        rows, side = defaultdict(list), 4096
        for element, channels, k in itertools.product(["U8", "U16"], [1, 3], [3, 5, 9]):
            size, pad = {"U8": 1, "U16": 2}[element], k // 2
            elements, group = side * channels, min(max(32 // k, 1), k)
            halo = up((4 - pad * channels % 4) % 4 + (k - 1) * channels, 4) * 4
            for warps, height, blocks in itertools.product([1, 2, 4, 8], [4, 8, 12, 16], [1, 4]):
                shared = (warps * height + k - 1) * (128 + halo) * 4
                if shared > 48 << 10 or (blocks > 1 and warps * height > 64):
                    continue
                built = kernel("convolve_tile.cu", {}, PIXEL=element, CHANNELS=channels, KW=k, KH=k, PAD_X=pad, PAD_Y=pad,
                               BORDER=1, ALIGNED=1, OUT_ALIGNED=1, WARPS=warps, ROWS=height, BLOCKS=blocks, PAIR=group)
                function = self.function(built, "convolve_tile")
                across, down = elements // 128, up(side, warps * height)
                geometry = Geometry(elements, elements, 0, 0, side, side, side, side, across, down, warps * height, 1)
                weights = (ctypes.c_float * up((k + 1) // 2 * 2 * k, 4) * 4)()
                bytes = side * elements * size
                us = self.median(lambda i: self.gpu.launch(function, across * down, warps * 32, [
                    c_ulonglong(self.input(bytes // 4)), c_ulonglong(self.out + i % 16 * bytes), geometry, weights],
                    shared), 15)
                rows[f"{element} x {channels} by {k} x {k}"].append((us, dict(warps=warps, rows=height, blocks=blocks)))
        self.show(rows)


if __name__ == "__main__":
    suites = sys.argv[1:] or ["elementwise", "fold", "total", "scan", "select", "normal", "images"]
    tuner = Tuner()
    for suite in suites:
        print(suite)
        tuner.run(suite)
