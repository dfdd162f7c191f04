//! Host memory that the device can access: registered, mapped and write-combined.

use cuda_safe::{
    Context, DeviceBuffer, DeviceViewMut, ErrorKind, LaunchConfig, MappedBuffer, PinnedBuffer,
    Stream,
    memory::{
        CopyBatch, HostRegionMut, PinnedFlags, PitchedBuffer, RegionCopy, RegisterFlags,
        RegisteredBuffer, Registration,
    },
    sys,
};

use crate::{compile, device, rejection};

const DOUBLE: &str = r#"
extern "C" __global__ void double_them(unsigned *x, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}"#;

fn none() -> RegisterFlags {
    RegisterFlags::default()
}

fn numbers(count: u32) -> Vec<u32> {
    (0..count).collect()
}

#[test]
fn vector_can_be_registered_and_returned() {
    let (context, stream) = device();
    let mut host = numbers(5000);
    host.reserve(100); // capacity beyond the length
    let (address, capacity) = (host.as_ptr(), host.capacity());
    let mut registered = RegisteredBuffer::new(&context, host).unwrap();
    assert_eq!(registered.as_ptr(), address);
    assert_eq!(registered.context(), &context);
    assert!(
        registered
            .flags()
            .unwrap()
            .contains(PinnedFlags::DEVICE_MAP)
    );
    assert_ne!(registered.device_ptr().unwrap(), 0);
    registered[0] = 7;
    let mut on_device = DeviceBuffer::from_slice(&stream, &registered).unwrap();
    on_device.slice_mut(1..2).unwrap().fill(&stream, 9).unwrap();
    on_device.copy_to_slice(&stream, &mut registered).unwrap();
    assert!(format!("{registered:?}").ends_with("5000 elements)"));
    let host = registered.into_host().unwrap();
    assert_eq!((host.as_ptr(), host.capacity()), (address, capacity));
    assert_eq!(host[..4], [7, 9, 2, 3]);
    // The vector can be registered again, and so can its neighbor in the same page.
    let (first, second) = (vec![1u8; 24], vec![2u8; 24]);
    let first = RegisteredBuffer::new(&context, first).unwrap();
    let second = RegisteredBuffer::new(&context, second).unwrap();
    first.close().unwrap();
    second.close().unwrap();
}

#[test]
fn boxed_slices_and_empty_memory_can_be_registered() {
    let (context, _) = device();
    let host: Box<[u64]> = vec![1, 2, 3].into();
    let registered = RegisteredBuffer::new(&context, host).unwrap();
    assert_eq!(*registered, [1, 2, 3]);
    let host: Box<[u64]> = registered.into_host().unwrap();
    assert_eq!(*host, [1, 2, 3]);
    let empty = RegisteredBuffer::new(&context, Vec::<u32>::new()).unwrap();
    assert_eq!(empty.device_ptr().unwrap(), 0);
    assert_eq!(empty.flags().unwrap(), PinnedFlags::default());
    assert!(empty.into_host().unwrap().is_empty());
}

#[test]
fn registering_memory_twice_is_rejected() {
    let (context, _) = device();
    let host = RegisteredBuffer::new(&context, numbers(100)).unwrap();
    let (start, bytes) = (host.as_ptr().cast_mut().cast(), 400);
    // SAFETY: the memory is live, and the registration is not used.
    let failed = unsafe { Registration::new(&context, start, bytes, none()) }.unwrap_err();
    let already = sys::CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    assert_eq!(failed.driver_code(), Some(already));
    assert!(failed.to_string().contains("once"), "{failed}");
    // The first registration is not affected.
    assert_eq!(host.into_host().unwrap(), numbers(100));
}

#[test]
fn unknown_flags_are_rejected_and_return_the_memory() {
    let (context, _) = device();
    let unknown = RegisterFlags(1 << 20);
    let failed = RegisteredBuffer::with_flags(&context, numbers(3), unknown).unwrap_err();
    let code = failed.error.driver_code();
    assert_eq!(code, Some(sys::CUresult::CUDA_ERROR_INVALID_VALUE));
    assert_eq!(failed.host, [0, 1, 2]);
    assert_eq!(format!("{failed:?}"), format!("{:?}", failed.error));
    assert!(failed.to_string().contains("cuMemHostRegister"), "{failed}");
    let message = failed.error.detail();
    assert!(message.contains("RegisterFlags(0x100000)"), "{failed}");
    let unknown = PinnedFlags(1 << 20) | PinnedFlags::PORTABLE;
    let error = PinnedBuffer::<u32>::with_flags(&context, 3, unknown).unwrap_err();
    assert!(error.detail().contains("PinnedFlags(0x100000)"), "{error}");
}

