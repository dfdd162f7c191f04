//! The emulator's checks that every test of a program runs under.

/// A GPU ignores them.
const CHECKS: &str = "uninit,race,leak";

/// Selects the checks before `main`, since the emulator reads them once. `CUDA_EMULATOR_CHECK` overrides them.
// SAFETY: the loader calls the functions of `.init_array` as C functions, and ignores their additional arguments.
#[used]
#[unsafe(link_section = ".init_array")]
static SELECT: extern "C" fn() = {
    extern "C" fn select() {
        if std::env::var_os("CUDA_EMULATOR_CHECK").is_none() {
            // SAFETY: there is one thread before `main`.
            unsafe { std::env::set_var("CUDA_EMULATOR_CHECK", CHECKS) };
        }
    }
    select
};
