//! The linker: its inputs, its result, and the logs requested by link and load options.

use cuda_emulator_checks::abi::*;
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

const PTX: u32 = 1;

fn linker() -> CUlinkState {
    let mut state = null_mut();
    ok!(cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state));
    state
}

/// Adds bytes with the second version of the function.
fn add(state: CUlinkState, kind: u32, data: &[u8], name: &CStr) -> CUresult {
    let (place, size) = (data.as_ptr().cast_mut().cast(), data.len());
    let (kind, name) = (CUjitInputType(kind), name.as_ptr());
    // SAFETY: The data has this length.
    unsafe { cuLinkAddData_v2(state, kind, place, size, name, 0, null_mut(), null_mut()) }
}

/// Links, loads the result and runs its kernel.
fn works(state: CUlinkState) {
    let (mut image, mut size, mut module) = (null_mut(), 0, null_mut());
    ok!(cuLinkComplete(state, &mut image, &mut size));
    assert!(size > CALLER.len() + OTHER.len());
    let (mut again, mut same) = (null_mut(), 0);
    ok!(cuLinkComplete(state, &mut again, &mut same));
    assert_eq!((again, same), (image, size), "a linker has one result");
    again = null_mut();
    ok!(cuLinkComplete(state, &mut again, null_mut()));
    assert_eq!(again, image);
    invalid!(cuLinkComplete(state, null_mut(), &mut size));
    ok!(cuModuleLoadData(&mut module, image));
    let out = alloc(4);
    let code = launch(function(module, "get"), 1, 1, null_mut(), &mut [arg(&out)]);
    assert_eq!(code, SUCCESS);
    assert_eq!(download::<u32>(out, 1), [77]);
}

#[test]
fn inputs_of_several_megabytes_are_linked() {
    let _context = Own::new();
    let state = linker();
    // The device runtime's library exceeds 2^20 bytes since CUDA 13.5.
    let padding = "// nothing but a comment\n".repeat(100_000);
    for text in [format!("{CALLER}{padding}"), format!("{OTHER}{padding}")] {
        let (data, size) = (text.as_ptr().cast_mut().cast(), text.len());
        assert!(size > 2 << 20);
        let no = null_mut();
        ok!(cuLinkAddData_v2(
            state,
            CUjitInputType(PTX),
            data,
            size,
            c"large".as_ptr(),
            0,
            null_mut(),
            no
        ));
    }
    let mut image = null_mut();
    ok!(cuLinkComplete(state, &mut image, null_mut()));
    let mut module = null_mut();
    ok!(cuModuleLoadData(&mut module, image));
    ok!(cuLinkDestroy(state));
    let out = alloc(4);
    launch(function(module, "get"), 1, 1, null_mut(), &mut [arg(&out)]);
    assert_eq!(download::<u32>(out, 1), [77]);
}

#[test]
fn data_and_files_are_linked_by_either_version_of_the_functions() {
    let _context = Own::new();
    let path = |name: &str| std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    let file = path("cuda-emulator-linker");
    std::fs::write(&file, OTHER).unwrap();
    let name = CString::new(file.to_str().unwrap()).unwrap();
    let missing = CString::new(path("cuda-emulator-none").to_str().unwrap()).unwrap();
    let (text, kind, no) = (
        CALLER.as_ptr().cast_mut().cast(),
        CUjitInputType(PTX),
        null_mut(),
    );
    let size = CALLER.len();
    for old in [false, true] {
        let mut state = null_mut();
        if old {
            ok!(cuLinkCreate(0, null_mut(), null_mut(), &mut state));
            ok!(cuLinkAddData(
                state,
                PTX,
                text,
                size,
                c"a".as_ptr(),
                0,
                null_mut(),
                no
            ));
            fails!(
                CUDA_ERROR_FILE_NOT_FOUND,
                cuLinkAddFile(state, PTX, missing.as_ptr(), 0, null_mut(), no)
            );
            invalid!(cuLinkAddFile(state, PTX, null(), 0, null_mut(), no));
            invalid!(cuLinkAddFile(state, PTX, name.as_ptr(), 1, null_mut(), no));
            invalid!(cuLinkAddData(
                state,
                PTX,
                null_mut(),
                size,
                null(),
                0,
                null_mut(),
                no
            ));
            invalid!(cuLinkAddData(
                state,
                PTX,
                text,
                size,
                null(),
                1,
                null_mut(),
                no
            ));
            ok!(cuLinkAddFile(state, PTX, name.as_ptr(), 0, null_mut(), no));
        } else {
            ok!(cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state));
            ok!(cuLinkAddData_v2(
                state,
                kind,
                text,
                size,
                null(),
                0,
                null_mut(),
                no
            ));
            fails!(
                CUDA_ERROR_FILE_NOT_FOUND,
                cuLinkAddFile_v2(state, kind, missing.as_ptr(), 0, null_mut(), no)
            );
            invalid!(cuLinkAddFile_v2(state, kind, null(), 0, null_mut(), no));
            invalid!(cuLinkAddFile_v2(
                state,
                kind,
                name.as_ptr(),
                1,
                null_mut(),
                no
            ));
            invalid!(cuLinkAddData_v2(
                state,
                kind,
                null_mut(),
                size,
                null(),
                0,
                null_mut(),
                no
            ));
            invalid!(cuLinkAddData_v2(
                state,
                kind,
                text,
                size,
                null(),
                1,
                null_mut(),
                no
            ));
            ok!(cuLinkAddFile_v2(
                state,
                kind,
                name.as_ptr(),
                0,
                null_mut(),
                no
            ));
        }
        works(state);
        ok!(cuLinkDestroy(state));
    }
    std::fs::remove_file(&file).unwrap();
}

