#!/usr/bin/env python3
"""Lists the driver functions that cuda-safe calls in docs/COVERAGE.md, and links its documentation to NVIDIA's manual.

    scripts/coverage.py FOLDER   writes the page and the links, with chapters from the headers in a folder, from which the
                                 carried bindings must have been generated
    scripts/coverage.py --write  writes the page and the links with the page's existing chapters
    scripts/coverage.py          fails unless page and links match the sources and the carried bindings

The links are a line "See ... in NVIDIA's manual." in the documentation of each item that has aliases such as
`#[doc(alias = "cuMemAlloc")]`. They lead to the function's chapter.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/COVERAGE.md"
HEADERS = ["cuda.h", "cudaGL.h", "cudaProfiler.h"]
NOT_YET = "no method yet"
MANUAL = "https://docs.nvidia.com/cuda/cuda-driver-api"
COMPILER = {"nvrtc": "https://docs.nvidia.com/cuda/nvrtc/index.html",
            "nvJitLink": "https://docs.nvidia.com/cuda/nvjitlink/index.html"}
LINKS = re.compile(r"\s*/// See .* in NVIDIA's manual\.")
ALIAS = re.compile(r'#\[doc\(alias = "((?:cu[A-Z]|nvrtc|nvJitLink)\w*)"\)\]')

# The reasons why functions have no method and should not get one. Names are regular expressions.
REASONS = [
    (r"cuGetErrorName|cuGetErrorString",
     "error names come from tables generated from the header, which work without a driver"),
    (r"cuGetExportTable", "returns undocumented tables of the driver"),
    (r"cuMemMapArrayAsync", "arrays without memory can be created and queried, but mapping memory to their tiles requires raw calls"),
    (r"cuMemcpy(HtoD|DtoH|DtoD|Peer|2D|2DUnaligned|3D|3DPeer|)",
     "copies take a stream: the asynchronous form is used, followed by a wait"),
    (r"cuMemcpyAsync", "the direction of a copy is known: cuMemcpyHtoDAsync and similar functions are used"),
    (r"cuMemcpy(AtoA|AtoD|AtoH|DtoA|HtoA)(Async)?",
     "copies bytes of an array's row: RegionCopy copies boxes of texels of any array with cuMemcpy2DAsync and cuMemcpy3DAsync"),
    (r"cuMemAllocHost", "cuMemHostAlloc does the same, with flags"),
    (r"cuArray(Create|GetDescriptor)", "cuArray3DCreate and cuArray3DGetDescriptor do the same for all arrays"),
    (r"cuMemsetD(8|16|32|2D8|2D16|2D32)", "fills take a stream: the asynchronous form is used"),
    (r"cuMemBatchDecompressAsync",
     "needs a device that supports decompression (MEM_DECOMPRESS_ALGORITHM_MASK), which an H200 does not, so it can't be tested"),
    (r"cuMemGetLocationInfo",
     "newer than the newest driver that this project has been run on (13.0), so it can't be tested"),
    (r"cuStreamAddCallback", "replaced by cuLaunchHostFunc, according to its documentation"),
    (r"cuModuleLoad|cuLinkAddFile|cuModuleLoadFatBinary|cuModuleLoadData",
     "Rust reads the files, and all images are loaded with cuModuleLoadDataEx and cuLinkAddData, which return logs"),
    (r"cuLibraryLoadFromFile", "Rust reads the files, and all images are loaded with cuLibraryLoadData, which returns logs"),
    (r"cuKernelGetLibrary|cuFuncGetModule", "a kernel owns a reference to its library, and a function to its module"),
    (r"cuFuncGetParamCount", "cuFuncGetParamInfo returns an error beyond the last parameter, in older drivers too"),
    (r"cuStreamCreate", "cuStreamCreateWithPriority does the same"),
    (r"cuGraphInstantiate", "cuGraphInstantiateWithParams does the same, and returns the reason if it fails"),
    (r"cuGraph\w*Node(Get|Set)Params|cuGraphEvent(Record|Wait)Node[GS]etEvent|cuGraphKernelNodeCopyAttributes"
     r"|cuGraphChildGraphNodeGetGraph",
     "a graph gets its parameters when its nodes are added, and GraphExec changes them after instantiation"),
    (r"cuGraphExecNodeSetParams", "the functions for each kind of node are used, whose parameters have types"),
    (r"cuGraphNodeGet(Dependencies|DependentNodes)", "Graph::dependencies and dependents read the edges"),
    (r"cuGraph(Node|Exec|)Get(\w*Id|ContainingGraph)", "identifiers and names for tools: Node and Graph can be compared directly"),
    (r"cuGraphExecGetFlags", "the caller knows them, and an H200's driver (580) does not return USE_NODE_PRIORITY"),
    (r"cuGraphDebugDotPrint", "replaced by Graph::to_dot, which does not need a file"),
    (r"cuGraph(Retain|Release)UserObject|cuUserObject\w+", "Graph owns the objects that its nodes use: keep, hold"),
    (r"cuStreamUpdateCaptureDependencies", "the streams determine the dependencies, and Graph::add_edge adds further ones"),
    (r"cuOccupancyMax\w+WithFlags", "the only flag disables a cache that devices since compute capability 6.0 don't have in this form"),
    (r"cuDevSmResourceSplit|cuStreamGetDevResource|cuCoredump(Reg|Dereg)ister\w*|cuCheckpointOperationComplete"
     r"|cuStreamBeginRecaptureToGraph|cuTensorMapSetAllocationClass",
     "newer than the newest driver that this project has been run on (13.0), so it can't be tested"),
    (r"cuStream(Begin|End)CaptureToCig", "shares a device with a graphics API of Windows"),
    (r"cuDeviceGet(FabricClusterUuid|CliqueCount|CliqueInfo)|cuFabricCpyBatchAsync|cuLogicalEndpoint\w*",
     "newer than the newest driver that this project has been run on (13.0), and for clusters of hosts"),
    (r"cuDeviceGetLuid", "only works on Windows"),
    (r"cuDeviceGetNvSciSyncAttributes", "takes objects of NvSciSync, a library for NVIDIA's embedded systems"),
    (r"cuDevicePrimaryCtxReset",
     "destroys the primary context while other handles in the process still refer to it"),
    (r"cuDevice(Unr|R)egisterAsyncNotification",
     "returns memory budgets of systems with several tenants, which this project has no access to"),
]
REASONS = [(re.compile(f"(?:{name})"), reason) for name, reason in REASONS]


def plain(name):
    """Returns the name in the documentation: without the version of its signature."""
    name = re.sub(r"(_v\d+)?(_ptsz|_ptds)?$", "", name)
    return {"cuGraphInstantiateWithFlags": "cuGraphInstantiate"}.get(name, name)


def functions(bindings):
    """Returns the documentation's names of all functions in the bindings."""
    return {plain(name) for name in re.findall(r"^    pub fn (cu[A-Z]\w*)", bindings, re.M)}


