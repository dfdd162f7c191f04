//! Checks that the errors of sums, means, products, variances and running sums stay within the
//! bounds stated in `guide/accuracy.md`. The exact results are computed with integers.

use cuda_compute::{Float, Number, eval, s};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{OnHost, random::Random, shaped, stream, upload};

/// A float type that can represent an integer times a power of two.
trait Exact: Float {
    /// The unit roundoff of the type in which sums are computed.
    const UNIT: f64;
    /// The unit roundoff of the result.
    const ROUNDED: f64;
    /// The maximum number of significant bits of values in these tests.
    const DIGITS: i32;
    fn of(whole: i64, power: i32) -> Self;
    fn wide(self) -> f64;
}

macro_rules! exact {
    ($($type:ident: $unit:expr, $rounded:expr, $digits:expr, $of:expr, $wide:expr;)*) => {
        $(impl Exact for $type {
            const UNIT: f64 = 1.0 / (1u64 << $unit) as f64;
            const ROUNDED: f64 = 1.0 / (1u64 << $rounded) as f64;
            const DIGITS: i32 = $digits;
            fn of(whole: i64, power: i32) -> Self {
                $of(whole as f64 * 2f64.powi(power))
            }
            fn wide(self) -> f64 {
                $wide(self)
            }
        })*
    };
}

exact! {
    f16: 24, 11, 11, f16::from_f64, f16::to_f64;
    bf16: 24, 8, 8, bf16::from_f64, bf16::to_f64;
    f32: 24, 24, 24, |x| x as f32, f64::from;
    f64: 53, 53, 53, |x| x, |x| x;
}

/// The distribution of magnitudes and signs.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Any sign and many magnitudes, and nearly everything cancels: the sum is small compared with
    /// the values.
    Cancelling,
    /// One large value, and small ones that are lost if they are added to it one by one.
    Swallowed,
    /// One magnitude and sign.
    Alike,
}

/// Returns values that are multiples of a unit.
fn values<T: Exact>(kind: Kind, count: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let digits =
        |random: &mut Random, bits: i32| (random.bits() >> (64 - bits)) as i64 | 1 << (bits - 1);
    match kind {
        Kind::Cancelling => {
            let mut values: Vec<T> = (0..count)
                .map(|_| {
                    let power = random.below(9) as i32 - 3 - T::DIGITS;
                    let sign = if random.below(2) == 0 { 1 } else { -1 };
                    T::of(sign * digits(&mut random, T::DIGITS), power)
                })
                .collect();
            for i in 0..count / 2 {
                let quarters = if random.below(16) == 0 { -3 } else { -4 };
                values[count - 1 - i] = values[i].times(T::of(quarters, -2));
            }
            random.shuffle(&mut values);
            values
        }
        // Almost half a unit in the last place of the first value.
        Kind::Swallowed => (0..count)
            .map(|i| match i {
                0 => T::of(1, 5),
                _ => T::of(4095, 5 - T::DIGITS - 12),
            })
            .collect(),
        Kind::Alike => (0..count)
            .map(|_| T::of(digits(&mut random, T::DIGITS), -T::DIGITS - 6))
            .collect(),
    }
}

/// Multiplies on the host and rounds once.
trait Times {
    fn times(self, other: Self) -> Self;
}

impl<T: Exact> Times for T {
    fn times(self, other: T) -> T {
        let product = self.wide() * other.wide();
        // Enough digits for each of the types.
        let exponent = if product == 0.0 {
            0
        } else {
            product.abs().log2().floor() as i32
        };
        T::of((product * 2f64.powi(62 - exponent)) as i64, exponent - 62)
    }
}

