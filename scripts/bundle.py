#!/usr/bin/env python3
"""Creates bundle/ and bundle.tar.xz with all test, example and bench programs and their data files, for a GPU machine
that has a driver but neither Rust nor a toolkit. `./run.sh` in it runs them.

The bundle includes NVRTC if `make setup` installed it. BUNDLE_NVRTC=0 excludes it.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
BUNDLE = REPOSITORY / "bundle"
ARCHIVE = REPOSITORY / "bundle.tar.xz"
LIMIT = 50 << 20

# Programs that can't run without the sources, with the reason.
LEFT_OUT = {
    ("cuda-compute", "kernel_sources"): "prints sources for cuda-compute/tuning, which is copied with its sources",
    ("cuda-nccl", "bindings"): "compares the carried bindings with a header",
    ("cuda-direct", "python"): "loads a library of examples/ into Python, as described in examples/dlpack/README.md",
    ("cuda-direct-sys", "failures"): "tests the build script",
    ("cuda-direct-sys", "header"): "reads the headers it was built with",
    ("cuda-direct-sys", "locate"): "tests the build script",
    ("cuda-direct-sys", "comments"): "tests the build script",
}
LEFT_OUT_PACKAGES = {
    "cuda-compile-fail": "calls cargo",
    "cuda-compute-macros": "runs in the compiler",
    "cuda-direct-build": "runs where programs are built",
    "cuda-direct-find": "compiles small libraries",
    "cuda-emulator": "tests the emulator, which is not used with a driver",
    "cuda-emulator-engine": "belongs to the emulator",
    "cuda-emulator-link": "runs in the compiler",
    "cuda-emulator-checks": "tests the emulator",
    "cuda-conformance": "belongs to the emulator",
}


def main():
    programs = build()
    shutil.rmtree(BUNDLE, ignore_errors=True)
    (BUNDLE / "bin").mkdir(parents=True)
    listed, left_out, readers = [], [], []
    for package in LEFT_OUT_PACKAGES.keys() & set(PACKAGES.values()):
        left_out.append(f"tests/{package}: {LEFT_OUT_PACKAGES[package]}")
    for kind, package, target, binary in programs:
        name = target if kind == "examples" else f"{package}-{target}"
        reason = LEFT_OUT.get((package, target))
        if not reason and holds_emulator(binary):
            reason = "has the emulator linked in"
        if reason:
            left_out.append(f"{kind}/{name}: {reason}")
            continue
        copy = BUNDLE / "bin" / kind / name
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(binary, copy)
        subprocess.run(["strip", str(copy)], check=True)
        if names_sources(copy.read_bytes()):
            readers.append(f"{kind}/{name}")
        listed.append(f"{kind} {package} {name}")
    if readers:
        sys.exit(f"make bundle: {', '.join(readers)} would read sources, which the bundle does not contain. Fix: use include_str!, or "
                 "add the program to LEFT_OUT")
    for package, folder in sorted(package_folders().items()):
        copy_data(package, folder)
    if os.environ.get("BUNDLE_NVRTC") != "0":
        copy_nvrtc()
    (BUNDLE / "programs.txt").write_text("".join(f"{line}\n" for line in sorted(listed)))
    (BUNDLE / "left-out.txt").write_text("".join(f"{line}\n" for line in sorted(left_out)))
    shutil.copy2(REPOSITORY / "scripts" / "run-bundle.sh", BUNDLE / "run.sh")
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        shutil.copy2(REPOSITORY / licence, BUNDLE)

    print(f"{len(listed)} programs in {BUNDLE}; packing", flush=True)
    with tarfile.open(ARCHIVE, "w:xz", preset=6) as archive:
        archive.add(BUNDLE, "bundle")
    for line in sorted(left_out):
        print(f"left out: {line}")
    size = ARCHIVE.stat().st_size
    print(f"{ARCHIVE}: {size / (1 << 20):.1f} MiB")
    if size > LIMIT:
        sys.exit(f"make bundle: that is more than {LIMIT >> 20} MiB. Fix: set BUNDLE_NVRTC=0 to exclude NVRTC")


def build():
    """Builds everything for release and returns the (kind, package, target, file) of each program."""
    cargo = os.environ.get("CARGO", "cargo")
    # A run path to the emulator would have priority over the GPU machine's own driver.
    environment = {**os.environ, "CUDA_EMULATOR": "0"}
    # --lib and --tests also build the unit tests of examples and benches, so each kind is built separately.
    # Tests are listed by name, because a pattern would also match those whose features are disabled.
    targets = [target for package in WORKSPACE["packages"] if package["name"] not in LEFT_OUT_PACKAGES
               for target in package["targets"]]
    tests = sorted({target["name"] for target in targets
                    if target["kind"] == ["test"] and not target.get("required-features")})
    calls = {
        "tests": ["test", "--no-run", "--release", "--lib", *(word for name in tests for word in ("--test", name))],
        "examples": ["build", "--release", "--examples"],
        "benches": ["bench", "--no-run", "--bench", "*"],
    }
    # cargo rejects a pattern that matches nothing.
    kinds = {kind for target in targets for kind in target["kind"]}
    if "bench" not in kinds:
        del calls["benches"]
    programs = []
    for kind, call in calls.items():
        print(f"building {kind}", flush=True)
        command = [cargo, *call, "--locked", "--workspace", "--message-format=json-render-diagnostics"]
        for package in LEFT_OUT_PACKAGES.keys() & set(PACKAGES.values()):
            command += ["--exclude", package]
        done = subprocess.run(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"make bundle: building {kind} failed")
        for line in done.stdout.decode().splitlines():
            message = json.loads(line)
            if message.get("reason") != "compiler-artifact" or not message.get("executable"):
                continue
            target = message["target"]
            wanted = {"tests": ("lib", "rlib", "cdylib", "test"), "examples": ("example",), "benches": ("bench",)}[kind]
            if not any(part in wanted for part in target["kind"]):
                continue
            name = target["name"] if target["kind"] in (["test"], ["example"], ["bench"]) else "unit"
            programs.append((kind, package_name(message), name, pathlib.Path(message["executable"])))
    return sorted(programs)


def package_name(message):
    """Returns the package that a target belongs to, by the folder of its manifest."""
    return PACKAGES[message["manifest_path"]]


def metadata():
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "metadata", "--locked", "--no-deps", "--format-version", "1"]
    return json.loads(subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=True).stdout)


WORKSPACE = metadata()
PACKAGES = {package["manifest_path"]: package["name"] for package in WORKSPACE["packages"]}


def committed():
    """Returns the names of the committed entries at the top of the repository."""
    command = ["git", "ls-tree", "-z", "--name-only", "HEAD"]
    return set(subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=True).stdout.split(b"\0")) - {b""}


COMMITTED = committed()


def package_folders():
    return {name: pathlib.Path(manifest).parent for manifest, name in PACKAGES.items()}


def holds_emulator(binary):
    """Returns whether the program itself contains the driver's functions."""
    symbols = subprocess.run(["nm", "--defined-only", str(binary)], stdout=subprocess.PIPE, check=True).stdout
    return any(line.split()[-1:] == [b"cuInit"] for line in symbols.splitlines())


