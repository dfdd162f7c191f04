//! Captures of launches that may overlap: their edges, and the attributes that their nodes keep.
//!
//! The edges and codes are those of an H200 with driver 580.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ptr::{null, null_mut};

/// Launches `affine` for one word, with attributes.
fn begin_work(kernel: CUfunction, stream: CUstream, word: CUdeviceptr, attributes: &[Attribute]) {
    let (a, b) = (1u32, 1u32);
    let mut arguments = [arg(&word), arg(&a), arg(&b)];
    let config = config([2, 1, 1], 1, 0, stream, attributes);
    let arguments = arguments.as_mut_ptr();
    ok!(cuLaunchKernelEx(&config, kernel, arguments, null_mut()));
}

/// Returns each edge: the indices of its nodes, its output port and its type.
fn ports(graph: CUgraph) -> Vec<(usize, usize, u8, u8)> {
    let all = nodes(graph);
    let (get, no) = (cuGraphGetEdges_v2, null_mut());
    let mut count = out!(get(graph, no, null_mut(), null_mut(), _));
    let mut from = vec![null_mut(); count];
    let mut to = from.clone();
    let mut data: Vec<CUgraphEdgeData> = vec![filled(9); count];
    let (from_to, to_to, data_to) = (from.as_mut_ptr(), to.as_mut_ptr(), data.as_mut_ptr());
    ok!(get(graph, from_to, to_to, data_to, &mut count));
    let place = |node| all.iter().position(|one| *one == node).unwrap();
    let edge = |n: usize| {
        let data = &data[n];
        assert_eq!(data.to_port, 0);
        (place(from[n]), place(to[n]), data.from_port, data.type_)
    };
    (0..count).map(edge).collect()
}

fn overlapping() -> [Attribute; 1] {
    [attribute(6, &[1])]
}

#[test]
fn overlapping_launches_have_programmatic_edges() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[0u32]));
    let captured = |work: &dyn Fn()| {
        begin(stream, GLOBAL);
        work();
        let graph = end(stream);
        play(graph, stream);
        ports(graph)
    };
    let plain = || begin_work(kernel, stream, word, &[]);
    let early = || begin_work(kernel, stream, word, &overlapping());
    assert_eq!(captured(&|| (plain(), plain()).1), [(0, 1, 0, 0)]);
    assert_eq!(captured(&|| (plain(), early()).1), [(0, 1, 1, 1)]);
    assert_eq!(captured(&|| (early(), plain()).1), [(0, 1, 0, 0)]);
    let three = captured(&|| (plain(), early(), early()).2);
    assert_eq!(three, [(0, 1, 1, 1), (1, 2, 1, 1)]);
    // Only a kernel can be overlapped.
    let after_fill = captured(&|| {
        ok!(cuMemsetD32Async(word, 0, 1, stream));
        early();
    });
    assert_eq!(after_fill, [(0, 1, 0, 0)]);
}