/// The library rejects these flags itself, because a driver that believes them would make safe code
/// unsound.
#[test]
fn false_memory_flags_are_rejected() {
    let (context, stream) = device();
    let (io, read) = (RegisterFlags::IO_MEMORY, RegisterFlags::READ_ONLY);
    let mut host = numbers(1000);
    let ran = |_: &mut [u32]| -> cuda_safe::Result<()> { panic!("the closure must not run") };
    let errors = [
        context.page_locked(&mut host, io, ran).unwrap_err(),
        context.page_locked(&mut host, read, ran).unwrap_err(),
        stream.mapped(&mut host, io, |_| Ok(())).unwrap_err(),
        stream.mapped(&mut host, read, |_| Ok(())).unwrap_err(),
        context.page_locked_read(&host, io, |_| Ok(())).unwrap_err(),
        stream.mapped_read(&host, io, |_| Ok(())).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert_eq!(error.driver_code(), None, "{error}");
        assert!(error.to_string().contains("leave it out"), "{error}");
    }
    let failed = RegisteredBuffer::with_flags(&context, host, io).unwrap_err();
    assert_eq!(failed.error.driver_code(), None, "{failed}");
    // Memory that is read-only for the device cannot become device memory, so it is returned.
    let registered = RegisteredBuffer::with_flags(&context, failed.host, read).unwrap();
    let failed = registered.into_mapped(&stream).unwrap_err();
    assert!(failed.to_string().contains("READ_ONLY"), "{failed}");
    assert_eq!(failed.host.into_host().unwrap(), numbers(1000));
}

#[test]
fn mapped_memory_must_be_of_the_context_of_its_stream() {
    let (context, _) = device();
    let other = Context::create(context.device(), Default::default()).unwrap();
    let far = Stream::new(&other).unwrap();
    let pinned = PinnedBuffer::from_slice(&context, &[1u32, 2, 3]).unwrap();
    let failed = pinned.into_mapped(&far).unwrap_err();
    assert_eq!(*failed.error.kind(), ErrorKind::InvalidArgument, "{failed}");
    assert_eq!(*failed.host, [1, 2, 3]);
    let registered = RegisteredBuffer::new(&context, numbers(3)).unwrap();
    let failed = registered.into_mapped(&far).unwrap_err();
    assert!(failed.to_string().contains("contexts"), "{failed}");
    assert_eq!(failed.host.into_host().unwrap(), numbers(3));
}

#[test]
fn kernels_can_write_to_registered_memory() {
    let (context, stream) = device();
    let double_them = compile(&context, DOUBLE, "double_them");
    let flags = RegisterFlags::PORTABLE | RegisterFlags::DEVICE_MAP;
    let registered = RegisteredBuffer::with_flags(&context, numbers(1000), flags).unwrap();
    let mut mapped = registered.into_mapped(&stream).unwrap();
    assert_eq!(mapped.stream(), &stream);
    for _ in 0..3 {
        // SAFETY: the kernel gets the length of 1000 elements.
        unsafe { double_them.launch(&stream, LaunchConfig::new(4, 256), (&mut mapped, 1000u32)) }
            .unwrap();
    }
    assert_eq!(mapped.host().unwrap()[999], 8 * 999);
    mapped.host_mut().unwrap()[0] = 1;
    let other = Stream::new(&context).unwrap();
    mapped.slice_mut(1..3).unwrap().fill(&other, 7).unwrap(); // ordered with the buffer's stream
    let host = mapped.into_host().unwrap().into_host().unwrap();
    assert_eq!(host[..4], [1, 7, 7, 24]);
}

