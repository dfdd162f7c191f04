use cuda_compute::{Array, Expr, Strided};
use cuda_safe::{Function, LaunchConfig, Result, Stream};

cuda_safe::kernels! {
    struct Kernels;
    fn scale(x: &mut [f32], factors: &[f32]);
}

fn arrays_by_value(function: &Function, stream: &Stream, x: Array<f32>) -> Result<()> {
    // SAFETY: does not compile: an array is passed by reference.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (x,)) }
}

fn expressions(function: &Function, stream: &Stream, x: &Expr<f32>) -> Result<()> {
    // SAFETY: does not compile: an expression has no memory before it is evaluated.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (x,)) }
}

fn other_elements(kernels: &Kernels, stream: &Stream, x: &mut Array<f32>, y: &Array<f64>) -> Result<()> {
    // SAFETY: does not compile: the factors are `f32`.
    unsafe { kernels.scale(stream, LaunchConfig::new(1, 1), x, y) }
}

fn arrays_for_reading(kernels: &Kernels, stream: &Stream, x: &Array<f32>) -> Result<()> {
    // SAFETY: does not compile: the kernel writes to its first argument.
    unsafe { kernels.scale(stream, LaunchConfig::new(1, 1), x, x) }
}

fn writing_while_reading(function: &Function, stream: &Stream, x: &mut Array<f32>) -> Result<()> {
    // SAFETY: does not compile: the array is borrowed for writing.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (&mut *x, &*x)) }
}

fn structs_outlive_no_array() -> Strided<'static, f32, 1> {
    let stream = Stream::new(&cuda_safe::Context::primary(0).unwrap()).unwrap();
    let x = Array::from_slice(&stream, &[1.0]).unwrap();
    x.strided().unwrap()
}

fn main() {}
