//! Graphs: the driver calls of their methods, and when objects that a graph holds are released.

use cuda_safe::{
    Graph, Result,
    graph::{EdgeData, InstantiateFlags},
    share::{ExternalSemaphore, ExternalSemaphoreKind},
};

use super::*;

const EVENT: &str = "cuEventDestroy";
const MODULE: &str = "cuModuleUnload";
const SEMAPHORE: &str = "cuDestroyExternalSemaphore";

/// Returns the kernel of [`PTX`] and a buffer for its result.
fn kernel(context: &Context, stream: &Stream) -> (Function, DeviceBuffer<u32>) {
    let module = Module::from_ptx(context, PTX).unwrap();
    let x = DeviceBuffer::<u32>::zeroed(stream, 1).unwrap();
    (module.function("set").unwrap(), x)
}

#[test]
fn graphs_are_closed_and_their_memory_is_trimmed() {
    traced("", || {
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
fn close_returns_errors_of_graph_destruction() {
    passes("cuGraphDestroy:1:CUDA_ERROR_UNKNOWN", || {
        let graph = Graph::new(&Context::primary(0).unwrap()).unwrap();
        let error = graph.close().unwrap_err();
        assert_eq!(error.call(), "cuGraphDestroy", "{error}");
    });
}

#[test]
fn empty_node_and_edge_lists_take_one_call() {
    traced("", || {
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
fn edges_with_data_are_removed_by_the_newer_call() {
    traced("", || {
        let (context, stream) = device();
        let (set, x) = kernel(&context, &stream);
        let mut graph = Graph::new(&context).unwrap();
        // SAFETY: the kernel writes one number, and it is not launched.
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
    });
}

#[test]
fn events_are_released_when_no_node_uses_them() {
    traced("", || {
        let (context, _stream) = device();
        let event = || Event::new(&context).unwrap();
        let (first, other, second, third) = (event(), event(), event(), event());
        let mut graph = Graph::new(&context).unwrap();
        let node = graph.add_event_record(&[], &first).unwrap();
        graph.add_event_wait(&[node], &other).unwrap();
        let mut exec = graph.instantiate().unwrap();
        let replaced = format!("{:#x}", second.as_raw().addr());
        // The executable graph keeps the first graph's events for `into_graph`.
        let in_use = made(EVENT, || {
            exec.set_event(node, &second).unwrap();
            drop((first, other, second));
        });
        assert!(in_use.is_empty(), "{in_use:?}");
        // Only the node's event is released.
        makes(EVENT, &[&replaced], || {
            exec.set_event(node, &third).unwrap();
        });
        let in_use = made(EVENT, || drop(third));
        assert!(in_use.is_empty(), "{in_use:?}");
        assert_eq!(made(EVENT, || drop(exec)).len(), 3);
    });
}

#[test]
fn cloned_graph_keeps_resources_of_the_original() {
    traced("", || {
        let (context, stream) = device();
        let (set, x) = kernel(&context, &stream);
        let event = Event::new(&context).unwrap();
        let mut graph = Graph::new(&context).unwrap();
        let config = LaunchConfig::new(1, 1);
        // SAFETY: the kernel writes one number, and it is not launched.
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
    });
}

#[test]
fn semaphores_are_released_with_the_last_graph() {
    traced("", || {
        let (context, _stream) = device();
        let kind = ExternalSemaphoreKind(semaphore::TIMELINE);
        let page = semaphore::Page::new(kind.0, 0);
        // SAFETY: nothing waits for the timeline.
        let one = unsafe { ExternalSemaphore::import(&context, kind, page.export()) }.unwrap();
        let mut graph = Graph::new(&context).unwrap();
        graph.add_semaphore_signal(&[], &[(&one, 1)]).unwrap();
        // SAFETY: the nodes use no memory.
        let copy = unsafe { graph.try_clone() }.unwrap();
        let in_use = made(SEMAPHORE, || drop((one, graph)));
        assert!(in_use.is_empty(), "{in_use:?}");
        makes(SEMAPHORE, &[], || drop(copy));
    });
}

#[test]
fn into_graph_waits_once_per_stream() {
    traced("", || {
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
    });
}

#[test]
fn failed_end_of_capture_is_retried() {
    let fail = "cuStreamEndCapture:1:CUDA_ERROR_UNKNOWN";
    traced(fail, || {
        let (_context, stream) = device();
        // SAFETY: the capture records nothing.
        let graph = unsafe { stream.capture(|_| -> Result<()> { Ok(()) }) };
        assert_eq!(graph.unwrap().nodes().unwrap(), []);
        assert!(!stream.is_capturing().unwrap());
        assert_eq!(calls("cuStreamEndCapture").len(), 2);
    });
}

#[test]
fn invalidated_capture_is_ended_once() {
    traced("", || {
        let (_context, stream) = device();
        // SAFETY: the capture records nothing. The raw call is forbidden during a capture and does
        // nothing else.
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
fn older_drivers_return_edges_without_data() {
    let body = || {
        let context = Context::primary(0).unwrap();
        let mut graph = Graph::new(&context).unwrap();
        let a = graph.add_empty(&[]).unwrap();
        let b = graph.add_empty(&[a]).unwrap();
        let edges = graph.edges();
        let lookup = &calls("cuGetProcAddress")[0];
        if lookup.contains("CUDA_ERROR_NOT_FOUND") {
            assert_eq!(edges.unwrap(), [(a, b)]);
        } else {
            failure(edges).with_code(CUresult::CUDA_ERROR_UNKNOWN);
        }
    };
    traced("cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND", body);
    traced("cuGetProcAddress:1:CUDA_ERROR_UNKNOWN", body);
}

#[test]
fn kernel_names_do_not_need_the_driver() {
    traced("cuGetProcAddress:1+:CUDA_ERROR_NOT_FOUND", || {
        let (context, stream) = device();
        let (set, x) = kernel(&context, &stream);
        let mut graph = Graph::new(&context).unwrap();
        let config = LaunchConfig::new(1, 1);
        // SAFETY: the kernel writes one number, and it is not launched.
        let node = unsafe { graph.add_kernel(&[], &set, config, (x.view(),)) }.unwrap();
        assert_eq!(graph.kernel_name(node).unwrap(), "set");
    });
}

#[test]
fn device_launchable_graphs_need_nodes_of_one_context() {
    const NOTHING: &str =
        ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() {\nret;\n}\n";
    traced("", || {
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
        failure(graph.instantiate_with(InstantiateFlags::DEVICE_LAUNCH))
            .mentions("must belong to one context")
            .mentions(&format!("See {node:?} ("));
    });
}
