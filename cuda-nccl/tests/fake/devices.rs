//! One thread that uses several devices of the emulator. A separate process, because the number of
//! devices is read only once.

use std::{env, process::Command};

use cuda_nccl::{Communicator, Error, Group, Reduction};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::{
    failure::failure,
    library::{Fake, options},
};

#[test]
fn several_devices() {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--test-threads=1", "one_thread"])
        .env("CUDA_EMULATOR_DEVICES", "3")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("3 passed"),
        "{text}"
    );
}

fn three() -> (Vec<Communicator>, Vec<Stream>) {
    three_with(false)
}

fn three_with(verify: bool) -> (Vec<Communicator>, Vec<Stream>) {
    let contexts: Vec<_> = (0..3)
        .map(|device| Context::primary(device).unwrap())
        .collect();
    let options = match verify {
        true => crate::library::verified(),
        false => options(),
    };
    let ranks = Communicator::for_devices(&contexts, options).unwrap();
    let streams = contexts
        .iter()
        .map(|context| Stream::new(context).unwrap())
        .collect();
    (ranks, streams)
}

#[test]
#[ignore = "a part of `several_devices`"]
fn one_thread_uses_groups() {
    let fake = Fake::new();
    fake.set("polls", 2);
    let (ranks, streams) = three();
    let expected = "GetUniqueId GroupStart InitRankConfig InitRankConfig InitRankConfig GroupEnd GroupStart Split Split Split GroupEnd";
    assert_eq!(fake.calls().join(" "), expected);
    fake.set("polls", 0);
    let numbers: Vec<_> = ranks
        .iter()
        .map(|rank| (rank.rank(), rank.size(), rank.context().device().ordinal()))
        .collect();
    assert_eq!(numbers, [(0, 3, 0), (1, 3, 1), (2, 3, 2)]);
    let mut data: Vec<_> = streams
        .iter()
        .map(|stream| DeviceBuffer::<f32>::zeroed(stream, 4).unwrap())
        .collect();
    let mut group = Group::new();
    for ((rank, stream), data) in ranks.iter().zip(&streams).zip(&mut data) {
        group
            .all_reduce(rank, stream, data, Reduction::Sum)
            .unwrap();
    }
    group.run().unwrap();
    assert_eq!(
        fake.calls().join(" "),
        "GroupStart AllReduce AllReduce AllReduce GroupEnd"
    );
    // A failure ends all communicators of the group.
    fake.set("result", 3);
    let mut group = Group::new();
    for ((rank, stream), data) in ranks.iter().zip(&streams).zip(&mut data) {
        group.broadcast(rank, stream, data, 0).unwrap();
    }
    assert!(matches!(group.run(), Err(Error::Nccl { .. })));
    assert_eq!(
        fake.calls()[..5],
        [
            "GroupStart",
            "Broadcast",
            "Broadcast",
            "Broadcast",
            "GroupEnd"
        ]
    );
    for ((rank, stream), data) in ranks.iter().zip(&streams).zip(&mut data) {
        let again = rank.broadcast(stream, data, 0);
        assert!(matches!(again, Err(Error::Lost(_))), "{again:?}");
    }
    drop(ranks);
}

#[test]
#[ignore = "a part of `several_devices`"]
fn ranks_of_one_thread_compare_their_calls() {
    let fake = Fake::new();
    let (ranks, streams) = three_with(true);
    let mut data: Vec<_> = streams
        .iter()
        .map(|stream| DeviceBuffer::<f32>::zeroed(stream, 4).unwrap())
        .collect();
    for differs in [0, 9] {
        fake.calls();
        fake.set("differs", differs);
        let mut group = Group::new();
        for ((rank, stream), data) in ranks.iter().zip(&streams).zip(&mut data) {
            group
                .all_reduce(rank, stream, data, Reduction::Sum)
                .unwrap();
        }
        let result = group.run();
        let calls = fake.calls().join(" ");
        let compared = "GroupStart AllGather AllGather AllGather GroupEnd";
        match differs {
            0 => assert_eq!(
                calls,
                format!("{compared} GroupStart AllReduce AllReduce AllReduce GroupEnd")
            ),
            _ => assert_eq!(calls, compared),
        }
        assert_eq!(result.is_ok(), differs == 0);
    }
    drop(ranks);
}

#[test]
#[ignore = "a part of `several_devices`"]
fn different_lengths_of_one_thread_are_rejected() {
    let fake = Fake::new();
    let (ranks, streams) = three();
    let mut data: Vec<_> = (4..7)
        .map(|len| DeviceBuffer::<f32>::zeroed(&streams[len - 4], len).unwrap())
        .collect();
    fake.calls();
    let mut group = Group::new();
    for ((rank, stream), data) in ranks.iter().zip(&streams).zip(&mut data) {
        group
            .all_reduce(rank, stream, data, Reduction::Sum)
            .unwrap();
    }
    let error = group.run().unwrap_err();
    let text = "the length is 5 on rank 1 and 4 on rank 0 (all_reduce, collective number 1). Fix: make the same call with the same \
                arguments on all ranks. The communicator was aborted";
    assert!(
        matches!(&error, Error::Value(_)) && error.to_string() == text,
        "{error}"
    );
    assert!(!fake.calls().contains(&"AllReduce".to_owned()));
    for ((rank, stream), data) in ranks.iter().zip(&streams).zip(&mut data) {
        let again = rank.all_reduce(stream, data, Reduction::Sum).unwrap_err();
        assert!(
            matches!(&again, Error::Lost(_)) && again.to_string() == text,
            "{again}"
        );
    }
    drop(ranks);
    // A send to a rank of this process must match the receive, byte for byte.
    let (ranks, streams) = three();
    let a = DeviceBuffer::<u8>::zeroed(&streams[0], 8).unwrap();
    let mut b = DeviceBuffer::<u8>::zeroed(&streams[1], 7).unwrap();
    let mut group = Group::new();
    group.send(&ranks[0], &streams[0], &a, 1).unwrap();
    group.receive(&ranks[1], &streams[1], &mut b, 0).unwrap();
    failure(group.run())
        .begins_with("the length is 7 on rank 1 and 8 on rank 0 (transfer, sent by rank 0");
    drop(ranks);
}
