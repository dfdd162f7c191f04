//! Scans of segments, compared with loops, for every way in which the kernels traverse elements.

use std::fmt::Debug;

use cuda_compute::{Array, Combination, Element, Order, fold, s};
use half::f16;
use num_complex::Complex;

use crate::{OnHost, failure::failure, random::Random, shaped, stream, upload};

/// Shapes whose middle axis is scanned: within a vector and a warp, in several warps and in tiles.
/// Also along columns.
const SHAPES: [[usize; 3]; 15] = [
    [1, 0, 1],
    [1, 1, 1],
    [1, 3, 1],
    [1, 40, 1],
    [1, 300, 1],
    [1, 9000, 1],
    [1, 40_007, 1],
    [5, 3, 1],
    [70, 1000, 1],
    [3, 4100, 1],
    [1, 5, 3],
    [1, 70, 70],
    [2, 3000, 2],
    [1, 9000, 3],
    [1, 700, 100],
];

/// Returns flags, of which one in `one_in` is true on average.
fn flags(count: usize, one_in: usize) -> Vec<bool> {
    let mut random = Random(one_in as u64);
    (0..count).map(|_| random.below(one_in) == 0).collect()
}

/// Computes the scan along the middle of three axes, inclusive and exclusive.
fn reference<T: Copy>(
    (host, begins): (&[T], &[bool]),
    [outer, length, inner]: [usize; 3],
    first: Option<T>,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut result = host.to_vec();
    for line in 0..outer * inner {
        let start = line / inner * length * inner + line % inner;
        let mut before: Option<T> = None;
        for i in 0..length {
            let at = start + i * inner;
            if begins[at] {
                before = None;
            }
            let now = before.map_or(host[at], |before| combine(before, host[at]));
            result[at] = match first {
                Some(first) => before.unwrap_or(first),
                None => now,
            };
            before = Some(now);
        }
    }
    result
}

/// Compares both scans with the loop.
fn check<T: Element + Debug>(
    shape: [usize; 3],
    (host, begins): (&[T], &[bool]),
    combination: impl Into<Combination<T>>,
    identity: T,
    combine: impl Fn(T, T) -> T,
) {
    let stream = stream();
    let combination = combination.into();
    let x = shaped(&stream, shape, host);
    let heads = shaped(&stream, shape, begins);
    let got = x.segmented_scan(combination.clone(), &heads, 1).unwrap();
    let wanted = reference((host, begins), shape, None, &combine);
    assert!(got.host() == wanted, "{shape:?}");
    let got = x.segmented_scan_exclusive(combination, &heads, 1).unwrap();
    let wanted = reference((host, begins), shape, Some(identity), &combine);
    assert!(got.host() == wanted, "{shape:?}, exclusive");
}

#[test]
fn sums_of_integers() {
    for shape in SHAPES {
        let count = shape.iter().product();
        let host: Vec<i32> = (0..count as i32)
            .map(|i| i.wrapping_mul(40_503) % 1000)
            .collect();
        // Segments that start everywhere, often and seldom.
        for one_in in [1, 3, 1000] {
            let begins = flags(count, one_in);
            check(
                shape,
                (&host, &begins),
                Combination::sum(),
                0,
                i32::wrapping_add,
            );
        }
    }
}

#[test]
fn combinations_keep_the_order() {
    let then = crate::scans::one_after_the_other();
    for shape in SHAPES {
        let count: usize = shape.iter().product();
        let host: Vec<u32> = (0..count as u32)
            .map(|i| i.wrapping_mul(2_654_435_761) | 1 << 16)
            .collect();
        for one_in in [7, 5000] {
            let begins = flags(count, one_in);
            check(shape, (&host, &begins), then, 1 << 16, |one, other| {
                then.call((one, other))
            });
        }
    }
}

#[test]
fn elements_of_every_size() {
    for shape in [[1, 20_003, 1], [2, 700, 33]] {
        let count: usize = shape.iter().product();
        let begins = flags(count, 11);
        let mut random = Random(5);
        let host: Vec<u64> = (0..count).map(|_| random.bits()).collect();
        macro_rules! all {
            ($($of:expr, $combination:ident, $identity:expr, $combine:expr;)*) => {$({
                let host: Vec<_> = host.iter().map($of).collect();
                check(shape, (&host, &begins), Combination::$combination(), $identity, $combine);
            })*};
        }
        all! {
            |&i| i as i8, sum, 0, i8::wrapping_add;
            |&i| i as u16, product, 1, u16::wrapping_mul;
            |&i| i as i16, max, i16::MIN, i16::max;
            |&i| i, min, u64::MAX, u64::min;
            |&i| i as i64, sum, 0, i64::wrapping_add;
            |&i| (i % 1000) as f64, sum, 0.0, |a: f64, b: f64| a + b;
            |&i| (i % 1000) as f32, max, f32::NEG_INFINITY, f32::max;
            // Halves hold all integers up to 2048 exactly.
            |&i| f16::from_f32((i % 8) as f32), max, f16::NEG_INFINITY, f16::max;
            |&i| Complex::new((i % 100) as f32, (i % 7) as f32), sum, Complex::ZERO, |a, b| a + b;
            |&i| Complex::new((i % 100) as f64, (i % 7) as f64), sum, Complex::ZERO, |a, b| a + b;
        }
        let host: Vec<bool> = host.iter().map(|i| i % 2 == 0).collect();
        let parity = fold!(|a: bool, b: bool| a ^ b, false);
        check(shape, (&host, &begins), parity, false, |a, b| a ^ b);
    }
}

