//! A graph's memory can be borrowed only through the graph, between launches.

use cuda_safe::{DeviceBuffer, Graph, PinnedBuffer, Result, Stream, graph::Kept};

fn borrowed_during_a_launch(graph: Graph, host: Kept<PinnedBuffer<f32>>, stream: &Stream) -> Result<f32> {
    let mut exec = graph.instantiate()?;
    let values = exec.memory(host)?;
    exec.launch(stream)?;
    Ok(values[0])
}

fn borrowed_for_longer_than_the_graph(mut graph: Graph, host: Kept<PinnedBuffer<f32>>) -> &'static mut [f32] {
    graph.memory(host).unwrap()
}

fn kept_and_used(graph: &mut Graph, mut x: DeviceBuffer<f32>, stream: &Stream) -> Result<()> {
    graph.keep(x);
    x.fill(stream, 1.0)
}

fn exchanged(graph: &mut Graph, x: Kept<DeviceBuffer<f32>>, other: &mut DeviceBuffer<f32>) {
    std::mem::swap(graph.memory(x).unwrap(), other);
}

fn borrowed(graph: &mut Graph, x: &mut DeviceBuffer<f32>) {
    graph.keep(x.view_mut());
}

fn of_another_type(graph: &mut Graph, x: Kept<DeviceBuffer<f32>>, y: Kept<DeviceBuffer<u32>>) {
    let _ = graph.add_copy(&[], x, y);
}

fn main() {}
