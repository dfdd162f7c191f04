//! Waits that fail while work is pending. Memory that the work touches must not return to the
//! program.
//!
//! The tests run on the emulator with held streams: enqueued work begins only when the host waits
//! for it, so a missing wait shows. Each test runs in its own process, where the driver calls that
//! it names fail.

use cuda_emulator as _; // linked in: these tests never use a GPU

#[path = "common/child.rs"]
mod child;

use std::{mem::ManuallyDrop, panic};

use child::{aborts, passes};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, ErrorKind, Function, In, InOut, LaunchConfig,
    Module, Out, PinnedBuffer, Result, Settled, Stream,
    memory::{MemoryType, Pipeline, RegisterFlags, Signal},
    sys::CUresult,
};

/// All ways to wait, each of which fails.
const NO_WAIT: &str = "cuStreamSynchronize:1+:CUDA_ERROR_UNKNOWN,\
    cuEventSynchronize:1+:CUDA_ERROR_UNKNOWN,cuCtxSynchronize:1+:CUDA_ERROR_UNKNOWN";

const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n\
    .visible .entry increment(.param .u64 p) {\n.reg .u64 %a;\n.reg .u32 %v;\n\
    ld.param.u64 %a, [p];\nld.global.u32 %v, [%a];\nadd.u32 %v, %v, 1;\nst.global.u32 [%a], %v;\nret;\n}\n";

/// Codes that a wait may return although the work is still pending.
const HARMLESS: [&str; 4] = [
    "CUDA_ERROR_NOT_PERMITTED",
    "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "CUDA_ERROR_UNKNOWN",
];

/// Checks that `body` passes if the n-th wait for a stream fails with each of the codes.
#[track_caller]
fn passes_with_failing_waits(nth: &[u32], body: impl Fn() + Copy) {
    for code in HARMLESS {
        for n in nth {
            passes(&format!("cuStreamSynchronize:{n}:{code}"), body);
        }
    }
    // The event also fails, so only the wait for the context remains.
    let stubborn = "cuStreamSynchronize:1:999,cuStreamSynchronize:2:999,cuEventRecord:1:999";
    passes(stubborn, body);
}

fn device() -> (Context, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

/// Returns a buffer of 1000 elements, and its stream, which still has to fill it with 7.
fn filling() -> (Context, Stream, DeviceBuffer<u32>) {
    let (context, stream) = device();
    let mut buffer = DeviceBuffer::uninit(&stream, 1000).unwrap();
    buffer.fill(&stream, 7).unwrap();
    (context, stream, buffer)
}

fn increment_kernel(context: &Context) -> Function {
    let module = Module::from_ptx(context, PTX).unwrap();
    module.function("increment").unwrap()
}

#[test]
fn upload_has_read_its_slice_when_it_returns() {
    passes_with_failing_waits(&[1], || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut host = vec![7u32; 1000];
        buffer.copy_from_slice(&stream, &host).unwrap_err();
        host.fill(8); // the slice belongs to the program again
        assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
    });
}

#[test]
fn download_has_written_its_slice_when_it_returns() {
    passes_with_failing_waits(&[1], || {
        let (_, stream, buffer) = filling();
        let mut host = vec![0u32; 1000];
        buffer.copy_to_slice(&stream, &mut host).unwrap_err();
        host.fill(8);
        stream.synchronize().unwrap();
        assert_eq!(host, [8; 1000]);
        assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
    });
}

#[test]
fn failed_to_vec_frees_no_memory_in_use() {
    passes_with_failing_waits(&[1], || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 100_000).unwrap();
        buffer.fill(&stream, 7).unwrap();
        buffer.to_vec(&stream).unwrap_err();
        assert!(stream.query().unwrap(), "the copy is still pending");
    });
    // If the state of the work is unknown, owned memory is leaked.
    passes(NO_WAIT, || {
        let (_, stream, buffer) = filling();
        buffer.to_vec(&stream).unwrap_err();
        // New allocations in the same places would show writes to freed memory.
        let places: Vec<Vec<u32>> = (0..100).map(|_| vec![9; 1000]).collect();
        while !stream.query().unwrap() {
            std::thread::yield_now();
        }
        assert!(places.iter().flatten().all(|&value| value == 9));
    });
}

