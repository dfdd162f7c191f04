//! Expressions of the results of scans.

use cuda_compute::{Array, Combination, Expr, Order, Random, concatenate, device_fn, eval, s};
use half::f16;

use crate::{
    OnHost, elements, failure::failure, random::whole_numbers, shaped, stream, upload, values,
};

/// Shapes and axes for every kernel: lines of one block and of several, short rows, and columns, also with
/// sizes that are no multiples of a vector.
const PLACES: [(&[usize], usize); 13] = [
    (&[1], 0),
    (&[7], 0),
    (&[1029], 0),
    (&[70_003], 0),
    (&[5, 3], 1),
    (&[40, 129], 1),
    (&[3, 9000], 1),
    (&[3, 9000], 0),
    (&[70, 5], 0),
    (&[5000, 8], 0),
    (&[20_000, 8], 0),
    (&[3, 40, 6], 1),
    (&[0, 4], 1),
];

fn numbers(shape: &[usize]) -> Vec<i32> {
    whole_numbers(shape.iter().product(), -50..51)
}

#[test]
fn operations_continue_with_the_results() {
    let stream = stream();
    for (shape, axis) in PLACES {
        let x = shaped(&stream, shape, &numbers(shape));
        let y = shaped(&stream, shape, &numbers(shape)).flip(0).unwrap();
        let last = y.slice(s![.., ..1]).ok().filter(|_| shape.len() == 2);
        let index = || Expr::index(shape, axis).unwrap().cast::<i32>();
        let (x2, at) = (&x * 2, format!("{shape:?} along {axis}"));
        // The same operations on a scan that is in memory.
        let sums = x2.eval().unwrap().cumsum(axis).unwrap();
        let highest = x.scan_exclusive(Combination::max(), axis).unwrap();
        let continued = |sums: Expr<i32>| {
            let value = (sums * 3 - &y) * index() + &x;
            match &last {
                Some(last) => value + last,
                None => value,
            }
        };
        let got = continued(x2.cumsum(axis).unwrap());
        assert_eq!(values(got), values(continued(sums.expr())), "{at}");
        let got = x.expr().scan_exclusive(Combination::max(), axis).unwrap();
        let wanted = values(continued(highest.expr()));
        assert_eq!(values(continued(got)), wanted, "{at}");
        // The results themselves, and several values of them, also of another type.
        let lazy = x2.cumsum(axis).unwrap();
        let (one, other, third) = eval((&lazy, lazy.greater(&y), &lazy - &x)).unwrap();
        assert_eq!(one.host(), sums.host(), "{at}");
        assert_eq!(other.host(), values(sums.greater(&y)), "{at}");
        assert_eq!(third.host(), values(&sums - &x), "{at}");
    }
}

#[test]
fn layouts_are_those_of_the_scan() {
    let stream = stream();
    let shape = [30, 41, 5];
    let x = shaped(&stream, shape, &numbers(&shape));
    let y = shaped(&stream, shape, &numbers(&shape));
    let f = |x: &Array<i32>| x.contiguous(Order::F).unwrap();
    for x in [x.clone(), f(&x), x.slice(s![.., ..;-1, ..]).unwrap()] {
        for y in [y.clone(), f(&y)] {
            for axis in 0..3 {
                let sums = x.cumsum(axis).unwrap();
                let got = (x.expr().cumsum(axis).unwrap() * &y).eval().unwrap();
                assert_eq!(got.strides(), sums.strides());
                assert_eq!(got.host(), values(&sums * &y), "axis {axis}");
            }
        }
    }
}

#[test]
fn segments_and_own_functions_continue() {
    let stream = stream();
    for (shape, axis) in PLACES {
        let x = shaped(&stream, shape, &numbers(shape));
        let begins = (&x % 7).equal(0).eval().unwrap();
        let sum = Combination::sum;
        let got = x.expr().segmented_scan(sum(), &begins, axis).unwrap();
        let wanted = x.segmented_scan(sum(), &begins, axis).unwrap();
        assert_eq!(values(got * &x), values(wanted * &x), "{shape:?}");
        let got = x.expr().segmented_scan_exclusive(sum(), &begins, axis);
        let wanted = x.segmented_scan_exclusive(sum(), &begins, axis).unwrap();
        assert_eq!(values(got.unwrap() - &x), values(wanted - &x), "{shape:?}");
        let either = Combination::new(&device_fn!(|a: i32, b: i32| a | b), 0);
        let half = device_fn!(|a: i32| a / 2);
        let got = half.map((x.expr().scan(&either, axis).unwrap(),));
        let wanted = half.map((x.scan(&either, axis).unwrap(),));
        assert_eq!(values(got), values(wanted), "{shape:?}");
    }
    let x = upload(&stream, &[1, 2, 3, 4, 5]);
    let offsets = upload(&stream, &[0usize, 2, 5]);
    let got = x.expr().segment_scan(Combination::sum(), &offsets).unwrap();
    assert_eq!(values(got * 10), [10, 30, 30, 70, 120]);
    let got = x
        .expr()
        .segment_scan_exclusive(Combination::sum(), &offsets);
    assert_eq!(values(got.unwrap() + 1), [1, 2, 1, 4, 8]);
}

