//! Devices of one process that communicate by copies. The emulator has three devices. On machines
//! with fewer devices, ranks share them.

#[path = "../../../cuda-safe/tests/common/failure.rs"]
mod failure;
mod lost;
#[path = "../suite/mod.rs"]
mod suite;
#[path = "../../src/test_threads.rs"]
mod test_threads;

use std::{
    env,
    process::Command,
    sync::{Barrier, Once},
    thread,
    time::Duration,
};

use cuda_nccl::{Collectives, Error, PeerGroup, PeerOptions, PeerRank, Reduction, SingleRank};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, Stream,
    memory::{Signal, WaitUntil},
};
use failure::failure;

fn contexts(size: usize) -> Vec<Context> {
    static START: Once = Once::new();
    // SAFETY: every test begins with this, before the driver starts and reads the environment.
    START.call_once(|| unsafe { env::set_var("CUDA_EMULATOR_DEVICES", "3") });
    let devices = Device::count().expect("a driver");
    (0..size)
        .map(|rank| Context::primary(rank as u32 % devices).expect("a context"))
        .collect()
}

fn ranks(size: usize, options: PeerOptions) -> Vec<PeerRank> {
    let group = PeerGroup::with_options(&contexts(size), options);
    group.unwrap().into_ranks()
}

/// Returns true in a process that runs only this test. In the tests' common process, starts such a
/// process and checks that it succeeds.
fn in_separate_process(variables: &[(&str, &str)]) -> bool {
    output_of_separate_process(variables).is_none()
}

/// Returns `None` in a process that runs only this test. In the tests' common process, starts such
/// a process, checks that it succeeds, and returns its output.
fn output_of_separate_process(variables: &[(&str, &str)]) -> Option<String> {
    const CHILD: &str = "CUDA_NCCL_PEER_CHILD";
    if env::var(CHILD).is_ok() {
        return None;
    }
    let test = thread::current().name().unwrap().to_owned();
    let output = Command::new(env::current_exe().unwrap())
        .args([&test, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    Some(text)
}

/// Options with which all but tiny arrays are reduced in pieces, and pieces in several chunks.
fn small() -> PeerOptions {
    PeerOptions::default().scratch_bytes(512).piece_bytes(1024)
}

#[test]
fn suite_with_single_rank() {
    suite::suite(vec![SingleRank::new(&contexts(1)[0])]);
}

#[test]
fn errors_of_single_rank_name_call_and_arguments() {
    let single = SingleRank::new(&contexts(1)[0]);
    let stream = Stream::new(single.context()).unwrap();
    let long = DeviceBuffer::from_slice(&stream, &[1u32, 2]).unwrap();
    let short = &mut DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
    let start = |result: cuda_nccl::Result<()>| {
        let text = result.unwrap_err().to_string();
        text.split_once(", but").unwrap().0.to_owned()
    };
    assert_eq!(
        start(single.all_gather(&stream, &long, short)),
        "all_gather: `all` has 1 elements"
    );
    assert_eq!(
        start(single.reduce_scatter(&stream, &long, short, Reduction::Sum)),
        "reduce_scatter: `part` has 1 elements"
    );
    assert_eq!(
        start(single.all_to_all(&stream, &long, short)),
        "all_to_all: `to` has 1 elements"
    );
}

#[test]
fn single_rank_waits_for_its_stream() {
    let single = SingleRank::new(&contexts(1)[0]);
    let stream = Stream::new(single.context()).unwrap();
    let data = &mut DeviceBuffer::from_slice(&stream, &[1u8, 2]).unwrap();
    single.broadcast(&stream, data, 0).unwrap();
    failure(single.broadcast(&stream, data, 1)).mentions("no rank 1 in a group of one");
    let from = DeviceBuffer::from_slice(&stream, &[3u8, 4]).unwrap();
    let sends = [(0, from.view())];
    failure(single.exchange(&stream, &sends, &mut [(0, data.slice_mut(..1).unwrap())]))
        .mentions("different lengths");
    single
        .exchange(&stream, &sends, &mut [(0, data.view_mut())])
        .unwrap();
    assert_eq!(data.to_vec(&stream).unwrap(), [3, 4]);

    let signal = Signal::new(single.context(), 0u32).unwrap();
    stream.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
    thread::scope(|threads| {
        threads.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            signal.set(1);
        });
        single.wait(&stream).unwrap();
        assert_eq!(signal.get(), 1, "the stream was not waited for");
    });
}

