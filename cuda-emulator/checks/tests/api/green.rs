//! Green contexts through the C ABI: the recorded results of an H200 (driver 580), on a device with
//! 20 multiprocessors.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::{RELAXED, begin, end_with};

/// `CUdevResource`, which only headers since CUDA 12.4 declare.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Resource {
    kind: u32,
    internal: [u8; 92],
    count: u32,
    smallest: u32,
    alignment: u32,
    rest: [u32; 9],
}

type Handle = *mut c_void;

fn none() -> Resource {
    filled(0)
}

// Declared here, because the installed header may lack the functions or their types.
#[allow(clashing_extern_declarations, reason = "the types are the same for C")]
unsafe extern "C" {
    fn cuDeviceGetDevResource(device: CUdevice, resource: *mut Resource, kind: u32) -> CUresult;
    fn cuCtxGetDevResource(context: CUcontext, resource: *mut Resource, kind: u32) -> CUresult;
    fn cuGreenCtxGetDevResource(green: Handle, resource: *mut Resource, kind: u32) -> CUresult;
    fn cuDevSmResourceSplitByCount(
        result: *mut Resource,
        count: *mut u32,
        input: *const Resource,
        rest: *mut Resource,
        flags: u32,
        smallest: u32,
    ) -> CUresult;
    fn cuDevResourceGenerateDesc(
        descriptor: *mut Handle,
        resources: *mut Resource,
        count: u32,
    ) -> CUresult;
    fn cuGreenCtxCreate(
        green: *mut Handle,
        descriptor: Handle,
        device: CUdevice,
        flags: u32,
    ) -> CUresult;
    fn cuGreenCtxDestroy(green: Handle) -> CUresult;
    fn cuCtxFromGreenCtx(context: *mut CUcontext, green: Handle) -> CUresult;
    fn cuGreenCtxStreamCreate(
        stream: *mut CUstream,
        green: Handle,
        flags: u32,
        priority: i32,
    ) -> CUresult;
    fn cuGreenCtxGetId(green: Handle, id: *mut u64) -> CUresult;
    fn cuGreenCtxRecordEvent(green: Handle, event: CUevent) -> CUresult;
    fn cuGreenCtxWaitEvent(green: Handle, event: CUevent) -> CUresult;
    fn cuStreamGetGreenCtx(stream: CUstream, green: *mut Handle) -> CUresult;
}

/// The device has 20 multiprocessors (two groups of 8, and 4 more). The recorded results are of an
/// H200 with 132.
const VARIABLES: &[(&str, &str)] = &[("CUDA_EMULATOR_THREADS", "20")];

fn all() -> Resource {
    out!(cuDeviceGetDevResource(0, _, 1))
}

/// Splits a resource into at most 32 groups. Returns them and the remainder, or the error code.
fn groups(
    input: &Resource,
    mut count: u32,
    flags: u32,
    smallest: u32,
) -> Result<(Vec<Resource>, Resource), CUresult> {
    let (mut groups, split) = ([none(); 32], cuDevSmResourceSplitByCount);
    let place = groups.as_mut_ptr();
    let rest = result!(split(place, &mut count, input, _, flags, smallest))?;
    Ok((groups[..count as usize].to_vec(), rest))
}

/// Returns the group sizes and the remainder of a split, or the error code.
fn split(input: &Resource, most: u32, flags: u32, smallest: u32) -> Result<(Vec<u32>, u32), u32> {
    let (groups, rest) = groups(input, most, flags, smallest).map_err(|code| code.0)?;
    Ok((groups.iter().map(|one| one.count).collect(), rest.count))
}

fn parts(most: u32, smallest: u32) -> Vec<Resource> {
    groups(&all(), most, 0, smallest).unwrap().0
}

fn green(mut parts: Vec<Resource>) -> Handle {
    let (place, count) = (parts.as_mut_ptr(), parts.len() as u32);
    let descriptor = out!(cuDevResourceGenerateDesc(_, place, count));
    out!(cuGreenCtxCreate(_, descriptor, 0, 1))
}

