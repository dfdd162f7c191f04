//! Effects of failures.

use std::{
    thread,
    time::{Duration, Instant},
};

use cuda_nccl::{Error, Group, NcclResult, Reduction};
use cuda_safe::{
    Context, ContextFlags, DeviceBuffer, LaunchConfig, Module, Stream,
    memory::{Signal, WaitUntil},
};

use crate::{
    failure::failure,
    library::{Fake, LIMIT, add_sum, in_separate_process, options, passes_alone, rank, start},
};

const SOON: Duration = Duration::from_secs(5);

#[test]
fn invalid_call_leaves_the_communicator_usable() {
    let (fake, rank, stream) = start(2);
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    fake.set("result", 5);
    let error = rank
        .all_reduce(&stream, &mut data, Reduction::Sum)
        .unwrap_err();
    let Error::Nccl { call, result, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(
        (*call, *result),
        ("ncclAllReduce", NcclResult::INVALID_USAGE)
    );
    let text = error.to_string();
    assert!(
        text.starts_with("ncclAllReduce failed: ncclInvalidUsage (5). Fix: use each device"),
        "{text}"
    );
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    rank.wait(&stream).unwrap();
}

#[test]
fn failure_ends_the_communicator_once() {
    let fake = Fake::new();
    for code in [1, 2, 3, 6, 99] {
        let (rank, stream) = rank(2, options());
        let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
        fake.calls();
        fake.set("result", code);
        let error = rank.broadcast(&stream, &mut data, 0).unwrap_err();
        match code {
            6 => assert!(
                matches!(&error, Error::Lost(text) if text.contains("ncclRemoteError (6)")),
                "{error}"
            ),
            _ => assert!(
                matches!(&error, Error::Nccl { result, .. } if result.0 == code as u32),
                "{error}"
            ),
        }
        fake.assert_calls(&["Broadcast", "AbortControl", "Abort"]);
        let again = rank
            .all_reduce(&stream, &mut data, Reduction::Sum)
            .unwrap_err();
        assert!(
            matches!(&again, Error::Lost(text) if text.starts_with("rank 0 of 2: ncclBroadcast failed")),
            "{again}"
        );
        assert!(rank.as_raw().is_null());
        assert!(matches!(rank.clone().finalize(), Err(Error::Lost(_))));
        drop(rank);
        assert!(fake.calls().is_empty());
    }
}

#[test]
fn asynchronous_error_ends_the_wait() {
    let (fake, rank, stream) = start(2);
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    fake.set("async", 2);
    let error = rank.wait(&stream).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Lost(_)), "{error:?}");
    assert!(
        text.contains(
            "ncclSystemError (2): the network is down. Fix: start all ranks with NCCL_DEBUG=INFO"
        ),
        "{text}"
    );
    fake.set("async", 0);
}

#[test]
fn call_that_waits_on_the_host_ends_in_time() {
    if !in_separate_process() {
        return;
    }
    let (fake, rank, stream) = start(2);
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    for grouped in [false, true] {
        let (rank, stream) = match grouped {
            false => (rank.clone(), stream.clone()),
            true => crate::library::rank(2, options()),
        };
        fake.set("hang", 1);
        let since = Instant::now();
        let error = match grouped {
            false => rank.all_reduce(&stream, &mut data, Reduction::Sum),
            true => {
                let mut group = Group::new();
                add_sum(&mut group, &rank, &stream, &mut data);
                group.run()
            }
        };
        let took = since.elapsed();
        assert!(took >= LIMIT && took < LIMIT + SOON, "{took:?}");
        failure(error)
            .mentions("a call has waited on the host for longer than the time limit of 1s");
    }
    drop(rank);
}

#[test]
fn stuck_work_is_lost_in_time() {
    if !in_separate_process() {
        return;
    }
    let (_fake, rank, stream) = start(2);
    let signal = Signal::new(rank.context(), 0u32).unwrap();
    let held = Stream::new(rank.context()).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&held, 4).unwrap();
    stream.wait_signal(&signal, WaitUntil::AT_LEAST, 1).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    let since = Instant::now();
    // The work that blocks the stream does not belong to NCCL, so it continues after the abort. The
    // wait ends anyway.
    let error = rank.wait(&stream).unwrap_err();
    assert!(matches!(error, Error::Lost(_)), "{error:?}");
    assert!(since.elapsed() >= LIMIT);
    signal.set(1);
    stream.synchronize().unwrap();
    drop(rank);
}