#[test]
fn launch_events_represent_ports() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, first, second) = (affine(), stream(1), stream(1));
    let (word, event) = (upload(&[0u32]), event(2));
    for (id, at_start, port, kind) in [(7, 0, 1, 1), (7, 1, 2, 1), (12, 0, 2, 0), (12, 1, 2, 0)] {
        for fill in [false, true] {
            begin(first, GLOBAL);
            begin_work(kernel, first, word, &[recording(id, event, 0, at_start)]);
            ok!(cuStreamWaitEvent(second, event, 0));
            if fill {
                ok!(cuMemsetD32Async(word, 0, 1, second));
            } else {
                begin_work(kernel, second, word, &[]);
            }
            ok!(cuEventRecord(event, second));
            ok!(cuStreamWaitEvent(first, event, 0));
            let graph = end(first);
            assert_eq!(ports(graph), [(0, 1, port, kind)], "{id} {at_start} {fill}");
            play(graph, first);
        }
        // The attribute of the launch takes precedence.
        begin(first, GLOBAL);
        begin_work(kernel, first, word, &[recording(id, event, 0, at_start)]);
        ok!(cuStreamWaitEvent(second, event, 0));
        begin_work(kernel, second, word, &overlapping());
        ok!(cuEventRecord(event, second));
        ok!(cuStreamWaitEvent(first, event, 0));
        assert_eq!(ports(end(first)), [(0, 1, 1, 1)]);
    }
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no interprocess events")]
fn launch_events_are_checked_and_recorded() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[0u32]));
    let (a, b) = (1u32, 1u32);
    let mut arguments = [arg(&word), arg(&a), arg(&b)];
    let mut done = 0;
    for id in [7, 12] {
        // 3: waiting threads sleep.
        let sleeps = if id == 7 { SUCCESS } else { NOT_SUPPORTED };
        for (flags, expected) in [
            (0, NOT_SUPPORTED),
            (1, NOT_SUPPORTED),
            (2, SUCCESS),
            (3, sleeps),
            (6, NOT_SUPPORTED),
        ] {
            let event = event(flags);
            for (record, expected) in [(0, expected), (1, ILLEGAL_STATE), (2, INVALID)] {
                let attributes = [recording(id, event, record, 0)];
                let config = config([1, 1, 1], 1, 0, stream, &attributes);
                let arguments = arguments.as_mut_ptr();
                let code = call!(cuLaunchKernelEx(&config, kernel, arguments, null_mut()));
                assert_eq!(code, expected, "{id} {flags} {record}");
                if code == SUCCESS {
                    done += 1;
                    ok!(cuEventSynchronize(event));
                    assert_eq!(download::<u32>(word, 1), [done]);
                }
            }
            ok!(cuEventDestroy_v2(event));
        }
    }
    assert_eq!(done, 3);
}

#[test]
fn capture_dependencies_may_have_edge_data() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[0u32]));
    for fill in [false, true] {
        begin(stream, GLOBAL);
        begin_work(kernel, stream, word, &[]);
        let (mut status, mut id) = (CUstreamCaptureStatus(0), 0);
        let (mut graph, mut list, mut data, mut count) = (null_mut(), null(), null(), 0);
        let (to, id_to, graph_to) = (&raw mut status, &raw mut id, &raw mut graph);
        let (list_to, data_to, count_to) = (&raw mut list, &raw mut data, &raw mut count);
        let get = cuStreamGetCaptureInfo_v3;
        ok!(get(stream, to, id_to, graph_to, list_to, data_to, count_to));
        assert_eq!(count, 1);
        // SAFETY: The list and its data have the same number of entries.
        let (mut node, found): (CUgraphNode, CUgraphEdgeData) = unsafe { (*list, *data) };
        assert_eq!((found.from_port, found.type_), (0, 0));
        for (data, good) in [
            (edge(3, 0, 1), false),
            (edge(1, 0, 2), false),
            (edge(1, 1, 1), false),
            (edge(0, 0, 1), false),
            (edge(2, 0, 1), true),
            (edge(1, 0, 1), true),
        ] {
            let update = cuStreamUpdateCaptureDependencies_v2;
            let expected = if good { SUCCESS } else { INVALID };
            fails!(expected, update(stream, &mut node, &data, 1, 1));
        }
        let no = null_mut();
        let code = call!(get(stream, to, id_to, graph_to, list_to, no, count_to));
        assert_eq!(code, LOSSY_QUERY);
        // For any type of the next node.
        if fill {
            ok!(cuMemsetD32Async(word, 0, 1, stream));
        } else {
            begin_work(kernel, stream, word, &[]);
        }
        let graph = end(stream);
        assert_eq!(ports(graph), [(0, 1, 1, 1)]);
        play(graph, stream);
    }
}

