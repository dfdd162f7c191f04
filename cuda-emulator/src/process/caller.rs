//! The place in the client's code that made a call, for reports.

use std::backtrace::Backtrace;
use std::sync::Arc;

use super::configuration;

/// Crates whose functions are not the client's: this project's, the standard library's, and other
/// bindings of the driver.
const LIBRARIES: [&str; 16] = [
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
    "rayon",
    "rayon_core",
    "std",
    "test",
];

/// The stack of a call. Finding its lines takes long, so only reports do that.
pub struct Caller(Backtrace);

impl Caller {
    /// Captures the stack, or returns `None` if no check is enabled: it takes a few microseconds.
    pub fn capture() -> Option<Arc<Caller>> {
        let checked = configuration::get().has_checks();
        checked.then(|| Arc::new(Caller(Backtrace::force_capture())))
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
        if number.parse::<u32>().is_err() || is_library(name, at.is_some()) {
            continue;
        }
        return Some(match at {
            Some(at) => {
                // Without the column.
                let (place, column) = at.rsplit_once(':').unwrap_or((at, ""));
                let place = if column.parse::<u32>().is_ok() && place.contains(':') {
                    place
                } else {
                    at
                };
                format!("at {}", place["at ".len()..].trim_start_matches("./"))
            }
            None => format!("in {name}"),
        });
    }
    None
}

/// Returns whether a function belongs to a library. Functions of other languages count only if their
/// line is known.
fn is_library(name: &str, has_line: bool) -> bool {
    if !name.contains("::") {
        let of_driver = name.strip_prefix("cu").is_some_and(|rest| {
            let first = rest.chars().next();
            first.is_some_and(|first| first.is_ascii_uppercase())
        });
        return of_driver || !has_line;
    }
    // `<A as B>::f` belongs to the crate of A, or to that of B if A is a primitive or generic type.
    let name = name.trim_start_matches(['<', '&', '[', '(', '*']);
    let name = name.trim_start_matches("mut ").trim_start_matches("dyn ");
    let path = match name.split_once(" as ") {
        Some((own, of_trait)) if !own.contains("::") => of_trait,
        _ => name,
    };
    let package = path.split("::").next().unwrap_or_default();
    LIBRARIES.contains(&package)
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
";

    #[test]
    fn the_innermost_function_of_the_client_is_found() {
        for (client, place) in [
            (
                "   6: bugs::main\n             at ./src/main.rs:12:5\n   7: std::rt::lang_start\n",
                Some("at src/main.rs:12"),
            ),
            (
                "   6: bugs::main\n   7: bugs::other\n",
                Some("in bugs::main"),
            ),
            (
                "   6: <bugs::Model as cuda_safe::launch::Arguments>::f\n             at /x/a.rs:3:1\n",
                Some("at /x/a.rs:3"),
            ),
            // C has no paths, and its stacks no columns.
            (
                "   6: step\n             at /x/a.c:30\n",
                Some("at /x/a.c:30"),
            ),
            ("   6: step\n   7: main\n", None),
            ("   6: std::rt::lang_start\n", None),
        ] {
            let found = find(&format!("{STACK}{client}"));
            assert_eq!(found.as_deref(), place, "{client}");
        }
        assert_eq!(find(""), None);
        assert_eq!(find("disabled backtrace"), None);
        assert_eq!(Caller::place(None), "");
    }
}
