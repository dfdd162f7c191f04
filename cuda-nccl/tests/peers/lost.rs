//! Ranks that end, fail or do not arrive, and waits with a time limit.

use std::{
    mem, panic,
    sync::{Barrier, Mutex},
    thread,
    time::{Duration, Instant},
};

use cuda_nccl::{Collectives, Error, PeerGroup, PeerOptions, PeerRank, Reduction};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, ErrorKind, LaunchConfig, Module, Stream,
    memory::{Signal, WaitUntil},
};

use crate::{
    contexts, failure::failure, in_separate_process, output_of_separate_process, ranks, small,
    suite,
};

/// Returns the text without the sentence about the rank's call, which must name this file.
fn without_call(error: &Error) -> String {
    let text = error.to_string();
    let Some((why, rest)) = text.split_once(". This rank called all_reduce at ") else {
        return text;
    };
    assert!(rest.starts_with(file!()), "{text}");
    let (_, fix) = rest.split_once(", collective number 1").unwrap();
    format!("{why}{fix}")
}

/// Returns the error of rank 0 when its partner makes different calls.
fn with_partner(limit: Duration, partner: impl FnOnce(PeerRank) + Send) -> (Error, Duration) {
    let mut ranks = ranks(2, PeerOptions::default().timeout(limit));
    let (second, first) = (ranks.pop().unwrap(), ranks.pop().unwrap());
    thread::scope(|scope| {
        let partner = scope.spawn(move || partner(second));
        let stream = Stream::new(first.context()).unwrap();
        let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
        let start = Instant::now();
        let error = first.all_reduce(&stream, &mut data, Reduction::Sum);
        let error = error.unwrap_err();
        let waited = start.elapsed();
        // The group stays lost, and later calls fail immediately.
        let again = first.broadcast(&stream, &mut data, 0).unwrap_err();
        assert_eq!(without_call(&error), again.to_string());
        let _ = partner.join();
        (error, waited)
    })
}

#[test]
fn ended_rank_is_not_waited_for() {
    let long = Duration::from_secs(600);
    let expect = |error: &Error, why: &str| assert_eq!(without_call(error), why);
    let (error, _) = with_partner(long, drop);
    assert!(matches!(error, Error::Lost(_)), "{error}");
    let text = "rank 1 has ended. Fix: see rank 1's result. If it is not an error, make the same calls in the same order on \
                all ranks";
    expect(&error, text);
    let (error, _) = with_partner(long, |rank| {
        let _moved = rank;
        panic::resume_unwind(Box::new("on purpose"));
    });
    expect(&error, "rank 1 has panicked. Fix: see rank 1's panic above");
}

#[test]
fn missing_rank_is_named_after_the_time_limit() {
    let limit = Duration::from_millis(80);
    let (error, waited) = with_partner(limit, mem::forget);
    assert!(matches!(error, Error::Lost(_)), "{error}");
    let text = "rank 1 has not arrived within the time limit of 80ms (PeerOptions::timeout). Fix: rank 1 may be slow: raise \
                PeerOptions::timeout. Otherwise make the same calls in the same order on all ranks";
    assert_eq!(without_call(&error), text);
    assert!(waited >= limit);
}

/// The only rank of a group, a stream, a signal that is not set, and data.
fn single(options: PeerOptions) -> (PeerRank, Stream, Signal<u32>, DeviceBuffer<f32>) {
    let rank = ranks(1, options).pop().unwrap();
    let stream = Stream::new(rank.context()).unwrap();
    let signal = Signal::new(rank.context(), 0).unwrap();
    let data = DeviceBuffer::zeroed(&stream, 4).unwrap();
    (rank, stream, signal, data)
}

#[test]
fn wait_ends_after_the_time_limit() {
    if !in_separate_process(&[]) {
        return; // calls that wait for the whole context would wait for this
    }
    let limit = Duration::from_millis(50);
    let options = PeerOptions::default().timeout(limit);
    let (rank, stream, signal, mut data) = single(options);
    stream.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    let error = rank.wait(&stream).unwrap_err();
    assert!(matches!(error, Error::Lost(_)), "{error}");
    assert!(error.to_string().contains("has not ended"), "{error}");
    let again = rank.all_reduce(&stream, &mut data, Reduction::Sum);
    assert!(matches!(again, Err(Error::Lost(_))));
    drop(rank); // does not wait
    signal.set(1);
    stream.synchronize().unwrap();
}