/// Returns the first words of an attribute. Words that were not written stay `eeeeeeee`.
fn words(node: CUgraphNode, id: u32) -> (CUresult, [u32; 4]) {
    let mut value = [0xeeee_eeeeu32; 16];
    let (id, place) = (CUlaunchAttributeID(id), value.as_mut_ptr().cast());
    let code = call!(cuGraphKernelNodeGetAttribute(node, id, place));
    (code, [value[0], value[1], value[2], value[3]])
}

const NOT_WRITTEN: u32 = 0xeeee_eeee;

#[test]
fn captured_launches_keep_their_attributes() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[0u32]));
    begin(stream, GLOBAL);
    let values = [(5, 2), (8, -1i32 as u32), (10, 1), (14, 50)];
    let mut given = vec![cluster([2, 1, 1])];
    given.extend(values.map(|(id, value)| attribute(id, &[value])));
    begin_work(kernel, stream, word, &given);
    begin_work(kernel, stream, word, &[]);
    let graph = end(stream);
    let found = nodes(graph);
    let one = |word| (SUCCESS, [word, NOT_WRITTEN, NOT_WRITTEN, NOT_WRITTEN]);
    let (set, plain) = (found[0], found[1]);
    assert_eq!(words(set, 4), (SUCCESS, [2, 1, 1, NOT_WRITTEN]));
    assert_eq!(words(plain, 4), (SUCCESS, [0, 0, 0, NOT_WRITTEN]));
    for (id, with, without) in [
        (2, 0, 0),
        (5, 2, 1),
        (8, u32::MAX, 0),
        (9, 0xeeee_0100, 0xeeee_0100),
        (10, 1, 0),
        (14, 50, 0),
    ] {
        assert_eq!(words(set, id), one(with), "{id}");
        assert_eq!(words(plain, id), one(without), "{id}");
    }
    assert_eq!(words(plain, 13).1[0], 0);
    for id in [0, 3, 6, 7, 11, 12, 15, 16, 17, 18] {
        assert_eq!(words(set, id).0, INVALID, "{id}");
    }
    play(graph, stream);
    assert_eq!(download::<u32>(word, 1), [4]);
    // The policy is that of the function, and never the default one.
    for (function, given, kept) in [(0, None, 1), (2, None, 2), (2, Some(0), 1), (1, Some(2), 2)] {
        ok!(set_attribute(kernel, 15, function));
        let given = given.map(|policy| attribute(5, &[policy]));
        begin(stream, GLOBAL);
        begin_work(kernel, stream, word, given.as_slice());
        let node = nodes(end(stream))[0];
        assert_eq!(words(node, 5), one(kept), "{function} {kept}");
    }
}

