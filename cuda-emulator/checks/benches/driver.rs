//! Measures the cost of driver calls in nanoseconds per call, as the median of many rounds. Run
//! with `cargo bench -p cuda-emulator-checks`.

use std::ffi::CString;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use cuda_emulator as _;
use cuda_sys::*;

/// Measures and prints the median time of one call, which is made in rounds.
fn measure(name: &str, mut call: impl FnMut()) {
    const ROUNDS: usize = 201;
    let start = Instant::now();
    let mut calls = 0u32;
    while start.elapsed() < Duration::from_millis(50) {
        call();
        calls += 1;
    }
    // Rounds of about two milliseconds.
    let calls = (calls / 25).max(1);
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            start.elapsed().as_nanos() as f64 / f64::from(calls)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{name:<44} {:>10.0} ns   (fastest round {:.0}, slowest {:.0})",
        times[ROUNDS / 2],
        times[0],
        times[ROUNDS - 1]
    );
}

macro_rules! ok {
    ($call:expr) => {
        // SAFETY: The handles are live, the result pointers are valid, and the arguments have the
        // kernel's types.
        assert_eq!(unsafe { $call }, CUresult::CUDA_SUCCESS)
    };
}

fn main() {
    let (mut context, mut stream, mut event, mut address) = (null_mut(), null_mut(), null_mut(), 0);
    ok!(cuInit(0));
    ok!(cuDevicePrimaryCtxRetain(&mut context, 0));
    ok!(cuCtxSetCurrent(context));
    ok!(cuStreamCreate(&mut stream, 1));
    ok!(cuEventCreate(&mut event, 2));
    ok!(cuMemAlloc_v2(&mut address, 1 << 20));
    let mut current = null_mut();
    measure("cuCtxGetCurrent", || ok!(cuCtxGetCurrent(&mut current)));
    measure("cuMemAlloc + cuMemFree, 1 KiB", || {
        let mut address = 0;
        ok!(cuMemAlloc_v2(&mut address, 1024));
        ok!(cuMemFree_v2(address));
    });
    measure("cuMemAllocAsync + cuMemFreeAsync, 1 KiB", || {
        let mut address = 0;
        ok!(cuMemAllocAsync(&mut address, 1024, stream));
        ok!(cuMemFreeAsync(address, stream));
    });
    measure("cuEventRecord + cuEventQuery", || {
        ok!(cuEventRecord(event, stream));
        ok!(cuEventQuery(event));
    });
    let mut host = [0u8; 1024];
    measure("cuMemcpyDtoH, 1 KiB", || {
        ok!(cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), address, 1024));
    });
    measure("cuMemsetD8Async + cuStreamSynchronize", || {
        ok!(cuMemsetD8Async(address, 0, 4, stream));
        ok!(cuStreamSynchronize(stream));
    });
    measure("cuMemsetD8Async, 100 then synchronize", || {
        for _ in 0..100 {
            ok!(cuMemsetD8Async(address, 0, 4, stream));
        }
        ok!(cuStreamSynchronize(stream));
    });
    let ptx = CString::new(include_str!("../kernels/kernels.ptx")).expect("no NUL");
    let mut module = null_mut();
    ok!(cuModuleLoadData(&mut module, ptx.as_ptr().cast()));
    let (mut empty, mut add) = (null_mut(), null_mut());
    ok!(cuModuleGetFunction(&mut empty, module, c"empty".as_ptr()));
    ok!(cuModuleGetFunction(&mut add, module, c"add".as_ptr()));
    let launch = |function, blocks, threads, arguments: *mut *mut std::ffi::c_void| {
        ok!(cuLaunchKernel(
            function,
            blocks,
            1,
            1,
            threads,
            1,
            1,
            0,
            stream,
            arguments,
            null_mut()
        ));
    };
    measure("empty kernel, launch + synchronize", || {
        launch(empty, 1, 1, null_mut());
        ok!(cuStreamSynchronize(stream));
    });
    measure("empty kernel, 100 launches then synchronize", || {
        for _ in 0..100 {
            launch(empty, 1, 1, null_mut());
        }
        ok!(cuStreamSynchronize(stream));
    });
    let count = 1u32 << 16;
    let mut arguments = [
        std::ptr::from_ref(&address).cast_mut().cast(),
        std::ptr::from_ref(&address).cast_mut().cast(),
        std::ptr::from_ref(&address).cast_mut().cast(),
        std::ptr::from_ref(&count).cast_mut().cast(),
    ];
    measure("vector sum, 65536 floats + synchronize", || {
        launch(add, 256, 256, arguments.as_mut_ptr());
        ok!(cuStreamSynchronize(stream));
    });
}