#[test]
fn halves_are_rounded_before_they_are_used() {
    let stream = stream();
    let host: Vec<f16> = (0..3000).map(|i| f16::from_f32(i as f32 * 0.01)).collect();
    let x = upload(&stream, &host);
    let sums = x.cumsum(0).unwrap();
    let got = values(x.expr().cumsum(0).unwrap().cast::<f32>() - &x.cast::<f32>());
    assert_eq!(got, values(sums.cast::<f32>() - x.cast::<f32>()));
    let got = values(x.expr().cumsum(0).unwrap() * f16::from_f32(0.1));
    let wanted = values(&sums * f16::from_f32(0.1));
    assert!(
        got.iter()
            .map(|x| x.to_bits())
            .eq(wanted.iter().map(|x| x.to_bits()))
    );
}

#[test]
fn other_values_are_computed_first() {
    let stream = stream();
    let shape = [40, 33];
    let x = shaped(&stream, shape, &numbers(&shape));
    let sums = x.cumsum(1).unwrap();
    let lazy = || x.expr().cumsum(1).unwrap();
    // Reductions of the scanned values, of other values, and of the scan.
    let centred = (&x - x.max_axis(1).keep_axes()).cumsum(1).unwrap();
    let wanted = (&x - x.max_axis(1).keep_axes()).eval().unwrap();
    let wanted = values(wanted.cumsum(1).unwrap() * x.sum_axis(0));
    assert_eq!(values(centred * x.sum_axis(0)), wanted);
    let got = values(lazy() - lazy().max_axis(1).keep_axes());
    assert_eq!(got, values(&sums - sums.max_axis(1).keep_axes()));
    let shared = lazy();
    let got = values(&shared - shared.max_axis(1).keep_axes());
    assert_eq!(got, values(&sums - sums.max_axis(1).keep_axes()));
    assert_eq!(values(shared.sum()), values(sums.sum()));
    // Several scans, scans of scans, and views of scans.
    let down = x.cumsum(0).unwrap();
    let got = values(lazy() * x.expr().cumsum(0).unwrap());
    assert_eq!(got, values(&sums * &down));
    let twice = values(lazy().cumsum(0).unwrap() + 1);
    assert_eq!(twice, values(sums.cumsum(0).unwrap() + 1));
    let got = values((lazy() * 2).cumsum(0).unwrap() - lazy());
    let wanted = (&sums * 2).eval().unwrap().cumsum(0).unwrap();
    assert_eq!(got, values(wanted - &sums));
    let turned = values(lazy().t() + 1);
    assert_eq!(turned, values(sums.t() + 1));
    let got = values(lazy() - lazy().slice(s![.., ..;-1]).unwrap());
    assert_eq!(got, values(&sums - sums.flip(1).unwrap()));
    // Results of other shapes.
    let row = x.slice(s![0]).unwrap();
    let wide = values(row.expr().cumsum(0).unwrap() * &x);
    assert_eq!(wide, values(row.cumsum(0).unwrap() * &x));
    let (one, other) = eval((lazy() + 1, row.expr().cumsum(0).unwrap() + 1)).unwrap();
    assert_eq!(one.host(), values(&sums + 1));
    assert_eq!(other.host(), values(row.cumsum(0).unwrap() + 1));
}

