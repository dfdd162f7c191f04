//! Faults in a process with several contexts. A fault ends all contexts on all devices at once, but
//! the device finishes the work of those that did not fault (recorded on two H100s with driver
//! 580).

use std::{ptr, thread, time::Duration};

use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, ErrorKind, Function, LaunchConfig, MappedBuffer,
    Module, PinnedBuffer, Settled, Stream,
    memory::{RegisterFlags, Signal},
    sys,
};

use super::{cause_fault, child_output, failure, in_child};

const WAITS: &str = r#"
extern "C" __global__ void set_later(volatile unsigned *begun, volatile unsigned *flag, unsigned *x) {
    *begun = 1;
    while (!*flag);
    *x = 7;
}
"#;

/// A context whose kernels wait for the host.
struct Busy {
    stream: Stream,
    set_later: Function,
    begun: Signal<u32>,
    flag: Signal<u32>,
}

impl Busy {
    fn new(context: &Context) -> Self {
        let module = Module::compile(context, WAITS).unwrap();
        Self {
            stream: Stream::new(context).unwrap(),
            set_later: module.function("set_later").unwrap(),
            begun: Signal::new(context, 0).unwrap(),
            flag: Signal::new(context, 0).unwrap(),
        }
    }

    /// Starts a kernel that sets `x` to 7 when [`release`](Self::release) is called.
    fn set_later(&self, x: u64) {
        let config = LaunchConfig::new(1, 1);
        // SAFETY: one thread writes one word, which lives until the process or the kernel ends.
        unsafe {
            let words = (self.begun.device_ptr(), self.flag.device_ptr(), x);
            self.set_later.launch(&self.stream, config, words)
        }
        .unwrap();
        while self.begun.get() == 0 {
            thread::yield_now();
        }
    }

    fn release(&self) {
        self.flag.set(1);
    }
}

fn two_contexts() -> [Context; 2] {
    let device = Device::get(0).unwrap();
    [(); 2].map(|()| Context::create(device, ContextFlags::AUTO).unwrap())
}

/// Runs `body` in a child process, which must abort with the library's message.
fn aborts(body: impl FnOnce()) {
    let Some(output) = child_output(body) else {
        return;
    };
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && text.contains("the process ends here"),
        "{}\n{}\n{text}",
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
}

fn map_while_another_context_faults(busy: &Context, faulting: &Context) {
    let busy = Busy::new(busy);
    let mut numbers = vec![0u32; 1024];
    let _ = busy
        .stream
        .mapped(&mut numbers, RegisterFlags::default(), |numbers| {
            busy.set_later(numbers.as_device_ptr());
            cause_fault(faulting);
            Ok(())
        });
}

#[test]
fn process_aborts_if_another_context_may_use_borrowed_memory() {
    aborts(|| {
        let [faulting, busy] = two_contexts();
        map_while_another_context_faults(&busy, &faulting);
    });
}

#[test]
fn process_aborts_if_another_device_may_use_borrowed_memory() {
    aborts(|| {
        if Device::count().unwrap() < 2 {
            eprintln!("there is one device: the process ends here");
            std::process::exit(1);
        }
        let [faulting, busy] = [0, 1].map(|device| Context::primary(device).unwrap());
        map_while_another_context_faults(&busy, &faulting);
    });
}

/// The host copies pageable memory and stops at the fault.
#[test]
fn pageable_copy_returns_an_error_after_a_fault() {
    in_child(|| {
        let [faulting, context] = two_contexts();
        let busy = Busy::new(&context);
        let mut x = DeviceBuffer::<u32>::zeroed(&busy.stream, 1000).unwrap();
        busy.stream.synchronize().unwrap();
        busy.set_later(x.as_device_ptr());
        let mut host = vec![9u32; 1000];
        thread::scope(|threads| {
            threads.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                cause_fault(&faulting);
            });
            let error = x.copy_to_slice(&busy.stream, &mut host).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Fault | ErrorKind::Poisoned),
                "{error}"
            );
        });
        let scoped = busy.stream.scope(|scope| scope.download(&x, &mut host));
        scoped.unwrap_err();
        assert!(x.copy_from_slice(&busy.stream, &[1; 1000]).is_err());
        assert!(x.to_vec(&busy.stream).is_err());
        busy.release();
        thread::sleep(Duration::from_millis(200));
        assert_eq!(host, [9; 1000], "data was copied after the error");
    });
}

/// The device copies page-locked memory and may continue after the fault.
#[test]
fn page_locked_copy_aborts_after_a_fault() {
    aborts(|| {
        let [faulting, context] = two_contexts();
        let busy = Busy::new(&context);
        let x = DeviceBuffer::<u32>::zeroed(&busy.stream, 1000).unwrap();
        let mut host = PinnedBuffer::<u32>::zeroed(&context, 1000).unwrap();
        busy.stream.synchronize().unwrap();
        busy.set_later(x.as_device_ptr());
        thread::scope(|threads| {
            threads.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                cause_fault(&faulting);
            });
            let _ = x.copy_to_slice(&busy.stream, &mut host);
        });
    });
}