#[test]
fn pipeline_outputs_only_finished_pieces() {
    let body = || {
        let (context, _) = device();
        let mut pipeline = Pipeline::<u32, u32>::new(&context, 2, 1000, 1000).unwrap();
        let mut run = |pieces| {
            pipeline.run(
                0..pieces,
                |piece, host| host.fill(*piece),
                |stream, x, y| y.copy_from(stream, x),
                |piece, host| assert_eq!(host, [piece; 1000]),
            )
        };
        run(4).unwrap_err(); // the pipeline must not reuse an input or output too early
        run(4).unwrap();
    };
    for code in HARMLESS {
        for n in [1, 2, 5] {
            passes(&format!("cuEventSynchronize:{n}:{code}"), body);
        }
    }
    // If the state of the work is unknown, owned memory is leaked.
    passes(NO_WAIT, || {
        let (context, _) = device();
        let mut pipeline = Pipeline::<u32, u32>::new(&context, 2, 1000, 1000).unwrap();
        let run = pipeline.run(
            0..4,
            |piece, host| host.fill(*piece),
            |stream, x, y| y.copy_from(stream, x),
            |_, host| assert!(host.is_empty(), "an output was used after a failed wait"),
        );
        run.unwrap_err();
    });
}

#[test]
fn scope_waits_for_its_work() {
    passes_with_failing_waits(&[1], || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let (mut from, mut to) = (vec![7u32; 1000], vec![0u32; 1000]);
        let failed = stream.scope(|scope| {
            scope.upload(&from, &mut buffer)?;
            scope.download(&buffer, &mut to)
        });
        failed.unwrap_err();
        assert_eq!(to, [7; 1000]);
        from.fill(8);
        to.fill(8);
        assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
        assert_eq!(to, [8; 1000]);
    });
    let panicking = || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut from = vec![7u32; 1000];
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = stream.scope(|scope| -> cuda_safe::Result<()> {
                scope.upload(&from, &mut buffer)?;
                panic!("expected")
            });
        }));
        assert!(caught.is_err());
        from.fill(8);
        assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
    };
    passes("", panicking);
    passes("cuStreamSynchronize:1:999", panicking);
}

#[test]
fn failed_transfer_returns_host_memory_if_idle() {
    // Recording the event after the copy fails, and then also the wait.
    for fail in [
        "cuEventRecord:1:999",
        "cuEventRecord:1:999,cuStreamSynchronize:1:999",
    ] {
        passes(fail, || {
            let (context, stream) = device();
            let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
            let host = PinnedBuffer::from_slice(&context, &[7u32; 1000]).unwrap();
            let failed = stream.upload(host, &mut buffer).unwrap_err();
            assert!(
                format!("{failed:?}").contains("cuEventRecord"),
                "{failed:?}"
            );
            failed.host.unwrap().fill(8);
            assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
        });
    }
    let fail = format!("cuEventRecord:1:999,{NO_WAIT}");
    passes(&fail, || {
        let (context, stream) = device();
        let buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let host = PinnedBuffer::zeroed(&context, 1000).unwrap();
        let failed = stream.download(&buffer, host).unwrap_err();
        assert!(failed.host.is_none(), "the copy is still pending");
    });
}

#[test]
fn transfer_wait_and_drop_wait_for_the_copy() {
    for fail in [
        "",
        "cuEventSynchronize:1:999",
        "cuEventSynchronize:1:999,cuEventSynchronize:2:2",
    ] {
        passes(fail, || {
            let (context, stream) = device();
            let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
            let host = PinnedBuffer::from_slice(&context, &[7u32; 1000]).unwrap();
            let address = host.as_ptr();
            drop(stream.upload(host, &mut buffer).unwrap());
            // The emulator usually returns the same address again.
            let again = PinnedBuffer::from_slice(&context, &[8u32; 1000]).unwrap();
            println!("same place: {}", again.as_ptr() == address);
            assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
        });
        passes(fail, || {
            let (context, stream, buffer) = filling();
            let host = PinnedBuffer::zeroed(&context, 1000).unwrap();
            let transfer = stream.download(&buffer, host).unwrap();
            assert!(!transfer.is_done().unwrap());
            if let Ok(host) = transfer.wait() {
                assert_eq!(*host, [7; 1000]);
            }
            assert!(stream.query().unwrap(), "the copy is still pending");
        });
    }
    // If the state of the work is unknown, the memory is leaked, so no address is used again.
    passes(NO_WAIT, || {
        let (context, stream) = device();
        let buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let before = context.memory_info().unwrap();
        let host = PinnedBuffer::<u32>::zeroed(&context, 1000).unwrap();
        let address = host.as_ptr();
        stream.download(&buffer, host).unwrap().wait().unwrap_err();
        let host = PinnedBuffer::<u32>::zeroed(&context, 1000).unwrap();
        assert_ne!(host.as_ptr(), address);
        let address = host.as_ptr();
        drop(stream.download(&buffer, host).unwrap());
        let host = ManuallyDrop::new(PinnedBuffer::<u32>::zeroed(&context, 1000).unwrap());
        assert_ne!(host.as_ptr(), address);
        assert_eq!(before, context.memory_info().unwrap());
    });
}

