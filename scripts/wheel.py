#!/usr/bin/env python3
"""Builds the emulator's Python wheel (`make wheel`), and tests it (`make wheel-test`).

    wheel.py         builds the wheel in target/wheels, and prints its path
    wheel.py --test  also installs it into a fresh virtual environment, and runs programs of numba-cuda and cuda.core

maturin comes from pip, into a virtual environment in the target folder, unless it is installed. The wheel works on
systems whose C library is as new as the newest symbol that the library needs: its name says which. The test downloads
numba-cuda, cuda.core and NVRTC (300 MB).
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo")
PROJECT = REPOSITORY / "cuda-emulator" / "python"
MATURIN = "maturin>=1.9,<2"
# With nvJitLink, which the extras of both clients contain, numba-cuda links machine code. numba's limit is NumPy 2.3.
CLIENTS = ["numba-cuda", "cuda-core", "cuda-bindings>=13,<14", "cuda-toolkit[cccl,cudart,nvrtc,nvvm]>=13,<14", "numpy<2.4"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", action="store_true", help="also install the wheel and run programs with it")
    test = parser.parse_args().test
    command = [CARGO, "metadata", "--locked", "--no-deps", "--format-version", "1"]
    metadata = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=REPOSITORY).stdout
    target = Path(json.loads(metadata)["target_directory"])
    wheel = build(target)
    print(f"wheel: {wheel} ({wheel.stat().st_size / 2**20:.1f} MiB)")
    if test:
        try_out(wheel, target)


def build(target):
    """Builds the library and the wheel with it, and returns the wheel's path."""
    subprocess.run([CARGO, "build", "--locked", "--profile=wheel", "--package=cuda-emulator"], check=True, cwd=REPOSITORY)
    built = target / "wheel"
    library = PROJECT / "data" / "data" / "lib" / "cuda-emulator" / "libcuda.so.1"
    library.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(built / "libcuda_emulator.so", library)
    # maturin looks at the program alone.
    newest = max(c_library(built / "cuda-emulator"), c_library(library))
    tag = f"manylinux_{newest[0]}_{newest[1]}"
    wheels = target / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    maturin = shutil.which("maturin") or environment(target / "maturin", MATURIN) / "maturin"
    command = [maturin, "build", "--quiet", f"--compatibility={tag}", f"--target-dir={target}", f"--out={wheels}"]
    subprocess.run(command, check=True, cwd=PROJECT)
    (wheel,) = wheels.glob("*.whl")
    return wheel


def c_library(file):
    """Returns the newest version of the C library's symbols in a file."""
    versions = re.findall(rb"\0GLIBC_(\d+)\.(\d+)", file.read_bytes())
    return max(tuple(map(int, version)) for version in versions)


def environment(folder, *packages):
    """Creates a virtual environment with these packages, and returns the folder of its programs."""
    venv.create(folder, with_pip=True, clear=True)
    pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *packages], check=True)
    return folder / "bin"


def try_out(wheel, target):
    """Installs the wheel, and runs programs with the library that it contains."""
    folder = target / "wheel-test"
    programs = environment(folder, wheel, *CLIENTS)
    # No part of the checkout is found, neither by the loader nor on the search path.
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    clean = {**kept, "PATH": f"{programs}:/usr/bin:/bin", "VIRTUAL_ENV": str(folder)}
    report = subprocess.run(["cuda-emulator", "doctor"], check=True, stdout=subprocess.PIPE, cwd=folder, env=clean,
                            universal_newlines=True).stdout
    print(report)
    library = folder / "lib" / "cuda-emulator" / "libcuda.so.1"
    if str(library) not in report or "missing" in report:
        sys.exit(f"wheel.py: doctor does not find {library} and NVRTC")
    for program in sorted((PROJECT / "tests").glob("*.py")):
        subprocess.run(["cuda-emulator", "run", "--", "python", program], check=True, cwd=folder, env=clean)


if __name__ == "__main__":
    if platform.system() != "Linux":
        sys.exit("wheel.py: the wheel is for Linux")
    main()
