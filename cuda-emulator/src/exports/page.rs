//! The page of driver calls in the guide, generated from the list of exported functions.
//!
//! The test fails if the page differs from the list. With `UPDATE_PAGES=1` it writes the page
//! instead.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::symbols::{self, IMPLEMENTED};
use crate::process::exported_names::documented_name;

const HEAD: &str = "\
# Driver calls

The implemented functions, by chapter of the driver's documentation, under their documented names. Versioned forms \
(`_v2`, ...) and per-thread variants (`_ptsz`, `_ptds`) are also exported if the driver has them. The 32-bit forms from \
before CUDA 3.2 are not.
";

/// A file of `src/api`.
struct Chapter {
    file: &'static str,
    title: &'static str,
    /// The limits of the implementation.
    remarks: &'static str,
}

const fn chapter(file: &'static str, title: &'static str, remarks: &'static str) -> Chapter {
    Chapter {
        file,
        title,
        remarks,
    }
}

const CHAPTERS: &[Chapter] = &[
    chapter(
        "init",
        "Initialization, version, error texts, entry points, profiler",
        "Profiler start and stop do nothing. `cuGetExportTable` has no tables, so the CUDA *runtime* library (`libcudart`) does not run on the emulator. Only the emulator has `cuEmulatorGetReport`.",
    ),
    chapter(
        "device",
        "Devices and primary contexts",
        "Every attribute of the headers up to 13.5 has a value.",
    ),
    chapter(
        "context",
        "Contexts and peers",
        "Cache and shared-memory preferences are stored and have no effect.",
    ),
    chapter(
        "green",
        "Green contexts",
        "Multiprocessors are split into the same groups as on an H200, or one by one if the host has fewer than 16 cores. A launch uses one host thread for each multiprocessor of its green context.",
    ),
    chapter(
        "memory",
        "Memory",
        "`cuMemHostRegister` requires mapped pages. They must be writable unless the read-only flag is set.",
    ),
    chapter(
        "virtual_memory",
        "Virtual memory",
        "Granularity and error codes match an H200 (driver 580), which maps each physical allocation as a whole. Each shareable allocation has a separate memory file, whose descriptor is the shareable handle. All other allocations share one file. Granting access to a device without a link (`CUDA_EMULATOR_LINKS`) fails. The address hint of a reservation is ignored. An invalid handle returns an error, although NVIDIA's driver ends the process. DMA buffers and fabric handles are not supported.",
    ),
    chapter(
        "array",
        "CUDA arrays",
        "Checks of extents, formats and flags match an H200 (driver 580). Mapping memory to sparse and deferred-mapping arrays, and arrays for video, are not emulated. Texels are stored in plain rows, each aligned to 8 bytes, in memory that has no device address. Destroying a level of a mipmapped array returns success and does nothing, as on an H200.",
    ),
    chapter(
        "texture",
        "Textures and surfaces",
        "Only texture and surface objects are supported. CUDA 12 removed texture and surface references. Argument checks match an H200 (driver 580).",
    ),
    chapter(
        "tensor_map",
        "Tensor maps",
        "Argument checks match an H200's driver. The encoding is private to the emulator, and its kernels read no other encoding.",
    ),
    chapter(
        "pool",
        "Stream-ordered allocation and pools",
        "The reported sizes of reserved and used memory match an H200 (driver 580). Addresses of freed memory are not reused at once. Pools are shared through file descriptors, and the other process must also use the emulator. Windows has no shared pools.",
    ),
    chapter(
        "copy",
        "Copies and fills",
        "Linear memory and arrays, in all forms.",
    ),
    chapter(
        "stream",
        "Streams",
        "Attributes are stored and have no effect. A batch of memory operations executes completely or not at all. Flushing remote writes returns an error, as on an H200.",
    ),
    chapter(
        "capture",
        "Capture",
        "Launches, copies, fills, host functions and stream memory operations are captured. Streams fork and join through events. Stream-ordered allocations become nodes. Callbacks, prefetches and graph launches cannot be captured, and a graph launch ends the capture, as on an H200.",
    ),
    chapter(
        "graph",
        "Graphs",
        "A launch enqueues all nodes on the launching stream, one after another in an order that the edges allow. Branches never run concurrently, and no other work on the stream runs between the nodes. An event wait node waits for the event's most recent record at the time of the launch. Launches of the same executable graph are serialized, even on different streams. Kernels can launch graphs that were instantiated for device launch.",
    ),
    chapter(
        "graph_nodes",
        "Nodes of graphs",
        "A conditional node selects its body when it executes. An allocation node allocates its memory when it is created. The memory is freed when the graph, its executable graph and the remaining allocations have been destroyed. Programmatic edges are treated as full dependencies. Of a kernel node's attributes, only cooperative launch and cluster dimensions take effect.",
    ),
    chapter(
        "graph_exec",
        "Changes of executable graphs",
        "The driver's documented limits apply: a kernel's context cannot change, and neither can the memory type or context of each side of a copy or fill. `cuGraphExecUpdate` pairs the nodes of the two graphs from the leaves backwards along the edges.",
    ),
    chapter("event", "Events", ""),
    chapter(
        "external",
        "External memory and semaphores",
        "No graphics API is involved. Only memory that an emulator exported can be imported, and imported memory does not count towards a device's memory. A semaphore is a `memfd_create` file, sealed against shrinking. Its first page begins with the bytes `emu-sema`, followed by two 64-bit numbers: the kind (1 for binary, 9 for timeline) and the value. Any process may map the page and access the value atomically. On Windows, a semaphore is a section of the page file, and the kinds are 2 and 10. An H200's driver (580) accepts one kind in place of the other, and any object that it exported as a semaphore. Arrays in imported memory start at a multiple of 512 bytes. Their texels are stored in plain rows aligned to 8 bytes, one level after another.",
    ),
    chapter(
        "graphics",
        "Sharing with OpenGL",
        "Emulated devices have no OpenGL. Error codes match an H200 (driver 580) on a thread without a current OpenGL context.",
    ),
    chapter(
        "managed",
        "Managed memory",
        "Host and devices share one memory, so nothing migrates. Range attributes report advice and prefetches as an H200 (driver 580) does. Discarded memory is filled with `0xdd` bytes.",
    ),
    chapter(
        "multicast",
        "Multicast objects",
        "All calls return an error, as on an H200 without an NVSwitch.",
    ),
    chapter(
        "ipc",
        "Sharing with other processes",
        "Works between processes of the same user that run the same emulator, except on Windows. Error codes match an H200 (driver 580). Opened memory belongs to the device with the same ordinal as in the exporting process. If a process ends before a recorded event completes, the event counts as complete, while on an H200 other processes wait forever. Events of an ended process cannot be opened.",
    ),
    chapter(
        "module",
        "Modules",
        "Accepts PTX text, and fat binaries that contain PTX (uncompressed, LZ4 or Zstandard). Machine code returns `CUDA_ERROR_NO_BINARY_FOR_GPU`.",
    ),
    chapter("library", "Libraries and kernels", ""),
    chapter(
        "link",
        "Linker",
        "Accepts PTX, `libcudadevrt.a`, and fat binaries, host objects and libraries that contain PTX. Other machine code and NVVM IR return an error. Inconsistent inputs (an undefined name, or a declaration that differs from its definition) return `CUDA_ERROR_INVALID_SOURCE`, as on an H200.",
    ),
    chapter(
        "function",
        "Functions and occupancy",
        "Checks of cluster attributes match an H200's driver. Register counts are estimates within a compiler's bounds. Occupancy follows the limits of the architecture.",
    ),
    chapter(
        "launch",
        "Launches",
        "Checks of launch attributes match an H200 (driver 580). Cooperative launches, clusters and events take effect. Priorities, cache hints, memory domains and preferred clusters have no effect. Launches never overlap, so a launch's events complete at its end. Capturing a launch as a device-updatable node returns an error that names the attribute. The maximum number of active clusters is that of an H200 with 132 multiprocessors.",
    ),
    chapter("legacy", "The launch calls that CUDA 4.0 replaced", ""),
    chapter(
        "log",
        "Messages about failed calls",
        "Each failed call logs the last message that an H200's driver logs for it.",
    ),
    chapter(
        "coredump",
        "Core dumps of the device",
        "Settings are stored. Requests that would create a dump return an error.",
    ),
    chapter(
        "checkpoint",
        "Checkpoint and restore of processes",
        "The process is always reported as running and cannot be locked.",
    ),
];

