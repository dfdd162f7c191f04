//! Links and options with the codes that an H200 (driver 580, CUDA 13.0) returned from each call.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

/// The outcome of a link: the codes of the calls up to the first failure, and the logs.
struct Link {
    codes: Vec<CUresult>,
    module: CUmodule,
    error: String,
    info: String,
}

/// Creates a linker with options in addition to the logs, adds texts, completes the link and loads
/// the result.
fn link(texts: &[&str], options: &[(u32, usize)]) -> Link {
    let (mut error, mut info) = (vec![0u8; 4000], vec![0u8; 4000]);
    let (mut codes, mut module, mut state) = (Vec::new(), null_mut(), null_mut());
    let [error_at, info_at] = [&mut error, &mut info].map(|log| log.as_mut_ptr() as usize);
    let logs = [(3, info_at), (4, 4000), (5, error_at), (6, 4000)];
    let all = || logs.iter().chain(options);
    let mut names: Vec<_> = all().map(|one| CUjit_option(one.0)).collect();
    let mut values: Vec<_> = all().map(|one| one.1 as *mut c_void).collect();
    let (count, names, values) = (names.len() as u32, names.as_mut_ptr(), values.as_mut_ptr());
    codes.push(call!(cuLinkCreate_v2(count, names, values, &mut state)));
    for (index, text) in texts.iter().enumerate() {
        if *codes.last().unwrap() != SUCCESS {
            break;
        }
        let name = CString::new(format!("file{index}.ptx")).unwrap();
        codes.push(link_data(state, input::PTX, text.as_bytes(), &name));
    }
    let mut image = null_mut();
    if *codes.last().unwrap() == SUCCESS {
        codes.push(call!(cuLinkComplete(state, &mut image, null_mut())));
    }
    if *codes.last().unwrap() == SUCCESS {
        codes.push(call!(cuModuleLoadData(&mut module, image)));
    }
    if !state.is_null() {
        ok!(cuLinkDestroy(state));
    }
    let [error, info] = [error, info].map(|log| {
        let text = CStr::from_bytes_until_nul(&log).unwrap();
        text.to_str().unwrap().to_string()
    });
    Link {
        codes,
        module,
        error,
        info,
    }
}

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";
const CALL: &str = "{ .reg .b32 %r<3>; mov.u32 %r1, 1; { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; \
                    call (r), f, (a); ld.param.b32 %r2, [r]; } ret; }";
const CALL_WIDE: &str = "{ .reg .b32 %r<3>; .reg .b64 %d<3>; mov.u64 %d1, 1; { .param .b64 a; .param .b32 r; \
                         st.param.b64 [a], %d1; call (r), f, (a); ld.param.b32 %r2, [r]; } ret; }";
const READ: &str = "{ .reg .b32 %r<3>; .reg .b64 %d<3>; mov.u64 %d1, x; ld.u32 %r1, [%d1]; ret; }";
const F: &str = "(.param .b32 r) f(.param .b32 a)";
const EMPTY: &str = ".visible .entry k() { ret; }";
const ONE: &str = ".visible .global .u32 x = 1;";

