//! The sum of floats: one launch on the device compared with three implementations on the CPU.

mod common;

use std::{hint::black_box, time::Duration};

use anyhow::Result;
use common::{
    Bench, host_us,
    measurements::{Group, Measurements},
    rate_name, size_name,
};
use criterion::Throughput;
use cuda_compute::{Reducer, cpu};
use cuda_safe::{DeviceBuffer, PinnedBuffer};

fn main() -> Result<()> {
    let mut measurements = Measurements::new();
    run(&mut measurements)?;
    measurements.finish();
    Ok(())
}

fn run(measurements: &mut Measurements) -> Result<()> {
    let mut bench = Bench::new("sum")?;
    let label = bench.label();
    bench.set_columns([
        format!("{label}, device time"),
        format!("{label}, input from the host"),
        "CPU, one thread vectorised".into(),
        "CPU, all cores vectorised".into(),
    ]);
    let sizes: &[usize] = bench.choose(
        &[1 << 10, 1 << 16, 1 << 20, 1 << 24, (1 << 27) - 157, 1 << 30],
        &[1 << 10, 1 << 16],
    );
    let largest = *sizes.last().expect("sizes");
    // Alternates between pieces of one large buffer, so that they are not read from the cache.
    let pool = bench.random(largest.max(bench.choose(1 << 28, 1 << 18)), 1)?;
    let read = bench.read_ceiling(&pool)?;
    bench.ceiling("read", read, "GB/s")?;

    let reducer = Reducer::new(&bench.context)?;
    let mut result = DeviceBuffer::<f32>::zeroed(&bench.stream, 1)?;
    for &count in sizes {
        let name = size_name(count);
        let work = format!("sum of {name} f32");
        if !bench.is_selected(&work, &format!("sum/{name}")) {
            continue;
        }
        let step = count.next_multiple_of(1024);
        let places = (pool.len() / step).max(1);
        let mut place = 0;
        let mut next = || {
            place = (place + 1) % places;
            pool.slice(place * step..place * step + count)
        };
        let gigabytes = |us: f64| 4.0 * count as f64 / us / 1e3;
        let of_read = |us: f64| {
            format!(
                "{}, {:.1} % of read",
                rate_name(gigabytes(us)),
                100.0 * gigabytes(us) / read
            )
        };

        let us = bench.device_us(bench.choose(51, 3), |_| {
            Ok(reducer.sum_into(&bench.stream, &next()?, &mut result)?)
        })?;
        bench.row(&work, &format!("{label}, device time"), us, &of_read(us))?;

        let data = next()?;
        let us = host_us(|| {
            black_box(reducer.sum(&bench.stream, &data).expect("the sum"));
        });
        bench.row(
            &work,
            &format!("{label}, result on the host"),
            us,
            &of_read(us),
        )?;

        let host = PinnedBuffer::from_slice(&bench.context, &data.to_vec(&bench.stream)?)?;
        let mut target = DeviceBuffer::<f32>::uninit(&bench.stream, count)?;
        let us = host_us(|| {
            target
                .copy_from_slice(&bench.stream, &host)
                .expect("the copy");
            black_box(reducer.sum(&bench.stream, &target).expect("the sum"));
        });
        bench.row(
            &work,
            &format!("{label}, input from the host"),
            us,
            &of_read(us),
        )?;

        let check = cpu::sum_reference(&host);
        let got = f64::from(reducer.sum(&bench.stream, &target)?);
        let magnitude: f64 = host.iter().map(|x| f64::from(x.abs())).sum();
        anyhow::ensure!(
            (got - check).abs() <= 1e-5 * magnitude,
            "{work}: {got}, not {check}"
        );

        let mut group = measurements.group(format!("sum/{name}"));
        group.throughput(Throughput::Bytes(4 * count as u64));
        group.bench_function(format!("{label} device time"), |b| {
            b.iter_custom(|iterations| {
                let times = bench.device_times(iterations as usize, |_| {
                    Ok(reducer.sum_into(&bench.stream, &next()?, &mut result)?)
                });
                times.expect("the sum").iter().sum::<Duration>()
            });
        });
        group.bench_function(format!("{label} result on the host"), |b| {
            b.iter(|| reducer.sum(&bench.stream, &data).expect("the sum"));
        });
        on_the_cpu(&mut bench, &mut group, &work, &host)?;
    }
    // Without a GPU, the CPU's times can be compared with published ones of a GPU.
    for &count in bench.choose(&[][..], &[1 << 20, 1 << 24, (1 << 27) - 157]) {
        let name = size_name(count);
        let work = format!("sum of {name} f32");
        let id = format!("sum/{name}");
        if bench.is_selected(&work, &id) {
            let host: Vec<f32> = (0..count).map(|i| (i % 251) as f32 * 0.01 - 1.25).collect();
            on_the_cpu(&mut bench, &mut measurements.group(id), &work, &host)?;
        }
    }
    bench.print_table();
    Ok(())
}

/// Adds the rows of the CPU for a workload.
fn on_the_cpu(bench: &mut Bench, group: &mut Group<'_>, work: &str, host: &[f32]) -> Result<()> {
    for (by, function) in [
        ("CPU, plain loop", cpu::sum_plain as fn(&[f32]) -> f32),
        ("CPU, one thread vectorised", cpu::sum_vectorised),
        ("CPU, all cores vectorised", cpu::sum_parallel),
    ] {
        let us = host_us(|| {
            black_box(function(black_box(host)));
        });
        let rate = rate_name(4.0 * host.len() as f64 / us / 1e3);
        bench.row(work, by, us, &rate)?;
        // Work that takes a second per call is only in the table.
        if us < 1e5 {
            group.bench_function(by, |b| b.iter(|| function(black_box(host))));
        }
    }
    Ok(())
}
