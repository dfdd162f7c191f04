//! Arrays of `cuda-compute` on memory of cudarc, as the operator for candle in `candle/` uses them.

use std::sync::Arc;

use cuda_compute::{Array, device_fn};
use cuda_safe_cudarc::{into_slice, read, stream};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream};

/// Computes mish of a part of a slice with these lengths and strides, which begins at an index.
fn mish(
    x: &CudaSlice<f32>,
    on: &Arc<CudaStream>,
    start: usize,
    shape: [usize; 2],
    strides: [isize; 2],
) -> CudaSlice<f32> {
    let mish = device_fn!(|x: f32| x * (1.0 + x.exp()).ln().tanh());
    let buffer = read(x, on, |stream, memory| {
        let first = memory.as_device_ptr() + (start * size_of::<f32>()) as u64;
        // SAFETY: the tests pass layouts within the slice. It is borrowed, and `read` orders its
        // later use and its release after the stream's work.
        let x = unsafe { Array::from_raw(stream, first, shape, Some(&strides), ()) }?;
        mish.map((&x,)).eval()?.into_buffer()
    });
    into_slice(buffer.unwrap().unwrap(), on).unwrap()
}

fn mish_on_host(x: f32) -> f32 {
    x * (1.0 + x.exp()).ln().tanh()
}

fn compare(context: &Arc<CudaContext>, on: &Arc<CudaStream>) {
    // Keeps the compiled kernels between the calls.
    let _keeper = Array::<f32>::zeros(&stream(on).unwrap(), 0).unwrap();
    let host: Vec<f32> = (0..26).map(|i| (i as f32 - 12.0) * 0.3).collect();
    let x = on.clone_htod(&host).unwrap();
    for (start, shape, strides) in [
        (0, [2, 13], [13, 1]),
        (1, [5, 5], [1, 5]), // transposed
        (2, [3, 4], [8, 2]), // every second element of every second row
        (7, [4, 3], [0, 1]), // a row that is repeated
    ] {
        let y = on.clone_dtoh(&mish(&x, on, start, shape, strides)).unwrap();
        let index =
            |i| start + (i / shape[1]) * strides[0] as usize + (i % shape[1]) * strides[1] as usize;
        assert_eq!(y.len(), shape[0] * shape[1]);
        for (i, &y) in y.iter().enumerate() {
            let wanted = mish_on_host(host[index(i)]);
            assert!(
                (y - wanted).abs() < 1e-6,
                "{start}, {shape:?}, {strides:?}: {y} is not {wanted}"
            );
        }
    }
    assert_eq!(on.clone_dtoh(&x).unwrap(), host);
    drop(x);
    context.check_err().unwrap();
}

#[test]
fn an_operator_runs_on_a_created_stream() {
    let context = CudaContext::new(0).unwrap();
    compare(&context, &context.new_stream().unwrap());
}

/// candle's devices use it, unless they are created with a stream.
#[test]
fn an_operator_runs_on_the_default_stream_of_the_thread() {
    let context = CudaContext::new(0).unwrap();
    compare(&context, &context.per_thread_stream());
}
