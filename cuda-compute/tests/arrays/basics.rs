//! Basic operations: creation, views, operators and assignment.

use cuda_compute::{Array, Expr, NewAxis, Order, eval, s};
use cuda_safe::memory::{Staging, StagingOptions};

use crate::{OnHost, elements, stream, upload};

#[test]
fn operators_and_functions() {
    let stream = stream();
    let host: Vec<f32> = (0..1003).map(|i| i as f32 * 0.25).collect();
    let x = upload(&stream, &host);
    let y = ((&x * 2.0 + 3.0) / (&x + 1.0) - x.sqrt()).eval().unwrap();
    let wanted = host.iter().map(|x| (x * 2.0 + 3.0) / (x + 1.0) - x.sqrt());
    for (got, wanted) in y.host().iter().zip(wanted) {
        assert!(
            (got - wanted).abs() <= 2e-6 * wanted.abs().max(1.0),
            "{got} {wanted}"
        );
    }
}

#[test]
fn transfers_use_the_staging_of_the_stream() {
    let stream = stream();
    let options = StagingOptions::default()
        .piece_bytes(4096)
        .threshold_bytes(1);
    let staging = Staging::with_options(stream.context(), options).unwrap();
    stream.set_staging(Some(&staging)).unwrap();
    let host: Vec<f32> = (0..10_007).map(|i| i as f32).collect();
    let x = upload(&stream, &host);
    assert_eq!(x.host(), host);
    assert_eq!((&x + 1.0).eval().unwrap().host()[..3], [1.0, 2.0, 3.0]);
    let mut back = vec![0.0; host.len()];
    x.copy_to_slice(&mut back).unwrap();
    assert_eq!(back, host);
    let large: Vec<bool> = host.iter().map(|&x| x > 5000.0).collect();
    assert_eq!(x.greater(5000.0).eval().unwrap().host(), large);
}

#[test]
fn views_and_broadcasts() {
    let stream = stream();
    let x = Array::range(&stream, 0..24)
        .unwrap()
        .reshape([2, 3, 4])
        .unwrap();
    assert_eq!(
        elements(x.slice(s![1, .., ..;-2])),
        [15, 13, 19, 17, 23, 21]
    );
    let t = x.permute([2, 0, 1]).unwrap();
    assert_eq!(t.shape(), [4, 2, 3]);
    assert_eq!(elements(t.slice(s![1])), [1, 5, 9, 13, 17, 21]);
    let row = Array::range(&stream, 0..4).unwrap();
    let column = Array::range(&stream, 0..3)
        .unwrap()
        .slice(s![.., NewAxis])
        .unwrap();
    let z = (&x - &row * 100 + column * 1000).eval().unwrap();
    let wanted: Vec<i32> = (0..24)
        .map(|i| i - i % 4 * 100 + i / 4 % 3 * 1000)
        .collect();
    assert_eq!(z.host(), wanted);
    // The result of an expression over a transposed array has the same strides.
    let u = (&t + 1).eval().unwrap();
    assert_eq!(u.strides(), t.strides());
    assert_eq!(u.host(), t.host().iter().map(|v| v + 1).collect::<Vec<_>>());
    assert!(u.contiguous(Order::C).unwrap().is_contiguous(Order::C));
}

#[test]
fn two_outputs_and_bools() {
    let stream = stream();
    let x = upload(&stream, &[1.5f64, -2.0, 3.0]);
    let (negative, size) = eval((x.less(0.0), x.abs())).unwrap();
    assert_eq!(negative.host(), [false, true, false]);
    assert_eq!(size.host(), [1.5, 2.0, 3.0]);
    let both = (!&negative & size.greater(2.0)).eval().unwrap();
    assert_eq!(both.host(), [false, false, true]);
}

#[test]
fn assignment_reads_the_old_elements() {
    let stream = stream();
    let mut x = Array::range(&stream, 0..10).unwrap();
    let before = x.clone();
    let tail = x.slice(s![..9]).unwrap();
    x.slice_mut(s![1..]).unwrap().assign(tail).unwrap();
    assert_eq!(x.host(), [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(before.host(), (0..10).collect::<Vec<_>>());
    let address = x.as_device_ptr();
    x.assign(&x * 2).unwrap();
    assert_eq!(x.as_device_ptr(), address, "in place");
    x.slice_mut(s![..;2]).unwrap().fill(7).unwrap();
    assert_eq!(x.host(), [7, 0, 7, 4, 7, 8, 7, 12, 7, 16]);
    // An expression created before the assignment keeps its old value.
    let kept = &x + 1;
    x.assign(&kept * 10).unwrap();
    assert_eq!(kept.eval().unwrap().host()[..2], [8, 1]);
    assert_eq!(x.host()[..2], [80, 10]);
}

#[test]
fn shape_errors_name_the_line() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, [4, 6]).unwrap();
    let y = Array::<f32>::zeros(&stream, [4]).unwrap();
    let line = line!() + 1;
    let wrong = (&x + &y).sin();
    let error = wrong.eval().unwrap_err().to_string();
    assert!(error.contains("[4, 6] and [4]"), "{error}");
    assert!(error.contains(&format!("basics.rs:{line}:")), "{error}");
}

#[test]
fn empty_arrays() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, [0, 3]).unwrap();
    let y = (&x + 1.0).eval().unwrap();
    assert_eq!((y.shape(), y.host().len()), (x.shape(), 0));
    assert_eq!(x.copy().unwrap().len(), 0);
}

#[test]
fn expressions_are_read_and_printed() {
    let stream = stream();
    let x = Array::from_slice(&stream, &[1.0f32, 4.0, 9.0]).unwrap();
    assert_eq!((x.sqrt() + 1.0).to_vec().unwrap(), [2.0, 3.0, 4.0]);
    assert_eq!(x.dot(&x).unwrap().item().unwrap(), 98.0);
    assert_eq!((x.sqrt() + 1.0).to_string(), "[2. 3. 4.]");
    assert_eq!(format!("{:.2}", &x / 2.0), "[0.50 2.00 4.50]");
    let error = (&x + 1.0).item().unwrap_err().to_string();
    assert!(
        error.contains("item: an array of shape [3] does not have exactly one element"),
        "{error}"
    );
    let text = (Expr::scalar(1.0f32) + 1.0).to_string();
    assert!(
        text.starts_with(
            "<Expr<f32>[], which could not be computed: eval: the expression reads no array"
        ),
        "{text}"
    );
}
