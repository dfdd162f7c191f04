//! Creating, filling and joining arrays, and copying them to the host and back.

use cuda_compute::{Array, Expr, NewAxis, Order, Random as Sequence, concatenate, s, stack};
use cuda_safe::Stream;
use ndarray::{Array2, ArrayD, Axis, IxDyn};

use super::{assert_near, every, values};
use crate::{OnHost, elements, stream, upload};

#[test]
fn ranges_and_constants() {
    let stream = stream();
    let wanted: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let counted = Array::steps(&stream, 0.0f32, 1.0, 12).unwrap();
    assert_eq!(counted.host(), wanted);
    // With a step of 3, and backwards.
    let steps = Array::range(&stream, 0..4).unwrap() * 3 + 1;
    assert_eq!(values(steps), [1, 4, 7, 10]);
    assert_eq!(elements(Array::<f64>::ones(&stream, 10)), [1.0; 10]);
    assert_eq!(elements(Array::<f64>::zeros(&stream, 10)), [0.0; 10]);
    let spaced = Array::linspace(&stream, -1.0f32, 2.0, 7).unwrap();
    assert_eq!(spaced.host(), [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]);
    let thirds = Array::linspace(&stream, 0.0f64, 0.7, 50).unwrap();
    let thirds = thirds.host();
    assert_eq!((thirds[0], thirds[49]), (0.0, 0.7));
    assert_near(&thirds[1..2], &[0.7 / 49.0], 1e-15);
    assert_eq!(elements(Array::linspace(&stream, 3.0f32, 9.0, 1)), [3.0]);
    assert!(Array::linspace(&stream, 3.0f32, 9.0, 0).unwrap().is_empty());
}

#[test]
fn like_others() {
    let stream = stream();
    let matrix = Array::range(&stream, 0..60)
        .unwrap()
        .reshape([3, 4, 5])
        .unwrap();
    let every_other = matrix.slice(s![.., ..;2, ..]).unwrap();
    for (x, c, f) in [
        (matrix.clone(), true, false),
        (matrix.t(), false, true),
        (matrix.permute([1, 0, 2]).unwrap(), false, false),
        (every_other, true, false),
    ] {
        let zeros = Array::<i32>::zeros_like(&x).unwrap();
        let ones = Array::<f64>::ones_like(&x).unwrap();
        let full = Array::full_like(&x, true).unwrap();
        assert_eq!(zeros.host(), vec![0; x.len()]);
        assert_eq!(ones.host(), vec![1.0; x.len()]);
        assert_eq!(full.host(), vec![true; x.len()]);
        assert_eq!(
            (zeros.shape(), ones.shape(), full.shape()),
            (x.shape(), x.shape(), x.shape())
        );
        for like in [zeros.is_contiguous(Order::C), ones.is_contiguous(Order::C)] {
            assert_eq!(like, c);
        }
        for like in [zeros.is_contiguous(Order::F), full.is_contiguous(Order::F)] {
            assert_eq!(like, f);
        }
        let other = if c { Order::F } else { Order::C };
        assert!(zeros.contiguous(other).unwrap().is_contiguous(other));
    }
}

/// Returns an array of a shape that contains a range of numbers in the given order.
fn numbered(
    stream: &Stream,
    lengths: &[usize],
    from: i32,
    order: Order,
) -> (Array<i32>, ArrayD<i32>) {
    let count = lengths.iter().product::<usize>() as i32;
    let host: Vec<i32> = (from..from + count).collect();
    let array = Array::from_shape(stream, lengths, &host).unwrap();
    (
        array.contiguous(order).unwrap(),
        ArrayD::from_shape_vec(IxDyn(lengths), host).unwrap(),
    )
}

#[test]
fn stacks() {
    let stream = stream();
    for order in [Order::C, Order::F] {
        for lengths in [&[][..], &[3], &[3, 4]] {
            let (a, host_a) = numbered(&stream, lengths, 0, order);
            let (b, host_b) = numbered(&stream, lengths, 100, order);
            for axis in [0, lengths.len()] {
                let got = stack(&[&a, &b, &a], axis).unwrap();
                let hosts = [host_a.view(), host_b.view(), host_a.view()];
                let wanted = ndarray::stack(Axis(axis), &hosts).unwrap();
                assert_eq!(got.to_ndarray().unwrap(), wanted, "{order:?} {axis}");
            }
        }
    }
    let a = Array::<f32>::zeros(&stream, [2, 3]).unwrap();
    let b = Array::<f32>::zeros(&stream, [3, 2]).unwrap();
    assert!(stack(&[&a, &b], 0).is_err());
    assert!(stack(&[&a, &a], 3).is_err());
    assert!(stack::<f32, Array<f32>>(&[], 0).is_err());
}

