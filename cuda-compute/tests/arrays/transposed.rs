//! Reductions of expressions with transposed operands, compared with ndarray.

use cuda_compute::{Array, eval};
use cuda_safe::Stream;
use half::bf16;
use ndarray::{ArrayD, Axis, IxDyn};

use crate::{random::Random, stream};

/// Numbers from -50 to 50, in C order.
fn numbers(random: &mut Random, lengths: &[usize]) -> ArrayD<i64> {
    let numbers = (0..lengths.iter().product()).map(|_| random.below(101) as i64 - 50);
    ArrayD::from_shape_vec(IxDyn(lengths), numbers.collect()).unwrap()
}

fn upload(stream: &Stream, host: &ArrayD<i64>) -> Array<i64> {
    let elements: Vec<i64> = host.iter().copied().collect();
    let x = Array::from_slice(stream, &elements).unwrap();
    x.reshape(host.shape()).unwrap()
}

/// Returns the lengths before a permutation that results in these.
fn before(lengths: &[usize], order: &[usize]) -> Vec<usize> {
    let mut before = vec![0; order.len()];
    for (axis, &from) in order.iter().enumerate() {
        before[from] = lengths[axis];
    }
    before
}

fn compare(x: &Array<i64>, wanted: &ArrayD<i64>, what: &str) {
    assert_eq!(x.shape().as_slice(), wanted.shape(), "{what}");
    let found = x.to_vec().unwrap();
    assert!(found.iter().eq(wanted.iter()), "{what}");
}

/// Checks reductions along every subset of axes.
fn check(stream: &Stream, random: &mut Random, lengths: &[usize], order: &[usize]) {
    let (host, other) = (
        numbers(random, lengths),
        numbers(random, &before(lengths, order)),
    );
    let (x, y) = (upload(stream, &host), upload(stream, &other));
    let y = y.permute(order).unwrap();
    let host = &host * 3 + other.permuted_axes(IxDyn(order));
    for subset in 1u32..1 << lengths.len() {
        let axes: Vec<usize> = (0..lengths.len())
            .filter(|axis| subset >> axis & 1 == 1)
            .collect();
        let what = format!("{lengths:?}, permuted by {order:?}, along {axes:?}");
        let (mut sums, mut largest) = (host.clone(), host.clone());
        for &axis in axes.iter().rev() {
            sums = sums.sum_axis(Axis(axis));
            largest = largest.map_axis(Axis(axis), |lane| *lane.iter().max().unwrap());
        }
        let value = || &x * 3 + &y;
        let (sum, max) = eval((value().sum_axis(&axes[..]), value().max_axis(&axes[..]))).unwrap();
        compare(&sum, &sums, &what);
        compare(&max, &largest, &what);
        if let [axis] = axes[..] {
            let place = value().argmax_axis(axis).eval().unwrap();
            let first = host.map_axis(Axis(axis), |lane| {
                let largest = lane.iter().max().unwrap();
                lane.iter().position(|value| value == largest).unwrap() as i64
            });
            compare(&place.cast::<i64>().eval().unwrap(), &first, &what);
        }
    }
}

#[test]
fn reductions_of_transposed_operands_are_exact() {
    let stream = stream();
    let random = &mut Random(41);
    for lengths in [
        [32, 32],
        [16, 16],
        [17, 33],
        [100, 70],
        [31, 129],
        [1000, 20],
    ] {
        check(&stream, random, &lengths, &[1, 0]);
    }
    for (lengths, order) in [
        ([5, 40, 33], [0, 2, 1]),
        ([40, 5, 33], [2, 1, 0]),
        ([33, 20, 17], [1, 2, 0]),
        ([33, 20, 17], [2, 0, 1]),
        ([700, 16, 16], [0, 2, 1]),
        ([16, 700, 16], [2, 1, 0]),
    ] {
        check(&stream, random, &lengths, &order);
    }
    check(&stream, random, &[3, 20, 4, 18], &[0, 3, 2, 1]);
}

#[test]
fn reductions_of_no_transposed_elements_are_neutral() {
    let stream = stream();
    let (x, y) = (
        Array::<f32>::zeros(&stream, [20, 0, 30]).unwrap(),
        Array::<f32>::zeros(&stream, [30, 0, 20]).unwrap(),
    );
    let y = y.permute([2, 1, 0]).unwrap();
    let sum = (&x + &y).sum_axis(1).eval().unwrap();
    assert_eq!(sum.to_vec().unwrap(), [0.0; 600]);
}

#[test]
fn statistics_of_transposed_operands_are_accurate() {
    let stream = stream();
    let mut random = Random(42);
    let (rows, columns) = (150, 70);
    let mut values = || -> Vec<f32> {
        (0..rows * columns)
            .map(|_| random.below(1000) as f32 * 0.25)
            .collect()
    };
    let (a, b) = (values(), values());
    let x = Array::from_slice(&stream, &a).unwrap();
    let x = x.reshape([rows, columns]).unwrap();
    let y = Array::from_slice(&stream, &b).unwrap();
    let y = y.reshape([columns, rows]).unwrap();
    let y = y.permute([1, 0]).unwrap();
    for axis in [0, 1] {
        let (mean, variance) =
            eval(((&x * &y).mean_axis(axis), (&x * &y).var_axis(axis, 0))).unwrap();
        let (mean, variance) = (mean.to_vec().unwrap(), variance.to_vec().unwrap());
        for place in 0..[columns, rows][axis] {
            let own: Vec<f64> = (0..[rows, columns][axis])
                .map(|other| {
                    let (row, column) = [(other, place), (place, other)][axis];
                    f64::from(a[row * columns + column]) * f64::from(b[column * rows + row])
                })
                .collect();
            let exact = own.iter().sum::<f64>() / own.len() as f64;
            let squares: f64 = own.iter().map(|value| (value - exact).powi(2)).sum();
            let exact_variance = squares / own.len() as f64;
            assert!((f64::from(mean[place]) / exact - 1.0).abs() < 1e-6);
            assert!((f64::from(variance[place]) / exact_variance - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn half_precision_operands_are_transposed() {
    let stream = stream();
    let host: Vec<bf16> = (0..64 * 90)
        .map(|i| bf16::from_f32((i % 13) as f32))
        .collect();
    let x = Array::from_slice(&stream, &host).unwrap();
    let x = x.reshape([64, 90]).unwrap();
    let y = Array::from_slice(&stream, &host).unwrap();
    let y = y.reshape([90, 64]).unwrap().permute([1, 0]).unwrap();
    let largest = (&x + &y).max_axis(1).eval().unwrap().to_vec().unwrap();
    for (row, largest) in largest.into_iter().enumerate() {
        let sums = (0..90).map(|column| host[row * 90 + column] + host[column * 64 + row]);
        let wanted = sums.map(bf16::to_f32).fold(0.0, f32::max);
        assert_eq!(largest.to_f32(), wanted, "{row}");
    }
}
