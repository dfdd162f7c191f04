use cuda_compute::device_fn;

const SCALE: f32 = 2.0;

fn twice(x: f32) -> f32 {
    2.0 * x
}

fn main() {
    let scale = 3.0;
    let _ = device_fn!(|x: f32| x * scale);
    let _ = device_fn!(|x: f32| x * SCALE);
    let _ = device_fn!(|x: f32| x * self::SCALE);
    let _ = device_fn!(|x: f32| twice(x));
    let function = |x: f32| x + 1.0;
    let _ = device_fn!(function);
    let _ = device_fn!(move |x: f32| x);
}
