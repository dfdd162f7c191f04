//! Words of memory that streams and the host write, and that streams wait for. This is a separate
//! program because a failing test leaves a stream that waits forever.

use std::{thread, time::Duration};

use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, ErrorKind, PinnedBuffer, Stream,
    memory::{BarrierScope, MemoryOperation, PinnedFlags, Signal, SignalWord, WaitUntil},
};

/// The primary context of device 0 and a stream on it.
fn device() -> (Context, Stream) {
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (context, stream)
}

/// Checks that the stream waits for `value` while the word is `before` and continues when it is
/// `after`.
fn waits<T: SignalWord>(until: WaitUntil, value: T, before: T, after: T) {
    let (context, stream) = device();
    let signal = Signal::new(&context, before).unwrap();
    stream.wait_signal(&signal, until, value).unwrap();
    thread::sleep(Duration::from_millis(5));
    assert!(!stream.query().unwrap(), "{until:?}");
    signal.set(after);
    stream.synchronize().unwrap();
}

#[test]
fn stream_waits_for_a_word_that_the_host_writes() {
    waits(WaitUntil::AT_LEAST, 5u32, 4, 5);
    waits(WaitUntil::AT_LEAST, 1u32, u32::MAX, 2); // the counter wraps around
    waits(WaitUntil::EQUAL, 5u32, 6, 5);
    waits(WaitUntil::ANY_BIT, 6u32, 1, 3);
    waits(WaitUntil::NOT_ALL_BITS, 6u32, !6, 1);
    waits(WaitUntil::AT_LEAST, 1u64 << 40, 1, 1 << 41);
    waits(WaitUntil::EQUAL, 1u64 << 40, 0, 1 << 40);
}

#[test]
fn host_reads_progress_of_a_stream() {
    let (context, stream) = device();
    let go = Signal::<u32>::new(&context, 0).unwrap();
    let progress = Signal::<u64>::new(&context, 7).unwrap();
    let other = Stream::new(&context).unwrap();
    let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 1000).unwrap();
    stream.wait_signal(&go, WaitUntil::EQUAL, 1).unwrap();
    buffer.fill(&stream, 3).unwrap();
    stream.write_signal(&progress, 1 << 33).unwrap();
    other
        .wait_signal(&progress, WaitUntil::EQUAL, 1 << 33)
        .unwrap();
    assert_eq!(progress.get(), 7);
    assert!(!other.query().unwrap());
    go.set(1);
    other.synchronize().unwrap();
    assert_eq!(progress.get(), 1 << 33);
    assert_eq!(buffer.to_vec(&stream).unwrap(), [3; 1000]);
    assert!(format!("{progress:?}").starts_with("Signal(8589934592, 0x"));
}

#[test]
fn signal_can_be_dropped_before_the_stream_writes_it() {
    let (context, stream) = device();
    let go = Signal::<u32>::new(&context, 0).unwrap();
    let late = Signal::<u32>::new(&context, 0).unwrap();
    stream.wait_signal(&go, WaitUntil::EQUAL, 1).unwrap();
    stream.write_signal(&late, 1).unwrap();
    drop(late); // leaked, because the stream writes to it later
    go.set(1);
    stream.synchronize().unwrap();
}

#[test]
fn signals_of_other_contexts_are_rejected() {
    let (_, stream) = device();
    let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let signal = Signal::<u32>::new(&created, 0).unwrap();
    for result in [
        stream.wait_signal(&signal, WaitUntil::EQUAL, 0),
        stream.write_signal(&signal, 1),
    ] {
        let error = result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
}

#[test]
fn memory_operations_run_in_batches() {
    let (context, stream) = device();
    let words = PinnedBuffer::<u32>::with_flags(&context, 4, PinnedFlags::DEVICE_MAP).unwrap();
    let at = |index: u64| words.device_ptr().unwrap() + 4 * index;
    let operations = [
        MemoryOperation::write_u32(at(0), 1),
        MemoryOperation::barrier(BarrierScope::SYSTEM),
        MemoryOperation::wait_u32(at(0), WaitUntil::EQUAL, 1),
        MemoryOperation::write_u64(at(2), 5 << 32 | 6),
        MemoryOperation::wait_u64(at(2), WaitUntil::AT_LEAST, 0),
    ];
    // SAFETY: the words outlive the wait below, and the host does not touch them until then.
    unsafe {
        stream.memory_operations(&operations).unwrap();
        stream.memory_operations(&[]).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(*words, [1, 0, 6, 5]);
    let too_many = vec![MemoryOperation::write_u32(at(0), 1); 256];
    for wrong in [
        &[MemoryOperation::write_u32(at(0) + 2, 1)][..],
        &[MemoryOperation::write_u64(at(1), 1)],
        &too_many,
    ] {
        // SAFETY: the call rejects these operations.
        assert!(unsafe { stream.memory_operations(wrong) }.is_err());
    }
    // Words in pool memory are rejected.
    let buffer = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
    let pooled = [MemoryOperation::write_u32(buffer.as_device_ptr(), 1)];
    // SAFETY: as above.
    assert!(unsafe { stream.memory_operations(&pooled) }.is_err());
    // SAFETY: as above.
    let flush = unsafe { stream.memory_operations(&[MemoryOperation::flush_remote_writes()]) };
    if let Err(error) = flush {
        assert_eq!(*error.kind(), ErrorKind::Unsupported, "{error}");
    }
}
