//! The place in the client's code that made a call, for reports.

use std::backtrace::Backtrace;
use std::sync::{Arc, OnceLock};

use super::configuration;

/// Crates whose functions are not the client's: this project's, the standard library's, and other
/// bindings of the driver.
const LIBRARIES: [&str; 14] = [
    "alloc",
    "backtrace",
    "core",
    "cuda_compute",
    "cuda_emulator",
    "cuda_emulator_engine",
    "cuda_nccl",
    "cuda_safe",
    "cuda_sys",
    "cudarc",
    "cust",
    "cust_raw",
    "std",
    "test",
];

/// The stack of a call. Finding its lines takes long, so only reports do that.
pub struct Caller(Backtrace);

impl Caller {
    /// Captures the stack, which takes a few microseconds. Returns `None` if no check is enabled, or if
    /// `RUST_BACKTRACE=0` forbids stacks.
    pub fn capture() -> Option<Arc<Caller>> {
        static WANTED: OnceLock<bool> = OnceLock::new();
        let wanted = WANTED.get_or_init(|| {
            let forbidden = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "0");
            configuration::get().has_checks() && !forbidden
        });
        wanted.then(|| Arc::new(Caller(Backtrace::force_capture())))
    }

    /// Returns the innermost function outside the [libraries](LIBRARIES) as a phrase: " at" with
    /// file and line, or " in" with the function's name if the program has no line information.
    /// Returns an empty text if there is no such function.
    pub fn place(caller: Option<&Arc<Caller>>) -> String {
        let place = caller.and_then(|caller| find(&caller.0.to_string()));
        place.map_or(String::new(), |place| format!(" {place}"))
    }
}

/// Finds the innermost function outside the libraries in the text of a stack.
///
/// The text has a line for each function, with its number and its name. The next line has its file,
/// line and column if they are known.
fn find(stack: &str) -> Option<String> {
    let mut lines = stack.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some((number, name)) = line.split_once(": ") else {
            continue;
        };
        let at = lines.next_if(|next| next.starts_with("at "));
        if number.parse::<u32>().is_err() {
            continue;
        }
        let Some(at) = at else {
            if name.contains("::") && !is_library(name) {
                return Some(format!("in {name}"));
            }
            continue;
        };
        // The column is missing in programs of some compilers.
        let place = match at["at ".len()..].rsplit_once(':') {
            Some((place, column)) if place.contains(':') && column.parse::<u32>().is_ok() => place,
            _ => &at["at ".len()..],
        };
        if !is_library(name) && !is_in_library(place) {
            return Some(format!("at {}", place.trim_start_matches("./")));
        }
    }
    None
}

/// Returns whether a function's name is that of a library's function. Functions of the driver's
/// interface count too.
fn is_library(name: &str) -> bool {
    let of_driver = name.strip_prefix("cu").is_some_and(|rest| {
        let first = rest.chars().next();
        first.is_some_and(|first| first.is_ascii_uppercase())
    });
    // `<A as B>::f` belongs to the crate of A, or to that of B if A is a primitive or generic type.
    let name = name.trim_start_matches(['<', '&', '[', '(', '*']);
    let name = name.trim_start_matches("mut ").trim_start_matches("dyn ");
    let path = match name.split_once(" as ") {
        Some((own, of_trait)) if !own.contains("::") => of_trait,
        _ => name,
    };
    let package = path.split("::").next().unwrap_or_default();
    of_driver || LIBRARIES.contains(&package)
}

/// The folder of the standard library's own dependencies, such as hashbrown, in line information.
const STANDARD_DEPENDENCIES: &str = "/rust/deps/";

