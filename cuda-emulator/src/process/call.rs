//! The wrapper around the body of every exported function: the initialization check, injected
//! failures, the trace, and the `catch_unwind` that keeps panics from unwinding into C.

use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use super::configuration::{self, Sink};
use super::context::{self, Context};
use super::exit;
use super::log;
use super::warnings;
use crate::abi::failure_reason::{self, FailedCall};
use crate::abi::pointers::Show;
use crate::abi::status::{Code, Result};
use crate::system;
use cuda_emulator_engine::Unpoisoned;

static INITIALISED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The current call.
    static CURRENT: Cell<Option<&'static Call>> = const { Cell::new(None) };
    /// Whether this thread is inside a client function that the driver called.
    static WITHIN_CLIENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a client function on one of a context's streams. Most driver calls are not permitted in it.
pub fn call_client(context: &Arc<Context>, function: impl FnOnce()) {
    call_client_without_context(|| {
        context::push(context.clone().into());
        function();
        context::pop();
    });
}

/// Runs a client function without a context. Most driver calls are not permitted in it.
pub fn call_client_without_context(function: impl FnOnce()) {
    let before = WITHIN_CLIENT.replace(true);
    function();
    WITHIN_CLIENT.set(before);
}

/// Returns whether a function may be called inside a host function.
///
/// As on an H200 (driver 580): calls on an existing stream or event are permitted, except copies,
/// launches and stream-ordered allocation. Calls that need a current context are not.
const fn works_within_client(name: &str) -> bool {
    const PREFIXES: [&str; 9] = [
        "cuStream",
        "cuEvent",
        "cuLaunchHostFunc",
        "cuMemsetD",
        "cuThreadExchangeStreamCaptureMode",
        "cuInit",
        "cuDriverGetVersion",
        "cuGetError",
        "cuGetProcAddress",
    ];
    if begins_with(name, "cuStreamCreate") || begins_with(name, "cuEventCreate") {
        return false;
    }
    let mut i = 0;
    while i < PREFIXES.len() {
        if begins_with(name, PREFIXES[i]) {
            return true;
        }
        i += 1;
    }
    false
}

/// `str::starts_with` for constants.
const fn begins_with(name: &str, prefix: &str) -> bool {
    let (name, prefix) = (name.as_bytes(), prefix.as_bytes());
    if name.len() < prefix.len() {
        return false;
    }
    let mut i = 0;
    while i < prefix.len() {
        if name[i] != prefix[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Returns whether the current call was made through a `_ptsz` or `_ptds` name.
pub fn per_thread_default() -> bool {
    CURRENT.get().is_some_and(|call| call.per_thread)
}

/// Returns the documented name of the current call: without a version or the suffix of per-thread
/// default streams. Returns an empty text outside of calls.
pub fn current_name() -> &'static str {
    let mut name = CURRENT.get().map_or("", |call| call.name);
    for suffix in ["_ptsz", "_ptds", "_v2", "_v3"] {
        name = name.strip_suffix(suffix).unwrap_or(name);
    }
    name
}

pub fn set_initialized(value: bool) {
    INITIALISED.store(value, Ordering::Release);
}

/// Properties of one exported function.
pub struct Call {
    /// The exported name.
    pub name: &'static str,
    /// Whether it works before `cuInit`.
    pub early: bool,
    /// Whether the null stream means the thread's own stream.
    pub per_thread: bool,
    /// Whether it works inside a client function that the driver called.
    pub within_client: bool,
    /// Names of the arguments.
    pub arguments: &'static [&'static str],
}

impl Call {
    pub const fn new(
        name: &'static str,
        early: bool,
        per_thread: bool,
        arguments: &'static [&'static str],
    ) -> Call {
        Call {
            name,
            early,
            per_thread,
            within_client: works_within_client(name),
            arguments,
        }
    }
}

/// Runs the body of an exported function. There are hundreds of such functions, so everything they
/// share is here and not in the `export!` macro.
pub fn enter(
    call: &'static Call,
    body: &mut dyn FnMut() -> Result,
    arguments: &[&dyn Show],
) -> Code {
    if watched() && !looks_up_reports(call, arguments) {
        watch(call, body, arguments)
    } else {
        guarded(call, body, arguments)
    }
}

/// Returns whether a call looks up the function that only the emulator has. Clients make it in
/// addition to the calls of the program, so it is neither counted nor traced.
#[cold]
fn looks_up_reports(call: &Call, arguments: &[&dyn Show]) -> bool {
    let mut symbol = String::new();
    if call.name.starts_with("cuGetProcAddress")
        && let Some(first) = arguments.first()
    {
        // Writing to a string does not fail.
        let _ = first.show(false, &mut symbol);
    }
    symbol == "\"cuEmulatorGetReport\""
}

