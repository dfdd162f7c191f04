//! Searches in sorted arrays, histograms with edges, unique elements, set operations, sorts by several
//! keys and merges, compared with the host.

use std::{cmp::Ordering, collections::HashMap};

use cuda_compute::{Array, SortKey, lexsort, s};
use half::{bf16, f16};

use crate::{
    OnHost, elements,
    random::Random,
    shaped,
    sort_keys::{Key, order, random_keys, sorted_places},
    stream, upload,
};

fn pick<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| values[place]).collect()
}

fn is_nan<K: Key>(key: &K) -> bool {
    key.partial_cmp(key).is_none()
}

fn sorted<K: Key>(keys: &[K]) -> Vec<K> {
    pick(keys, &sorted_places(keys, false))
}

/// Returns whether keys are equal in the order of sorts.
fn same<K: Key>(a: &[K], b: &[K]) -> bool {
    let equal = |(a, b)| order::<K>(a, b) == Ordering::Equal;
    a.len() == b.len() && a.iter().zip(b).all(equal)
}

/// Returns the place of the first element of each run of equal elements.
fn runs<K: Key>(keys: &[K]) -> Vec<usize> {
    let begins = |at: &usize| *at == 0 || order(&keys[at - 1], &keys[*at]) != Ordering::Equal;
    (0..keys.len()).filter(begins).collect()
}

fn unique<K: Key>(keys: &[K]) -> Vec<K> {
    let sorted = sorted(keys);
    pick(&sorted, &runs(&sorted))
}

/// Searches in arrays of some lengths, among them powers of two and their neighbours.
fn searches<K: Key>() {
    let stream = stream();
    for (length, count) in [
        (0, 5),
        (1, 7),
        (2, 9),
        (7, 64),
        (8, 33),
        (300, 1031),
        (1025, 2),
    ] {
        let host = sorted(&random_keys::<K>(length, 60));
        let values = random_keys::<K>(count, 61);
        let (x, y) = (upload(&stream, &host), upload(&stream, &values));
        let left = |value: &K| host.partition_point(|key| order(key, value).is_lt());
        let right = |value: &K| host.partition_point(|key| order(key, value).is_le());
        let found = |value: &K| host.contains(value);
        let what = format!("{:?} {length} {count}", K::DATA_TYPE);
        let wanted: Vec<usize> = values.iter().map(left).collect();
        assert!(elements(x.searchsorted(&y)) == wanted, "{what}");
        assert!(elements(y.digitize_right(&x)) == wanted, "{what}");
        let wanted: Vec<usize> = values.iter().map(right).collect();
        assert!(elements(x.searchsorted_right(&y)) == wanted, "{what}");
        assert!(elements(y.digitize(&x)) == wanted, "{what}");
        let wanted: Vec<bool> = values.iter().map(found).collect();
        assert!(elements(y.isin(x.flip(0).unwrap())) == wanted, "{what}");
    }
}

#[test]
fn values_of_all_types_are_found_in_sorted_arrays() {
    searches::<bool>();
    searches::<u8>();
    searches::<i16>();
    searches::<u32>();
    searches::<i64>();
    searches::<usize>();
    searches::<f16>();
    searches::<bf16>();
    searches::<f32>();
    searches::<f64>();
}

#[test]
fn values_have_any_shape_and_the_sorted_array_any_stride() {
    let stream = stream();
    let host: Vec<i32> = (0..100).collect();
    let sorted = upload(&stream, &host).slice(s![..;3]).unwrap();
    let values = shaped(&stream, [2, 3], &[-1, 0, 1, 50, 51, 1000]);
    let places = sorted.searchsorted(values.t() * 1).unwrap();
    assert_eq!(places.shape().as_slice(), [3, 2]);
    assert_eq!(places.to_vec().unwrap(), [0, 17, 0, 17, 1, 34]);
    // An expression without an array is searched for on the sorted array's stream.
    let place = sorted.searchsorted_right(6).unwrap();
    assert_eq!((place.rank(), place.item().unwrap()), (0, 3));
    assert_eq!(place.stream(), &stream);
}

#[test]
fn only_vectors_are_searched_and_merged() {
    let stream = stream();
    let x = shaped(&stream, [2, 2], &[1, 2, 3, 4]);
    let vector = upload(&stream, &[1]);
    for error in [
        x.searchsorted(1).unwrap_err(),
        vector.digitize(&x).unwrap_err(),
        vector.histogram_with_edges(&x).unwrap_err(),
        vector.merge(&x).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(
            text.contains("[2, 2]") && text.contains("one axis"),
            "{text}"
        );
    }
    let none = upload::<i32>(&stream, &[]);
    let text = vector.histogram_with_edges(&none).unwrap_err().to_string();
    assert!(text.contains("at least one element"), "{text}");
}

