//! The operations of reductions, and their kernels.

use std::sync::Arc;

use super::reducible::{ElementType, Reducible, Scalar, ScalarType};
use crate::{
    closure::named,
    expression::fold::table::Variant,
    kernel::{Source, Specialisation},
};

/// A reduction of elements of one type, or of pairs of them, into one accumulator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operation {
    pub(crate) element: ElementType,
    pub(crate) accumulator: ScalarType,
    pub(crate) formula: Formula,
}

/// The formula of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Formula {
    Sum,
    Dot,
    Min,
    Max,
    Own(Arc<Expressions>),
    Closures(Closures),
}

/// The functions of closures, which are called `@NAME@`, and the identity's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Closures {
    pub(crate) map: &'static str,
    pub(crate) combine: &'static str,
    pub(crate) identity: &'static str,
}

/// A user's formula in CUDA C++.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Expressions {
    /// An expression of `x`.
    pub(crate) map: Box<str>,
    /// An expression of `a` and `b`.
    pub(crate) combine: Box<str>,
    pub(crate) identity: Box<str>,
}

impl Operation {
    pub(super) fn new<T: Reducible, A: Scalar>(formula: Formula) -> Self {
        Self {
            element: T::TYPE,
            accumulator: A::TYPE,
            formula,
        }
    }

    /// Returns the number of vectors that are read.
    pub(crate) fn inputs(&self) -> usize {
        match self.formula {
            Formula::Dot => 2,
            _ => 1,
        }
    }

    /// Returns the header that defines the operation for `kernels/total.cu`.
    fn header(&self) -> String {
        let scalar = self.accumulator;
        let (map, combine, identity) = match &self.formula {
            Formula::Sum => ("x", "a + b", "0"),
            Formula::Dot => ("x * y", "a + b", "0"),
            Formula::Min => ("x", scalar.min(), scalar.highest()),
            Formula::Max => ("x", scalar.max(), scalar.lowest()),
            Formula::Own(own) => (&*own.map, &*own.combine, &*own.identity),
            Formula::Closures(own) => ("own_map(x)", "own_combine(a, b)", own.identity),
        };
        let functions = match &self.formula {
            Formula::Closures(own) => format!(
                "#include \"scalar.cuh\"\n{}\n{}\n",
                named(own.map, "own_map"),
                named(own.combine, "own_combine")
            ),
            _ => String::new(),
        };
        let parameters = ["accumulator x", "accumulator x, accumulator y"][self.inputs() - 1];
        format!(
            "{functions}#define IDENTITY ({identity})\n\
             __device__ __forceinline__ accumulator map({parameters}) {{\n    return ({map});\n}}\n\
             __device__ __forceinline__ accumulator combine(accumulator a, accumulator b) {{\n    \
             return ({combine});\n}}\n"
        )
    }
}

/// A kernel of `kernels/total.cu`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reduction {
    pub(crate) operation: Operation,
    pub(crate) variant: Variant,
}

impl Specialisation for Reduction {
    fn source(&self) -> Source {
        let Variant {
            threads,
            unroll,
            pieces,
        } = self.variant;
        let element = self.operation.element;
        let source = Source::new("total.cu", include_str!("../kernels/total.cu"), "reduce");
        let source = match self.operation.formula {
            Formula::Closures(_) => {
                source.header("scalar.cuh", include_str!("../kernels/scalar.cuh"))
            }
            _ => source,
        };
        source
            .header("element.cuh", include_str!("../kernels/element.cuh"))
            .header("operation.cuh", self.operation.header())
            .define("ELEMENT", element.name())
            .define("VALUE", element.value())
            .define("ACCUMULATOR", self.operation.accumulator.name())
            .define("INPUTS", self.operation.inputs())
            .define("THREADS", threads)
            .define("UNROLL", unroll)
            .define("PIECES", u32::from(pieces))
    }
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    #[test]
    fn kernels_of_different_types_differ() {
        let own = |map: &str| {
            Formula::Own(Arc::new(Expressions {
                map: map.into(),
                combine: "a + b".into(),
                identity: "0".into(),
            }))
        };
        let operations = [
            Operation::new::<f32, f32>(Formula::Sum),
            Operation::new::<f32, f64>(Formula::Sum),
            Operation::new::<f16, f32>(Formula::Sum),
            Operation::new::<f32, f32>(Formula::Min),
            Operation::new::<f32, f32>(Formula::Max),
            Operation::new::<f32, f32>(Formula::Dot),
            Operation::new::<f32, f32>(own("x * x")),
            Operation::new::<f32, f32>(own("x * x * x")),
        ];
        let variant = Variant {
            threads: 128,
            unroll: 1,
            pieces: false,
        };
        let reduction = |operation: &Operation| Reduction {
            operation: operation.clone(),
            variant,
        };
        for (i, a) in operations.iter().enumerate() {
            for b in &operations[i + 1..] {
                assert_ne!(a, b);
                assert_ne!(reduction(a).source(), reduction(b).source());
            }
        }
        // Equal expressions give the same kernel, even if they were created separately.
        let same = Operation::new::<f32, f32>(own("x * x"));
        assert_eq!(operations[6], same);
        assert_eq!(
            reduction(&operations[6]).source(),
            reduction(&same).source()
        );
    }
}
