//! Sums, products, extremes, and reductions by closures.

use cuda_compute::{Array, Element, Expr, Ordered, Random as Sequence, device_fn, eval, fold, s};
use cuda_safe::Stream;

use super::{singles, uniform, value, values};
use crate::{OnHost, random::Random, shaped, stream, upload};

const COUNT: usize = 200_000;

#[test]
fn sums() {
    let stream = stream();
    let x = Array::<f32>::uniform(&stream, &mut Sequence::new(1), COUNT).unwrap();
    let wanted: f64 = x.host().iter().map(|&v| f64::from(v)).sum();
    let got = f64::from(value(x.sum()));
    assert!((got - wanted).abs() / wanted < 1e-4, "{got} {wanted}");
    // Eight bits overflow unless the elements are widened first.
    let bytes = Array::full(&stream, 1000, 100i8).unwrap();
    assert_eq!(value(bytes.cast::<i64>().sum()), 100_000);
    assert_eq!(value(bytes.sum()), 100_000u32 as i8);
}

#[test]
fn sums_of_products() {
    let stream = stream();
    let mut sequence = Sequence::new(2);
    for count in [
        2, 3, 4, 5, 6, 7, 31, 32, 33, 127, 128, 129, 255, 256, 257, 15_391, 20_000,
    ] {
        let a = Array::<f32>::uniform(&stream, &mut sequence, count).unwrap();
        let b = Array::<f32>::uniform(&stream, &mut sequence, count).unwrap();
        let (host_a, host_b) = (a.host(), b.host());
        let products = host_a.iter().zip(&host_b);
        let wanted: f64 = products.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        let got = f64::from(value(a.dot(&b).unwrap()));
        assert!((got - wanted).abs() / wanted < 1e-4, "{count}: {got}");
        // With a stride of three.
        let wanted: f64 = (0..count)
            .step_by(3)
            .map(|i| f64::from(host_a[i]) * f64::from(host_b[i]))
            .sum();
        let part = |x: &Array<f32>| x.slice(s![..;3]).unwrap();
        let got = f64::from(value(part(&a).dot(part(&b)).unwrap()));
        assert!((got - wanted).abs() / wanted < 1e-4, "{count}: {got}");
    }
}

/// Checks the extremes of all elements, and of those whose index is not a multiple of 5.
fn extremes<T: Ordered + PartialOrd>(stream: &Stream, host: &[T], low: T, high: T) {
    let least = |values: &[T]| {
        values
            .iter()
            .copied()
            .reduce(|a, b| if b < a { b } else { a })
    };
    let most = |values: &[T]| {
        values
            .iter()
            .copied()
            .reduce(|a, b| if b > a { b } else { a })
    };
    for count in [COUNT, 2000] {
        let host = &host[..count];
        let x = Array::from_slice(stream, host).unwrap();
        let (min, max) = eval((x.min(), x.max())).unwrap();
        assert_eq!(min.value(), least(host).unwrap());
        assert_eq!(max.value(), most(host).unwrap());
        let chosen = (Expr::index(count, 0).unwrap() % 5).not_equal(0);
        let subset = (chosen.select(&x, high).min(), chosen.select(&x, low).max());
        let (min, max) = eval(subset).unwrap();
        let rest: Vec<T> = (0..count).filter(|i| i % 5 != 0).map(|i| host[i]).collect();
        assert_eq!(min.value(), least(&rest).unwrap());
        assert_eq!(max.value(), most(&rest).unwrap());
        // By their indices.
        let places: Vec<u32> = (0..count as u32).filter(|i| i % 5 != 0).collect();
        let places = Array::from_slice(stream, &places).unwrap();
        let taken = x.take(&places, 0).unwrap();
        let (min, max) = eval((taken.min(), taken.max())).unwrap();
        assert_eq!(min.value(), least(&rest).unwrap());
        assert_eq!(max.value(), most(&rest).unwrap());
    }
}

#[test]
fn extremes_of_arrays_and_subsets() {
    let stream = stream();
    let mut random = Random(3);
    let host = uniform(&mut random, COUNT, -1000.0, 1000.0);
    extremes(&stream, &host, f64::NEG_INFINITY, f64::INFINITY);
    extremes(&stream, &singles(&host), f32::NEG_INFINITY, f32::INFINITY);
    let integers: Vec<i32> = host.iter().map(|&v| (v * 1000.0) as i32).collect();
    extremes(&stream, &integers, i32::MIN, i32::MAX);
    // The sum of a subset: the other elements are replaced by 0.
    let x = upload(&stream, &integers);
    let chosen = (Expr::index(COUNT, 0).unwrap() % 5).not_equal(0);
    let rest = (0..COUNT).filter(|i| i % 5 != 0).map(|i| integers[i]);
    let got = value(chosen.select(&x, 0).cast::<i64>().sum());
    assert_eq!(got, rest.map(i64::from).sum::<i64>());
}