/// Returns the bin of a value between edges.
fn bin_of<K: Key>(edges: &[K], value: K) -> Option<usize> {
    let bins = edges.len() - 1;
    match edges.partition_point(|edge| order(edge, &value).is_le()) {
        0 => None,
        place if place <= bins => Some(place - 1),
        _ => (value == edges[bins]).then(|| bins.saturating_sub(1)),
    }
    .filter(|_| bins > 0)
}

fn histograms<K: Key>(count: usize, number_of_edges: usize) {
    let stream = stream();
    let host = random_keys::<K>(count, 1000);
    let edges = random_keys::<K>(4 * number_of_edges, 999);
    let edges = edges.into_iter().filter(|edge| !is_nan(edge));
    let edges = sorted(&edges.take(number_of_edges).collect::<Vec<K>>());
    assert_eq!(edges.len(), number_of_edges);
    let mut wanted = vec![0; number_of_edges - 1];
    for bin in host.iter().filter_map(|&value| bin_of(&edges, value)) {
        wanted[bin] += 1;
    }
    let (x, bins) = (upload(&stream, &host), upload(&stream, &edges));
    let counts = elements(x.histogram_with_edges(&bins));
    let bounds = upload(&stream, &[0.0, 1.0, f64::NAN]);
    let values = upload(&stream, &[0.5, 2.0, f64::NAN]);
    assert_eq!(elements(values.histogram_with_edges(&bounds)), [1, 1]);
    assert!(
        counts == wanted,
        "{:?} {count}, {number_of_edges}",
        K::DATA_TYPE
    );
}

#[test]
fn histograms_with_edges_count_as_on_the_host() {
    histograms::<f32>(10_001, 17);
    histograms::<f64>(999, 2);
    histograms::<f16>(5000, 40);
    histograms::<bf16>(4, 3);
    histograms::<u8>(3000, 20);
    histograms::<i64>(777, 5);
    histograms::<i32>(0, 5);
    histograms::<i32>(5, 1);
    // More bins than counters in shared memory.
    histograms::<u32>(3000, 9000);
}

#[test]
fn histograms_of_two_dimensions_count_pairs() {
    let stream = stream();
    let mut random = Random(5);
    let mut reals =
        |count: usize| -> Vec<f32> { (0..count).map(|_| random.real() as f32).collect() };
    let (x, y) = (reals(3001), reals(3001));
    let (rows, columns) = ([-1.0, -0.5, 0.25, 0.75f32], [-0.9, 0.0, 0.3f32]);
    let mut wanted = [0; 6];
    for (&x, &y) in x.iter().zip(&y) {
        if let (Some(row), Some(column)) = (bin_of(&rows, x), bin_of(&columns, y)) {
            wanted[row * 2 + column] += 1;
        }
    }
    let (x, y) = (upload(&stream, &x), upload(&stream, &y));
    let (rows, columns) = (upload(&stream, &rows), upload(&stream, &columns));
    let counts = x.histogram2d(&y, &rows, &columns).unwrap();
    assert_eq!(counts.shape().as_slice(), [3, 2]);
    assert_eq!(counts.to_vec().unwrap(), wanted);
    // A number is broadcast.
    let counts = x.histogram2d(0.1, &rows, &columns).unwrap();
    let sums = counts.sum_axis(0).eval().unwrap().to_vec().unwrap();
    let inside = x.histogram_with_edges(&rows).unwrap().sum().eval().unwrap();
    assert_eq!(sums, [0, inside.item().unwrap()]);
    let wrong = x.histogram2d(y.slice(s![..5]).unwrap(), &rows, &columns);
    assert!(wrong.is_err());
}

