//! Rows that blocks copy to shared memory and back.

use cuda_safe::{Context, Stream};
use half::f16;

use super::Rows;
use crate::{Array, CastFrom, Expr, Float, element::Element, eval, kernel::Kernels, s};

/// Kernels for which few rows are many, and a stream.
fn kernels() -> (Kernels, Stream) {
    let context = Context::primary(0).unwrap();
    let kernels = Kernels::of_multiprocessors(&context, 1);
    (kernels, Stream::new(&context).unwrap())
}

/// An array of these kernels, with small integers that differ.
fn numbers<T: Element>(
    kernels: &Kernels,
    stream: &Stream,
    shape: &[usize],
    of: fn(u32) -> T,
) -> Array<T> {
    let mut array = kernels.zeros::<T>(stream, shape);
    let count: usize = shape.iter().product();
    let values: Vec<T> = (0..count as u32).map(|i| of(i * 37 % 101)).collect();
    let values = Array::from_slice(stream, &values).unwrap();
    array.assign(values.reshape(shape).unwrap()).unwrap();
    array
}

/// The threads of the blocks of the only kernel for rows, or 0 if its rows are not staged.
fn staged(kernels: &Kernels) -> u32 {
    let compiled: Vec<Rows> = kernels.compiled_for();
    assert_eq!(compiled.len(), 1);
    compiled[0].threads.staged
}

#[test]
fn rows_of_all_lengths_have_the_values_of_other_kernels() {
    for length in (3..=33).chain([36, 55, 56, 60, 63]) {
        let rows = 700; // the last block has fewer
        let (kernels, stream) = kernels();
        let x = numbers(&kernels, &stream, &[rows, length], |i| i as f32);
        let centred = (&x - x.mean_axis(1).keep_axes()).eval().unwrap();
        // Vectors have up to four elements.
        let is_staged = !matches!(length, 4 | 8 | 16 | 32 | 60..);
        assert_eq!(staged(&kernels) > 0, is_staged, "{length}");
        let values = x.to_vec().unwrap();
        let wanted = values.chunks(length).flat_map(|row| {
            let mean = row.iter().sum::<f32>() / length as f32;
            row.iter().map(move |x| x - mean)
        });
        for (i, (got, wanted)) in centred
            .to_vec()
            .unwrap()
            .into_iter()
            .zip(wanted)
            .enumerate()
        {
            assert!(
                (got - wanted).abs() < 1e-4,
                "{length}, {i}: {got}, not {wanted}"
            );
        }
    }
}

#[test]
fn many_short_rows_of_an_even_length_are_copied() {
    // Eight elements are two or four vectors.
    fn check<T: Float>(rows: usize, of: fn(u32) -> T) -> bool
    where
        f64: CastFrom<T>,
    {
        let (kernels, stream) = kernels();
        let x = numbers(&kernels, &stream, &[rows, 8], of);
        let centred = (&x - x.mean_axis(1).keep_axes()).eval().unwrap();
        let is_staged = staged(&kernels) > 0;
        let values: Vec<f64> = centred.cast::<f64>().eval().unwrap().to_vec().unwrap();
        for (i, row) in values.chunks(8).enumerate() {
            let first = f64::from(i as u32 * 8 * 37 % 101);
            for (j, value) in row.iter().enumerate() {
                let exact = f64::from((i * 8 + j) as u32 * 37 % 101);
                assert!((value - row[0] - (exact - first)).abs() < 1e-4, "{i}, {j}");
            }
            assert!(row.iter().sum::<f64>().abs() < 1e-3, "{i}");
        }
        is_staged
    }
    assert!(check(8192, |i| i as f32) && check(8192, f64::from));
    assert!(!check(8191, |i| i as f32) && !check(8191, f64::from));
}

#[test]
fn operands_of_all_kinds_are_read() {
    let (rows, length) = (515, 7);
    let (kernels, stream) = kernels();
    let x = numbers(&kernels, &stream, &[rows, length], |i| {
        f16::from_f32(i as f32)
    });
    let y = numbers(&kernels, &stream, &[rows, length], |i| i as u8);
    let weights = numbers(&kernels, &stream, &[1, length], |i| i as f32);
    let offsets = numbers(&kernels, &stream, &[rows, 1], |i| i as f64);
    let column = Expr::index([rows, length], 1).unwrap().cast::<f64>();
    let wide = x.cast::<f64>();
    let largest = wide.max_axis(1).keep_axes();
    let one = &wide - &largest + y.cast::<f64>() * &weights.cast::<f64>();
    let other = (&wide + &offsets + column - &largest).cast::<f32>();
    let (one, other) = eval((one, other)).unwrap();
    assert_eq!(staged(&kernels), 256);
    let (x, y) = (x.to_vec().unwrap(), y.to_vec().unwrap());
    let (weights, offsets) = (weights.to_vec().unwrap(), offsets.to_vec().unwrap());
    let (one, other) = (one.to_vec().unwrap(), other.to_vec().unwrap());
    for (row, offset) in offsets.into_iter().enumerate() {
        let own = row * length..(row + 1) * length;
        let most = x[own.clone()]
            .iter()
            .map(|x| x.to_f64())
            .fold(f64::MIN, f64::max);
        for (column, at) in own.enumerate() {
            let x = x[at].to_f64();
            let wanted = x - most + f64::from(y[at]) * f64::from(weights[column]);
            assert_eq!(one[at], wanted, "{row}, {column}");
            let wanted = x + offset + column as f64 - most;
            assert_eq!(other[at], wanted as f32, "{row}, {column}");
        }
    }
}

#[test]
fn other_rows_are_not_copied() {
    let run = |rows: std::ops::Range<isize>, columns: std::ops::Range<isize>| {
        let (kernels, stream) = kernels();
        let x = numbers(&kernels, &stream, &[601, 7], |i| i as f32);
        let x = x.slice(s![rows, columns]).unwrap();
        let values = (&x - x.max_axis(1).keep_axes()).eval().unwrap();
        (values.to_vec().unwrap(), staged(&kernels))
    };
    let (all, block) = run(0..601, 0..7);
    assert_eq!(block, 256);
    // Memory that does not start at a multiple of 16 bytes, and few rows.
    for (rows, from) in [(1..601, 7), (0..63, 0)] {
        let (some, block) = run(rows.clone(), 0..7);
        let wanted = &all[from..from + 7 * rows.len()];
        assert!(block == 0 && some == wanted, "{rows:?}: {block}");
    }
    // Elements with distances.
    assert_eq!(run(0..601, 0..5).1, 0);
}
