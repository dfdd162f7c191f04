//! The functions of devices and primary contexts, one by one.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::pools::pool;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

// Functions that the newest headers no longer declare.
unsafe extern "C" {
    fn cuDeviceGetUuid(uuid: *mut CUuuid, device: CUdevice) -> CUresult;
    fn cuDevicePrimaryCtxRelease(device: CUdevice) -> CUresult;
    fn cuDevicePrimaryCtxReset(device: CUdevice) -> CUresult;
    fn cuDevicePrimaryCtxSetFlags(device: CUdevice, flags: u32) -> CUresult;
}

fn attribute(number: u32, device: CUdevice) -> i32 {
    out!(cuDeviceGetAttribute(_, CUdevice_attribute(number), device))
}

/// Attributes by number, with the values of the emulated device: launch limits, supported features
/// and identity.
#[rustfmt::skip]
const ATTRIBUTES: [(u32, i32); 76] = [
    (1, 1024), (2, 1024), (3, 1024), (4, 64), (5, 0x7fff_ffff), (6, 65535), (7, 65535),
    (8, 48 << 10), (9, 64 << 10), (10, 32), (11, 0x7fff_ffff), (12, 65536), (13, 1_000_000),
    (14, 512), (15, 1), (17, 0), (18, 0), (19, 1), (20, 0), (31, 1), (32, 0), (34, 0), (35, 0),
    (37, 128), (38, 32 << 20), (39, 2048), (41, 1), (50, 0xe), (51, 32), (69, 1 << 28), (75, 9),
    (76, 0), (78, 1), (79, 1), (80, 1), (81, 228 << 10), (82, 65536), (83, 1), (84, 0), (86, 1),
    (88, 0), (89, 1), (90, 1), (91, 1), (92, 0), (93, 0), (94, 0), (95, 1), (96, 0),
    (97, 227 << 10), (98, 0), (99, 1), (100, 0), (101, 1), (102, 1), (103, 1), (104, 0), (105, 0),
    (106, 32), (107, 0), (108, 20 << 20), (109, 128 << 20), (111, 1024), (113, 1), (115, 1), (119, 1), (120, 1),
    (122, 1), (123, 1), (124, 0), (125, 1), (126, 4), (130, 0), (131, -1), (132, 0), (133, 0),
];

#[test]
#[cfg_attr(windows, ignore = "the attributes are those of Linux")]
fn attributes_describe_the_device() {
    ok!(cuInit(0));
    for (number, expected) in ATTRIBUTES {
        assert_eq!(attribute(number, 0), expected, "attribute {number}");
    }
    // All others have a value, too.
    for number in 1..CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX.0 {
        attribute(number, 0);
    }
    let mut value = 7;
    for number in [0, 162, u32::MAX].map(CUdevice_attribute) {
        invalid!(cuDeviceGetAttribute(&mut value, number, 0));
    }
    assert_eq!(value, 7);
}

#[test]
fn old_queries_agree_with_attributes() {
    ok!(cuInit(0));
    let all = out!(cuDeviceGetProperties(_, 0));
    assert_eq!(all.maxThreadsPerBlock, 1024);
    assert_eq!(all.maxThreadsDim, [1024, 1024, 64]);
    assert_eq!(all.maxGridSize, [0x7fff_ffff, 65535, 65535]);
    assert_eq!(all.sharedMemPerBlock, 48 << 10);
    assert_eq!(all.totalConstantMemory, 64 << 10);
    assert_eq!((all.SIMDWidth, all.memPitch), (32, 0x7fff_ffff));
    assert_eq!((all.regsPerBlock, all.clockRate), (65536, 1_000_000));
    assert_eq!(all.textureAlign, 512);
    let width = |format, channels| {
        let format = CUarray_format(format);
        result!(cuDeviceGetTexture1DLinearMaxWidth(_, format, channels, 0))
    };
    // Format, channels and the value that an H200 (driver 580) returns.
    for (format, channels, expected) in [
        (1, 1, 1 << 30),
        (1, 4, 1 << 30),
        (9, 4, 1 << 29),
        (16, 2, 1 << 30),
        (32, 1, 1 << 30),
        (32, 2, 1 << 29),
        (10, 4, 1 << 28),
    ] {
        let found = width(format, channels);
        assert_eq!(found, Ok(expected), "{format} x {channels}");
    }
    for (format, channels) in [(0, 1), (99, 1), (32, 0), (32, 3), (32, 5)] {
        assert_eq!(width(format, channels), Err(INVALID));
    }
    let kind = CUexecAffinityType::CU_EXEC_AFFINITY_TYPE_SM_COUNT;
    assert_eq!(out!(cuDeviceGetExecAffinitySupport(_, kind, 0)), 0);
    let (mut major, mut minor) = (0, 9);
    ok!(cuDeviceComputeCapability(&mut major, &mut minor, 0));
    assert_eq!((major, minor), (attribute(75, 0), attribute(76, 0)));
}

