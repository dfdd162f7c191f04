use cuda_compute::device_fn;

fn main() {
    let _ = device_fn!(|x: f32| x + 1);
    let _ = device_fn!(|x: f32, y: f64| x * y);
    let _ = device_fn!(|x: f32| if x { 1.0 } else { 2.0 });
    let _ = device_fn!(|x: f32| if x > 0.0 { 1.0 });
    let _ = device_fn!(|x: u8| x + 256);
    let _ = device_fn!(|x: f32| x * 1e39);
    let _ = device_fn!(|x: f32| -> f64 { x });
}