#[test]
fn later_work_does_not_count_towards_the_time_limit() {
    let (fake, rank, stream) = start(2);
    let signal = Signal::new(rank.context(), 0u32).unwrap();
    let [mut a, mut b] = [0; 2].map(|_| DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap());
    for grouped in [false, true] {
        if grouped {
            let mut group = Group::new();
            add_sum(&mut group, &rank, &stream, &mut a);
            add_sum(&mut group, &rank, &stream, &mut b);
            group.run().unwrap();
        } else {
            rank.all_reduce(&stream, &mut a, Reduction::Sum).unwrap();
        }
        // A long kernel of the user.
        stream.wait_signal(&signal, WaitUntil::AT_LEAST, 1).unwrap();
        rank.wait(&stream).unwrap();
        assert!(!stream.query().unwrap());
        signal.set(1);
        stream.synchronize().unwrap();
        signal.set(0);
    }
    // The end of the communicator does not wait for it either.
    rank.all_reduce(&stream, &mut a, Reduction::Sum).unwrap();
    stream.wait_signal(&signal, WaitUntil::AT_LEAST, 1).unwrap();
    fake.calls();
    rank.finalize().unwrap();
    fake.assert_calls(&["Finalize", "Destroy", "DestroyControl"]);
    signal.set(1);
    stream.synchronize().unwrap();
}

#[test]
fn calls_on_many_streams_are_waited_for() {
    if !in_separate_process() {
        return;
    }
    let _fake = Fake::new();
    for grouped in [false, true] {
        let (rank, _) = rank(2, options());
        let signal = Signal::new(rank.context(), 0u32).unwrap();
        let streams: Vec<_> = (0..40)
            .map(|_| Stream::new(rank.context()).unwrap())
            .collect();
        streams[1]
            .wait_signal(&signal, WaitUntil::AT_LEAST, 1)
            .unwrap();
        let mut data: Vec<_> = streams
            .iter()
            .map(|stream| DeviceBuffer::<u8>::zeroed(stream, 1).unwrap())
            .collect();
        let mut group = Group::new();
        for (stream, data) in streams.iter().zip(&mut data) {
            match grouped {
                true => group.all_reduce(&rank, stream, data, Reduction::Sum),
                false => rank.all_reduce(stream, data, Reduction::Sum),
            }
            .unwrap();
        }
        group.run().unwrap();
        for (number, stream) in streams
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != 1)
        {
            assert!(rank.wait(stream).is_ok(), "{number}");
        }
        let error = rank.wait(&streams[1]).unwrap_err();
        assert!(matches!(error, Error::Lost(_)), "{error:?}");
        signal.set(1);
        drop((data, rank));
    }
}

#[test]
fn launches_of_captured_calls_are_waited_for() {
    if !in_separate_process() {
        return;
    }
    let (_fake, rank, stream) = start(2);
    let mut all = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    let part = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    stream.synchronize().unwrap();
    // SAFETY: memory and communicator outlive the graph.
    let graph = unsafe { stream.capture(|_| rank.all_gather(&stream, &part, &mut all)) }.unwrap();
    let mut exec = graph.instantiate().unwrap();
    rank.wait(&stream).unwrap();
    let launched = Stream::new(rank.context()).unwrap();
    let signal = Signal::new(rank.context(), 0u32).unwrap();
    launched
        .wait_signal(&signal, WaitUntil::AT_LEAST, 1)
        .unwrap();
    exec.launch(&launched).unwrap();
    let error = rank.wait(&launched).unwrap_err();
    assert!(matches!(error, Error::Lost(_)), "{error:?}");
    signal.set(1);
    launched.synchronize().unwrap();
    drop((exec, rank));
}

#[test]
fn later_work_does_not_count_after_the_graph_is_dropped() {
    if !in_separate_process() {
        return;
    }
    let (_fake, rank, stream) = start(2);
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    stream.synchronize().unwrap();
    // SAFETY: memory and communicator outlive the graph.
    let graph = unsafe { stream.capture(|_| rank.all_reduce(&stream, &mut data, Reduction::Sum)) };
    let mut exec = graph.unwrap().instantiate().unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    drop(exec);
    // The driver releases a graph's objects on a separate thread.
    thread::sleep(LIMIT / 2);
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    // A long kernel of the user.
    let signal = Signal::new(rank.context(), 0u32).unwrap();
    stream.wait_signal(&signal, WaitUntil::AT_LEAST, 1).unwrap();
    rank.wait(&stream).unwrap();
    assert!(!stream.query().unwrap());
    rank.finalize().unwrap();
    signal.set(1);
    stream.synchronize().unwrap();
}

