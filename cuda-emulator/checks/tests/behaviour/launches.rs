//! Launches: results of kernels, rejected arguments and faults.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const KERNELS: &str = include_str!("../../kernels/kernels.ptx");

#[test]
fn a_vector_sum() {
    let _context = Own::new();
    let add = function(load(KERNELS), "add");
    let count = 100_001u32;
    let a: Vec<f32> = (0..count).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..count).map(|i| 0.5 * i as f32).collect();
    let (first, second, sum) = (upload(&a), upload(&b), alloc(4 * count as usize));
    let (stream, blocks) = (stream(1), count.div_ceil(256));
    let mut arguments = [arg(&first), arg(&second), arg(&sum), arg(&count)];
    ok!(launch(add, blocks, 256, stream, &mut arguments));
    ok!(cuStreamSynchronize(stream));
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    assert_eq!(download::<f32>(sum, count as usize), expected);
}

#[test]
fn structures_are_passed_by_pointer_and_in_a_buffer() {
    let _context = Own::new();
    let mixed = function(load(KERNELS), "mixed");
    let place = alloc(16);
    let check = |number: u32, float: f64| {
        assert_eq!(download::<u32>(place, 1), [number]);
        assert_eq!(download::<f64>(place + 8, 1), [float]);
        ok!(cuMemsetD8_v2(place, 0, 16));
    };
    let (byte, structure, float) = (3u8, [1u32, 2, 100], 2.5f64);
    let mut arguments = [arg(&byte), arg(&place), arg(&structure), arg(&float)];
    ok!(launch(mixed, 1, 1, null_mut(), &mut arguments));
    check(103, 2.5);
    let mut buffer = [0u8; 40];
    buffer[0] = 5;
    buffer[8..16].copy_from_slice(&place.to_ne_bytes());
    buffer[24..28].copy_from_slice(&200u32.to_ne_bytes());
    buffer[32..40].copy_from_slice(&1.25f64.to_ne_bytes());
    let (mut size, begin) = (buffer.len(), buffer.as_mut_ptr().cast());
    let [pointer, bytes] = [1, 2].map(std::ptr::without_provenance_mut);
    let mut extra: [*mut c_void; 5] = [pointer, begin, bytes, (&raw mut size).cast(), null_mut()];
    let mut packed = || launch_shaped(mixed, [1; 3], [1; 3], 0, null_mut(), extra.as_mut_ptr());
    assert_eq!(packed(), SUCCESS);
    check(205, 1.25);
    ok!(cuFuncSetBlockShape(mixed, 1, 1, 1));
    ok!(cuParamSetv(mixed, 0, buffer.as_mut_ptr().cast(), 32));
    ok!(cuParamSetSize(mixed, 40));
    ok!(cuParamSetv(mixed, 32, arg(&float), 8));
    ok!(cuParamSeti(mixed, 24, 300));
    ok!(cuLaunchGrid(mixed, 1, 1));
    check(305, 2.5);
}

#[test]
fn invalid_functions_and_those_of_another_context_are_rejected() {
    let _first = Own::new();
    let empty = function(load(KERNELS), "empty");
    let _second = Own::new();
    let wild = WILD.map(|wild| wild as CUfunction);
    for function in wild.into_iter().chain([empty]) {
        let code = launch(function, 1, 1, null_mut(), &mut []);
        assert_eq!(code, INVALID_HANDLE, "{function:?}");
    }
}

#[test]
fn module_variables_are_shared_with_the_host() {
    let _context = Own::new();
    let module = load(KERNELS);
    let variables = function(module, "variables");
    let place = alloc(4);
    let (counter, scale) = (global(module, c"counter"), global(module, c"scale"));
    ok!(launch(variables, 1, 1, null_mut(), &mut [arg(&place)]));
    assert_eq!(download::<f32>(place, 1), [82.0]);
    assert_eq!(download::<u32>(counter, 1), [42]);
    ok!(cuMemcpyHtoD_v2(scale, arg(&10.0f32), 4));
    ok!(launch(variables, 1, 1, null_mut(), &mut [arg(&place)]));
    assert_eq!(download::<f32>(place, 1), [420.0]);
}

#[test]
fn dynamic_shared_memory_up_to_the_requested_size() {
    let _context = Own::new();
    let function = function(load(KERNELS), "dynamic_shared");
    let place = alloc(8);
    let dynamic = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    ok!(cuFuncSetAttribute(function, dynamic, 200 << 10));
    let (mut arguments, grid) = ([arg(&place)], [2, 1, 1]);
    let arguments = arguments.as_mut_ptr();
    let code = launch_shaped(function, grid, [1; 3], 200 << 10, arguments, null_mut());
    assert_eq!(code, SUCCESS);
    assert_eq!(download::<u32>(place, 2), [200 << 10; 2]);
}

#[test]
fn faults_persist_until_the_context_is_destroyed() {
    in_own_process(|| {
        let context = Own::new();
        let module = load(KERNELS);
        let store = function(module, "store");
        let address = alloc(4);
        let (event, stream) = (event(0), stream(0));
        let beyond = address + 4096;
        assert_eq!(launch(store, 1, 1, stream, &mut [arg(&beyond)]), SUCCESS);
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
        // From here on, all calls that need the context fail.
        fails!(ILLEGAL_ADDRESS, cuMemAlloc_v2(&mut 0, 4));
        fails!(ILLEGAL_ADDRESS, cuMemFree_v2(address));
        fails!(ILLEGAL_ADDRESS, cuMemsetD8_v2(address, 0, 4));
        fails!(ILLEGAL_ADDRESS, cuEventQuery(event));
        fails!(ILLEGAL_ADDRESS, cuModuleUnload(module));
        fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
        let code = launch(store, 1, 1, stream, &mut [arg(&address)]);
        assert_eq!(code, ILLEGAL_ADDRESS);
        drop(context);
    });
}

#[test]
fn kernels_of_many_threads_and_streams() {
    let context = Own::new();
    let handle = context.0 as usize;
    let add = function(load(KERNELS), "add") as usize;
    let threads: Vec<_> = (0..8u32)
        .map(|thread| {
            std::thread::spawn(move || {
                ok!(cuCtxSetCurrent(handle as CUcontext));
                let stream = stream(1);
                let a: Vec<f32> = (0..1000).map(|i| (i + thread) as f32).collect();
                let (first, count) = (upload(&a), 1000u32);
                for _ in 0..20 {
                    let sum = out!(cuMemAllocAsync(_, 4000, stream));
                    let add = add as CUfunction;
                    let mut arguments = [arg(&first), arg(&first), arg(&sum), arg(&count)];
                    ok!(launch(add, 4, 256, stream, &mut arguments));
                    let mut back = vec![0f32; 1000];
                    let to = back.as_mut_ptr().cast();
                    ok!(cuMemcpyDtoHAsync_v2(to, sum, 4000, stream));
                    ok!(cuMemFreeAsync(sum, stream));
                    ok!(cuStreamSynchronize(stream));
                    assert!(back.iter().zip(&a).all(|(back, a)| *back == 2.0 * a));
                }
                ok!(cuStreamDestroy_v2(stream));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
