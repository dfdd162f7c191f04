//! Edges with data, which state the part of a node that another node waits for.

use cuda_safe::{
    Context, DeviceBuffer, Error, Function, Graph, LaunchConfig, Module, Result,
    graph::{Body, EdgeData, Port},
    launch::LaunchAttributes,
    sys::{self, CUresult},
};

use super::{device, launched, rejection};

const SOURCE: &str = r#"
    extern "C" __global__ void first(unsigned *x, unsigned n) {
        asm volatile("griddepcontrol.launch_dependents;");
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = 3 * i;
    }
    extern "C" __global__ void second(unsigned *x, unsigned n) {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        asm volatile("griddepcontrol.wait;" ::: "memory");
        if (i < n) x[i] += 1;
    }
"#;

const N: u32 = 10_000;

fn kernels(context: &Context) -> [Function; 2] {
    let module = Module::compile(context, SOURCE).unwrap();
    ["first", "second"].map(|name| module.function(name).unwrap())
}

#[test]
fn programmatic_edge_starts_the_next_kernel_early() {
    let (_one, context, stream) = device();
    let [first, second] = kernels(&context);
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, N as usize).unwrap());
    let config = LaunchConfig::for_elements(N);
    // SAFETY: the kernels use n numbers, and the second kernel waits for the first.
    let (a, b) = unsafe {
        let a = graph.add_kernel(&[], &first, config, (x, N)).unwrap();
        (a, graph.add_kernel(&[], &second, config, (x, N)).unwrap())
    };
    let c = graph.add_empty(&[]).unwrap();
    graph.add_edge(a, b, EdgeData::programmatic()).unwrap();
    graph.add_edge(a, c, EdgeData::started()).unwrap();
    assert_eq!(graph.edges().unwrap().len(), 2);
    assert_eq!(
        graph.edge_data(a, b).unwrap(),
        Some(EdgeData::programmatic())
    );
    let started = graph.edge_data(a, c).unwrap().unwrap();
    assert_eq!((started.port, started.programmatic), (Port::STARTED, false));
    assert_eq!(graph.edge_data(b, c).unwrap(), None);
    let dot = graph.to_dot().unwrap();
    assert!(dot.contains("[style=dashed label=\"triggered\"]"), "{dot}");
    assert!(dot.contains("[style=dashed label=\"started\"]"), "{dot}");

    // An edge is removed with the data it was added with.
    graph.remove_dependency(a, b).unwrap();
    assert_eq!(graph.edge_data(a, b).unwrap(), None);
    assert!(graph.remove_dependency(a, b).is_err());
    graph.add_edge(a, b, EdgeData::programmatic()).unwrap();

    let mut exec = graph.instantiate().unwrap();
    for _ in 0..3 {
        exec.launch(&stream).unwrap();
    }
    let values = exec.memory(x).unwrap().to_vec(&stream).unwrap();
    assert!((0..).zip(values).all(|(i, value)| value == 3 * i + 1));
}

#[test]
fn invalid_edges_are_rejected() {
    let (_one, context, stream) = device();
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap());
    let a = graph.add_fill(&[], x, 1).unwrap();
    let b = graph.add_empty(&[]).unwrap();
    for data in [EdgeData::programmatic(), EdgeData::started()] {
        let text = graph.add_edge(a, b, data).unwrap_err().to_string();
        assert!(text.contains("not a kernel"), "{text}");
        assert_eq!(
            text.contains("its port is `DONE`"),
            data.programmatic,
            "{text}"
        );
        assert_eq!(graph.edges().unwrap(), []);
    }
    let [first, _] = kernels(&context);
    let attributes = LaunchAttributes::default().programmatic_serialization(true);
    let config = LaunchConfig::new(1, 4).attributes(attributes);
    // SAFETY: the call fails.
    rejection(unsafe { graph.add_kernel(&[], &first, config, (x, 4u32)) })
        .mentions("Graph::add_edge");
    assert_eq!(graph.nodes().unwrap().len(), 2);
}

#[test]
fn conditional_bodies_have_dependencies_and_edges() {
    let (_one, context, stream) = device();
    let [first, second] = kernels(&context);
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap());
    let condition = graph.add_condition(Some(1)).unwrap();
    let config = LaunchConfig::for_elements(4);
    let build = |body: &mut Body<'_>| -> Result<()> {
        // SAFETY: the kernels use four numbers, and the second kernel waits for the first.
        let (a, b) = unsafe {
            let a = body.add_kernel(&[], &first, config, (x, 4u32))?;
            (a, body.add_kernel(&[], &second, config, (x, 4u32))?)
        };
        let c = body.add_empty(&[])?;
        let roots = |body: &Body<'_>| {
            let mut count = 0;
            // SAFETY: the graph is live, and the call writes only the count.
            let code = unsafe {
                sys::cuGraphGetRootNodes(body.as_raw(), std::ptr::null_mut(), &mut count)
            };
            assert_eq!(code, CUresult::CUDA_SUCCESS);
            count
        };
        assert_eq!(roots(body), 3);
        body.add_edge(a, b, EdgeData::programmatic())?;
        assert_eq!(roots(body), 2);
        body.add_dependency(b, c)?;
        assert_eq!(roots(body), 1);
        assert!(format!("{body:?}").starts_with("Graph(0x"), "{body:?}");
        Ok(())
    };
    graph.add_if(&[], condition, build).unwrap();
    let mut exec = launched(graph, &stream);
    let values = exec.memory(x).unwrap().to_vec(&stream).unwrap();
    assert_eq!(values, [1, 4, 7, 10]);
}

#[test]
fn captured_programmatic_launch_is_a_programmatic_edge() {
    let (_one, context, stream) = device();
    let [first, second] = kernels(&context);
    let x = DeviceBuffer::<u32>::zeroed(&stream, N as usize).unwrap();
    let plain = LaunchConfig::for_elements(N);
    let early = plain.attributes(LaunchAttributes::default().programmatic_serialization(true));
    // SAFETY: the kernels use n numbers, which live until the launches end. The second kernel waits
    // for the first.
    let graph = unsafe {
        stream.capture(|_| {
            first.launch(&stream, plain, (x.view(), N))?;
            second.launch(&stream, early, (x.view(), N))?;
            Ok::<_, Error>(())
        })
    };
    let graph = graph.unwrap();
    let [(a, b)] = graph.edges().unwrap()[..] else {
        panic!("expected one edge: {graph:?}")
    };
    assert_eq!(
        graph.edge_data(a, b).unwrap(),
        Some(EdgeData::programmatic())
    );
    let _exec = launched(graph, &stream);
    let values = x.to_vec(&stream).unwrap();
    assert!((0..).zip(values).all(|(i, value)| value == 3 * i + 1));
}
