//! The operations of programs.

use std::collections::HashMap;

use anyhow::{Result, bail};
use cuda_compute::{
    Absolute, Array, Combination, Element, Error, Expr, Float, Ordered, Result as ArrayResult,
    SliceItem,
};
use cuda_safe::Stream;
use half::{bf16, f16};

use crate::value::{Stored, Typed, Value, cast, numbers, of_any, of_floats, of_numbers};

/// An operation: a line of a program without the name of its value.
pub enum Operation {
    /// `exp X`, and other functions of one float.
    Function(String, String),
    /// `scale X A B`: A X + B.
    Scale(String, f64, f64),
    /// `add X Y`, and other functions of two numbers.
    Binary(String, [String; 2]),
    /// `select CONDITION X Y`
    Select([String; 3]),
    /// `cast X TYPE`
    Cast(String, String),
    /// `sum X AXES keep`, and other reductions. Without `keep`, the axes are removed.
    Reduce(String, String, Vec<usize>, bool),
    /// `cumsum X AXIS`
    Scan(String, usize),
    /// `permute X AXES`
    Permute(String, Vec<usize>),
    /// `slice X AXIS START STOP STEP`
    Slice(String, usize, [usize; 3]),
    /// `take X INDICES AXIS`
    Take(String, String, usize),
    /// `index_add X INDICES LENGTH`: the rows of X added into zeros with this number of rows.
    IndexAdd(String, String, usize),
}

/// The value of an operation.
pub enum Computed {
    Expression(Value),
    Array(Stored),
}

impl Operation {
    /// Reads an operation from its words.
    pub fn parse(words: &[&str]) -> Result<Self> {
        let name = |text: &str| text.to_owned();
        let operation = match *words {
            ["scale", x, a, b] => Self::Scale(name(x), a.parse()?, b.parse()?),
            ["select", c, x, y] => Self::Select([c, x, y].map(name)),
            ["cast", x, to] => Self::Cast(name(x), name(to)),
            ["cumsum", x, axis] => Self::Scan(name(x), axis.parse()?),
            ["permute", x, axes] => Self::Permute(name(x), numbers(axes)?),
            ["slice", x, axis, start, stop, step] => {
                let bounds = [start.parse()?, stop.parse()?, step.parse()?];
                Self::Slice(name(x), axis.parse()?, bounds)
            }
            ["take", x, indices, axis] => Self::Take(name(x), name(indices), axis.parse()?),
            ["index_add", x, indices, length] => {
                Self::IndexAdd(name(x), name(indices), length.parse()?)
            }
            [reduction, x, axes, keep @ ("keep" | "drop")] => {
                Self::Reduce(name(reduction), name(x), numbers(axes)?, keep == "keep")
            }
            [function, x, y] => Self::Binary(name(function), [x, y].map(name)),
            [function, x] => Self::Function(name(function), name(x)),
            _ => bail!("an operation has a name and operands"),
        };
        Ok(operation)
    }

    /// Computes the operation's value.
    pub fn apply(&self, stream: &Stream, values: &HashMap<&str, Value>) -> ArrayResult<Computed> {
        let array = self.array(stream, values)?;
        array.map_or_else(
            || self.expression(values).map(Computed::Expression),
            |array| Ok(Computed::Array(array)),
        )
    }

    /// Computes the operation's value, if it is an array.
    fn array(&self, stream: &Stream, values: &HashMap<&str, Value>) -> ArrayResult<Option<Stored>> {
        let value = |name: &String| &values[&**name];
        Ok(Some(match self {
            Self::IndexAdd(x, indices, length) => {
                let indices: &Expr<i64> = typed(value(indices))?;
                of_floats!(value(x), x => {
                    let mut lengths = x.shape()?.as_slice().to_vec();
                    lengths[0] = *length;
                    let mut sums = Array::zeros(stream, lengths)?;
                    sums.index_add_unordered(0, indices, x)?;
                    sums.into()
                })
            }
            _ => return Ok(None),
        }))
    }