fn uniques<K: Key>(count: usize, distinct: u64) {
    let stream = stream();
    let host = random_keys::<K>(count, distinct);
    let x = upload(&stream, &host);
    let what = format!("{:?} {count} of {distinct}", K::DATA_TYPE);
    let values = unique(&host);
    assert!(same(&elements(x.unique()), &values), "{what}");

    let place_of = |key: &K| values.partition_point(|value| order(value, key).is_lt());
    let places: Vec<usize> = host.iter().map(place_of).collect();
    let (got, inverse) = x.unique_inverse().unwrap();
    assert!(same(&got.to_vec().unwrap(), &values), "{what}");
    assert!(inverse.to_vec().unwrap() == places, "{what}");

    let (mut counts, mut first) = (vec![0; values.len()], HashMap::new());
    for (at, &place) in places.iter().enumerate() {
        counts[place] += 1;
        first.entry(place).or_insert(at);
    }
    let (got, number) = x.unique_counts().unwrap();
    assert!(same(&got.to_vec().unwrap(), &values), "{what}");
    assert!(number.to_vec().unwrap() == counts, "{what}");
    let (got, indices) = x.unique_indices().unwrap();
    assert!(same(&got.to_vec().unwrap(), &values), "{what}");
    let wanted: Vec<usize> = (0..values.len()).map(|place| first[&place]).collect();
    assert!(indices.to_vec().unwrap() == wanted, "{what}");

    let mut starts = runs(&host);
    let wanted = pick(&host, &starts);
    assert!(same(&elements(x.unique_consecutive()), &wanted), "{what}");
    starts.push(count);
    let lengths: Vec<usize> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (got, number) = x.run_length().unwrap();
    assert!(same(&got.to_vec().unwrap(), &wanted), "{what}");
    assert!(number.to_vec().unwrap() == lengths, "{what}");
}

#[test]
fn elements_that_occur_are_found() {
    for (count, distinct) in [(0, 1), (1, 1), (2, 2), (500, 3), (1000, 900)] {
        uniques::<f32>(count, distinct);
        uniques::<i32>(count, distinct);
    }
    uniques::<bool>(100, 2);
    uniques::<u8>(1000, 50);
    uniques::<f16>(600, 70);
    uniques::<bf16>(600, 70);
    uniques::<i64>(600, 300);
    uniques::<f64>(300, 30);
    // Several tiles, of which few or almost all elements are selected.
    uniques::<u32>(20_000, 5);
    uniques::<u32>(20_000, u64::MAX);
}

#[test]
fn the_first_of_equal_elements_is_kept() {
    let stream = stream();
    let x = upload(&stream, &[1.0f32, 0.0, -0.0, f32::NAN, -f32::NAN, -0.0]);
    let bits =
        |x: Array<f32>| -> Vec<u32> { x.to_vec().unwrap().into_iter().map(f32::to_bits).collect() };
    let nan = f32::NAN.to_bits();
    assert_eq!(bits(x.unique().unwrap()), [0, 1.0f32.to_bits(), nan]);
    let y = x.flip(0).unwrap();
    let negative = ((-0.0f32).to_bits(), (-f32::NAN).to_bits());
    assert_eq!(
        bits(y.unique().unwrap()),
        [negative.0, 1.0f32.to_bits(), negative.1]
    );
}

#[test]
fn expressions_of_any_shape_have_unique_elements() {
    let stream = stream();
    let x = shaped(&stream, [2, 3], &[4, 1, 4, 2, 2, 1]);
    let (values, inverse) = (x.t() * 10).unique_inverse().unwrap();
    assert_eq!(values.to_vec().unwrap(), [10, 20, 40]);
    assert_eq!(inverse.shape().as_slice(), [3, 2]);
    assert_eq!(inverse.to_vec().unwrap(), [2, 1, 0, 1, 2, 0]);
    let (values, lengths) = (&x / 2).run_length().unwrap();
    assert_eq!(values.to_vec().unwrap(), [2, 0, 2, 1, 0]);
    assert_eq!(lengths.to_vec().unwrap(), [1, 1, 1, 2, 1]);
}

fn set_operations<K: Key>(counts: [usize; 2], distinct: u64) {
    let stream = stream();
    let [one, other] = counts.map(|count| random_keys::<K>(count, distinct + count as u64));
    let (x, y) = (upload(&stream, &one), upload(&stream, &other));
    let what = format!("{:?} {counts:?}", K::DATA_TYPE);
    // Like NumPy, NaN is in no set.
    let (inside, outside): (Vec<K>, Vec<K>) = one.iter().partition(|key| other.contains(key));
    assert!(same(&elements(x.intersect(&y)), &unique(&inside)), "{what}");
    assert!(
        same(&elements(x.difference(&y)), &unique(&outside)),
        "{what}"
    );
    let both = [&one[..], &other[..]].concat();
    assert!(same(&elements(x.union(&y)), &unique(&both)), "{what}");
}

