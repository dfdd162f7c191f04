#!/usr/bin/env python3
"""Random programs of array operations, of the kind that users write, here and by PyTorch.

    programs.py --first 0 --count 300            on a GPU: times beside PyTorch's, eager and by torch.compile
    programs.py --count 300 --check --small      anywhere, also on the emulator: only results, beside NumPy

Each seed gives one program: inputs, operations and results, from one of the families below. The bench `programs` runs them all
in one process, which PROGRAMS_BENCH names, or which `cargo bench --bench programs` builds. The results of both sides are
compared with those of `f64`: by NumPy with --check, otherwise by PyTorch. The limit of a program is the larger one of its
bytes at the rate of a copy, and its special functions at the device's rate.
"""

import argparse
import collections
import csv
import functools
import json
import math
import multiprocessing
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i64": 8, "bool": 1}
# The distance from the result in f64, relative to the largest sample, that rounding may cause.
ERRORS = {"f16": 2e-2, "bf16": 1e-1, "f32": 2e-4, "f64": 1e-9, "i64": 0, "bool": 0}
# Functions that a GPU computes by its special function units, and the number of such operations.
SPECIAL = {"exp": 1, "log": 1, "sqrt": 1, "rsqrt": 1, "sin": 1, "cos": 1, "tanh": 2, "erf": 1, "sigmoid": 2, "silu": 2, "gelu": 1,
           "div": 1}


class Program:
    """Operations in order. A value has a name, a type and a shape."""

    def __init__(self, seed, family):
        self.name, self.family = f"{family}-{seed}", family
        self.lines, self.types, self.shapes, self.inputs, self.outputs = [], {}, {}, [], []
        self.special = 0

    def value(self, kind, shape, *words):
        name = f"v{len(self.lines)}"
        self.lines.append((name, *map(str, words)))
        self.types[name], self.shapes[name] = kind, tuple(shape)
        self.special += SPECIAL.get(str(words[0]), 0) * math.prod(shape)
        return name

    def input(self, kind, shape, bound=None):
        words = ["input", kind, joined(shape), len(self.lines)]
        name = self.value(kind, shape, *words, *([] if bound is None else [bound]))
        self.inputs.append(name)
        return name

    def function(self, name, x):
        return self.value(self.types[x], self.shapes[x], name, x)

    def scale(self, x, a, b):
        return self.value(self.types[x], self.shapes[x], "scale", x, a, b)

    def binary(self, name, x, y):
        kind = "bool" if name == "less" else self.types[x]
        return self.value(kind, broadcast(self.shapes[x], self.shapes[y]), name, x, y)

    def cast(self, x, kind):
        return self.value(kind, self.shapes[x], "cast", x, kind)

    def reduce(self, name, x, axes, keep):
        axes = sorted(axes)
        shape = [1 if axis in axes else length for axis, length in enumerate(self.shapes[x]) if keep or axis not in axes]
        kind = "i64" if name.startswith("arg") else self.types[x]
        return self.value(kind, shape, name, x, joined(axes), "keep" if keep else "drop")

    def permute(self, x, axes):
        return self.value(self.types[x], [self.shapes[x][axis] for axis in axes], "permute", x, joined(axes))

    def slice(self, x, axis, start, stop, step):
        shape = list(self.shapes[x])
        shape[axis] = len(range(start, stop, step))
        return self.value(self.types[x], shape, "slice", x, axis, start, stop, step)

    def bytes(self):
        """The bytes of all inputs, read once, and of the results."""
        return sum(math.prod(self.shapes[name]) * BYTES[self.types[name]] for name in self.inputs + self.outputs)

    def elements(self):
        return max(math.prod(shape) for shape in self.shapes.values())

    def text(self):
        lines = [" ".join(line) for line in self.lines]
        return "\n".join([f"program {self.name}", *lines, "out " + " ".join(self.outputs)]) + "\n"


def joined(numbers):
    return ",".join(map(str, numbers)) or "-"


def broadcast(one, other):
    rank = max(len(one), len(other))
    one, other = ((1,) * (rank - len(shape)) + tuple(shape) for shape in (one, other))
    return [b if a == 1 else a for a, b in zip(one, other)]


