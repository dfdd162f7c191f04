//! cudarc's launch of the kernel `three(float *x, float factor, unsigned n)`, which does nothing.
//!
//! `cudarc-peer FILE` loads the kernel from a cubin or PTX file and prints rows as in `peers.jsonl`.
//! `../run.py` runs it. Times are host times of batches between which the queue empties, as in `../run.py`.

use std::{error::Error, sync::Arc, time::Instant};

use cudarc::{
    driver::{CudaContext, CudaStream, DriverError, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};

const BATCH: usize = 64;
const ROUNDS: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os()
        .nth(1)
        .ok_or("usage: cudarc-peer FILE, a cubin or PTX file with a kernel `three`")?;
    measure("cudarc", &file, true)?;
    measure("cudarc, no event tracking", &file, false)
}

/// Measures on a new stream, on which cudarc by default records an event for every buffer of a launch.
fn measure(by: &str, file: &std::ffi::OsStr, tracking: bool) -> Result<(), Box<dyn Error>> {
    let context = CudaContext::new(0)?;
    if !tracking {
        // SAFETY: there is only one stream.
        unsafe { context.disable_event_tracking() };
    }
    let stream = context.new_stream()?;
    let module = context.load_module(Ptx::from_file(file))?;
    let three = module.load_function("three")?;
    let mut buffer = stream.alloc_zeros::<f32>(256)?;
    let config = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (32, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = || {
        // SAFETY: the kernel takes these three arguments and does nothing.
        unsafe {
            stream
                .launch_builder(&three)
                .arg(&mut buffer)
                .arg(&2.0f32)
                .arg(&256u32)
                .launch(config)
        }
        .map(drop)
    };
    let us = median_us(&stream, BATCH, &mut launch)?;
    row("launch with 3 arguments", by, us);
    let us = median_us(&stream, BATCH, || {
        launch()?;
        stream.synchronize()
    })?;
    row("launch with 3 arguments, waited for", by, us);
    Ok(())
}

/// Returns the median, over batches, of the microseconds per call.
fn median_us(
    stream: &Arc<CudaStream>,
    batch: usize,
    mut work: impl FnMut() -> Result<(), DriverError>,
) -> Result<f64, DriverError> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..batch {
            work()?;
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / batch as f64);
        stream.synchronize()?;
    }
    times.sort_by(f64::total_cmp);
    Ok(times[ROUNDS / 2])
}

fn row(work: &str, by: &str, us: f64) {
    println!(
        "{{\"work\": \"{work}\", \"by\": \"{by}\", \"us\": {us:.4}, \"note\": \"host time\"}}"
    );
}