#[test]
fn operands_that_the_kernel_of_a_scan_does_not_load() {
    let stream = stream();
    let x = upload(&stream, &numbers(&[2000]));
    let sums = x.cumsum(0).unwrap();
    let lazy = || x.expr().cumsum(0).unwrap();
    // Elements at indices, and random numbers.
    let places = (&x % 100).abs().eval().unwrap();
    let got = values(x.take_clamped(&places, 0).unwrap() - lazy());
    assert_eq!(got, values(x.take_clamped(&places, 0).unwrap() - &sums));
    let drawn = || Expr::<u32>::bits(&mut Random::new(3), 2000).unwrap();
    let wanted = values(drawn().cast::<i32>() ^ &sums);
    assert_eq!(values(drawn().cast::<i32>() ^ lazy()), wanted);
    let counts = || Expr::<u32>::poisson(&mut Random::new(3), 2000, 4.0).unwrap();
    let wanted = values(counts().cast::<i32>() + &sums);
    assert_eq!(values(counts().cast::<i32>() + lazy()), wanted);
    // More arrays than one kernel reads.
    let parts: Vec<Array<i32>> = (0..80).map(|i| (&x + i).eval().unwrap()).collect();
    let all = |first: Expr<i32>| parts.iter().fold(first, |sum, part| sum + part);
    assert_eq!(values(all(lazy())), values(all(sums.expr())));
}

#[test]
fn scans_are_operands_of_other_calls() {
    let stream = stream();
    let x = upload(&stream, &numbers(&[3000]));
    let sums = x.cumsum(0).unwrap();
    let lazy = || x.expr().cumsum(0).unwrap();
    let got = elements(lazy().compress(lazy().greater(0)));
    assert_eq!(got, elements(sums.compress(sums.greater(0))));
    assert_eq!(elements(lazy().sort()), elements(sums.sort()));
    let mut target = Array::<i32>::zeros(&stream, 3000).unwrap();
    target.assign(lazy() * 2).unwrap();
    assert_eq!(target.host(), values(&sums * 2));
    // The elements are read before they are written.
    let mut own = x.copy().unwrap();
    let expression = own.expr().cumsum(0).unwrap() - &own;
    own.assign(expression).unwrap();
    assert_eq!(own.host(), values(&sums - &x));
    let mut part = x.copy().unwrap();
    let expression = part.expr().cumsum(0).unwrap();
    part.slice_mut(s![10..20]).unwrap().fill(7).unwrap();
    assert_eq!(values(expression), sums.host());
    let both = concatenate(&[&sums, &(lazy() + 1).eval().unwrap()], 0).unwrap();
    assert_eq!(both.host()[3000], sums.host()[0] + 1);
}

#[test]
fn recurrences_continue() {
    let stream = stream();
    let host: Vec<f64> = numbers(&[4000]).into_iter().map(f64::from).collect();
    let x = upload(&stream, &host);
    let got = values(x.linear_recurrence(0.5, 1.0, 0).unwrap() * 2.0);
    let mut state = 1.0;
    let wanted = host.iter().map(|new| {
        state = 0.5 * state + new;
        state * 2.0
    });
    let near = |(got, wanted): (&f64, f64)| (got - wanted).abs() <= 1e-9;
    assert!(got.iter().zip(wanted).all(near));
}

#[test]
fn errors_are_those_of_the_expression() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, [4, 6]).unwrap();
    let y = Array::<f32>::zeros(&stream, 4).unwrap();
    failure((x.expr().cumsum(1).unwrap() + &y).eval()).mentions("[4, 6] and [4]");
    failure(x.expr().cumsum(-3)).mentions("axis -3 is out of range for shape [4, 6]");
    // It reads no array, so it has no stream.
    let none = Expr::index(5, 0).unwrap().cumsum(0).unwrap() + 1;
    failure(none.eval()).mentions("eval_on");
    assert_eq!(none.eval_on(&stream).unwrap().host(), [1, 2, 4, 7, 11]);
}

#[test]
fn parts_of_a_large_expression_may_be_results() {
    let stream = stream();
    let x = upload(&stream, &numbers(&[100]));
    // Too large for one kernel: the first 400 operations are computed before the rest.
    let mut chain = x.expr();
    let mut parts = Vec::new();
    for _ in 0..1201 {
        chain = -chain;
        parts.push(chain.clone());
    }
    for part in [398, 399, 400] {
        let sums = chain.cumsum(0).unwrap() + 1;
        let (one, other) = eval((&parts[part], sums)).unwrap();
        let sign = if part % 2 == 0 { -1 } else { 1 };
        assert_eq!(one.host(), values(&x * sign));
        assert_eq!(other.host(), values(-(x.cumsum(0).unwrap()) + 1), "{part}");
    }
}

#[test]
fn chains_of_scans_may_be_long() {
    let stream = stream();
    let x = upload(&stream, &[1u32, 0, 0]);
    let again = |x: Expr<u32>, _| x.cumsum(0).unwrap();
    let sums = values((0..60).fold(x.expr(), again));
    assert_eq!(sums, [1, 60, 60 * 61 / 2]);
    drop((0..100_000).fold(x.expr(), again));
}
