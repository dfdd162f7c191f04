//! Reductions, scans and sorts of segments that are given by offsets, compared with the host.

use std::cmp::Ordering;

use cuda_compute::{Array, Combination, fold, s};
use half::f16;
use num_complex::Complex;

use crate::{
    elements,
    random::{Random, whole_numbers},
    shaped,
    sort_keys::{Key, order, random_keys, sorted_places},
    stream, upload,
};

/// Returns offsets of random lengths, some of them 0, with some elements outside of all segments.
fn random_offsets(length: usize, segments: usize) -> Vec<usize> {
    let mut random = Random((length + segments) as u64);
    let mut offsets: Vec<usize> = (0..=segments).map(|_| random.below(length + 1)).collect();
    offsets.sort_unstable();
    offsets
}

fn parts<T: Copy>(values: &[T], offsets: &[usize]) -> Vec<Vec<T>> {
    let part = |pair: &[usize]| values[pair[0]..pair[1]].to_vec();
    offsets.windows(2).map(part).collect()
}

const SIZES: [(usize, usize); 9] = [
    (0, 3),
    (1, 1),
    (100, 0),
    (300, 100),
    (500, 70),
    (1000, 20),
    (5000, 11),
    (9000, 2),
    (2000, 13),
];

#[test]
fn segments_are_combined() {
    let stream = stream();
    for (length, segments) in SIZES {
        let (host, offsets) = (
            whole_numbers(length, -50..50),
            random_offsets(length, segments),
        );
        let (x, at) = (upload(&stream, &host), upload(&stream, &offsets));
        let parts = parts(&host, &offsets);
        let what = format!("{length}, {segments}");
        let sums: Vec<i32> = parts.iter().map(|part| part.iter().sum()).collect();
        assert_eq!(
            elements(x.segment_reduce(Combination::sum(), &at)),
            sums,
            "{what}"
        );
        let highest = |part: &Vec<i32>| part.iter().copied().max().unwrap_or(i32::MIN);
        let largest: Vec<i32> = parts.iter().map(highest).collect();
        assert_eq!(
            elements(x.segment_reduce(Combination::max(), &at)),
            largest,
            "{what}"
        );
        // An expression of another type.
        let squares = |part: &Vec<i32>| part.iter().map(|&x| f64::from(x * x)).sum();
        let wanted: Vec<f64> = parts.iter().map(squares).collect();
        let y = x.cast::<f64>() * x.cast::<f64>();
        assert_eq!(
            elements(y.segment_reduce(Combination::sum(), &at)),
            wanted,
            "{what}"
        );
        let lowest = |part: &Vec<i32>| {
            part.iter()
                .copied()
                .fold(f32::INFINITY, |a, b| a.min(b as f32))
        };
        let wanted: Vec<f32> = parts.iter().map(lowest).collect();
        let y = x.cast::<f32>();
        assert_eq!(
            elements(y.segment_reduce(Combination::min(), &at)),
            wanted,
            "{what}"
        );
        let bits = fold!(|a: i32, b: i32| a | b, 0);
        let either = |part: &Vec<i32>| part.iter().fold(0, |a, b| a | b);
        let wanted: Vec<i32> = parts.iter().map(either).collect();
        assert_eq!(elements(x.segment_reduce(bits, &at)), wanted, "{what}");
    }
}

#[test]
fn long_segments_among_short_ones_are_combined() {
    let stream = stream();
    let host: Vec<i64> = (0..6000).map(|i| i * i % 1001).collect();
    let mut offsets: Vec<usize> = (0..=1500).collect();
    offsets.extend([3500, 3501, 3501, 5900]);
    offsets.extend(5901..6000);
    let (x, at) = (upload(&stream, &host), upload(&stream, &offsets));
    let parts = parts(&host, &offsets);
    let sums: Vec<i64> = parts.iter().map(|part| part.iter().sum()).collect();
    let got = elements(x.segment_reduce(Combination::sum(), &at));
    assert!(got == sums);
    let y = x.cast::<f32>();
    let lowest = parts
        .iter()
        .map(|part| part.iter().min().map_or(f32::INFINITY, |&x| x as f32));
    let got = elements(y.segment_reduce(Combination::min(), &at));
    assert!(got == lowest.collect::<Vec<f32>>());
}

