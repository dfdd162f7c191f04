//! Modules: loading from every kind of image, lookup, unloading, and the state after errors.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::objects::fat_binary_for;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

fn module_of(body: &str) -> CUmodule {
    load(&format!("{HEAD}{body}"))
}

/// Loads an image. Returns the code, the module and the error log.
fn try_load(image: *const u8) -> (CUresult, CUmodule, String) {
    let mut log = [0u8; 1000];
    let mut options = [5, 6].map(CUjit_option);
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), 1000 as *mut c_void];
    let (options, values, mut module) = (options.as_mut_ptr(), values.as_mut_ptr(), null_mut());
    let (to, image) = (&raw mut module, image.cast());
    let code = call!(cuModuleLoadDataEx(to, image, 2, options, values));
    let text = CStr::from_bytes_until_nul(&log).unwrap();
    (code, module, text.to_str().unwrap().to_string())
}

#[test]
fn fat_binaries_load_the_best_matching_text() {
    let _context = Own::new();
    // Each text has a kernel named after its index.
    let texts: Vec<_> = (0..4)
        .map(|place| format!("{HEAD}.visible .entry at{place}() {{ ret; }}\n"))
        .collect();
    for (architectures, best) in [
        (&[70][..], 0),
        (&[120], 0),
        (&[50, 90], 1),
        (&[90, 50], 0),
        (&[75, 89, 80], 1),
        (&[50, 91], 0),
        (&[91, 89], 1),
        (&[120, 100, 110], 1),
        (&[10, 20, 15], 1),
        // The first of equal entries.
        (&[80, 80], 0),
        (&[100, 100], 0),
        (&[90, 100, 90], 0),
    ] {
        let pairs = architectures.iter().zip(&texts);
        let entries: Vec<_> = pairs
            .map(|(one, text)| (1, *one, text.as_bytes()))
            .collect();
        let image = fat_binary_for(&entries);
        let (code, module, log) = try_load(image.as_ptr());
        assert_eq!(code, SUCCESS, "{architectures:?}: {log}");
        function(module, &format!("at{best}"));
        assert_eq!(out!(cuModuleGetFunctionCount(_, module)), 1);
        // Wrapped as nvcc does.
        let wrapper = [0x1_4662_43b1_u64, image.as_ptr() as u64, 0];
        let wrapped = out!(cuModuleLoadFatBinary(_, wrapper.as_ptr().cast()));
        function(wrapped, &format!("at{best}"));
    }
    let machine_code = (2, 90, b"machine code".as_slice());
    for (entries, reason) in [(&[machine_code][..], "machine code"), (&[], "empty")] {
        let (code, _, log) = try_load(fat_binary_for(entries).as_ptr());
        assert_eq!(code, NO_BINARY_FOR_GPU);
        assert!(log.contains(reason), "{log}");
    }
    let with_text = fat_binary_for(&[machine_code, (1, 70, texts[3].as_bytes())]);
    let (code, module, log) = try_load(with_text.as_ptr());
    assert_eq!((code, log.as_str()), (SUCCESS, ""));
    function(module, "at3");
}

#[test]
fn load_errors_have_a_code_and_a_reason() {
    let _context = Own::new();
    let local = format!("{HEAD}.local .align 4 .b8 place[16];\n.visible .entry k() {{ ret; }}\n");
    let newer = ".version 99.0\n.target sm_70\n.address_size 64\n".to_string();
    let broken = format!("{HEAD}.visible .entry k() {{ mov.u32 %r9, 1; }}\n");
    for (text, expected, reason) in [
        (local, NOT_SUPPORTED, ".local"),
        (newer, UNSUPPORTED_PTX_VERSION, "99.0"),
        (broken, INVALID_PTX, "line 4"),
        (" no ptx".into(), INVALID_IMAGE, "PTX"),
        ("x".into(), INVALID_IMAGE, "PTX"),
        ("\x7fELF".into(), NO_BINARY_FOR_GPU, "machine code"),
    ] {
        let text = CString::new(text).unwrap();
        let (code, module, log) = try_load(text.as_ptr().cast());
        assert_eq!(code, expected, "{log}");
        assert!(module.is_null() && log.contains(reason), "{log}");
    }
    let (code, _, log) = try_load(null());
    assert_eq!(code, INVALID);
    assert!(log.contains("null"), "{log}");
}

