//! Differences between ranks are errors on all of them, and name the rank and both values.

use cuda_compute::{Array, Border, ConvolutionOptions, Extent, Filter, Kind, Random};
use cuda_nccl::{
    Collectives, Error, PeerRank, Reduction,
    spread::{Reductions, Sharded, StripConvolution},
};
use cuda_safe::{DeviceBuffer, Stream};

use crate::{failure::failure, ranks, suite};

/// Runs three ranks, of which rank 1 does something different.
fn assert_rejected<R>(
    text: &str,
    work: impl Fn(&PeerRank, &Stream, bool) -> cuda_nccl::Result<R> + Sync,
) {
    suite::on_all(ranks(3), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let Err(error) = work(rank, &stream, rank.rank() == 1) else {
            panic!("rank {}: no error of {text:?}", rank.rank())
        };
        assert!(matches!(error, Error::Value(_)), "{error}");
        assert!(error.to_string().starts_with(text), "{error}");
        // The group stays usable.
        let sum = Sharded::from_fn(rank, &stream, 6, |i| i as u32)
            .unwrap()
            .sum();
        assert_eq!(sum.unwrap(), 15);
    });
}

#[test]
fn different_images_and_filters_are_rejected() {
    fn strips(
        rank: &PeerRank,
        (width, height): (usize, usize),
        side: usize,
        border: Border,
        weight: f32,
    ) -> cuda_nccl::Result<()> {
        let filter = Filter::new(side, side, &vec![weight; side * side])?;
        let options = ConvolutionOptions::default().border(border);
        StripConvolution::new(rank, &filter, options, width, height).map(drop)
    }
    let zero = Border::Zero;
    assert_rejected(
        "the image's height is 12 on rank 1 and 9 on ranks 0, 2",
        |rank, _, other| strips(rank, (8, if other { 12 } else { 9 }), 3, zero, 1.0),
    );
    assert_rejected(
        "the image's width is 4 on rank 1 and 8 on ranks 0, 2",
        |rank, _, other| strips(rank, (if other { 4 } else { 8 }, 9), 3, zero, 1.0),
    );
    assert_rejected(
        "the filter's width is 5 on rank 1 and 3 on ranks 0, 2",
        |rank, _, other| strips(rank, (8, 9), if other { 5 } else { 3 }, zero, 1.0),
    );
    assert_rejected(
        "the border is Clamp on rank 1 and Zero on ranks 0, 2",
        |rank, _, other| {
            let border = if other { Border::Clamp } else { zero };
            strips(rank, (8, 9), 3, border, 1.0)
        },
    );
    assert_rejected(
        "the kind is correlation on rank 1 and convolution on ranks 0, 2",
        |rank, _, other| {
            let kind = match other {
                true => Kind::Correlation,
                false => Kind::Convolution,
            };
            let filter = Filter::new(3, 3, &[1.0; 9])?;
            let options = ConvolutionOptions::default().kind(kind);
            StripConvolution::new(rank, &filter, options, 8, 9).map(drop)
        },
    );
    let with = |rank: &PeerRank, options| {
        let filter = Filter::new(3, 3, &[1.0; 9])?;
        StripConvolution::new(rank, &filter, options, 8, 9).map(drop)
    };
    assert_rejected(
        "the extent is Valid on rank 1 and Same on ranks 0, 2",
        |rank, _, other| {
            let extent = if other { Extent::Valid } else { Extent::Same };
            with(rank, ConvolutionOptions::default().extent(extent))
        },
    );
    assert_rejected(
        "separate is 0 on rank 1 and 1 on ranks 0, 2",
        |rank, _, other| with(rank, ConvolutionOptions::default().separate(!other)),
    );
    assert_rejected("the hash of the filter's weights is ", |rank, _, other| {
        strips(rank, (8, 9), 3, zero, if other { 2.0 } else { 1.0 })
    });
}

#[test]
fn different_shapes_types_and_seeds_are_rejected() {
    assert_rejected(
        "the length of axis 0 is 9 on rank 1 and 6 on ranks 0, 2",
        |rank, stream, other| {
            let rows = if other { 9 } else { 6 };
            Sharded::from_fn(rank, stream, [rows, 3], |i| i as f32).map(drop)
        },
    );
    assert_rejected(
        "the number of axes is 2 on rank 1 and 1 on ranks 0, 2",
        |rank, stream, other| {
            let shape = if other { vec![6, 1] } else { vec![6] };
            Sharded::from_slice(rank, stream, shape, &[1u8; 6]).map(drop)
        },
    );
    assert_rejected(
        "the element type is u32 on rank 1 and f32 on ranks 0, 2",
        |rank, stream, other| match other {
            true => Sharded::from_fn(rank, stream, 6, |_| 1u32).map(drop),
            false => Sharded::from_fn(rank, stream, 6, |_| 1f32).map(drop),
        },
    );
    assert_rejected(
        "the length of axis 1 is 2 on rank 1 and 3 on ranks 0, 2",
        |rank, stream, other| {
            let part = Array::<f32>::zeros(stream, [2, if other { 2 } else { 3 }])?;
            Sharded::from_part(rank, 6, part).map(drop)
        },
    );
    assert_rejected(
        "the root is 0 on rank 1 and 2 on ranks 0, 2",
        |rank, stream, other| {
            let root = if other { 0 } else { 2 };
            Sharded::scatter(rank, stream, 6, root, &[1u8; 6]).map(drop)
        },
    );
    assert_rejected(
        "the seed is 8 on rank 1 and 7 on ranks 0, 2",
        |rank, stream, other| {
            let mut random = Random::new(if other { 8 } else { 7 });
            Sharded::<_, f32>::uniform(rank, stream, &mut random, 6).map(drop)
        },
    );
    assert_rejected(
        "the position is 1 on rank 1 and 0 on ranks 0, 2",
        |rank, stream, other| {
            let mut random = Random::new(7);
            random.skip(u64::from(other));
            Sharded::<_, f32>::normal(rank, stream, &mut random, 6).map(drop)
        },
    );
    assert_rejected(
        "the distribution is exponential on rank 1 and uniform on ranks 0, 2",
        |rank, stream, other| {
            let mut random = Random::new(7);
            match other {
                true => Sharded::<_, f32>::exponential(rank, stream, &mut random, 6).map(drop),
                false => Sharded::<_, f32>::uniform(rank, stream, &mut random, 6).map(drop),
            }
        },
    );
    assert_rejected(
        "root 7 is not a rank of the group, which has ranks 0 to 2",
        |rank, stream, _| Sharded::scatter(rank, stream, 6, 7, &[1u8; 6]).map(drop),
    );
    // An error on one rank only.
    suite::on_all(ranks(3), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let len = if rank.rank() == 1 { 5 } else { 6 };
        failure(Sharded::from_slice(rank, &stream, 6, &vec![1u8; len])).begins_with(
            match rank.rank() {
                1 => "the slice has 5 elements, but an array",
                _ => "rank 1 can't take part: the slice has 5 elements, but an array",
            },
        );
    });
}

