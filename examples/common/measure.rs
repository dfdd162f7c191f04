//! Times, measured in two ways: by events on the device, and by the host's clock.

use std::time::{Duration, Instant};

use anyhow::Result;
use cuda_safe::Event;

use super::gpu::Gpu;

/// The time of one piece of work.
#[derive(Clone, Copy)]
pub struct Times {
    /// From one event to the other: the time of the device.
    pub device: Duration,
    /// From the first call until the host knew that everything had finished.
    pub wall: Duration,
}

/// Runs `work` once to warm up, then `runs` times, and returns the medians.
pub fn measure(gpu: &Gpu, runs: usize, mut work: impl FnMut() -> Result<()>) -> Result<Times> {
    measure_prepared(gpu, runs, &mut (), |()| Ok(()), |()| work())
}

/// Like [`measure`], with an unmeasured preparation of `state` before each run.
pub fn measure_prepared<S>(
    gpu: &Gpu,
    runs: usize,
    state: &mut S,
    mut prepare: impl FnMut(&mut S) -> Result<()>,
    mut work: impl FnMut(&mut S) -> Result<()>,
) -> Result<Times> {
    let (start, end) = (Event::new(&gpu.context)?, Event::new(&gpu.context)?);
    let mut once = || -> Result<Times> {
        prepare(state)?;
        gpu.stream.synchronize()?;
        let clock = Instant::now();
        start.record(&gpu.stream)?;
        work(state)?;
        end.record(&gpu.stream)?;
        end.synchronize()?;
        Ok(Times {
            wall: clock.elapsed(),
            device: end.duration_since(&start)?,
        })
    };
    once()?;
    let times: Vec<Times> = (0..runs.max(1)).map(|_| once()).collect::<Result<_>>()?;
    Ok(Times {
        device: median(times.iter().map(|t| t.device)),
        wall: median(times.iter().map(|t| t.wall)),
    })
}

/// Runs `work` on the CPU `runs` times, and returns its result and the median of the times.
pub fn measure_cpu<T>(runs: usize, mut work: impl FnMut() -> T) -> (T, Duration) {
    let mut times = Vec::new();
    loop {
        let clock = Instant::now();
        let result = std::hint::black_box(work());
        times.push(clock.elapsed());
        if times.len() >= runs {
            return (result, median(times.into_iter()));
        }
    }
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times[times.len() / 2]
}

/// Formats a time with three digits and a suitable unit.
pub fn show(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s "),
    };
    let digits = match value {
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

/// Formats the ratio of `slow` to `fast`.
pub fn ratio(slow: Duration, fast: Duration) -> String {
    let ratio = slow.as_secs_f64() / fast.as_secs_f64();
    let digits = if ratio < 1.0 { 3 } else { 1 };
    format!("{ratio:.digits$} x")
}

/// Formats the rate of bytes per time in GB/s.
pub fn bandwidth(bytes: usize, time: Duration) -> String {
    format!("{:.1}", bytes as f64 / 1e9 / time.as_secs_f64())
}
