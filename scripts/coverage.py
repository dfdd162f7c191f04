#!/usr/bin/env python3
"""Which functions of the driver cuda-safe reaches: docs/COVERAGE.md.

    scripts/coverage.py FOLDER   writes the page, with chapters from the headers in a folder: those that the carried
                                 bindings were made of
    scripts/coverage.py --write  writes the page, with the chapters that it already has
    scripts/coverage.py          fails unless the page matches the sources and the carried bindings
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/COVERAGE.md"
HEADERS = ["cuda.h", "cudaGL.h", "cudaProfiler.h"]
NOT_YET = "no method yet"

# Why a function has no method, and is not to get one. Names are regular expressions.
REASONS = [
    (r"cuGetErrorName|cuGetErrorString",
     "errors have tables made from the header, which work without a driver"),
    (r"cuGetExportTable", "undocumented tables of the driver"),
    (r"cuMemMapArrayAsync", "arrays without memory are made and described here; what is mapped to their tiles is for raw calls"),
    (r"cuMemcpy(HtoD|DtoH|DtoD|Peer|2D|2DUnaligned|3D|3DPeer|)",
     "copies name a stream: the asynchronous form is used, and waited for"),
    (r"cuMemcpyAsync", "which way a copy goes is known here: cuMemcpyHtoDAsync and its kin are used"),
    (r"cuMemcpy(AtoA|AtoD|AtoH|DtoA|HtoA)(Async)?",
     "bytes of an array's row: RegionCopy takes boxes of texels of any array, by cuMemcpy2DAsync and cuMemcpy3DAsync"),
    (r"cuMemAllocHost", "cuMemHostAlloc does the same, with flags"),
    (r"cuArray(Create|GetDescriptor)", "cuArray3DCreate and cuArray3DGetDescriptor do the same for all arrays"),
    (r"cuMemsetD(8|16|32|2D8|2D16|2D32)", "fills name a stream: the asynchronous form is used"),
    (r"cuMemBatchDecompressAsync",
     "needs a device that decompresses (MEM_DECOMPRESS_ALGORITHM_MASK), which an H200 is not: nothing of it could be tested"),
    (r"cuMemGetLocationInfo",
     "newer than the newest driver that this project has been run on (13.0), so that nothing of it could be tested"),
    (r"cuStreamAddCallback", "replaced by cuLaunchHostFunc, says its documentation"),
    (r"cuModuleLoad|cuLinkAddFile|cuModuleLoadFatBinary|cuModuleLoadData",
     "files are read by Rust; all images go through cuModuleLoadDataEx and cuLinkAddData, with their logs"),
    (r"cuLibraryLoadFromFile", "files are read by Rust; all images go through cuLibraryLoadData, with its logs"),
    (r"cuKernelGetLibrary|cuFuncGetModule", "a kernel holds its library, a function its module"),
    (r"cuFuncGetParamCount", "cuFuncGetParamInfo refuses what is beyond the last parameter, in older drivers too"),
    (r"cuStreamCreate", "cuStreamCreateWithPriority does the same"),
    (r"cuGraphInstantiate", "cuGraphInstantiateWithParams does the same, and says why it refuses"),
    (r"cuGraph\w*Node(Get|Set)Params|cuGraphEvent(Record|Wait)Node[GS]etEvent|cuGraphKernelNodeCopyAttributes"
     r"|cuGraphChildGraphNodeGetGraph",
     "a graph that isn't instantiated gets its parameters where its nodes are added; GraphExec changes them afterwards"),
    (r"cuGraphExecNodeSetParams", "the calls of each kind of node are used, whose parameters have types"),
    (r"cuGraphNodeGet(Dependencies|DependentNodes)", "Graph::dependencies and dependents read the edges"),
    (r"cuGraph(Node|Exec|)Get(\w*Id|ContainingGraph)", "numbers and names for tools: Node and Graph are compared themselves"),
    (r"cuGraphExecGetFlags", "the caller knows them, and an H200's driver (580) forgets USE_NODE_PRIORITY"),
    (r"cuGraphDebugDotPrint", "Graph::to_dot writes no file"),
    (r"cuGraph(Retain|Release)UserObject|cuUserObject\w+", "Graph owns what its nodes use: keep, hold"),
    (r"cuStreamUpdateCaptureDependencies", "the streams say what waits for what; Graph::add_edge adds to it afterwards"),
    (r"cuOccupancyMax\w+WithFlags", "the one flag turns a cache off that devices since compute capability 6.0 don't have so"),
    (r"cuDevSmResourceSplit|cuStreamGetDevResource|cuCoredump(Reg|Dereg)ister\w*|cuCheckpointOperationComplete"
     r"|cuStreamBeginRecaptureToGraph|cuTensorMapSetAllocationClass",
     "newer than the newest driver that this project has been run on (13.0), so that nothing of it could be tested"),
    (r"cuStream(Begin|End)CaptureToCig", "for sharing a device with a graphics API of Windows"),
    (r"cuDeviceGet(FabricClusterUuid|CliqueCount|CliqueInfo)|cuFabricCpyBatchAsync|cuLogicalEndpoint\w*",
     "newer than the newest driver that this project has been run on (13.0), and about clusters of hosts"),
    (r"cuDeviceGetLuid", "Windows only: elsewhere it is an error"),
    (r"cuDeviceGetNvSciSyncAttributes", "takes objects of NvSciSync, a library of NVIDIA's embedded systems"),
    (r"cuDevicePrimaryCtxReset",
     "destroys under everybody's hands what every handle of the primary context in the process refers to"),
    (r"cuDevice(Unr|R)egisterAsyncNotification",
     "tells of memory budgets in a system with several tenants, which no machine of this project has"),
]
REASONS = [(re.compile(f"(?:{name})"), reason) for name, reason in REASONS]


def plain(name):
    """The name in the documentation: without the version of its signature."""
    name = re.sub(r"(_v\d+)?(_ptsz|_ptds)?$", "", name)
    return {"cuGraphInstantiateWithFlags": "cuGraphInstantiate"}.get(name, name)


def functions(bindings):
    """The documentation's names of all functions in the bindings."""
    return {plain(name) for name in re.findall(r"^    pub fn (cu[A-Z]\w*)", bindings, re.M)}