#[test]
fn split_sizes_match_an_h200() {
    passes(VARIABLES, || {
        ok!(cuInit(0));
        let all = all();
        assert_eq!((all.kind, all.count), (1, 20));
        assert_eq!((all.smallest, all.alignment), (8, 8));
        let cases: [(u32, u32, u32, &[u32], u32); 11] = [
            (2, 0, 0, &[8, 8], 4),
            (32, 0, 8, &[8, 8], 4),
            (1, 0, 3, &[8], 12),
            (32, 0, 9, &[16], 4),
            (32, 0, 17, &[20], 0),
            (32, 0, 20, &[20], 0),
            (32, 1, 0, &[2; 10], 0),
            (32, 1, 3, &[4; 5], 0),
            (2, 1, 6, &[6, 6], 8),
            (32, 2, 8, &[8, 8], 4),
            (32, 4, 8, &[8, 8], 4),
        ];
        for (most, flags, smallest, groups, rest) in cases {
            let found = split(&all, most, flags, smallest);
            let expected = Ok((groups.to_vec(), rest));
            assert_eq!(found, expected, "{most}, {flags}, {smallest}");
        }
        // Too many multiprocessors, both flags, and no room for groups.
        assert_eq!(split(&all, 2, 0, 21), Err(915));
        assert_eq!(split(&all, 2, 3, 8), Err(1));
        assert_eq!(split(&all, 0, 0, 8), Err(1));
        // A resource that no call returned, and a modified one.
        assert_eq!(split(&none(), 2, 0, 8), Err(914));
        assert_eq!(split(&Resource { count: 19, ..all }, 2, 0, 8), Err(915));
        // Queries only the number of groups.
        let (count, no) = (cuDevSmResourceSplitByCount, null_mut());
        assert_eq!(out!(count(no, _, &all, no, 0, 8)), 2);
        invalid!(count(no, null_mut(), &all, no, 0, 8));
        // A part can be split only through a green context.
        let part = parts(1, 16)[0];
        assert_eq!((part.count, part.smallest, part.alignment), (16, 0, 0));
        assert_eq!(split(&part, 2, 0, 8), Err(915));
        let green = green(vec![part]);
        let own = out!(cuGreenCtxGetDevResource(green, _, 1));
        assert_eq!((own.count, own.smallest, own.alignment), (16, 8, 8));
        assert_eq!(split(&own, 2, 0, 8), Ok((vec![8, 8], 0)));
        ok!(cuGreenCtxDestroy(green));
    });
}

#[test]
fn invalid_arguments_are_rejected() {
    passes(VARIABLES, || {
        let primary = Primary::new();
        let mut place = none();
        for kind in [0, 2, 1000, 10_000, u32::MAX] {
            let code = call!(cuDeviceGetDevResource(0, &mut place, kind));
            assert_eq!(code, INVALID_RESOURCE_TYPE);
            let code = call!(cuCtxGetDevResource(primary.0, &mut place, kind));
            assert_eq!(code, INVALID_RESOURCE_TYPE);
        }
        fails!(INVALID_DEVICE, cuDeviceGetDevResource(99, &mut place, 1));
        invalid!(cuDeviceGetDevResource(0, null_mut(), 1));
        no_context!(cuCtxGetDevResource(null_mut(), &mut place, 1));
        let (mut part, mut descriptor, mut green) = (parts(1, 8)[0], null_mut(), null_mut());
        ok!(cuDevResourceGenerateDesc(&mut descriptor, &mut part, 1));
        // An H200's driver crashes on this call.
        invalid!(cuDevResourceGenerateDesc(&mut green, &mut part, 0));
        let code = call!(cuDevResourceGenerateDesc(&mut green, &mut none(), 1));
        assert_eq!(code, INVALID_RESOURCE_TYPE);
        for flags in [0, 2, 3] {
            invalid!(cuGreenCtxCreate(&mut green, descriptor, 0, flags));
        }
        let code = call!(cuGreenCtxCreate(&mut green, descriptor, 99, 1));
        assert_eq!(code, INVALID_DEVICE);
        for wild in WILD {
            let wild = wild as Handle;
            invalid!(cuGreenCtxCreate(&mut green, wild, 0, 1));
            no_context!(cuGreenCtxDestroy(wild));
            no_context!(cuCtxFromGreenCtx(&mut null_mut(), wild));
        }
        ok!(cuGreenCtxCreate(&mut green, descriptor, 0, 1));
        let mut stream = null_mut();
        for flags in [0, 2] {
            invalid!(cuGreenCtxStreamCreate(&mut stream, green, flags, 0));
        }
        // The context of a green context cannot be destroyed.
        let context = out!(cuCtxFromGreenCtx(_, green));
        no_context!(cuCtxDestroy_v2(context));
        // Its streams are destroyed with it.
        ok!(cuGreenCtxStreamCreate(&mut stream, green, 1, -100));
        assert_eq!(out!(cuStreamGetPriority(stream, _)), -5);
        ok!(cuGreenCtxDestroy(green));
        fails!(CONTEXT_IS_DESTROYED, cuStreamQuery(stream));
        fails!(CONTEXT_IS_DESTROYED, cuStreamDestroy_v2(stream));
    });
}

