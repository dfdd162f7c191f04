cuda_safe::kernels! {
    struct Blas;
    fn scale(x: &mut cuda_safe::DeviceBuffer<f32>, factor: f32);
}

fn main() {}
