//! Two devices: copies between them, and a kernel that reads the other's memory.
//!
//! Shows how two devices are linked, slow copies without peer access, fast copies and kernels with peer access, and a copy
//! of a rectangle. Every copy is compared with a raw call, to show that the safe layer adds nothing. If there is only one
//! device, the example says so and ends.

mod common;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use common::{
    gpu::{heading, is_emulated},
    measure::{bandwidth, ratio},
    table::Table,
};
use cuda_safe::{
    Context, Device, LaunchConfig, Module, Stream,
    memory::{PitchedBuffer, RegionCopy},
    sys,
};

const COPY: &str = r#"extern "C" __global__ void copy(uint4 *to, const uint4 *from, size_t n) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) to[i] = from[i];
}"#;

fn main() -> Result<()> {
    if std::env::var_os("CUDA_EMULATOR_DEVICES").is_none() {
        // SAFETY: there is one thread, and the driver has not been called yet. A GPU's driver ignores this variable.
        unsafe { std::env::set_var("CUDA_EMULATOR_DEVICES", "2") };
    }
    let devices = Device::all()?;
    let [here, there, ..] = devices[..] else {
        println!("There is only one device, so there is nothing to copy.");
        return Ok(());
    };
    let emulated = is_emulated(here)?;
    let (context, other) = (
        Context::primary(here.ordinal())?,
        Context::primary(there.ordinal())?,
    );
    let (stream, far) = (Stream::new(&context)?, Stream::new(&other)?);

    heading(format!(
        "device {} and device {}",
        here.ordinal(),
        there.ordinal()
    ));
    let link = here.link_to(there)?;
    println!("{}\n{}\n{link:?}", here.name()?, there.name()?);

    let words: usize = if emulated { 1 << 18 } else { 1 << 28 };
    let row = if emulated { 1 << 8 } else { 1 << 14 };
    let extent = [row, words / row];
    let bytes = words * size_of::<u32>();
    let mut source = PitchedBuffer::<u32>::uninit(&far, extent)?;
    source.fill(&far, 7)?;
    far.synchronize()?;
    let mut target = PitchedBuffer::<u32>::zeroed(&stream, extent)?;
    heading(format!("{} MiB from one to the other", bytes >> 20));
    let mut table = Table::new(&["GB/s", "safe", "raw", "raw / safe"]);
    let mut row_of = |name: &str, safe: Duration, raw: Duration| {
        table.row([
            name.to_owned(),
            bandwidth(bytes, safe),
            bandwidth(bytes, raw),
            ratio(safe, raw),
        ]);
    };

    let (safe, raw) = compare(&stream, &far, &mut target, &source)?;
    row_of("copy without access", safe, raw);
    if link.access {
        let access = context.enable_peer_access(&other)?;
        let back = other.enable_peer_access(&context)?;
        let (safe, raw) = compare(&stream, &far, &mut target, &source)?;
        row_of("copy with access", safe, raw);

        // A kernel of this device reads the other device's memory.
        target.memset_u8(&stream, 0)?;
        let copy = Module::compile(&context, COPY)?.function("copy")?;
        let config = LaunchConfig::new(4 * here.multiprocessor_count()?, 512);
        ensure!(source.pitch() == 4 * row, "the rows have gaps");
        let time = best(|| {
            let view = access.pitched(&source)?;
            // SAFETY: the number of elements of both buffers, which nothing else uses.
            unsafe { copy.launch(&stream, config, (&mut target, view, words / 4))? };
            Ok(stream.synchronize()?)
        })?;
        ensure!(target.to_vec(&stream)?.iter().all(|&word| word == 7));
        row_of("kernel that reads", time, time);
        access.close()?;
        back.close()?;
    }
    println!("{table}");

    heading("a rectangle");
    let numbers: Vec<u32> = (0..20).collect();
    let from = PitchedBuffer::from_slice(&far, [5, 4], &numbers)?;
    let mut to = PitchedBuffer::<u32>::zeroed(&stream, [3, 3])?;
    let copy = RegionCopy::new([2, 3]).source_at([3, 1]).target_at(1);
    copy.enqueue(&stream, &mut to, &from)?;
    let result = to.to_vec(&stream)?;
    ensure!(result == [0, 8, 9, 0, 13, 14, 0, 18, 19]);
    for row in result.chunks(3) {
        println!("{row:>3?}");
    }
    Ok(())
}

/// Returns the best times of a copy by the safe layer and by the raw call, measured alternately.
fn compare(
    stream: &Stream,
    far: &Stream,
    target: &mut PitchedBuffer<u32>,
    source: &PitchedBuffer<u32>,
) -> Result<(Duration, Duration)> {
    let bytes = source.len() * size_of::<u32>();
    let (to, from) = (target.as_device_ptr(), source.as_device_ptr());
    let (mut safe, mut raw) = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        target.memset_u8(stream, 0)?;
        safe = safe.min(best(|| {
            target.copy_from(stream, source)?;
            Ok(stream.synchronize()?)
        })?);
        ensure!(target.to_vec(stream)?.iter().all(|&word| word == 7));
        let _current = stream.context().push_current()?;
        let (near, there) = (stream.context().as_raw(), far.context().as_raw());
        raw = raw.min(best(|| {
            // SAFETY: `bytes` bytes of memory of these contexts, which nothing else uses.
            let code =
                unsafe { sys::cuMemcpyPeerAsync(to, near, from, there, bytes, stream.as_raw()) };
            stream.context().check("cuMemcpyPeerAsync", code)?;
            Ok(stream.synchronize()?)
        })?);
    }
    Ok((safe, raw))
}

/// Returns the shortest time of several runs.
fn best(mut work: impl FnMut() -> Result<()>) -> Result<Duration> {
    work()?;
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}