#[test]
fn later_work_does_not_count_towards_the_time_limit() {
    if !in_separate_process(&[]) {
        return; // calls that wait for the whole context would wait for this
    }
    let options = PeerOptions::default().timeout(Duration::from_millis(500));
    let (rank, stream, signal, mut data) = single(options);
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    // A long kernel of the user.
    stream.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    rank.wait(&stream).unwrap();
    assert!(!stream.query().unwrap());
    let other = Stream::new(rank.context()).unwrap();
    let mut theirs = DeviceBuffer::<f32>::zeroed(&other, 4).unwrap();
    rank.all_reduce(&other, &mut theirs, Reduction::Sum)
        .unwrap();
    rank.wait(&other).unwrap();
    drop(rank); // does not wait for it either
    assert!(!stream.query().unwrap());
    signal.set(1);
    stream.synchronize().unwrap();
}

#[test]
fn wait_ignores_calls_on_other_streams() {
    if !in_separate_process(&[]) {
        return; // calls that wait for the whole context would wait for this
    }
    let options = PeerOptions::default().timeout(Duration::from_millis(500));
    let rank = ranks(1, options).pop().unwrap();
    let [a, b] = [0; 2].map(|_| Stream::new(rank.context()).unwrap());
    let [mut on_a, mut on_b] =
        [&a, &b].map(|stream| DeviceBuffer::<f32>::zeroed(stream, 4).unwrap());
    let signal = Signal::<u32>::new(rank.context(), 0).unwrap();
    rank.all_reduce(&a, &mut on_a, Reduction::Sum).unwrap();
    // A long kernel of the user, followed by a call.
    b.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    rank.all_reduce(&b, &mut on_b, Reduction::Sum).unwrap();
    rank.wait(&a).unwrap();
    assert!(!b.query().unwrap());
    rank.wait(&Stream::new(rank.context()).unwrap()).unwrap();
    signal.set(1);
    rank.wait(&b).unwrap();
    // The group stays usable, and its calls stay in order across streams.
    signal.set(0);
    b.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    rank.all_reduce(&b, &mut on_b, Reduction::Sum).unwrap();
    rank.all_reduce(&a, &mut on_a, Reduction::Sum).unwrap();
    thread::sleep(Duration::from_millis(20));
    assert!(!a.query().unwrap());
    signal.set(1);
    rank.wait(&a).unwrap();
}

#[test]
fn drop_does_not_wait_for_stuck_work() {
    if !in_separate_process(&[]) {
        return; // calls that wait for the whole context would wait for this
    }
    let options = PeerOptions::default().timeout(Duration::from_secs(3)); // long enough to compile both kernels
    let mut group = ranks(2, options).into_iter();
    let (zero, one) = (group.next().unwrap(), group.next().unwrap());
    let (loaded, dropped) = (Barrier::new(2), Barrier::new(2));
    // The first call of a kind loads its kernel, and the driver then waits for all work of the
    // context.
    let load = |rank: &PeerRank, stream: &Stream| {
        let mut data = DeviceBuffer::<f32>::zeroed(stream, 4).unwrap();
        rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
        rank.wait(stream).unwrap();
        loaded.wait();
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let stream = Stream::new(zero.context()).unwrap();
            load(&zero, &stream);
            let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
            // Its stream waits for the other's event, which is never reached.
            zero.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
            drop(zero);
            dropped.wait();
        });
        scope.spawn(|| {
            let stream = Stream::new(one.context()).unwrap();
            load(&one, &stream);
            let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
            let signal = Signal::<u32>::new(one.context(), 0).unwrap();
            stream.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
            one.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
            assert!(matches!(one.wait(&stream), Err(Error::Lost(_))));
            drop(one);
            dropped.wait();
            signal.set(1);
            stream.synchronize().unwrap();
        });
    });
}

