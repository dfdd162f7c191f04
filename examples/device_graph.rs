//! Graphs that a kernel launches: a scheduler on the device reads a list of orders, and launches a graph for each.
//!
//! The scheduler is a graph of one kernel. It launches the graph of the next order, and then itself, until the list is
//! finished. The host launches and waits once.

mod common;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
};
use cuda_safe::{
    DeviceBuffer, Graph, GraphExec, LaunchConfig, Module,
    graph::{DeviceGraph, InstantiateFlags},
};

const SOURCE: &str = r#"
typedef unsigned long long u64;
extern "C" __device__ int cudaGraphLaunch(u64 graph, u64 mode);

extern "C" __global__ void smooth(float *x, float *y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * x[i] + 0.25f * (x[i > 0 ? i - 1 : i] + x[i < n - 1 ? i + 1 : i]);
}

extern "C" __global__ void sharpen(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2.0f * x[i] - x[i] * x[i];
}

extern "C" __global__ void schedule(u64 smooth, u64 sharpen, const int *orders, int count, int *done, int *failed) {
    if (*done == count) return;
    const u64 tail = 0x0100000000000000; // in sequence, after this graph has finished
    u64 itself;
    asm("mov.u64 %0, %%current_graph_exec;" : "=l"(itself));
    const int order = orders[(*done)++];
    if (cudaGraphLaunch(order ? sharpen : smooth, tail) || cudaGraphLaunch(itself, tail)) *failed = 1;
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let (context, stream) = (&gpu.context, &gpu.stream);
    let (length, count) = (gpu.size(1 << 20, 1 << 10), gpu.size(1000, 50));
    heading(format!(
        "{count} orders for {length} numbers, scheduled by the device"
    ));
    let module = Module::compile(context, SOURCE)?;
    let (n, config) = (length as i32, LaunchConfig::for_elements(length));
    let start = data::uniform(length);
    let orders: Vec<i32> = (0..count).map(|i| i32::from(i % 3 == 1)).collect();

    let x = DeviceBuffer::from_slice(stream, &start)?;
    let y = DeviceBuffer::<f32>::uninit(stream, length)?;
    let ready = |graph: Graph| -> Result<(GraphExec, DeviceGraph)> {
        let mut exec = graph.instantiate_with(InstantiateFlags::DEVICE_LAUNCH)?;
        exec.upload(stream)?;
        let handle = exec.for_device()?;
        Ok((exec, handle))
    };
    let mut graph = Graph::new(context)?;
    // SAFETY: n elements each, in buffers that outlive the graphs. The graphs run in sequence.
    unsafe {
        let kernel = module.function("smooth")?;
        let there = graph.add_kernel(&[], &kernel, config, (&x, &y, n))?;
        graph.add_kernel(&[there], &kernel, config, (&y, &x, n))?;
    }
    let (_smooth, smooth) = ready(graph)?;
    let mut graph = Graph::new(context)?;
    // SAFETY: as above.
    unsafe { graph.add_kernel(&[], &module.function("sharpen")?, config, (&x, n))? };
    let (_sharpen, sharpen) = ready(graph)?;

    let mut graph = Graph::new(context)?;
    let list = graph.keep(DeviceBuffer::from_slice(stream, &orders)?);
    let done = graph.keep(DeviceBuffer::<i32>::zeroed(stream, 1)?);
    let failed = graph.keep(DeviceBuffer::<i32>::zeroed(stream, 1)?);
    let arguments = (smooth, sharpen, list, count, done, failed);
    let schedule = module.function("schedule")?;
    // SAFETY: the graphs live until this function has waited, and are not used otherwise until then.
    unsafe { graph.add_kernel(&[], &schedule, LaunchConfig::new(1, 1), arguments)? };
    let mut scheduler = graph.instantiate_with(InstantiateFlags::DEVICE_LAUNCH)?;
    scheduler.launch(stream)?;
    stream.synchronize()?;

    ensure!(
        scheduler.memory(failed)?.to_vec(stream)? == [0],
        "a launch on the device failed"
    );
    ensure!(
        scheduler.memory(done)?.to_vec(stream)? == [count],
        "not all orders were executed"
    );
    let mut expected = start;
    for &order in &orders {
        if order == 1 {
            expected.iter_mut().for_each(|x| *x = 2.0 * *x - *x * *x);
            continue;
        }
        for _ in 0..2 {
            let old = expected.clone();
            for (i, x) in expected.iter_mut().enumerate() {
                let (left, right) = (old[i.saturating_sub(1)], old[(i + 1).min(length - 1)]);
                *x = 0.5 * old[i] + 0.25 * (left + right);
            }
        }
    }
    let worst = x
        .to_vec(stream)?
        .iter()
        .zip(&expected)
        .map(|(x, expected)| (x - expected).abs())
        .fold(0.0f32, f32::max);
    ensure!(worst < 1e-4, "off by {worst}");
    println!("The device executed all {count} orders. The host waited once.");
    Ok(())
}
