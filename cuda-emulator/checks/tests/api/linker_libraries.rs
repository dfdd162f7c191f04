//! Objects and libraries in the linker: their linked parts and their errors.

use cuda_emulator_checks::abi::input::{CUBIN, FAT_BINARY, LIBRARY, OBJECT, PTX};
use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::linker::Linker;
use cuda_emulator_checks::objects::{
    CUDA, HOST, archive, code_object, device_runtime, elf, fat_binary, object,
};
use std::ptr::null_mut;

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// Returns a kernel that stores the result of a function.
fn caller(function: &str) -> String {
    format!(
        "{HEAD}.extern .func (.param .b32 r) {function};
.visible .entry get(.param .u64 p)
{{
	.reg .b32 %r<2>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [p];
	{{ .param .b32 r; call (r), {function}; ld.param.b32 %r1, [r]; }}
	st.global.u32 [%d1], %r1;
	ret;
}}
"
    )
}

/// Returns a function that returns a number.
fn gives(function: &str, value: u32) -> String {
    format!(
        "{HEAD}.visible .func (.param .b32 r) {function}
{{
	.reg .b32 %r<2>;
	mov.u32 %r1, {value};
	st.param.b32 [r], %r1;
	ret;
}}
"
    )
}

/// Returns a function that returns the result of another function.
fn passes_on(function: &str, other: &str) -> String {
    format!(
        "{HEAD}.extern .func (.param .b32 r) {other};
.visible .func (.param .b32 r) {function}
{{
	.reg .b32 %r<2>;
	{{ .param .b32 s; call (s), {other}; ld.param.b32 %r1, [s]; }}
	st.param.b32 [r], %r1;
	ret;
}}
"
    )
}

/// Adds the inputs. Returns the linker.
fn with(inputs: &[(u32, &[u8])]) -> Linker {
    let linker = Linker::new();
    for (kind, bytes) in inputs {
        let code = linker.add(*kind, bytes, c"input");
        assert_eq!(code, SUCCESS, "kind {kind}: {}", linker.errors());
    }
    linker
}

/// Links. Returns the value that `get` stores, or the error code.
fn result_of(linker: &Linker) -> Result<u32, CUresult> {
    let image = linker.complete()?;
    let get = function(out!(cuModuleLoadData(_, image)), "get");
    let out = alloc(4);
    ok!(launch(get, 1, 1, null_mut(), &mut [arg(&out)]));
    Ok(download::<u32>(out, 1)[0])
}

fn linked(inputs: &[(u32, &[u8])]) -> Result<u32, CUresult> {
    result_of(&with(inputs))
}

#[test]
fn only_needed_members_are_linked() {
    let _context = Own::new();
    let first = object(&passes_on("first", "second"));
    let second = object(&gives("second", 7));
    // Linking this member would define a name twice and add code that cannot run.
    let other = object(&format!("{}.global .texref t;\n", gives("get", 1)));
    let text = b"a member that is no object";
    let library = archive(&[
        ("other_with_a_long_name.o", &other),
        ("README", text),
        ("second_with_a_long_name.o", &second),
        ("first.o", &first),
    ]);
    let caller = caller("first");
    let caller = caller.as_bytes();
    assert_eq!(linked(&[(PTX, caller), (LIBRARY, &library)]), Ok(7));
    // The order of inputs does not matter, nor does a repeated library.
    let inputs: [(u32, &[u8]); 3] = [(LIBRARY, &library), (PTX, caller), (LIBRARY, &library)];
    assert_eq!(linked(&inputs), Ok(7));
    // An existing definition takes precedence.
    let own = gives("second", 8);
    let inputs: [(u32, &[u8]); 3] = [(PTX, caller), (LIBRARY, &library), (PTX, own.as_bytes())];
    assert_eq!(linked(&inputs), Ok(8));
    let empty = archive(&[]);
    let missing = linked(&[(PTX, caller), (LIBRARY, &empty)]);
    assert_eq!(missing, Err(INVALID_SOURCE));
}

#[test]
fn objects_are_linked_whole() {
    let _context = Own::new();
    let caller = caller("one");
    let one = object(&gives("one", 1));
    assert_eq!(linked(&[(PTX, caller.as_bytes()), (OBJECT, &one)]), Ok(1));
    // Two fat binaries in a section, with padding between them. Non-relocatable code is used if
    // there is no other.
    let images = [gives("two", 2), gives("one", 3)].map(|text| fat_binary(&[(1, text.as_bytes())]));
    let mut section = images[0].clone();
    section.resize(section.len().next_multiple_of(8) + 8, 0);
    section.extend_from_slice(&images[1]);
    let both = elf(
        HOST,
        &[("__nv_relfatbin", &section), (".nv_fatbin", &[0; 8])],
        &[],
    );
    assert_eq!(linked(&[(PTX, caller.as_bytes()), (OBJECT, &both)]), Ok(3));
    let whole = elf(HOST, &[(".text", b"host"), (".nv_fatbin", &images[1])], &[]);
    assert_eq!(linked(&[(PTX, caller.as_bytes()), (OBJECT, &whole)]), Ok(3));
    // With machine code next to the PTX.
    let code = elf(CUDA, &[(".text", b"code")], &["one"]);
    let image = fat_binary(&[(2, &code), (1, gives("one", 4).as_bytes())]);
    let object = elf(HOST, &[("__nv_relfatbin", &image)], &[]);
    let found = linked(&[(PTX, caller.as_bytes()), (OBJECT, &object)]);
    assert_eq!(found, Ok(4));
    let library = archive(&[("object.o", &object)]);
    let found = linked(&[(PTX, caller.as_bytes()), (LIBRARY, &library)]);
    assert_eq!(found, Ok(4));
}

