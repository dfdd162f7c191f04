//! The time from source to a loaded kernel: by compilation, from the disk cache and from memory.

mod common;

use anyhow::Result;
use common::{Bench, host_us, measurements::Measurements};
use cuda_safe::{Module, Program, program::Cache};

const SOURCE: &str = r#"
template <int N> __device__ float power(float x) { return x * power<N - 1>(x); }
template <> __device__ float power<0>(float) { return 1.0f; }
extern "C" __global__ void powers(float *x, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = power<16>(x[i]) + sinf(x[i]);
}
"#;

fn main() -> Result<()> {
    let mut measurements = Measurements::new();
    run(&mut measurements)?;
    measurements.finish();
    Ok(())
}

fn run(measurements: &mut Measurements) -> Result<()> {
    let mut bench = Bench::new("compile")?;
    let context = bench.context.clone();
    let folder = std::env::temp_dir().join(format!("cuda-direct-bench-{}", std::process::id()));
    let cold = Program::new(SOURCE).cache(Cache::Off);
    let cached = Program::new(SOURCE).cache(Cache::Folder(folder.clone()));
    let capability = context.device().compute_capability()?;
    let compiled = cached.compile_for(capability)?;
    anyhow::ensure!(
        cached.compile_for(capability)?.is_from_cache(),
        "the cache was not used"
    );

    let load = || {
        let module = Module::from_compiled(&context, &compiled, &Default::default());
        module
            .and_then(|module| module.function("powers"))
            .expect("the kernel")
    };
    let compile = |program: &Program| {
        let module = Module::compile(&context, program);
        module
            .and_then(|module| module.function("powers"))
            .expect("the kernel")
    };
    let mut group = measurements.group("compile");
    let work = "a small kernel, loaded";
    for (by, run) in [
        ("compiled afresh", &(|| drop(compile(&cold))) as &dyn Fn()),
        ("from the disk cache", &|| drop(compile(&cached))),
        ("from memory", &|| drop(load())),
    ] {
        let us = host_us(run);
        bench.row(work, by, us, "")?;
        group.bench_function(by, |b| b.iter(run));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