#[test]
fn suite_with_one_rank() {
    suite::suite(ranks(1, PeerOptions::default()));
}

#[test]
fn suite_with_two_ranks() {
    suite::suite(ranks(2, PeerOptions::default()));
    suite::suite(ranks(2, small()));
}

#[test]
fn suite_with_three_ranks() {
    suite::suite(ranks(3, PeerOptions::default()));
    suite::suite(ranks(3, small()));
}

#[test]
fn suite_without_links() {
    suite::suite(ranks(2, PeerOptions::default().links(false)));
    suite::suite(ranks(3, small().links(false)));
}

#[test]
fn suite_with_ranks_that_share_devices() {
    suite::suite(ranks(5, small()));
}

#[test]
fn different_calls_are_named_and_the_group_stays_usable() {
    for options in [PeerOptions::default(), small()] {
        suite::on_all(ranks(3, options), |rank| {
            let stream = Stream::new(rank.context()).unwrap();
            let len = if rank.rank() == 2 { 999 } else { 1000 };
            let mut data = DeviceBuffer::<f32>::zeroed(&stream, len).unwrap();
            let error = rank.all_reduce(&stream, &mut data, Reduction::Sum);
            let error = error.unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error}");
            let text = concat!(
                "the length is 999 on rank 2 and 1000 on ranks 0, 1 (all_reduce, collective number 1, at ",
                file!()
            );
            assert!(error.to_string().starts_with(text), "{error}");
            // A different type, operation and call.
            let mut bytes = DeviceBuffer::<u8>::zeroed(&stream, 8).unwrap();
            let mut words = DeviceBuffer::<u32>::zeroed(&stream, 8).unwrap();
            let result = match rank.rank() {
                1 => rank.all_reduce(&stream, &mut bytes, Reduction::Sum),
                _ => rank.all_reduce(&stream, &mut words, Reduction::Sum),
            };
            let text = result.unwrap_err().to_string();
            let expected = "the element type is u8 on rank 1 and u32 on ranks 0, 2 (all_reduce, collective number 2, ";
            assert!(text.starts_with(expected), "{text}");
            let result = match rank.rank() {
                1 => rank.all_reduce(&stream, &mut words, Reduction::Min),
                _ => rank.all_reduce(&stream, &mut words, Reduction::Sum),
            };
            let text = result.unwrap_err().to_string();
            let expected = "the reduction is min on rank 1 and sum on ranks 0, 2 (all_reduce, collective number 3, ";
            assert!(text.starts_with(expected), "{text}");
            let result = match rank.rank() {
                0 => rank.broadcast(&stream, &mut words, 0),
                _ => rank.all_reduce(&stream, &mut words, Reduction::Sum),
            };
            let text = result.unwrap_err().to_string();
            let expected = "the call is broadcast on rank 0 and all_reduce on ranks 1, 2 (collective number 4, ";
            assert!(text.starts_with(expected), "{text}");
            let result = match rank.rank() {
                0 => rank.exchange(&stream, &[(1, words.view())], &mut []),
                _ => rank.exchange::<u32>(&stream, &[], &mut []),
            };
            failure(result).begins_with(
                "the call is nothing on rank 1 and transfer on rank 0 (sent by rank 0, received by rank 1, collective number 5, ",
            );
            words.fill(&stream, 1).unwrap();
            rank.all_reduce(&stream, &mut words, Reduction::Sum)
                .unwrap();
            assert_eq!(words.to_vec(&stream).unwrap(), [3; 8]);
        });
    }
}

