//! The time that calls take on the host.

use std::time::{Duration, Instant};

use cuda_safe::Stream;

/// Returns the host time of a number of launches. The queue is emptied every few hundred launches,
/// outside of the measured time.
pub fn launches(stream: &Stream, iterations: u64, mut launch: impl FnMut()) -> Duration {
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

/// Returns the nanoseconds of two implementations: the median of the first one, and that median plus
/// the median of the differences. Measures pairs of short rounds with alternating order, because a
/// launch's own time drifts by more than the difference.
pub fn compare(
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