#[test]
fn every_load_function_checks_its_arguments() {
    let path = std::env::temp_dir().join(format!("cuda-emulator-module-{}", std::process::id()));
    std::fs::write(&path, format!("{HEAD}.visible .entry k() {{ ret; }}\n")).unwrap();
    let text = CString::new(std::fs::read(&path).unwrap()).unwrap();
    let (image, mut module) = (text.as_ptr().cast::<c_void>(), null_mut());
    let name = CString::new(path.to_str().unwrap()).unwrap();
    let (file, no) = (name.as_ptr(), null_mut());
    ok!(cuInit(0));
    ok!(cuCtxSetCurrent(null_mut()));
    no_context!(cuModuleLoad(&mut module, file));
    no_context!(cuModuleLoadData(&mut module, image));
    no_context!(cuModuleLoadDataEx(&mut module, image, 0, no, null_mut()));
    no_context!(cuModuleLoadFatBinary(&mut module, image));
    let _context = Own::new();
    invalid!(cuModuleLoad(null_mut(), file));
    invalid!(cuModuleLoad(&mut module, null()));
    invalid!(cuModuleLoadData(null_mut(), image));
    invalid!(cuModuleLoadData(&mut module, null()));
    invalid!(cuModuleLoadDataEx(null_mut(), image, 0, no, null_mut()));
    invalid!(cuModuleLoadDataEx(&mut module, null(), 0, no, null_mut()));
    invalid!(cuModuleLoadFatBinary(null_mut(), image));
    invalid!(cuModuleLoadFatBinary(&mut module, null()));
    assert!(module.is_null());
    for module in [
        out!(cuModuleLoad(_, file)),
        out!(cuModuleLoadData(_, image)),
        out!(cuModuleLoadDataEx(_, image, 0, no, null_mut())),
    ] {
        function(module, "k");
        ok!(cuModuleUnload(module));
    }
    std::fs::remove_file(&path).unwrap();
    fails!(FILE_NOT_FOUND, cuModuleLoad(&mut module, file));
    assert_eq!(out!(cuModuleGetLoadingMode(_)).0, 1, "eager");
    invalid!(cuModuleGetLoadingMode(null_mut()));
}

#[test]
fn the_wall_time_is_in_milliseconds() {
    let _context = Own::new();
    let kernels: String = (0..500)
        .map(|index| format!(".visible .entry k{index}(.param .u64 p) {{ .reg .b64 %d<2>; ld.param.u64 %d1, [p]; st.global.u64 [%d1], %d1; ret; }}\n"))
        .collect();
    let text = CString::new(format!("{HEAD}{kernels}")).unwrap();
    let (mut option, mut values) = (CUjit_option(2), [null_mut::<c_void>(); 1]);
    let start = std::time::Instant::now();
    let (image, place) = (text.as_ptr().cast(), values.as_mut_ptr());
    out!(cuModuleLoadDataEx(_, image, 1, &mut option, place));
    let around = start.elapsed().as_secs_f64() * 1e3;
    let wall = f64::from(f32::from_bits(values[0] as usize as u32));
    // Most of the call is loading. The tolerance allows for pauses on a busy machine.
    let accepted = around / 500.0..=around * 1.001;
    assert!(accepted.contains(&wall), "{wall} of {around} ms");
}

