//! Several GPUs: a sum and a convolution, spread over all devices, with a report of each rank.
//!
//! many_gpus [FILE]
//!
//! FILE is a file of `f32`, which is summed up in pieces. It may be larger than all memory.
//!
//! Under a launcher, each process is a rank with its own device, and NCCL connects them:
//!
//! ```text
//! mpirun -n 2 many_gpus
//! srun --ntasks-per-node=2 --gpus-per-node=2 many_gpus
//! torchrun --no-python --nproc-per-node 2 many_gpus
//! for r in 0 1; do CUDA_NCCL_RANK=$r CUDA_NCCL_SIZE=2 CUDA_NCCL_ADDRESS=127.0.0.1:29400 many_gpus & done; wait
//! ```
//!
//! Without a launcher, the program uses all devices of the machine with one thread each, and copies between them instead of
//! NCCL. The same function does the work in both cases.

mod common;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use common::{
    gpu::{heading, is_emulated},
    measure::show,
};
use cuda_compute::{Convolution, ConvolutionOptions, Filter, Layout};
use cuda_nccl::{
    Collectives, CommunicatorOptions, Launch, PeerGroup,
    spread::{FilePass, FileProgress, FileVector, Reductions, StripConvolution, part},
};
use cuda_safe::{Device, DeviceBuffer, LaunchConfig, Module, Stream};

/// A kernel that generates any part of the numbers, so that every rank can generate its own.
const FILL: &str = r#"extern "C" __global__ void fill(float *x, unsigned long long first, unsigned long long n) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += step)
        x[i] = (float)((first + i) % 1024);
}"#;

fn main() -> Result<()> {
    if let Some(launch) = Launch::from_env()? {
        println!("{launch}");
        // A call without an answer for half a minute is an error on all ranks.
        let options = CommunicatorOptions::default().timeout(Duration::from_secs(30));
        // SAFETY: all ranks run this program and make the same calls.
        let options = unsafe { options.unverified() };
        let group = launch.communicator(options)?;
        println!("{}", work(&group)?);
        return Ok(());
    }
    if std::env::var_os("CUDA_EMULATOR_DEVICES").is_none() {
        // SAFETY: there is one thread, and the driver has not been called yet. A GPU's driver ignores this variable.
        unsafe { std::env::set_var("CUDA_EMULATOR_DEVICES", "2") };
    }
    let devices = Device::count()?;
    heading(format!(
        "{devices} devices of this process, with copies between them"
    ));
    let reports = PeerGroup::of_all_devices()?.run(|rank| {
        // An error of one rank is an error on all ranks.
        work(rank).map_err(|error| cuda_nccl::Error::Value(format!("{error:#}")))
    })?;
    for report in reports {
        println!("{report}");
    }
    Ok(())
}

/// The work of one rank. Returns a report.
fn work(group: &impl Collectives) -> Result<String> {
    let device = group.context().device();
    let emulated = is_emulated(device)?;
    let stream = Stream::new(group.context())?;
    let who = format!("rank {} of {}", group.rank(), group.size());
    let mut report = format!("{who}: device {}, {}\n", device.ordinal(), device.name()?);
    report += &sum(group, &stream, if emulated { 100_003 } else { 1 << 30 })?;
    report += &convolve(group, &stream, if emulated { 96 } else { 8192 })?;
    if let Some(path) = std::env::args_os().nth(1) {
        report += &sum_of_file(group, Path::new(&path))?;
    }
    Ok(report)
}

/// Sums a file. Each rank reads its share from the disk in pieces, and shows its progress.
fn sum_of_file(group: &impl Collectives, path: &Path) -> Result<String> {
    let vector = FileVector::<f32>::open(path)?;
    let own = vector.share(group.rank(), group.size());
    let mut tenths = 0;
    let mut show = |progress: FileProgress| {
        let now = (10.0 * progress.fraction()) as u32;
        if now > tenths {
            tenths = now;
            println!("rank {}: {} % of its share", group.rank(), 10 * now);
        }
    };
    let clock = Instant::now();
    let sum = vector.sum(group, FilePass::new().progress(&mut show))?;
    let seconds = clock.elapsed().as_secs_f64();
    Ok(format!(
        "  numbers {} to {} of {} in {}: the total is {sum} ({seconds:.2} s, {:.1} GB/s over all ranks)\n",
        own.start,
        own.end,
        vector.len(),
        path.display(),
        4.0 * vector.len() as f64 / seconds / 1e9
    ))
}