/// Returns the exact sum and the exact sum of the magnitudes.
fn exact(values: impl Iterator<Item = f64>) -> (f64, f64) {
    // In units of 2^-90. A value below 2^14 is less than 2^104 units, and there are fewer than 2^22
    // values.
    let (mut sum, mut sizes) = (0i128, 0i128);
    for value in values {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1075;
        let digits = i128::from(bits & ((1 << 52) - 1) | 1 << 52);
        let zeros = digits.trailing_zeros() as i32;
        let whole = match value {
            0.0 => 0,
            _ => {
                assert!((-90..=14).contains(&(exponent + zeros)), "{value:e}");
                (digits >> zeros) << (exponent + zeros + 90)
            }
        };
        sum += if value < 0.0 { -whole } else { whole };
        sizes += whole;
    }
    let unit = 2f64.powi(-90);
    (sum as f64 * unit, sizes as f64 * unit)
}

/// Returns the maximum number of additions between a value and the result, along the contiguous
/// axis or along others.
fn additions(count: usize, side_by_side: bool) -> f64 {
    let most = match side_by_side {
        true => count / 256 + 40,
        false => count / 8 + 525,
    };
    most.min(count) as f64
}

/// Returns the error bound of a number of roundings.
fn grown(roundings: f64, unit: f64) -> f64 {
    roundings * unit / (1.0 - roundings * unit)
}

#[track_caller]
fn close(got: f64, wanted: f64, bound: f64, what: &str) {
    let off = (got - wanted).abs();
    assert!(
        off <= bound,
        "{what}: {got:e}, not {wanted:e}: {off:e} off, but {bound:e} at most"
    );
}

const KINDS: [Kind; 3] = [Kind::Cancelling, Kind::Swallowed, Kind::Alike];

fn check_sums<T: Exact>() {
    let stream = stream();
    for kind in KINDS {
        for (rows, columns) in [
            (1, 70_001),
            (1, 1 << 19),
            (300, 700),
            (9, 40_000),
            (20_000, 6),
            (700, 300),
            (6000, 64),
        ] {
            let host: Vec<T> = values(kind, rows * columns, 1);
            let x = shaped(&stream, [rows, columns], &host);
            let what = format!("{kind:?} {} {rows} x {columns}", T::DATA_TYPE.name());
            let (all, mean, of_rows, of_columns) =
                eval((x.sum(), x.mean(), x.sum_axis(1), x.sum_axis(0))).unwrap();
            let bound = |(sum, sizes): (f64, f64), count: usize, side_by_side: bool, more: f64| {
                let roundings = additions(count, side_by_side) + more;
                let computed = grown(roundings, T::UNIT) * sizes;
                computed + (sum.abs() + computed) * T::ROUNDED
            };
            let count = rows * columns;
            let whole = exact(host.iter().map(|x| x.wide()));
            close(
                all.value().wide(),
                whole.0,
                bound(whole, count, true, 0.0),
                &what,
            );
            let n = count as f64;
            close(
                mean.value().wide(),
                whole.0 / n,
                bound(whole, count, true, 2.0) / n,
                &what,
            );
            for (row, got) in of_rows.host().into_iter().enumerate() {
                let row = exact(host[row * columns..][..columns].iter().map(|x| x.wide()));
                close(got.wide(), row.0, bound(row, columns, true, 0.0), &what);
            }
            for (column, got) in of_columns.host().into_iter().enumerate() {
                let column = exact(host[column..].iter().step_by(columns).map(|x| x.wide()));
                close(
                    got.wide(),
                    column.0,
                    bound(column, rows, columns == 1, 0.0),
                    &what,
                );
            }
        }
    }
}

#[test]
fn sums_and_means_of_f16() {
    check_sums::<f16>();
}

#[test]
fn sums_and_means_of_bf16() {
    check_sums::<bf16>();
}

#[test]
fn sums_and_means_of_f32() {
    check_sums::<f32>();
}

#[test]
fn sums_and_means_of_f64() {
    check_sums::<f64>();
}