#[test]
fn node_attributes_are_checked() {
    let _alone = alone();
    let _context = Own::new();
    let module = load(include_str!("../../../engine/tests/ptx/clusters.ptx"));
    let (ids, fixed) = (function(module, "ids"), function(module, "fixed"));
    let (graph, stream, out) = (create(), stream(1), upload(&[0u32; 60]));
    let mut arguments = [arg(&out)];
    let params = CUDA_KERNEL_NODE_PARAMS {
        gridDimX: 4,
        ..kernel_params(ids, &mut arguments)
    };
    let node = add_kernel(graph, &[], &params);
    let set = |node, id, value: &[u32]| {
        let mut words = [0u32; 16];
        words[..value.len()].copy_from_slice(value);
        let (id, words) = (CUlaunchAttributeID(id), words.as_ptr().cast());
        call!(cuGraphKernelNodeSetAttribute(node, id, words))
    };
    for (id, value, expected) in [
        (4, [0, 1, 1], INVALID_CLUSTER_SIZE),
        (4, [1, 1, 1], SUCCESS),
        (4, [16, 1, 1], INVALID_CLUSTER_SIZE),
        (4, [3, 1, 1], INVALID_CLUSTER_SIZE),
        (4, [4, 1, 1], SUCCESS),
        (4, [2, 1, 1], SUCCESS),
        (5, [101, 0, 0], SUCCESS),
        (9, [4, 0, 0], INVALID),
        (9, [0x201, 0, 0], SUCCESS),
        (10, [2, 0, 0], INVALID),
        (10, [1, 0, 0], SUCCESS),
        (11, [4, 1, 1], INVALID),
        (13, [0, 0, 0], SUCCESS),
        (13, [2, 0, 0], INVALID),
        (14, [101, 0, 0], INVALID),
        (14, [100, 0, 0], SUCCESS),
        (16, [1, 0, 0], SUCCESS),
        (16, [2, 0, 0], INVALID),
        (0, [0; 3], INVALID),
        (3, [0; 3], INVALID),
        (6, [1, 0, 0], INVALID),
        (7, [0; 3], INVALID),
        (12, [0; 3], INVALID),
        (15, [0; 3], INVALID),
        (17, [0; 3], INVALID),
    ] {
        assert_eq!(set(node, id, &value), expected, "{id} {value:?}");
    }
    // Priorities are clamped to the valid range.
    for (value, kept) in [(3u32, 0), (-2i32 as u32, -2i32 as u32)] {
        assert_eq!(set(node, 8, &[value]), SUCCESS);
        assert_eq!(words(node, 8).1[0], kept);
    }
    for (id, first) in [(4, 2), (5, 101), (9, 0xeeee_0201), (10, 1), (14, 100)] {
        assert_eq!(words(node, id).1[0], first, "{id}");
    }
    play(graph, stream);
    let seen = download::<u32>(out, 60);
    let sizes = [seen[1], seen[16], seen[31], seen[46]];
    assert_eq!(sizes, [2; 4], "the cluster takes effect");
    assert_eq!([seen[0], seen[15], seen[30], seen[45]], [0, 1, 0, 1]);
    // New parameters keep the cluster, and have to fit it.
    let other = CUDA_KERNEL_NODE_PARAMS {
        gridDimX: 3,
        ..params
    };
    let code = call!(cuGraphKernelNodeSetParams_v2(node, &other));
    assert_eq!(code, INVALID_CLUSTER_SIZE);
    // A kernel that was compiled for a cluster always uses it.
    let compiled = CUDA_KERNEL_NODE_PARAMS {
        func: fixed,
        ..params
    };
    let second = add_kernel(graph, &[], &compiled);
    let narrow = add_kernel(graph, &[], &other);
    invalid!(cuGraphKernelNodeCopyAttributes(narrow, node));
    assert_eq!(words(second, 4), (SUCCESS, [2, 1, 1, NOT_WRITTEN]));
    assert_eq!(set(second, 4, &[4, 1, 1]), INVALID_CLUSTER_SIZE);
    ok!(cuGraphKernelNodeCopyAttributes(second, node));
    assert_eq!(words(second, 14).1[0], 100);
}

/// A kernel that waits for an overlapped launch sees all its writes.
#[test]
fn waiting_launches_see_all_writes() {
    let _alone = alone();
    let _context = Own::new();
    let module = load(include_str!("../../../engine/tests/ptx/clusters.ptx"));
    let (primary, secondary) = (function(module, "primary"), function(module, "secondary"));
    let input: Vec<u32> = (0..256).collect();
    let (data, out) = (upload(&input), upload(&[0u32; 256]));
    let (n, stream) = (256u32, stream(1));
    let mut first = [arg(&data), arg(&n)];
    let mut second = [arg(&out), arg(&data), arg(&n)];
    ok!(launch_with(primary, [8, 1, 1], stream, &[], &mut first));
    let code = launch_with(secondary, [8, 1, 1], stream, &overlapping(), &mut second);
    assert_eq!(code, SUCCESS);
    ok!(cuStreamSynchronize(stream));
    let wanted: Vec<u32> = (0..256).map(|i| (255 - i) * 2 + 1).collect();
    assert_eq!(download::<u32>(out, 256), wanted);
}
