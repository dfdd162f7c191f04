//! Code that computes two lanes at once, with halves in pairs.
//!
//! The GPU adds and multiplies two halves in one instruction. A value that is a half is therefore a pair in
//! one word if arithmetic uses it, and two floats if another operation does.

use std::fmt::Write as _;

use super::{
    operation::{Operation, rounded},
    plan::{LeafSource, Value},
    render::Form,
};
use crate::element::DataType;

const INDENT: &str = "        ";

/// Writes the values of a function `compute` for two lanes at once.
pub(super) struct Pairs<'a> {
    form: &'a Form,
    needed: &'a [bool],
    /// The values for which the sign of NaN matters.
    signs: &'a [bool],
    /// The values that are used as pairs.
    pairs: Vec<bool>,
    /// The values that are used as floats, or that are not halves.
    floats: Vec<bool>,
    /// The roots that are stored as pairs.
    stored: Vec<bool>,
}

impl Form {
    /// Returns the function of `kernels/half.cuh` that computes a value from pairs of halves.
    fn on_pairs(&self, value: &Value) -> Option<&'static str> {
        match value {
            Value::Apply {
                operation,
                inputs,
                data,
            } if data.is_half() && inputs.iter().all(|&input| self.data(input) == *data) => {
                // An operation on floats changes or ignores signs without an instruction.
                let of_signs = |operation: &Operation| {
                    matches!(operation, Operation::Negate | Operation::Absolute)
                };
                let is_pair = match &self.values[usize::from(inputs[0])] {
                    Value::Apply { operation, .. } => {
                        !of_signs(operation) && operation.on_pairs().is_some()
                    }
                    _ => false,
                };
                operation
                    .on_pairs()
                    .filter(|_| is_pair || !of_signs(operation))
            }
            _ => None,
        }
    }

    /// Returns the values of `compute` in pairs, if there is arithmetic of halves. `stores` is whether the
    /// kernel stores the roots.
    pub(super) fn pairs<'a>(
        &'a self,
        roots: &[u16],
        stores: bool,
        (needed, signs): (&'a [bool], &'a [bool]),
    ) -> Option<Pairs<'a>> {
        let mut pairs = vec![false; self.values.len()];
        let mut floats = vec![false; self.values.len()];
        let mut is_arithmetic = false;
        for (i, value) in self.values.iter().enumerate() {
            floats[i] |= !value.data().is_half();
            if let (true, Value::Apply { inputs, .. }) = (needed[i], value) {
                let on_pairs = self.on_pairs(value).is_some();
                is_arithmetic |= on_pairs;
                let used = if on_pairs { &mut pairs } else { &mut floats };
                for &input in inputs.iter() {
                    used[usize::from(input)] = true;
                }
            }
        }
        if !is_arithmetic {
            return None;
        }
        let is_stored = |&root: &u16| {
            let value = &self.values[usize::from(root)];
            let rounds = self.is_rounded(root) || self.on_pairs(value).is_some();
            stores && value.data().is_half() && rounds
        };
        let stored: Vec<bool> = roots.iter().map(is_stored).collect();
        for (&root, &stored) in roots.iter().zip(&stored) {
            let used = if stored { &mut pairs } else { &mut floats };
            used[usize::from(root)] = true;
        }
        Some(Pairs {
            form: self,
            needed,
            signs,
            pairs,
            floats,
            stored,
        })
    }
}

