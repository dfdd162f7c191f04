//! Arrays and expressions, on whatever device there is.

mod basics;
mod combined;
mod complex_limits;
mod convolutions;
mod cuda_array_interface;
mod cupy;
mod display;
mod distributions;
mod dlpack;
mod gathers;
mod interop;
mod layouts;
mod mixed;
mod nan;
mod npp;
mod own_functions;
mod pycuda;
#[path = "../shared/random.rs"]
mod random;
mod reductions;
mod rows;
mod scans;
mod segments;
mod selections;
mod shapeless;
mod shapes;
mod structs;
mod sums;

use cuda_safe::{Context, Stream};

/// The emulator's checks that every test runs under. A GPU ignores them.
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

/// A stream on the first device.
fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}
