//! Waits that fail while work is queued: memory that the work touches must not go back to the program.
//!
//! On the emulator, with streams held: nothing that is enqueued begins before somebody waits for it, so what was not
//! waited for shows. Each test runs in a process of its own, where the driver calls that it names fail.

use cuda_emulator as _; // linked in: these tests never use a GPU

#[path = "common/child.rs"]
mod child;

use std::{mem::ManuallyDrop, panic};

use child::{aborts, passes};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, ErrorKind, In, InOut, LaunchConfig, Module, Out,
    PinnedBuffer, Result, Settled, Stream,
    memory::{MemoryType, Pipeline, RegisterFlags, Signal},
    sys::CUresult,
};

/// The ways of waiting, all of which fail.
const NO_WAIT: &str = "cuStreamSynchronize:1+:CUDA_ERROR_UNKNOWN,\
    cuEventSynchronize:1+:CUDA_ERROR_UNKNOWN,cuCtxSynchronize:1+:CUDA_ERROR_UNKNOWN";

const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n\
    .visible .entry increment(.param .u64 p) {\n.reg .u64 %a;\n.reg .u32 %v;\n\
    ld.param.u64 %a, [p];\nld.global.u32 %v, [%a];\nadd.u32 %v, %v, 1;\nst.global.u32 [%a], %v;\nret;\n}\n";

/// Codes that a wait may fail with, none of which says that the work is over.
const HARMLESS: [&str; 4] = [
    "CUDA_ERROR_NOT_PERMITTED",
    "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "CUDA_ERROR_UNKNOWN",
];

/// Passes when the n-th wait for a stream fails, by each of the codes.
#[track_caller]
fn passes_with_failing_waits(test: &str, nth: &[u32], body: fn()) {
    for code in HARMLESS {
        for n in nth {
            passes(test, &format!("cuStreamSynchronize:{n}:{code}"), body);
        }
    }
    // The event fails too: the context is left.
    let stubborn = "cuStreamSynchronize:1:999,cuStreamSynchronize:2:999,cuEventRecord:1:999";
    passes(test, stubborn, body);
}

fn device() -> (Context, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

#[test]
fn an_upload_has_read_its_slice_when_it_returns() {
    passes_with_failing_waits("an_upload_has_read_its_slice_when_it_returns", &[1], || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut host = vec![7u32; 1000];
        buffer.copy_from_slice(&stream, &host).unwrap_err();
        host.fill(8); // the program's again
        assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
    });
}

#[test]
fn a_download_has_written_its_slice_when_it_returns() {
    passes_with_failing_waits(
        "a_download_has_written_its_slice_when_it_returns",
        &[1],
        || {
            let (_, stream) = device();
            let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
            buffer.fill(&stream, 7).unwrap();
            let mut host = vec![0u32; 1000];
            buffer.copy_to_slice(&stream, &mut host).unwrap_err();
            host.fill(8);
            stream.synchronize().unwrap();
            assert_eq!(host, [8; 1000]);
            assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
        },
    );
}

#[test]
fn a_failed_to_vec_frees_nothing_that_is_written_to() {
    passes_with_failing_waits(
        "a_failed_to_vec_frees_nothing_that_is_written_to",
        &[1],
        || {
            let (_, stream) = device();
            let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 100_000).unwrap();
            buffer.fill(&stream, 7).unwrap();
            buffer.to_vec(&stream).unwrap_err();
            assert!(stream.query().unwrap(), "the copy is still queued");
        },
    );
    // Owned memory is leaked where nothing can tell.
    passes(
        "a_failed_to_vec_frees_nothing_that_is_written_to",
        NO_WAIT,
        || {
            let (_, stream) = device();
            let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
            buffer.fill(&stream, 7).unwrap();
            buffer.to_vec(&stream).unwrap_err();
            // What takes its place would show what is written to freed memory.
            let places: Vec<Vec<u32>> = (0..100).map(|_| vec![9; 1000]).collect();
            while !stream.query().unwrap() {
                std::thread::yield_now();
            }
            assert!(places.iter().flatten().all(|&value| value == 9));
        },
    );
}

#[test]
fn a_pipeline_takes_nothing_that_is_not_there() {
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
        run(4).unwrap_err(); // an input must not be filled again, nor an output taken, too early
        run(4).unwrap();
    };
    let test = "a_pipeline_takes_nothing_that_is_not_there";
    for code in HARMLESS {
        for n in [1, 2, 5] {
            passes(test, &format!("cuEventSynchronize:{n}:{code}"), body);
        }
    }
    // Owned memory is leaked where nothing can tell.
    passes(
        "a_pipeline_takes_nothing_that_is_not_there",
        NO_WAIT,
        || {
            let (context, _) = device();
            let mut pipeline = Pipeline::<u32, u32>::new(&context, 2, 1000, 1000).unwrap();
            let run = pipeline.run(
                0..4,
                |piece, host| host.fill(*piece),
                |stream, x, y| y.copy_from(stream, x),
                |_, host| assert!(host.is_empty(), "nothing is known to be there"),
            );
            run.unwrap_err();
        },
    );
}

