#!/usr/bin/env python3
"""Checks the structure of the crates against ARCHITECTURE.md.

    scripts/rooms.py           fails on an import that the table of rooms does not allow, on a room that the table does
                               not describe, on a cycle between files that is not listed, and on a file or function
                               that ARCHITECTURE.md, CONTRIBUTING.md or docs/TERMS.md names and that does not exist,
                               and on a public item of an internal package that nothing uses
    scripts/rooms.py --arrows  prints which room uses which, with one example for each
    scripts/rooms.py --test    tests this script

A room is a folder or a file directly in a crate's `src`. A table begins after a line `<!-- rooms: crate/src -->` and
ends with `<!-- end of rooms -->`. Its first column names the room, its last the rooms that it may use: names,
`all above`, or `none`. The lines `- ...` after the table list exceptions, each with its reason: files that may form a
cycle, or a file that may use another room (`- `x/y.rs` also uses `z`: ...`).
The line `<!-- largest cycle: crate/src 12 -->` limits the cycles of a crate that has no table yet.
"""

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from rust_paths import Crate, cycles

ROOT = Path(__file__).resolve().parent.parent
QUOTED = re.compile(r"`([^`\n]+)`")
BEGIN = re.compile(r"<!-- rooms: (\S+) -->\n(.*?)<!-- end of rooms -->", re.DOTALL)
LIMIT = re.compile(r"<!-- largest cycle: (\S+) (\d+) -->")
ALSO = re.compile(r"- `([^`]+\.rs)` also uses ((?:`[^`]+`(?:, | and )?)+):")
FILE = re.compile(r"[\w./*-]*\w\.(rs|py|sh|md|cu|cuh|toml|patch|txt)")
FOLDER = re.compile(r"[\w.-]+(/[\w.-]+)*/")
PATH = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)+(\(\))?|[a-z_]\w*\(\)")
DEFINED = r"\b(?:fn|struct|enum|trait|type|const|static|mod|union|macro_rules!|macro)\s+"
PUBLIC = re.compile(r"\bpub\s+(?:const\s+|unsafe\s+)*(?:fn|struct|enum|const|static|type|trait)\s+(\w+)")
# Packages that only this repository uses. rustc can't see whether another package uses a public item.
INTERNAL = ["cuda-emulator/engine/src", "cuda-emulator/src", "cuda-emulator/conformance", "cuda-emulator/checks/src"]
# Paths of other crates and of the language.
FOREIGN = {"std", "mem", "core", "ptr", "bytemuck", "libc", "sys", "cuda_sys"}


class Table:
    """The rooms of one crate, as ARCHITECTURE.md describes them."""

    def __init__(self, text):
        self.rooms, self.listed, self.also = {}, [], set()
        for line in text.splitlines():
            if line.startswith("|"):
                cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
                names = [name.rstrip("/") for name in QUOTED.findall(cells[0])]
                above = list(self.rooms)
                for name in names:
                    allowed = [other.rstrip("/") for other in QUOTED.findall(cells[-1])]
                    self.rooms[name] = set(above if cells[-1] == "all above" else allowed)
            elif exception := ALSO.match(line):
                self.also |= {(exception[1], other.rstrip("/")) for other in QUOTED.findall(exception[2])}
            elif line.startswith("- "):
                self.listed.append({name for name in QUOTED.findall(line) if name.endswith(".rs")})


def room_of(src, file):
    return file.relative_to(src).parts[0]


def arrows(src):
    """{(room, room): [(file, line, path)]} of a crate."""
    found = {}
    crate = Crate(src / "lib.rs")
    for module, target, path, line in crate.uses():
        if module.file == crate.root:
            continue
        pair = room_of(src, module.file), room_of(src, target.file)
        if pair[0] != pair[1]:
            found.setdefault(pair, []).append((module.file, line, path))
    return crate, found


def check_crate(src, table, say):
    """Compares one crate with its table."""
    crate, found = arrows(src)
    present = {room_of(src, module.file) for module in crate.modules.values()} - {"lib.rs"}
    for room in sorted(present - set(table.rooms)):
        say(f"{src}/{room}: no table in ARCHITECTURE.md describes this room")
    for room in sorted(set(table.rooms) - present):
        say(f"ARCHITECTURE.md describes the room `{room}`, which {src} does not have")
    unused = set(table.also)
    for (room, other), uses in sorted(found.items()):
        if room not in table.rooms or other not in present or other in table.rooms[room]:
            continue
        for file, line, path in uses:
            exception = file.relative_to(src).as_posix(), other
            unused.discard(exception)
            if exception in table.also:
                continue
            say(f"{file}:{line}: `{path}` is in the room `{other}`, which `{room}` must not use")
    for file, other in sorted(unused):
        say(f"ARCHITECTURE.md says that {src}/{file} uses the room `{other}`, which it does not")
    for part in cycles(crate.file_edges()):
        names = {file.relative_to(src).as_posix() for file in part}
        if not any(names <= listed for listed in table.listed):
            say(f"{src}: these files form a cycle that ARCHITECTURE.md does not list: {', '.join(sorted(names))}")


