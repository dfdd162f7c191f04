//! A graph with a loop: the device decides when a computation has converged, and the host waits once.
//!
//! Solves a system of equations by Jacobi's method. The number of rounds is not known in advance. In the first version, the
//! host reads the error after every two rounds. In the second one, a conditional node of a graph repeats its body while the
//! error is too large.

mod common;

use std::cell::Cell;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, ratio, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, Graph, LaunchConfig, Module};

const SOURCE: &str = r#"
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);

// One round for 4 x[i] - x[i-1] - x[i+1] = b[i], and the largest change.
extern "C" __global__ void round_of_jacobi(const float *x, float *y, const float *b, float *change, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float left = i > 0 ? x[i - 1] : 0.0f, right = i < n - 1 ? x[i + 1] : 0.0f;
    y[i] = 0.25f * (b[i] + left + right);
    // Non-negative floats have the same order as their bits.
    atomicMax((unsigned *)change, __float_as_uint(fabsf(y[i] - x[i])));
}

extern "C" __global__ void decide(unsigned long long again, const float *change, float enough, unsigned *rounds) {
    *rounds += 2;
    cudaGraphSetConditional(again, *change > enough);
}
"#;

const ENOUGH: f32 = 1e-6;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let (context, stream) = (&gpu.context, &gpu.stream);
    let unknowns = gpu.size(1 << 16, 1 << 10);
    heading(format!(
        "{unknowns} equations, until no unknown changes by more than {ENOUGH:e}"
    ));
    let module = Module::compile(context, SOURCE)?;
    let (round, decide) = (
        module.function("round_of_jacobi")?,
        module.function("decide")?,
    );
    let n = unknowns as i32;
    let (config, one) = (
        LaunchConfig::for_elements(unknowns),
        LaunchConfig::new(1, 1),
    );
    let right_side = data::uniform(unknowns);

    // The host reads the change after every two rounds.
    let b = DeviceBuffer::from_slice(stream, &right_side)?;
    let mut x = DeviceBuffer::<f32>::zeroed(stream, unknowns)?;
    let mut y = DeviceBuffer::<f32>::zeroed(stream, unknowns)?;
    let mut change = DeviceBuffer::<f32>::zeroed(stream, 1)?;
    let host_rounds = Cell::new(0);
    let by_host = measure(&gpu, 5, || {
        host_rounds.set(0);
        x.fill(stream, 0.0)?;
        loop {
            // SAFETY: n elements each, in buffers of this stream.
            unsafe { round.launch(stream, config, (&x, &mut y, &b, &mut change, n))? };
            change.fill(stream, 0.0)?;
            // SAFETY: as above.
            unsafe { round.launch(stream, config, (&y, &mut x, &b, &mut change, n))? };
            host_rounds.set(host_rounds.get() + 2);
            if change.to_vec(stream)?[0] <= ENOUGH {
                return Ok(());
            }
        }
    })?;
    let solution = x.to_vec(stream)?;

    // The same computation as a graph that owns its memory.
    let mut graph = Graph::new(context)?;
    let b = graph.keep(DeviceBuffer::from_slice(stream, &right_side)?);
    let x = graph.keep(DeviceBuffer::<f32>::uninit(stream, unknowns)?);
    let y = graph.keep(DeviceBuffer::<f32>::uninit(stream, unknowns)?);
    let change = graph.keep(DeviceBuffer::<f32>::zeroed(stream, 1)?);
    let rounds = graph.keep(DeviceBuffer::<u32>::uninit(stream, 1)?);
    let start = graph.add_fill(&[], x, 0.0)?;
    let zero = graph.add_fill(&[], rounds, 0)?;
    let again = graph.add_condition(Some(1))?;
    graph.add_while(&[start, zero], again, |body| {
        // SAFETY: n elements each. The handle belongs to this graph.
        unsafe {
            let first = body.add_kernel(&[], &round, config, (x, y, b, change, n))?;
            let clear = body.add_fill(&[first], change, 0.0)?;
            let second = body.add_kernel(&[clear], &round, config, (y, x, b, change, n))?;
            body.add_kernel(&[second], &decide, one, (again, change, ENOUGH, rounds))?;
        }
        Ok(())
    })?;
    let mut exec = graph.instantiate()?;
    let by_device = measure(&gpu, 5, || Ok(exec.launch(stream)?))?;

    let mut table = Table::new(&["decided by", "rounds", "time", "gain"]);
    table.row([
        "the host".into(),
        host_rounds.get().to_string(),
        show(by_host.wall),
        String::new(),
    ]);
    let device_rounds = exec.memory(rounds)?.to_vec(stream)?[0];
    table.row([
        "the device".into(),
        device_rounds.to_string(),
        show(by_device.wall),
        ratio(by_host.wall, by_device.wall),
    ]);
    println!("{table}");
    ensure!(
        device_rounds == host_rounds.get(),
        "the numbers of rounds differ"
    );
    let same = exec.memory(x)?.to_vec(stream)?;
    ensure!(same == solution, "the solutions are not equal bit for bit");
    for (i, &b) in right_side.iter().enumerate() {
        let at = |i: usize| solution.get(i).copied().unwrap_or(0.0);
        let left = if i > 0 { at(i - 1) } else { 0.0 };
        let error = 4.0 * at(i) - left - at(i + 1) - b;
        ensure!(error.abs() <= 1e-5, "equation {i} is off by {error}");
    }
    println!("Both found the solution after the same number of rounds.");
    Ok(())
}
