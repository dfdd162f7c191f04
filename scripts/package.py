#!/usr/bin/env python3
"""Packs every publishable crate as `cargo publish` does, without publishing it (`make package`).

    package.py           packs, builds the packages in the order of dependencies, and documents them
    package.py --quick   packs, and checks the contents of the packages

A package must have the metadata that crates.io and docs.rs show, both licences, README and change log, and every file
that its sources name. It is documented as on docs.rs: in a separate folder, without network, CUDA headers, libclang or
Python. Requires cargo 1.90, the first version that packs interdependent crates.
"""

import argparse
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo")
# Without `repository`, because there is no public address.
WANTED = ["description", "license", "readme", "documentation", "keywords", "categories", "rust_version"]
FILES = ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md", "Cargo.lock"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="neither build nor document the packages")
    quick = parser.parse_args().quick
    version = subprocess.run([CARGO, "--version"], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    if tuple(map(int, re.search(r"(\d+)\.(\d+)", version).groups())) < (1, 90):
        sys.exit(f"package.py: needs cargo 1.90, but this is {version.strip()}")
    command = [CARGO, "metadata", "--locked", "--no-deps", "--format-version", "1"]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=REPOSITORY).stdout)
    crates = [crate for crate in metadata["packages"] if crate["publish"] is None]
    complaints = [f"{crate['name']}: {each}" for crate in crates for each in lacking(crate)]
    chosen = [f"--package={crate['name']}" for crate in crates]
    # The tree may have uncommitted changes, which `cargo publish` will ask about.
    packing = [CARGO, "package", "--locked", "--offline", "--allow-dirty", "--quiet", *chosen]
    subprocess.run(packing + (["--no-verify"] if quick else []), check=True, cwd=REPOSITORY)
    with tempfile.TemporaryDirectory() as work:
        for crate in crates:
            name = f"{crate['name']}-{crate['version']}"
            file = Path(metadata["target_directory"]) / "package" / f"{name}.crate"
            with tarfile.open(file) as archive:
                archive.extractall(work)
            complaints += [f"{crate['name']}: {each}" for each in absent(Path(work) / name)]
            print(f"{name}: {len(contents(Path(work) / name))} files, {file.stat().st_size / 1024:.0f} KiB")
        if complaints:
            sys.exit("package.py:\n  " + "\n  ".join(complaints))
        if not quick:
            packed = [(crate["name"], f"{crate['name']}-{crate['version']}", for_docs_rs(crate).get("features", [])) for crate in crates]
            document(Path(work), packed, Path(metadata["target_directory"]) / "package" / "documented")


def lacking(crate):
    """Returns the metadata that a crate's Cargo.toml lacks, or that crates.io rejects."""
    missing = [name for name in WANTED if not crate[name]]
    complaints = [f"no {name.replace('_', '-')}" for name in missing]
    if len(crate["keywords"]) > 5 or any(not re.fullmatch(r"[A-Za-z0-9][\w+-]{0,19}", word) for word in crate["keywords"]):
        complaints.append("crates.io accepts at most five keywords of 20 letters")
    if len(crate["categories"]) > 5:
        complaints.append("crates.io accepts at most five categories")
    if not for_docs_rs(crate):
        complaints.append("no [package.metadata.docs.rs]")
    return complaints


def for_docs_rs(crate):
    return ((crate["metadata"] or {}).get("docs") or {}).get("rs") or {}


def contents(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def absent(folder):
    """Returns required files, and files named by the sources, that a package lacks."""
    files = contents(folder)
    complaints = [f"no {name}" for name in FILES if name not in files]
    for name in sorted(files):
        if name.endswith(".rs"):
            for other in named(name, (folder / name).read_text()):
                if other not in files:
                    complaints.append(f"{name} names {other}")
    return complaints


def named(name, text):
    """Returns the files that a source file names in `#[path]`, `include_str!` and similar items."""
    text = re.sub(r"^\s*//.*", "", text, flags=re.MULTILINE)
    found = re.findall(r'#\[path = "([^"]+)"\]|\binclude(?:_str|_bytes)?!\(\s*"([^"]+)",?\s*\)', text)
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), path or file)) for path, file in found]


def document(work, crates, target):
    """Runs `cargo doc` on the packages without any part of CUDA. `crates` are names, folders and docs.rs's features."""
    members = ", ".join(f'"{folder}"' for _, folder, _ in crates)
    patches = "".join(f'{name} = {{ path = "{folder}" }}\n' for name, folder, _ in crates)
    (work / "Cargo.toml").write_text(f'[workspace]\nresolver = "3"\nmembers = [{members}]\n[patch.crates-io]\n{patches}')
    shutil.copy(REPOSITORY / "Cargo.lock", work)
    (work / "bin").mkdir()
    for program in (CARGO, "rustc", "rustdoc", "cc", "as", "ld"):
        (work / "bin" / Path(program).name).symlink_to(shutil.which(program))
    kept = {name: os.environ[name] for name in os.environ if re.match("HOME$|CARGO_HOME|RUSTUP_", name)}
    environment = {**kept, "PATH": str(work / "bin"), "LIBCLANG_PATH": "/nowhere", "CUDA_PATH": "",
                   "CARGO_TARGET_DIR": str(target), "RUSTDOCFLAGS": "-D warnings", "DOCS_RS": "1"}
    for name, _, features in crates:
        command = [work / "bin" / Path(CARGO).name, "doc", "--offline", "--no-deps", "--quiet", f"--package={name}"]
        command += [f"--features={','.join(features)}"]
        subprocess.run(command, check=True, cwd=work, env=environment)
        print(f"{name}: documented")


if __name__ == "__main__":
    main()
