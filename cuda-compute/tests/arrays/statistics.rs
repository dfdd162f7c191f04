//! Statistics, compared with loops on the host.

use cuda_compute::{Array, Expr, Shape, s};
use half::f16;

use crate::{
    elements,
    failure::failure,
    random::Random,
    several_indices::{place, places},
    shaped, stream, upload, values,
};

/// Returns the elements of an array as the host's lines along an axis.
fn lines(x: &Array<f64>, axis: usize) -> Vec<Vec<f64>> {
    let (shape, host) = (x.shape(), x.to_vec().unwrap());
    let mut outer = shape.as_slice().to_vec();
    outer[axis] = 1;
    places(&outer)
        .into_iter()
        .map(|mut parts| {
            (0..shape[axis])
                .map(|i| {
                    parts[axis] = i;
                    host[place(shape.as_slice(), &parts)]
                })
                .collect()
        })
        .collect()
}

#[track_caller]
fn close(got: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(got.len(), wanted.len());
    for (i, (&got, &wanted)) in got.iter().zip(wanted).enumerate() {
        let same = got == wanted || (got.is_nan() && wanted.is_nan());
        let near = (got - wanted).abs() <= tolerance * (1.0 + wanted.abs());
        assert!(same || near, "{i}: {got}, not {wanted}");
    }
}

fn mean(line: &[f64]) -> f64 {
    line.iter().sum::<f64>() / line.len() as f64
}

fn variance(line: &[f64], ddof: usize) -> f64 {
    if line.len() <= ddof {
        return f64::NAN;
    }
    let mean = mean(line);
    line.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (line.len() - ddof) as f64
}

/// Returns random numbers, of which about a third is NaN.
fn holes(shape: &[usize]) -> Array<f64> {
    let mut random = Random(21);
    let count = shape.iter().product();
    let host: Vec<f64> = (0..count)
        .map(|_| {
            if random.below(3) == 0 {
                f64::NAN
            } else {
                random.between(-2.0, 9.0)
            }
        })
        .collect();
    shaped(&stream(), Shape::new(shape).unwrap(), &host)
}

#[test]
fn reductions_ignore_nan() {
    let x = holes(&[5, 6, 40]);
    let numbers = |line: Vec<f64>| line.into_iter().filter(|x| !x.is_nan()).collect::<Vec<_>>();
    let check = |x: &Array<f64>, axis: usize| {
        let lines: Vec<Vec<f64>> = lines(x, axis).into_iter().map(numbers).collect();
        let on_host =
            |of: &dyn Fn(&[f64]) -> f64| lines.iter().map(|line| of(line)).collect::<Vec<_>>();
        let same =
            |got: Expr<f64>, of: &dyn Fn(&[f64]) -> f64| close(&values(got), &on_host(of), 1e-13);
        same(x.nansum_axis(axis), &|line| line.iter().sum());
        same(x.nanprod_axis(axis), &|line| line.iter().product());
        same(x.nanmean_axis(axis), &mean);
        for ddof in [0, 1, 7] {
            same(x.nanvar_axis(axis, ddof), &|line| {
                variance(line, ddof as usize)
            });
            same(x.nanstd_axis(axis, ddof), &|line| {
                variance(line, ddof as usize).sqrt()
            });
        }
    };
    (0..3).for_each(|axis| check(&x, axis));
    check(&x.t(), 2);
    // A line of NaN and one of a single number.
    let edge = shaped(&stream(), [2, 2], &[f64::NAN, f64::NAN, f64::NAN, 3.0]);
    check(&edge, 1);
    let all = numbers(x.to_vec().unwrap());
    close(&values(x.nansum()), &[all.iter().sum()], 1e-12);
    close(&values(x.nanmean()), &[mean(&all)], 1e-13);
    close(&values(x.nanvar(1)), &[variance(&all, 1)], 1e-13);
    close(&values(x.nanstd(0)), &[variance(&all, 0).sqrt()], 1e-13);
    close(
        &values(x.nanmean_axis([0, -1]).sum()),
        &[(0..6)
            .map(|i| {
                let row = x.slice(s![.., i, ..]).unwrap();
                mean(&numbers(row.to_vec().unwrap()))
            })
            .sum()],
        1e-12,
    );
    let infinite = upload(&stream(), &[f64::INFINITY, 1.0, f64::NAN]);
    assert!(values(infinite.nanvar(0))[0].is_nan());
    assert_eq!(values(infinite.nanmean()), [f64::INFINITY]);
}