#[test]
fn missing_features_return_not_supported() {
    ok!(cuInit(0));
    let (mut luid, mut mask) = ([0 as c_char; 8], 0);
    let luid = luid.as_mut_ptr();
    fails!(NOT_SUPPORTED, cuDeviceGetLuid(luid, &mut mask, 0));
    let (mut registration, none) = (null_mut(), null_mut());
    let code = call!(cuDeviceRegisterAsyncNotification(
        0,
        None,
        none,
        &mut registration
    ));
    assert_eq!(code, NOT_SUPPORTED);
    assert!(registration.is_null());
    let (target, scope) = (
        CUflushGPUDirectRDMAWritesTarget(0),
        CUflushGPUDirectRDMAWritesScope(100),
    );
    no_context!(cuFlushGPUDirectRDMAWrites(target, scope));
    let _context = Own::new();
    fails!(NOT_SUPPORTED, cuFlushGPUDirectRDMAWrites(target, scope));
}

#[test]
fn every_call_checks_its_device() {
    ok!(cuInit(0));
    let count = out!(cuDeviceGetCount(_));
    let (mut number, mut other, mut size, mut word) = (7, 7, 7usize, 7u32);
    let (mut uuid, mut all) = (CUuuid { bytes: [7; 16] }, CUdevprop::default());
    let mut text = [7 as c_char; 64];
    let (mut pool, mut context) = (null_mut(), null_mut());
    let (format, kind) = (CUarray_format(32), CUexecAffinityType(0));
    for wrong in [-1, count, i32::MIN, i32::MAX] {
        let text = text.as_mut_ptr();
        // SAFETY: The result pointers have the right types, and the device is rejected.
        let codes = unsafe {
            [
                cuDeviceGet(&mut number, wrong),
                cuDeviceGetName(text, 64, wrong),
                cuDeviceGetUuid(&mut uuid, wrong),
                cuDeviceGetUuid_v2(&mut uuid, wrong),
                cuDeviceTotalMem_v2(&mut size, wrong),
                cuDeviceGetAttribute(&mut number, CUdevice_attribute(1), wrong),
                cuDeviceGetProperties(&mut all, wrong),
                cuDeviceComputeCapability(&mut number, &mut other, wrong),
                cuDeviceGetPCIBusId(text, 64, wrong),
                cuDeviceGetTexture1DLinearMaxWidth(&mut size, format, 1, wrong),
                cuDeviceGetExecAffinitySupport(&mut number, kind, wrong),
                cuDeviceCanAccessPeer(&mut number, 0, wrong),
                cuDeviceCanAccessPeer(&mut number, wrong, 0),
                cuDeviceGetP2PAttribute(&mut number, CUdevice_P2PAttribute(1), 0, wrong),
                cuDeviceGetP2PAttribute(&mut number, CUdevice_P2PAttribute(1), wrong, 0),
                cuDeviceGetDefaultMemPool(&mut pool, wrong),
                cuDeviceGetMemPool(&mut pool, wrong),
                cuDeviceSetMemPool(wrong, pool),
                cuDevicePrimaryCtxRetain(&mut context, wrong),
                cuDevicePrimaryCtxRelease(wrong),
                cuDevicePrimaryCtxRelease_v2(wrong),
                cuDevicePrimaryCtxReset(wrong),
                cuDevicePrimaryCtxReset_v2(wrong),
                cuDevicePrimaryCtxSetFlags(wrong, 0),
                cuDevicePrimaryCtxSetFlags_v2(wrong, 0),
                cuDevicePrimaryCtxGetState(wrong, &mut word, &mut number),
                cuDeviceGetLuid(text, &mut word, wrong),
            ]
        };
        for (at, code) in codes.into_iter().enumerate() {
            assert_eq!(code, INVALID_DEVICE, "call {at}, device {wrong}");
        }
    }
    assert_eq!((number, other, size, word), (7, 7, 7, 7));
    assert_eq!((uuid.bytes, text), ([7; 16], [7; 64]));
    assert_eq!(all, CUdevprop::default());
    assert!(pool.is_null() && context.is_null());
}

