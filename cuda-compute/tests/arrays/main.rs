//! Arrays and expressions, on a GPU or the emulator.

mod basics;
#[path = "../shared/checks.rs"]
mod checks;
mod checks_work;
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

/// Returns a stream on the first device.
fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}
