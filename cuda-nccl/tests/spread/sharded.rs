//! Sharded arrays, compared with arrays on one device.

use cuda_compute::{Array, Random, s};
use cuda_nccl::{Collectives, Error, PeerRank, Reduction, spread::Sharded};
use cuda_safe::{Context, Stream};

use crate::{SIZES, failure::failure, ranks, suite};

/// Runs `work` for each number of ranks, with a stream of the rank.
fn on_all(work: impl Fn(&PeerRank, &Stream) + Sync) {
    for size in SIZES {
        suite::on_all(ranks(size), |rank| {
            let stream = Stream::new(rank.context()).unwrap();
            work(rank, &stream);
        });
    }
}

fn value(i: usize) -> f32 {
    ((i * 37) % 101) as f32 - 50.0
}

#[test]
fn elements_round_trip() {
    let host: Vec<f32> = (0..7 * 6).map(value).collect();
    on_all(|rank, stream| {
        let x = Sharded::from_fn(rank, stream, [7, 2, 3], value).unwrap();
        assert_eq!(x.shape().unwrap(), [7, 2, 3]);
        let own = x.own_rows();
        assert_eq!(x.part().to_vec().unwrap(), host[own.start * 6..own.end * 6]);
        assert_eq!(x.to_vec().unwrap(), host);
        let last = rank.size() - 1;
        let gathered = x.gather(last).unwrap();
        assert_eq!(gathered, (rank.rank() == last).then(|| host.clone()));
        let y = Sharded::from_slice(rank, stream, [7, 2, 3], &host).unwrap();
        assert_eq!(y.to_vec().unwrap(), host);
        let here: &[f32] = if rank.rank() == last { &host } else { &[] };
        let z = Sharded::scatter(rank, stream, [42], last, here).unwrap();
        assert_eq!(z.to_vec().unwrap(), host);
        // A part that is not contiguous.
        let part = Array::from_shape(stream, [3, own.len()], &vec![1.0f32; 3 * own.len()]);
        let turned = Sharded::from_part(rank, 7, part.unwrap().t()).unwrap();
        assert_eq!(turned.to_vec().unwrap(), [1.0; 21]);
    });
}

#[test]
fn mistakes_are_errors_on_all_ranks() {
    on_all(|rank, stream| {
        let is_value = |error: Error| assert!(matches!(error, Error::Value(_)), "{error}");
        is_value(Sharded::scatter(rank, stream, [5], 0, &[1u8; 4]).unwrap_err());
        is_value(Sharded::scatter(rank, stream, [4], 9, &[1u8; 4]).unwrap_err());
        is_value(Sharded::from_slice(rank, stream, [5], &[1u8; 4]).unwrap_err());
        is_value(Sharded::from_fn(rank, stream, [], |_| 1u8).unwrap_err());
        let few = Sharded::from_fn(rank, stream, 1, |_| 1u8).unwrap();
        is_value(few.gather(9).unwrap_err());
        if rank.size() > 1 {
            is_value(few.max().unwrap_err());
        }
        let x = Sharded::from_fn(rank, stream, [6, 5], |i| i as u32).unwrap();
        let message = |error: Error| {
            let text = error.to_string();
            is_value(error);
            text
        };
        let text = message(x.map(|x| x.sum_axis(0)).unwrap_err());
        assert!(text.contains("use the methods of Sharded"), "{text}");
        let text = message(x.map_arrays(|x| x.slice(s![..1])).unwrap_err());
        assert!(text.ends_with("use the methods of Sharded"), "{text}");
        let part = Array::<u32>::zeros(stream, [9, 2]).unwrap();
        let text = message(Sharded::from_part(rank, 7, part).unwrap_err());
        assert!(
            text.contains("of 7 rows, not 9. Fix: pass the rows that spread::part"),
            "{text}"
        );
        // One row per rank would be broadcast over the others.
        let few = Sharded::from_fn(rank, stream, [rank.size(), 5], |i| i as u32).unwrap();
        let text = message(x.zip(&few, |x, few| x + few).unwrap_err());
        assert!(text.starts_with("zip of rows "), "{text}");
        // The error comes from the expression, not from the comparison of the parts.
        failure(x.map(|x| x.sum_axis(2))).mentions("axis 2 is out of range for shape [");
        failure(x.reduce(Reduction::Sum, |x| x.sum_axis(2)))
            .mentions("axis 2 is out of range for shape [");
        assert!(format!("{x:?}").contains("of 6 rows: Array<u32>"));
    });
}

