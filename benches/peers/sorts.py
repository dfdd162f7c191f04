"""The work of the bench `sorts` by other libraries, under the same names.

PyTorch has no sort of unsigned 32-bit integers, and sorts signed ones. Its sorts also return the places.
"""

import ctypes
from ctypes import c_longlong, c_size_t, c_void_p

from arrays import EXPONENTS, device_us, measure_host, sizes

SIZES = [1 << 16, 1 << 20, 1 << 24, 1 << 27]
ROWS, COLUMNS = 1 << 14, 1 << 13
MATRIX = f"{sizes((ROWS,))} rows of {sizes((COLUMNS,))}"
LARGEST = 1 << 27
UNIQUE = f"unique of {sizes((LARGEST,))} u32 in order"
SEARCH = f"searchsorted of {sizes((LARGEST,))} in 2^16 f32"
# Bytes per element that the work reads and writes.
PLOTS = {"sort of u32": 8, "argsort of f32": 12, "100 largest of f32": 4}


def note(peers, by, work, call):
    peers.note(work=work, by=by, us=device_us(peers, call), note="device time")


def point(peers, by, plot, count, call):
    peers.note(plot=plot, elements=count, bytes=PLOTS[plot] * count, by=by, us=device_us(peers, call))


def pytorch(peers):
    import torch

    def bits(count, element=torch.int32):
        info = torch.iinfo(element)
        return torch.randint(info.min, info.max, (count,), dtype=element, device="cuda")

    with torch.cuda.stream(torch.cuda.ExternalStream(peers.gpu.stream.value)):
        for count in SIZES:
            name = sizes((count,))
            normal = torch.randn(count, device="cuda")
            for kind, keys in (("u32", bits(count)), ("f32", normal), ("u64", bits(count, torch.int64)),
                               ("u8", bits(count, torch.uint8))):
                note(peers, "PyTorch", f"sort of {name} {kind}", lambda: torch.sort(keys))
            note(peers, "PyTorch", f"argsort of {name} f32", lambda: torch.argsort(normal))
            note(peers, "PyTorch", f"100 largest of {name} f32", lambda: torch.topk(normal, 100))
            note(peers, "PyTorch", f"median of {name} f32", lambda: torch.median(normal))
            del keys, normal
            torch.cuda.empty_cache()
        matrix, normal = bits(ROWS * COLUMNS).view(ROWS, COLUMNS), torch.randn((ROWS, COLUMNS), device="cuda")
        note(peers, "PyTorch", f"sort of {MATRIX} u32", lambda: torch.sort(matrix, 1))
        note(peers, "PyTorch", f"10 largest of {MATRIX} f32", lambda: torch.topk(normal, 10, 1))
        del matrix
        table = torch.randn(1 << 16, device="cuda").sort().values
        note(peers, "PyTorch", SEARCH, lambda: torch.searchsorted(table, normal.view(-1)))
        ordered = bits(LARGEST).sort().values
        measure_host(peers, "PyTorch", UNIQUE, lambda: torch.unique_consecutive(ordered))
        del ordered, normal
        torch.cuda.empty_cache()
        for exponent in EXPONENTS:
            count = 1 << exponent
            keys, normal = bits(count), torch.randn(count, device="cuda")
            point(peers, "PyTorch", "sort of u32", count, lambda: torch.sort(keys))
            point(peers, "PyTorch", "argsort of f32", count, lambda: torch.argsort(normal))
            point(peers, "PyTorch", "100 largest of f32", count, lambda: torch.topk(normal, 100))
            del keys, normal
            torch.cuda.empty_cache()


def cupy(peers):
    import cupy

    def bits(count, element):
        info = cupy.iinfo(element)
        return cupy.random.randint(info.min, info.max, count, dtype=element)

    with cupy.cuda.ExternalStream(peers.gpu.stream.value):
        for count in SIZES:
            name = sizes((count,))
            normal = cupy.random.standard_normal(count, cupy.float32)
            for kind, keys in (("u32", bits(count, cupy.uint32)), ("f32", normal), ("u8", bits(count, cupy.uint8))):
                note(peers, "CuPy", f"sort of {name} {kind}", lambda: cupy.sort(keys))
            note(peers, "CuPy", f"argsort of {name} f32", lambda: cupy.argsort(normal))
            note(peers, "CuPy", f"median of {name} f32", lambda: cupy.median(normal))
            del keys, normal
        table = cupy.sort(cupy.random.standard_normal(1 << 16, cupy.float32))
        values = cupy.random.standard_normal(LARGEST, cupy.float32)
        note(peers, "CuPy", SEARCH, lambda: cupy.searchsorted(table, values))
        del values
        cupy.get_default_memory_pool().free_all_blocks()
        for exponent in EXPONENTS:
            count = 1 << exponent
            keys, normal = bits(count, cupy.uint32), cupy.random.standard_normal(count, cupy.float32)
            point(peers, "CuPy", "sort of u32", count, lambda: cupy.sort(keys))
            point(peers, "CuPy", "argsort of f32", count, lambda: cupy.argsort(normal))
            del keys, normal
        cupy.get_default_memory_pool().free_all_blocks()


def cub(peers, library):
    """CUB writes to existing memory. Its temporary memory exists beforehand, too."""
    gpu = peers.gpu
    room = (8 << 27) + (1 << 26)
    temporary, size = gpu.alloc(room), c_size_t(room)
    keys, out, items, small = gpu.alloc(8 << 27), gpu.alloc(4 << 28), gpu.alloc(4 << 27), gpu.alloc(256)
    peers.launch("fill_bytes", keys, 8 << 27)
    floats = peers.pool

    def run(name, *arguments):
        pointers = [x if isinstance(x, c_longlong) else c_void_p(x) for x in arguments]
        status = getattr(library, f"cub_{name}")(c_void_p(temporary), ctypes.byref(size), gpu.stream, *pointers)
        if status:
            raise RuntimeError(f"cub_{name}: CUDA runtime error {status}")

    for count in SIZES:
        name, n = sizes((count,)), c_longlong(count)
        for kind, source in (("u32", keys), ("f32", floats), ("u64", keys), ("u8", keys)):
            note(peers, "CUB", f"sort of {name} {kind}", lambda: run(f"sort_{kind}", source, out, n))
        note(peers, "CUB", f"sort of {name} u32 with u32", lambda: run("sort_pairs", keys, out, keys, items, n))
    rows, columns = c_longlong(ROWS), c_longlong(COLUMNS)
    note(peers, "CUB", f"sort of {MATRIX} u32", lambda: run("sort_rows", keys, out, rows, columns))
    ordered, found = out, ctypes.c_longlong()
    run("sort_u32", keys, ordered, c_longlong(LARGEST))

    def unique():
        run("unique", ordered, items, small, c_longlong(LARGEST))
        peers.read(found, small)
    measure_host(peers, "CUB", UNIQUE, unique)
    if not 0.97 < found.value / LARGEST <= 1:
        raise RuntimeError(f"CUB found {found.value} different keys of {LARGEST}")
    for exponent in EXPONENTS:
        count = 1 << exponent
        point(peers, "CUB", "sort of u32", count, lambda: run("sort_u32", keys, out, c_longlong(count)))
