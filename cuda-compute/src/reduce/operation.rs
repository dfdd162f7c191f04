//! The operations of reductions of device memory, and their kernels.

use std::sync::Arc;

use super::reducible::{Reducible, Scalar};
use crate::{
    element::{DataType, Element},
    expression::{
        fold::{table::Variant, total::Total},
        hashed::Hashed,
        leaf::LeafForm,
        operation,
        own::{CudaText, OwnFunction},
        plan::{LeafSource, Value},
        reduction::{Fold, Folded},
        render::Form,
        space::Access,
    },
    kernel::{Source, Specialisation},
};

/// A reduction of elements of one type, or of pairs of them, into one accumulator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operation {
    pub(crate) element: DataType,
    /// The type that elements are converted to, and of the result.
    pub(crate) accumulator: DataType,
    pub(crate) map: Map,
    pub(crate) fold: Fold,
}

/// The value that is folded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Map {
    Element,
    /// The product of two vectors' elements.
    Product,
    /// A user-defined function of the element.
    Own(OwnFunction),
}

impl Operation {
    pub(super) fn new<T: Reducible, A: Scalar>(map: Map, fold: Fold) -> Self {
        Self {
            element: <T as Element>::DATA_TYPE,
            accumulator: <A as Element>::DATA_TYPE,
            map,
            fold,
        }
    }

    /// Returns the number of elements in 16 bytes.
    pub(super) fn lanes(&self) -> usize {
        self.element.lanes(16)
    }

    /// Returns the number of vectors that are read.
    fn inputs(&self) -> u16 {
        match self.map {
            Map::Product => 2,
            Map::Element | Map::Own(_) => 1,
        }
    }
}

/// Returns a function of values of one type, whose result is an expression in CUDA C++ of its
/// parameters.
pub(super) fn written<A: Scalar>(name: &str, parameters: &[&str], expression: &str) -> OwnFunction {
    let data = <A as Element>::DATA_TYPE;
    let computed = data.computed();
    let list: Vec<String> = parameters
        .iter()
        .map(|parameter| format!("{computed} {parameter}"))
        .collect();
    let text = format!(
        "__device__ __forceinline__ {computed} {name}({}) {{\n    return ({expression});\n}}\n",
        list.join(", ")
    );
    OwnFunction::Cuda(CudaText::new(name, &text, vec![data; list.len()], data))
}

/// The kernel of an operation. It identifies the kernel without the code that an expression would
/// need, so looking it up allocates nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reduction {
    pub(crate) operation: Operation,
    pub(crate) variant: Variant,
    /// Whether there are fewer than 2^31 elements.
    pub(crate) narrow: bool,
    /// Whether the second vector is not aligned where the first one is.
    pub(crate) apart: bool,
}

impl Reduction {
    fn form(&self) -> Form {
        let Operation {
            element,
            accumulator,
            map,
            ..
        } = &self.operation;
        let mut values = Vec::new();
        let mut add = |value| {
            values.push(value);
            (values.len() - 1) as u16
        };
        let inputs = 0..self.operation.inputs();
        let converted = inputs.clone().map(|leaf| {
            let data = *element;
            let loaded = add(Value::Load { leaf, data });
            match element == accumulator {
                true => loaded,
                false => add(apply(operation::Operation::Cast, &[loaded], *accumulator)),
            }
        });
        let converted: Vec<u16> = converted.collect();
        let root = match map {
            Map::Element => converted[0],
            Map::Product => add(apply(
                operation::Operation::Multiply,
                &converted,
                *accumulator,
            )),
            Map::Own(function) => add(apply(
                operation::Operation::Own(function.clone()),
                &converted,
                *accumulator,
            )),
        };
        let leaves = inputs.map(|leaf| LeafForm {
            apart: leaf == 1 && self.apart,
            ..LeafForm::of(LeafSource::Memory, *element, Access::Linear)
        });
        Form {
            roots: vec![root],
            leaves: leaves.collect(),
            outputs: vec![(*accumulator, Access::Linear)],
            rank: 1,
            narrow: self.narrow,
            vector: self.operation.lanes() as u8,
            values,
            ..Form::default()
        }
    }
}

fn apply(operation: operation::Operation, inputs: &[u16], data: DataType) -> Value {
    Value::Apply {
        operation,
        inputs: inputs.iter().copied().collect(),
        data,
    }
}

impl Specialisation for Reduction {
    fn source(&self) -> Source {
        let folded = Folded {
            fold: self.operation.fold.clone(),
            data: self.operation.accumulator,
            value: 0,
            place: 0,
        };
        let total = Total {
            form: Hashed::new(self.form()),
            folds: Arc::new([folded]),
            variant: self.variant,
            blocks: 0,
        };
        total.source()
    }
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;
    use crate::expression::{own::Identity, reduction::Nan};

    fn own(map: &str) -> (Map, Fold) {
        let combine = written::<f32>("combine", &["a", "b"], "a + b");
        (
            Map::Own(written::<f32>("map", &["x"], map)),
            Fold::Own(combine, Identity::Written("0".into())),
        )
    }

    fn reduction(operation: &Operation) -> Reduction {
        Reduction {
            operation: operation.clone(),
            variant: Variant {
                threads: 128,
                unroll: 1,
                pieces: false,
            },
            narrow: true,
            apart: false,
        }
    }

    #[test]
    fn kernels_of_different_types_differ() {
        let squares = own("x * x");
        let cubes = own("x * x * x");
        let operations = [
            Operation::new::<f32, f32>(Map::Element, Fold::Sum),
            Operation::new::<f32, f64>(Map::Element, Fold::Sum),
            Operation::new::<f16, f32>(Map::Element, Fold::Sum),
            Operation::new::<f32, f32>(Map::Element, Fold::Minimum(Nan::Ignored)),
            Operation::new::<f32, f32>(Map::Element, Fold::Maximum(Nan::Ignored)),
            Operation::new::<f32, f32>(Map::Product, Fold::Sum),
            Operation::new::<f32, f32>(squares.0, squares.1),
            Operation::new::<f32, f32>(cubes.0, cubes.1),
        ];
        for (i, a) in operations.iter().enumerate() {
            for b in &operations[i + 1..] {
                assert_ne!(a, b);
                assert_ne!(reduction(a).source(), reduction(b).source());
            }
        }
        // Equal expressions give the same kernel, even if they were created separately.
        let (map, fold) = own("x * x");
        let same = Operation::new::<f32, f32>(map, fold);
        assert_eq!(operations[6], same);
        assert_eq!(
            reduction(&operations[6]).source(),
            reduction(&same).source()
        );
    }

    #[test]
    fn launches_pass_the_words_of_the_form() {
        let one = reduction(&Operation::new::<f16, f32>(Map::Element, Fold::Sum)).form();
        let slots = one.slots();
        assert_eq!(
            (slots.leaves, slots.outputs, slots.total),
            (vec![1], vec![2], 3)
        );
        assert_eq!((one.vector, one.values.len()), (8, 2));
        let two = Operation::new::<f64, f64>(Map::Product, Fold::Sum);
        let two = Reduction {
            apart: true,
            ..reduction(&two)
        };
        let slots = two.form().slots();
        assert_eq!(
            (slots.leaves, slots.outputs, slots.total),
            (vec![1, 2], vec![3], 4)
        );
        let apart: Vec<bool> = two.form().leaves.iter().map(|leaf| leaf.apart).collect();
        assert_eq!(apart, [false, true]);
    }
}
