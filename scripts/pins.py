#!/usr/bin/env python3
"""Writes the pins of `make setup`: the newest packages of the default CUDA version, with their hashes (`make pins`).

Each file of scripts/pins is a requirements file for `pip install --require-hashes`: exact versions, and the sha256 of
every wheel for Linux on x86-64 or aarch64, or in windows.txt for Windows on x86-64. Wheels are downloaded from pip's configured index and hashed. Requires pip
20.3 or newer. Run all tests before committing new pins.
"""

import argparse
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

import setup

# The oldest C libraries first. When pip downloads for a foreign platform, it does not accept wheels of compatible older
# platforms, so all of them are listed.
C_LIBRARIES = ["manylinux1", "manylinux2010", "manylinux_2_12", "manylinux2014", "manylinux_2_17", "manylinux_2_27",
               "manylinux_2_28"]
# The platforms of each processor.
LINUX = [[f"{library}_{architecture}" for library in C_LIBRARIES] for architecture in ("x86_64", "aarch64")]
WINDOWS = [["win_amd64"]]
HEAD = """\
# {what}, for `{use}`: exact versions, and the hash of each wheel for {systems}.
# Written by `make pins`, which takes the newest of: {requirements}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=pathlib.Path, default=setup.PINS, help="folder to write the files into")
    folder = parser.parse_args().into
    folder.mkdir(exist_ok=True)
    what = f"CUDA {setup.DEFAULT}: headers and NVRTC"
    write(folder / setup.cuda_pins(setup.DEFAULT).name, what, setup.packages(setup.DEFAULT))
    write(folder / setup.LIBCLANG_PINS.name, "libclang", setup.LIBCLANG)
    write(folder / setup.NVJITLINK_PINS.name, "nvJitLink", setup.NVJITLINK, "make lto")
    write(folder / "windows.txt", what, setup.packages(setup.DEFAULT), "make windows", WINDOWS)


def write(file, what, requirements, use="make setup", processors=LINUX):
    wheels = {}
    for platforms in processors:
        with tempfile.TemporaryDirectory() as folder:
            download(folder, platforms, requirements)
            for wheel in sorted(pathlib.Path(folder).glob("*.whl")):
                name, version = name_and_version(wheel.name)
                wheels.setdefault(name, {}).setdefault(version, {})[wheel.name] = sha256(wheel)
    systems = "Windows on x86-64" if processors is WINDOWS else "Linux on x86-64 and aarch64"
    head = HEAD.format(what=what, use=use, systems=systems, requirements=" ".join(requirements))
    file.write_text(head + text(wheels))
    print(f"{file}: " + ", ".join(f"{name} {next(iter(wheels[name]))}" for name in sorted(wheels)))


def download(folder, platforms, requirements):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--disable-pip-version-check", "--dest", folder]
    command += [f"--platform={platform}" for platform in platforms]
    subprocess.run([*command, *requirements], check=True)


def name_and_version(wheel):
    name, version = wheel.split("-")[:2]
    return re.sub(r"[-_.]+", "-", name).lower(), version


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def text(wheels):
    """Returns a requirements file for `{name: {version: {wheel: hash}}}`."""
    lines = []
    for name, versions in sorted(wheels.items()):
        if len(versions) != 1:
            sys.exit(f"pins.py: the architectures have different versions of {name}: {', '.join(versions)}")
        for version, files in versions.items():
            # Both have the same file if a wheel is for any platform.
            hashes = sorted(files.items())
            lines.append(" \\\n".join([f"{name}=={version}"] + [f"    --hash=sha256:{digest}" for _, digest in hashes]))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