def chapters(header):
    """Returns [(chapter, [function])] and the deprecated functions, in the header's order."""
    found, deprecated, chapter, seen = {}, set(), None, set()
    token = re.compile(r"\\defgroup (?P<group>\w+) (?P<chapter>[^\n]+)"
                       r"|(?P<old>__CUDA_DEPRECATED )?CUresult(?: CUDAAPI)?\s+(?:CUDAAPI\s+)?(?P<name>cu[A-Z]\w*)\(")
    for match in token.finditer(header):
        if match["chapter"]:
            title = match["chapter"].replace("[DEPRECATED]", "").strip()
            chapter = f"[{title}]({MANUAL}/group__{match['group'].replace('_', '__')}.html)"
        elif match["name"] and plain(match["name"]) not in seen:
            name = plain(match["name"])
            seen.add(name)
            found.setdefault(chapter, []).append(name)
            if match["old"]:
                deprecated.add(name)
    return found, deprecated


def reached(sources):
    """Returns {function: files that call it}. Comments and names for searches don't count."""
    where = {}
    for path, text in sources:
        code = re.sub(r"//[^\n]*|#\[doc[^\n]*", "", text)
        names = re.findall(r"\bsys::(cu[A-Z]\w*)\b(?=\s*\()", code)
        # Functions that are looked up: their table, and the code that reads them from it.
        names += re.findall(r"\bnewer::(cu[A-Z]\w*)\(", code)
        for name in names:
            where.setdefault(plain(name), set()).add(path)
    return where


def sources():
    base = ROOT / "cuda-safe/src"
    for path in sorted(base.rglob("*.rs")):
        yield path.relative_to(base).as_posix(), path.read_text()


def state(name, where, deprecated):
    if name in where:
        files = ", ".join(f"`{path}`" for path in sorted(where[name]))
        return f"yes: {files}"
    if name in deprecated:
        return "deprecated"
    for pattern, reason in REASONS:
        if pattern.fullmatch(name):
            return f"raw: {reason}"
    return NOT_YET