def names_sources(program):
    """Returns whether a stripped program names a committed file of this checkout, which other machines lack."""
    # Other paths are those of the toolkit in .cuda and of generated files in target. The compiler's own are relative.
    named = program.split(os.fsencode(REPOSITORY) + b"/")[1:]
    return any(rest.split(b"/")[0] in COMMITTED for rest in named)


def copy_data(package, folder):
    """Copies the files that programs read at run time: files next to their sources that are not sources."""
    if package in LEFT_OUT_PACKAGES:
        return
    command = ["git", "ls-files", "-z", "examples", "tests", "benches", "data"]
    files = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    for name in filter(None, files):
        if pathlib.PurePath(name).suffix in (".rs", ".stderr", ".py", ".md", ".toml", ".lock"):
            continue
        copy = BUNDLE / "data" / package / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / name, copy)


def copy_nvrtc():
    """Copies NVRTC and the headers that it includes, in the layout of a toolkit."""
    nvidia = REPOSITORY / ".cuda" / "nvidia"
    bases = [nvidia / "cu13"] if (nvidia / "cu13").is_dir() else sorted(nvidia.glob("cuda_*"))
    for base in bases:
        if (base / "include").is_dir():
            shutil.copytree(base / "include", BUNDLE / "cuda" / "include", dirs_exist_ok=True)
        for library in (base / "lib").glob("libnvrtc*.so*"):
            if ".alt." not in library.name:
                (BUNDLE / "cuda" / "lib64").mkdir(parents=True, exist_ok=True)
                shutil.copy2(library, BUNDLE / "cuda" / "lib64")
        # The device runtime, for kernels that launch kernels.
        for archive in (base / "lib").glob("libcudadevrt.a"):
            shutil.copy2(archive, BUNDLE / "cuda" / "lib64")


if __name__ == "__main__":
    main()