def check_limit(src, most, say):
    for part in cycles(Crate(src / "lib.rs").file_edges()):
        if len(part) > most:
            say(f"{src}: {len(part)} files form a cycle, and ARCHITECTURE.md allows {most}: {part[0]}, {part[1]}, ...")


def files_of(root):
    """Returns the files that are not build outputs."""
    skipped = {"target", ".git", ".cuda", "bundle", "__pycache__"}
    found = []
    for path in sorted(root.iterdir()):
        if path.name in skipped or path.is_symlink():
            continue
        if path.is_dir():
            found.extend(files_of(path))
        else:
            found.append(path)
    return found


class Names:
    """The files, folders and names of a repository."""

    def __init__(self, root):
        self.root = root
        self.files = ["/" + path.relative_to(root).as_posix() for path in files_of(root)]
        self.code = {}
        for name in self.files:
            if name.endswith((".rs", ".py", ".sh", ".cu", ".cuh")):
                self.code[name] = (root / name[1:]).read_text(encoding="utf-8", errors="replace")
        self.all = "\n".join(self.code.values())

    def has_file(self, name):
        # A page may name a file relative to the folder that it describes, as in `../x.rs`.
        name = re.sub(r"^(\.\./)+", "", name)
        if "*" in name:
            pattern = re.compile(re.escape("/" + name).replace(r"\*", "[^/]*") + "$")
            return any(pattern.search(file) for file in self.files)
        return any(file.endswith("/" + name) for file in self.files)

    def has_folder(self, name):
        return any("/" + name in file for file in self.files)

    def is_defined(self, name, text=None):
        return re.search(DEFINED + re.escape(name) + r"\b", self.all if text is None else text) is not None

    def texts(self, name):
        return [text for file, text in self.code.items() if file.endswith("/" + name)]


def check_page(page, names, say):
    """Checks the files and functions that a page names in backquotes."""
    in_code, file = False, None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            in_code = not in_code
        if in_code:
            continue
        where = f"{page.name}:{number}"
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        row_files = [name for name in QUOTED.findall(line) if name.endswith(".rs") and FILE.fullmatch(name)]
        for name in QUOTED.findall(line):
            if name.startswith("./"):
                continue  # a file of a bundle
            if FILE.fullmatch(name):
                if not names.has_file(name):
                    say(f"{where}: there is no file `{name}`")
            elif FOLDER.fullmatch(name) and not name.startswith(("target/", "bundle/", "results/", ".cuda/")):
                if not names.has_folder(name):
                    say(f"{where}: there is no folder `{name}`")
            elif PATH.fullmatch(name):
                parts = name.removesuffix("()").split("::")
                if parts[0] not in FOREIGN and not names.is_defined(parts[-1]) and not re.search(
                    rf"\b{re.escape(parts[-1])}\b\s*[=({{,:]", names.all
                ):
                    say(f"{where}: nothing is named `{name}`")
        # Rows of docs/TERMS.md: what happens, the file, and the functions there.
        if page.name == "TERMS.md" and len(cells) == 3 and len(row_files) == 1 and row_files[0] in cells[1]:
            texts = names.texts(row_files[0])
            for name in QUOTED.findall(cells[2]):
                last = name.removesuffix("()").split("::")[-1]
                if re.fullmatch(r"\w+", last) and texts and not any(
                    names.is_defined(last, text) or re.search(rf"\b{last}\b", text) for text in texts
                ):
                    say(f"{where}: `{row_files[0]}` has no `{name}`")


def check_unused(root, say):
    """Finds public items of internal packages whose names occur nowhere else."""
    texts = {
        file: re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))
        for folder in sorted({path.parts[0] for path in (p.relative_to(root) for p in root.glob("*/**/*.rs"))})
        if folder != "target"
        for file in (root / folder).rglob("*.rs")
    }
    counts = Counter(name for text in texts.values() for name in re.findall(r"\b[A-Za-z_]\w*", text))
    for src in INTERNAL:
        for file, text in texts.items():
            if file.is_relative_to(root / src):
                for name in PUBLIC.findall(text):
                    if counts[name] == 1:
                        say(f"{file}: nothing uses `{name}`")


