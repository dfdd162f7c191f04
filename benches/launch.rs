//! Host times. The overhead of the safe layer for a launch: the raw driver call compared with `Function::launch`. The
//! overhead of the path to the driver's function: through the linker, or with `--features dynamic-loading` through an
//! address that the first call looks up, compared with a pointer from the driver. The time of an evaluation of an
//! expression, which ends with a launch.

mod common;

use std::{ffi::c_void, hint::black_box, ptr::NonNull};

use anyhow::Result;
use common::{
    Bench,
    calls::{compare, launches},
    measurements::Measurements,
    median_us,
};
use cuda_compute::{Array, Expr};
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, MemoryPool, Module, Stream, driver, sys};

const KERNELS: &str = r#"
extern "C" __global__ void none() {}
extern "C" __global__ void three(float *x, float factor, unsigned n) {}
extern "C" __global__ void sixteen(float *a, float *b, float *c, float *d, float e, float f,
    float g, float h, unsigned i, unsigned j, unsigned k, unsigned l, double m, double n, double o,
    double p) {}
"#;

cuda_safe::kernels! {
    /// The kernel `three` as a typed function.
    struct Typed = KERNELS;
    /// Does nothing.
    fn three(x: &mut [f32], factor: f32, n: u32);
}

fn main() -> Result<()> {
    let mut measurements = Measurements::new();
    let mut bench = Bench::new("launch")?;
    run(&mut bench, &mut measurements)?;
    evaluations(&mut bench)?;
    measurements.finish();
    Ok(())
}

fn pointer(value: &mut u64) -> *mut c_void {
    (&raw mut *value).cast()
}

/// Calls the driver's function by a name or a pointer.
macro_rules! raw_launch_by {
    ($launch:expr, $function:expr, $stream:expr, $pointers:expr) => {{
        let null = std::ptr::null_mut();
        let (function, stream) = ($function.as_raw(), $stream.as_raw());
        // SAFETY: the number and types of the pointers match the kernels' parameters, which the
        // kernels ignore.
        let code = unsafe {
            $launch(
                function,
                1,
                1,
                1,
                32,
                1,
                1,
                0,
                stream,
                $pointers.as_mut_ptr(),
                null,
            )
        };
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    }};
}

fn raw_launch(function: &Function, stream: &Stream, pointers: &mut [*mut c_void]) {
    raw_launch_by!(sys::cuLaunchKernel, function, stream, pointers);
}

/// Returns the driver's address of the function, without the linker or loader in between.
fn looked_up() -> Result<sys::PFN_cuLaunchKernel> {
    let since = driver::Version {
        major: 12,
        minor: 0,
    };
    let address = driver::symbol(c"cuLaunchKernel", since)?;
    // SAFETY: the driver returned it for the name and version of this type.
    Ok(black_box(unsafe {
        std::mem::transmute::<NonNull<c_void>, sys::PFN_cuLaunchKernel>(address)
    }))
}