#[test]
fn concatenations() {
    let stream = stream();
    for order in [Order::C, Order::F] {
        let (a, host_a) = numbered(&stream, &[5, 15, 20], 0, order);
        let (b, host_b) = numbered(&stream, &[4, 15, 20], 10_000, order);
        let (c, host_c) = numbered(&stream, &[3, 15, 20], 20_000, order);
        let got = concatenate(&[&a, &b, &c], 0).unwrap();
        let wanted = ndarray::concatenate![Axis(0), host_a, host_b, host_c];
        assert_eq!(got.to_ndarray().unwrap(), wanted);
        // Along the last axis, and with a part of an array.
        let (a, host_a) = (a.t(), host_a.t().to_owned());
        let part = b.slice(s![..;-2]).unwrap().t();
        let host_part = host_b.slice_axis(Axis(0), ndarray::Slice::new(0, None, -2));
        let got = concatenate(&[&a, &part], 2).unwrap();
        let wanted = ndarray::concatenate![Axis(2), host_a, host_part.t()];
        assert_eq!(got.to_ndarray().unwrap(), wanted);
        assert!(concatenate(&[&a, &b], 0).is_err());
        assert!(concatenate(&[&a], 3).is_err());
    }
}

#[test]
fn scattered() {
    let stream = stream();
    // Scatters several arrays to the same indices.
    let places = upload(&stream, &[3u32, 1, 4, 0, 5]);
    for scale in [1.0f32, 10.0] {
        let x = upload(&stream, &[30.0f32, 10.0, 40.0, 0.0, 50.0]);
        let mut out = Array::full(&stream, 6, -1.0f32).unwrap();
        out.put(&places, &x * scale).unwrap();
        let wanted =
            [0.0, 10.0, -1.0, 30.0, 40.0, 50.0].map(|v| if v < 0.0 { v } else { v * scale });
        assert_eq!(out.host(), wanted);
        assert_eq!(elements(out.take(&places, 0)), values(&x * scale));
    }
}

#[test]
fn reversed_and_converted() {
    let stream = stream();
    let x = upload(&stream, &every(1, 10, 1));
    let mut wanted = every(1, 10, 1);
    wanted.reverse();
    assert_eq!(x.slice(s![..;-1]).unwrap().host(), wanted);
    assert_eq!(x.flip(0).unwrap().host(), wanted);
    // Copies from the device with any step.
    assert_eq!(elements(x.slice(s![..;-3])), [10.0, 7.0, 4.0, 1.0]);

    let x = Array::<f32>::uniform(&stream, &mut Sequence::new(5), 2000).unwrap();
    let host = x.host();
    let wide: Vec<f64> = host.iter().map(|&v| v.into()).collect();
    assert_eq!(values(x.cast::<f64>()), wide);
    let x = Array::<f64>::uniform(&stream, &mut Sequence::new(5), 2000).unwrap();
    let host = x.host();
    assert_near(&values(x.cast::<f32>()), &host, 1e-7);
}

#[test]
fn rows_are_filled_with_vectors() {
    let stream = stream();
    // Three floats per row. PyCUDA uses a structure here.
    let mut x = Array::<f32>::zeros(&stream, [100, 3]).unwrap();
    x.assign(upload(&stream, &[1.0, 2.0, 3.0])).unwrap();
    assert_eq!(x.host(), [1.0, 2.0, 3.0].repeat(100));
    x.fill(1729.0).unwrap();
    assert_eq!(x.host(), [1729.0; 300]);
}

#[test]
fn slices_round_trip() {
    let stream = stream();
    // Slices of all kinds: with gaps along more than two axes, and reversed.
    let host = ndarray::Array4::from_shape_fn((5, 6, 7, 8), |(a, b, c, d)| {
        (a * 1000 + b * 100 + c * 10 + d) as i32
    });
    let x = Array::from_ndarray(&stream, &host).unwrap();
    for (part, wanted) in [
        (
            s![..;2, .., .., ..].to_vec(),
            host.slice(ndarray::s![..;2, .., .., ..]),
        ),
        (
            s![..;2, 1..;3, .., ..;2].to_vec(),
            host.slice(ndarray::s![..;2, 1..;3, .., ..;2]),
        ),
        (
            s![1..3, 2..5, 1..;2, ..3].to_vec(),
            host.slice(ndarray::s![1..3, 2..5, 1..;2, ..3]),
        ),
        (
            s![..;-1, .., ..;-2, ..;-1].to_vec(),
            host.slice(ndarray::s![..;-1, .., ..;-2, ..;-1]),
        ),
    ] {
        let part = x.slice(part).unwrap();
        assert_eq!(part.to_ndarray().unwrap(), wanted.into_dyn());
        let turned = part.permute([2, 0, 3, 1]).unwrap();
        let wanted = wanted.permuted_axes([2, 0, 3, 1]);
        assert_eq!(turned.to_ndarray().unwrap(), wanted.into_dyn());
        assert_eq!(
            elements(Array::from_ndarray(&stream, &wanted)),
            turned.host()
        );
        assert_eq!(elements(part.copy()), part.host());
    }
    for lengths in [&[3, 3][..], &[3, 1], &[3, 3, 3]] {
        let (x, host) = numbered(&stream, lengths, 0, Order::C);
        for step in [-3isize, -2, -1, 1, 2, 3] {
            let part = x.slice(s![..;step]).unwrap();
            let wanted = host.slice_axis(Axis(0), ndarray::Slice::new(0, None, step));
            assert_eq!(part.to_ndarray().unwrap(), wanted);
        }
    }
}

