//! Memory of another context of the same device: allowed as on a GPU, but reported with
//! `CUDA_EMULATOR_CHECK=context`.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

const FAULTS: &str = include_str!("../../kernels/faults.ptx");
const VARIABLE: &str = ".version 7.0\n.target sm_50\n.address_size 64\n\
    .visible .global .align 4 .b8 data[64];\n";
const CHECK: [(&str, &str); 1] = [("CUDA_EMULATOR_CHECK", "context")];

/// Returns 64 bytes of each kind of memory that belongs only to the current context.
fn own_memory() -> [(&'static str, CUdeviceptr); 2] {
    let (mut variable, mut size) = (0, 0);
    ok!(cuModuleGetGlobal_v2(
        &mut variable,
        &mut size,
        load(VARIABLE),
        c"data".as_ptr()
    ));
    [
        ("cuMemAlloc", alloc(64)),
        ("module variable `data`", variable),
    ]
}

/// Returns 64 bytes of each kind of memory that all contexts share.
fn shared_memory() -> [CUdeviceptr; 4] {
    let (mut pinned, mut managed, mut ordered) = (null_mut(), 0, 0);
    ok!(cuMemAllocAsync(&mut ordered, 64, null_mut()));
    ok!(cuCtxSynchronize());
    ok!(cuMemAllocHost_v2(&mut pinned, 64));
    ok!(cuMemAllocManaged(&mut managed, 64, 1));
    let registered = Box::leak(Box::new([0u64; 512])).as_mut_ptr();
    ok!(cuMemHostRegister_v2(registered.cast(), 4096, 0));
    [pinned as u64, managed, registered as u64, ordered]
}

/// Writes a number in a kernel of the current context. Returns the code of the next
/// synchronization.
fn put(place: CUdeviceptr) -> CUresult {
    let (put, index) = (function(load(FAULTS), "put"), 0);
    let mut arguments = [arg(&place), arg(&index)];
    assert_eq!(launch(put, 1, 1, null_mut(), &mut arguments), SUCCESS);
    call!(cuCtxSynchronize())
}

#[test]
fn without_the_check_access_works_as_on_a_gpu() {
    passes(&[], || {
        let _owner = Own::new();
        let foreign = own_memory();
        let _other = Own::new();
        for (kind, place) in foreign {
            assert_eq!(put(place), SUCCESS, "{kind}");
            assert_eq!(download::<u32>(place, 1).len(), 1);
            let code = call!(cuMemsetD8Async(place, 1, 64, null_mut()));
            let expected = match kind {
                // As on an H200.
                "module variable `data`" => INVALID,
                _ => SUCCESS,
            };
            assert_eq!(code, expected, "{kind}");
        }
    });
}

#[test]
fn the_check_reports_kernels() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "write of 4 bytes at 0x",
        "it is 0 bytes into allocation",
        "(cuMemAlloc, 64 bytes",
        "(module variable `data`, 64 bytes",
        "(malloc in a kernel, 64 bytes",
        ", which belongs to context ",
        "(the primary context of device 0), but this work belongs to context ",
        "(cuCtxCreate)",
        "kernel put",
    ];
    reports(&CHECK, &parts, || {
        let _owner = Primary::new();
        // A kernel of the owner allocates from the heap and stores the address.
        let heap = load(
            ".version 7.0\n.target sm_50\n.address_size 64\n\
             .extern .func (.param .b64 r) malloc (.param .b64 n);\n\
             .visible .entry take(.param .u64 p) {\n.reg .b64 %r<3>;\n\
             { .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n);\n\
             ld.param.b64 %r1, [r]; }\n\
             ld.param.u64 %r2, [p];\nst.global.u64 [%r2], %r1;\nret;\n}\n",
        );
        let out = alloc(8);
        let mut arguments = [arg(&out)];
        let take = function(heap, "take");
        assert_eq!(launch(take, 1, 1, null_mut(), &mut arguments), SUCCESS);
        let mut foreign = own_memory().map(|(_, place)| place).to_vec();
        foreign.push(download::<u64>(out, 1)[0]);
        let shared = shared_memory();
        assert_eq!(put(foreign[0]), SUCCESS, "one's own");
        each(0..foreign.len(), |number| {
            let _other = Own::new();
            for place in shared {
                assert_eq!(put(place), SUCCESS);
            }
            assert_eq!(put(foreign[number]), ILLEGAL_ADDRESS);
        });
    });
}