#[test]
fn end_of_a_communicator_keeps_captures_of_other_threads() {
    let (_fake, rank, stream) = start(2);
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    stream.synchronize().unwrap();
    let mut capture = |end: Option<&dyn Fn()>| {
        // SAFETY: memory and communicator outlive the graph.
        let graph = unsafe {
            stream.capture(|_| {
                let captured = rank.all_reduce(&stream, &mut data, Reduction::Sum);
                end.iter().for_each(|end| end());
                captured
            })
        };
        graph.unwrap()
    };
    let first = capture(None);
    let second = capture(Some(&|| {
        thread::scope(|scope| {
            let ended = scope.spawn(|| rank.clone().finalize());
            ended.join().unwrap().unwrap();
        });
    }));
    let [first, second] = [&first, &second].map(|graph| graph.nodes().unwrap().len());
    assert_eq!(first, second);
}

#[test]
fn fault_ends_the_communicator() {
    passes_alone("errors::a_fault_in_a_kernel", &[]);
}

#[test]
fn fault_found_by_a_call_ends_the_communicator() {
    passes_alone("errors::a_fault_before_calls", &[]);
}

/// A separate process, because it leaves the device's context unusable.
#[test]
#[ignore = "a part of `fault_found_by_a_call_ends_the_communicator`"]
fn a_fault_before_calls() {
    let fake = Fake::new();
    let [(first, stream), (second, _), (third, _)] = [0; 3].map(|_| rank(2, options()));
    let other = Stream::new(first.context()).unwrap();
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    let mut on_other = DeviceBuffer::<f32>::zeroed(&other, 4).unwrap();
    for rank in [&second, &third] {
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    }
    let source = r#"extern "C" __global__ void fault() { asm("trap;"); }"#;
    let module = Module::compile(first.context(), source).unwrap();
    let fault = module.function("fault").unwrap();
    // SAFETY: the kernel uses no memory.
    unsafe { fault.launch(&stream, LaunchConfig::for_elements(1), ()) }.unwrap();
    stream.synchronize().unwrap_err();
    fake.calls();
    let expect_end = |result: cuda_nccl::Result<()>, calls: &[&str]| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Cuda(_)), "{error:?}");
        assert_eq!(fake.calls(), calls);
    };
    // The event for a new stream cannot be created.
    let ended = ["AbortControl", "Abort"];
    expect_end(
        first.all_reduce(&other, &mut on_other, Reduction::Sum),
        &ended,
    );
    let again = first.all_reduce(&other, &mut on_other, Reduction::Sum);
    assert!(matches!(again, Err(Error::Lost(_))), "{again:?}");
    // The event of a known stream cannot be recorded, and that of a group cannot be created.
    expect_end(
        second.all_reduce(&stream, &mut data, Reduction::Sum),
        &["AllReduce", "AbortControl", "Abort"],
    );
    let mut group = Group::new();
    add_sum(&mut group, &third, &other, &mut on_other);
    expect_end(group.run(), &ended);
    drop((first, second, third));
}

/// A separate process, because it leaves the device's context unusable.
#[test]
#[ignore = "a part of `fault_ends_the_communicator`"]
fn a_fault_in_a_kernel() {
    let (fake, rank, stream) = start(2);
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    let source = r#"extern "C" __global__ void fault() { asm("trap;"); }"#;
    let module = Module::compile(rank.context(), source).unwrap();
    let fault = module.function("fault").unwrap();
    // SAFETY: the kernel uses no memory.
    unsafe { fault.launch(&stream, LaunchConfig::for_elements(1), ()) }.unwrap();
    fake.calls();
    // Either the call finds the fault, before or after NCCL's call, or the wait does.
    let called = rank.all_reduce(&stream, &mut data, Reduction::Sum);
    let error = called.and_then(|()| rank.wait(&stream)).unwrap_err();
    assert!(matches!(error, Error::Cuda(_)), "{error:?}");
    let mut calls = fake.calls();
    calls.retain(|call| call != "AllReduce");
    assert_eq!(calls, ["AbortControl", "Abort"]);
    let again = rank
        .all_reduce(&stream, &mut data, Reduction::Sum)
        .unwrap_err();
    assert!(
        matches!(&again, Error::Lost(text) if text.starts_with("rank 0 of 2: ")),
        "{again}"
    );
}