#[test]
fn binary_extremes_of_integers() {
    let stream = stream();
    let a = upload(&stream, &[i32::MIN, -1, 5, i32::MAX]);
    let b = upload(&stream, &[0, -2, 7, 1]);
    assert_eq!(values(a.maximum(&b)), [0, -1, 7, i32::MAX]);
    assert_eq!(values(a.minimum(&b)), [i32::MIN, -2, 5, 1]);
    // No conversion to float: a double cannot represent the difference of these values.
    let a = upload(&stream, &[i64::MAX, i64::MIN + 1]);
    assert_eq!(
        values(a.minimum(i64::MAX - 1)),
        [i64::MAX - 1, i64::MIN + 1]
    );
    assert_eq!(values(a.maximum(i64::MIN)), [i64::MAX, i64::MIN + 1]);
}

#[test]
fn any_and_all() {
    fn check<T: Element>(stream: &Stream, zero: T, one: T)
    where
        bool: cuda_compute::CastFrom<T>,
    {
        let combinations = (0..8).map(|bits| (0..3).map(|i| bits >> i & 1 == 1).collect());
        let others = [vec![true; 10], vec![false], vec![true]];
        for truth in others.into_iter().chain(combinations) {
            let host: Vec<T> = truth.iter().map(|&t| if t { one } else { zero }).collect();
            let x = Array::from_slice(stream, &host).unwrap().cast::<bool>();
            assert_eq!(value(x.any()), truth.contains(&true));
            assert_eq!(value(x.all()), !truth.contains(&false));
        }
    }
    let stream = stream();
    check(&stream, 0, 1);
    check(&stream, false, true);
    check(&stream, 0.0f32, 1.0);
    check(&stream, 0.0f64, 1.0);
}

#[test]
fn several_results_of_one_pass() {
    let stream = stream();
    let host = singles(&uniform(&mut Random(9), 20_000, 0.0, 1.0));
    let x = upload(&stream, &host);
    // PyCUDA uses a structure of two values. Here two reductions share a kernel.
    let (min, max) = eval((x.min(), x.max())).unwrap();
    assert_eq!(min.value(), host.iter().copied().fold(2.0, f32::min));
    assert_eq!(max.value(), host.iter().copied().fold(-1.0, f32::max));
}

#[test]
fn reductions_assign_to_array_elements() {
    let stream = stream();
    let host = singles(&uniform(&mut Random(2), 2000, 0.0, 1.0));
    let x = shaped(&stream, [10, 200], &host);
    let wanted: Vec<f32> = host
        .chunks(200)
        .map(|row| row.iter().copied().fold(0.0, f32::max))
        .collect();
    let mut out = Array::<f32>::zeros(&stream, 10).unwrap();
    let address = out.as_device_ptr();
    for row in 0..10usize {
        let largest = x.slice(s![row]).unwrap().max();
        out.slice_mut(s![row]).unwrap().assign(largest).unwrap();
    }
    assert_eq!((out.host(), out.as_device_ptr()), (wanted.clone(), address));
    assert_eq!(values(x.max_axis(1)), wanted);
}

#[test]
fn closures_as_reductions() {
    let stream = stream();
    let host: Vec<f32> = (0..400).map(|i| i as f32).collect();
    let (x, y) = (upload(&stream, &host), upload(&stream, &host[..]));
    let product = device_fn!(|x: f32, y: f32| x * y);
    let sum = fold!(|a: f32, b: f32| a + b, 0.0);
    let wanted: f64 = host.iter().map(|&v| f64::from(v).powi(2)).sum();
    let got = value(product.map((&x, &y)).reduce(sum));
    assert!((f64::from(got) - wanted).abs() / wanted < 1e-4);
}

#[test]
fn exact_sums_of_integers() {
    let stream = stream();
    for count in [1, 2, 100, 1023, 1025, 60_000] {
        let x = Array::range(&stream, 0..count).unwrap();
        let wide = x.cast::<i64>();
        let n = i64::from(count);
        assert_eq!(value(wide.sum()), n * (n - 1) / 2);
        let squares: i64 = (0..n).map(|i| i * i).sum();
        assert_eq!(value((&wide * &wide).sum()), squares);
        // The result belongs to the stream that computed it.
        assert_eq!(x.sum().eval().unwrap().stream(), &stream);
    }
}