#[test]
fn many_tiles_of_a_line_and_of_columns() {
    let stream = stream();
    // More tiles of a line than a group has, and more tiles of columns than a set has. A segment
    // spans many of them.
    for (shape, step) in [([1, 1_100_003, 1], 2usize), ([1, 280_001, 5], 1)] {
        let count: usize = shape.iter().product();
        let host: Vec<u32> = (0..count as u32).map(|i| i % 10).collect();
        let begins = flags(count, 200_000);
        let heads = shaped(&stream, shape, &begins);
        // The elements have gaps, so each thread loads them one by one.
        let x = shaped(&stream, shape, &host);
        let x = x
            .repeat(step, 1)
            .unwrap()
            .slice(s![.., ..;step as isize])
            .unwrap();
        let got = x.segmented_scan(Combination::sum(), &heads, 1).unwrap();
        let wanted = reference((&host, &begins), shape, None, u32::wrapping_add);
        assert!(got.host() == wanted, "{shape:?}");
    }
}

#[test]
fn axes_layouts_and_expressions() {
    let stream = stream();
    let (shape, count) = ([30, 41, 5], 30 * 41 * 5);
    let host: Vec<i32> = (0..count as i32).map(|i| i * 37 % 101 - 50).collect();
    let x = shaped(&stream, shape, &host);
    let begins = shaped(&stream, shape, &flags(count, 6));
    let f = |x: &Array<i32>| x.contiguous(Order::F).unwrap();
    for x in [x.clone(), f(&x), x.slice(s![.., ..;-1, ..]).unwrap()] {
        let (host, heads) = (x.host(), begins.host());
        for (axis, lines) in [(0, [1, 30, 205]), (1, [30, 41, 5]), (2, [1230, 5, 1])] {
            let got = x.segmented_scan(Combination::max(), &begins, axis).unwrap();
            let wanted = reference((&host, &heads), lines, None, i32::max);
            assert_eq!(got.host(), wanted, "axis {axis}");
        }
    }
    // Computed inside the scan: where the sign changes, and one row for all rows.
    let signs = x.less(0).not_equal(x.roll(1, 1).unwrap().less(0));
    let sums = (&x * 2)
        .segmented_scan(Combination::sum(), &signs, 1)
        .unwrap();
    let sums = sums.eval().unwrap();
    let (doubled, heads) = ((&x * 2).eval().unwrap(), signs.eval().unwrap());
    let (doubled, heads) = (doubled.host(), heads.host());
    let wanted = reference((&doubled, &heads), shape, None, |a, b| a + b);
    assert_eq!(sums.host(), wanted);
    let row = begins.slice(s![0, 3]).unwrap();
    let wide = row.broadcast_to(shape).unwrap();
    let got = x.segmented_scan(Combination::sum(), &row, 2).unwrap();
    let wanted = x.segmented_scan(Combination::sum(), wide.copy().unwrap(), 2);
    assert_eq!(got.host(), wanted.unwrap().host());
    let error = row
        .cast::<i32>()
        .segmented_scan(Combination::sum(), &begins, 0);
    failure(error).mentions("[30, 41, 5] can't be broadcast to [5]");
    assert!(x.segmented_scan(Combination::sum(), &begins, 3).is_err());
}

#[test]
fn sums_of_floats_have_the_same_bits_every_time() {
    let stream = stream();
    let host = Random(9).reals(200_003);
    let x = upload(&stream, &host);
    let begins = upload(&stream, &flags(200_003, 40_000));
    let sums = || {
        let sums = x.segmented_scan(Combination::sum(), &begins, 0).unwrap();
        sums.reinterpret::<u32>().unwrap().host()
    };
    let once = sums();
    for _ in 0..3 {
        assert!(sums() == once);
    }
    // An infinity does not affect other segments.
    let x = upload(&stream, &[1.0, f64::INFINITY, 2.0, f64::NAN, 3.0, 4.0]);
    let begins = upload(&stream, &[false, false, true, false, true, false]);
    let sums = x.segmented_scan(Combination::sum(), &begins, 0).unwrap();
    assert_eq!(sums.to_string(), "[ 1. inf  2. nan  3.  7.]");
}