#[test]
fn mapped_memory_supports_all_operations() {
    let (context, stream) = device();
    let mut mapped = MappedBuffer::<u16>::zeroed(&stream, 6).unwrap();
    assert_eq!(mapped.host().unwrap(), [0; 6]);
    mapped.slice_mut(1..3).unwrap().fill(&stream, 7).unwrap();
    let source = DeviceBuffer::from_slice(&stream, &[8u16, 9]).unwrap();
    mapped
        .slice_mut(4..)
        .unwrap()
        .copy_from(&stream, &source)
        .unwrap();
    assert_eq!(mapped.host().unwrap(), [0, 7, 7, 0, 8, 9]);
    assert_eq!(mapped.to_vec(&stream).unwrap(), [0, 7, 7, 0, 8, 9]);
    assert!(format!("{mapped:?}").starts_with("MappedBuffer(0x"));
    let host: PinnedBuffer<u16> = mapped.into_host().unwrap();
    let again = host.into_mapped(&stream).unwrap();
    again.close().unwrap();
    let written = MappedBuffer::<f32>::with_flags(&stream, 4, PinnedFlags::WRITE_COMBINED).unwrap();
    let host = written.into_host().unwrap();
    assert!(
        host.flags()
            .unwrap()
            .contains(PinnedFlags::WRITE_COMBINED | PinnedFlags::DEVICE_MAP)
    );
    let mut empty = MappedBuffer::<u64>::zeroed(&stream, 0).unwrap();
    assert!(empty.host_mut().unwrap().is_empty() && empty.as_device_ptr() == 0);
    assert!(
        PinnedBuffer::<u8>::zeroed(&context, 0)
            .unwrap()
            .flags()
            .unwrap()
            == PinnedFlags(0)
    );
}

#[test]
fn page_locked_registers_memory_during_a_closure() {
    let (context, stream) = device();
    let mut host = numbers(3000);
    let sum = context
        .page_locked(&mut host, none(), |host| {
            let mut on_device = DeviceBuffer::from_slice(&stream, host)?;
            on_device.slice_mut(..2)?.fill(&stream, 5)?;
            on_device.copy_to_slice(&stream, host)?;
            assert!(try_register(&context, host).is_err());
            Ok(host.iter().sum::<u32>())
        })
        .unwrap();
    assert_eq!(sum, (0..3000).sum::<u32>() - 1 + 10);
    assert_eq!(host[..3], [5, 5, 2]);
    let copy = context
        .page_locked_read(&host, none(), |host| {
            let on_device = DeviceBuffer::from_slice(&stream, host)?;
            on_device.to_vec(&stream)
        })
        .unwrap();
    assert_eq!(copy, host);
    assert!(try_register(&context, &host).is_ok());
}

fn try_register(context: &Context, host: &[u32]) -> cuda_safe::Result<()> {
    let start = host.as_ptr().cast_mut().cast();
    // SAFETY: the memory is live, and the registration ends at once.
    unsafe { Registration::new(context, start, size_of_val(host), none()) }?.close()
}

#[test]
fn memory_is_unregistered_after_errors_and_panics() {
    let (context, stream) = device();
    let mut host = numbers(100);
    let error = context
        .page_locked(&mut host, none(), |_| {
            Err::<(), _>(cuda_safe::Error::driver("mine", sys::CUresult(7)))
        })
        .unwrap_err();
    assert_eq!(error.call(), "mine");
    assert!(try_register(&context, &host).is_ok());
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = stream.mapped(&mut host, none(), |mut view| -> cuda_safe::Result<()> {
            view.fill(&stream, 3)?;
            panic!("expected")
        });
    }));
    assert!(caught.is_err());
    assert!(stream.query().unwrap()); // `mapped` waited for the fill
    assert_eq!(host, [3; 100]);
    assert!(try_register(&context, &host).is_ok());
    // Memory that is already registered is rejected and stays registered.
    let registered = RegisteredBuffer::new(&context, host).unwrap();
    let refusal = context.page_locked_read(&registered, none(), |_| -> cuda_safe::Result<()> {
        panic!("the closure must not run")
    });
    assert!(refusal.is_err());
    assert_eq!(registered.into_host().unwrap(), [3; 100]);
}

