use cuda_compute::device_fn;
#[allow(unused_imports)]
use half::f16;

fn main() {
    let _ = device_fn!(|x: f16| x);
    let _ = device_fn!(|x: usize| x);
    let _ = device_fn!(|x: &f32| *x);
    let _ = device_fn!(|p: Particle| p.mass * 2.0);
    let _ = device_fn!(|z: Complex<f32>| z.re);
    let _ = device_fn!(|x: [f32; 2]| x[0]);
    let _ = device_fn!(|x| x + 1.0);
    let _ = device_fn!(|| 1.0);
    let _ = device_fn!(|(x, y): (f32, f32)| x + y);
    let _ = device_fn!(|a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8| a);
}
