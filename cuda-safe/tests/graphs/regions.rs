//! Nodes that copy rectangles and boxes.

use cuda_safe::{
    DeviceBuffer, LaunchConfig, PinnedBuffer, Stream,
    graph::{Graph, NodeKind},
    memory::{Layout, PitchedBuffer, RegionCopy},
};

use super::{compile, device, launched, rejection};

/// Returns 1, 2, 3 and so on.
fn numbers(len: usize) -> Vec<i32> {
    (1..=len as i32).collect()
}

#[test]
fn region_copies_between_all_kinds_of_memory() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let host = graph.keep(PinnedBuffer::from_slice(&context, &numbers(24)).unwrap());
    let back = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 24).unwrap());
    // Allocated on another stream. The launch is ordered with it.
    let image = graph.keep_region(PitchedBuffer::<i32>::zeroed(&other, [4, 3, 2]).unwrap());
    let flat = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 12).unwrap());
    assert_eq!(image.extent(), [4, 3, 2].into());
    let up = RegionCopy::new([4, 3, 2]);
    let up = graph
        .add_region_copy(&[], up, image, host.pitched([4, 3, 2]).unwrap())
        .unwrap();
    let part = RegionCopy::new([2, 2, 2]).source_at([1, 1]).target_at(1);
    let dense = flat.pitched([3, 2, 2]).unwrap();
    let part = graph.add_region_copy(&[up], part, dense, image).unwrap();
    // The second half of the page-locked memory, with gaps.
    let half = back
        .slice(12..)
        .unwrap()
        .pitched(Layout::new([2, 2]).pitch(20))
        .unwrap();
    let down = RegionCopy::new([2, 2]).source_at([1, 0, 1]);
    let down = graph.add_region_copy(&[part], down, half, dense).unwrap();
    let none = RegionCopy::new([0, 2]);
    let none = graph.add_region_copy(&[down], none, image, dense).unwrap();
    assert_eq!(graph.kind(up).unwrap(), NodeKind::COPY);
    assert_eq!(graph.kind(none).unwrap(), NodeKind::EMPTY);
    let mut exec = graph.instantiate().unwrap();
    for _ in 0..2 {
        exec.launch(&stream).unwrap();
    }
    assert_eq!(
        exec.region(image).unwrap().to_vec(&stream).unwrap(),
        numbers(24)
    );
    let wanted = [0, 6, 7, 0, 10, 11, 0, 18, 19, 0, 22, 23];
    assert_eq!(exec.memory(flat).unwrap().to_vec(&stream).unwrap(), wanted);
    let back = exec.memory(back).unwrap();
    assert_eq!(back[..12], [0; 12]);
    assert_eq!(back[12..], [18, 19, 0, 0, 0, 22, 23, 0, 0, 0, 0, 0]);
}

#[test]
fn kernel_nodes_accept_pitched_memory_of_the_graph() {
    let (_one, context, stream) = device();
    let source = r#"extern "C" __global__ void number(int *image, size_t pitch) {
        ((int *)((char *)image + threadIdx.y * pitch))[threadIdx.x] = 10 * threadIdx.y + threadIdx.x;
    }"#;
    let number = compile(&context, source, "number");
    let mut graph = Graph::new(&context).unwrap();
    let image = PitchedBuffer::<i32>::zeroed(&stream, [3, 2]).unwrap();
    let (pitch, address) = (image.pitch(), image.as_device_ptr());
    let image = graph.keep_region(image);
    assert_eq!(image.as_device_ptr(), address);
    let config = LaunchConfig::new(1, (3, 2));
    // SAFETY: each thread writes one element.
    let node = unsafe { graph.add_kernel(&[], &number, config, (image, pitch)) }.unwrap();
    let other = graph.keep_region(PitchedBuffer::<i32>::zeroed(&stream, [2, 2]).unwrap());
    let copy = RegionCopy::new([2, 2]).source_at(1);
    graph.add_region_copy(&[node], copy, other, image).unwrap();
    let mut exec = launched(graph, &stream);
    assert_eq!(
        exec.region(other).unwrap().to_vec(&stream).unwrap(),
        [1, 2, 11, 12]
    );
    // Borrowed memory can be copied from and to.
    let mut lent = exec.region(other).unwrap();
    let fives = PitchedBuffer::from_slice(&stream, [1, 2], &[5, 5]).unwrap();
    RegionCopy::new([1, 2])
        .enqueue(&stream, &mut lent, &fives)
        .unwrap();
    let mut graph = exec.into_graph().unwrap();
    assert_eq!(
        graph.region(other).unwrap().to_vec(&stream).unwrap(),
        [5, 2, 5, 12]
    );
}

