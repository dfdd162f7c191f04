//! Peer access: kernels reach another device's memory only while access is enabled.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::{GLOBAL, RELAXED, begin, create, device_copy, end_with};
use cuda_emulator_checks::pools::location;
use std::ptr::{null, null_mut};

/// Reads a word of `from` in a kernel of the current context. Returns the code of the next
/// synchronization.
fn run(from: CUdeviceptr) -> CUresult {
    let (kernel, to) = (function(load(FAULTS), "read_global"), alloc(4));
    ok!(launch(
        kernel,
        1,
        1,
        null_mut(),
        &mut [arg(&to), arg(&from)]
    ));
    call!(cuCtxSynchronize())
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
    reports(&variables, &parts, || {
        ok!(cuInit(0));
        let others = [1, 2, 3].map(|device| {
            let context = out!(cuCtxCreate_v2(_, 0, device));
            let memory = upload(&[7u32]);
            // A device is not its own peer.
            assert_eq!(run(memory), SUCCESS, "device {device}");
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
        let code = call!(cuCtxEnablePeerAccess(contexts[0], 0));
        assert_eq!(code, PEER_ACCESS_ALREADY_ENABLED);
        fails!(PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(contexts[1]));
        ok!(cuCtxDisablePeerAccess(contexts[0]));
        fails!(PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(contexts[0]));
        // Each of these faults: no access is enabled, access is enabled only to other devices, or
        // access is disabled again.
        let cases = (0..9).map(|number| (others[number % 3], number / 3));
        each(cases, |((own, memory), kind)| {
            let got = match kind {
                0 => read(memory, &[], &[]),
                1 => read(memory, &except(own), &[]),
                _ => read(memory, &contexts, &[own]),
            };
            assert_eq!(got, ILLEGAL_ADDRESS);
        });
    });
}

#[test]
fn access_is_per_context_pair_and_separate_for_pools() {
    let variables = [("CUDA_EMULATOR_DEVICES", "2")];
    let parts = [
        "cuCtxEnablePeerAccess grants a context access",
        "cuMemPoolSetAccess grants other devices access",
    ];
    reports(&variables, &parts, || {
        ok!(cuInit(0));
        let second = out!(cuCtxCreate_v2(_, 0, 1));
        let other = upload(&[7u32]);
        let peer = out!(cuCtxCreate_v2(_, 0, 1));
        let memory = upload(&[7u32]);
        let stream = stream(1);
        let pooled = out!(cuMemAllocAsync(_, 64, stream));
        ok!(cuStreamSynchronize(stream));
        let pool = out!(cuDeviceGetMemPool(_, 1));
        assert_eq!(read(memory, &[peer], &[]), SUCCESS);
        assert_eq!(read(other, &[peer, second], &[]), SUCCESS);
        assert_eq!(read(other, &[peer, second], &[peer]), SUCCESS);
        for flags in [3, 0] {
            let mut access = CUmemAccessDesc::default();
            access.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
            access.flags = CUmemAccess_flags(flags);
            ok!(cuMemPoolSetAccess(pool, &access, 1));
            let found = out!(cuMemPoolGetAccess(_, pool, &mut access.location));
            assert_eq!(found.0, flags);
            if flags == 3 {
                assert_eq!(read(pooled, &[], &[]), SUCCESS);
            }
        }
        // Enabling access is not recorded by a capture.
        let _own = Own::new();
        let captured = self::stream(1);
        begin(captured, GLOBAL);
        fails!(STREAM_CAPTURE_UNSUPPORTED, cuCtxEnablePeerAccess(peer, 0));
        end_with(captured, STREAM_CAPTURE_INVALIDATED);
        ok!(cuCtxEnablePeerAccess(peer, 0));
        ok!(cuCtxDisablePeerAccess(peer));
        // Memory of another context of the same device, and of a pool.
        let cases = [(other, vec![peer]), (pooled, vec![peer, second])];
        each(cases, |(memory, peers)| {
            assert_eq!(read(memory, &peers, &[]), ILLEGAL_ADDRESS);
        });
        ok!(cuCtxDestroy_v2(peer));
    });
}

#[test]
fn copies_and_fills_between_devices_are_checked() {
    let variables = [("CUDA_EMULATOR_DEVICES", "2")];
    passes(&variables, || {
        ok!(cuInit(0));
        let peer = out!(cuCtxCreate_v2(_, 0, 1));
        let far = upload(&[7u32; 16]);
        let there = stream(1);
        let far_pool = out!(cuMemAllocAsync(_, 64, there));
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
            invalid!(cuMemcpyDtoDAsync_v2(to, from, 64, stream));
            invalid!(cuMemcpyAsync(to, from, 64, stream));
        }
        // The same for nodes, according to their context.
        let graph = create();
        for (to, from, code) in [
            (far, near, SUCCESS),
            (far_pool, near, INVALID),
            (near, far_pool, INVALID),
        ] {
            let (copy, add) = (device_copy(from, to, 64, 1), cuGraphAddMemcpyNode);
            fails!(code, add(&mut null_mut(), graph, null(), 0, &copy, own.0));
        }
        ok!(cuGraphDestroy(graph));
        // Fills reach the same memory as kernels.
        invalid!(cuMemsetD8Async(far, 1, 64, stream));
        invalid!(cuMemsetD2D8Async(far, 16, 1, 8, 4, stream));
        ok!(cuCtxEnablePeerAccess(peer, 0));
        ok!(cuMemsetD8Async(far, 1, 64, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(download::<u8>(far, 64), [1; 64]);
        // Calls that name contexts cannot be captured.
        begin(stream, RELAXED);
        let code = call!(cuMemcpyPeerAsync(near, own.0, far, peer, 64, stream));
        assert_eq!(code, STREAM_CAPTURE_UNSUPPORTED);
        end_with(stream, STREAM_CAPTURE_INVALIDATED);
    });
}

#[test]
fn copies_between_devices_without_a_link_work() {
    let variables = [
        ("CUDA_EMULATOR_DEVICES", "3"),
        ("CUDA_EMULATOR_LINKS", "2-0"),
    ];
    passes(&variables, || {
        ok!(cuInit(0));
        let pairs = [(0, 2, 1), (2, 0, 1), (0, 1, 0), (1, 2, 0), (1, 1, 0)];
        for (from, to, wanted) in pairs {
            let can = out!(cuDeviceCanAccessPeer(_, from, to));
            assert_eq!(can, wanted, "{from} to {to}");
            if from == to {
                continue;
            }
            for (number, expected) in (1..).zip([1 - wanted, wanted, wanted, wanted, 0]) {
                let attribute = CUdevice_P2PAttribute(number);
                let value = out!(cuDeviceGetP2PAttribute(_, attribute, from, to));
                assert_eq!(value, expected, "{from} to {to}: {number}");
            }
        }
        let contexts = [0, 1].map(|device| {
            let context = out!(cuCtxCreate_v2(_, 0, device));
            (context, upload(&[device as u32 + 5]))
        });
        let [(first, near), (second, far)] = contexts;
        ok!(cuCtxSetCurrent(first));
        fails!(PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(second, 0));
        ok!(cuMemcpyPeer(near, first, far, second, 4));
        assert_eq!(download::<u32>(near, 1), [6]);
        // Mapped memory cannot be made accessible to a device without a link either.
        let unit = 2 << 20;
        let properties = CUmemAllocationProp {
            type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            location: location(0),
            ..Default::default()
        };
        let physical = out!(cuMemCreate(_, unit, &properties, 0));
        let address = out!(cuMemAddressReserve(_, unit, 0, 0, 0));
        ok!(cuMemMap(address, unit, 0, physical, 0));
        let access = |device| CUmemAccessDesc {
            location: location(device),
            flags: CUmemAccess_flags(3),
        };
        let both = [access(0), access(2)];
        ok!(cuMemSetAccess(address, unit, both.as_ptr(), 2));
        fails!(INVALID_DEVICE, cuMemSetAccess(address, unit, &access(1), 1));
    });
}

#[test]
fn resetting_either_device_ends_access() {
    let variables = [("CUDA_EMULATOR_DEVICES", "2")];
    passes(&variables, || {
        ok!(cuInit(0));
        let retained = |device| out!(cuDevicePrimaryCtxRetain(_, device));
        let [near, far] = [0, 1].map(retained);
        ok!(cuCtxSetCurrent(near));
        ok!(cuCtxEnablePeerAccess(far, 0));
        for device in [0, 1] {
            ok!(cuDevicePrimaryCtxReset_v2(device));
            retained(device);
            fails!(PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(far));
            ok!(cuCtxEnablePeerAccess(far, 0));
        }
    });
}
