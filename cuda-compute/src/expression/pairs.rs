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

/// The part of `compute` that is written for each value.
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
                operation.on_pairs()
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
        if !is_arithmetic || !self.vector.is_multiple_of(2) {
            return None;
        }
        let stored = roots
            .iter()
            .map(|&root| stores && self.data(root).is_half() && self.is_rounded(root));
        let stored: Vec<bool> = stored.collect();
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
        given: &[u16],
        own: impl Fn(&Operation) -> Option<String>,
        text: &mut String,
    ) {
        // A single lane is also the second one.
        text.push_str(
            "#pragma unroll\n    for (int lane = 0; lane < V; lane += 2) {\n        const int next = V > 1 ? lane + 1 : lane;\n",
        );
        for (i, value) in self.form.values.iter().enumerate() {
            if self.needed[i] {
                let place = given.iter().position(|&given| usize::from(given) == i);
                self.value(i, value, place, &own, text);
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

    fn value(
        &self,
        i: usize,
        value: &Value,
        given: Option<usize>,
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
            _ if given.is_some() => {
                let of = |lane| format!("row.y{}[{lane}]", given.unwrap_or(0));
                lanes = Some(["lane", "next"].map(of));
            }
            Value::Load { leaf, .. } => {
                let form = &self.form.leaves[usize::from(*leaf)];
                let in_pairs = data.is_half() && form.source == LeafSource::Memory;
                if in_pairs && self.pairs[i] || data == DataType::Bf16 && in_pairs {
                    pair = Some(match form.is_single() {
                        true => format!("same_pair<{stored}>(in.x{leaf})"),
                        false => format!("pair_at(in.x{leaf}, lane)"),
                    });
                }
                // The numbers of a pair of bf16 have all its bits.
                if pair.is_none() || data != DataType::Bf16 {
                    let of = |lane| self.form.loaded_lane(*leaf, lane, self.signs[i]);
                    lanes = Some(["lane", "next"].map(of));
                }
            }
            Value::Apply {
                operation, inputs, ..
            } => match self.form.on_pairs(value) {
                Some(function) => {
                    let (a, b) = (inputs[0], inputs[1]);
                    pair = Some(format!("{function}<{stored}>(p{a}, p{b})"));
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
                        pair = Some(format!("pair_of<{stored}>({low}, {high})"));
                    } else if rounds {
                        lanes = Some([rounded(low, data), rounded(high, data)]);
                    } else {
                        lanes = Some([low, high]);
                    }
                }
            },
        }
        let indent = "        ";
        if let Some(pair) = &pair {
            let _ = writeln!(text, "{indent}const unsigned p{i} = {pair};");
        }
        let is_pair = pair.is_some();
        if self.floats[i] || lanes.is_some() && !is_pair {
            let [low, high] = lanes.clone().unwrap_or_else(|| {
                [("low_of", ""), ("high_of", ", V")]
                    .map(|(part, lanes)| format!("{part}<{stored}{lanes}>(p{i})"))
            });
            let _ = writeln!(
                text,
                "{indent}const {computed} v{i}a = {low}, v{i}b = {high};"
            );
        }
        if !is_pair && self.pairs[i] {
            let _ = writeln!(
                text,
                "{indent}const unsigned p{i} = pair_of_halves<{stored}>(v{i}a, v{i}b);"
            );
        }
    }
}