impl Pairs<'_> {
    /// Returns the type of a root's values in the struct of outputs.
    pub(super) fn output(&self, place: usize, data: DataType) -> String {
        match self.stored[place] {
            true => format!("pairs<V> y{place}"),
            false => format!("{} y{place}[V]", data.computed()),
        }
    }

    /// Returns whether a value is used as a pair.
    pub(super) fn has_pair(&self, value: usize) -> bool {
        self.pairs[value]
    }

    /// Writes the loop over all lanes. `own` returns the name of a user-defined function.
    pub(super) fn write(
        &self,
        roots: &[u16],
        given: &[(u16, String)],
        own: impl Fn(&Operation) -> Option<String>,
        text: &mut String,
    ) {
        // A single lane is also the second one, and is computed once.
        text.push_str(
            "#pragma unroll\n    for (int lane = 0; lane < V; lane += 2) {\n        const int next = V > 1 ? lane + 1 : lane;\n",
        );
        for (i, value) in self.form.values.iter().enumerate() {
            if self.needed[i] {
                let given = given.iter().find(|(value, _)| usize::from(*value) == i);
                let given = given.map(|(_, array)| array.as_str());
                self.value(i, value, given, &own, text);
            }
        }
        for (place, root) in roots.iter().enumerate() {
            let _ = match self.stored[place] {
                true => writeln!(text, "        out.y{place}.at[lane / 2] = p{root};"),
                false => {
                    let [low, high] = self.names(*root);
                    writeln!(
                        text,
                        "        out.y{place}[next] = {high};\n        out.y{place}[lane] = {low};"
                    )
                }
            };
        }
        text.push_str("    }\n");
    }

    /// Returns the names of a value in both lanes.
    fn names(&self, value: u16) -> [String; 2] {
        match self.form.values[usize::from(value)] {
            Value::Scalar { .. } => [format!("v{value}"), format!("v{value}")],
            _ => [format!("v{value}a"), format!("v{value}b")],
        }
    }

    /// Writes a value, as a pair or as a number for each lane. `given` is the array that has it already.
    fn value(
        &self,
        i: usize,
        value: &Value,
        given: Option<&str>,
        own: &impl Fn(&Operation) -> Option<String>,
        text: &mut String,
    ) {
        let data = value.data();
        let (computed, stored) = (data.computed(), data.stored());
        // The value as a pair, and as one number for each lane.
        let mut pair = None;
        let mut lanes = None;
        match value {
            Value::Scalar { .. } => return,
            _ if let Some(array) = given => {
                lanes = Some(["lane", "next"].map(|lane| format!("{array}[{lane}]")));
            }
            Value::Load { leaf, .. } => {
                let form = &self.form.leaves[usize::from(*leaf)];
                let is_bf16 = data == DataType::Bf16;
                let is_stored = data.is_half() && form.source == LeafSource::Memory;
                if is_stored && (is_bf16 || self.pairs[i]) {
                    pair = Some(match form.is_single() {
                        true => format!("same_pair<V>(in.x{leaf})"),
                        false => format!("pair_at<V>(in.x{leaf}, lane)"),
                    });
                }
                // The numbers of a pair of bf16 have all its bits.
                if pair.is_none() || !is_bf16 {
                    let of = |lane| self.form.loaded_lane(*leaf, lane, self.signs[i]);
                    lanes = Some(["lane", "next"].map(of));
                }
            }
            Value::Apply {
                operation, inputs, ..
            } => match self.form.on_pairs(value) {
                Some(function) => {
                    let inputs: Vec<String> =
                        inputs.iter().map(|input| format!("p{input}")).collect();
                    pair = Some(format!("{function}<{stored}>({})", inputs.join(", ")));
                }
                None => {
                    let from = self.form.type_of_inputs(operation, inputs, data);
                    let of = |lane: usize| {
                        let names = inputs.iter().map(|&input| self.names(input)[lane].clone());
                        let names: Vec<String> = names.collect();
                        match own(operation) {
                            Some(name) => format!("{name}({})", names.join(", ")),
                            None => operation.render_for_rounding(&names, from, data),
                        }
                    };
                    let [low, high] = [of(0), of(1)];
                    let rounds = self.form.is_rounded(i as u16);
                    // Rounding a single bf16 takes one instruction, and leaves a float.
                    if rounds && (self.pairs[i] || data == DataType::F16) {
                        let _ = writeln!(text, "{INDENT}const float u{i} = {low};");
                        pair = Some(format!("pair_of<V, {stored}>(u{i}, V > 1 ? {high} : u{i})"));
                    } else if rounds {
                        lanes = Some([rounded(low, data), rounded(high, data)]);
                    } else {
                        lanes = Some([low, high]);
                    }
                }
            },
        }
        if let Some(pair) = &pair {
            let _ = writeln!(text, "{INDENT}const auto p{i} = {pair};");
        }
        let is_pair = pair.is_some();
        if self.floats[i] || !is_pair {
            let [low, high] = lanes.unwrap_or_else(|| {
                ["low_of", "high_of"].map(|part| format!("{part}<{stored}>(p{i})"))
            });
            let _ = writeln!(
                text,
                "{INDENT}const {computed} v{i}a = {low}, v{i}b = V > 1 ? {high} : v{i}a;"
            );
        }
        if !is_pair && self.pairs[i] {
            let _ = writeln!(
                text,
                "{INDENT}const auto p{i} = pair_of_halves<V, {stored}>(v{i}a, v{i}b);"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};
    use half::{bf16, f16};

    use super::super::elementwise::Elementwise;
    use crate::{Absolute, Array, Expr, Float, kernel::Kernels, s};

    /// Numbers of all magnitudes, zeros, infinities and NaN. They are enough for vectors on a device with one
    /// multiprocessor, and their number is not a multiple of a vector's length.
    fn samples<T>(from_bits: fn(u16) -> T) -> Vec<T> {
        let special = [
            0, 1, 0x8000, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x7f80, 0xff80, 0x7fc0,
        ];
        let spread = (0..8193u32).map(|i| (i * 12_289) as u16);
        special.into_iter().chain(spread).map(from_bits).collect()
    }

    /// Checks an expression of arrays in vectors, of slices whose pairs are loaded one by one, and of single
    /// elements.
    fn check<T>(from_bits: fn(u16) -> T, number: fn(f32) -> T, to_f32: fn(T) -> f32)
    where
        T: Float + Absolute<Size = T> + Copy,
    {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let left = samples(from_bits);
        let right: Vec<T> = left.iter().rev().copied().collect();
        let rounded = |value: f32| to_f32(number(value));
        let expression = |x: &Array<T>, y: &Array<T>| -> Expr<T> {
            let sum = x.expr() + y;
            (-(&sum * x) - y.expr().abs())
                .maximum(x.expr().sqrt())
                .minimum(&sum)
        };
        let wanted = |x: f32, y: f32| {
            let sum = rounded(x + y);
            let difference = rounded(-rounded(sum * x) - y.abs());
            difference.max(rounded(x.sqrt())).min(sum)
        };
        let end = left.len();
        for (from, multiprocessors, vector) in [(0, 1, 8), (1, 1, 2), (0, 132, 1)] {
            let kernels = Kernels::of_multiprocessors(&context, multiprocessors);
            let [x, y] = [&left, &right].map(|numbers| {
                let mut array = kernels.zeros::<T>(&stream, &[end]);
                array.copy_from_slice(numbers).unwrap();
                array.slice(s![from..]).unwrap()
            });
            let got = expression(&x, &y).eval().unwrap().to_vec().unwrap();
            for (i, got) in (from..end).zip(got) {
                let (x, y) = (to_f32(left[i]), to_f32(right[i]));
                let (got, wanted) = (to_f32(got), wanted(x, y));
                let is_same = got == wanted || got.is_nan() && wanted.is_nan();
                assert!(is_same, "{x} and {y}: {got}, not {wanted}");
            }
            let found: Vec<Elementwise> = kernels.compiled_for();
            let vectors: Vec<u8> = found.iter().map(Elementwise::vector).collect();
            assert_eq!(vectors, [vector]);
        }
    }

    #[test]
    fn pairs_have_the_values_of_single_halves() {
        check(f16::from_bits, f16::from_f32, f16::to_f32);
        check(bf16::from_bits, bf16::from_f32, bf16::to_f32);
    }
}
