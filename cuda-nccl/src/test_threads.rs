//! More test threads than processors, because many tests of this crate mostly wait.

const THREADS: &str = "16";

/// Sets the number before `main`, where the test harness reads it. A set `RUST_TEST_THREADS` takes
/// precedence, and `--test-threads` over both.
// SAFETY: The loader calls the functions of that section as C functions, which ignore its
// additional arguments.
#[used]
#[cfg_attr(unix, unsafe(link_section = ".init_array"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static SELECT: extern "C" fn() = {
    extern "C" fn select() {
        if std::env::var_os("RUST_TEST_THREADS").is_none() {
            // SAFETY: The process has one thread before `main`.
            unsafe { std::env::set_var("RUST_TEST_THREADS", THREADS) };
        }
    }
    select
};
