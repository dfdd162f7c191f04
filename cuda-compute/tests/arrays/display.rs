//! Arrays formatted as text. The expected texts are NumPy's (2.4) for the same arrays.

use cuda_compute::{Array, Element, IntoShape, s};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{shaped, stream, upload};

/// Formats a one-dimensional array.
fn text<T: Element>(host: &[T]) -> String {
    Array::from_slice(&stream(), host).unwrap().to_string()
}

/// Formats an array without axes.
fn alone<T: Element>(value: T) -> String {
    let x = Array::from_shape(&stream(), [], &[value]).unwrap();
    x.to_string()
}

fn range(shape: impl IntoShape) -> Array<i64> {
    let shape = shape.into_shape().unwrap();
    let all = Array::range(&stream(), 0..shape.elements() as i64).unwrap();
    all.reshape(shape).unwrap()
}

#[test]
fn floats_are_aligned_in_columns() {
    let third = 1.0f64 / 3.0;
    assert_eq!(
        text(&[third, 2.0 * third, 1.0]),
        "[0.33333333 0.66666667 1.        ]"
    );
    assert_eq!(
        text(&[1.0f32 / 3.0, 2.0 / 3.0, 1.0]),
        "[0.33333334 0.6666667  1.        ]"
    );
    assert_eq!(text(&[1.0, 1000.0]), "[   1. 1000.]");
    assert_eq!(text(&[-0.0, 0.0]), "[-0.  0.]");
    assert_eq!(text(&[-1.0, 2.0]), "[-1.  2.]");
    assert_eq!(text(&[0.0f32; 3]), "[0. 0. 0.]");
    assert_eq!(
        text(&[0.123456789012, 100.5]),
        "[  0.12345679 100.5       ]"
    );
    assert_eq!(
        text(&[0.00011, 0.00012345678901]),
        "[0.00011    0.00012346]"
    );
    let halves = [0.1, 0.5, 0.333].map(f16::from_f32);
    assert_eq!(text(&halves), "[0.1   0.5   0.333]");
    // NumPy does not have this type. It is formatted like the others.
    let halves = [0.1, 0.5, -3.0].map(bf16::from_f32);
    assert_eq!(text(&halves), "[ 0.1  0.5 -3. ]");
}

#[test]
fn floats_of_many_magnitudes_have_exponents() {
    assert_eq!(text(&[1e8f32, 1.0]), "[1.e+08 1.e+00]");
    assert_eq!(text(&[1e-5f32, 0.0, 1.5]), "[1.0e-05 0.0e+00 1.5e+00]");
    assert_eq!(text(&[1.0, 1001.0]), "[1.000e+00 1.001e+03]");
    assert_eq!(text(&[1e-9, 2.0, 3.0]), "[1.e-09 2.e+00 3.e+00]");
    assert_eq!(text(&[123456789.123]), "[1.23456789e+08]");
    assert_eq!(
        text(&[1e100, 1e-100, 1.25e5]),
        "[1.00e+100 1.00e-100 1.25e+005]"
    );
    let halves = [0.1, 0.2, 65504.0, 6e-8].map(f16::from_f64);
    assert_eq!(text(&halves), "[1.00e-01 2.00e-01 6.55e+04 5.96e-08]");
    let halves = [1000.0, 2000.0].map(f16::from_f32);
    assert_eq!(text(&halves), "[1.e+03 2.e+03]");
}

#[test]
fn nan_and_infinity() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    assert_eq!(text(&[nan, 1.5, inf, -inf]), "[ nan  1.5  inf -inf]");
    assert_eq!(text(&[nan, inf]), "[nan inf]");
    assert_eq!(text(&[nan, 1e20, -1e-300]), "[     nan  1.e+020 -1.e-300]");
    let x = Array::from_slice(&stream(), &[2.0, nan]).unwrap();
    assert_eq!(format!("{x:.3}"), "[2.000   nan]");
}

