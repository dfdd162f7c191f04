//! Expressions that are too large for one kernel.

use cuda_compute::{Array, Expr, eval, s};

use crate::{elements, stream, values};

/// The sum of `count` columns of an array, as a chain of additions.
fn sum_of_columns(x: &Array<i64>, count: usize) -> Expr<i64> {
    let column = |i: usize| x.slice(s![.., i]).unwrap();
    (1..count).fold(column(0).expr(), |sum, i| sum + column(i))
}

#[test]
fn sums_of_many_arrays() {
    let x = Array::range(&stream(), 0i64..3 * 200)
        .unwrap()
        .reshape([3, 200])
        .unwrap();
    for count in [60, 61, 137, 200] {
        let wanted = values(x.slice(s![.., ..count]).unwrap().sum_axis(1));
        assert_eq!(values(sum_of_columns(&x, count)), wanted, "{count}");
        // From the right, and in pairs.
        let parts: Vec<Expr<i64>> = x
            .axis_iter(1)
            .unwrap()
            .take(count)
            .map(|c| c.expr())
            .collect();
        let right = parts
            .iter()
            .rev()
            .fold(Expr::scalar(0), |sum, part| part + sum);
        assert_eq!(values(right), wanted, "{count}");
        let mut level = parts;
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|two| two.iter().fold(Expr::scalar(0), |a, b| a + b))
                .collect();
        }
        assert_eq!(values(level[0].clone()), wanted, "{count}");
    }
}

#[test]
fn chains_of_many_operations_and_numbers() {
    let x = Array::from_slice(&stream(), &[1u64, 2, 3]).unwrap();
    let host =
        |count: u64| [1, 2, 3].map(|v| (0..count).fold(v, |v: u64, i| v.wrapping_mul(3) ^ i));
    for count in [100, 450, 1200] {
        let chain = (0..count).fold(x.expr(), |chain, i| (chain * 3u64) ^ i);
        assert_eq!(values(chain), host(count), "{count}");
    }
    let halves = x.cast::<f32>();
    let chain = (0..1500).fold(halves, |chain, _| -chain);
    assert_eq!(values(chain), [1.0, 2.0, 3.0]);
}

#[test]
fn large_expressions_are_used_everywhere() {
    let x = Array::range(&stream(), 0i64..2 * 90)
        .unwrap()
        .reshape([2, 90])
        .unwrap();
    let sum = sum_of_columns(&x, 90);
    let wanted = values(x.sum_axis(1));
    assert_eq!(values(sum.max()), [wanted[1]]);
    let (twice, total, first) = eval((&sum * 2, sum.sum(), sum.less(wanted[1]))).unwrap();
    assert_eq!(elements(Ok(twice)), [wanted[0] * 2, wanted[1] * 2]);
    assert_eq!(total.item().unwrap(), wanted[0] + wanted[1]);
    assert_eq!(elements(Ok(first)), [true, false]);
    let sums = values(sum.cumsum(0).unwrap());
    assert_eq!(sums, [wanted[0], wanted[0] + wanted[1]]);
    assert_eq!(elements(sum.compress(sum.greater(wanted[0]))), [wanted[1]]);
    let rows = &sum - sum.max_axis(0).keep_axes();
    assert_eq!(values(rows), [wanted[0] - wanted[1], 0]);
    let mut y = Array::<i64>::zeros(x.stream(), [3, 2]).unwrap();
    y.assign(&sum).unwrap(); // broadcast
    assert_eq!(elements(y.slice(s![2])), wanted);
    let mut z = x.slice(s![.., 0]).unwrap();
    z.assign(sum_of_columns(&x, 90) + &z).unwrap();
    assert_eq!(z.to_vec().unwrap(), [wanted[0], wanted[1] + 90]);
    // Parts of several shapes.
    let total = (0..70i64).fold(Expr::scalar(0), |all, i| {
        let row = x.slice(s![.., i as usize..i as usize + 1]).unwrap();
        all + (row + i) * x.slice(s![0, ..2]).unwrap()
    });
    let got = elements(total.eval());
    let want = |row: i64, column: i64| (0..70).map(|i| (row * 90 + i + i) * column).sum::<i64>();
    assert_eq!(got, [want(0, 0), want(0, 1), want(1, 0), want(1, 1)]);
}
