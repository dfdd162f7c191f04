//! Modules: loading from every kind of image, lookup, unloading, and the state after errors.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

fn module_of(body: &str) -> CUmodule {
    load(&format!("{HEAD}{body}"))
}

fn free_memory() -> usize {
    let (mut free, mut total) = (0, 0);
    ok!(cuMemGetInfo_v2(&mut free, &mut total));
    free
}

/// Loads an image. Returns the code, the module and the error log.
fn try_load(image: *const u8) -> (CUresult, CUmodule, String) {
    let mut log = [0u8; 1000];
    let mut options = [5, 6].map(CUjit_option);
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), 1000 as *mut c_void];
    let (options, values, mut module) = (options.as_mut_ptr(), values.as_mut_ptr(), null_mut());
    // SAFETY: The image is valid, or is rejected by its first bytes. The log has the given size.
    let code = unsafe { cuModuleLoadDataEx(&mut module, image.cast(), 2, options, values) };
    let text = CStr::from_bytes_until_nul(&log).unwrap();
    (code, module, text.to_str().unwrap().to_string())
}

/// Returns a fat binary of entries: kind (1 is PTX), architecture, contents.
fn fat_binary(entries: &[(u8, u8, &str)]) -> Vec<u8> {
    let mut contents = Vec::new();
    for (kind, architecture, text) in entries {
        let mut entry = vec![0u8; 64];
        (entry[0], entry[4], entry[28]) = (*kind, 64, *architecture);
        entry[8..16].copy_from_slice(&(text.len() as u64).to_le_bytes());
        contents.extend_from_slice(&entry);
        contents.extend_from_slice(text.as_bytes());
    }
    let mut image = 0xba55_ed50_u32.to_le_bytes().to_vec();
    image.extend_from_slice(&[1, 0, 16, 0]);
    image.extend_from_slice(&(contents.len() as u64).to_le_bytes());
    image.extend_from_slice(&contents);
    image
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
        let entries: Vec<_> = pairs.map(|(one, text)| (1, *one, text.as_str())).collect();
        let image = fat_binary(&entries);
        let (code, module, log) = try_load(image.as_ptr());
        assert_eq!(code, SUCCESS, "{architectures:?}: {log}");
        function(module, &format!("at{best}"));
        let mut count = 0;
        ok!(cuModuleGetFunctionCount(&mut count, module));
        assert_eq!(count, 1);
        // Wrapped as nvcc does.
        let wrapper = [0x1_4662_43b1_u64, image.as_ptr() as u64, 0];
        let mut wrapped = null_mut();
        ok!(cuModuleLoadFatBinary(&mut wrapped, wrapper.as_ptr().cast()));
        function(wrapped, &format!("at{best}"));
    }
    let machine = CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU;
    let only_code = fat_binary(&[(2, 90, "machine code")]);
    let (code, _, log) = try_load(only_code.as_ptr());
    assert!(code == machine && log.contains("machine code"), "{log}");
    let (code, _, log) = try_load(fat_binary(&[]).as_ptr());
    assert!(code == machine && log.contains("empty"), "{log}");
    let with_text = fat_binary(&[(2, 90, "machine code"), (1, 70, &texts[3])]);
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
        (local, CUresult::CUDA_ERROR_NOT_SUPPORTED, ".local"),
        (newer, CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "99.0"),
        (broken, CUresult::CUDA_ERROR_INVALID_PTX, "line 4"),
        (" no ptx".into(), CUresult::CUDA_ERROR_INVALID_IMAGE, "PTX"),
        ("x".into(), CUresult::CUDA_ERROR_INVALID_IMAGE, "PTX"),
        (
            "\x7fELF".into(),
            CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
            "machine code",
        ),
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
    fails!(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoad(&mut module, file));
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuModuleLoadData(&mut module, image)
    );
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuModuleLoadDataEx(&mut module, image, 0, no, null_mut())
    );
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuModuleLoadFatBinary(&mut module, image)
    );
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
    let mut modules = [null_mut(); 3];
    ok!(cuModuleLoad(&mut modules[0], file));
    ok!(cuModuleLoadData(&mut modules[1], image));
    ok!(cuModuleLoadDataEx(
        &mut modules[2],
        image,
        0,
        no,
        null_mut()
    ));
    for module in modules {
        function(module, "k");
        ok!(cuModuleUnload(module));
    }
    std::fs::remove_file(&path).unwrap();
    fails!(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&mut module, file));
    let mut mode = CUmoduleLoadingMode(9);
    ok!(cuModuleGetLoadingMode(&mut mode));
    assert_eq!(mode.0, 1, "eager");
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
    let mut module = null_mut();
    let start = std::time::Instant::now();
    ok!(cuModuleLoadDataEx(
        &mut module,
        text.as_ptr().cast(),
        1,
        &mut option,
        values.as_mut_ptr()
    ));
    let around = start.elapsed().as_secs_f64() * 1e3;
    let wall = f64::from(f32::from_bits(values[0] as usize as u32));
    // Most of the call is loading. The tolerance allows for pauses on a busy machine.
    assert!(
        wall <= around * 1.001 && wall > around / 500.0,
        "{wall} of {around} ms"
    );
}

