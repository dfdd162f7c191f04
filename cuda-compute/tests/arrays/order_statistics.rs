//! Largest and smallest elements, partitions and quantiles, compared with sorts on the host.

use cuda_compute::{Array, Ordered, QuantileMethod};
use half::f16;

use crate::{
    failure::failure,
    random::Random,
    shaped,
    sort_keys::{Key, order, random_keys, sorted_places},
    stream, upload,
};

/// More elements than are always sorted.
const MANY: usize = 70_001;

fn same<K: Key>(a: &[K], b: &[K]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| order(a, b).is_eq())
}

fn extremes_of<K: Key + Ordered>(count: usize, k: usize, distinct: u64) {
    let stream = stream();
    let host = random_keys::<K>(count, distinct);
    let x = upload(&stream, &host);
    for largest in [true, false] {
        let wanted = &sorted_places(&host, largest)[..k];
        let (values, places) = match largest {
            true => x.top_k(k),
            false => x.bottom_k(k),
        }
        .unwrap();
        let what = format!("{k} of {count} {:?}, {distinct}", K::DATA_TYPE);
        assert!(places.to_vec().unwrap() == wanted, "{what}");
        let of_host: Vec<K> = wanted.iter().map(|&at| host[at]).collect();
        assert!(same(&values.to_vec().unwrap(), &of_host), "{what}");

        let (values, places) = match largest {
            true => x.top_k_unsorted(k),
            false => x.bottom_k_unsorted(k),
        }
        .unwrap();
        let mut places = places.to_vec().unwrap();
        let at_places: Vec<K> = places.iter().map(|&at| host[at]).collect();
        assert!(same(&values.to_vec().unwrap(), &at_places), "{what}");
        let mut wanted = wanted.to_vec();
        places.sort_unstable();
        wanted.sort_unstable();
        assert!(places == wanted, "{what}, unsorted");
    }
}

#[test]
fn extremes_of_few_elements() {
    extremes_of::<f32>(1000, 10, u64::MAX);
    extremes_of::<i16>(1000, 1000, 7);
    extremes_of::<u8>(9, 0, 4);
    extremes_of::<f64>(9000, 30, u64::MAX);
}

#[test]
fn extremes_of_many_elements() {
    extremes_of::<f32>(MANY, 100, u64::MAX);
    extremes_of::<f32>(MANY, 129, u64::MAX);
    extremes_of::<f64>(MANY, 128, 40);
    extremes_of::<i32>(MANY, 33, 2);
    extremes_of::<i64>(MANY, 1000, u64::MAX);
    extremes_of::<f16>(MANY, 5, 3);
    extremes_of::<u8>(MANY, 1, u64::MAX);
    extremes_of::<f32>(MANY, MANY / 2, u64::MAX);
    extremes_of::<i32>(MANY, MANY, 50);
    extremes_of::<u8>(MANY, 30_000, 3);
}

#[test]
fn nan_comes_after_all_numbers_in_top_k() {
    let stream = stream();
    // Fewer numbers than elements are wanted.
    let mut host = vec![f32::NAN; MANY];
    (host[7], host[60_000]) = (1.0, -1.0);
    for k in [4, 200] {
        let (values, places) = upload(&stream, &host).top_k(k).unwrap();
        assert_eq!(places.to_vec().unwrap()[..4], [7, 60_000, 0, 1]);
        let values = values.to_vec().unwrap();
        assert_eq!(values.len(), k);
        assert!(values[..2] == [1.0, -1.0] && values[2..].iter().all(|value| value.is_nan()));
        let (_, mut places) = upload(&stream, &host)
            .top_k_unsorted(k)
            .map(|(values, places)| (values, places.to_vec().unwrap()))
            .unwrap();
        places.sort_unstable();
        let mut wanted: Vec<usize> = (0..k - 1).chain([60_000]).collect();
        if k < 8 {
            wanted[k - 2] = 7;
        }
        assert_eq!(places, wanted);
    }
}

