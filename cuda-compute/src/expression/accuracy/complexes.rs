//! Tests of functions of complex numbers. Distances are relative to the magnitude of the exact
//! result.

use num_complex::Complex;

use super::{reference::groups, samples::Random, stream};
use crate::{
    Array, ComplexNumber, Expr,
    expression::{
        function::{ALL, Function},
        node::Node,
        operation::Operation,
    },
};

type C = Complex<f64>;

/// Error bounds of sums, products and quotients, in epsilons.
pub(super) const SUM: u8 = 1;
pub(super) const PRODUCT: u8 = 2;
pub(super) const QUOTIENT: u8 = 3;

/// A complex type whose errors are measured.
trait Measured: ComplexNumber {
    const EPSILON: f64;
    fn of(z: C) -> Self;
    fn wide(self) -> C;
}

impl Measured for Complex<f32> {
    const EPSILON: f64 = f32::EPSILON as f64;
    fn of(z: C) -> Self {
        Self::new(z.re as f32, z.im as f32)
    }
    fn wide(self) -> C {
        C::new(self.re.into(), self.im.into())
    }
}

impl Measured for C {
    const EPSILON: f64 = f64::EPSILON;
    fn of(z: C) -> Self {
        z
    }
    fn wide(self) -> C {
        self
    }
}

/// Returns the largest distance of results, in epsilons, and a description of that result.
fn worst<T: Measured>(
    arguments: &[Vec<T>],
    got: &[T],
    exact: &[C],
    weight: impl Fn(usize) -> f64,
) -> (f64, String) {
    let mut worst = (0.0, String::new());
    for (i, (got, exact)) in got.iter().zip(exact).enumerate() {
        let difference = got.wide() - exact;
        let off =
            difference.re.hypot(difference.im) / exact.re.hypot(exact.im) / T::EPSILON / weight(i);
        // NaN counts as the largest distance.
        if off > worst.0 || off.is_nan() {
            let of: Vec<C> = arguments
                .iter()
                .map(|argument| argument[i].wide())
                .collect();
            worst = (off, format!("{of:?}: {:?}, not {exact:?}", got.wide()));
            if off.is_nan() {
                break;
            }
        }
    }
    worst
}

fn call<T: Measured>(operation: Operation, arguments: &[Vec<T>]) -> Vec<T> {
    let stream = stream();
    let array = |argument: &Vec<T>| Array::from_slice(&stream, argument).unwrap().expr().node;
    let node = match arguments {
        [z] => Node::apply(operation, T::DATA_TYPE, [array(z)]),
        [a, b] => Node::apply(operation, T::DATA_TYPE, [array(a), array(b)]),
        _ => unreachable!("one argument or two"),
    };
    Expr::<T>::of(node).eval().unwrap().to_vec().unwrap()
}

/// Returns the factor on the error of a power, because the error of its logarithm is multiplied.
fn weight_of_power<T: Measured>(arguments: &[Vec<T>], i: usize) -> f64 {
    1.0 + (arguments[1][i].wide() * arguments[0][i].wide().ln()).norm()
}

/// Returns products, quotients and functions: the operation, its name and its error bound.
fn operations() -> Vec<(Operation, &'static str, u8)> {
    let results_are_complex =
        |function: &&&'static Function| function.is_complex() && !REAL.contains(&function.name);
    let functions = ALL.iter().filter(results_are_complex);
    let functions = functions.map(|&function| {
        (
            Operation::Call(function),
            function.name,
            function.accuracy.complex,
        )
    });
    functions
        .chain([
            (Operation::Multiply, "*", PRODUCT),
            (Operation::Divide, "/", QUOTIENT),
        ])
        .collect()
}

/// Functions of complex numbers with real results.
const REAL: [&str; 2] = ["norm_sqr", "arg"];

fn judge<T: Measured>(
    wrong: &mut Vec<String>,
    name: &str,
    bound: u8,
    arguments: &[Vec<T>],
    got: &[T],
    exact: &[C],
) {
    let weight = |i: usize| match name {
        "pow" => weight_of_power(arguments, i),
        _ => 1.0,
    };
    let (off, what) = worst(arguments, got, exact, weight);
    if off.is_nan() || off > f64::from(bound) {
        wrong.push(format!(
            "{name} of {}: {off} epsilons off: {what}",
            T::DATA_TYPE.name()
        ));
    }
}

