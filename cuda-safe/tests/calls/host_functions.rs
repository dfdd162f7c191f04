//! Calls within host functions: each is rejected under its own name, and none reaches the driver.

use std::{sync::mpsc::channel, time::Duration};

use cuda_safe::{
    DeviceMemory, Error, Graph, Library, Owner, Result, Sampler, Texture,
    checkpoint::Process,
    memory::{
        RegisterFlags, RegisteredBuffer, Registration, Storage,
        virtual_memory::{AddressRange, PhysicalMemory},
    },
    texture::TextureSource,
};

use super::*;

/// Checks that the error is a rejection, and returns the name of the rejected call.
#[track_caller]
fn rejected<R>(result: Result<R>) -> &'static str {
    let error: Error = result.map(drop).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(error.detail().contains("a host function"), "{error}");
    error.call()
}

/// Runs `body` in a host function, waits for it, and checks that it made no driver call.
#[track_caller]
fn within_a_host_function<R: Send + 'static>(
    stream: &Stream,
    body: impl FnOnce() -> R + Send + 'static,
) -> R {
    let (sender, receiver) = channel();
    stream
        .launch_host_function(move || sender.send(body()).unwrap())
        .unwrap();
    stream.synchronize().unwrap();
    let result = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
    let reached: Vec<_> = calls("")
        .into_iter()
        .filter(|call| call.contains("NOT_PERMITTED"))
        .collect();
    assert!(reached.is_empty(), "{reached:?}");
    result
}

#[test]
fn rejections_in_host_functions_name_the_call() {
    traced("", || {
        let (context, stream) = device();
        let (c, s) = (context.clone(), stream.clone());
        let names = within_a_host_function(&stream, move || {
            let device = c.device();
            [
                rejected(s.synchronize()),
                rejected(s.query()),
                rejected(c.synchronize()),
                rejected(c.memory_info()),
                rejected(c.set_current()),
                rejected(c.push_current()),
                rejected(Context::primary(0)),
                rejected(Context::create(device, ContextFlags::AUTO)),
                rejected(Device::count()),
                rejected(Device::get(0)),
                rejected(device.name()),
                rejected(device.total_memory()),
                rejected(device.multiprocessor_count()),
                rejected(driver::version()),
                rejected(Event::new(&c)),
                rejected(DeviceBuffer::<u8>::zeroed(&s, 1)),
                rejected(Graph::new(&c)),
                rejected(Process::new(0).state()),
            ]
        });
        let expected = [
            "Stream::synchronize",
            "Stream::query",
            "Context::synchronize",
            "cuMemGetInfo_v2",
            "cuCtxSetCurrent",
            "cuCtxPushCurrent",
            "cuDeviceGet",
            "cuCtxCreate",
            "cuDeviceGetCount",
            "cuDeviceGet",
            "cuDeviceGetName",
            "cuDeviceTotalMem_v2",
            "cuDeviceGetAttribute",
            "cuDriverGetVersion",
            "cuEventCreate",
            "DeviceBuffer::zeroed",
            "cuGraphCreate",
            "cuCheckpointProcessGetState",
        ];
        assert_eq!(names, expected);
    });
}

#[test]
fn launches_are_rejected_in_host_functions() {
    traced("", || {
        let (context, stream) = device();
        let set = set_kernel(&context);
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: `x` has the one element that the kernel writes.
        unsafe { set.launch(&stream, LaunchConfig::new(1, 1), (&mut x,)) }.unwrap();
        let mut exec = Graph::new(&context).unwrap().instantiate().unwrap();
        let s = stream.clone();
        let (names, ..) = within_a_host_function(&stream, move || {
            // SAFETY: as above.
            let launched = unsafe { set.launch(&s, LaunchConfig::new(1, 1), (&mut x,)) };
            let names = [
                rejected(launched),
                rejected(exec.launch(&s)),
                rejected(exec.upload(&s)),
            ];
            // returned, so that nothing is dropped here
            (names, x, exec, set)
        });
        assert_eq!(names, ["cuLaunchKernel", "cuGraphLaunch", "cuGraphUpload"]);
    });
}

#[test]
fn libraries_and_pools_are_rejected_in_host_functions() {
    traced("", || {
        let (context, stream) = device();
        let library = Library::from_ptx(PTX).unwrap();
        let kernel = library.kernel("set").unwrap();
        let pool = MemoryPool::new(&context).unwrap();
        let (c, s) = (context.clone(), stream.clone());
        let (names, ..) = within_a_host_function(&stream, move || {
            let names = [
                rejected(Library::from_ptx(PTX)),
                rejected(library.kernel("set")),
                rejected(library.kernels()),
                rejected(library.module(&c)),
                rejected(library.global::<u32>(&c, "x", 1)),
                rejected(kernel.function(&c)),
                rejected(MemoryPool::new(&c)),
                rejected(MemoryPool::current(&c)),
                rejected(MemoryPool::default_of(&c)),
                rejected(pool.used()),
                rejected(pool.set_release_threshold(0)),
                rejected(pool.trim_to(0)),
                rejected(pool.make_current()),
                rejected(pool.access(c.device())),
                rejected(pool.export_file()),
                rejected(pool.allocate::<u8>(&s, 1)),
            ];
            (names, library, kernel, pool)
        });
        let expected = [
            "cuLibraryLoadData",
            "cuLibraryGetKernel",
            "cuLibraryGetKernelCount",
            "cuLibraryGetModule",
            "cuLibraryGetGlobal",
            "cuLibraryGetModule",
            "cuMemPoolCreate",
            "cuDeviceGetMemPool",
            "cuDeviceGetDefaultMemPool",
            "cuMemPoolGetAttribute",
            "cuMemPoolSetAttribute",
            "cuMemPoolTrimTo",
            "cuDeviceSetMemPool",
            "cuMemPoolGetAccess",
            "cuMemPoolExportToShareableHandle",
            "cuMemAllocFromPoolAsync",
        ];
        assert_eq!(names, expected);
    });
}

