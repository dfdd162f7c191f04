//! Graphs: many small launches that are described once, and then enqueued by one call.
//!
//! Shows two graphs. The first one is captured from a stream: the heat equation in a rod, whose steps are so short that
//! launching them takes longer than running them. The second one is built node by node, with parallel branches, a host
//! function, memory that it owns, and parameters that change between launches.

mod common;

use std::sync::mpsc;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, ratio, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, Graph, LaunchConfig, Module, PinnedBuffer};

const SOURCE: &str = r#"
// One step of the heat equation: every inner point moves towards the mean of its neighbours.
extern "C" __global__ void step(const float *before, float *after, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const bool edge = i == 0 || i == n - 1;
    after[i] = edge ? before[i] : 0.25f * before[i - 1] + 0.5f * before[i] + 0.25f * before[i + 1];
}

extern "C" __global__ void scale(float *x, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let module = Module::compile(&gpu.context, SOURCE)?;
    captured(&gpu, &module)?;
    by_hand(&gpu, &module)
}

/// Steps of the heat equation, launched one by one and as a graph.
fn captured(gpu: &Gpu, module: &Module) -> Result<()> {
    let points = gpu.size(1 << 16, 1 << 10);
    let steps = gpu.size(1000, 20);
    heading(format!("{steps} steps of {points} points"));
    let step = module.function("step")?;
    let stream = &gpu.stream;
    let start = data::uniform(points);
    let mut x = DeviceBuffer::from_slice(stream, &start)?;
    let mut y = DeviceBuffer::<f32>::zeroed(stream, points)?;
    let config = LaunchConfig::for_elements(points);
    let n = points as i32;
    let mut run = || -> Result<()> {
        for _ in 0..steps / 2 {
            // SAFETY: n elements are read and n written, in buffers of this stream.
            unsafe {
                step.launch(stream, config, (&x, &mut y, n))?;
                step.launch(stream, config, (&y, &mut x, n))?;
            }
        }
        Ok(())
    };
    let one_by_one = measure(gpu, 5, &mut run)?.wall;
    // SAFETY: the buffers belong to this stream and live longer than the graph, as does the kernel.
    let graph = unsafe { stream.capture(|_| run())? };
    let mut exec = graph.instantiate()?;
    let as_graph = measure(gpu, 5, || Ok(exec.launch(stream)?))?.wall;

    let mut table = Table::new(&["", "time", "gain"]);
    table.row([
        "launched one by one".into(),
        show(one_by_one),
        String::new(),
    ]);
    table.row([
        "as a graph".into(),
        show(as_graph),
        ratio(one_by_one, as_graph),
    ]);
    println!("{table}");

    // Once more from the start, compared with the CPU.
    x.copy_from_slice(stream, &start)?;
    exec.launch(stream)?;
    let result = x.to_vec(stream)?;
    let (mut before, mut after) = (start.clone(), start);
    for _ in 0..steps {
        for i in 1..points - 1 {
            after[i] = 0.25 * before[i - 1] + 0.5 * before[i] + 0.25 * before[i + 1];
        }
        std::mem::swap(&mut before, &mut after);
    }
    for (i, (got, expected)) in result.iter().zip(&before).enumerate() {
        ensure!(
            (got - expected).abs() <= 1e-5,
            "point {i} is {got}, but {expected} on the CPU"
        );
    }
    println!("The graph's result equals the CPU's.");
    Ok(())
}

/// Four parts of a vector, each scaled by a separate kernel, between a copy to the device and a copy back.
fn by_hand(gpu: &Gpu, module: &Module) -> Result<()> {
    heading("a graph built node by node");
    let scale = module.function("scale")?;
    const PART: usize = 1000;
    let mut graph = Graph::new(&gpu.context)?;
    // The graph owns its memory. Nodes refer to it by tokens.
    let host = graph.keep(PinnedBuffer::<f32>::zeroed(&gpu.context, 4 * PART)?);
    let x = graph.keep(DeviceBuffer::<f32>::uninit(&gpu.stream, 4 * PART)?);
    let up = graph.add_copy(&[], x, host)?;
    let config = LaunchConfig::for_elements(PART);
    let mut parts = Vec::new();
    for i in 0..4 {
        let part = x.slice(i * PART..(i + 1) * PART)?;
        let arguments = (part, (i + 1) as f32, PART as i32);
        // SAFETY: the kernel changes `PART` elements, which is the length of the part.
        parts.push(unsafe { graph.add_kernel(&[up], &scale, config, arguments)? });
    }
    let down = graph.add_copy(&parts, host, x)?; // waits for all four
    let (sender, done) = mpsc::channel();
    let mut launch = 0;
    graph.add_host_function(&[down], move || {
        launch += 1;
        let _ = sender.send(launch); // the receiver may be gone
    })?;
    print!("{}", graph.to_dot()?);

    let mut exec = graph.instantiate()?;
    exec.memory(host)?.fill(1.0);
    exec.launch(&gpu.stream)?;
    for (i, part) in exec.memory(host)?.chunks(PART).enumerate() {
        ensure!(part.iter().all(|&value| value == (i + 1) as f32));
    }
    // Another factor for the third part, and no kernel for the first.
    let arguments = (x.slice(2 * PART..3 * PART)?, -1.0f32, PART as i32);
    // SAFETY: as above.
    unsafe { exec.set_kernel(parts[2], &scale, config, arguments)? };
    exec.set_enabled(parts[0], false)?;
    exec.memory(host)?.fill(1.0);
    exec.launch(&gpu.stream)?;
    for (part, factor) in exec.memory(host)?.chunks(PART).zip([1.0, 2.0, -1.0, 4.0]) {
        ensure!(part.iter().all(|&value| value == factor));
    }
    ensure!(done.try_iter().collect::<Vec<i32>>() == [1, 2]);
    println!("Two launches, the second one with other parameters: both as expected.");
    Ok(())
}
