//! The context functions, one by one: their effects and the arguments that they reject.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

// Functions that the newest headers no longer declare.
unsafe extern "C" {
    fn cuCtxCreate_v3(
        context: *mut CUcontext,
        affinities: *mut CUexecAffinityParam,
        count: i32,
        flags: u32,
        device: CUdevice,
    ) -> CUresult;
    fn cuCtxDestroy(context: CUcontext) -> CUresult;
    fn cuCtxPushCurrent(context: CUcontext) -> CUresult;
    fn cuCtxPopCurrent(context: *mut CUcontext) -> CUresult;
}

fn current() -> CUcontext {
    out!(cuCtxGetCurrent(_))
}

fn wild() -> impl Iterator<Item = CUcontext> {
    WILD.into_iter().map(|handle| handle as CUcontext)
}

/// Returns a context that was destroyed.
fn stale() -> CUcontext {
    ok!(cuInit(0));
    let context = out!(cuCtxCreate_v2(_, 0, 0));
    ok!(cuCtxDestroy_v2(context));
    context
}

/// Accepted context flags: each bit of the header's mask alone, and each scheduling mode with all
/// the others. Also one bit that no header declares and an H200 accepts.
const ALLOWED: [u32; 14] = [
    0, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xf8, 0xf9, 0xfa, 0xfc, 0x100,
];
/// Two scheduling modes, or bits that no header declares.
const REJECTED: [u32; 10] = [3, 5, 6, 7, 0xff, 0x200, 0x201, 0x1000, 1 << 31, u32::MAX];

#[test]
fn every_create_function_checks_flags_and_sets_the_current_context() {
    ok!(cuInit(0));
    type Create<'a> = &'a dyn Fn(*mut CUcontext, u32, CUdevice) -> CUresult;
    // SAFETY: The handle pointer is valid, or null, which must be rejected. There are no
    // parameters.
    let forms: [Create; 3] = unsafe {
        [
            &|place, flags, device| cuCtxCreate_v2(place, flags, device),
            &|place, flags, device| cuCtxCreate_v3(place, null_mut(), 0, flags, device),
            &|place, flags, device| cuCtxCreate_v4(place, null_mut(), flags, device),
        ]
    };
    for (form, create) in forms.into_iter().enumerate() {
        let mut context = null_mut();
        for flags in ALLOWED {
            let code = create(&mut context, flags, 0);
            assert_eq!(code, SUCCESS, "form {form}, {flags:#x}");
            assert!(!context.is_null() && current() == context, "form {form}");
            let mut got = !flags;
            ok!(cuCtxGetFlags(&mut got));
            assert_eq!(got, flags, "form {form}");
            ok!(cuCtxDestroy_v2(context));
        }
        let place: *mut CUcontext = &mut context;
        let rejected = REJECTED.map(|flags| (place, flags, 0, INVALID));
        for (place, flags, device, expected) in rejected.into_iter().chain([
            (null_mut(), 0, 0, INVALID),
            (place, 0, 1, INVALID_DEVICE),
            (place, 0, -1, INVALID_DEVICE),
        ]) {
            let code = create(place, flags, device);
            assert_eq!(code, expected, "form {form}, {flags:#x}, device {device}");
            assert!(current().is_null());
        }
    }
}

