//! Changes of single nodes after instantiation (events, functions, child graphs), and queries of
//! graphs.

use std::sync::mpsc;

use cuda_safe::{
    Context, DeviceBuffer, Event, Graph, Stream,
    graph::{GraphExec, Kept},
};

use super::{device, failure, launched, rejection};

type Numbers = Kept<DeviceBuffer<u32>>;

fn filled(context: &Context, stream: &Stream, value: u32, len: usize) -> (Graph, Numbers) {
    let mut graph = Graph::new(context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(stream, len).unwrap());
    graph.add_fill(&[], x, value).unwrap();
    (graph, x)
}

fn values(exec: &mut GraphExec, stream: &Stream, x: Numbers) -> Vec<u32> {
    exec.memory(x).unwrap().to_vec(stream).unwrap()
}

#[test]
fn set_child_replaces_the_child_graph() {
    let (_one, context, stream) = device();
    let (child, x) = filled(&context, &stream, 1, 4);
    let mut graph = Graph::new(&context).unwrap();
    let node = graph.add_child(&[], child).unwrap();
    let other = graph.add_empty(&[node]).unwrap();
    let mut exec = graph.instantiate().unwrap();
    let (better, y) = filled(&context, &stream, 2, 4);
    exec.set_child(node, better).unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(values(&mut exec, &stream, x), [0; 4]); // kept for `into_graph`
    assert_eq!(values(&mut exec, &stream, y), [2; 4]);

    // A graph of another shape is rejected and returned.
    let mut two = filled(&context, &stream, 3, 4).0;
    two.add_empty(&[]).unwrap();
    let back = exec.set_child(node, two).unwrap_err().into_graph();
    assert_eq!(back.nodes().unwrap().len(), 2);
    failure(exec.set_child(other, back)).mentions("`empty`");
    exec.launch(&stream).unwrap();
    assert_eq!(values(&mut exec, &stream, y), [2; 4]);
}

#[test]
fn set_event_replaces_the_event_of_a_node() {
    let (_one, context, stream) = device();
    let (first, second) = (Event::new(&context).unwrap(), Event::new(&context).unwrap());
    let mut graph = Graph::new(&context).unwrap();
    let wait = graph.add_event_wait(&[], &first).unwrap();
    let record = graph.add_event_record(&[wait], &first).unwrap();
    let nothing = graph.add_empty(&[record]).unwrap();
    let mut exec = graph.instantiate().unwrap();
    let mark = Event::new(&context).unwrap();
    mark.record(&stream).unwrap();
    exec.set_event(record, &second).unwrap();
    exec.set_event(wait, &mark).unwrap();
    drop(mark); // the graph holds it
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    // Only the second event was recorded, so there is no time between the two.
    assert!(second.elapsed_ms_since(&first).is_err());
    assert!(second.query().unwrap());
    rejection(exec.set_event(nothing, &first)).mentions("`empty`");
}

#[test]
fn replaced_host_function_stays_until_its_launches_finish() {
    let (_one, context, stream) = device();
    let (sender, receiver) = mpsc::channel();
    let mut graph = Graph::new(&context).unwrap();
    let says = |number: u32| {
        let sender = sender.clone();
        move || sender.send(number).unwrap()
    };
    let node = graph.add_host_function(&[], says(0)).unwrap();
    let nothing = graph.add_empty(&[]).unwrap();
    let mut exec = graph.instantiate().unwrap();
    for number in 1..=5 {
        exec.launch(&stream).unwrap();
        exec.set_host_function(node, says(number)).unwrap();
    }
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    assert!(exec.set_host_function(nothing, || ()).is_err());
}

#[test]
fn graph_returns_edges_and_nodes_of_clones() {
    let (_one, context, _stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let a = graph.add_empty(&[]).unwrap();
    let b = graph.add_empty(&[a]).unwrap();
    let c = graph.add_empty(&[a, b]).unwrap();
    assert_eq!(graph.dependencies(a).unwrap(), []);
    let mut both = graph.dependencies(c).unwrap();
    both.sort_by_key(|&node| node != a);
    assert_eq!(both, [a, b]);
    assert_eq!(graph.dependents(b).unwrap(), [c]);
    // SAFETY: the nodes use no memory.
    let copy = unsafe { graph.try_clone() }.unwrap();
    let copied_b = copy.copy_of(&graph, b).unwrap();
    let copied_c = copy.copy_of(&graph, c).unwrap();
    assert_eq!(copy.dependents(copied_b).unwrap(), [copied_c]);
    rejection(copy.copy_of(&graph, copied_b));
    rejection(graph.dependents(copied_b));
    let later = graph.add_empty(&[]).unwrap();
    assert!(copy.copy_of(&graph, later).is_err());
}

#[test]
fn into_graph_restores_original_children_events_and_functions() {
    let (_one, context, stream) = device();
    let (child, x) = filled(&context, &stream, 1, 4);
    let (sender, receiver) = mpsc::channel();
    let says = |number: u32| {
        let sender = sender.clone();
        move || sender.send(number).unwrap()
    };
    let event = Event::new(&context).unwrap();
    let mut graph = Graph::new(&context).unwrap();
    let node = graph.add_child(&[], child).unwrap();
    let record = graph.add_event_record(&[node], &event).unwrap();
    let function = graph.add_host_function(&[record], says(1)).unwrap();
    drop(event); // the graph holds it
    let mut exec = graph.instantiate().unwrap();
    exec.set_child(node, filled(&context, &stream, 2, 4).0)
        .unwrap();
    exec.set_event(record, &Event::new(&context).unwrap())
        .unwrap();
    exec.set_host_function(function, says(2)).unwrap();
    exec.launch(&stream).unwrap();
    let graph = exec.into_graph().unwrap();
    // Would reuse the memory if it had been freed.
    let _other = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let mut exec = launched(graph, &stream);
    assert_eq!(values(&mut exec, &stream, x), [1; 4]);
    stream.synchronize().unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn memory_of_a_replaced_child_stays_if_another_node_uses_it() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let node = graph
        .add_child(&[], filled(&context, &stream, 1, 4).0)
        .unwrap();
    let z = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap());
    let fill = graph.add_fill(&[node], z, 3).unwrap();
    let mut exec = graph.instantiate().unwrap();
    let (second, y) = filled(&context, &stream, 2, 4);
    exec.set_child(node, second).unwrap();
    exec.set_fill(fill, y, 5).unwrap();
    exec.set_child(node, filled(&context, &stream, 4, 4).0)
        .unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(values(&mut exec, &stream, y), [5; 4]);
}
