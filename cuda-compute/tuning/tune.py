"""Measures variants of the kernels on the device and prints the best of each workload.

    python3 tune.py sources SUITE...    lets the library print the needed sources into sources/ (needs Rust)
    python3 tune.py prepare SUITE...    compiles them (no GPU needed)
    python3 tune.py run SUITE...        measures, and appends every measurement to $OUT/results.jsonl

Suites: ceilings copies sum direct march tile correct peers. Times are medians between two events
around one launch. The queue is filled beforehand. Inputs are random and rotate through memory. The
suite peers needs CUB as CUB_PEER=libcub_peer.so, which is built from benches/peers/cub.cu:
nvcc -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC -o libcub_peer.so cub.cu
"""

import ctypes
import itertools
import json
import os
import statistics
import sys
import time
from ctypes import c_float, c_int, c_longlong, c_ulonglong, c_void_p
from pathlib import Path

import kernels

OUT = Path(os.environ.get("OUT", "."))
SUITES = ["ceilings", "copies", "sum", "direct", "march", "tile", "correct", "peers"]
HELPERS = kernels.Kernel((kernels.HERE / "helpers.cu").read_text())
POOL = 1 << 30  # floats of the pool of random input
SUM_SIZES = [1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, (1 << 27) - 157, 1 << 30]
IMAGE = int(os.environ.get("IMAGE", 4096))


class Geometry(ctypes.Structure):
    _fields_ = [(n, c_longlong) for n in ("in_pitch", "out_pitch", "in_image", "out_image")]
    _fields_ += [(n, c_int) for n in ("in_width", "in_height", "out_width", "out_height",
                                      "across", "down", "rows", "images")]


