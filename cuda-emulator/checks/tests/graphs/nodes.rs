//! Graphs that are built node by node: types of nodes, their parameters and their effects.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

unsafe extern "C" fn count(data: *mut c_void) {
    // SAFETY: The tests pass a counter that outlives the launch.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn kernel_nodes_copy_their_arguments() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, graph) = (affine(), stream(1), create());
    let address = upload(&[1u32]);
    let (mut a, mut b) = (3u32, 4u32);
    let mut arguments = [arg(&address), arg(&a), arg(&b)];
    let params = kernel_params(kernel, &mut arguments);
    let first = add_kernel(graph, &[], &params);
    (a, b) = (10, 0);
    let mut arguments = [arg(&address), arg(&a), arg(&b)];
    let second = add_kernel(graph, &[first], &kernel_params(kernel, &mut arguments));
    assert_eq!(edges(graph), [(0, 1)]);
    play(graph, stream);
    assert_eq!(download::<u32>(address, 1), [70]);
    // The returned parameters can be reused.
    let got: CUDA_KERNEL_NODE_PARAMS = out!(cuGraphKernelNodeGetParams_v2(first, _));
    assert_eq!((got.func, got.gridDimX, got.blockDimZ), (kernel, 1, 1));
    assert_eq!((got.ctx, got.extra), (context(), null_mut()));
    // SAFETY: There are three pointers to arguments, as the kernel has.
    unsafe {
        assert_eq!(**got.kernelParams.cast::<*const u64>(), address);
        assert_eq!(**got.kernelParams.add(1).cast::<*const u32>(), 3);
        assert_eq!(**got.kernelParams.add(2).cast::<*const u32>(), 4);
    }
    ok!(cuGraphKernelNodeSetParams_v2(second, &got));
    play(graph, stream);
    assert_eq!(download::<u32>(address, 1), [(70 * 3 + 4) * 3 + 4]);
    let wrong = CUDA_KERNEL_NODE_PARAMS {
        gridDimX: 0,
        ..params
    };
    let (mut node, no) = (null_mut(), null());
    invalid!(cuGraphAddKernelNode_v2(&mut node, graph, no, 0, &wrong));
    invalid!(cuGraphKernelNodeSetParams_v2(first, &wrong));
    for wild in WILD {
        let wrong = CUDA_KERNEL_NODE_PARAMS {
            func: wild as CUfunction,
            ..params
        };
        stale!(cuGraphAddKernelNode_v2(&mut node, graph, no, 0, &wrong));
    }
    assert_eq!(nodes(graph), [first, second]);
    ok!(cuGraphDestroy(graph));
}

#[test]
fn kernel_nodes_have_attributes() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, graph) = (affine(), create());
    let (address, a) = (alloc(4), 1u32);
    let mut arguments = [arg(&address), arg(&a), arg(&a)];
    let params = kernel_params(kernel, &mut arguments);
    let [first, second] = [(); 2].map(|()| add_kernel(graph, &[], &params));
    let cooperative = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    let priority = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY;
    let mut value: CUlaunchAttributeValue = filled(0);
    let get = |node, id| {
        let value = out!(cuGraphKernelNodeGetAttribute(node, id, _));
        // SAFETY: These two attributes are integers.
        unsafe { value.priority }
    };
    assert_eq!((get(first, cooperative), get(first, priority)), (0, 0));
    value.cooperative = 1;
    ok!(cuGraphKernelNodeSetAttribute(first, cooperative, &value));
    value.priority = -2;
    ok!(cuGraphKernelNodeSetAttribute(first, priority, &value));
    assert_eq!((get(first, cooperative), get(first, priority)), (1, -2));
    assert_eq!((get(second, cooperative), get(second, priority)), (0, 0));
    ok!(cuGraphKernelNodeCopyAttributes(second, first));
    assert_eq!((get(second, cooperative), get(second, priority)), (1, -2));
    // New parameters keep the attributes.
    ok!(cuGraphKernelNodeSetParams_v2(second, &params));
    assert_eq!((get(second, cooperative), get(second, priority)), (1, -2));
    // Blocks that do not fit the device at the same time cannot wait for each other.
    let large = CUDA_KERNEL_NODE_PARAMS {
        gridDimX: 1 << 20,
        ..params
    };
    let code = call!(cuGraphKernelNodeSetParams_v2(second, &large));
    assert_eq!(code, COOPERATIVE_LAUNCH_TOO_LARGE);
    let third = add_kernel(graph, &[], &large);
    value.cooperative = 1;
    let code = call!(cuGraphKernelNodeSetAttribute(third, cooperative, &value));
    assert_eq!(code, COOPERATIVE_LAUNCH_TOO_LARGE);
    let code = call!(cuGraphKernelNodeCopyAttributes(third, first));
    assert_eq!(code, COOPERATIVE_LAUNCH_TOO_LARGE);
    assert_eq!((get(third, cooperative), get(third, priority)), (0, 0));
    let policy = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
    invalid!(cuGraphKernelNodeGetAttribute(first, policy, &mut value));
    let fill = set(graph, &[], address, 1);
    invalid!(cuGraphKernelNodeSetAttribute(fill, priority, &value));
    invalid!(cuGraphKernelNodeCopyAttributes(first, fill));
}

