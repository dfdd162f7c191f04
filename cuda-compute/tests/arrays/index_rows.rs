//! Scatters of rows along an axis.

use cuda_compute::{Array, Element, Expr, s};
use half::f16;

use crate::{elements, failure::failure, stream, values};

/// Combines `values` with the rows of `x` at these indices along an axis, on the host.
fn on_host<T: Element>(
    x: &Array<T>,
    axis: usize,
    indices: &[usize],
    values: &Array<T>,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let (mut host, new) = (x.to_vec().unwrap(), values.to_vec().unwrap());
    let inner: usize = x.shape().as_slice()[axis + 1..].iter().product();
    let (length, count) = (x.shape()[axis], indices.len());
    for (at, &value) in new.iter().enumerate() {
        let (outer, number) = (at / inner / count, at / inner % count);
        let to = &mut host[(outer * length + indices[number]) * inner + at % inner];
        *to = combine(*to, value);
    }
    host
}

#[test]
fn rows_are_combined_along_every_axis() {
    let stream = stream();
    let x = Array::range(&stream, 0..60)
        .unwrap()
        .reshape([3, 4, 5])
        .unwrap();
    for x in [x.clone(), x.t(), x.slice(s![.., ..;-1, ..]).unwrap()] {
        for axis in 0..3usize {
            let last = x.shape()[axis] - 1;
            let indices = [last, 0, 1, 0, last];
            let from_end = [-1, 0, 1, 0, -1];
            let places = Array::from_slice(&stream, &from_end).unwrap();
            let mut shape = x.shape().as_slice().to_vec();
            shape[axis] = 5;
            let count: usize = shape.iter().product();
            let rows = Array::range(&stream, 0..count as i32)
                .unwrap()
                .reshape(shape)
                .unwrap();
            let rows = (rows * 7 % 50).eval().unwrap();
            let negative = axis as isize - 3;
            let mut y = x.clone();
            y.index_add(negative, &places, &rows).unwrap();
            assert_eq!(
                elements(Ok(y)),
                on_host(&x, axis, &indices, &rows, |a, b| a + b)
            );
            let mut y = x.clone();
            y.index_max(axis, &places, &rows).unwrap();
            assert_eq!(
                elements(Ok(y)),
                on_host(&x, axis, &indices, &rows, i32::max)
            );
            let mut y = x.clone();
            y.index_min(axis, &places, &rows).unwrap();
            assert_eq!(
                elements(Ok(y)),
                on_host(&x, axis, &indices, &rows, i32::min)
            );
        }
    }
    assert_eq!(x.to_vec().unwrap(), (0..60).collect::<Vec<_>>());
}

#[test]
fn rows_of_floats_and_halves_have_exact_sums() {
    let stream = stream();
    let rows = Array::range(&stream, 0..2000)
        .unwrap()
        .reshape([1000, 2])
        .unwrap();
    let indices = Array::range(&stream, 0..1000u64).unwrap() % 3u64;
    let mut sums = Array::<f32>::zeros(&stream, [3, 2]).unwrap();
    sums.index_add(0, &indices, rows.cast::<f32>()).unwrap();
    let mut exact = [0.0; 6];
    for i in 0..1000 {
        for j in 0..2 {
            exact[i % 3 * 2 + j] += (2 * i + j) as f64;
        }
    }
    assert_eq!(sums.to_vec().unwrap(), exact.map(|sum| sum as f32));
    let mut halves = Array::<f16>::ones(&stream, [2, 3]).unwrap();
    let ones = Array::<f16>::ones(&stream, [2, 5]).unwrap();
    halves
        .index_add(
            -1,
            Array::from_slice(&stream, &[2u8, 2, 0, 2, 2]).unwrap(),
            &ones,
        )
        .unwrap();
    assert_eq!(values(halves.cast::<f32>()), [2.0, 1.0, 5.0, 2.0, 1.0, 5.0]);
}

#[test]
fn rows_are_copied_and_broadcast() {
    let stream = stream();
    let mut x = Array::<i32>::zeros(&stream, [2, 3]).unwrap();
    let columns = Array::from_slice(&stream, &[2usize, 0]).unwrap();
    x.index_copy(
        1,
        &columns,
        Array::from_nested(&stream, [[1], [2]]).unwrap(),
    )
    .unwrap();
    assert_eq!(x.to_vec().unwrap(), [1, 0, 1, 2, 0, 2]);
    x.index_copy(-1, &columns, Expr::scalar(5)).unwrap();
    assert_eq!(x.to_vec().unwrap(), [5, 0, 5, 5, 0, 5]);
    // The array's own old elements.
    let own = x.slice(s![.., ..2]).unwrap();
    x.index_add(1, &columns, &own * 2).unwrap();
    assert_eq!(x.to_vec().unwrap(), [5, 0, 15, 5, 0, 15]);
    let nothing = Array::<i32>::zeros(&stream, 0).unwrap();
    x.index_add(0, &nothing, 1).unwrap();
    assert_eq!(x.to_vec().unwrap(), [5, 0, 15, 5, 0, 15]);
}

#[test]
fn wrong_rows_are_described() {
    let stream = stream();
    let mut x = Array::<f32>::zeros(&stream, [3, 2]).unwrap();
    let at = |indices: &[i64]| Array::from_slice(&stream, indices).unwrap();
    for wrong in [3, -4, i64::MIN, i64::MAX] {
        failure(x.index_add(0, at(&[0, wrong, 2]), 1.0)).mentions(&format!(
            "element 1 of the indices is {wrong}, but there are only 3 elements to index"
        ));
    }
    // The other rows are written anyway.
    assert_eq!(x.to_vec().unwrap(), [4.0, 4.0, 0.0, 0.0, 4.0, 4.0]);
    let large = Array::from_slice(&stream, &[u64::MAX]).unwrap();
    failure(x.index_copy(1, &large, 1.0))
        .mentions(&format!("element 0 of the indices is {}", u64::MAX));
    failure(x.index_max(0, at(&[0]).reshape([1, 1]).unwrap(), 1.0)).mentions(
        "index_max: the indices have shape [1, 1], but they must have one axis. Fix: flatten them",
    );
    failure(x.index_min(0, at(&[0, 1]), Array::<f32>::zeros(&stream, [3, 2]).unwrap())).mentions(
        "index_min: values of shape [3, 2] can't be broadcast to shape [2, 2], which is the array's [3, 2] with the 2 \
         indices along axis 0",
    );
}
