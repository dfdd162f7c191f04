//! Tests of functions of `f64` against reference values with hundreds of bits, and on more
//! arguments against the host.

use super::{
    host,
    reference::groups,
    samples::{EDGES, Random, doubles},
    stream,
};
use crate::{
    Array, Expr, eval,
    expression::{
        function::{ALL, Function},
        node::Node,
        operation::Operation,
    },
};

/// Returns the number of steps between two numbers, where each step leads to the next representable
/// number.
fn distance(a: f64, b: f64) -> u64 {
    let place = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 {
            i64::MIN.wrapping_sub(bits)
        } else {
            bits
        }
    };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) => place(a).abs_diff(place(b)),
        _ => u64::MAX,
    }
}

fn call<const N: usize>(function: &'static Function, inputs: [&[f64]; N]) -> Vec<f64> {
    let stream = stream();
    let inputs = inputs.map(|input| Array::from_slice(&stream, input).unwrap().expr().node);
    let data = <f64 as crate::Element>::DATA_TYPE;
    let expression = Expr::<f64>::of(Node::apply(Operation::Call(function), data, inputs));
    expression.eval().unwrap().to_vec().unwrap()
}

/// Describes the results that exceed the stated error bound by more than `spare` units.
fn wrongs(
    function: &Function,
    arguments: &[&[f64]],
    got: &[f64],
    wanted: &[f64],
    spare: u64,
) -> Option<String> {
    let accuracy = &function.accuracy;
    let mut wrong: Vec<(u64, String)> = Vec::new();
    for (i, (&got, &wanted)) in got.iter().zip(wanted).enumerate() {
        let off = distance(got, wanted);
        let fits = accuracy.apart.as_ref().is_some_and(|apart| {
            apart.holds(arguments[0][i]) && (got - wanted).abs() <= apart.double
        });
        if off > u64::from(accuracy.double) + spare && !fits {
            let arguments: Vec<f64> = arguments.iter().map(|argument| argument[i]).collect();
            wrong.push((
                off,
                format!("{arguments:?}: {got:e}, not {wanted:e}: {off} units off"),
            ));
        }
    }
    wrong.sort();
    let (_, worst) = wrong.last()?;
    Some(format!(
        "{} of f64: {} results, the worst {worst}",
        function.name,
        wrong.len()
    ))
}

