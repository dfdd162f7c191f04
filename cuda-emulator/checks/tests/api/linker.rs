//! The linker: its inputs, its result, and the logs requested by link and load options.

use cuda_emulator_checks::abi::input::PTX;
use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::objects::fat_binary;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

type Values = *mut *mut c_void;

// The first versions of these functions. Headers map them to the second.
unsafe extern "C" {
    fn cuLinkCreate(
        count: u32,
        options: *mut u32,
        values: Values,
        state: *mut CUlinkState,
    ) -> CUresult;
    fn cuLinkAddData(
        state: CUlinkState,
        kind: u32,
        data: *mut c_void,
        size: usize,
        name: *const c_char,
        count: u32,
        options: *mut u32,
        values: Values,
    ) -> CUresult;
    fn cuLinkAddFile(
        state: CUlinkState,
        kind: u32,
        path: *const c_char,
        count: u32,
        options: *mut u32,
        values: Values,
    ) -> CUresult;
}

const CALLER: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .global .align 4 .u32 number;
.visible .entry get(.param .u64 p)
{
	.reg .b32 %r<2>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [p];
	ld.global.u32 %r1, [number];
	st.global.u32 [%d1], %r1;
	ret;
}
";
const OTHER: &str =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .u32 number = 77;\n";

/// Links, loads the result and runs its kernel.
fn works(state: CUlinkState) {
    let (mut size, mut same) = (0, 0);
    let image = out!(cuLinkComplete(state, _, &mut size));
    assert!(size > CALLER.len() + OTHER.len());
    let again = out!(cuLinkComplete(state, _, &mut same));
    assert_eq!((again, same), (image, size), "a linker has one result");
    assert_eq!(out!(cuLinkComplete(state, _, null_mut())), image);
    invalid!(cuLinkComplete(state, null_mut(), &mut size));
    let get = function(out!(cuModuleLoadData(_, image)), "get");
    let out = alloc(4);
    ok!(launch(get, 1, 1, null_mut(), &mut [arg(&out)]));
    assert_eq!(download::<u32>(out, 1), [77]);
}

#[test]
fn inputs_of_several_megabytes_are_linked() {
    let _context = Own::new();
    let state = linker();
    // The device runtime's library exceeds 2^20 bytes since CUDA 13.5.
    let padding = "// nothing but a comment\n".repeat(100_000);
    for text in [format!("{CALLER}{padding}"), format!("{OTHER}{padding}")] {
        assert!(text.len() > 2 << 20);
        ok!(link_data(state, PTX, text.as_bytes(), c"large"));
    }
    works(state);
    ok!(cuLinkDestroy(state));
}

