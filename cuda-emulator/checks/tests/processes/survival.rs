//! Calls every function of the header with null, invalid and empty arguments. Each call must return
//! a code, and the process must survive.

use cuda_emulator_checks::abi::{inner, rerun};
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Returns the value for a parameter.
type Value<'a> = &'a dyn Fn(&Function<'_>, Kind) -> usize;

/// The kind of a parameter, which determines its invalid values.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Handle,
    Pointer,
    Callback,
    Number,
}

struct Function<'a> {
    name: &'a str,
    parameters: Vec<Kind>,
}

/// Returns the functions of the bindings, with the kinds of their parameters.
fn functions<'a>(bindings: &'a str) -> Vec<Function<'a>> {
    let types: Vec<(&str, &str)> = bindings
        .split("pub type ")
        .skip(1)
        .filter_map(|rest| rest.split(';').next()?.split_once('='))
        .map(|(name, what)| (name.trim(), what.trim()))
        .collect();
    let kind = |declared: &'a str| {
        let mut of = declared;
        loop {
            if of.starts_with("*mut ") && of.ends_with("_st") {
                return Kind::Handle;
            } else if of.starts_with('*') {
                return Kind::Pointer;
            } else if of.contains("Option<") {
                return Kind::Callback;
            }
            match types.iter().find(|(name, _)| *name == of) {
                Some((_, what)) => of = what,
                None => return Kind::Number,
            }
        }
    };
    bindings
        .split("pub fn ")
        .skip(1)
        .filter_map(|rest| {
            let (name, rest) = rest[..rest.find(';')?].split_once('(')?;
            let parameters = rest.rsplit_once(')')?.0.split(',');
            let parameters = parameters.filter_map(|one| Some(kind(one.split_once(':')?.1.trim())));
            let named = name.strip_prefix("cu")?;
            named
                .starts_with(|c: char| c.is_ascii_uppercase())
                .then(|| Function {
                    name,
                    parameters: parameters.collect(),
                })
        })
        .collect()
}

/// Extra arguments beyond a function's parameters are harmless.
type Any = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> u32;

/// The shared library of the emulator.
struct Library(*mut c_void);

impl Library {
    fn open() -> Library {
        let file = std::env::current_exe().unwrap();
        let path = file.parent().unwrap().join("libcuda_emulator.so");
        let path = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: Loading the emulator runs no code except the start-up of the Rust runtime.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null());
        Library(handle)
    }

    fn call(&self, name: &str, arguments: &[usize]) -> u32 {
        let symbol = CString::new(name).unwrap();
        // SAFETY: The handle is live, and the name is NUL-terminated.
        let symbol = unsafe { libc::dlsym(self.0, symbol.as_ptr()) };
        assert!(!symbol.is_null(), "{name}");
        let mut a = [0; 16];
        a[..arguments.len()].copy_from_slice(arguments);
        // SAFETY: No requirement is met on purpose. The test checks that nothing breaks.
        unsafe {
            let function: Any = std::mem::transmute(symbol);
            function(
                a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                a[13], a[14], a[15],
            )
        }
    }
}

/// Calls every function in another process, in a separate context for each call, with each of
/// `values`.
fn survives(values: &[Value<'_>]) {
    if !inner() {
        let (code, output, text) = rerun(&[]);
        let last = output.lines().rev().find(|line| line.starts_with("cu"));
        return assert_eq!(code, Some(0), "in or after {last:?}\n{text}");
    }
    let files = [
        env!("EMULATOR_DEP_CUDA_BINDINGS"),
        env!("EMULATOR_DEP_CUDA_VERSIONED_BINDINGS"),
    ];
    let bindings = files.map(|file| std::fs::read_to_string(file).unwrap());
    let bindings = bindings.concat();
    let functions = functions(&bindings);
    assert!(functions.len() > 600, "{}", functions.len());
    let kinds = functions.iter().flat_map(|function| &function.parameters);
    assert!(kinds.filter(|&&kind| kind == Kind::Handle).count() > 300);

    let library = Library::open();
    assert_eq!(library.call("cuInit", &[0]), 0);
    for function in &functions {
        for value in values {
            let mut context = 0usize;
            let found = library.call("cuCtxCreate_v2", &[&raw mut context as usize, 0, 0]);
            assert_eq!(found, 0);
            let arguments = function.parameters.iter();
            let arguments: Vec<_> = arguments.map(|&kind| value(function, kind)).collect();
            PLACE.iter().for_each(|word| word.store(0, Relaxed));
            // If the process dies, its last line names the call.
            println!("{} {arguments:x?}", function.name);
            let code = library.call(function.name, &arguments);
            assert!(code <= 999, "{}: {code}", function.name);
            library.call("cuCtxDestroy_v2", &[context]);
        }
    }
}

#[test]
fn null_arguments_are_survived() {
    survives(&[&|_, _| 0]);
}

/// Memory for pointer arguments, so that only the handles are invalid.
static PLACE: [AtomicU64; 1 << 13] = [const { AtomicU64::new(0) }; 1 << 13];

fn place() -> usize {
    PLACE.as_ptr() as usize
}

fn wild(handle: usize, memory: usize, number: usize) -> impl Fn(&Function, Kind) -> usize {
    move |function, kind| match kind {
        Kind::Handle => handle,
        Kind::Pointer => memory,
        Kind::Callback => 0,
        // Unknown addresses are treated as host addresses. Copying from an invalid one is the
        // caller's mistake.
        Kind::Number if function.name.starts_with("cuMemcpy") => 0,
        Kind::Number => number,
    }
}

#[test]
fn invalid_handles_are_survived() {
    let memory = place();
    let handles = [1, 0xdead_beef, usize::MAX, memory];
    let values: Vec<_> = handles
        .into_iter()
        .flat_map(|handle| [wild(handle, memory, 0), wild(handle, memory, 1)])
        .collect();
    let values: Vec<_> = values.iter().map(|value| value as Value<'_>).collect();
    survives(&values);
}

#[test]
fn huge_numbers_are_survived() {
    let memory = place();
    survives(&[
        &wild(0, memory, usize::MAX),
        &wild(0, memory, 1 << 31),
        &wild(0xdead_beef, memory, 1 << 62),
    ]);
}
