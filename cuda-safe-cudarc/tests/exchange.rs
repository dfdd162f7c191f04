//! Memory and streams in both directions. A slow kernel shows missing waits.
//!
//! The emulator must not be linked into this program, because cudarc would open a second one.

use std::sync::Arc;

use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, sys};
use cuda_safe_cudarc::{
    Error, context, cudarc_context, cudarc_stream, into_buffer, into_slice, lend, lend_mut, read,
    stream, write,
};
use cudarc::driver::{CudaContext, CudaStream};

const N: usize = 1000;

/// A kernel that takes long, so that work which does not wait for it sees old values.
const SLOW: &str = r#"
    extern "C" __global__ void slowly_add(int *x, int by, unsigned n) {
        __shared__ volatile int turns;
        if (threadIdx.x == 0) for (turns = 0; turns < 20000;) turns = turns + 1;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) x[i] += by;
    }"#;

fn cudarc() -> (Arc<CudaContext>, Arc<CudaStream>, Arc<CudaStream>) {
    let context = CudaContext::new(0).unwrap();
    let streams = (context.new_stream().unwrap(), context.new_stream().unwrap());
    (context, streams.0, streams.1)
}

fn numbers() -> Vec<i32> {
    (0..N as i32).collect()
}

fn plus(by: i32) -> Vec<i32> {
    numbers().iter().map(|x| x + by).collect()
}

/// Launches the slow kernel on `memory`.
fn slowly_add(on: &Stream, memory: u64, by: i32) {
    let module = Module::compile(on.context(), SLOW).unwrap();
    let kernel = module.function("slowly_add").unwrap();
    // Unloading the module would wait for the kernel.
    std::mem::forget(kernel.clone());
    // SAFETY: the kernel changes N elements, the length of all memory in these tests.
    unsafe { kernel.launch(on, LaunchConfig::new(1, 64), (memory, by, N as u32)) }.unwrap();
}

#[test]
fn contexts_are_the_same_in_both_directions() {
    let (theirs, ..) = cudarc();
    let ours = context(&theirs).unwrap();
    assert_eq!(ours.as_raw(), theirs.cu_ctx().cast());
    assert_eq!(*cudarc_context(&ours).unwrap(), *theirs);

    let created = Context::create(ours.device(), Default::default()).unwrap();
    let text = cudarc_context(&created).unwrap_err().to_string();
    assert!(text.contains("not the primary one"), "{text}");
}

#[test]
fn a_stream_is_kept_alive_and_compares_equal() {
    let (theirs, first, _) = cudarc();
    let ours = stream(&first).unwrap();
    assert_eq!(ours.as_raw(), first.cu_stream().cast());
    assert_eq!(ours, stream(&first).unwrap());
    assert_eq!(Arc::strong_count(&first), 2);
    let buffer = DeviceBuffer::from_slice(&ours, &numbers()).unwrap();
    drop((ours, first));
    assert_eq!(buffer.to_vec(buffer.stream()).unwrap(), numbers());

    let default = stream(&theirs.default_stream()).unwrap();
    assert_eq!(default, Stream::legacy_default(default.context()));
}

#[test]
fn a_stream_of_this_project_is_borrowed() {
    let context = Context::primary(0).unwrap();
    let ours = Stream::new(&context).unwrap();
    let cudarc = cudarc_context(&context).unwrap();
    // SAFETY: `ours` is dropped last, and the only stream.
    let theirs = unsafe { cudarc_stream(&ours, &cudarc) }.unwrap();
    let x = theirs.clone_htod(&numbers()).unwrap();
    assert_eq!(theirs.clone_dtoh(&x).unwrap(), numbers());
    drop((x, theirs));
    ours.synchronize().unwrap();
}

#[test]
fn a_borrowed_slice_is_read_after_its_writes_and_before_the_next() {
    let (_, first, second) = cudarc();
    let mut x = first.clone_htod(&numbers()).unwrap();
    write(&mut x, &first, |on, x| slowly_add(on, x.as_device_ptr(), 5)).unwrap();
    let seen = read(&x, &second, |on, x| {
        assert_eq!(x.len(), N);
        let mut copy = DeviceBuffer::<i32>::uninit(on, N).unwrap();
        copy.copy_from(on, &x).unwrap();
        copy
    });
    // cudarc writes zeros on the memory's stream, which must wait for the copy.
    first.memset_zeros(&mut x).unwrap();
    let seen = seen.unwrap();
    assert_eq!(seen.to_vec(seen.stream()).unwrap(), plus(5));
    assert_eq!(first.clone_dtoh(&x).unwrap(), [0; N]);
}

#[test]
fn a_slice_written_on_another_stream_is_read_by_cudarc_afterwards() {
    let (_, first, second) = cudarc();
    let mut x = first.clone_htod(&numbers()).unwrap();
    let address = write(&mut x, &second, |on, x| {
        slowly_add(on, x.as_device_ptr(), 7);
        x.as_device_ptr()
    });
    assert_eq!(first.clone_dtoh(&x).unwrap(), plus(7));
    // A part of it, as a view of cudarc.
    let mut part = x.slice_mut(10..20);
    let start = write(&mut part, &second, |on, mut part| {
        part.fill(on, -1).unwrap();
        part.as_device_ptr()
    });
    assert_eq!(start.unwrap(), address.unwrap() + 40);
    let mut expected = plus(7);
    expected[10..20].fill(-1);
    assert_eq!(first.clone_dtoh(&x).unwrap(), expected);
}