    /// Returns the operation's value as an expression, so nothing is enqueued.
    fn expression(&self, values: &HashMap<&str, Value>) -> ArrayResult<Value> {
        let value = |name: &String| &values[&**name];
        Ok(match self {
            Self::Function(name, x) => of_floats!(value(x), x => function(name, x)?.into()),
            Self::Scale(x, a, b) => scale(value(x), *a, *b)?,
            Self::Binary(name, [x, y]) => binary(name, value(x), value(y))?,
            Self::Select([condition, x, y]) => {
                let condition: &Expr<bool> = typed(value(condition))?;
                let y = value(y);
                of_numbers!(value(x), x => condition.select(x, typed(y)?).into())
            }
            Self::Cast(x, to) => of_any!(value(x), x => cast(x, to)).ok_or_else(|| unknown(to))?,
            Self::Reduce(name, x, axes, keep) => reduce(name, value(x), axes, *keep)?,
            Self::Permute(x, axes) => of_any!(value(x), x => x.permute(axes)?.into()),
            &Self::Slice(ref x, axis, [start, stop, step]) => of_any!(value(x), x => {
                let mut items = vec![SliceItem::from(..); x.shape()?.rank()];
                items[axis] = SliceItem::from(start..stop).with_step(step as isize);
                x.slice(items)?.into()
            }),
            Self::Take(x, indices, axis) => {
                let indices: &Expr<i64> = typed(value(indices))?;
                of_any!(value(x), x => x.take_clamped(indices, *axis)?.into())
            }
            Self::Scan(x, axis) => {
                of_numbers!(value(x), x => x.scan(Combination::sum(), *axis)?.into())
            }
            Self::IndexAdd(..) => return Err(other_type()),
        })
    }
}

fn other_type() -> Error {
    Error::Value("an operand has another type than the operation needs".into())
}

fn typed<T: Typed>(value: &Value) -> ArrayResult<&Expr<T>> {
    T::of(value).ok_or_else(other_type)
}

fn unknown(name: &str) -> Error {
    Error::Value(format!("there is no operation {name}"))
}

/// Types with the constants that functions need.
trait Constant: Float {
    fn of_f64(value: f64) -> Self;
}

macro_rules! constants {
    ($($type:ty: $convert:expr;)*) => {
        $(impl Constant for $type {
            fn of_f64(value: f64) -> Self {
                $convert(value)
            }
        })*
    };
}

constants! { f16: f16::from_f64; bf16: bf16::from_f64; f32: |value| value as f32; f64: |value| value; }

fn function<T: Constant + Absolute<Size = T>>(name: &str, x: &Expr<T>) -> ArrayResult<Expr<T>> {
    Ok(match name {
        "abs" => x.abs(),
        "neg" => -x,
        "exp" => x.exp(),
        "log" => x.ln(),
        "sqrt" => x.sqrt(),
        "rsqrt" => x.rsqrt(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tanh" => x.tanh(),
        "erf" => x.erf(),
        "square" => x * x,
        "relu" => x.maximum(T::ZERO),
        "sigmoid" => x.sigmoid(),
        "silu" => x.silu(),
        "gelu" => x.gelu(),
        _ => return Err(unknown(name)),
    })
}

fn scale(value: &Value, a: f64, b: f64) -> ArrayResult<Value> {
    fn of<T: Constant>(x: &Expr<T>, a: f64, b: f64) -> Value
    where
        Value: From<Expr<T>>,
    {
        (x * T::of_f64(a) + T::of_f64(b)).into()
    }
    match value {
        Value::I64(x) => Ok((x * (a as i64) + b as i64).into()),
        value => Ok(of_floats!(value, x => of(x, a, b))),
    }
}

fn binary(name: &str, x: &Value, y: &Value) -> ArrayResult<Value> {
    fn of<T: Typed + Ordered>(name: &str, x: &Expr<T>, y: &Expr<T>) -> ArrayResult<Value>
    where
        Value: From<Expr<T>>,
    {
        Ok(match name {
            "add" => (x + y).into(),
            "sub" => (x - y).into(),
            "mul" => (x * y).into(),
            "div" => (x / y).into(),
            "max" => x.maximum(y).into(),
            "min" => x.minimum(y).into(),
            "less" => x.less(y).into(),
            _ => return Err(unknown(name)),
        })
    }
    of_numbers!(x, x => of(name, x, typed(y)?))
}

fn reduce(name: &str, x: &Value, axes: &[usize], keep: bool) -> ArrayResult<Value> {
    fn kept<T: Element>(reduced: Expr<T>, keep: bool) -> Value
    where
        Value: From<Expr<T>>,
    {
        if keep {
            reduced.keep_axes().into()
        } else {
            reduced.into()
        }
    }
    fn of_all<T: Ordered>(name: &str, x: &Expr<T>, axes: &[usize], keep: bool) -> ArrayResult<Value>
    where
        Value: From<Expr<T>>,
    {
        Ok(match name {
            "sum" => kept(x.sum_axis(axes), keep),
            "max" => kept(x.max_axis(axes), keep),
            "min" => kept(x.min_axis(axes), keep),
            "argmax" => kept::<usize>(x.argmax_axis(axes), keep),
            "argmin" => kept::<usize>(x.argmin_axis(axes), keep),
            _ => return Err(unknown(name)),
        })
    }
    match name {
        "mean" => Ok(of_floats!(x, x => kept(x.mean_axis(axes), keep))),
        "var" => Ok(of_floats!(x, x => kept(x.var_axis(axes, 0), keep))),
        _ => of_numbers!(x, x => of_all(name, x, axes, keep)),
    }
}
