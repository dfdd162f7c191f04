//! Checks the table of differing results in the guide for CuPy users, row by row: this crate's
//! result, and the way to get CuPy's.

use cuda_compute::{Array, Border, ConvolutionOptions, Element, Filter, IntoShape, device_fn, s};
use half::f16;

use crate::{OnHost, elements, stream, values};

fn array<T: Element>(host: &[T]) -> Array<T> {
    Array::from_slice(&stream(), host).unwrap()
}

fn matrix<T: Element>(shape: impl IntoShape, host: &[T]) -> Array<T> {
    Array::from_shape(&stream(), shape, host).unwrap()
}

#[test]
fn quotients_of_integers() {
    let (a, b) = (array(&[7, -7, 7, -7, 5]), array(&[2, 2, -2, -2, 0]));
    assert_eq!(values(&a / &b), [3, -3, -3, 3, 0]);
    // CuPy's `/` is a true division.
    let quotients = values(a.cast::<f64>() / b.cast::<f64>());
    assert_eq!(quotients, [3.5, -3.5, -3.5, 3.5, f64::INFINITY]);
    // CuPy's `//`.
    assert_eq!(values(a.div_floor(&b)), [3, -4, -4, 3, 0]);
    // Rust's `div_euclid`.
    assert_eq!(values(a.div_euclid(&b)), [3, -4, -3, 4, 0]);
    assert_eq!(values(array(&[i8::MIN]).div_floor(-1)), [i8::MIN]);
    assert_eq!(values(array(&[250u8]).div_floor(7)), [35]);
}

#[test]
fn quotients_of_floats_rounded_down() {
    let a = array(&[7.0, -7.0, 7.0, -0.5, 0.0, -0.0, 1.0, 6.0]);
    let b = array(&[2.0, 2.0, -2.0, f64::INFINITY, 3.0, 3.0, 0.1, 0.1]);
    // The double nearest to 0.1 is slightly more than a tenth, so 1 contains it only nine times and
    // 6 only fifty-nine times.
    let wanted: [f64; 8] = [3.0, -4.0, -4.0, -1.0, 0.0, -0.0, 9.0, 59.0];
    let got = values(a.div_floor(&b));
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&got), bits(&wanted), "{got:?}");
    let by_zero = values(array(&[1.0f32, -1.0]).div_floor(0.0));
    assert_eq!(by_zero, [f32::INFINITY, f32::NEG_INFINITY]);
    let halves = array(&[f16::from_f32(-7.0)]).div_floor(f16::from_f32(2.0));
    assert_eq!(values(halves), [f16::from_f32(-4.0)]);
    assert_eq!(values(array(&[-7.0f32]).div_euclid(-2.0)), [4.0]);
}

#[test]
fn remainders() {
    let (a, b) = (array(&[7, -7, 7, -7, 5]), array(&[3, 3, -3, -3, 0]));
    assert_eq!(values(&a % &b), [1, -1, 1, -1, 0]);
    assert_eq!(values(a.mod_floor(&b)), [1, 2, -2, -1, 0]);
    assert_eq!(values(a.rem_euclid(&b)), [1, 2, 1, 2, 0]);
    assert_eq!(values(array(&[i64::MIN]).mod_floor(-1)), [0]);
    assert_eq!(values(array(&[200u8]).mod_floor(7)), [4]);
    let a = array(&[7.5f64, -7.5, 7.5, -6.0, 6.0]);
    let b = array(&[2.0, 2.0, -2.0, 2.0, -2.0]);
    assert_eq!(values(&a % &b), [1.5, -1.5, 1.5, -0.0, 0.0]);
    let floored: Vec<f64> = values(a.mod_floor(&b));
    assert_eq!(floored, [1.5, 0.5, -0.5, 0.0, -0.0]);
    // Zeros have the sign of the divisor.
    assert!(floored[3].is_sign_positive() && floored[4].is_sign_negative());
    assert_eq!(values(a.rem_euclid(&b)), [1.5, 0.5, 1.5, 0.0, 0.0]);
    let infinity = f32::INFINITY;
    assert_eq!(
        values(array(&[1.0, -1.0]).mod_floor(infinity)),
        [1.0, infinity]
    );
    assert!(values(array(&[1.0f32]).mod_floor(0.0))[0].is_nan());
}