/// Returns the sum of each row, as a column.
fn rows_of<'a>(x: &Sharded<'a, PeerRank, f32>) -> Sharded<'a, PeerRank, f32> {
    x.map(|x| x.sum_axis(1).keep_axes()).unwrap()
}

#[test]
fn rows_of_another_group_are_not_zipped() {
    let (one, mut other) = (ranks(2), ranks(2));
    other.reverse();
    std::thread::scope(|scope| {
        for (one, other) in one.into_iter().zip(other) {
            scope.spawn(move || {
                let [mine, theirs] = [&one, &other].map(|rank| {
                    let stream = Stream::new(rank.context()).unwrap();
                    Sharded::from_fn(rank, &stream, 3, |i| i as u32).unwrap()
                });
                failure(mine.zip(&theirs, |x, y| x + y))
                    .mentions("rows 0..2 of 3")
                    .mentions("rows 2..3 of 3");
            });
        }
    });
}

#[test]
fn expressions_and_reductions() {
    let whole = |work: fn(&Array<f32>) -> Vec<f32>| {
        drop(ranks(1)); // starts the driver with several devices
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let host: Vec<f32> = (0..10 * 5).map(value).collect();
        work(&Array::from_shape(&stream, [10, 5], &host).unwrap())
    };
    let rows = whole(|x| (x * 2.0).sum_axis(1).eval().unwrap().to_vec().unwrap());
    let columns = whole(|x| x.sum_axis(0).eval().unwrap().to_vec().unwrap());
    let largest = whole(|x| x.max_axis(0).eval().unwrap().to_vec().unwrap());
    let running = whole(|x| x.cumsum(0).unwrap().to_vec().unwrap());
    let around = whole(|x| {
        let mean = x.sum_axis(0) / 10.0;
        (x - mean).eval().unwrap().to_vec().unwrap()
    });
    let along = whole(|x| x.cumsum(1).unwrap().to_vec().unwrap());
    on_all(|rank, stream| {
        let x = Sharded::from_fn(rank, stream, [10, 5], value).unwrap();
        let y = x.map(|x| x * 2.0).unwrap();
        let both = x.map(|x| x + y.part()).unwrap();
        assert_eq!(both.to_vec().unwrap()[7], value(7) * 3.0);
        let zipped = x.zip(&y, |x, y| x + y).unwrap();
        assert_eq!(zipped.to_vec().unwrap(), both.to_vec().unwrap());
        let larger = x.zip(&rows_of(&x), |x, sum| x.greater(sum)).unwrap();
        assert_eq!(larger.shape().unwrap(), [10, 5]);
        // Subtracts the means of all rows, with any number of ranks.
        let mean = x.sum_first_axis().unwrap();
        let centred = x.map(|x| x - &mean / 10.0).unwrap();
        assert_eq!(centred.to_vec().unwrap(), around);
        assert_eq!(y.map(|y| y.sum_axis(1)).unwrap().to_vec().unwrap(), rows);
        // These are integers, so sums are exact.
        let sums = x.sum_first_axis().unwrap();
        assert_eq!(sums.to_vec().unwrap(), columns);
        assert_eq!(x.sum().unwrap(), columns.iter().sum());
        assert_eq!(x.max_first_axis().unwrap().to_vec().unwrap(), largest);
        assert_eq!(
            x.max().unwrap(),
            largest.iter().copied().fold(-99.0, f32::max)
        );
        let least = x.min_first_axis().unwrap().to_vec().unwrap();
        assert_eq!(x.min().unwrap(), least.iter().copied().fold(99.0, f32::min));
        let norm = x.reduce(Reduction::Max, |x| x.abs().max()).unwrap();
        assert_eq!(norm.item().unwrap(), 50.0);
        assert_eq!(x.cumsum_first_axis().unwrap().to_vec().unwrap(), running);
        let scanned = x.map_arrays(|x| x.cumsum(1)).unwrap();
        assert_eq!(scanned.to_vec().unwrap(), along);
        // The result of a reduction is a separate array on each rank.
        let mut sums = sums;
        sums.slice_mut(s![0]).unwrap().assign(1.0).unwrap();
        assert_eq!(sums.to_vec().unwrap()[0], 1.0);
    });
}

#[test]
fn ranks_may_have_no_rows() {
    on_all(|rank, stream| {
        let x = Sharded::from_fn(rank, stream, [1, 3], |i| i as i32 + 1).unwrap();
        assert_eq!(x.to_vec().unwrap(), [1, 2, 3]);
        assert_eq!(x.sum().unwrap(), 6);
        assert_eq!(x.sum_first_axis().unwrap().to_vec().unwrap(), [1, 2, 3]);
        assert_eq!(x.cumsum_first_axis().unwrap().to_vec().unwrap(), [1, 2, 3]);
    });
}