/// Checks sums that are intermediate results of row expressions.
#[test]
fn sums_within_rows() {
    fn check<T: Exact>() {
        let stream = stream();
        for (rows, columns) in [(300, 70), (60, 1000), (9, 20_000), (70, 4096)] {
            for kind in KINDS {
                let host: Vec<T> = values(kind, rows * columns, 9);
                let x = shaped(&stream, [rows, columns], &host);
                let sums = x.sum_axis(1).keep_axes();
                // Zero times each element, plus the sum of its row.
                let got = (&x * T::of(0, 0) + sums).eval().unwrap().host();
                for row in 0..rows {
                    let range = row * columns..(row + 1) * columns;
                    let (sum, sizes) = exact(host[range.clone()].iter().map(|x| x.wide()));
                    let computed =
                        grown((columns / 256 + 550).min(columns) as f64, T::UNIT) * sizes;
                    let bound = computed + (sum.abs() + computed) * T::ROUNDED;
                    for got in &got[range] {
                        close(got.wide(), sum, bound, T::DATA_TYPE.name());
                    }
                }
            }
        }
    }
    check::<f16>();
    check::<f32>();
    check::<f64>();
}

/// Checks that the test values reveal sums that lose more digits.
#[test]
fn sequential_sums_exceed_the_bound() {
    let host: Vec<f32> = values(Kind::Swallowed, 1 << 19, 1);
    let (sum, sizes) = exact(host.iter().map(|&x| x.into()));
    let one_by_one: f32 = host.iter().sum();
    let bound = grown(additions(host.len(), true), f32::UNIT) * sizes;
    assert!((f64::from(one_by_one) - sum).abs() > 4.0 * bound);
}

#[test]
fn sums_of_complex_numbers_and_strided_views() {
    let stream = stream();
    let (real, imaginary) = (
        values::<f32>(Kind::Cancelling, 100_003, 2),
        values::<f32>(Kind::Cancelling, 100_003, 3),
    );
    let host: Vec<_> = real
        .iter()
        .zip(&imaginary)
        .map(|(&re, &im)| Complex::new(re, im))
        .collect();
    let z = upload(&stream, &host);
    let third = z.slice(s![..;-3]).unwrap();
    let (all, some) = eval((z.sum(), third.sum())).unwrap();
    let check = |got: f32, part: &[f32], step: usize, what: &str| {
        let (sum, sizes) = exact(part.iter().rev().step_by(step).map(|&x| x.into()));
        let roundings = additions(part.len().div_ceil(step), true) + 1.0;
        close(got.into(), sum, grown(roundings, f32::UNIT) * sizes, what);
    };
    let (all, some) = (all.value(), some.value());
    check(all.re, &real, 1, "real");
    check(all.im, &imaginary, 1, "imaginary");
    check(some.re, &real, 3, "every third, real");
    check(some.im, &imaginary, 3, "every third, imaginary");
}

/// Checks dot products. Each product is rounded to the type unless it is added by a fused
/// operation.
fn check_dot<T: Exact>() {
    let stream = stream();
    let count = 60_001;
    let (left, right): (Vec<T>, Vec<T>) = (
        values(Kind::Cancelling, count, 4),
        values(Kind::Alike, count, 5),
    );
    let a = upload(&stream, &left);
    let b = upload(&stream, &right);
    let got = a.dot(&b).eval().unwrap().value().wide();
    // The products are exact in `f64`.
    let products = left.iter().zip(&right).map(|(a, b)| a.wide() * b.wide());
    let (sum, sizes) = exact(products);
    let computed = (grown(additions(count, true), T::UNIT) + T::ROUNDED) * sizes;
    close(
        got,
        sum,
        computed + (sum.abs() + computed) * T::ROUNDED,
        T::DATA_TYPE.name(),
    );
}

#[test]
fn dot_products() {
    check_dot::<f16>();
    check_dot::<bf16>();
    check_dot::<f32>();
}

