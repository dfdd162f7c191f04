use cuda_compute::{DeviceFn, device_fn};

fn main() {
    let _ = device_fn!(|x: f32| { x += 1.0; x });
    let _ = device_fn!(|x: u32| -x);
    let _ = device_fn!(|x: f32| { let y; if x > 0.0 { y = 1.0; } y });
    let _: DeviceFn<fn(f32) -> f64> = device_fn!(|x: f32| x);
    device_fn!(|x: f32, y: f32| x + y).call((1.0,));
}
