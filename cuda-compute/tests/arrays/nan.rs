//! NaN: its sign in half-precision types, and the functions that propagate it.

use cuda_compute::{Array, Combination, Float, Ordered, device_fn, eval, s};
use half::{bf16, f16};

use crate::{OnHost, stream, upload, values};

/// A float whose sign can be read, including the sign of NaN.
trait Signed: Float {
    const NAN: Self;
    const TWO: Self;
    fn is_negative(self) -> bool;
    fn is_nan(self) -> bool;
    fn negated(self) -> Self;
}

macro_rules! signed {
    ($($type:ident $two:expr;)*) => {$(
        impl Signed for $type {
            const NAN: Self = $type::NAN;
            const TWO: Self = $two;
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn negated(self) -> Self {
                -self
            }
        }
    )*};
}

signed! {
    f16 f16::from_f32_const(2.0);
    bf16 bf16::from_f32_const(2.0);
    f32 2.0;
    f64 2.0;
}

fn check_copysign<T: Signed>() {
    let positive = [T::NAN, T::TWO];
    let all = [
        positive[0],
        positive[1],
        positive[0].negated(),
        positive[1].negated(),
    ];
    let stream = stream();
    let columns = upload(&stream, &all);
    let rows = columns.reshape([4, 1]).unwrap();
    let got = values(rows.copysign(&columns));
    for (i, got) in got.into_iter().enumerate() {
        let (size, sign) = (all[i / 4], all[i % 4]);
        let name = std::any::type_name::<T>();
        assert_eq!(got.is_nan(), size.is_nan(), "{name}: {size:?}, {sign:?}");
        assert_eq!(
            got.is_negative(),
            sign.is_negative(),
            "{name}: {size:?}, {sign:?}"
        );
    }
}

#[test]
fn copysign_reads_and_sets_the_sign_of_nan() {
    check_copysign::<f16>();
    check_copysign::<bf16>();
    check_copysign::<f32>();
    check_copysign::<f64>();
}

fn check_moves<T: Signed>() {
    let host = [T::NAN.negated(), T::NAN, T::TWO];
    let x = Array::from_slice(&stream(), &host).unwrap();
    let truth = Array::from_slice(&stream(), &[true; 3]).unwrap();
    let chosen = values(truth.select(&x, T::ZERO));
    let taken = x
        .take(Array::from_slice(&stream(), &[2, 0, 1]).unwrap(), 0)
        .unwrap();
    let taken = taken.host();
    let negative = |values: &[T]| values.iter().map(|v| v.is_negative()).collect::<Vec<_>>();
    assert_eq!(negative(&chosen), [true, false, false]);
    assert_eq!(negative(&taken), [false, true, false]);
}

#[test]
fn choices_and_gathers_keep_the_sign_of_nan() {
    check_moves::<f16>();
    check_moves::<bf16>();
    check_moves::<f32>();
    check_moves::<f64>();
}

/// Returns whether two floats are equal or both NaN.
fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