#[test]
fn data_and_files_are_linked_by_either_version_of_the_functions() {
    let _context = Own::new();
    let path = |name: &str| std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    let file = path("cuda-emulator-linker");
    std::fs::write(&file, OTHER).unwrap();
    let name = CString::new(file.to_str().unwrap()).unwrap();
    let missing = CString::new(path("cuda-emulator-none").to_str().unwrap()).unwrap();
    let text = CALLER.as_ptr().cast_mut().cast();
    let (file_name, missing, size) = (name.as_ptr(), missing.as_ptr(), CALLER.len());
    type AddData<'a> = &'a dyn Fn(*mut c_void, *const c_char, u32) -> CUresult;
    type AddFile<'a> = &'a dyn Fn(*const c_char, u32) -> CUresult;
    let check = |state, data: AddData<'_>, file: AddFile<'_>| {
        assert_eq!(data(text, c"a".as_ptr(), 0), SUCCESS);
        assert_eq!(file(missing, 0), FILE_NOT_FOUND);
        assert_eq!(file(null(), 0), INVALID);
        // One option, without arrays of options and values.
        assert_eq!(file(file_name, 1), INVALID);
        assert_eq!(data(null_mut(), null(), 0), INVALID);
        assert_eq!(data(text, null(), 1), INVALID);
        assert_eq!(file(file_name, 0), SUCCESS);
        works(state);
        ok!(cuLinkDestroy(state));
    };
    let (options, values, kind) = (null_mut(), null_mut(), CUjitInputType(PTX));
    let (state, add) = (
        out!(cuLinkCreate(0, null_mut(), null_mut(), _)),
        cuLinkAddData,
    );
    check(
        state,
        &|data, name, n| call!(add(state, PTX, data, size, name, n, options, values)),
        &|path, n| call!(cuLinkAddFile(state, PTX, path, n, options, values)),
    );
    let (state, options, add) = (linker(), null_mut(), cuLinkAddData_v2);
    check(
        state,
        &|data, name, n| call!(add(state, kind, data, size, name, n, options, values)),
        &|path, n| call!(cuLinkAddFile_v2(state, kind, path, n, options, values)),
    );
    // The name of the data may be missing.
    let state = linker();
    ok!(add(state, kind, text, size, null(), 0, options, values));
    ok!(link_data(state, PTX, OTHER.as_bytes(), c"other"));
    works(state);
    ok!(cuLinkDestroy(state));
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn input_kinds_are_accepted_or_rejected() {
    let _context = Own::new();
    let (caller, other) = (CALLER.as_bytes(), fat_binary(&[(1, OTHER.as_bytes())]));
    let state = linker();
    for (kind, data, expected) in [
        (0, caller, INVALID_IMAGE),
        (1, b"no PTX".as_slice(), INVALID_IMAGE),
        (1, b"\x7fELF and more", NO_BINARY_FOR_GPU),
        (2, b"no fat binary", INVALID_IMAGE),
        (2, &other[..other.len() - 1], INVALID_IMAGE),
        (3, caller, INVALID_IMAGE),
        (4, caller, INVALID_IMAGE),
        (5, caller, NOT_SUPPORTED),
        (6, caller, INVALID),
        (u32::MAX, caller, INVALID),
        (1, caller, SUCCESS),
        (2, &other, SUCCESS),
    ] {
        let code = link_data(state, kind, data, c"input");
        assert_eq!(code, expected, "kind {kind}");
    }
    works(state);
    ok!(cuLinkDestroy(state));
}

#[test]
fn invalid_linkers_are_rejected() {
    let _context = Own::new();
    let stale = linker();
    ok!(cuLinkDestroy(stale));
    let wild = WILD.iter().map(|wild| *wild as CUlinkState);
    let (mut image, mut size) = (null_mut(), 7);
    for state in wild.chain([null_mut(), stale]) {
        let kind = CUjitInputType(PTX);
        assert_eq!(
            link_data(state, PTX, CALLER.as_bytes(), c"a"),
            INVALID_HANDLE
        );
        let (path, no) = (c"/".as_ptr(), null_mut());
        stale!(cuLinkAddFile_v2(state, kind, path, 0, null_mut(), no));
        stale!(cuLinkComplete(state, &mut image, &mut size));
        stale!(cuLinkDestroy(state));
    }
    assert!(image.is_null() && size == 7);
    invalid!(cuLinkCreate_v2(0, null_mut(), null_mut(), null_mut()));
    invalid!(cuLinkCreate(0, null_mut(), null_mut(), null_mut()));
}

#[test]
fn a_link_needs_a_context() {
    ok!(cuInit(0));
    ok!(cuCtxSetCurrent(null_mut()));
    let mut state = null_mut();
    no_context!(cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state));
    no_context!(cuLinkCreate(0, null_mut(), null_mut(), &mut state));
    assert!(state.is_null());
}

/// Creates a linker with logs at the given addresses and sizes.
fn logged(values: &mut [usize; 4]) -> CUlinkState {
    // Of the two arrays, only the values must outlive the linker.
    let mut options = [3, 4, 5, 6].map(CUjit_option);
    let values = values.as_mut_ptr().cast();
    let state = out!(cuLinkCreate_v2(4, options.as_mut_ptr(), values, _));
    options.fill(CUjit_option(0));
    std::hint::black_box(&options);
    state
}

/// A name of two-byte characters. The error message begins with it.
const NAME: &CStr = c"\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}";

#[test]
fn logs_are_truncated_between_characters() {
    let _context = Own::new();
    // The given size, and the length of the kept text. `None` means nothing is written.
    for (size, kept) in [
        (0, None),
        (1, Some(0)),
        (2, Some(0)),
        (3, Some(2)),
        (4, Some(2)),
        (5, Some(4)),
        (6, Some(4)),
        // Only the lower half of the value is used, as an unsigned int.
        (0xdead_0000_0005, Some(4)),
        (0xdead_0000_0000, None),
    ] {
        let (mut info, mut error) = ([0xaau8; 512], [0xaau8; 512]);
        let [info_at, error_at] = [&mut info, &mut error].map(|log| log.as_mut_ptr() as usize);
        let mut values = [info_at, 512, error_at, size];
        let state = logged(&mut values);
        assert_eq!(link_data(state, 5, b"", NAME), NOT_SUPPORTED);
        ok!(cuLinkDestroy(state));
        assert_eq!(values[1], 0, "no information is logged");
        assert_eq!(info[..2], [0, 0xaa]);
        assert_eq!(values[3], kept.unwrap_or(0), "{size:#x}");
        let written = kept.map_or(0, |kept| kept + 1);
        let kept_bytes = error[written..].iter().all(|byte| *byte == 0xaa);
        assert!(kept_bytes, "{size:#x}");
        if let Some(kept) = kept {
            assert_eq!(error[..kept], NAME.to_bytes()[..kept]);
            assert_eq!(error[kept], 0);
        }
    }
}