#[test]
fn a_scope_has_waited() {
    passes_with_failing_waits("a_scope_has_waited", &[1], || {
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
    let panicking: fn() = || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut from = vec![7u32; 1000];
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = stream.scope(|scope| -> cuda_safe::Result<()> {
                scope.upload(&from, &mut buffer)?;
                panic!("on purpose")
            });
        }));
        assert!(caught.is_err());
        from.fill(8);
        assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
    };
    passes("a_scope_has_waited", "", panicking);
    passes("a_scope_has_waited", "cuStreamSynchronize:1:999", panicking);
}

#[test]
fn a_transfer_that_fails_to_start_gives_back_what_is_at_rest() {
    // The mark behind the copy fails, and the wait.
    for fail in [
        "cuEventRecord:1:999",
        "cuEventRecord:1:999,cuStreamSynchronize:1:999",
    ] {
        passes(
            "a_transfer_that_fails_to_start_gives_back_what_is_at_rest",
            fail,
            || {
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
            },
        );
    }
    let fail = format!("cuEventRecord:1:999,{NO_WAIT}");
    passes(
        "a_transfer_that_fails_to_start_gives_back_what_is_at_rest",
        &fail,
        || {
            let (context, stream) = device();
            let buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
            let host = PinnedBuffer::zeroed(&context, 1000).unwrap();
            let failed = stream.download(&buffer, host).unwrap_err();
            assert!(failed.host.is_none(), "the copy is still queued");
        },
    );
}

