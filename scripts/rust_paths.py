"""Reads the modules, names and paths of a Rust crate, without a compiler.

`Crate(root)` follows the `mod` declarations from a crate's root file. `uses()` yields each path of a file that leads to
an item of another file of the same crate, resolved through imports and re-exports to the file that defines the item.
Items under `#[cfg(test)]` are left out. Methods are not resolved: `stream.wait()` is not a path.
"""

import re
from pathlib import Path

TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*)
  | (?P<raw>(?:b|c)?r(?P<hashes>\#*)".*?"(?P=hashes))
  | (?P<string>(?:b|c)?"(?:\\.|[^"\\])*")
  | (?P<char>b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])')
  | (?P<lifetime>'[A-Za-z_]\w*)
  | (?P<name>(?:r\#)?[A-Za-z_]\w*)
  | (?P<number>\d[\w.]*?(?=\.\.|[^\w.]|$))
  | (?P<colons>::)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
OPEN, CLOSE = {"{": "}", "(": ")", "[": "]"}, {"}", ")", "]"}
ITEMS = {"fn", "struct", "enum", "union", "trait", "type", "const", "static"}


class Token(str):
    """A token's text, with its line number."""

    line = 0
    kind = ""


def tokens(text):
    """Returns the tokens of a file without spaces and comments; strings and characters are empty strings."""
    found, position, line = [], 0, 1
    while position < len(text):
        if text.startswith("/*", position):
            depth, end = 1, position + 2
            while depth and end < len(text):
                if text.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif text.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                else:
                    end += 1
            line += text.count("\n", position, end)
            position = end
            continue
        match = TOKEN.match(text, position)
        kind = match.lastgroup if match.lastgroup != "hashes" else "raw"
        if kind not in ("space", "comment"):
            shown = match.group()
            if kind in ("raw", "string", "char"):
                shown = '""'
            token = Token(shown[2:] if kind == "name" and shown.startswith("r#") else shown)
            token.line, token.kind = line, kind
            found.append(token)
        line += text.count("\n", position, match.end())
        position = match.end()
    return found


def closing(found, start):
    """Returns the index of the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(found)):
        if found[index] in OPEN and found[index].kind == "other":
            depth += 1
        elif found[index] in CLOSE and found[index].kind == "other":
            depth -= 1
            if depth == 0:
                return index
    return len(found) - 1


def end_of_item(found, start):
    """Returns the index after an item that begins at `start`: after its `;`, or after the braces of its body."""
    index = start
    while index < len(found):
        token = found[index]
        if token == ";":
            return index + 1
        if token in OPEN and token.kind == "other":
            close = closing(found, index)
            if token == "{":
                # `macro_name! { ... }` and bodies end here; `const X: T = T { .. };` goes on to its semicolon.
                follows = found[close + 1] if close + 1 < len(found) else ""
                if follows not in (";", ".", "?", ")", ","):
                    return close + 1
                if follows == ";":
                    return close + 2
            index = close + 1
            continue
        index += 1
    return index


def is_test(attribute):
    """Returns whether an attribute, given by its tokens, limits an item to tests."""
    text = "".join(attribute)
    return text == "test" or text.startswith("cfg(test") or text.startswith("cfg(all(test")


def strip_tests(found):
    """Returns the tokens without the items that are compiled only for tests."""
    kept, index = [], 0
    while index < len(found):
        if found[index] == "#" and index + 1 < len(found) and found[index + 1] in ("[", "!"):
            inner = found[index + 1] == "!"
            start = index + (2 if inner else 1)
            if start < len(found) and found[start] == "[":
                close = closing(found, start)
                if not inner and is_test(found[start + 1 : close]):
                    index = close + 1
                    while index < len(found) and found[index] == "#":
                        index = closing(found, index + 1) + 1
                    index = end_of_item(found, index)
                    continue
                kept.extend(found[index : close + 1])
                index = close + 1
                continue
        kept.append(found[index])
        index += 1
    return kept


def use_tree(found, start, prefix=()):
    """Yields (path, name) for each name in the tree of a use declaration at `start`. The name is None for `*`."""
    path, index = list(prefix), start
    while index < len(found):
        token = found[index]
        if token == "::":
            index += 1
        elif token == "{":
            close = closing(found, index)
            part = index + 1
            while part < close:
                end, depth = part, 0
                while end < close and (depth or found[end] != ","):
                    depth += (found[end] in OPEN) - (found[end] in CLOSE)
                    end += 1
                if end > part:
                    yield from use_tree(found[:end], part, path)
                part = end + 1
            return
        elif token == "*":
            yield tuple(path), None, found[index].line
            return
        elif token == "as":
            name = path[-1] if path[-1] != "self" else path[-2]
            path = path[:-1] if path[-1] == "self" else path
            yield tuple(path), str(found[index + 1]), found[index].line
            return
        elif token == ";":
            break
        else:
            path.append(str(token))
            index += 1
    if path and index > start:
        line = found[start].line
        if path[-1] == "self" and len(path) > 1:
            path = path[:-1]
        yield tuple(path), path[-1], line


class Module:
    """One module: its file, its names, its imports, and the paths in its code."""

    def __init__(self, path, file, parent):
        self.path, self.file, self.parent = path, file, parent
        self.items = set()
        self.imports = {}  # name -> (path, public, line)
        self.globs = []  # (path, public, line)
        self.children = {}
        self.paths = []  # (segments, line)


class Crate:
    """The modules of a crate, from its root file on."""

    def __init__(self, root):
        self.root = Path(root)
        self.modules = {}
        self.macros = {}  # names of macro_rules! -> module
        self.top = self._file((), self.root, None)

    def _file(self, path, file, parent):
        module = Module(path, file, parent)
        self.modules[path] = module
        found = strip_tests(tokens(file.read_text(encoding="utf-8")))
        self._body(module, found, file.parent if file.name in ("mod.rs", "lib.rs", "main.rs") else file.parent / file.stem)
        return module

    def _body(self, module, found, folder):
        index = 0
        while index < len(found):
            token = found[index]
            if token == "#":
                index = closing(found, index + (2 if found[index + 1] == "!" else 1)) + 1
                continue
            public = False
            if token == "pub":
                public = True
                index += 1
                if index < len(found) and found[index] == "(":
                    index = closing(found, index) + 1
                token = found[index]
            if token == "use":
                end = index
                while end < len(found) and found[end] != ";":
                    end += 1
                for path, name, line in use_tree(found[:end], index + 1):
                    if name is None:
                        module.globs.append((path, public, line))
                    elif name != "_":
                        module.imports[name] = (path, public, line)
                    else:
                        module.paths.append((path, line))
                index = end + 1
            elif token == "mod":
                name = str(found[index + 1])
                if found[index + 2] == ";":
                    file = folder / f"{name}.rs"
                    if not file.exists():
                        file = folder / name / "mod.rs"
                    if file.exists():
                        module.children[name] = self._file((*module.path, name), file, module)
                    index += 3
                else:
                    close = closing(found, index + 2)
                    child = Module((*module.path, name), module.file, module)
                    self.modules[child.path] = child
                    module.children[name] = child
                    self._body(child, found[index + 3 : close], folder / name)
                    index = close + 1
            elif token == "macro_rules":
                name = str(found[index + 2])
                self.macros[name] = module
                module.items.add(name)
                end = end_of_item(found, index + 3)
                self._code(module, found[index + 3 : end])
                index = end
            else:
                end = max(end_of_item(found, index), index + 1)
                self._item(module, found[index:end])
                index = end

    def _item(self, module, found):
        macro = len(found) > 2 and found[0].kind == "name" and found[1] == "!"
        for at, token in enumerate(found[:-1]):
            if token in ITEMS and found[at + 1].kind == "name" and (macro or found[0] not in ("impl",)):
                module.items.add(str(found[at + 1]))
                if not macro and token not in ("const",):
                    break
                if not macro and found[at + 1] not in ("fn", "unsafe"):
                    break
        self._code(module, found)

    def _code(self, module, found):
        index = 0
        while index < len(found):
            token = found[index]
            if token == "use" and (index == 0 or found[index - 1] in ("{", ";", "}")):
                # An import inside a function.
                end = index
                while end < len(found) and found[end] != ";":
                    end += 1
                for path, name, line in use_tree(found[:end], index + 1):
                    if name is None:
                        module.globs.append((path, False, line))
                    else:
                        module.imports.setdefault(name, (path, False, line))
                index = end + 1
                continue
            if token == "pub" and index + 1 < len(found) and found[index + 1] == "(":
                index = closing(found, index + 1) + 1
                continue
            if token.kind == "name" or (token == "$" and index + 1 < len(found) and found[index + 1] == "crate"):
                if token == "$":
                    index += 1
                    token = found[index]
                before = found[index - 1] if index else ""
                path = [str(token)]
                at = index + 1
                while at + 1 < len(found) and found[at] == "::" and found[at + 1].kind == "name":
                    path.append(str(found[at + 1]))
                    at += 2
                if before not in (".",):
                    macro = at + 1 < len(found) and found[at] == "!" and found[at + 1] in OPEN
                    module.paths.append((tuple(path) + (("!",) if macro else ()), token.line))
                index = at
                continue
            index += 1

    def resolve(self, module, path, seen=None, bare=True):
        """Returns the module that defines the item that `path` names in `module`, or None for another crate's."""
        seen = set() if seen is None else seen
        if not path or (module.path, path) in seen:
            return None
        seen.add((module.path, path))
        first, rest = path[0], path[1:]
        if first == "crate":
            return self._walk(self.top, rest, seen)
        if first == "self":
            return self._walk(module, rest, seen)
        if first == "super":
            parent = module.parent
            while rest and rest[0] == "super":
                parent, rest = parent.parent, rest[1:]
            return self._walk(parent, rest, seen)
        if not bare:
            return None
        return self._walk(module, path, seen, local=True)

    def _walk(self, module, path, seen, local=False):
        if module is None or not path:
            return module
        name, rest = path[0], path[1:]
        if name == "super":
            return self._walk(module.parent, rest, seen)
        if name in module.children:
            return self._walk(module.children[name], rest, seen) if rest else module.children[name]
        if name in module.items:
            return module
        if name in module.imports:
            target = self.resolve(module, module.imports[name][0], seen)
            if target is not None and rest and target.path and target.path[-1:] == module.imports[name][0][-1:]:
                deeper = self._walk(target, rest, seen)
                return deeper or target
            return target
        for glob, _, _ in module.globs:
            target = self.resolve(module, glob, set(seen))
            if target is not None and target is not module:
                found = self._walk(target, path, set(seen))
                if found is not None:
                    return found
        return None

    def is_module(self, module, path):
        """Returns whether `path` names a module rather than an item."""
        target = self.resolve(module, path)
        return target is not None and bool(target.path) and target.path[-1] == path[-1] and path[-1] not in target.items

    def uses(self):
        """Yields (module, target module, path, line) for every path to an item that another file defines."""
        for module in self.modules.values():
            for name, (path, public, line) in module.imports.items():
                if public or self.is_module(module, path):
                    continue
                target = self.resolve(module, path)
                if target is not None and target.file != module.file:
                    yield module, target, "::".join(path), line
            for path, line in module.paths:
                if path[-1] == "!":
                    path = path[:-1]
                    if len(path) == 1:
                        target = self.resolve(module, path) or self.macros.get(path[0])
                    else:
                        target = self.resolve(module, path)
                else:
                    target = self.resolve(module, path)
                    if len(path) == 1 and target is not None and target.path and target.path[-1] == path[0]:
                        continue
                if target is not None and target.file != module.file:
                    yield module, target, "::".join(path), line

    def file_edges(self):
        """{file: {file: [(path, line)]}}"""
        edges = {}
        for module, target, path, line in self.uses():
            edges.setdefault(module.file, {}).setdefault(target.file, []).append((path, line))
        return edges


def cycles(edges):
    """Returns the strongly connected components with more than one node."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for start in sorted(edges, key=str):
        if start in index:
            continue
        work = [(start, iter(sorted(edges.get(start, ()), key=str)))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            node, following = work[-1]
            for target in following:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(edges.get(target, ()), key=str))))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while True:
                        member = stack.pop()
                        on.discard(member)
                        part.append(member)
                        if member == node:
                            break
                    if len(part) > 1:
                        found.append(sorted(part, key=str))
    return found
