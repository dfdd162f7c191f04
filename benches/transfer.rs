//! Copies between host and device: raw calls compared with the safe layer, with pageable memory, pinned
//! memory, and pageable memory through a `Staging`.

mod common;

use anyhow::Result;
use common::{Bench, host_us, measurements::Measurements};
use criterion::Throughput;
use cuda_safe::{DeviceBuffer, PinnedBuffer, Stream, memory::Staging, sys};

fn main() -> Result<()> {
    let mut measurements = Measurements::new();
    run(&mut measurements)?;
    measurements.finish();
    Ok(())
}

fn raw_up(stream: &Stream, host: &[f32], device: &mut DeviceBuffer<f32>) {
    // SAFETY: both have the length of `host`, which is borrowed until the wait has finished.
    unsafe {
        let bytes = size_of_val(host);
        let to = device.as_device_ptr();
        let code = sys::cuMemcpyHtoDAsync_v2(to, host.as_ptr().cast(), bytes, stream.as_raw());
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        assert_eq!(
            sys::cuStreamSynchronize(stream.as_raw()),
            sys::CUresult::CUDA_SUCCESS
        );
    }
}

fn raw_down(stream: &Stream, device: &DeviceBuffer<f32>, host: &mut [f32]) {
    // SAFETY: as above.
    unsafe {
        let bytes = size_of_val(host);
        let from = device.as_device_ptr();
        let code =
            sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), from, bytes, stream.as_raw());
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        assert_eq!(
            sys::cuStreamSynchronize(stream.as_raw()),
            sys::CUresult::CUDA_SUCCESS
        );
    }
}

fn run(measurements: &mut Measurements) -> Result<()> {
    let mut bench = Bench::new("transfer")?;
    let stream = bench.stream.clone();
    let staged = Stream::new(&bench.context)?;
    staged.set_staging(Some(&Staging::new(&bench.context)?))?;
    let sizes: &[usize] = bench.choose(
        &[
            1 << 12,
            1 << 20,
            1 << 22,
            1 << 24,
            1 << 26,
            1 << 28,
            1 << 30,
        ],
        &[1 << 12, 1 << 20],
    );
    for &bytes in sizes {
        let count = bytes / 4;
        let data: Vec<f32> = (0..count).map(|i| i as f32).collect();
        let mut device = DeviceBuffer::from_slice(&stream, &data)?;
        let mut pageable = data.clone();
        let mut pinned = PinnedBuffer::from_slice(&bench.context, &data)?;
        let mut group = measurements.group(format!("transfer/{}", common::size_name(bytes)));
        group.throughput(Throughput::Bytes(bytes as u64));
        for (memory, host) in [("pageable", &mut pageable[..]), ("pinned", &mut pinned[..])] {
            let work = |way: &str| format!("{} bytes {memory}, {way}", common::size_name(bytes));
            let rate = |us: f64| common::rate_name(bytes as f64 / us / 1e3);

            let us = host_us(|| raw_up(&stream, host, &mut device));
            bench.row(
                &work("to the device"),
                "raw cuMemcpyHtoDAsync",
                us,
                &rate(us),
            )?;
            let us = host_us(|| device.copy_from_slice(&stream, host).expect("a copy"));
            bench.row(&work("to the device"), "copy_from_slice", us, &rate(us))?;
            if memory == "pageable" {
                let us = host_us(|| device.copy_from_slice(&staged, host).expect("a copy"));
                bench.row(&work("to the device"), "Staging", us, &rate(us))?;
            }
            let us = host_us(|| raw_down(&stream, &device, host));
            bench.row(&work("to the host"), "raw cuMemcpyDtoHAsync", us, &rate(us))?;
            let us = host_us(|| device.copy_to_slice(&stream, host).expect("a copy"));
            bench.row(&work("to the host"), "copy_to_slice", us, &rate(us))?;
            if memory == "pageable" {
                let us = host_us(|| device.copy_to_slice(&staged, host).expect("a copy"));
                bench.row(&work("to the host"), "Staging", us, &rate(us))?;
                for (by, stream) in [("to_vec", &stream), ("Staging", &staged)] {
                    let us = host_us(|| drop(device.to_vec(stream).expect("a copy")));
                    bench.row(&work("to a new vector"), by, us, &rate(us))?;
                }
            }
            anyhow::ensure!(host == data, "{memory} memory has changed");

            group.bench_function(format!("{memory}, to the device, raw"), |b| {
                b.iter(|| raw_up(&stream, host, &mut device));
            });
            group.bench_function(format!("{memory}, to the device, safe"), |b| {
                b.iter(|| device.copy_from_slice(&stream, host).expect("a copy"));
            });
            group.bench_function(format!("{memory}, to the host, raw"), |b| {
                b.iter(|| raw_down(&stream, &device, host));
            });
            group.bench_function(format!("{memory}, to the host, safe"), |b| {
                b.iter(|| device.copy_to_slice(&stream, host).expect("a copy"));
            });
        }
    }
    Ok(())
}