#[test]
fn different_roots_and_methods_are_rejected() {
    fn numbers<'a>(
        rank: &'a PeerRank,
        stream: &Stream,
    ) -> cuda_nccl::Result<Sharded<'a, PeerRank, u32>> {
        Sharded::from_fn(rank, stream, 6, |i| i as u32)
    }
    assert_rejected(
        "the root is 1 on rank 1 and 0 on ranks 0, 2",
        |rank, stream, other| {
            let root = if other { 1 } else { 0 };
            numbers(rank, stream)?.gather(root)
        },
    );
    assert_rejected(
        "the root is 3 on rank 1 and 2 on ranks 0, 2",
        |rank, stream, other| {
            let root = if other { 3 } else { 2 };
            numbers(rank, stream)?.gather(root)
        },
    );
    assert_rejected(
        "root 3 is not a rank of the group, which has ranks 0 to 2",
        |rank, stream, _| numbers(rank, stream)?.gather(3),
    );
    assert_rejected(
        "the method is to_vec on rank 1 and gather on ranks 0, 2",
        |rank, stream, other| {
            let x = numbers(rank, stream)?;
            match other {
                true => x.to_vec().map(Some),
                false => x.gather(0),
            }
        },
    );
    assert_rejected(
        "the length of axis 0 is 7 on rank 1 and 6 on ranks 0, 2",
        |rank, stream, other| {
            let more = Sharded::from_fn(rank, stream, 7, |i| i as u32)?;
            let x = numbers(rank, stream)?;
            match other {
                true => more.to_vec(),
                false => x.to_vec(),
            }
        },
    );
}

#[test]
fn different_results_are_rejected() {
    assert_rejected(
        "the length of axis 0 is 2 on rank 1 and 3 on ranks 0, 2",
        |rank, stream, other| {
            let x = Sharded::from_fn(rank, stream, [6, 3, 2], |i| i as u32)?;
            x.reduce(Reduction::Sum, |x| match other {
                true => x.sum_axis(0).sum_axis(0),
                false => x.sum_axis(0).sum_axis(1),
            })
        },
    );
    assert_rejected(
        "the reduction is min on rank 1 and max on ranks 0, 2",
        |rank, stream, other| {
            let x = Sharded::from_fn(rank, stream, 6, |i| i as u32)?;
            let reduction = if other {
                Reduction::Min
            } else {
                Reduction::Max
            };
            x.reduce(reduction, |x| x.sum())
        },
    );
}

#[test]
fn different_reductions_and_types_are_rejected() {
    assert_rejected(
        "the reduction is min on rank 1 and max on ranks 0, 2",
        |rank, stream, other| {
            let data = DeviceBuffer::from_slice(stream, &[1.0f32, 2.0])?;
            let reductions = Reductions::new(rank)?;
            match other {
                true => reductions.min(stream, &data),
                false => reductions.max(stream, &data),
            }
        },
    );
    assert_rejected(
        "the element type is i32 on rank 1 and f32 on ranks 0, 2",
        |rank, stream, other| {
            let reductions = Reductions::new(rank)?;
            let floats = DeviceBuffer::from_slice(stream, &[1.0f32])?;
            let integers = DeviceBuffer::from_slice(stream, &[1i32])?;
            match other {
                true => reductions.sum(stream, &integers).map(drop),
                false => reductions.sum(stream, &floats).map(drop),
            }
        },
    );
}

#[test]
fn each_bit_of_each_weight_counts() {
    suite::on_all(ranks(2), |rank| {
        for place in 0..3 {
            for bit in 0..32 {
                let mut weights = [0.1f32, 0.7, 0.3];
                if rank.rank() == 1 {
                    weights[place] = f32::from_bits(weights[place].to_bits() ^ 1 << bit);
                }
                let filter = Filter::new(1, 3, &weights).unwrap();
                let options = ConvolutionOptions::default();
                let error = StripConvolution::new(rank, &filter, options, 8, 9).unwrap_err();
                let text = "the hash of the filter's weights is ";
                assert!(
                    error.to_string().starts_with(text),
                    "{place}, {bit}: {error}"
                );
            }
        }
    });
}