fn run(bench: &mut Bench, measurements: &mut Measurements) -> Result<()> {
    let stream = bench.stream.clone();
    let module = Module::compile(&bench.context, KERNELS)?;
    let (none, three, sixteen) = (
        module.function("none")?,
        module.function("three")?,
        module.function("sixteen")?,
    );
    let config = LaunchConfig::new(1, 32);
    let mut buffers: Vec<DeviceBuffer<f32>> = (0..4)
        .map(|_| DeviceBuffer::zeroed(&stream, 256))
        .collect::<Result<_, _>>()?;
    let [a, b, c, d] = &mut buffers[..] else {
        unreachable!()
    };
    // Raw code must store its arguments for each call, too: values of 8 bytes, and pointers to them.
    let addresses = [&*a, &*b, &*c, &*d].map(DeviceBuffer::as_device_ptr);
    let raw_with = |function: &Function, mut values: [u64; 3]| {
        raw_launch(function, &stream, &mut values.each_mut().map(pointer));
    };
    let raw_with_many = |function: &Function, mut values: [u64; 16]| {
        raw_launch(function, &stream, &mut values.each_mut().map(pointer));
    };
    let mut safe_none = || {
        // SAFETY: the kernel does nothing.
        unsafe { none.launch(&stream, config, ()).expect("a launch") };
    };
    let mut raw_none = || raw_launch(&none, &stream, &mut []);
    let rounds = bench.choose(4000, 20);
    let mut results = Vec::new();
    results.push((
        "0 arguments",
        compare(&stream, rounds, &mut raw_none, &mut safe_none),
    ));
    let mut safe_three = || {
        // SAFETY: the kernel does nothing.
        unsafe {
            three
                .launch(&stream, config, (&mut *a, 2.0f32, 256u32))
                .expect("a launch")
        };
    };
    let mut raw_three = || raw_with(&three, [addresses[0], 2, 256]);
    let times = compare(&stream, rounds, &mut raw_three, &mut safe_three);
    results.push(("3 arguments", times));
    let launch = looked_up()?;
    let mut by_pointer = || {
        let mut values = [addresses[0], 2, 256];
        raw_launch_by!(launch, three, stream, values.each_mut().map(pointer));
    };
    let ways = compare(&stream, rounds, &mut by_pointer, &mut raw_three);
    let typed = Typed::load(&bench.context)?;
    let mut other = DeviceBuffer::<f32>::zeroed(&stream, 256)?;
    let mut typed_three = || {
        // SAFETY: the kernel does nothing.
        unsafe {
            typed
                .three(&stream, config, &mut other, 2.0, 256)
                .expect("a launch")
        };
    };
    let typed_times = compare(&stream, rounds, &mut raw_three, &mut typed_three);
    let raw_wait = || {
        // SAFETY: the stream is live.
        let code = unsafe { sys::cuStreamSynchronize(stream.as_raw()) };
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    };
    let safe_wait = || stream.synchronize().expect("the launch");
    let times = compare(
        &stream,
        rounds / 10,
        || {
            raw_three();
            raw_wait();
        },
        || {
            safe_three();
            safe_wait();
        },
    );
    results.push(("3 arguments, waited for", times));
    let mut group = measurements.group("launch");
    group.bench_function("raw, no arguments", |t| {
        t.iter_custom(|n| launches(&stream, n, &mut raw_none));
    });
    group.bench_function("safe, no arguments", |t| {
        t.iter_custom(|n| launches(&stream, n, &mut safe_none));
    });
    group.bench_function("raw, 3 arguments", |t| {
        t.iter_custom(|n| launches(&stream, n, &mut raw_three));
    });
    group.bench_function("safe, 3 arguments", |t| {
        t.iter_custom(|n| launches(&stream, n, &mut safe_three));
    });
    group.bench_function("raw, 3 arguments, waited for", |t| {
        t.iter(|| {
            raw_three();
            raw_wait();
        });
    });
    group.bench_function("safe, 3 arguments, waited for", |t| {
        t.iter(|| {
            safe_three();
            safe_wait();
        });
    });
    let mut safe_sixteen = || {
        // SAFETY: the kernel does nothing.
        unsafe {
            sixteen
                .launch(
                    &stream,
                    config,
                    (
                        &mut *a, &mut *b, &mut *c, &mut *d, 0f32, 0f32, 0f32, 0f32, 0u32, 0u32,
                        0u32, 0u32, 0f64, 0f64, 0f64, 0f64,
                    ),
                )
                .expect("a launch");
        }
    };
    let [pa, pb, pc, pd] = addresses;
    let mut raw_sixteen = || {
        let values = [pa, pb, pc, pd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        raw_with_many(&sixteen, values);
    };
    let times = compare(&stream, rounds, &mut raw_sixteen, &mut safe_sixteen);
    results.push(("16 arguments", times));
    group.bench_function("raw, 16 arguments", |t| {
        t.iter_custom(|n| launches(&stream, n, &mut raw_sixteen));
    });
    group.bench_function("safe, 16 arguments", |t| {
        t.iter_custom(|n| launches(&stream, n, &mut safe_sixteen));
    });
    let (raw, typed) = typed_times;
    let note = format!("{:+.1} ns over the raw call", typed - raw);
    bench.row(
        "launch with 3 arguments",
        "a method of kernels!",
        typed / 1e3,
        &note,
    )?;
    for (arguments, (raw, safe)) in results {
        let work = format!("launch with {arguments}");
        bench.row(&work, "raw cuLaunchKernel", raw / 1e3, "")?;
        let note = format!("{:+.1} ns over the raw call", safe - raw);
        bench.row(&work, "Function::launch", safe / 1e3, &note)?;
    }
    let (by_pointer, raw) = ways;
    let way = if cfg!(feature = "dynamic-loading") {
        "opened at the first call"
    } else {
        "linked"
    };
    let work = "way to the driver, 3 arguments";
    bench.row(work, "pointer from the driver", by_pointer / 1e3, "")?;
    let note = format!("{:+.1} ns over a pointer", raw - by_pointer);
    bench.row(work, way, raw / 1e3, &note)
}

/// Measures the host time of an evaluation and of its parts.
fn evaluations(bench: &mut Bench) -> Result<()> {
    // Otherwise, every wait returns unused memory to the system: see MemoryPool.
    MemoryPool::current(&bench.context)?.set_release_threshold(u64::MAX)?;
    let stream = bench.stream.clone();
    let x = Array::from_buffer(bench.random(1024, 1)?, [1024])?;
    let y = Array::from_buffer(bench.random(1024, 2)?, [1024])?;
    let expression = || -> Expr<f32> { (&x * 2.0 + &y) * &x - y.sqrt() };
    let mut time = |work: &str, call: &mut dyn FnMut() -> Result<()>| -> Result<()> {
        call()?;
        let mut times = Vec::new();
        for _ in 0..bench.choose(1000, 50) {
            const EACH: u64 = 64;
            let mut failed = Ok(());
            let elapsed = launches(&stream, EACH, || {
                if let Err(error) = call() {
                    failed = Err(error);
                }
            });
            failed?;
            times.push(elapsed / EACH as u32);
        }
        let label = bench.label();
        bench.row(work, &format!("{label}, host time"), median_us(times), "")
    };
    time("an expression of 5 operations, made", &mut || {
        black_box(expression());
        Ok(())
    })?;
    time("an expression of 5 operations, evaluated", &mut || {
        black_box(expression().eval()?);
        Ok(())
    })?;
    time("allocation and freeing of 4 KiB", &mut || {
        black_box(DeviceBuffer::<f32>::uninit(&stream, 1024)?);
        Ok(())
    })
}
