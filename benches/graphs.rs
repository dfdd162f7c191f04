//! The gain of graphs, which record many launches once and repeat them by one call. Also the overhead of the safe layer for
//! that call, and the times to create, change and instantiate a graph.

mod common;

use anyhow::Result;
use common::{Bench, Queue, calls::compare, host_us, median_us};
use cuda_safe::{DeviceBuffer, Function, Graph, LaunchConfig, Module, Stream, sys};

const SOURCE: &str = r#"extern "C" __global__ void three(float *x, float factor, unsigned n) {}"#;
const KERNELS_IN_A_ROW: usize = 100;

fn main() -> Result<()> {
    let mut bench = Bench::new("graphs")?;
    let module = Module::compile(&bench.context, SOURCE)?;
    let three = module.function("three")?;
    per_kernel(&mut bench, &three)?;
    launches(&mut bench, &three)?;
    making(&mut bench, &three)
}

/// The number of launches in a row.
fn row(stream: &Stream, three: &Function, x: &mut DeviceBuffer<f32>, count: usize) -> Result<()> {
    for _ in 0..count {
        // SAFETY: the kernel does nothing.
        unsafe { three.launch(stream, LaunchConfig::new(1, 32), (&mut *x, 2.0f32, 256u32))? };
    }
    Ok(())
}

fn captured(
    stream: &Stream,
    three: &Function,
    x: &mut DeviceBuffer<f32>,
    count: usize,
) -> Result<Graph> {
    // SAFETY: the kernel does nothing.
    unsafe { stream.capture(|_| row(stream, three, x, count)) }
}

/// Compares kernels that are launched one by one with the same kernels in a graph, by the time per kernel.
fn per_kernel(bench: &mut Bench, three: &Function) -> Result<()> {
    let stream = bench.stream.clone();
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 256)?;
    let mut exec = captured(&stream, three, &mut x, KERNELS_IN_A_ROW)?.instantiate()?;
    // 510 entries, all queued before the device starts.
    let queue = Queue {
        calls: 5,
        host_ns: 1_000_000,
    };
    let rounds = bench.choose(25, 3);
    let mut measure = |by: &str, work: &mut dyn FnMut() -> Result<()>| -> Result<()> {
        work()?;
        let device = median_us(bench.device_times_in(queue, rounds, |_| work())?);
        let wall = host_us(|| {
            work().expect("the launches");
            stream.synchronize().expect("the kernels");
        });
        for (name, us) in [("device", device), ("wall", wall)] {
            let work = format!("one of {KERNELS_IN_A_ROW} kernels, {name} time");
            bench.row(&work, by, us / KERNELS_IN_A_ROW as f64, "")?;
        }
        Ok(())
    };
    measure("Function::launch", &mut || {
        row(&stream, three, &mut x, KERNELS_IN_A_ROW)
    })?;
    measure("graph replay", &mut || Ok(exec.launch(&stream)?))
}

/// Compares the raw call that launches a graph with the method.
fn launches(bench: &mut Bench, three: &Function) -> Result<()> {
    let stream = bench.stream.clone();
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 256)?;
    for count in [1, KERNELS_IN_A_ROW] {
        let mut exec = captured(&stream, three, &mut x, count)?.instantiate()?;
        exec.launch(&stream)?;
        let raw = exec.as_raw();
        let rounds = bench.choose(if count == 1 { 4000 } else { 400 }, 20);
        let (raw, safe) = compare(
            &stream,
            rounds,
            || {
                // SAFETY: both handles are live, and the graph's kernels do nothing.
                let code = unsafe { sys::cuGraphLaunch(raw, stream.as_raw()) };
                assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
            },
            || exec.launch(&stream).expect("a launch"),
        );
        let work = format!("launch of a graph of {count}");
        bench.row(&work, "raw cuGraphLaunch", raw / 1e3, "")?;
        let note = format!("{:+.1} ns over the raw call", safe - raw);
        bench.row(&work, "GraphExec::launch", safe / 1e3, &note)?;
    }
    Ok(())
}

/// Measures the host's work before the launch.
fn making(bench: &mut Bench, three: &Function) -> Result<()> {
    let stream = bench.stream.clone();
    let context = bench.context.clone();
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 256)?;
    let config = LaunchConfig::new(1, 32);
    let one_by_one = host_us(|| {
        row(&stream, three, &mut x, KERNELS_IN_A_ROW).expect("the launches");
    });
    stream.synchronize()?;
    let capture = host_us(|| {
        captured(&stream, three, &mut x, KERNELS_IN_A_ROW).expect("a graph");
    });
    let build = host_us(|| {
        let mut graph = Graph::new(&context).expect("a graph");
        let mut last = None;
        for _ in 0..KERNELS_IN_A_ROW {
            // SAFETY: the kernel does nothing.
            let node =
                unsafe { graph.add_kernel(last.as_slice(), three, config, (&mut x, 2f32, 256u32)) };
            last = Some(node.expect("a node"));
        }
    });
    let mut captures = || captured(&stream, three, &mut x, KERNELS_IN_A_ROW).expect("a graph");
    let both = host_us(|| {
        captures().instantiate().expect("an instance");
    });
    let mut exec = captures().instantiate()?;
    let update = host_us(|| exec.update(captures()).expect("an update"));
    let mut graph = Graph::new(&context)?;
    // SAFETY: the kernel does nothing. The same holds for the launches below.
    let node = unsafe { graph.add_kernel(&[], three, config, (&mut x, 2f32, 256u32))? };
    let mut exec = graph.instantiate()?;
    let set = host_us(|| {
        // SAFETY: as above.
        unsafe { exec.set_kernel(node, three, config, (&mut x, 3f32, 256u32)) }.expect("a change");
    });
    for (work, by, us) in [
        ("100 launches, not captured", "Function::launch", one_by_one),
        ("100 launches captured", "Stream::capture", capture),
        ("100 nodes added by hand", "Graph::add_kernel", build),
        (
            "capture and instantiation of 100",
            "Graph::instantiate",
            both,
        ),
        ("capture and update of 100", "GraphExec::update", update),
        ("other arguments for a node", "GraphExec::set_kernel", set),
    ] {
        bench.row(work, by, us, "")?;
    }
    Ok(())
}
