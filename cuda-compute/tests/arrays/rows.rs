//! Row expressions that contain reductions of the same rows.

use cuda_compute::{Expr, eval};
use half::f16;

use crate::{OnHost, random::Random, shaped, stream, upload};

fn numbers(count: usize) -> Vec<f64> {
    let mut random = Random(count as u64);
    (0..count)
        .map(|_| random.below(8000) as f64 / 1000.0 - 4.0)
        .collect()
}

#[test]
fn softmax_and_normalization() {
    let stream = stream();
    for (rows, columns) in [
        (1, 1),
        (3, 5),
        (70, 16),
        (9, 100),
        (5, 1024),
        (3, 4099),
        (2, 30_000),
        (1, 70_000),
    ] {
        let host = numbers(rows * columns);
        let x = shaped(&stream, [rows, columns], &host);
        let raised = (&x - x.max_axis(1).keep_axes()).exp();
        let softmax = &raised / raised.sum_axis(1).keep_axes();
        let centred = &x - x.mean_axis(1).keep_axes();
        let normal = &centred / ((&centred * &centred).mean_axis(1).keep_axes() + 1e-5).sqrt();
        let (softmax, normal) = eval((softmax, normal)).unwrap();
        let (softmax, normal) = (softmax.host(), normal.host());
        for (row, values) in host.chunks(columns).enumerate() {
            let largest = values.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = values.iter().map(|v| (v - largest).exp()).sum();
            let mean = values.iter().sum::<f64>() / columns as f64;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / columns as f64;
            for (column, value) in values.iter().enumerate() {
                let at = row * columns + column;
                let wanted = (value - largest).exp() / sum;
                assert!(
                    (softmax[at] - wanted).abs() <= 1e-12 * wanted.abs(),
                    "{rows} x {columns}"
                );
                let wanted = (value - mean) / (variance + 1e-5).sqrt();
                assert!(
                    (normal[at] - wanted).abs() <= 1e-9,
                    "{rows} x {columns}: {} {wanted}",
                    normal[at]
                );
            }
        }
    }
}

#[test]
fn softmax_and_normalization_of_columns() {
    let stream = stream();
    for (layers, length, inner) in [
        (1, 1, 16),
        (2, 3, 16),
        (1, 40, 33),
        (3, 70, 300),
        (2, 700, 20),
        (1, 2048, 17),
        (1, 2049, 17),
    ] {
        let host = numbers(layers * length * inner);
        let x = shaped(&stream, [layers, length, inner], &host);
        let raised = (&x - x.max_axis(1).keep_axes()).exp();
        let softmax = &raised / raised.sum_axis(1).keep_axes();
        let deviation = (x.var_axis(1, 0).keep_axes() + 1e-5).sqrt();
        let normal = (&x - x.mean_axis(1).keep_axes()) / deviation;
        let (softmax, normal) = eval((softmax, normal)).unwrap();
        let (softmax, normal) = (softmax.host(), normal.host());
        for (layer, column) in (0..layers).flat_map(|layer| (0..inner).map(move |c| (layer, c))) {
            let place = |row: usize| (layer * length + row) * inner + column;
            let values: Vec<f64> = (0..length).map(|row| host[place(row)]).collect();
            let largest = values.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = values.iter().map(|v| (v - largest).exp()).sum();
            let mean = values.iter().sum::<f64>() / length as f64;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / length as f64;
            for (row, value) in values.iter().enumerate() {
                let wanted = (value - largest).exp() / sum;
                let found = softmax[place(row)];
                assert!(
                    (found - wanted).abs() <= 1e-12 * wanted,
                    "{layers} x {length} x {inner}"
                );
                let wanted = (value - mean) / (variance + 1e-5).sqrt();
                let found = normal[place(row)];
                assert!(
                    (found - wanted).abs() <= 1e-9,
                    "{layers} x {length} x {inner}"
                );
            }
        }
    }
}