#[test]
fn needed_machine_code_is_rejected() {
    let _context = Own::new();
    let code = code_object(&["one"]);
    let cubin = elf(CUDA, &[(".text", b"code")], &["one"]);
    for (kind, input) in [(OBJECT, &code), (CUBIN, &cubin), (OBJECT, &cubin)] {
        let linker = Linker::new();
        assert_eq!(linker.add(kind, input, c"input"), NO_BINARY_FOR_GPU);
        let messages = linker.errors();
        let part = "input: it contains only machine code";
        assert!(messages.starts_with(part), "{messages}");
    }
    let library = archive(&[("a.o", &code)]);
    let text = caller("one");
    let linker = with(&[(PTX, text.as_bytes()), (LIBRARY, &library)]);
    assert_eq!(result_of(&linker), Err(NO_BINARY_FOR_GPU));
    let messages = linker.errors();
    let part = "`one` is needed from input(a.o): it contains only";
    assert!(messages.starts_with(part), "{messages}");
    // Unneeded NO_BINARY_FOR_GPU code is accepted.
    let text = gives("get", 0).replace(".func (.param .b32 r) get", ".entry get(.param .u64 p)");
    let text = text.replace("st.param.b32 [r], %r1;", "");
    let linker = with(&[(PTX, text.as_bytes()), (LIBRARY, &library)]);
    linker.complete().unwrap();
}

#[test]
fn the_device_runtime_is_recognized_by_its_names() {
    let _context = Own::new();
    let text = caller("__cudaCDP2GetLastError");
    let text = text.as_bytes();
    let runtime = device_runtime();
    assert_eq!(linked(&[(PTX, text), (LIBRARY, &runtime)]), Ok(0));
    let object = code_object(&["cudaGetParameterBuffer", "cudaGetLastError"]);
    assert_eq!(linked(&[(PTX, text), (OBJECT, &object)]), Ok(0));
    // The fat binary of such an object.
    let code = elf(CUDA, &[(".text", b"code")], &["cudaGetParameterBuffer"]);
    let fat = fat_binary(&[(2, &code)]);
    assert_eq!(linked(&[(PTX, text), (FAT_BINARY, &fat)]), Ok(0));
    let other = fat_binary(&[(2, &elf(CUDA, &[(".text", b"code")], &["f"]))]);
    let code = Linker::new().add(FAT_BINARY, &other, c"input");
    assert_eq!(code, NO_BINARY_FOR_GPU);
    // Without the library, the log names the missing function.
    let linker = with(&[(PTX, text)]);
    assert_eq!(result_of(&linker), Err(INVALID_SOURCE));
    let messages = linker.errors();
    let part = "`__cudaCDP2GetLastError`. Fix: link libcudadevrt.a";
    assert!(messages.contains(part), "{messages}");
    // Adding it twice makes no difference.
    let inputs: [(u32, &[u8]); 3] = [(LIBRARY, &runtime), (PTX, text), (LIBRARY, &runtime)];
    assert_eq!(linked(&inputs), Ok(0));
}

#[test]
fn damaged_libraries_are_rejected() {
    let _context = Own::new();
    let good = object(&gives("one", 1));
    let library = archive(&[("one.o", &good)]);
    let thin = [b"!<thin>\n", &library[8..]].concat();
    let bad = archive(&[("good.o", &good), ("bad.o", &good[..good.len() - 8])]);
    for (kind, input, words) in [
        (LIBRARY, &b"no archive"[..], "input: the input is damaged"),
        (LIBRARY, &library[..library.len() - 9], "damaged"),
        (LIBRARY, &good, "damaged"),
        (LIBRARY, &thin, "a thin archive"),
        (LIBRARY, &bad, "input: input(bad.o): the input is damaged"),
        (OBJECT, &library, "damaged"),
        (OBJECT, &good[..good.len() - 8], "damaged"),
    ] {
        let linker = Linker::new();
        assert_eq!(linker.add(kind, input, c"input"), INVALID_IMAGE, "{words}");
        let errors = linker.errors();
        assert!(errors.contains(words), "{errors}");
    }
}
