//! Two processes and one buffer: the first process computes, and the second one reads the result without a copy.
//!
//! The program starts itself again, and sends the handles of a buffer and an event to the second process as plain bytes over
//! a pipe. The second process's stream waits for the event and sums up the buffer, without a copy through the host.

mod common;

use anyhow::{Context as _, Result, ensure};
use common::gpu::Gpu;
use cuda_safe::{
    DeviceBuffer, Event, EventOptions, LaunchConfig, Module,
    share::{IpcBuffer, IpcEventHandle, IpcMemoryHandle, OpenedBuffer},
};
use std::{
    io::{Read, Write, stdin},
    process::{Command, Stdio},
};

const SOURCE: &str = r#"
extern "C" __global__ void square(unsigned *out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * i;
}

extern "C" __global__ void sum(const unsigned *in, unsigned n, unsigned long long *out) {
    unsigned long long own = 0;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) own += in[i];
    atomicAdd(out, own);
}
"#;

const LEN: usize = 60_000;

fn main() -> Result<()> {
    if std::env::args().nth(1).as_deref() == Some("second") {
        return second();
    }
    let gpu = Gpu::open()?;
    if cfg!(windows) && gpu.emulated {
        println!("the emulator has no IPC handles on Windows");
        return Ok(());
    }
    let (context, stream) = (&gpu.context, &gpu.stream);
    let square = Module::compile(context, SOURCE)?.function("square")?;
    let mut numbers = IpcBuffer::<u32>::zeroed(stream, LEN)?;
    let options = EventOptions::default().interprocess(true);
    let ready = Event::with_options(context, options)?;
    let config = LaunchConfig::for_elements(LEN);
    // SAFETY: LEN elements are written.
    unsafe { square.launch(stream, config, (&mut numbers, LEN as u32))? };
    ready.record(stream)?;

    // No wait here: the other process's stream waits.
    let mut other = Command::new(std::env::current_exe()?)
        .arg("second")
        .stdin(Stdio::piped())
        .spawn()?;
    let mut pipe = other.stdin.take().context("a pipe")?;
    pipe.write_all(&numbers.ipc_handle()?.to_bytes())?;
    pipe.write_all(&ready.ipc_handle()?.to_bytes())?;
    drop(pipe);
    ensure!(other.wait()?.success(), "the second process failed");
    // It has closed the buffer, so this process may free it.
    numbers.close()?;
    Ok(())
}

fn second() -> Result<()> {
    let (mut memory, mut event) = ([0; 64], [0; 64]);
    stdin().read_exact(&mut memory)?;
    stdin().read_exact(&mut event)?;
    let gpu = Gpu::open()?;
    let (context, stream) = (&gpu.context, &gpu.stream);
    // SAFETY: the first process keeps the event until this one ends.
    let ready = unsafe { Event::open(context, &IpcEventHandle::from_bytes(event))? };
    let handle = IpcMemoryHandle::from_bytes(memory);
    // SAFETY: the first process keeps the buffer until this one ends, and writes to it only before the event.
    let numbers = unsafe { OpenedBuffer::<u32>::open(stream, &handle, LEN)? };
    let sum = Module::compile(context, SOURCE)?.function("sum")?;
    let mut total = DeviceBuffer::<u64>::zeroed(stream, 1)?;
    stream.wait_event(&ready)?;
    // SAFETY: the kernel reads LEN elements and adds to one.
    unsafe {
        sum.launch(
            stream,
            LaunchConfig::new(1, 256),
            (&numbers, LEN as u32, &mut total),
        )?
    };
    let total = total.to_vec(stream)?[0];
    let expected: u64 = (0..LEN as u32).map(|i| u64::from(i.wrapping_mul(i))).sum();
    println!("the second process summed up {LEN} squares of the first one: {total}");
    ensure!(total == expected, "{expected} expected");
    Ok(numbers.close()?)
}
