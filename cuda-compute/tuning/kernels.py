"""Builds the kernels with NVRTC from the sources that the library prints, several at a time.

The sources are those of the library itself: `python3 tune.py sources SUITE...` runs cuda-compute's
example kernel_sources, which prints them into sources/. Copy that folder to a machine without Rust.

Needs no GPU. `python3 kernels.py` prints registers, spills and the share of FMAs of a few builds.
For that, cuobjdump must be on the path or in the active Python's nvidia wheels.
"""

import ctypes
import functools
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SOURCES = Path(os.environ.get("TUNING_SOURCES", HERE / "sources"))
CACHE = Path(os.environ.get("TUNING_CACHE", HERE / "cubins"))


class Kernel(NamedTuple):
    """A kernel to compile, and the parameters of its launch."""
    text: str
    name: str = "kernel.cu"
    defines: tuple = ()  # of (name, value)
    headers: tuple = ()  # of (name, text)
    entry: str = ""
    threads: int = 0
    shared: int = 0

    def key(self):
        parts = json.dumps([self.text, self.defines, self.headers])
        return hashlib.sha256(parts.encode()).hexdigest()[:24]


def request(*words, **numbers):
    """Returns the request for a kernel, as cuda-compute/src/tuning.rs parses it."""
    return " ".join([*words, *(f"{name}={value}" for name, value in numbers.items())])


def reduction(element="f32", accumulator="", operation="sum", threads=512, unroll=4, pieces=0):
    words = ["reduce", operation, element] + [accumulator] * bool(accumulator)
    return request(*words, threads=threads, unroll=unroll, pieces=pieces)


def convolution(kind, kw, kh, border=0, aligned=1, **macros):
    numbers = {name.lower(): value for name, value in macros.items()}
    return request("convolve", kind, f"{kw}x{kh}", border=border, aligned=aligned, **numbers)


def print_sources(requests):
    """Runs the library's example, which prints the sources."""
    command = [os.environ.get("CARGO", "cargo"), "run", "--quiet", "--locked", "--package", "cuda-compute",
               "--example", "kernel_sources", "--", "--into", str(SOURCES)]
    shutil.rmtree(SOURCES, ignore_errors=True)
    subprocess.run(command, input="".join(f"{line}\n" for line in requests), text=True, check=True,
                   cwd=HERE.parent.parent)
    manifest.cache_clear()


@functools.cache
def manifest():
    path = SOURCES / "manifest.json"
    if not path.exists():
        sys.exit(f"{path} is missing: run `python3 tune.py sources SUITE...` on a machine with Rust, and copy sources/")
    return json.loads(path.read_text())


@functools.cache
def read(file):
    return (SOURCES / file).read_text()


def printed(line):
    """Returns the kernel for a request whose sources were printed."""
    if line not in manifest():
        sys.exit(f"{SOURCES} has no `{line}`: run `python3 tune.py sources SUITE...` with all suites")
    found = manifest()[line]
    headers = tuple((name, read(file)) for name, file in found["headers"].items())
    return Kernel(read(found["file"]), found["name"], tuple(found["defines"].items()), headers,
                  found["entry"], found["threads"], found["shared"])


def find(names):
    """Returns the first existing file among toolkit and wheel folders."""
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


def array(texts):
    return (ctypes.c_char_p * len(texts))(*[text.encode() for text in texts])


def compile_cubin(kernel, library=None, ptx=False):
    """Returns the file with machine code for sm_90, or with PTX for the emulator."""
    kind, architecture = ("PTX", "compute_90") if ptx else ("CUBIN", "sm_90")
    path = CACHE / f"{kernel.key()}.{kind.lower()}"
    if path.exists():
        return path
    library = library or nvrtc()
    program = ctypes.c_void_p()
    names, texts = [array(part) for part in zip(*kernel.headers)] or (None, None)
    library.nvrtcCreateProgram(ctypes.byref(program), kernel.text.encode(), kernel.name.encode(),
                               len(kernel.headers), texts, names)
    options = [f"--gpu-architecture={architecture}"]
    options += [f"--define-macro={name}={value}" for name, value in kernel.defines]
    status = library.nvrtcCompileProgram(program, len(options), array(options))
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


def compile_all(kernels):
    library = nvrtc()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda kernel: compile_cubin(kernel, library), kernels))


def inspect(cubin):
    """Returns registers, local bytes, instructions and FFMA count of the only kernel of a cubin."""
    tool = find(["bin/cuobjdump"])
    usage = subprocess.run([tool, "-res-usage", str(cubin)], capture_output=True, text=True).stdout
    sass = subprocess.run([tool, "-sass", str(cubin)], capture_output=True, text=True).stdout
    registers = re.search(r"Function \w*(?:convolve|total)\w*:\s*\n?\s*REG:(\d+) STACK:(\d+)", usage)
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
        "reduce 512x4": reduction(),
        "tile 31": convolution("tile", 31, 31, WARPS=8, ROWS=4, PAIR=2, BLOCKS=4),
    }
    for k, rows, blocks, separable in [(5, 2, 16, 0), (7, 2, 16, 0), (9, 2, 16, 0), (9, 3, 16, 0),
                                       (11, 2, 16, 0), (15, 1, 16, 0), (15, 3, 8, 1), (31, 3, 8, 1)]:
        samples[f"march {k} r{rows}{' separable' * separable}"] = convolution(
            "march", k, k, ROWS=rows, BLOCKS=blocks, DEPTH=3, SEPARABLE=separable)
    chosen = {k: v for k, v in samples.items() if not sys.argv[1:] or sys.argv[1] in k}
    print_sources(chosen.values())
    for name, cubin in zip(chosen, compile_all([printed(line) for line in chosen.values()])):
        facts = inspect(cubin)
        print(f"{name:16}", {k: v for k, v in facts.items() if k != "loops"}, cubin.name)
        for loop in facts["loops"]:
            print("    loop", loop)
