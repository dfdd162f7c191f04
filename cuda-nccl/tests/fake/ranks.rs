//! The NCCL calls that collectives make, and arguments that they reject.

use std::{sync::Barrier, thread};

use cuda_nccl::{Collectives, Communicator, Error, Group, Reduction, UniqueId};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::library::{Fake, LIMIT, add_sum, options, start, verified};

#[test]
fn each_collective_makes_one_call() {
    let (fake, rank, stream) = start(2);
    let mut a = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    let mut b = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    let mut half = DeviceBuffer::<f32>::zeroed(&stream, 2).unwrap();
    fake.calls();
    rank.all_reduce(&stream, &mut a, Reduction::Sum).unwrap();
    rank.all_reduce_into(&stream, &a, &mut b, Reduction::Sum)
        .unwrap();
    rank.reduce(&stream, &mut a, Reduction::Sum, 1).unwrap();
    rank.broadcast(&stream, &mut a, 1).unwrap();
    rank.all_gather(&stream, &half, &mut a).unwrap();
    rank.all_gather_in_place(&stream, &mut a).unwrap();
    rank.reduce_scatter(&stream, &a, &mut half, Reduction::Sum)
        .unwrap();
    rank.reduce_scatter_in_place(&stream, &mut a, Reduction::Sum)
        .unwrap();
    rank.all_to_all(&stream, &a, &mut b).unwrap();
    rank.send(&stream, &a, 1).unwrap();
    rank.receive(&stream, &mut a, 1).unwrap();
    let expected = [
        "AllReduce",
        "AllReduce",
        "Reduce",
        "Broadcast",
        "AllGather",
        "AllGather",
        "ReduceScatter",
        "ReduceScatter",
        "AlltoAll",
        "Send",
        "Recv",
    ];
    assert_eq!(fake.calls(), expected);
    // This library lacks both functions, so they consist of sends and receives.
    rank.gather(&stream, &half, Some(a.view_mut()), 0).unwrap();
    fake.assert_calls(&["GroupStart", "Send", "Recv", "Recv", "GroupEnd"]);
    rank.scatter(&stream, None, &mut half, 1).unwrap();
    fake.assert_calls(&["GroupStart", "Recv", "GroupEnd"]);
    rank.all_reduce_scaled(&stream, &mut a, 0.5).unwrap();
    fake.assert_calls(&["RedOpCreate", "AllReduce", "RedOpDestroy"]);
    // Empty buffers cause no call.
    let mut none = DeviceBuffer::<f32>::zeroed(&stream, 0).unwrap();
    rank.all_reduce(&stream, &mut none, Reduction::Sum).unwrap();
    rank.exchange::<f32>(&stream, &[], &mut []).unwrap();
    assert!(fake.calls().is_empty());
    drop(rank);
}

#[test]
fn group_is_one_call_and_ends_even_if_a_part_fails() {
    let (fake, rank, stream) = start(2);
    let other = Stream::new(rank.context()).unwrap();
    let mut a = DeviceBuffer::<f32>::zeroed(&other, 4).unwrap();
    let mut b = DeviceBuffer::<u8>::zeroed(&stream, 4).unwrap();
    for result in [0, 5] {
        fake.calls();
        fake.set("result", result);
        let mut group = Group::new();
        add_sum(&mut group, &rank, &stream, &mut a);
        group.broadcast(&rank, &other, &mut b, 0).unwrap();
        assert!(fake.calls().is_empty());
        assert_eq!(group.run().is_ok(), result == 0);
        fake.assert_calls(&["GroupStart", "AllReduce", "Broadcast", "GroupEnd"]);
    }
    // A dropped group makes no calls.
    let mut group = Group::new();
    group.send(&rank, &stream, &a, 1).unwrap();
    drop(group);
    assert!(fake.calls().is_empty());
}

#[test]
fn invalid_arguments_are_rejected() {
    let (fake, rank, stream) = start(3);
    let mut five = DeviceBuffer::<f32>::zeroed(&stream, 5).unwrap();
    let mut six = DeviceBuffer::<f32>::zeroed(&stream, 6).unwrap();
    fake.calls();
    let value = |result: Result<(), Error>, part: &str| match result {
        Err(Error::Value(text)) => assert!(text.contains(part), "{text}"),
        other => panic!("{other:?}"),
    };
    value(
        rank.broadcast(&stream, &mut five, 3),
        "rank 0 of 3: there is no rank 3: the group has ranks 0 to 2",
    );
    value(
        rank.all_reduce_into(&stream, &five, &mut six, Reduction::Sum),
        "`from` has 5 elements and `to` 6",
    );
    value(
        rank.all_gather(&stream, &five, &mut six),
        "has 6 elements, but must have 3 times 5",
    );
    value(
        rank.all_gather_in_place(&stream, &mut five),
        "has 5 elements, but must have 3 times 1",
    );
    value(
        rank.all_to_all(&stream, &five, &mut six),
        "has 5 elements, but must have 3 times 1",
    );
    value(
        rank.gather(&stream, &five, None, 0),
        "passes no buffer for all parts",
    );
    value(
        rank.scatter(&stream, Some(six.view()), &mut five, 1),
        "passes a buffer for all parts",
    );
    value(rank.send(&stream, &five, 7), "no rank 7");
    let elsewhere =
        Context::create(rank.context().device(), cuda_safe::ContextFlags::default()).unwrap();
    let far = Stream::new(&elsewhere).unwrap();
    value(
        rank.all_reduce(&far, &mut five, Reduction::Sum),
        "another context",
    );
    value(rank.wait(&far), "another context");
    let mut theirs = DeviceBuffer::<f32>::zeroed(&far, 5).unwrap();
    value(
        rank.all_reduce(&stream, &mut theirs, Reduction::Sum),
        "another context",
    );
    assert!(fake.calls().is_empty());
}