#[test]
fn halves_columns_and_other_operands() {
    let stream = stream();
    let host: Vec<f16> = numbers(6 * 50).into_iter().map(f16::from_f64).collect();
    let x = shaped(&stream, [6, 50], &host);
    let scale = upload(&stream, &numbers(50)).cast::<f16>();
    let scaled = |x: Expr<f16>| -> Expr<f16> { (&x - x.min_axis(1).keep_axes()) * &scale };
    let y = scaled(x.expr()).eval().unwrap();
    // The same in two steps.
    let low = x.min_axis(1).keep_axes().eval().unwrap();
    let wanted = ((&x - &low) * &scale).eval().unwrap();
    assert_eq!(y.host(), wanted.host());
    // Columns that are contiguous in memory are rows of the transposed array, and vice versa.
    let turned = x.t();
    let y = (&turned - turned.min_axis(0).keep_axes()).eval().unwrap();
    let z = (&turned - turned.min_axis(1).keep_axes()).eval().unwrap();
    let host: Vec<Vec<f32>> = host
        .chunks(50)
        .map(|row| row.iter().map(|v| v.to_f32()).collect())
        .collect();
    let (y, z) = (y.host(), z.host());
    for column in 0..50 {
        let lowest = (0..6).map(|row| host[row][column]).fold(f32::MAX, f32::min);
        for row in 0..6 {
            let low = host[row].iter().copied().fold(f32::MAX, f32::min);
            let rounded = |v: f32| f16::from_f32(v);
            assert_eq!(y[column * 6 + row], rounded(host[row][column] - low));
            assert_eq!(z[column * 6 + row], rounded(host[row][column] - lowest));
        }
    }
}

/// All lanes of a row's group get the same bits.
#[test]
fn a_row_has_one_variance() {
    let stream = stream();
    for columns in [3usize, 40, 100, 1000, 5000] {
        let host: Vec<f32> = (0..4 * columns).map(|i| (i as f32 * 1.7).sin()).collect();
        let x = shaped(&stream, [4, columns], &host);
        let got = (&x * 0.0 + x.var_axis(1, 0).keep_axes()).eval().unwrap();
        for row in got.host().chunks(columns) {
            assert!(row.iter().all(|&var| var == row[0]), "{columns} columns");
        }
    }
}

/// The variances of all rows and the deviations of all columns, each within an expression. With `means`, the
/// expression also contains the means, about which the kernel then takes the variances.
fn spreads(
    host: &[f32],
    [rows, columns]: [usize; 2],
    ddof: u32,
    means: bool,
) -> (Vec<f32>, Vec<f32>) {
    let x = shaped(&stream(), [rows, columns], host);
    let start = |axis: isize| match means {
        true => (&x - x.mean_axis(axis).keep_axes()) * 0.0,
        false => &x * 0.0,
    };
    let variances = start(1) + x.var_axis(1, ddof).keep_axes();
    let deviations = start(0) + x.std_axis(0, ddof).keep_axes();
    (
        variances.eval().unwrap().host(),
        deviations.eval().unwrap().host(),
    )
}

#[test]
fn variances_of_rows_and_columns_are_accurate() {
    // Rows of fewer and of more than 32 threads, and enough columns to read them together.
    for (rows, columns) in [(1, 1), (40, 3), (3, 40), (300, 33), (17, 4096), (64, 512)] {
        for mean in [0.0, 10.0, 1e5] {
            let host: Vec<f32> = numbers(rows * columns)
                .iter()
                .map(|&value| (value + mean) as f32)
                .collect();
            for (ddof, means) in [(0, false), (1, false), (0, true), (1, true)] {
                let (variances, deviations) = spreads(&host, [rows, columns], ddof, means);
                let variance = |values: Vec<f64>| {
                    let count = values.len() as f64;
                    let mean = values.iter().sum::<f64>() / count;
                    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                    squares / (count - f64::from(ddof))
                };
                let check = |found: f32, wanted: f64| {
                    // The bound of the accuracy guide, where κ u is negligible.
                    let terms = rows.max(columns) as f64 / 256.0 + 550.0 + 20.0;
                    let bound = terms * f64::from(f32::EPSILON) / 2.0 * wanted;
                    let found = f64::from(found);
                    let close =
                        (found - wanted).abs() <= bound || found.is_nan() && wanted.is_nan();
                    assert!(close, "{rows} x {columns} about {mean}: {found} {wanted}");
                };
                for (row, found) in variances.chunks(columns).enumerate() {
                    let values = &host[row * columns..][..columns];
                    let wanted = variance(values.iter().map(|&value| value.into()).collect());
                    check(found[0], wanted);
                }
                for column in 0..columns {
                    let values = host.chunks(columns).map(|row| row[column].into());
                    check(deviations[column], variance(values.collect()).sqrt());
                }
            }
        }
    }
}