def page(found, deprecated, where):
    total = sum(map(len, found.values()))
    have = sum(name in where for names in found.values() for name in names)
    rows = [(name, state(name, where, deprecated)) for names in found.values() for name in names]
    count = lambda start: sum(text.startswith(start) for _, text in rows)
    out = [
        "# Driver functions with methods",
        "",
        "Generated by `scripts/coverage.py` from `cuda.h` and the sources. `make check` verifies it. Every function is in",
        "`cuda_safe::sys`. This page is about `cuda-safe`. Names are those of the documentation, without the version of a",
        "signature.",
        "",
        f"Of {total} functions, {have} are called by `cuda-safe`, {count('raw')} are only available as raw calls for the reason",
        f"given, {count('deprecated')} are deprecated, and {count(NOT_YET)} have no method yet.",
    ]
    for chapter, names in found.items():
        out += ["", f"## {chapter}", "", "| function | |", "| --- | --- |"]
        out += [f"| `{name}` | {state(name, where, deprecated)} |" for name in names]
    return "\n".join(out) + "\n"


def read(text):
    """Returns the chapters and the deprecated functions of a page."""
    found, deprecated, chapter = {}, set(), None
    for line in text.splitlines():
        if line.startswith("## "):
            chapter = line[3:]
        elif match := re.match(r"\| `(cu\w+)` \| (.*) \|", line):
            found.setdefault(chapter, []).append(match[1])
            if match[2] == "deprecated":
                deprecated.add(match[1])
    return found, deprecated


def linked(text, pages):
    """Returns the text of a source file with a line of links for each item that has aliases."""
    lines, out = text.splitlines(), []
    while lines:
        size = 0
        while size < len(lines) and lines[size].lstrip().startswith(("///", "#[")):
            size += 1
        block, lines = lines[:size], lines[size:]
        out += with_links(block, pages)
        if lines:
            out.append(lines.pop(0))
    return "\n".join(out) + "\n"


def with_links(block, pages):
    """Returns the documentation and the attributes of an item, with its links."""
    old = [at for at, line in enumerate(block) if LINKS.fullmatch(line)]
    for at in reversed(old):
        del block[at]
        if block[at - 1].strip() == "///":
            del block[at - 1]
    functions = {}
    for line in block:
        for name in ALIAS.findall(line):
            compiler = next((page for prefix, page in COMPILER.items() if name.startswith(prefix)), None)
            functions.setdefault(pages.get(plain(name), compiler), []).append(f"`{name}`")
    functions.pop(None, None)
    documentation = [at for at, line in enumerate(block) if line.lstrip().startswith("///")]
    if not functions or not documentation:
        return block
    heading = [at for at in documentation if re.match(r"\s*/// #+ ", block[at]) and not in_code(block[:at])]
    at = heading[0] if heading else documentation[-1] + 1
    indent = re.match(r"\s*", block[documentation[0]])[0]
    links = ", ".join(f"[{', '.join(names)}]({page})" for page, names in functions.items())
    new = [f"{indent}/// See {links} in NVIDIA's manual."]
    if block[at - 1].strip() != "///":
        new.insert(0, f"{indent}///")
    if heading:
        new.append(f"{indent}///")
    return block[:at] + new + block[at:]


def in_code(lines):
    return sum(line.lstrip().startswith("/// ```") for line in lines) % 2 == 1


def main(arguments):
    where = reached(sources())
    known = functions((ROOT / "cuda-sys/bindings/cuda.rs").read_text())
    write = bool(arguments)
    if arguments and arguments != ["--write"]:
        folder = pathlib.Path(arguments[0])
        found, deprecated = chapters("".join((folder / name).read_text() for name in HEADERS))
        found = {chapter: [n for n in names if n in known] for chapter, names in found.items()}
        found = {chapter: names for chapter, names in found.items() if names}
    else:
        found, deprecated = read(PAGE.read_text())
    listed = {name for names in found.values() for name in names}
    if listed != known:
        return f"not in the table, or no longer in the bindings: {', '.join(sorted(listed ^ known))}"
    strangers = sorted(set(where) - known)
    if strangers:
        return f"called by cuda-safe, but not in the bindings: {', '.join(strangers)}"
    pages = {name: chapter[chapter.index("](") + 2:-1] for chapter, names in found.items() for name in names}
    texts = {PAGE: page(found, deprecated, where)}
    for path in (ROOT / "cuda-safe/src").rglob("*.rs"):
        texts[path] = linked(path.read_text(), pages)
    changed = [path for path, text in texts.items() if text != path.read_text()]
    for path in changed:
        if not write:
            return f"{path.relative_to(ROOT)} does not match the sources. Fix: run scripts/coverage.py --write"
        path.write_text(texts[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
