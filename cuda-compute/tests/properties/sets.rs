//! Unique elements, runs, searches, set operations, merges and histograms.

use cuda_compute::Array;

use crate::{
    case::{Case, Element, is_nan},
    sort_keys::{order, sorted_places},
};

fn sorted<T: Element>(values: &[T]) -> Vec<T> {
    let places = sorted_places(values, false);
    places.iter().map(|&place| values[place]).collect()
}

/// Returns the places of the first elements of runs of equal elements.
fn runs<T: Element>(values: &[T]) -> Vec<usize> {
    let begins = |&at: &usize| at == 0 || order(&values[at - 1], &values[at]).is_ne();
    (0..values.len()).filter(begins).collect()
}

fn lengths(runs: &[usize], count: usize) -> Vec<usize> {
    let ends = runs.iter().skip(1).chain([&count]);
    runs.iter()
        .zip(ends)
        .map(|(start, end)| end - start)
        .collect()
}

fn pick<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| values[place]).collect()
}

/// Checks the functions, and returns the number of cases.
pub fn check<T: Element>(case: &mut Case<T>) -> usize {
    unique(case) + operations(case)
}

fn unique<T: Element>(case: &mut Case<T>) -> usize {
    let x = case.expr();
    let up = sorted_places(&case.host, false);
    let all = pick(&case.host, &up);
    let starts = runs(&all);
    let values = pick(&all, &starts);
    case.same("unique", x.unique(), &values);
    let (_, counts) = x.unique_counts().unwrap();
    case.equal("unique_counts", Ok(counts), &lengths(&starts, all.len()));
    let (_, first) = x.unique_indices().unwrap();
    case.equal("unique_indices", Ok(first), &pick(&up, &starts));
    let (_, inverse) = x.unique_inverse().unwrap();
    let place = |value: &T| values.partition_point(|other| order(other, value).is_lt());
    let wanted: Vec<usize> = case.host.iter().map(place).collect();
    case.equal("unique_inverse", Ok(inverse), &wanted);
    let starts = runs(&case.host);
    let (firsts, counts) = x.run_length().unwrap();
    case.same("run_length", Ok(firsts), &pick(&case.host, &starts));
    let wanted = lengths(&starts, case.host.len());
    case.equal("lengths of run_length", Ok(counts), &wanted);
    6
}

fn operations<T: Element>(case: &mut Case<T>) -> usize {
    let (other, array) = case.other();
    let x = case.expr();
    // NaN is in no set.
    let within = |set: &[T], value: &T| set.contains(value);
    let wanted: Vec<bool> = case
        .host
        .iter()
        .map(|value| within(&other, value))
        .collect();
    case.equal("isin", x.isin(&array), &wanted);
    let distinct = |values: &[T]| {
        let all = sorted(values);
        pick(&all, &runs(&all))
    };
    let filtered = |values: &[T], set: &[T], inside: bool| -> Vec<T> {
        let kept = distinct(values).into_iter();
        kept.filter(|value| within(set, value) == inside).collect()
    };
    case.same(
        "intersect",
        x.intersect(&array),
        &filtered(&case.host, &other, true),
    );
    let only_here = filtered(&case.host, &other, false);
    case.same("difference", x.difference(&array), &only_here);
    let union = distinct(&[&case.host[..], &other].concat());
    case.same("union", x.union(&array), &union);
    let only_there = filtered(&other, &case.host, false);
    let either = sorted(&[only_here, only_there].concat());
    case.same(
        "symmetric_difference",
        x.symmetric_difference(&array),
        &either,
    );

    let edges = sorted(&other);
    let device = Array::from_slice(&case.stream, &edges).unwrap();
    let left = |value: &T| edges.partition_point(|edge| order(edge, value).is_lt());
    let right = |value: &T| edges.partition_point(|edge| order(edge, value).is_le());
    let wanted: Vec<usize> = case.host.iter().map(left).collect();
    case.equal("searchsorted", device.searchsorted(&x), &wanted);
    let wanted: Vec<usize> = case.host.iter().map(right).collect();
    case.equal("searchsorted_right", device.searchsorted_right(&x), &wanted);

    let own = sorted(&case.host);
    let merged = Array::from_slice(&case.stream, &own)
        .unwrap()
        .merge(&device);
    case.same("merge", merged, &sorted(&[own, edges.clone()].concat()));

    // The last bin includes its upper edge, as in NumPy.
    let edges: Vec<T> = edges.into_iter().filter(|edge| !is_nan(edge)).collect();
    if edges.len() < 2 {
        return 8;
    }
    let mut bins = vec![0u64; edges.len() - 1];
    for value in case.host.iter().filter(|value| !is_nan(*value)) {
        let bin = edges.partition_point(|edge| edge <= value);
        if bin == edges.len() && *value == edges[edges.len() - 1] {
            *bins.last_mut().unwrap() += 1;
        } else if bin > 0 && bin < edges.len() {
            bins[bin - 1] += 1;
        }
    }
    let device = Array::from_slice(&case.stream, &edges).unwrap();
    case.equal(
        "histogram_with_edges",
        x.histogram_with_edges(&device),
        &bins,
    );
    9
}
