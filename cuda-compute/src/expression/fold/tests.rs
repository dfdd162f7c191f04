use cuda_safe::{Context, Stream};
use half::f16;
use num_complex::Complex;

use super::{
    super::Expr,
    grouped::FoldKernel,
    schedule::{Walk, lanes},
    total::Total,
};
use crate::{array::Array, element::Element, eval, kernel::Kernels, random::Random, s};

fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}

/// Small whole numbers, so that sums are exact in any order.
fn numbers(stream: &Stream, lengths: &[usize]) -> Array<f32> {
    let count = lengths.iter().product::<usize>();
    let values: Vec<f32> = (0..count).map(|i| ((i * 37 + 11) % 13) as f32).collect();
    let array = Array::from_slice(stream, &values).unwrap();
    array.reshape(lengths).unwrap()
}

/// The number of kernels that are compiled for an expression of new arrays of these shapes.
fn kernels_for<T: Element>(
    lengths: &[&[usize]],
    expression: impl Fn(&[Array<f32>]) -> Expr<T>,
) -> usize {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let kernels = Kernels::of_multiprocessors(&context, 1);
    let zeros = |lengths: &&[usize]| kernels.zeros::<f32>(&stream, lengths);
    let arrays: Vec<Array<f32>> = lengths.iter().map(zeros).collect();
    expression(&arrays).eval().unwrap();
    kernels.compiled()
}

#[test]
fn values_of_results_need_no_kernel_of_their_own() {
    let wide: &[usize] = &[40, 64];
    let one =
        |expression: fn(&[Array<f32>]) -> Expr<f32>| kernels_for(&[wide, &[40], &[64]], expression);
    assert_eq!(one(|x| x[0].sum().sqrt()), 1);
    assert_eq!(one(|x| x[0].sum_axis(1) * 2.0 + &x[1]), 1);
    assert_eq!(one(|x| x[0].sum_axis(0) * &x[2]), 1);
    assert_eq!(one(|x| x[0].max_axis(1) - x[0].min_axis(1)), 1);
    assert_eq!(one(|x| x[0].argmax_axis(1).cast::<f32>() + 1.0), 1);
    // The sum of the first kernel is reduced again.
    assert_eq!(one(|x| (&x[0] - x[0].sum_axis(0)).sum_axis(1) + 1.0), 2);
    // Nothing but a reduction.
    assert_eq!(one(|x| x[0].sum_axis(1)), 1);
    // The kernel of the last reduction adds the result of the other one.
    let square: &[usize] = &[40, 40];
    let both = |x: &[Array<f32>]| x[0].sum_axis(1) + x[0].sum_axis(0);
    assert_eq!(kernels_for(&[square], both), 2);
}

#[test]
fn other_values_have_a_kernel_of_their_own() {
    let square: &[usize] = &[40, 40];
    let two =
        |expression: fn(&[Array<f32>]) -> Expr<f32>| kernels_for(&[square, square], expression);
    // Results of other shapes, also if only some are.
    assert_eq!(two(|x| x[0].sum_axis(1) + &x[1]), 2);
    assert_eq!(two(|x| x[0].sum_axis(1).keep_axes() + x[1].sum_axis(1)), 2);
    // A view of the result, whose input is computed first.
    assert_eq!(two(|x| x[0].sum_axis(1).keep_axes().t() + 1.0), 2);
    // Random numbers, indices, and elements at indices.
    let draw = |_: &[Array<f32>]| Expr::<f32>::uniform(&mut Random::new(1), [40]).unwrap();
    assert_eq!(kernels_for(&[square], |x| x[0].sum_axis(1) + draw(x)), 2);
    let index = || Expr::index([40], 0).unwrap().cast::<f32>();
    assert_eq!(kernels_for(&[square], |x| x[0].sum_axis(1) + index()), 2);
}

