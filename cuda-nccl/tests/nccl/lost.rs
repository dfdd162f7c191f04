//! Ranks that end, do not arrive, or make different calls. The other ranks return an error within
//! the time limit.

use std::{
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use cuda_nccl::{Communicator, CommunicatorOptions, Error, Group, Reduction, UniqueId};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::{
    failure::failure,
    pair::{Other, asked_for, devices, options, ranks, turn, turn_in_one_process, unverified},
};

const LIMIT: Duration = Duration::from_secs(3);

fn short() -> CommunicatorOptions {
    unverified(CommunicatorOptions::default().timeout(LIMIT))
}

/// Returns the error of `work`. It must be [`Error::Lost`] and come within the time limit and a
/// little more.
fn lost<R: std::fmt::Debug>(work: impl FnOnce() -> Result<R, Error>) -> String {
    let since = Instant::now();
    let result = work();
    let took = since.elapsed();
    assert!(took < LIMIT + Duration::from_secs(3), "{took:?}");
    match result {
        Err(Error::Lost(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rank_that_never_arrives_is_lost() {
    let Some(_turn) = turn() else { return };
    let context = Context::primary(0).unwrap();
    let text = lost(|| Communicator::new(&context, UniqueId::new().unwrap(), 0, 2, short()));
    assert!(
        text.contains("have not arrived within the time limit of 3s"),
        "{text}"
    );
}

#[test]
fn rank_that_never_calls_is_lost() {
    let Some(_turn) = turn() else { return };
    ranks(&short(), |rank, stream| {
        if rank.rank() == 1 {
            thread::sleep(LIMIT + Duration::from_secs(2));
            return;
        }
        let mut data = DeviceBuffer::<f32>::zeroed(stream, 1 << 20).unwrap();
        let text = lost(|| {
            rank.all_reduce(stream, &mut data, Reduction::Sum)?;
            rank.wait(stream)
        });
        assert!(text.starts_with("rank 0 of 2: "), "{text}");
        assert!(stream.query().unwrap()); // no work is left on the device
        let since = Instant::now();
        let again = rank.all_reduce(stream, &mut data, Reduction::Sum);
        assert!(matches!(again, Err(Error::Lost(_))), "{again:?}");
        assert!(since.elapsed() < Duration::from_millis(100));
    });
}

#[test]
fn rank_that_stops_calling_is_lost() {
    let Some(_turn) = turn() else { return };
    ranks(&short(), |rank, stream| {
        let mut data = DeviceBuffer::<f32>::zeroed(stream, 1 << 20).unwrap();
        rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
        rank.wait(stream).unwrap();
        if rank.rank() == 1 {
            thread::sleep(LIMIT + Duration::from_secs(2));
            return;
        }
        rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
        let text = lost(|| rank.wait(stream));
        assert!(
            text.contains("has not ended within the time limit"),
            "{text}"
        );
        assert!(stream.query().unwrap());
        data.fill(stream, 1.0).unwrap(); // stream and memory stay usable
        assert_eq!(data.to_vec(stream).unwrap()[0], 1.0);
    });
}

#[test]
fn abort_from_another_thread_ends_a_wait() {
    let Some(_turn) = turn() else { return };
    ranks(&unverified(options()), |rank, stream| {
        if rank.rank() == 1 {
            thread::sleep(Duration::from_secs(2));
            return;
        }
        let mut data = DeviceBuffer::<f32>::zeroed(stream, 4).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_secs(1));
                rank.abort();
            });
            let text = lost(|| {
                rank.all_reduce(stream, &mut data, Reduction::Sum)?;
                rank.wait(stream)
            });
            assert!(text.contains("this rank has aborted"), "{text}");
        });
    });
}

#[test]
fn different_calls_are_reported_on_all_ranks() {
    let Some(_turn) = turn() else { return };
    ranks(
        &CommunicatorOptions::default().timeout(LIMIT),
        |rank, stream| {
            let mut data = DeviceBuffer::<f32>::zeroed(stream, 4 + rank.rank()).unwrap();
            let error = rank
                .all_reduce(stream, &mut data, Reduction::Sum)
                .unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error:?}");
            let text = error.to_string();
            let expected = "the length is 5 on rank 1 and 4 on rank 0 (all_reduce, collective number 1). Fix: ";
            assert!(text.starts_with(expected), "{text}");
            // The communicator still works for matching calls.
            let mut data = DeviceBuffer::from_slice(stream, &[1u8; 9]).unwrap();
            rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
            assert_eq!(data.to_vec(stream).unwrap(), [2; 9]);
            // Another type, another root, another operation.
            let mut bytes = DeviceBuffer::<u8>::zeroed(stream, 4).unwrap();
            let error = match rank.rank() {
                0 => rank.broadcast(stream, &mut bytes, 0),
                _ => rank.broadcast(stream, &mut bytes, 1),
            };
            failure(error).begins_with("the root is 1 on rank 1 and 0 on rank 0 (broadcast, ");
            let error = match rank.rank() {
                0 => rank.broadcast(stream, &mut bytes, 0),
                _ => rank.all_reduce(stream, &mut bytes, Reduction::Sum),
            };
            let text = error.unwrap_err().to_string();
            let expected = "the call is all_reduce on rank 1 and broadcast on rank 0 (";
            assert!(text.starts_with(expected), "{text}");
            if rank.rank() == 0 {
                rank.report_error("on purpose");
            } else {
                let error = rank
                    .broadcast(stream, &mut bytes, 1)
                    .unwrap_err()
                    .to_string();
                assert_eq!(error, "rank 0 can't take part: on purpose");
            }
            // Each receive must match its send.
            let other = 1 - rank.rank();
            let mine = DeviceBuffer::<u8>::zeroed(stream, 8).unwrap();
            let len = if rank.rank() == 0 { 8 } else { 7 };
            let mut got = DeviceBuffer::<u8>::zeroed(stream, len).unwrap();
            failure(rank.exchange(
                stream,
                &[(other, mine.view())],
                &mut [(other, got.view_mut())],
            ))
            .begins_with("the length is 7 on rank 1 and 8 on rank 0 (transfer, sent by rank 0");
        },
    );
}

