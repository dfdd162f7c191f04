#!/usr/bin/env python3
"""Installs the missing requirements for building and running cuda-direct: CUDA headers, NVRTC and libclang.

pip installs them without root into .cuda/ in the repository. The default version is pinned: scripts/pins has the exact
version and the hashes of every package. For another version (CUDA=12.4), the newest packages of the index are used. If
a CUDA toolkit is installed, only libclang is installed. Requires only Python 3.7 and pip.
"""

import argparse
import ctypes
import glob
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DEFAULT = "13.0"
OLDEST = (12, 0)
# Requirements files with hashes, written by pins.py.
PINS = REPOSITORY / "scripts" / "pins"
LIBCLANG_PINS = PINS / "libclang.txt"
LIBCLANG = ["libclang>=16"]
# Only for the tests of link-time optimisation (`make lto`), because it has 40 MB.
NVJITLINK_PINS = PINS / "nvjitlink.txt"
NVJITLINK = [f"nvidia-nvjitlink=={DEFAULT}.*"]
# The search order of cuda-sys's build script, except .cuda itself.
VARIABLES = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDA_INC_DIR"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuda", default="", help=f"CUDA version, such as 12.4 or 13.0 (default {DEFAULT})")
    parser.add_argument("--into", type=pathlib.Path, default=REPOSITORY / ".cuda",
                        help="folder to install into (default .cuda)")
    parser.add_argument("--nvjitlink", action="store_true",
                        help="install only nvJitLink, and print the path of its library")
    arguments = parser.parse_args()
    if arguments.nvjitlink:
        print(bring_nvjitlink(arguments.into.resolve() / "nvjitlink"))
        return
    folder, wanted = arguments.into.resolve(), arguments.cuda.strip()
    if wanted and not re.fullmatch(r"\d+\.\d+", wanted):
        fail(f"CUDA={wanted} is not a version. Fix: use a form such as CUDA=12.4")
    if wanted and tuple(map(int, wanted.split("."))) < OLDEST:
        fail(f"CUDA={wanted} is too old. Fix: use 12.0 or newer")

    present = read(folder / "version")
    if present and (not wanted or wanted == present):
        try:
            compare(folder, [file for file in (cuda_pins(present), LIBCLANG_PINS) if file.is_file()])
            print(f"CUDA {present} is in {folder}: {verify(folder)}")
            return
        except Broken as reason:
            print(f"CUDA {present} in {folder} is not usable ({reason}): installing it again")
            wanted = present
    if wanted:
        for name in VARIABLES:
            if os.environ.get(name):
                print(f"note: {name} is set, so the build uses the CUDA headers from there, not from {folder}")
    else:
        toolkit = installed_toolkit()
        if toolkit:
            print(f"a CUDA toolkit is installed ({toolkit}): no CUDA packages needed")
            bring_libclang(folder)
            return
        wanted = DEFAULT
    bring(folder, wanted)


