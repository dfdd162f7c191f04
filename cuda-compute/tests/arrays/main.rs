//! Arrays and expressions, on a GPU or the emulator.

mod axes;
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
mod expression_views;
#[path = "../../../cuda-safe/tests/common/failure.rs"]
mod failure;
mod gathers;
mod in_place;
mod index_rows;
mod interop;
mod kernels;
mod large_expressions;
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

use cuda_compute::{Array, Element, Expr, Result};
use cuda_safe::{Context, Stream};

/// Returns a stream on the first device.
fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}

/// Returns the elements of an array that a call has made.
#[track_caller]
fn elements<T: Element>(array: Result<Array<T>>) -> Vec<T> {
    array.unwrap().to_vec().unwrap()
}

/// Evaluates an expression and returns its elements.
#[track_caller]
fn values<T: Element>(expression: Expr<T>) -> Vec<T> {
    elements(expression.eval())
}
