//! The emulator's checks that every test of a program runs under.

/// A GPU ignores them.
const CHECKS: &str = "uninit,race,leak";

/// Selects the checks before `main`, because the emulator reads the variable once. A set
/// `CUDA_EMULATOR_CHECK` takes precedence.
// SAFETY: The loader calls the functions of that section as C functions, which ignore its
// additional arguments.
#[used]
#[cfg_attr(unix, unsafe(link_section = ".init_array"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static SELECT: extern "C" fn() = {
    extern "C" fn select() {
        if std::env::var_os("CUDA_EMULATOR_CHECK").is_none() {
            // SAFETY: The process has one thread before `main`.
            unsafe { std::env::set_var("CUDA_EMULATOR_CHECK", CHECKS) };
        }
    }
    select
};