#[test]
fn extremes_along_axes() {
    let stream = stream();
    for (lengths, axis, k) in [
        ([3usize, 50], 1usize, 7usize),
        ([40, 4], 0, 40),
        ([2, 8300], 1, 3),
        ([2, 20_000], 1, 50),
        ([1100, 2], 0, 129),
        ([1, MANY], 1, 5),
    ] {
        let host = random_keys::<f32>(lengths[0] * lengths[1], 1000);
        let x = shaped(&stream, lengths, &host);
        let (values, places) = x.top_k_axis(k, axis).unwrap();
        let mut shape = lengths;
        shape[axis] = k;
        assert_eq!(values.shape(), shape);
        let turned = |values: Vec<usize>| -> Vec<usize> {
            // Row by row of the lines.
            match axis {
                1 => values,
                _ => (0..lengths[1])
                    .flat_map(|line| (0..k).map(move |at| at * lengths[1] + line))
                    .map(|at| values[at])
                    .collect(),
            }
        };
        let line = |number: usize| -> Vec<f32> {
            (0..lengths[axis])
                .map(|at| {
                    host[if axis == 1 {
                        number * lengths[1] + at
                    } else {
                        at * lengths[1] + number
                    }]
                })
                .collect()
        };
        let wanted: Vec<usize> = (0..lengths[1 - axis])
            .flat_map(|number| sorted_places(&line(number), true)[..k].to_vec())
            .collect();
        assert!(turned(places.to_vec().unwrap()) == wanted, "{lengths:?}");
        let (values, places) = x.top_k_unsorted_axis(k, axis).unwrap();
        assert_eq!(values.shape(), shape);
        let there = x.take_along_axis(&places, axis).unwrap();
        assert!(same(&values.to_vec().unwrap(), &there.to_vec().unwrap()));
        let in_order = |lines: Vec<usize>| -> Vec<usize> {
            lines
                .chunks(k)
                .flat_map(|line| {
                    let mut line = line.to_vec();
                    line.sort_unstable();
                    line
                })
                .collect()
        };
        let found = turned(places.to_vec().unwrap());
        assert!(in_order(found) == in_order(wanted), "{lengths:?}");
        let (smallest, _) = x.bottom_k_axis(k, axis).unwrap();
        let sorted = x.sort_axis(axis).unwrap().to_vec().unwrap();
        let first: Vec<f32> = match axis {
            1 => sorted
                .chunks(lengths[1])
                .flat_map(|line| line[..k].to_vec())
                .collect(),
            _ => sorted[..k * lengths[1]].to_vec(),
        };
        assert!(same(&smallest.to_vec().unwrap(), &first));
    }
}

#[test]
fn partitions_have_one_element_in_its_place() {
    let stream = stream();
    for (count, distinct) in [(500, 20), (MANY, u64::MAX), (MANY, 4)] {
        let host = random_keys::<f32>(count, distinct);
        let x = upload(&stream, &host);
        let sorted: Vec<f32> = sorted_places(&host, false)
            .iter()
            .map(|&at| host[at])
            .collect();
        for kth in [0, count / 3, count - 1] {
            let check = |parted: &[f32]| {
                assert!(order(&parted[kth], &sorted[kth]).is_eq());
                assert!(parted[..kth].iter().all(|x| order(x, &sorted[kth]).is_le()));
                assert!(parted[kth..].iter().all(|x| order(x, &sorted[kth]).is_ge()));
                let mut all: Vec<f32> = parted.to_vec();
                all.sort_by(order);
                assert!(same(&all, &sorted));
            };
            check(
                &x.partition(kth as isize - count as isize)
                    .unwrap()
                    .to_vec()
                    .unwrap(),
            );
            let places = x.argpartition(kth).unwrap().to_vec().unwrap();
            check(&places.iter().map(|&at| host[at]).collect::<Vec<f32>>());
        }
    }
    let x = shaped(&stream, [2, 3], &[3, 1, 2, 6, 4, 5]);
    assert_eq!(
        x.partition_axis(1, -1).unwrap().to_vec().unwrap(),
        [1, 2, 3, 4, 5, 6]
    );
    assert_eq!(
        x.argpartition_axis(0, 0).unwrap().to_vec().unwrap(),
        [0, 0, 0, 1, 1, 1]
    );
    failure(x.partition(6)).mentions("partition at 6 is out of range for 6 elements");
    failure(x.partition_axis(-3, 0)).mentions("pass a place from -2 to 1");
}

/// The fractions of the recorded quantiles.
const FRACTIONS: [f64; 8] = [0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0];

