//! Objects and libraries in the linker: their linked parts and their errors.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::objects::{
    CUDA, HOST, archive, code_object, device_runtime, elf, fat_binary, object,
};
use std::ffi::CStr;
use std::ptr::null_mut;

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";
const CUBIN: u32 = 0;
const PTX: u32 = 1;
const FATBINARY: u32 = 2;
const OBJECT: u32 = 3;
const LIBRARY: u32 = 4;

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

/// A linker with an error log.
struct Linker {
    state: CUlinkState,
    log: Box<[u8; 1000]>,
    _values: Box<[*mut std::ffi::c_void; 2]>,
}

impl Linker {
    fn new() -> Linker {
        let mut log = Box::new([0; 1000]);
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = Box::new([log.as_mut_ptr().cast(), 1000 as *mut std::ffi::c_void]);
        let mut state = null_mut();
        ok!(cuLinkCreate_v2(
            2,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
            &mut state
        ));
        Linker {
            state,
            log,
            _values: values,
        }
    }

    fn add(&self, kind: u32, bytes: &[u8]) -> CUresult {
        let (place, size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
        let (kind, name) = (CUjitInputType(kind), c"input".as_ptr());
        let no = null_mut();
        // SAFETY: The linker is live, and the data has this length.
        unsafe { cuLinkAddData_v2(self.state, kind, place, size, name, 0, null_mut(), no) }
    }

    fn with(self, inputs: &[(u32, &[u8])]) -> Linker {
        for (kind, bytes) in inputs {
            let code = self.add(*kind, bytes);
            assert_eq!(code, SUCCESS, "kind {kind}: {}", self.messages());
        }
        self
    }

    fn messages(&self) -> &str {
        let text = CStr::from_bytes_until_nul(&self.log[..]).unwrap();
        text.to_str().unwrap()
    }

    /// Links. Returns the value that `get` stores, or the error code.
    fn result(&self) -> Result<u32, CUresult> {
        let (mut image, mut size, mut module) = (null_mut(), 0, null_mut());
        // SAFETY: The linker is live, and the result pointers are valid.
        let code = unsafe { cuLinkComplete(self.state, &mut image, &mut size) };
        if code != SUCCESS {
            return Err(code);
        }
        ok!(cuModuleLoadData(&mut module, image));
        let out = alloc(4);
        let code = launch(function(module, "get"), 1, 1, null_mut(), &mut [arg(&out)]);
        assert_eq!(code, SUCCESS);
        Ok(download::<u32>(out, 1)[0])
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        ok!(cuLinkDestroy(self.state));
    }
}

fn linked(inputs: &[(u32, &[u8])]) -> Result<u32, CUresult> {
    Linker::new().with(inputs).result()
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
    assert_eq!(missing, Err(CUresult::CUDA_ERROR_INVALID_SOURCE));
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
    assert_eq!(
        linked(&[(PTX, caller.as_bytes()), (OBJECT, &object)]),
        Ok(4)
    );
    let library = archive(&[("object.o", &object)]);
    assert_eq!(
        linked(&[(PTX, caller.as_bytes()), (LIBRARY, &library)]),
        Ok(4)
    );
}

#[test]
fn needed_machine_code_is_rejected() {
    let _context = Own::new();
    let machine = CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU;
    let code = code_object(&["one"]);
    let cubin = elf(CUDA, &[(".text", b"code")], &["one"]);
    for (kind, input) in [(OBJECT, &code), (CUBIN, &cubin), (OBJECT, &cubin)] {
        let linker = Linker::new();
        assert_eq!(linker.add(kind, input), machine);
        let messages = linker.messages();
        assert!(
            messages.starts_with("input: it contains only machine code"),
            "{messages}"
        );
    }
    let library = archive(&[("a.o", &code)]);
    let text = caller("one");
    let linker = Linker::new().with(&[(PTX, text.as_bytes()), (LIBRARY, &library)]);
    assert_eq!(linker.result(), Err(machine));
    let messages = linker.messages();
    assert!(
        messages.starts_with("`one` is needed from input(a.o): it contains only"),
        "{messages}"
    );
    // Unneeded machine code is accepted.
    let text = gives("get", 0).replace(".func (.param .b32 r) get", ".entry get(.param .u64 p)");
    let text = text.replace("st.param.b32 [r], %r1;", "");
    let linker = Linker::new().with(&[(PTX, text.as_bytes()), (LIBRARY, &library)]);
    let mut image = null_mut();
    ok!(cuLinkComplete(linker.state, &mut image, null_mut()));
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
    assert_eq!(linked(&[(PTX, text), (FATBINARY, &fat)]), Ok(0));
    let other = fat_binary(&[(2, &elf(CUDA, &[(".text", b"code")], &["f"]))]);
    let code = Linker::new().add(FATBINARY, &other);
    assert_eq!(code, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    // Without the library, the log names the missing function.
    let linker = Linker::new().with(&[(PTX, text)]);
    assert_eq!(linker.result(), Err(CUresult::CUDA_ERROR_INVALID_SOURCE));
    let messages = linker.messages();
    assert!(
        messages.contains("`__cudaCDP2GetLastError`; link libcudadevrt.a"),
        "{messages}"
    );
    // Adding it twice makes no difference.
    let inputs: [(u32, &[u8]); 3] = [(LIBRARY, &runtime), (PTX, text), (LIBRARY, &runtime)];
    assert_eq!(linked(&inputs), Ok(0));
}

#[test]
fn damaged_libraries_are_rejected() {
    let _context = Own::new();
    let good = object(&gives("one", 1));
    let image = CUresult::CUDA_ERROR_INVALID_IMAGE;
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
        assert_eq!(linker.add(kind, input), image, "{words}");
        assert!(
            linker.messages().starts_with(words) || linker.messages().contains(words),
            "{}",
            linker.messages()
        );
    }
}
