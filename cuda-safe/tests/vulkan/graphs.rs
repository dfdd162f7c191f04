//! Semaphores in graphs.

use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, ErrorKind, Graph, Result, graph::NodeKind,
    sys::CUresult,
};

use crate::{device, elsewhere::elsewhere, waits};

#[test]
fn semaphore_nodes_wait_and_signal() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let timelines = [other_side.timeline(0), other_side.timeline(0)];
    let [a, b] = timelines.each_ref().map(|one| one.import(&context));
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 100).unwrap());
    let waited = graph.add_semaphore_wait(&[], &[(&a, 1)]).unwrap();
    let filled = graph.add_fill(&[waited], x, 7).unwrap();
    let signalled = graph
        .add_semaphore_signal(&[filled], &[(&b, 5), (&a, 2)])
        .unwrap();
    assert_eq!(graph.kind(waited).unwrap(), NodeKind::SEMAPHORE_WAIT);
    assert_eq!(graph.kind(signalled).unwrap(), NodeKind::SEMAPHORE_SIGNAL);
    assert_eq!(graph.semaphores(waited).unwrap(), [(a.as_raw(), 1)]);
    assert_eq!(
        graph.semaphores(signalled).unwrap(),
        [(b.as_raw(), 5), (a.as_raw(), 2)]
    );
    // Before instantiation, all parameters can change.
    graph.set_semaphores(signalled, &[(&b, 6)]).unwrap();
    assert_eq!(graph.semaphores(signalled).unwrap(), [(b.as_raw(), 6)]);
    graph.set_semaphores(waited, &[(&a, 3)]).unwrap();
    let raw = [a.as_raw(), b.as_raw()];
    drop((a, b)); // the graph holds them
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    assert!(waits(&stream));
    timelines[0].signal(2);
    assert!(waits(&stream));
    timelines[0].signal(3);
    stream.synchronize().unwrap();
    assert_eq!(timelines[1].value(), 6);
    assert_eq!(exec.memory(x).unwrap().to_vec(&stream).unwrap(), [7; 100]);
    // Later launches have other values and other semaphores.
    let c = timelines[0].import(&context);
    exec.set_semaphores(waited, &[(&c, 4)]).unwrap();
    exec.set_semaphores(signalled, &[(&c, 10)]).unwrap();
    drop(c);
    exec.launch(&stream).unwrap();
    assert!(waits(&stream));
    timelines[0].signal(4);
    stream.synchronize().unwrap();
    assert_eq!(timelines.each_ref().map(|one| one.value()), [10, 6]);
    // These changes do not affect the graph itself.
    let graph = exec.into_graph().unwrap();
    assert_eq!(graph.semaphores(waited).unwrap(), [(raw[0], 3)]);
    assert_eq!(graph.semaphores(signalled).unwrap(), [(raw[1], 6)]);
}

#[test]
fn captured_semaphore_calls_become_nodes() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let timeline = other_side.timeline(0);
    let semaphore = timeline.import(&context);
    // SAFETY: the capture holds the semaphore.
    let graph = unsafe {
        stream.capture(|capture| -> Result<()> {
            capture.hold(semaphore.clone());
            stream.signal_semaphore(&semaphore, 4)?;
            stream.wait_semaphores(&[(&semaphore, 4)])
        })
    };
    let graph = graph.unwrap();
    let nodes = graph.nodes().unwrap();
    let mut kinds: Vec<_> = nodes
        .iter()
        .map(|&node| graph.kind(node).unwrap())
        .collect();
    kinds.sort_by_key(|kind| kind.0);
    assert_eq!(
        kinds,
        [NodeKind::SEMAPHORE_SIGNAL, NodeKind::SEMAPHORE_WAIT]
    );
    for node in nodes {
        assert_eq!(graph.semaphores(node).unwrap(), [(semaphore.as_raw(), 4)]);
    }
    drop(semaphore);
    assert_eq!(timeline.value(), 0);
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(timeline.value(), 4);
}

#[test]
fn graphs_with_semaphores_can_be_updated_and_cloned() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let timelines = [other_side.timeline(0), other_side.timeline(0)];
    let graph = |which: usize, value| {
        let mut graph = Graph::new(&context).unwrap();
        let semaphore = timelines[which].import(&context);
        let signal = graph.add_semaphore_signal(&[], &[(&semaphore, value)]);
        let wait = graph.add_semaphore_wait(&[signal.unwrap()], &[(&semaphore, value)]);
        wait.unwrap();
        graph
    };
    let first = graph(0, 1);
    // SAFETY: the graph has no captured work.
    let copy = unsafe { first.try_clone() }.unwrap();
    drop(first); // the clone also holds the semaphore
    let mut exec = copy.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(timelines.each_ref().map(|one| one.value()), [1, 0]);
    exec.update(graph(1, 9)).unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(timelines.each_ref().map(|one| one.value()), [1, 9]);
}

#[test]
fn invalid_semaphore_nodes_are_rejected() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let timeline = other_side.timeline(0);
    let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let (own, foreign) = (timeline.import(&context), timeline.import(&created));
    let mut graph = Graph::new(&context).unwrap();
    for failed in [
        graph.add_semaphore_signal(&[], &[(&foreign, 1)]),
        graph.add_semaphore_wait(&[], &[(&foreign, 1)]),
    ] {
        assert_eq!(*failed.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    // A node without semaphores is an empty node.
    let empty = graph.add_semaphore_signal(&[], &[]).unwrap();
    let none = graph.add_semaphore_wait(&[empty], &[]).unwrap();
    assert_eq!(graph.kind(none).unwrap(), NodeKind::EMPTY);
    let failed = graph.set_semaphores(empty, &[(&own, 1)]).unwrap_err();
    assert_eq!(
        failed.detail(),
        "the node's kind is `empty`, which has no semaphores"
    );
    assert!(graph.semaphores(empty).is_err());
    let signal = graph.add_semaphore_signal(&[none], &[(&own, 1)]).unwrap();
    assert!(graph.set_semaphores(signal, &[(&foreign, 1)]).is_err());
    let foreign_node = Graph::new(&context).unwrap().add_empty(&[]).unwrap();
    assert!(graph.semaphores(foreign_node).is_err());
    let mut exec = graph.instantiate().unwrap();
    let failed = exec.set_semaphores(empty, &[(&own, 1)]).unwrap_err();
    assert_eq!(*failed.kind(), ErrorKind::InvalidArgument);
    assert!(exec.set_semaphores(signal, &[(&foreign, 1)]).is_err());
    let failed = exec.set_semaphores(signal, &[(&own, 1), (&own, 2)]);
    let failed = failed.unwrap_err();
    assert_eq!(
        failed.driver_code(),
        Some(CUresult::CUDA_ERROR_INVALID_VALUE)
    );
    assert!(failed.to_string().contains("2 semaphores"), "{failed}");
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(timeline.value(), 1);
}