#[test]
fn sets_are_intersected_united_and_subtracted() {
    for counts in [[0, 0], [0, 9], [9, 0], [1, 1], [100, 40], [40, 1000]] {
        set_operations::<i32>(counts, 60);
        set_operations::<f32>(counts, 60);
    }
    set_operations::<u8>([300, 20], 100);
    set_operations::<bool>([3, 2], 1);
    set_operations::<f16>([300, 200], 80);
    set_operations::<i64>([300, 200], 80);
    set_operations::<f64>([9000, 700], 500);
}

#[test]
fn sets_of_other_shapes_and_streams_are_used() {
    let (stream, second) = (stream(), stream());
    let x = shaped(&stream, [2, 2], &[1, 2, 3, 4]);
    let set = shaped(&second, [1, 3], &[4, 9, 1]);
    let is_in = x.isin(&set + 0).unwrap();
    assert_eq!(is_in.shape().as_slice(), [2, 2]);
    assert_eq!(is_in.stream(), &stream);
    assert_eq!(is_in.to_vec().unwrap(), [true, false, false, true]);
    assert_eq!(elements(x.union(&set)), [1, 2, 3, 4, 9]);
    assert_eq!(elements(x.intersect(&set)), [1, 4]);
}

#[test]
fn places_are_sorted_by_several_keys() {
    let stream = stream();
    for count in [0, 1, 50, 9000] {
        let (a, b) = (random_keys::<f32>(count, 40), random_keys::<u8>(count, 3));
        let c = random_keys::<i16>(count, 5);
        let (x, y, z) = (
            upload(&stream, &a),
            upload(&stream, &b),
            upload(&stream, &c),
        );
        let mut wanted: Vec<usize> = (0..count).collect();
        wanted.sort_by(|&i, &j| order(&b[i], &b[j]).then(order(&a[i], &a[j])));
        assert!(elements(lexsort((&x, &y))) == wanted, "{count}");
        wanted.sort_by(|&i, &j| order(&c[i], &c[j]));
        assert!(elements(lexsort((&x, y, z.expr()))) == wanted, "{count}");
        assert!(elements(lexsort(&x)) == sorted_places(&a, false), "{count}");
    }
}

fn pairs_of_32_bits<A: Key, B: Key>(count: usize, distinct: u64) {
    let stream = stream();
    let (a, b) = (
        random_keys::<A>(count, distinct),
        random_keys::<B>(count, 6),
    );
    let (x, y) = (upload(&stream, &a), upload(&stream, &b));
    let mut wanted: Vec<usize> = (0..count).collect();
    wanted.sort_by(|&i, &j| order(&b[i], &b[j]).then(order(&a[i], &a[j])));
    let what = format!("{count} of {:?} and {:?}", A::DATA_TYPE, B::DATA_TYPE);
    assert!(elements(lexsort((&x, &y))) == wanted, "{what}");
    // The last key decides, and the one before it is sorted with it.
    let c = random_keys::<u32>(count, 3);
    let z = upload(&stream, &c);
    wanted.sort_by_key(|&i| c[i]);
    assert!(elements(lexsort((&x, &y, &z))) == wanted, "{what}, u32");
    let d: Vec<u8> = c.iter().map(|&c| c as u8).collect();
    let mut wanted: Vec<usize> = (0..count).collect();
    wanted.sort_by(|&i, &j| {
        (order(&b[i], &b[j]))
            .then(d[i].cmp(&d[j]))
            .then(order(&a[i], &a[j]))
    });
    let d = upload(&stream, &d);
    assert!(elements(lexsort((&x, &d, &y))) == wanted, "{what}, u8");
}

#[test]
fn pairs_of_32_bit_keys_sort() {
    for (count, distinct) in [(0, 9), (300, u64::MAX), (300, 4), (9000, 2000)] {
        pairs_of_32_bits::<f32, f32>(count, distinct);
        pairs_of_32_bits::<u32, f32>(count, distinct);
        pairs_of_32_bits::<f32, i32>(count, distinct);
        pairs_of_32_bits::<i32, u32>(count, distinct);
    }
    // Keys in other layouts are taken in C order.
    let stream = stream();
    let x = shaped(&stream, [2, 2], &[3u32, 1, 2, 0]);
    let y = upload(&stream, &[1.0f32, 1.0, -0.0, 0.0]);
    assert_eq!(elements(lexsort((x.t(), &y))), [3, 2, 1, 0]);
}

