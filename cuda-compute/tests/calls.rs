//! Checks, with the emulator's trace, that the algorithms make few driver calls and repeat none
//! unnecessarily. Each test runs in a separate process, which must leak nothing.

use std::sync::Barrier;

use cuda_emulator as _; // linked in: these tests never use a GPU

#[allow(dead_code, reason = "some of it is for other programs")]
#[path = "../../cuda-safe/tests/common/child.rs"]
mod child;

use child::{calls, traced};
use cuda_compute::{
    Array, Convolution, Error, Filter, Kernels, Layout, MapReduce, Number, Ordered, Reducer,
    lexsort,
};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, Stream,
    sys::{self, CUresult, CUstreamCaptureMode},
};

fn device() -> (Context, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

/// Returns the names of the driver functions that `act` calls, except those that only query the
/// current context.
fn made<R>(act: impl FnOnce() -> R) -> Vec<String> {
    let before = calls("cu").len();
    act();
    let made = calls("cu").split_off(before);
    let names = made
        .iter()
        .map(|call| call.split('(').next().unwrap_or(call));
    let names = names.filter(|name| *name != "cuCtxGetCurrent");
    names.map(str::to_owned).collect()
}

/// Returns the number of kernels loaded in the context. The emulator rejects machine code and
/// accepts PTX.
fn loaded() -> usize {
    let loads = calls("cuModuleLoadDataEx").into_iter();
    loads
        .filter(|call| call.contains(") = CUDA_SUCCESS"))
        .count()
}

#[test]
fn a_sum_makes_one_launch_and_one_wait() {
    traced("", || {
        let (context, stream) = device();
        let data = DeviceBuffer::from_slice(&stream, &vec![1u32; 100_000]).unwrap();
        let mut sum = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        let reducer = Reducer::new(&context).unwrap();
        assert_eq!(reducer.sum(&stream, &data).unwrap(), 100_000);
        let wait = [
            "cuLaunchKernel",
            "cuStreamIsCapturing",
            "cuStreamSynchronize",
        ];
        let into = || reducer.sum_into(&stream, &data, &mut sum).unwrap();
        assert_eq!(made(into), ["cuLaunchKernel"]);
        for _ in 0..3 {
            assert_eq!(made(|| reducer.sum(&stream, &data).unwrap()), wait);
        }
        // The same on two other streams.
        let others = [(); 2].map(|()| Stream::new(&context).unwrap());
        for stream in &others {
            let data = DeviceBuffer::from_slice(stream, &[1.0f32; 3000]).unwrap();
            assert_eq!(reducer.sum(stream, &data).unwrap(), 3000.0);
        }
        for stream in &others {
            let data = DeviceBuffer::from_slice(stream, &[2.0f32; 3000]).unwrap();
            assert_eq!(made(|| reducer.sum(stream, &data).unwrap()), wait);
        }
        assert_eq!(made(|| reducer.sum(&stream, &data).unwrap()), wait);
        assert_eq!(sum.to_vec(&stream).unwrap(), [100_000]);
    });
}

#[test]
fn a_convolution_makes_one_launch() {
    traced("", || {
        let (context, stream) = device();
        let filter = Filter::new(3, 3, &[1.0; 9]).unwrap();
        let convolution = Convolution::new(&context, &filter).unwrap();
        let layout = Layout::new(16, 4);
        let input = DeviceBuffer::from_slice(&stream, &[1.0f32; 64]).unwrap();
        let mut output = DeviceBuffer::<f32>::zeroed(&stream, 64).unwrap();
        let mut run = || {
            let run = convolution.run(&stream, &input, layout, &mut output, layout);
            run.unwrap();
        };
        assert_eq!(made(&mut run), ["cuLaunchKernel"]);
        assert_eq!(made(&mut run), ["cuLaunchKernel"]);
        assert_eq!(loaded(), 1);
    });
}

#[test]
fn a_convolution_of_an_array_allocates_its_result_and_launches() {
    traced("", || {
        let (_, stream) = device();
        let image = Array::from_shape(&stream, [4, 16, 3], &[1u8; 192]).unwrap();
        let mut results = Vec::new();
        let mut run = |weight: f32| {
            let filter = Filter::new(3, 3, &[weight; 9]).unwrap();
            results.push(image.convolve(&filter).unwrap());
        };
        run(1.0);
        assert_eq!(made(|| run(2.0)), ["cuMemAllocAsync", "cuLaunchKernel"]);
        assert_eq!(loaded(), 1);
    });
}

#[test]
fn two_keys_of_32_bits_are_sorted_by_one_launch() {
    traced("", || {
        let (_, stream) = device();
        let numbers = |count: usize| Array::range(&stream, 0..count).unwrap();
        let launches = |sort: &dyn Fn()| {
            let made = made(sort);
            let launches = made
                .iter()
                .filter(|name| name.starts_with("cuLaunchKernel"));
            launches.count()
        };
        let x = numbers(100).cast::<u32>().eval().unwrap();
        let (y, z) = (x.cast::<f32>().eval().unwrap(), numbers(100));
        assert_eq!(launches(&|| drop(lexsort((&x, &y)).unwrap())), 1);
        // Two sorts, and the second key in the order of the first.
        assert!(launches(&|| drop(lexsort((&x, &z)).unwrap())) >= 3);
    });
}

#[test]
fn shared_kernels_are_compiled_once() {
    traced("", || {
        let (context, stream) = device();
        let data = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0]).unwrap();
        let kernels = Kernels::new(&context).unwrap();
        assert_eq!((kernels.compiled(), loaded()), (0, 0));
        for _ in 0..2 {
            let reducer = Reducer::with_kernels(&kernels);
            assert_eq!(reducer.sum(&stream, &data).unwrap(), 3.0);
            assert_eq!((kernels.compiled(), loaded()), (1, 1));
        }
        let reducer = Reducer::with_kernels(&kernels.clone());
        // Another operation, another accumulator, and the first again.
        assert_eq!(reducer.max(&stream, &data).unwrap(), Some(2.0));
        assert_eq!(reducer.sum_wide(&stream, &data).unwrap(), 3.0);
        assert_eq!(reducer.sum(&stream, &data).unwrap(), 3.0);
        assert_eq!((kernels.compiled(), loaded()), (3, 3));
        // The same expressions, written twice.
        for _ in 0..2 {
            // SAFETY: The expressions only compute their result.
            let squares = unsafe { MapReduce::<f32, f32>::new("x * x", "a + b", "0") };
            assert_eq!(reducer.reduce(&stream, &squares, &data).unwrap(), 5.0);
        }
        assert_eq!((kernels.compiled(), loaded()), (4, 4));
        // A reducer with its own kernels.
        assert_eq!(
            Reducer::new(&context).unwrap().sum(&stream, &data).unwrap(),
            3.0
        );
        assert_eq!((kernels.compiled(), loaded()), (4, 5));
    });
}