#[test]
fn run_returns_the_cause_of_a_failure() {
    let group = || PeerGroup::new(&contexts(3)).unwrap();
    let numbers = group().run(|rank| Ok(rank.rank() * 10)).unwrap();
    assert_eq!(numbers, [0, 10, 20]);
    let error = group().run(|rank| {
        if rank.rank() == 2 {
            return Err(Error::Value("had enough".into()));
        }
        let stream = Stream::new(rank.context())?;
        rank.gather_on_host(&stream, &[1u8])
    });
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), "rank 2: had enough");
    assert!(matches!(error, Error::Rank { rank: 2, .. }));
    let panicked = panic::catch_unwind(|| {
        group().run(|rank| match rank.rank() {
            1 => panic::resume_unwind(Box::new("on purpose")),
            _ => rank.gather_on_host(&Stream::new(rank.context())?, &[1u8]),
        })
    });
    let payload = panicked.unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
}

#[test]
fn sleeping_rank_is_reported_before_the_time_limit() {
    let Some(text) = output_of_separate_process(&[]) else {
        let options = PeerOptions::default().timeout(Duration::from_secs(7));
        let group = PeerGroup::with_options(&contexts(3), options).unwrap();
        let all = group.run(|rank| {
            let stream = Stream::new(rank.context())?;
            if rank.rank() == 1 {
                thread::sleep(Duration::from_millis(1600));
            }
            rank.gather_on_host(&stream, &[rank.rank() as u8])
        });
        assert_eq!(all.unwrap()[2], [0, 1, 2]);
        return;
    };
    let notices: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("cuda-nccl"))
        .collect();
    let [notice] = *notices else {
        panic!("one notice for all ranks: {text}");
    };
    let rest = notice.strip_prefix("cuda-nccl: rank 1 has not arrived after 1.2s. Rank ");
    let rest = rest.unwrap_or_else(|| panic!("{notice}"));
    assert_eq!(
        &rest[1..],
        " waits in gather_on_host, which fails after 7s (PeerOptions::timeout)"
    );
    assert!(rest.starts_with(['0', '2']), "{notice}");
}

/// A fault ends the contexts of all devices in the process (observed on two H100s, driver 580). A
/// rank whose device did not fault gets the error from the other rank or from the driver, whichever
/// comes first.
fn expect_fault(rank: &PeerRank, error: &Error) {
    match (rank.rank(), error) {
        (0, Error::Lost(why)) => assert!(why.contains("device of rank 1"), "{why}"),
        (_, Error::Cuda(error)) => {
            let expected = [ErrorKind::Fault, ErrorKind::Poisoned];
            assert!(expected.contains(error.kind()), "{error}");
        }
        (rank, error) => panic!("rank {rank}: {error}"),
    }
}

#[test]
fn fault_of_one_rank_fails_all() {
    if !in_separate_process(&[]) {
        return; // no context of the device can be used afterwards
    }
    let options = PeerOptions::default().timeout(Duration::from_secs(20));
    let group = PeerGroup::with_options(&contexts(2), options).unwrap();
    if Device::count().unwrap() < 2 {
        println!("one device: a fault ends both ranks' contexts");
        return;
    }
    let error = group
        .run(|rank| {
            let stream = Stream::new(rank.context())?;
            let mut data = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
            rank.all_reduce(&stream, &mut data, Reduction::Sum)?;
            if rank.rank() == 1 {
                let source = r#"extern "C" __global__ void stray(size_t x) { *(int *)x = 1; }"#;
                let stray = Module::compile(rank.context(), source)?.function("stray")?;
                // SAFETY: the kernel faults on purpose, and writes nowhere.
                unsafe { stray.launch(&stream, LaunchConfig::new(1, 1), (8u64,))? };
                failure(stream.synchronize()).of_kind(ErrorKind::Fault);
            }
            let result = rank.all_reduce(&stream, &mut data, Reduction::Sum);
            let error = result.unwrap_err();
            expect_fault(rank, &error);
            Err::<(), _>(error)
        })
        .unwrap_err();
    let Error::Rank { error, .. } = error else {
        panic!("{error}");
    };
    assert!(matches!(*error, Error::Cuda(_)), "{error}");
}