#[test]
fn functions_are_counted_and_listed() {
    let _context = Own::new();
    let module = module_of(
        ".visible .entry a() { ret; }\n.visible .entry b() { ret; }\n.visible .entry c() { ret; }\n\
         .visible .func f() { ret; }\n.visible .global .u32 g;\n",
    );
    let functions = ["a", "b", "c"].map(|name| function(module, name));
    let mut count = 0;
    ok!(cuModuleGetFunctionCount(&mut count, module));
    assert_eq!(count, 3);
    for capacity in [1, 2, 3, 5] {
        let mut all = [null_mut(); 5];
        ok!(cuModuleEnumerateFunctions(
            all.as_mut_ptr(),
            capacity,
            module
        ));
        let listed = capacity.min(3) as usize;
        assert_eq!(all[..listed], functions[..listed]);
        assert!(
            all[listed..].iter().all(|one| one.is_null()),
            "no more than requested"
        );
    }
    let mut one = null_mut();
    invalid!(cuModuleEnumerateFunctions(&mut one, 0, module));
    invalid!(cuModuleEnumerateFunctions(null_mut(), 1, module));
    invalid!(cuModuleGetFunctionCount(null_mut(), module));
    invalid!(cuModuleGetFunction(null_mut(), module, c"a".as_ptr()));
    for name in [c"f", c"g", c"", c"aa"] {
        fails!(
            CUDA_ERROR_NOT_FOUND,
            cuModuleGetFunction(&mut one, module, name.as_ptr())
        );
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
    for (name, bytes, align) in [
        (c"tiny", 1, 1),
        (c"page", 5000, 4096),
        (c"pages", 3, 8192),
        (c"fixed", 32, 16),
    ] {
        let (mut address, mut size, mut alone, mut bare) = (0, 0, 0, 0);
        ok!(cuModuleGetGlobal_v2(
            &mut address,
            &mut size,
            module,
            name.as_ptr()
        ));
        assert_eq!(
            (size, address % align),
            (bytes, 0),
            "{name:?} at {address:#x}"
        );
        ok!(cuModuleGetGlobal_v2(
            &mut alone,
            null_mut(),
            module,
            name.as_ptr()
        ));
        ok!(cuModuleGetGlobal_v2(
            null_mut(),
            &mut bare,
            module,
            name.as_ptr()
        ));
        assert_eq!((alone, bare), (address, size));
        invalid!(cuModuleGetGlobal_v2(
            null_mut(),
            null_mut(),
            module,
            name.as_ptr()
        ));
        // The size is exact.
        ok!(cuMemsetD8_v2(address, 9, size));
        invalid!(cuMemsetD8_v2(address, 9, size + 1));
    }
    let (mut address, mut size) = (7, 7);
    invalid!(cuModuleGetGlobal_v2(
        &mut address,
        &mut size,
        module,
        null()
    ));
    for name in [c"tin", c"", c"tinyy"] {
        fails!(
            CUDA_ERROR_NOT_FOUND,
            cuModuleGetGlobal_v2(&mut address, &mut size, module, name.as_ptr())
        );
    }
    assert_eq!((address, size), (7, 7));
    ok!(cuMemFree_v2(before));
}

#[test]
fn unloading_waits_for_kernels_and_frees_variables() {
    let test = "unloading_waits_for_kernels_and_frees_variables";
    passes(test, &[], || {
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
        assert_eq!(
            launch(late, 1, 1, null_mut(), &mut [arg(&out)]),
            CUresult::CUDA_ERROR_INVALID_HANDLE
        );
    });
}

#[test]
fn failed_loads_use_no_memory() {
    let test = "failed_loads_use_no_memory";
    passes(test, &[("CUDA_EMULATOR_MEMORY", "64M")], || {
        let _context = Own::new();
        let before = free_memory();
        let text = ".visible .global .b8 small[1000000];\n.visible .global .b8 large[67000000];\n";
        let text = CString::new(format!("{HEAD}{text}")).unwrap();
        let (code, module, log) = try_load(text.as_ptr().cast());
        assert_eq!(code, CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        assert!(module.is_null() && log.contains("memory"), "{log}");
        assert_eq!(free_memory(), before);
    });
}

#[test]
fn modules_end_with_their_context() {
    let test = "modules_end_with_their_context";
    passes(test, &[], || {
        let first = Own::new();
        let before = free_memory();
        let kept = module_of(".visible .entry k() { ret; }\n");
        let with_kept = free_memory();
        let second = Own::new();
        let (module, mut count) = (
            module_of(".visible .global .b8 data[100000];\n.visible .entry k() { ret; }\n"),
            0,
        );
        let (lost, mut address) = (function(module, "k"), 0);
        ok!(cuModuleGetGlobal_v2(
            &mut address,
            null_mut(),
            module,
            c"data".as_ptr()
        ));
        drop(second);
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuModuleGetFunctionCount(&mut count, module)
        );
        fails!(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
        fails!(CUDA_ERROR_INVALID_HANDLE, cuFuncLoad(lost));
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
    let test = "leaked_modules_are_named_by_their_kernels";
    if inner() {
        let mut context = null_mut();
        ok!(cuInit(0));
        ok!(cuDevicePrimaryCtxRetain(&mut context, 0));
        ok!(cuCtxSetCurrent(context));
        let kernel = |name| format!(".visible .entry {name}() {{ ret; }}\n");
        module_of(&["one", "two", "three"].map(kernel).concat());
        module_of(&["four", "five", "six", "seven"].map(kernel).concat());
        // A library's module in a context cannot be unloaded. Only the library can.
        let text = CString::new(format!("{HEAD}{}", kernel("eight"))).unwrap();
        let (mut library, mut module, no) = (null_mut(), null_mut(), null_mut());
        let image = text.as_ptr().cast();
        ok!(cuLibraryLoadData(
            &mut library,
            image,
            null_mut(),
            no,
            0,
            null_mut(),
            null_mut(),
            0
        ));
        ok!(cuLibraryGetModule(&mut module, library));
        return;
    }
    let (code, _, text) = rerun(test, &[("CUDA_EMULATOR_CHECK", "leak")]);
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
    for module in WILD
        .iter()
        .map(|wild| *wild as CUmodule)
        .chain([null_mut(), stale])
    {
        let (k, g) = (c"k".as_ptr(), c"g".as_ptr());
        fails!(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuModuleGetFunction(&mut one, module, k)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuModuleGetFunctionCount(&mut count, module)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuModuleEnumerateFunctions(&mut one, 1, module)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuModuleGetGlobal_v2(&mut address, &mut size, module, g)
        );
    }
    assert!(one.is_null() && (count, address, size) == (7, 7, 7));
}