#[test]
fn error_of_one_rank_is_reported_to_all() {
    let device = contexts(2).pop().unwrap().device();
    let other = Context::create(device, ContextFlags::default()).unwrap();
    suite::on_all(ranks(2, PeerOptions::default()), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let foreign = Stream::new(&other).unwrap();
        let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
        let on = if rank.rank() == 1 { &foreign } else { &stream };
        let result = rank.all_reduce(on, &mut data, Reduction::Sum);
        let text = result.unwrap_err().to_string();
        let expected = format!(
            "the stream belongs to a different context than rank 1 (it is in another context of device {}). ",
            device.ordinal()
        );
        assert!(text.contains(&expected), "{text}");
        // Memory of another context, on all ranks.
        let mut far = DeviceBuffer::<f32>::zeroed(&foreign, 4).unwrap();
        let result = rank.all_reduce(&stream, &mut far, Reduction::Sum);
        assert!(matches!(result, Err(Error::Value(_))));
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    });
}

#[test]
fn capturing_streams_are_rejected_on_all_ranks() {
    if !in_separate_process(&[]) {
        return; // other threads cannot allocate during a capture
    }
    let ready = Barrier::new(2);
    suite::on_all(ranks(2, PeerOptions::default()), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap(); // compiles the kernel
        let check = |result: cuda_nccl::Result<()>| {
            failure(result).mentions("is capturing");
        };
        ready.wait();
        if rank.rank() == 0 {
            // SAFETY: nothing is recorded.
            let _ = unsafe {
                stream.capture(|_| {
                    check(rank.all_reduce(&stream, &mut data, Reduction::Sum));
                    Ok::<_, cuda_safe::Error>(())
                })
            };
        } else {
            check(rank.all_reduce(&stream, &mut data, Reduction::Sum));
        }
        ready.wait();
    });
}

#[test]
fn options_that_exceed_the_address_space_are_rejected() {
    let contexts = contexts(2);
    for options in [
        PeerOptions::default().piece_bytes((1 << 63) + 256),
        PeerOptions::default().piece_bytes(usize::MAX),
        PeerOptions::default().scratch_bytes(usize::MAX),
    ] {
        for contexts in [&contexts[..], &contexts[..1]] {
            let error = PeerGroup::with_options(contexts, options).unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error}");
        }
    }
}

#[test]
fn groups_need_1_to_16_ranks() {
    assert!(matches!(PeerGroup::new(&[]), Err(Error::Value(_))));
    let many = PeerGroup::new(&vec![contexts(1).pop().unwrap(); 17]);
    assert!(many.unwrap_err().to_string().contains("17 contexts"));
    let text = format!("{:?}", PeerGroup::new(&contexts(1)).unwrap());
    assert_eq!(text, "PeerGroup([PeerRank(0 of 1 ranks)])");
}

#[test]
fn single_rank_rejects_memory_and_streams_of_other_contexts() {
    let context = contexts(1).pop().unwrap();
    let other = Context::create(context.device(), ContextFlags::default()).unwrap();
    let single = SingleRank::new(&context);
    let (stream, far) = (Stream::new(&context).unwrap(), Stream::new(&other).unwrap());
    let near = &mut DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let same = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let there = &mut DeviceBuffer::<u32>::zeroed(&far, 4).unwrap();
    let is_foreign = |result: cuda_nccl::Result<()>| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Value(_)), "{error}");
        let text = format!(
            "belongs to a different context than rank 0 (it is in another context of device {}). Fix: create it in the context that Collectives::context returns",
            context.device().ordinal()
        );
        assert!(error.to_string().ends_with(&text), "{error}");
    };
    is_foreign(single.all_reduce(&far, near, Reduction::Sum));
    is_foreign(single.all_reduce(&stream, there, Reduction::Sum));
    is_foreign(single.broadcast(&stream, there, 0));
    is_foreign(single.all_gather(&stream, &same, there));
    is_foreign(single.all_gather(&stream, there, near));
    is_foreign(single.reduce_scatter(&stream, &same, there, Reduction::Sum));
    is_foreign(single.all_to_all(&stream, &same, there));
    is_foreign(single.exchange(&stream, &[(0, there.view())], &mut [(0, near.view_mut())]));
    is_foreign(single.exchange(&stream, &[(0, same.view())], &mut [(0, there.view_mut())]));
    is_foreign(single.gather_on_host(&far, &[1]).map(drop));
    is_foreign(single.wait(&far));
    // Valid calls still work.
    single.all_reduce(&stream, near, Reduction::Sum).unwrap();
    single.report_error("no other rank");
    assert_eq!(single.gather_on_host(&stream, &[1, 2]).unwrap(), [1, 2]);
    assert_eq!((single.rank(), single.size()), (0, 1));
}

