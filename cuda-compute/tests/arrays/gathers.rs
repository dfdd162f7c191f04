//! Gathers and scatters of elements by index.

use cuda_compute::{Array, Expr, concatenate, s, stack};
use half::f16;
use num_complex::Complex;

use crate::{OnHost, elements, failure::failure, stream, upload, values};

#[test]
fn vector_elements_are_gathered() {
    let stream = stream();
    let host: Vec<f32> = (0..100_003).map(|i| i as f32).collect();
    let x = upload(&stream, &host);
    let places: Vec<u32> = (0..70_001u32)
        .map(|i| i.wrapping_mul(2_654_435_761) % 100_003)
        .collect();
    let indices = upload(&stream, &places);
    let wanted: Vec<f32> = places.iter().map(|&i| host[i as usize] * 2.0).collect();
    assert!((&x * 2.0).take(&indices, 0).unwrap().host() == wanted);
    // Computed indices.
    let back = x
        .take(100_002 - Expr::index(100_003, 0).unwrap(), 0)
        .unwrap();
    assert!(back.host() == x.flip(0).unwrap().host());
}

#[test]
fn rows_and_columns_of_every_layout() {
    let stream = stream();
    let x = Array::range(&stream, 0i64..5 * 12 * 16)
        .unwrap()
        .reshape([5, 12, 16])
        .unwrap();
    let indices = upload(&stream, &[3i8, -1, 0, 3, -5, 2])
        .reshape([2, 3])
        .unwrap();
    let layouts = [x.clone(), x.t(), x.slice(s![.., 1..10;2, ..;-1]).unwrap()];
    for x in layouts {
        let (shape, host) = (x.shape(), x.host());
        for axis in 0..3 {
            let got = x.take(&indices, axis).unwrap();
            let (before, after) = (&shape.as_slice()[..axis], &shape.as_slice()[axis + 1..]);
            assert_eq!(got.shape().as_slice(), [before, &[2, 3], after].concat());
            let (outer, inner): (usize, usize) = (before.iter().product(), after.iter().product());
            let mut wanted = Vec::new();
            for o in 0..outer {
                for index in indices.host() {
                    let at = isize::from(index).rem_euclid(shape[axis] as isize) as usize;
                    let start = (o * shape[axis] + at) * inner;
                    wanted.extend_from_slice(&host[start..start + inner]);
                }
            }
            assert_eq!(got.host(), wanted, "axis {axis} of {shape}");
        }
    }
}

#[test]
fn elements_of_other_types() {
    let stream = stream();
    let indices = upload(&stream, &[2u64, 0, 1, 2]);
    let x = upload(&stream, &[true, false, true]);
    assert_eq!(elements(x.take(&indices, 0)), [true, true, false, true]);
    let x = upload(&stream, &[1.0, 2.0, 3.0].map(f16::from_f32));
    assert_eq!(
        x.take(&indices, 0).unwrap().host(),
        [3.0, 1.0, 2.0, 3.0].map(f16::from_f32)
    );
    let x = upload(&stream, &[1.0, 2.0, 3.0].map(|x| Complex::new(x, -x)));
    let wanted = [3.0, 1.0, 2.0, 3.0].map(|x| Complex::new(x, -x));
    assert_eq!(x.take(&indices, 0).unwrap().host(), wanted);
}

#[test]
fn more_elements_than_32_bits_count() {
    let stream = stream();
    let x = Array::range(&stream, 0..4096).unwrap();
    let wide = x.broadcast_to([1 << 21, 4096]).unwrap();
    let indices = upload(&stream, &[0u32, (1 << 21) - 1, 77]);
    let rows = wide.take(&indices, 0).unwrap();
    assert_eq!(rows.shape(), [3, 4096]);
    assert_eq!(elements(rows.slice(s![1])), x.host());
}

#[test]
fn indices_beyond_the_axis_are_rejected() {
    let stream = stream();
    let x = upload(&stream, &[10, 20, 30]);
    for (wrong, number) in [
        ([0, 3, 1], 1),
        ([-4, 0, 1], 0),
        ([0, 1, i64::MIN], 2),
        ([i64::MAX, 0, 0], 0),
    ] {
        let indices = upload(&stream, &wrong);
        let message = format!(
            "element {number} of the indices is {}, but there are only 3 elements to index",
            wrong[number]
        );
        failure(x.take(&indices, 0)).mentions(&message);
        let mut y = x.clone();
        failure(y.put(&indices, 7)).mentions(&message);
        assert_eq!(x.host(), [10, 20, 30]);
        assert_eq!(
            y.host().iter().filter(|&&y| y == 7).count(),
            wrong.len() - 1 - usize::from(wrong == [i64::MAX, 0, 0])
        );
    }
    let indices = upload(&stream, &[-9, -1, 0, 2, 3, 1000]);
    assert_eq!(
        values(x.take_clamped(&indices, 0).unwrap()),
        [10, 30, 10, 30, 30, 30]
    );
    assert!(x.take(&indices, 1).is_err());
    let empty = x.slice(s![..0]).unwrap();
    assert!(empty.take(&indices, 0).is_err() && empty.take_clamped(&indices, 0).is_err());
    let none = Array::<u8>::from_slice(&stream, &[]).unwrap();
    assert!(x.take(&none, 0).unwrap().is_empty());
}

