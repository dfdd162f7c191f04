//! Combinations of two elements, for scans and reductions.

use std::{fmt::Write as _, marker::PhantomData};

use super::Combine;
use crate::{
    closure::Fold,
    element::{Class, DataType, Element, Number, Ordered, Words},
    expression::{
        operation::Operation,
        own::{Identity, OwnFunction},
        reduction::{self, Nan},
    },
    kernel::Source,
};

/// An associative combination of two elements, for [`scan`](crate::Expr::scan) and
/// [`reduce`](crate::Expr::reduce): sum, product, maximum, minimum, a [`Fold`], or a user-defined
/// function with its identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Combination<T> {
    pub(crate) kind: Kind,
    element: PhantomData<fn(T) -> T>,
}

/// The operation of a combination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Sum,
    Product,
    Maximum(Nan),
    Minimum(Nan),
    /// A user-defined function and its identity.
    Own {
        function: OwnFunction,
        identity: Identity,
    },
}

impl<T: Element> Combination<T> {
    const fn of(kind: Kind) -> Self {
        Self {
            kind,
            element: PhantomData,
        }
    }

    /// Creates a combination from a function of two elements and its identity. The function is a
    /// closure of [`device_fn!`](crate::device_fn) or a [`CudaFn`](crate::CudaFn).
    ///
    /// The function must be associative, and commutative for reductions. Combining a value with the
    /// identity must not change the value. Otherwise, results depend on how elements are
    /// distributed to threads.
    ///
    /// ```
    /// use cuda_compute::{Array, Combination, device_fn};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3u32, 4, 5])?;
    /// let either = device_fn!(|a: u32, b: u32| a | b);
    /// let bits = Combination::new(&either, 0);
    /// assert_eq!(x.reduce(&bits).eval()?.item()?, 7);
    /// assert_eq!(x.scan(&bits, 0)?.to_vec()?, [3, 7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(function: &impl Combine<T>, identity: T) -> Self {
        Self::of(Kind::Own {
            function: function.own(),
            identity: Identity::Value(Words::of(identity)),
        })
    }
}

impl<T: Number> Combination<T> {
    /// Returns the combination that adds. Integers wrap around.
    #[must_use]
    pub const fn sum() -> Self {
        Self::of(Kind::Sum)
    }

    /// Returns the combination that multiplies. Integers wrap around.
    #[must_use]
    pub const fn product() -> Self {
        Self::of(Kind::Product)
    }
}

impl<T: Ordered> Combination<T> {
    /// Returns the combination that takes the maximum. If one of two values is NaN, the result is
    /// the other one.
    #[must_use]
    pub const fn max() -> Self {
        Self::of(Kind::Maximum(Nan::Ignored))
    }

    /// Returns the combination that takes the minimum. If one of two values is NaN, the result is
    /// the other one.
    #[must_use]
    pub const fn min() -> Self {
        Self::of(Kind::Minimum(Nan::Ignored))
    }

    /// Returns the combination that takes the maximum, or NaN if one of the values is NaN, as
    /// NumPy's `maximum` does.
    #[must_use]
    pub const fn max_or_nan() -> Self {
        Self::of(Kind::Maximum(Nan::Propagated))
    }

    /// Returns the combination that takes the minimum, or NaN if one of the values is NaN, as
    /// NumPy's `minimum` does.
    #[must_use]
    pub const fn min_or_nan() -> Self {
        Self::of(Kind::Minimum(Nan::Propagated))
    }
}

impl<T: Element> From<&Fold<T>> for Combination<T> {
    fn from(fold: &Fold<T>) -> Self {
        Self::of(Kind::Own {
            function: OwnFunction::Closure(fold.combine().source()),
            identity: Identity::Text(fold.identity_source()),
        })
    }
}

impl<T: Element> From<Fold<T>> for Combination<T> {
    fn from(fold: Fold<T>) -> Self {
        Self::from(&fold)
    }
}

impl<T: Element> From<&Self> for Combination<T> {
    fn from(combination: &Self) -> Self {
        combination.clone()
    }
}

/// The name of the user-defined function.
const OWN: &str = "own_combination";

/// Accumulators without flags.
const PLAIN: &str = "\
typedef combined accumulator;
#define combine combine_values
#define TAKEN(out, v) (out).y0[v]
#define VALUE_OF(x) (x)
#define BEGINS(x) false
";

/// Accumulators with flags. Bit 0 is set if a segment begins among the combined elements, bit 1 if
/// the last of them begins one. Elements before the start of a segment are ignored, which keeps the
/// operation associative.
const SEGMENTED: &str = "\
#define SEGMENTED
struct accumulator { combined value; unsigned flags; };
__device__ __forceinline__ accumulator combine(accumulator a, accumulator b) {
    return {b.flags & 1 ? b.value : combine_values(a.value, b.value), (a.flags & 1) | b.flags};
}
#define TAKEN(out, v) accumulator{(out).y0[v], (out).y1[v] ? 3u : 0u}
#define VALUE_OF(x) ((x).value)
#define BEGINS(x) (((x).flags & 2) != 0)
";

