use std::mem::ManuallyDrop;

use cuda_safe::{DeviceBuffer, ErrorKind, PinnedBuffer, memory::PinnedFlags};

use crate::{device, failure, rejection};

#[test]
fn pinned_memory_is_a_slice() {
    let (context, _) = device();
    let mut buffer = PinnedBuffer::<u64>::zeroed(&context, 100).unwrap();
    assert!(buffer.iter().all(|&value| value == 0));
    buffer[99] = 5;
    assert_eq!(buffer.last(), Some(&5));
    assert_ne!(buffer.device_ptr().unwrap(), 0);
    let empty = PinnedBuffer::<u64>::zeroed(&context, 0).unwrap();
    assert!(empty.is_empty());
    assert_eq!(empty.device_ptr().unwrap(), 0);
    for flags in [
        PinnedFlags::PORTABLE | PinnedFlags::DEVICE_MAP,
        PinnedFlags::WRITE_COMBINED,
    ] {
        let buffer = PinnedBuffer::<u8>::with_flags(&context, 10, flags).unwrap();
        assert_eq!(*buffer, [0; 10]);
        buffer.close().unwrap();
    }
    let raw = PinnedBuffer::from_slice(&context, &[1u8, 2])
        .unwrap()
        .into_raw();
    // SAFETY: `into_raw` gave up the memory above.
    assert_eq!(*unsafe { PinnedBuffer::from_raw(raw, 2, &context) }, [1, 2]);
}

#[test]
fn transfers_return_their_memory() {
    let (context, stream) = device();
    let data: Vec<f32> = (0..50_000u16).map(f32::from).collect();
    let mut buffer = DeviceBuffer::<f32>::uninit(&stream, data.len()).unwrap();
    let host = PinnedBuffer::from_slice(&context, &data).unwrap();
    let host = stream.upload(host, &mut buffer).unwrap().wait().unwrap();
    let mut result = PinnedBuffer::<f32>::zeroed(&context, data.len()).unwrap();
    result.fill(-1.0);
    let transfer = stream.download(&buffer, result).unwrap();
    let result = transfer.wait().unwrap();
    assert_eq!(*result, *data);
    // Transfers that are dropped without a wait, or forgotten.
    drop(stream.upload(host, &mut buffer).unwrap());
    let mut forgotten = ManuallyDrop::new(stream.download(&buffer, result).unwrap());
    drop(buffer);
    stream.synchronize().unwrap();
    // SAFETY: dropped once, so that a leak check of the whole program finds nothing.
    unsafe { ManuallyDrop::drop(&mut forgotten) };
}

#[test]
fn transfer_of_the_wrong_length_returns_the_memory() {
    let (context, stream) = device();
    let mut buffer = DeviceBuffer::<u8>::zeroed(&stream, 10).unwrap();
    let host = PinnedBuffer::from_slice(&context, &[3u8; 11]).unwrap();
    let failed = stream.upload(host, &mut buffer).unwrap_err();
    assert_eq!(*failed.error.kind(), ErrorKind::InvalidArgument);
    let host = failed.host.unwrap();
    assert_eq!(*host, [3; 11]);
    failure(stream.download(&buffer, host)).mentions("11");
}

#[test]
fn scope_waits_before_it_returns() {
    let (_, stream) = device();
    let input: Vec<u32> = (0..10_000).collect();
    let mut output = vec![0; 10_000];
    let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 10_000).unwrap();
    let answer = stream
        .scope(|scope| {
            assert_eq!(scope.stream(), &stream);
            scope.upload(&input, &mut buffer)?;
            scope.download(&buffer, &mut output)?;
            Ok(42)
        })
        .unwrap();
    assert_eq!(answer, 42);
    assert_eq!(output, input);
}

#[test]
fn scope_waits_after_errors_and_panics() {
    let (_, stream) = device();
    let input = vec![1u32; 1 << 20];
    let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1 << 20).unwrap();
    rejection(stream.scope(|scope| {
        scope.upload(&input, &mut buffer)?;
        scope.upload(&input[1..], &mut buffer)
    }));
    assert!(stream.query().unwrap());
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = stream.scope(|scope| -> cuda_safe::Result<()> {
            scope.upload(&input, &mut buffer)?;
            panic!("expected")
        });
    }));
    assert!(caught.is_err());
    assert!(stream.query().unwrap());
}
