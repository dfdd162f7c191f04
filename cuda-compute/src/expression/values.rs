//! Properties of a form's values: need, rounding, and cost.

use super::{
    leaf::LeafForm,
    operation::{EffectOfSign, Operation},
    plan::{LeafSource, Value},
    render::{Form, Use},
};
use crate::element::DataType;

/// The work from which computing a vector takes long. A function of four `f32` is more than 80. Other limits were
/// not measured.
const LONG: u64 = 64;
/// Up to this number, vectors are few. Two reductions of 200,000 and 260,000 vectors took 1.08 and 1.04 of the
/// time when they were treated as few (H200).
const FEW_VECTORS: u64 = 1 << 17;

impl Form {
    /// Marks the values that these depend on, including themselves.
    pub(super) fn needed(&self, roots: &[u16]) -> Vec<bool> {
        self.needed_besides([], roots)
    }

    /// Marks the values that these depend on, including themselves. Values that are `given` depend on none.
    pub(super) fn needed_besides(
        &self,
        given: impl IntoIterator<Item = u16>,
        roots: &[u16],
    ) -> Vec<bool> {
        let mut is_given = vec![false; self.values.len()];
        for value in given {
            is_given[usize::from(value)] = true;
        }
        let mut needed = vec![false; self.values.len()];
        for &root in roots {
            needed[usize::from(root)] = true;
        }
        for i in (0..self.values.len()).rev() {
            if let (true, Value::Apply { inputs, .. }) = (needed[i], &self.values[i])
                && !is_given[i]
            {
                for &input in inputs.iter() {
                    needed[usize::from(input)] = true;
                }
            }
        }
        needed
    }

    /// Returns the values that are computed from results of the stages and from scalars alone, and that other
    /// values or the roots need. Halves, and values of the user's functions, are left out.
    pub(super) fn of_rows(&self) -> Vec<u16> {
        if self.stages.is_empty() {
            return Vec::new();
        }
        let mut of_rows = vec![false; self.values.len()];
        for (i, value) in self.values.iter().enumerate() {
            let is_same = |&input: &u16| {
                let input = usize::from(input);
                of_rows[input] || matches!(self.values[input], Value::Scalar { .. })
            };
            of_rows[i] = !value.data().is_half()
                && match value {
                    Value::Load { leaf, .. } => {
                        let leaf = &self.leaves[usize::from(*leaf)];
                        matches!(leaf.source, LeafSource::Given(_))
                    }
                    Value::Scalar { .. } => false,
                    Value::Apply {
                        operation, inputs, ..
                    } => {
                        let is_pure = match operation {
                            Operation::Own(_) => false,
                            Operation::Call(function) => !function.is_random,
                            _ => true,
                        };
                        is_pure && inputs.iter().all(is_same)
                    }
                };
        }
        let needed = self.needed(&self.roots);
        let mut wanted = vec![false; self.values.len()];
        for (i, _, inputs, _) in self.operations(&needed) {
            for &input in inputs.iter().filter(|_| !of_rows[i]) {
                wanted[usize::from(input)] = true;
            }
        }
        for &root in &self.roots {
            wanted[usize::from(root)] = true;
        }
        let is_computed = |i: usize| matches!(self.values[i], Value::Apply { .. });
        (0..self.values.len())
            .filter(|&i| wanted[i] && of_rows[i] && is_computed(i))
            .map(|i| i as u16)
            .collect()
    }

