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
    let stream = stream(1);
    let code = launch(
        add,
        count.div_ceil(256),
        256,
        stream,
        &mut [arg(&first), arg(&second), arg(&sum), arg(&count)],
    );
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    ok!(cuStreamSynchronize(stream));
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    assert_eq!(download::<f32>(sum, count as usize), expected);
}

#[test]
fn arguments_in_a_buffer_and_by_legacy_calls() {
    let _context = Own::new();
    let mixed = function(load(KERNELS), "mixed");
    let place = alloc(16);
    let check = |number: u32, float: f64| {
        assert_eq!(download::<u32>(place, 1), [number]);
        assert_eq!(download::<f64>(place + 8, 1), [float]);
        ok!(cuMemsetD8_v2(place, 0, 16));
    };
    let (byte, structure, float) = (3u8, [1u32, 2, 100], 2.5f64);
    assert_eq!(
        launch(
            mixed,
            1,
            1,
            null_mut(),
            &mut [arg(&byte), arg(&place), arg(&structure), arg(&float)]
        ),
        CUresult::CUDA_SUCCESS
    );
    check(103, 2.5);
    let mut buffer = [0u8; 40];
    buffer[0] = 5;
    buffer[8..16].copy_from_slice(&place.to_ne_bytes());
    buffer[24..28].copy_from_slice(&200u32.to_ne_bytes());
    buffer[32..40].copy_from_slice(&1.25f64.to_ne_bytes());
    let mut size = buffer.len();
    let mut extra: [*mut c_void; 5] = [
        std::ptr::without_provenance_mut(1),
        buffer.as_mut_ptr().cast(),
        std::ptr::without_provenance_mut(2),
        arg(&size),
        null_mut(),
    ];
    ok!(cuLaunchKernel(
        mixed,
        1,
        1,
        1,
        1,
        1,
        1,
        0,
        null_mut(),
        null_mut(),
        extra.as_mut_ptr()
    ));
    check(205, 1.25);
    size = 39;
    let mut extra: [*mut c_void; 5] = [
        std::ptr::without_provenance_mut(1),
        buffer.as_mut_ptr().cast(),
        std::ptr::without_provenance_mut(2),
        arg(&size),
        null_mut(),
    ];
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuLaunchKernel(
            mixed,
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            null_mut(),
            null_mut(),
            extra.as_mut_ptr()
        )
    );
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
        assert_eq!(code, CUresult::CUDA_ERROR_INVALID_HANDLE, "{function:?}");
    }
}

#[test]
fn module_variables_are_shared_with_the_host() {
    let _context = Own::new();
    let module = load(KERNELS);
    let variables = function(module, "variables");
    let place = alloc(4);
    let (mut counter, mut scale) = (0, 0);
    ok!(cuModuleGetGlobal_v2(
        &mut counter,
        null_mut(),
        module,
        c"counter".as_ptr()
    ));
    ok!(cuModuleGetGlobal_v2(
        &mut scale,
        null_mut(),
        module,
        c"scale".as_ptr()
    ));
    assert_eq!(
        launch(variables, 1, 1, null_mut(), &mut [arg(&place)]),
        CUresult::CUDA_SUCCESS
    );
    assert_eq!(download::<f32>(place, 1), [82.0]);
    assert_eq!(download::<u32>(counter, 1), [42]);
    ok!(cuMemcpyHtoD_v2(scale, arg(&10.0f32), 4));
    assert_eq!(
        launch(variables, 1, 1, null_mut(), &mut [arg(&place)]),
        CUresult::CUDA_SUCCESS
    );
    assert_eq!(download::<f32>(place, 1), [420.0]);
}

#[test]
fn dynamic_shared_memory_up_to_the_requested_size() {
    let _context = Own::new();
    let function = function(load(KERNELS), "dynamic_shared");
    let place = alloc(8);
    ok!(cuFuncSetAttribute(
        function,
        CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        200 << 10
    ));
    let mut arguments = [arg(&place)];
    ok!(cuLaunchKernel(
        function,
        2,
        1,
        1,
        1,
        1,
        1,
        200 << 10,
        null_mut(),
        arguments.as_mut_ptr(),
        null_mut()
    ));
    assert_eq!(download::<u32>(place, 2), [200 << 10; 2]);
}

#[test]
fn faults_persist_until_the_context_is_destroyed() {
    let test = "faults_persist_until_the_context_is_destroyed";
    in_own_process(test, || {
        let context = Own::new();
        let module = load(KERNELS);
        let store = function(module, "store");
        let address = alloc(4);
        let (event, stream) = (event(0), stream(0));
        let beyond = address + 4096;
        assert_eq!(
            launch(store, 1, 1, stream, &mut [arg(&beyond)]),
            CUresult::CUDA_SUCCESS
        );
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
        // From here on, all calls that need the context fail.
        let mut more = 0;
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc_v2(&mut more, 4));
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemFree_v2(address));
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemsetD8_v2(address, 0, 4));
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(event));
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuModuleUnload(module));
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
        assert_eq!(
            launch(store, 1, 1, stream, &mut [arg(&address)]),
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        );
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
                    let mut sum = 0;
                    ok!(cuMemAllocAsync(&mut sum, 4000, stream));
                    let code = launch(
                        add as CUfunction,
                        4,
                        256,
                        stream,
                        &mut [arg(&first), arg(&first), arg(&sum), arg(&count)],
                    );
                    assert_eq!(code, CUresult::CUDA_SUCCESS);
                    let mut back = vec![0f32; 1000];
                    ok!(cuMemcpyDtoHAsync_v2(
                        back.as_mut_ptr().cast(),
                        sum,
                        4000,
                        stream
                    ));
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
