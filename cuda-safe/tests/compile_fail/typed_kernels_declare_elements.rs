use cuda_safe::DeviceBuffer;

cuda_safe::kernels! {
    struct Blas;
    fn scale(x: &mut DeviceBuffer<f32>, factor: f32);
}

fn main() {}