#[test]
fn keys_of_other_lengths_do_not_sort() {
    let stream = stream();
    let (x, y) = (upload(&stream, &[1, 2, 3]), upload(&stream, &[1.0, 2.0]));
    for error in [
        lexsort((&x, &y)).unwrap_err(),
        lexsort((&x, &x, y.cast::<f32>())).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(
            text.contains("2 elements") && text.contains("have 3"),
            "{text}"
        );
    }
}

fn merges<K: Key>(counts: [usize; 2], distinct: u64) {
    let stream = stream();
    let [one, other] = counts.map(|count| sorted(&random_keys::<K>(count, distinct)));
    let merged = upload(&stream, &one).merge(&upload(&stream, &other));
    // A stable sort keeps equal elements of the first array before those of the second.
    let wanted = sorted(&[one, other].concat());
    let is_half = size_of::<K>() == 2;
    let bits = |keys: &[K]| -> Vec<u64> {
        let keys = keys.iter().filter(|key| !is_half || !is_nan(*key));
        keys.map(|key| key.to_bits()).collect()
    };
    let merged = elements(merged);
    assert_eq!(merged.len(), wanted.len());
    assert!(
        bits(&merged) == bits(&wanted),
        "{:?} {counts:?}",
        K::DATA_TYPE
    );
}

#[test]
fn sorted_arrays_are_merged_stably() {
    for counts in [
        [0, 0],
        [0, 3],
        [3, 0],
        [1, 1],
        [100, 7],
        [3000, 5000],
        [2048, 2048],
        [1, 4100],
    ] {
        merges::<f32>(counts, 50);
        merges::<u32>(counts, u64::MAX);
    }
    merges::<bool>([10, 20], 2);
    merges::<u8>([1000, 1500], 30);
    merges::<f16>([1000, 1500], 300);
    merges::<i64>([1000, 1500], 300);
    merges::<f64>([2100, 15], 300);
}

#[test]
fn merges_of_unsorted_arrays_stay_within_them() {
    let stream = stream();
    let one = random_keys::<i32>(5000, u64::MAX);
    let other = random_keys::<i32>(3001, u64::MAX - 1);
    let (x, y) = (upload(&stream, &one), upload(&stream, &other));
    let merged = elements(x.merge(&y));
    assert_eq!(merged.len(), 8001);
    let all = [one, other].concat();
    assert!(merged.iter().all(|key| all.contains(key)));
    assert!(
        elements(x.searchsorted(&y))
            .iter()
            .all(|&place| place <= 5000)
    );
}

/// All keys can be passed on by generic code.
fn occurs_once<K: SortKey>(x: &Array<K>) -> cuda_compute::Result<bool> {
    Ok(x.unique()?.len() == x.len())
}

#[test]
fn generic_code_uses_sets() {
    let stream = stream();
    assert!(occurs_once(&upload(&stream, &[2.0, 1.0])).unwrap());
    assert!(!occurs_once(&upload(&stream, &[true, true])).unwrap());
}

/// With many values, blocks keep keys in shared memory.
#[test]
fn many_values_are_found_in_long_and_short_arrays() {
    fn check<K: Key + SortKey>(keys: usize, distinct: u64) {
        let stream = stream();
        let mut sorted = random_keys::<K>(keys, distinct);
        sorted.sort_by(order);
        let values = random_keys::<K>((1 << 18) + 3, distinct.saturating_add(1));
        let (table, x) = (upload(&stream, &sorted), upload(&stream, &values));
        let before = |value: &K| sorted.partition_point(|key| order(key, value).is_lt());
        let upto = |value: &K| sorted.partition_point(|key| order(key, value).is_le());
        let left: Vec<usize> = values.iter().map(before).collect();
        let right: Vec<usize> = values.iter().map(upto).collect();
        let what = format!("{keys} {:?}", K::DATA_TYPE);
        assert!(table.searchsorted(&x).unwrap().host() == left, "{what}");
        assert!(
            table.searchsorted_right(&x).unwrap().host() == right,
            "{what}"
        );
        // From an element that is not aligned for vectors.
        let part = table.slice(s![1..]).unwrap();
        let left: Vec<usize> = left.iter().map(|place| place.saturating_sub(1)).collect();
        assert!(part.searchsorted(&x).unwrap().host() == left, "{what}");
    }
    check::<f32>(40_001, u64::MAX);
    check::<u8>(5000, 300);
    check::<f64>(1024, u64::MAX);
    check::<i64>(100_000, 2000);
}