#[test]
fn memory_of_another_device_is_named() {
    let contexts = contexts(2);
    let [here, there] = [0, 1].map(|rank: usize| contexts[rank].device().ordinal());
    if here == there {
        println!("one device");
        return;
    }
    let single = SingleRank::new(&contexts[0]);
    let far = Stream::new(&contexts[1]).unwrap();
    let error = single.wait(&far).unwrap_err().to_string();
    let text = format!(
        "the stream belongs to a different context than rank 0 (it is in a context of device {there}, and the rank uses device {here}). "
    );
    assert!(error.starts_with(&text), "{error}");
    let stream = Stream::new(&contexts[0]).unwrap();
    let mut data = DeviceBuffer::<u8>::zeroed(&far, 1).unwrap();
    let error = single
        .broadcast(&stream, &mut data, 0)
        .unwrap_err()
        .to_string();
    let text = text.replace("the stream", "the memory");
    assert!(error.starts_with(&text), "{error}");
}

/// Checks the text before and after the line of the call.
#[track_caller]
fn expect_both_ends(error: &Error, start: &str) {
    let (text, end) = (
        error.to_string(),
        "). Fix: make the same call with the same arguments on all ranks",
    );
    let line = text
        .strip_prefix(start)
        .and_then(|text| text.strip_suffix(end));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with(file!()), "{text}");
}

#[test]
fn different_roots_are_named() {
    suite::on_all(ranks(3, PeerOptions::default()), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let mut data = DeviceBuffer::from_slice(&stream, &[rank.rank() as u16; 5]).unwrap();
        let root = usize::from(rank.rank() == 2);
        let error = rank.broadcast(&stream, &mut data, root).unwrap_err();
        let start =
            "the root is 1 on rank 2 and 0 on ranks 0, 1 (broadcast, collective number 1, at ";
        expect_both_ends(&error, start);
        assert_eq!(data.to_vec(&stream).unwrap(), [rank.rank() as u16; 5]);
        rank.broadcast(&stream, &mut data, 2).unwrap();
        assert_eq!(data.to_vec(&stream).unwrap(), [2; 5]);
    });
}

#[test]
fn invalid_part_lengths_are_named() {
    suite::on_all(ranks(2, PeerOptions::default()), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let mut three = DeviceBuffer::<u8>::zeroed(&stream, 3).unwrap();
        let mut two = DeviceBuffer::<u8>::zeroed(&stream, 2).unwrap();
        let four = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
        let text = |result: cuda_nccl::Result<()>| {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error}");
            error.to_string()
        };
        assert_eq!(
            text(rank.all_gather(&stream, &two, &mut three)),
            "all_gather: `all` has 3 elements, but must have 2 times the 2 elements of `part`. Fix: pass parts of the same length, \
             or use exchange"
        );
        assert_eq!(
            text(rank.reduce_scatter(&stream, &three, &mut two, Reduction::Sum)),
            "reduce_scatter: `all` has 3 elements, but must have 2 times the 2 elements of `part`. Fix: pass parts of the same length, \
             or use exchange"
        );
        let parts = |from: usize, to: usize| {
            format!(
                "all_to_all: `from` has {from} elements and `to` {to}: both must have the same length, a multiple of 2 (one part per rank)"
            )
        };
        // Two equal lengths that are not a multiple of 2, and two different lengths.
        assert_eq!(text(rank.all_to_all(&stream, &four, &mut two)), parts(4, 2));
        let other = DeviceBuffer::<u8>::zeroed(&stream, 3).unwrap();
        assert_eq!(
            text(rank.all_to_all(&stream, &other, &mut three)),
            parts(3, 3)
        );
        for root in [2, 9] {
            let text = text(rank.broadcast(&stream, &mut two, root));
            let wanted = format!("broadcast: there is no rank {root}: the group has ranks 0 to 1");
            assert_eq!(text, wanted);
        }
        let receives = &mut [(3, two.view_mut())];
        let text = text(rank.exchange(&stream, &[], receives));
        assert_eq!(
            text,
            "exchange: there is no rank 3: the group has ranks 0 to 1"
        );
    });
}

