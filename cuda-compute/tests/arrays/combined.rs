//! `put_add`, `put_min` and `put_max`, which combine values with the elements at given indices.

use cuda_compute::{Array, Expr, Number, Ordered, s};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{OnHost, random::Random, stream, upload};

/// Returns indices within `length`. Some occur many times, and some count from the end.
fn places(count: usize, length: usize) -> Vec<i64> {
    let mut random = Random(count as u64);
    let place = |_| {
        let at = (random.bits() % length as u64) as i64;
        match random.bits() % 4 {
            0 => at % 3,
            1 => at - length as i64,
            _ => at,
        }
    };
    (0..count).map(place).collect()
}

fn at(place: i64, length: usize) -> usize {
    place.rem_euclid(length as i64) as usize
}

fn folded<T: Copy>(start: &[T], places: &[i64], values: &[T], fold: impl Fn(T, T) -> T) -> Vec<T> {
    let mut all = start.to_vec();
    for (&place, &value) in places.iter().zip(values) {
        let place = at(place, start.len());
        all[place] = fold(all[place], value);
    }
    all
}

fn check_integers<T: Number + Ordered + Ord>(add: fn(T, T) -> T, of: impl Fn(u64) -> T) {
    let stream = stream();
    let mut random = Random(5);
    // In the last two cases, the array has far more elements than are written.
    for (count, length) in [(1, 1), (1000, 7), (5000, 1003), (3, 5000), (700, 40_001)] {
        let places = places(count, length);
        let start: Vec<T> = (0..length).map(|_| of(random.bits())).collect();
        let values: Vec<T> = (0..count).map(|_| of(random.bits())).collect();
        let x = upload(&stream, &start);
        let device_places = upload(&stream, &places);
        let device_values = upload(&stream, &values);
        let (mut sums, mut smallest, mut largest) = (x.clone(), x.clone(), x.clone());
        sums.put_add(&device_places, &device_values).unwrap();
        smallest.put_min(&device_places, &device_values).unwrap();
        largest.put_max(&device_places, &device_values).unwrap();
        let wanted = folded(&start, &places, &values, add);
        assert_eq!(sums.host(), wanted, "sums");
        let wanted = folded(&start, &places, &values, Ord::min);
        assert_eq!(smallest.host(), wanted, "smallest");
        let wanted = folded(&start, &places, &values, Ord::max);
        assert_eq!(largest.host(), wanted, "largest");
        assert_eq!(x.host(), start);
    }
}

#[test]
fn integers_are_combined_exactly() {
    check_integers(i8::wrapping_add, |x| x as i8);
    check_integers(u8::wrapping_add, |x| x as u8);
    check_integers(i16::wrapping_add, |x| x as i16);
    check_integers(u16::wrapping_add, |x| x as u16);
    check_integers(i32::wrapping_add, |x| x as i32);
    check_integers(u32::wrapping_add, |x| x as u32);
    check_integers(i64::wrapping_add, |x| x as i64);
    check_integers(u64::wrapping_add, |x| x);
}

/// Returns the sum as a multiple of a unit, and that unit. The values have 53 bits and such similar
/// exponents that 128 bits hold the sum exactly.
fn exact_sum(values: &[f64]) -> (i128, f64) {
    let unit = 2f64.powi(-60);
    let sum = values.iter().map(|value| (value / unit) as i128).sum();
    (sum, unit)
}

