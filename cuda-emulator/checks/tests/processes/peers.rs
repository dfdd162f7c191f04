//! Peer access: kernels reach another device's memory only while access is enabled.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

/// Reads a word of `from` in a kernel of the current context. Returns the code of the next
/// synchronization.
fn run(from: CUdeviceptr) -> CUresult {
    let kernel = function(
        load(include_str!("../../kernels/faults.ptx")),
        "read_global",
    );
    let to = alloc(4);
    let code = launch(kernel, 1, 1, null_mut(), &mut [arg(&to), arg(&from)]);
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    // SAFETY: The function has no arguments.
    unsafe { cuCtxSynchronize() }
}

/// Does the same in a new context on device 0, which has enabled access to the devices of `peers`
/// and then disabled access to those of `disabled`.
fn read(from: CUdeviceptr, peers: &[CUcontext], disabled: &[CUcontext]) -> CUresult {
    let _context = Own::new();
    for peer in peers {
        ok!(cuCtxEnablePeerAccess(*peer, 0));
    }
    for peer in disabled {
        ok!(cuCtxDisablePeerAccess(*peer));
    }
    run(from)
}

#[test]
fn access_is_enabled_per_pair_of_devices() {
    let parts = ["CUDA_ERROR_ILLEGAL_ADDRESS", "kernel read_global"];
    let variables = [("CUDA_EMULATOR_DEVICES", "4")];
    let test = "access_is_enabled_per_pair_of_devices";
    reports(test, &variables, &parts, || {
        ok!(cuInit(0));
        let others = [1, 2, 3].map(|device| {
            let mut context = null_mut();
            ok!(cuCtxCreate_v2(&mut context, 0, device));
            let memory = upload(&[7u32]);
            // A device is not its own peer.
            assert_eq!(run(memory), CUresult::CUDA_SUCCESS, "device {device}");
            (context, memory)
        });
        let contexts = others.map(|(context, _)| context);
        let except =
            |own: CUcontext| -> Vec<_> { contexts.into_iter().filter(|one| *one != own).collect() };
        for (at, (own, memory)) in others.into_iter().enumerate() {
            for (peers, disabled) in [
                (&contexts[..], &[][..]),
                (&[own], &[]),
                (&contexts, &except(own)),
            ] {
                let got = read(memory, peers, disabled);
                assert_eq!(got, SUCCESS, "device {}, {} peers", at + 1, peers.len());
            }
        }
        // Access that a context enables applies only to itself, in one direction.
        let _first = Own::new();
        ok!(cuCtxEnablePeerAccess(contexts[0], 0));
        fails!(
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
            cuCtxEnablePeerAccess(contexts[0], 0)
        );
        fails!(
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
            cuCtxDisablePeerAccess(contexts[1])
        );
        ok!(cuCtxDisablePeerAccess(contexts[0]));
        fails!(
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
            cuCtxDisablePeerAccess(contexts[0])
        );
        // Each of these faults: no access is enabled, access is enabled only to other devices, or
        // access is disabled again.
        let cases = (0..9).map(|number| (others[number % 3], number / 3));
        each(test, cases, |((own, memory), kind)| {
            let got = match kind {
                0 => read(memory, &[], &[]),
                1 => read(memory, &except(own), &[]),
                _ => read(memory, &contexts, &[own]),
            };
            assert_eq!(got, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        });
    });
}

#[test]
fn access_is_per_context_pair_and_separate_for_pools() {
    let variables = [("CUDA_EMULATOR_DEVICES", "2")];
    let test = "access_is_per_context_pair_and_separate_for_pools";
    let parts = [
        "cuCtxEnablePeerAccess grants a context access",
        "cuMemPoolSetAccess grants other devices access",
    ];
    reports(test, &variables, &parts, || {
        ok!(cuInit(0));
        let (mut peer, mut second) = (null_mut(), null_mut());
        ok!(cuCtxCreate_v2(&mut second, 0, 1));
        let other = upload(&[7u32]);
        ok!(cuCtxCreate_v2(&mut peer, 0, 1));
        let memory = upload(&[7u32]);
        let stream = stream(1);
        let (mut pooled, mut pool) = (0, null_mut());
        ok!(cuMemAllocAsync(&mut pooled, 64, stream));
        ok!(cuStreamSynchronize(stream));
        ok!(cuDeviceGetMemPool(&mut pool, 1));
        let illegal = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
        assert_eq!(read(memory, &[peer], &[]), CUresult::CUDA_SUCCESS);
        assert_eq!(read(other, &[peer, second], &[]), CUresult::CUDA_SUCCESS);
        assert_eq!(
            read(other, &[peer, second], &[peer]),
            CUresult::CUDA_SUCCESS
        );
        for flags in [3, 0] {
            let mut access = CUmemAccessDesc::default();
            access.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
            access.flags = CUmemAccess_flags(flags);
            ok!(cuMemPoolSetAccess(pool, &access, 1));
            let mut found = CUmemAccess_flags(9);
            ok!(cuMemPoolGetAccess(&mut found, pool, &mut access.location));
            assert_eq!(found.0, flags);
            if flags == 3 {
                assert_eq!(read(pooled, &[], &[]), CUresult::CUDA_SUCCESS);
            }
        }
        // Enabling access is not recorded by a capture.
        let _own = Own::new();
        let captured = self::stream(1);
        ok!(cuStreamBeginCapture_v2(
            captured,
            CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL
        ));
        fails!(
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            cuCtxEnablePeerAccess(peer, 0)
        );
        let mut graph = null_mut();
        fails!(
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            cuStreamEndCapture(captured, &mut graph)
        );
        ok!(cuCtxEnablePeerAccess(peer, 0));
        ok!(cuCtxDisablePeerAccess(peer));
        // Memory of another context of the same device, and of a pool.
        each(
            test,
            [(other, vec![peer]), (pooled, vec![peer, second])],
            |(memory, peers)| {
                assert_eq!(read(memory, &peers, &[]), illegal);
            },
        );
        ok!(cuCtxDestroy_v2(peer));
    });
}

#[test]
fn copies_and_fills_between_devices_are_checked() {
    let variables = [("CUDA_EMULATOR_DEVICES", "2")];
    passes(
        "copies_and_fills_between_devices_are_checked",
        &variables,
        || {
            ok!(cuInit(0));
            let mut peer = null_mut();
            ok!(cuCtxCreate_v2(&mut peer, 0, 1));
            let far = upload(&[7u32; 16]);
            let there = stream(1);
            let mut far_pool = 0;
            ok!(cuMemAllocAsync(&mut far_pool, 64, there));
            ok!(cuStreamSynchronize(there));
            let own = Own::new();
            let stream = stream(1);
            let near = alloc(64);
            // A call that names contexts reaches all memory, and does not check its owner.
            for (to, from) in [(near, far), (far, near), (far_pool, near), (near, far_pool)] {
                ok!(cuMemcpyPeerAsync(to, own.0, from, peer, 64, stream));
                ok!(cuMemcpyPeer(to, peer, from, own.0, 64));
                let copy = CUDA_MEMCPY3D_PEER {
                    srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    srcDevice: from,
                    srcContext: own.0,
                    dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    dstDevice: to,
                    dstContext: peer,
                    WidthInBytes: 16,
                    Height: 4,
                    Depth: 1,
                    ..Default::default()
                };
                ok!(cuMemcpy3DPeerAsync(&copy, stream));
            }
            // Other calls reach all memory except that of the other device's pool.
            ok!(cuMemcpyDtoDAsync_v2(near, far, 64, stream));
            ok!(cuMemcpyDtoDAsync_v2(far, near, 64, stream));
            for (to, from) in [(far_pool, near), (near, far_pool)] {
                fails!(
                    CUDA_ERROR_INVALID_VALUE,
                    cuMemcpyDtoDAsync_v2(to, from, 64, stream)
                );
                fails!(
                    CUDA_ERROR_INVALID_VALUE,
                    cuMemcpyAsync(to, from, 64, stream)
                );
            }
            // The same for nodes, according to their context.
            let (mut graph, mut node) = (null_mut(), null_mut());
            ok!(cuGraphCreate(&mut graph, 0));
            for (to, from, code) in [
                (far, near, CUresult::CUDA_SUCCESS),
                (far_pool, near, CUresult::CUDA_ERROR_INVALID_VALUE),
                (near, far_pool, CUresult::CUDA_ERROR_INVALID_VALUE),
            ] {
                let copy = CUDA_MEMCPY3D {
                    srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    srcDevice: from,
                    dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    dstDevice: to,
                    WidthInBytes: 64,
                    Height: 1,
                    Depth: 1,
                    ..Default::default()
                };
                // SAFETY: The memory is live, or the call must be rejected.
                let added = unsafe {
                    cuGraphAddMemcpyNode(&mut node, graph, std::ptr::null(), 0, &copy, own.0)
                };
                assert_eq!(added, code);
            }
            ok!(cuGraphDestroy(graph));
            // Fills reach the same memory as kernels.
            fails!(
                CUDA_ERROR_INVALID_VALUE,
                cuMemsetD8Async(far, 1, 64, stream)
            );
            fails!(
                CUDA_ERROR_INVALID_VALUE,
                cuMemsetD2D8Async(far, 16, 1, 8, 4, stream)
            );
            ok!(cuCtxEnablePeerAccess(peer, 0));
            ok!(cuMemsetD8Async(far, 1, 64, stream));
            ok!(cuStreamSynchronize(stream));
            assert_eq!(download::<u8>(far, 64), [1; 64]);
            // Calls that name contexts cannot be captured.
            ok!(cuStreamBeginCapture_v2(
                stream,
                CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED
            ));
            fails!(
                CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                cuMemcpyPeerAsync(near, own.0, far, peer, 64, stream)
            );
            let mut graph = null_mut();
            fails!(
                CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                cuStreamEndCapture(stream, &mut graph)
            );
        },
    );
}

#[test]
fn copies_between_devices_without_a_link_work() {
    let variables = [
        ("CUDA_EMULATOR_DEVICES", "3"),
        ("CUDA_EMULATOR_LINKS", "2-0"),
    ];
    passes(
        "copies_between_devices_without_a_link_work",
        &variables,
        || {
            ok!(cuInit(0));
            let pairs = [(0, 2, 1), (2, 0, 1), (0, 1, 0), (1, 2, 0), (1, 1, 0)];
            for (from, to, wanted) in pairs {
                let mut can = 7;
                ok!(cuDeviceCanAccessPeer(&mut can, from, to));
                assert_eq!(can, wanted, "{from} to {to}");
                if from == to {
                    continue;
                }
                for (attribute, expected) in [
                    (1, 1 - wanted),
                    (2, wanted),
                    (3, wanted),
                    (4, wanted),
                    (5, 0),
                ] {
                    let attribute = CUdevice_P2PAttribute(attribute);
                    ok!(cuDeviceGetP2PAttribute(&mut can, attribute, from, to));
                    assert_eq!(can, expected, "{from} to {to}: {attribute:?}");
                }
            }
            let contexts = [0, 1].map(|device| {
                let mut context = null_mut();
                ok!(cuCtxCreate_v2(&mut context, 0, device));
                (context, upload(&[device as u32 + 5]))
            });
            let [(first, near), (second, far)] = contexts;
            ok!(cuCtxSetCurrent(first));
            fails!(
                CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
                cuCtxEnablePeerAccess(second, 0)
            );
            ok!(cuMemcpyPeer(near, first, far, second, 4));
            assert_eq!(download::<u32>(near, 1), [6]);
            // Mapped memory cannot be made accessible to a device without a link either.
            let unit = 2 << 20;
            let location =
                |device| CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, device);
            let properties = CUmemAllocationProp {
                type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
                location: location(0),
                ..Default::default()
            };
            let (mut physical, mut address) = (0, 0);
            ok!(cuMemCreate(&mut physical, unit, &properties, 0));
            ok!(cuMemAddressReserve(&mut address, unit, 0, 0, 0));
            ok!(cuMemMap(address, unit, 0, physical, 0));
            let access = |device| CUmemAccessDesc {
                location: location(device),
                flags: CUmemAccess_flags(3),
            };
            ok!(cuMemSetAccess(
                address,
                unit,
                [access(0), access(2)].as_ptr(),
                2
            ));
            fails!(
                CUDA_ERROR_INVALID_DEVICE,
                cuMemSetAccess(address, unit, &access(1), 1)
            );
        },
    );
}

#[test]
fn resetting_either_device_ends_access() {
    let variables = [("CUDA_EMULATOR_DEVICES", "2")];
    passes("resetting_either_device_ends_access", &variables, || {
        ok!(cuInit(0));
        let retained = |device| {
            let mut context = null_mut();
            ok!(cuDevicePrimaryCtxRetain(&mut context, device));
            context
        };
        let [near, far] = [0, 1].map(retained);
        ok!(cuCtxSetCurrent(near));
        ok!(cuCtxEnablePeerAccess(far, 0));
        for device in [0, 1] {
            ok!(cuDevicePrimaryCtxReset_v2(device));
            retained(device);
            fails!(
                CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
                cuCtxDisablePeerAccess(far)
            );
            ok!(cuCtxEnablePeerAccess(far, 0));
        }
    });
}