def chapters(header):
    """[(chapter, [function])] and the deprecated ones, as the header has them."""
    found, deprecated, chapter, seen = {}, set(), None, set()
    token = re.compile(r"\\defgroup \w+ (?P<chapter>[^\n]+)"
                       r"|(?P<old>__CUDA_DEPRECATED )?CUresult(?: CUDAAPI)?\s+(?:CUDAAPI\s+)?(?P<name>cu[A-Z]\w*)\(")
    for match in token.finditer(header):
        if match["chapter"]:
            chapter = match["chapter"].replace("[DEPRECATED]", "").strip()
        elif match["name"] and plain(match["name"]) not in seen:
            name = plain(match["name"])
            seen.add(name)
            found.setdefault(chapter, []).append(name)
            if match["old"]:
                deprecated.add(name)
    return found, deprecated


def reached(sources):
    """{function: files that call it}. Comments don't count, nor names for searches."""
    where = {}
    for path, text in sources:
        code = re.sub(r"//[^\n]*|#\[doc[^\n]*", "", text)
        names = re.findall(r"\bsys::(cu[A-Z]\w*)\b(?=\s*\()", code)
        # Functions that are looked up: their table, and who takes them from it.
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
        "# Which functions of the driver have methods",
        "",
        "Made by `scripts/coverage.py` from `cuda.h` and the sources; `make check` compares. Every function is in",
        "`cuda_safe::sys`; this page is about `cuda-safe`. Names are those of the documentation, without the version of a",
        "signature.",
        "",
        f"Of {total} functions, {have} are called by `cuda-safe`, {count('raw')} are left to raw calls for the reason that is "
        f"given, {count('deprecated')} are",
        f"deprecated, and {count(NOT_YET)} have no method yet.",
    ]
    for chapter, names in found.items():
        out += ["", f"## {chapter}", "", "| function | |", "| --- | --- |"]
        out += [f"| `{name}` | {state(name, where, deprecated)} |" for name in names]
    return "\n".join(out) + "\n"


def read(text):
    """The chapters and the deprecated functions of a page."""
    found, deprecated, chapter = {}, set(), None
    for line in text.splitlines():
        if line.startswith("## "):
            chapter = line[3:]
        elif match := re.match(r"\| `(cu\w+)` \| (.*) \|", line):
            found.setdefault(chapter, []).append(match[1])
            if match[2] == "deprecated":
                deprecated.add(match[1])
    return found, deprecated


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
        return f"called by cuda-safe, and not in the bindings: {', '.join(strangers)}"
    text = page(found, deprecated, where)
    if write:
        PAGE.write_text(text)
    elif text != PAGE.read_text():
        return f"{PAGE.relative_to(ROOT)} does not match the sources. Fix: run scripts/coverage.py --write"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