def bring(folder, cuda):
    """Fills a new folder, verifies it, then replaces the old one."""
    print(f"installing CUDA {cuda} (headers, NVRTC) and libclang into {folder}", flush=True)
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    if cuda_pins(cuda).is_file():
        install(new, [cuda_pins(cuda), LIBCLANG_PINS])
    else:
        print(f"CUDA {cuda} is not pinned: pip installs the newest packages of a range of versions")
        install(new, packages(cuda))
        install(new, [LIBCLANG_PINS])
    try:
        found = verify(new, cuda)
    except Broken as reason:
        shutil.rmtree(new, ignore_errors=True)
        fail(f"the packages that pip installed do not work: {reason}")
    (new / "version").write_text(cuda + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    look_again(folder)
    print(f"done: {found}")


def look_again(folder):
    """Makes cargo run cuda-sys's build script again, because it may have found no headers or no libclang before."""
    if folder == REPOSITORY / ".cuda":
        os.utime(REPOSITORY / "cuda-sys" / "build" / "main.rs")


def bring_libclang(folder):
    """Installs only libclang, if the system has none."""
    where = system_libclang()
    if where:
        print(f"libclang is installed ({where}): nothing to do")
        return
    if differing(folder, LIBCLANG_PINS) or not loads_libclang(folder):
        print(f"installing libclang into {folder}", flush=True)
        install(folder, [LIBCLANG_PINS])
        if not loads_libclang(folder):
            fail(f"the libclang that pip installed into {folder} cannot be loaded")
        look_again(folder)
    print(f"libclang is in {folder}")


def bring_nvjitlink(folder):
    """Installs nvJitLink in a separate folder, and returns the path of its library."""
    if differing(folder, NVJITLINK_PINS):
        print(f"installing nvJitLink into {folder}", file=sys.stderr, flush=True)
        install(folder, [NVJITLINK_PINS])
    files = sorted(folder.glob("nvidia/*/lib/libnvJitLink.so.*"))
    if not files:
        fail(f"there is no libnvJitLink in the packages that pip installed into {folder}")
    return files[0]


def cuda_pins(cuda):
    """Returns the file of a version's pins, which only the default version has."""
    return PINS / f"cuda-{cuda}.txt"


def differing(folder, pins):
    """Returns the pinned packages that a folder lacks, as `name==version`."""
    pinned = re.findall(r"^([a-z0-9-]+)==(\S+)", read(pins), re.MULTILINE)
    there = {re.sub("[-_.]+", "-", info.name[: -len(".dist-info")]).lower() for info in folder.glob("*.dist-info")}
    return [f"{name}=={version}" for name, version in pinned if re.sub("[-_.]+", "-", f"{name}-{version}") not in there]


def compare(folder, files):
    missing = [requirement for pins in files for requirement in differing(folder, pins)]
    if missing:
        raise Broken(f"no {', '.join(missing)}, which scripts/pins requires")


def packages(cuda):
    """Returns pip's requirements. Parts with separate versions are no newer than the release."""
    major, minor = map(int, cuda.split("."))
    suffix = "" if major >= 13 else f"-cu{major}"
    # crt/, which cuda_runtime.h and mma.h include, was part of nvcc before it became a package.
    crt = "nvidia-cuda-crt" if major >= 13 else "nvidia-cuda-nvcc"
    exact = [f"{name}{suffix}=={cuda}.*" for name in ("nvidia-cuda-runtime", "nvidia-cuda-nvrtc")]
    # The first complete libcu++ in pip's packages for 12 is that of 12.4, which also works with earlier releases.
    cccl = max(minor, 4) if major == 12 else minor
    newest = {"nvidia-cuda-cccl": cccl, "nvidia-cuda-profiler-api": minor, crt: minor}
    loose = [f"{name}{suffix}>={major},<{major}.{last + 1}" for name, last in newest.items()]
    return exact + loose


def install(folder, wanted):
    """Runs pip for a folder, with requirements or files with hashes. If it fails, prints a short form of its errors."""
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        fail(f"{sys.executable} has no pip. Fix: install it (Debian and Ubuntu: apt install python3-pip), then run this again")
    options = ["--target", str(folder), "--upgrade", "--disable-pip-version-check", "--retries", "2", "--timeout", "20"]
    # The user's settings must not change the target folder.
    environment = {**os.environ, "PIP_USER": "0", "PIP_ROOT_USER_ACTION": "ignore"}
    with tempfile.TemporaryFile("w+") as complaints:
        done = subprocess.run([*pip, "install", *options, *asked(wanted)], stderr=complaints, env=environment)
        complaints.seek(0)
        lines = [line for line in complaints.read().splitlines() if "ERROR" in line]
    if done.returncode != 0:
        names = [requirement.name if isinstance(requirement, pathlib.Path) else requirement for requirement in wanted]
        quoted = " ".join(shlex.quote(argument) for argument in asked(wanted))
        fail(
            f"pip could not install {', '.join(names)}\n"
            + "".join(f"  pip: {line}\n" for line in lines[-2:])
            + "The machine may be offline, or the version may not exist. Fix without a network: copy the packages manually:\n"
            f"  elsewhere: python3 -m pip download -d wheels {quoted}\n"
            "  here:      PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels make setup"
        )


def asked(wanted):
    """Returns pip's arguments for requirements, or for files of pins."""
    files = [str(each) for each in wanted if isinstance(each, pathlib.Path)]
    arguments = ["--no-deps", "--only-binary=:all:"] + (["--require-hashes"] if files else [])
    for file in files:
        arguments += ["-r", file]
    return arguments + [each for each in wanted if not isinstance(each, pathlib.Path)]


class Broken(Exception):
    """Returns the reason why a folder cannot be used."""


def verify(folder, cuda=None):
    """Finds each part and uses it once. Returns a one-line summary."""
    bases = [folder / "nvidia" / "cu13"] + sorted((folder / "nvidia").glob("cuda_*"))
    include = [base / "include" for base in bases] + [base / "include" / "cccl" for base in bases]
    include = [directory for directory in include if directory.is_dir()]
    for header in ("cuda.h", "nvrtc.h", "cuda_fp16.h", "crt/host_defines.h", "cuda/std/atomic", "cub/cub.cuh"):
        if not any((directory / header).is_file() for directory in include):
            raise Broken(f"no {header}")
    version = header_version(include)
    if cuda and version != cuda:
        raise Broken(f"cuda.h has version {version}, not {cuda}")
    libraries = [path for base in bases for path in sorted((base / "lib").glob("libnvrtc*.so*")) if ".alt." not in path.name]
    major, minor = compile_a_line(libraries, include)
    clang = loads_libclang(folder)
    if not clang:
        raise Broken("libclang cannot be loaded")
    return f"cuda.h {version}, NVRTC {major}.{minor} compiles, {clang}"


def header_version(include):
    text = next(read(directory / "cuda.h") for directory in include if (directory / "cuda.h").is_file())
    number = int(re.search(r"#define\s+CUDA_VERSION\s+(\d+)", text).group(1))
    return f"{number // 1000}.{number % 1000 // 10}"


def compile_a_line(libraries, include):
    """Loads NVRTC and compiles a kernel that includes a header. Returns NVRTC's version."""
    try:
        # NVRTC loads its builtins by name, and a library that is already loaded needs no search.
        for path in sorted(libraries, key=lambda path: "builtins" not in path.name):
            nvrtc = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        major, minor = ctypes.c_int(), ctypes.c_int()
        nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        program = ctypes.c_void_p()
        source = b"#include <cuda_fp16.h>\n__global__ void f(__half *x) { *x = __float2half(1); }\n"
        options = [b"--gpu-architecture=compute_80"] + [b"--include-path=" + os.fsencode(str(d)) for d in include]
        created = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"setup.cu", 0, None, None)
        code = created or nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        if code:
            log = ctypes.create_string_buffer(1 << 16)
            nvrtc.nvrtcGetProgramLog(program, log)
            raise Broken(f"NVRTC does not compile (code {code}): {log.value.decode(errors='replace').strip()}")
        return major.value, minor.value
    except (OSError, AttributeError, UnboundLocalError) as error:
        raise Broken(f"NVRTC cannot be loaded: {error}")


