//! What the safe layer adds to a launch: the raw driver call against `Function::launch`. What the way
//! to the driver's function adds: the linker's, or with `--features dynamic-loading` an address that
//! the first call looks up, each against a pointer that the driver gave. And what a graph saves: many
//! launches recorded once and repeated by one call.

mod common;

use std::{
    ffi::c_void,
    hint::black_box,
    ptr::NonNull,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use common::{Bench, Queue, host_us, median_us};
use criterion::Criterion;
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Module, Stream, driver, sys};

const KERNELS: &str = r#"
extern "C" __global__ void none() {}
extern "C" __global__ void three(float *x, float factor, unsigned n) {}
extern "C" __global__ void sixteen(float *a, float *b, float *c, float *d, float e, float f,
    float g, float h, unsigned i, unsigned j, unsigned k, unsigned l, double m, double n, double o,
    double p) {}
"#;

cuda_safe::kernels! {
    /// One of them as a function.
    struct Typed = KERNELS;
    /// Does nothing.
    fn three(x: &mut [f32], factor: f32, n: u32);
}

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

/// One way to the driver's function: a call of it by that name or pointer.
macro_rules! raw_launch_by {
    ($launch:expr, $function:expr, $stream:expr, $pointers:expr) => {{
        let null = std::ptr::null_mut();
        let (function, stream) = ($function.as_raw(), $stream.as_raw());
        // SAFETY: the kernels take as many arguments as there are pointers, of their types, and do
        // nothing with them.
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

/// The driver's own address of the function, which no linker or loader stands before.
fn looked_up() -> Result<sys::PFN_cuLaunchKernel> {
    let since = driver::Version {
        major: 12,
        minor: 0,
    };
    let address = driver::symbol(c"cuLaunchKernel", since)?;
    // SAFETY: the driver gave it under the name and version of this type.
    Ok(black_box(unsafe {
        std::mem::transmute::<NonNull<c_void>, sys::PFN_cuLaunchKernel>(address)
    }))
}

/// A recorded sequence of work, ready to be repeated.
struct Graph(sys::CUgraphExec);

impl Graph {
    /// What `work` gives to the stream; nothing is run. `None` where the driver has no graphs.
    fn capture(stream: &Stream, work: impl FnOnce() -> Result<()>) -> Result<Option<Self>> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is live, and used by this thread alone.
        let code = unsafe { sys::cuStreamBeginCapture_v2(stream.as_raw(), mode) };
        if code == sys::CUresult::CUDA_ERROR_NOT_SUPPORTED {
            return Ok(None);
        }
        done("cuStreamBeginCapture", code)?;
        let worked = work();
        let (mut graph, mut ready) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the stream is capturing.
        let code = unsafe { sys::cuStreamEndCapture(stream.as_raw(), &mut graph) };
        worked?;
        done("cuStreamEndCapture", code)?;
        // SAFETY: the graph is live until it is destroyed here; what was made of it stays.
        let code = unsafe {
            let code = sys::cuGraphInstantiateWithFlags(&mut ready, graph, 0);
            sys::cuGraphDestroy(graph);
            code
        };
        done("cuGraphInstantiate", code)?;
        Ok(Some(Self(ready)))
    }

    fn launch(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both are live, and the kernels of the graph do nothing.
        let code = unsafe { sys::cuGraphLaunch(self.0, stream.as_raw()) };
        done("cuGraphLaunch", code)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: nothing uses it any more; the driver keeps it while it runs.
        unsafe { sys::cuGraphExecDestroy(self.0) };
    }
}

fn done(call: &str, code: sys::CUresult) -> Result<()> {
    ensure!(code == sys::CUresult::CUDA_SUCCESS, "{call}: {code:?}");
    Ok(())
}

/// `KERNELS_IN_A_ROW` kernels launched one by one against the same as a graph: the time of one.
fn compare_graph(bench: &mut Bench, three: &Function) -> Result<()> {
    const KERNELS_IN_A_ROW: usize = 100;
    let stream = bench.stream.clone();
    let mut buffer = DeviceBuffer::<f32>::zeroed(&stream, 256)?;
    let config = LaunchConfig::new(1, 32);
    let mut one_by_one = || -> Result<()> {
        for _ in 0..KERNELS_IN_A_ROW {
            // SAFETY: the kernel does nothing.
            unsafe { three.launch(&stream, config, (&mut buffer, 2.0f32, 256u32))? };
        }
        Ok(())
    };
    // Capture belongs to the thread, and a graph is made in its current context.
    bench.context.set_current()?;
    let graph = Graph::capture(&stream, &mut one_by_one)?;
    // 510 entries, all there before the device begins.
    let queue = Queue {
        calls: 5,
        host_ns: 1_000_000,
    };
    let rounds = bench.choose(25, 3);
    let mut measure = |by: &str, work: &mut dyn FnMut() -> Result<()>| -> Result<()> {
        work()?;
        let device = median_us(bench.device_times_in(queue, rounds, |_| work())?);
        let wall = host_us(|| {
            work().expect("the launches");
            stream.synchronize().expect("the kernels");
        });
        for (name, us) in [("device", device), ("wall", wall)] {
            let work = format!("one of {KERNELS_IN_A_ROW} kernels, {name} time");
            bench.row(&work, by, us / KERNELS_IN_A_ROW as f64, "")?;
        }
        Ok(())
    };
    measure("Function::launch", &mut one_by_one)?;
    match graph {
        Some(graph) => measure("graph replay", &mut || graph.launch(&stream)),
        None => bench.missing(
            "graph replay",
            "cuStreamBeginCapture gives CUDA_ERROR_NOT_SUPPORTED",
        ),
    }
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
    group.finish();
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
    bench.row(work, way, raw / 1e3, &note)?;
    compare_graph(&mut bench, &three)
}
