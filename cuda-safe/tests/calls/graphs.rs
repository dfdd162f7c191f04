//! Graphs: which calls their methods make, and when what a graph holds is released.

use cuda_safe::{
    Graph, Result,
    graph::{EdgeData, InstantiateFlags},
    share::{ExternalSemaphore, ExternalSemaphoreKind},
};

use super::*;

const EVENT: &str = "cuEventDestroy";
const MODULE: &str = "cuModuleUnload";
const SEMAPHORE: &str = "cuDestroyExternalSemaphore";

/// The kernel of [`PTX`], and its address.
fn kernel(context: &Context, stream: &Stream) -> (Function, DeviceBuffer<u32>) {
    let module = Module::from_ptx(context, PTX).unwrap();
    let x = DeviceBuffer::<u32>::zeroed(stream, 1).unwrap();
    (module.function("set").unwrap(), x)
}

#[test]
fn graphs_are_closed_and_their_memory_is_trimmed() {
    traced("graphs_are_closed_and_their_memory_is_trimmed", "", || {
        let (context, _stream) = device();
        let graph = Graph::new(&context).unwrap();
        makes("cuGraphDestroy", &[], || graph.close().unwrap());
        let device = context.device();
        makes("cuDeviceGraphMemTrim", &[], || {
            device.trim_graph_memory().unwrap();
        });
    });
}

#[test]
fn a_graph_that_is_not_destroyed_says_so() {
    const TEST: &str = "a_graph_that_is_not_destroyed_says_so";
    passes(TEST, "cuGraphDestroy:1:CUDA_ERROR_UNKNOWN", || {
        let graph = Graph::new(&Context::primary(0).unwrap()).unwrap();
        let error = graph.close().unwrap_err();
        assert_eq!(error.call(), "cuGraphDestroy", "{error}");
    });
}

#[test]
fn what_is_empty_is_asked_for_once() {
    traced("what_is_empty_is_asked_for_once", "", || {
        let (context, _stream) = device();
        let graph = Graph::new(&context).unwrap();
        makes("cuGraphGetNodes", &[], || {
            assert_eq!(graph.nodes().unwrap(), []);
        });
        makes("cuGraphGetEdges", &[], || {
            assert_eq!(graph.edges().unwrap(), []);
        });
    });
}

#[test]
fn edges_are_removed_by_the_call_that_knows_their_data() {
    traced(
        "edges_are_removed_by_the_call_that_knows_their_data",
        "",
        || {
            let (context, stream) = device();
            let (set, x) = kernel(&context, &stream);
            let mut graph = Graph::new(&context).unwrap();
            // SAFETY: a number; nothing is launched.
            let [a, b] = [(); 2].map(|()| unsafe {
                let config = LaunchConfig::new(1, 1);
                graph.add_kernel(&[], &set, config, (x.view(),)).unwrap()
            });
            for (data, with_data) in [(EdgeData::programmatic(), 1), (EdgeData::default(), 0)] {
                graph.add_edge(a, b, data).unwrap();
                let made = made("cuGraphRemoveDependencies", || {
                    graph.remove_dependency(a, b).unwrap();
                });
                assert_eq!(made.len(), 1, "{made:?}");
                let newer = made[0].starts_with("cuGraphRemoveDependencies_v2");
                assert_eq!(usize::from(newer), with_data, "{made:?}");
            }
        },
    );
}