/// Compares elements that the using kernel takes with those that another kernel takes.
#[test]
fn taken_elements_are_part_of_expressions() {
    let stream = stream();
    let x = Array::range(&stream, 0..4 * 6 * 8)
        .unwrap()
        .reshape([4, 6, 8])
        .unwrap();
    let one = upload(&stream, &[3i64, 0, -1, 2, 2, -4]);
    let two = upload(&stream, &[1u8, 0, 3, 2, 3, 3])
        .reshape([2, 3])
        .unwrap();
    let arrays = [
        x.clone(),
        x.permute([2, 0, 1]).unwrap(),
        x.slice(s![.., 1..5, 1..]).unwrap(),
        x.slice(s![..;-1, .., ..;2]).unwrap(),
        x.slice(s![1]).unwrap().broadcast_to([5, 6, 8]).unwrap(),
    ];
    for x in &arrays {
        for axis in 0..3 {
            for (lazy, now) in [
                (
                    x.take_clamped(&one, axis).unwrap(),
                    x.take(&one, axis).unwrap(),
                ),
                (
                    x.take_clamped(&two, axis).unwrap(),
                    x.take(&two, axis).unwrap(),
                ),
            ] {
                let at = format!("{x:?}, {axis}");
                assert_eq!(
                    lazy.shape().unwrap().as_slice(),
                    now.shape().as_slice(),
                    "{at}"
                );
                assert_eq!(values(lazy.clone()), now.host(), "{at}");
                assert_eq!(values(&lazy * 2 + &now), values(&now * 3), "{at}");
                for reduced in 0..now.shape().rank() {
                    assert_eq!(
                        values(lazy.sum_axis(reduced)),
                        values(now.sum_axis(reduced)),
                        "{at}, {reduced}"
                    );
                }
                assert_eq!(
                    lazy.sum().item().unwrap(),
                    now.sum().item().unwrap(),
                    "{at}"
                );
                let last = now.shape().rank() - 1;
                assert_eq!(
                    values(&lazy - lazy.max_axis(last).keep_axes()),
                    values(&now - now.max_axis(last).keep_axes()),
                    "{at}"
                );
                assert_eq!(
                    values(lazy.cumsum(axis).unwrap()),
                    elements(now.cumsum(axis)),
                    "{at}"
                );
                assert_eq!(elements(lazy.sort()), elements(now.sort()), "{at}");
                let turned = lazy.t();
                assert_eq!(values(turned + 0), now.t().host(), "{at}");
            }
        }
    }
}

/// Each of them is two operands, and has a stride along each of eight axes.
#[test]
fn expressions_with_many_taken_elements_are_divided() {
    let stream = stream();
    let table = Array::range(&stream, 0..3 * 512).unwrap();
    let table = table.reshape([3, 2, 2, 2, 2, 2, 2, 8]).unwrap();
    let turned = table.permute([0, 7, 2, 1, 4, 3, 6, 5]).unwrap();
    let mut terms = Vec::new();
    let mut wanted = vec![0; table.len()];
    for i in 0..60 {
        let places = [i % 3, (i / 3) % 3, (i / 9) % 3];
        let taken = turned.take_clamped(upload(&stream, &places), 0).unwrap();
        let now = turned.take(upload(&stream, &places), 0).unwrap();
        for (wanted, now) in wanted.iter_mut().zip(now.host()) {
            *wanted += now;
        }
        terms.push(taken);
    }
    let sum = terms.into_iter().reduce(|sum, term| sum + term);
    assert_eq!(values(sum.unwrap()), wanted);
}

#[test]
fn taken_elements_have_their_own_broadcast_and_types() {
    let stream = stream();
    let x = upload(&stream, &[1.0, 2.0, 3.0].map(f16::from_f32));
    let indices = Array::range(&stream, 0..3000i32).unwrap() % 3;
    let taken = x.take_clamped(&indices, 0).unwrap();
    let wanted: Vec<f32> = (0..3000).map(|i| (i % 3 + 1) as f32).collect();
    assert_eq!(values(taken.cast::<f32>()), wanted);
    // Rows of a table, with a column beside them.
    let table = Array::range(&stream, 0..400)
        .unwrap()
        .reshape([50, 8])
        .unwrap();
    let rows = table
        .take_clamped(upload(&stream, &[7, 49, 7, 0]), 0)
        .unwrap();
    let column = upload(&stream, &[1000, 2000, 3000, 4000])
        .reshape([4, 1])
        .unwrap();
    let got = values(&rows + &column);
    for (i, row) in [7, 49, 7, 0].into_iter().enumerate() {
        for j in 0..8 {
            assert_eq!(got[i * 8 + j], row * 8 + j as i32 + 1000 * (i as i32 + 1));
        }
    }
    // Assigning to the table reads the elements from before.
    let mut own = upload(&stream, &[1, 2, 3, 4]);
    let reversed = own
        .take_clamped(upload(&stream, &[3u32, 2, 1, 0]), 0)
        .unwrap();
    own.assign(reversed).unwrap();
    assert_eq!(own.host(), [4, 3, 2, 1]);
    // Indices of every width, in bounds and beyond.
    let table = Array::range(&stream, 0..300).unwrap();
    assert_eq!(
        values(
            table
                .take_clamped(upload(&stream, &[-1i8, -128, 127]), 0)
                .unwrap()
        ),
        [299, 172, 127]
    );
    assert_eq!(
        values(
            table
                .take_clamped(upload(&stream, &[u64::MAX, 299, 0]), 0)
                .unwrap()
        ),
        [299, 299, 0]
    );
    assert_eq!(
        values(
            table
                .take_clamped(upload(&stream, &[i64::MIN, i64::MAX, -300]), 0)
                .unwrap()
        ),
        [0, 299, 0]
    );
}