/// Applies injected failures, and traces the call.
#[cold]
fn watch(call: &'static Call, body: &mut dyn FnMut() -> Result, arguments: &[&dyn Show]) -> Code {
    let start = Instant::now();
    let injected = inject(call.name);
    let code = match injected {
        Some(code) => without_reason(code),
        None => guarded(call, body, arguments),
    };
    if call.name == "cuCtxGetCurrent" && code == Code::SUCCESS && !configuration::get().every {
        // Layers above the driver make this call before every other call. It would bury the rest of
        // the trace.
        return code;
    }
    trace(|line| {
        let _ = write!(line, "{}(", call.name);
        let done = code == Code::SUCCESS;
        for (index, (name, argument)) in call.arguments.iter().zip(arguments).enumerate() {
            let _ = write!(line, "{}{name}=", if index > 0 { "," } else { "" });
            let _ = argument.show(done, line);
        }
        let _ = write!(line, ") = {code}");
        if injected.is_some() {
            line.push_str(" (injected)");
        }
        let _ = write!(line, " [{:.1} us]", start.elapsed().as_secs_f64() * 1e6);
        if configuration::get().callers {
            let _ = write!(line, " from {:016x}", callers());
        }
    });
    code
}

/// Returns a hash of the return addresses of the innermost calls on the stack, relative to this
/// library's code. It is the same in every run of a program, wherever the program is loaded.
fn callers() -> u64 {
    /// About five of them are in the emulator. With a greater depth, the hash would also depend on
    /// the callers of a library that calls the driver.
    const DEPTH: usize = 8;
    let mut addresses = [std::ptr::null_mut(); DEPTH];
    let base = callers as fn() -> u64 as usize;
    let mut hasher = std::hash::DefaultHasher::new();
    let found = system::return_addresses(&mut addresses);
    if found.is_empty() {
        return 0;
    }
    for address in found {
        std::hash::Hash::hash(&address.addr().wrapping_sub(base), &mut hasher);
    }
    std::hash::Hasher::finish(&hasher)
}

/// Handles a call of a function that is exported but not implemented.
pub fn unsupported(name: &'static str) -> Code {
    if watched() {
        let code = inject(name);
        let shown = code.unwrap_or(Code::ERROR_NOT_SUPPORTED);
        match code {
            Some(code) => _ = without_reason(code),
            None => warnings::not_emulated(name),
        }
        trace(|line| {
            let _ = write!(
                line,
                "{name}(..) = {shown} (the emulator doesn't implement {name})"
            );
        });
        return shown;
    }
    warnings::not_emulated(name);
    Code::ERROR_NOT_SUPPORTED
}

/// Returns whether calls are traced or can be made to fail.
fn watched() -> bool {
    static WATCHED: OnceLock<bool> = OnceLock::new();
    *WATCHED.get_or_init(|| {
        let config = configuration::get();
        config.trace.is_some() || !config.fail.is_empty()
    })
}

fn inject(name: &str) -> Option<Code> {
    exit::note(name);
    // Every rule counts the call. The first matching rule decides.
    configuration::get()
        .fail
        .iter()
        .filter_map(|rule| rule.count(name))
        .reduce(|first, _| first)
}

fn guarded(call: &'static Call, body: &mut dyn FnMut() -> Result, arguments: &[&dyn Show]) -> Code {
    if !call.early && !INITIALISED.load(Ordering::Acquire) {
        return without_reason(Code::ERROR_NOT_INITIALIZED);
    }
    if !call.within_client && WITHIN_CLIENT.get() {
        return without_reason(Code::ERROR_NOT_PERMITTED);
    }
    let before = CURRENT.replace(Some(call));
    let result = catch_unwind(AssertUnwindSafe(body));
    CURRENT.set(before);
    match result {
        Ok(Ok(())) => {
            failure_reason::forget();
            Code::SUCCESS
        }
        Ok(Err(code)) => {
            warnings::failed(call.name, code, || described(call, arguments));
            log_failure(call.name, code);
            code
        }
        // The panic hook has printed the panic message.
        Err(_) => without_reason(Code::ERROR_UNKNOWN),
    }
}

/// Returns a failed call with its arguments as text.
#[cold]
fn described(call: &'static Call, arguments: &[&dyn Show]) -> FailedCall {
    let named = call.arguments.iter().zip(arguments);
    let arguments = named.map(|(name, argument)| {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = argument.show(false, &mut text);
        (*name, text)
    });
    FailedCall {
        name: call.name,
        arguments: arguments.collect(),
    }
}

/// Clears the reason of an earlier failure, so that it is not reported for this one.
#[cold]
fn without_reason(code: Code) -> Code {
    failure_reason::forget();
    failure_reason::set(None);
    code
}