/// Checks sums of floats. Their bits do not depend on the order of the values, and the error is
/// within the documented bound.
fn check_sums<T: Number>(bits: i32, of: impl Fn(f64) -> T, back: impl Fn(T) -> f64) {
    let stream = stream();
    let mut random = Random(11);
    for (count, length, spread) in [
        (3usize, 2usize, 1),
        (3000, 5, 12),
        (4000, 1001, 3),
        (300, 5003, 12),
    ] {
        let places = places(count, length);
        let mut value = || {
            let mantissa = (random.bits() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            of(mantissa * 2f64.powi((random.bits() % spread) as i32))
        };
        let start: Vec<T> = (0..length).map(|_| value()).collect();
        let values: Vec<T> = (0..count).map(|_| value()).collect();
        let sums = |order: &[usize]| {
            let places: Vec<i64> = order.iter().map(|&i| places[i]).collect();
            let values: Vec<T> = order.iter().map(|&i| values[i]).collect();
            let mut x = upload(&stream, &start);
            let places = upload(&stream, &places);
            x.put_add(&places, upload(&stream, &values)).unwrap();
            x.host()
        };
        let forwards: Vec<usize> = (0..count).collect();
        let backwards: Vec<usize> = (0..count).rev().collect();
        let got = sums(&forwards);
        let bits_of = |all: &[T]| all.iter().map(|&x| back(x).to_bits()).collect::<Vec<_>>();
        assert_eq!(bits_of(&got), bits_of(&sums(&backwards)));
        for (i, &got) in got.iter().enumerate() {
            let of_place = |place: &i64| at(*place, length) == i;
            let own = places
                .iter()
                .zip(&values)
                .filter(|(place, _)| of_place(place));
            let mut all: Vec<f64> = own.map(|(_, &value)| back(value)).collect();
            all.push(back(start[i]));
            let largest = all.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            let (sum, unit) = exact_sum(&all);
            let off = (((back(got) / unit) as i128 - sum) as f64 * unit).abs();
            let half_a_bit = (sum as f64 * unit).abs() * 2f64.powi(-bits);
            // Single precision is summed in double precision.
            let slack = 1.0 + 2f64.powi(-20);
            let allowed = half_a_bit * slack + largest * 2f64.powi(-bits) / 2.0 + unit;
            assert!(
                off <= allowed,
                "{got:?} at {i} of {count}: off by {off:e}, {allowed:e} allowed"
            );
        }
    }
}

#[test]
fn sums_of_floats_do_not_depend_on_the_order() {
    check_sums(24, |x| x as f32, f64::from);
    check_sums(53, |x| x, |x| x);
    check_sums(11, f16::from_f64, f16::to_f64);
    check_sums(8, bf16::from_f64, bf16::to_f64);
    check_sums(24, |x| Complex::new(x as f32, 0.0), |x| x.re.into());
    check_sums(53, |x| Complex::new(0.0, x), |x| x.im);
}

#[test]
fn complex_numbers_are_added_by_part() {
    let stream = stream();
    let mut x = upload(&stream, &[Complex::new(1.0f32, 2.0); 3]);
    let values: Vec<_> = (0..100).map(|i| Complex::new(i as f32, -0.5)).collect();
    let places = upload(&stream, &[1u8; 100]);
    x.put_add(&places, upload(&stream, &values)).unwrap();
    let one = Complex::new(1.0, 2.0);
    assert_eq!(x.host(), [one, Complex::new(4951.0, -48.0), one]);
}

/// Adds all values to one element that holds `start`, and returns the result.
fn sum_at<T: Number>(start: T, values: &[T]) -> T {
    let stream = stream();
    let mut x = upload(&stream, &[start]);
    let places = Array::zeros(&stream, [values.len()]).unwrap();
    x.put_add::<u32>(&places, upload(&stream, values)).unwrap();
    x.value()
}

#[test]
fn sums_handle_overflow_infinity_and_rounding() {
    let big = 2f32.powi(20);
    assert_eq!(sum_at(0.0, &[big, 1.5, -big]), 1.5);
    assert_eq!(sum_at(-big, &[big, 2f32.powi(-3)]), 0.125);
    let tiny = f64::from_bits(1);
    assert_eq!(sum_at(0.0, &[tiny, tiny, tiny]), 3.0 * tiny);
    assert_eq!(
        sum_at(f64::MIN_POSITIVE, &[-tiny]),
        f64::from_bits((1 << 52) - 1)
    );
    assert_eq!(sum_at(0.0, &[f64::MAX, f64::MAX]), f64::INFINITY);
    assert_eq!(sum_at(0.0, &[f32::MAX, f32::MAX]), f32::INFINITY);
    // An intermediate sum may be outside the type's range.
    assert_eq!(sum_at(0.0, &[f32::MAX, f32::MAX, -f32::MAX]), f32::MAX);
    assert_eq!(sum_at(1.0f64, &[f64::INFINITY, 3.0]), f64::INFINITY);
    assert_eq!(
        sum_at(1.0f32, &[f32::NEG_INFINITY, f32::MAX]),
        f32::NEG_INFINITY
    );
    assert!(sum_at(1.0f32, &[f32::INFINITY, f32::NEG_INFINITY]).is_nan());
    assert!(sum_at(1.0f64, &[f64::NAN, 1.0]).is_nan());
    assert!(sum_at(f64::NAN, &[1.0]).is_nan());
    assert!(sum_at(f32::INFINITY, &[f32::NEG_INFINITY]).is_nan());
    assert_eq!(sum_at(f32::INFINITY, &[1.0]), f32::INFINITY);
    // 2^53 + 1 is not representable in `f64`. The sum is rounded only once.
    let odd = 2f64.powi(53);
    assert_eq!(sum_at(odd, &[0.5, 0.5, 1.0]), odd + 2.0);
    assert_eq!(sum_at(0.0, &[odd, 0.75, 0.75]), odd + 2.0);
}

fn check_extremes<T: Ordered>(of: impl Fn(f64) -> T, back: impl Fn(T) -> f64) {
    for length in [30, 7000] {
        check_extremes_of(length, &of, &back);
    }
}

fn check_extremes_of<T: Ordered>(length: usize, of: impl Fn(f64) -> T, back: impl Fn(T) -> f64) {
    let stream = stream();
    let values: Vec<f64> = (0..500)
        .map(|i| match i % 50 {
            3 => f64::NAN,
            4 => f64::INFINITY,
            5 => f64::NEG_INFINITY,
            _ => f64::from((i * 37) % 101 - 50) / 4.0,
        })
        .collect();
    let indices: Vec<i64> = (0..500).map(|i| i % 23 + i / 400 * 2).collect();
    let start: Vec<f64> = (0..length as i32)
        .map(|i| match i {
            2 => f64::NAN,
            7 => f64::INFINITY,
            _ => f64::from(i % 30) - 12.0,
        })
        .collect();
    let device = |values: &[f64]| {
        let values: Vec<T> = values.iter().map(|&x| of(x)).collect();
        upload(&stream, &values)
    };
    let places = upload(&stream, &indices);
    let (mut smallest, mut largest) = (device(&start), device(&start));
    smallest.put_min(&places, device(&values)).unwrap();
    largest.put_max(&places, device(&values)).unwrap();
    let same = |got: Array<T>, wanted: Vec<f64>| {
        for (i, (got, wanted)) in got.host().into_iter().zip(wanted).enumerate() {
            let got = back(got);
            assert!(
                got == wanted || got.is_nan() && wanted.is_nan(),
                "{got} for {wanted} at {i}"
            );
        }
    };
    same(smallest, folded(&start, &indices, &values, f64::min));
    same(largest, folded(&start, &indices, &values, f64::max));
}

#[test]
fn extremes_of_floats_ignore_nan() {
    check_extremes(|x| x as f32, f64::from);
    check_extremes(|x| x, |x| x);
    check_extremes(f16::from_f64, f16::to_f64);
    check_extremes(bf16::from_f64, bf16::to_f64);
    let stream = stream();
    let zeros = upload(&stream, &[0.0f32, -0.0, 0.0]);
    let places = upload(&stream, &[0u8, 0, 0]);
    let mut x = upload(&stream, &[-1.0f32]);
    x.put_max(&places, &zeros).unwrap();
    assert!(x.value().is_sign_positive());
    x.put_min(&places, &zeros).unwrap();
    assert!(x.value().is_sign_negative());
}

#[test]
fn indices_and_values_may_be_expressions() {
    let stream = stream();
    // Sums by row, and the number of values added to each.
    let x = Array::range(&stream, 0..6000)
        .unwrap()
        .cast::<f32>()
        .eval()
        .unwrap();
    let row = Expr::index([6000], 0).unwrap() / 100;
    let mut sums = Array::<f32>::zeros(&stream, [60]).unwrap();
    sums.put_add(row.clone(), &x * 0.5).unwrap();
    let wanted: Vec<f32> = (0..60)
        .map(|r| (r * 100 * 100 + 4950) as f32 * 0.5)
        .collect();
    assert_eq!(sums.host(), wanted);
    let mut counts = Array::<u16>::zeros(&stream, [60]).unwrap();
    counts.put_add(row, 1).unwrap();
    assert_eq!(counts.host(), [100; 60]);
    // The expression reads the old elements, also through a view.
    let mut y = upload(&stream, &[1.0f64, 2.0, 4.0]);
    let view = y.slice(s![..;-1]).unwrap();
    y.put_add(upload(&stream, &[0, 0, 1]), &view).unwrap();
    assert_eq!(y.host(), [7.0, 3.0, 4.0]);
    assert_eq!(view.host(), [4.0, 2.0, 1.0]);
    // An array that is not shared is changed in place. Empty indices change nothing.
    let (mut z, none) = (
        Array::<i32>::zeros(&stream, [2, 2]).unwrap(),
        Vec::<u8>::new(),
    );
    let address = z.as_device_ptr();
    z.put_add(upload(&stream, &none), 5).unwrap();
    z.put_add(upload(&stream, &[-1i8]), 5).unwrap();
    assert_eq!((z.as_device_ptr(), z.host()), (address, vec![0, 0, 0, 5]));
    // Indices count in C order.
    let mut turned = Array::<f32>::zeros(&stream, [2, 3]).unwrap().t();
    turned.put_add(upload(&stream, &[1u32, 1]), 2.0).unwrap();
    assert_eq!(turned.host(), [0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn invalid_indices_are_rejected() {
    let stream = stream();
    let places = upload(&stream, &[2, 3, 0]);
    let mut x = Array::<f32>::zeros(&stream, [3]).unwrap();
    let error = x.put_add(&places, 1.0).unwrap_err().to_string();
    assert!(
        error.contains("element 1 of the indices is 3, but there are only 3 elements to index"),
        "{error}"
    );
    assert_eq!(x.host(), [1.0, 0.0, 1.0], "valid indices are still added");
    let mut x = Array::<u64>::zeros(&stream, [3]).unwrap();
    assert!(x.put_max(&places, 9).is_err());
    let mut x = Array::<u8>::zeros(&stream, [3]).unwrap();
    assert!(x.put_min(&places, 9).is_err());
    let mut x = Array::<f64>::zeros(&stream, [300]).unwrap();
    let far = upload(&stream, &[299, 300, -300]);
    assert!(x.put_add(&far, 2.0).is_err());
    assert_eq!(x.sum().eval().unwrap().value(), 4.0);
    let mut none = Array::<f32>::from_slice(&stream, &[]).unwrap();
    let error = none.put_add(&places, 1.0).unwrap_err().to_string();
    assert!(
        error.contains("there are only 0 elements to index"),
        "{error}"
    );
    // More values than any kernel can process.
    for count in [1usize << 45, 1 << 62, (1 << 62) + 1] {
        let mut x = Array::<u16>::zeros(&stream, [3]).unwrap();
        let endless = Expr::index([count], 0).unwrap();
        let error = x.put_add(endless, 1).unwrap_err().to_string();
        assert!(error.contains("too large for one kernel"), "{error}");
        let mut y = Array::<f32>::zeros(&stream, [3]).unwrap();
        let endless = Expr::index([count], 0).unwrap();
        assert!(y.put_add(endless, 1.0).is_err());
    }
    let two = upload(&stream, &[1.0f32, 2.0]);
    let mut x = Array::<f32>::zeros(&stream, [3]).unwrap();
    let error = x.put_add(&places, two).unwrap_err().to_string();
    assert!(error.contains("[2]") && error.contains("[3]"), "{error}");
}