#[test]
fn abort_ends_calls_of_other_threads() {
    let fake = Fake::new();
    let (rank, stream) = rank(2, options().timeout(Duration::from_secs(600)));
    let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    fake.set("hang", 1);
    thread::scope(|scope| {
        scope.spawn(|| {
            while fake.get("hang") == 1 {
                thread::yield_now();
            }
            rank.abort();
        });
        failure(rank.all_reduce(&stream, &mut data, Reduction::Sum))
            .mentions("this rank has aborted");
    });
    drop(rank);
}

#[test]
fn different_calls_are_reported_and_not_enqueued() {
    let fake = Fake::new();
    let (rank, stream) = rank(3, crate::library::verified());
    let mut data = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
    fake.calls();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    fake.assert_calls(&["GroupStart", "AllGather", "GroupEnd", "AllReduce"]);
    fake.set("differs", 9);
    let error = rank
        .all_reduce(&stream, &mut data, Reduction::Max)
        .unwrap_err();
    let text = "the length is 4 on rank 0 and 9 on ranks 1, 2 (all_reduce, collective number 2). Fix: make the same call with the same \
                arguments on all ranks";
    assert!(
        matches!(&error, Error::Value(_)) && error.to_string() == text,
        "{error}"
    );
    let mut group = Group::new();
    add_sum(&mut group, &rank, &stream, &mut data);
    assert!(
        group
            .run()
            .unwrap_err()
            .to_string()
            .contains("9 on ranks 1, 2 (all_reduce, collective number 3)")
    );
    let error = rank.all_to_all(
        &stream,
        &DeviceBuffer::<u8>::zeroed(&stream, 6).unwrap(),
        &mut DeviceBuffer::<u8>::zeroed(&stream, 6).unwrap(),
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("9 on ranks 1, 2 (all_to_all, ")
    );
    let calls = fake.calls();
    assert!(
        calls
            .iter()
            .all(|call| ["GroupStart", "AllGather", "GroupEnd"].contains(&call.as_str())),
        "{calls:?}"
    );
    // A rank whose call cannot be made reports this to the others, and returns its own error.
    fake.set("differs", 0);
    failure(rank.broadcast(&stream, &mut data, 7)).mentions("there is no rank 7");
    let mut short = DeviceBuffer::<i32>::zeroed(&stream, 11).unwrap();
    assert!(rank.all_gather(&stream, &data, &mut short).is_err());
    assert!(rank.gather(&stream, &data, None, 0).is_err());
    fake.assert_calls(&["GroupStart", "AllGather", "GroupEnd"].repeat(3));
    fake.set("result", 4);
    let error = rank
        .all_reduce_scaled(
            &stream,
            &mut DeviceBuffer::<f32>::zeroed(&stream, 1).unwrap(),
            0.5,
        )
        .unwrap_err();
    assert!(matches!(error, Error::Nccl { .. }), "{error:?}");
    fake.assert_calls(&["RedOpCreate", "GroupStart", "AllGather", "GroupEnd"]);
    // A send to the own rank must be received, because every rank of the fake library behaves like
    // this one.
    let bytes = DeviceBuffer::<u8>::zeroed(&stream, 6).unwrap();
    failure(rank.exchange(&stream, &[(0, bytes.view())], &mut [])).begins_with(
        "the call is transfer on rank 0 and nothing on rank 0 (sent by rank 0, received by rank 0)",
    );
    drop(rank);
}

#[test]
fn captured_group_is_reported_to_the_others() {
    let fake = Fake::new();
    let (rank, stream) = rank(3, crate::library::verified());
    let mut data = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
    let bytes = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    stream.synchronize().unwrap();
    let mut group = Group::new();
    group.send(&rank, &stream, &bytes, 1).unwrap();
    add_sum(&mut group, &rank, &stream, &mut data);
    fake.calls();
    let captured = || {
        // The capturing thread must not wait for the others.
        let error = thread::scope(|scope| scope.spawn(|| group.run()).join().unwrap());
        failure(error).mentions("the stream is capturing");
        Ok::<_, Error>(())
    };
    // SAFETY: nothing is captured.
    unsafe { stream.capture(|_| captured()) }.unwrap();
    let expected = "GroupStart Send Recv GroupEnd GroupStart AllGather GroupEnd";
    assert_eq!(fake.calls().join(" "), expected);
    drop(rank);
}

