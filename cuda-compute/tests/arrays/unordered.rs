//! `put_add_unordered` and `index_add_unordered`.

use cuda_compute::{Array, Number, s};
use half::f16;
use num_complex::Complex;

use crate::{OnHost, failure::failure, stream, upload};

/// Values of halves of integers, whose sums are exact in any order.
fn values<T: Copy>(count: usize, of: impl Fn(f32) -> T) -> Vec<T> {
    (0..count)
        .map(|i| of((i * 37 % 101) as f32 / 2.0))
        .collect()
}

fn rows_are_added<T: Number + PartialEq + std::ops::Add<Output = T>>(of: impl Fn(f32) -> T) {
    let stream = stream();
    // Rows of whole vectors, of parts of vectors, and of single elements.
    for (count, length, inner) in [(300, 17, 8), (40, 50, 6), (1000, 3, 1), (9, 2, 5)] {
        let indices: Vec<i32> = (0..count).map(|i| (i * 7919 % (length + 2)) - 1).collect();
        let (count, length) = (count as usize, length as usize);
        let added = values(count * inner, &of);
        let mut wanted = vec![of(1.0); length * inner];
        for (row, &index) in indices.iter().enumerate() {
            // −1 is the last row, and one index is out of bounds.
            let index = if index < 0 {
                length - 1
            } else {
                index as usize
            };
            if index < length {
                for column in 0..inner {
                    let to = &mut wanted[index * inner + column];
                    *to = *to + added[row * inner + column];
                }
            }
        }
        let indices = upload(&stream, &indices);
        let rows = upload(&stream, &added).reshape([count, inner]).unwrap();
        let mut x = Array::full(&stream, [length, inner], of(1.0)).unwrap();
        x.index_add_unordered(0, &indices, &rows).unwrap();
        assert!(x.host() == wanted, "{count} rows of {inner} in {length}");
        let mut x = Array::full(&stream, [inner, length], of(1.0)).unwrap();
        x.index_add_unordered(1, &indices, rows.t()).unwrap();
        assert!(
            x.t().host() == wanted,
            "{count} columns of {inner} in {length}"
        );
    }
}

#[test]
fn rows_of_every_type_are_added() {
    rows_are_added(|x| x);
    rows_are_added(f64::from);
    rows_are_added(|x| f16::from_f32(x.trunc() % 2.0));
    rows_are_added(|x| x as i32);
    rows_are_added(|x| (2.0 * x) as u8 % 2);
    rows_are_added(|x| Complex::new(x, -x));
}

/// Few places are added in shared memory first, which must not change the sign of a zero.
#[test]
fn zeros_keep_their_signs() {
    let stream = stream();
    let mut x = Array::full(&stream, [4], -0.0f32).unwrap();
    let places = upload(&stream, &[0, 0, 0, 0, 1, 1, 2, 2]);
    let values = upload(&stream, &[-0.0, -0.0, -0.0, -0.0, 0.0, -0.0, 1.0, -1.0]);
    x.put_add_unordered(&places, &values).unwrap();
    let signs = x.host().into_iter().map(f32::is_sign_negative);
    assert_eq!(signs.collect::<Vec<_>>(), [true, false, false, true]);
    assert_eq!(x.host(), [0.0; 4]);
}

#[test]
fn values_out_of_bounds_are_dropped() {
    let stream = stream();
    let mut x = Array::<f64>::zeros(&stream, [4]).unwrap();
    let indices = upload(&stream, &[0i64, 4, -4, -5, i64::MAX, i64::MIN]);
    x.put_add_unordered(&indices, upload(&stream, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]))
        .unwrap();
    assert_eq!(x.host(), [5.0, 0.0, 0.0, 0.0]);
    x.put_add_unordered(upload(&stream, &[3u8, 200]), 0.5)
        .unwrap();
    assert_eq!(x.host(), [5.0, 0.0, 0.0, 0.5]);
}

#[test]
fn other_users_of_the_memory_keep_their_elements() {
    let stream = stream();
    let before = upload(&stream, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let mut x = before.clone();
    let unaligned = before.slice(s![1..5]).unwrap().reshape([1, 4]).unwrap();
    // The values read the old elements.
    x.put_add_unordered(upload(&stream, &[0, 1]), before.slice(s![1..3]).unwrap())
        .unwrap();
    let mut y = unaligned.clone();
    y.index_add_unordered(0, upload(&stream, &[0, 0]), 1.0)
        .unwrap();
    assert_eq!(x.host(), [3.0, 5.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(y.host(), [4.0, 5.0, 6.0, 7.0]);
    assert_eq!(before.host(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn shapes_are_checked() {
    let stream = stream();
    let mut x = Array::<f32>::zeros(&stream, [4, 2]).unwrap();
    let square = Array::<i32>::zeros(&stream, [2, 2]).unwrap();
    failure(x.index_add_unordered(0, &square, 1.0)).mentions("must have one axis");
    failure(x.index_add_unordered(2, upload(&stream, &[0]), 1.0)).mentions("axis");
    let three = Array::<f32>::zeros(&stream, [3]).unwrap();
    failure(x.put_add_unordered(&square, &three)).mentions("shape");
}
