use cuda_safe::{DeviceBuffer, LaunchConfig, Result, Stream};

cuda_safe::kernels! {
    struct Blas;
    fn saxpy(a: f32, x: &[f32], y: &mut [f32], n: u32);
}

fn launch(
    blas: &Blas,
    stream: &Stream,
    x: &DeviceBuffer<f32>,
    y: &mut DeviceBuffer<f32>,
) -> Result<()> {
    let config = LaunchConfig::new(1, 1);
    blas.saxpy(stream, config, 2.0, x, y, 1)
}

fn main() {}