/// Returns the size of an accumulator in bytes.
pub(crate) const fn accumulator_bytes(data: DataType, segmented: bool) -> usize {
    let size = accumulator(data).size();
    match (segmented, size) {
        (false, _) => size,
        // The flags are padded to the value's alignment, which equals its size.
        (true, ..=4) => 8,
        (true, _) => 2 * size,
    }
}

/// Returns the type in which values are combined: `f32` for halves.
pub(crate) const fn accumulator(data: DataType) -> DataType {
    match data {
        DataType::F16 | DataType::Bf16 => DataType::F32,
        other => other,
    }
}

impl Kind {
    /// Returns the corresponding reduction.
    pub(crate) fn fold(self) -> reduction::Fold {
        match self {
            Self::Sum => reduction::Fold::Sum,
            Self::Product => reduction::Fold::Product,
            Self::Maximum(nan) => reduction::Fold::Maximum(nan),
            Self::Minimum(nan) => reduction::Fold::Minimum(nan),
            Self::Own { function, identity } => reduction::Fold::Own(function, identity),
        }
    }

    /// Adds the code of the user-defined function to a kernel.
    pub(crate) fn add_to(&self, source: Source) -> Source {
        match self {
            Self::Own { function, .. } => function.add_to(source),
            _ => source,
        }
    }

    /// Returns the header that kernels include as `combination.cuh`. With segments, values have
    /// flags.
    pub(crate) fn header(&self, element: DataType, segmented: bool) -> String {
        let data = accumulator(element);
        let name = data.computed();
        let value = self.value(data);
        let mut text = match self {
            Self::Own { function, identity } => format!(
                "{}__device__ __forceinline__ {name} own_identity() {{ {} }}\n",
                function.definition(OWN),
                identity.returned(element)
            ),
            _ => String::new(),
        };
        let neutral = self.neutral(data.class());
        let _ = writeln!(
            text,
            "typedef {name} combined;\n\
             __device__ __forceinline__ combined combine_values(combined a, combined b) {{ return {value}; }}"
        );
        text.push_str(if segmented { SEGMENTED } else { PLAIN });
        let _ = match segmented {
            true => writeln!(text, "#define NEUTRAL (accumulator{{{neutral}, 0}})"),
            false => writeln!(text, "#define NEUTRAL ({neutral})"),
        };
        text
    }

    /// Returns the expression that combines `a` and `b`.
    fn value(&self, data: DataType) -> String {
        let operands = ["a".to_owned(), "b".to_owned()];
        let operation = match self {
            Self::Sum => Operation::Add,
            // Multiplying by one would turn an infinity into NaN.
            Self::Product if data.class() == Class::Complex => return "c_times(a, b)".into(),
            Self::Product => Operation::Multiply,
            Self::Maximum(Nan::Ignored) => Operation::Scalar("max"),
            Self::Minimum(Nan::Ignored) => Operation::Scalar("min"),
            Self::Maximum(Nan::Propagated) => Operation::Scalar("maximum_or_nan"),
            Self::Minimum(Nan::Propagated) => Operation::Scalar("minimum_or_nan"),
            Self::Own { function, .. } => return format!("{}(a, b)", function.called(OWN)),
        };
        operation.render(&operands, data, data)
    }

    /// Returns the value that leaves every other value and its sign unchanged.
    const fn neutral(&self, class: Class) -> &'static str {
        match (self, class) {
            (Self::Sum, Class::Float) => "(combined)-0.0",
            (Self::Sum, Class::Complex) => "combined{-0.0f, -0.0f}",
            (Self::Maximum(Nan::Ignored) | Self::Minimum(Nan::Ignored), Class::Float) => {
                "(combined)__longlong_as_double(0x7ff8000000000000ll)"
            }
            _ => self.identity(class),
        }
    }

    /// Returns the first result of an exclusive scan.
    pub(crate) const fn identity(&self, class: Class) -> &'static str {
        match (self, class) {
            (Self::Own { .. }, _) => "own_identity()",
            (Self::Sum, Class::Complex) => "combined{0, 0}",
            (Self::Sum, _) => "(combined)0",
            (Self::Product, Class::Complex) => "combined{1, 0}",
            (Self::Product, _) => "(combined)1",
            (Self::Maximum(_), Class::Float) => {
                "(combined)__longlong_as_double(0xfff0000000000000ll)"
            }
            (Self::Minimum(_), Class::Float) => {
                "(combined)__longlong_as_double(0x7ff0000000000000ll)"
            }
            (Self::Maximum(_), _) => "rs_type<combined>::lowest",
            (Self::Minimum(_), _) => "rs_type<combined>::highest",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_take_as_much_as_a_value_is_aligned_to() {
        for (data, plain, segmented) in [
            (DataType::U8, 1, 8),
            (DataType::F16, 4, 8),
            (DataType::Bf16, 4, 8),
            (DataType::F32, 4, 8),
            (DataType::F64, 8, 16),
            (DataType::Complex64, 16, 32),
        ] {
            let bytes = [false, true].map(|flags| accumulator_bytes(data, flags));
            assert_eq!(bytes, [plain, segmented], "{data:?}");
        }
    }
}