#[test]
fn memory_order_is_kept() {
    let stream = stream();
    let host = Array2::from_shape_fn((3, 3), |(i, j)| (i * 3 + j) as f32);
    let x = Array::from_ndarray(&stream, &host.t()).unwrap();
    assert_eq!(x.strides(), [1, 3]);
    assert_eq!(x.copy().unwrap().strides(), [1, 3]);
    assert_eq!(x.to_ndarray().unwrap().strides(), [1, 3]);
    assert_eq!(x.to_ndarray().unwrap(), host.t().into_dyn());
    // Copies from C order on the host to an array in Fortran order: by index, not byte by byte.
    let values: Vec<f64> = (0..22 * 33).map(f64::from).collect();
    let mut x = Array::<f64>::zeros(&stream, [33, 22]).unwrap().t();
    let address = x.as_device_ptr();
    x.copy_from_slice(&values).unwrap();
    assert_eq!((x.strides(), x.as_device_ptr()), (&[1, 22][..], address));
    assert_eq!(x.host(), values);
}

#[test]
fn copies_reuse_memory() {
    let stream = stream();
    let mut x = Array::<bool>::full(&stream, [2, 2], false).unwrap();
    let address = x.as_device_ptr();
    x.copy_from_slice(&[true, false, false, true]).unwrap();
    let mut host = [false; 4];
    x.copy_to_slice(&mut host).unwrap();
    assert_eq!(
        (host, x.as_device_ptr()),
        ([true, false, false, true], address)
    );
    // A view that shares the memory keeps the old elements.
    let before = x.slice(s![0]).unwrap();
    x.copy_from_slice(&[false; 4]).unwrap();
    assert_eq!(before.host(), [true, false]);
    assert_eq!(x.host(), [false; 4]);
    // A slice is written in place.
    let mut y = Array::range(&stream, 0..10)
        .unwrap()
        .slice(s![3..7])
        .unwrap();
    let address = y.as_device_ptr();
    y.copy_from_slice(&[7; 4]).unwrap();
    assert_eq!((y.host(), y.as_device_ptr()), (vec![7; 4], address));
    assert!(y.copy_from_slice(&[7; 5]).is_err());
    assert!(y.copy_to_slice(&mut [0; 3]).is_err());
    // Writing one row of a broadcast array leaves the other rows unchanged.
    let mut rows = y.slice(s![NewAxis]).unwrap().broadcast_to([3, 4]).unwrap();
    drop(y);
    rows.slice_mut(s![1]).unwrap().fill(0).unwrap();
    assert_eq!(rows.host(), [7, 7, 7, 7, 0, 0, 0, 0, 7, 7, 7, 7]);
    let mut rows = Array::range(&stream, 0..4)
        .unwrap()
        .broadcast_to([3, 4])
        .unwrap();
    rows.copy_from_slice(&[5; 12]).unwrap();
    assert_eq!(rows.host(), [5; 12]);
}

#[test]
fn random_numbers() {
    let stream = stream();
    let mut sequence = Sequence::new(7);
    for count in [1, 2, 5, 1000, 1001] {
        let single = Array::<f32>::uniform(&stream, &mut sequence, count).unwrap();
        let double = Array::<f64>::uniform(&stream, &mut sequence, count).unwrap();
        assert!(single.host().iter().all(|v| (0.0..1.0).contains(v)));
        assert!(double.host().iter().all(|v| (0.0..1.0).contains(v)));
        let normal = Expr::<f32>::normal(&mut sequence, count).unwrap() * 2.0 + 5.0;
        assert!(
            normal
                .eval_on(&stream)
                .unwrap()
                .host()
                .iter()
                .all(|v| v.is_finite())
        );
        let log = Array::<f64>::log_normal(&stream, &mut sequence, count, 0.0, 1.0).unwrap();
        assert!(log.host().iter().all(|&v| v > 0.0));
    }
    // The numbers replace their means in memory.
    let mut means = Array::full(&stream, 1 << 16, 10.0f64).unwrap();
    let address = means.as_device_ptr();
    let events = Expr::<u32>::poisson(&mut sequence, 1 << 16, &means)
        .unwrap()
        .cast::<f64>();
    means.assign(events).unwrap();
    assert_eq!(means.as_device_ptr(), address);
    let nines = means.host().iter().filter(|&&v| v == 9.0).count();
    let part = nines as f64 / f64::from(1 << 16);
    assert!((part - 0.12511).abs() < 0.006, "{part}");
}