#[test]
fn functions_are_counted_and_listed() {
    let _context = Own::new();
    let module = module_of(
        ".visible .entry a() { ret; }\n.visible .entry b() { ret; }\n.visible .entry c() { ret; }\n\
         .visible .func f() { ret; }\n.visible .global .u32 g;\n",
    );
    let functions = ["a", "b", "c"].map(|name| function(module, name));
    assert_eq!(out!(cuModuleGetFunctionCount(_, module)), 3);
    for capacity in [1, 2, 3, 5] {
        let mut all = [null_mut(); 5];
        let place = all.as_mut_ptr();
        ok!(cuModuleEnumerateFunctions(place, capacity, module));
        let listed = capacity.min(3) as usize;
        assert_eq!(all[..listed], functions[..listed]);
        let others = &all[listed..];
        assert!(
            others.iter().all(|one| one.is_null()),
            "more than requested"
        );
    }
    let mut one = null_mut();
    invalid!(cuModuleEnumerateFunctions(&mut one, 0, module));
    invalid!(cuModuleEnumerateFunctions(null_mut(), 1, module));
    invalid!(cuModuleGetFunctionCount(null_mut(), module));
    invalid!(cuModuleGetFunction(null_mut(), module, c"a".as_ptr()));
    for name in [c"f", c"g", c"", c"aa"] {
        let name = name.as_ptr();
        fails!(NOT_FOUND, cuModuleGetFunction(&mut one, module, name));
    }
    assert!(one.is_null());
}

#[test]
fn variables_have_correct_sizes_and_alignments() {
    let _context = Own::new();
    let before = alloc(1);
    let module = module_of(
        ".visible .global .align 1 .u8 tiny = 3;\n.visible .global .align 4096 .b8 page[5000];\n\
         .visible .global .align 8192 .b8 pages[3];\n.visible .const .align 16 .b8 fixed[32];\n",
    );
    let get = cuModuleGetGlobal_v2;
    for (name, bytes, align) in [
        (c"tiny", 1, 1),
        (c"page", 5000, 4096),
        (c"pages", 3, 8192),
        (c"fixed", 32, 16),
    ] {
        let (mut size, place) = (0, name.as_ptr());
        let address = out!(get(_, &mut size, module, place));
        let found = (size, address % align);
        assert_eq!(found, (bytes, 0), "{name:?} at {address:#x}");
        assert_eq!(out!(get(_, null_mut(), module, place)), address);
        assert_eq!(out!(get(null_mut(), _, module, place)), size);
        invalid!(get(null_mut(), null_mut(), module, place));
        // The size is exact.
        ok!(cuMemsetD8_v2(address, 9, size));
        invalid!(cuMemsetD8_v2(address, 9, size + 1));
    }
    let (mut address, mut size) = (7, 7);
    invalid!(get(&mut address, &mut size, module, null()));
    for name in [c"tin", c"", c"tinyy"].map(|name| name.as_ptr()) {
        fails!(NOT_FOUND, get(&mut address, &mut size, module, name));
    }
    assert_eq!((address, size), (7, 7));
    ok!(cuMemFree_v2(before));
}

#[test]
fn unloading_waits_for_kernels_and_frees_variables() {
    passes(&[], || {
        let _context = Own::new();
        let out = upload(&[0u32]);
        let before = free_memory();
        let module = module_of(
            ".visible .global .align 4 .b8 data[1000000];\n.visible .entry late(.param .u64 p)\n\
             { .reg .b64 %d<4>; .reg .pred %q; .reg .b32 %r; ld.param.u64 %d1, [p]; mov.u64 %d2, %globaltimer;\n\
             again: mov.u64 %d3, %globaltimer; sub.u64 %d3, %d3, %d2; setp.lt.u64 %q, %d3, 50000000;\n\
             @%q bra again; mov.u32 %r, 8; st.global.u32 [%d1], %r; st.global.u32 [data], %r; ret; }\n",
        );
        assert!(free_memory() <= before - 1_000_000);
        let late = function(module, "late");
        assert_eq!(launch(late, 1, 1, null_mut(), &mut [arg(&out)]), SUCCESS);
        ok!(cuModuleUnload(module));
        assert_eq!(free_memory(), before);
        assert_eq!(download::<u32>(out, 1), [8]);
        let code = launch(late, 1, 1, null_mut(), &mut [arg(&out)]);
        assert_eq!(code, INVALID_HANDLE);
    });
}

