//! Conditional nodes: the bodies that run, the objects that they hold, and failures while a body is built.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cuda_safe::{
    Context, DeviceBuffer, Error, ErrorKind, Function, Graph, LaunchConfig, Module,
    graph::NodeKind, sys::CUresult,
};

use super::{device, failure, launched, rejection};

const SOURCE: &str = r#"
    extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
    extern "C" __global__ void set(unsigned long long handle, const unsigned *value) {
        cudaGraphSetConditional(handle, *value);
    }
    extern "C" __global__ void count_down(unsigned long long handle, unsigned *left) {
        *left -= 1;
        cudaGraphSetConditional(handle, *left);
    }
    extern "C" __global__ void add(unsigned *x, unsigned value) { *x += value; }
"#;

const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 1);

fn kernel(context: &Context, name: &str) -> Function {
    let module = Module::compile(context, SOURCE).unwrap();
    module.function(name).unwrap()
}

#[test]
fn if_else_runs_one_body() {
    let (_one, context, stream) = device();
    let (set, add) = (kernel(&context, "set"), kernel(&context, "add"));
    let mut graph = Graph::new(&context).unwrap();
    let value = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let condition = graph.add_condition(None).unwrap();
    // SAFETY: the kernel reads one number, and the handle belongs to the graph.
    let decided = unsafe { graph.add_kernel(&[], &set, ONE(), (condition, value)) }.unwrap();
    let node = graph
        .add_if_else(
            &[decided],
            condition,
            // SAFETY: the kernel changes one number.
            |then| unsafe { then.add_kernel(&[], &add, ONE(), (x, 1u32)).map(drop) },
            // SAFETY: as above.
            |otherwise| unsafe {
                otherwise
                    .add_kernel(&[], &add, ONE(), (x, 100u32))
                    .map(drop)
            },
        )
        .unwrap();
    assert_eq!(graph.kind(node).unwrap(), NodeKind::CONDITIONAL);
    let mut exec = graph.instantiate().unwrap();
    for (given, expected) in [(0, 100), (1, 101), (7, 102), (0, 202)] {
        exec.memory(value).unwrap().fill(&stream, given).unwrap();
        exec.launch(&stream).unwrap();
        assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [expected]);
    }
}

#[test]
fn loops_can_be_nested() {
    let (_one, context, stream) = device();
    let (down, add) = (kernel(&context, "count_down"), kernel(&context, "add"));
    let mut graph = Graph::new(&context).unwrap();
    let outer = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let inner = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let start = graph.add_fill(&[], outer, 3).unwrap();
    let more = graph.add_condition(Some(1)).unwrap();
    graph
        .add_while(&[start], more, |body| {
            let five = body.add_fill(&[], inner, 5)?;
            // A condition of a body keeps its value between rounds, so a node sets it before it is
            // tested.
            let again = body.add_condition(None)?;
            // SAFETY: the kernel uses one number, and the handles belong to this graph and this
            // body.
            let set = unsafe { body.add_kernel(&[five], &down, ONE(), (again, inner))? };
            let rounds = body.add_while(&[set], again, |body| {
                // SAFETY: as above.
                unsafe {
                    let added = body.add_kernel(&[], &add, ONE(), (x, 1u32))?;
                    body.add_kernel(&[added], &down, ONE(), (again, inner))?;
                }
                Ok(())
            })?;
            // SAFETY: as above.
            unsafe { body.add_kernel(&[rounds], &down, ONE(), (more, outer))? };
            Ok(())
        })
        .unwrap();
    let mut exec = graph.instantiate().unwrap();
    for launch in 1..=2 {
        exec.launch(&stream).unwrap();
        assert_eq!(
            exec.memory(x).unwrap().to_vec(&stream).unwrap(),
            [launch * 3 * 4]
        );
    }
}

#[test]
fn switch_runs_at_most_one_body() {
    let (_one, context, stream) = device();
    let set = kernel(&context, "set");
    let mut graph = Graph::new(&context).unwrap();
    let value = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());
    let which = graph.add_condition(Some(0)).unwrap();
    // SAFETY: the kernel reads one number, and the handle belongs to the graph.
    let decided = unsafe { graph.add_kernel(&[], &set, ONE(), (which, value)) }.unwrap();
    let clear = graph.add_fill(&[decided], x, 99).unwrap();
    let mut built = Vec::new();
    graph
        .add_switch(&[clear], which, 4, |i, body| {
            built.push(i);
            let mut child = Graph::new(&context)?;
            let child_memory = child.keep(DeviceBuffer::from_slice(&stream, &[10 * i as u32])?);
            let read = child.add_empty(&[])?;
            child.add_fill(&[read], child_memory, 10 * i as u32)?;
            let first = body.add_child(&[], child)?;
            body.add_copy(&[first], x, child_memory)?; // the body owns the memory from now on
            Ok(())
        })
        .unwrap();
    assert_eq!(built, [0, 1, 2, 3]);
    let mut exec = graph.instantiate().unwrap();
    for (given, expected) in [(2, 20), (0, 0), (3, 30), (4, 99), (u32::MAX, 99)] {
        exec.memory(value).unwrap().fill(&stream, given).unwrap();
        exec.launch(&stream).unwrap();
        assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [expected]);
    }
}

#[test]
fn failed_conditional_node_leaves_the_graph_unchanged() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let mut other = Graph::new(&context).unwrap();
    let foreign = other.add_condition(Some(1)).unwrap();
    rejection(graph.add_if(&[], foreign, |_| Ok(()))).mentions("another graph");

    let none = graph.add_condition(Some(1)).unwrap();
    rejection(graph.add_switch(&[], none, 0, |_, _| Ok(()))).mentions("`count` is 0");
    let mut graph = Graph::new(&context).unwrap(); // without that condition
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap());

    // The closure returns its own error.
    let condition = graph.add_condition(Some(1)).unwrap();
    let mut named = None;
    let result = graph.add_while(&[], condition, |body| {
        named = Some(body.add_fill(&[], x, 1)?);
        Err(Error::driver(
            "of the caller",
            CUresult::CUDA_ERROR_NOT_READY,
        ))
    });
    assert!(result.unwrap_err().to_string().contains("of the caller"));
    assert_eq!(graph.nodes().unwrap(), []);
    // A node of a body is invalid outside it.
    rejection(graph.add_empty(&[named.unwrap()])).mentions("another graph");

    // The closure panics.
    let result = catch_unwind(AssertUnwindSafe(|| {
        graph.add_if(&[], condition, |body| {
            body.add_fill(&[], x, 1)?;
            panic!("expected")
        })
    }));
    assert!(result.is_err());
    assert_eq!(graph.nodes().unwrap(), []);

    // The graph still owns the memory, and the condition is still unused.
    graph
        .add_if(&[], condition, |body| body.add_fill(&[], x, 5).map(drop))
        .unwrap();
    failure(graph.add_if(&[], condition, |_| Ok(())))
        .of_kind(ErrorKind::Driver)
        .mentions("another node uses the condition");
    let mut exec = launched(graph, &stream);
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [5]);
}

#[test]
fn instantiate_rejects_unused_conditions() {
    let (_one, context, _stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    graph.add_condition(Some(1)).unwrap();
    graph.add_empty(&[]).unwrap();
    failure(graph.instantiate()).mentions("condition");
}
