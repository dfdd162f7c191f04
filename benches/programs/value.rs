//! Values whose element type is known at run time.

use anyhow::{Context as _, Result, bail};
use cuda_compute::{
    Array, CastFrom, Element, Error, Expr, Result as ArrayResult, eval as eval_together,
};
use cuda_safe::Stream;
use half::{bf16, f16};

/// An expression.
#[derive(Clone)]
pub enum Value {
    F16(Expr<f16>),
    Bf16(Expr<bf16>),
    F32(Expr<f32>),
    F64(Expr<f64>),
    I64(Expr<i64>),
    Usize(Expr<usize>),
    Bool(Expr<bool>),
}

/// An array.
#[derive(Clone)]
pub enum Stored {
    F16(Array<f16>),
    Bf16(Array<bf16>),
    F32(Array<f32>),
    F64(Array<f64>),
    I64(Array<i64>),
    Usize(Array<usize>),
    Bool(Array<bool>),
}

macro_rules! conversions {
    ($($variant:ident $type:ty;)*) => {$(
        impl From<Expr<$type>> for Value {
            fn from(expression: Expr<$type>) -> Self {
                Self::$variant(expression)
            }
        }

        impl From<Array<$type>> for Stored {
            fn from(array: Array<$type>) -> Self {
                Self::$variant(array)
            }
        }
    )*};
}

conversions! { F16 f16; Bf16 bf16; F32 f32; F64 f64; I64 i64; Usize usize; Bool bool; }

/// Computes a result from the expression `$x` of a value of any type.
macro_rules! of_any {
    ($value:expr, $x:ident => $result:expr) => {
        match $value {
            Value::Bool($x) => $result,
            value => of_numbers!(value, $x => $result),
        }
    };
}

/// Computes a result from the expression `$x` of a value of numbers.
macro_rules! of_numbers {
    ($value:expr, $x:ident => $result:expr) => {
        match $value {
            Value::I64($x) => $result,
            Value::Usize($x) => $result,
            value => of_floats!(value, $x => $result),
        }
    };
}

/// Computes a result from the expression `$x` of a value of floats.
macro_rules! of_floats {
    ($value:expr, $x:ident => $result:expr) => {
        match $value {
            Value::F16($x) => $result,
            Value::Bf16($x) => $result,
            Value::F32($x) => $result,
            Value::F64($x) => $result,
            _ => {
                return Err(Error::Value(
                    "an operation has operands of another type".into(),
                ))
            }
        }
    };
}

pub(crate) use {of_any, of_floats, of_numbers};

/// An expression with a known element type, taken out of a value.
pub trait Typed: Element {
    fn of(value: &Value) -> Option<&Expr<Self>>;
}

macro_rules! typed {
    ($($variant:ident $type:ty;)*) => {$(
        impl Typed for $type {
            fn of(value: &Value) -> Option<&Expr<Self>> {
                match value {
                    Value::$variant(expression) => Some(expression),
                    _ => None,
                }
            }
        }
    )*};
}

typed! { F16 f16; Bf16 bf16; F32 f32; F64 f64; I64 i64; Usize usize; Bool bool; }

/// Converts an expression to the type of this name.
pub fn cast<T: Element>(values: &Expr<T>, name: &str) -> Option<Value>
where
    f16: CastFrom<T>,
    bf16: CastFrom<T>,
    f32: CastFrom<T>,
    f64: CastFrom<T>,
    i64: CastFrom<T>,
    bool: CastFrom<T>,
{
    Some(match name {
        "f16" => values.cast::<f16>().into(),
        "bf16" => values.cast::<bf16>().into(),
        "f32" => values.cast::<f32>().into(),
        "f64" => values.cast::<f64>().into(),
        "i64" => values.cast::<i64>().into(),
        "bool" => values.cast::<bool>().into(),
        _ => return None,
    })
}

