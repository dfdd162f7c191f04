//! Graphs, nodes and tokens as text: DOT graphs, messages and `Debug`.

use std::error::Error as _;

use cuda_safe::{
    DeviceBuffer, Graph, LaunchConfig, PinnedBuffer, Result,
    array::CudaArray,
    graph::{GraphError, InstantiateFlags},
    memory::{PitchedBuffer, RegionCopy},
};

use super::{config, device, kernel};

#[test]
fn dot_lists_nodes_in_execution_order() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let second = graph.add_fill(&[], x, 1).unwrap();
    // SAFETY: the buffer has four elements.
    let third = unsafe {
        let add = kernel(&context, "add");
        graph.add_kernel(&[second], &add, config(4), (x, 1i32, 4i32))
    };
    third.unwrap();
    let first = graph.add_empty(&[]).unwrap();
    graph.add_dependency(first, second).unwrap();
    let block = config(4).block;
    let expected = format!(
        "digraph {{\n    node [shape=box];\n    n0 [label=\"empty\"];\n    n1 [label=\"fill\"];\n    \
         n2 [label=\"add\\n1 x 1 x 1 blocks of {block}\"];\n    n0 -> n1;\n    n1 -> n2;\n}}\n"
    );
    assert_eq!(graph.to_dot().unwrap(), expected);
}

#[test]
fn dot_shows_direction_and_size_of_copies() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let host = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 8).unwrap());
    let flat = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 8).unwrap());
    let image = graph.keep_region(PitchedBuffer::<i32>::zeroed(&stream, [2, 2, 2]).unwrap());
    let array = CudaArray::from_slice(&stream, [4, 2], &[0i32; 8]).unwrap();
    let array = graph.keep_region(array.texels::<i32>().unwrap());
    let up = graph.add_copy(&[], flat, host).unwrap();
    let dense = flat.pitched([2, 2, 2]).unwrap();
    let cube = RegionCopy::new([2, 2, 2]);
    let across = graph.add_region_copy(&[up], cube, image, dense).unwrap();
    let (from, rows) = (host.pitched([4, 2]).unwrap(), RegionCopy::new([4, 2]));
    graph.add_region_copy(&[across], rows, array, from).unwrap();
    let dot = graph.to_dot().unwrap();
    for label in [
        "\"copy from host to device\\n32 bytes\"",
        "\"copy from device to device\\n32 bytes\"",
        "\"copy from host to array\\n32 bytes\"",
    ] {
        assert!(dot.contains(label), "{label} in {dot}");
    }
}

#[test]
fn nodes_return_the_names_of_their_kernels() {
    let (_one, context, stream) = device();
    let (add, multiply) = (kernel(&context, "add"), kernel(&context, "multiply"));
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    // SAFETY: the buffer has four elements.
    let nodes = [&add, &multiply].map(|function| unsafe {
        graph
            .add_kernel(&[], function, config(4), (x, 1i32, 4i32))
            .unwrap()
    });
    let names = nodes.map(|node| graph.kernel_name(node).unwrap());
    assert_eq!(names, ["add", "multiply"]);
    // The graph of a capture does not contain the function, so the driver provides the name.
    let mut y = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
    // SAFETY: the buffer has four elements, and the graph is not launched.
    let captured = unsafe {
        stream.capture(|_| -> Result<()> {
            multiply.launch(&stream, config(4), (&mut y, 1i32, 4i32))
        })
    };
    let captured = captured.unwrap();
    let node = captured.nodes().unwrap()[0];
    assert_eq!(captured.kernel_name(node).unwrap(), "multiply");
}

#[test]
fn debug_shows_handles_lengths_and_addresses() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    let address = x.as_device_ptr();
    assert_eq!(
        format!("{x:?}"),
        format!("Kept(4 elements at {address:#x})")
    );
    assert_eq!(
        format!("{:?}", x.slice(1..3).unwrap()),
        format!("Part(2 elements at {:#x})", address + 4)
    );
    let none = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 0).unwrap());
    assert!(none.is_empty() && !x.is_empty());
    let image = graph.keep_region(PitchedBuffer::<i32>::zeroed(&stream, [2, 2]).unwrap());
    let shown = format!("{image:?}");
    assert!(shown.starts_with("KeptRegion(Linear("), "{shown}");
    let shown = format!("{:?}", x.pitched([2, 2]).unwrap());
    assert!(shown.starts_with("PartRegion(Linear("), "{shown}");
    let lent = graph.region(image).unwrap();
    assert_eq!(format!("{lent:?}"), format!("{:?}", *lent));
    let (allocated, memory) = graph.add_allocation::<i32>(&[], 3).unwrap();
    let address = memory.as_device_ptr();
    let expected = format!("Allocation(3 elements at {address:#x})");
    assert_eq!(format!("{memory:?}"), expected);
    assert_eq!(
        format!("{allocated:?}"),
        format!("Node({:p})", allocated.as_raw())
    );
    graph.add_free(&[allocated], memory).unwrap();
    let shown = format!("{graph:?}");
    assert!(shown.starts_with("Graph(0x"), "{shown}");

    let condition = graph.add_condition(Some(1)).unwrap();
    let raw = condition.as_raw();
    assert_eq!(format!("{condition:?}"), format!("Condition({raw:#x})"));
    let failed: GraphError = graph.instantiate().unwrap_err();
    assert_eq!(format!("{failed:?}"), format!("{:?}", failed.error));
    assert_eq!(failed.source().is_some(), failed.error.source().is_some());
}

#[test]
fn debug_shows_kernel_arguments() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    // SAFETY: the buffer has four elements.
    let node = unsafe {
        let add = kernel(&context, "add");
        graph.add_kernel(&[], &add, LaunchConfig::new(1, 4), (x, 1i32, 4i32))
    };
    let updatable = graph.make_updatable(node.unwrap()).unwrap();
    let raw = updatable.as_raw();
    assert!(raw > 1);
    let expected = format!("UpdatableKernel({raw:#x})");
    assert_eq!(format!("{updatable:?}"), expected);
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
    graph.add_fill(&[], x, 1).unwrap();
    let exec = graph
        .instantiate_with(InstantiateFlags::DEVICE_LAUNCH)
        .unwrap();
    let shown = format!("{exec:?}");
    assert!(shown.starts_with("GraphExec(0x"), "{shown}");
    let handle = exec.for_device().unwrap();
    assert_eq!(handle.as_raw(), exec.as_raw() as u64);
    assert_eq!(
        format!("{handle:?}"),
        format!("DeviceGraph({:#x})", handle.as_raw())
    );
}
