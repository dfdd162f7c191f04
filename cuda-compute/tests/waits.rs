//! Reductions whose wait fails: the result's place must not be read, reused or freed while the kernel may write to it.

use cuda_emulator as _; // linked in: these tests never use a GPU

#[path = "../../cuda-safe/tests/common/child.rs"]
mod child;

use child::passes;
use cuda_compute::{Error, Reducer};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, Module, PinnedBuffer, Stream, sys::CUresult,
};

const NO_WAIT: &str = "cuStreamSynchronize:2+:CUDA_ERROR_UNKNOWN,\
    cuEventSynchronize:1+:CUDA_ERROR_UNKNOWN,cuCtxSynchronize:1+:CUDA_ERROR_UNKNOWN";

fn device() -> (Context, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

#[test]
fn a_sum_whose_wait_fails_leaves_the_next_one_right() {
    const TEST: &str = "a_sum_whose_wait_fails_leaves_the_next_one_right";
    let body: fn() = || {
        let (context, stream) = device();
        let ones = DeviceBuffer::from_slice(&stream, &[1u32; 1000]).unwrap();
        let twos = DeviceBuffer::from_slice(&stream, &[2u32; 1000]).unwrap();
        let reducer = Reducer::new(&context).unwrap();
        let error = reducer.sum(&stream, &ones).unwrap_err();
        let Error::Cuda(error) = error else {
            panic!("{error}")
        };
        assert_ne!(error.driver_code(), Some(CUresult::CUDA_SUCCESS));
        assert!(stream.query().unwrap(), "the kernel may still write");
        assert_eq!(reducer.sum(&stream, &twos).unwrap(), 2000);
    };
    for code in [
        "CUDA_ERROR_UNKNOWN",
        "CUDA_ERROR_OUT_OF_MEMORY",
        "CUDA_ERROR_NOT_PERMITTED",
    ] {
        passes(TEST, &format!("cuStreamSynchronize:3:{code}"), body);
    }
    passes(TEST, "cuMemHostGetDevicePointer:1:999", body);
    passes(TEST, "cuLaunchKernel:1:999", body);
}

#[test]
fn a_result_that_may_be_written_to_is_leaked() {
    passes("a_result_that_may_be_written_to_is_leaked", NO_WAIT, || {
        let (context, stream) = device();
        let ones = DeviceBuffer::from_slice(&stream, &[1u32; 1000]).unwrap();
        let reducer = Reducer::new(&context).unwrap();
        reducer.sum(&stream, &ones).unwrap_err();
        drop(reducer);
        // Places that the kernel would write to if one of them were the result's.
        let places: Vec<_> = (0..64)
            .map(|_| PinnedBuffer::from_slice(&context, &[7u64]).unwrap())
            .collect();
        while !stream.query().unwrap() {
            std::thread::yield_now();
        }
        assert!(places.iter().all(|place| place[0] == 7));
        std::mem::forget(places);
    });
}

#[test]
fn memory_of_another_context_is_refused() {
    passes("memory_of_another_context_is_refused", "", || {
        let (context, stream) = device();
        let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let theirs = Stream::new(&created).unwrap();
        let source = "__device__ unsigned table[4]; __global__ void k() { table[0] = 1; }";
        let module = Module::compile(&created, source).unwrap();
        let mut table = module.global::<u32>("table", 4).unwrap();
        let buffer = DeviceBuffer::from_slice(&theirs, &[1u32; 4]).unwrap();
        let here = DeviceBuffer::from_slice(&stream, &[1u32; 4]).unwrap();
        let reducer = Reducer::new(&context).unwrap();
        let errors = [
            reducer.sum(&stream, &table).unwrap_err(),
            reducer.sum(&stream, &buffer).unwrap_err(),
            reducer.dot(&stream, &here, &table).unwrap_err(),
            reducer
                .sum_into(&stream, &here, &mut table.slice_mut(..1).unwrap())
                .unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, Error::Shape(_)), "{error}");
            assert!(error.to_string().contains("context"), "{error}");
        }
        let error = reducer.sum(&theirs, &here).unwrap_err();
        assert!(matches!(error, Error::Shape(_)), "{error}");
        let reducer = Reducer::new(&created).unwrap();
        assert_eq!(reducer.sum(&theirs, &table).unwrap(), 0);
    });
}
