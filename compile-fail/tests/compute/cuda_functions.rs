use cuda_compute::{Array, Combination, CudaFn};

fn without_unsafe() -> CudaFn<fn(f32) -> f32> {
    CudaFn::new("f", "__device__ float f(float x) { return x; }")
}

fn of_no_elements() {
    let _ = unsafe { CudaFn::<fn(&f32) -> f32>::new("f", "") };
    let _ = unsafe { CudaFn::<f32>::new("f", "") };
}

fn of_another_type(f: &CudaFn<fn(f32) -> f32>, x: &Array<f64>) {
    let _ = f.map((x,));
}

fn that_does_not_combine(f: &CudaFn<fn(f32, f32) -> f64>) -> Combination<f32> {
    Combination::new(f, 0.0)
}

fn main() {}
