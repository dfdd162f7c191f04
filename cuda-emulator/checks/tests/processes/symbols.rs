//! The shared library: every symbol of the header, and `cuGetProcAddress`.

use cuda_emulator_checks::abi::*;
use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::ptr::null_mut;

/// Returns the `cdylib`, which cargo builds next to this test.
fn library() -> PathBuf {
    let deps = std::env::current_exe()
        .unwrap()
        .parent()
        .unwrap()
        .to_path_buf();
    let path = deps.join("libcuda_emulator.so");
    assert!(path.exists(), "{}", path.display());
    path
}

/// Returns every function of the header from which the bindings were generated, in all versions.
fn header_functions() -> Vec<String> {
    let files = [
        env!("EMULATOR_DEP_CUDA_BINDINGS"),
        env!("EMULATOR_DEP_CUDA_VERSIONED_BINDINGS"),
    ];
    let bindings = files
        .map(|file| std::fs::read_to_string(file).unwrap())
        .concat();
    bindings
        .split("pub fn cu")
        .skip(1)
        .map(|rest| rest.split('(').next().unwrap().trim().to_string())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(|name| format!("cu{name}"))
        .collect()
}

#[test]
fn every_function_of_the_header_is_exported() {
    let path = CString::new(library().to_str().unwrap()).unwrap();
    // SAFETY: Loading the emulator runs no code except the start-up of the Rust runtime.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    assert!(!handle.is_null());
    let functions = header_functions();
    assert!(functions.len() > 600, "{}", functions.len());
    let table = include_str!("../../../src/exports/symbols.txt");
    let versioned = table
        .lines()
        .flat_map(|line| line.split(' ').skip(2))
        .filter(|name| *name != "-");
    for name in functions.iter().map(String::as_str).chain(versioned) {
        let text = CString::new(name).unwrap();
        // SAFETY: The handle is live, and the name is NUL-terminated.
        let symbol = unsafe { libc::dlsym(handle, text.as_ptr()) };
        assert!(!symbol.is_null(), "{name}");
    }
    // The library also works when loaded this way, with separate tables.
    //
    // SAFETY: `cuInit` has this type.
    let init: extern "C" fn(u32) -> i32 =
        unsafe { std::mem::transmute(libc::dlsym(handle, c"cuInit".as_ptr())) };
    assert_eq!(init(0), 0);
}

#[test]
fn the_library_needs_no_driver_and_has_its_name() {
    let bytes = std::fs::read(library()).unwrap();
    let output = std::process::Command::new("readelf")
        .arg("-d")
        .arg(library())
        .output();
    let Ok(output) = output else {
        // Without binutils: the name must at least be among the strings of the library.
        assert!(bytes.windows(13).any(|window| window == b"libcuda.so.1\0"));
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Library soname: [libcuda.so.1]"), "{text}");
    assert!(
        !text
            .lines()
            .any(|line| line.contains("NEEDED") && line.contains("libcuda")),
        "{text}"
    );
}

#[test]
fn entry_points_by_name_and_version() {
    let find = |name: &str, version: i32, flags: u64| {
        let name = CString::new(name).unwrap();
        let mut status = CUdriverProcAddressQueryResult(9);
        let address: *mut c_void = out!(cuGetProcAddress_v2(
            name.as_ptr(),
            _,
            version,
            flags,
            &mut status
        ));
        (address, status.0)
    };
    let (alloc, status) = find("cuMemAlloc", 12000, 0);
    assert_eq!(
        (alloc as usize, status),
        (cuMemAlloc_v2 as *const () as usize, 0)
    );
    let found = find("cuMemAlloc_v2", 12000, 0);
    assert_eq!(found, (null_mut(), 1), "documented names only");
    assert_eq!(find("cuMemAllocAsync", 11000, 0), (null_mut(), 2));
    assert_eq!(find("cuNoSuchFunction", 12000, 0), (null_mut(), 1));
    let (legacy, _) = find("cuStreamSynchronize", 12000, 1);
    let (own, _) = find("cuStreamSynchronize", 12000, 2);
    assert_eq!(legacy as usize, cuStreamSynchronize as *const () as usize);
    assert_eq!(own as usize, cuStreamSynchronize_ptsz as *const () as usize);
    let mut status = CUdriverProcAddressQueryResult(9);
    fails!(
        INVALID,
        cuGetProcAddress_v2(c"cuInit".as_ptr(), null_mut(), 12000, 0, &mut status)
    );
    fails!(
        INVALID,
        cuGetProcAddress_v2(std::ptr::null(), &mut null_mut(), 12000, 0, &mut status)
    );
    fails!(
        INVALID,
        cuGetProcAddress_v2(c"cuInit".as_ptr(), &mut null_mut(), 99000, 0, &mut status)
    );
}

#[test]
fn unimplemented_functions_are_reported() {
    ok!(cuInit(0));
    fails!(NOT_SUPPORTED, cuTexRefDestroy(null_mut()));
    fails!(NOT_SUPPORTED, cuGLInit());
}
