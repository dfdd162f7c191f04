"""Builds the kernels of ../src/kernels with NVRTC: the preambles and a parallel compiler.

Needs no GPU. `python3 kernels.py` prints registers, spills and the share of FMAs of a few builds
(cuobjdump must be on the path or in the active Python's nvidia wheels).
"""

import ctypes
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "src" / "kernels"
CACHE = Path(os.environ.get("TUNING_CACHE", HERE / "cubins"))

ELEMENTS = {
    # name: (element, accumulator, widening of an element)
    "f32": ("float", "float", "e"),
    "f32_f64": ("float", "double", "(double)e"),
    "f64": ("double", "double", "e"),
    "i32": ("int", "int", "e"),
    "u64": ("unsigned long long", "unsigned long long", "e"),
    "bf16": ("unsigned short", "float", "__uint_as_float((unsigned)e << 16)"),
}


def find(names):
    """First existing file among toolkit and wheel folders."""
    roots = [sysconfig.get_paths()["purelib"] + "/nvidia/cu13"]
    roots += glob.glob("/usr/local/cuda*") + [os.environ.get("CUDA_PATH", "")]
    for root in roots:
        for name in names:
            for hit in sorted(glob.glob(f"{root}/{name}")):
                return hit
    return shutil.which(names[0].split("/")[-1])


def nvrtc():
    path = find(["lib/libnvrtc.so.13", "lib64/libnvrtc.so.13", "lib64/libnvrtc.so"])
    builtins = find(["lib/libnvrtc-builtins.so.13*", "lib64/libnvrtc-builtins.so.13*"])
    if builtins:
        ctypes.CDLL(builtins, mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(path or "libnvrtc.so.13")


def reduce_source(element="f32", op="sum", threads=512, unroll=4, pieces=0, load=None):
    storage, accumulator, widen = ELEMENTS[element]
    lines = [f"typedef {storage} element;", f"typedef {accumulator} accumulator;"]
    inputs = 2 if op == "dot" else 1
    lines.append(f"#define INPUTS {inputs}")
    lines.append("#define IDENTITY 0")
    lines.append("__device__ __forceinline__ accumulator widen(element e) { return %s; }" % widen)
    if op == "dot":
        lines.append("#define map(x, y) (widen(x) * widen(y))")
    else:
        lines.append("#define map(x) widen(x)")
    lines.append("__device__ __forceinline__ accumulator combine(accumulator a, accumulator b) "
                 "{ return a + b; }")
    lines += [f"#define THREADS {threads}", f"#define UNROLL {unroll}",
              f"#define PIECES {pieces}"]
    if load:
        lines.append(f'#define LOAD "{load}"')
    return "\n".join(lines) + "\n" + (SOURCES / "reduce.cu").read_text()


def convolve_source(kind, kw, kh, border=0, aligned=1, same=True, **macros):
    pad_x, pad_y = ((kw - 1) // 2, (kh - 1) // 2) if same else (0, 0)
    macros = dict(KW=kw, KH=kh, PAD_X=pad_x, PAD_Y=pad_y, BORDER=border, ALIGNED=aligned, **macros)
    if macros.get("SEPARABLE"):
        macros["WEIGHTS"] = kw + kh
    lines = [f"#define {name} {value}" for name, value in macros.items()]
    return ("\n".join(lines) + "\n" + (SOURCES / "convolve_common.cuh").read_text()
            + (SOURCES / f"convolve_{kind}.cu").read_text())


def compile_cubin(source, library=None, ptx=False):
    """The file with machine code for sm_90, or with PTX, which the emulator takes."""
    kind, architecture = ("PTX", b"compute_90") if ptx else ("CUBIN", b"sm_90")
    key = hashlib.sha256(source.encode()).hexdigest()[:24]
    path = CACHE / f"{key}.{kind.lower()}"
    if path.exists():
        return path
    library = library or nvrtc()
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    options = [b"-arch=" + architecture, b"-std=c++17", b"-default-device"]
    array = (ctypes.c_char_p * len(options))(*options)
    status = library.nvrtcCompileProgram(program, len(options), array)
    if status:
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.value.decode())
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{kind}")(program, code)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    CACHE.mkdir(parents=True, exist_ok=True)
    path.write_bytes(code.raw.rstrip(b"\0") if ptx else code.raw)
    return path


def compile_all(sources):
    library = nvrtc()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda s: compile_cubin(s, library), sources))


def inspect(cubin):
    """Registers, local bytes, instructions, FFMA count of the only kernel of a cubin."""
    tool = find(["bin/cuobjdump"])
    usage = subprocess.run([tool, "-res-usage", str(cubin)], capture_output=True, text=True).stdout
    sass = subprocess.run([tool, "-sass", str(cubin)], capture_output=True, text=True).stdout
    registers = re.search(r"Function \w*(?:convolve|reduce)\w*:\s*\n?\s*REG:(\d+) STACK:(\d+)", usage)
    opcodes = re.findall(r"^\s+/\*[0-9a-f]{4,5}\*/\s+(?:@!?U?P\w+\s+)?([A-Z0-9_.]+)", sass, re.M)
    lines = re.findall(r"^\s+/\*([0-9a-f]{4,5})\*/\s+(.*?);", sass, re.M)
    loops = []
    for at, text in lines:
        jump = re.search(r"BRA .*?0x([0-9a-f]+)", text)
        if jump and int(jump[1], 16) < int(at, 16):
            body = [t for a, t in lines if int(jump[1], 16) <= int(a, 16) <= int(at, 16)]
            fma = sum("FFMA" in t or "FMUL" in t for t in body)
            if fma > 8:
                kinds = {}
                for t in body:
                    k = re.sub(r"@!?U?P\w+\s+", "", t).split()[0].split(".")[0]
                    kinds[k] = kinds.get(k, 0) + 1
                top = sorted(kinds.items(), key=lambda kv: -kv[1])[:9]
                loops.append(f"{fma}/{len(body)}={fma / len(body):.3f} {top}")
    count = lambda p: sum(bool(re.match(p, o)) for o in opcodes)
    return dict(regs=registers and registers.groups(), total=len(opcodes), ffma=count("FFMA|FMUL"),
                uldc=count("ULDC"), lds=count("LDS"), ldg=count("LDG"), local=count("LDL|STL"),
                mov=count("MOV|IMAD.MOV"), loops=loops)


if __name__ == "__main__":
    samples = {
        "reduce 512x4": reduce_source(),
        "tile 31": convolve_source("tile", 31, 31, WARPS=8, ROWS=4, PAIR=2, BLOCKS=4),
    }
    for k, rows, blocks, separable in [(5, 2, 16, 0), (7, 2, 16, 0), (9, 2, 16, 0), (9, 3, 16, 0),
                                       (11, 2, 16, 0), (15, 1, 16, 0), (15, 3, 8, 1), (31, 3, 8, 1)]:
        samples[f"march {k} r{rows}{' separable' * separable}"] = convolve_source(
            "march", k, k, ROWS=rows, BLOCKS=blocks, DEPTH=3, SEPARABLE=separable)
    chosen = {k: v for k, v in samples.items() if not sys.argv[1:] or sys.argv[1] in k}
    for name, cubin in zip(chosen, compile_all(chosen.values())):
        facts = inspect(cubin)
        print(f"{name:16}", {k: v for k, v in facts.items() if k != "loops"}, cubin.name)
        for loop in facts["loops"]:
            print("    loop", loop)