/// Chapters of functions that are not implemented. A chapter takes the names that contain one of
/// its parts and are in no earlier chapter.
const MISSING: &[(&str, &[&str])] = &[
    (
        "Sharing with other processes and interfaces",
        &["cuGL", "cuWGL", "NvSci"],
    ),
    (
        "Graphs and stream capture",
        &["Graph", "Capture", "Recapture"],
    ),
    (
        "Arrays, textures and surfaces",
        &["Array", "Surf", "cuTensorMap", "cuTex", "TexRef"],
    ),
    ("Logical endpoints", &["cuLogicalEndpoint"]),
    (
        "Green contexts and device resources",
        &["DevResource", "cuDevSmResource"],
    ),
    ("Debugging and checkpoints", &["cuCheckpoint", "cuCoredump"]),
    ("Others", &[""]),
];

fn quoted(names: &BTreeSet<&str>) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" ")
}

fn implemented(file: &str) -> BTreeSet<&'static str> {
    let here = IMPLEMENTED.iter().filter(|(_, other)| *other == file);
    here.map(|(name, _)| documented_name(name)).collect()
}

fn page() -> String {
    let mut out = String::from(HEAD);
    out += "\n| chapter | functions | remarks |\n| --- | --- | --- |\n";
    for chapter in CHAPTERS {
        let names = quoted(&implemented(chapter.file));
        let _ = writeln!(out, "| {} | {names} | {} |", chapter.title, chapter.remarks);
    }
    out += "\nThese functions are exported but always return `CUDA_ERROR_NOT_SUPPORTED`:\n";
    out += "\n| chapter | functions |\n| --- | --- |\n";
    let done: BTreeSet<_> = IMPLEMENTED
        .iter()
        .map(|(n, _)| documented_name(n))
        .collect();
    let mut rest: BTreeSet<_> = symbols::names()
        .filter(|name| !done.contains(name))
        .collect();
    for (title, parts) in MISSING {
        let (here, others) = rest
            .into_iter()
            .partition::<BTreeSet<_>, _>(|name| parts.iter().any(|part| name.contains(part)));
        for part in *parts {
            let found = here.iter().any(|name| name.contains(part));
            assert!(found, "nothing with {part} is left to be done");
        }
        let _ = writeln!(out, "| {title} | {} |", quoted(&here));
        rest = others;
    }
    assert!(rest.is_empty(), "functions without a chapter: {rest:?}");
    out
}

#[test]
fn page_matches_the_list() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/driver-calls.md");
    let wanted = page();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/driver-calls.md differs from the list: run this test with UPDATE_PAGES=1"
    );
}

#[test]
fn every_file_has_one_chapter() {
    let files: BTreeSet<_> = IMPLEMENTED.iter().map(|(_, file)| *file).collect();
    let chapters: BTreeSet<_> = CHAPTERS.iter().map(|chapter| chapter.file).collect();
    assert_eq!(files, chapters);
    assert_eq!(chapters.len(), CHAPTERS.len(), "a file has two chapters");
}
