use cuda_safe::{DeviceView, Function, LaunchConfig, Result, Stream};

cuda_safe::kernels! {
    struct Fill;
    fn fill(x: &mut [f32], n: u32);
}

fn typed(fill: &Fill, stream: &Stream, x: DeviceView<'_, f32>) -> Result<()> {
    // SAFETY: does not compile: the kernel writes to `x`.
    unsafe { fill.fill(stream, LaunchConfig::new(1, 1), x, 1) }
}

fn typed_by_reference(fill: &Fill, stream: &Stream, mut x: DeviceView<'_, f32>) -> Result<()> {
    // SAFETY: does not compile: the view is for reading.
    unsafe { fill.fill(stream, LaunchConfig::new(1, 1), &mut x, 1) }
}

fn launched(function: &Function, stream: &Stream, mut x: DeviceView<'_, f32>) -> Result<()> {
    // SAFETY: does not compile: the view is for reading.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (&mut x,)) }
}

fn filled(stream: &Stream, mut x: DeviceView<'_, f32>) -> Result<()> {
    x.fill(stream, 1.0)
}

fn main() {}
