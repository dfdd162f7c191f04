//! Tests of functions of `f16`, `bf16` and `f32` against those of `f64` on the host, for all halves
//! and samples of `f32`.

use half::{bf16, f16};

use super::{
    host,
    samples::{Measured, name, pairs},
    stream,
};
use crate::{
    Array, CastFrom, Expr, eval,
    expression::{
        function::{ALL, Function},
        node::Node,
        operation::Operation,
    },
};

/// Returns the number of mantissa bits that `f32` has more than the type.
fn spare<T: Measured>() -> i32 {
    f32::MANTISSA - T::MANTISSA
}

/// Returns the error bound in units in the last place from the exact result. Rounding from `f32` to
/// a half adds to it.
fn bound<T: Measured>(function: &Function) -> f64 {
    let off = f64::from(function.accuracy.single);
    let single = if off == 0.0 { 0.0 } else { off + 0.5 };
    let rounding = if spare::<T>() > 0 || off == 0.0 {
        0.5
    } else {
        0.0
    };
    if spare::<T>() > 0 && off > 0.0 && function.has_half() {
        return 0.51; // for fewer instructions
    }
    // The last term allows for the host's error.
    rounding + single / 2f64.powi(spare::<T>()) + 1e-6
}

/// Collects the results of a function that exceed the error bound, and reports them with the worst
/// first.
struct Judge<'a, T> {
    function: &'a Function,
    wrong: Vec<(f64, String)>,
    element: std::marker::PhantomData<T>,
}

impl<'a, T: Measured> Judge<'a, T> {
    fn new(function: &'a Function) -> Self {
        Self {
            function,
            wrong: Vec::new(),
            element: std::marker::PhantomData,
        }
    }

    fn take(&mut self, arguments: &[T], got: T, exact: f64) {
        let distance = T::distance(got, exact);
        let accuracy = &self.function.accuracy;
        let is_apart = |apart: &super::Apart| {
            // The bound includes rounding to a half.
            let rounded = T::distance(T::nearest(exact), exact).min(0.5);
            let unit = (got.wide() - exact).abs() / distance.max(1e-300);
            let off = apart.single / unit + rounded.max(0.5);
            apart.holds(arguments[0].wide()) && distance <= off
        };
        let sign = exact == 0.0 && got.wide().is_sign_negative() != exact.is_sign_negative();
        if (distance > bound::<T>(self.function) && !accuracy.apart.as_ref().is_some_and(is_apart))
            || sign
        {
            let text = format!("{arguments:?}: {got:?}, not {exact:e}: {distance} units off");
            self.wrong.push((distance, text));
        }
    }

    fn report(mut self) -> Option<String> {
        self.wrong.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (_, worst) = self.wrong.first()?;
        Some(format!(
            "{} of {}: {} results, the worst {worst}",
            self.function.name,
            name::<T>(),
            self.wrong.len()
        ))
    }
}

/// Applies a function to arrays.
fn call<T: Measured, const N: usize>(
    function: &'static Function,
    inputs: [&Array<T>; N],
) -> Expr<T> {
    let inputs = inputs.map(|input| input.expr().node);
    Expr::of(Node::apply(Operation::Call(function), T::DATA_TYPE, inputs))
}

