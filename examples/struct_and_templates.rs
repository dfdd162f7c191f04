//! Features of C++ beyond arrays of floats.
//!
//! Shows a `#[repr(C)]` struct passed by value, a template kernel that is instantiated for several types
//! by name expressions, constant memory that the host sets, and a `__device__` variable that it reads.

mod common;

use anyhow::{Result, ensure};
use bytemuck::{Pod, Zeroable};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, show},
};
use cuda_safe::{DeviceBuffer, LaunchConfig, Module, Program};

const SOURCE: &str = r#"
struct Affine {
    float scale;
    float shift;
    unsigned char invert;   // seven bytes of padding follow
    double weight;
};

// A struct by value is part of the kernel's parameters, so it needs no allocation and no separate copy.
extern "C" __global__ void affine(float *x, Affine f, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float y = f.scale * x[i] + f.shift;
    x[i] = float(f.weight * (f.invert ? -y : y));
}

// A template. Each instance that is named at compilation can be launched.
template <typename T, int TIMES>
__global__ void add(T *sum, const T *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) for (int k = 0; k < TIMES; ++k) sum[i] += x[i];
}

// Constant memory: small, read by all threads, set by the host.
__constant__ float coefficients[4];
// A variable in device memory, which lives as long as the module.
__device__ unsigned long long evaluations;

extern "C" __global__ void polynomial(float *y, const float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = 0.0f;
    for (int k = 3; k >= 0; --k) value = value * x[i] + coefficients[k];
    y[i] = value;
    atomicAdd(&evaluations, 1ull);
}
"#;

/// The same struct in Rust. C++ pads implicitly. `Pod` requires explicit padding.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Affine {
    scale: f32,
    shift: f32,
    invert: u8,
    padding: [u8; 7],
    weight: f64,
}

const ELEMENTS: i32 = 1000;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let program = Program::new(SOURCE)
        .name("struct_and_templates.cu")
        .name_expression("add<int, 1>")
        .name_expression("add<double, 3>");
    let module = Module::compile(&gpu.context, program)?;
    struct_by_value(&gpu, &module)?;
    heading("one template, two kernels");
    template::<i32>(&gpu, &module, "add<int, 1>", |sum, x| sum + x)?;
    template::<f64>(&gpu, &module, "add<double, 3>", |sum, x| sum + x + x + x)?;
    constant_and_global(&gpu, &module)
}

fn struct_by_value(gpu: &Gpu, module: &Module) -> Result<()> {
    heading("a struct by value");
    let affine = module.function("affine")?;
    let f = Affine {
        scale: 2.0,
        shift: 0.5,
        invert: 1,
        padding: [0; 7],
        weight: 0.25,
    };
    let before = data::normal(ELEMENTS as usize);
    let mut x = DeviceBuffer::from_slice(&gpu.stream, &before)?;
    let config = LaunchConfig::for_elements(ELEMENTS);
    // SAFETY: the kernel works on ELEMENTS floats, and both structs have the same layout.
    unsafe { affine.launch(&gpu.stream, config, (&mut x, f, ELEMENTS))? };
    let after = x.to_vec(&gpu.stream)?;
    for (before, after) in before.iter().zip(&after) {
        // The compiler may fuse the multiplication and the addition, which rounds only once.
        let expected = -0.25 * (2.0 * before + 0.5);
        ensure!(
            (after - expected).abs() <= 1e-6,
            "{before} became {after}, not {expected}"
        );
    }
    println!(
        "{ELEMENTS} elements through -0.25 * (2 x + 0.5), by {} bytes",
        size_of::<Affine>()
    );
    Ok(())
}

fn template<T>(gpu: &Gpu, module: &Module, name: &str, expected: fn(T, T) -> T) -> Result<()>
where
    T: Pod + From<i32> + PartialEq + std::fmt::Debug,
{
    let add = module.function(name)?;
    let values: Vec<T> = (0..ELEMENTS).map(T::from).collect();
    let x = DeviceBuffer::from_slice(&gpu.stream, &values)?;
    let mut sum = DeviceBuffer::from_slice(&gpu.stream, &values)?;
    let config = LaunchConfig::for_elements(ELEMENTS);
    // SAFETY: the instance is for T, and both buffers have ELEMENTS elements.
    unsafe { add.launch(&gpu.stream, config, (&mut sum, &x, ELEMENTS))? };
    let expected: Vec<T> = values.iter().map(|&value| expected(value, value)).collect();
    ensure!(sum.to_vec(&gpu.stream)? == expected, "{name} is wrong");
    println!(
        "{name:<15} in {ELEMENTS} elements of {} bytes",
        size_of::<T>()
    );
    Ok(())
}

fn constant_and_global(gpu: &Gpu, module: &Module) -> Result<()> {
    heading("constant memory and a global variable");
    let coefficients_host = [1.0f32, -2.0, 0.5, 0.25];
    let mut coefficients = module.global::<f32>("coefficients", 4)?;
    coefficients.copy_from_slice(&gpu.stream, &coefficients_host)?;
    let mut evaluations = module.global::<u64>("evaluations", 1)?;
    evaluations.fill(&gpu.stream, 0)?;

    let polynomial = module.function("polynomial")?;
    let x_host = data::uniform(ELEMENTS as usize);
    let x = DeviceBuffer::from_slice(&gpu.stream, &x_host)?;
    let mut y = DeviceBuffer::<f32>::uninit(&gpu.stream, x.len())?;
    let config = LaunchConfig::for_elements(ELEMENTS);
    let runs = gpu.size(100, 3);
    let times = measure(gpu, runs, || {
        // SAFETY: the kernel reads ELEMENTS floats and writes ELEMENTS floats.
        unsafe { polynomial.launch(&gpu.stream, config, (&mut y, &x, ELEMENTS))? };
        Ok(())
    })?;
    for (x, y) in x_host.iter().zip(y.to_vec(&gpu.stream)?) {
        let [a, b, c, d] = coefficients_host;
        let expected = ((d * x + c) * x + b) * x + a;
        ensure!(
            (y - expected).abs() <= 1e-6,
            "p({x}) is {y}, not {expected}"
        );
    }
    // A warm-up run precedes the measured runs.
    let (counted, expected) = (
        evaluations.to_vec(&gpu.stream)?[0],
        (runs as u64 + 1) * ELEMENTS as u64,
    );
    ensure!(
        counted == expected,
        "{counted} evaluations were counted, not {expected}"
    );
    println!("1 - 2 x + 0.5 x^2 + 0.25 x^3, evaluated {counted} times, as counted by the device");
    println!(
        "{} per launch by events, {} by the clock",
        show(times.device),
        show(times.wall)
    );
    Ok(())
}