#[test]
fn copies_and_fills_have_parameters() {
    let _alone = alone();
    let _context = Own::new();
    let (stream, graph) = (stream(1), create());
    let (from, to) = (upload(&[1u32, 2, 3, 4]), alloc(16));
    let copy = CUDA_MEMCPY3D {
        srcXInBytes: 4,
        ..device_copy(from, to, 8, 1)
    };
    let fill = set(graph, &[], to, 9);
    let node = add_copy(graph, &[fill], &copy);
    play(graph, stream);
    assert_eq!(download::<u32>(to, 2), [2, 3]);
    let mut got: CUDA_MEMCPY3D = out!(cuGraphMemcpyNodeGetParams(node, _));
    assert_eq!(got.srcDevice, from);
    assert_eq!((got.srcXInBytes, got.WidthInBytes), (4, 8));
    got.srcXInBytes = 8;
    ok!(cuGraphMemcpyNodeSetParams(node, &got));
    let mut set: CUDA_MEMSET_NODE_PARAMS = out!(cuGraphMemsetNodeGetParams(fill, _));
    assert_eq!((set.dst, set.value, set.elementSize), (to, 9, 4));
    assert_eq!((set.width, set.height), (1, 1));
    (set.dst, set.value) = (to + 8, 5);
    ok!(cuGraphMemsetNodeSetParams(fill, &set));
    play(graph, stream);
    assert_eq!(download::<u32>(to, 3), [3, 4, 5]);
    // The functions of one type reject nodes of other types.
    invalid!(cuGraphMemcpyNodeGetParams(fill, &mut got));
    invalid!(cuGraphMemsetNodeSetParams(node, &set));
    invalid!(cuGraphMemcpyNodeSetParams(fill, &got));
    invalid!(cuGraphEventRecordNodeGetEvent(fill, &mut null_mut()));
    // Missing memory, and invalid sizes.
    for (address, bytes, width) in [
        (0x1000, 4, 1),
        (to + 8, 3, 1),
        (to + 8, 4, 0),
        (to + 8, 4, 100),
    ] {
        let mut wrong = set;
        (wrong.dst, wrong.elementSize, wrong.width) = (address, bytes, width);
        let node = result!(cuGraphAddMemsetNode(_, graph, null(), 0, &wrong, context()));
        assert_eq!(node, Err(INVALID), "{width} of {bytes} bytes");
    }
    got.WidthInBytes = 100;
    invalid!(cuGraphMemcpyNodeSetParams(node, &got));
    // Captured nodes can be queried in the same way.
    begin(stream, GLOBAL);
    ok!(cuMemcpyDtoDAsync_v2(to, from, 12, stream));
    ok!(cuMemsetD2D16Async(to, 4, 7, 1, 2, stream));
    let captured = end(stream);
    let found = nodes(captured);
    ok!(cuGraphMemcpyNodeGetParams(found[0], &mut got));
    assert_eq!((got.srcDevice, got.dstDevice), (from, to));
    assert_eq!((got.WidthInBytes, got.Height, got.Depth), (12, 1, 1));
    ok!(cuGraphMemcpyNodeSetParams(found[0], &got));
    ok!(cuGraphMemsetNodeGetParams(found[1], &mut set));
    assert_eq!((set.pitch, set.value, set.elementSize), (4, 7, 2));
    assert_eq!((set.width, set.height), (1, 2));
    play(captured, stream);
    assert_eq!(download::<u32>(to, 3), [7, 7, 3]);
}

