//! Convolution of images: one launch on the device compared with three implementations on the CPU.

mod common;

use std::{hint::black_box, time::Duration};

use anyhow::Result;
use common::{Bench, Queue, host_us, measurements::Measurements, rate_name};
use criterion::Throughput;
use cuda_compute::{
    Array, Border, Convolution, ConvolutionOptions, Filter, Layout, Number, Pixel, cpu, s,
};
use cuda_safe::{DeviceBuffer, PinnedBuffer};

/// The largest work for the CPU, in products. More would take minutes instead of seconds.
const MOST_PRODUCTS: usize = 1 << 34;

fn main() -> Result<()> {
    let mut measurements = Measurements::new();
    run(&mut measurements)?;
    measurements.finish();
    Ok(())
}

/// Returns weights of mixed sign that are not a product of two vectors.
fn weights(count: usize) -> Vec<f32> {
    (0..count)
        .map(|i| ((i * 7919) % 1000) as f32 / 1000.0 - 0.48)
        .collect()
}

fn run(measurements: &mut Measurements) -> Result<()> {
    let mut bench = Bench::new("convolution")?;
    let label = bench.label();
    bench.set_columns([
        format!("{label}, device time"),
        format!("{label}, from and to the host"),
        "CPU, one thread vectorised".into(),
        "CPU, all cores vectorised".into(),
    ]);
    let fma = bench.fma_ceiling()?;
    bench.ceiling("multiply-adds", fma, "T/s")?;
    let large = bench.choose(1 << 29, 1 << 16);
    let (from, mut to) = (bench.random(large, 1)?, bench.random(large, 2)?);
    let copy = bench.copy_ceiling(&from, &mut to)?;
    bench.ceiling("copy", copy, "GB/s")?;
    drop((from, to));

    let side = bench.choose(4096, 64);
    for k in [3, 5, 9] {
        let filter = Filter::new(k, k, &weights(k * k))?;
        image::<u8>(&mut bench, side, 1, &filter, (copy, fma))?;
        image::<u8>(&mut bench, side, 3, &filter, (copy, fma))?;
        image::<u16>(&mut bench, side, 1, &filter, (copy, fma))?;
    }

    let images: &[usize] = bench.choose(&[512, 1024, 4096, 8192], &[64]);
    let filters: &[usize] = bench.choose(&[3, 5, 7, 9, 15, 31], &[3, 9]);
    for &size in images {
        for &k in filters {
            let dense = Filter::new(k, k, &weights(k * k))?;
            one(
                &mut bench,
                measurements,
                size,
                k,
                &dense,
                false,
                (copy, fma),
            )?;
        }
        for &k in bench.choose(&[5, 15, 31][..], &[9]) {
            let separable = Filter::separable(&weights(k), &weights(k))?;
            one(
                &mut bench,
                measurements,
                size,
                k,
                &separable,
                true,
                (copy, fma),
            )?;
        }
    }
    bench.print_table();
    Ok(())
}

