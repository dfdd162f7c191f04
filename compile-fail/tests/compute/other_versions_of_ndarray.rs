use cuda_compute::{Array, Result};
use cuda_safe::Stream;

/// An array of another version of ndarray, which is a different type.
struct ArrayBase<T>(Vec<T>);

fn other_versions_are_other_types(stream: &Stream, host: &ArrayBase<f32>) -> Result<Array<f32>> {
    Array::from_ndarray(stream, host)
}

fn elements_have_the_type_of_the_array(stream: &Stream) -> Result<Array<f32>> {
    Array::from_ndarray(stream, &ndarray::array![1.0f64])
}

fn main() {}
