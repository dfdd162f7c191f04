//! Numbers in CUDA C++.

use proc_macro2::Span;
use syn::{Error, Result};

use super::Value;
use crate::{
    tree::Constant,
    types::Scalar::{self, *},
};

/// Returns an integer literal.
pub fn integer(value: u128, negative: bool, scalar: Scalar, span: Span) -> Result<Value> {
    let highest = scalar.highest() + u128::from(negative && scalar.has_sign());
    if !scalar.is_integer() || value > highest || (negative && !scalar.has_sign() && value != 0) {
        let sign = if negative { "-" } else { "" };
        let message = format!("{sign}{value} is not a value of `{}`", scalar.rust());
        return Err(Error::new(span, message));
    }
    let value = value as i128;
    Ok(whole(if negative { -value } else { value }, scalar))
}

/// Returns a floating-point literal from its digits.
pub fn real(digits: &str, scalar: Scalar, span: Span) -> Result<Value> {
    let read = match scalar {
        F32 => digits
            .parse::<f32>()
            .map(|value| (single(value), value.is_finite())),
        F64 => digits
            .parse::<f64>()
            .map(|value| (double(value), value.is_finite())),
        _ => {
            let message = format!("a float is not a value of `{}`", scalar.rust());
            return Err(Error::new(span, message));
        }
    };
    match read {
        Ok((value, true)) => Ok(value),
        Ok((_, false)) => {
            let message = format!("{digits} is too large for `{}`", scalar.rust());
            Err(Error::new(span, message))
        }
        Err(_) => Err(Error::new(span, "this number can't be parsed")),
    }
}

/// Returns a named constant.
pub fn constant(constant: Constant, scalar: Scalar, span: Span) -> Result<Value> {
    match (constant, scalar) {
        (Constant::Single(value), F32) => Ok(single(value)),
        (Constant::Real(value), F64) => Ok(double(value)),
        (Constant::Integer(value), scalar) if scalar.is_integer() => Ok(whole(value, scalar)),
        _ => Err(Error::new(
            span,
            format!("this is not a value of `{}`", scalar.rust()),
        )),
    }
}

fn whole(value: i128, scalar: Scalar) -> Value {
    let suffix = match scalar {
        U32 => "u",
        I64 => "ll",
        U64 => "ull",
        _ => "",
    };
    // C++ has no negative literals, and the positive one would not fit.
    if matches!(scalar, I32 | I64) && value == -(scalar.highest() as i128) - 1 {
        return Value::literal(format!("({}{suffix} - 1)", value + 1));
    }
    Value::literal(format!("{value}{suffix}"))
}

/// Returns the value by its bits if C++ has no literal for it, or if compilers disagree about it.
fn single(value: f32) -> Value {
    Value::literal(if value.is_normal() || value == 0.0 {
        format!("{value:?}f")
    } else {
        format!("__int_as_float({:#x})", value.to_bits())
    })
}

fn double(value: f64) -> Value {
    Value::literal(if value.is_normal() || value == 0.0 {
        format!("{value:?}")
    } else {
        format!("__longlong_as_double({:#x}ll)", value.to_bits())
    })
}
