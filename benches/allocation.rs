//! Allocation and freeing of memory: raw calls compared with the safe layer.

mod common;

use anyhow::Result;
use common::{Bench, host_us, measurements::Measurements};
use cuda_safe::{DeviceBuffer, PinnedBuffer, Stream, sys};

fn main() -> Result<()> {
    let mut measurements = Measurements::new();
    run(&mut measurements)?;
    measurements.finish();
    Ok(())
}

fn raw(stream: &Stream, bytes: usize) {
    let mut pointer = 0;
    // SAFETY: the pointer is valid for the write, and freed once.
    unsafe {
        let code = sys::cuMemAllocAsync(&mut pointer, bytes, stream.as_raw());
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        let code = sys::cuMemFreeAsync(pointer, stream.as_raw());
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    }
}

fn run(measurements: &mut Measurements) -> Result<()> {
    let mut bench = Bench::new("allocation")?;
    let stream = bench.stream.clone();
    let context = bench.context.clone();
    // The pool retains its memory, because returning it to the system has an additional cost.
    let _keeper = DeviceBuffer::<u8>::uninit(&stream, 1 << 20)?;
    let mut group = measurements.group("allocation");
    for bytes in [1 << 10, 1 << 20, bench.choose(1 << 28, 1 << 22)] {
        let name = format!("{} bytes on the device", common::size_name(bytes));
        let safe = || drop(DeviceBuffer::<u8>::uninit(&stream, bytes).expect("memory"));
        let us = host_us(|| raw(&stream, bytes));
        bench.row(&name, "raw cuMemAllocAsync and free", us, "")?;
        let us = host_us(safe);
        bench.row(&name, "DeviceBuffer", us, "")?;
        group.bench_function(format!("{name}, raw"), |b| b.iter(|| raw(&stream, bytes)));
        group.bench_function(format!("{name}, safe"), |b| b.iter(safe));
        stream.synchronize()?;
    }
    let pinned = || drop(PinnedBuffer::<u8>::zeroed(&context, 1 << 20).expect("memory"));
    let us = host_us(pinned);
    bench.row("2^20 bytes pinned", "PinnedBuffer", us, "")?;
    group.bench_function("2^20 bytes pinned, safe", |b| b.iter(pinned));
    Ok(())
}
