//! Segments by offsets.

use cuda_compute::{Array, Combination};

use crate::{
    case::{Case, Element, is_nan},
    sort_keys::{order, sorted_places},
};

/// Checks the functions, and returns the number of cases.
pub fn check<T: Element>(case: &mut Case<T>) -> usize {
    let x = case.expr();
    // Ascending offsets, some equal, from 0 to the number of elements.
    let count = case.host.len();
    let mut offsets: Vec<usize> = (0..case.random.below(9))
        .map(|_| case.random.below(count + 1))
        .chain([0, count])
        .collect();
    offsets.sort_unstable();
    let device = Array::from_slice(&case.stream, &offsets).unwrap();
    let ranges: Vec<_> = offsets.windows(2).map(|ends| ends[0]..ends[1]).collect();
    let places: Vec<usize> = ranges
        .iter()
        .flat_map(|range| {
            let places = sorted_places(&case.host[range.clone()], false);
            places.into_iter().map(|place| range.start + place)
        })
        .collect();
    let sorted: Vec<T> = places.iter().map(|&place| case.host[place]).collect();
    case.same("segment_sort", x.segment_sort(&device), &sorted);
    case.equal("segment_argsort", x.segment_argsort(&device), &places);

    // The greatest number of each segment that has one.
    let greatest = |values: &[T]| {
        let numbers = values.iter().filter(|value| !is_nan(*value));
        numbers.copied().max_by(order)
    };
    let filled: Vec<usize> = (0..ranges.len())
        .filter(|&at| greatest(&case.host[ranges[at].clone()]).is_some())
        .collect();
    let wanted: Vec<T> = filled
        .iter()
        .filter_map(|&at| greatest(&case.host[ranges[at].clone()]))
        .collect();
    let maxima = x.segment_reduce(Combination::max(), &device).unwrap();
    let maxima = maxima.to_vec().unwrap();
    assert_eq!(maxima.len(), ranges.len());
    let got: Vec<T> = filled.iter().map(|&at| maxima[at]).collect();
    case.same(
        "segment_reduce",
        Array::from_slice(&case.stream, &got),
        &wanted,
    );

    // Running numbers of elements that equal the first one of their segment.
    let equal: Vec<i32> = ranges
        .iter()
        .flat_map(|range| {
            let segment = &case.host[range.clone()];
            segment.iter().map(|value| i32::from(*value == segment[0]))
        })
        .collect();
    let flags = Array::from_slice(&case.stream, &equal).unwrap();
    let running: Vec<i32> = ranges
        .iter()
        .flat_map(|range| {
            let part = equal[range.clone()].iter();
            part.scan(0, |sum, one| {
                *sum += one;
                Some(*sum)
            })
        })
        .collect();
    let got = flags.segment_scan(Combination::sum(), &device);
    case.equal("segment_scan", got, &running);
    4 * ranges.len()
}