#[test]
fn halves_are_summed_in_more_bits() {
    let stream = stream();
    let x = upload(&stream, &vec![f16::from_f32(1.0); 4000]);
    let offsets = upload(&stream, &[0usize, 3000, 4000]);
    let sums = elements(x.segment_reduce(Combination::sum(), &offsets));
    assert_eq!(
        sums.iter().map(|sum| sum.to_f32()).collect::<Vec<_>>(),
        [3000.0, 1000.0]
    );
}

#[test]
fn large_elements_are_combined_in_segments_of_all_lengths() {
    let stream = stream();
    let host: Vec<Complex<f64>> = (0..4000)
        .map(|i| Complex::new(f64::from(i), f64::from(i % 7)))
        .collect();
    let x = upload(&stream, &host);
    // Threads of one segment: from 1 to a block.
    for segments in [4000, 500, 100, 25, 10, 2, 1] {
        let offsets: Vec<usize> = (0..=segments).map(|i| i * 4000 / segments).collect();
        let sums: Vec<Complex<f64>> = parts(&host, &offsets)
            .iter()
            .map(|part| part.iter().sum())
            .collect();
        let offsets = upload(&stream, &offsets);
        let got = elements(x.segment_reduce(Combination::sum(), &offsets));
        assert!(got == sums, "{segments}");
    }
}

#[test]
fn offsets_beyond_the_end_are_the_end() {
    let stream = stream();
    let x = shaped(&stream, [2, 2], &[1, 2, 3, 4]);
    let offsets = upload(&stream, &[1usize, 3, usize::MAX, 100, 200]);
    let sums = elements(x.segment_reduce(Combination::sum(), &offsets));
    assert_eq!(sums, [5, 4, 0, 0]);
    assert_eq!(elements(x.segment_sort_descending(&offsets)), [1, 3, 2, 4]);
    let offsets = upload(&stream, &[1usize, 3, 50, 100]);
    let (values, places, found) = x.segment_top_k(1, &offsets).unwrap();
    assert_eq!(values.to_vec().unwrap(), [3, 4]);
    assert_eq!(places.to_vec().unwrap(), [2, 3]);
    assert_eq!(found.to_vec().unwrap(), [0, 1, 2, 2]);
}

#[test]
fn offsets_have_one_axis() {
    let stream = stream();
    let x = upload(&stream, &[1, 2, 3]);
    let offsets = shaped(&stream, [1, 2], &[0usize, 3]);
    let none = upload::<usize>(&stream, &[]);
    for (error, call) in [
        (
            x.segment_reduce(Combination::sum(), &offsets).unwrap_err(),
            "segment_reduce",
        ),
        (
            x.segment_scan(Combination::sum(), &offsets).unwrap_err(),
            "segment_scan",
        ),
        (x.segment_sort(&none).unwrap_err(), "segment_sort"),
        (x.segment_top_k(1, &none).unwrap_err(), "segment_top_k"),
    ] {
        let text = error.to_string();
        assert!(
            text.starts_with(call) && text.contains("one axis"),
            "{text}"
        );
    }
}

#[test]
fn values_of_equal_keys_are_combined() {
    let stream = stream();
    for (count, distinct) in [(0, 1), (1, 1), (1000, 3), (3000, 900)] {
        let keys = random_keys::<f32>(count, distinct);
        let keys: Vec<f32> = sorted_places(&keys, false)
            .iter()
            .map(|&at| keys[at])
            .collect();
        let values = whole_numbers(count, -9..9);
        let mut wanted: Vec<(f32, i32)> = Vec::new();
        for (&key, &value) in keys.iter().zip(&values) {
            match wanted.last_mut() {
                Some((last, sum)) if order(last, &key) == Ordering::Equal => *sum += value,
                _ => wanted.push((key, value)),
            }
        }
        let (x, y) = (upload(&stream, &keys), upload(&stream, &values));
        let (keys, sums) = x.reduce_by_key(&y, Combination::sum()).unwrap();
        let keys = keys.to_vec().unwrap();
        assert!(keys.len() == wanted.len(), "{count} of {distinct}");
        let equal = |(a, b): (&f32, &(f32, i32))| order(a, &b.0) == Ordering::Equal;
        assert!(keys.iter().zip(&wanted).all(equal), "{count} of {distinct}");
        let wanted: Vec<i32> = wanted.iter().map(|run| run.1).collect();
        assert_eq!(sums.to_vec().unwrap(), wanted, "{count} of {distinct}");
        // A number is broadcast: the lengths of the runs.
        let (_, lengths) = x.reduce_by_key(1usize, Combination::sum()).unwrap();
        assert_eq!(
            lengths.to_vec().unwrap(),
            elements(x.run_length().map(|runs| runs.1))
        );
    }
}

