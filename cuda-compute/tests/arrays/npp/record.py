#!/usr/bin/env python3
"""Writes recorded.bin: what NPP computes of small images, for ../npp.rs to compare with.

    python3 record.py PATH    # on a machine with a GPU, CUDA 13's NPP and CuPy

The images' pixels and the filters' weights are numbers that both sides make; weights are multiples of 1/16 and pixels
small, so that every sum is exact in single precision, whatever its order.
"""

import ctypes
import sys
from ctypes import c_int, c_void_p

import cupy
import numpy

WIDTH, HEIGHT = 37, 29
FILTERS = [(3, 3), (5, 5), (7, 3)]


class Context(ctypes.Structure):
    _fields_ = [("stream", c_void_p), ("device", c_int), ("multiprocessors", c_int), ("threads_mp", c_int),
                ("threads_block", c_int), ("shared", ctypes.c_size_t), ("major", c_int), ("minor", c_int),
                ("flags", ctypes.c_uint), ("reserved", c_int)]


class Size(ctypes.Structure):
    _fields_ = [("width", c_int), ("height", c_int)]


def pixels(channels, dtype):
    y, x, c = numpy.meshgrid(numpy.arange(HEIGHT), numpy.arange(WIDTH), numpy.arange(channels), indexing="ij")
    value = (y * 131 + x * 57 + c * 29) ** 2
    if dtype == numpy.uint16:
        return (value * 40503 >> 7).astype(dtype)
    return ((value >> 3) % 256 / (16 if dtype == numpy.float32 else 1)).astype(dtype)


def weights(width, height):
    i = numpy.arange(width * height)
    return (((i * 7 + 3) % 11 - 4) / 16).astype(numpy.float32)


def main():
    ctypes.CDLL("libnppc.so.13", mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL("libnppif.so.13")
    context = Context(None, 0, 132, 2048, 1024, 49152, 9, 0, 1, 0)
    results = b""

    def filtered(image, channels, name, width, height):
        source, result, filter = cupy.asarray(image), cupy.zeros(image.shape, image.dtype), cupy.asarray(weights(width, height))
        step, size = WIDTH * channels * image.itemsize, Size(WIDTH, HEIGHT)
        status = getattr(library, f"nppiFilterBorder{name}_C{channels}R_Ctx")(
            c_void_p(source.data.ptr), c_int(step), size, Size(0, 0), c_void_p(result.data.ptr), c_int(step), size,
            c_void_p(filter.data.ptr), Size(width, height), Size(width // 2, height // 2), c_int(2), context)
        if status:
            sys.exit(f"NPP status {status}")
        return result.get().tobytes()

    for dtype, name in ((numpy.uint8, "32f_8u"), (numpy.uint16, "32f_16u")):
        for channels in (1, 3, 4):
            for size in FILTERS:
                results += filtered(pixels(channels, dtype), channels, name, *size)
    results += filtered(pixels(3, numpy.float32), 3, "_32f", 5, 5)
    with open(sys.argv[1], "wb") as file:
        file.write(results)


if __name__ == "__main__":
    main()