#[test]
fn kernels_can_use_borrowed_memory_in_mapped() {
    let (context, stream) = device();
    let double_them = compile(&context, DOUBLE, "double_them");
    let mut host = numbers(1000);
    stream
        .mapped(&mut host, none(), |mut view| {
            assert_eq!((view.len(), view.stream()), (1000, Some(&stream)));
            // SAFETY: the kernel gets the length of 1000 elements.
            unsafe { double_them.launch(&stream, LaunchConfig::new(4, 256), (&mut view, 1000u32)) }
        })
        .unwrap();
    assert_eq!(host[999], 2 * 999);
    let mut last = DeviceBuffer::<u32>::uninit(&stream, 1).unwrap();
    stream
        .mapped_read(&host, RegisterFlags::READ_ONLY, |view| {
            last.copy_from(&stream, &view.slice(999..)?)
        })
        .unwrap();
    assert_eq!(last.to_vec(&stream).unwrap(), [2 * 999]);
    stream
        .mapped(&mut [0u8; 0], none(), |view| {
            assert!(view.is_empty());
            Ok(())
        })
        .unwrap();
}

/// Constants are in pages without write permission.
static CONSTANT: [u32; 2048] = [5; 2048];

#[test]
fn read_only_pages_need_the_read_only_flag() {
    let (context, stream) = device();
    let refusal = context.page_locked_read(&CONSTANT, none(), |_| Ok(()));
    let code = refusal.unwrap_err().driver_code();
    assert_eq!(code, Some(sys::CUresult::CUDA_ERROR_INVALID_VALUE));
    let read = RegisterFlags::READ_ONLY;
    let copy = context
        .page_locked_read(&CONSTANT, read, |host| {
            DeviceBuffer::from_slice(&stream, host)?.to_vec(&stream)
        })
        .unwrap();
    assert_eq!(copy, CONSTANT);
}

#[test]
fn registration_is_rejected_during_a_capture() {
    let (context, stream) = device();
    let host = PinnedBuffer::from_slice(&context, &[1u32, 2, 3]).unwrap();
    let mapped = host.into_mapped(&stream).unwrap();
    let registered = RegisteredBuffer::new(&context, numbers(10)).unwrap();
    let dropped = RegisteredBuffer::new(&context, numbers(10)).unwrap();
    // SAFETY: the capture records nothing.
    let graph = unsafe {
        stream.capture(|_| -> cuda_safe::Result<()> {
            let failed = RegisteredBuffer::new(&context, numbers(3)).unwrap_err();
            assert_eq!(*failed.error.kind(), ErrorKind::InvalidArgument);
            assert_eq!(failed.host, [0, 1, 2]);
            // fails, because the registration ends after the capture
            rejection(registered.into_host());
            drop((mapped, dropped));
            Ok(())
        })
    };
    graph.unwrap();
}

#[test]
fn copies_to_read_only_memory_name_the_flag() {
    let (context, stream) = device();
    let read = RegisterFlags::READ_ONLY;
    let mut host = RegisteredBuffer::with_flags(&context, vec![0u32; 1024], read).unwrap();
    let buffer = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    let region = RegionCopy::new([16, 16]);
    let image = PitchedBuffer::<u32>::zeroed(&stream, [16, 16]).unwrap();
    let mut errors = vec![buffer.copy_to_slice(&stream, &mut host).unwrap_err()];
    let result = stream.scope(|scope| scope.download(&buffer, &mut host));
    errors.push(result.unwrap_err());
    let target = HostRegionMut::new(&mut host, [32, 32]).unwrap();
    errors.push(region.download(&stream, target, &image).unwrap_err());
    let mut batch = CopyBatch::new();
    let target = HostRegionMut::new(&mut host, [32, 32]).unwrap();
    batch.download(region, target, &image).unwrap();
    errors.push(batch.enqueue(&stream).unwrap_err());
    let len = host.len();
    // SAFETY: the memory is registered until the end, and nothing else uses it.
    let mut view: DeviceViewMut<'_, u32> =
        unsafe { DeviceViewMut::borrow_raw(host.device_ptr().unwrap(), len, &stream) };
    errors.push(view.copy_from(&stream, &buffer).unwrap_err());
    errors.push(view.fill(&stream, 7).unwrap_err());
    for error in errors {
        if *error.kind() == ErrorKind::Unsupported {
            continue; // batches on a driver older than CUDA 12.8
        }
        let text = error.to_string();
        assert!(text.contains("RegisterFlags::READ_ONLY"), "{text}");
        assert!(text.contains("Fix: register it without"), "{text}");
    }
    assert!(host.iter().all(|&one| one == 0));
}