#[test]
fn results_match_reference_values() {
    let groups = groups();
    let mut wrong = Vec::new();
    for (operation, name, bound) in operations() {
        let group = groups
            .iter()
            .find(|group| group.name == format!("complex {name}"));
        let group = group.unwrap_or_else(|| panic!("nothing tests {name}"));
        let pair = |place: usize| -> Vec<C> {
            let parts = group.column(place).into_iter().zip(group.column(place + 1));
            parts.map(|(re, im)| C::new(re, im)).collect()
        };
        let arguments: Vec<Vec<C>> = (0..group.inputs).step_by(2).map(pair).collect();
        let got = call(operation, &arguments);
        judge(
            &mut wrong,
            name,
            bound,
            &arguments,
            &got,
            &pair(group.inputs),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Computes a function on the host, in `f64`.
fn host(name: &str, z: C, w: C) -> C {
    match name {
        "sqrt" => z.sqrt(),
        "exp" => z.exp(),
        "ln" => z.ln(),
        "log10" => z.log10(),
        "sin" => C::new(z.re.sin() * z.im.cosh(), z.re.cos() * z.im.sinh()),
        "cos" => C::new(z.re.cos() * z.im.cosh(), -z.re.sin() * z.im.sinh()),
        "sinh" => C::new(z.re.sinh() * z.im.cos(), z.re.cosh() * z.im.sin()),
        "cosh" => C::new(z.re.cosh() * z.im.cos(), z.re.sinh() * z.im.sin()),
        "tanh" => tanh(z),
        "tan" => {
            let turned = tanh(C::new(-z.im, z.re));
            C::new(turned.im, -turned.re)
        }
        "pow" => (w * z.ln()).exp(),
        "+" => z + w,
        "-" => z - w,
        "*" => z * w,
        "/" => z / w,
        _ => panic!("nothing tests {name}"),
    }
}

/// Avoids cancellation near the poles. The denominator is the square of the real part's sinh plus
/// the square of the imaginary part's cos.
fn tanh(z: C) -> C {
    if z.re.abs() > 300.0 {
        return C::new(z.re.signum(), 0.0);
    }
    let (s, c) = (z.re.sinh(), z.im.cos());
    let below = s * s + c * c;
    C::new(s * z.re.cosh() / below, z.im.sin() * c / below)
}

/// Returns arguments of `Complex<f32>` in the ranges that the accuracy page names.
fn samples(name: &str) -> [Vec<Complex<f32>>; 2] {
    let mut random = Random(5);
    let mut both = [Vec::new(), Vec::new()];
    let sized = |random: &mut Random, most: f64| {
        let size = 2f64.powf(random.between(-most, most));
        size * random.between(1.0, 2.0) * if random.below(2) == 0 { 1.0 } else { -1.0 }
    };
    for i in 0..24_000 {
        let uniform = |random: &mut Random, size: f64| {
            C::new(random.between(-size, size), random.between(-size, size))
        };
        let near_one = 2f64.powf(random.between(-24.0, 0.0));
        let near_one = C::new(1.0, 0.0) + uniform(&mut random, near_one);
        let (z, w) = match (name, i % 3) {
            ("sqrt" | "ln" | "log10", 0) => (
                C::new(sized(&mut random, 125.0), sized(&mut random, 125.0)),
                C::default(),
            ),
            ("sqrt" | "ln" | "log10", 1) => (near_one, C::default()),
            ("sqrt" | "ln" | "log10", _) => (uniform(&mut random, 2.0), C::default()),
            ("+" | "-" | "*" | "/", 0) => (
                C::new(sized(&mut random, 30.0), sized(&mut random, 30.0)),
                C::new(sized(&mut random, 30.0), sized(&mut random, 30.0)),
            ),
            ("+" | "-" | "*" | "/", _) => (uniform(&mut random, 1.0), uniform(&mut random, 1.0)),
            ("pow", 0) => (
                C::new(sized(&mut random, 12.0), sized(&mut random, 12.0)),
                uniform(&mut random, 4.0),
            ),
            ("pow", _) => (uniform(&mut random, 10.0), uniform(&mut random, 8.0)),
            (_, 0) => (uniform(&mut random, 85.0), C::default()),
            (_, 1) => (uniform(&mut random, 4.0), C::default()),
            _ => (
                C::new(sized(&mut random, 5.0), sized(&mut random, 5.0)),
                C::default(),
            ),
        };
        both[0].push(Complex::<f32>::of(z));
        both[1].push(Complex::<f32>::of(w));
    }
    both
}

#[test]
fn samples_of_complex_f32_match_the_host() {
    let mut wrong = Vec::new();
    let sums = [(Operation::Add, "+", SUM), (Operation::Subtract, "-", SUM)];
    for (operation, name, bound) in operations().into_iter().chain(sums) {
        let [z, w] = samples(name);
        let exact: Vec<C> = z
            .iter()
            .zip(&w)
            .map(|(z, w)| host(name, z.wide(), w.wide()))
            .collect();
        let mut arguments = vec![z, w];
        if !matches!(name, "+" | "-" | "*" | "/" | "pow") {
            arguments.pop();
        }
        let got = call(operation, &arguments);
        judge(&mut wrong, name, bound, &arguments, &got, &exact);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn absolute_values_and_angles_match_the_host() {
    let stream = stream();
    let [z, w] = samples("*");
    let z: Vec<_> = z.into_iter().chain(w).collect();
    let array = Array::from_slice(&stream, &z).unwrap();
    let (squares, angles, sizes) =
        crate::eval((array.norm_sqr(), array.arg(), array.abs())).unwrap();
    let got = [squares, angles, sizes].map(|array| array.to_vec().unwrap());
    let row = |name: &str| {
        ALL.iter()
            .find(|function| function.name == name)
            .unwrap()
            .accuracy
    };
    let bounds = [
        f64::from(row("norm_sqr").complex),
        f64::from(row("arg").complex),
        f64::from(row("hypot").single) + 0.5,
    ];
    for (i, z) in z.iter().enumerate() {
        let z = z.wide();
        for (which, exact) in [z.norm_sqr(), z.im.atan2(z.re), z.re.hypot(z.im)]
            .into_iter()
            .enumerate()
        {
            let off =
                (f64::from(got[which][i]) - exact).abs() / exact.abs() / f64::from(f32::EPSILON);
            assert!(
                off <= bounds[which],
                "{which} of {z}: {} not {exact}: {off}",
                got[which][i]
            );
        }
    }
}
