//! Results of collectives for all types, lengths and alignments.

use cuda_nccl::{Collectives, Communicator, CommunicatorOptions, Reducible, Reduction};
use cuda_safe::{Context, ContextFlags, Device, DeviceBuffer, Stream, bytemuck};
use half::{bf16, f16};

use crate::{
    failure::failure,
    pair::{devices, options, ranks, turn, unverified},
    suite::suite,
};

/// The five reductions of 3 on rank 0 and 5 on rank 1, for several lengths.
fn reduces<T: Reducible + PartialEq + std::fmt::Debug>(number: impl Fn(u8) -> T + Sync) {
    ranks(&options(), |rank, stream| {
        let mine = [number(3), number(5)][rank.rank()];
        for len in [1, 2, 1000, 70_001] {
            let expected = [
                (Reduction::Sum, 8),
                (Reduction::Product, 15),
                (Reduction::Min, 3),
                (Reduction::Max, 5),
                (Reduction::Mean, 4),
            ];
            for (reduction, result) in expected {
                let mut data = DeviceBuffer::from_slice(stream, &vec![mine; len]).unwrap();
                rank.all_reduce(stream, &mut data, reduction).unwrap();
                rank.wait(stream).unwrap();
                let all = data.to_vec(stream).unwrap();
                assert_eq!(
                    all,
                    vec![number(result); len],
                    "{reduction:?} of {:?}",
                    T::TYPE
                );
            }
            let from = DeviceBuffer::from_slice(stream, &vec![mine; len]).unwrap();
            let mut to = DeviceBuffer::<T>::zeroed(stream, len).unwrap();
            rank.all_reduce_into(stream, &from, &mut to, Reduction::Sum)
                .unwrap();
            assert_eq!(to.to_vec(stream).unwrap(), vec![number(8); len]);
            assert_eq!(from.to_vec(stream).unwrap(), vec![mine; len]);

            let mut data = DeviceBuffer::from_slice(stream, &vec![mine; len]).unwrap();
            rank.reduce(stream, &mut data, Reduction::Sum, 1).unwrap();
            let result = if rank.rank() == 1 { number(8) } else { mine };
            assert_eq!(data.to_vec(stream).unwrap(), vec![result; len]);

            let all: Vec<T> = (0..2 * len)
                .map(|i| if i < len { mine } else { number(1) })
                .collect();
            let all = DeviceBuffer::from_slice(stream, &all).unwrap();
            let mut part = DeviceBuffer::<T>::zeroed(stream, len).unwrap();
            rank.reduce_scatter(stream, &all, &mut part, Reduction::Sum)
                .unwrap();
            let result = [number(8), number(2)][rank.rank()];
            assert_eq!(part.to_vec(stream).unwrap(), vec![result; len]);
        }
    });
}

#[test]
fn all_types_are_reduced() {
    let Some(_turn) = turn() else { return };
    reduces(|n| n as i8);
    reduces(|n| n);
    reduces(i32::from);
    reduces(u32::from);
    reduces(i64::from);
    reduces(u64::from);
    reduces(f16::from);
    reduces(bf16::from);
    reduces(f32::from);
    reduces(f64::from);
}

#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
#[bytemuck(crate = "cuda_safe::bytemuck")]
struct Color {
    red: u8,
    green: u8,
    blue: u8,
}

fn color(rank: usize, i: usize) -> Color {
    Color {
        red: rank as u8,
        green: i as u8,
        blue: (i >> 8) as u8,
    }
}

#[test]
fn plain_data_is_transferred() {
    let Some(_turn) = turn() else { return };
    const LEN: usize = 1001;
    ranks(&options(), |rank, stream| {
        let of = |rank: usize| -> Vec<Color> { (0..LEN).map(|i| color(rank, i)).collect() };
        let (me, other) = (rank.rank(), 1 - rank.rank());
        let both = [of(0), of(1)].concat();

        let mut data = DeviceBuffer::from_slice(stream, &of(me)).unwrap();
        rank.broadcast(stream, &mut data, 1).unwrap();
        assert_eq!(data.to_vec(stream).unwrap(), of(1));

        let part = DeviceBuffer::from_slice(stream, &of(me)).unwrap();
        let mut all = DeviceBuffer::<Color>::zeroed(stream, 2 * LEN).unwrap();
        rank.all_gather(stream, &part, &mut all).unwrap();
        assert_eq!(all.to_vec(stream).unwrap(), both);

        let mut all = DeviceBuffer::<Color>::zeroed(stream, 2 * LEN).unwrap();
        all.slice_mut(me * LEN..(me + 1) * LEN)
            .unwrap()
            .copy_from_slice(stream, &of(me))
            .unwrap();
        rank.all_gather_in_place(stream, &mut all).unwrap();
        assert_eq!(all.to_vec(stream).unwrap(), both);

        let mut all = DeviceBuffer::<Color>::zeroed(stream, 2 * LEN).unwrap();
        let place = (me == 0).then(|| all.view_mut());
        rank.gather(stream, &part, place, 0).unwrap();
        if me == 0 {
            assert_eq!(all.to_vec(stream).unwrap(), both);
        }

        let all = DeviceBuffer::from_slice(stream, &both).unwrap();
        let mut part = DeviceBuffer::<Color>::zeroed(stream, LEN).unwrap();
        rank.scatter(stream, (me == 1).then(|| all.view()), &mut part, 1)
            .unwrap();
        assert_eq!(part.to_vec(stream).unwrap(), of(me));

        // Part j of rank i is i + 10 j.
        let from = [of(me), of(me + 10)].concat();
        let from = DeviceBuffer::from_slice(stream, &from).unwrap();
        let mut to = DeviceBuffer::<Color>::zeroed(stream, 2 * LEN).unwrap();
        rank.all_to_all(stream, &from, &mut to).unwrap();
        assert_eq!(
            to.to_vec(stream).unwrap(),
            [of(10 * me), of(1 + 10 * me)].concat()
        );

        let mine = DeviceBuffer::from_slice(stream, &of(me)).unwrap();
        let mut got = DeviceBuffer::<Color>::zeroed(stream, LEN).unwrap();
        if me == 0 {
            rank.send(stream, &mine, 1).unwrap();
            rank.receive(stream, &mut got, 1).unwrap();
        } else {
            rank.receive(stream, &mut got, 0).unwrap();
            rank.send(stream, &mine, 0).unwrap();
        }
        assert_eq!(got.to_vec(stream).unwrap(), of(other));

        let mut got = DeviceBuffer::<Color>::zeroed(stream, LEN).unwrap();
        rank.exchange(
            stream,
            &[(other, mine.view())],
            &mut [(other, got.view_mut())],
        )
        .unwrap();
        assert_eq!(got.to_vec(stream).unwrap(), of(other));
        rank.exchange::<Color>(stream, &[], &mut []).unwrap();
    });
}