#[test]
fn logs_describe_success_and_failure() {
    let _context = Own::new();
    let (mut info, mut error) = ([0u8; 2000], [0u8; 2000]);
    let [info_at, error_at] = [&mut info, &mut error].map(|log| log.as_mut_ptr() as usize);
    let mut values = [info_at, 2000, error_at, 2000];
    let state = logged(&mut values);
    let text = |log: &[u8]| {
        let text = CStr::from_bytes_until_nul(log).unwrap().to_str();
        text.unwrap().to_string()
    };
    assert_eq!(
        link_data(state, PTX, b"rubbish", c"some.ptx"),
        INVALID_IMAGE
    );
    let logged_text = text(&error);
    assert!(logged_text.contains("some.ptx"), "{logged_text}");
    assert_eq!(values[3], logged_text.len());
    out!(cuLinkComplete(state, _, &mut 0));
    assert_eq!(text(&error), "", "an empty link");
    for (name, input) in [(c"caller.ptx", CALLER), (c"other.ptx", OTHER)] {
        assert_eq!(link_data(state, PTX, input.as_bytes(), name), SUCCESS);
    }
    works(state);
    let logged_text = text(&info);
    assert_eq!(logged_text, "linked 2 inputs, 1 kernels");
    assert_eq!(values[1], logged_text.len());
    assert_eq!(text(&error), "");
    // A duplicate definition is an error that names the input.
    let code = link_data(state, PTX, OTHER.as_bytes(), c"twice.ptx");
    assert_eq!(code, INVALID_SOURCE);
    let logged_text = text(&error);
    for part in ["twice.ptx", "number"] {
        assert!(logged_text.contains(part), "{logged_text}");
    }
    assert_eq!(text(&info), "");
    ok!(cuLinkDestroy(state));
}

#[test]
fn errors_without_a_log_go_to_standard_error() {
    if inner() {
        let _context = Own::new();
        let (mut info, mut error) = ([0u8; 100], [0u8; 500]);
        // Without an error log, once through a null pointer and once through a missing option. Then
        // with a log, and then a success.
        let mut values = [info.as_mut_ptr() as usize, 100, 0, 100];
        let state = logged(&mut values);
        assert_eq!(link_data(state, 6, b"", c"first"), INVALID);
        assert_eq!(values, [info.as_ptr() as usize, 0, 0, 100]);
        assert_eq!(link_data(linker(), 6, b"", c"second"), INVALID);
        let mut values = [0, 0, error.as_mut_ptr() as usize, 500];
        let state = logged(&mut values);
        assert_eq!(link_data(state, 6, b"", c"third"), INVALID);
        assert!(error.starts_with(b"third"));
        let text = CString::new(OTHER).unwrap();
        out!(cuModuleLoadData(_, text.as_ptr().cast()));
        let module = result!(cuModuleLoadData(_, c"fourth".as_ptr().cast()));
        assert_eq!(module, Err(INVALID_IMAGE));
        return;
    }
    let (code, _, text) = rerun(&[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("[cuda-emulator] first: "), "{text}");
    assert!(text.contains("[cuda-emulator] second: "), "{text}");
    assert!(!text.contains("third"), "{text}");
    assert_eq!(text.matches("[cuda-emulator]").count(), 3, "{text}");
}

#[test]
fn options_are_checked_by_number() {
    let _context = Own::new();
    let text = CString::new(OTHER).unwrap();
    let image = text.as_ptr().cast();
    for (numbers, expected) in [
        // Zero registers.
        (vec![0], INVALID),
        (vec![1], SUCCESS),
        (vec![34], SUCCESS),
        (vec![35], INVALID),
        (vec![u32::MAX], INVALID),
        (vec![0, 34, 35], INVALID),
        (vec![2, 1, 7, 20], SUCCESS),
    ] {
        let mut options: Vec<_> = numbers.iter().copied().map(CUjit_option).collect();
        let (count, options) = (options.len() as u32, options.as_mut_ptr());
        let mut values = [null_mut::<c_void>(); 4];
        let (mut module, values) = (null_mut(), values.as_mut_ptr());
        let (load, to) = (cuModuleLoadDataEx, &raw mut module);
        fails!(expected, load(to, image, count, options, values));
        assert_eq!(module.is_null(), expected != SUCCESS, "{numbers:?}");
        let code = call!(cuLinkCreate_v2(count, options, values, &mut null_mut()));
        assert_eq!(code, expected, "{numbers:?}");
        // Without values, and without options.
        invalid!(load(to, image, count, options, null_mut()));
        invalid!(load(to, image, count, null_mut(), values));
    }
}