#[test]
fn sums_of_halves_do_not_overflow_on_the_way() {
    let stream = stream();
    let large = f16::from_f32(60_000.0);
    let x = upload(&stream, &[large, large, f16::NAN, large]);
    assert_eq!(values(x.nanmean()), [large]);
    assert!(values(x.average(f16::from_f32(2.0)).unwrap())[0].is_nan());
    let x = upload(&stream, &[large, large]);
    assert_eq!(values(x.average(f16::from_f32(2.0)).unwrap()), [large]);
    let many = Array::full(&stream, 70_000, f16::ONE).unwrap();
    assert_eq!(values(many.nanmean()), [f16::ONE]);
}

#[test]
fn averages_have_weights() {
    let stream = stream();
    let mut random = Random(4);
    let mut numbers = |count| {
        (0..count)
            .map(|_| random.between(0.5, 2.0))
            .collect::<Vec<f64>>()
    };
    let x = shaped(&stream, [3, 4, 5], &numbers(60));
    let of = |line: &[f64], weights: &[f64]| {
        let total: f64 = line.iter().zip(weights).map(|(x, w)| x * w).sum();
        total / weights.iter().sum::<f64>()
    };
    for axis in 0..3usize {
        let own = numbers(x.shape()[axis]);
        let wanted: Vec<f64> = lines(&x, axis).iter().map(|line| of(line, &own)).collect();
        let got = x
            .average_axis(axis as i32 - 3, upload(&stream, &own))
            .unwrap();
        close(&values(got), &wanted, 1e-14);
        let full = shaped(&stream, [3, 4, 5], &numbers(60));
        let pairs = lines(&x, axis).into_iter().zip(lines(&full, axis));
        let wanted: Vec<f64> = pairs.map(|(line, weights)| of(&line, &weights)).collect();
        close(
            &values(x.average_axis(axis, &full).unwrap()),
            &wanted,
            1e-14,
        );
    }
    let weights = numbers(5);
    let wide = [&weights[..]; 12].concat();
    let got = x.average(upload(&stream, &weights)).unwrap();
    close(&values(got), &[of(&x.to_vec().unwrap(), &wide)], 1e-14);
    failure(x.average(upload(&stream, &[1.0, 2.0])))
        .mentions("[2] can't be broadcast to [3, 4, 5]");
    failure(x.average_axis(0, upload(&stream, &[1.0, 2.0]))).mentions("broadcast");
    failure(x.average_axis(3, 1.0)).mentions("axis 3");
}

#[test]
fn the_range_of_values() {
    let stream = stream();
    let x = shaped(&stream, [2, 3], &[3, -5, 8, 0, 0, 1]);
    assert_eq!(values(x.ptp()), [13]);
    assert_eq!(values(x.ptp_axis(0)), [3, 5, 7]);
    assert_eq!(values(x.ptp_axis([0, 1])), [13]);
    let nan = upload(&stream, &[1.0, f32::NAN]);
    assert!(values(nan.ptp())[0].is_nan());
    failure(Array::<i32>::zeros(&stream, 0).unwrap().ptp().eval()).mentions("no elements");
}