#[test]
fn creation_parameters_are_checked() {
    ok!(cuInit(0));
    let mut context = null_mut();
    let mut affinity = [0u64; 2];
    let some = affinity.as_mut_ptr();
    for count in [1, 2] {
        fails!(
            UNSUPPORTED_EXEC_AFFINITY,
            cuCtxCreate_v3(&mut context, some.cast(), count, 0, 0)
        );
    }
    let none = 0;
    let some = some as u64;
    for (affinities, count, graphics, expected) in [
        (none, 0, none, SUCCESS),
        (some, 0, none, SUCCESS),
        // The padding after the count is ignored.
        (some, 1 << 32, none, SUCCESS),
        (some, 1, none, UNSUPPORTED_EXEC_AFFINITY),
        (none, 0, some, NOT_SUPPORTED),
        (some, 0, some, NOT_SUPPORTED),
    ] {
        let mut parameters = [affinities, count, graphics];
        let place = parameters.as_mut_ptr().cast();
        let code = call!(cuCtxCreate_v4(&mut context, place, 0, 0));
        assert_eq!(code, expected, "{parameters:x?}");
        if code == SUCCESS {
            assert_eq!(current(), context);
            ok!(cuCtxDestroy_v2(context));
        }
        assert!(current().is_null());
    }
}

#[test]
fn flags_can_be_changed_to_values_allowed_at_creation() {
    ok!(cuInit(0));
    let mut got = 99;
    no_context!(cuCtxSetFlags(0));
    no_context!(cuCtxGetFlags(&mut got));
    let _context = Own::new();
    for flags in ALLOWED {
        ok!(cuCtxSetFlags(flags));
        ok!(cuCtxGetFlags(&mut got));
        assert_eq!(got, flags);
    }
    ok!(cuCtxSetFlags(0x14));
    for flags in REJECTED {
        invalid!(cuCtxSetFlags(flags));
        ok!(cuCtxGetFlags(&mut got));
        assert_eq!(got, 0x14, "{flags:#x}");
    }
    invalid!(cuCtxGetFlags(null_mut()));
}

#[test]
fn old_push_pop_and_destroy_work_like_the_new_ones() {
    let [first, second] = [Own::new(), Own::new()].map(|own| std::mem::ManuallyDrop::new(own).0);
    type Push = unsafe extern "C" fn(CUcontext) -> CUresult;
    type Pop = unsafe extern "C" fn(*mut CUcontext) -> CUresult;
    let forms: [(Push, Pop); 2] = [
        (cuCtxPushCurrent, cuCtxPopCurrent),
        (cuCtxPushCurrent_v2, cuCtxPopCurrent_v2),
    ];
    let stale_one = stale();
    for (push, pop) in forms {
        assert_eq!(current(), second);
        ok!(push(first));
        assert_eq!(current(), first);
        ok!(push(first));
        let popped = out!(pop(_));
        assert_eq!((popped, current()), (first, first));
        ok!(pop(null_mut()));
        assert_eq!(current(), second);
        for handle in wild().chain([null_mut(), stale_one]) {
            no_context!(push(handle));
            assert_eq!(current(), second);
        }
        std::thread::spawn(move || {
            let mut popped = null_mut();
            no_context!(pop(&mut popped));
            assert!(popped.is_null());
        })
        .join()
        .unwrap();
    }
    ok!(cuCtxDestroy(second));
    assert_eq!(current(), first);
    no_context!(cuCtxDestroy(second));
    ok!(cuCtxDestroy(first));
    assert!(current().is_null());
    for handle in wild().chain([null_mut(), first]) {
        no_context!(cuCtxDestroy(handle));
        no_context!(cuCtxDestroy_v2(handle));
    }
}

#[test]
fn making_a_context_current_replaces_the_top_of_the_stack() {
    let first = Own::new();
    let second = Own::new();
    ok!(cuCtxSetCurrent(first.0));
    assert_eq!(current(), first.0);
    ok!(cuCtxSetCurrent(null_mut()));
    assert_eq!(current(), first.0, "the context below the replaced one");
    ok!(cuCtxSetCurrent(null_mut()));
    assert!(current().is_null());
    ok!(cuCtxSetCurrent(null_mut()));
    ok!(cuCtxSetCurrent(second.0));
    assert_eq!(current(), second.0);
    for handle in wild() {
        no_context!(cuCtxSetCurrent(handle));
        assert_eq!(current(), second.0);
    }
    invalid!(cuCtxGetCurrent(null_mut()));
    let context = out!(cuDevicePrimaryCtxRetain(_, 0));
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    fails!(CONTEXT_IS_DESTROYED, cuCtxSetCurrent(context));
    fails!(CONTEXT_IS_DESTROYED, cuCtxPushCurrent_v2(context));
    assert_eq!(current(), second.0);
}