#[test]
fn green_contexts_share_the_primary_context() {
    passes(VARIABLES, || {
        let primary = Primary::new();
        let parts = parts(2, 8);
        let (one, other) = (green(vec![parts[0]]), green(vec![parts[1]]));
        let context = out!(cuCtxFromGreenCtx(_, one));
        assert_ne!(context, primary.0);
        let [id, others] = [one, other].map(|green| out!(cuGreenCtxGetId(green, _)));
        let [of_context, primarys] = [context, primary.0].map(|one| out!(cuCtxGetId(one, _)));
        assert_eq!(id, of_context);
        assert_eq!(BTreeSet::from([id, others, primarys]).len(), 3);

        ok!(cuCtxPushCurrent_v2(context));
        let mut current = out!(cuCtxGetCurrent(_));
        assert_eq!(current, context);
        // Memory belongs to the primary context, and streams belong to the green context.
        let address = alloc(64);
        let mut owner: CUcontext = null_mut();
        let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_CONTEXT;
        let place = (&raw mut owner).cast();
        ok!(cuPointerGetAttribute(place, attribute, address));
        assert_eq!(owner, primary.0);
        let (created, mut found) = (stream(0), null_mut());
        ok!(cuStreamGetCtx(created, &mut current));
        ok!(cuStreamGetGreenCtx(created, &mut found));
        assert_eq!((current, found), (context, one));
        ok!(cuStreamGetGreenCtx(null_mut(), &mut found));
        assert_eq!(found, one);
        ok!(cuMemsetD32Async(address, 7, 16, null_mut()));
        let per_thread = 2 as CUstream;
        stale!(cuMemsetD32Async(address, 7, 16, per_thread));
        ok!(cuCtxSynchronize());
        assert_eq!(download::<u32>(address, 16), [7; 16]);
        ok!(cuCtxPopCurrent_v2(&mut current));
        assert_eq!(current, context);

        // Events belong to the primary context, whichever stream records them.
        let (mut fast, mark) = (null_mut(), event(0));
        ok!(cuGreenCtxStreamCreate(&mut fast, other, 1, 0));
        let plain = stream(1);
        ok!(cuEventRecord(mark, fast));
        ok!(cuStreamWaitEvent(plain, mark, 0));
        ok!(cuGreenCtxRecordEvent(one, mark));
        ok!(cuGreenCtxWaitEvent(other, mark));
        ok!(cuEventSynchronize(mark));
        ok!(cuStreamGetGreenCtx(plain, &mut found));
        assert!(found.is_null());
        let own = Own::new();
        let strange = event(0);
        stale!(cuGreenCtxRecordEvent(one, strange));
        ok!(cuGreenCtxWaitEvent(one, strange));
        drop(own);

        // While one of its streams is capturing, its events would wait forever.
        begin(fast, RELAXED);
        ok!(cuGreenCtxRecordEvent(one, mark));
        let code = call!(cuGreenCtxRecordEvent(other, mark));
        assert_eq!(code, STREAM_CAPTURE_UNSUPPORTED);
        end_with(fast, STREAM_CAPTURE_INVALIDATED);
        for stream in [created, fast, plain] {
            ok!(cuStreamDestroy_v2(stream));
        }
        ok!(cuEventDestroy_v2(mark));
        ok!(cuMemFree_v2(address));
        ok!(cuGreenCtxDestroy(one));
        ok!(cuGreenCtxDestroy(other));
    });
}

#[test]
fn green_contexts_retain_the_primary_context() {
    passes(VARIABLES, || {
        ok!(cuInit(0));
        let green = green(parts(1, 8));
        let active = || out!(cuDevicePrimaryCtxGetState(0, null_mut(), _));
        assert_eq!(active(), 1);
        ok!(cuGreenCtxDestroy(green));
        assert_eq!(active(), 0);
    });
}

#[test]
fn a_fault_ends_all_green_contexts() {
    let report = ["CUDA_ERROR_LAUNCH_FAILED"];
    reports(VARIABLES, &report, || {
        let _primary = Primary::new();
        let all = parts(2, 8);
        let greens = [green(vec![all[0]]), green(vec![all[1]])];
        let contexts = greens.map(|green| out!(cuCtxFromGreenCtx(_, green)));
        let created = Own::new();
        ok!(cuCtxSetCurrent(contexts[0]));
        let stop = function(load(FAULTS), "stop");
        assert_eq!(launch(stop, 1, 1, null_mut(), &mut []), SUCCESS);
        fails!(LAUNCH_FAILED, cuCtxSynchronize());
        for context in [contexts[1], created.0, contexts[0]] {
            ok!(cuCtxSetCurrent(context));
            fails!(LAUNCH_FAILED, cuCtxSynchronize());
        }
        let descriptor = out!(cuDevResourceGenerateDesc(_, [all[0]].as_mut_ptr(), 1));
        let other = result!(cuGreenCtxCreate(_, descriptor, 0, 1));
        assert_eq!(other, Err(LAUNCH_FAILED));
        for green in greens {
            ok!(cuGreenCtxDestroy(green));
        }
    });
}