/// Compares values that one kernel computes with those from stored results.
fn compare(x: &Array<f32>, axes: &[usize]) {
    let what = format!("{:?} along {axes:?}", x.shape());
    let sum = x.sum_axis(axes);
    let largest = x.max_axis(axes);
    let stored = (sum.eval().unwrap(), largest.eval().unwrap());
    let lengths = stored.0.shape().as_slice().to_vec();
    let own = numbers(x.stream(), &lengths);
    // An operand with another order of elements.
    let turned = numbers(
        x.stream(),
        &lengths.iter().rev().copied().collect::<Vec<_>>(),
    );
    let turned = turned.t();
    let (one, other) = eval((
        &sum * 2.0 + &own - &turned,
        (&largest * &turned + &sum).cast::<f64>(),
    ))
    .unwrap();
    let wanted = eval((
        &stored.0 * 2.0 + &own - &turned,
        (&stored.1 * &turned + &stored.0).cast::<f64>(),
    ))
    .unwrap();
    assert_eq!(one.to_vec().unwrap(), wanted.0.to_vec().unwrap(), "{what}");
    assert_eq!(
        other.to_vec().unwrap(),
        wanted.1.to_vec().unwrap(),
        "{what}"
    );
    // The same with the reduced axes.
    let kept = (sum.keep_axes() * 3.0).eval().unwrap();
    let wanted = (stored.0 * 3.0).eval().unwrap();
    assert_eq!(kept.to_vec().unwrap(), wanted.to_vec().unwrap(), "{what}");
}

#[test]
fn values_are_computed_from_results_of_rows_columns_and_tiles() {
    let stream = stream();
    for lengths in [
        [3, 5, 7],
        [2, 64, 48],
        [70, 3, 33],
        [1, 300, 1],
        [4, 2, 512],
        [40, 400, 4],
    ] {
        let x = numbers(&stream, &lengths);
        for axes in [&[0][..], &[1], &[2], &[0, 1], &[1, 2], &[0, 2], &[0, 1, 2]] {
            compare(&x, axes);
            compare(&x.permute([2, 0, 1]).unwrap(), axes);
        }
        let part = x.slice(s![.., ..;2, ..]).unwrap();
        compare(&part, &[1]);
    }
    // Blocks that share a result.
    compare(&numbers(&stream, &[2, 100_000, 1]), &[1]);
    compare(&numbers(&stream, &[20_000, 16]), &[0]);
}

#[test]
fn results_are_rounded_before_they_are_used() {
    let stream = stream();
    // The sum is 2049, which is no f16.
    let values: Vec<f16> = [2048.0, 1.0].map(f16::from_f32).to_vec();
    let x = Array::from_slice(&stream, &values).unwrap();
    let difference = (x.sum() - f16::from_f32(2048.0)).eval().unwrap();
    assert_eq!(difference.item().unwrap(), f16::ZERO);
}

#[test]
fn results_of_no_elements_are_used() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, [3, 0]).unwrap();
    let found = (x.sum_axis(1) + 1.0).eval().unwrap();
    assert_eq!(found.to_vec().unwrap(), [1.0; 3]);
    assert!((x.max_axis(1) + 1.0).eval().is_err());
    let none = (x.sum_axis(0) + 1.0).eval().unwrap();
    assert_eq!(none.shape(), [0]);
}

#[test]
fn evaluations_are_repeated_with_other_operands() {
    let stream = stream();
    for factor in [1.0, 2.0, 3.0] {
        let x = (numbers(&stream, &[30, 50]) * factor).eval().unwrap();
        let own = numbers(&stream, &[30]);
        let found = (x.sum_axis(1) * factor - &own).eval().unwrap();
        let sums = x.sum_axis(1).eval().unwrap().to_vec().unwrap();
        let wanted = sums.iter().zip(own.to_vec().unwrap());
        let wanted: Vec<f32> = wanted.map(|(sum, own)| sum * factor - own).collect();
        assert_eq!(found.to_vec().unwrap(), wanted);
    }
}

#[test]
fn large_values_are_divided_among_kernels() {
    let stream = stream();
    let x = numbers(&stream, &[6, 9]);
    let sum = x.sum_axis(1);
    let chain = (0..1100).fold(sum.clone(), |chain, _| chain + 1.0);
    let wanted = (sum.eval().unwrap() + 1100.0).eval().unwrap();
    assert_eq!(
        chain.eval().unwrap().to_vec().unwrap(),
        wanted.to_vec().unwrap()
    );
}

