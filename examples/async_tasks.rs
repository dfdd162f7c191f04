//! Tasks that wait for the device without blocking a thread: a server's requests on one thread of a runtime.
//!
//! Shows `Stream::finished`, a future that a thread of the driver wakes. It works with any runtime. This example uses Tokio.

mod common;

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::show,
    scramble,
};
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Module, PinnedBuffer, Stream};
use tokio::{runtime, task};

const REQUESTS: usize = 8;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let count = gpu.size(1 << 20, 1 << 10);
    let rounds = gpu.size(20_000, 50);
    let scramble = Module::compile(&gpu.context, scramble::SOURCE)?.function("scramble")?;
    let inputs: Vec<Vec<u32>> = data::integers(REQUESTS * count)
        .chunks(count)
        .map(<[u32]>::to_vec)
        .collect();
    heading(format!(
        "{REQUESTS} requests of {count} numbers each, on one thread"
    ));

    let runtime = runtime::Builder::new_current_thread().build()?;
    let tasks = task::LocalSet::new();
    let (outputs, turns, time) = runtime.block_on(tasks.run_until(async {
        // Stands for other work of the thread, which continues while the requests run.
        let turns = Rc::new(Cell::new(0u64));
        let counter = turns.clone();
        let other = task::spawn_local(async move {
            loop {
                counter.set(counter.get() + 1);
                task::yield_now().await;
            }
        });
        let clock = Instant::now();
        let requests: Vec<_> = inputs
            .iter()
            .map(|input| {
                let stream = Stream::new(&gpu.context)?;
                let request = answer(stream, scramble.clone(), input.clone(), rounds);
                Ok(task::spawn_local(request))
            })
            .collect::<Result<_>>()?;
        let mut outputs = Vec::new();
        for request in requests {
            outputs.push(request.await??);
        }
        other.abort();
        anyhow::Ok::<(Vec<Vec<u32>>, u64, Duration)>((outputs, turns.get(), clock.elapsed()))
    }))?;

    for (input, output) in inputs.iter().zip(&outputs) {
        scramble::check(input, output, rounds)?;
    }
    println!(
        "All requests were answered after {}. Meanwhile, the thread did other work {turns} times.",
        show(time)
    );
    ensure!(turns > 0, "the thread was blocked");
    Ok(())
}

/// One request: a copy to the device, a kernel, a copy back. The thread is free at every `await`.
async fn answer(
    stream: Stream,
    scramble: Function,
    input: Vec<u32>,
    rounds: i32,
) -> Result<Vec<u32>> {
    let host = PinnedBuffer::from_slice(stream.context(), &input)?;
    let mut x = DeviceBuffer::<u32>::uninit(&stream, host.len())?;
    let up = stream.upload(host, &mut x)?;
    let config = LaunchConfig::for_elements(x.len());
    let n = i32::try_from(x.len())?;
    // SAFETY: the kernel changes n numbers, which is the buffer's length.
    unsafe { scramble.launch(&stream, config, (&mut x, n, rounds))? };
    stream.finished()?.await?;
    let down = stream.download(&x, up.wait()?)?; // the upload has finished, so this does not wait
    stream.finished()?.await?;
    Ok(down.wait()?.to_vec())
}
