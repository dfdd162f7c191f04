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

The functions that are implemented, by chapter of the driver's documentation, under their documented names. Their older \
forms (`_v2`, ...) and per-thread variants (`_ptsz`, `_ptds`) exist wherever the driver has them, except for the 32-bit \
forms from before CUDA 3.2.
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
        "Initialisation, version, error texts, entry points, profiler",
        "Profiler start and stop do nothing. `cuGetExportTable` knows no table, so the CUDA *runtime* library (`libcudart`) does not run on the emulator. `cuEmulatorGetReport` is the emulator's own.",
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
        "Parts of the multiprocessors, in the groups that an H200 makes; of single multiprocessors where the host has fewer than sixteen cores. A launch runs on as many threads as its green context has multiprocessors.",
    ),
    chapter(
        "memory",
        "Memory",
        "Memory is registered only where the pages are there, and may be written to unless it is said that the device only reads them.",
    ),
    chapter(
        "virtual_memory",
        "Virtual memory",
        "Granularity and codes are an H200's (driver 580), which maps physical memory as a whole. Physical memory that may be shared is a file in memory, whose descriptor is the shareable handle: each piece takes one. All other pieces share one file. A device without a link (`CUDA_EMULATOR_LINKS`) can't be given access. Addresses are not reserved where the caller wishes. A handle that isn't one is refused; a GPU's driver ends the process. There are no DMA buffers and no fabric.",
    ),
    chapter(
        "array",
        "CUDA arrays",
        "Lengths, formats and flags are accepted and refused as by an H200 (driver 580), but for what isn't emulated: arrays without memory of their own (sparse, mapped later) and for video. Texels lie in plain rows, each from a multiple of 8 bytes on, in memory that no address leads to. Destroying a level of a mipmapped array says success and does nothing, as there.",
    ),
    chapter(
        "texture",
        "Textures and surfaces",
        "Objects only: texture and surface references, which CUDA 12 removed, are not offered. What an H200's driver (580) refuses is refused here.",
    ),
    chapter(
        "tensor_map",
        "Tensor maps",
        "They are refused what the driver of an H200 refuses. The bytes are the emulator's own, and kernels on the emulator read no others.",
    ),
    chapter(
        "pool",
        "Stream-ordered allocation and pools",
        "What pools say of memory that they have and keep is what an H200's driver (580) says; addresses of freed memory are not reused at once. Pools are shared by file descriptors; the other process runs on an emulator too.",
    ),
    chapter(
        "copy",
        "Copies and fills",
        "Linear memory and arrays, in all forms.",
    ),
    chapter(
        "stream",
        "Streams",
        "Attributes are remembered and have no effect. A batch of memory operations is done as a whole or not at all. The flush of remote writes is refused, as on an H200.",
    ),
    chapter(
        "capture",
        "Capture",
        "Launches, copies, fills, host functions and stream memory operations are recorded; streams fork and join by events. Stream-ordered allocations become nodes. Callbacks, prefetches and launches of graphs can't be recorded: the last end a capture, as on an H200.",
    ),
    chapter(
        "graph",
        "Graphs",
        "A launch puts the work of all nodes on the launching stream, one after the other in an order that the edges allow: branches never run side by side. Nothing else on the stream comes between them. An event wait waits for what the event means at the launch. Launches of one executable graph follow each other, on whatever streams. Kernels launch graphs that were instantiated for it.",
    ),
    chapter(
        "graph_nodes",
        "Nodes of graphs",
        "Which body of a conditional node runs is decided when its turn has come. The memory of an allocation node is taken from the device when the node is made, and given back when its graph, the executable one and what was left of it are gone. Programmatic edges order like any other. Of a kernel node's attributes, the cooperative launch and the cluster take effect.",
    ),
    chapter(
        "graph_exec",
        "Changes of executable graphs",
        "What the driver's documentation allows: the contexts of kernels, and the sort of memory and the context of each side of a copy or fill, can't change. Nodes of two graphs are paired from the last ones backwards along the edges.",
    ),
    chapter("event", "Events", ""),
    chapter(
        "external",
        "External memory and semaphores",
        "There is no other interface here. Memory is what an emulator has exported; it counts against no device where it is imported. A semaphore is a file of `memfd_create`, sealed against shrinking, whose first page begins with the bytes `emu-sema` and two numbers of 64 bits: the kind (1 for a binary semaphore, 9 for a timeline) and the value, which anybody may map, and read and write by atomic operations. An H200's driver (580) takes one kind for the other, and any object of its own for a semaphore. Arrays in imported memory begin at a multiple of 512 bytes; their texels are plain rows, each from a multiple of 8 bytes on, level after level.",
    ),
    chapter(
        "graphics",
        "Sharing with OpenGL",
        "There is no OpenGL on an emulated device. The codes are those of an H200 (driver 580) on a thread where no OpenGL context is current.",
    ),
    chapter(
        "managed",
        "Managed memory",
        "There is one memory: nothing moves. Ranges tell of advice and prefetches what an H200's driver (580) tells. Discarded memory is filled with bytes `0xdd`.",
    ),
    chapter(
        "multicast",
        "Multicast objects",
        "All of them are refused, as on an H200 without a switch.",
    ),
    chapter(
        "ipc",
        "Sharing with other processes",
        "Between processes of one user, and of one emulator. Codes are an H200's (driver 580). Memory is of the device that it was allocated on, by its number. An event that a process has recorded and not reached when it ends counts as reached: an H200 lets others wait for ever. Events of a process that has ended can't be opened.",
    ),
    chapter(
        "module",
        "Modules",
        "PTX text, and fat binaries that contain PTX (plain, LZ4 or Zstandard). Machine code gives `CUDA_ERROR_NO_BINARY_FOR_GPU`.",
    ),
    chapter("library", "Libraries and kernels", ""),
    chapter(
        "link",
        "Linker",
        "PTX; fat binaries, host objects and libraries of these that contain PTX; `libcudadevrt.a`. Other machine code and NVVM IR are refused. Inputs that don't fit together (a name that none defines, a declaration unlike the definition) give `CUDA_ERROR_INVALID_SOURCE`, as on an H200.",
    ),
    chapter(
        "function",
        "Functions and occupancy",
        "The attributes of clusters are checked as an H200's driver does. Register counts are estimates, bounded as a compiler would; occupancy follows the limits of the architecture.",
    ),
    chapter(
        "launch",
        "Launches",
        "Launch attributes are checked as an H200's driver (580) does. Cooperative launches, clusters and events take effect; priorities, cache and domain hints and preferred clusters have none. Launches never overlap: an event of a launch happens at its end. Nodes that the device updates are refused by name. How many clusters fit is an H200's answer for 132 multiprocessors.",
    ),
    chapter("legacy", "The launch calls that CUDA 4.0 replaced", ""),
    chapter(
        "log",
        "Messages about failed calls",
        "Each failed call leaves the message that an H200's driver ends it with.",
    ),
    chapter(
        "coredump",
        "Core dumps of the device",
        "The settings only; what would make a dump is refused.",
    ),
    chapter(
        "checkpoint",
        "Checkpoint and restore of processes",
        "This process is running, and can't be locked.",
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
    out += "\nFunctions that are exported, but only return `CUDA_ERROR_NOT_SUPPORTED`:\n";
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