#[test]
fn different_sends_and_receives_are_reported_on_both_ranks() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        let (me, other) = (rank.rank(), 1 - rank.rank());
        let mine = DeviceBuffer::from_slice(stream, &[me as u8; 9]).unwrap();
        let mut got = DeviceBuffer::<u8>::zeroed(stream, 9 - me).unwrap();
        // In one process any difference ends the communicator, because the first rank has enqueued
        // its call.
        if devices() > 1 {
            return;
        }
        let text = |result: Result<(), Error>| match result {
            Err(Error::Value(text)) => text,
            other => panic!("{other:?}"),
        };
        let message = match me {
            0 => text(rank.send(stream, &mine, 1)),
            _ => text(rank.receive(stream, &mut got, 0)),
        };
        let expected = "the length is 8 on rank 1 and 9 on rank 0 (transfer, sent by rank 0";
        assert!(message.starts_with(expected), "{message}");
        // Both send first, and would wait forever.
        let message = text(rank.send(stream, &mine, other));
        assert!(
            message.starts_with(
                "the call is nothing on rank 1 and transfer on rank 0 (sent by rank 0"
            ),
            "{message}"
        );
        // In a group, together with a collective.
        let mut sum = DeviceBuffer::from_slice(stream, &[1u32]).unwrap();
        let mut got = DeviceBuffer::<u8>::zeroed(stream, 9).unwrap();
        for good in [false, true] {
            let part = mine.slice(..if good { 9 } else { 9 - me }).unwrap();
            let mut group = Group::new();
            group.send(rank, stream, &part, other).unwrap();
            group.receive(rank, stream, &mut got, other).unwrap();
            group
                .all_reduce(rank, stream, &mut sum, Reduction::Sum)
                .unwrap();
            match (good, group.run()) {
                (true, result) => result.unwrap(),
                (false, result) => {
                    let message = text(result);
                    let expected =
                        "the length is 8 on rank 1 and 9 on rank 0 (transfer, sent by rank 1";
                    assert!(message.starts_with(expected), "{message}");
                }
            }
        }
        assert_eq!(got.to_vec(stream).unwrap(), [other as u8; 9]);
        assert_eq!(sum.to_vec(stream).unwrap(), [2]);
    });
}

#[test]
fn different_lengths_in_one_process_abort_the_communicator() {
    let Some(_turn) = turn_in_one_process() else {
        return;
    };
    // Nothing is compared over NCCL, but lengths are still compared within a process.
    let errors = Mutex::new(Vec::new());
    ranks(&short(), |rank, stream| {
        let mut data = DeviceBuffer::<f32>::zeroed(stream, 1 << 20).unwrap();
        rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
        rank.wait(stream).unwrap();
        let mut data = DeviceBuffer::<f32>::zeroed(stream, 1000 + rank.rank()).unwrap();
        let result = rank.all_reduce(stream, &mut data, Reduction::Sum);
        let error = result.and_then(|()| rank.wait(stream)).unwrap_err();
        errors.lock().unwrap().push(error);
    });
    let errors = errors.into_inner().unwrap();
    assert_eq!(errors.len(), 2);
    let rejected = errors
        .iter()
        .filter(|error| matches!(error, Error::Value(_)))
        .count();
    // Both ranks, if they call at the same moment.
    assert!(rejected >= 1, "{errors:?}");
    for error in &errors {
        let text = error.to_string();
        assert!(
            text.starts_with("the length is 100")
                && text.contains("(all_reduce, collective number 2)"),
            "{text}"
        );
    }
}

/// Rank 1 is always a separate process.
#[test]
fn killed_rank_is_lost() {
    let Some(_turn) = turn() else { return };
    let requested = asked_for();
    let (number, id) = match requested {
        Some((_, id)) => (1, id),
        None => (0, UniqueId::new().unwrap()),
    };
    let mut other = requested.is_none().then(|| Other::start(0, id));
    let context = Context::primary(number % devices()).unwrap();
    let stream = Stream::new(&context).unwrap();
    let options = unverified(options()).timeout(Duration::from_secs(8));
    let rank = Communicator::new(&context, id, number as usize, 2, options).unwrap();
    let mut data = DeviceBuffer::from_slice(&stream, &[1.0f32; 1000]).unwrap();
    rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
    rank.wait(&stream).unwrap();
    assert_eq!(data.to_vec(&stream).unwrap(), [2.0; 1000]);
    let Some(other) = &mut other else {
        // SAFETY: this process is meant to end.
        unsafe { libc::raise(libc::SIGKILL) };
        unreachable!();
    };
    assert!(!other.0.wait().unwrap().success());
    let since = Instant::now();
    let result = rank
        .all_reduce(&stream, &mut data, Reduction::Sum)
        .and_then(|()| rank.wait(&stream));
    let took = since.elapsed();
    println!("after {took:?}: {}", result.as_ref().unwrap_err());
    assert!(result.is_err());
    assert!(took < Duration::from_secs(12), "{took:?}");
    let again = rank.all_reduce(&stream, &mut data, Reduction::Sum);
    assert!(matches!(again, Err(Error::Lost(_))), "{again:?}");
    drop(rank);
    assert_eq!(data.len(), 1000);
}
