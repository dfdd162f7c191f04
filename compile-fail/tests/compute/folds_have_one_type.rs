use cuda_compute::fold;

fn main() {
    let _ = fold!(|a: f32, b: f32| a + b);
    let _ = fold!(|a: f32, b: f64| b, 0.0);
    let _ = fold!(|a: f32| a, 0.0);
    let _ = fold!(|a: f32, b: f32| a < b, 0.0);
    let _ = fold!(|a: f32, b: f32| a + b, 0);
    let start = 0.0;
    let _ = fold!(|a: f32, b: f32| a + b, start);
}