#[test]
fn owned_memory_is_leaked_if_another_context_may_use_it() {
    in_child(|| {
        let [faulting, context] = two_contexts();
        let busy = Busy::new(&context);
        let mapped = MappedBuffer::<u32>::zeroed(&busy.stream, 100).unwrap();
        let address = mapped.as_device_ptr();
        let mut x = DeviceBuffer::<u32>::zeroed(&busy.stream, 100).unwrap();
        let pinned = PinnedBuffer::<u32>::zeroed(&context, 100).unwrap();
        busy.stream.synchronize().unwrap();
        busy.set_later(address);
        let upload = busy.stream.upload(pinned, &mut x).unwrap();
        cause_fault(&faulting);
        assert!(upload.wait().is_err());
        mapped.close().unwrap_err();
        busy.release();
        // The kernel continues and writes to the memory.
        //
        // SAFETY: the buffer was leaked and is aligned. A volatile read sees the device's
        // write.
        let word =
            || unsafe { ptr::with_exposed_provenance::<u32>(address as usize).read_volatile() };
        while word() != 7 {
            thread::yield_now();
        }
        drop((x, busy));
    });
}

#[test]
fn ordered_work_returns_an_error_after_a_fault() {
    in_child(|| {
        let [faulting, context] = two_contexts();
        let stream = Stream::new(&context).unwrap();
        let other = Stream::new(&context).unwrap();
        let mut x = DeviceBuffer::<u32>::zeroed(&other, 10).unwrap();
        let ordered: Result<(), cuda_safe::Error> = stream.ordered_with([x.view().owner()], || {
            cause_fault(&faulting);
            Ok(())
        });
        ordered.unwrap_err();
        x.fill(&stream, 1).unwrap_err();
        drop((x, stream, other, context));
    });
}

#[test]
fn settle_is_unknown_after_a_fault_with_other_contexts() {
    in_child(|| {
        let [faulting, context] = two_contexts();
        let stream = Stream::new(&context).unwrap();
        cause_fault(&faulting);
        for settled in [stream.settle(), context.settle(), faulting.settle()] {
            assert!(matches!(settled, Settled::Unknown(_)), "{settled:?}");
        }
        assert!(stream.settle().or_abort_without_fault().is_err());
        drop(faulting); // the context existed and may have caused the fault
        assert!(matches!(stream.settle(), Settled::Unknown(_)));
    });
}

#[test]
fn settle_is_unknown_after_a_fault_with_a_raw_primary_context() {
    in_child(|| {
        let device = Device::get(0).unwrap();
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for writes. The context is released when the process ends.
        let code = unsafe { sys::cuDevicePrimaryCtxRetain(&mut raw, device.as_raw()) };
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        let context = Context::create(device, ContextFlags::AUTO).unwrap();
        let stream = Stream::new(&context).unwrap();
        cause_fault(&context);
        assert!(matches!(stream.settle(), Settled::Unknown(_)));
    });
}

/// Green contexts are parts of the primary context, and their work has finished when a wait reports
/// the fault.
#[test]
fn settle_is_faulted_with_only_one_context() {
    in_child(|| {
        let context = Context::primary(0).unwrap();
        let same = Context::primary(0).unwrap();
        // SAFETY: `context` outlives the borrow.
        let borrowed = unsafe { Context::borrow_raw(context.as_raw()) }.unwrap();
        let stream = Stream::new(&context).unwrap();
        let mut numbers = vec![0u32; 1024];
        let result = stream.mapped(&mut numbers, RegisterFlags::default(), |_| {
            cause_fault(&context);
            Ok(())
        });
        result.unwrap_err();
        for context in [&context, &same, &borrowed] {
            assert!(matches!(context.settle(), Settled::Faulted(_)));
        }
    });
}

/// After a fault, no call works in another context, and new contexts cannot be created.
#[test]
fn fault_ends_all_contexts() {
    in_child(|| {
        let device = Device::get(0).unwrap();
        let [faulting, context] = two_contexts();
        let stream = Stream::new(&context).unwrap();
        cause_fault(&faulting);
        failure(stream.synchronize())
            .of_kind(ErrorKind::Fault)
            .mentions("every CUDA context of the process");
        failure(Stream::new(&context)).of_kind(ErrorKind::Poisoned);
        faulting.close().unwrap();
        drop(stream);
        context.close().unwrap();
        failure(Context::create(device, ContextFlags::AUTO)).of_kind(ErrorKind::Fault);
        failure(Context::primary(0)).of_kind(ErrorKind::Fault);
    });
}
