//! The end of communicators and of registrations.

use std::{cell::Cell, thread, time::Instant};

use cuda_nccl::{Error, NcclAllocated, Reduction};
use cuda_safe::{
    DeviceBuffer, Stream,
    memory::{Signal, WaitUntil},
};

use crate::library::{LIMIT, in_separate_process, start};

#[test]
fn finalize_waits_and_ends_both() {
    let (fake, rank, stream) = start(2);
    let mut data = DeviceBuffer::from_slice(&stream, &[1u8]).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    fake.calls();
    let clone = rank.clone();
    rank.finalize().unwrap();
    fake.assert_calls(&["Finalize", "Destroy", "DestroyControl"]);
    let error = clone
        .all_reduce(&stream, &mut data, Reduction::Sum)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "rank 0 of 2: the communicator has been finalized");
    assert!(clone.clone().finalize().is_err());
    drop(clone);
    assert!(fake.calls().is_empty());
}

#[test]
fn drop_with_stuck_work_aborts_in_time() {
    if !in_separate_process() {
        return;
    }
    let (fake, rank, stream) = start(2);
    let held = Stream::new(rank.context()).unwrap();
    let signal = Signal::new(rank.context(), 0u32).unwrap();
    stream.wait_signal(&signal, WaitUntil::AT_LEAST, 1).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&held, 4).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    fake.calls();
    let since = Instant::now();
    drop(rank);
    assert!(since.elapsed() >= LIMIT);
    fake.assert_calls(&["AbortControl", "Abort"]);
    signal.set(1);
    stream.synchronize().unwrap();
}

#[test]
fn memory_is_registered_until_dropped() {
    let (fake, rank, stream) = start(2);
    fake.calls();
    let memory = NcclAllocated::zeroed::<f32>(&stream, 100).unwrap();
    let mut data = rank.register(memory).unwrap();
    assert_eq!(data.to_vec(&stream).unwrap(), [0.0; 100]);
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    drop(rank); // the registration keeps the communicator alive
    fake.assert_calls(&["MemAlloc", "Register", "AllReduce"]);
    let back = data.into_storage().into_inner();
    fake.assert_calls(&["Deregister", "Destroy", "DestroyControl"]);
    drop(back);
    fake.assert_calls(&["MemFree"]);
}

#[test]
fn registrations_wait_for_user_work_without_a_limit() {
    if !in_separate_process() {
        return;
    }
    let (fake, rank, stream) = start(2);
    let signal = &Signal::new(rank.context(), 0u32).unwrap();
    let held_for_longer_than_the_limit = |work: &dyn Fn()| {
        signal.set(0);
        stream.wait_signal(signal, WaitUntil::AT_LEAST, 1).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(LIMIT + LIMIT / 2);
                signal.set(1);
            });
            work();
        });
    };
    let memory = Cell::new(Some(NcclAllocated::zeroed::<f32>(&stream, 100).unwrap()));
    let registered = Cell::new(None);
    held_for_longer_than_the_limit(&|| {
        let memory = memory.take().unwrap();
        registered.set(Some(rank.register(memory).unwrap()));
    });
    fake.calls();
    held_for_longer_than_the_limit(&|| drop(registered.take()));
    fake.assert_calls(&["Deregister", "MemFree"]);
    drop(rank);
}

#[test]
fn registrations_end_with_the_communicator() {
    let (fake, rank, stream) = start(2);
    let data = rank
        .register(DeviceBuffer::<u8>::zeroed(&stream, 5).unwrap())
        .unwrap();
    let none = rank
        .register(DeviceBuffer::<u8>::zeroed(&stream, 0).unwrap())
        .unwrap();
    rank.abort();
    fake.calls();
    let again = rank.register(DeviceBuffer::<u8>::zeroed(&stream, 5).unwrap());
    assert!(matches!(again, Err(Error::Lost(_))));
    drop((data, none, rank));
    assert!(fake.calls().is_empty());
}
