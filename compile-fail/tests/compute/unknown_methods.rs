use cuda_compute::device_fn;

fn main() {
    let _ = device_fn!(|x: f32| x.sinc());
    let _ = device_fn!(|x: f32| x.sin_cos().0);
    let _ = device_fn!(|x: i32| x.checked_add(1));
    let _ = device_fn!(|x: f32| x.powf());
    let _ = device_fn!(|x: f32| x * 2.0.sqrt());
    let _ = device_fn!(|x: u32| x.abs());
}
