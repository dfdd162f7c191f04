//! Sorts, compared with stable sorts on the host.

use std::cmp::Ordering;

use cuda_compute::{Array, DataType, Order, s};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{
    failure::failure,
    random::Random,
    shaped,
    sort_keys::{Key, order, random_keys, sorted_places},
    stream, upload,
};

/// Compares elements bit for bit, because NaN is unequal to itself. Halves are computed as floats,
/// which does not keep all bits of NaN.
#[track_caller]
fn check<K: Key>(got: &Array<K>, wanted: &[K], what: &str) {
    let is_half = matches!(K::DATA_TYPE, DataType::F16 | DataType::Bf16);
    let bits = |keys: &[K]| -> Vec<u64> {
        let bits = |&key: &K| match is_half && key.partial_cmp(&key).is_none() {
            true => u64::MAX,
            false => key.to_bits(),
        };
        keys.iter().map(bits).collect()
    };
    let got = got.to_vec().unwrap();
    assert!(bits(&got) == bits(wanted), "{:?} {what}", K::DATA_TYPE);
}

fn pick<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| values[place]).collect()
}

/// Returns the places of the elements of each line along an axis.
fn lines_along(shape: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let (count, inner) = (
        shape.iter().product(),
        shape[axis + 1..].iter().product::<usize>(),
    );
    let starts = (0..count).filter(|at| (at / inner).is_multiple_of(shape[axis]));
    let line = |start: usize| (0..shape[axis]).map(|i| start + i * inner).collect();
    starts.map(line).collect()
}

/// Sorts lines in all ways.
fn sorts_of<K: Key>(lines: usize, length: usize, distinct: u64) {
    let stream = stream();
    let host = random_keys::<K>(lines * length, distinct);
    let x = shaped(&stream, [lines, length], &host);
    let what = format!("{lines} x {length} of {distinct}");
    let values: Vec<i32> = (0..host.len() as i32).collect();
    let values = shaped(&stream, [lines, length], &values);
    for descending in [false, true] {
        let places: Vec<usize> = host
            .chunks(length)
            .flat_map(|line| sorted_places(line, descending))
            .collect();
        let of_all = |at: usize| at / length * length + places[at];
        let all: Vec<usize> = (0..host.len()).map(of_all).collect();
        let wanted = pick(&host, &all);
        let (sorted, arg, by_key) = if descending {
            (
                x.sort_descending_axis(1),
                x.argsort_descending_axis(1),
                x.sort_by_key_descending_axis(&values, 1),
            )
        } else {
            (
                x.sort_axis(1),
                x.argsort_axis(1),
                x.sort_by_key_axis(&values, 1),
            )
        };
        check(&sorted.unwrap(), &wanted, &what);
        assert!(
            arg.unwrap().to_vec().unwrap() == places,
            "{:?} {what}",
            K::DATA_TYPE
        );
        let (keys, moved) = by_key.unwrap();
        check(&keys, &wanted, &what);
        let moved = moved.to_vec().unwrap();
        assert!(
            moved.iter().map(|&i| i as usize).eq(all.iter().copied()),
            "{what}"
        );
        let mut own = x.copy().unwrap();
        match descending {
            false => own.sort_in_place_axis(-1).unwrap(),
            true => own.sort_descending_in_place_axis(-1).unwrap(),
        }
        check(&own, &wanted, &what);
    }
}

fn sorts_of_all_sizes<K: Key>() {
    sorts_of::<K>(3, 7, 5);
    sorts_of::<K>(1, 600, u64::MAX);
    // Lines that don't fit in a block.
    sorts_of::<K>(1, if size_of::<K>() == 8 { 4100 } else { 8200 }, 3000);
}

#[test]
fn lines_of_a_block_are_sorted() {
    for (lines, length) in [(1, 1), (300, 2), (2, 100), (1, 2000), (2, 8192)] {
        sorts_of::<u32>(lines, length, 500);
    }
}

#[test]
fn lines_of_several_tiles_are_sorted() {
    sorts_of::<u32>(2, 8192 + 77, u64::MAX);
    sorts_of::<f32>(1, 20_011, 3);
    sorts_of::<i64>(3, 9000, u64::MAX);
    sorts_of::<u8>(2, 9001, u64::MAX);
}

#[test]
fn integers_of_32_bits_are_sorted() {
    sorts_of_all_sizes::<u32>();
    sorts_of_all_sizes::<i32>();
}

#[test]
fn floats_are_sorted() {
    sorts_of_all_sizes::<f32>();
    sorts_of_all_sizes::<f64>();
}

#[test]
fn halves_are_sorted() {
    sorts_of_all_sizes::<f16>();
    sorts_of_all_sizes::<bf16>();
}

