//! Linker inputs that do not fit together. The codes are those of driver 580 on an H200, and the
//! texts are the same or more detailed.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::linker::Linker;
use std::ffi::CStr;

const HEAD: &str = ".version 8.0\n.target sm_70\n.address_size 64\n";

fn add(linker: &Linker, name: &CStr, text: &str) -> CUresult {
    linker.add(input::PTX, text.as_bytes(), name)
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
    let (none, one) = ("f(.param .b32 a)", "(.param .b32 q) f(.param .b32 a)");
    let two = "(.param .b32 q) f(.param .b32 a, .param .b32 b)";
    let array = "(.param .b32 q) f(.param .b32 a, .param .align 4 .b8 b[12])";
    let wide = "(.param .b32 q) f(.param .b64 w)";
    let gives_wide = "(.param .b64 z) f(.param .b32 a)";
    // A declaration, a call, a definition, and the types in the message.
    for (declaration, call, definition, types) in [
        (one, "(q), f, (a)", none, ["(b32) f(b32)", "() f(b32)"]),
        (none, "f, (a)", one, ["() f(b32)", "(b32) f(b32)"]),
        (
            two,
            "(q), f, (a, b)",
            one,
            ["(b32) f(b32, b32)", "(b32) f(b32)"],
        ),
        (
            one,
            "(q), f, (a)",
            array,
            ["(b32) f(b32)", "(b32) f(b32, b8[12])"],
        ),
        (wide, "(q), f, (w)", one, ["(b32) f(b64)", "(b32) f(b32)"]),
        (
            gives_wide,
            "(z), f, (a)",
            one,
            ["(b64) f(b32)", "(b32) f(b32)"],
        ),
    ] {
        let parts = format!("{} in caller, defined as {} in callee", types[0], types[1]);
        let call = &format!("call {call};");
        let (caller, callee) = (caller(declaration, call), callee(definition));
        let texts = [(c"caller", caller), (c"callee", callee)];
        for order in [[0, 1], [1, 0]] {
            let linker = Linker::new();
            let codes = order.map(|at| add(&linker, texts[at].0, &texts[at].1));
            assert_eq!(codes, [SUCCESS, INVALID_SOURCE], "{declaration}");
            let errors = linker.errors().to_string();
            assert!(
                errors.contains("`f`") && errors.contains(&parts),
                "{errors}"
            );
            assert_eq!(code_of(linker.complete()), INVALID_SOURCE);
            assert_eq!(linker.errors(), errors);
        }
    }
}

#[test]
fn matching_and_unused_prototypes_are_linked() {
    let _context = Own::new();
    let one = "(.param .b32 q) f(.param .b32 a)";
    let other = "f(.param .b64 a)";
    let calls = caller(one, "call (q), f, (a);");
    let own = format!("{calls}.visible .func {one} {{ ret; }}");
    let same_sizes = callee("(.param .f32 x) f(.param .u32 y)");
    for (first, second) in [
        (calls.clone(), callee(one)),
        // Names, and types of the same size, may differ.
        (calls, same_sizes),
        // A declaration without a call.
        (caller(other, ""), callee(one)),
        // A file-local function of that name.
        (own, callee(other).replace(".visible ", "")),
    ] {
        let linker = Linker::new();
        let codes = [
            add(&linker, c"one", &first),
            add(&linker, c"two", &second),
            code_of(linker.complete()),
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
        let found = [add(&linker, c"one", &text), code_of(linker.complete())];
        assert_eq!(found, [SUCCESS, INVALID_SOURCE]);
        assert!(linker.errors().contains(name), "{}", linker.errors());
        // Loaded as a module, it is invalid PTX.
        let text = std::ffi::CString::new(text).unwrap();
        let module = result!(cuModuleLoadData(_, text.as_ptr().cast()));
        assert_eq!(module, Err(INVALID_PTX));
    }
}
