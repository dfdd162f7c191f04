//! Conversions to and from `ndarray` arrays.

use cuda_compute::{Array, Order};
use ndarray::{Array1, Array3, ArrayD, Axis, IxDyn, ShapeBuilder, arr0, s};

use crate::{OnHost, stream};

#[test]
fn dense_arrays_keep_their_memory_order() {
    let stream = stream();
    let host = Array3::from_shape_fn((3, 4, 5), |(i, j, k)| (i * 100 + j * 10 + k) as i32);
    let mut turned = host.view();
    turned.invert_axis(Axis(0));
    turned.invert_axis(Axis(2));
    for axes in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        for view in [host.view(), turned] {
            let view = view.permuted_axes(axes);
            let x = Array::from_ndarray(&stream, &view).unwrap();
            assert_eq!(x.shape(), *view.shape());
            assert_eq!(x.strides(), view.strides());
            assert_eq!(x.to_ndarray().unwrap(), view.into_dyn());
            assert_eq!(
                (&x * 2).eval().unwrap().to_ndarray().unwrap(),
                (&view * 2).into_dyn()
            );
        }
    }
    let f = Array3::<f64>::ones((2, 3, 4).f());
    let back = Array::from_ndarray(&stream, &f)
        .unwrap()
        .to_ndarray()
        .unwrap();
    assert_eq!(
        (back.strides(), &back),
        (f.strides(), &f.clone().into_dyn())
    );
}

#[test]
fn views_with_gaps_are_copied() {
    let stream = stream();
    let host = Array3::from_shape_fn((4, 6, 8), |(i, j, k)| (i * 100 + j * 10 + k) as f32);
    for view in [
        host.slice(s![..;2, .., ..;3]),
        host.slice(s![1.., ..;-2, 2..5]),
        host.slice(s![..0, .., ..]),
        host.slice(s![.., 2..3, ..]),
    ] {
        let x = Array::from_ndarray(&stream, &view).unwrap();
        assert_eq!(x.to_ndarray().unwrap(), view.into_dyn());
    }
    // A broadcast row, a single number and bools.
    let row = Array1::from_iter(0..5);
    let wide = row.broadcast((3, 5)).unwrap();
    let x = Array::from_ndarray(&stream, &wide).unwrap();
    assert_eq!(x.to_ndarray().unwrap(), wide.into_dyn());
    let x = Array::from_ndarray(&stream, &arr0(7.5f64)).unwrap();
    assert_eq!((x.rank(), x.value()), (0, 7.5));
    assert_eq!(x.to_ndarray().unwrap(), arr0(7.5).into_dyn());
    let truth = Array1::from_iter((0..9).map(|i| i % 3 == 0));
    let x = Array::from_ndarray(&stream, &truth).unwrap();
    assert_eq!(
        (!x).eval().unwrap().to_ndarray().unwrap(),
        (!truth).into_dyn()
    );
}

#[test]
fn results_keep_their_order() {
    let stream = stream();
    let x = Array::range(&stream, 0..6)
        .unwrap()
        .reshape([2, 3])
        .unwrap();
    assert_eq!(x.to_ndarray().unwrap().strides(), [3, 1]);
    assert_eq!(x.t().to_ndarray().unwrap().strides(), [1, 3]);
    let f = x.contiguous(Order::F).unwrap();
    assert_eq!(f.to_ndarray().unwrap(), x.to_ndarray().unwrap());
    // More axes than an array can have.
    let host = ArrayD::<u8>::zeros(IxDyn(&[1; 9]));
    assert!(Array::from_ndarray(&stream, &host).is_err());
}