#[test]
fn segments_are_scanned() {
    let stream = stream();
    for (length, segments) in SIZES {
        let (host, offsets) = (
            whole_numbers(length, -50..50),
            random_offsets(length, segments),
        );
        let (x, at) = (upload(&stream, &host), upload(&stream, &offsets));
        let (mut inclusive, mut exclusive, mut sum) = (Vec::new(), Vec::new(), 0);
        for (place, value) in host.iter().enumerate() {
            if offsets.contains(&place) {
                sum = 0;
            }
            exclusive.push(sum);
            sum += value;
            inclusive.push(sum);
        }
        let what = format!("{length}, {segments}");
        assert_eq!(
            elements(x.segment_scan(Combination::sum(), &at)),
            inclusive,
            "{what}"
        );
        let got = elements(x.segment_scan_exclusive(Combination::sum(), &at));
        assert_eq!(got, exclusive, "{what}");
    }
}

/// Sorts the segments of random keys, and finds their extremes.
fn sorts<K: Key>(length: usize, segments: usize) {
    let stream = stream();
    let (host, offsets) = (
        random_keys::<K>(length, 90),
        random_offsets(length, segments),
    );
    let (x, at) = (upload(&stream, &host), upload(&stream, &offsets));
    let what = format!("{:?} {length}, {segments}", K::DATA_TYPE);
    // The parts before and after the segments are sorted too.
    let all = [&[0][..], &offsets, &[length]].concat();
    let sorted = |bounds: &[usize], descending: bool| -> Vec<Vec<usize>> {
        let part = |pair: &[usize]| {
            let places = sorted_places(&host[pair[0]..pair[1]], descending);
            places.iter().map(|place| place + pair[0]).collect()
        };
        bounds.windows(2).map(part).collect()
    };
    let check = |got: &Array<K>, places: &[usize]| {
        let got = got.to_vec().unwrap();
        let equal = |(key, &place): (&K, &usize)| order(key, &host[place]) == Ordering::Equal;
        assert!(
            got.len() == places.len() && got.iter().zip(places).all(equal),
            "{what}"
        );
    };
    let ascending = sorted(&all, false).concat();
    check(&x.segment_sort(&at).unwrap(), &ascending);
    assert!(elements(x.segment_argsort(&at)) == ascending, "{what}");
    let descending = sorted(&all, true).concat();
    check(&x.segment_sort_descending(&at).unwrap(), &descending);
    assert!(
        elements(x.segment_argsort_descending(&at)) == descending,
        "{what}"
    );
    for (k, largest) in [(0, true), (1, false), (3, true), (length + 1, false)] {
        let (values, places, found) = match largest {
            true => x.segment_top_k(k, &at).unwrap(),
            false => x.segment_bottom_k(k, &at).unwrap(),
        };
        let first = sorted(&offsets, largest);
        let first: Vec<&[usize]> = first
            .iter()
            .map(|part| &part[..part.len().min(k)])
            .collect();
        check(&values, &first.concat());
        assert!(places.to_vec().unwrap() == first.concat(), "{what}, {k}");
        let mut bounds = vec![0];
        bounds.extend(first.iter().scan(0, |end, part| {
            *end += part.len();
            Some(*end)
        }));
        assert_eq!(found.to_vec().unwrap(), bounds, "{what}, {k}");
    }
}

#[test]
fn segments_are_sorted() {
    for (length, segments) in SIZES {
        sorts::<f32>(length, segments);
    }
    sorts::<u8>(1000, 30);
    sorts::<bool>(50, 3);
    sorts::<f16>(600, 5);
    sorts::<i64>(600, 90);
    // Numbers of segments of 16 bits.
    sorts::<i32>(2000, 300);
}

#[test]
fn lengths_become_offsets() {
    let stream = stream();
    let lengths = upload(&stream, &[2usize, 0, 3]);
    let zero = Array::zeros(&stream, [1]).unwrap();
    let sums = lengths.cumsum(0).unwrap();
    let offsets = cuda_compute::concatenate(&[&zero, &sums], 0).unwrap();
    let x = upload(&stream, &[1, 2, 3, 4, 5, 6]);
    let all = x.slice(s![..5]).unwrap();
    let products = elements(all.segment_reduce(Combination::product(), &offsets));
    assert_eq!(products, [2, 1, 60]);
}