#[test]
fn variances_of_special_values() {
    let of = |values: &[f32]| {
        let (variances, _) = spreads(values, [1, values.len()], 0, false);
        assert!(
            variances
                .iter()
                .all(|v| v.to_bits() == variances[0].to_bits())
        );
        let (_, columns) = spreads(values, [values.len(), 1], 0, false);
        assert_eq!(columns[0].is_nan(), variances[0].is_nan());
        variances[0]
    };
    let large = f32::MAX;
    for length in [2, 8, 100, 5000] {
        assert_eq!(of(&vec![large; length]), 0.0, "{length}");
        assert_eq!(of(&vec![-0.0; length]), 0.0, "{length}");
        let with = |value: f32, at: usize| {
            let mut values = vec![1.0; length];
            values[at] = value;
            of(&values)
        };
        for at in [0, length / 2, length - 1] {
            assert!(with(f32::NAN, at).is_nan(), "{length}");
            assert!(with(f32::INFINITY, at).is_nan(), "{length}");
            assert!(with(f32::NEG_INFINITY, at).is_nan(), "{length}");
            // The square overflows.
            assert_eq!(with(large, at), f32::INFINITY, "{length}");
        }
        let opposite: Vec<f32> = (0..length)
            .map(|i| if i % 2 == 0 { large } else { -large })
            .collect();
        assert_eq!(of(&opposite), f32::INFINITY, "{length}");
    }
    // No divisor is left.
    let (variances, _) = spreads(&[3.0], [1, 1], 1, false);
    assert!(variances[0].is_nan());
}

/// The accumulators of all columns need more shared memory than a block takes at once.
#[test]
fn long_computations_of_many_columns_have_their_own_variances() {
    let stream = stream();
    let (length, columns) = (512, 2056);
    let host: Vec<f16> = numbers(length * columns)
        .into_iter()
        .map(f16::from_f64)
        .collect();
    let x = shaped(&stream, [length, columns], &host);
    let values = x.cast::<f64>().exp();
    let centred = (&values - values.var_axis(0, 1).keep_axes())
        .eval()
        .unwrap();
    let centred = centred.host();
    for column in 0..columns {
        let values: Vec<f64> = (0..length)
            .map(|row| host[row * columns + column].to_f64().exp())
            .collect();
        let mean = values.iter().sum::<f64>() / length as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = squares / (length - 1) as f64;
        for row in [0, 1, length / 2, length - 1] {
            let found = values[row] - centred[row * columns + column];
            assert!(
                (found - variance).abs() < 1e-10,
                "{row}, {column}: {found}, {variance}"
            );
        }
    }
}

#[test]
fn all_elements_of_a_row_see_the_same_zero() {
    let stream = stream();
    for columns in [2, 8, 32, 100] {
        let host: Vec<f32> = (0..3 * columns)
            .map(|i| if i % 3 == 0 { 0.0 } else { -0.0 })
            .collect();
        let x = shaped(&stream, [3, columns], &host);
        let signs = |extreme: Expr<f32>| {
            let signs = (&x + 1.0).copysign(extreme.keep_axes());
            signs.eval().unwrap().host()
        };
        for (name, signs) in [
            ("min", signs(x.min_axis(1))),
            ("max", signs(x.max_axis(1))),
            ("min_or_nan", signs(x.min_or_nan_axis(1))),
            ("max_or_nan", signs(x.max_or_nan_axis(1))),
        ] {
            for row in signs.chunks(columns) {
                let same = row.iter().all(|sign| sign == &row[0]);
                assert!(same, "{name} of {columns} columns: {row:?}");
            }
        }
    }
}