/// Results of `numpy.quantile` for the squares of 0 to 3, of 0 to 4 and of 0 to 9 (NumPy 2.5.2).
#[rustfmt::skip]
const RECORDED: [(QuantileMethod, [[f64; 8]; 3]); 13] = [
    (QuantileMethod::InvertedCdf, [
        [0.0, 0.0, 0.0, 1.0, 1.0, 4.0, 9.0, 9.0],
        [0.0, 0.0, 1.0, 1.0, 4.0, 9.0, 16.0, 16.0],
        [0.0, 0.0, 4.0, 4.0, 16.0, 49.0, 64.0, 81.0],
    ]),
    (QuantileMethod::AveragedInvertedCdf, [
        [0.0, 0.0, 0.5, 1.0, 2.5, 6.5, 9.0, 9.0],
        [0.0, 0.0, 1.0, 1.0, 4.0, 9.0, 16.0, 16.0],
        [0.0, 0.5, 4.0, 6.5, 20.5, 49.0, 72.5, 81.0],
    ]),
    (QuantileMethod::ClosestObservation, [
        [0.0, 0.0, 0.0, 0.0, 1.0, 4.0, 9.0, 9.0],
        [0.0, 0.0, 0.0, 1.0, 1.0, 9.0, 9.0, 16.0],
        [0.0, 0.0, 1.0, 4.0, 16.0, 49.0, 64.0, 81.0],
    ]),
    (QuantileMethod::InterpolatedInvertedCdf, [
        [0.0, 0.0, 0.0, 0.2, 1.0, 4.0, 7.0, 9.0],
        [0.0, 0.0, 0.25, 0.5, 2.5, 7.75, 12.5, 16.0],
        [0.0, 0.0, 2.5, 4.0, 16.0, 42.5, 64.0, 81.0],
    ]),
    (QuantileMethod::Hazen, [
        [0.0, 0.0, 0.5, 0.7, 2.5, 6.5, 9.0, 9.0],
        [0.0, 0.0, 0.75, 1.0, 4.0, 10.75, 16.0, 16.0],
        [0.0, 0.5, 4.0, 6.5, 20.5, 49.0, 72.5, 81.0],
    ]),
    (QuantileMethod::Weibull, [
        [0.0, 0.0, 0.25, 0.5, 2.5, 7.75, 9.0, 9.0],
        [0.0, 0.0, 0.5, 0.8, 4.0, 12.5, 16.0, 16.0],
        [0.0, 0.1, 3.25, 5.5, 20.5, 52.75, 79.3, 81.0],
    ]),
    (QuantileMethod::Linear, [
        [0.0, 0.3, 0.75, 0.9, 2.5, 5.25, 7.5, 9.0],
        [0.0, 0.4, 1.0, 1.6, 4.0, 9.0, 13.2, 16.0],
        [0.0, 0.9, 5.25, 7.5, 20.5, 45.75, 65.7, 81.0],
    ]),
    (QuantileMethod::MedianUnbiased, [
        [0.0, 0.0, 0.416666666666667, 0.633333333333333, 2.5, 6.91666666666667, 9.0, 9.0],
        [0.0, 0.0, 0.666666666666667, 0.933333333333333, 4.0, 11.3333333333333, 16.0, 16.0],
        [0.0, 0.366666666666667, 3.75, 6.16666666666667, 20.5, 50.25, 74.7666666666667, 81.0],
    ]),
    (QuantileMethod::NormalUnbiased, [
        [0.0, 0.0, 0.4375, 0.65, 2.5, 6.8125, 9.0, 9.0],
        [0.0, 0.0, 0.6875, 0.95, 4.0, 11.1875, 16.0, 16.0],
        [0.0, 0.4, 3.8125, 6.25, 20.5, 49.9375, 74.2, 81.0],
    ]),
    (QuantileMethod::Lower, [
        [0.0, 0.0, 0.0, 0.0, 1.0, 4.0, 4.0, 9.0],
        [0.0, 0.0, 1.0, 1.0, 4.0, 9.0, 9.0, 16.0],
        [0.0, 0.0, 4.0, 4.0, 16.0, 36.0, 64.0, 81.0],
    ]),
    (QuantileMethod::Higher, [
        [0.0, 1.0, 1.0, 1.0, 4.0, 9.0, 9.0, 9.0],
        [0.0, 1.0, 1.0, 4.0, 4.0, 9.0, 16.0, 16.0],
        [0.0, 1.0, 9.0, 9.0, 25.0, 49.0, 81.0, 81.0],
    ]),
    (QuantileMethod::Midpoint, [
        [0.0, 0.5, 0.5, 0.5, 2.5, 6.5, 6.5, 9.0],
        [0.0, 0.5, 1.0, 2.5, 4.0, 9.0, 12.5, 16.0],
        [0.0, 0.5, 6.5, 6.5, 20.5, 42.5, 72.5, 81.0],
    ]),
    (QuantileMethod::Nearest, [
        [0.0, 0.0, 1.0, 1.0, 4.0, 4.0, 9.0, 9.0],
        [0.0, 0.0, 1.0, 1.0, 4.0, 9.0, 16.0, 16.0],
        [0.0, 1.0, 4.0, 9.0, 16.0, 49.0, 64.0, 81.0],
    ]),
];

#[test]
fn quantiles_are_those_of_numpy() {
    let stream = stream();
    for (method, recorded) in RECORDED {
        for (count, wanted) in [4, 5, 10].into_iter().zip(recorded) {
            let host: Vec<f64> = (0..count).map(|i| f64::from(i * i)).rev().collect();
            let x = upload(&stream, &host);
            let got = x.quantile(FRACTIONS, method).unwrap();
            assert_eq!(got.shape(), [8]);
            for (got, wanted) in got.to_vec().unwrap().iter().zip(wanted) {
                assert!(
                    (got - wanted).abs() <= 1e-13,
                    "{method:?} of {count}: {got} {wanted}"
                );
            }
        }
    }
}

