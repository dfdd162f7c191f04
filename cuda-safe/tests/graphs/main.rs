//! Graphs: captured, built node by node, changed and launched. This is a separate program whose
//! tests run one at a time, because during a capture no thread may wait for its context.

mod capture;
mod capture_into;
mod changes;
mod conditional;
mod device;
mod edges;
mod exec;
#[path = "../common/failure.rs"]
mod failure;
mod keeping;
mod nodes;
mod regions;
mod text;
mod textures;

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_safe::{Context, Function, Graph, GraphExec, LaunchConfig, Module, Stream};
use failure::{failure, rejection};

/// Locks out other tests and returns the primary context of device 0 with a stream on it.
fn device() -> (MutexGuard<'static, ()>, Context, Stream) {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (one, context, stream)
}

const SOURCE: &str = r#"
    extern "C" __global__ void add(int *x, int value, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] += value;
    }
    extern "C" __global__ void multiply(int *x, int factor, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= factor;
    }
    // The whole grid waits for its last block.
    #include <cooperative_groups.h>
    extern "C" __global__ void last(int *counter, int *seen) {
        if (threadIdx.x == 0) atomicAdd(counter, 1);
        cooperative_groups::this_grid().sync();
        if (threadIdx.x == 0) seen[blockIdx.x] = *counter;
    }
    extern "C" __global__ void outside(int *x) { x[1 << 28] = 1; }
"#;

fn kernel(context: &Context, name: &str) -> Function {
    compile(context, SOURCE, name)
}

fn compile(context: &Context, source: &str, name: &str) -> Function {
    let module = Module::compile(context, source).expect("a module");
    module.function(name).expect("a kernel")
}

fn launched(graph: Graph, stream: &Stream) -> GraphExec {
    let mut exec = graph.instantiate().expect("an executable graph");
    exec.launch(stream).expect("a launch");
    exec
}

fn config(n: usize) -> LaunchConfig {
    LaunchConfig::for_elements(n)
}