/// Returns the number of bytes that `act` allocates on the device.
fn allocated(act: impl FnOnce()) -> u64 {
    let before = calls("cuMemAllocAsync").len();
    act();
    let made = calls("cuMemAllocAsync").split_off(before);
    let size = |call: &String| -> Option<u64> {
        let (_, size) = call.split_once("bytesize=")?;
        size.split(',').next()?.parse().ok()
    };
    let sizes = made
        .iter()
        .map(|call| size(call).unwrap_or_else(|| panic!("no size in {call}")));
    sizes.sum()
}

#[test]
fn scatters_into_a_large_array_allocate_little() {
    fn check<T: Number + Ordered>(stream: &Stream, one: T) {
        const LENGTH: usize = 1 << 20;
        let mut x = Array::<T>::zeros(stream, [LENGTH]).unwrap();
        let places = Array::from_slice(stream, &[5u32, 1 << 19, 5]).unwrap();
        let mut put = |what: &str, act: &dyn Fn(&mut Array<T>)| {
            let bytes = allocated(|| act(&mut x));
            assert!(bytes <= 512, "{what} of {:?}: {bytes} bytes", T::DATA_TYPE);
        };
        put("put_add", &|x| x.put_add(&places, one).unwrap());
        put("put_min", &|x| x.put_min(&places, one).unwrap());
        put("put_max", &|x| x.put_max(&places, one).unwrap());
        assert_eq!(
            x.slice(cuda_compute::s![1 << 19]).unwrap().item().unwrap(),
            one
        );
    }
    traced("", || {
        let (_, stream) = device();
        check(&stream, 1u8);
        check(&stream, 1i16);
        check(&stream, 1i32);
        check(&stream, half::f16::ONE);
        check(&stream, 1.0f32);
        check(&stream, 1.0f64);
    });
}

