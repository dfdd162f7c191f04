//! Kernels that fault. Each fault runs in its own process, because it may cost the process its
//! device. The test starts this program again with the name of the fault.

#[path = "../common/failure.rs"]
mod failure;
mod other_contexts;
mod printed;
mod survivors;
#[path = "../common/test_name.rs"]
mod test_name;

use std::{
    any::Any,
    future::Future,
    pin::pin,
    process::{Command, Output},
    sync::Arc,
    task::{self, Poll, Wake, Waker},
    thread,
};

use cuda_safe::{
    Context, DeviceBuffer, ErrorKind, Function, Graph, LaunchConfig, ManagedBuffer, MappedBuffer,
    Module, PinnedBuffer, Stream, memory::Pipeline, memory::virtual_memory::GrowableBuffer,
    module::FunctionAttribute, sys::CUresult,
};
use failure::failure;
use test_name::test_name;

const CHILD: &str = "CUDA_SAFE_TEST_FAULT";

const KERNELS: &str = r#"
extern "C" __global__ void write(int *x, long long at) { x[at] = 1; }
extern "C" __global__ void misaligned(char *x) { *(volatile int *)(x + 1) = 1; }
extern "C" __global__ void trap() { asm volatile("trap;"); }
"#;

/// In the test's child process, runs `body` and returns `None`. Otherwise starts that process with
/// two emulated devices and returns its output.
fn child_output(body: impl FnOnce()) -> Option<Output> {
    child_output_with(&[], body)
}

/// [`child_output`] with environment variables.
fn child_output_with(variables: &[(&str, &str)], body: impl FnOnce()) -> Option<Output> {
    let test = test_name(&body);
    if let Ok(name) = std::env::var(CHILD) {
        if name == test {
            body();
            println!("child done");
        }
        return None;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, test)
        .env("CUDA_EMULATOR_DEVICES", "2")
        .env_remove("CUDA_EMULATOR_CHECK")
        .envs(variables.iter().copied())
        .output();
    Some(output.unwrap())
}

/// Runs `fault` in a child process, which must finish normally.
fn in_child(fault: impl FnOnce()) {
    let Some(output) = child_output(fault) else {
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("child done"),
        "{}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

fn kernel(context: &Context, name: &str) -> Function {
    let module = Module::compile(context, KERNELS).unwrap();
    module.function(name).unwrap()
}

/// A kernel that faults, on its own stream.
///
/// A driver loads code only when the device is idle, so create this before work that does not end
/// by itself.
struct Fault {
    stream: Stream,
    trap: Function,
}

impl Fault {
    fn new(context: &Context) -> Self {
        let trap = kernel(context, "trap");
        // Drivers that load functions lazily load this one now.
        trap.attribute(FunctionAttribute::NUM_REGS).unwrap();
        Self {
            stream: Stream::new(context).unwrap(),
            trap,
        }
    }

    /// Enqueues the kernel.
    fn start(self) -> Stream {
        // SAFETY: the test needs the fault, and the device contains it.
        unsafe { self.trap.launch(&self.stream, LaunchConfig::new(1, 1), ()) }.unwrap();
        std::mem::forget(self.trap); // unloading would wait for the whole context
        self.stream
    }
}

/// Makes a kernel of the context fault, and waits until the fault is known.
fn cause_fault(context: &Context) {
    Fault::new(context).start().synchronize().unwrap_err();
}

/// Checks that the error of a fault names the kernel. On the emulator, it names the faulting kernel
/// and its source line. A GPU's driver names only the last kernel launched on the stream.
fn assert_names_kernel(context: &Context, kernel: &str, error: &cuda_safe::Error) {
    let text = error.to_string();
    let device = context.device().name().unwrap();
    if !device.starts_with("CUDA emulator") {
        let last = format!("the last one that was launched on this stream is `{kernel}`");
        assert!(
            text.contains(&last) && text.contains("compute-sanitizer"),
            "{text}"
        );
        return;
    }
    assert!(
        !text.contains("on the emulator"),
        "the remedy is already in use: {text}"
    );
    assert!(
        text.contains(&format!(
            "\n  kernel {kernel}, block (0, 0, 0), thread (0, 0, 0)\n"
        )),
        "{text}"
    );
    let (number, line) = KERNELS
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(&format!("{kernel}(")))
        .unwrap();
    let number = number + 1;
    assert!(
        text.contains(&format!(
            "source: program.cu:{number}, in the program created at "
        )),
        "{text}"
    );
    assert!(text.contains(&format!(" >{number:5} | {line}\n")), "{text}");
    assert!(text.contains("\n  PTX line "), "{text}");
}

/// Checks that a fault is reported once with its code and that later errors refer to it. Nothing
/// panics, and everything can still be dropped.
fn check_fault(kernel: &str, expected: &[CUresult]) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let function = Module::compile(&context, KERNELS)
        .unwrap()
        .function(kernel)
        .unwrap();
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
    let pinned = PinnedBuffer::<i32>::zeroed(&context, 4).unwrap();
    let config = LaunchConfig::new(1, 1);
    // SAFETY: the test needs the fault, and the device contains it.
    unsafe {
        match kernel {
            "write" => function.launch(&stream, config, (&mut x, 1i64 << 40)),
            "misaligned" => function.launch(&stream, config, (&mut x,)),
            _ => function.launch(&stream, config, ()),
        }
    }
    .unwrap();
    assert!(!context.is_poisoned());
    let error = stream.synchronize().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Fault, "{error}");
    assert!(expected.contains(&error.driver_code().unwrap()), "{error}");
    assert_names_kernel(&context, kernel, &error);
    assert!(context.is_poisoned());
    let later = x.to_vec(&stream).unwrap_err();
    assert_eq!(*later.kind(), ErrorKind::Poisoned, "{later}");
    assert!(later.to_string().contains("a consequence of"), "{later}");
    assert!(DeviceBuffer::<i32>::zeroed(&stream, 4).is_err());
    let failed = stream.upload(pinned, &mut x).unwrap_err();
    drop(failed);
    drop(x);
    drop((function, stream, context));
}