#[test]
fn attach_returns_the_current_context_and_detach_destroys_it() {
    ok!(cuInit(0));
    let (mut created, mut attached) = (null_mut(), null_mut());
    no_context!(cuCtxAttach(&mut attached, 0));
    ok!(cuCtxCreate_v2(&mut created, 0, 0));
    invalid!(cuCtxAttach(null_mut(), 0));
    for handle in wild().chain([null_mut()]) {
        no_context!(cuCtxDetach(handle));
    }
    let stream = stream(0);
    no_context!(cuCtxDetach(stream.cast::<c_void>().cast()));
    ok!(cuStreamQuery(stream));
    ok!(cuCtxDetach(created));
    assert!(current().is_null());
    no_context!(cuCtxDetach(created));
    let context = Own::new();
    invalid!(cuCtxAttach(&mut attached, 1));
    ok!(cuCtxAttach(&mut attached, 0));
    assert_eq!(attached, context.0);
    // Attaching does not count references: one detach ends the context.
    ok!(cuCtxCreate_v2(&mut created, 0, 0));
    for _ in 0..3 {
        ok!(cuCtxAttach(&mut attached, 0));
    }
    ok!(cuCtxDetach(created));
    no_context!(cuCtxDetach(created));
}

/// Calls that take a context handle, where null means the current context.
#[test]
fn null_means_the_current_context() {
    if !inner() {
        passes(&[("CUDA_EMULATOR_DEVICES", "3")], || ());
        return;
    }
    let stale = stale();
    let mut contexts = [null_mut(); 3];
    for (device, place) in (0..).zip(&mut contexts) {
        ok!(cuCtxCreate_v2(place, 0, device));
    }
    let event = out!(cuEventCreate(_, 0));
    let id = |context| out!(cuCtxGetId(context, _));
    for (device, context) in (0..).zip(contexts) {
        ok!(cuCtxSetCurrent(context));
        for (other, handle) in (0..).zip(contexts).chain([(device, null_mut())]) {
            let got = out!(cuCtxGetDevice_v2(_, handle));
            assert_eq!(got, other, "current is that of device {device}");
            assert_eq!(out!(cuCtxGetApiVersion(handle, _)), 3020);
            assert_eq!(id(handle), id(contexts[other as usize]));
            ok!(cuCtxSynchronize_v2(handle));
        }
        assert_eq!(out!(cuCtxGetDevice(_)), device);
    }
    assert!(id(contexts[0]) != id(contexts[1]) && id(contexts[1]) != id(contexts[2]));
    let (mut device, mut id, mut version) = (7, 7, 7);
    let refuse = |handle: CUcontext, device: &mut i32, id: &mut u64, version: &mut u32| {
        no_context!(cuCtxGetDevice_v2(device, handle));
        no_context!(cuCtxGetId(handle, id));
        no_context!(cuCtxGetApiVersion(handle, version));
        no_context!(cuCtxSynchronize_v2(handle));
        no_context!(cuCtxRecordEvent(handle, event));
        no_context!(cuCtxWaitEvent(handle, event));
    };
    for handle in wild().chain([stale]) {
        refuse(handle, &mut device, &mut id, &mut version);
    }
    invalid!(cuCtxGetDevice(null_mut()));
    for handle in [contexts[0], null_mut()] {
        invalid!(cuCtxGetDevice_v2(null_mut(), handle));
        invalid!(cuCtxGetId(handle, null_mut()));
        invalid!(cuCtxGetApiVersion(handle, null_mut()));
        for handle_of_event in WILD {
            let wrong: CUevent = without_provenance_mut(handle_of_event);
            stale!(cuCtxRecordEvent(handle, wrong));
            stale!(cuCtxWaitEvent(handle, wrong));
        }
    }
    std::thread::scope(|scope| {
        let event = event as usize;
        scope.spawn(move || {
            let (mut device, mut id, mut version) = (7, 7, 7);
            let event = event as CUevent;
            no_context!(cuCtxGetDevice(&mut device));
            no_context!(cuCtxGetDevice_v2(&mut device, null_mut()));
            no_context!(cuCtxGetId(null_mut(), &mut id));
            no_context!(cuCtxGetApiVersion(null_mut(), &mut version));
            no_context!(cuCtxSynchronize_v2(null_mut()));
            no_context!(cuCtxRecordEvent(null_mut(), event));
            no_context!(cuCtxWaitEvent(null_mut(), event));
            assert_eq!((device, id, version), (7, 7, 7));
        });
    });
    assert_eq!((device, id, version), (7, 7, 7));
}

