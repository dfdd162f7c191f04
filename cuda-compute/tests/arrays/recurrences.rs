//! Linear recurrences, moving averages, and running extremes with their indices.

use cuda_compute::{Array, Expr, s};

use crate::{elements, failure::failure, random::Random, shaped, stream, upload, values};

#[test]
fn recurrences_are_those_of_a_loop() {
    let stream = stream();
    let mut random = Random(14);
    for shape in [[1, 30_000, 1], [3, 700, 4], [40, 5, 2], [2, 1, 3]] {
        let count = shape.iter().product();
        let mut numbers = || (0..count).map(|_| random.real()).collect::<Vec<f64>>();
        let (a, b) = (numbers(), numbers());
        let (x, y) = (shaped(&stream, shape, &a), shaped(&stream, shape, &b));
        let initial: Vec<f64> = b[..shape[0] * shape[2]].to_vec();
        let first = shaped(&stream, [shape[0], 1, shape[2]], &initial);
        let got = values(y.linear_recurrence(&x, &first, 1).unwrap());
        for outer in 0..shape[0] {
            for inner in 0..shape[2] {
                let mut value = initial[outer * shape[2] + inner];
                for i in 0..shape[1] {
                    let at = (outer * shape[1] + i) * shape[2] + inner;
                    value = a[at] * value + b[at];
                    assert!(
                        (got[at] - value).abs() < 1e-13,
                        "{shape:?} at {at}: {} {value}",
                        got[at]
                    );
                }
            }
        }
    }
    let ones = Array::<f32>::ones(&stream, 5).unwrap();
    assert_eq!(
        values(ones.linear_recurrence(2.0, 3.0, -1).unwrap()),
        [7.0, 15.0, 31.0, 63.0, 127.0]
    );
    let empty = Array::<f32>::zeros(&stream, [0, 2]).unwrap();
    assert_eq!(values(empty.linear_recurrence(1.0, 1.0, 0).unwrap()), []);
    failure(ones.linear_recurrence(upload(&stream, &[1.0, 2.0]), 0.0, 0)).mentions("broadcast");
    failure(ones.linear_recurrence(0.0, &ones, 0)).mentions("[5] can't be broadcast to [1]");
    failure(ones.linear_recurrence(0.0, 0.0, 1)).mentions("axis 1");
}

#[test]
fn moving_averages_start_with_the_first_element() {
    let stream = stream();
    let mut random = Random(15);
    let host = random.reals(2 * 5000);
    let x = shaped(&stream, [2, 5000], &host);
    let got = values(x.ewm_mean(0.1, 1).unwrap());
    for (got, host) in got.chunks(5000).zip(host.chunks(5000)) {
        let mut average = f64::from(host[0]);
        for (&got, &x) in got.iter().zip(host) {
            // The first step leaves the first element as it is.
            average = 0.1 * f64::from(x) + 0.9 * average;
            assert!((f64::from(got) - average).abs() < 1e-6, "{got} {average}");
        }
    }
    let nan = upload(&stream, &[1.0, 2.0, f64::NAN, 3.0])
        .ewm_mean(0.5, 0)
        .unwrap();
    let nan = values(nan);
    assert_eq!(nan[..2], [1.0, 1.5]);
    assert!(nan[2].is_nan() && nan[3].is_nan());
}

#[test]
fn running_extremes_have_indices() {
    let stream = stream();
    let mut random = Random(16);
    for (rows, length) in [(1, 20_000), (50, 33), (3, 1)] {
        let host: Vec<i32> = (0..rows * length)
            .map(|_| random.below(1000) as i32)
            .collect();
        let x = shaped(&stream, [rows, length], &host);
        let check = |x: Array<i32>, axis: usize, lines: &[&[i32]]| {
            for (largest, (extremes, indices)) in [
                (true, x.cummax_with_indices(axis).unwrap()),
                (false, x.cummin_with_indices(axis).unwrap()),
            ] {
                let order = |x: Array<usize>| elements(Ok(if axis == 0 { x.t() } else { x }));
                let values = if axis == 0 { extremes.t() } else { extremes };
                let (values, indices) = (values.to_vec().unwrap(), order(indices));
                for (row, line) in lines.iter().enumerate() {
                    let mut at = 0;
                    for (i, &x) in line.iter().enumerate() {
                        if if largest {
                            x >= line[at]
                        } else {
                            x <= line[at]
                        } {
                            at = i;
                        }
                        let place = row * length + i;
                        assert_eq!((values[place], indices[place]), (line[at], at));
                    }
                }
            }
        };
        let lines: Vec<&[i32]> = host.chunks(length).collect();
        check(x.clone(), 1, &lines);
        check(x.t(), 0, &lines);
    }
    let nan = f32::NAN;
    let x = upload(&stream, &[nan, 2.0, nan, 1.0, 3.0, nan]);
    let (maxima, indices) = x.cummax_with_indices(0).unwrap();
    let maxima = maxima.to_vec().unwrap();
    assert!(maxima[0].is_nan());
    assert_eq!(maxima[1..], [2.0, 2.0, 2.0, 3.0, 3.0]);
    assert_eq!(elements(Ok(indices)), [0, 1, 1, 1, 4, 4]);
    // An expression that reads a part of the array.
    let (_, indices) = (-x.slice(s![3..5]).unwrap())
        .cummin_with_indices(0)
        .unwrap();
    assert_eq!(elements(Ok(indices)), [0, 1]);
    failure(Expr::scalar(1).cummax_with_indices(0)).mentions("axis 0");
}