#[test]
fn shifts_by_the_width_or_more() {
    let count = array(&[1, 31, 32, 33, 100, -1]);
    assert_eq!(values(5 << &count), [10, 1 << 31, 5, 10, 80, 1 << 31]);
    assert_eq!(values(-5 >> &count), [-3, -1, -5, -3, -1, -1]);
    let five = array(&[5; 6]);
    assert_eq!(
        values(five.unbounded_shl(&count)),
        [10, 1 << 31, 0, 0, 0, 0]
    );
    assert_eq!(values(five.unbounded_shr(&count)), [2, 0, 0, 0, 0, 0]);
    assert_eq!(
        values((-&five).unbounded_shr(&count)),
        [-3, -1, -1, -1, -1, -1]
    );
    assert_eq!(
        values(array(&[0xffu8; 3]).unbounded_shl(array(&[7, 8, 255]))),
        [0x80, 0, 0]
    );
    assert_eq!(
        values(array(&[-1i64; 2]).unbounded_shl(array(&[63, 64]))),
        [i64::MIN, 0]
    );
}

#[test]
fn extremes_ignore_nan() {
    let x = array(&[1.0f32, f32::NAN, 3.0]);
    assert_eq!((values(x.max())[0], values(x.min())[0]), (3.0, 1.0));
    assert_eq!((values(x.argmax())[0], values(x.argmin())[0]), (2, 0));
    assert_eq!(values(x.maximum(2.0)), [2.0, 2.0, 3.0]);
    assert_eq!(values(x.minimum(2.0)), [1.0, 2.0, 2.0]);
    assert!(values(x.max_or_nan())[0].is_nan() && values(x.min_or_nan())[0].is_nan());
    assert_eq!(
        (values(x.argmax_or_nan())[0], values(x.argmin_or_nan())[0]),
        (1, 1)
    );
    assert!(values(x.maximum_or_nan(2.0))[1].is_nan() && values(x.minimum_or_nan(2.0))[1].is_nan());
    assert!(values(x.clamp(0.0, 2.0))[1].is_nan());
    // All elements are NaN.
    let nothing = array(&[f32::NAN; 2]);
    assert!(values(nothing.max())[0].is_nan() && values(nothing.argmax())[0] == 0);
}

