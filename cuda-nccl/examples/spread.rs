//! Runs and times collective operations on the devices of one process: sums, convolution in strips,
//! and an all-reduce by copies.
//!
//! Without arguments it runs once with small sizes, to check that it works. With `measure` it uses
//! the sizes of the published figures, and prints medians.

use std::{env, time::Instant};

use cuda_compute::{ConvolutionOptions, Filter};
use cuda_nccl::{
    Collectives, PeerGroup, Reduction, Result,
    spread::{self, Reductions, StripConvolution},
};
use cuda_safe::{Context, Device, DeviceBuffer, Event, Stream};

/// The sizes and the number of repetitions.
#[derive(Clone, Copy)]
struct Effort {
    measure: bool,
    sum: usize,
    side: usize,
    all_reduce: [usize; 3],
    times: usize,
}

fn main() -> Result<()> {
    let measure = env::args().nth(1).as_deref() == Some("measure");
    let effort = match measure {
        true => Effort {
            measure,
            sum: 1 << 30,
            side: 8192,
            all_reduce: [1, 1 << 20, 1 << 27],
            times: 30,
        },
        false => Effort {
            measure,
            sum: 1 << 12,
            side: 64,
            all_reduce: [1, 1 << 8, 1 << 12],
            times: 1,
        },
    };
    let devices = Device::all()?;
    println!("{} devices", devices.len());
    for size in 1..=devices.len() {
        let contexts: Vec<Context> = devices[..size]
            .iter()
            .map(|&device| Context::primary_of(device))
            .collect::<cuda_safe::Result<_>>()?;
        println!("== {size} ranks");
        let lines = PeerGroup::new(&contexts)?.run(|rank| {
            let mut lines = vec![sum(rank, effort)?];
            for filter in [3, 9, 15, 31] {
                lines.push(strips(rank, filter, effort)?);
            }
            for len in effort.all_reduce {
                lines.push(all_reduce(rank, len, effort)?);
            }
            Ok(lines)
        })?;
        lines[0].iter().for_each(|line| println!("{line}"));
    }
    Ok(())
}

/// Formats times in microseconds.
fn formatted(effort: Effort, mut times: Vec<f64>) -> String {
    if !effort.measure {
        return "done".into();
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    format!("{median:.1} us (minimum {:.1})", times[0])
}

/// Measures from the call to the result on the host.
fn sum(rank: &impl Collectives, effort: Effort) -> Result<String> {
    let stream = Stream::new(rank.context())?;
    let part = spread::part(effort.sum, rank.size(), rank.rank());
    let mut data = DeviceBuffer::<f32>::uninit(&stream, part.len())?;
    data.fill(&stream, 0.5)?;
    let reductions = Reductions::new(rank)?;
    assert_eq!(reductions.sum(&stream, &data)?, effort.sum as f32 * 0.5);
    let mut times = Vec::new();
    for _ in 0..effort.times {
        rank.gather_on_host(&stream, &[0u8])?; // synchronizes the start
        let start = Instant::now();
        reductions.sum(&stream, &data)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let time = formatted(effort, times);
    Ok(format!("sum of {} floats: {time}", effort.sum))
}

/// Measures a sequence of convolutions with the device's clock.
fn strips(rank: &impl Collectives, side: usize, effort: Effort) -> Result<String> {
    let stream = Stream::new(rank.context())?;
    let weights = (0..side * side).map(|i| (i % 13) as f32 / 100.0);
    let filter = Filter::new(side, side, &weights.collect::<Vec<_>>())?;
    let options = ConvolutionOptions::default();
    let strips = StripConvolution::new(rank, &filter, options, effort.side, effort.side)?;
    let (mut from, mut to) = (strips.strip(&stream)?, strips.strip(&stream)?);
    from.view_mut().fill(&stream, 1.0)?;
    strips.run(&stream, &mut from, &mut to)?;
    rank.wait(&stream)?;
    const ROW: usize = 20;
    let mut times = Vec::new();
    for _ in 0..effort.times.div_ceil(4) {
        let (start, end) = (Event::new(rank.context())?, Event::new(rank.context())?);
        rank.gather_on_host(&stream, &[0u8])?;
        start.record(&stream)?;
        for _ in 0..ROW {
            strips.run(&stream, &mut from, &mut to)?;
        }
        end.record(&stream)?;
        rank.wait(&stream)?;
        times.push(end.duration_since(&start)?.as_secs_f64() * 1e6 / ROW as f64);
    }
    let time = formatted(effort, times);
    Ok(format!(
        "convolution of {0} x {0} with {side} x {side}: {time}",
        effort.side
    ))
}

/// Measures from the call to the end of the work.
fn all_reduce(rank: &impl Collectives, len: usize, effort: Effort) -> Result<String> {
    let stream = Stream::new(rank.context())?;
    let mut data = DeviceBuffer::<f32>::uninit(&stream, len)?;
    data.fill(&stream, 1.0)?;
    rank.all_reduce(&stream, &mut data, Reduction::Mean)?;
    assert_eq!(data.slice(len - 1..)?.to_vec(&stream)?, [1.0]);
    let (mut single, mut row) = (Vec::new(), Vec::new());
    const ROW: usize = 10;
    for _ in 0..effort.times {
        rank.gather_on_host(&stream, &[0u8])?;
        let start = Instant::now();
        rank.all_reduce(&stream, &mut data, Reduction::Mean)?;
        rank.wait(&stream)?;
        single.push(start.elapsed().as_secs_f64() * 1e6);
        let start = Instant::now();
        for _ in 0..ROW {
            rank.all_reduce(&stream, &mut data, Reduction::Mean)?;
        }
        rank.wait(&stream)?;
        row.push(start.elapsed().as_secs_f64() * 1e6 / ROW as f64);
    }
    let (single, row) = (formatted(effort, single), formatted(effort, row));
    Ok(format!(
        "all-reduce of {len} floats: {single}; in a row of {ROW}: {row}"
    ))
}
