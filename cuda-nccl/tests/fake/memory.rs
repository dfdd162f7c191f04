//! Memory that the library allocates or registers, and waits for work that uses it.

use std::{
    thread,
    time::{Duration, Instant},
};

use cuda_nccl::{Communicator, Error, NcclAllocated, Reduction, UniqueId};
use cuda_safe::{
    Context, DeviceBuffer, Stream,
    memory::{Signal, WaitUntil},
};

use crate::{
    failure::failure,
    library::{Fake, LIMIT, in_separate_process, options, rank, start},
};

/// Holds the stream back until `work` has waited for a moment. Fails if it did not wait.
fn waits_for(stream: &Stream, work: impl FnOnce()) {
    let signal = &Signal::new(stream.context(), 0u32).unwrap();
    stream.wait_signal(signal, WaitUntil::EQUAL, 1).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            signal.set(1);
        });
        work();
        assert_eq!(signal.get(), 1, "the stream was not waited for");
    });
}

#[test]
fn memory_is_allocated_and_freed_once() {
    if !in_separate_process() {
        return;
    }
    let (fake, _rank, stream) = start(2);
    fake.calls();
    fake.arguments();
    let memory = NcclAllocated::zeroed::<u64>(&stream, 3).unwrap();
    assert_eq!(fake.arguments(), ["MemAlloc(0,0,24,0,0,0)"]);
    assert_eq!(memory.to_vec(&stream).unwrap(), [0; 3]);
    waits_for(&stream, || memory.close().unwrap());
    fake.assert_calls(&["MemAlloc", "MemFree"]);
    let none = NcclAllocated::zeroed::<u64>(&stream, 0).unwrap();
    none.close().unwrap();
    assert!(fake.calls().is_empty());
    let memory = NcclAllocated::zeroed::<u8>(&stream, 1).unwrap();
    waits_for(&stream, || drop(memory));
    fake.assert_calls(&["MemAlloc", "MemFree"]);
    let error = NcclAllocated::zeroed::<u64>(&stream, usize::MAX / 4).unwrap_err();
    let text = format!(
        "{} elements of 8 bytes exceed the address space",
        usize::MAX / 4
    );
    assert!(
        matches!(error, Error::Value(_)) && error.to_string() == text,
        "{error}"
    );
    assert!(fake.calls().is_empty());
}

#[test]
fn registered_memory_is_described_and_closed() {
    let (fake, rank, stream) = start(2);
    let memory = NcclAllocated::zeroed::<u16>(&stream, 5).unwrap();
    let address = memory.as_device_ptr();
    fake.arguments();
    let data = rank.register(memory).unwrap();
    assert_eq!(
        fake.arguments(),
        [format!("Register({address},0,10,0,0,0)")]
    );
    assert_eq!(data.as_device_ptr(), address);
    let text = format!("{:?}", data.into_storage());
    let part =
        "Registration { of: Communicator { rank: 0, size: 2, device: 0, lost: None, .. }, .. }";
    assert!(text.contains(part), "{text}");
    assert_eq!(
        fake.arguments(),
        [format!("Deregister({address},0,0,0,0,0)")]
    );
    let data = rank
        .register(NcclAllocated::zeroed::<u16>(&stream, 5).unwrap())
        .unwrap();
    fake.calls();
    data.close().unwrap();
    fake.assert_calls(&["Deregister", "MemFree"]);
}

#[test]
fn registration_waits_for_the_stream_of_the_memory() {
    if !in_separate_process() {
        return;
    }
    let (fake, rank, stream) = start(2);
    let memory = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    let mut registered = None;
    waits_for(&stream, || {
        registered = Some(rank.register(memory).unwrap())
    });
    fake.calls();
    waits_for(&stream, || drop(registered));
    fake.assert_calls(&["Deregister"]);
    // There is nothing to register in memory without bytes.
    let none = rank.register(DeviceBuffer::<u8>::zeroed(&stream, 0).unwrap());
    drop(none.unwrap());
    assert!(fake.calls().is_empty());
}

#[test]
fn end_waits_for_calls_in_progress() {
    if !in_separate_process() {
        return;
    }
    let _fake = Fake::new();
    for finalizes in [true, false] {
        let (rank, stream) = rank(2, options().timeout(Duration::from_secs(60)));
        let held = Stream::new(rank.context()).unwrap();
        let mut data = DeviceBuffer::<f32>::zeroed(&held, 4).unwrap();
        let signal = &Signal::new(stream.context(), 0u32).unwrap();
        stream.wait_signal(signal, WaitUntil::EQUAL, 1).unwrap();
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                signal.set(1);
            });
            match finalizes {
                true => rank.finalize().unwrap(),
                false => drop(rank),
            }
            assert_eq!(signal.get(), 1);
        });
        stream.synchronize().unwrap();
    }
}