#[test]
fn results_match_reference_values() {
    let groups = groups();
    let mut wrong = Vec::new();
    for &function in ALL.iter().filter(|function| function.is_real()) {
        let Some(group) = groups.iter().find(|group| group.name == function.name) else {
            assert_eq!(
                function.accuracy.double, 0,
                "nothing tests {}",
                function.name
            );
            continue;
        };
        let columns: Vec<Vec<f64>> = (0..=group.inputs)
            .map(|place| group.column(place))
            .collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let got = match group.inputs {
            1 => call(function, [columns[0]]),
            _ => call(function, [columns[0], columns[1]]),
        };
        let (arguments, wanted) = columns.split_at(group.inputs);
        wrong.extend(wrongs(function, arguments, &got, wanted[0], 0));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Functions of the host's C library, whose own errors are at most two units.
const OF_THE_HOST: [&str; 19] = [
    "rsqrt", "cbrt", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log2", "log10", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "erf",
];

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn samples_of_every_exponent_match_the_host() {
    let samples = doubles();
    let mut wrong = Vec::new();
    for &function in ALL.iter().filter(|function| function.is_real()) {
        let Some(exact) = host::unary(function.name) else {
            continue;
        };
        let spare = match function.accuracy.double {
            0 => 0,
            _ if OF_THE_HOST.contains(&function.name) => 2,
            _ => continue,
        };
        let got = call(function, [&samples]);
        let wanted: Vec<f64> = samples.iter().map(|&x| exact(x)).collect();
        wrong.extend(wrongs(function, &[&samples], &got, &wanted, spare));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn edge_cases_match_the_host() {
    let mut wrong = Vec::new();
    for &function in ALL.iter().filter(|function| function.is_real()) {
        let (left, right): (Vec<f64>, Vec<f64>) =
            EDGES.iter().flat_map(|&a| EDGES.map(|b| (a, b))).unzip();
        let (got, wanted): (_, Vec<f64>) = if let Some(exact) = host::unary(function.name) {
            (
                call(function, [&left]),
                left.iter().map(|&x| exact(x)).collect(),
            )
        } else if let Some(exact) = host::binary(function.name) {
            let wanted = left.iter().zip(&right).map(|(&a, &b)| exact(a, b));
            (call(function, [&left, &right]), wanted.collect())
        } else {
            continue;
        };
        for (i, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
            let accuracy = &function.accuracy;
            let same_sign = got.is_sign_negative() == wanted.is_sign_negative() || wanted.is_nan();
            let near = same_sign && distance(*got, *wanted) <= u64::from(accuracy.double) + 2;
            let close = wanted.is_normal() && ((got - wanted) / wanted).abs() < 1e-12;
            let fits = accuracy.apart.as_ref();
            let fits = fits
                .is_some_and(|apart| apart.holds(left[i]) && (got - wanted).abs() <= apart.double);
            if !(near || close || fits) {
                wrong.push(format!(
                    "{} of {:e}, {:e}: {got:e}, not {wanted:e}",
                    function.name, left[i], right[i]
                ));
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_of_several_types_are_exact() {
    let stream = stream();
    let mut random = Random(4);
    let left: Vec<f64> = doubles();
    let right: Vec<f64> = left.iter().map(|x| x * random.between(-1e3, 1e3)).collect();
    let powers: Vec<i32> = (0..left.len())
        .map(|_| random.between(-2200.0, 2200.0) as i32)
        .collect();
    let a = Array::from_slice(&stream, &left).unwrap();
    let b = Array::from_slice(&stream, &right).unwrap();
    let c = Array::from_slice(&stream, &powers).unwrap();
    let (fused, scaled, exponent, fraction, next, difference) = eval((
        a.mul_add(&b, &a),
        a.ldexp(&c),
        a.frexp_exponent(),
        a.frexp_fraction(),
        a.next_after(&b),
        a.fdim(&b),
    ))
    .unwrap();
    let reals = [fused, scaled, fraction, next, difference].map(|array| array.to_vec().unwrap());
    let exponent = exponent.to_vec().unwrap();
    for i in 0..left.len() {
        let (x, y) = (left[i], right[i]);
        let towards = match x.partial_cmp(&y) {
            None => f64::NAN,
            Some(std::cmp::Ordering::Equal) => y,
            Some(std::cmp::Ordering::Less) => x.next_up(),
            Some(std::cmp::Ordering::Greater) => x.next_down(),
        };
        let part = host::unary("frexp_fraction").unwrap()(x);
        let wanted = [
            x.mul_add(y, x),
            scale(x, powers[i]),
            part,
            towards,
            host::binary("fdim").unwrap()(x, y),
        ];
        for (which, (got, wanted)) in reals.iter().map(|values| values[i]).zip(wanted).enumerate() {
            assert_eq!(
                distance(got, wanted),
                0,
                "{x:e} {y:e} {}: {which}: {got:e}, not {wanted:e}",
                powers[i]
            );
        }
        if x != 0.0 && x.is_finite() {
            assert_eq!(scale(part, exponent[i]), x);
        }
    }
}

/// Multiplies by a power of 2, rounded once.
fn scale(x: f64, power: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // The digits as an integer of at most 53 bits, with its exponent.
    let raw = (x.to_bits() >> 52 & 0x7ff) as i32;
    let digits = (x.to_bits() & ((1 << 52) - 1)) | if raw > 0 { 1 << 52 } else { 0 };
    let exponent = raw.max(1) - 1075 + power;
    let high = 64 - digits.leading_zeros() as i32 + exponent;
    let sign = if x < 0.0 { -1.0 } else { 1.0 };
    if high > 1024 {
        return sign * f64::INFINITY;
    }
    let lost = -1074 - exponent;
    if lost <= 0 {
        // Scales in two exact steps.
        let half = exponent / 2;
        return sign * digits as f64 * 2f64.powi(half) * 2f64.powi(exponent - half);
    }
    if lost > 60 {
        return sign * 0.0;
    }
    let (kept, rest) = (digits >> lost, digits & ((1 << lost) - 1));
    let half = 1u64 << (lost - 1);
    let up = rest > half || rest == half && kept & 1 == 1;
    sign * f64::from_bits(kept + u64::from(up))
}
