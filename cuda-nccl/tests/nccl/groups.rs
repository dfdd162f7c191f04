//! Groups, one thread for two devices, and communicators derived from others.

use cuda_nccl::{Communicator, Group, Reduction};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::{
    failure::failure,
    pair::{options, ranks, turn, turn_in_one_process},
};

#[test]
fn one_thread_uses_two_devices() {
    let Some(_turn) = turn_in_one_process() else {
        return;
    };
    let contexts = [0, 1].map(|device| Context::primary(device).unwrap());
    let pair = Communicator::for_devices(&contexts, options()).unwrap();
    let streams = [0, 1].map(|rank: usize| Stream::new(&contexts[rank]).unwrap());
    let mut data: Vec<_> = (0..2)
        .map(|rank| DeviceBuffer::from_slice(&streams[rank], &[rank as i32 + 1; 3]).unwrap())
        .collect();
    for round in 0..3 {
        let mut group = Group::new();
        for ((rank, stream), data) in pair.iter().zip(&streams).zip(&mut data) {
            group
                .all_reduce(rank, stream, data, Reduction::Sum)
                .unwrap();
        }
        group.run().unwrap();
        for ((rank, stream), data) in pair.iter().zip(&streams).zip(&data) {
            rank.wait(stream).unwrap();
            assert_eq!(data.to_vec(stream).unwrap(), [3 << round; 3]);
        }
    }
    for rank in pair {
        drop(rank);
    }
}

#[test]
fn group_sends_both_ways_and_reduces() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        let (me, other) = (rank.rank(), 1 - rank.rank());
        let mine = DeviceBuffer::from_slice(stream, &[me as f32; 5]).unwrap();
        let mut got = DeviceBuffer::<f32>::zeroed(stream, 5).unwrap();
        let mut sum = DeviceBuffer::from_slice(stream, &[me as u64 + 1]).unwrap();
        let mut root = DeviceBuffer::from_slice(stream, &[me as i8; 3]).unwrap();
        let mut group = Group::new();
        group.send(rank, stream, &mine, other).unwrap();
        group.receive(rank, stream, &mut got, other).unwrap();
        group.run().unwrap();
        let mut group = Group::new();
        group
            .all_reduce(rank, stream, &mut sum, Reduction::Sum)
            .unwrap();
        group.broadcast(rank, stream, &mut root, 1).unwrap();
        group.run().unwrap();
        rank.wait(stream).unwrap();
        assert_eq!(got.to_vec(stream).unwrap(), [other as f32; 5]);
        assert_eq!(sum.to_vec(stream).unwrap(), [3]);
        assert_eq!(root.to_vec(stream).unwrap(), [1; 3]);
        Group::new().run().unwrap();
    });
}

#[test]
fn split_divides_ranks() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        // All ranks in one group, in reverse order.
        let turned = rank.split(Some(7), -(rank.rank() as i32)).unwrap().unwrap();
        assert_eq!((turned.rank(), turned.size()), (1 - rank.rank(), 2));
        let mut data = DeviceBuffer::from_slice(stream, &[turned.rank() as u32]).unwrap();
        turned.broadcast(stream, &mut data, 0).unwrap();
        turned.wait(stream).unwrap();
        assert_eq!(data.to_vec(stream).unwrap(), [0]);
        turned.finalize().unwrap();
        // One rank in a group of its own color, the other without a color.
        let alone = rank.split((rank.rank() == 1).then_some(0), 0).unwrap();
        assert_eq!(
            alone.map(|alone| (alone.rank(), alone.size())),
            (rank.rank() == 1).then_some((0, 1))
        );
        // The old communicator still works.
        rank.all_reduce(stream, &mut data, Reduction::Max).unwrap();
        rank.wait(stream).unwrap();
    });
}

#[test]
fn shrink_excludes_a_rank() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        assert!(rank.shrink(&[rank.rank()]).is_err());
        if rank.rank() == 0 {
            return; // ends without the other waiting for it
        }
        let alone = rank.shrink(&[0]).unwrap();
        assert_eq!((alone.rank(), alone.size()), (0, 1));
        let mut data = DeviceBuffer::from_slice(stream, &[5.0f64]).unwrap();
        alone.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
        alone.wait(stream).unwrap();
        assert_eq!(data.to_vec(stream).unwrap(), [5.0]);
    });
}

#[test]
fn communicators_end_together() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        let mut data = DeviceBuffer::from_slice(stream, &[1i64]).unwrap();
        rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
        rank.clone().finalize().unwrap();
        assert_eq!(data.to_vec(stream).unwrap(), [2]); // the work had finished before
        failure(rank.all_reduce(stream, &mut data, Reduction::Sum)).mentions("has been finalized");
    });
}