/// Evaluates one value, or two of one type together.
pub fn eval(values: &[&Value]) -> ArrayResult<Vec<Stored>> {
    fn pair<T: Typed>(one: &Expr<T>, other: &Value) -> ArrayResult<Vec<Stored>>
    where
        Stored: From<Array<T>>,
    {
        let other =
            T::of(other).ok_or_else(|| Error::Value("two results differ in type".into()))?;
        let (one, other) = eval_together((one, other))?;
        Ok(vec![one.into(), other.into()])
    }
    match values {
        [one] => Ok(vec![of_any!(one, x => x.eval()?.into())]),
        [one, other] => of_any!(one, x => pair(x, other)),
        _ => Err(Error::Value("a program has one or two results".into())),
    }
}

/// The multiplier of the numbers in inputs, as in `programs.py`.
const MULTIPLIER: u64 = 2_654_435_761;

impl Stored {
    /// Creates an input from its words: the type, the lengths, the seed and, for integers, a bound.
    ///
    /// Element i is a hash of i and the seed: for floats a number from −1 to 1, for integers one below
    /// the bound.
    pub fn input(stream: &Stream, words: &[&str]) -> Result<Self> {
        let [name, lengths, seed, ref bound @ ..] = *words else {
            bail!("an input has a type, lengths and a seed");
        };
        let lengths = numbers::<usize>(lengths)?;
        let seed: u64 = seed.parse()?;
        let count: usize = lengths.iter().product();
        let place = Expr::index(count, 0)?.cast::<u64>();
        let hash = (place * MULTIPLIER + seed.wrapping_mul(40_503)) & u64::from(u32::MAX);
        let value = match bound {
            [] => {
                let real = (&hash >> 8).cast::<f32>() * (2.0 / (1 << 24) as f32) - 1.0f32;
                cast(&real, name)
            }
            [bound, ..] => {
                let bound: u64 = bound.parse()?;
                cast(&((&hash >> 7) % bound), name)
            }
        };
        let value = value.with_context(|| format!("there is no type {name}"))?;
        let stored = (|| -> ArrayResult<Self> {
            Ok(of_any!(&value, x => x.reshape(lengths)?.eval_on(stream)?.into()))
        })();
        Ok(stored?)
    }

    /// Returns the array as an expression.
    pub fn expr(&self) -> Value {
        match self {
            Self::F16(array) => array.expr().into(),
            Self::Bf16(array) => array.expr().into(),
            Self::F32(array) => array.expr().into(),
            Self::F64(array) => array.expr().into(),
            Self::I64(array) => array.expr().into(),
            Self::Usize(array) => array.expr().into(),
            Self::Bool(array) => array.expr().into(),
        }
    }

    /// Returns 64 elements at equal distances, or all if there are fewer, as a list in JSON.
    pub fn samples(&self) -> Result<String> {
        const COUNT: usize = 64;
        fn some<T: Element>(values: &Expr<T>) -> ArrayResult<Vec<f64>>
        where
            f64: CastFrom<T>,
        {
            let values = values.flatten()?.eval()?;
            let count = values.len().min(COUNT);
            let place = |i: usize| (i * values.len() / count) as u64;
            let places =
                Array::from_slice(values.stream(), &(0..count).map(place).collect::<Vec<_>>())?;
            values.take(&places, 0)?.cast::<f64>().eval()?.to_vec()
        }
        let values = (|| -> ArrayResult<Vec<f64>> { of_any!(&self.expr(), x => some(x)) })()?;
        let text = values.iter().map(|value| match value.is_finite() {
            true => format!("{value:e}"),
            false => format!("\"{value}\""),
        });
        Ok(format!("[{}]", text.collect::<Vec<_>>().join(", ")))
    }
}

/// Reads numbers that commas separate. `-` is none.
pub fn numbers<N: std::str::FromStr>(text: &str) -> Result<Vec<N>>
where
    N::Err: std::error::Error + Send + Sync + 'static,
{
    match text {
        "-" => Ok(Vec::new()),
        _ => text
            .split(',')
            .map(|number| {
                number
                    .parse()
                    .with_context(|| format!("{number} is no number"))
            })
            .collect(),
    }
}
