//! Green contexts: two partitions of the device's multiprocessors, so that a long kernel does not delay short ones.
//!
//! While a long kernel fills the device, even urgent launches wait until its blocks have finished. Here the long kernel runs
//! in a green context with most of the multiprocessors. Short kernels, which represent urgent requests, run in another one
//! with the rest.

mod common;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::{ratio, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Module, Stream, green::GreenContext};

const SOURCE: &str = r#"
// Keeps a multiprocessor busy for a number of nanoseconds per block, and records which one it was.
extern "C" __global__ void work(unsigned long long nanoseconds, unsigned *places) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
    if (threadIdx.x == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(places[blockIdx.x]));
}
"#;

/// A block of the long kernel, and of a short one.
const LONG: Duration = Duration::from_millis(20);
const SHORT: Duration = Duration::from_micros(50);

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let all = gpu.context.multiprocessors()?;
    heading(format!(
        "{} multiprocessors, in groups of {} or more",
        all.count(),
        all.min_group_size()
    ));
    // The short kernels get an eighth of the device, or the smallest possible group.
    let parts = all.split(1, (all.count() / 8).max(1))?;
    let Some(rest) = parts.rest else {
        println!("too few to divide");
        return Ok(());
    };
    let (long, short) = (
        GreenContext::new(&gpu.context, &[rest])?,
        GreenContext::new(&gpu.context, &parts.groups)?,
    );
    println!(
        "{} for the long kernel, {} for the short ones",
        long.multiprocessors()?.count(),
        short.multiprocessors()?.count()
    );

    let work = Module::compile(&gpu.context, SOURCE)?.function("work")?;
    let (_, urgent) = gpu.context.stream_priority_range()?;
    // Two streams of the whole device, the second one with the highest priority.
    let options = cuda_safe::StreamOptions::default().priority(urgent);
    let plain = [
        Stream::new(&gpu.context)?,
        Stream::with_options(&gpu.context, options)?,
    ];
    let apart = [long.stream()?, short.stream_with_priority(urgent)?];
    let (_, held_up) = latency(&gpu, &work, &plain)?;
    let (places, alone) = latency(&gpu, &work, &apart)?;

    let mut table = Table::new(&[
        "a short kernel during a long one",
        "slowest of five",
        "gain",
    ]);
    table.row([
        "both on the whole device".into(),
        show(held_up),
        String::new(),
    ]);
    table.row(["in partitions".into(), show(alone), ratio(held_up, alone)]);
    print!("{table}");

    let [long, short] = places;
    ensure!(
        long.iter().all(|place| !short.contains(place)),
        "both ran on the same multiprocessors: {long:?} and {short:?}"
    );
    println!(
        "the long kernel ran on {} multiprocessors, the short ones on {}: none in common",
        long.len(),
        short.len()
    );
    Ok(())
}

/// Returns the time of the slowest of five short kernels on the second stream, while a long one fills the first stream's
/// multiprocessors, and the multiprocessors of both.
fn latency(
    gpu: &Gpu,
    work: &Function,
    [long, short]: &[Stream; 2],
) -> Result<([Vec<u32>; 2], Duration)> {
    // Several times more blocks than fit at once.
    let fit = work.max_active_blocks(1024, 0)? * gpu.context.multiprocessors()?.count();
    let blocks = 2 * fit;
    let mut places = DeviceBuffer::<u32>::zeroed(long, blocks as usize)?;
    let mut place = DeviceBuffer::<u32>::zeroed(short, 1)?;
    let nanoseconds = |time: Duration| time.as_nanos() as u64;
    short.synchronize()?;
    // SAFETY: each block writes one number, and there is one number per block.
    unsafe {
        work.launch(
            long,
            LaunchConfig::new(blocks, 1024),
            (nanoseconds(LONG), &mut places),
        )?;
    }
    std::thread::sleep(Duration::from_millis(2)); // the long kernel has started
    let mut times = Vec::new();
    let mut short_places = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        // SAFETY: one block, one number.
        unsafe {
            work.launch(
                short,
                LaunchConfig::new(1, 32),
                (nanoseconds(SHORT), &mut place),
            )?;
        }
        short.synchronize()?;
        times.push(start.elapsed());
        short_places.extend(place.to_vec(short)?);
    }
    let distinct = |mut places: Vec<u32>| {
        places.sort_unstable();
        places.dedup();
        places
    };
    let places = [distinct(places.to_vec(long)?), distinct(short_places)];
    Ok((places, times.into_iter().max().unwrap_or_default()))
}