/// Returns whether a source file belongs to a library: whether it is in `src` of a folder with the
/// library's name. Line information may contain only the last part of a function's name.
fn is_in_library(place: &str) -> bool {
    if place.starts_with(STANDARD_DEPENDENCIES) {
        return true;
    }
    // Stacks omit the working directory.
    let here = place.strip_prefix("./").zip(std::env::current_dir().ok());
    let path = here.map_or_else(|| place.into(), |(rest, here)| here.join(rest));
    let path = path.to_string_lossy();
    let parts: Vec<&str> = path.split(std::path::is_separator).collect();
    let mut folders = (1..parts.len()).filter(|&at| parts[at] == "src");
    folders.any(|at| {
        let package = without_version(parts[at - 1]).replace('-', "_");
        let is_standard = at > 1 && parts[at - 2] == "library";
        LIBRARIES.contains(&&*package) && (is_standard || package.contains("cu"))
    })
}

/// Removes the version from the name of a registry's folder: `cuda-safe` for `cuda-safe-0.1.0`.
fn without_version(folder: &str) -> &str {
    match folder.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => name,
        _ => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: &str = "   0: cuda_emulator::api::launch::start
             at ./cuda-emulator/src/api/launch.rs:28:5
   1: cuLaunchKernel
             at ./cuda-emulator/src/process/call.rs:9:1
   2: <T as core::convert::Into<U>>::into
   3: <&cuda_safe::Stream as cuda_safe::Work>::run
   4: cuda_safe::launch::<impl cuda_safe::code::function::Function>::launch
   5: core::ops::function::FnOnce::call_once
   6: with_pointers<&mut cuda_safe::memory::Buffer, i32>
             at /x/cuda-safe-0.1.0/src/launch/arguments.rs:317:17
   7: call_once<bugs::main::{closure_env#0}, ()>
             at /rustc/0123/library/core/src/ops/function.rs:250:5
   8: hashbrown::raw::RawTable<T,A>::reserve_rehash
             at /rust/deps/hashbrown-0.16.1/src/raw/mod.rs:1179:5
";

    #[test]
    fn files_of_libraries_are_recognized() {
        for place in [
            "/x/cuda-safe/src/launch/arguments.rs",
            "/x/registry/src/index-0/cuda-safe-0.1.0/src/lib.rs",
            "cuda-compute/src/array/mod.rs",
            "/rustc/0123/library/core/src/ops/function.rs",
            "/rust/deps/hashbrown-0.16.1/src/raw/mod.rs",
        ] {
            assert!(is_in_library(place), "{place}");
        }
        for place in [
            "/x/cuda-safe/tests/faults/main.rs",
            "/x/core/src/lib.rs",
            "/x/registry/src/index-0/hashbrown-0.16.1/src/raw/mod.rs",
            "/x/cuda-safer/src/main.rs",
            "src/main.rs",
            "/x.rs",
        ] {
            assert!(!is_in_library(place), "{place}");
        }
        let here = std::env::current_dir().unwrap();
        let of_library = here.ends_with("cuda-emulator");
        assert_eq!(is_in_library("./src/main.rs"), of_library);
    }

    #[test]
    fn the_innermost_function_of_the_client_is_found() {
        for (client, place) in [
            (
                "   9: bugs::main\n             at /x/src/main.rs:12:5\n  10: std::rt::lang_start\n",
                Some("at /x/src/main.rs:12"),
            ),
            (
                "   9: bugs::main\n  10: bugs::other\n",
                Some("in bugs::main"),
            ),
            (
                "   9: <bugs::Model as cuda_safe::launch::Arguments>::f\n             at /x/a.rs:3:1\n",
                Some("at /x/a.rs:3"),
            ),
            // C has no paths, and its stacks no columns.
            (
                "   9: step\n             at /x/a.c:30\n",
                Some("at /x/a.c:30"),
            ),
            ("   9: step\n  10: main\n", None),
            ("   9: std::rt::lang_start\n", None),
        ] {
            let found = find(&format!("{STACK}{client}"));
            assert_eq!(found.as_deref(), place, "{client}");
        }
        assert_eq!(find(""), None);
        assert_eq!(find("disabled backtrace"), None);
        assert_eq!(Caller::place(None), "");
    }
}