#[test]
fn dot_takes_two_vectors() {
    let (x, y) = (array(&[1, 2, 3]), array(&[4, 5, 6]));
    assert_eq!(values(x.dot(&y).unwrap()), [32]);
    assert_eq!(values(x.dot(&x + 1).unwrap()), [20]);
    assert_eq!(values((&x * 2).dot(&y).unwrap()), [64]);
    let none = |x: &Array<i32>| x.slice(s![..0]).unwrap();
    assert_eq!(values(none(&x).dot(none(&y)).unwrap()), [0]);
    let square = matrix([3, 3], &[1; 9]);
    let number = array(&[2]).reshape(()).unwrap();
    let shapes = [
        (square.dot(&square), "[3, 3] and [3, 3]"),
        (square.dot(&x), "[3, 3] and [3]"),
        (x.dot(&square), "[3] and [3, 3]"),
        (x.dot(array(&[1, 2])), "[3] and [2]"),
        // Axes of length 1 are not broadcast.
        (x.dot(array(&[1])), "[3] and [1]"),
        (x.dot(2), "[3] and []"),
        (number.dot(&number), "[] and []"),
    ];
    for (dot, shapes) in shapes {
        let error = dot.unwrap_err().to_string();
        let parts = ["`dot`", shapes, "cupy.rs", "matmul", "inner", ".sum()"];
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
    // Errors of the operands take precedence.
    let wrong = &x + array(&[1, 2]);
    let error = wrong.dot(&x).unwrap_err().to_string();
    assert!(error.contains("`+`") && !error.contains("dot"), "{error}");
    assert_eq!(values((&square * &x).sum()), [18]);
    assert_eq!(values(square.inner(&x).unwrap()), [6, 6, 6]);
}

#[test]
fn outer_products_keep_all_axes() {
    let x = matrix([2, 2], &[1, 2, 3, 4]);
    let product = x.outer(&x).unwrap().eval().unwrap();
    assert_eq!(product.shape(), [2, 2, 2, 2]);
    let flat = x.flatten().unwrap();
    assert_eq!(flat.outer(&flat).unwrap().eval().unwrap().shape(), [4, 4]);
}

#[test]
fn signs_of_zeros() {
    let x = array(&[0.0f32, -0.0, 2.5, -2.5, f32::NAN]);
    let sign = values(x.signum());
    assert_eq!(sign[..4], [1.0, -1.0, 1.0, -1.0]);
    assert!(sign[4].is_nan());
    let sign = values(x.equal(0.0).select(0.0, x.signum()));
    assert_eq!(sign[..4], [0.0, 0.0, 1.0, -1.0]);
    assert!(sign[4].is_nan());
    assert_eq!(values(array(&[0, -3, 4]).signum()), [0, -1, 1]);
}

#[test]
fn halves_round_to_even() {
    let x = array(&[0.5f32, 1.5, 2.5, -0.5]);
    assert_eq!(values(x.round()), [1.0, 2.0, 3.0, -1.0]);
    assert_eq!(values(x.round_ties_even()), [0.0, 2.0, 2.0, -0.0]);
}

#[test]
fn sums_of_narrow_integers() {
    let x = array(&[i32::MAX, 1, 2]);
    assert_eq!(values(x.sum()), [i32::MIN + 2]);
    assert_eq!(values(x.cast::<i64>().sum()), [(1 << 31) + 2]);
    assert_eq!(values(array(&[1 << 20; 2]).product()), [0]);
    let wide = x.cast::<i64>().cumsum(0).unwrap().eval().unwrap();
    assert_eq!(x.cumsum(0).unwrap().host()[1], i32::MIN);
    assert_eq!(wide.host()[1], 1 << 31);
}

#[test]
fn floats_beyond_the_range_of_integers() {
    let x = array(&[1e10f32, -1e10, f32::NAN, -2.9]);
    assert_eq!(values(x.cast::<i32>()), [i32::MAX, i32::MIN, 0, -2]);
    assert_eq!(values(x.cast::<u8>()), [255, 0, 0, 0]);
}

#[test]
fn scans_and_gathers_along_an_axis() {
    let x = matrix([2, 2], &[1, 2, 3, 4]);
    assert_eq!(x.cumsum(0).unwrap().host(), [1, 2, 4, 6]);
    let flat = x.flatten().unwrap();
    assert_eq!(flat.cumsum(0).unwrap().host(), [1, 3, 6, 10]);
    assert_eq!(flat.roll(1, 0).unwrap().host(), [4, 1, 2, 3]);
    assert_eq!(elements(flat.repeat(2, 0)), [1, 1, 2, 2, 3, 3, 4, 4]);
    assert_eq!(elements(flat.take(array(&[3, -4]), 0)), [4, 1]);
    let reversed = x.flip(0).unwrap().flip(1).unwrap();
    assert_eq!(reversed.host(), [4, 3, 2, 1]);
}

#[test]
fn indices_beyond_the_end() {
    let x = array(&[10, 20, 30]);
    let indices = array(&[0, 3]);
    assert!(x.take(&indices, 0).is_err());
    assert_eq!(
        x.take_clamped(&indices, 0).unwrap().to_vec().unwrap(),
        [10, 30]
    );
    let wrapped = indices.mod_floor(3);
    assert_eq!(x.take(&wrapped, 0).unwrap().host(), [10, 10]);
    let mut y = x.clone();
    assert!(y.put(&indices, 7).is_err());
    y.put(&wrapped, 7).unwrap();
    assert_eq!(y.host(), [7, 20, 30]);
}

#[test]
fn indices_of_true_elements() {
    let x = matrix([2, 3], &[0, 5, 0, 0, 0, 6]);
    let places = x.not_equal(0).nonzero().unwrap();
    assert_eq!(places.host(), [1, 5]);
    assert_eq!(values(&places / 3), [0, 1]);
    assert_eq!(values(&places % 3), [1, 2]);
}

#[test]
fn histograms_of_numbers_beyond_the_bins() {
    let x = array(&[3u8, 1, 3, 9]);
    assert_eq!(x.histogram(4).unwrap().host(), [0, 1, 0, 2]);
    let signed = array(&[i64::MIN, -1, 0, 2, 2, 3]);
    assert_eq!(signed.histogram(3).unwrap().host(), [1, 0, 2]);
}

#[test]
fn histograms_of_floats_have_closed_ends_and_skip_nan() {
    let inf = f32::INFINITY;
    let x = array(&[
        -0.5f32,
        0.0,
        0.05,
        0.15,
        0.95,
        1.0,
        1.5,
        f32::NAN,
        inf,
        -inf,
    ]);
    let counts = x.histogram_between(0.0, 1.0, 10).unwrap();
    assert_eq!(counts.host(), [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
    assert_eq!(x.histogram_between(-1.0, 2.0, 1).unwrap().host(), [7]);
    assert_eq!(x.histogram_between(0.0, 1.0, 0).unwrap().len(), 0);
    let halves = x.cast::<cuda_compute::f16>();
    assert_eq!(
        halves.histogram_between(0.0, 1.0, 2).unwrap().host(),
        [3, 2]
    );
    for (low, high) in [
        (1.0, 1.0),
        (2.0, 1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
    ] {
        let error = x.histogram_between(low, high, 10).unwrap_err().to_string();
        assert!(error.contains("the first less than the second"), "{error}");
    }
}

#[test]
fn norms_of_matrices() {
    let x = matrix([2, 2], &[3.0f64, 0.0, 0.0, 4.0]);
    // NumPy's `linalg.norm` without `ord`. With `ord=2`, NumPy returns the largest singular value,
    // 4, and with `ord=1` the largest column sum.
    assert_eq!(values(x.norm(2.0)), [5.0]);
    assert_eq!(values(x.norm(1.0)), [7.0]);
    assert_eq!(values(x.norm_axis(0, 1.0).max_or_nan()), [4.0]);
}

#[test]
fn borders_of_convolutions() {
    let x = matrix([1, 4], &[1.0f32, 2.0, 3.0, 4.0]);
    // This is a true convolution, so each result is the preceding element.
    let before = Filter::new(3, 1, &[0.0, 0.0, 1.0]).unwrap();
    assert_eq!(elements(x.convolve(&before)), [0.0, 1.0, 2.0, 3.0]);
    for (border, first) in [
        (Border::Zero, 0.0),
        (Border::Clamp, 1.0),
        (Border::Reflect, 2.0),
        (Border::Wrap, 4.0),
    ] {
        let options = ConvolutionOptions::default().border(border);
        let got = x.convolve_with(&before, options).unwrap().host();
        assert_eq!(got, [first, 1.0, 2.0, 3.0], "{border:?}");
    }
}

#[test]
fn closures_use_the_operators_of_rust() {
    let (a, b) = (array(&[7, -7, 7, -7]), array(&[3, 3, -3, -3]));
    let rest = device_fn!(|a: i32, b: i32| a % b);
    assert_eq!(values(rest.map((&a, &b))), [1, -1, 1, -1]);
    let euclid = device_fn!(|a: i32, b: i32| 10 * a.div_euclid(b) + a.rem_euclid(b));
    assert_eq!(values(euclid.map((&a, &b))), [21, -28, -19, 32]);
    let floored = device_fn!(|a: i32, b: i32| {
        let rest = a % b;
        if rest != 0 && (rest < 0) != (b < 0) {
            rest + b
        } else {
            rest
        }
    });
    assert_eq!(values(floored.map((&a, &b))), values(a.mod_floor(&b)));
    let shifts = device_fn!(|a: i32, n: u32| a.unbounded_shl(n) | a.unbounded_shr(n));
    let n = array(&[1u32, 31, 32, 100]);
    assert_eq!(values(shifts.map((&a, &n))), [15, -1, 0, -1]);
    let x = array(&[1.0f32, f32::NAN]);
    let larger = device_fn!(|x: f32| x.max(0.5));
    assert_eq!(values(larger.map((&x,))), [1.0, 0.5]);
    let larger = device_fn!(|x: f32| if x.is_nan() { x } else { x.max(0.5) });
    assert!(values(larger.map((&x,)))[1].is_nan());
}

/// The expressions in the guide's tables of functions by name.
#[test]
fn functions_are_written_out_as_expressions() {
    use std::f64::consts::PI;
    let x = array(&[-1.5, 0.0, 0.25, f64::NAN, f64::INFINITY]);
    let steps: Vec<f64> = values(x.equal(0.0).select(0.5, x.greater(0.0).cast::<f64>()));
    assert_eq!(steps, [0.0, 0.5, 1.0, 0.0, 1.0]); // NumPy's `heaviside`, except for NaN
    let numbers = values(x.is_nan().select(0.0, &x).clamp(f64::MIN, f64::MAX));
    assert_eq!(numbers, [-1.5, 0.0, 0.25, 0.0, f64::MAX]);
    let sinc = values(x.equal(0.0).select(1.0, x.sinpi() / (&x * PI)));
    assert!((sinc[0] - (-1.5 * PI).sin() / (-1.5 * PI)).abs() < 1e-15);
    assert_eq!(sinc[1], 1.0);
    assert_eq!(
        values(x.signum().less(0.0)),
        [true, false, false, false, false]
    );
    let spacing = values(x.next_after(f64::INFINITY) - &x);
    assert_eq!(spacing[2], 0.25 * f64::EPSILON);
    let sums = values(x.is_nan().select(0.0, &x).cumsum(0).unwrap());
    assert_eq!(sums, [-1.5, -1.5, -1.25, -1.25, f64::INFINITY]);
    let part = x.is_nan().select(1.0, &x).slice(s![2..4]).unwrap();
    let products = values(part.cumprod(0).unwrap());
    assert_eq!(products, [0.25, 0.25]);

    let m = matrix([2, 3], &[1, 2, 3, 4, 5, 6]);
    assert_eq!(elements(m.t().flip(0)), [3, 6, 2, 5, 1, 4]); // `rot90`
    assert_eq!(m.flatten().unwrap().diag(0).unwrap().shape(), [6, 6]);
    let (rows, columns) = (matrix([2, 1], &[1, 0]), array(&[2, 0]));
    assert_eq!(elements(m.take_nd(&[&rows, &columns])), [6, 4, 3, 1]); // `ix_`
    let large = m.greater(4).eval().unwrap();
    let at = large
        .nonzero()
        .unwrap()
        .unravel_index(large.shape())
        .unwrap();
    assert_eq!(
        (values(at[0].clone()), values(at[1].clone())),
        (vec![1, 1], vec![1, 2])
    );
    let stream = stream();
    let lower = Array::full(&stream, [2, 2], true).unwrap().tril(0).unwrap();
    assert_eq!(elements(lower.nonzero()), [0, 2, 3]);
    let tri = Array::<i32>::ones(&stream, [2, 2])
        .unwrap()
        .tril(0)
        .unwrap();
    assert_eq!(values(tri), [1, 0, 1, 1]);
    assert_eq!(values(m.flatten().unwrap().diff(1, 0).unwrap()), [1; 5]);
}

#[test]
fn values_keep_their_axes_when_inserted() {
    let x = matrix([2, 2], &[1, 2, 3, 4]);
    let new = matrix([1, 2], &[8, 9]);
    let moved = x.insert(1, new.t(), 1).unwrap();
    assert_eq!(moved.to_string(), "[[1 8 2]\n [3 9 4]]"); // NumPy: `np.insert(x, 1, new, 1)`
    let kept = x.insert(1, &new, 1).unwrap();
    assert_eq!(kept.to_string(), "[[1 8 9 2]\n [3 8 9 4]]");
    assert_eq!(values(array(&[2, -1, 3, 0]).pow(-1)), [0, -1, 0, 0]);
    let average = array(&[1.0f64, 2.0]).average(array(&[1.0, -1.0])).unwrap();
    assert!(values(average)[0].is_infinite());
}

#[test]
fn bins_between_descending_edges() {
    let (x, edges) = (array(&[4, 3, 2, 1, 0]), array(&[3, 1]));
    let bins = x.digitize(&edges.flip(0).unwrap()).unwrap();
    assert_eq!(values(edges.len() - bins), [0, 0, 1, 1, 2]);
}
