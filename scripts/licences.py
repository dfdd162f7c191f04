#!/usr/bin/env python3
"""Checks that the licence of every crate in Cargo.lock is on the list in deny.toml.

`make check` runs it where cargo-deny, which checks more, is not installed.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def listed(text):
    """Returns the allowed licences of a deny.toml. Python reads TOML only since 3.11."""
    (names,) = re.findall(r"^allow = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r'"([^"]+)"', names))


ALLOWED = listed((REPOSITORY / "deny.toml").read_text())


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
        sys.exit("licences that are not on the list in deny.toml:\n  " + "\n  ".join(sorted(refused)) +
                 "\nFix: add compatible licences to the list, or remove the crates")
    print(f"licences: {len(metadata['packages'])} packages, all allowed")


if __name__ == "__main__":
    main()
