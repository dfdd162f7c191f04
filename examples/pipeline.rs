//! Work in pieces: one is uploaded while the previous one is computed and the one before that is downloaded.
//!
//! Shows `Pipeline`, a ring of slots that each have a stream and memory on both sides, with one slot (nothing
//! overlaps), two (a double buffer) and three. The pieces are copied from one ordinary slice to another. They could also
//! be read from a file and written to a socket.

mod common;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{ratio, show},
    scramble,
    table::Table,
};
use cuda_safe::{Context, Function, LaunchConfig, Module, WithLen, memory::Pipeline};

const SOURCE: &str = r#"
// Enough arithmetic for the kernel to take about as long as the host's copies.
extern "C" __global__ void scramble(const unsigned *x, unsigned *y, int n, int rounds) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned value = x[i];
        for (int k = 0; k < rounds; ++k) value = value * 1664525u + 1013904223u;
        y[i] = value;
    }
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let piece = gpu.size(1 << 22, 1 << 14);
    let rounds = gpu.size(20_000, 50);
    let scramble = Module::compile(&gpu.context, SOURCE)?.function("scramble")?;
    // The last piece is shorter than the others.
    let input = data::integers(gpu.size(20, 6) * piece - piece / 3);
    heading(format!(
        "{} numbers in pieces of {piece}: copy in, compute, copy out",
        input.len()
    ));

    let mut times = Vec::new();
    for slots in 1..=3 {
        let mut output = vec![0; input.len()];
        let time = run(
            &gpu.context,
            &scramble,
            slots,
            piece,
            rounds,
            &input,
            &mut output,
        )?;
        scramble::check(&input, &output, rounds)?;
        times.push(time);
    }
    let mut table = Table::new(&["slots", "time", "gain"]);
    for (slots, &time) in (1..).zip(&times) {
        table.row([format!("{slots}"), show(time), ratio(times[0], time)]);
    }
    println!("{table}");
    println!("All results equal the CPU's.");
    // The emulator's streams share a few CPU cores with everything else.
    ensure!(
        gpu.emulated || times[2] < times[0],
        "three slots gained nothing"
    );
    Ok(())
}

/// Sends all of `input` through a ring of `slots`. Returns the time of a second run, when everything is loaded.
fn run(
    context: &Context,
    scramble: &Function,
    slots: usize,
    piece: usize,
    rounds: i32,
    input: &[u32],
    output: &mut [u32],
) -> Result<Duration> {
    let mut pipeline = Pipeline::new(context, slots, piece, piece)?;
    let config = LaunchConfig::for_occupancy(scramble, piece)?;
    let mut time = Duration::ZERO;
    for _ in 0..2 {
        let clock = Instant::now();
        pipeline.run(
            input.chunks(piece).zip(output.chunks_mut(piece)),
            |(part, _), host| host[..part.len()].copy_from_slice(part),
            // SAFETY: the kernel reads n numbers of x and writes n of y, the length of both, on their stream.
            |stream, x, y| unsafe {
                scramble.launch(stream, config, (&*x, WithLen::i32(y), rounds))
            },
            |(_, result), host| result.copy_from_slice(&host[..result.len()]),
        )?;
        time = clock.elapsed();
    }
    Ok(time)
}