#[test]
fn failed_loads_use_no_memory() {
    passes(&[("CUDA_EMULATOR_MEMORY", "64M")], || {
        let _context = Own::new();
        let before = free_memory();
        let text = ".visible .global .b8 small[1000000];\n.visible .global .b8 large[67000000];\n";
        let text = CString::new(format!("{HEAD}{text}")).unwrap();
        let (code, module, log) = try_load(text.as_ptr().cast());
        assert_eq!(code, OUT_OF_MEMORY);
        assert!(module.is_null() && log.contains("memory"), "{log}");
        assert_eq!(free_memory(), before);
    });
}

#[test]
fn modules_end_with_their_context() {
    passes(&[], || {
        let first = Own::new();
        let before = free_memory();
        let kept = module_of(".visible .entry k() { ret; }\n");
        let with_kept = free_memory();
        let second = Own::new();
        let module =
            module_of(".visible .global .b8 data[100000];\n.visible .entry k() { ret; }\n");
        let (lost, address) = (function(module, "k"), global(module, c"data"));
        drop(second);
        stale!(cuModuleGetFunctionCount(&mut 0, module));
        stale!(cuModuleUnload(module));
        stale!(cuFuncLoad(lost));
        invalid!(cuMemsetD8_v2(address, 0, 1));
        assert_eq!(free_memory(), with_kept);
        function(kept, "k");
        ok!(cuModuleUnload(kept));
        assert_eq!(free_memory(), before);
        drop(first);
    });
}

#[test]
fn leaked_modules_are_named_by_their_kernels() {
    if inner() {
        ok!(cuInit(0));
        let context = out!(cuDevicePrimaryCtxRetain(_, 0));
        ok!(cuCtxSetCurrent(context));
        let kernel = |name| format!(".visible .entry {name}() {{ ret; }}\n");
        module_of(&["one", "two", "three"].map(kernel).concat());
        module_of(&["four", "five", "six", "seven"].map(kernel).concat());
        // A library's module in a context cannot be unloaded. Only the library can.
        let text = format!("{HEAD}{}\0", kernel("eight"));
        out!(cuLibraryGetModule(
            _,
            load_library(text.as_bytes()).unwrap()
        ));
        return;
    }
    let (code, _, text) = rerun(&[("CUDA_EMULATOR_CHECK", "leak")]);
    assert_eq!(code, Some(99), "{text}");
    assert!(text.contains("] 4 leaked"), "{text}");
    for part in [
        "kernels one, two, three\n",
        "kernels four, five, six, ...\n",
        "library 0x",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    assert_eq!(text.matches("module 0x").count(), 2, "{text}");
}

#[test]
fn invalid_handles_are_rejected_by_every_module_function() {
    let _context = Own::new();
    let stale = module_of(".visible .global .u32 g;\n.visible .entry k() { ret; }\n");
    ok!(cuModuleUnload(stale));
    let (mut count, mut one, mut address, mut size) = (7, null_mut(), 7, 7);
    let wild = WILD.iter().map(|wild| *wild as CUmodule);
    for module in wild.chain([null_mut(), stale]) {
        let (k, g) = (c"k".as_ptr(), c"g".as_ptr());
        stale!(cuModuleUnload(module));
        stale!(cuModuleGetFunction(&mut one, module, k));
        stale!(cuModuleGetFunctionCount(&mut count, module));
        stale!(cuModuleEnumerateFunctions(&mut one, 1, module));
        stale!(cuModuleGetGlobal_v2(&mut address, &mut size, module, g));
    }
    assert!(one.is_null() && (count, address, size) == (7, 7, 7));
}