#[test]
fn small_integers_are_sorted() {
    sorts_of_all_sizes::<u8>();
    sorts_of_all_sizes::<i8>();
    sorts_of_all_sizes::<bool>();
    sorts_of_all_sizes::<u16>();
    sorts_of_all_sizes::<i16>();
}

#[test]
fn integers_of_64_bits_are_sorted() {
    sorts_of_all_sizes::<u64>();
    sorts_of_all_sizes::<i64>();
    sorts_of_all_sizes::<usize>();
}

#[test]
fn all_elements_are_sorted_as_one_line() {
    let stream = stream();
    for count in [24usize, 24_000] {
        let host = random_keys::<f32>(count, u64::MAX);
        let places = sorted_places(&host, false);
        let x = shaped(&stream, [2, count / 4, 2], &host);
        check(&x.sort().unwrap(), &pick(&host, &places), "all");
        assert_eq!(x.argsort().unwrap().to_vec().unwrap(), places);
        let mut own = x.copy().unwrap();
        own.sort_in_place().unwrap();
        assert_eq!(own.shape(), [2, count / 4, 2]);
        check(&own, &pick(&host, &places), "in place");
        let mut turned = x.t();
        turned.sort_descending_in_place().unwrap();
        check(
            &turned,
            &pick(&host, &descending(&turned_keys(&host, count / 4), &host)),
            "turned",
        );
    }
}

/// The places, in a row-major array of shape `[2, middle, 2]`, of the transposed array's elements.
fn turned_keys(host: &[f32], middle: usize) -> Vec<usize> {
    assert_eq!(host.len(), 4 * middle);
    let mut places = Vec::new();
    for k in 0..2 {
        for j in 0..middle {
            for i in 0..2 {
                places.push((i * middle + j) * 2 + k);
            }
        }
    }
    places
}

fn descending(places: &[usize], host: &[f32]) -> Vec<usize> {
    pick(places, &sorted_places(&pick(host, places), true))
}

#[test]
fn every_axis_can_be_sorted() {
    let stream = stream();
    let lengths = [5usize, 40, 3];
    let host = random_keys::<i32>(600, 50);
    let x = shaped(&stream, lengths, &host);
    for view in [
        x.clone(),
        x.permute([2, 0, 1]).unwrap(),
        x.slice(s![.., ..;-1, 1..]).unwrap(),
    ] {
        let shape: Vec<usize> = view.shape().as_slice().to_vec();
        let elements = view.to_vec().unwrap();
        for axis in 0..3 {
            let (mut wanted, mut places) = (elements.clone(), vec![0; elements.len()]);
            for line in lines_along(&shape, axis) {
                let keys = pick(&elements, &line);
                for (&to, from) in line.iter().zip(sorted_places(&keys, false)) {
                    wanted[to] = keys[from];
                    places[to] = from;
                }
            }
            let sorted = view.sort_axis(axis).unwrap();
            assert_eq!(sorted.shape(), view.shape());
            check(&sorted, &wanted, "axis");
            assert_eq!(view.argsort_axis(axis).unwrap().to_vec().unwrap(), places);
            let mut own = view.clone();
            own.sort_in_place_axis(axis).unwrap();
            check(&own, &wanted, "axis in place");
            assert_eq!(view.to_vec().unwrap(), elements);
        }
    }
}

#[test]
fn expressions_are_keys_and_values() {
    let stream = stream();
    for count in [1000, 30_000] {
        let host = random_keys::<i32>(count, 1000);
        let x = upload(&stream, &host);
        let keys: Vec<i32> = host.iter().map(|&x| x.wrapping_mul(x)).collect();
        let places = sorted_places(&keys, false);
        check(&(&x * &x).sort().unwrap(), &pick(&keys, &places), "squares");
        let (sorted, values) = (&x * &x).sort_by_key(x.cast::<f64>() + 0.5).unwrap();
        check(&sorted, &pick(&keys, &places), "squares");
        let wanted: Vec<f64> = pick(&host, &places)
            .iter()
            .map(|&x| f64::from(x) + 0.5)
            .collect();
        assert_eq!(values.to_vec().unwrap(), wanted);
        // Reductions within an expression are computed once.
        let centred = (&x - x.max()).sort().unwrap();
        let most = host.iter().copied().max().unwrap();
        let mut wanted: Vec<i32> = host.iter().map(|x| x.wrapping_sub(most)).collect();
        wanted.sort_unstable();
        check(&centred, &wanted, "differences");
    }
}

