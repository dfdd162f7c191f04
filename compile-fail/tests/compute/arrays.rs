use cuda_compute::{Array, Expr};
use num_complex::Complex;

fn main() {}

fn unsigned_numbers_have_no_negative(x: &Array<u8>) {
    let _ = -x;
}

fn complex_numbers_have_no_order(z: &Array<Complex<f32>>) -> Expr<bool> {
    z.less(z)
}

fn types_are_not_mixed(x: &Array<f32>, y: &Array<f64>) {
    let _ = x + y;
}

fn integers_have_no_sine(x: &Array<i32>) {
    let _ = x.sin();
}

fn truth_is_not_added(x: &Array<bool>) {
    let _ = x + x;
}

fn numbers_are_no_conditions(x: &Array<f32>) {
    let _ = x.select(1.0f32, 2.0);
}