/// Sums generated numbers. Each rank reduces its part, and the results are combined.
fn sum(group: &impl Collectives, stream: &Stream, len: usize) -> Result<String> {
    let rows = part(len, group.size(), group.rank());
    let numbers = fill(stream, rows.start, rows.len())?;
    let reductions = Reductions::new(group)?;
    let (mut best, mut found) = (Duration::MAX, 0.0);
    for _ in 0..4 {
        // All ranks start together.
        group.gather_on_host(stream, &[0u32])?;
        let clock = Instant::now();
        found = f64::from(reductions.sum(stream, &numbers)?);
        best = best.min(clock.elapsed());
    }
    let expected = (0..len % 1024).sum::<usize>() as f64 + (len / 1024) as f64 * (1023.0 * 512.0);
    ensure!(
        (found - expected).abs() < 1e-5 * expected,
        "the sum is {found}, not {expected}"
    );
    let bytes = size_of::<f32>() * len;
    Ok(format!(
        "  numbers {} to {} of {len}: the total is {found:.0} ({} until it is on the host, {:.0} GB/s over all ranks)\n",
        rows.start,
        rows.end,
        show(best),
        bytes as f64 / best.as_secs_f64() / 1e9
    ))
}

/// Convolves an image. Each rank has a strip of it. Rows at the borders are transferred while the
/// other rows are computed.
fn convolve(group: &impl Collectives, stream: &Stream, side: usize) -> Result<String> {
    const WIDTH: usize = 7;
    let filter = Filter::new(WIDTH, WIDTH, &[1.0 / (WIDTH * WIDTH) as f32; WIDTH * WIDTH])?;
    let options = ConvolutionOptions::default();
    let strips = StripConvolution::new(group, &filter, options, side, side)?;
    let rows = strips.rows();
    let own = fill(stream, rows.start * side, rows.len() * side)?.to_vec(stream)?;
    let (mut image, mut smooth) = (strips.strip(stream)?, strips.strip(stream)?);
    image.copy_from_slice(stream, &own)?;
    let mut best = Duration::MAX;
    for _ in 0..4 {
        group.gather_on_host(stream, &[0u32])?;
        let clock = Instant::now();
        strips.run(stream, &mut image, &mut smooth)?;
        group.wait(stream)?;
        best = best.min(clock.elapsed());
    }

    // The same rows, computed from the whole image on this device alone.
    let whole = fill(stream, 0, side * side)?;
    let mut expected = DeviceBuffer::<f32>::uninit(stream, side * side)?;
    let layout = Layout::new(side, side);
    let alone = Convolution::with_options(group.context(), &filter, options)?;
    alone.run(stream, &whole, layout, &mut expected, layout)?;
    let expected = expected
        .slice(rows.start * side..rows.end * side)?
        .to_vec(stream)?;
    // The bits differ, because the order of a sum depends on its row's position in the launch.
    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
    ensure!(
        smooth.to_vec(stream)?.iter().zip(&expected).all(close),
        "rows {rows:?} differ from the result of one device"
    );
    Ok(format!(
        "  rows {} to {} of an image of {side} x {side}, by {WIDTH} x {WIDTH}: {}, as on one device\n",
        rows.start,
        rows.end,
        show(best)
    ))
}

/// Returns the numbers from `first` on.
fn fill(stream: &Stream, first: usize, len: usize) -> Result<DeviceBuffer<f32>> {
    let fill = Module::compile(stream.context(), FILL)?.function("fill")?;
    let mut numbers = DeviceBuffer::uninit(stream, len)?;
    let blocks = len.div_ceil(256).clamp(1, 4096) as u32;
    // SAFETY: the kernel writes `len` numbers.
    unsafe {
        fill.launch(
            stream,
            LaunchConfig::new(blocks, 256),
            (&mut numbers, first as u64, len as u64),
        )?
    };
    Ok(numbers)
}