#[test]
fn fault_is_printed_once() {
    let Some(text) = output_of_separate_process(&[]) else {
        let group = PeerGroup::new(&contexts(2)).unwrap();
        let arrived = Barrier::new(2);
        let ended = group.run(|rank| {
            let stream = Stream::new(rank.context())?;
            let mut data = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
            arrived.wait();
            if rank.rank() == 1 {
                thread::sleep(Duration::from_millis(100)); // rank 0 waits for this rank
                let source = r#"extern "C" __global__ void stray(size_t x) { *(int *)x = 1; }"#;
                let stray = Module::compile(rank.context(), source)?.function("stray")?;
                // SAFETY: the kernel faults on purpose, and writes nowhere.
                unsafe { stray.launch(&stream, LaunchConfig::new(1, 1), (8u64,))? };
                stream.synchronize()?;
            }
            rank.all_reduce(&stream, &mut data, Reduction::Sum)
        });
        println!("ended: {}", ended.unwrap_err());
        return;
    };
    // The context may know of the fault before the driver is called.
    let calls = ["cuStreamSynchronize", "Stream::synchronize"];
    let ended = calls.map(|call| format!("ended: rank 1: {call} failed"));
    assert!(ended.iter().any(|ended| text.contains(ended)), "{text}");
    assert_eq!(text.matches(" failed: CUDA_ERROR").count(), 1, "{text}");
}

/// A fault that is still unnoticed when the other ranks enqueue their part. Their input was never
/// computed.
fn wait_reports_a_failed_device(len: usize) {
    // The emulator executes late, so that the call itself finds no fault.
    if !in_separate_process(&[("CUDA_EMULATOR_HOLD", "400")]) {
        return; // no context of the device can be used afterwards
    }
    let options = small().timeout(Duration::from_secs(20));
    let ranks = ranks(2, options);
    if ranks[0].context() == ranks[1].context() {
        println!("one device: a fault ends both ranks' contexts");
        return;
    }
    let rest = Barrier::new(2);
    suite::on_all(ranks, |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let mut data = DeviceBuffer::<u32>::zeroed(&stream, len).unwrap();
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
        rank.wait(&stream).unwrap();
        let source = r#"extern "C" __global__ void stray(size_t x) { *(int *)x = 1; }"#;
        let module = Module::compile(rank.context(), source).unwrap();
        let stray = module.function("stray").unwrap(); // dropped last, because unloading the module waits
        if rank.rank() == 1 {
            // SAFETY: the kernel faults on purpose, and writes nowhere.
            unsafe { stray.launch(&stream, LaunchConfig::new(1, 1), (8u64,)) }.unwrap();
        }
        let called = rank.all_reduce(&stream, &mut data, Reduction::Sum);
        let result = called.and_then(|()| rank.wait(&stream));
        rest.wait();
        expect_fault(rank, &result.unwrap_err());
    });
}

#[test]
fn wait_reports_a_device_that_failed_in_a_small_call() {
    wait_reports_a_failed_device(4);
}

#[test]
fn wait_reports_a_device_that_failed_in_a_call_in_pieces() {
    wait_reports_a_failed_device(5000);
}

#[test]
fn nothing_is_enqueued_after_a_loss() {
    let mut group = ranks(2, PeerOptions::default().timeout(Duration::from_millis(80))).into_iter();
    let rank = group.next().unwrap();
    let stream = Stream::new(rank.context()).unwrap();
    let mut data = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let mut fails = || {
        rank.all_reduce(&stream, &mut data, Reduction::Sum)
            .unwrap_err()
    };
    let first = fails();
    assert!(matches!(first, Error::Lost(_)), "{first}");
    assert_eq!(without_call(&first), fails().to_string());
    let context = Context::create(rank.context().device(), ContextFlags::default()).unwrap();
    let far = rank.wait(&Stream::new(&context).unwrap()).unwrap_err();
    assert!(matches!(far, Error::Value(_)), "{far}");
}

#[test]
fn rank_that_waits_gets_the_result_of_the_other() {
    let text_of_rank_0 = |partner: fn() -> Result<Vec<u8>, Error>| {
        let text = Mutex::new(String::new());
        let ended = PeerGroup::new(&contexts(2)).unwrap().run(|rank| {
            if rank.rank() == 1 {
                return partner();
            }
            let gathered = rank.gather_on_host(&Stream::new(rank.context())?, &[1u8]);
            *text.lock().unwrap() = gathered.as_ref().unwrap_err().to_string();
            gathered
        });
        assert!(ended.is_err());
        text.into_inner().unwrap()
    };
    let text = text_of_rank_0(|| Err(Error::Value("no data file".into())));
    let start = "rank 1 returned an error: no data file";
    assert!(text.starts_with(start) && !text.contains("Fix: "), "{text}");
    let text = text_of_rank_0(|| Ok(Vec::new()));
    let end = ". Fix: make the same calls in the same order on all ranks";
    assert!(
        text.starts_with("rank 1 has returned") && text.ends_with(end),
        "{text}"
    );
}