#[test]
fn in_place_parts_are_reduced() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        let mut all = DeviceBuffer::from_slice(stream, &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
        rank.reduce_scatter_in_place(stream, &mut all, Reduction::Sum)
            .unwrap();
        let part = rank.rank() * 2;
        let part = all.slice(part..part + 2).unwrap().to_vec(stream).unwrap();
        assert_eq!(part, [[2.0, 4.0], [6.0, 8.0]][rank.rank()]);
        let mut odd = DeviceBuffer::<f32>::zeroed(stream, 3).unwrap();
        failure(rank.all_gather_in_place(stream, &mut odd))
            .mentions("has 3 elements, but must have 2 times 1");
    });
}

#[test]
fn scaled_sums_multiply_by_the_factor() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        let mut data = DeviceBuffer::from_slice(stream, &[1.0f32, 2.0]).unwrap();
        let factor = [0.25, 0.75][rank.rank()];
        rank.all_reduce_scaled(stream, &mut data, factor).unwrap();
        assert_eq!(data.to_vec(stream).unwrap(), [1.0, 2.0]);
        let mut data = DeviceBuffer::from_slice(stream, &[f16::from(3u8)]).unwrap();
        rank.all_reduce_scaled(stream, &mut data, f16::from(2u8))
            .unwrap();
        assert_eq!(data.to_vec(stream).unwrap(), [f16::from(12u8)]);
    });
}

#[test]
fn memory_of_other_streams_is_ordered() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        let other = Stream::new(rank.context()).unwrap();
        for round in 0..50 {
            let mut data = DeviceBuffer::<u64>::zeroed(&other, 1 << 20).unwrap();
            data.fill(&other, round).unwrap(); // on the other stream, before
            rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
            let sum = data.to_vec(&other).unwrap(); // after
            assert!(sum.iter().all(|value| *value == 2 * round));
        } // freed on the other stream, after
        rank.wait(stream).unwrap();
    });
}

/// Uses only the trait.
fn mean<C: Collectives>(rank: &C, stream: &Stream) -> f64 {
    let mut data = DeviceBuffer::from_slice(stream, &[rank.rank() as f64]).unwrap();
    rank.all_reduce(stream, &mut data, Reduction::Mean).unwrap();
    rank.wait(stream).unwrap();
    data.to_vec(stream).unwrap()[0]
}

#[test]
fn trait_methods_give_the_same_results() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        assert_eq!(mean(rank, stream), 0.5);
    });
}

/// The tests that also run with copies between devices, see `tests/peers`.
#[test]
fn suite_of_all_back_ends() {
    let Some(_turn) = turn() else { return };
    for options in [options(), unverified(options())] {
        ranks(&options, |rank, _| suite(vec![rank.clone()]));
    }
}

#[test]
fn suite_with_for_devices() {
    let Some(_turn) = turn() else { return };
    for options in [options(), unverified(options())] {
        let contexts = (0..devices().min(2)).map(|device| Context::primary(device).unwrap());
        let contexts: Vec<_> = contexts.collect();
        suite(Communicator::for_devices(&contexts, options).unwrap());
        suite(Communicator::for_devices(&contexts[..1], options_of_one()).unwrap());
    }
}

fn options_of_one() -> CommunicatorOptions {
    options().name(Some("alone".into()))
}

#[test]
fn invalid_arguments_are_rejected() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        let mut data = DeviceBuffer::<f32>::zeroed(stream, 4).unwrap();
        failure(rank.broadcast(stream, &mut data, 2)).mentions("there is no rank 2");
        let device = Device::get((rank.rank() as u32 + 1) % devices()).unwrap();
        let context = Context::create(device, ContextFlags::default()).unwrap();
        let elsewhere = Stream::new(&context).unwrap();
        failure(rank.all_reduce(&elsewhere, &mut data, Reduction::Sum))
            .mentions("belongs to a different context than rank");
        let mut theirs = DeviceBuffer::<f32>::zeroed(&elsewhere, 4).unwrap();
        assert!(
            rank.all_reduce(stream, &mut theirs, Reduction::Sum)
                .is_err()
        );
        failure(rank.gather(stream, &data, None, rank.rank()))
            .mentions("passes no buffer for all parts");
    });
}