fn linear<K: Key>(line: &[K], fraction: f64, number: impl Fn(K) -> f64) -> f64 {
    let sorted: Vec<f64> = sorted_places(line, false)
        .iter()
        .map(|&at| number(line[at]))
        .collect();
    let place = (sorted.len() - 1) as f64 * fraction;
    let (low, high) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    low + (high - low) * place.fract()
}

#[test]
fn quantiles_of_many_elements_and_along_axes() {
    let stream = stream();
    let mut random = Random(3);
    let host: Vec<f32> = random.reals(MANY);
    let x = upload(&stream, &host);
    for fraction in [0.0, 0.3, 0.77, 1.0] {
        let wanted = linear(&host, fraction, f64::from);
        let got = x.quantile(fraction, QuantileMethod::Linear).unwrap();
        assert_eq!(got.rank(), 0);
        assert!((f64::from(got.item().unwrap()) - wanted).abs() < 1e-6);
    }
    let wanted = linear(&host, 0.5, f64::from);
    assert!((f64::from(x.median().unwrap().item().unwrap()) - wanted).abs() < 1e-6);
    let whole: Vec<i32> = random_keys(MANY + 1, 1_000_000);
    let wanted = linear(&whole, 0.5, f64::from);
    assert_eq!(
        upload(&stream, &whole)
            .median_axis(0)
            .unwrap()
            .item()
            .unwrap(),
        wanted
    );

    let host: Vec<i32> = random_keys(3 * 40 * 5, 1000);
    let y = shaped(&stream, [3, 40, 5], &host);
    let got = y
        .percentile_axis([10.0, 50.0], 1, QuantileMethod::Linear)
        .unwrap();
    assert_eq!(got.shape(), [2, 3, 5]);
    let got = got.to_vec().unwrap();
    for (i, fraction) in [0.1, 0.5].into_iter().enumerate() {
        for line in 0..15 {
            let keys: Vec<i32> = (0..40)
                .map(|j| host[(line / 5 * 40 + j) * 5 + line % 5])
                .collect();
            let wanted = linear(&keys, fraction, f64::from);
            assert!((got[i * 15 + line] - wanted).abs() <= 1e-6 * wanted.abs().max(1.0));
        }
    }
    assert_eq!(y.median_axis(-1).unwrap().shape(), [3, 40]);
    assert_eq!(
        y.quantile_axis([0.5; 0], 0, QuantileMethod::Hazen)
            .unwrap()
            .shape(),
        [0, 40, 5]
    );
}

#[test]
fn nan_makes_quantiles_nan() {
    let stream = stream();
    let mut host = vec![1.0f32; MANY];
    host[5] = f32::NAN;
    assert!(
        upload(&stream, &host)
            .median()
            .unwrap()
            .item()
            .unwrap()
            .is_nan()
    );
    let x = shaped(
        &stream,
        [2, 2],
        &[f32::NAN, 1.0, f32::INFINITY, f32::INFINITY],
    );
    let medians = x.median_axis(1).unwrap().to_vec().unwrap();
    assert!(medians[0].is_nan() && medians[1] == f32::INFINITY);
}

#[test]
fn elements_beside_infinity_have_medians() {
    let stream = stream();
    let inf = f64::INFINITY;
    let median = |host: &[f64]| upload(&stream, host).median().unwrap().item().unwrap();
    assert_eq!(median(&[1.0, 2.0, inf]), 2.0);
    assert_eq!(median(&[1.0, 2.0, inf, inf]), inf);
    assert_eq!(median(&[-inf, -inf, 2.0, 3.0]), -inf);
    assert_eq!(median(&[-1.7e308, 1.7e308]), 0.0);
    let x = upload(&stream, &[1.0, 2.0, 3.0, inf]);
    let method = QuantileMethod::AveragedInvertedCdf;
    assert_eq!(x.quantile(0.7, method).unwrap().item().unwrap(), 3.0);
}

#[test]
fn wrong_arguments_are_rejected() {
    let stream = stream();
    let x = shaped(&stream, [2, 2], &[1, 2, 3, 4]);
    failure(x.top_k(5)).mentions("top_k with k = 5 needs as many elements, but there are only 4");
    failure(x.bottom_k_axis(3, 1)).mentions("bottom_k with k = 3");
    failure(x.quantile(1.5, QuantileMethod::Linear)).mentions("1.5 is not between 0 and 1");
    failure(x.percentile([5.0, f64::NAN], QuantileMethod::Linear))
        .mentions("NaN is not between 0 and 100");
    failure(x.median_axis(2)).mentions("axis 2 is out of range");
    let none = Array::<f32>::zeros(&stream, [0]).unwrap();
    failure(none.median()).mentions("no quantiles of no elements");
}
