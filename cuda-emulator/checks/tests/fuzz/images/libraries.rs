//! Malformed archives and objects.

use std::time::Instant;

use crate::{Random, end_of_fuzz};
use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::objects::{archive, code_object, device_runtime, object};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Adds a library to a kernel that needs it, and links. Returns whether that worked. It must not
/// panic.
fn survives(library: &[u8]) -> bool {
    let linker = super::Linker::new();
    let caller = format!("{HEAD}.extern .func one;\n.visible .entry get() {{ call one; ret; }}");
    assert_eq!(linker.add(caller.as_bytes()), CUresult::CUDA_SUCCESS);
    let code = linker.add_kind(CUjitInputType::CU_JIT_INPUT_LIBRARY, library);
    let known = [
        CUresult::CUDA_SUCCESS,
        CUresult::CUDA_ERROR_INVALID_IMAGE,
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
    ];
    // A panic becomes CUDA_ERROR_UNKNOWN.
    assert!(known.contains(&code), "{code:?}");
    if code != CUresult::CUDA_SUCCESS {
        return false;
    }
    let (mut image, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: The linker is live, and the result pointers are valid.
    let code = unsafe { cuLinkComplete(linker.state, &mut image, &mut size) };
    let linked = [
        CUresult::CUDA_ERROR_INVALID_PTX,
        CUresult::CUDA_ERROR_INVALID_SOURCE,
        CUresult::CUDA_ERROR_NOT_SUPPORTED,
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    ];
    assert!(known.contains(&code) || linked.contains(&code), "{code:?}");
    code == CUresult::CUDA_SUCCESS
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
    let edges = [
        0,
        1,
        63,
        64,
        0xffff,
        0xffff_ffff,
        1 << 40,
        u64::MAX - 63,
        u64::MAX,
    ];
    let mut random = Random(0x1234_5678_9abc_def1);
    let (end, mut runs, mut still) = (end_of_fuzz(), 0, 0);
    while Instant::now() < end {
        let mut changed = image.clone();
        for _ in 0..=random.next(4) {
            let at = random.next(changed.len() - 8);
            match random.next(4) {
                0 => changed[at] = random.next(256) as u8,
                1 => changed[at] ^= 1 << random.next(8),
                2 => changed[at..at + 8]
                    .copy_from_slice(&edges[random.next(edges.len())].to_le_bytes()),
                _ => {
                    let length = random.next(80).min(changed.len() - at);
                    let part = changed[at..at + length].to_vec();
                    let to = random.next(changed.len());
                    changed.splice(to..to, part);
                }
            }
        }
        runs += 1;
        still += usize::from(survives(&changed));
    }
    assert!(runs > 0);
    println!("{runs} changed libraries, {still} still linked");
}