def check(root, say):
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tables = BEGIN.findall(text)
    if not tables:
        say("ARCHITECTURE.md has no table of rooms")
    for src, body in tables:
        check_crate(root / src, Table(body), say)
    for src, most in LIMIT.findall(text):
        check_limit(root / src, int(most), say)
    check_unused(root, say)
    names = Names(root)
    for page in [root / "ARCHITECTURE.md", root / "CONTRIBUTING.md", root / "docs/TERMS.md"]:
        if page.exists():
            check_page(page, names, say)


def test():
    """Checks that each mistake is found in a small crate, and that a correct crate passes."""
    right = {
        "ARCHITECTURE.md": "<!-- rooms: a/src -->\n| room | holds | may use |\n| --- | --- | --- |\n"
        "| `low/` | `low/mod.rs`, `Low::new` | none |\n| `high.rs` | more | all above |\n\n"
        "- `low/x.rs`, `low/y.rs`: they call each other\n<!-- end of rooms -->\n",
        "docs/TERMS.md": "| a call | `low/mod.rs` | `Low::new` |\n",
        "a/src/lib.rs": "mod low;\nmod high;\npub use low::Low;\npub use high::High;\n",
        "a/src/low/mod.rs": "mod x;\nmod y;\npub struct Low;\nimpl Low { pub fn new() -> Self { Low } }\n"
        "#[cfg(test)]\nmod tests { use crate::High; fn f(_: High) {} }\n",
        "a/src/low/x.rs": "pub fn x() { super::y::y() }\n",
        "a/src/low/y.rs": "pub fn y() { super::x::x() }\n",
        "a/src/high.rs": "use crate::Low;\npub struct High(Low); // crate::nothing\n",
    }
    low = right["a/src/low/mod.rs"]
    wrong = [
        ("an import", {"a/src/low/mod.rs": "use crate::high::High;\n" + low}, "must not use"),
        ("an import through the root", {"a/src/low/mod.rs": "use crate::{High as H};\n" + low}, "must not use"),
        ("a path", {"a/src/low/x.rs": "pub fn x() { super::y::y(); let _: crate::high::High; }\n"}, "must not use"),
        ("a path by super", {"a/src/low/mod.rs": low + "fn f(_: super::High) {}\n"}, "must not use"),
        ("a path in a macro", {"a/src/low/mod.rs": low + "macro_rules! m { () => { $crate::High } }\n"}, "must not use"),
        ("a path by an imported module", {"a/src/low/mod.rs": "use crate::high;\n" + low + "fn f(_: high::High) {}\n"}, "must not use"),
        ("a room", {"a/src/lib.rs": right["a/src/lib.rs"] + "mod new;\n", "a/src/new.rs": ""}, "no table"),
        ("a row", {"ARCHITECTURE.md": right["ARCHITECTURE.md"].replace("high.rs", "height.rs")}, "does not have"),
        ("a cycle", {"ARCHITECTURE.md": right["ARCHITECTURE.md"].replace("- `low/x.rs`", "- `low/z.rs`")}, "cycle"),
        ("a limit", {"ARCHITECTURE.md": right["ARCHITECTURE.md"] + "<!-- largest cycle: a/src 1 -->\n"}, "allows 1"),
        ("a file", {"ARCHITECTURE.md": right["ARCHITECTURE.md"] + "See `low/gone.rs`.\n"}, "no file"),
        ("a function", {"ARCHITECTURE.md": right["ARCHITECTURE.md"] + "See `Low::gone`.\n"}, "nothing is named"),
        ("an item", {"cuda-emulator/engine/src/lib.rs": "pub const fn lonely() {} // lonely\n"}, "nothing uses `lonely`"),
        ("a function of a file", {"docs/TERMS.md": "| a call | `high.rs` | `Low::new` |\n"}, "has no"),
    ]
    failed = 0
    for what, change, expected in [("nothing", {}, None), *wrong]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in {**right, **change}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            said = []
            check(root, said.append)
        if bool(said) != bool(expected) or expected and not any(expected in text for text in said):
            failed += 1
            print(f"{what}: expected {expected!r}, found {said}")
    if failed:
        sys.exit(1)
    print(f"rooms: {len(wrong)} mistakes are found")


def main():
    if "--test" in sys.argv:
        return test()
    if "--arrows" in sys.argv:
        text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        for src in dict.fromkeys([src for src, _ in BEGIN.findall(text)] + [src for src, _ in LIMIT.findall(text)]):
            _, found = arrows(ROOT / src)
            for (room, other), ((file, line, path), *_) in sorted(found.items()):
                print(f"{src}: {room} -> {other} ({file.relative_to(ROOT)}:{line}, {path})")
        return None
    said = []
    check(ROOT, said.append)
    for text in said:
        print(text.replace(f"{ROOT}/", ""))
    if said:
        sys.exit(1)
    print("rooms: the crates are as ARCHITECTURE.md describes them")
    return None


if __name__ == "__main__":
    main()