fn check<T: Measured>() {
    let stream = stream();
    let samples = T::samples();
    let x = Array::from_slice(&stream, &samples).unwrap();
    let (left, right) = pairs::<T>();
    let a = Array::from_slice(&stream, &left).unwrap();
    let b = Array::from_slice(&stream, &right).unwrap();
    let mut wrong = Vec::new();
    for &function in ALL.iter().filter(|function| function.is_real()) {
        let mut judge = Judge::<T>::new(function);
        if let Some(exact) = host::unary(function.name) {
            let got = call(function, [&x]).eval().unwrap().to_vec().unwrap();
            for (&x, got) in samples.iter().zip(got) {
                judge.take(&[x], got, exact(x.wide()));
            }
        } else if let Some(exact) = host::binary(function.name) {
            let got = call(function, [&a, &b]).eval().unwrap().to_vec().unwrap();
            for ((&a, &b), got) in left.iter().zip(&right).zip(got) {
                judge.take(&[a, b], got, exact(a.wide(), b.wide()));
            }
        } else {
            assert!(
                OTHERS.contains(&function.name),
                "nothing tests {}",
                function.name
            );
        }
        wrong.extend(judge.report());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Functions with separate tests below.
const OTHERS: [&str; 7] = [
    "mul_add",
    "next_after",
    "ldexp",
    "frexp_exponent",
    "is_nan",
    "is_finite",
    "is_infinite",
];

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn all_f16_match_the_host() {
    check::<f16>();
}

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn all_bf16_match_the_host() {
    check::<bf16>();
}

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn samples_of_f32_match_the_host() {
    check::<f32>();
}

/// Checks functions of several types, which are exact.
/// The other tests take both zeros for equal. From 105,615 on, arguments are reduced in another way.
#[test]
fn sines_and_cosines_keep_signs_and_take_large_arguments() {
    let large = 105_615f32;
    let x = [
        0.0,
        -0.0,
        f32::from_bits(1),
        -f32::from_bits(1),
        large.next_down(),
        large,
        -large.next_down(),
        -large,
        3.0e38,
        f32::INFINITY,
    ];
    let x = Array::from_slice(&stream(), &x).unwrap();
    let (sines, cosines) = eval((&x.sin(), &x.cos())).unwrap();
    let (x, sines, cosines) = (
        x.to_vec().unwrap(),
        sines.to_vec().unwrap(),
        cosines.to_vec().unwrap(),
    );
    for ((&x, &sine), &cosine) in x.iter().zip(&sines).zip(&cosines) {
        for (got, exact) in [(sine, f64::from(x).sin()), (cosine, f64::from(x).cos())] {
            assert!(
                f32::distance(got, exact) <= 2.0,
                "{x}: {got} instead of {exact}"
            );
            assert!(
                exact.is_nan() || got.is_sign_negative() == exact.is_sign_negative(),
                "{x}: {got}"
            );
        }
    }
}

fn check_others<T: Measured + CastFrom<i32>>() {
    let stream = stream();
    let (left, right) = pairs::<T>();
    let a = Array::from_slice(&stream, &left).unwrap();
    let b = Array::from_slice(&stream, &right).unwrap();
    let powers: Vec<i32> = (0..left.len() as i32)
        .map(|i| i * 7919 % 601 - 300)
        .collect();
    let c = Array::from_slice(&stream, &powers).unwrap();
    let (fused, scaled, exponent, nan, finite, infinite) = eval((
        a.mul_add(&b, &a),
        a.ldexp(&c),
        a.frexp_exponent(),
        a.is_nan(),
        a.is_finite(),
        a.is_infinite(),
    ))
    .unwrap();
    let (fused, scaled) = (fused.to_vec().unwrap(), scaled.to_vec().unwrap());
    let exponent = exponent.to_vec().unwrap();
    let classes = [nan, finite, infinite].map(|class| class.to_vec().unwrap());
    for i in 0..left.len() {
        let (x, y) = (left[i].wide(), right[i].wide());
        let what = format!("{x:e} {y:e} in {}", name::<T>());
        // Halves are rounded to f32 first. This is visible if that value is halfway between two
        // halves.
        let seen = if spare::<T>() > 0 { 0.51 } else { 0.5 + 1e-6 };
        let off = T::distance(fused[i], x.mul_add(y, x));
        assert!(off <= seen, "{what}: {:?}, {off} off", fused[i]);
        let wanted = x * 2f64.powi(powers[i]);
        assert!(
            T::distance(scaled[i], wanted) <= 0.5,
            "{what}: {:?}",
            scaled[i]
        );
        let fraction = host::unary("frexp_fraction").unwrap()(x);
        if x != 0.0 && x.is_finite() {
            assert_eq!(fraction * 2f64.powi(exponent[i]), x, "{what}");
        } else {
            assert_eq!(exponent[i], 0, "{what}");
        }
        let got = [0, 1, 2].map(|class| classes[class][i]);
        assert_eq!(got, [x.is_nan(), x.is_finite(), x.is_infinite()], "{what}");
    }
}

#[test]
fn functions_of_several_types_are_exact() {
    check_others::<f16>();
    check_others::<bf16>();
    check_others::<f32>();
}

/// Returns the next `f32` towards another number, as C defines it.
fn next(x: f32, to: f32) -> f32 {
    match x.partial_cmp(&to) {
        None => f32::NAN,
        Some(std::cmp::Ordering::Equal) => to,
        Some(std::cmp::Ordering::Less) => x.next_up(),
        Some(std::cmp::Ordering::Greater) => x.next_down(),
    }
}

#[test]
fn next_after_matches_c() {
    fn check<T: Measured>() {
        let stream = stream();
        let (left, right) = pairs::<T>();
        let a = Array::from_slice(&stream, &left).unwrap();
        let b = Array::from_slice(&stream, &right).unwrap();
        let got = a.next_after(&b).eval().unwrap().to_vec().unwrap();
        for ((&x, &to), got) in left.iter().zip(&right).zip(got) {
            let wanted = T::nearest(next(x.wide() as f32, to.wide() as f32).into()).wide();
            let same = got.wide() == wanted || got.wide().is_nan() && wanted.is_nan();
            assert!(same, "{x:?} to {to:?}: {got:?}, not {wanted:e}");
        }
    }
    check::<f16>();
    check::<bf16>();
    check::<f32>();
}