    /// Returns the operations among the needed values, with the number, the inputs and the type of each.
    fn operations<'a>(
        &'a self,
        needed: &'a [bool],
    ) -> impl DoubleEndedIterator<Item = (usize, &'a Operation, &'a [u16], DataType)> {
        let values = self.values.iter().enumerate();
        values.filter_map(|(i, value)| match value {
            Value::Apply {
                operation,
                inputs,
                data,
            } if needed[i] => Some((i, operation, &inputs[..], *data)),
            _ => None,
        })
    }

    /// Marks the leaves that the needed values are loaded from.
    pub(super) fn loaded(&self, needed: &[bool]) -> Vec<bool> {
        let mut loaded = vec![false; self.leaves.len()];
        for (value, &needed) in self.values.iter().zip(needed) {
            if let &Value::Load { leaf, .. } = value {
                loaded[usize::from(leaf)] |= needed;
            }
        }
        loaded
    }

    /// Marks the needed values for which the sign of NaN matters.
    pub(super) fn signs(&self, roots: &[u16], needed: &[bool], used: Use) -> Vec<bool> {
        let mut matters = vec![false; self.values.len()];
        for &root in roots.iter().filter(|_| used != Use::Reduced) {
            matters[usize::from(root)] = true;
        }
        for (i, operation, inputs, data) in self.operations(needed).rev() {
            let affects = match operation.effect_of_sign(data) {
                EffectOfSign::None => false,
                EffectOfSign::OnSign => matters[i],
                EffectOfSign::OnValue => true,
            };
            for &input in inputs.iter().filter(|_| affects) {
                matters[usize::from(input)] = true;
            }
        }
        matters
    }

    /// Returns whether a value is a half that its operation rounds.
    pub(super) fn is_rounded(&self, value: u16) -> bool {
        match &self.values[usize::from(value)] {
            Value::Apply {
                operation,
                inputs,
                data,
            } => operation.rounds(self.type_of_inputs(operation, inputs, *data), *data),
            _ => false,
        }
    }

    /// Returns the type of an operation's inputs.
    pub(super) fn type_of_inputs(
        &self,
        operation: &Operation,
        inputs: &[u16],
        data: DataType,
    ) -> DataType {
        // Uses the last input, because the first input of a selection is a bool.
        let from = match operation {
            Operation::Call(_)
            | Operation::Own(_)
            | Operation::ShiftLeft
            | Operation::ShiftRight => inputs.first(),
            _ => inputs.last(),
        };
        from.map_or(data, |&input| self.data(input))
    }

    /// Marks the values that only the store of a result uses, which rounds them.
    pub(super) fn rounded_by_store(&self, roots: &[u16], needed: &[bool], used: Use) -> Vec<bool> {
        let mut uses = vec![0; self.values.len()];
        let inputs = self.operations(needed).flat_map(|(_, _, inputs, _)| inputs);
        for &value in inputs.chain(roots) {
            uses[usize::from(value)] += 1;
        }
        let mut marked = vec![false; self.values.len()];
        for &root in roots.iter().filter(|_| used == Use::Stored) {
            marked[usize::from(root)] = uses[usize::from(root)] == 1 && self.is_rounded(root);
        }
        marked
    }

    /// Returns the number of values that functions compute.
    fn calls(values: &[Value]) -> usize {
        let is_call = |value: &&Value| match value {
            Value::Apply { operation, .. } => {
                matches!(operation, Operation::Call(_) | Operation::Own(_))
            }
            _ => false,
        };
        values.iter().filter(is_call).count()
    }

    /// Returns whether the values are long computations in `f64`.
    pub(super) fn is_long_in_f64(&self) -> bool {
        let is_double = |value: &Value| value.data() == DataType::F64;
        self.values.iter().any(is_double) && Self::calls(&self.values) > 0
    }

    /// Returns the values that are computed for each element, not only for each result.
    fn of_elements(&self) -> &[Value] {
        match self.after.roots.is_empty() {
            true => &self.values,
            false => &self.values[..self.after.values.into()],
        }
    }

    /// Returns the approximate number of instructions that compute a vector of elements. One on `f64`
    /// counts as several, because it takes longer.
    pub(super) fn work(&self) -> u64 {
        let values = self.of_elements();
        let doubles = values.iter().any(|value| value.data() == DataType::F64);
        let is_quotient = |value: &&Value| matches!(value, Value::Apply { operation, .. } if *operation == Operation::Divide);
        let quotients = values.iter().filter(is_quotient).count();
        let each = values.len() + 19 * Self::calls(values) + 9 * quotients;
        (each * usize::from(self.vector) * if doubles { 8 } else { 1 }) as u64
    }

    /// Returns the most vectors that a thread of a reduction should load at once.
    ///
    /// If computing a vector takes long, four are enough. 80 programs with reductions took 0.99 of the time with
    /// at most four instead of eight, each between 0.94 and 1.05.
    ///
    /// Few vectors are distributed among more threads, each of which loads one. This also shortens the code,
    /// which takes much of the time of a small launch to load. 30 programs of up to 2^19 elements took 0.95 of
    /// the time, each between 0.62 and 1.05 (H200).
    pub(super) fn unroll(&self, vectors: u64) -> u8 {
        match self.work() {
            ..LONG => u8::MAX,
            _ if vectors <= FEW_VECTORS => 1,
            _ => 4,
        }
    }

    /// Returns whether a few registers and instructions suffice to compute the values.
    pub(super) fn is_simple(&self) -> bool {
        let values = self.of_elements();
        values.len() <= 8 && Self::calls(values) == 0
    }

    /// Returns whether a value is computed in a few instructions from loaded values.
    pub(super) fn takes_few_instructions(&self, value: u16) -> bool {
        let needed = self.needed(&[value]);
        let is_long = |operation: &Operation| {
            matches!(
                operation,
                Operation::Call(_) | Operation::Own(_) | Operation::Divide
            )
        };
        let mut operations = self.operations(&needed);
        operations.all(|(_, operation, ..)| !is_long(operation))
            && self.operations(&needed).count() <= 4
    }

    /// Returns whether `random.cuh` is needed.
    pub(super) fn is_random(&self) -> bool {
        let drawn = |leaf: &LeafForm| leaf.source == LeafSource::Random;
        let made = |value: &Value| matches!(value, Value::Apply { operation: Operation::Call(function), .. } if function.is_random);
        self.leaves.iter().any(drawn) || self.values.iter().any(made)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{function, space::Access},
        *,
    };

    const F16: DataType = DataType::F16;

    fn load(leaf: u16) -> Value {
        Value::Load { leaf, data: F16 }
    }

    fn apply(operation: Operation, inputs: &[u16], data: DataType) -> Value {
        Value::Apply {
            operation,
            inputs: inputs.iter().copied().collect(),
            data,
        }
    }

    fn add(inputs: &[u16]) -> Value {
        apply(Operation::Add, inputs, F16)
    }

    fn form(values: &[Value]) -> Form {
        Form {
            values: values.to_vec(),
            rank: 1,
            narrow: true,
            vector: 1,
            ..Form::default()
        }
    }

    #[test]
    fn only_what_is_needed_is_computed() {
        let form = form(&[load(0), load(1), add(&[0, 0]), add(&[2, 1]), add(&[2, 0])]);
        assert_eq!(form.needed(&[4]), [true, false, true, false, true]);
        assert_eq!(form.needed(&[3]), [true, true, true, true, false]);
        assert_eq!(form.needed(&[1]), [false, true, false, false, false]);
    }

    #[test]
    fn values_of_results_alone_belong_to_whole_rows() {
        let load = |leaf, data| Value::Load { leaf, data };
        let apply = |operation, inputs: &[u16]| apply(operation, inputs, DataType::F32);
        let number = Value::Scalar {
            scalar: 0,
            data: DataType::F32,
        };
        let of = |data| {
            let values = [
                load(0, DataType::F32),
                load(1, data),
                number.clone(),
                apply(Operation::Multiply, &[1, 2]),
                apply(Operation::Add, &[3, 2]),
                apply(Operation::Multiply, &[0, 4]),
                apply(Operation::Add, &[2, 2]),
                apply(Operation::Add, &[5, 6]),
                apply(Operation::Negate, &[3]),
            ];
            let leaf = |source| LeafForm::of(source, data, Access::Linear);
            Form {
                leaves: vec![leaf(LeafSource::Memory), leaf(LeafSource::Given(0))],
                roots: vec![7],
                stages: vec![0],
                ..form(&values)
            }
        };
        let row = of(DataType::F32);
        // Values of scalars are the same for all rows.
        assert_eq!(row.of_rows(), [4, 6]);
        let given = row.needed_besides([4, 6], &[7]);
        assert_eq!(
            given,
            [true, false, false, false, true, true, true, true, false]
        );
        let with_roots = |roots: &[u16]| {
            let row = Form {
                roots: roots.to_vec(),
                ..row.clone()
            };
            row.of_rows()
        };
        assert_eq!(with_roots(&[8, 5]), [4, 8]);
        assert_eq!(with_roots(&[0, 1]), [0; 0]);
        // A half would have to be rounded. Other forms have no rows.
        assert_eq!(of(F16).of_rows(), [6]);
        let without = Form {
            stages: Vec::new(),
            kept: Vec::new(),
            ..row
        };
        assert_eq!(without.of_rows(), [0; 0]);
    }

    #[test]
    fn the_sign_of_nan_matters_where_it_is_kept() {
        let matters = |values: &[Value], root: u16, used: Use| {
            let form = form(values);
            form.signs(&[root], &form.needed(&[root]), used)[0]
        };
        let negated = apply(Operation::Negate, &[0], F16);
        let widened = apply(Operation::Cast, &[0], DataType::F32);
        let bits = apply(Operation::Cast, &[0], DataType::U32);
        for (values, in_result) in [
            (vec![load(0)], true),
            (vec![load(0), negated.clone()], true),
            (vec![load(0), widened], true),
            (vec![load(0), add(&[0, 0])], false),
            (vec![load(0), negated, add(&[1, 1])], false),
        ] {
            let root = values.len() as u16 - 1;
            assert_eq!(matters(&values, root, Use::Stored), in_result, "{values:?}");
            assert_eq!(matters(&values, root, Use::Other), in_result, "{values:?}");
            assert!(!matters(&values, root, Use::Reduced), "{values:?}");
        }
        assert!(matters(&[load(0), bits], 1, Use::Reduced));
    }

    #[test]
    fn stores_round_results_that_nothing_else_uses() {
        let form = form(&[load(0), add(&[0, 0]), add(&[1, 0])]);
        let rounded = |roots: &[u16], used: Use| {
            let needed = form.needed(roots);
            form.rounded_by_store(roots, &needed, used)
        };
        assert_eq!(rounded(&[2], Use::Stored), [false, false, true]);
        assert_eq!(rounded(&[1], Use::Stored), [false, true, false]);
        assert_eq!(rounded(&[2, 1], Use::Stored), [false, false, true]);
        assert_eq!(rounded(&[2, 2], Use::Stored), [false; 3]);
        assert_eq!(rounded(&[0], Use::Stored), [false; 3]);
        assert_eq!(rounded(&[2], Use::Reduced), [false; 3]);
    }

    #[test]
    fn few_instructions_are_a_short_chain_without_quotients() {
        let chain = |length: u16| -> Vec<Value> {
            let sums = (0..length).map(|value| add(&[value, value]));
            [load(0)].into_iter().chain(sums).collect()
        };
        assert!(form(&chain(4)).takes_few_instructions(4));
        assert!(!form(&chain(5)).takes_few_instructions(5));
        let quotient = apply(Operation::Divide, &[0, 0], F16);
        let form = form(&[load(0), quotient, add(&[0, 0])]);
        assert!(form.takes_few_instructions(2) && !form.takes_few_instructions(1));
    }

    #[test]
    fn long_computations_need_few_loads_in_flight() {
        let exp = || Operation::Call(&function::EXP);
        let of = |operation, vector| {
            let load = Value::Load { leaf: 0, data: F16 };
            let mut form = form(&[load, apply(operation, &[0], F16)]);
            form.vector = vector;
            [FEW_VECTORS, FEW_VECTORS + 1].map(|vectors| form.unroll(vectors))
        };
        assert_eq!(of(Operation::Negate, 8), [u8::MAX; 2]);
        assert_eq!(of(exp(), 1), [u8::MAX; 2]);
        assert_eq!(of(exp(), 8), [1, 4]);
        assert_eq!(of(Operation::Divide, 8), [1, 4]);
    }

    #[test]
    fn functions_of_doubles_are_long() {
        let is_long = |operation: Operation, data| {
            let form = form(&[Value::Load { leaf: 0, data }, apply(operation, &[0], data)]);
            form.is_long_in_f64()
        };
        let call = || Operation::Call(&function::EXP);
        assert!(is_long(call(), DataType::F64));
        assert!(!is_long(call(), DataType::F32) && !is_long(Operation::Negate, DataType::F64));
    }
}