#[test]
fn preferences_are_range_checked() {
    ok!(cuInit(0));
    let (mut cache, mut shared) = (CUfunc_cache(9), CUsharedconfig(9));
    let (mut least, mut greatest) = (9, 9);
    no_context!(cuCtxSetCacheConfig(CUfunc_cache(0)));
    no_context!(cuCtxGetCacheConfig(&mut cache));
    no_context!(cuCtxSetSharedMemConfig(CUsharedconfig(0)));
    no_context!(cuCtxGetSharedMemConfig(&mut shared));
    no_context!(cuCtxGetStreamPriorityRange(&mut least, &mut greatest));
    no_context!(cuCtxResetPersistingL2Cache());
    let _context = Own::new();
    for preference in [1, 2, 3, 0, 3] {
        ok!(cuCtxSetCacheConfig(CUfunc_cache(preference)));
        ok!(cuCtxGetCacheConfig(&mut cache));
        assert_eq!(cache.0, preference);
    }
    for wrong in [4, 5, u32::MAX] {
        invalid!(cuCtxSetCacheConfig(CUfunc_cache(wrong)));
        ok!(cuCtxGetCacheConfig(&mut cache));
        assert_eq!(cache.0, 3);
    }
    // Current devices always have four-byte banks, whatever is requested.
    for width in [0, 1, 2] {
        ok!(cuCtxSetSharedMemConfig(CUsharedconfig(width)));
        ok!(cuCtxGetSharedMemConfig(&mut shared));
        assert_eq!(shared.0, 1);
    }
    for wrong in [3, 4, u32::MAX] {
        invalid!(cuCtxSetSharedMemConfig(CUsharedconfig(wrong)));
    }
    invalid!(cuCtxGetCacheConfig(null_mut()));
    invalid!(cuCtxGetSharedMemConfig(null_mut()));
    ok!(cuCtxGetStreamPriorityRange(&mut least, null_mut()));
    assert_eq!((least, greatest), (0, 9));
    ok!(cuCtxGetStreamPriorityRange(null_mut(), &mut greatest));
    assert_eq!((least, greatest), (0, -5));
    ok!(cuCtxGetStreamPriorityRange(null_mut(), null_mut()));
    ok!(cuCtxResetPersistingL2Cache());
    let count = CUexecAffinityType::CU_EXEC_AFFINITY_TYPE_SM_COUNT;
    let mut affinity = out!(cuCtxGetExecAffinity(_, count));
    let all = device_attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    // SAFETY: The type of this affinity was requested.
    let limit = unsafe { affinity.param.smCount.val };
    assert_eq!((affinity.type_, limit), (count, all as u32));
    let code = call!(cuCtxGetExecAffinity(&mut affinity, CUexecAffinityType(1)));
    assert_eq!(code, UNSUPPORTED_EXEC_AFFINITY);
    invalid!(cuCtxGetExecAffinity(null_mut(), count));
}