/// The race check accepts places that several blocks write.
#[test]
fn put_stores_any_of_the_values_of_a_place() {
    let stream = stream();
    let places = Expr::<usize>::index(100_000, 0).unwrap() % 3;
    let mut x = Array::<u16>::zeros(&stream, [5]).unwrap();
    x.put(&places, 9u16).unwrap();
    assert_eq!(x.host(), [9, 9, 9, 0, 0]);
    let one = Complex::new(1.0f64, 2.0);
    let mut y = Array::<Complex<f64>>::zeros(&stream, [2]).unwrap();
    y.put(&places % 2, one).unwrap();
    assert_eq!(y.host(), [one; 2]);
}

#[test]
fn put_scatters_values() {
    let stream = stream();
    let mut x = Array::<f64>::zeros(&stream, [40, 50]).unwrap();
    let before = x.clone();
    let places: Vec<u32> = (0..1500u32).map(|i| i * 7 % 2000).collect();
    let indices = upload(&stream, &places);
    x.put(&indices, Expr::index(1500, 0).unwrap().cast::<f64>() + 1.0)
        .unwrap();
    let mut wanted = vec![0.0; 2000];
    for (i, &place) in places.iter().enumerate() {
        wanted[place as usize] = i as f64 + 1.0;
    }
    assert_eq!(x.host(), wanted);
    assert!(
        before.host().iter().all(|&x| x == 0.0),
        "the other reference is unchanged"
    );
    // An array that is not shared is changed in place.
    let address = x.as_device_ptr();
    x.put(upload(&stream, &[-1i32]), -5.0).unwrap();
    assert_eq!(x.as_device_ptr(), address);
    assert_eq!(x.slice(s![39, 49]).unwrap().value(), -5.0);
    // The expression reads the old elements.
    let mut y = Array::range(&stream, 0..10).unwrap();
    let (places, values) = (9 - &y, &y * 10);
    y.put(places, values).unwrap();
    assert_eq!(y.host(), [90, 80, 70, 60, 50, 40, 30, 20, 10, 0]);
    // Indices count in C order, whatever the memory order of the elements.
    let mut z = Array::range(&stream, 0..6)
        .unwrap()
        .reshape([2, 3])
        .unwrap()
        .t();
    z.put(upload(&stream, &[1u8]), 100).unwrap();
    assert_eq!(z.host(), [0, 100, 1, 4, 2, 5]);
    assert!(
        z.put(
            upload(&stream, &[1u8]),
            Array::range(&stream, 0..2).unwrap()
        )
        .is_err()
    );
}

#[test]
fn concatenate_and_stack_join_arrays() {
    let stream = stream();
    let x = Array::range(&stream, 0..12)
        .unwrap()
        .reshape([3, 4])
        .unwrap();
    let y = x.slice(s![..;-1, ..2]).unwrap();
    let both = concatenate(&[&x, &y], 1).unwrap();
    assert_eq!(
        both.host(),
        [0, 1, 2, 3, 8, 9, 4, 5, 6, 7, 4, 5, 8, 9, 10, 11, 0, 1]
    );
    let twice = concatenate(&[&y.t(), &x.slice(s![..2, ..3]).unwrap()], 0).unwrap();
    assert_eq!(twice.host(), [8, 4, 0, 9, 5, 1, 0, 1, 2, 4, 5, 6]);
    let stacked = stack(&[&x, &(&x + 100).eval().unwrap()], 2).unwrap();
    assert_eq!(stacked.shape(), [3, 4, 2]);
    assert_eq!(stacked.slice(s![1, 2]).unwrap().host(), [6, 106]);
    assert_eq!(stack(&[&x, &x], 0).unwrap().shape(), [2, 3, 4]);
    assert_eq!(
        elements(concatenate(&[&x.slice(s![..0]).unwrap(), &x], 0)),
        x.host()
    );
    assert_eq!(elements(x.flip(1).unwrap().slice(s![0])), [3, 2, 1, 0]);
    failure(concatenate(&[&x, &y], 0)).mentions("[3, 4] and [3, 2]");
    assert!(concatenate(&[&x], 2).is_err() && concatenate::<f32, Array<f32>>(&[], 0).is_err());
    assert!(stack(&[&x], 3).is_err() && x.flip(2).is_err());
}