#[test]
fn null_results_are_rejected() {
    ok!(cuInit(0));
    let mut number = 7;
    let (format, kind) = (CUarray_format(32), CUexecAffinityType(0));
    // SAFETY: Null must be rejected.
    let codes = unsafe {
        [
            cuDeviceGet(null_mut(), 0),
            cuDeviceGetCount(null_mut()),
            cuDeviceGetName(null_mut(), 64, 0),
            cuDeviceGetUuid(null_mut(), 0),
            cuDeviceGetUuid_v2(null_mut(), 0),
            cuDeviceTotalMem_v2(null_mut(), 0),
            cuDeviceGetAttribute(null_mut(), CUdevice_attribute(1), 0),
            cuDeviceGetProperties(null_mut(), 0),
            cuDeviceComputeCapability(null_mut(), &mut number, 0),
            cuDeviceComputeCapability(&mut number, null_mut(), 0),
            cuDeviceGetPCIBusId(null_mut(), 64, 0),
            cuDeviceGetByPCIBusId(null_mut(), c"000e:01:00.0".as_ptr()),
            cuDeviceGetByPCIBusId(&mut number, null()),
            cuDeviceGetTexture1DLinearMaxWidth(null_mut(), format, 1, 0),
            cuDeviceGetExecAffinitySupport(null_mut(), kind, 0),
            cuDeviceCanAccessPeer(null_mut(), 0, 0),
            cuDeviceGetP2PAttribute(null_mut(), CUdevice_P2PAttribute(1), 0, 0),
            cuDeviceGetDefaultMemPool(null_mut(), 0),
            cuDeviceGetMemPool(null_mut(), 0),
            cuDevicePrimaryCtxRetain(null_mut(), 0),
        ]
    };
    for (at, code) in codes.into_iter().enumerate() {
        assert_eq!(code, INVALID, "call {at}");
    }
    assert_eq!(number, 7);
}

/// Returns the text that a call stores in a buffer of `len` bytes. The call must not write beyond
/// them.
fn text(len: i32, call: impl Fn(*mut c_char, i32) -> CUresult) -> Result<String, CUresult> {
    let mut buffer = [7 as c_char; 64];
    match call(buffer.as_mut_ptr(), len) {
        SUCCESS => (),
        code => {
            assert_eq!(buffer, [7; 64]);
            return Err(code);
        }
    }
    // SAFETY: The successful call has stored a NUL-terminated text.
    let text = unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_str().unwrap();
    assert!(buffer[text.len() + 1..].iter().all(|byte| *byte == 7));
    Ok(text.into())
}

#[test]
fn texts_are_truncated_to_their_buffers() {
    if inner() {
        ok!(cuInit(0));
        type Call<'a> = &'a dyn Fn(*mut c_char, i32) -> CUresult;
        let name: Call = &|buffer, len| call!(cuDeviceGetName(buffer, len, 0));
        let bus: Call = &|buffer, len| call!(cuDeviceGetPCIBusId(buffer, len, 0));
        for (call, whole) in [(name, "CUDA emulator (1 core)"), (bus, "000e:01:00.0")] {
            for len in 1..=whole.len() + 5 {
                let kept = &whole[..whole.len().min(len - 1)];
                assert_eq!(text(len as i32, call), Ok(kept.into()), "{len}");
            }
            for len in [0, -1, i32::MIN] {
                let rejected = Err(INVALID);
                assert_eq!(text(len, call), rejected, "{len}");
            }
        }
        assert_eq!(attribute(16, 0), 1);
        return;
    }
    let one = [("CUDA_EMULATOR_THREADS", "1")];
    passes(&one, || ());
}

const MANY: [(&str, &str); 1] = [("CUDA_EMULATOR_DEVICES", "64")];

