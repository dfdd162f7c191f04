//! Linker inputs that do not fit together. The codes are those of driver 580 on an H200, and the
//! texts are the same or more detailed.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

const HEAD: &str = ".version 8.0\n.target sm_70\n.address_size 64\n";
const MISMATCH: CUresult = CUresult::CUDA_ERROR_INVALID_SOURCE;

struct Linker {
    state: CUlinkState,
    log: Box<[u8; 2000]>,
    /// The size of the log is written here while the linker lives.
    _values: Box<[*mut c_void; 2]>,
}

impl Linker {
    fn new() -> Linker {
        let mut state = null_mut();
        let mut log = Box::new([0u8; 2000]);
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = Box::new([log.as_mut_ptr().cast::<c_void>(), 2000 as *mut c_void]);
        let options = options.as_mut_ptr();
        ok!(cuLinkCreate_v2(2, options, values.as_mut_ptr(), &mut state));
        Linker {
            state,
            log,
            _values: values,
        }
    }

    fn add(&self, name: &CStr, text: &str) -> CUresult {
        let (place, size) = (text.as_ptr().cast_mut().cast(), text.len());
        let (kind, no) = (CUjitInputType::CU_JIT_INPUT_PTX, null_mut());
        let name = name.as_ptr();
        // SAFETY: The linker is live, and the data has this length.
        unsafe { cuLinkAddData_v2(self.state, kind, place, size, name, 0, null_mut(), no) }
    }

    fn complete(&self) -> CUresult {
        // SAFETY: The linker is live, and the result pointer is valid. The size may be null.
        unsafe { cuLinkComplete(self.state, &mut null_mut(), null_mut()) }
    }

    fn errors(&self) -> &str {
        let text = CStr::from_bytes_until_nul(&self.log[..]).unwrap();
        text.to_str().unwrap()
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        ok!(cuLinkDestroy(self.state));
    }
}

/// Returns a kernel that declares `f` and calls it.
fn caller(declaration: &str, call: &str) -> String {
    format!(
        "{HEAD}.extern .func {declaration};\n.visible .entry k()\n{{\n.param .b32 a, b, q; .param .b64 w, z;\n\
         st.param.b32 [a], 3; st.param.b32 [b], 4; st.param.b64 [w], 5;\n{call}\nret;\n}}\n"
    )
}

fn callee(definition: &str) -> String {
    format!("{HEAD}.visible .func {definition} {{ ret; }}\n")
}

#[test]
fn mismatched_prototypes_are_rejected() {
    let _context = Own::new();
    let one = "(.param .b32 q) f(.param .b32 a)";
    for (declaration, call, definition, parts) in [
        (
            one,
            "call (q), f, (a);",
            "f(.param .b32 a)",
            "(b32) f(b32) in caller, defined as () f(b32) in callee",
        ),
        (
            "f(.param .b32 a)",
            "call f, (a);",
            one,
            "() f(b32) in caller, defined as (b32) f(b32) in callee",
        ),
        (
            "(.param .b32 q) f(.param .b32 a, .param .b32 b)",
            "call (q), f, (a, b);",
            one,
            "(b32) f(b32, b32) in caller, defined as (b32) f(b32) in callee",
        ),
        (
            one,
            "call (q), f, (a);",
            "(.param .b32 q) f(.param .b32 a, .param .align 4 .b8 b[12])",
            "(b32) f(b32) in caller, defined as (b32) f(b32, b8[12]) in callee",
        ),
        (
            "(.param .b32 q) f(.param .b64 w)",
            "call (q), f, (w);",
            one,
            "(b32) f(b64) in caller",
        ),
        (
            "(.param .b64 z) f(.param .b32 a)",
            "call (z), f, (a);",
            one,
            "(b64) f(b32) in caller",
        ),
    ] {
        let texts = [
            (c"caller", caller(declaration, call)),
            (c"callee", callee(definition)),
        ];
        for order in [[0, 1], [1, 0]] {
            let linker = Linker::new();
            let codes = order.map(|at| linker.add(texts[at].0, &texts[at].1));
            assert_eq!(codes, [SUCCESS, MISMATCH], "{declaration}");
            let errors = linker.errors().to_string();
            assert!(errors.contains("`f`") && errors.contains(parts), "{errors}");
            assert_eq!(linker.complete(), MISMATCH);
            assert_eq!(linker.errors(), errors);
        }
    }
}

#[test]
fn matching_and_unused_prototypes_are_linked() {
    let _context = Own::new();
    let one = "(.param .b32 q) f(.param .b32 a)";
    let other = "f(.param .b64 a)";
    for (first, second) in [
        (caller(one, "call (q), f, (a);"), callee(one)),
        // Names, and types of the same size, may differ.
        (
            caller(one, "call (q), f, (a);"),
            callee("(.param .f32 x) f(.param .u32 y)"),
        ),
        // A declaration without a call.
        (caller(other, ""), callee(one)),
        // A file-local function of that name.
        (
            caller(one, "call (q), f, (a);")
                + ".visible .func (.param .b32 q) f(.param .b32 a) { ret; }",
            callee(other).replace(".visible ", ""),
        ),
    ] {
        let linker = Linker::new();
        let codes = [
            linker.add(c"one", &first),
            linker.add(c"two", &second),
            linker.complete(),
        ];
        assert_eq!(codes, [SUCCESS; 3], "{}\n{first}", linker.errors());
    }
}

#[test]
fn undefined_names_are_an_invalid_source() {
    let _context = Own::new();
    let function = caller("f(.param .b32 a)", "call f, (a);");
    let variable = format!(
        "{HEAD}.extern .global .u32 number;\n.visible .entry k() {{ .reg .b32 %r<2>; ld.global.u32 %r1, [number]; ret; }}"
    );
    let address =
        format!("{HEAD}.extern .global .u32 number;\n.visible .global .u64 place = number;");
    for (text, name) in [
        (function, "`f`"),
        (variable, "`number`"),
        (address, "`number`"),
    ] {
        let linker = Linker::new();
        assert_eq!(
            [linker.add(c"one", &text), linker.complete()],
            [SUCCESS, MISMATCH]
        );
        assert!(linker.errors().contains(name), "{}", linker.errors());
        // Loaded as a module, it is invalid PTX.
        let text = std::ffi::CString::new(text).unwrap();
        let mut module = null_mut();
        fails!(
            CUDA_ERROR_INVALID_PTX,
            cuModuleLoadData(&mut module, text.as_ptr().cast())
        );
    }
}
