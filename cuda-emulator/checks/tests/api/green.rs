//! Green contexts through the C ABI: the recorded results of an H200 (driver 580), on a device with
//! 20 multiprocessors.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_emulator_checks::abi::*;

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

const NONE: Resource = Resource {
    kind: 0,
    internal: [0; 92],
    count: 0,
    smallest: 0,
    alignment: 0,
    rest: [0; 9],
};

type Handle = *mut c_void;

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
    let mut all = NONE;
    ok!(cuDeviceGetDevResource(0, &mut all, 1));
    all
}

/// Returns the group sizes and the remainder of a split, or the error code.
fn split(input: &Resource, most: u32, flags: u32, smallest: u32) -> Result<(Vec<u32>, u32), u32> {
    let (mut groups, mut rest, mut count) = ([NONE; 32], NONE, most);
    let result = groups.as_mut_ptr();
    // SAFETY: There is room for 32 groups, and no test requests more.
    let code = unsafe {
        cuDevSmResourceSplitByCount(result, &mut count, input, &mut rest, flags, smallest)
    };
    match code {
        SUCCESS => Ok((
            groups[..count as usize]
                .iter()
                .map(|one| one.count)
                .collect(),
            rest.count,
        )),
        code => Err(code.0),
    }
}

fn parts(most: u32, smallest: u32) -> Vec<Resource> {
    let (mut groups, mut rest, mut count) = ([NONE; 32], NONE, most);
    let input = all();
    ok!(cuDevSmResourceSplitByCount(
        groups.as_mut_ptr(),
        &mut count,
        &input,
        &mut rest,
        0,
        smallest
    ));
    groups[..count as usize].to_vec()
}

fn green(mut parts: Vec<Resource>) -> Handle {
    let (mut descriptor, mut green) = (null_mut(), null_mut());
    let count = parts.len() as u32;
    ok!(cuDevResourceGenerateDesc(
        &mut descriptor,
        parts.as_mut_ptr(),
        count
    ));
    ok!(cuGreenCtxCreate(&mut green, descriptor, 0, 1));
    green
}

#[test]
fn split_sizes_match_an_h200() {
    passes("split_sizes_match_an_h200", VARIABLES, || {
        ok!(cuInit(0));
        let all = all();
        assert_eq!(
            (all.kind, all.count, all.smallest, all.alignment),
            (1, 20, 8, 8)
        );
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
            assert_eq!(
                found,
                Ok((groups.to_vec(), rest)),
                "{most}, {flags}, {smallest}"
            );
        }
        // Too many multiprocessors, both flags, and no room for groups.
        assert_eq!(split(&all, 2, 0, 21), Err(915));
        assert_eq!(split(&all, 2, 3, 8), Err(1));
        assert_eq!(split(&all, 0, 0, 8), Err(1));
        // A resource that no call returned, and a modified one.
        assert_eq!(split(&NONE, 2, 0, 8), Err(914));
        assert_eq!(split(&Resource { count: 19, ..all }, 2, 0, 8), Err(915));
        // Queries only the number of groups.
        let mut count = 7;
        ok!(cuDevSmResourceSplitByCount(
            null_mut(),
            &mut count,
            &all,
            null_mut(),
            0,
            8
        ));
        assert_eq!(count, 2);
        invalid!(cuDevSmResourceSplitByCount(
            null_mut(),
            null_mut(),
            &all,
            null_mut(),
            0,
            8
        ));
        // A part can be split only through a green context.
        let part = parts(1, 16)[0];
        assert_eq!((part.count, part.smallest, part.alignment), (16, 0, 0));
        assert_eq!(split(&part, 2, 0, 8), Err(915));
        let green = green(vec![part]);
        let mut own = NONE;
        ok!(cuGreenCtxGetDevResource(green, &mut own, 1));
        assert_eq!((own.count, own.smallest, own.alignment), (16, 8, 8));
        assert_eq!(split(&own, 2, 0, 8), Ok((vec![8, 8], 0)));
        ok!(cuGreenCtxDestroy(green));
    });
}