#[test]
fn events_are_released_when_no_node_uses_them() {
    traced("events_are_released_when_no_node_uses_them", "", || {
        let (context, _stream) = device();
        let event = || Event::new(&context).unwrap();
        let (first, other, second, third) = (event(), event(), event(), event());
        let mut graph = Graph::new(&context).unwrap();
        let node = graph.add_event_record(&[], &first).unwrap();
        graph.add_event_wait(&[node], &other).unwrap();
        let mut exec = graph.instantiate().unwrap();
        let replaced = format!("{:#x}", second.as_raw().addr());
        // The graph's own stay, for `into_graph`.
        let in_use = made(EVENT, || {
            exec.set_event(node, &second).unwrap();
            drop((first, other, second));
        });
        assert!(in_use.is_empty(), "{in_use:?}");
        // Only that of the node.
        makes(EVENT, &[&replaced], || {
            exec.set_event(node, &third).unwrap();
        });
        let in_use = made(EVENT, || drop(third));
        assert!(in_use.is_empty(), "{in_use:?}");
        assert_eq!(made(EVENT, || drop(exec)).len(), 3);
    });
}

#[test]
fn a_copy_of_a_graph_holds_what_the_original_holds() {
    traced(
        "a_copy_of_a_graph_holds_what_the_original_holds",
        "",
        || {
            let (context, stream) = device();
            let (set, x) = kernel(&context, &stream);
            let event = Event::new(&context).unwrap();
            let mut graph = Graph::new(&context).unwrap();
            let config = LaunchConfig::new(1, 1);
            // SAFETY: a number; nothing is launched.
            unsafe { graph.add_kernel(&[], &set, config, (x.view(),)) }.unwrap();
            graph.add_event_record(&[], &event).unwrap();
            // SAFETY: as above.
            let copy = unsafe { graph.try_clone() }.unwrap();
            let in_use = [
                made(MODULE, || drop((graph, set))),
                made(EVENT, || drop(event)),
            ];
            assert_eq!(in_use, [vec![], Vec::<String>::new()]);
            let copy = std::cell::Cell::new(Some(copy));
            makes(MODULE, &[], || {
                makes(EVENT, &[], || drop(copy.take()));
            });
        },
    );
}

#[test]
fn semaphores_are_released_with_the_last_graph() {
    traced("semaphores_are_released_with_the_last_graph", "", || {
        let (context, _stream) = device();
        let kind = ExternalSemaphoreKind::TIMELINE_FD;
        let page = semaphore::Page::new(kind.0, 0);
        // SAFETY: a timeline, for which nobody waits.
        let one = unsafe { ExternalSemaphore::import(&context, kind, page.export()) }.unwrap();
        let mut graph = Graph::new(&context).unwrap();
        graph.add_semaphore_signal(&[], &[(&one, 1)]).unwrap();
        // SAFETY: nothing is used.
        let copy = unsafe { graph.try_clone() }.unwrap();
        let in_use = made(SEMAPHORE, || drop((one, graph)));
        assert!(in_use.is_empty(), "{in_use:?}");
        makes(SEMAPHORE, &[], || drop(copy));
    });
}

#[test]
fn launches_on_few_streams_are_waited_for_once_each() {
    traced(
        "launches_on_few_streams_are_waited_for_once_each",
        "",
        || {
            let (context, stream) = device();
            let other = Stream::new(&context).unwrap();
            let waits = |launches: usize| {
                let mut graph = Graph::new(&context).unwrap();
                graph.add_host_function(&[], || ()).unwrap();
                let mut exec = graph.instantiate().unwrap();
                for launch in 0..launches {
                    exec.launch([&stream, &other][launch % 2]).unwrap();
                }
                made("cuStreamSynchronize", || exec.into_graph().unwrap()).len()
            };
            assert_eq!(waits(20), waits(2));
        },
    );
}

#[test]
fn a_capture_that_does_not_end_is_ended_again() {
    let fail = "cuStreamEndCapture:1:CUDA_ERROR_UNKNOWN";
    traced("a_capture_that_does_not_end_is_ended_again", fail, || {
        let (_context, stream) = device();
        // SAFETY: nothing is captured.
        let graph = unsafe { stream.capture(|_| -> Result<()> { Ok(()) }) };
        assert_eq!(graph.unwrap().nodes().unwrap(), []);
        assert!(!stream.is_capturing().unwrap());
        assert_eq!(calls("cuStreamEndCapture").len(), 2);
    });
}