class Generator:
    """Draws the parts of a program."""

    def __init__(self, seed, largest):
        self.random, self.largest = random.Random(seed), largest

    def size(self, low=10):
        """A number of elements: a power of two or an awkward number near one."""
        count = 2 ** self.random.uniform(low, math.log2(self.largest))
        return 1 << round(math.log2(count)) if self.random.random() < 0.6 else max(1, int(count))

    def shape(self, rank, low=10):
        """Lengths whose product is about a drawn size."""
        total, lengths = self.size(low), []
        for left in range(rank, 1, -1):
            share = max(1, int(2 ** (math.log2(max(total, 1)) * self.random.uniform(0.15, 1.6) / left)))
            share = min(share, total)
            lengths.append(1 << round(math.log2(share)) if self.random.random() < 0.6 else share)
            total = max(1, total // lengths[-1])
        lengths.append(total)
        self.random.shuffle(lengths)
        return lengths

    def kind(self):
        return self.random.choices(["f32", "f16", "bf16", "f64"], [6, 2, 2, 1])[0]

    def tame(self, program, x):
        """A function that neither overflows nor loses accuracy for values around 1."""
        name = self.random.choice(["exp", "sin", "cos", "tanh", "sigmoid", "silu", "gelu", "relu", "abs", "square", "neg", "erf", "log",
                                   "sqrt", "rsqrt"])
        if name == "exp":
            return program.function("exp", program.function("tanh", x))
        if name in ("log", "sqrt", "rsqrt"):
            return program.function(name, program.scale(program.function("square", x), 1.0, 0.5))
        if name == "square":
            return program.function("square", program.function("sin", x))
        return program.function(name, x)

    def combine(self, program, x, y):
        name = self.random.choice(["add", "mul"] if x == y else ["add", "sub", "mul", "max", "min", "div"])
        if name == "div":
            y = program.scale(program.function("abs", y), 1.0, 1.0)
        return program.binary(name, x, y)

    def chain(self, program, values, length):
        """Operations on values of one type. Returns the last."""
        values = list(values)
        for _ in range(length):
            if self.random.random() < 0.5:
                values.append(self.tame(program, values[-1]))
            elif self.random.random() < 0.3:
                values.append(program.scale(values[-1], round(self.random.uniform(0.25, 1.5), 2), round(self.random.uniform(-1, 1), 2)))
            else:
                values.append(self.combine(program, values[-1], self.random.choice(values)))
        return values[-1]

    def wide(self, program, x):
        """Converts halves to f32, as users do before sums."""
        return program.cast(x, "f32") if program.types[x] in ("f16", "bf16") else x

    def axes(self, rank):
        count = self.random.randint(1, max(1, rank - 1))
        return self.random.sample(range(rank), count)


def elementwise(g, p):
    kind, shape = g.kind(), [g.size()]
    inputs = [p.input(kind, shape) for _ in range(g.random.randint(1, 4))]
    return [g.chain(p, inputs, g.random.randint(1, 10))]


def mixed_widths(g, p):
    shape = [g.size()]
    x, y = p.input(g.random.choice(["f16", "bf16"]), shape), p.input(g.random.choice(["f32", "f16", "bf16"]), shape)
    result = g.chain(p, [p.cast(x, "f32"), p.cast(y, "f32")], g.random.randint(1, 6))
    return [p.cast(result, g.random.choice(["f16", "bf16", "f32"]))]


def broadcasts(g, p):
    kind, rank = g.kind(), g.random.randint(2, 4)
    shape = g.shape(rank)
    parts = [p.input(kind, shape)]
    for _ in range(g.random.randint(1, 3)):
        parts.append(p.input(kind, [length if g.random.random() < 0.5 else 1 for length in shape]))
    return [g.chain(p, [g.combine(p, parts[0], part) for part in parts[1:]], g.random.randint(0, 5))]


def outer(g, p):
    """All pairs, reduced: the broadcast operands are read again for each result."""
    rows, columns = (max(1, int(g.size() ** 0.5)) for _ in range(2))
    x, y = p.input("f32", [rows, 1]), p.input("f32", [1, columns])
    pairs = g.chain(p, [p.binary(g.random.choice(["sub", "add", "mul"]), x, y)], g.random.randint(1, 4))
    return [p.reduce(g.random.choice(["sum", "max", "min"]), pairs, [g.random.choice([0, 1])], False)]


def distances(g, p):
    """Points in few dimensions against centres: a short inner sum, and a minimum or its place."""
    centres, dimensions = g.random.choice([3, 8, 16, 50]), g.random.choice([2, 3, 4, 8])
    points = g.size() // (centres * dimensions) + 1
    x, y = p.input("f32", [points, 1, dimensions]), p.input("f32", [1, centres, dimensions])
    squares = p.reduce("sum", p.function("square", p.binary("sub", x, y)), [2], False)
    return [p.reduce(g.random.choice(["argmin", "min", "sum"]), squares, [1], False)]


def reductions(g, p):
    kind, rank = g.kind(), g.random.randint(1, 4)
    shape = g.shape(rank) if rank > 1 else [g.size()]
    x = g.wide(p, p.input(kind, shape))
    values = g.chain(p, [x], g.random.randint(0, 3))
    name = g.random.choice(["sum", "mean", "max", "min", "var", "argmax"])
    axes = [g.random.randrange(rank)] if name == "argmax" else g.axes(rank)
    reduced = p.reduce(name, values, axes, False)
    return [reduced if name == "argmax" else g.chain(p, [reduced], g.random.randint(0, 2))]


def row_statistics(g, p):
    """Normalisations: statistics of rows inside element-wise code, with halves, and with scale and shift."""
    kind = g.kind()
    rows, columns = g.shape(2, 12)
    x = p.input(kind, [rows, columns])
    wide = g.wide(p, x)
    axis = 1 if g.random.random() < 0.8 else 0
    which = g.random.choice(["softmax", "layer", "rms", "standard"])
    if which == "softmax":
        powers = p.function("exp", p.binary("sub", wide, p.reduce("max", wide, [axis], True)))
        result = p.binary("div", powers, p.reduce("sum", powers, [axis], True))
    elif which == "rms":
        squares = p.reduce("mean", p.function("square", wide), [axis], True)
        result = p.binary("mul", wide, p.function("rsqrt", p.scale(squares, 1.0, 1e-5)))
    else:
        centred = p.binary("sub", wide, p.reduce("mean", wide, [axis], True))
        result = p.binary("mul", centred, p.function("rsqrt", p.scale(p.reduce("var", wide, [axis], True), 1.0, 1e-5)))
    if which != "softmax" and g.random.random() < 0.7:
        shape = [1, columns] if axis == 1 else [rows, 1]
        scale, shift = (g.wide(p, p.input(kind, shape)) for _ in range(2))
        result = p.binary("add", p.binary("mul", result, scale), shift)
    result = g.chain(p, [result], g.random.choice([0, 0, 1, 2]))
    return [p.cast(result, kind) if p.types[result] != kind else result]


def several_outputs(g, p):
    if g.random.random() < 0.5:
        kind, shape = g.kind(), [g.size()]
        x, y = p.input(kind, shape), p.input(kind, shape)
        common = g.chain(p, [x, y], g.random.randint(1, 3))
        return [g.chain(p, [common, x], g.random.randint(1, 3)), g.chain(p, [common, y], g.random.randint(1, 3))]
    x = g.wide(p, p.input(g.kind(), g.shape(2)))
    axis = g.random.randrange(2)
    return [p.reduce("mean", x, [axis], False), p.reduce("var", x, [axis], False)]


def transposed(g, p):
    """Operands that are permuted or have gaps, in element-wise code or under a reduction."""
    kind, rank = g.kind(), g.random.randint(2, 3)
    shape = g.shape(rank)
    order = list(range(rank))
    while order == sorted(order):
        g.random.shuffle(order)
    x = p.permute(p.input(kind, shape), order)
    if g.random.random() < 0.4:
        axis = g.random.randrange(rank)
        x = p.slice(x, axis, 0, p.shapes[x][axis], 2)
    y = p.input(kind, p.shapes[x])
    result = g.chain(p, [g.combine(p, x, y)], g.random.randint(0, 3))
    if g.random.random() < 0.5:
        return [result]
    return [p.reduce(g.random.choice(["sum", "max", "mean"]), g.wide(p, result), g.axes(rank), False)]


def stencils(g, p):
    """Sums of shifted parts in one to three dimensions."""
    rank = g.random.randint(1, 3)
    shape = [max(5, length) for length in (g.shape(rank) if rank > 1 else [g.size()])]
    x = p.input(g.random.choice(["f32", "f32", "f64", "f16"]), shape)

    def part(offsets):
        y = x
        for axis, offset in enumerate(offsets):
            y = p.slice(y, axis, 1 + offset, shape[axis] - 1 + offset, 1)
        return y

    total = p.scale(part([0] * rank), -2.0 * rank, 0.0)
    for axis in range(rank):
        for step in (-1, 1):
            total = p.binary("add", total, part([step if other == axis else 0 for other in range(rank)]))
    return [g.chain(p, [total], g.random.randint(0, 2))]


def nested_reductions(g, p):
    short = g.random.choice([2, 3, 4, 8, 16])
    rows, columns = g.shape(2)
    x = g.wide(p, p.input(g.kind(), [rows, max(1, columns // short), short]))
    inner = p.reduce(g.random.choice(["sum", "max", "mean"]), g.chain(p, [x], g.random.randint(0, 2)), [2], False)
    return [p.reduce(g.random.choice(["sum", "max", "min"]), g.chain(p, [inner], g.random.randint(0, 2)), [g.random.choice([0, 1])], False)]


def masks(g, p):
    kind, shape = g.kind(), [g.size()]
    x, y = p.input(kind, shape), p.input(kind, shape)
    chosen = p.value(kind, shape, "select", p.binary("less", x, y), g.chain(p, [x], 2), g.chain(p, [y], 1))
    return [p.reduce("sum", g.wide(p, chosen), [0], False) if g.random.random() < 0.5 else chosen]


def gathers(g, p):
    kind = g.kind()
    rows, columns = g.size(), g.random.choice([1, 4, 64, 256])
    rows = max(1, rows // columns)
    taken = max(1, rows // g.random.choice([1, 2, 4]))
    x, places = p.input(kind, [rows, columns]), p.input("i64", [taken], rows)
    result = p.value(kind, [taken, columns], "take", x, places, 0)
    return [g.chain(p, [result], g.random.randint(0, 3))]


def scatters(g, p):
    rows, columns = g.size(), g.random.choice([1, 4, 64, 256])
    rows = max(1, rows // columns)
    places = max(1, min(rows, g.random.choice([16, 1024, 1 << 16, rows // 2 + 1])))
    x, indices = p.input("f32", [rows, columns]), p.input("i64", [rows], places)
    return [p.value("f32", [places, columns], "index_add", g.chain(p, [x], g.random.randint(0, 2)), indices, places)]


def scans(g, p):
    rank = g.random.randint(1, 2)
    shape = g.shape(rank) if rank > 1 else [g.size()]
    x = p.input(g.random.choice(["f32", "f32", "f64"]), shape)
    axis = g.random.randrange(rank)
    # From 0 to 2 divided by the length, because sums of numbers that cancel have no digits to compare.
    x = p.scale(x, 1 / shape[axis], 1 / shape[axis])
    sums = p.value(p.types[x], shape, "cumsum", g.chain(p, [x], g.random.randint(0, 2)), axis)
    return [g.chain(p, [sums], g.random.randint(0, 2))]


FAMILIES = [elementwise, mixed_widths, broadcasts, outer, distances, reductions, row_statistics, several_outputs, transposed, stencils,
            nested_reductions, masks, gathers, scatters, scans]


def generate(seed, largest):
    g = Generator(seed, largest)
    family = FAMILIES[seed % len(FAMILIES)]
    program = Program(seed, family.__name__)
    program.outputs = family(g, program)
    return program


class Numpy:
    """The operations in f64, on the CPU."""

    def __init__(self):
        import numpy
        self.np = numpy

    def erf(self, x):
        return self.np.vectorize(math.erf, otypes=[float])(x) if x.size else x

    def numbers(self, count, seed):
        place = self.np.arange(count, dtype=self.np.uint64)
        return (place * self.np.uint64(2654435761) + self.np.uint64(seed * 40503)) & self.np.uint64(0xFFFFFFFF)

    def real(self, bits):
        return (bits >> self.np.uint64(8)).astype(self.np.float32) * self.np.float32(2 / (1 << 24)) - self.np.float32(1)

    def integer(self, bits, bound):
        return ((bits >> self.np.uint64(7)) % self.np.uint64(bound)).astype(self.np.int64)

    def cast(self, x, kind):
        # Rounds to the type, and goes on in f64. NumPy has no bf16.
        types = {"f16": self.np.float16, "f32": self.np.float32, "f64": self.np.float64, "i64": self.np.int64, "bool": bool}
        if kind == "bf16":
            bits = x.astype(self.np.float32).view(self.np.uint32).astype(self.np.uint64)
            bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype(self.np.uint32)
            return bits.view(self.np.float32).astype(self.np.float64)
        x = x.astype(types[kind])
        return x.astype(self.np.float64) if kind in ("f16", "f32") else x

    def reduce(self, name, x, axes, keep):
        if name.startswith("arg"):
            return getattr(self.np, name)(x, axis=axes[0], keepdims=keep)
        return getattr(self.np, name)(x, axis=tuple(axes), keepdims=keep)

    def function(self, name, x):
        np = self.np
        return {"abs": np.abs, "neg": np.negative, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
                "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "erf": self.erf, "square": np.square, "relu": lambda x: np.maximum(x, 0),
                "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "silu": lambda x: x / (1 + np.exp(-x)),
                "gelu": lambda x: 0.5 * x * (1 + self.erf(x * math.sqrt(0.5)))}[name](x)

    def binary(self, name, x, y):
        np = self.np
        return {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
                "less": np.less}[name](x, y)

    def select(self, condition, x, y):
        return self.np.where(condition, x, y)

    def cumsum(self, x, axis):
        return self.np.cumsum(x, axis)

    def permute(self, x, axes):
        return x.transpose(axes)

    def last(self, x, axis):
        return self.np.moveaxis(x, axis, -1)

    def take(self, x, places, axis):
        return self.np.take(x, places, axis)

    def index_add(self, x, places, length):
        sums = self.np.zeros((length, *x.shape[1:]), x.dtype)
        self.np.add.at(sums, places, x)
        return sums


class Torch:
    """The operations by PyTorch, in the program's types, or with `exact` in f64."""

    def __init__(self, exact=False):
        import torch
        self.torch, self.exact = torch, exact
        self.types = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "i64": torch.int64,
                      "bool": torch.bool}

    def numbers(self, count, seed):
        place = self.torch.arange(count, dtype=self.torch.int64, device="cuda")
        return (place * 2654435761 + seed * 40503) & 0xFFFFFFFF

    def real(self, bits):
        return (bits >> 8).to(self.torch.float32) * (2 / (1 << 24)) - 1

    def integer(self, bits, bound):
        return (bits >> 7) % bound

    def cast(self, x, kind):
        x = x.to(self.types[kind])
        return x.to(self.torch.float64) if self.exact and kind in ("f16", "bf16", "f32") else x

    def reduce(self, name, x, axes, keep):
        torch = self.torch
        if name in ("argmax", "argmin"):
            return getattr(torch, name)(x, axes[0], keepdim=keep)
        if name == "var":
            return torch.var(x, axes, correction=0, keepdim=keep)
        return {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin}[name](x, axes, keepdim=keep)

    def function(self, name, x):
        torch = self.torch
        return {"silu": torch.nn.functional.silu, "gelu": torch.nn.functional.gelu}.get(name, getattr(torch, name, None))(x)

    def binary(self, name, x, y):
        torch = self.torch
        return {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "max": torch.maximum, "min": torch.minimum,
                "less": torch.lt}[name](x, y)

    def select(self, condition, x, y):
        return self.torch.where(condition, x, y)

    def cumsum(self, x, axis):
        return self.torch.cumsum(x, axis)

    def permute(self, x, axes):
        return x.permute(axes)

    def last(self, x, axis):
        return x.movedim(axis, -1)

    def take(self, x, places, axis):
        return self.torch.index_select(x, axis, places)

    def index_add(self, x, places, length):
        return self.torch.zeros((length, *x.shape[1:]), dtype=x.dtype, device=x.device).index_add_(0, places, x)


def inputs(program, library):
    values = {}
    for name, *words in program.lines:
        if words[0] == "input":
            count = math.prod(program.shapes[name])
            bits = library.numbers(count, int(words[3]))
            value = library.real(bits) if len(words) == 4 else library.integer(bits, int(words[4]))
            values[name] = library.cast(value, words[1]).reshape(program.shapes[name])
    return values


def run(program, library, values, places=None, sums=None):
    """The results, by name also parts that the check needs: in `places` the values and the axis of a place, in `sums` the largest sum of
    absolute values at a place."""
    values = dict(values)
    numbers = lambda text: [] if text == "-" else [int(number) for number in text.split(",")]
    for name, operation, *words in program.lines:
        if operation == "input":
            continue
        x = values[words[0]]
        if operation == "scale":
            value = x * float(words[1]) + float(words[2])
        elif operation == "select":
            value = library.select(*(values[word] for word in words))
        elif operation == "cast":
            value = library.cast(x, words[1])
        elif operation == "cumsum":
            value = library.cumsum(x, int(words[1]))
        elif operation == "permute":
            value = library.permute(x, numbers(words[1]))
        elif operation == "slice":
            axis, start, stop, step = map(int, words[1:])
            value = x[(slice(None),) * axis + (slice(start, stop, step),)]
        elif operation in ("take", "index_add"):
            value = getattr(library, operation)(x, values[words[1]], int(words[2]))
            if operation == "index_add" and sums is not None:
                sums[name] = float(library.index_add(library.function("abs", x), values[words[1]], int(words[2])).max())
        elif words[-1] in ("keep", "drop"):
            if operation.startswith("arg") and places is not None:
                places[name] = x, int(words[1])
            value = library.reduce(operation, x, numbers(words[1]), words[-1] == "keep")
        elif len(words) == 2:
            value = library.binary(operation, x, values[words[1]])
        else:
            value = library.function(operation, x)
        values[name] = value
    return [values[name] for name in program.outputs]


def sampled(length):
    """The indices of the elements that the bench prints: 64 at equal distances."""
    count = min(64, length)
    return [i * length // count for i in range(count)]


def samples(value):
    flat = value.reshape(-1)
    return [float(flat[i]) for i in sampled(len(flat))]


def references(program, library, found):
    """The samples that the bench's results should equal, and the largest sum of absolute values of each result, or 0. Several values may
    be the largest or smallest up to rounding, so a found place is right if its value is."""
    places, sums = {}, {}
    wanted = [samples(value) for value in run(program, library, inputs(program, library), places, sums)]
    for name, own, right in zip(program.outputs, found, wanted):
        if name in places:
            x, axis = places[name]
            lanes = library.last(x, axis).reshape(-1, x.shape[axis])
            error = ERRORS[narrowest(program, None)]
            for i, (row, place) in enumerate(zip(sampled(len(lanes)), own)):
                if 0 <= place < lanes.shape[1]:
                    value, best = float(lanes[row][int(place)]), float(lanes[row][int(right[i])])
                    if abs(value - best) <= error * max(1e-3, abs(best)):
                        right[i] = place
    return {"wanted": wanted, "sums": [sums.get(name, 0.0) for name in program.outputs]}


def difference(found, wanted, kind, total):
    """The largest distance, relative to the largest sample and the rounding of the type. At most 1 is right. Sums at places whose absolute
    values add up to `total` also have the rounding errors of that."""
    found = [float(value) for value in found]
    if len(found) != len(wanted):
        return math.inf
    scale = max([1e-3, *(abs(value) for value in wanted if math.isfinite(value))])
    distance = 0.0
    for a, b in zip(found, wanted):
        if a != b and not (math.isnan(a) and math.isnan(b)):
            apart = max(0.0, abs(a - b) - total * 2**-22) / scale
            distance = max(distance, math.inf if math.isnan(apart) else apart)
    return distance / ERRORS[kind] if ERRORS[kind] else (0.0 if distance == 0 else math.inf)


def ours(programs):
    """The bench's results by name."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(program.text() for program in programs))
        file.flush()
        bench = os.environ.get("PROGRAMS_BENCH")
        command = [bench, "--bench"] if bench else ["cargo", "bench", "--bench", "programs"]
        if not bench and os.environ.get("CUDA_EMULATOR") == "1":
            command += ["--features", "emulator"]
        done = subprocess.run(command, env={**os.environ, "PROGRAMS": file.name}, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode:
        print(f"the bench ended with {done.returncode} after {len(rows)} of {len(programs)} programs", file=sys.stderr)
    return {row["program"]: row for row in rows}


def device_us(torch, call, repeats=15):
    """The median device time of a call, with the queue filled while the device waits."""
    call()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        torch.cuda._sleep(400_000)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times)


def compiled_by_torch(program):
    import torch
    torch._dynamo.reset()
    library = Torch()
    return torch.compile(lambda values: run(program, library, values), dynamic=False)


def warm(job):
    """Compiles a program in a process of its own, so that PyTorch finds it in its cache later."""
    seed, largest = job
    import torch
    program = generate(seed, largest)
    try:
        compiled_by_torch(program)(inputs(program, Torch()))
    except Exception:
        pass  # `peers` reports it
    torch.cuda.empty_cache()


def peers(program, found):
    """PyTorch's times, and the samples in f64 that `found` should equal."""
    import torch
    exact, library = Torch(exact=True), Torch()
    row = references(program, exact, found)
    torch.cuda.empty_cache()
    values = inputs(program, library)
    compiled = compiled_by_torch(program)
    for name, call in (("eager", lambda: run(program, library, values)), ("compiled", lambda: compiled(values))):
        try:
            row[name] = device_us(torch, call)
        except Exception as error:
            row[name + "_error"] = f"{type(error).__name__}: {error}"[:200]
    return row


def copy_rate(torch):
    """Bytes per microsecond of a copy, reads and writes."""
    x, y = (torch.empty(1 << 28, dtype=torch.float32, device="cuda") for _ in range(2))
    return 2 * 4 * (1 << 28) / device_us(torch, lambda: y.copy_(x))


def special_rate(torch):
    """Special functions per microsecond, as a compiled chain of them reaches."""
    x = torch.rand(1 << 22, device="cuda")
    loop = torch.compile(lambda x: functools.reduce(lambda y, _: torch.exp2(-y), range(64), x))
    return 64 * len(x) / device_us(torch, lambda: loop(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--check", action="store_true", help="compare results with NumPy, and measure nothing")
    parser.add_argument("--small", action="store_true", help="at most 2^12 elements instead of 2^28")
    parser.add_argument("--worst", type=int, default=20, help="the number of programs to print")
    parser.add_argument("--workers", type=int, default=1, help="processes in which PyTorch compiles beforehand")
    parser.add_argument("--out", help="write all rows to this file as JSON lines")
    args = parser.parse_args()
    largest = 1 << 12 if args.small else 1 << 28
    programs = [generate(seed, largest) for seed in range(args.first, args.first + args.count)]
    rows, wrong, results = ours(programs), 0, []
    if not args.check:
        if args.workers > 1:
            jobs = [(seed, largest) for seed in range(args.first, args.first + args.count)]
            with multiprocessing.get_context("spawn").Pool(args.workers, maxtasksperchild=30) as pool:
                pool.map(warm, jobs, chunksize=1)
        import torch
        copy, special = copy_rate(torch), special_rate(torch)
    for program in programs:
        row = rows.get(program.name, {"error": "no result"})
        if args.check:
            library = Numpy()
            row.update(references(program, library, row.get("samples", [])))
        else:
            row.update(peers(program, row.get("samples", [])), bytes=program.bytes(), elements=program.elements(), family=program.family,
                       limit=max(program.bytes() / copy, program.special / special))
        if "error" not in row:
            parts = zip(row["samples"], row["wanted"], program.outputs, row["sums"])
            row["difference"] = max(difference(found, wanted, narrowest(program, name), total) for found, wanted, name, total in parts)
        if "error" in row or row["difference"] > 1:
            wrong += 1
            print(f"WRONG {program.name}: {row.get('error', row.get('difference'))}\n{program.text()}")
        results.append(row)
    if args.out:
        with open(args.out, "w") as file:
            for program, row in zip(programs, results):
                file.write(json.dumps({**row, "text": program.text()}) + "\n")
    if not args.check:
        report(programs, results, args.worst)
    print(f"{len(programs)} programs, seeds {args.first} to {args.first + args.count - 1}, {wrong} with wrong results")
    sys.exit(wrong > 0)


def narrowest(program, name):
    """The narrowest type on the way to a result, whose rounding the result may have. Without a name, it is that of all floats."""
    if name is not None and program.types[name] in ("i64", "bool"):
        return program.types[name]
    kinds = [kind for kind in program.types.values() if kind not in ("i64", "bool")]
    return max(kinds, key=ERRORS.get)


def kernels(program):
    """The kernels that a program launches, by Nsight Compute, with their microseconds and the megabytes of memory traffic."""
    bench, ncu = os.environ.get("PROGRAMS_BENCH"), shutil.which("ncu")
    if not bench or not ncu:
        return "unknown: needs PROGRAMS_BENCH and ncu"
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(program.text())
        file.flush()
        done = subprocess.run(
            [ncu, "--csv", "--print-units", "base", "--profile-from-start", "off", "--clock-control", "none", "--metrics",
             "gpu__time_duration.sum,dram__bytes.sum", bench, "--bench"], capture_output=True, text=True, cwd=ROOT,
            env={**os.environ, "PROGRAMS": file.name, "PROGRAMS_PROFILE": "1"})
    if done.returncode:
        return f"unknown: ncu ended with {done.returncode}: {(done.stderr or done.stdout)[-200:]}"
    lines = done.stdout.splitlines()
    begin = next((at for at, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    found = collections.defaultdict(dict)
    for row in csv.DictReader(lines[begin:]):
        found[row["ID"], row["Kernel Name"].split("(")[0]][row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return ", ".join(f"{name} {values['gpu__time_duration.sum'] / 1e3:.1f} us {values['dram__bytes.sum'] / 1e6:.1f} MB"
                     for (_, name), values in found.items())


def report(programs, results, worst):
    """Prints the worst ratios of the best peer's time to ours, and their distribution."""
    ratios = []
    for program, row in zip(programs, results):
        best = min((row[name] for name in ("eager", "compiled") if name in row), default=None)
        if "us" in row and best:
            ratios.append((best / row["us"], best, program, row))
    ratios.sort(key=lambda entry: entry[0])
    print(f"{'program':24} {'elements':>10} {'here':>9} {'peer':>9} {'limit':>9} {'ratio':>6} {'host':>6}  kernels")
    for ratio, best, program, row in ratios[:worst]:
        print(f"{program.name:24} {program.elements():10} {row['us']:9.1f} {best:9.1f} {row['limit']:9.1f} {ratio:6.2f} "
              f"{row['host_us']:6.1f}  {kernels(program)}")
    only = [entry[0] for entry in ratios]
    large = [entry[0] for entry in ratios if entry[2].elements() >= 1 << 20]
    bound = [entry[3]["limit"] / entry[3]["us"] for entry in ratios if entry[2].elements() >= 1 << 24]
    print(f"ratio: median {statistics.median(only):.2f}, slowest {only[0]:.2f}; from 2^20 elements: slowest {min(large, default=0):.2f}")
    print(f"limit / time from 2^24 elements: median {statistics.median(bound or [0]):.2f}")
    first = [row["first_us"] / 1e3 for row in results if "first_us" in row]
    print(f"first call with compilation: median {statistics.median(first):.0f} ms")
    by_family = collections.defaultdict(list)
    for ratio, _, program, _ in ratios:
        by_family[program.family].append(ratio)
    for family, values in sorted(by_family.items(), key=lambda item: statistics.median(item[1])):
        print(f"  {family:20} median {statistics.median(values):5.2f}, slowest {min(values):5.2f}, {len(values)} programs")


if __name__ == "__main__":
    main()
