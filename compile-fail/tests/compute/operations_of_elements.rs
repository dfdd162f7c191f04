use cuda_compute::Array;
use num_complex::Complex;

fn main() {}

fn floats_have_no_bits(x: &Array<f32>) {
    let _ = x & x;
}

fn floats_are_not_shifted(x: &Array<f64>) {
    let _ = x << 1.0;
}

fn complex_numbers_have_no_remainder(z: &Array<Complex<f32>>) {
    let _ = z % z;
}

fn complex_numbers_have_no_largest(z: &Array<Complex<f64>>) {
    let _ = z.argmax();
}

fn integers_have_no_root(x: &Array<i64>) {
    let _ = x.sqrt();
}

fn integers_have_no_mean(x: &Array<i32>) {
    let _ = x.mean();
}

fn numbers_are_not_all_true(x: &Array<u8>) {
    let _ = x.all();
}

fn floats_are_no_places(x: &Array<f32>, places: &Array<f32>) {
    let _ = x.take(places, 0);
}