#[test]
fn fault_in_a_pipeline() {
    in_child(|| {
        let context = Context::primary(0).unwrap();
        let write = kernel(&context, "write");
        let mut pipeline = Pipeline::<i32, i32>::new(&context, 3, 4, 4).unwrap();
        let mut run = |bad| {
            let (mut turn, mut taken) = (0, 0);
            let result = pipeline.run(
                0..10,
                |_, _| (),
                |stream, _, y| {
                    let at = if turn == bad { 1i64 << 40 } else { 0 };
                    turn += 1;
                    // SAFETY: the test needs the fault, and the device contains it.
                    unsafe { write.launch(stream, LaunchConfig::new(1, 1), (y, at)) }
                },
                |_, _| taken += 1,
            );
            (result, taken)
        };
        assert_eq!(run(100).1, 10);
        let (result, taken) = run(4);
        failure(result).of_kind(ErrorKind::Fault);
        assert!(taken <= 4, "{taken} pieces were taken");
        failure(run(100).0).of_kind(ErrorKind::Poisoned);
    });
}

#[test]
fn fault_in_a_future() {
    in_child(|| {
        struct Unpark(thread::Thread);
        impl Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let write = kernel(&context, "write");
        let mut x = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
        // SAFETY: the test needs the fault, and the device contains it.
        unsafe { write.launch(&stream, LaunchConfig::new(1, 1), (&mut x, 1i64 << 40)) }.unwrap();
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let error = match stream.finished() {
            Err(error) => error, // the kernel faulted before the call
            Ok(future) => {
                let mut future = pin!(future);
                loop {
                    match future.as_mut().poll(&mut task::Context::from_waker(&waker)) {
                        Poll::Ready(result) => break result.unwrap_err(),
                        Poll::Pending => thread::park(), // a future that is never woken would hang
                    }
                }
            }
        };
        assert_eq!(*error.kind(), ErrorKind::Fault, "{error}");
        assert_names_kernel(&context, "write", &error);
        failure(stream.finished().map(drop)).of_kind(ErrorKind::Poisoned);
    });
}