#[test]
fn results_of_any_type_are_used() {
    let stream = stream();
    let x = numbers(&stream, &[20, 30]);
    let whole = x.cast::<i32>();
    for axes in [&[0][..], &[1], &[0, 1]] {
        let any = whole.greater(11).any_axis(axes);
        let largest = x.argmax_axis(axes[0]);
        let sum = whole.cast::<i64>().sum_axis(axes);
        let parts = Expr::<Complex<f32>>::complex(&x, &x * 2.0).sum_axis(axes);
        let deviation = x.cast::<f64>().std_axis(axes, 1);
        // The values of an expression, and those of the stored result.
        macro_rules! same {
            ($value:expr, $used:expr) => {{
                let found = $used($value.clone()).eval().unwrap().to_vec().unwrap();
                let stored = $value.eval().unwrap().expr();
                let wanted = $used(stored).eval().unwrap().to_vec().unwrap();
                assert_eq!(found, wanted, "along {axes:?}");
            }};
        }
        same!(any, |any: Expr<bool>| !any);
        same!(largest, |place: Expr<usize>| place + 1);
        same!(sum, |sum: Expr<i64>| sum * -3);
        same!(parts, |parts: Expr<Complex<f32>>| parts.conj());
        same!(deviation, |deviation: Expr<f64>| deviation.cast::<f32>()
            * 0.5);
    }
}

/// Variances of wide vectors, whose elements share an accumulator, along rows and of all elements.
#[test]
fn elements_of_a_vector_are_taken_together() {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    for (rows, length) in [(300, 64), (20, 1000), (2, 20_008)] {
        // Few threads, so that vectors are wide.
        let kernels = Kernels::of_multiprocessors(&context, 1);
        let values: Vec<f16> = (0..rows * length)
            .map(|i| f16::from_f32(1000.0 + ((i * 37 + 11) % 13) as f32))
            .collect();
        let mut x = kernels.zeros::<f16>(&stream, &[rows, length]);
        let given = Array::from_slice(&stream, &values).unwrap();
        x.assign(given.reshape([rows, length]).unwrap()).unwrap();
        let x = x.cast::<f32>();
        let largest = x.argmax_axis(1);
        let results = (
            x.mean_axis(1),
            x.var_axis(1, 0),
            largest,
            x.var(1),
            x.mean(),
        );
        let (mean, variance, largest, of_all, mean_of_all) = eval(results).unwrap();
        let of_rows: Vec<FoldKernel> = kernels.compiled_for();
        let totals: Vec<Total> = kernels.compiled_for();
        let [of_rows] = &of_rows[..] else {
            panic!("{} kernels of rows", of_rows.len());
        };
        assert_eq!((of_rows.form.vector, totals[0].form.vector), (8, 8));
        assert_eq!(lanes(&of_rows.form, &of_rows.folds), 1);
        assert_eq!(lanes(&totals[0].form, &totals[0].folds), 1);
        let host: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
        let moments = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares = values.iter().map(|x| (x - mean).powi(2));
            (mean, squares.sum::<f64>())
        };
        let near = |got: f32, wanted: f64| (f64::from(got) / wanted - 1.0).abs() < 1e-5;
        let (mean, variance) = (mean.to_vec().unwrap(), variance.to_vec().unwrap());
        let largest = largest.to_vec().unwrap();
        for (row, values) in host.chunks(length).enumerate() {
            let (wanted, squares) = moments(values);
            assert!(near(mean[row], wanted), "{row}: {}", mean[row]);
            let got = variance[row];
            assert!(near(got, squares / length as f64), "{row}: {got}");
            let most = values.iter().copied().fold(f64::MIN, f64::max);
            let place = values.iter().position(|&x| x == most);
            assert_eq!(Some(largest[row]), place, "{row}");
        }
        let (wanted, squares) = moments(&host);
        let [got, mean] = [of_all, mean_of_all].map(|x| x.item().unwrap());
        assert!(near(got, squares / (host.len() - 1) as f64), "{got}");
        assert!(near(mean, wanted), "{mean}");
    }
}

#[test]
fn few_threads_combine_variances_of_short_rows() {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let chosen = |lengths: &[usize], varies: bool| {
        let kernels = Kernels::of_multiprocessors(&context, 132);
        let x = kernels.zeros::<f32>(&stream, lengths);
        match varies {
            true => x.var_axis(1, 0).eval().unwrap(),
            false => x.sum_axis(1).eval().unwrap(),
        };
        let found: Vec<FoldKernel> = kernels.compiled_for();
        (found[0].walk, found[0].form.vector)
    };
    let rows = |group| Walk::Rows { group };
    assert_eq!(chosen(&[200, 16], true), (rows(1), 4));
    assert_eq!(chosen(&[200, 16], false), (rows(16), 1));
    assert_eq!(chosen(&[200, 64], true), (rows(4), 4));
    assert_eq!(chosen(&[20, 4096], true), (rows(256), 4));
    // A longer row has too few threads so.
    assert_eq!(chosen(&[20, 4098], true).1, 1);
}
