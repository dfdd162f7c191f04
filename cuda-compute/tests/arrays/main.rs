//! Arrays and expressions, on whatever device there is.

mod basics;
mod combined;
mod convolutions;
mod cuda_array_interface;
mod display;
mod distributions;
mod dlpack;
mod gathers;
mod interop;
mod layouts;
mod mixed;
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

/// A stream on the first device.
fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}