/// An object whose last reference is dropped in a host function is released together with the next
/// released object.
#[test]
fn objects_dropped_in_host_functions_are_released_later() {
    traced("", || {
        let (context, stream) = device();
        let dropped = (
            Library::from_ptx(PTX).unwrap(),
            MemoryPool::new(&context).unwrap(),
            DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap(),
            Graph::new(&context).unwrap().instantiate().unwrap(),
            Event::new(&context).unwrap(),
            Stream::new(&context).unwrap(),
            PhysicalMemory::new(&context, 2 << 20).unwrap(),
            AddressRange::reserve(&context, 2 << 20).unwrap(),
        );
        within_a_host_function(&stream, move || drop(dropped));
        drop(Event::new(&context).unwrap());
        for release in [
            "cuLibraryUnload",
            "cuMemPoolDestroy",
            "cuMemFreeAsync",
            "cuGraphExecDestroy",
            "cuEventDestroy",
            "cuStreamDestroy",
            "cuMemRelease",
            "cuMemAddressFree",
        ] {
            let expected = if release == "cuEventDestroy" { 2 } else { 1 };
            assert_eq!(calls(release).len(), expected, "{release}");
        }
    });
}

#[test]
fn registered_memory_dropped_in_a_host_function_is_unregistered_later() {
    traced("", || {
        let (context, stream) = device();
        let registered = || RegisteredBuffer::new(&context, vec![7u8; 4096]).unwrap();
        let (taken, closed, dropped) = (registered(), registered(), registered());
        let memory: &'static mut [u8] = vec![7u8; 1 << 16].leak();
        let (first, second) = memory.split_at_mut(1 << 15);
        let register = |memory: &mut [u8]| {
            let (start, flags) = (memory.as_mut_ptr().cast(), RegisterFlags::default());
            // SAFETY: the memory is never freed, and the device does not use it.
            unsafe { Registration::new(&context, start, 4096, flags) }.unwrap()
        };
        let (first, second) = (register(first), register(second));
        let names = within_a_host_function(&stream, move || {
            drop((dropped, first));
            closed.close().unwrap();
            [rejected(taken.into_host()), rejected(second.close())]
        });
        let expected = ["RegisteredBuffer::into_host", "cuMemHostUnregister"];
        assert_eq!(names, expected);
        assert_eq!(calls("cuMemHostUnregister").len(), 0);
        drop(Event::new(&context).unwrap());
        assert_eq!(calls("cuMemHostUnregister").len(), 5);
    });
}

/// Memory that requests the primary context when dropped, and so takes the lock of the primary
/// contexts.
struct CallsPrimary(DeviceBuffer<u32>);

// SAFETY: the buffer provides everything about the memory.
unsafe impl Storage for CallsPrimary {
    const NAME: &'static str = "CallsPrimary";

    fn as_device_ptr(&self) -> sys::CUdeviceptr {
        self.0.as_device_ptr()
    }

    fn owner(&self) -> Owner<'_> {
        Owner::Stream(self.0.stream())
    }
}

impl Drop for CallsPrimary {
    fn drop(&mut self) {
        drop(Context::primary(0).unwrap());
    }
}

#[test]
fn failing_context_setup_releases_nothing_under_a_lock() {
    traced("cuDeviceGetAttribute:10:CUDA_ERROR_UNKNOWN", || {
        super::listeners::in_time(|| {
            let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
            let stream = Stream::new(&created).unwrap();
            let memory = CallsPrimary(DeviceBuffer::zeroed(&stream, 64).unwrap());
            // SAFETY: the memory has that length.
            let memory = unsafe { DeviceMemory::<_, u32>::from_storage(memory, 64) };
            let source = TextureSource::linear(memory).unwrap();
            let texture = Texture::new(source, Sampler::default()).unwrap();
            within_a_host_function(&stream, move || drop(texture));
            let asked = calls("cuDeviceGetAttribute").len();
            assert_eq!(asked, 9, "the next query must fail");
            failure(Context::primary(0)).with_code(CUresult::CUDA_ERROR_UNKNOWN);
            // Now the texture and its memory are released.
            drop(Event::new(&created).unwrap());
            assert_eq!(calls("cuTexObjectDestroy").len(), 1);
        });
    });
}