#[test]
fn invalid_arguments_are_rejected() {
    passes("invalid_arguments_are_rejected", VARIABLES, || {
        let primary = Primary::new();
        let mut place = NONE;
        for kind in [0, 2, 1000, 10_000, u32::MAX] {
            fails!(
                CUDA_ERROR_INVALID_RESOURCE_TYPE,
                cuDeviceGetDevResource(0, &mut place, kind)
            );
            fails!(
                CUDA_ERROR_INVALID_RESOURCE_TYPE,
                cuCtxGetDevResource(primary.0, &mut place, kind)
            );
        }
        fails!(
            CUDA_ERROR_INVALID_DEVICE,
            cuDeviceGetDevResource(99, &mut place, 1)
        );
        invalid!(cuDeviceGetDevResource(0, null_mut(), 1));
        fails!(
            CUDA_ERROR_INVALID_CONTEXT,
            cuCtxGetDevResource(null_mut(), &mut place, 1)
        );
        let (mut part, mut descriptor, mut green) = (parts(1, 8)[0], null_mut(), null_mut());
        ok!(cuDevResourceGenerateDesc(&mut descriptor, &mut part, 1));
        // An H200's driver crashes on this call.
        invalid!(cuDevResourceGenerateDesc(&mut green, &mut part, 0));
        let mut none = NONE;
        fails!(
            CUDA_ERROR_INVALID_RESOURCE_TYPE,
            cuDevResourceGenerateDesc(&mut green, &mut none, 1)
        );
        for flags in [0, 2, 3] {
            invalid!(cuGreenCtxCreate(&mut green, descriptor, 0, flags));
        }
        fails!(
            CUDA_ERROR_INVALID_DEVICE,
            cuGreenCtxCreate(&mut green, descriptor, 99, 1)
        );
        for wild in WILD {
            let wild = wild as Handle;
            invalid!(cuGreenCtxCreate(&mut green, wild, 0, 1));
            fails!(CUDA_ERROR_INVALID_CONTEXT, cuGreenCtxDestroy(wild));
            let mut context = null_mut();
            fails!(
                CUDA_ERROR_INVALID_CONTEXT,
                cuCtxFromGreenCtx(&mut context, wild)
            );
        }
        ok!(cuGreenCtxCreate(&mut green, descriptor, 0, 1));
        let mut stream = null_mut();
        for flags in [0, 2] {
            invalid!(cuGreenCtxStreamCreate(&mut stream, green, flags, 0));
        }
        // The context of a green context cannot be destroyed.
        let mut context = null_mut();
        ok!(cuCtxFromGreenCtx(&mut context, green));
        fails!(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(context));
        // Its streams are destroyed with it.
        ok!(cuGreenCtxStreamCreate(&mut stream, green, 1, -100));
        let mut priority = 0;
        ok!(cuStreamGetPriority(stream, &mut priority));
        assert_eq!(priority, -5);
        ok!(cuGreenCtxDestroy(green));
        fails!(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuStreamQuery(stream));
        fails!(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuStreamDestroy_v2(stream));
    });
}

#[test]
fn green_contexts_share_the_primary_context() {
    let test = "green_contexts_share_the_primary_context";
    passes(test, VARIABLES, || {
        let primary = Primary::new();
        let (parts, mut context) = (parts(2, 8), null_mut());
        let (one, other) = (green(vec![parts[0]]), green(vec![parts[1]]));
        ok!(cuCtxFromGreenCtx(&mut context, one));
        assert_ne!(context, primary.0);
        let (mut id, mut of_context, mut others, mut primarys) = (0, 0, 0, 0);
        ok!(cuGreenCtxGetId(one, &mut id));
        ok!(cuCtxGetId(context, &mut of_context));
        ok!(cuGreenCtxGetId(other, &mut others));
        ok!(cuCtxGetId(primary.0, &mut primarys));
        assert_eq!(id, of_context);
        assert_eq!(BTreeSet::from([id, others, primarys]).len(), 3);

        ok!(cuCtxPushCurrent_v2(context));
        let mut current = null_mut();
        ok!(cuCtxGetCurrent(&mut current));
        assert_eq!(current, context);
        // Memory belongs to the primary context, and streams belong to the green context.
        let address = alloc(64);
        let mut owner: CUcontext = null_mut();
        ok!(cuPointerGetAttribute(
            (&raw mut owner).cast(),
            CUpointer_attribute::CU_POINTER_ATTRIBUTE_CONTEXT,
            address
        ));
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
        ok!(cuStreamBeginCapture_v2(
            fast,
            CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED
        ));
        ok!(cuGreenCtxRecordEvent(one, mark));
        fails!(
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            cuGreenCtxRecordEvent(other, mark)
        );
        let mut graph = null_mut();
        fails!(
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            cuStreamEndCapture(fast, &mut graph)
        );
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
    passes(
        "green_contexts_retain_the_primary_context",
        VARIABLES,
        || {
            ok!(cuInit(0));
            let green = green(parts(1, 8));
            let (mut flags, mut active) = (0, 0);
            ok!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
            assert_eq!(active, 1);
            ok!(cuGreenCtxDestroy(green));
            ok!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
            assert_eq!(active, 0);
        },
    );
}

#[test]
fn a_fault_ends_all_green_contexts() {
    let report = ["CUDA_ERROR_LAUNCH_FAILED"];
    let test = "a_fault_ends_all_green_contexts";
    reports(test, VARIABLES, &report, || {
        let _primary = Primary::new();
        let all = parts(2, 8);
        let greens = [green(vec![all[0]]), green(vec![all[1]])];
        let contexts = greens.map(|green| {
            let mut context = null_mut();
            ok!(cuCtxFromGreenCtx(&mut context, green));
            context
        });
        let created = Own::new();
        ok!(cuCtxSetCurrent(contexts[0]));
        let stop = function(load(include_str!("../../kernels/faults.ptx")), "stop");
        assert_eq!(launch(stop, 1, 1, null_mut(), &mut []), SUCCESS);
        fails!(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
        for context in [contexts[1], created.0, contexts[0]] {
            ok!(cuCtxSetCurrent(context));
            fails!(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
        }
        let (mut descriptor, mut other) = (null_mut(), null_mut());
        ok!(cuDevResourceGenerateDesc(
            &mut descriptor,
            [all[0]].as_mut_ptr(),
            1
        ));
        fails!(
            CUDA_ERROR_LAUNCH_FAILED,
            cuGreenCtxCreate(&mut other, descriptor, 0, 1)
        );
        for green in greens {
            ok!(cuGreenCtxDestroy(green));
        }
    });
}