fn through_the_trait<C: Collectives>(rank: &C, stream: &Stream) {
    let mut data = DeviceBuffer::<f32>::zeroed(stream, 4).unwrap();
    let mut all = DeviceBuffer::<f32>::zeroed(stream, 4 * rank.size()).unwrap();
    rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
    rank.broadcast(stream, &mut data, rank.rank()).unwrap();
    rank.all_gather(stream, &data, &mut all).unwrap();
    rank.reduce_scatter(stream, &all, &mut data, Reduction::Max)
        .unwrap();
    let mut parts = DeviceBuffer::<f32>::zeroed(stream, all.len()).unwrap();
    rank.all_to_all(stream, &all, &mut parts).unwrap();
    rank.exchange(stream, &[(1, data.view())], &mut [(1, all.view_mut())])
        .unwrap();
    rank.wait(stream).unwrap();
    assert_eq!(rank.context(), stream.context());
}

#[test]
fn trait_methods_make_the_same_calls() {
    let (fake, rank, stream) = start(2);
    fake.calls();
    through_the_trait(&rank, &stream);
    let expected = [
        "AllReduce",
        "Broadcast",
        "AllGather",
        "ReduceScatter",
        "AlltoAll",
        "GroupStart",
        "Send",
        "Recv",
        "GroupEnd",
    ];
    assert_eq!(fake.calls(), expected);
}

#[test]
fn one_of_two_differing_threads_enqueues_nothing() {
    let _fake = Fake::new();
    for calls in (0..300).step_by(7) {
        let id = UniqueId::new().unwrap();
        // Like NCCL, no rank continues before all have arrived.
        let together = &Barrier::new(2);
        let results = thread::scope(|scope| {
            let work = move |number: usize| {
                let context = Context::primary(0).unwrap();
                let rank = Communicator::new(&context, id, number, 2, options()).unwrap();
                let stream = Stream::new(&context).unwrap();
                let mut data = DeviceBuffer::<f32>::zeroed(&stream, 4 + number).unwrap();
                let mut same = data.slice_mut(..4).unwrap();
                together.wait();
                for _ in 0..calls {
                    rank.all_reduce(&stream, &mut same, Reduction::Sum).unwrap();
                }
                let result = rank.all_reduce(&stream, &mut data, Reduction::Sum);
                together.wait();
                result
            };
            let other = scope.spawn(move || work(1));
            [work(0), other.join().unwrap()]
        });
        let rejected = |result: &Result<(), Error>| match result {
            Ok(()) | Err(Error::Lost(_)) => false,
            Err(Error::Value(text)) => {
                text.contains(&format!(", collective number {})", calls + 1))
            }
            Err(error) => panic!("{error}"),
        };
        assert!(results.iter().any(rejected), "{calls}: {results:?}");
    }
}

#[test]
fn groups_support_every_call() {
    let (fake, rank, stream) = start(2);
    assert_eq!(rank.timeout(), LIMIT);
    let part = DeviceBuffer::from_slice(&stream, &[1u8]).unwrap();
    let [mut a, mut b, mut c] =
        [2, 2, 1].map(|len| DeviceBuffer::<u8>::zeroed(&stream, len).unwrap());
    let all = DeviceBuffer::from_slice(&stream, &[1u8, 2]).unwrap();
    let sends = [(1, part.view())];
    let mut d = DeviceBuffer::<u8>::zeroed(&stream, 1).unwrap();
    let mut receives = [(1, d.view_mut())];
    fake.calls();
    let mut group = Group::new();
    group
        .reduce(&rank, &stream, &mut a, Reduction::Sum, 0)
        .unwrap();
    group.all_gather(&rank, &stream, &part, &mut b).unwrap();
    group
        .reduce_scatter(&rank, &stream, &all, &mut c, Reduction::Sum)
        .unwrap();
    group
        .exchange(&rank, &stream, &sends, &mut receives)
        .unwrap();
    group.run().unwrap();
    fake.assert_calls(&[
        "GroupStart",
        "Reduce",
        "AllGather",
        "ReduceScatter",
        "Send",
        "Recv",
        "GroupEnd",
    ]);
    drop(rank);
}

#[test]
fn verifies_returns_whether_calls_are_compared() {
    assert!(verified().verifies());
    assert!(!options().verifies());
}