#[test]
fn fault_in_a_graph() {
    in_child(|| {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let write = kernel(&context, "write");
        let mut graph = Graph::new(&context).unwrap();
        let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap());
        let host = graph.keep(PinnedBuffer::<i32>::zeroed(&context, 4).unwrap());
        let config = LaunchConfig::new(1, 1);
        // SAFETY: as above.
        let node = unsafe { graph.add_kernel(&[], &write, config, (x, 1i64 << 40)) }.unwrap();
        graph.add_copy(&[node], host, x).unwrap();
        graph.add_host_function(&[node], || ()).unwrap();
        let mut exec = graph.instantiate().unwrap();
        exec.launch(&stream).unwrap();
        let error = exec.memory(host).unwrap_err(); // waits for the launch
        assert_eq!(*error.kind(), ErrorKind::Fault, "{error}");
        if !context
            .device()
            .name()
            .unwrap()
            .starts_with("CUDA emulator")
        {
            assert!(error.to_string().contains("is `a graph`"), "{error}");
        }
        failure(exec.launch(&stream)).of_kind(ErrorKind::Poisoned);
        drop(exec); // also drops everything that it keeps
    });
}

#[test]
fn out_of_bounds_write_is_a_fault() {
    in_child(|| check_fault("write", &[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS]));
}

#[test]
fn misaligned_access_is_a_fault() {
    in_child(|| check_fault("misaligned", &[CUresult::CUDA_ERROR_MISALIGNED_ADDRESS]));
}

#[test]
fn trap_is_a_fault() {
    let codes = &[
        CUresult::CUDA_ERROR_LAUNCH_FAILED,
        CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
    ];
    in_child(|| check_fault("trap", codes));
}

/// Checks that a drop that waits finds the fault without reporting it, and that the next call does.
fn check_fault_found_by_drop(memory: impl FnOnce(&Stream) -> Box<dyn Any>) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let write = kernel(&context, "write");
    let mut x = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
    let memory = memory(&stream);
    let config = LaunchConfig::new(1, 1);
    // SAFETY: the test needs the fault, and the device contains it.
    unsafe { write.launch(&stream, config, (&mut x, 1i64 << 40)) }.unwrap();
    drop(memory);
    assert!(context.is_poisoned());
    let error = stream.synchronize().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Fault, "{error}");
    assert!(error.detail().starts_with("seen earlier"), "{error}");
    assert_names_kernel(&context, "write", &error);
    let later = x.to_vec(&stream).unwrap_err();
    assert_eq!(*later.kind(), ErrorKind::Poisoned, "{later}");
    // The error names the call that the program made, not a query that it makes first.
    assert_ne!(later.call(), "cuStreamIsCapturing", "{later}");
}

#[test]
fn fault_found_by_dropping_a_growable_buffer() {
    in_child(|| {
        check_fault_found_by_drop(|stream| {
            let mut memory = GrowableBuffer::<u32>::with_capacity(stream, 1000).unwrap();
            memory.grow(1000).unwrap();
            Box::new(memory)
        })
    });
}

#[test]
fn fault_found_by_dropping_a_mapped_buffer() {
    in_child(|| {
        check_fault_found_by_drop(|stream| {
            Box::new(MappedBuffer::<u32>::zeroed(stream, 1000).unwrap())
        })
    });
}

#[test]
fn fault_found_by_dropping_a_managed_buffer() {
    in_child(|| {
        check_fault_found_by_drop(|stream| {
            Box::new(ManagedBuffer::<u32>::zeroed(stream, 1000).unwrap())
        })
    });
}

#[test]
fn scope_with_a_fault_returns() {
    in_child(|| {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let function = kernel(&context, "trap");
        let mut host = vec![0u8; 1000];
        let x = DeviceBuffer::<u8>::zeroed(&stream, 1000).unwrap();
        let result = stream.scope(|scope| {
            // SAFETY: the test needs the fault.
            unsafe { function.launch(&stream, LaunchConfig::new(1, 1), ())? };
            scope.download(&x, &mut host)
        });
        assert!(matches!(
            result.unwrap_err().kind(),
            ErrorKind::Fault | ErrorKind::Poisoned
        ));
    });
}

#[test]
fn missing_device_is_an_error() {
    in_child(|| {
        // SAFETY: this child has one thread and the driver has not started.
        unsafe { std::env::set_var("CUDA_VISIBLE_DEVICES", "-1") };
        failure(Context::primary(0))
            .of_kind(ErrorKind::NoDevice)
            .mentions("CUDA_VISIBLE_DEVICES");
    });
}