/// Makes three calls, of which the second makes no stream wait for another rank. The third call
/// uses the same outbox as the first. It must not overwrite data that other ranks are still
/// reading.
fn an_outbox_outlasts_its_readers(between: impl Fn(&PeerRank, &Stream) + Sync) {
    // The emulator delays work that is not waited for, so rank 1 is behind.
    if !in_separate_process(&[("CUDA_EMULATOR_HOLD", "2000")]) {
        return;
    }
    let done = Barrier::new(2);
    suite::on_all(ranks(2, PeerOptions::default()), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let me = rank.rank() as u32;
        let [mut first, mut third] =
            [me + 1, 10 * (me + 1)].map(|x| DeviceBuffer::from_slice(&stream, &[x; 100]).unwrap());
        // The kernel is loaded, and all earlier work has finished.
        let mut other = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
        for _ in 0..2 {
            rank.all_reduce(&stream, &mut other, Reduction::Sum)
                .unwrap();
        }
        rank.wait(&stream).unwrap();
        done.wait();
        rank.all_reduce(&stream, &mut first, Reduction::Sum)
            .unwrap();
        between(rank, &stream);
        rank.all_reduce(&stream, &mut third, Reduction::Sum)
            .unwrap();
        if rank.rank() == 0 {
            rank.wait(&stream).unwrap();
        }
        done.wait();
        assert_eq!(first.to_vec(&stream).unwrap(), [3; 100], "rank {me}");
        assert_eq!(third.to_vec(&stream).unwrap(), [30; 100], "rank {me}");
        done.wait();
    });
}

#[test]
fn an_outbox_outlasts_its_readers_over_a_call_on_the_host() {
    an_outbox_outlasts_its_readers(|rank, stream| {
        rank.gather_on_host(stream, &[1]).unwrap();
    });
}

#[test]
fn an_outbox_outlasts_its_readers_over_a_rejected_call() {
    an_outbox_outlasts_its_readers(|rank, _| rank.report_error("on purpose"));
}

#[test]
fn a_group_may_have_sixteen_ranks() {
    let options = PeerOptions::default().scratch_bytes(1 << 16);
    suite::on_all(ranks(16, options), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let mut data = DeviceBuffer::from_slice(&stream, &[rank.rank() as u32; 3]).unwrap();
        rank.all_reduce(&stream, &mut data, Reduction::Max).unwrap();
        assert_eq!(data.to_vec(&stream).unwrap(), [15; 3]);
    });
}

#[test]
fn different_reductions_are_named() {
    suite::on_all(ranks(2, small()), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let all = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
        let mut part = DeviceBuffer::<u32>::zeroed(&stream, 2).unwrap();
        let reduction = [Reduction::Sum, Reduction::Max][rank.rank()];
        let error = rank
            .reduce_scatter(&stream, &all, &mut part, reduction)
            .unwrap_err();
        let start = "the reduction is max on rank 1 and sum on rank 0 (reduce_scatter, collective number 1, at ";
        expect_both_ends(&error, start);
    });
}