#[test]
fn an_invalidated_capture_is_ended_once() {
    traced("an_invalidated_capture_is_ended_once", "", || {
        let (_context, stream) = device();
        // SAFETY: nothing is captured; the raw call is forbidden, and only that.
        let failed = unsafe {
            stream.capture(|_| -> Result<()> {
                let code = sys::cuStreamSynchronize(stream.as_raw());
                assert_ne!(code, CUresult::CUDA_SUCCESS);
                Ok(())
            })
        };
        assert!(failed.is_err());
        assert_eq!(calls("cuStreamEndCapture").len(), 1);
    });
}

#[test]
fn an_older_driver_tells_edges_without_data() {
    const TEST: &str = "an_older_driver_tells_edges_without_data";
    let body: fn() = || {
        let context = Context::primary(0).unwrap();
        let mut graph = Graph::new(&context).unwrap();
        let a = graph.add_empty(&[]).unwrap();
        let b = graph.add_empty(&[a]).unwrap();
        let edges = graph.edges();
        let lookup = &calls("cuGetProcAddress")[0];
        if lookup.contains("CUDA_ERROR_NOT_FOUND") {
            assert_eq!(edges.unwrap(), [(a, b)]);
        } else {
            let error = edges.unwrap_err();
            assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_UNKNOWN));
        }
    };
    traced(TEST, "cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND", body);
    traced(TEST, "cuGetProcAddress:1:CUDA_ERROR_UNKNOWN", body);
}

#[test]
fn kernels_have_names_where_the_driver_does_not_tell_them() {
    const TEST: &str = "kernels_have_names_where_the_driver_does_not_tell_them";
    traced(TEST, "cuGetProcAddress:1+:CUDA_ERROR_NOT_FOUND", || {
        let (context, stream) = device();
        let (set, x) = kernel(&context, &stream);
        let mut graph = Graph::new(&context).unwrap();
        let config = LaunchConfig::new(1, 1);
        // SAFETY: a number; nothing is launched.
        let node = unsafe { graph.add_kernel(&[], &set, config, (x.view(),)) }.unwrap();
        assert_eq!(graph.kernel_name(node).unwrap(), "set");
    });
}

#[test]
fn graphs_for_kernels_have_nodes_of_one_context() {
    const NOTHING: &str =
        ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() {\nret;\n}\n";
    traced("graphs_for_kernels_have_nodes_of_one_context", "", || {
        let (context, _stream) = device();
        let created = Context::create(context.device(), ContextFlags::AUTO).unwrap();
        let functions = [&context, &created].map(|context| {
            let module = Module::from_ptx(context, NOTHING).unwrap();
            module.function("nothing").unwrap()
        });
        let graph = Graph::new(&context).unwrap();
        let mut last = std::ptr::null_mut();
        for function in &functions {
            let parameters = sys::CUDA_KERNEL_NODE_PARAMS {
                func: function.as_raw(),
                gridDimX: 1,
                gridDimY: 1,
                gridDimZ: 1,
                blockDimX: 1,
                blockDimY: 1,
                blockDimZ: 1,
                ..Default::default()
            };
            let _current = function.context().push_current().unwrap();
            // SAFETY: a live graph, and parameters that are read now; nothing is launched.
            let code = unsafe {
                let none = std::ptr::null();
                sys::cuGraphAddKernelNode_v2(&mut last, graph.as_raw(), none, 0, &parameters)
            };
            assert_eq!(code, CUresult::CUDA_SUCCESS);
        }
        let node = graph.nodes().unwrap()[1];
        let failed = graph
            .instantiate_with(InstantiateFlags::DEVICE_LAUNCH)
            .unwrap_err();
        let text = failed.to_string();
        assert!(text.contains("must belong to one context"), "{text}");
        assert!(text.contains(&format!("See {node:?} (")), "{text}");
    });
}