#[test]
fn devices_have_distinct_identities() {
    passes(&MANY, || {
        ok!(cuInit(0));
        let count = out!(cuDeviceGetCount(_));
        assert_eq!(count, 64);
        let mut uuids = std::collections::HashSet::new();
        for device in 0..64 {
            assert_eq!(out!(cuDeviceGet(_, device)), device);
            let first = out!(cuDeviceGetUuid(_, device));
            let second = out!(cuDeviceGetUuid_v2(_, device));
            assert_eq!(first.bytes, second.bytes);
            assert_ne!(first.bytes, [0; 16]);
            assert!(uuids.insert(first.bytes), "{device}");
            let bus = |buffer, len| call!(cuDeviceGetPCIBusId(buffer, len, device));
            let bus = text(64, bus).unwrap();
            assert_eq!(bus, format!("000e:{:02x}:00.0", device + 1));
            let short = bus.strip_suffix(".0").unwrap();
            for form in [bus.as_str(), short, &bus.to_uppercase()] {
                let form = CString::new(form).unwrap();
                let found = out!(cuDeviceGetByPCIBusId(_, form.as_ptr()));
                assert_eq!(found, device, "{form:?}");
            }
            assert_eq!(attribute(33, device), device + 1);
            assert_eq!(attribute(85, device), device);
            assert_eq!(attribute(50, device), 0xe);
        }
        let mut found = 7;
        let wrong = ",000e:00:00.0,000e:41:00.0,000f:01:00.0,000e:01:01.0,000d:01:02.0,01:00.0,0e:01,e,e:1:0:0,e:g:0";
        for wrong in wrong.split(',') {
            let text = CString::new(wrong).unwrap();
            let code = call!(cuDeviceGetByPCIBusId(&mut found, text.as_ptr()));
            assert_eq!((code, found), (INVALID_DEVICE, 7), "{wrong:?}");
        }
    });
}

#[test]
fn pairs_of_devices() {
    passes(&MANY, || {
        ok!(cuInit(0));
        let attribute = |number, from, to| {
            let number = CUdevice_P2PAttribute(number);
            result!(cuDeviceGetP2PAttribute(_, number, from, to))
        };
        for (from, to) in [(0, 1), (1, 0), (63, 0), (31, 32)] {
            for (number, expected) in [(1, 0), (2, 1), (3, 1), (4, 1), (5, 0)] {
                let value = attribute(number, from, to);
                assert_eq!(value, Ok(expected), "attribute {number}");
                assert_eq!(attribute(number, from, from), Err(INVALID_DEVICE));
            }
            for number in [0, 6, u32::MAX] {
                assert_eq!(attribute(number, from, to), Err(INVALID));
            }
            assert_eq!(out!(cuDeviceCanAccessPeer(_, from, to)), 1);
            assert_eq!(out!(cuDeviceCanAccessPeer(_, from, from)), 0);
        }
        // Contexts: a device is not its own peer, and flags must be zero.
        let mut contexts = [null_mut(); 4];
        for (place, device) in contexts.iter_mut().zip([0, 0, 1, 63]) {
            ok!(cuCtxCreate_v2(place, 0, device));
        }
        let [first, same, second, last] = contexts;
        ok!(cuCtxSetCurrent(first));
        for own in [first, same] {
            fails!(PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(own, 0));
            fails!(PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(own));
        }
        for wrong in WILD.map(|handle| handle as CUcontext) {
            no_context!(cuCtxEnablePeerAccess(wrong, 0));
            no_context!(cuCtxDisablePeerAccess(wrong));
        }
        for peer in [second, last] {
            for flags in [1, u32::MAX] {
                invalid!(cuCtxEnablePeerAccess(peer, flags));
            }
            fails!(PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(peer));
            ok!(cuCtxEnablePeerAccess(peer, 0));
            fails!(PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(peer, 0));
        }
        ok!(cuCtxDisablePeerAccess(second));
        ok!(cuCtxEnablePeerAccess(second, 0));
        // On every device, a kernel accesses the memory of its device.
        for context in contexts {
            ok!(cuCtxSetCurrent(context));
            let store = function(load(include_str!("../../kernels/kernels.ptx")), "store");
            let place = alloc(4);
            assert_eq!(launch(store, 1, 1, null_mut(), &mut [arg(&place)]), SUCCESS);
            assert_eq!(download::<u32>(place, 1), [7]);
        }
    });
}