#[test]
fn error_of_one_rank_is_reported_to_all() {
    suite::on_all(ranks(3), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let x = Sharded::from_fn(rank, &stream, [2, 3], |i| i as i32).unwrap();
        let error = x.reduce(Reduction::Max, |x| x.max_axis(0)).unwrap_err();
        let text = error.to_string();
        match rank.rank() {
            2 => assert!(!text.contains("can't take part"), "{text}"),
            _ => assert!(text.starts_with("rank 2 can't take part: "), "{text}"),
        }
        // The group stays usable.
        let least = x.reduce(Reduction::Sum, |x| x.sum_axis(0)).unwrap();
        assert_eq!(least.to_vec().unwrap(), [3, 5, 7]);
    });
}

#[test]
fn histogram_counts_the_whole_array() {
    on_all(|rank, stream| {
        let x = Sharded::from_fn(rank, stream, 1000, |i| (i % 7) as u32).unwrap();
        let wanted = [143, 143, 143, 143, 143, 143, 142, 0];
        assert_eq!(x.histogram(8).unwrap().to_vec().unwrap(), wanted);
    });
}

#[test]
fn random_numbers_do_not_depend_on_the_ranks() {
    drop(ranks(1)); // starts the driver with several devices
    let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
    let mut random = Random::new(7);
    random.skip(3);
    let uniform = Array::<f32>::uniform(&stream, &mut random, [11, 3]).unwrap();
    let normal = Array::<f32>::normal(&stream, &mut random, [7, 5]).unwrap();
    let wide = Array::<f64>::normal(&stream, &mut random, [9]).unwrap();
    let exponential = Array::<f64>::exponential(&stream, &mut random, [5, 1]).unwrap();
    let bits = Array::<u32>::bits(&stream, &mut random, [13]).unwrap();
    let after = random.position();
    let (uniform, normal) = (uniform.to_vec().unwrap(), normal.to_vec().unwrap());
    let (wide, exponential) = (wide.to_vec().unwrap(), exponential.to_vec().unwrap());
    let bits = bits.to_vec().unwrap();
    on_all(|rank, stream| {
        let mut random = Random::new(7);
        random.skip(3);
        let x = Sharded::<_, f32>::uniform(rank, stream, &mut random, [11, 3]).unwrap();
        assert_eq!(x.to_vec().unwrap(), uniform);
        let x = Sharded::<_, f32>::normal(rank, stream, &mut random, [7, 5]).unwrap();
        assert_eq!(x.to_vec().unwrap(), normal);
        let x = Sharded::<_, f64>::normal(rank, stream, &mut random, [9]).unwrap();
        assert_eq!(x.to_vec().unwrap(), wide);
        let x = Sharded::<_, f64>::exponential(rank, stream, &mut random, [5, 1]).unwrap();
        assert_eq!(x.to_vec().unwrap(), exponential);
        let x = Sharded::<_, u32>::bits(rank, stream, &mut random, [13]).unwrap();
        assert_eq!(x.to_vec().unwrap(), bits);
        assert_eq!(random.position(), after);
    });
}

#[test]
fn rows_of_several_elements_are_scattered() {
    for size in SIZES {
        suite::on_all(ranks(size), |rank| {
            let stream = Stream::new(rank.context()).unwrap();
            let all: Vec<u32> = (0..7 * 3).map(|i| 10 * i).collect();
            for root in 0..size {
                let host = if rank.rank() == root { &all[..] } else { &[] };
                let x = Sharded::scatter(rank, &stream, [7, 3], root, host).unwrap();
                let own = x.own_rows();
                let part = x.part().to_vec().unwrap();
                assert_eq!(part, all[own.start * 3..own.end * 3]);
                assert_eq!(x.to_vec().unwrap(), all);
            }
        });
    }
}

#[test]
fn running_sums_of_one_rank_match_a_single_device() {
    suite::on_all(ranks(1), |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let host = [-0.0f32, -0.0, 1.5, -0.0];
        let x = Sharded::from_slice(rank, &stream, 4, &host).unwrap();
        let sums = x.cumsum_first_axis().unwrap().to_vec().unwrap();
        let whole = Array::from_slice(&stream, &host)
            .unwrap()
            .cumsum(0)
            .unwrap();
        let bits = |numbers: Vec<f32>| numbers.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(sums), bits(whole.to_vec().unwrap()));
    });
}