#[test]
fn different_partner_calls_are_reported_and_not_enqueued() {
    const EXCHANGE: [&str; 4] = ["GroupStart", "Send", "Recv", "GroupEnd"];
    let fake = Fake::new();
    let (rank, stream) = rank(3, crate::library::verified());
    let mut bytes = DeviceBuffer::<u8>::zeroed(&stream, 6).unwrap();
    let mut other = DeviceBuffer::<u8>::zeroed(&stream, 6).unwrap();
    fake.set("partner", 1);
    fake.calls();
    rank.send(&stream, &bytes, 1).unwrap();
    fake.assert_calls(&[&EXCHANGE[..], &["Send"]].concat());
    rank.receive(&stream, &mut bytes, 2).unwrap();
    fake.assert_calls(&[&EXCHANGE[..], &["Recv"]].concat());
    // Two partners, each compared once, then the collectives, then the calls themselves.
    let mut group = Group::new();
    let mut sum = DeviceBuffer::<f32>::zeroed(&stream, 6).unwrap();
    group.send(&rank, &stream, &bytes, 1).unwrap();
    group.send(&rank, &stream, &bytes, 1).unwrap();
    group.receive(&rank, &stream, &mut other, 2).unwrap();
    add_sum(&mut group, &rank, &stream, &mut sum);
    group.run().unwrap();
    let expected = "GroupStart Send Recv Send Recv GroupEnd GroupStart AllGather GroupEnd \
                    GroupStart Send Send Recv AllReduce GroupEnd";
    assert_eq!(fake.calls().join(" "), expected);

    // A partner that makes no call, and one that makes another. The latter appears as zeros, which
    // mean no calls.
    for (partner, text) in [
        (2, "rank 1 can't take part: "),
        (
            0,
            "the call is  on rank 1 and transfer on rank 0 (sent by rank 0, received by rank 1). Fix: ",
        ),
    ] {
        fake.set("partner", partner);
        let error = rank.send(&stream, &bytes, 1).unwrap_err();
        assert!(matches!(error, Error::Value(_)), "{error:?}");
        assert!(error.to_string().starts_with(text), "{error}");
        assert_eq!(fake.calls(), EXCHANGE);
        // Ranks that take part in the collectives get a report.
        let mut group = Group::new();
        group.send(&rank, &stream, &bytes, 1).unwrap();
        add_sum(&mut group, &rank, &stream, &mut sum);
        failure(group.run()).begins_with(text);
        let expected = [&EXCHANGE[..], &["GroupStart", "AllGather", "GroupEnd"]].concat();
        assert_eq!(fake.calls(), expected);
    }

    // A rank that cannot make the call reports this to the rank that waits for it.
    fake.set("partner", 1);
    let device = rank.context().device();
    let elsewhere = Context::create(device, ContextFlags::default()).unwrap();
    let far = Stream::new(&elsewhere).unwrap();
    failure(rank.send(&far, &bytes, 1)).mentions("another context");
    assert_eq!(fake.calls(), EXCHANGE);
    failure(rank.receive(&far, &mut bytes, 1)).mentions("another context");
    assert_eq!(fake.calls(), EXCHANGE);
    // There is no partner to report to.
    failure(rank.send(&stream, &bytes, 3)).mentions("there is no rank 3");
    assert!(fake.calls().is_empty());
}

#[test]
fn failed_comparison_can_be_repeated() {
    let fake = Fake::new();
    let (rank, stream) = rank(2, crate::library::verified());
    let mut data = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
    // A mistake that only this rank finds, before it has met the others.
    fake.set("result", 5);
    let error = rank.all_reduce(&stream, &mut data, Reduction::Sum);
    assert!(matches!(error, Err(Error::Nccl { .. })), "{error:?}");
    fake.set("differs", 3);
    let error = rank.all_reduce(&stream, &mut data, Reduction::Sum);
    failure(error).mentions("(all_reduce, collective number 1)");
}