#[test]
fn the_order_does_not_need_event_tracking() {
    let (theirs, first, second) = cudarc();
    // SAFETY: this crate orders the streams, and `theirs` is of this test alone.
    unsafe { theirs.disable_event_tracking() };
    let mut x = first.clone_htod(&numbers()).unwrap();
    write(&mut x, &second, |on, x| {
        slowly_add(on, x.as_device_ptr(), 8)
    })
    .unwrap();
    assert_eq!(first.clone_dtoh(&x).unwrap(), plus(8));
    slowly_add(
        &stream(&first).unwrap(),
        read(&x, &first, |_, x| x.as_device_ptr()).unwrap(),
        -8,
    );
    let seen = read(&x, &second, |on, x| x.to_vec(on).unwrap()).unwrap();
    assert_eq!(seen, numbers());
}

#[test]
fn a_panic_in_the_closure_keeps_the_order() {
    let (_, first, second) = cudarc();
    let mut x = first.clone_htod(&numbers()).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        write(&mut x, &second, |on, x| {
            slowly_add(on, x.as_device_ptr(), 3);
            panic!("on purpose");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(first.clone_dtoh(&x).unwrap(), plus(3));
}

#[test]
fn a_slice_becomes_a_buffer_with_the_same_memory() {
    let (theirs, first, second) = cudarc();
    let mut x = first.clone_htod(&numbers()).unwrap();
    // cudarc's last use is on another stream. Its event orders the buffer's stream.
    write(&mut x, &second, |on, x| {
        slowly_add(on, x.as_device_ptr(), 9)
    })
    .unwrap();
    let address = read(&x, &first, |_, x| x.as_device_ptr()).unwrap();
    let buffer = into_buffer(x).unwrap();
    assert_eq!(buffer.as_device_ptr(), address);
    assert_eq!(buffer.stream().as_raw(), first.cu_stream().cast());
    assert_eq!(buffer.to_vec(buffer.stream()).unwrap(), plus(9));
    let empty = into_buffer(first.null::<i32>().unwrap()).unwrap();
    assert!(empty.is_empty());
    drop((buffer, empty));
    theirs.check_err().unwrap();
}

#[test]
fn a_buffer_becomes_a_slice_with_the_same_memory() {
    let (theirs, first, second) = cudarc();
    let on = stream(&first).unwrap();
    let buffer = DeviceBuffer::from_slice(&on, &numbers()).unwrap();
    let address = buffer.as_device_ptr();
    slowly_add(&on, address, 4);
    let mut x = into_slice(buffer, &second).unwrap();
    assert_eq!(
        read(&x, &second, |_, x| x.as_device_ptr()).unwrap(),
        address
    );
    assert_eq!(second.clone_dtoh(&x).unwrap(), plus(4));
    second.memset_zeros(&mut x).unwrap();
    let empty = into_slice(DeviceBuffer::<i32>::uninit(&on, 0).unwrap(), &second).unwrap();
    assert_eq!(empty.len(), 0);
    drop((x, empty));
    theirs.check_err().unwrap();
}

#[test]
fn lent_memory_is_ordered_with_its_stream() {
    let (theirs, first, second) = cudarc();
    let on = stream(&first).unwrap();
    let mut buffer = DeviceBuffer::from_slice(&on, &numbers()).unwrap();
    slowly_add(&on, buffer.as_device_ptr(), 2);
    // SAFETY: the view is used only on this stream.
    let seen = unsafe { lend(&buffer, &second, |x| second.clone_dtod(&x)) }
        .unwrap()
        .unwrap();
    buffer.fill(&on, 0).unwrap();
    assert_eq!(second.clone_dtoh(&seen).unwrap(), plus(2));

    // SAFETY: as above.
    unsafe {
        lend_mut(&mut buffer, &second, |mut x| {
            second.memcpy_htod(&plus(6), &mut x)
        })
    }
    .unwrap()
    .unwrap();
    assert_eq!(buffer.to_vec(&on).unwrap(), plus(6));
    let view = buffer.slice(1..4).unwrap();
    // SAFETY: as above.
    let part = unsafe { lend(&view, &second, |x| second.clone_dtoh(&x)) }
        .unwrap()
        .unwrap();
    assert_eq!(part, [7, 8, 9]);
    theirs.check_err().unwrap();
}

#[test]
fn other_contexts_are_rejected() {
    let (theirs, first, _) = cudarc();
    let ours = context(&theirs).unwrap();
    let created = Context::create(ours.device(), Default::default()).unwrap();
    let elsewhere = Stream::new(&created).unwrap();
    let buffer = DeviceBuffer::<i32>::zeroed(&elsewhere, N).unwrap();
    // SAFETY: nothing is enqueued.
    let error = unsafe { lend(&buffer, &first, |_| ()) }.unwrap_err();
    assert!(matches!(error, Error::Context(_)), "{error}");
    assert!(
        error
            .to_string()
            .contains("Fix: create both in one context"),
        "{error}"
    );
    assert!(into_slice(buffer, &first).is_err());

    // Another object of the same context, with its own events.
    let other = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut x = first.clone_htod(&numbers()).unwrap();
    let error = read(&x, &other, |_, _| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("Fix: create it with slice.context()"),
        "{error}"
    );
    assert!(write(&mut x, &other, |_, _| ()).is_err());
}

#[test]
fn failed_calls_of_cudarc_are_reported() {
    let (theirs, first, second) = cudarc();
    let x = first.clone_htod(&numbers()).unwrap();
    let failed = cudarc::driver::sys::CUresult::CUDA_ERROR_INVALID_HANDLE;
    theirs.record_err::<()>(Err(cudarc::driver::DriverError(failed)));
    let error = read(&x, &second, |_, _| ()).unwrap_err();
    assert!(matches!(error, Error::Cudarc(_)), "{error}");
    assert_eq!(failed as u32, sys::CUresult::CUDA_ERROR_INVALID_HANDLE.0);
}