#[test]
fn products() {
    let stream = stream();
    let mut random = Random(6);
    for count in [1usize, 7, 300, 5000, 70_000] {
        let host: Vec<f32> = (0..count)
            .map(|_| (1.0 + random.real() / 500.0) as f32)
            .collect();
        let wide: Vec<f64> = host.iter().map(|&x| x.into()).collect();
        let x = upload(&stream, &host);
        let y = upload(&stream, &wide);
        let narrow = x.product().eval().unwrap().value();
        let double = y.product().eval().unwrap().value();
        // Computes the product with twice the digits: the rounded product and its error.
        let (mut product, mut rest) = (1.0f64, 0.0f64);
        for &x in &wide {
            let next = product * x;
            rest = product.mul_add(x, -next) + rest * x;
            product = next;
        }
        let exact = product + rest;
        // The roundings of all multiplications add up, in any order.
        let bound = |unit: f64| grown(count as f64, unit) * exact.abs();
        close(narrow.into(), exact, bound(f32::UNIT), "f32");
        close(double, exact, bound(f64::UNIT), "f64");
    }
}

/// Returns values in eighths whose variance is computed.
fn variance_values(kind: Spread, count: usize, mean: i64, random: &mut Random) -> Vec<i64> {
    (0..count as i64)
        .map(|i| match kind {
            Spread::Even => mean + random.below(64) as i64,
            Spread::Rising => mean + i / 16,
            Spread::Outlier(place) if i == place => -mean,
            Spread::Outlier(_) => mean + random.below(64) as i64,
            Spread::Step => mean + random.below(16) as i64 + 1000 * i64::from(i > 300),
        })
        .collect()
}

/// The distribution of values around their mean.
#[derive(Clone, Copy, Debug)]
enum Spread {
    Even,
    Rising,
    /// One value far from all others, at this index.
    Outlier(i64),
    /// The first values have another mean than the rest.
    Step,
}

/// Compares variances along both axes with the exact ones.
fn check_variances<T: Exact>(largest: i64) {
    let stream = stream();
    let mut random = Random(7);
    for (rows, columns) in [(1, 50_001), (1, 1 << 18), (40, 3000), (3000, 40), (5, 300)] {
        for mean in [0, largest / 1000, largest] {
            for kind in [
                Spread::Even,
                Spread::Rising,
                Spread::Outlier(0),
                Spread::Outlier(17),
                Spread::Step,
            ] {
                let eighths = variance_values(kind, rows * columns, mean, &mut random);
                let host: Vec<T> = eighths.iter().map(|&x| T::of(x, -3)).collect();
                let x = shaped(&stream, [rows, columns], &host);
                for axis in [0, 1] {
                    let (var, std) = eval((x.var_axis(axis, 0), x.std_axis(axis, 0))).unwrap();
                    let (var, std) = (var.host(), std.host());
                    for (i, (var, std)) in var.into_iter().zip(std).enumerate() {
                        let part: Vec<i64> = match axis {
                            0 => eighths[i..].iter().step_by(columns).copied().collect(),
                            _ => eighths[i * columns..][..columns].to_vec(),
                        };
                        let what =
                            format!("{kind:?} about {mean}: {rows} x {columns} along {axis}");
                        check_variance(&part, axis == 1, var, std, &what);
                    }
                }
            }
        }
    }
}

/// Checks one variance and its square root against the bound in `guide/accuracy.md`.
#[track_caller]
fn check_variance<T: Exact>(eighths: &[i64], side_by_side: bool, var: T, std: T, what: &str) {
    let count = eighths.len() as i128;
    let sum: i128 = eighths.iter().map(|&x| i128::from(x)).sum();
    let squares: i128 = eighths.iter().map(|&x| i128::from(x) * i128::from(x)).sum();
    let n = count as f64;
    let exact = (count * squares - sum * sum) as f64 / (n * n) / 64.0;
    let mean = sum as f64 / n / 8.0;
    // κ u. If all values are equal, it is 0 and the result is exact.
    let lost = match exact {
        0.0 => 0.0,
        _ => (1.0 + mean * mean / exact).sqrt() * T::UNIT,
    };
    let steps = additions(eighths.len(), side_by_side) + 20.0;
    let relative = grown(steps, T::UNIT) * (1.0 + lost);
    let bound = exact * (relative + T::ROUNDED);
    let what = format!("{} {what}", T::DATA_TYPE.name());
    close(var.wide(), exact, bound, &what);
    let root = exact.sqrt();
    let bound = root * (relative / 2.0 + 2.0 * T::ROUNDED);
    close(std.wide(), root, bound, &what);
}