fn one(
    bench: &mut Bench,
    measurements: &mut Measurements,
    size: usize,
    k: usize,
    filter: &Filter,
    separable: bool,
    (copy, fma): (f64, f64),
) -> Result<()> {
    let kind = if separable { "separable " } else { "" };
    let work = format!("{size}² by {kind}{k} x {k}");
    if !bench.is_selected(&work, &format!("convolution/{kind}{k}/{size}")) {
        return Ok(());
    }
    let pixels = size * size;
    let layout = Layout::new(size, size);
    let products = if separable { 2 * k } else { k * k } * pixels;
    let rates = |us: f64| {
        let (bytes, work) = (8.0 * pixels as f64 / us / 1e3, products as f64 / us / 1e6);
        format!(
            "{}, {:.1} % of copy; {work:.2} T FMA/s, {:.1} % of peak",
            rate_name(bytes),
            100.0 * bytes / copy,
            100.0 * work / fma
        )
    };
    // Alternates between images, which exceed the cache if that matters.
    let sets = (bench.choose(1 << 27, 1 << 14) / pixels).clamp(2, 64);
    let inputs = bench.random(sets * pixels, 3)?;
    let mut outputs = DeviceBuffer::<f32>::zeroed(&bench.stream, sets * pixels)?;
    let options = ConvolutionOptions::default();
    let convolution = Convolution::with_options(&bench.context, filter, options)?;
    let stream = bench.stream.clone();
    let mut launch = |i: usize| -> Result<()> {
        let range = i % sets * pixels..(i % sets + 1) * pixels;
        let mut output = outputs.slice_mut(range.clone())?;
        convolution.run(&stream, &inputs.slice(range)?, layout, &mut output, layout)?;
        Ok(())
    };
    let us = bench.device_us(bench.choose(31, 3), &mut launch)?;
    let label = bench.label();
    bench.row(&work, &format!("{label}, device time"), us, &rates(us))?;
    let us = host_us(|| {
        launch(0)
            .and_then(|()| Ok(stream.synchronize()?))
            .expect("the convolution");
    });
    bench.row(&work, &format!("{label}, waited for"), us, &rates(us))?;

    let mut group = measurements.group(format!("convolution/{kind}{k}"));
    group.throughput(Throughput::Elements(pixels as u64));
    group.bench_function(format!("{size}/{label} device time"), |b| {
        b.iter_custom(|iterations| {
            let times = bench.device_times(iterations as usize, &mut launch);
            times.expect("the convolution").iter().sum::<Duration>()
        });
    });

    let host = inputs.slice(..pixels)?.to_vec(&stream)?;
    let host = PinnedBuffer::from_slice(&bench.context, &host)?;
    let mut back = PinnedBuffer::<f32>::zeroed(&bench.context, pixels)?;
    let mut input = DeviceBuffer::<f32>::uninit(&stream, pixels)?;
    let mut output = DeviceBuffer::<f32>::uninit(&stream, pixels)?;
    let us = host_us(|| {
        input.copy_from_slice(&stream, &host).expect("the upload");
        convolution
            .run(&stream, &input, layout, &mut output, layout)
            .expect("the convolution");
        output
            .copy_to_slice(&stream, &mut back)
            .expect("the download");
    });
    bench.row(
        &work,
        &format!("{label}, from and to the host"),
        us,
        &rates(us),
    )?;

    // The CPU has no implementation for separable filters. See its times for dense ones.
    if !separable {
        type Convolve = fn(&[f32], usize, usize, &Filter, ConvolutionOptions) -> Vec<f32>;
        for (by, convolve, most) in [
            (
                "CPU, plain loop",
                cpu::convolve_plain as Convolve,
                MOST_PRODUCTS / 64,
            ),
            (
                "CPU, one thread vectorised",
                cpu::convolve_vectorised,
                MOST_PRODUCTS / 8,
            ),
            (
                "CPU, all cores vectorised",
                cpu::convolve_parallel,
                MOST_PRODUCTS,
            ),
        ] {
            // It would take minutes.
            if products > most {
                continue;
            }
            let mut run = || black_box(convolve(&host, size, size, filter, options));
            let us = host_us(|| {
                run();
            });
            let note = format!("{:.1} G FMA/s", products as f64 / us / 1e3);
            bench.row(&work, by, us, &note)?;
            if us < 5e4 {
                group.bench_function(format!("{size}/{by}"), |b| b.iter(&mut run));
            }
        }
        if products <= MOST_PRODUCTS / 64 {
            check(
                &convolve_bound(filter),
                &back,
                &cpu::convolve_reference(&host, size, size, filter, options),
            )?;
        }
    }
    Ok(())
}

/// Convolves images with interleaved channels with the arrays' method. Each result is a new array.
fn image<T: Pixel + Number>(
    bench: &mut Bench,
    size: usize,
    channels: usize,
    filter: &Filter,
    (copy, fma): (f64, f64),
) -> Result<()> {
    let interleaved = match channels {
        1 => String::new(),
        _ => format!(" x {channels}"),
    };
    let (name, k) = (T::DATA_TYPE.name(), filter.width());
    let work = format!("{size}²{interleaved} {name} by {k} x {k}");
    if !bench.is_selected(&work, &work) {
        return Ok(());
    }
    let elements = size * size * channels;
    let bytes = elements * T::DATA_TYPE.size();
    let options = ConvolutionOptions::default().border(Border::Clamp);
    // Alternates between images, which exceed the cache. Any bits are valid integers.
    let sets = (bench.choose(1 << 28, 1 << 14) / bytes).clamp(2, 64);
    let pool = bench.random((sets * bytes).div_ceil(4), 4)?;
    let count = pool.len();
    let pool = Array::<f32>::from_buffer(pool, count)?.reinterpret::<T>()?;
    let images: Vec<Array<T>> = (0..sets as isize)
        .map(|i| {
            let piece = s![i * elements as isize..(i + 1) * elements as isize];
            pool.slice(piece)?.reshape([size, size, channels])
        })
        .collect::<cuda_compute::Result<_>>()?;
    let queue = Queue {
        calls: 31,
        host_ns: 40_000,
    };
    let convolve = |i: usize| -> Result<()> {
        images[i % sets].convolve_with(filter, options)?;
        Ok(())
    };
    convolve(0)?;
    let times = bench.device_times_in(queue, bench.choose(31, 3), convolve)?;
    let us = common::median_us(times);
    let label = bench.label();
    let (bandwidth, products) = (
        2.0 * bytes as f64 / us / 1e3,
        (k * k * elements) as f64 / us / 1e6,
    );
    let note = format!(
        "{}, {:.1} % of copy; {products:.2} T FMA/s, {:.1} % of peak",
        rate_name(bandwidth),
        100.0 * bandwidth / copy,
        100.0 * products / fma
    );
    bench.row(&work, &format!("{label}, device time"), us, &note)
}

fn convolve_bound(filter: &Filter) -> f64 {
    let weight: f64 = filter.weights().iter().map(|w| f64::from(w.abs())).sum();
    1e-6 * weight
}

fn check(bound: &f64, got: &[f32], wanted: &[f64]) -> Result<()> {
    for (i, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        let error = (f64::from(*got) - wanted).abs();
        anyhow::ensure!(error <= *bound, "pixel {i} is {got}, not {wanted}");
    }
    Ok(())
}
