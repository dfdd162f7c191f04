//! Scans and their CUDA C++.

use std::fmt::Write as _;

use super::super::{
    operation::Operation,
    own::{Identity, OwnFunction},
    reduction::{self, Nan},
};
use crate::{
    element::{Class, DataType},
    kernel::Source,
};

/// A scan of values along an axis. If it also takes flags, the true ones begin segments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scan {
    pub(crate) operation: Associative,
    /// Whether results leave out the element at their own index.
    pub(crate) exclusive: bool,
    pub(crate) axis: usize,
}

/// The operation that combines two values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Associative {
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

impl Associative {
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