/// Passes the message about a failed call to the registered log callbacks.
#[cold]
fn log_failure(name: &'static str, code: Code) {
    // `NOT_READY` is not an error. Failed calls inside a callback are not reported, because they
    // could recurse.
    if code == Code::ERROR_NOT_READY || WITHIN_CLIENT.get() {
        return;
    }
    let mut message = log::message(name, code);
    let listeners = log::add(&message, thread_number());
    if listeners.is_empty() {
        return;
    }
    // A callback may make calls that fail, so the reason for this failure is copied first.
    // SAFETY: a NUL-terminated text that stays valid until a call on this thread fails.
    let text = |address| unsafe { CStr::from_ptr(address as *const c_char) };
    let kept =
        failure_reason::address().map(|address| text(address).to_string_lossy().into_owned());
    let length = message.len();
    message.push('\0');
    for listener in listeners {
        let text = message.as_mut_ptr();
        // SAFETY: the client's function is called with its own data and a text of that length.
        call_client_without_context(|| unsafe {
            (listener.function)(listener.data, 0, text, length)
        });
    }
    failure_reason::set(kept);
}

/// Writes one line to the trace, if tracing is on.
pub fn trace(fill: impl FnOnce(&mut String)) {
    if let Some(sink) = &configuration::get().trace {
        let mut line = head_of_line();
        fill(&mut line);
        write_line(sink, line);
    }
}

/// Writes the instructions of loaded code, if `CUDA_EMULATOR_TRACE` contains `code`.
pub fn trace_code(listing: impl FnOnce() -> String) {
    if let Some(sink) = &configuration::get().code {
        let line = head_of_line() + "loaded\n" + listing().trim_end();
        write_line(sink, line);
    }
}

/// Returns the prefix of a trace line.
fn head_of_line() -> String {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let mut line = String::with_capacity(160);
    let _ = write!(
        line,
        "[cuda-emulator] {:.3} ms, thread {}: ",
        start.elapsed().as_secs_f64() * 1e3,
        thread_number()
    );
    line
}

fn write_line(sink: &Sink, mut line: String) {
    static OUTPUT: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    line.push('\n');
    let file = OUTPUT.get_or_init(|| match sink {
        Sink::Stderr => None,
        Sink::File(path) => match File::options().create(true).append(true).open(path) {
            Ok(file) => Some(Mutex::new(file)),
            Err(error) => {
                eprintln!(
                    "[cuda-emulator] CUDA_EMULATOR_TRACE={}: {error}",
                    path.display()
                );
                None
            }
        },
    });
    // If the trace cannot be written, the call must still succeed.
    let _ = match file {
        None => std::io::stderr().write_all(line.as_bytes()),
        Some(file) => file.lock().unpoisoned().write_all(line.as_bytes()),
    };
}

/// Returns a short number for the calling thread.
fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

/// Defines exported driver functions.
///
/// `fn name(args) { body }` exports `name`. `fn name / name_ptsz(args)` also exports the per-thread
/// variant. `early fn` works before `cuInit`. The body returns `Result<()>`. Arguments have the
/// types of [`crate::abi::pointers`], which have the layout of the C types.
macro_rules! export {
    (@one $name:ident, $early:expr, $per_thread:expr, ($($arg:ident : $ty:ty),* $(,)?), $body:block) => {
        // SAFETY: replacing the driver's symbols is the purpose of this library. No other library
        // in the process may define them.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::abi::status::Code {
            static CALL: $crate::process::call::Call = $crate::process::call::Call::new(
                stringify!($name),
                $early,
                $per_thread,
                &[$(stringify!($arg)),*],
            );
            $crate::process::call::enter(
                &CALL,
                &mut || -> $crate::abi::status::Result { $body },
                &[$(&$arg as &dyn $crate::abi::pointers::Show),*],
            )
        }
    };
    (@both $early:literal, $name:ident, $args:tt, $body:block) => {
        export!(@one $name, $early, false, $args, $body);
    };
    (@both $early:literal, $name:ident / $per_thread:ident, $args:tt, $body:block) => {
        export!(@one $name, $early, false, $args, $body);
        export!(@one $per_thread, $early, true, $args, $body);
    };
    () => {};
    (early fn $name:ident ($($args:tt)*) $body:block $($rest:tt)*) => {
        export!(@both true, $name, ($($args)*), $body);
        export!($($rest)*);
    };
    (fn $name:ident ($($args:tt)*) $body:block $($rest:tt)*) => {
        export!(@both false, $name, ($($args)*), $body);
        export!($($rest)*);
    };
    (fn $name:ident / $per_thread:ident ($($args:tt)*) $body:block $($rest:tt)*) => {
        export!(@both false, $name / $per_thread, ($($args)*), $body);
        export!($($rest)*);
    };
}
pub(crate) use export;