#[test]
fn covariances_and_correlations() {
    let stream = stream();
    let mut random = Random(6);
    for (rows, count) in [(1, 5), (3, 200), (4, 1), (2, 2)] {
        let host: Vec<f64> = (0..rows * count)
            .map(|_| random.between(-3.0, 90.0))
            .collect();
        let x = shaped(&stream, [rows, count], &host);
        let product = |i: usize, j: usize| {
            let (a, b) = (&host[i * count..][..count], &host[j * count..][..count]);
            let apart = |x: &[f64]| x.iter().map(|v| v - mean(x)).collect::<Vec<_>>();
            apart(a)
                .iter()
                .zip(apart(b))
                .map(|(a, b)| a * b)
                .sum::<f64>()
        };
        let pairs = || (0..rows).flat_map(|i| (0..rows).map(move |j| (i, j)));
        for ddof in [0, 1] {
            let wanted: Vec<f64> = pairs()
                .map(|(i, j)| product(i, j) / (count - ddof) as f64)
                .collect();
            let got = x.cov(ddof as u32).unwrap();
            assert_eq!(got.shape(), [rows, rows]);
            close(&elements(Ok(got)), &wanted, 1e-12);
        }
        let wanted: Vec<f64> = pairs()
            .map(|(i, j)| product(i, j) / (product(i, i) * product(j, j)).sqrt())
            .collect();
        close(&elements(x.corrcoef()), &wanted, 1e-13);
        // Variables in columns, and one variable.
        close(
            &elements(
                x.t()
                    .contiguous(cuda_compute::Order::C)
                    .unwrap()
                    .t()
                    .corrcoef(),
            ),
            &wanted,
            1e-13,
        );
        let one = x.slice(s![0]).unwrap();
        let variance = one.cov(0).unwrap();
        assert_eq!(variance.shape(), []);
        close(
            &elements(Ok(variance)),
            &[product(0, 0) / count as f64],
            1e-12,
        );
    }
    let x = upload(&stream, &[f16::from_f32(200.0), f16::from_f32(-200.0)]);
    assert_eq!(elements(x.cov(0)), [f16::from_f32(40_000.0)]);
    failure(holes(&[2, 2, 2]).cov(1)).mentions("cov: shape [2, 2, 2] has 3 axes");
}

#[test]
fn derivatives_and_integrals() {
    let stream = stream();
    let mut random = Random(9);
    for shape in [[2, 3, 9], [4, 2, 5]] {
        let count = shape.iter().product();
        let host: Vec<f64> = (0..count).map(|_| random.real()).collect();
        let x = shaped(&stream, shape, &host);
        for (axis, n) in shape.into_iter().enumerate() {
            let at: Vec<f64> = (0..n)
                .map(|i| i as f64 + random.between(0.0, 0.5))
                .collect();
            let derivative = |f: &[f64], at: &[f64]| -> Vec<f64> {
                let slope = |i: usize| (f[i + 1] - f[i]) / (at[i + 1] - at[i]);
                let inner = |i: usize| {
                    let (left, right) = (at[i] - at[i - 1], at[i + 1] - at[i]);
                    (right * slope(i - 1) + left * slope(i)) / (left + right)
                };
                (0..n)
                    .map(|i| match i {
                        0 => slope(0),
                        _ if i == n - 1 => slope(n - 2),
                        _ => inner(i),
                    })
                    .collect()
            };
            let equal: Vec<f64> = (0..n).map(|i| 0.3 * i as f64).collect();
            let check = |got: Array<f64>, at: &[f64]| {
                let wanted: Vec<Vec<f64>> = lines(&x, axis)
                    .iter()
                    .map(|line| derivative(line, at))
                    .collect();
                close(&lines(&got, axis).concat(), &wanted.concat(), 1e-13);
            };
            check(x.gradient(upload(&stream, &at), axis).unwrap(), &at);
            check(x.gradient(0.3, axis as i32 - 3).unwrap(), &equal);
            check((&x * 1.0).gradient(0.3, axis).unwrap(), &equal);

            let integral = |f: &[f64], at: &[f64]| -> f64 {
                (1..n)
                    .map(|i| (at[i] - at[i - 1]) * (f[i] + f[i - 1]) / 2.0)
                    .sum()
            };
            for (spacing, at) in [
                (upload(&stream, &at).expr(), &at),
                (Expr::scalar(0.3), &equal),
            ] {
                let wanted: Vec<f64> = lines(&x, axis)
                    .iter()
                    .map(|line| integral(line, at))
                    .collect();
                close(&values(x.trapezoid(spacing, axis).unwrap()), &wanted, 1e-13);
            }
        }
    }
    let x = upload(&stream, &[1.0, 5.0]);
    assert_eq!(elements(x.gradient(2.0, 0)), [2.0, 2.0]);
    assert_eq!(
        elements(x.gradient(upload(&stream, &[0.0, 8.0]), 0)),
        [0.5, 0.5]
    );
    failure(x.gradient(upload(&stream, &[1.0, 2.0, 3.0]), 0))
        .mentions("gradient: the spacing has shape [3]");
    failure(x.trapezoid(upload(&stream, &[1.0]), 0)).mentions("pass a number, or 2 coordinates");
    failure(upload(&stream, &[1.0]).gradient(1.0, 0)).mentions("fewer than two elements");
    assert_eq!(
        values(upload(&stream, &[1.0]).trapezoid(1.0, 0).unwrap()),
        [0.0]
    );
    let halves = upload(&stream, &[1.0, 3.0, 4.0].map(f16::from_f32));
    assert_eq!(
        elements(halves.gradient(f16::ONE, 0)),
        [2.0, 1.5, 1.0].map(f16::from_f32)
    );
}