def up(a, b):
    return -(-a // b)


def weights_of(count):
    """Returns deterministic weights of mixed sign."""
    return [((i * 2654435761) % 1000 - 480) / 1000 for i in range(count)]


def parameter(weights, kw=None):
    """Returns the weights in the kernels' format: rows of kw padded to an even width."""
    if kw and kw % 2:
        rows = [weights[i:i + kw] + [0.0] for i in range(0, len(weights), kw)]
        weights = [w for row in rows for w in row]
    weights = weights + [0.0] * (-len(weights) % 4)
    return (c_float * len(weights))(*weights)


def copy_variants():
    for pattern, threads, per in itertools.product([0, 1, 2], [128, 256, 512, 1024], [1, 2, 4, 8]):
        for load, store in [("", ""), ("", ".cs"), (".nc.L1::no_allocate", ".cs"), (".cs", ".cs"),
                            (".nc.L1::no_allocate", ""), ("", ".wt"), (".nc.L1::no_allocate.L2::256B", "")]:
            if (load, store) in [("", ""), (".nc.L1::no_allocate", "")] or per in (2, 4):
                yield dict(PATTERN=pattern, THREADS=threads, PER=per, LD=f'"{load}"', ST=f'"{store}"')


def copy_source(macros):
    return kernels.Kernel((kernels.HERE / "copies.cu").read_text(), defines=tuple(macros.items()))


def sum_variants():
    for threads, unroll, pieces in itertools.product([128, 256, 512, 1024], [1, 2, 4, 8], [0, 1]):
        yield dict(threads=threads, unroll=unroll, pieces=pieces)


def direct_variants(k):
    for (warps, rows), cap in itertools.product([(4, 2), (4, 4), (8, 4), (4, 8), (2, 4)],
                                                [24, 32, 40, 48] if k <= 5 else [16, 20, 24, 32]):
        yield dict(WARPS=warps, ROWS=rows, BLOCKS=cap // warps)


def march_variants(k):
    """Yields variants of dense filters for k > 0, and of separable ones for k < 0."""
    separable = int(k < 0)
    steps, caps = ([1, 2, 3, 4], [8]) if separable else ([2, 4], [16 if abs(k) <= 9 else 12])
    for step, blocks, ahead in itertools.product(steps, caps, (4, 8)):
        yield dict(ROWS=step, BLOCKS=blocks, DEPTH=max(3, ahead // step + 1), SEPARABLE=separable)


def tile_variants(k):
    pairs = [2]
    for (warps, rows, blocks), pair in itertools.product(
            [(4, 4, 8), (4, 8, 5), (8, 4, 4), (8, 8, 3)], pairs):
        yield dict(WARPS=warps, ROWS=rows, BLOCKS=blocks, PAIR=pair)


DIRECT_K, TILE_K = [3, 5, 7, 9], [7, 9, 11, 13, 15, 31]
MARCH_K = [3, 5, 7, 9, 11, 13, 15, -5, -9, -15, -21, -31, -41, -51, -63]
CORRECT = [(3, 3), (5, 5), (9, 9), (15, 15), (31, 31), (4, 6)]


def correct_cases():
    for (kw, kh), border, aligned in itertools.product(CORRECT, range(4), [1, 0]):
        if (kw, border) in {(31, 1), (31, 2), (15, 3), (15, 0)}:
            continue
        common = dict(border=border, aligned=aligned)
        if kw <= 5:
            yield "direct", kw, kh, common, dict(WARPS=4, ROWS=4, BLOCKS=8)
        yield "tile", kw, kh, common, dict(WARPS=4, ROWS=8, BLOCKS=4, PAIR=2)
        for step in (1, 2, 3):
            if kw <= 15:
                yield "march", kw, kh, common, dict(ROWS=step, BLOCKS=8, DEPTH=4, SEPARABLE=0)
            yield "march", kw, kh, common, dict(ROWS=step, BLOCKS=8, DEPTH=4, SEPARABLE=1)


# The element and accumulator types, and their names in NumPy.
SUMS = [("f32", "", "f4", "f4"), ("f32", "f64", "f4", "f8"), ("f64", "", "f8", "f8"),
        ("i32", "", "i4", "i4"), ("u64", "", "u8", "u8"), ("bf16", "", "u2", "f4")]


def requests(suites):
    """Returns the library's kernels that the suites need."""
    if "sum" in suites or "peers" in suites:
        yield from (kernels.reduction(**v) for v in sum_variants())
        yield kernels.reduction(operation="dot")
    if "correct" in suites:
        for (element, accumulator, _, _), pieces in itertools.product(SUMS, (0, 1)):
            yield kernels.reduction(element, accumulator, pieces=pieces)
    for kind, sizes, variants in [("direct", DIRECT_K, direct_variants),
                                  ("march", MARCH_K, march_variants), ("tile", TILE_K, tile_variants)]:
        if kind in suites:
            for k in sizes:
                yield from (kernels.convolution(kind, abs(k), abs(k), **v) for v in variants(k))
    if "correct" in suites:
        for kind, kw, kh, common, macros in correct_cases():
            yield kernels.convolution(kind, kw, kh, **common, **macros)
    if "profile" in suites:
        yield from (kernels.convolution(kind, abs(k), abs(k), **macros) for kind, k, _, macros in PROFILE)


def sources(suites):
    """Returns all kernels to compile."""
    yield HELPERS
    if "copies" in suites:
        yield from map(copy_source, copy_variants())
    yield from map(kernels.printed, requests(suites))


PROFILE = [
    ("direct", 3, 0, dict(WARPS=8, ROWS=4, BLOCKS=5)),
    ("tile", 15, 0, dict(WARPS=4, ROWS=8, BLOCKS=5, PAIR=2)),
    ("tile", 31, 0, dict(WARPS=8, ROWS=4, BLOCKS=4, PAIR=2)),
    ("march", 5, 84, dict(ROWS=2, BLOCKS=16, DEPTH=3, SEPARABLE=0)),
    ("march", 9, 64, dict(ROWS=2, BLOCKS=16, DEPTH=3, SEPARABLE=0)),
    ("march", -31, 126, dict(ROWS=3, BLOCKS=8, DEPTH=3, SEPARABLE=1)),
]


class Bench:
    def __init__(self):
        from driver import Gpu
        self.gpu = gpu = Gpu()
        helpers = kernels.compile_cubin(HELPERS)
        self.helper = {n: gpu.function(helpers, n) for n in
                       ("fill_random", "spin", "empty", "read_only", "copy", "fma_rate",
                        "convolve_reference", "largest_difference")}
        gpu.hold = lambda ns: gpu.launch(self.helper["spin"], 1, 1, [c_ulonglong(ns)])
        self.pool = gpu.alloc(4 * POOL + 256)
        self.out = gpu.alloc(4 * POOL // 2)
        self.workspace = gpu.alloc(1 << 20)
        self.result = gpu.alloc(256)
        gpu.zero(self.workspace, 1 << 20)
        gpu.launch(self.helper["fill_random"], 2048, 256,
                   [c_ulonglong(self.pool), c_ulonglong(POOL + 64), c_int(7)])
        gpu.sync()
        self.cursor = 0
        self.log = open(OUT / "results.jsonl", "a")
        self.warm()

    def warm(self):
        out = c_ulonglong(self.result)
        for _ in range(40):
            self.gpu.launch(self.helper["fma_rate"], 132 * 4, 512,
                            [out, c_float(0.999), c_float(0.001), c_int(200)])
        self.gpu.sync()

    def note(self, **record):
        self.log.write(json.dumps(record) + "\n")
        self.log.flush()

    def input(self, floats):
        """Returns the next piece of the random pool."""
        step = (floats + 1023) // 1024 * 1024
        if self.cursor + step > POOL:
            self.cursor = 0
        at = self.pool + 4 * self.cursor
        self.cursor += step
        return at

    # ceilings

    def ceilings(self):
        gpu, helper = self.gpu, self.helper
        count = c_ulonglong(POOL // 4)
        best = {}
        for grid, block in itertools.product([132, 264, 528, 1056], [256, 512, 1024]):
            us = gpu.median(lambda i: gpu.launch(helper["read_only"], grid, block, [
                c_ulonglong(self.pool), c_ulonglong(self.result), count]), 7)
            best["read GB/s"] = max(best.get("read GB/s", 0), 4 * POOL / us / 1e3)
        half = POOL // 2
        us = gpu.median(lambda i: gpu.copy(self.out, self.pool, 4 * half), 7)
        best["copy (driver) GB/s"] = 8 * half / us / 1e3
        us = gpu.median(lambda i: gpu.copy(self.out, self.input(1 << 24), 4 << 24), 9)
        best["copy 64 MiB (driver) GB/s"] = (8 << 24) / us / 1e3
        for grid in [264, 528, 1056, 4096]:
            us = gpu.median(lambda i: gpu.launch(helper["copy"], grid, 512, [
                c_ulonglong(self.pool), c_ulonglong(self.out), c_ulonglong(half // 4)]), 7)
            best["copy (kernel) GB/s"] = max(best.get("copy (kernel) GB/s", 0), 8 * half / us / 1e3)
        us = gpu.median(lambda i: gpu.launch(helper["fma_rate"], 132 * 4, 512, [
            c_ulonglong(self.result), c_float(0.999), c_float(0.001), c_int(400)]), 9)
        best["FMA T/s"] = 132 * 4 * 512 * 400 * 1024 / us / 1e6
        best["empty launch us"] = gpu.median(lambda i: gpu.launch(helper["empty"], 1, 32, []), 31)
        best["no launch us"] = gpu.median(lambda i: None, 31)
        self.best = best
        self.note(suite="ceilings", **best)
        for name, value in best.items():
            print(f"  {name:28} {value:10.2f}")

    def copies(self):
        gpu, n, rows = self.gpu, IMAGE, []
        for macros in copy_variants():
            function = gpu.function(kernels.compile_cubin(copy_source(macros)), "copy_pattern")
            grid = n * n // 4 // (macros["THREADS"] * macros["PER"])
            us = gpu.median(lambda i: gpu.launch(function, grid, macros["THREADS"], [
                c_ulonglong(self.input(n * n)), c_ulonglong(self.out + 4 * n * n * (i % 4)),
                c_int(n), c_int(n)]), 11)
            rows.append((us, macros))
            self.note(suite="copies", image=n, us=us, **macros)
        us = gpu.median(lambda i: gpu.copy(self.out + 4 * n * n * (i % 4), self.input(n * n),
                                           4 * n * n), 11)
        print(f"  driver's copy {us:.2f} us")
        rows.sort(key=lambda r: r[0])
        for us, macros in rows[:12] + rows[-3:]:
            print(f"  copy {n}^2 {us:8.2f} us {macros}")

    # sum

    def reducer(self, **variant):
        path = kernels.compile_cubin(kernels.printed(kernels.reduction(**variant)))
        return self.gpu.function(path, "total")

    def reduce(self, function, threads, grid, at, count, size=4):
        """Launches a reduction of `count` elements of `size` bytes from the address `at`."""
        head = min(-at % 16 // size, count)
        words = (c_ulonglong * 3)(count, at + head * size, self.result)
        self.gpu.launch(function, grid, threads, [words, (c_ulonglong * 2)(head, self.workspace)])

    def sum(self):
        gpu = self.gpu
        variants = [(v, self.reducer(**v)) for v in sum_variants()]
        for count in SUM_SIZES:
            rows = []
            repeats = 31 if count <= 1 << 22 else 15 if count < 1 << 29 else 5
            for variant, function in variants:
                threads = variant["threads"]
                resident = gpu.occupancy(function, threads, 0) * gpu.multiprocessors
                whole = up(count // 4, threads * variant["unroll"])
                grids = {min(resident, whole)}
                if whole > 132:
                    most = whole if variant["pieces"] else min(whole, resident)
                    grids |= {132 * m for m in (1, 2, 3, 4, 8) if 132 * m <= most}
                elif whole > 8:
                    grids |= {up(whole, 2)}
                for grid in grids:
                    us = gpu.median(lambda i: self.reduce(function, threads, grid,
                                                          self.input(count), count), repeats)
                    rows.append((us, grid, variant))
                    self.note(suite="sum", count=count, us=us, grid=grid, **variant)
            rows.sort(key=lambda r: r[0])
            for us, grid, variant in rows[:4]:
                print(f"  sum {count:>11} {us:9.2f} us {4 * count / us / 1e3:7.0f} GB/s"
                      f" grid {grid:5} {variant}")

    # convolution

    def convolver(self, kind, kw, kh, common=None, **macros):
        kernel = kernels.printed(kernels.convolution(kind, kw, kh, **(common or {}), **macros))
        path = kernels.compile_cubin(kernel)
        return self.gpu.function(path, kernel.entry, kernel.shared), kernel

    def convolve(self, function, kernel, macros, rows, at, out, size, pitch, weights):
        """`rows`: rows per piece, for the march kernel."""
        width, height = size
        rows = macros["WARPS"] * macros["ROWS"] if "WARPS" in macros else rows
        geometry = Geometry(in_pitch=pitch, out_pitch=pitch, in_width=width, in_height=height,
                            out_width=width, out_height=height, across=up(width, 128),
                            down=up(height, rows), rows=rows, images=1)
        self.gpu.launch(function, geometry.across * geometry.down, kernel.threads,
                        [c_ulonglong(at), c_ulonglong(out), geometry, weights], kernel.shared)

    def sweep(self, kind, sizes, variants, rows_of):
        gpu, n = self.gpu, IMAGE
        for k in sizes:
            two_passes, key, k = k < 0, k, abs(k)
            weights = parameter(weights_of(2 * k)) if two_passes else parameter(weights_of(k * k), k)
            table, failed = [], 0
            for macros in variants(key):
                function, kernel = self.convolver(kind, k, k, **macros)
                resident = gpu.occupancy(function, kernel.threads, kernel.shared)
                if resident == 0:
                    failed += 1
                    continue
                for rows in rows_of(k, macros, resident):
                    us = gpu.median(lambda i: self.convolve(
                        function, kernel, macros, rows, self.input(n * n),
                        self.out + 4 * n * n * (i % 4), (n, n), n, weights), 9)
                    table.append((us, rows, resident, macros))
                    self.note(suite=kind, k=k, image=n, us=us, rows=rows, resident=resident, **macros)
            table.sort(key=lambda r: r[0])
            work = 2 * k if two_passes else k * k
            for us, rows, resident, macros in table[:5]:
                print(f"  {kind} {n}^2 K={k:2} {us:8.2f} us {8 * n * n / us / 1e3:6.0f} GB/s"
                      f" {n * n * work / us / 1e6:6.2f} TFMA/s rows {rows} x{resident} {macros}")
            if failed:
                print(f"  ({failed} variants of K={k} do not fit)")

    def direct(self):
        self.sweep("direct", DIRECT_K, direct_variants, lambda k, m, r: [0])

    def march(self):
        def rows_of(k, macros, resident):
            across = up(IMAGE, 128)
            each = {w for w in (6, 8, 10, 12, 16, 20) if w <= resident}
            downs = {max(1, 132 * w // across) for w in each}
            step = macros["ROWS"]
            return {up(up(IMAGE, down), step) * step for down in downs}
        self.sweep("march", MARCH_K, march_variants, rows_of)

    def tile(self):
        self.sweep("tile", TILE_K, tile_variants, lambda k, m, r: [0])

    def profile(self):
        """Makes a few launches for a profiler: ncu -k regex:convolve python3 tune.py run profile"""
        for kind, k, rows, macros in PROFILE:
            two_passes, k = k < 0, abs(k)
            function, kernel = self.convolver(kind, k, k, **macros)
            weights = parameter(weights_of(2 * k)) if two_passes else parameter(weights_of(k * k), k)
            self.convolve(function, kernel, macros, rows, self.input(IMAGE * IMAGE), self.out,
                          (IMAGE, IMAGE), IMAGE, weights)
            self.gpu.sync()
            print(kind, k, rows, macros)

    def correct(self):
        import numpy as np
        gpu = self.gpu
        device_weights = gpu.alloc(1 << 16)
        worst, cases = {}, 0
        for kind, kw, kh, common, macros in correct_cases():
            function, kernel = self.convolver(kind, kw, kh, common, **macros)
            for width, height in [(517, 301), (16, 9), (1, 1), (700, 70)]:
                pitch = up(width, 4) * 4 + 4 if common["aligned"] else width + 3
                at = self.pool + (0 if common["aligned"] else 4)
                out, reference = self.out + (0 if common["aligned"] else 8), self.out + (1 << 24)
                if macros.get("SEPARABLE"):
                    weights = weights_of(kw + kh)
                    full = [weights[i] * weights[kw + j] for j in range(kh) for i in range(kw)]
                    weights = parameter(weights)
                else:
                    full = weights_of(kw * kh)
                    weights = parameter(full, kw)
                gpu.upload(device_weights, np.array(full, dtype=np.float32))
                gpu.zero(self.out, 1 << 22, 0xFF)
                rows = 36  # a multiple of every ROWS of the march suite
                self.convolve(function, kernel, macros, rows, at, out, (width, height), pitch,
                              weights)
                gpu.launch(self.helper["convolve_reference"], (up(width, 128), 256, 1), 128, [
                    c_ulonglong(at), c_ulonglong(reference), c_ulonglong(device_weights), c_int(kw),
                    c_int(kh), c_int((kw - 1) // 2), c_int((kh - 1) // 2), c_int(common["border"]),
                    c_int(width), c_int(height), c_longlong(pitch), c_int(width), c_int(height),
                    c_longlong(pitch)])
                gpu.zero(self.result, 4)
                gpu.launch(self.helper["largest_difference"], (4, 64, 1), 128, [
                    c_ulonglong(out), c_ulonglong(reference), c_int(width), c_int(height),
                    c_longlong(pitch), c_longlong(pitch), c_ulonglong(self.result)])
                difference = gpu.download(np.zeros(1, np.float32), self.result)[0]
                relative = difference / sum(abs(w) for w in full)
                cases += 1
                if not relative < 2e-6:
                    print(f"  WRONG {kind} {kw}x{kh} {common} {width}x{height}: {relative}")
                key = (kind + " separable" * macros.get("SEPARABLE", 0), kw)
                worst[key] = max(worst.get(key, 0), relative)
        print(f"  {cases} convolution cases; worst error over sum |w|: "
              + ", ".join(f"{k[0]} {k[1]}: {v:.1e}" for k, v in worst.items()))
        self.correct_sums()

    def correct_sums(self):
        import numpy as np
        gpu, wrong, cases = self.gpu, 0, 0
        host = gpu.download(np.zeros((1 << 22) + 64, np.float32), self.pool)
        for element, accumulator, stored, dtype in SUMS:
            view = host.view(stored)
            functions = [self.reducer(element=element, accumulator=accumulator, pieces=pieces)
                         for pieces in (0, 1)]
            limit = len(view) - 16
            for count in [0, 1, 2, 3, 5, 31, 1023, 2049, 65537, limit - 3, limit]:
                for offset in range(0, 16 // view.itemsize):
                    for grid, pieces in itertools.product((1, 7, 264), (0, 1)):
                        function = functions[pieces]
                        piece = view[offset:offset + count]
                        self.reduce(function, 512, grid, self.pool + offset * view.itemsize, count,
                                    view.itemsize)
                        got = gpu.download(np.zeros(1, dtype), self.result)[0]
                        if element in ("i32", "u64"):
                            want, bound = piece.sum(dtype=dtype), 0
                        else:
                            if element == "bf16":
                                piece = (piece.astype(np.uint32) << 16).view(np.float32)
                            with np.errstate(all="ignore"):
                                want = np.sum(piece, dtype=np.float64)
                                bound = (np.sum(np.abs(piece), dtype=np.float64)
                                         * (1e-6 if dtype == "f4" else 1e-14))
                        cases += 1
                        ok = got == want or abs(float(got) - float(want)) <= bound \
                            or not np.isfinite(bound)
                        if not ok:
                            wrong += 1
                            if wrong < 8:
                                print("  WRONG sum", element, count, offset, grid, got, want)
        print(f"  {cases} sums, {wrong} wrong")

    # peers

    def peers(self):
        gpu = self.gpu
        cub = ctypes.CDLL(str(os.environ.get("CUB_PEER", kernels.HERE / "libcub_peer.so")))
        temporary, size = gpu.alloc(1 << 24), ctypes.c_size_t(1 << 24)
        for entry, length in [("cub_sum_f32", c_longlong), ("cub_sum_f32_32", c_int)]:
            function = getattr(cub, entry)
            for count in SUM_SIZES:
                repeats = 31 if count <= 1 << 22 else 15 if count < 1 << 29 else 5
                us = gpu.median(lambda i: function(
                    c_void_p(self.input(count)), c_void_p(self.result), length(count),
                    c_void_p(temporary), size, gpu.stream), repeats)
                self.note(suite="peers", what=entry, count=count, us=us)
                print(f"  {entry:15} {count:>11} {us:9.2f} us {4 * count / us / 1e3:7.0f} GB/s")
        self.npp()

    def npp(self):
        path = kernels.find(["lib64/libnppif.so.13", "lib/libnppif.so.13", "lib64/libnppif.so*"])
        if not path:
            print("  NPP: not found")
            return
        core = kernels.find(["lib64/libnppc.so.13", "lib/libnppc.so.13"])
        if core:
            ctypes.CDLL(core, mode=ctypes.RTLD_GLOBAL)
        npp, gpu, n = ctypes.CDLL(path), self.gpu, IMAGE

        class Context(ctypes.Structure):
            _fields_ = [("stream", c_void_p), ("device", c_int), ("multiprocessors", c_int),
                        ("threads_mp", c_int), ("threads_block", c_int),
                        ("shared", ctypes.c_size_t), ("major", c_int), ("minor", c_int),
                        ("flags", ctypes.c_uint), ("reserved", c_int)]

        class Size(ctypes.Structure):
            _fields_ = [("width", c_int), ("height", c_int)]

        context = Context(gpu.stream, 0, gpu.multiprocessors, 2048, 1024, 49152, 9, 0, 1, 0)
        coefficients = gpu.alloc(1 << 14)
        import numpy as np
        for k in TILE_K:
            gpu.upload(coefficients, np.array(weights_of(k * k), np.float32))
            call = npp.nppiFilterBorder_32f_C1R_Ctx
            status = []
            us = gpu.median(lambda i: status.append(call(
                c_void_p(self.input(n * n)), c_int(4 * n), Size(n, n), Size(0, 0),
                c_void_p(self.out), c_int(4 * n), Size(n, n), c_void_p(coefficients), Size(k, k),
                Size(k // 2, k // 2), c_int(2), context)), 9)
            self.note(suite="peers", what="nppiFilterBorder", k=k, image=n, us=us, status=status[0])
            print(f"  nppiFilterBorder {n}^2 K={k:2} {us:8.2f} us status {status[0]}")


def main():
    action, suites = sys.argv[1], sys.argv[2:] or SUITES
    if action == "sources":
        kernels.print_sources(dict.fromkeys(requests(suites)))
        return
    start = time.time()
    wanted = list(dict.fromkeys(sources(suites)))
    kernels.compile_all(wanted)
    print(f"{len(wanted)} kernels compiled in {time.time() - start:.1f} s", flush=True)
    if action == "prepare":
        return
    bench = Bench()
    print(bench.gpu.name(), bench.gpu.multiprocessors, "multiprocessors",
          f"ready after {time.time() - start:.1f} s", flush=True)
    for suite in suites:
        begin = time.time()
        try:
            getattr(bench, suite)()
        except Exception as error:
            print(f"  {suite} FAILED: {type(error).__name__}: {error}")
        print(f"-- {suite}: {time.time() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