#[test]
fn host_arguments_are_not_written_after_launch_returns() {
    let body = || {
        let (context, stream) = device();
        let increment = increment_kernel(&context);
        let config = LaunchConfig::new(1, 1);
        let (mut both, mut out) = ([7u32], [0u32]);
        // SAFETY: the kernel reads and writes one number.
        let failed = unsafe { increment.launch(&stream, config, (InOut(&mut both),)) };
        let pending = cuda_emulator::pending_host_work(both.as_ptr().cast(), 4);
        assert!(pending.is_none(), "{pending:?}");
        if failed.is_err() {
            let seen = both;
            both[0] = 100;
            while !stream.query().unwrap() {
                std::thread::yield_now();
            }
            assert_eq!(both[0], 100, "written after the launch returned");
            assert!([7, 8].contains(&seen[0]));
        } else {
            assert_eq!(both, [8]);
        }
        // SAFETY: as above.
        let _ = unsafe { increment.launch(&stream, config, (Out(&mut out),)) };
        // SAFETY: as above.
        let _ = unsafe { increment.launch(&stream, config, (In(&out),)) };
        stream.synchronize().unwrap();
    };
    passes_with_failing_waits(&[1, 2, 3], body);
    for call in [
        "cuLaunchKernel:1:999",
        "cuLaunchKernel:2:2",
        "cuMemcpyDtoHAsync:1:999",
        "cuMemcpyHtoDAsync:2:999",
        "cuMemcpyDtoHAsync:1:999,cuStreamSynchronize:1:999",
        "cuLaunchKernel:1:999,cuStreamSynchronize:1:999",
    ] {
        passes(call, body);
    }
}

#[test]
fn process_aborts_if_state_of_borrowed_memory_is_unknown() {
    aborts(NO_WAIT, || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let _ = buffer.copy_from_slice(&stream, &[7; 1000]);
    });
    aborts(NO_WAIT, || {
        let (_, stream) = device();
        let buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut host = [0; 1000];
        let _ = stream.scope(|scope| scope.download(&buffer, &mut host));
    });
    aborts(NO_WAIT, || {
        let (context, stream) = device();
        let increment = increment_kernel(&context);
        // SAFETY: the kernel reads and writes one number.
        let _ =
            unsafe { increment.launch(&stream, LaunchConfig::new(1, 1), (InOut(&mut [7u32]),)) };
    });
}

#[test]
fn settle_reports_done_failed_or_unknown() {
    passes("", || {
        let (_, stream, _buffer) = filling();
        assert!(matches!(stream.settle(), Settled::Done));
        assert!(stream.query().unwrap());
    });
    passes("cuStreamSynchronize:1:2", || {
        let (_, stream, _buffer) = filling();
        let Settled::Failed(error) = stream.settle() else {
            panic!("one wait failed")
        };
        assert_eq!(
            error.driver_code(),
            Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY)
        );
        assert!(stream.query().unwrap());
    });
    passes(NO_WAIT, || {
        let (_, stream, _buffer) = filling();
        assert!(matches!(stream.settle(), Settled::Unknown(_)));
        assert!(!stream.query().unwrap());
    });
}

#[test]
fn context_settle_waits_for_all_its_streams() {
    let body = || {
        let (context, stream, _buffer) = filling();
        assert!(!matches!(context.settle(), Settled::Unknown(_)));
        assert!(stream.query().unwrap());
    };
    passes("", body);
    passes("cuCtxSynchronize:1:2", body);
    passes(NO_WAIT, || {
        let (context, stream, _buffer) = filling();
        assert!(matches!(context.settle(), Settled::Unknown(_)));
        assert!(!stream.query().unwrap());
    });
}