#[test]
fn differences_of_neighbours() {
    let stream = stream();
    let x = shaped(&stream, [3, 4], &[1, 3, 0, 7, 2, 2, 9, 9, 5, 0, 0, 1]);
    assert_eq!(values(x.diff(1, 1).unwrap()), [2, -3, 7, 0, 7, 0, -5, 0, 1]);
    assert_eq!(values(x.diff(1, 0).unwrap()), [1, -1, 9, 2, 3, -2, -9, -8]);
    assert_eq!(values(x.diff(2, -2).unwrap()), [2, -1, -18, -10]);
    assert_eq!(values(x.diff(0, 0).unwrap()), x.to_vec().unwrap());
    // The differences of order 12 of the powers of 2 are those powers.
    let powers: Vec<i64> = (0..20).map(|i| 1 << i).collect();
    let differences = upload(&stream, &powers).diff(12, 0).unwrap();
    assert_eq!(values(differences), powers[..8]);
    for n in [3, 4] {
        assert_eq!(x.diff(n, 0).unwrap().shape().unwrap(), [0, 4]);
    }
    assert_eq!(
        values(upload(&stream, &[3u8, 1]).diff(1, 0).unwrap()),
        [254]
    );
}

#[test]
fn values_between_samples_are_interpolated() {
    let stream = stream();
    let mut random = Random(12);
    for count in [1, 2, 3, 100] {
        let mut xp: Vec<f64> = (0..count).map(|_| random.between(-5.0, 5.0)).collect();
        xp.sort_by(f64::total_cmp);
        let fp: Vec<f64> = (0..count).map(|_| random.real()).collect();
        let mut host: Vec<f64> = (0..3000).map(|_| random.between(-6.0, 6.0)).collect();
        host.extend(&xp);
        host.extend([f64::NAN, f64::INFINITY, -f64::INFINITY]);
        let wanted: Vec<f64> = host
            .iter()
            .map(|&x| match xp.iter().rposition(|&left| left <= x) {
                _ if x.is_nan() => x,
                None => fp[0],
                Some(i) if i == count - 1 => fp[i],
                Some(i) => fp[i] + (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i]) * (x - xp[i]),
            })
            .collect();
        let (p, f) = (upload(&stream, &xp), upload(&stream, &fp));
        let got = elements((upload(&stream, &host) * 2.0 / 2.0).interp(&p, &f));
        close(&got, &wanted, 1e-14);
        // Samples that are not contiguous.
        let wide = Array::full(&stream, [count, 2], 9.0).unwrap();
        let mut wide = wide;
        wide.slice_mut(s![.., 0]).unwrap().assign(&p).unwrap();
        let column = wide.slice(s![.., 0]).unwrap();
        assert_eq!(
            values(upload(&stream, &xp).interp(&column, &f).unwrap().expr()),
            fp
        );
    }
    let x = shaped(&stream, [2, 2], &[0.0f32, 1.0, 2.0, 3.0]);
    let (xp, fp) = (
        upload(&stream, &[0.0, 2.0, 3.0]),
        upload(&stream, &[f32::INFINITY, 1.0, 1.0]),
    );
    let got = x.interp(&xp, &fp).unwrap();
    assert_eq!(got.shape(), [2, 2]);
    assert_eq!(elements(Ok(got))[2..], [1.0, 1.0]);
    let halves = upload(&stream, &[f16::from_f32(0.5)]);
    let ends = upload(&stream, &[f16::ZERO, f16::ONE]);
    assert_eq!(elements(halves.interp(&ends, &ends)), [f16::from_f32(0.5)]);
    failure(x.interp(&xp, &upload(&stream, &[1.0])))
        .mentions("interp: xp has shape [3] and fp has shape [1]");
    let none = Array::<f32>::zeros(&stream, 0).unwrap();
    failure(x.interp(&none, &none)).mentions("at least one");
    assert!(none.interp(&xp, &fp).unwrap().is_empty());
}