/// Returns a fat binary with one PTX text for sm_70.
fn fat(text: &str) -> Vec<u8> {
    let mut entry = vec![0u8; 64];
    entry[0] = 1;
    entry[4] = 64;
    entry[8..16].copy_from_slice(&(text.len() as u64).to_le_bytes());
    entry[28] = 70;
    let mut image = 0xba55_ed50_u32.to_le_bytes().to_vec();
    image.extend_from_slice(&[1, 0, 16, 0]);
    image.extend_from_slice(&(64 + text.len() as u64).to_le_bytes());
    image.extend_from_slice(&entry);
    image.extend_from_slice(text.as_bytes());
    image
}

#[test]
fn input_kinds_are_accepted_or_rejected() {
    let _context = Own::new();
    let machine = CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU;
    let image = CUresult::CUDA_ERROR_INVALID_IMAGE;
    let unsupported = CUresult::CUDA_ERROR_NOT_SUPPORTED;
    let (caller, other) = (CALLER.as_bytes(), fat(OTHER));
    let state = linker();
    for (kind, data, expected) in [
        (0, caller, image),
        (1, b"no PTX".as_slice(), image),
        (1, b"\x7fELF and more", machine),
        (2, b"no fat binary", image),
        (2, &other[..other.len() - 1], image),
        (3, caller, image),
        (4, caller, image),
        (5, caller, unsupported),
        (6, caller, INVALID),
        (u32::MAX, caller, INVALID),
        (1, caller, SUCCESS),
        (2, &other, SUCCESS),
    ] {
        assert_eq!(add(state, kind, data, c"input"), expected, "kind {kind}");
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
    let handle = CUresult::CUDA_ERROR_INVALID_HANDLE;
    for state in wild.chain([null_mut(), stale]) {
        let kind = CUjitInputType(PTX);
        assert_eq!(add(state, PTX, CALLER.as_bytes(), c"a"), handle);
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuLinkAddFile_v2(state, kind, c"/".as_ptr(), 0, null_mut(), null_mut())
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuLinkComplete(state, &mut image, &mut size)
        );
        fails!(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(state));
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
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state)
    );
    fails!(
        CUDA_ERROR_INVALID_CONTEXT,
        cuLinkCreate(0, null_mut(), null_mut(), &mut state)
    );
    assert!(state.is_null());
}