#[test]
fn each_device_has_its_pools() {
    passes(&MANY, || {
        ok!(cuInit(0));
        let pools = |device| {
            let default = out!(cuDeviceGetDefaultMemPool(_, device));
            (default, out!(cuDeviceGetMemPool(_, device)))
        };
        let defaults: Vec<_> = (0..64).map(pools).collect();
        let mut distinct = std::collections::HashSet::new();
        for (default, current) in &defaults {
            assert!(!default.is_null() && default == current);
            assert!(distinct.insert(*default as usize));
        }
        let own = pool(0, 0);
        ok!(cuDeviceSetMemPool(0, own));
        assert_eq!(pools(0), (defaults[0].0, own));
        assert_eq!(pools(1), defaults[1]);
        // A pool of another device, and invalid pools.
        let none = [null_mut(), own.wrapping_byte_add(16)];
        for wrong in none.into_iter().chain([defaults[1].0]) {
            invalid!(cuDeviceSetMemPool(0, wrong));
        }
        invalid!(cuDeviceSetMemPool(1, own));
        for wrong in WILD.map(|handle| handle as *mut c_void) {
            invalid!(cuDeviceSetMemPool(0, wrong.cast()));
        }
        assert_eq!(pools(0), (defaults[0].0, own));
        ok!(cuDeviceSetMemPool(0, defaults[0].0));
        assert_eq!(pools(0), defaults[0]);
    });
}

#[test]
fn primary_contexts_live_from_the_first_retain_to_the_last_release() {
    passes(&MANY, || {
        ok!(cuInit(0));
        let state = |device| {
            let (mut flags, mut active) = (99, 99);
            ok!(cuDevicePrimaryCtxGetState(device, &mut flags, &mut active));
            let (mut again, mut still) = (99, 99);
            ok!(cuDevicePrimaryCtxGetState(device, &mut again, null_mut()));
            ok!(cuDevicePrimaryCtxGetState(device, null_mut(), &mut still));
            ok!(cuDevicePrimaryCtxGetState(device, null_mut(), null_mut()));
            assert_eq!((flags, active), (again, still));
            (flags, active)
        };
        type Simple = unsafe extern "C" fn(CUdevice) -> CUresult;
        type SetFlags = unsafe extern "C" fn(CUdevice, u32) -> CUresult;
        let old: (Simple, Simple, SetFlags) = (
            cuDevicePrimaryCtxRelease,
            cuDevicePrimaryCtxReset,
            cuDevicePrimaryCtxSetFlags,
        );
        let new: (Simple, Simple, SetFlags) = (
            cuDevicePrimaryCtxRelease_v2,
            cuDevicePrimaryCtxReset_v2,
            cuDevicePrimaryCtxSetFlags_v2,
        );
        for (device, (release, reset, set_flags)) in [(0, old), (1, new), (63, old)] {
            assert_eq!(state(device), (0, 0));
            no_context!(release(device));
            for flags in [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xf8, 0xfc, 0, 0x14] {
                ok!(set_flags(device, flags));
                assert_eq!(state(device), (flags, 0));
            }
            for flags in [3, 5, 6, 7, 0xff, 0x200, 0x201, 0x8000_0000, u32::MAX] {
                invalid!(set_flags(device, flags));
                assert_eq!(state(device), (0x14, 0));
            }
            // Resetting an inactive primary context has no effect.
            ok!(reset(device));
            let (mut context, mut again) = (null_mut(), null_mut());
            ok!(cuDevicePrimaryCtxRetain(&mut context, device));
            assert_eq!(state(device), (0x14, 1));
            assert_eq!(state(2), (0, 0), "the context of another device");
            ok!(cuCtxSetCurrent(context));
            assert_eq!(out!(cuCtxGetFlags(_)), 0x14);
            assert_eq!(out!(cuCtxGetDevice(_)), device);
            ok!(cuDevicePrimaryCtxRetain(&mut again, device));
            assert_eq!(again, context);
            let address = upload(&[5u32]);
            ok!(release(device));
            assert_eq!(state(device), (0x14, 1));
            assert_eq!(download::<u32>(address, 1), [5]);
            let limit = CUlimit::CU_LIMIT_STACK_SIZE;
            ok!(cuCtxSetLimit(limit, 4096));
            ok!(reset(device));
            assert_eq!(state(device), (0x14, 0));
            fails!(CONTEXT_IS_DESTROYED, cuCtxSynchronize());
            // The context stays retained and is empty afterwards.
            ok!(cuDevicePrimaryCtxRetain(&mut again, device));
            assert_eq!((again, state(device).1), (context, 1));
            assert_eq!(out!(cuCtxGetLimit(_, limit)), 1024);
            invalid!(cuMemFree_v2(address));
            ok!(release(device));
            assert_eq!(state(device), (0x14, 1));
            ok!(release(device));
            assert_eq!(state(device), (0x14, 0));
            no_context!(release(device));
        }
    });
}