#[test]
fn asynchronous_error_ends_a_wait_for_stuck_work() {
    if !in_separate_process() {
        return;
    }
    let fake = Fake::new();
    // With a delay, one poll takes longer than the interval between polls.
    for slow in [0, 2000] {
        let (rank, stream) = rank(2, options().timeout(Duration::from_secs(2)));
        let held = Stream::new(rank.context()).unwrap();
        let mut data = DeviceBuffer::<f32>::zeroed(&held, 4).unwrap();
        let signal = &Signal::new(stream.context(), 0u32).unwrap();
        stream.wait_signal(signal, WaitUntil::EQUAL, 1).unwrap();
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
        fake.set("slow", slow);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                fake.set("async", 2);
            });
            let error = rank.wait(&stream).unwrap_err();
            assert!(matches!(error, Error::Lost(_)), "{error}");
            assert!(error.to_string().contains("the network is down"), "{error}");
        });
        fake.set("async", 0);
        signal.set(1);
        stream.synchronize().unwrap();
    }
}

#[test]
fn an_abort_waits_for_the_end_of_the_work() {
    if !in_separate_process() {
        return;
    }
    let fake = Fake::new();
    let (rank, stream) = rank(2, options().timeout(Duration::from_secs(600)));
    let held = Stream::new(rank.context()).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&held, 4).unwrap();
    let signal = &Signal::new(stream.context(), 0u32).unwrap();
    stream.wait_signal(signal, WaitUntil::EQUAL, 1).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    fake.set("async", 2);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            signal.set(1);
        });
        failure(rank.wait(&stream)).mentions("the network is down");
        assert_eq!(signal.get(), 1);
    });
    fake.set("async", 0);
    stream.synchronize().unwrap();
    drop((data, rank));
}

#[test]
fn work_that_ends_in_the_grace_period_is_waited_for() {
    if !in_separate_process() {
        return;
    }
    let (_fake, rank, stream) = start(2);
    let held = Stream::new(rank.context()).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&held, 4).unwrap();
    let signal = &Signal::new(stream.context(), 0u32).unwrap();
    stream.wait_signal(signal, WaitUntil::EQUAL, 1).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(LIMIT + LIMIT / 4);
            signal.set(1);
        });
        let error = rank.wait(&stream).unwrap_err();
        let text = "rank 0 of 2: the enqueued work has not ended within the time limit of 1s (CommunicatorOptions::timeout): ";
        assert!(error.to_string().starts_with(text), "{error}");
        // The work ended within the grace period.
        assert_eq!(signal.get(), 1);
    });
    stream.synchronize().unwrap();
    drop(rank);
}

#[test]
fn dropped_rank_waits_for_ranks_of_other_threads() {
    if !in_separate_process() {
        return;
    }
    let _fake = Fake::new();
    let limit = Duration::from_millis(400);
    let id = UniqueId::new().unwrap();
    let rank = |number| {
        let context = Context::primary(0).unwrap();
        Communicator::new(&context, id, number, 2, options().timeout(limit)).unwrap()
    };
    let (zero, one) = thread::scope(|scope| {
        let other = scope.spawn(|| rank(1));
        (rank(0), other.join().unwrap())
    });
    let start = Instant::now();
    drop(zero);
    assert!(start.elapsed() >= limit, "{:?}", start.elapsed());
    // No other rank is left.
    let start = Instant::now();
    drop(one);
    assert!(start.elapsed() < limit, "{:?}", start.elapsed());
}

#[test]
fn rejected_memory_is_not_registered() {
    let (fake, rank, stream) = start(2);
    let memory = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    fake.calls();
    fake.set("result", 4);
    let error = rank.register(memory).unwrap_err();
    let text = "ncclCommRegister failed: ncclInvalidArgument (4). Fix: start with";
    assert!(error.to_string().starts_with(text), "{error}");
    fake.assert_calls(&["Register"]);
}

#[test]
fn failed_wait_for_registered_memory_ends_the_communicator() {
    let (_fake, rank, stream) = start(2);
    let memory = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    let data = rank.register(memory).unwrap();
    stream.synchronize().unwrap();
    // A stream cannot be waited for while it is capturing.
    //
    // SAFETY: Nothing is captured.
    let _ = unsafe {
        stream.capture(|_| {
            drop(data);
            Ok::<_, cuda_safe::Error>(())
        })
    };
    let error = rank
        .wait(&Stream::new(rank.context()).unwrap())
        .unwrap_err();
    assert!(matches!(error, Error::Lost(_)), "{error}");
    let text = "rank 0 of 2: registered memory was dropped, but waiting for its stream failed (";
    assert!(error.to_string().starts_with(text), "{error}");
    drop(rank);
}

#[test]
fn a_communicator_may_be_idle_for_longer_than_the_limit() {
    if !in_separate_process() {
        return;
    }
    let (_fake, rank, stream) = start(2);
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    for _ in 0..2 {
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
        thread::sleep(LIMIT + LIMIT / 2);
    }
    rank.wait(&stream).unwrap();
    drop((data, rank));
}

#[test]
fn close_reports_memory_that_cannot_be_freed() {
    let (fake, rank, stream) = start(2);
    let memory = NcclAllocated::zeroed::<u8>(&stream, 4).unwrap();
    fake.set("result", 1);
    failure(memory.close()).begins_with("ncclMemFree failed: ");
    let memory = NcclAllocated::zeroed::<u8>(&stream, 4).unwrap();
    let registered = rank.register(memory).unwrap();
    fake.set("result", 1);
    failure(registered.close()).begins_with("ncclMemFree failed: ");
}
