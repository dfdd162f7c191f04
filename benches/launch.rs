//! What the safe layer adds to a launch: the raw driver call against `Function::launch`.

mod common;

use std::{
    ffi::c_void,
    time::{Duration, Instant},
};

use anyhow::Result;
use common::Bench;
use criterion::Criterion;
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Module, Stream, sys};

const KERNELS: &str = r#"
extern "C" __global__ void none() {}
extern "C" __global__ void three(float *x, float factor, unsigned n) {}
extern "C" __global__ void sixteen(float *a, float *b, float *c, float *d, float e, float f,
    float g, float h, unsigned i, unsigned j, unsigned k, unsigned l, double m, double n, double o,
    double p) {}
"#;

fn main() -> Result<()> {
    let mut criterion = common::criterion();
    run(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

/// The time of so many launches on the host alone: the queue is emptied every few hundred, outside
/// the time.
fn launches(stream: &Stream, iterations: u64, mut launch: impl FnMut()) -> Duration {
    const BATCH: u64 = 256;
    let mut total = Duration::ZERO;
    let mut left = iterations;
    while left > 0 {
        let now = left.min(BATCH);
        let start = Instant::now();
        for _ in 0..now {
            launch();
        }
        total += start.elapsed();
        left -= now;
        stream.synchronize().expect("the launches");
    }
    total
}

/// Nanoseconds of two ways: the median of the first, and the first plus the median of what the
/// second took more. Measured in pairs of short rounds, each way first in every other pair, since a
/// launch's own time drifts by more than the difference that is looked for.
fn compare(
    stream: &Stream,
    rounds: usize,
    mut raw: impl FnMut(),
    mut safe: impl FnMut(),
) -> (f64, f64) {
    const EACH: u64 = 64;
    let (mut raws, mut differences) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let time = |launch: &mut dyn FnMut()| {
            launches(stream, EACH, launch).as_secs_f64() * 1e9 / EACH as f64
        };
        let (raw_time, safe_time) = if round % 2 == 0 {
            let raw_time = time(&mut raw);
            (raw_time, time(&mut safe))
        } else {
            let safe_time = time(&mut safe);
            (time(&mut raw), safe_time)
        };
        raws.push(raw_time);
        differences.push(safe_time - raw_time);
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let raw = median(raws);
    (raw, raw + median(differences))
}

fn pointer(value: &mut u64) -> *mut c_void {
    (&raw mut *value).cast()
}

fn raw_launch(function: &Function, stream: &Stream, pointers: &mut [*mut c_void]) {
    // SAFETY: the kernels take as many arguments as there are pointers, of their types, and do
    // nothing with them.
    let code = unsafe {
        sys::cuLaunchKernel(
            function.as_raw(),
            1,
            1,
            1,
            32,
            1,
            1,
            0,
            stream.as_raw(),
            pointers.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
}

fn run(criterion: &mut Criterion) -> Result<()> {
    let mut bench = Bench::new("launch")?;
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
    // Raw code, too, has to put its arguments somewhere for each call: values of 8 bytes, and
    // pointers to them.
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
    results.push((0, compare(&stream, rounds, &mut raw_none, &mut safe_none)));
    let mut safe_three = || {
        // SAFETY: the kernel does nothing.
        unsafe {
            three
                .launch(&stream, config, (&mut *a, 2.0f32, 256u32))
                .expect("a launch")
        };
    };
    let mut raw_three = || raw_with(&three, [addresses[0], 2, 256]);
    results.push((3, compare(&stream, rounds, &mut raw_three, &mut safe_three)));
    let mut group = criterion.benchmark_group("launch");
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
            // SAFETY: the stream is live.
            unsafe { sys::cuStreamSynchronize(stream.as_raw()) }
        });
    });
    group.bench_function("safe, 3 arguments, waited for", |t| {
        t.iter(|| {
            safe_three();
            stream.synchronize().expect("the launch");
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
    results.push((
        16,
        compare(&stream, rounds, &mut raw_sixteen, &mut safe_sixteen),
    ));
    group.bench_function("raw, 16 arguments", |t| {
        t.iter_custom(|n| launches(&stream, n, &mut raw_sixteen));
    });
    group.bench_function("safe, 16 arguments", |t| {
        t.iter_custom(|n| launches(&stream, n, &mut safe_sixteen));
    });
    group.finish();
    for (arguments, (raw, safe)) in results {
        let work = format!("launch with {arguments} arguments");
        bench.row(&work, "raw cuLaunchKernel", raw / 1e3, "")?;
        let note = format!("{:+.1} ns over the raw call", safe - raw);
        bench.row(&work, "Function::launch", safe / 1e3, &note)?;
    }
    Ok(())
}