#[test]
fn invalid_region_copies_are_rejected() {
    let (_one, context, stream) = device();
    let (mut graph, mut foreign) = (Graph::new(&context).unwrap(), Graph::new(&context).unwrap());
    let pitched = || PitchedBuffer::<i32>::zeroed(&stream, [4, 3]).unwrap();
    let (a, b) = (graph.keep_region(pitched()), graph.keep_region(pitched()));
    let stranger = foreign.keep_region(pitched());
    let flat = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 12).unwrap());
    let copy = RegionCopy::new([2, 2]);
    for (result, text) in [
        (
            graph.add_region_copy(&[], copy.source_at(3), a, b),
            "the source has 4 elements of a row (axis x)",
        ),
        (
            graph.add_region_copy(&[], copy.target_at([0, 2]), a, b),
            "the destination has 3 rows (axis y)",
        ),
        (
            graph.add_region_copy(&[], copy, a, stranger),
            "belongs to another graph",
        ),
        (
            graph.add_region_copy(&[], copy, stranger, a),
            "belongs to another graph",
        ),
        (
            graph.add_region_copy(&[], copy.target_at(1), a, a),
            "overlap",
        ),
    ] {
        rejection(result).mentions(text);
    }
    rejection(flat.pitched([4, 4])).mentions("has 48 bytes");
    rejection(graph.region(stranger)).mentions("belongs to another graph");
    assert_eq!(graph.nodes().unwrap().len(), 0);
    // Adjacent regions do not overlap.
    graph.add_region_copy(&[], copy.target_at(2), a, a).unwrap();
    // The same for parts of host memory: rows of four elements, with the first row at `start`.
    let host = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 20).unwrap());
    let rows = |start: usize| {
        let part = host.slice(start..).unwrap();
        part.pitched(Layout::new([2, 2]).pitch(16)).unwrap()
    };
    for (to, from, overlap) in [
        (0, 0, true),
        (1, 0, true),
        (0, 1, true),
        (2, 0, false),
        (0, 2, false),
        (4, 0, true),
        (8, 0, false),
        (0, 8, false),
    ] {
        let added = graph.add_region_copy(&[], copy, rows(to), rows(from));
        assert_eq!(added.is_err(), overlap, "{from} to {to}");
    }
    graph.instantiate().unwrap().launch(&stream).unwrap();
}

#[test]
fn row_copies_can_be_changed_and_the_driver_rejects_rectangles() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let from = graph.keep_region(PitchedBuffer::from_slice(&stream, [4, 2], &numbers(8)).unwrap());
    let to = graph.keep_region(PitchedBuffer::<i32>::zeroed(&stream, [4, 2]).unwrap());
    let row = graph
        .add_region_copy(&[], RegionCopy::new(2), to, from)
        .unwrap();
    let both = RegionCopy::new([1, 2]).target_at(3);
    let rectangle = graph.add_region_copy(&[], both, to, from).unwrap();
    let mut exec = graph.instantiate().unwrap();
    let second = RegionCopy::new(2).source_at([1, 1]).target_at([0, 1]);
    exec.set_region_copy(row, second, to, from).unwrap();
    let refusal = exec.set_region_copy(rectangle, both.source_at(1), to, from);
    assert!(
        refusal.is_err(),
        "this driver changes rectangles: update the documentation"
    );
    rejection(exec.set_region_copy(row, RegionCopy::new(0), to, from)).mentions("no elements");
    exec.launch(&stream).unwrap();
    let result = exec.region(to).unwrap().to_vec(&stream).unwrap();
    assert_eq!(result, [0, 0, 0, 1, 6, 7, 0, 5]);
}
