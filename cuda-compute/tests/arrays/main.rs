//! Arrays and expressions, on a GPU or the emulator.

mod axes;
mod basics;
#[path = "../shared/checks.rs"]
mod checks;
mod checks_work;
mod choices;
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
mod first_elements;
mod float8;
mod gathers;
mod grids;
mod in_place;
mod index_rows;
mod interop;
mod kernels;
mod large_expressions;
mod large_orders;
mod layouts;
mod mixed;
mod nan;
mod npp;
mod npy;
mod number_functions;
mod order_statistics;
mod own_functions;
mod padding;
mod parametric_distributions;
mod parts;
mod pycuda;
#[path = "../shared/random.rs"]
mod random;
mod raw_memory;
mod recurrences;
mod reductions;
mod rows;
mod scan_expressions;
mod scans;
mod segment_offsets;
mod segments;
mod selections;
mod sets;
mod several_indices;
mod shapeless;
mod shapes;
mod sort_keys;
mod sorters;
mod sorts;
mod statistics;
mod structs;
mod sums;
mod unordered;

use cuda_compute::{Array, Element, Expr, IntoShape, Result};
use cuda_safe::{Context, Stream};

/// Returns a stream on the first device.
fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}

/// Copies elements to the device.
#[track_caller]
fn upload<T: Element>(stream: &Stream, elements: &[T]) -> Array<T> {
    Array::from_slice(stream, elements).unwrap()
}

/// Copies elements to an array of this shape.
#[track_caller]
fn shaped<T: Element>(stream: &Stream, shape: impl IntoShape, elements: &[T]) -> Array<T> {
    Array::from_shape(stream, shape, elements).unwrap()
}

/// The elements of arrays, for tests that expect no error.
trait OnHost<T> {
    fn host(&self) -> Vec<T>;
    /// Returns the only element.
    fn value(&self) -> T;
}

impl<T: Element> OnHost<T> for Array<T> {
    #[track_caller]
    fn host(&self) -> Vec<T> {
        self.to_vec().unwrap()
    }

    #[track_caller]
    fn value(&self) -> T {
        self.item().unwrap()
    }
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