#[test]
fn rank_that_arrives_too_late_is_named_in_its_own_error() {
    let limit = Duration::from_millis(80);
    let ranks = ranks(2, PeerOptions::default().timeout(limit));
    let gather = |rank: &PeerRank| {
        let stream = Stream::new(rank.context()).unwrap();
        rank.gather_on_host(&stream, &[1u8])
            .unwrap_err()
            .to_string()
    };
    let text = gather(&ranks[0]);
    assert!(text.starts_with("rank 1 has not arrived"), "{text}");
    let text = "this rank, rank 1, arrived too late: another rank waited for the time limit of 80ms (PeerOptions::timeout). Fix: \
                raise PeerOptions::timeout, or do the long work before the other ranks call";
    assert_eq!(gather(&ranks[1]), text);
}

#[test]
fn panic_names_its_rank() {
    let Some(text) = output_of_separate_process(&[]) else {
        let panicked = panic::catch_unwind(|| {
            let group = PeerGroup::new(&contexts(2)).unwrap();
            group.run(|rank| match rank.rank() {
                1 => panic!("on purpose"),
                _ => Ok(()),
            })
        });
        panicked.unwrap_err();
        return;
    };
    assert!(text.contains("thread 'rank 1'"), "{text}");
}

#[test]
fn run_returns_the_first_root_cause() {
    let group = || PeerGroup::new(&contexts(3)).unwrap();
    let value = |rank: &PeerRank| Err::<(), _>(Error::Value(format!("of rank {}", rank.rank())));
    let lost = |rank: &PeerRank| Err::<(), _>(Error::Lost(format!("of rank {}", rank.rank())));
    let error = group().run(value).unwrap_err();
    assert_eq!(error.to_string(), "rank 0: of rank 0");
    let error = group().run(lost).unwrap_err();
    assert_eq!(error.to_string(), "rank 0: of rank 0");
    let error = group().run(|rank| match rank.rank() {
        0 => lost(rank),
        _ => value(rank),
    });
    assert_eq!(error.unwrap_err().to_string(), "rank 1: of rank 1");
    let error = group().run(|rank| match rank.rank() {
        0 => Ok(()),
        1 => value(rank),
        _ => lost(rank),
    });
    assert_eq!(error.unwrap_err().to_string(), "rank 1: of rank 1");
}

#[test]
fn dropped_rank_waits_for_its_work() {
    if !in_separate_process(&[]) {
        return; // calls that wait for the whole context would wait for this
    }
    let options = PeerOptions::default().timeout(Duration::from_secs(60));
    let (rank, stream, signal, mut data) = single(options);
    stream.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            signal.set(1);
        });
        drop(rank);
        assert_eq!(signal.get(), 1);
        stream.synchronize().unwrap();
    });
}

/// Drops a rank with stuck work. After a wait, the work is known to be stuck.
fn drops_with_stuck_work(waits_before: bool) {
    if !in_separate_process(&[]) {
        return; // calls that wait for the whole context would wait for this
    }
    let limit = Duration::from_secs(2);
    let (rank, stream, signal, mut data) = single(PeerOptions::default().timeout(limit));
    stream.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    if waits_before {
        let error = rank.wait(&stream).unwrap_err().to_string();
        let text =
            "the work of rank 0 has not ended within the time limit of 2s (PeerOptions::timeout)";
        assert_eq!(error, text);
    }
    let start = Instant::now();
    drop(rank);
    let took = start.elapsed();
    assert_eq!(took < limit, waits_before, "{took:?}");
    signal.set(1);
    stream.synchronize().unwrap();
}

#[test]
fn dropped_rank_waits_at_most_the_time_limit() {
    drops_with_stuck_work(false);
}

#[test]
fn rank_with_work_known_to_be_stuck_is_dropped_at_once() {
    drops_with_stuck_work(true);
}
