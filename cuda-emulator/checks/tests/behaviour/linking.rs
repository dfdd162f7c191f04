//! The linker as clients use it: several texts, one result, and its messages.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::linker::Linker;
use std::ffi::{CStr, CString};
use std::ptr::null_mut;

const CALLER: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 value);
.visible .entry call(.param .u64 call_param_0)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [call_param_0];
	mov.u32 %r1, 21;
	{
	.param .b32 param0;
	st.param.b32 [param0], %r1;
	.param .b32 retval0;
	call.uni (retval0), twice, (param0);
	ld.param.b32 %r2, [retval0];
	}
	st.global.u32 [%rd1], %r2;
	ret;
}
";

const CALLEE: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 value)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [value];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [result], %r2;
	ret;
}
";

#[test]
fn several_texts_are_linked() {
    let _context = Own::new();
    let linker = Linker::new();
    let add = |text: &str, name: &CStr| {
        let data = CString::new(text).unwrap();
        assert_eq!(
            linker.add(input::PTX, data.as_bytes_with_nul(), name),
            SUCCESS
        );
    };
    // A link without inputs produces an empty module, as on an H200.
    let nothing = linker.complete().unwrap();
    out!(cuModuleLoadData(_, nothing));
    add(CALLER, c"caller.ptx");
    assert_eq!(linker.complete(), Err(INVALID_SOURCE));
    assert!(linker.errors().contains("twice"), "{}", linker.errors());
    add(CALLEE, c"callee.ptx");
    let mut size = 0;
    let image = out!(cuLinkComplete(linker.state, _, &mut size));
    assert!(size > 0 && image != nothing);
    out!(cuModuleLoadData(_, nothing));
    // SAFETY: The result is read while its linker lives.
    let copy = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec();
    let module = out!(cuModuleLoadData(_, image));
    drop(linker);
    let (call, place) = (function(module, "call"), alloc(4));
    ok!(launch(call, 1, 1, null_mut(), &mut [arg(&place)]));
    assert_eq!(download::<u32>(place, 1), [42]);
    // A copy of the result works in memory and in a file. A modified copy is rejected, and its
    // length field is checked.
    function(out!(cuModuleLoadData(_, copy.as_ptr().cast())), "call");
    let path = std::env::temp_dir().join(format!("cuda-emulator-link-{}", std::process::id()));
    std::fs::write(&path, &copy).unwrap();
    let name = CString::new(path.to_str().unwrap()).unwrap();
    function(out!(cuModuleLoad(_, name.as_ptr())), "call");
    std::fs::remove_file(&path).unwrap();
    let mut changed = copy;
    changed[15] = 1;
    let module = result!(cuModuleLoadData(_, changed.as_ptr().cast()));
    assert_eq!(module, Err(INVALID_IMAGE));
}

#[test]
fn rejected_linker_inputs_are_logged() {
    let _context = Own::new();
    let linker = Linker::new();
    for (kind, code, words) in [
        (0, INVALID_IMAGE, "input: the input is damaged"),
        (3, INVALID_IMAGE, "damaged"),
        (4, INVALID_IMAGE, "damaged"),
        (5, NOT_SUPPORTED, "NVVM"),
        (6, INVALID, "6 is not a type of linker input"),
    ] {
        let given = linker.add(kind, CALLEE.as_bytes(), c"input");
        assert_eq!(given, code, "{kind}");
        assert!(linker.errors().contains(words), "{}", linker.errors());
    }
}