#[test]
fn integers_bools_and_complex_numbers() {
    assert_eq!(text(&[i8::MIN, 0, 7]), "[-128    0    7]");
    assert_eq!(text(&[u64::MAX, 1]), format!("[{} {:>20}]", u64::MAX, 1));
    assert_eq!(text(&[true, false]), "[ True False]");
    assert_eq!(text(&[true, true]), "[ True  True]");
    let c = Complex::<f64>::new;
    assert_eq!(
        text(&[c(1.0, 2.0), c(-0.5, -1e-3)]),
        "[ 1. +2.e+00j -0.5-1.e-03j]"
    );
    assert_eq!(
        text(&[c(1e10, 2.0), c(1e-10, -3.25)]),
        "[1.e+10+2.j   1.e-10-3.25j]"
    );
    let c = Complex::<f32>::new;
    let inf = f32::INFINITY;
    assert_eq!(
        text(&[c(1.0, 2.0), c(f32::NAN, -inf), c(0.0, -inf)]),
        "[ 1. +2.j nan-infj  0.-infj]"
    );
}

#[test]
fn arrays_without_axes_print_as_numbers() {
    assert_eq!(alone(1.5), "1.5");
    assert_eq!(alone(1.0f32), "1.0");
    assert_eq!(alone(1e20), "1e+20");
    assert_eq!(alone(1e-5), "1e-05");
    assert_eq!(alone(0.1 + 0.2), "0.30000000000000004");
    assert_eq!(alone(1.0f32 / 3.0), "0.33333334");
    assert_eq!(alone(1e10f32), "1e+10");
    assert_eq!(alone(1e10f64), "10000000000.0");
    assert_eq!(alone(123_456_789.0f32), "1.2345679e+08");
    assert_eq!(alone(f16::from_f32(0.1)), "0.1");
    assert_eq!(alone(f16::from_f32(5000.0)), "5e+03");
    assert_eq!(alone(f64::NAN), "nan");
    assert_eq!(alone(-7), "-7");
    assert_eq!(alone(true), "True");
    assert_eq!(alone(Complex::new(1.0, 2.0)), "(1+2j)");
    assert_eq!(alone(Complex::new(0.0, 2.0)), "2j");
    assert_eq!(alone(Complex::new(f64::NAN, -f64::INFINITY)), "(nan-infj)");
}

#[test]
fn precision_applies_to_all_elements() {
    let stream = stream();
    let precise = |host: &[f64], digits: usize| {
        let x = upload(&stream, host);
        format!("{x:.digits$}")
    };
    let third = 1.0 / 3.0;
    assert_eq!(
        precise(&[third, 2.0 * third, 12.0], 3),
        "[ 0.333  0.667 12.000]"
    );
    assert_eq!(precise(&[1e10, third], 3), "[1.000e+10 3.333e-01]");
    assert_eq!(precise(&[third, 2.0 * third, 12.0], 0), "[ 0.  1. 12.]");
    assert_eq!(precise(&[1e10, 2e10], 0), "[1.e+10 2.e+10]");
    let x = upload(&stream, &[Complex::new(third, 2.0)]);
    assert_eq!(format!("{x:.3}"), "[0.333+2.000j]");
    let x = upload(&stream, &[7, 10]);
    assert_eq!(format!("{x:.3}"), "[ 7 10]");
    let x = shaped(&stream, [], &[third]);
    assert_eq!(format!("{x:.2}"), "0.33");
}