#[test]
fn variances_of_f32_are_accurate_for_any_mean() {
    check_variances::<f32>((1 << 24) - 20_000);
}

#[test]
fn variances_of_f64_are_accurate_for_any_mean() {
    check_variances::<f64>(1 << 44);
}

/// Values that `f32` can barely distinguish: the mean is ten million and the variance about 1.
#[test]
fn variance_about_ten_million() {
    let stream = stream();
    let mut random = Random(8);
    let host: Vec<f32> = (0..100_000).map(|_| 1e7 + random.below(4) as f32).collect();
    let n = host.len() as f64;
    let mean = host.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
    let squares = host.iter().map(|&x| (f64::from(x) - mean).powi(2));
    let exact = squares.sum::<f64>() / n;
    let x = upload(&stream, &host);
    let got = f64::from(x.var(0).eval().unwrap().value());
    assert!((got / exact - 1.0).abs() < 1e-5, "{got}, not {exact}");
}

/// Compares each running sum with the exact sum of the values so far.
fn check_running<T: Exact>(kind: Kind) {
    let stream = stream();
    for (rows, columns) in [(1, 300_001), (200, 500), (3000, 20), (30_000, 3), (700, 70)] {
        let host: Vec<T> = values(kind, rows * columns, 8);
        let x = shaped(&stream, [rows, columns], &host);
        let what = format!("{kind:?} {} {rows} x {columns}", T::DATA_TYPE.name());
        for axis in [0, 1] {
            let got = x.cumsum(axis).unwrap().host();
            let (lines, length, step) = if axis == 0 {
                (columns, rows, columns)
            } else {
                (rows, columns, 1)
            };
            for line in 0..lines {
                let start = if axis == 0 { line } else { line * columns };
                // In a unit that divides all values.
                let unit = 2f64.powi(70);
                let (mut sum, mut sizes) = (0i128, 0i128);
                for place in 0..length {
                    let at = start + place * step;
                    let value = (host[at].wide() * unit) as i128;
                    sum += value;
                    sizes += value.abs();
                    let (sum, sizes) = (sum as f64 / unit, sizes as f64 / unit);
                    let most = if step == 1 {
                        (place >> 21) + 45
                    } else {
                        place / 64 + 60
                    };
                    let computed = grown(most.min(place) as f64, T::UNIT) * sizes;
                    let bound = computed + (sum.abs() + computed) * T::ROUNDED;
                    close(got[at].wide(), sum, bound, &what);
                }
            }
        }
    }
}

#[test]
fn running_sums() {
    for kind in KINDS {
        check_running::<f32>(kind);
        check_running::<f64>(kind);
    }
    // Halves are added as `f32`, and each result is rounded.
    check_running::<f16>(Kind::Cancelling);
    check_running::<bf16>(Kind::Swallowed);
}

/// Results for zero elements and for one element are exact.
#[test]
fn zero_elements_and_one_element_are_exact() {
    fn check<T: Number + Exact>() {
        let stream = stream();
        let one = upload(&stream, &[T::of(3, -4)]);
        let none = one.slice(s![..0]).unwrap();
        let (sum, product, mean, var) =
            eval((one.sum(), one.product(), one.mean(), one.var(0))).unwrap();
        let got = [sum, product, mean, var].map(|array| array.value().wide());
        assert_eq!(got, [0.1875, 0.1875, 0.1875, 0.0]);
        let (sum, product, mean) = eval((none.sum(), none.product(), none.mean())).unwrap();
        assert_eq!((sum.value().wide(), product.value().wide()), (0.0, 1.0));
        assert!(mean.value().wide().is_nan());
    }
    check::<f16>();
    check::<bf16>();
    check::<f32>();
    check::<f64>();
}