#[test]
fn a_transfer_is_over_when_it_is_waited_for_or_dropped() {
    const TEST: &str = "a_transfer_is_over_when_it_is_waited_for_or_dropped";
    for fail in [
        "",
        "cuEventSynchronize:1:999",
        "cuEventSynchronize:1:999,cuEventSynchronize:2:2",
    ] {
        passes(TEST, fail, || {
            let (context, stream) = device();
            let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
            let host = PinnedBuffer::from_slice(&context, &[7u32; 1000]).unwrap();
            let address = host.as_ptr();
            drop(stream.upload(host, &mut buffer).unwrap());
            // The same place again, as the emulator gives it.
            let again = PinnedBuffer::from_slice(&context, &[8u32; 1000]).unwrap();
            println!("same place: {}", again.as_ptr() == address);
            assert_eq!(buffer.to_vec(&stream).unwrap(), [7; 1000]);
        });
        passes(TEST, fail, || {
            let (context, stream) = device();
            let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
            buffer.fill(&stream, 7).unwrap();
            let host = PinnedBuffer::zeroed(&context, 1000).unwrap();
            let transfer = stream.download(&buffer, host).unwrap();
            assert!(!transfer.is_done().unwrap());
            if let Ok(host) = transfer.wait() {
                assert_eq!(*host, [7; 1000]);
            }
            assert!(stream.query().unwrap(), "the copy is still queued");
        });
    }
    // Leaked where nothing can tell: no address is used again.
    passes(TEST, NO_WAIT, || {
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
fn host_arguments_are_the_hosts_again_after_a_launch() {
    const TEST: &str = "host_arguments_are_the_hosts_again_after_a_launch";
    let body: fn() = || {
        let (context, stream) = device();
        let module = Module::from_ptx(&context, PTX).unwrap();
        let increment = module.function("increment").unwrap();
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
            assert_eq!(both[0], 100, "written after the launch was over");
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
    passes_with_failing_waits(TEST, &[1, 2, 3], body);
    for call in [
        "cuLaunchKernel:1:999",
        "cuLaunchKernel:2:2",
        "cuMemcpyDtoHAsync:1:999",
        "cuMemcpyHtoDAsync:2:999",
        "cuMemcpyDtoHAsync:1:999,cuStreamSynchronize:1:999",
        "cuLaunchKernel:1:999,cuStreamSynchronize:1:999",
    ] {
        passes(TEST, call, body);
    }
}

#[test]
fn borrowed_memory_is_not_given_back_where_nothing_can_tell() {
    const TEST: &str = "borrowed_memory_is_not_given_back_where_nothing_can_tell";
    aborts(TEST, NO_WAIT, || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let _ = buffer.copy_from_slice(&stream, &[7; 1000]);
    });
    aborts(TEST, NO_WAIT, || {
        let (_, stream) = device();
        let buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut host = [0; 1000];
        let _ = stream.scope(|scope| scope.download(&buffer, &mut host));
    });
    aborts(TEST, NO_WAIT, || {
        let (context, stream) = device();
        let module = Module::from_ptx(&context, PTX).unwrap();
        let increment = module.function("increment").unwrap();
        // SAFETY: the kernel reads and writes one number.
        let _ =
            unsafe { increment.launch(&stream, LaunchConfig::new(1, 1), (InOut(&mut [7u32]),)) };
    });
}

#[test]
fn settle_tells_what_is_known() {
    const TEST: &str = "settle_tells_what_is_known";
    passes(TEST, "", || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        buffer.fill(&stream, 7).unwrap();
        assert!(matches!(stream.settle(), Settled::Done));
        assert!(stream.query().unwrap());
    });
    passes(TEST, "cuStreamSynchronize:1:2", || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        buffer.fill(&stream, 7).unwrap();
        let Settled::Failed(error) = stream.settle() else {
            panic!("one wait failed")
        };
        assert_eq!(
            error.driver_code(),
            Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY)
        );
        assert!(stream.query().unwrap());
    });
    passes(TEST, NO_WAIT, || {
        let (_, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        buffer.fill(&stream, 7).unwrap();
        assert!(matches!(stream.settle(), Settled::Unknown(_)));
        assert!(!stream.query().unwrap());
    });
}

#[test]
fn a_context_settles_with_all_its_streams() {
    const TEST: &str = "a_context_settles_with_all_its_streams";
    let body: fn() = || {
        let (context, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        buffer.fill(&stream, 7).unwrap();
        assert!(!matches!(context.settle(), Settled::Unknown(_)));
        assert!(stream.query().unwrap());
    };
    passes(TEST, "", body);
    passes(TEST, "cuCtxSynchronize:1:2", body);
    passes(TEST, NO_WAIT, || {
        let (context, stream) = device();
        let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        buffer.fill(&stream, 7).unwrap();
        assert!(matches!(context.settle(), Settled::Unknown(_)));
        assert!(!stream.query().unwrap());
    });
}

#[test]
fn an_owner_that_can_not_be_told_to_wait_has_nothing_to_wait_for() {
    const TEST: &str = "an_owner_that_can_not_be_told_to_wait_has_nothing_to_wait_for";
    let body: fn() = || {
        let (context, stream) = device();
        let other = Stream::new(&context).unwrap();
        let mut target = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
        let mut source = DeviceBuffer::<u32>::uninit(&other, 1000).unwrap();
        source.fill(&other, 7).unwrap();
        let copied = target.copy_from(&stream, &source);
        // In the order of `other`, which may not know of the copy.
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
    passes(TEST, "", body);
    for nth in 1..=3 {
        for call in [
            "cuEventCreate",
            "cuEventRecord",
            "cuStreamWaitEvent",
            "cuMemcpyDtoDAsync",
        ] {
            passes(TEST, &format!("{call}:{nth}:CUDA_ERROR_UNKNOWN"), body);
            passes(
                TEST,
                &format!("{call}:{nth}:CUDA_ERROR_OUT_OF_MEMORY"),
                body,
            );
        }
    }
    // Nor can the host wait.
    aborts(TEST, &format!("cuStreamWaitEvent:2:999,{NO_WAIT}"), body);
}

#[test]
fn every_owner_is_told_whatever_becomes_of_one() {
    const TEST: &str = "every_owner_is_told_whatever_becomes_of_one";
    let body: fn() = || {
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
    passes(TEST, "", body);
    for nth in 1..=12 {
        passes(TEST, &format!("cuStreamWaitEvent:{nth}:999"), body);
    }
}

#[test]
fn a_panic_in_ordered_work_leaves_the_owners_in_order() {
    passes(
        "a_panic_in_ordered_work_leaves_the_owners_in_order",
        "",
        || {
            let (context, stream) = device();
            let other = Stream::new(&context).unwrap();
            let mut target = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
            let mut source = DeviceBuffer::<u32>::uninit(&other, 1000).unwrap();
            source.fill(&other, 7).unwrap();
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let _ =
                    stream.ordered_with([source.view().owner()], || -> cuda_safe::Result<()> {
                        // Raw, as kernels are.
                        // SAFETY: 4000 bytes of both; ordered with the owner.
                        let code = unsafe {
                            cuda_safe::sys::cuMemcpyDtoDAsync_v2(
                                target.as_device_ptr(),
                                source.as_device_ptr(),
                                4000,
                                stream.as_raw(),
                            )
                        };
                        assert_eq!(code, CUresult::CUDA_SUCCESS);
                        panic!("on purpose")
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
        },
    );
}

#[test]
fn parameters_that_could_not_be_read_once_are_read_again() {
    const TEST: &str = "parameters_that_could_not_be_read_once_are_read_again";
    let body: fn() = || {
        let (context, stream) = device();
        let module = Module::from_ptx(&context, PTX).unwrap();
        let increment = module.function("increment").unwrap();
        let config = LaunchConfig::new(1, 1);
        let mut x = DeviceBuffer::from_slice(&stream, &[7u32]).unwrap();
        // SAFETY: nothing is launched where the arguments can't be checked.
        let error = unsafe { increment.launch(&stream, config, (&mut x, 1u32)) }.unwrap_err();
        assert_ne!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
        // SAFETY: nothing is launched with a wrong number of arguments.
        let error = unsafe { increment.launch(&stream, config, (&mut x, 1u32)) }.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
        // SAFETY: the kernel reads and writes one number.
        unsafe { increment.launch(&stream, config, (&mut x,)) }.unwrap();
        assert_eq!(x.to_vec(&stream).unwrap(), [8]);
    };
    passes(TEST, "cuFuncGetParamInfo:1:999", body);
    passes(TEST, "cuFuncGetParamInfo:2:2", body);
    // Without its address it can't be called; the address is asked for again as well.
    passes(TEST, "cuGetProcAddress:1:999", body);
}

#[test]
fn a_created_context_is_waited_for_before_it_ends() {
    const TEST: &str = "a_created_context_is_waited_for_before_it_ends";
    let body: fn() = || {
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
    passes(TEST, "", body);
    passes(TEST, "cuCtxSynchronize:1:999", body);
    passes(TEST, NO_WAIT, body); // leaked, as nothing can tell
}

/// What the driver returns in every context of a process after a fault in one of them.
const FAULTED: &str =
    "cuStreamQuery:1+:CUDA_ERROR_LAUNCH_FAILED,cuStreamSynchronize:1+:CUDA_ERROR_LAUNCH_FAILED";

/// The kind of a signal's memory after the signal has been dropped while a write of it is queued.
fn memory_of_a_dropped_signal() -> MemoryType {
    let (context, stream) = device();
    let signal = Signal::<u32>::new(&context, 0).unwrap();
    stream.write_signal(&signal, 1).unwrap();
    let address = signal.device_ptr();
    drop(signal);
    context.pointer_info(address).unwrap().memory_type
}

#[test]
fn a_signal_outlives_a_fault_that_may_be_of_another_context() {
    let test = "a_signal_outlives_a_fault_that_may_be_of_another_context";
    passes(test, FAULTED, || {
        let _other = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        assert_eq!(memory_of_a_dropped_signal(), MemoryType::HOST);
    });
}

#[test]
fn a_signal_is_freed_after_a_fault_of_its_own_context() {
    let test = "a_signal_is_freed_after_a_fault_of_its_own_context";
    passes(test, FAULTED, || {
        assert_eq!(memory_of_a_dropped_signal(), MemoryType::UNKNOWN);
    });
}

#[test]
fn memory_that_stays_registered_ends_the_process() {
    const TEST: &str = "memory_that_stays_registered_ends_the_process";
    const ALWAYS: &str = "cuMemHostUnregister:1+:CUDA_ERROR_UNKNOWN";
    fn page_locked(body: fn(&mut [u32]) -> Result<()>) -> Result<()> {
        let (context, _) = device();
        context.page_locked(&mut [0u32; 4], RegisterFlags::default(), body)
    }
    // The second attempt succeeds.
    passes(TEST, "cuMemHostUnregister:1:CUDA_ERROR_UNKNOWN", || {
        let error = page_locked(|_| Ok(())).unwrap_err();
        assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_UNKNOWN));
    });
    aborts(TEST, ALWAYS, || {
        let _ = page_locked(|_| Ok(()));
    });
    aborts(TEST, ALWAYS, || {
        let _ = panic::catch_unwind(|| page_locked(|_| panic!("in the body")));
    });
}

#[test]
fn a_panic_while_memory_is_mapped_waits_for_the_work() {
    const TEST: &str = "a_panic_while_memory_is_mapped_waits_for_the_work";
    fn fill_and_panic(host: &mut [u32]) {
        let (_, stream) = device();
        let flags = RegisterFlags::default();
        let mapped = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            stream.mapped(host, flags, |mut view| -> Result<()> {
                view.fill(&stream, 7)?;
                panic!("in the body")
            })
        }));
        assert!(mapped.is_err());
    }
    passes(TEST, "", || {
        let mut host = vec![1u32; 1000];
        fill_and_panic(&mut host);
        assert_eq!(host, [7; 1000]);
    });
    aborts(TEST, NO_WAIT, || fill_and_panic(&mut [1; 1000]));
}