/// Checks that a link ends after `calls` calls (`cuLinkCreate`, then one for each input, the
/// completion and the load), with a code, and with these words in the error log.
#[track_caller]
fn ends(texts: &[String], calls: usize, code: CUresult, words: &[&str]) {
    let texts: Vec<String> = texts.iter().map(|text| format!("{HEAD}{text}\n")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let link = link(&texts, &[]);
    let mut wanted = vec![SUCCESS; calls - 1];
    wanted.push(code);
    assert_eq!(link.codes, wanted, "{}", link.error);
    assert_eq!(link.error.is_empty(), code == SUCCESS, "{}", link.error);
    for word in words {
        assert!(link.error.contains(word), "no `{word}` in: {}", link.error);
    }
}

#[test]
fn duplicate_definitions_fail() {
    let _context = Own::new();
    let f = format!(
        ".visible .func {F} {{ .reg .b32 %r<2>; ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret; }}"
    );
    let weak = f.replace("visible", "weak");
    let text = String::from;
    let both = ["file0.ptx", "file1.ptx"];
    ends(&[text(EMPTY), text(EMPTY)], 3, INVALID_SOURCE, &both);
    ends(&[f.clone() + EMPTY, f.clone()], 3, INVALID_SOURCE, &both);
    let caller = format!(".extern .func {F};\n.visible .entry k() {CALL}");
    let both_later = ["`f`", "file1.ptx", "file2.ptx"];
    ends(&[caller, f.clone(), f], 4, INVALID_SOURCE, &both_later);
    ends(&[weak.clone() + EMPTY, weak], 5, SUCCESS, &[]);
    let two = ".visible .global .u32 x = 2;";
    ends(&[text(ONE) + EMPTY, text(two)], 3, INVALID_SOURCE, &["`x`"]);
    let uses = |variable: &str, name: &str| format!("{variable}.visible .entry {name}() {READ}");
    let both_used = [uses(ONE, "k"), uses(two, "l")];
    ends(&both_used, 3, INVALID_SOURCE, &["`x`"]);
    for other in [".common .global .u32 x;", ".common .global .u32 x[4];"] {
        let texts = [uses(".common .global .u32 x;", "k"), text(other)];
        ends(&texts, 5, SUCCESS, &[]);
    }
}

#[test]
fn undefined_names_fail() {
    let _context = Own::new();
    let variable = ".extern .global .u32 x;";
    let function = format!(".extern .func {F};\n");
    let used = format!("{variable}.visible .entry k() {READ}");
    ends(&[used], 3, INVALID_SOURCE, &["`x`"]);
    ends(&[format!("{variable}{EMPTY}")], 3, INVALID_SOURCE, &["`x`"]);
    let called = format!("{function}.visible .entry k() {CALL}");
    ends(&[called], 3, INVALID_SOURCE, &["`f`"]);
    ends(&[function + EMPTY], 4, SUCCESS, &[]);
    // A link without inputs produces an empty module.
    ends(&[], 3, SUCCESS, &[]);
}

#[test]
fn mismatched_declarations_fail() {
    let _context = Own::new();
    let f = format!(".visible .func {F} {{ ret; }}");
    let wide = ".extern .func (.param .b32 r) f(.param .b64 a);\n";
    ends(&[format!("{wide}{EMPTY}"), f.clone()], 5, SUCCESS, &[]);
    let caller = format!("{wide}.visible .entry k() {CALL_WIDE}");
    ends(&[caller, f.clone()], 3, INVALID_SOURCE, &["`f`"]);
    let use_of = |declaration: &str| format!("{declaration}.visible .entry k() {READ}");
    let long = ".extern .global .u32 x[9];";
    let one = || ONE.to_string();
    let (unused, used) = ([format!("{long}{EMPTY}"), one()], [use_of(long), one()]);
    ends(&unused, 3, INVALID_SOURCE, &["sizes"]);
    let words = ["sizes", "36", "file1.ptx"];
    ends(&used, 3, INVALID_SOURCE, &words);
    for same in [".f32 x;", ".align 16 .u32 x;"] {
        let same = use_of(&format!(".extern .global {same}"));
        ends(&[same, one()], 5, SUCCESS, &[]);
    }
    let constant = use_of(".extern .const .u32 x;");
    ends(&[constant, one()], 3, INVALID_SOURCE, &["spaces", "`x`"]);
    // The H200 returned CUDA_ERROR_UNKNOWN here, with an internal linker error in the log.
    let variable = format!(".extern .global .u32 f;{EMPTY}");
    for texts in [[variable.clone(), f.clone()], [f, variable]] {
        ends(&texts, 3, INVALID_SOURCE, &["`f`", "function"]);
    }
}

#[test]
fn errors_within_one_input_fail() {
    let _context = Own::new();
    let garbage = ".visible .entry k() { garbage; }".to_string();
    let code = match link(&[&format!("{HEAD}{garbage}")], &[]).codes[..] {
        [SUCCESS, code] => code,
        ref codes => panic!("{codes:?}"),
    };
    // Unknown PTX may be valid, so the emulator returns another code.
    assert_eq!(code, NOT_SUPPORTED);
    let label = ".visible .entry k() { bra nowhere; }".to_string();
    ends(&[label], 2, INVALID_PTX, &["file0.ptx", "nowhere"]);
    let newer = ".version 8.7\n.target sm_120\n.address_size 64\n.visible .entry k3() { ret; }\n";
    let own = format!("{HEAD}{EMPTY}");
    let found = link(&[&own, newer], &[]).codes;
    assert_eq!(found, [SUCCESS, SUCCESS, INVALID_PTX]);
}

#[test]
fn link_targets_are_checked() {
    let _context = Own::new();
    let own = format!("{HEAD}{EMPTY}");
    let older = own.replace("sm_90", "sm_80");
    let fails_to_load = vec![SUCCESS, SUCCESS, SUCCESS, NO_BINARY_FOR_GPU];
    for (text, target, wanted) in [
        (&own, 75, vec![SUCCESS, INVALID_PTX]),
        (&own, 80, vec![SUCCESS, INVALID_PTX]),
        (&own, 89, vec![SUCCESS, INVALID_PTX]),
        (&own, 90, vec![SUCCESS; 4]),
        (&own, 100, fails_to_load.clone()),
        (&own, 120, fails_to_load.clone()),
        (&own, 90 + 65536, vec![SUCCESS; 4]),
        (&own, 12345, vec![INVALID]),
        (&older, 90, vec![SUCCESS; 4]),
        (&older, 80, fails_to_load.clone()),
    ] {
        assert_eq!(link(&[text], &[(9, target)]).codes, wanted, "{target}");
    }
    // CU_JIT_TARGET_FROM_CUCONTEXT
    assert_eq!(link(&[&own], &[(8, 0)]).codes, [SUCCESS; 4]);
}

fn registers(module: CUmodule) -> i32 {
    registers_of(module, "k")
}

fn registers_of(module: CUmodule, name: &str) -> i32 {
    // CU_FUNC_ATTRIBUTE_NUM_REGS
    attribute_of(function(module, name), 4)
}

/// Loads a module with an option. Returns the code, the module and the info log.
fn loaded(text: &str, option: (u32, usize)) -> (CUresult, CUmodule, String) {
    let mut log = vec![0u8; 2000];
    let mut options = [3, 4, option.0].map(CUjit_option);
    let mut values = [log.as_mut_ptr() as usize, 2000, option.1].map(|value| value as *mut c_void);
    let text = CString::new(text).unwrap();
    let (mut module, image) = (null_mut(), text.as_ptr().cast());
    let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
    let code = call!(cuModuleLoadDataEx(&mut module, image, 3, options, values));
    let message = CStr::from_bytes_until_nul(&log).unwrap();
    (code, module, message.to_str().unwrap().to_string())
}

/// Returns a kernel with 120 loaded values alive at once.
fn hungry(directives: &str) -> String {
    let mut text = format!(
        "{HEAD}.visible .entry k(.param .u64 p) {directives} {{\n.reg .b32 %r<120>; .reg .b64 %d;\n"
    );
    text += "ld.param.u64 %d, [p];\n";
    for i in 0..120 {
        text += &format!("ld.volatile.global.u32 %r{i}, [%d+{}];\n", 4 * i);
    }
    for i in 0..120 {
        text += &format!("st.volatile.global.u32 [%d+{}], %r{};\n", 4 * i, 119 - i);
    }
    text + "ret;\n}\n"
}

/// `CU_JIT_MAX_REGISTERS`, the number of registers on the H200, and whether the info log mentioned
/// it.
#[test]
fn register_limits_match_an_h200() {
    let _context = Own::new();
    for (limit, wanted, says) in [
        (1, 24, true),
        (8, 24, true),
        (16, 24, true),
        (24, 24, false),
        (32, 32, false),
        (40, 40, false),
        (64, 64, false),
    ] {
        let link = link(&[&hungry("")], &[(0, limit)]);
        assert_eq!(link.codes, [SUCCESS; 4], "{}", link.error);
        assert_eq!(registers(link.module), wanted, "{limit}");
        let found = link.info.contains("minimum of 24 is used");
        assert_eq!(found, says, "{}", link.info);
        let (code, module, info) = loaded(&hungry(""), (0, limit));
        assert_eq!((code, registers(module)), (SUCCESS, wanted), "{limit}");
        assert_eq!(!info.is_empty(), says, "{info}");
    }
    // Zero is rejected, and values that are too large are ignored.
    assert_eq!(link(&[&hungry("")], &[(0, 0)]).codes, [INVALID]);
    assert_eq!(loaded(&hungry(""), (0, 0)).0, INVALID);
    let free = registers(loaded(&hungry(""), (0, 255)).1);
    assert_eq!(loaded(&hungry(""), (0, 255)).2, "");
    for limit in [256, 300] {
        let (code, module, info) = loaded(&hungry(""), (0, limit));
        assert_eq!((code, registers(module)), (SUCCESS, free));
        assert!(info.contains("ignored"), "{info}");
    }
    // The bounds of a kernel take precedence.
    for limit in [32, 64] {
        for (directives, wanted) in [(".maxnreg 48", 48), (".maxntid 256 .minnctapersm 4", 64)] {
            let link = link(&[&hungry(directives)], &[(0, limit)]);
            assert_eq!(registers(link.module), wanted, "{directives} {limit}");
        }
        let link = link(&[&hungry(".maxntid 256")], &[(0, limit)]);
        // 128 on the H200.
        assert!(registers(link.module) > 64, "{limit}");
    }
    // CU_JIT_THREADS_PER_BLOCK
    let both = link(&[&hungry("")], &[(0, 32), (1, 256)]);
    assert_eq!(registers(both.module), 32);
    let threads = link(&[&hungry("")], &[(1, 1024)]);
    assert_eq!(registers(threads.module), 64);
}

/// `CU_JIT_MAX_REGISTERS` of `cuLinkCreate` and of the two inputs, and the number of registers of
/// the first kernel on the H200.
#[test]
fn input_options_override_link_options() {
    let _context = Own::new();
    let second = hungry("").replace(" k(", " l(");
    for (of_link, first, other, wanted) in [
        (None, Some(32), None, [32, 64]),
        (Some(64), Some(32), None, [32, 64]),
        (Some(32), Some(64), None, [64, 32]),
        (Some(48), Some(32), Some(40), [32, 40]),
    ] {
        let set = |limit: Option<usize>| ([CUjit_option(0)], [limit.unwrap_or(0) as *mut c_void]);
        let (mut options, mut values) = set(of_link);
        let count = u32::from(of_link.is_some());
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        let state = out!(cuLinkCreate_v2(count, options, values, _));
        for (text, limit) in [(&hungry(""), first), (&second, other)] {
            let (mut options, mut values) = set(limit);
            let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
            let (kind, data) = (CUjitInputType(1), text.as_ptr().cast_mut().cast());
            let (size, count) = (text.len(), u32::from(limit.is_some()));
            let (name, add) = (c"text".as_ptr(), cuLinkAddData_v2);
            ok!(add(state, kind, data, size, name, count, options, values));
        }
        let image = out!(cuLinkComplete(state, _, null_mut()));
        let module = out!(cuModuleLoadData(_, image));
        ok!(cuLinkDestroy(state));
        let found = ["k", "l"].map(|name| registers_of(module, name));
        assert_eq!(found, wanted, "{of_link:?} {first:?} {other:?}");
    }
}