#[test]
fn axes_print_as_brackets() {
    assert_eq!(range([0]).to_string(), "[]");
    assert_eq!(range([0, 3]).to_string(), "[]");
    assert_eq!(range([1]).to_string(), "[0]");
    assert_eq!(range([1, 1, 1]).to_string(), "[[[0]]]");
    assert_eq!(
        range([2, 3, 4]).to_string(),
        "[[[ 0  1  2  3]\n  [ 4  5  6  7]\n  [ 8  9 10 11]]\n\n [[12 13 14 15]\n  [16 17 18 19]\n  [20 21 22 23]]]"
    );
    let x = (range([2, 3, 2, 2]) - 12).eval().unwrap();
    assert_eq!(
        x.to_string(),
        "[[[[-12 -11]\n   [-10  -9]]\n\n  [[ -8  -7]\n   [ -6  -5]]\n\n  [[ -4  -3]\n   [ -2  -1]]]\n\n\n \
         [[[  0   1]\n   [  2   3]]\n\n  [[  4   5]\n   [  6   7]]\n\n  [[  8   9]\n   [ 10  11]]]]"
    );
    let turned = range([2, 3]).t().slice(s![..;-1]).unwrap();
    assert_eq!(turned.to_string(), "[[2 5]\n [1 4]\n [0 3]]");
}

#[test]
fn long_lines_are_broken() {
    assert_eq!(
        range(40).to_string(),
        "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29 30 31 32 33 34 35 \
         36 37 38 39]"
    );
    let eighths = (range(26).cast::<f64>() / 8.0).eval().unwrap();
    assert_eq!(
        eighths.to_string(),
        "[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375\n 1.5   1.625 1.75  1.875 2.    2.125 \
         2.25  2.375 2.5   2.625 2.75  2.875\n 3.    3.125]"
    );
    let row = "1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5";
    let rest = "1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5";
    let x = Array::full(&stream(), [2, 30], 1.5).unwrap();
    assert_eq!(
        x.to_string(),
        format!("[[{row}\n  {rest}]\n [{row}\n  {rest}]]")
    );
}

#[test]
fn large_arrays_are_shortened() {
    assert_eq!(
        range(2000).to_string(),
        "[   0    1    2 ... 1997 1998 1999]"
    );
    assert_eq!(range(1000).to_string().lines().count(), 56);
    let backwards = range(2000).flip(0).unwrap().to_string();
    assert_eq!(backwards, "[1999 1998 1997 ...    2    1    0]");
    assert_eq!(
        range([6, 200]).to_string(),
        "[[   0    1    2 ...  197  198  199]\n [ 200  201  202 ...  397  398  399]\n [ 400  401  402 ...  597  598  599]\n \
         [ 600  601  602 ...  797  798  799]\n [ 800  801  802 ...  997  998  999]\n [1000 1001 1002 ... 1197 1198 1199]]"
    );
    // The number of digits depends only on the elements that are shown.
    let x = (range([3000, 2]).cast::<f64>() / 8.0).eval().unwrap();
    assert_eq!(
        x.to_string(),
        "[[0.00000e+00 1.25000e-01]\n [2.50000e-01 3.75000e-01]\n [5.00000e-01 6.25000e-01]\n ...\n \
         [7.49250e+02 7.49375e+02]\n [7.49500e+02 7.49625e+02]\n [7.49750e+02 7.49875e+02]]"
    );
    let text = range([11, 12, 13]).to_string();
    assert!(text.starts_with(
        "[[[   0    1    2 ...   10   11   12]\n  [  13   14   15 ...   23   24   25]\n  [  26   27   28 ...   36   37   38]\n  \
         ...\n  [ 117  118  119 ..."
    ));
    assert!(text.contains("[ 455  456  457 ...  465  466  467]]\n\n ...\n\n [[1248 1249 1250"));
    assert!(text.ends_with("[1703 1704 1705 ... 1713 1714 1715]]]"));
}

#[test]
fn only_shown_elements_are_read() {
    // The array has more elements than fit in any memory.
    let x = range([3, 1]).broadcast_to([1 << 20, 3, 1 << 30]).unwrap();
    let page = "[[0 0 0 ... 0 0 0]\n  [1 1 1 ... 1 1 1]\n  [2 2 2 ... 2 2 2]]";
    let three = [page; 3].join("\n\n ");
    assert_eq!(x.to_string(), format!("[{three}\n\n ...\n\n {three}]"));
}
