use cuda_compute::{DeviceFn, Fold, device_fn};

fn host(x: f32, _: f32) -> f32 {
    x
}

fn main() {
    let _ = DeviceFn::<fn(f32, f32) -> f32>::translated(host, "anything", &["f32"], "f32");
    let _ = Fold::<f32>::translated(device_fn!(|a: f32, b: f32| a + b), 0.0, "anything");
}
