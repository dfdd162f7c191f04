//! Sorts, order statistics, searches and sets of more than 2³² elements, on a GPU with enough memory.

use cuda_compute::{Array, Expr, s};
use cuda_safe::Stream;

use crate::{OnHost, pycuda::big::count, stream, upload};

/// The element with this index.
fn element(index: usize) -> u8 {
    ((index as u64).wrapping_mul(2_654_435_761) >> 24) as u8 % 200
}

fn elements(stream: &Stream, count: usize) -> Array<u8> {
    let index = Expr::index(count, 0).unwrap().cast::<u64>();
    let value = ((index * 2_654_435_761) >> 24).cast::<u8>() % 200;
    value.eval_on(stream).unwrap()
}

/// Returns how many elements have each value.
fn counts(x: &Array<u8>) -> Vec<usize> {
    let of = |value: u8| x.equal(value).count().eval().unwrap().item().unwrap();
    (0..200).map(of).collect()
}

#[test]
fn sorts_have_the_same_elements_in_order() {
    let stream = stream();
    let x = elements(&stream, count(&stream, 13, 12));
    let sorted = x.sort().unwrap();
    let (before, after) = (
        sorted.slice(s![..-1]).unwrap(),
        sorted.slice(s![1..]).unwrap(),
    );
    let descents = before.greater(&after).count();
    assert_eq!(descents.eval().unwrap().item().unwrap(), 0);
    let counts = counts(&x);
    assert!(self::counts(&sorted) == counts);
    assert_eq!(counts.iter().sum::<usize>(), x.len());
    // Both middle elements are those of the counts.
    let mut rest = x.len() / 2;
    let middle = counts.iter().position(|&count| {
        let found = rest < count;
        rest -= count.min(rest);
        found
    });
    assert_eq!(x.median().unwrap().item().unwrap(), middle.unwrap() as f64);
    let (values, lengths) = sorted.run_length().unwrap();
    assert_eq!(values.host(), (0..200).collect::<Vec<u8>>());
    assert!(lengths.host() == counts);
}

#[test]
fn the_largest_elements_have_the_lowest_places() {
    let stream = stream();
    let count = count(&stream, 5, 12);
    let x = elements(&stream, count);
    let (values, places) = x.top_k(300).unwrap();
    let wanted: Vec<usize> = (0..count)
        .filter(|&at| element(at) == 199)
        .take(300)
        .collect();
    assert_eq!(values.host(), [199; 300]);
    assert_eq!(places.host(), wanted);
}

#[test]
fn every_value_is_found() {
    let stream = stream();
    let count = count(&stream, 7, 12);
    let x = elements(&stream, count);
    let table = upload(&stream, &[3u8, 50, 50, 120]);
    let places = table.searchsorted(&x).unwrap();
    for start in [0, count / 2, count - 100] {
        let found = places.slice(s![start..start + 100]).unwrap().host();
        let wanted: Vec<usize> = (start..start + 100)
            .map(|at| [3u8, 50, 50, 120].partition_point(|&key| key < element(at)))
            .collect();
        assert_eq!(found, wanted, "from {start}");
    }
    drop(places);
    // The sorted array is the long one.
    let sorted = x.sort().unwrap();
    let below = x.less(120).count().eval().unwrap().item().unwrap();
    let place = sorted
        .searchsorted(upload(&stream, &[120u8, 0, 255]))
        .unwrap();
    assert_eq!(place.host(), [below, 0, count]);
}
