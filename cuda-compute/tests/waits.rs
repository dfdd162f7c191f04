//! Memory that must not be read, reused or freed while work that uses it is enqueued: results of
//! reductions whose wait fails, and memory shared with another library.

use cuda_emulator as _; // linked in: these tests never use a GPU

#[path = "../../cuda-safe/tests/common/child.rs"]
mod child;

use child::passes;
use std::{
    ffi::c_void,
    ptr,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use cuda_compute::{
    Array, Error, Reducer,
    interop::{
        ImportedTensor,
        dlpack::{DLDataType, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLTensor, VERSION},
    },
};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, DeviceView, MemoryPool, Module, PinnedBuffer,
    Stream, sys::CUresult,
};

const NO_WAIT: &str = "cuStreamSynchronize:2+:CUDA_ERROR_UNKNOWN,\
    cuEventSynchronize:1+:CUDA_ERROR_UNKNOWN,cuCtxSynchronize:1+:CUDA_ERROR_UNKNOWN";

fn device() -> (Context, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

#[test]
fn sums_are_correct_after_a_failed_wait() {
    let body = || {
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
        passes(&format!("cuStreamSynchronize:3:{code}"), body);
    }
    passes("cuMemHostGetDevicePointer:1:999", body);
    passes("cuLaunchKernel:1:999", body);
}

#[test]
fn results_of_unfinished_kernels_are_leaked() {
    passes(NO_WAIT, || {
        let (context, stream) = device();
        let ones = DeviceBuffer::from_slice(&stream, &[1u32; 1000]).unwrap();
        let reducer = Reducer::new(&context).unwrap();
        reducer.sum(&stream, &ones).unwrap_err();
        drop(reducer);
        // If the result's memory had been freed, the kernel might write to one of these buffers.
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
fn memory_of_another_context_is_rejected() {
    passes("", || {
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

static DELETED: AtomicUsize = AtomicUsize::new(0);
static IDLE: AtomicBool = AtomicBool::new(false);
/// Whether the deleter queries the stream. A query lets held work begin.
static LOOKS: AtomicBool = AtomicBool::new(true);

/// Another library's tensor of 1000 floats. Its deleter checks whether the stream of the importing
/// array is idle.
struct Theirs {
    tensor: DLManagedTensorVersioned,
    taker: Stream,
    shape: i64,
}

impl Theirs {
    fn tensor(memory: &DeviceBuffer<f32>, taker: &Stream) -> *mut DLManagedTensorVersioned {
        unsafe extern "C" fn delete(tensor: *mut DLManagedTensorVersioned) {
            // SAFETY: The tensor was created below and is deleted once.
            let theirs = unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Theirs>()) };
            DELETED.fetch_add(1, Ordering::SeqCst);
            if LOOKS.load(Ordering::SeqCst) {
                IDLE.store(theirs.taker.query().unwrap(), Ordering::SeqCst);
            }
        }
        let place = Box::into_raw(Box::<Self>::new_uninit()).cast::<Self>();
        // SAFETY: The box has room for the value.
        unsafe {
            let shape = &raw mut (*place).shape;
            let data: *mut c_void =
                ptr::with_exposed_provenance_mut(memory.as_device_ptr() as usize);
            place.write(Self {
                tensor: DLManagedTensorVersioned {
                    version: VERSION,
                    manager_ctx: place.cast(),
                    deleter: Some(delete),
                    flags: 0,
                    dl_tensor: DLTensor {
                        data,
                        device: DLDevice {
                            device_type: DLDeviceType::CUDA,
                            device_id: 0,
                        },
                        ndim: 1,
                        dtype: DLDataType {
                            code: DLDataType::FLOAT,
                            bits: 32,
                            lanes: 1,
                        },
                        shape,
                        strides: ptr::null_mut(),
                        byte_offset: 0,
                    },
                },
                taker: taker.clone(),
                shape: 1000,
            });
            &raw mut (*place).tensor
        }
    }
}

#[test]
fn imported_memory_is_deleted_after_its_work() {
    let body = || {
        let (_, stream) = device();
        let memory = DeviceBuffer::from_slice(&stream, &[3.0f32; 1000]).unwrap();
        let raw = Theirs::tensor(&memory, &stream);
        // SAFETY: The tensor is handed over once, and its memory was written on this stream.
        let x = unsafe { Array::<f32>::from_dlpack(&stream, raw).unwrap() };
        let y = (&x * 2.0).eval().unwrap();
        assert_eq!(DELETED.load(Ordering::SeqCst), 0);
        drop(x);
        assert_eq!(DELETED.load(Ordering::SeqCst), 1);
        assert!(IDLE.load(Ordering::SeqCst));
        assert_eq!(y.to_vec().unwrap(), [6.0; 1000]);
    };
    passes("", body);
    passes("cuStreamSynchronize:2:CUDA_ERROR_UNKNOWN", body);
}

#[test]
fn imported_memory_is_leaked_if_waiting_fails() {
    passes(NO_WAIT, || {
        let (_, stream) = device();
        let memory = DeviceBuffer::from_slice(&stream, &[3.0f32; 1000]).unwrap();
        let raw = Theirs::tensor(&memory, &stream);
        // SAFETY: The tensor is handed over once, and its memory was written on this stream.
        let x = unsafe { Array::<f32>::from_dlpack(&stream, raw).unwrap() };
        let y = (&x * 2.0).eval().unwrap();
        drop(x);
        assert_eq!(DELETED.load(Ordering::SeqCst), 0);
        drop(y);
    });
}

#[test]
fn deletion_is_ordered_by_the_producer_stream() {
    let body = || {
        let (context, stream) = device();
        let theirs = Stream::new(&context).unwrap();
        let mut memory = DeviceBuffer::<f32>::uninit(&theirs, 1000).unwrap();
        memory.fill(&theirs, 3.0).unwrap(); // held, so the array's stream has to wait for it
        let raw = Theirs::tensor(&memory, &stream);
        // SAFETY: The tensor is handed over once and used again in the order of `theirs`.
        let x = unsafe {
            let tensor = ImportedTensor::from_versioned(raw).unwrap();
            tensor
                .into_array_with_producer::<f32>(&stream, &theirs)
                .unwrap()
        };
        let y = (&x * 2.0).eval().unwrap();
        drop(x);
        assert_eq!(DELETED.load(Ordering::SeqCst), 1);
        assert!(!IDLE.load(Ordering::SeqCst), "the host has waited");
        memory.fill(&theirs, 9.0).unwrap(); // used again
        theirs.synchronize().unwrap();
        assert_eq!(y.to_vec().unwrap(), [6.0; 1000]);
    };
    passes("", body);
    passes("", || {
        LOOKS.store(false, Ordering::SeqCst);
        let (context, stream) = device();
        let theirs = Stream::new(&context).unwrap();
        let mut memory = DeviceBuffer::from_slice(&theirs, &[3.0f32; 1000]).unwrap();
        let raw = Theirs::tensor(&memory, &stream);
        // SAFETY: as above.
        let x = unsafe {
            let tensor = ImportedTensor::from_versioned(raw).unwrap();
            tensor
                .into_array_with_producer::<f32>(&stream, &theirs)
                .unwrap()
        };
        let y = (&x * 2.0).eval().unwrap();
        drop(x);
        memory.fill(&theirs, 9.0).unwrap();
        theirs.synchronize().unwrap();
        assert_eq!(y.to_vec().unwrap(), [6.0; 1000]);
    });
}

/// Uses a tensor as another library does: enqueues a copy of it on its stream and deletes it.
fn consume(raw: *mut DLManagedTensorVersioned, on: &Stream) -> DeviceBuffer<f32> {
    let mut copy = DeviceBuffer::uninit(on, 1000).unwrap();
    // SAFETY: The tensor is live, has this many floats and is deleted once.
    unsafe {
        let address = (*raw).dl_tensor.data.addr() as u64;
        let view = DeviceView::<f32>::borrow_raw(address, 1000, on);
        copy.copy_from(on, &view).unwrap();
        (*raw).deleter.unwrap()(raw);
    }
    copy
}

#[test]
fn exported_memory_is_freed_after_the_consumer() {
    passes("", || {
        let (context, stream) = device();
        let theirs = Stream::new(&context).unwrap();
        let x = Array::full(&stream, 1000, 3.0f32).unwrap();
        let _kernels = x.copy().unwrap(); // unloading them would wait
        let mut tensor = x.into_dlpack().unwrap();
        tensor.ready_on(&theirs).unwrap();
        let pool = MemoryPool::current(&context).unwrap();
        let used = pool.used().unwrap();
        let copy = consume(tensor.into_raw(), &theirs);
        assert!(!theirs.query().unwrap(), "the host has waited");
        stream.synchronize().unwrap(); // frees it, after the copy
        assert_eq!(copy.to_vec(&theirs).unwrap(), [3.0; 1000]);
        drop(copy);
        theirs.synchronize().unwrap();
        assert!(pool.used().unwrap() < used, "nothing was freed");
    });
    // If streams are given as numbers, the work of all of them is waited for.
    passes("", || {
        let (context, stream) = device();
        let theirs = Stream::new(&context).unwrap();
        let mut tensor = Array::full(&stream, 1000, 3.0f32).unwrap().share_dlpack();
        // SAFETY: The stream is live.
        unsafe { tensor.ready_for(Some(theirs.as_raw() as i64)).unwrap() };
        let copy = consume(tensor.into_raw(), &theirs);
        assert!(theirs.query().unwrap());
        assert_eq!(copy.to_vec(&theirs).unwrap(), [3.0; 1000]);
    });
}

#[test]
fn exported_memory_is_leaked_if_waiting_fails() {
    passes(NO_WAIT, || {
        let (context, stream) = device();
        let theirs = Stream::new(&context).unwrap();
        let x = Array::full(&stream, 1000, 3.0f32).unwrap();
        let pool = MemoryPool::current(&context).unwrap();
        let used = pool.used().unwrap();
        let mut tensor = x.into_dlpack().unwrap();
        // SAFETY: -1 is not a stream handle.
        unsafe { tensor.ready_for(Some(-1)).unwrap() };
        let raw = tensor.into_raw();
        drop(consume(raw, &theirs));
        for stream in [&stream, &theirs] {
            while !stream.query().unwrap() {
                std::thread::yield_now();
            }
        }
        assert_eq!(pool.used().unwrap(), used);
    });
}
