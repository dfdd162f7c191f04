#!/usr/bin/env python3
"""Checks that every crate in Cargo.lock may be used in a project under MIT OR Apache-2.0."""

import json
import os
import re
import subprocess
import sys

# Each of these is compatible with this project's licence. Terms of single files apply only to those files.
ALLOWED = {
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unlicense",
    "CC0-1.0",
    "BSL-1.0",
    "Unicode-3.0",
}


def allowed(expression):
    """Returns whether an SPDX expression can be satisfied with only licences of the list."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def either():
        result = both()
        while peek() == "OR":
            take()
            other = both()
            result = result or other
        return result

    def both():
        result = one()
        while peek() == "AND":
            take()
            other = one()
            result = result and other
        return result

    def one():
        if peek() == "(":
            take()
            result = either()
            if take() != ")":
                raise ValueError(expression)
            return result
        name = take()
        if peek() == "WITH":
            take()
            name += " WITH " + take()
        return name in ALLOWED

    result = either()
    if position != len(tokens):
        raise ValueError(expression)
    return result


def main():
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "metadata", "--locked", "--format-version", "1"]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    refused = []
    for package in metadata["packages"]:
        licence = package["license"]
        try:
            good = bool(licence) and allowed(licence)
        except (ValueError, IndexError):
            good = False
        if not good:
            refused.append(f"{package['name']} {package['version']}: {licence or 'no licence'}")
    if refused:
        sys.exit("licences that are not on the list in scripts/licences.py:\n  " + "\n  ".join(sorted(refused)) +
                 "\nFix: add compatible licences to the list, or remove the crates")
    print(f"licences: {len(metadata['packages'])} packages, all allowed")


if __name__ == "__main__":
    main()