#[test]
fn values_of_all_sizes_move_along() {
    let stream = stream();
    for count in [500, 20_000] {
        let host = random_keys::<u16>(count, 700);
        let (x, places) = (upload(&stream, &host), sorted_places(&host, false));
        let whole: Vec<u32> = (0..count as u32).collect();
        let bytes: Vec<u8> = whole.iter().map(|&i| i as u8).collect();
        let flags: Vec<bool> = whole.iter().map(|i| i % 3 == 0).collect();
        let pairs: Vec<Complex<f64>> = whole
            .iter()
            .map(|&i| Complex::new(f64::from(i), -1.0))
            .collect();
        let moved = |values: &Array<u8>| x.sort_by_key(values).unwrap().1.to_vec().unwrap();
        assert_eq!(moved(&upload(&stream, &bytes)), pick(&bytes, &places));
        let (_, moved) = x.sort_by_key(upload(&stream, &flags)).unwrap();
        assert_eq!(moved.to_vec().unwrap(), pick(&flags, &places));
        let (_, moved) = x.sort_by_key(upload(&stream, &pairs)).unwrap();
        assert_eq!(moved.to_vec().unwrap(), pick(&pairs, &places));
        let several = (
            upload(&stream, &pairs),
            upload(&stream, &whole),
            upload(&stream, &flags).expr(),
        );
        let (keys, (a, b, c)) = x.sort_by_key(several).unwrap();
        check(&keys, &pick(&host, &places), "tuple");
        assert_eq!(a.to_vec().unwrap(), pick(&pairs, &places));
        assert_eq!(b.to_vec().unwrap(), pick(&whole, &places));
        assert_eq!(c.to_vec().unwrap(), pick(&flags, &places));
    }
    // Along an outer axis, with values that are broadcast.
    let keys = shaped(&stream, [3, 2], &[2, 1, 1, 3, 0, 2]);
    let row = upload(&stream, &[10, 20]);
    let column = shaped(&stream, [3, 1], &[1.0, 2.0, 3.0]);
    let (sorted, (a, b)) = keys.sort_by_key_axis((&row, &column), 0).unwrap();
    assert_eq!(sorted.to_vec().unwrap(), [0, 1, 1, 2, 2, 3]);
    assert_eq!(a.to_vec().unwrap(), [10, 20, 10, 20, 10, 20]);
    assert_eq!(b.to_vec().unwrap(), [3.0, 1.0, 2.0, 3.0, 1.0, 2.0]);
}

#[test]
fn random_shapes_and_axes() {
    let mut random = Random(5);
    let stream = stream();
    for _ in 0..40 {
        let shape: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(9)).collect();
        let axis = random.below(shape.len());
        let count: usize = shape.iter().product();
        let host = random_keys::<f32>(count, 1 + random.below(6) as u64);
        let x = shaped(&stream, &shape[..], &host);
        let sorted = x.sort_axis(axis).unwrap().contiguous(Order::C).unwrap();
        let (_, by_place) = x.sort_by_key_axis(&x, axis).unwrap();
        assert_eq!(sorted.shape().as_slice(), shape);
        let mut wanted = host.clone();
        for line in lines_along(&shape, axis) {
            let keys = pick(&host, &line);
            for (&to, from) in line.iter().zip(sorted_places(&keys, false)) {
                wanted[to] = keys[from];
            }
        }
        check(&sorted, &wanted, "random");
        check(&by_place, &wanted, "random values");
    }
}

#[test]
fn sorts_reject_wrong_axes_and_shapes() {
    let stream = stream();
    let x = shaped(&stream, [2, 3], &[1, 2, 3, 4, 5, 6]);
    failure(x.sort_axis(2)).mentions("axis 2 is out of range");
    failure(x.clone().sort_in_place_axis(-3)).mentions("axis -3 is out of range");
    let values = upload(&stream, &[1.0f32; 4]);
    failure(x.sort_by_key(&values)).mentions("can't be broadcast");
    let none = Array::<f64>::zeros(&stream, [0, 4]).unwrap();
    assert_eq!(none.sort().unwrap().shape(), [0]);
    assert_eq!(none.sort_axis(0).unwrap().shape(), [0, 4]);
    assert_eq!(none.argsort_axis(1).unwrap().shape(), [0, 4]);
}

#[test]
fn zeros_and_nans_keep_their_order() {
    let stream = stream();
    let nan = |bits: u32| f32::from_bits(bits);
    let host = [
        0.0,
        nan(0xffc0_0001),
        -0.0,
        f32::NEG_INFINITY,
        nan(0x7f80_0001),
        0.0,
        -0.0,
        f32::INFINITY,
    ];
    let x = upload(&stream, &host);
    let up = [3, 0, 2, 5, 6, 7, 1, 4];
    assert_eq!(x.argsort().unwrap().to_vec().unwrap(), up);
    check(&x.sort().unwrap(), &pick(&host, &up), "up");
    let down = [7, 0, 2, 5, 6, 3, 1, 4];
    assert_eq!(x.argsort_descending().unwrap().to_vec().unwrap(), down);
    check(&x.sort_descending().unwrap(), &pick(&host, &down), "down");
    assert_eq!(order(&host[1], &host[4]), Ordering::Equal);
}