/// Creates a linker with logs at the given addresses and sizes.
fn logged(values: &mut [usize; 4]) -> CUlinkState {
    // Of the two arrays, only the values must outlive the linker.
    let mut options = [3, 4, 5, 6].map(CUjit_option);
    let mut state = null_mut();
    let values = values.as_mut_ptr().cast();
    ok!(cuLinkCreate_v2(4, options.as_mut_ptr(), values, &mut state));
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
        let mut values = [
            info.as_mut_ptr() as usize,
            512,
            error.as_mut_ptr() as usize,
            size,
        ];
        let state = logged(&mut values);
        assert_eq!(add(state, 5, b"", NAME), CUresult::CUDA_ERROR_NOT_SUPPORTED);
        ok!(cuLinkDestroy(state));
        assert_eq!(values[1], 0, "no information is logged");
        assert_eq!(info[..2], [0, 0xaa]);
        assert_eq!(values[3], kept.unwrap_or(0), "{size:#x}");
        let written = kept.map_or(0, |kept| kept + 1);
        assert!(
            error[written..].iter().all(|byte| *byte == 0xaa),
            "{size:#x}"
        );
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
    let mut values = [
        info.as_mut_ptr() as usize,
        2000,
        error.as_mut_ptr() as usize,
        2000,
    ];
    let state = logged(&mut values);
    let text = |log: &[u8]| {
        CStr::from_bytes_until_nul(log)
            .unwrap()
            .to_str()
            .unwrap()
            .to_string()
    };
    assert_eq!(
        add(state, PTX, b"rubbish", c"some.ptx"),
        CUresult::CUDA_ERROR_INVALID_IMAGE
    );
    let logged_text = text(&error);
    assert!(
        logged_text.contains("some.ptx") && values[3] == logged_text.len(),
        "{logged_text}"
    );
    let (mut image, mut size) = (null_mut(), 0);
    ok!(cuLinkComplete(state, &mut image, &mut size));
    assert_eq!(text(&error), "", "an empty link");
    for (name, input) in [(c"caller.ptx", CALLER), (c"other.ptx", OTHER)] {
        assert_eq!(add(state, PTX, input.as_bytes(), name), SUCCESS);
    }
    works(state);
    let logged_text = text(&info);
    assert!(
        logged_text.contains("2 inputs") && logged_text.contains("1 kernel"),
        "{logged_text}"
    );
    assert_eq!(values[1], logged_text.len());
    assert_eq!(text(&error), "");
    // A duplicate definition is an error that names the input.
    let code = add(state, PTX, OTHER.as_bytes(), c"twice.ptx");
    assert_eq!(code, CUresult::CUDA_ERROR_INVALID_SOURCE);
    let logged_text = text(&error);
    assert!(
        logged_text.contains("twice.ptx") && logged_text.contains("number"),
        "{logged_text}"
    );
    assert_eq!(text(&info), "");
    ok!(cuLinkDestroy(state));
}

#[test]
fn errors_without_a_log_go_to_standard_error() {
    let test = "errors_without_a_log_go_to_standard_error";
    if inner() {
        let _context = Own::new();
        let (mut info, mut error) = ([0u8; 100], [0u8; 500]);
        // Without an error log, once through a null pointer and once through a missing option. Then
        // with a log, and then a success.
        let mut values = [info.as_mut_ptr() as usize, 100, 0, 100];
        let state = logged(&mut values);
        assert_eq!(add(state, 6, b"", c"first"), INVALID);
        assert_eq!(values, [info.as_ptr() as usize, 0, 0, 100]);
        assert_eq!(add(linker(), 6, b"", c"second"), INVALID);
        let mut values = [0, 0, error.as_mut_ptr() as usize, 500];
        let state = logged(&mut values);
        assert_eq!(add(state, 6, b"", c"third"), INVALID);
        assert!(error.starts_with(b"third"));
        let mut module = null_mut();
        let text = CString::new(OTHER).unwrap();
        ok!(cuModuleLoadData(&mut module, text.as_ptr().cast()));
        fails!(
            CUDA_ERROR_INVALID_IMAGE,
            cuModuleLoadData(&mut module, c"fourth".as_ptr().cast())
        );
        return;
    }
    let (code, _, text) = rerun(test, &[]);
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
        let (mut module, mut state) = (null_mut(), null_mut());
        // SAFETY: The numbers of options and values are correct.
        let codes = unsafe {
            [
                cuModuleLoadDataEx(&mut module, image, count, options, values.as_mut_ptr()),
                cuLinkCreate_v2(count, options, values.as_mut_ptr(), &mut state),
            ]
        };
        assert_eq!(codes, [expected; 2], "{numbers:?}");
        assert_eq!(module.is_null(), expected != SUCCESS);
        // Without values, and without options.
        invalid!(cuModuleLoadDataEx(
            &mut module,
            image,
            count,
            options,
            null_mut()
        ));
        invalid!(cuModuleLoadDataEx(
            &mut module,
            image,
            count,
            null_mut(),
            values.as_mut_ptr()
        ));
    }
}
