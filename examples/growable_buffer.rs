//! A buffer that grows in place, compared with a new allocation and a copy.
//!
//! Results arrive in batches, and their number is not known in advance. A `GrowableBuffer` maps more memory to further
//! addresses. Without it, each batch that does not fit needs a larger buffer, a copy of everything, and memory for both.
//!
//! ```text
//! growable_buffer [GIB]    the final size of the buffers: 64 GiB unless less is free
//! ```

mod common;

use anyhow::{Result, ensure};
use common::{
    gpu::{Gpu, heading},
    table::Table,
};
use cuda_safe::{
    DeviceBuffer, ErrorKind, MemoryPool, Stream, memory::virtual_memory::GrowableBuffer,
};
use std::time::Instant;

/// Returns the milliseconds of the work, including the wait for the stream.
fn time(stream: &Stream, work: impl FnOnce() -> Result<()>) -> Result<f64> {
    stream.synchronize()?;
    let start = Instant::now();
    work()?;
    stream.synchronize()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let (context, stream) = (&gpu.context, &gpu.stream);
    let most = match std::env::args().nth(1) {
        Some(gib) => gib.parse::<usize>()? << 30,
        None => gpu.size(64 << 30, 64 << 20),
    };
    // Two thirds of the free memory, because a copy needs memory for the old and the new buffer.
    let free = context.memory_info()?.free;
    let step = gpu.size(1 << 30, 4 << 20);
    let most = most.min(free / 3 * 2) / step * step;
    ensure!(
        most >= step,
        "the buffers grow in steps of {step} bytes, and two thirds of the {free} free bytes are used. Fix: pass a larger GIB"
    );

    heading("a buffer that grows and keeps its address");
    let mut growing = GrowableBuffer::<u64>::with_capacity(stream, most / 8)?;
    let address = growing.as_device_ptr();
    for batch in 0..5u64 {
        let from = growing.len();
        growing.grow(from + 1000)?;
        growing.slice_mut(from..)?.fill(stream, batch)?;
    }
    ensure!(growing.as_device_ptr() == address, "the address changed");
    let edge = growing.slice(2999..3001)?.to_vec(stream)?;
    ensure!(edge == [2, 3], "the old contents changed");
    let taken = growing.allocated_bytes();
    println!(
        "{} numbers at {address:#x}, in {taken} bytes",
        growing.len()
    );
    let error = growing.grow(most / 8 + (1 << 30)).unwrap_err();
    ensure!(*error.kind() == ErrorKind::InvalidArgument);
    growing.close()?;

    let unit = if step >= 1 << 30 { 30 } else { 20 };
    let name = if unit == 30 { "GiB" } else { "MiB" };
    heading("up to the same size in equal steps, total milliseconds");
    let head = format!("GrowableBuffer ({})", gpu.label());
    let mut table = Table::new(&["up to", "step", &head, "allocate and copy", "ratio"]);
    let mut size = (4 * step).min(most);
    while size <= most {
        let mut buffer = GrowableBuffer::<u8>::with_capacity(stream, size)?;
        let grown = time(stream, || {
            for end in (step..=size).step_by(step) {
                buffer.grow(end)?;
            }
            Ok(())
        })?;
        ensure!(buffer.len() == size);
        let freed = time(stream, || Ok(buffer.close()?))?;
        let mut copied = DeviceBuffer::<u8>::uninit(stream, 0)?;
        let anew = time(stream, || {
            for end in (step..=size).step_by(step) {
                let mut larger = DeviceBuffer::<u8>::uninit(stream, end)?;
                let mut kept = larger.slice_mut(..copied.len())?;
                kept.copy_from(stream, &copied)?;
                copied = larger; // the old one is freed after the copy
                // The pool returns memory to the device when the host waits. Without the wait, memory for both soon runs out.
                stream.synchronize()?;
            }
            Ok(())
        })?;
        drop(copied);
        stream.synchronize()?;
        MemoryPool::current(context)?.trim_to(0)?;
        table.row([
            format!("{} {name}", size >> unit),
            format!("{} {name}", step >> unit),
            format!("{grown:.2} (and {freed:.2} to free)"),
            format!("{anew:.2}"),
            format!("{:.1}", anew / grown),
        ]);
        size *= 2;
    }
    print!("{table}");
    println!("The copies also need memory for the old and the new buffer at the same time.");
    Ok(())
}