#[test]
fn the_check_reports_copies_and_fills() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS\nin a copy or fill at 0x",
        "it is 4 bytes into allocation",
        ", which belongs to context ",
        "on stream 0x12",
        "in a stream memory operation at 0x",
    ];
    reports(&CHECK, &parts, || {
        let _owner = Own::new();
        let foreign = own_memory();
        let shared = shared_memory();
        let mut host = [0u8; 16];
        let host = std::ptr::from_mut(&mut host).cast();
        type Operation = fn(CUdeviceptr, CUdeviceptr, *mut std::ffi::c_void, CUstream) -> CUresult;
        let operations: [Operation; 7] = [
            |place, _, host, stream| call!(cuMemcpyHtoDAsync_v2(place, host, 16, stream)),
            |place, _, host, stream| call!(cuMemcpyDtoHAsync_v2(host, place, 16, stream)),
            |place, mine, _, stream| call!(cuMemcpyDtoDAsync_v2(mine, place, 16, stream)),
            |place, mine, _, stream| call!(cuMemcpyDtoDAsync_v2(place, mine, 16, stream)),
            |place, _, _, stream| call!(cuMemsetD8Async(place, 1, 16, stream)),
            |place, _, _, stream| call!(cuMemsetD2D32Async(place, 8, 1, 2, 2, stream)),
            |place, _, _, stream| call!(cuStreamWriteValue32_v2(stream, place, 1, 0)),
        ];
        let cases = (0..operations.len()).flat_map(|n| foreign.map(|memory| (n, memory)));
        each(cases, |(n, (kind, place))| {
            let operation = operations[n];
            let _other = Own::new();
            let (mine, stream) = (alloc(16), stream(0));
            for place in shared {
                // Streams cannot write words of managed memory or pool memory.
                let no_word = n == 6 && [shared[1], shared[3]].contains(&place);
                let wanted = if no_word { INVALID } else { SUCCESS };
                assert_eq!(operation(place, mine, host, stream), wanted);
            }
            assert_eq!(operation(mine, mine, host, stream), SUCCESS);
            ok!(cuStreamSynchronize(stream));
            // A copy to the host may wait, and then returns the error itself.
            let code = operation(place + 4, mine, host, stream);
            assert!(
                matches!(code, SUCCESS | ILLEGAL_ADDRESS),
                "{kind}: {code:?}"
            );
            fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
        });
    });
}

#[test]
fn the_check_reports_a_copy_that_waits() {
    reports(&CHECK, &["on the default stream"], || {
        let _owner = Own::new();
        let foreign = alloc(64);
        let _other = Own::new();
        let bytes = [0u8; 16];
        let from = bytes.as_ptr().cast();
        fails!(ILLEGAL_ADDRESS, cuMemcpyHtoD_v2(foreign + 4, from, 16));
        fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
    });
}

#[test]
fn copies_that_name_the_other_context_are_allowed() {
    passes(&CHECK, || {
        let first = Own::new();
        let from = upload(&[1u32, 2, 3, 4]);
        let second = Own::new();
        let to = alloc(16);
        ok!(cuMemcpyPeer(to, second.0, from, first.0, 16));
        assert_eq!(download::<u32>(to, 4), [1, 2, 3, 4]);
        let (one, other) = (first.0, second.0);
        ok!(cuMemcpyPeerAsync(from, one, to, other, 8, null_mut()));
        let mut copy: CUDA_MEMCPY3D_PEER = filled(0);
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        (copy.srcDevice, copy.srcContext) = (from, first.0);
        (copy.dstDevice, copy.dstContext) = (to, second.0);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (16, 1, 1);
        ok!(cuMemcpy3DPeer(&copy));
        ok!(cuCtxSynchronize());
        drop(second);
    });
}

#[test]
fn copies_that_name_a_wrong_context_are_reported() {
    reports(&CHECK, &["in a copy or fill at 0x"], || {
        let _first = Own::new();
        let from = upload(&[1u32, 2, 3, 4]);
        let second = Own::new();
        let to = alloc(16);
        let wrong = second.0;
        fails!(ILLEGAL_ADDRESS, cuMemcpyPeer(to, wrong, from, wrong, 16));
    });
}

#[test]
fn memory_of_another_device_is_not_checked() {
    let variables = [CHECK[0], ("CUDA_EMULATOR_DEVICES", "2")];
    passes(&variables, || {
        let first = Own::new();
        let from = upload(&[1u32, 2, 3, 4]);
        let second = out!(cuCtxCreate_v2(_, 0, 1));
        let to = alloc(16);
        ok!(cuMemcpyDtoD_v2(to, from, 16));
        ok!(cuCtxEnablePeerAccess(first.0, 0));
        assert_eq!(put(from), SUCCESS);
        ok!(cuCtxDestroy_v2(second));
    });
}