#[test]
fn copy_has_finished_if_owner_stream_cannot_wait() {
    let body = || {
        let (context, stream) = device();
        let other = Stream::new(&context).unwrap();
        let mut target = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut source = DeviceBuffer::<u32>::uninit(&other, 1000).unwrap();
        source.fill(&other, 7).unwrap();
        let copied = target.copy_from(&stream, &source);
        // Frees it in the order of `other`, which may not have been ordered after the copy.
        drop(source);
        other.synchronize().unwrap();
        let mut reused = DeviceBuffer::<u32>::uninit(&other, 1000).unwrap();
        reused.fill(&other, 8).unwrap();
        other.synchronize().unwrap();
        stream.synchronize().unwrap();
        if copied.is_ok() {
            assert_eq!(target.to_vec(&stream).unwrap(), [7; 1000]);
        }
    };
    passes("", body);
    for nth in 1..=3 {
        for call in [
            "cuEventCreate",
            "cuEventRecord",
            "cuStreamWaitEvent",
            "cuMemcpyDtoDAsync",
        ] {
            passes(&format!("{call}:{nth}:CUDA_ERROR_UNKNOWN"), body);
            passes(&format!("{call}:{nth}:CUDA_ERROR_OUT_OF_MEMORY"), body);
        }
    }
    // The host cannot wait either.
    aborts(&format!("cuStreamWaitEvent:2:999,{NO_WAIT}"), body);
}

#[test]
fn all_owner_streams_wait_even_if_one_fails() {
    let body = || {
        let (context, stream) = device();
        let owners = [(); 3].map(|()| Stream::new(&context).unwrap());
        let mut target = DeviceBuffer::<u32>::uninit(&stream, 3).unwrap();
        let mut sources = owners.each_ref().map(|owner| {
            let mut source = DeviceBuffer::<u32>::uninit(owner, 1).unwrap();
            source.fill(owner, 7).unwrap();
            source
        });
        let done = stream.ordered_with(owners.iter().map(Into::into), || {
            for (i, source) in sources.iter().enumerate() {
                target.slice_mut(i..=i)?.copy_from(&stream, source)?;
            }
            Ok::<_, cuda_safe::Error>(())
        });
        for (source, owner) in sources.iter_mut().zip(&owners) {
            source.fill(owner, 9).unwrap();
            owner.synchronize().unwrap();
        }
        drop(sources);
        if done.is_ok() {
            assert_eq!(target.to_vec(&stream).unwrap(), [7; 3]);
        }
        stream.synchronize().unwrap();
    };
    passes("", body);
    for nth in 1..=12 {
        passes(&format!("cuStreamWaitEvent:{nth}:999"), body);
    }
}

#[test]
fn owner_streams_are_ordered_after_a_panic() {
    passes("", || {
        let (context, stream) = device();
        let other = Stream::new(&context).unwrap();
        let mut target = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut source = DeviceBuffer::<u32>::uninit(&other, 1000).unwrap();
        source.fill(&other, 7).unwrap();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = stream.ordered_with([source.view().owner()], || -> cuda_safe::Result<()> {
                // Makes a raw call, as kernels do.
                //
                // SAFETY: both have 4000 bytes, and the copy is ordered with the owner.
                let code = unsafe {
                    cuda_safe::sys::cuMemcpyDtoDAsync_v2(
                        target.as_device_ptr(),
                        source.as_device_ptr(),
                        4000,
                        stream.as_raw(),
                    )
                };
                assert_eq!(code, CUresult::CUDA_SUCCESS);
                panic!("expected")
            });
        }));
        assert!(caught.is_err());
        source.fill(&other, 9).unwrap();
        other.synchronize().unwrap();
        assert!(stream.query().unwrap(), "the owner did not wait");
        assert_eq!(
            target.slice_mut(..).unwrap().to_vec(&stream).unwrap(),
            [7; 1000]
        );
    });
}

