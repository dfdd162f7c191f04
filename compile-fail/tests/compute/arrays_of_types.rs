use cuda_compute::{Array, Expr};
use num_complex::Complex;

fn main() {}

fn sums_keep_their_type(x: &Array<f32>, y: &Array<f64>) -> Expr<f64> {
    x * 2.0f64 + y
}

fn literals_are_of_the_type(x: &Array<f32>) {
    let _ = x + 1;
}

fn comparisons_are_of_one_type(x: &Array<i32>, y: &Array<i64>) {
    let _ = x.less(y);
}

fn complex_numbers_give_a_part_first(z: &Array<Complex<f32>>) {
    let _ = z.cast::<f32>();
}

fn choices_have_one_type(x: &Array<bool>, y: &Array<f32>) {
    let _ = x.select(y, 0);
}

fn types_that_are_no_elements(x: &[char], stream: &cuda_safe::Stream) {
    let _ = Array::from_slice(stream, x);
}
