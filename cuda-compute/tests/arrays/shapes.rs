//! Rolls, repetitions, diagonals and triangles, products and norms.

use cuda_compute::{Array, Ellipsis, Expr, s};
use half::f16;
use num_complex::Complex;

use crate::{OnHost, failure::failure, random::whole_numbers, shaped, stream, upload};

fn array(shape: &[usize]) -> Array<i32> {
    let host = whole_numbers(shape.iter().product(), -50..51);
    Array::from_shape(&stream(), shape, &host).unwrap()
}

/// Returns the element of an array at an index.
fn at(host: &[i32], shape: &[usize], places: &[usize]) -> i32 {
    let number = shape
        .iter()
        .zip(places)
        .fold(0, |number, (length, place)| number * length + place);
    host[number]
}

/// Returns all indices of a shape, in C order.
fn places(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &length in shape {
        let longer = |place: Vec<usize>| (0..length).map(move |i| [&place[..], &[i]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Compares an array with the elements at these indices of another.
fn check(
    got: &Array<i32>,
    shape: &[usize],
    from: &Array<i32>,
    place: impl Fn(&[usize]) -> Vec<usize>,
) {
    assert_eq!(got.shape(), *shape);
    let (host, own) = (from.host(), from.shape());
    let wanted: Vec<i32> = places(shape)
        .iter()
        .map(|places| at(&host, own.as_slice(), &place(places)))
        .collect();
    assert_eq!(got.host(), wanted, "{shape:?}");
}

#[test]
fn roll_works_along_every_axis() {
    for shape in [&[7][..], &[3, 5], &[2, 1, 4], &[1]] {
        let x = array(shape);
        for x in [x.clone(), x.t(), x.flip(0).unwrap()] {
            let lengths = x.shape().as_slice().to_vec();
            for axis in 0..x.rank() {
                for shift in [0, 1, -1, 2, 5, 7, -8, 1001, isize::MAX, isize::MIN] {
                    check(&x.roll(shift, axis).unwrap(), &lengths, &x, |places| {
                        let mut from = places.to_vec();
                        let (length, place) = (lengths[axis] as i128, places[axis] as i128);
                        from[axis] = (place - shift as i128).rem_euclid(length) as usize;
                        from
                    });
                }
            }
        }
    }
    let empty = array(&[0, 3]);
    assert_eq!(empty.roll(5, 0).unwrap().shape(), [0, 3]);
    assert_eq!(empty.roll(5, 1).unwrap().shape(), [0, 3]);
    failure(empty.roll(1, 2))
        .mentions("axis 2 is out of range for shape [0, 3]. Fix: pass an axis from -2 to 1");
}

#[test]
fn repeat_and_tile() {
    for shape in [&[5][..], &[3, 4], &[2, 3, 2], &[1, 2, 1, 2, 1, 2, 1, 3]] {
        let x = array(shape);
        for x in [x.clone(), x.t()] {
            let lengths = x.shape().as_slice().to_vec();
            for axis in 0..x.rank() {
                for count in [0, 1, 3] {
                    let mut result = lengths.clone();
                    result[axis] *= count;
                    check(&x.repeat(count, axis).unwrap(), &result, &x, |places| {
                        let mut from = places.to_vec();
                        from[axis] /= count;
                        from
                    });
                }
            }
            for counts in [&[2][..], &[1, 3], &[2, 1, 2], &[3, 0]] {
                let rank = counts.len().max(lengths.len());
                let long = |short: &[usize]| [&vec![1; rank - short.len()][..], short].concat();
                let (own, counts) = (long(&lengths), counts);
                let result: Vec<usize> = own.iter().zip(long(counts)).map(|(a, b)| a * b).collect();
                check(&x.tile(counts).unwrap(), &result, &x, |places| {
                    let inside = places
                        .iter()
                        .zip(&own)
                        .map(|(place, length)| place % length);
                    inside.skip(rank - lengths.len()).collect()
                });
            }
        }
    }
    let x = array(&[3]);
    assert!(x.repeat(2, 1).is_err() && x.repeat(usize::MAX, 0).is_err());
    assert_eq!(x.tile([]).unwrap().host(), x.host());
    let alone = x.slice(s![0]).unwrap();
    assert_eq!(alone.tile(2).unwrap().shape(), [2]);
}

#[test]
fn diagonals_are_views() {
    for shape in [&[4, 4][..], &[3, 5], &[5, 2], &[2, 3, 4], &[0, 3]] {
        let x = array(shape);
        for x in [x.clone(), x.slice(s![Ellipsis, ..;-1]).unwrap(), x.t()] {
            let lengths = x.shape().as_slice().to_vec();
            let (rest, [rows, columns]) = lengths.split_last_chunk::<2>().unwrap();
            for offset in -6isize..=6 {
                let inside = |row: usize| {
                    let column = row as isize + offset;
                    (0..*columns as isize).contains(&column)
                };
                let taken: Vec<usize> = (0..*rows).filter(|&row| inside(row)).collect();
                let result = [rest, &[taken.len()]].concat();
                let diagonal = x.diagonal(offset).unwrap();
                check(&diagonal, &result, &x, |places| {
                    let (place, outer) = places.split_last().unwrap();
                    let row = taken[*place];
                    [outer, &[row, (row as isize + offset) as usize]].concat()
                });
            }
            assert!(x.diagonal(isize::MAX).unwrap().is_empty());
            assert!(x.diagonal(isize::MIN).unwrap().is_empty());
        }
    }
    let x = array(&[3, 3]);
    assert_eq!(x.diagonal(0).unwrap().as_device_ptr(), x.as_device_ptr());
    failure(array(&[3]).diagonal(0)).mentions("[3] is not a matrix");
}

#[test]
fn triangles() {
    for shape in [&[4, 4][..], &[3, 5], &[5, 2], &[2, 3, 4]] {
        let x = array(shape);
        let (rows, columns) = (shape[shape.len() - 2], shape[shape.len() - 1]);
        for x in [&x, &x.copy().unwrap().t().t()] {
            for offset in [-9, -2, -1, 0, 1, 2, 9, isize::MAX, isize::MIN] {
                let host = x.host();
                let apart = |i: usize| (i % columns) as i128 - (i / columns % rows) as i128;
                let masked = |keep: &dyn Fn(i128) -> bool| -> Vec<i32> {
                    let all = host.iter().enumerate();
                    all.map(|(i, &v)| if keep(apart(i)) { v } else { 0 })
                        .collect()
                };
                let lower = x.tril(offset).unwrap().eval().unwrap();
                assert_eq!(lower.host(), masked(&|apart| apart <= offset as i128));
                let upper = (x * 1).triu(offset).unwrap().eval().unwrap();
                assert_eq!(upper.host(), masked(&|apart| apart >= offset as i128));
            }
        }
    }
    let stream = stream();
    let truth = Array::full(&stream, [2, 2], true).unwrap();
    let lower = truth.tril(0).unwrap().eval().unwrap().host();
    assert_eq!(lower, [true, false, true, true]);
    assert!(array(&[3]).tril(0).is_err());
    let unit = Array::<f16>::eye(&stream, 3).unwrap();
    assert_eq!(unit.to_string(), "[[1. 0. 0.]\n [0. 1. 0.]\n [0. 0. 1.]]");
    assert!(Array::<u8>::eye(&stream, 0).unwrap().is_empty());
    // A sum over a matrix that is never stored.
    let trace = Expr::<u64>::eye(1000).unwrap().sum();
    assert_eq!(trace.eval_on(&stream).unwrap().value(), 1000);
}

#[test]
fn products_of_all_elements_and_along_the_last_axes() {
    for (a, b) in [
        (&[3][..], &[4][..]),
        (&[2, 3], &[4]),
        (&[3], &[2, 2]),
        (&[2, 3], &[3, 2]),
        (&[], &[3]),
        (&[0], &[3]),
    ] {
        let (x, y) = (array(a), array(b));
        let got = x.outer(&y).unwrap().eval().unwrap();
        assert_eq!(got.shape(), *[a, b].concat());
        let (x, y) = (x.host(), y.host());
        let wanted: Vec<i32> = x
            .iter()
            .flat_map(|x| y.iter().map(move |y| x * y))
            .collect();
        assert_eq!(got.host(), wanted);
    }
    for (a, b) in [
        (&[5][..], &[5][..]),
        (&[2, 5], &[5]),
        (&[5], &[3, 5]),
        (&[4, 7], &[3, 7]),
        (&[2, 3, 4], &[2, 4]),
        (&[2, 0], &[3, 0]),
    ] {
        let (x, y) = (array(a), array(b));
        let got = x.inner(&y).unwrap().eval().unwrap();
        assert_eq!(
            got.shape(),
            *[&a[..a.len() - 1], &b[..b.len() - 1]].concat()
        );
        let (x, y) = (x.host(), y.host());
        let length = a[a.len() - 1];
        let row = |host: &[i32], i: usize| host[i * length..][..length].to_vec();
        let count = |lengths: &[usize]| lengths[..lengths.len() - 1].iter().product::<usize>();
        let mut wanted = Vec::new();
        for i in 0..count(a) {
            for j in 0..count(b) {
                let products = row(&x, i).into_iter().zip(row(&y, j));
                wanted.push(products.map(|(a, b)| a * b).sum::<i32>());
            }
        }
        assert_eq!(got.host(), wanted, "{a:?} {b:?}");
    }
    failure(array(&[2, 3]).inner(&array(&[1]))).mentions("[2, 3] and [1]");
    assert!(array(&[]).inner(&array(&[])).is_err());
    let long = array(&[1; 5]);
    assert!(long.outer(&long).is_err());
}

#[test]
fn norms() {
    let stream = stream();
    let host: Vec<f64> = whole_numbers(60, -50..51)
        .iter()
        .map(|&i| i.into())
        .collect();
    let x = shaped(&stream, [3, 20], &host);
    let reference = |row: &[f64], p: f64| -> f64 {
        let sizes = || row.iter().map(|x| x.abs());
        match p {
            f64::INFINITY => sizes().fold(0.0, f64::max),
            f64::NEG_INFINITY => sizes().fold(f64::INFINITY, f64::min),
            0.0 => sizes().filter(|&x| x != 0.0).count() as f64,
            p => sizes().map(|x| x.powf(p)).sum::<f64>().powf(1.0 / p),
        }
    };
    for p in [
        0.0,
        0.5,
        1.0,
        2.0,
        2.5,
        3.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ] {
        let near = |got: f64, wanted: f64| (got - wanted).abs() <= 1e-13 * wanted;
        let all = x.norm(p).eval().unwrap().value();
        assert!(near(all, reference(&host, p)), "{p}: {all}");
        let rows = (&x * 2.0).norm_axis(1, p).eval().unwrap().host();
        for (row, got) in host.chunks(20).zip(rows) {
            let doubled: Vec<f64> = row.iter().map(|x| x * 2.0).collect();
            assert!(near(got, reference(&doubled, p)), "{p}: {got}");
        }
        let y = x.cast::<f32>();
        let got = y.norm(p).eval().unwrap().value();
        let wanted = reference(&host, p);
        assert!(
            (f64::from(got) - wanted).abs() <= 4e-6 * wanted,
            "{p}: {got} {wanted}"
        );
    }
    // The squares and their sum exceed the range of halves.
    let halves = Array::full(&stream, 100, f16::from_f32(300.0)).unwrap();
    assert_eq!(halves.norm(2.0).eval().unwrap().value().to_f32(), 3000.0);
    assert_eq!(halves.norm(1.0).eval().unwrap().value().to_f32(), 30000.0);
    let z = [Complex::new(3.0f32, -4.0), Complex::new(0.0, 12.0)];
    let z = upload(&stream, &z);
    assert_eq!(z.norm(2.0).eval().unwrap().value(), 13.0);
    assert_eq!(z.norm(1.0).eval().unwrap().value(), 17.0);
    assert_eq!(z.norm(f64::INFINITY).eval().unwrap().value(), 12.0);
    assert_eq!(z.norm(0.0).eval().unwrap().value(), 2.0);
    // As documented, norms do not scale their elements.
    let large = upload(&stream, &[1e30f32, 1e30]);
    assert!(large.norm(2.0).eval().unwrap().value().is_infinite());
    let none = Array::<f32>::from_slice(&stream, &[]).unwrap();
    assert_eq!(none.norm(2.0).eval().unwrap().value(), 0.0);
    assert!(none.norm(f64::INFINITY).eval().is_err());
    failure(x.norm_axis(2, 2.0).eval())
        .mentions("axis 2 is out of range for shape [3, 20]")
        .mentions("shapes.rs");
}

#[test]
fn splits_along_an_axis() {
    let stream = stream();
    let x = Array::range(&stream, 0..24)
        .unwrap()
        .reshape([2, 4, 3])
        .unwrap();
    let parts = x.axis_iter(1).unwrap();
    assert_eq!(parts.len(), 4);
    for (i, part) in parts.enumerate() {
        assert_eq!(part.host(), x.slice(s![.., i as isize]).unwrap().host());
        assert_eq!(part.shape(), [2, 3]);
    }
    let backwards: Vec<i32> = x
        .t()
        .axis_iter(0)
        .unwrap()
        .rev()
        .map(|p| p.sum().eval().unwrap().value())
        .collect();
    assert_eq!(backwards, [100, 92, 84]);
    let chunks: Vec<_> = x
        .axis_chunks_iter(1, 3)
        .unwrap()
        .map(|part| part.shape())
        .collect();
    assert_eq!(chunks.len(), 2);
    assert!(chunks[0] == [2, 3, 3] && chunks[1] == [2, 1, 3]);
    assert_eq!(x.axis_iter(2).unwrap().nth(1).unwrap().host()[..2], [1, 4]);
    let empty = x.slice(s![.., ..0]).unwrap();
    assert_eq!(empty.axis_iter(1).unwrap().count(), 0);
    assert_eq!(empty.axis_chunks_iter(1, 5).unwrap().count(), 0);
    assert_eq!(empty.axis_iter(0).unwrap().count(), 2);
    assert!(x.axis_iter(3).is_err() && x.axis_chunks_iter(0, 0).is_err());
}

#[test]
fn slices_take_steps_of_any_size() {
    let stream = stream();
    let x = Array::range(&stream, 0..12)
        .unwrap()
        .reshape([3, 4])
        .unwrap();
    for step in [5, isize::MAX, isize::MAX / 4 + 1] {
        let first = x.slice(s![..;step, 1..;step]).unwrap();
        assert_eq!(first.shape(), [1, 1]);
        assert_eq!(first.host(), [1]);
        let last = x.slice(s![..2;-step, ..;-step]).unwrap();
        assert_eq!(last.shape(), [1, 1]);
        assert_eq!(last.host(), [7]);
        assert!(x.slice(s![3..;step]).unwrap().host().is_empty());
    }
    let last = x.slice(s![..;isize::MIN]).unwrap();
    assert_eq!(last.host(), [8, 9, 10, 11]);
    let mut y = x.clone();
    y.slice_mut(s![..;isize::MIN, ..;isize::MAX])
        .unwrap()
        .fill(-1)
        .unwrap();
    assert_eq!(y.host()[8], -1);
}
