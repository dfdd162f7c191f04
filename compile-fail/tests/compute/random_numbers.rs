use cuda_compute::{Array, Random, Result};
use cuda_safe::Stream;

fn main() {}

fn a_sequence_is_an_argument(stream: &Stream) -> Result<Array<f32>> {
    Array::uniform(stream, [2, 3])
}

fn shapes_have_integer_lengths(stream: &Stream, random: &mut Random) -> Result<Array<f32>> {
    Array::normal(stream, random, (2.0, 3))
}