#[test]
fn concurrent_threads_compile_a_kernel_once() {
    traced("", || {
        let (context, _) = device();
        let reducer = Reducer::new(&context).unwrap();
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let stream = Stream::new(&context).unwrap();
                    let data = DeviceBuffer::from_slice(&stream, &[7u64; 5000]).unwrap();
                    start.wait();
                    assert_eq!(reducer.sum(&stream, &data).unwrap(), 35_000);
                });
            }
        });
        assert_eq!(loaded(), 1);
    });
}

#[test]
fn failed_kernel_loads_are_retried() {
    let body = || {
        let (context, stream) = device();
        let kernels = Kernels::new(&context).unwrap();
        let reducer = Reducer::with_kernels(&kernels);
        let data = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0]).unwrap();
        // SAFETY: This expression does not compile.
        let wrong = unsafe { MapReduce::<f32, f32>::new("x * not_a_name", "a + b", "0.0f") };
        for _ in 0..2 {
            let error = reducer.reduce(&stream, &wrong, &data).unwrap_err();
            assert!(error.to_string().contains("not_a_name"), "{error}");
        }
        reducer.sum(&stream, &data).unwrap_err();
        assert_eq!(kernels.compiled(), 0);
        assert_eq!(reducer.sum(&stream, &data).unwrap(), 3.0);
        assert_eq!(kernels.compiled(), 1);
    };
    traced("cuModuleLoadDataEx:1:CUDA_ERROR_UNKNOWN", body);
    traced("cuModuleGetFunction:1:CUDA_ERROR_UNKNOWN", body);
}

#[test]
fn the_least_recent_of_many_streams_are_released() {
    traced("", || {
        let (context, stream) = device();
        let reducer = Reducer::new(&context).unwrap();
        let data = DeviceBuffer::from_slice(&stream, &[1u32; 5000]).unwrap();
        stream.synchronize().unwrap();
        let destroyed = || calls("cuStreamDestroy").len();
        for number in 0..100 {
            let other = Stream::new(&context).unwrap();
            assert_eq!(reducer.sum(&other, &data).unwrap(), 5000);
            // This stream is always among the most recently used.
            assert_eq!(reducer.sum(&stream, &data).unwrap(), 5000);
            drop(other);
            assert_eq!(destroyed(), (number + 2usize).saturating_sub(64));
        }
        let freed = calls("cuMemFreeAsync").len();
        reducer.release(&stream);
        reducer.release(&stream); // nothing is left to release
        assert_eq!(calls("cuMemFreeAsync").len(), freed + 1);
        assert_eq!(reducer.sum(&stream, &data).unwrap(), 5000);
        drop(reducer);
        assert_eq!(destroyed(), 100);
        stream.close().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(destroyed(), 100); // the data keeps the stream alive
    });
}

#[test]
fn the_last_user_destroys_the_context() {
    traced("", || {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::new(&context).unwrap();
        let reducer = Reducer::with_kernels(&kernels);
        let data = DeviceBuffer::from_slice(&stream, &[1u32; 5000]).unwrap();
        assert_eq!(reducer.sum(&stream, &data).unwrap(), 5000);
        drop((data, stream, context, kernels));
        assert!(calls("cuCtxDestroy").is_empty());
        drop(reducer);
        assert_eq!(calls("cuCtxDestroy").len(), 1);
    });
}

#[test]
fn captures_do_not_allocate_a_workspace() {
    traced("", || {
        let (context, stream) = device();
        let reducer = Reducer::new(&context).unwrap();
        let data = DeviceBuffer::from_slice(&stream, &[1u32; 5000]).unwrap();
        let mut sum = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: The stream is live.
        let code = unsafe { sys::cuStreamBeginCapture_v2(stream.as_raw(), mode) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        let allocations = calls("cuMemAlloc").len();
        let error = reducer.sum_into(&stream, &data, &mut sum).unwrap_err();
        assert!(matches!(error, Error::Cuda(_)), "{error}");
        assert!(error.to_string().contains("captured"), "{error}");
        assert_eq!(calls("cuMemAlloc").len(), allocations);
        let mut graph = std::ptr::null_mut();
        // SAFETY: The stream is live and `graph` is valid for writes.
        let code = unsafe { sys::cuStreamEndCapture(stream.as_raw(), &mut graph) };
        assert_eq!(code, CUresult::CUDA_SUCCESS, "the capture is still valid");
        // SAFETY: The graph was created by the call above and is destroyed once.
        let code = unsafe { sys::cuGraphDestroy(graph) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        reducer.sum_into(&stream, &data, &mut sum).unwrap();
        assert_eq!(sum.to_vec(&stream).unwrap(), [5000]);
    });
}