def loads_libclang(folder):
    """Returns the version of the libclang in a folder, or an empty string if none can be loaded."""

    class String(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("flags", ctypes.c_uint)]

    for path in sorted((folder / "clang" / "native").glob("libclang.*")):
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        library.clang_getClangVersion.restype = String
        library.clang_getCString.argtypes, library.clang_getCString.restype = [String], ctypes.c_char_p
        text = library.clang_getCString(library.clang_getClangVersion()).decode()
        return re.sub(r".*clang version (\S+).*", r"libclang \1", text)
    return ""


def installed_toolkit():
    """Returns a toolkit with headers and NVRTC that the build script finds by default."""
    places = [(name, os.environ.get(name, "")) for name in VARIABLES]
    nvcc = shutil.which("nvcc")
    places += [("nvcc", str(pathlib.Path(nvcc).resolve().parent.parent) if nvcc else "")]
    places += [("usual place", "/usr/local/cuda"), ("usual place", "/opt/cuda"), ("Debian's packages", "/usr")]
    for name, place in places:
        if not place:
            continue
        includes = ["include", "targets/*/include", "nvidia/cu13/include", "nvidia/cuda_runtime/include"]
        libraries = ["lib64", "lib", "targets/*/lib", "lib/*-linux-gnu", "nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"]
        if name == "CUDA_INC_DIR":
            includes, libraries = ["."], ["../lib64", "../lib"]
        header = any(glob.glob(os.path.join(place, directory, "cuda.h")) for directory in includes)
        library = any(glob.glob(os.path.join(place, directory, "libnvrtc.so*")) for directory in libraries)
        if header and library:
            return f"{place}, {name}"
    return ""


def system_libclang():
    """Returns the path of the installed libclang, or an empty string."""
    given = os.environ.get("LIBCLANG_PATH")
    if given:
        return f"LIBCLANG_PATH={given}"
    patterns = ["/usr/lib/llvm-*/lib/libclang*.so*", "/usr/lib*/libclang*.so*", "/usr/lib/*-linux-gnu/libclang*.so*"]
    patterns += ["/usr/local/lib*/libclang*.so*"]
    return next((path for pattern in patterns for path in sorted(glob.glob(pattern)) if "libclang-cpp" not in path), "")


def read(path):
    return path.read_text(errors="replace").strip() if path.is_file() else ""


def fail(message):
    sys.exit(f"make setup: {message}")


if __name__ == "__main__":
    main()