#[test]
fn host_and_event_nodes() {
    let _alone = alone();
    let _context = Own::new();
    let (stream, graph) = (stream(1), create());
    let calls = [AtomicU32::new(0), AtomicU32::new(0)];
    let params = CUDA_HOST_NODE_PARAMS {
        fn_: Some(count),
        userData: arg(&calls[0]),
    };
    let (one, other) = (event(0), event(0));
    let empty = out!(cuGraphAddEmptyNode(_, graph, null(), 0));
    let wait = out!(cuGraphAddEventWaitNode(_, graph, &empty, 1, one));
    let host = out!(cuGraphAddHostNode(_, graph, &wait, 1, &params));
    let record = out!(cuGraphAddEventRecordNode(_, graph, &host, 1, other));
    play(graph, stream);
    ok!(cuEventQuery(other));
    assert_eq!(calls[0].load(Ordering::SeqCst), 1);
    let mut got: CUDA_HOST_NODE_PARAMS = out!(cuGraphHostNodeGetParams(host, _));
    assert_eq!(got.userData, params.userData);
    got.userData = arg(&calls[1]);
    ok!(cuGraphHostNodeSetParams(host, &got));
    play(graph, stream);
    assert_eq!(calls.map(|calls| calls.into_inner()), [1, 1]);
    let none = CUDA_HOST_NODE_PARAMS {
        fn_: None,
        ..params
    };
    let (mut node, no) = (null_mut(), null());
    invalid!(cuGraphAddHostNode(&mut node, graph, no, 0, &none));
    assert_eq!(out!(cuGraphEventWaitNodeGetEvent(wait, _)), one);
    ok!(cuGraphEventWaitNodeSetEvent(wait, other));
    assert_eq!(out!(cuGraphEventWaitNodeGetEvent(wait, _)), other);
    ok!(cuGraphEventRecordNodeSetEvent(record, one));
    assert_eq!(out!(cuGraphEventRecordNodeGetEvent(record, _)), one);
    invalid!(cuGraphEventRecordNodeGetEvent(wait, &mut null_mut()));
    let wild = 8 as CUevent;
    stale!(cuGraphAddEventWaitNode(&mut node, graph, no, 0, wild));
}

#[test]
fn nodes_of_any_type_are_added_by_one_function() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, graph) = (affine(), stream(1), create());
    let address = upload(&[5u32, 0]);
    let event = event(0);
    let (a, calls) = (2u32, AtomicU32::new(0));
    let mut arguments = [arg(&address), arg(&a), arg(&a)];
    let plain = kernel_params(kernel, &mut arguments);
    let mut last: CUgraphNode = null_mut();
    let mut add = |kind: CUgraphNodeType, fill: &dyn Fn(&mut CUgraphNodeParams)| {
        let mut params: CUgraphNodeParams = filled(0);
        params.type_ = kind;
        fill(&mut params);
        let (on, count) = (&raw const last, usize::from(!last.is_null()));
        last = out!(cuGraphAddNode_v2(_, graph, on, null(), count, &mut params));
        last
    };
    let first = add(CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL, &|params| {
        params.__bindgen_anon_1.kernel = CUDA_KERNEL_NODE_PARAMS_v3 {
            func: kernel,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 1,
            blockDimY: 1,
            blockDimZ: 1,
            kernelParams: plain.kernelParams,
            ..filled(0)
        };
    });
    add(CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMCPY, &|params| {
        params.__bindgen_anon_1.memcpy = CUDA_MEMCPY_NODE_PARAMS {
            copyCtx: context(),
            copyParams: device_copy(address, address + 4, 4, 1),
            ..filled(0)
        };
    });
    add(CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET, &|params| {
        params.__bindgen_anon_1.memset = CUDA_MEMSET_NODE_PARAMS_v2 {
            dst: address,
            elementSize: 2,
            value: 3,
            width: 1,
            height: 1,
            ..filled(0)
        };
    });
    add(CUgraphNodeType::CU_GRAPH_NODE_TYPE_HOST, &|params| {
        params.__bindgen_anon_1.host.fn_ = Some(count);
        params.__bindgen_anon_1.host.userData = arg(&calls);
    });
    add(CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY, &|_| {});
    let record = CUgraphNodeType::CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    add(record, &|params| {
        params.__bindgen_anon_1.eventRecord.event = event
    });
    let wait = CUgraphNodeType::CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    add(wait, &|params| {
        params.__bindgen_anon_1.eventWait.event = event
    });
    play(graph, stream);
    assert_eq!(download::<u32>(address, 2), [3, 12]);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    ok!(cuEventQuery(event));
    // Parameters of another type than the node's, and types that are not emulated.
    let mut params: CUgraphNodeParams = filled(0);
    params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY;
    invalid!(cuGraphNodeSetParams(first, &mut params));
    params.type_ = CUgraphNodeType(99);
    let node = result!(cuGraphAddNode_v2(_, graph, null(), null(), 0, &mut params));
    assert_eq!(node, Err(INVALID));
    params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET;
    params.reserved0[1] = 1;
    let node = result!(cuGraphAddNode_v2(_, graph, null(), null(), 0, &mut params));
    assert_eq!(node, Err(INVALID));
}