#[test]
fn kernel_parameters_are_read_again_after_a_failure() {
    let body = || {
        let (context, stream) = device();
        let increment = increment_kernel(&context);
        let config = LaunchConfig::new(1, 1);
        let mut x = DeviceBuffer::from_slice(&stream, &[7u32]).unwrap();
        // SAFETY: the launch fails before it starts, because the arguments cannot be checked.
        let error = unsafe { increment.launch(&stream, config, (&mut x, 1u32)) }.unwrap_err();
        assert_ne!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
        // SAFETY: the launch fails because the number of arguments is wrong.
        let error = unsafe { increment.launch(&stream, config, (&mut x, 1u32)) }.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
        // SAFETY: the kernel reads and writes one number.
        unsafe { increment.launch(&stream, config, (&mut x,)) }.unwrap();
        assert_eq!(x.to_vec(&stream).unwrap(), [8]);
    };
    passes("cuFuncGetParamInfo:1:999", body);
    passes("cuFuncGetParamInfo:2:2", body);
    // `cuFuncGetParamInfo` cannot be called without its address, which is looked up again, too.
    passes("cuGetProcAddress:1:999", body);
}

#[test]
fn context_waits_for_its_work_before_it_is_destroyed() {
    let body = || {
        let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let stream = Stream::new(&created).unwrap();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        buffer.fill(&stream, 7).unwrap();
        drop((buffer, stream));
        let closed = created.close();
        assert_eq!(
            closed.is_err(),
            std::env::var("CUDA_EMULATOR_FAIL").is_ok_and(|f| f == NO_WAIT)
        );
    };
    passes("", body);
    passes("cuCtxSynchronize:1:999", body);
    passes(NO_WAIT, body); // leaked, because the state of the work is unknown
}

/// Codes that the driver returns in every context of a process after a fault in one of them.
const FAULTED: &str =
    "cuStreamQuery:1+:CUDA_ERROR_LAUNCH_FAILED,cuStreamSynchronize:1+:CUDA_ERROR_LAUNCH_FAILED";

/// Returns the memory type of a signal's memory after the signal was dropped with a pending write.
fn memory_of_a_dropped_signal() -> MemoryType {
    let (context, stream) = device();
    let signal = Signal::<u32>::new(&context, 0).unwrap();
    stream.write_signal(&signal, 1).unwrap();
    let address = signal.device_ptr();
    drop(signal);
    context.pointer_info(address).unwrap().memory_type
}

#[test]
fn signal_is_leaked_if_the_fault_may_be_in_another_context() {
    passes(FAULTED, || {
        let _other = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        assert_eq!(memory_of_a_dropped_signal(), MemoryType::HOST);
    });
}

#[test]
fn signal_is_freed_after_a_fault_in_its_own_context() {
    passes(FAULTED, || {
        assert_eq!(memory_of_a_dropped_signal(), MemoryType::UNKNOWN);
    });
}

#[test]
fn process_aborts_if_memory_stays_registered() {
    const ALWAYS: &str = "cuMemHostUnregister:1+:CUDA_ERROR_UNKNOWN";
    fn page_locked(body: fn(&mut [u32]) -> Result<()>) -> Result<()> {
        let (context, _) = device();
        context.page_locked(&mut [0u32; 4], RegisterFlags::default(), body)
    }
    // The second attempt succeeds.
    passes("cuMemHostUnregister:1:CUDA_ERROR_UNKNOWN", || {
        let error = page_locked(|_| Ok(())).unwrap_err();
        assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_UNKNOWN));
    });
    aborts(ALWAYS, || {
        let _ = page_locked(|_| Ok(()));
    });
    aborts(ALWAYS, || {
        let _ = panic::catch_unwind(|| page_locked(|_| panic!("expected: in the body")));
    });
}

#[test]
fn mapped_waits_for_the_work_after_a_panic() {
    fn fill_and_panic(host: &mut [u32]) {
        let (_, stream) = device();
        let flags = RegisterFlags::default();
        let mapped = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            stream.mapped(host, flags, |mut view| -> Result<()> {
                view.fill(&stream, 7)?;
                panic!("expected: in the body")
            })
        }));
        assert!(mapped.is_err());
    }
    passes("", || {
        let mut host = vec![1u32; 1000];
        fill_and_panic(&mut host);
        assert_eq!(host, [7; 1000]);
    });
    aborts(NO_WAIT, || fill_and_panic(&mut [1; 1000]));
}