const EDGES: [f64; 7] = [
    0.0,
    1.5,
    -2.0,
    3.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// NumPy's `maximum`.
fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

/// NumPy's `minimum`.
fn minimum(a: f64, b: f64) -> f64 {
    -maximum(-a, -b)
}

#[test]
fn binary_extremes_propagate_nan_on_request() {
    let stream = stream();
    let b = upload(&stream, &EDGES);
    let a = b.reshape([7, 1]).unwrap();
    let (low, high) = eval((a.minimum_or_nan(&b), a.maximum_or_nan(&b))).unwrap();
    let (low, high) = (low.host(), high.host());
    let halves = a
        .cast::<f16>()
        .maximum_or_nan(b.cast::<f16>())
        .cast::<f64>();
    let halves = values(halves);
    for i in 0..49 {
        let (a, b) = (EDGES[i / 7], EDGES[i % 7]);
        assert!(same(low[i], minimum(a, b)), "{a} {b}: {}", low[i]);
        assert!(same(high[i], maximum(a, b)), "{a} {b}: {}", high[i]);
        assert!(same(halves[i], maximum(a, b)), "{a} {b}: {}", halves[i]);
    }
    let x = upload(&stream, &[1i8, -5, 7]);
    assert_eq!(values(x.maximum_or_nan(2)), [2, 2, 7]);
    assert_eq!(values(x.minimum_or_nan(2)), [1, -5, 2]);
}

#[test]
fn clamp_agrees_between_arrays_and_closures() {
    let stream = stream();
    let edges = upload(&stream, &EDGES);
    let x = edges.reshape([7, 1, 1]).unwrap();
    let low = edges.reshape([7, 1]).unwrap();
    let in_closure = device_fn!(|x: f64, low: f64, high: f64| x.clamp(low, high));
    let (array, closure) =
        eval((x.clamp(&low, &edges), in_closure.map((&x, &low, &edges)))).unwrap();
    let (array, closure) = (array.host(), closure.host());
    for i in 0..343 {
        let (x, low, high) = (EDGES[i / 49], EDGES[i / 7 % 7], EDGES[i % 7]);
        // NumPy's `clip`.
        let wanted = minimum(maximum(x, low), high);
        assert!(
            same(array[i], wanted),
            "{x} from {low} to {high}: {}",
            array[i]
        );
        assert!(
            same(closure[i], wanted),
            "{x} from {low} to {high}: {}",
            closure[i]
        );
        // Rust panics if a bound is NaN or the bounds are reversed.
        if low <= high {
            let rust = in_closure.call((x, low, high));
            assert!(same(rust, wanted), "{x} from {low} to {high}: {rust}");
        }
    }
    let narrow = values(x.cast::<f16>().clamp(f16::ZERO, f16::ONE));
    assert!(narrow[6].is_nan() && narrow[1] == f16::ONE);
    let whole = upload(&stream, &[-5, 5, 50]);
    assert_eq!(values(whole.clamp(0, 10)), [0, 5, 10]);
    assert_eq!(values(whole.clamp(10, 0)), [0, 0, 0]);
}

/// Returns the index of the first NaN, or of the first best value.
fn place_or_nan(values: &[f64], better: fn(f64, f64) -> bool) -> usize {
    let mut best = 0;
    for (i, &v) in values.iter().enumerate() {
        if !values[best].is_nan() && (v.is_nan() || better(v, values[best])) {
            best = i;
        }
    }
    best
}

fn check_reductions<T: Ordered>(of: impl Fn(f64) -> T, wide: impl Fn(T) -> f64) {
    let stream = stream();
    let numbers: Vec<f64> = (0..2000)
        .map(|i| f64::from((i * 37) % 100) - 50.0)
        .collect();
    for places in [&[][..], &[0], &[1999], &[700], &[1200, 30, 1777]] {
        let mut host = numbers.clone();
        places.iter().for_each(|&place| host[place] = f64::NAN);
        let typed: Vec<T> = host.iter().map(|&v| of(v)).collect();
        let x = upload(&stream, &typed);
        let all = (
            x.min_or_nan(),
            x.max_or_nan(),
            x.argmin_or_nan(),
            x.argmax_or_nan(),
        );
        let (low, high, first_low, first_high) = eval(all).unwrap();
        let folded = |f: fn(f64, f64) -> f64| host.iter().copied().reduce(f).unwrap();
        assert!(same(wide(low.value()), folded(minimum)), "{places:?}");
        assert!(same(wide(high.value()), folded(maximum)), "{places:?}");
        assert_eq!(
            first_low.value(),
            place_or_nan(&host, |a, b| a < b),
            "{places:?}"
        );
        assert_eq!(
            first_high.value(),
            place_or_nan(&host, |a, b| a > b),
            "{places:?}"
        );
        // Along either axis of a matrix: each row, and each column.
        let matrix = x.reshape([40, 50]).unwrap();
        let rows = values(matrix.argmax_or_nan_axis(1));
        for (row, got) in host.chunks(50).zip(rows) {
            assert_eq!(got, place_or_nan(row, |a, b| a > b), "{places:?}");
        }
        let columns = values(matrix.max_or_nan_axis(0));
        for (column, got) in columns.into_iter().enumerate() {
            let wanted = host
                .iter()
                .skip(column)
                .step_by(50)
                .copied()
                .reduce(maximum);
            assert!(same(wide(got), wanted.unwrap()), "{places:?}");
        }
    }
}

#[test]
fn reductions_propagate_nan_on_request() {
    check_reductions(|v| v, |v| v);
    check_reductions(|v| v as f32, f64::from);
    check_reductions(f16::from_f64, f16::to_f64);
    let stream = stream();
    let x = upload(&stream, &[3, -7, 9, 9]);
    let all = (
        x.min_or_nan(),
        x.max_or_nan(),
        x.argmin_or_nan(),
        x.argmax_or_nan(),
    );
    let (low, high, first_low, first_high) = eval(all).unwrap();
    assert_eq!((low.value(), high.value()), (-7, 9));
    assert_eq!((first_low.value(), first_high.value()), (1, 2));
    let lowest = upload(&stream, &[f32::NEG_INFINITY; 70]);
    let (high, first) = eval((lowest.max_or_nan(), lowest.argmax_or_nan())).unwrap();
    assert_eq!((high.value(), first.value()), (f32::NEG_INFINITY, 0));
    assert!(lowest.slice(s![..0]).unwrap().max_or_nan().eval().is_err());
}

#[test]
fn scans_propagate_nan_on_request() {
    let host = [1.0f32, 3.0, f32::NAN, 5.0];
    let x = Array::from_slice(&stream(), &host).unwrap();
    let scan = |combination: Combination<f32>| x.scan(combination, 0).unwrap().host();
    let high = scan(Combination::max_or_nan());
    assert!(
        high[..2] == [1.0, 3.0] && high[2..].iter().all(|v| v.is_nan()),
        "{high:?}"
    );
    let low = scan(Combination::min_or_nan());
    assert!(
        low[..2] == [1.0, 1.0] && low[2..].iter().all(|v| v.is_nan()),
        "{low:?}"
    );
    let before = x
        .scan_exclusive(Combination::max_or_nan(), 0)
        .unwrap()
        .host();
    assert!(
        before[..3] == [f32::NEG_INFINITY, 1.0, 3.0] && before[3].is_nan(),
        "{before:?}"
    );
    assert!(values(x.reduce(Combination::max_or_nan()))[0].is_nan());
}

#[test]
fn norms_of_nan_are_nan() {
    let x = Array::from_slice(&stream(), &[1.0f32, f32::NAN, -3.0]).unwrap();
    for p in [1.0, 2.0, 3.0, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(values(x.norm(p))[0].is_nan(), "{p}");
    }
    assert_eq!(values(x.norm(0.0)), [3.0]);
}
