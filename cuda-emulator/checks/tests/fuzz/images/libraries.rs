//! Malformed archives and objects.

use super::mutated;
use crate::{Random, runs};
use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::linker::Linker;
use cuda_emulator_checks::objects::{archive, code_object, device_runtime, object};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Adds a library to a kernel that needs it, and links. Returns whether that worked. It must not
/// panic.
fn survives(library: &[u8]) -> bool {
    let linker = Linker::new();
    let caller = format!("{HEAD}.extern .func one;\n.visible .entry get() {{ call one; ret; }}");
    assert_eq!(
        linker.add(input::FAT_BINARY, caller.as_bytes(), c"image"),
        SUCCESS
    );
    let code = linker.add(input::LIBRARY, library, c"image");
    let known = [SUCCESS, INVALID_IMAGE, NO_BINARY_FOR_GPU];
    // A panic becomes CUDA_ERROR_UNKNOWN.
    assert!(known.contains(&code), "{code:?}");
    if code != SUCCESS {
        return false;
    }
    let code = code_of(linker.complete());
    let linked = [
        INVALID_PTX,
        INVALID_SOURCE,
        NOT_SUPPORTED,
        UNSUPPORTED_PTX_VERSION,
    ];
    assert!(known.contains(&code) || linked.contains(&code), "{code:?}");
    code == SUCCESS
}

#[test]
fn changed_libraries() {
    let _context = Own::new();
    let one = object(&format!("{HEAD}.visible .func one {{ ret; }}"));
    let code = code_object(&["two"]);
    let runtime = device_runtime();
    let image = archive(&[
        ("a_member_with_a_long_name.o", &one),
        ("code.o", &code),
        ("inner.a", &runtime),
    ]);
    assert!(survives(&image));
    for cut in 0..image.len() {
        survives(&image[..cut]);
    }
    let mut edges = vec![0, 1, 63, 64, 0xffff, (1 << 32) - 1, 1 << 40];
    edges.extend([u64::MAX - 63, u64::MAX]);
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut still = 0;
    for _ in runs(10_000) {
        let changed = mutated(&image, &edges, 80, &mut random);
        still += usize::from(survives(&changed));
    }
    println!("{still} changed libraries still linked");
}
