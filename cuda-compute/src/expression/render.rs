//! The CUDA C++ of an expression: code that loads, computes and stores its values.

use std::fmt::Write as _;

use super::{
    leaf::{Indirect, LeafForm},
    operation::{Operation, rounded},
    own::OwnFunction,
    plan::{After, LeafSource, Value},
    space::{Access, Inner},
};
use crate::{
    element::{DataType, definitions},
    kernel::{ARRAYS, Source, TYPES},
};

/// The properties of an expression that affect its code. Addresses, sizes and numbers are passed at
/// launch instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    pub(crate) values: Vec<Value>,
    /// The indices of the values that the kernel needs.
    pub(crate) roots: Vec<u16>,
    /// Values that are folded first, each computed by a separate function.
    pub(crate) stages: Vec<u16>,
    /// The stages whose values stay in registers, because the roots need them and computing them takes long.
    pub(crate) kept: Vec<u8>,
    /// Values that are computed from results of reductions or of a scan.
    pub(crate) after: After,
    pub(crate) leaves: Vec<LeafForm>,
    /// The type and access pattern of each stored result: the roots, or values that the kernel
    /// derives from them. Empty if the kernel stores its results in another way.
    pub(crate) outputs: Vec<(DataType, Access)>,
    /// The number of axes of the space.
    pub(crate) rank: u8,
    /// Whether 32 bits suffice for numbers and offsets of elements.
    pub(crate) narrow: bool,
    /// The number of elements that a thread processes at once.
    pub(crate) vector: u8,
}

/// The use of the values that a form computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// The kernel stores them.
    Stored,
    /// The kernel reduces them. Reductions may change the sign of NaN.
    Reduced,
    /// The kernel may use all bits.
    Other,
}

/// The positions of a launch's parameter words. Word 0 is the number of elements.
#[derive(Debug)]
pub(crate) struct Slots {
    /// Two words for each axis but the outermost: its length in vectors, and the constants for
    /// dividing by it.
    pub(crate) axes: usize,
    /// The address of each leaf, followed by its strides if it has any.
    pub(crate) leaves: Vec<usize>,
    /// The stride and the length of the axis that each leaf has indices for.
    pub(crate) indirect: Vec<Option<usize>>,
    pub(crate) outputs: Vec<usize>,
    /// The key of each leaf of random numbers.
    pub(crate) keys: Vec<Option<usize>>,
    pub(crate) scalars: Vec<usize>,
    pub(crate) total: usize,
}

impl Form {
    /// The number of words for each axis.
    pub(crate) const AXIS: usize = 2;

    pub(crate) fn slots(&self) -> Slots {
        let rank = usize::from(self.rank);
        let axes = 1;
        let mut next = axes + Self::AXIS * rank.saturating_sub(1);
        let mut operand = |access: Access| {
            let slot = next;
            next += 1 + if matches!(access, Access::Strided(..)) {
                rank
            } else {
                0
            };
            slot
        };
        let leaves = self
            .leaves
            .iter()
            .map(|leaf| operand(leaf.access))
            .collect();
        let outputs = self
            .outputs
            .iter()
            .map(|&(_, access)| operand(access))
            .collect();
        let indirect = self.leaves.iter().map(|leaf| {
            let slot = leaf.through.map(|_| next);
            next += 2 * usize::from(slot.is_some());
            slot
        });
        let indirect = indirect.collect();
        let keys = self.leaves.iter().map(|leaf| {
            let slot = (leaf.source == LeafSource::Random).then_some(next);
            next += usize::from(slot.is_some());
            slot
        });
        let keys = keys.collect();
        let mut scalars = Vec::new();
        for value in &self.values {
            if let Value::Scalar { data, .. } = value {
                scalars.push(next);
                next += data.size().div_ceil(8);
            }
        }
        Slots {
            axes,
            leaves,
            indirect,
            outputs,
            keys,
            scalars,
            total: next,
        }
    }

    /// Returns the header that a kernel includes as `expression.cuh`. `used` is the kernel's use of the
    /// roots.
    fn header(&self, used: Use) -> String {
        let slots = self.slots();
        let mut text = String::from("// Written for one expression.\n");
        let index = if self.narrow {
            "unsigned"
        } else {
            "unsigned long long"
        };
        let offset = if self.narrow { "int" } else { "long long" };
        text.push_str(&self.include_types());
        if self.is_random() {
            text.push_str("#include \"random.cuh\"\n");
        }
        if self.values.iter().any(|value| value.data().is_half()) {
            text.push_str("#include \"half.cuh\"\n");
        }
        let _ = writeln!(
            text,
            "typedef {index} index_t;\ntypedef {offset} offset_t;\n#define VECTOR {}\n#define LAST_AXIS {}\n\
             #ifndef LOAD_PACK\n#define LOAD_PACK load_pack\n#endif\n\
             #ifndef LINEAR\n#define LINEAR(slot, name) w.at[slot]\n#endif\n\
             struct Words {{ unsigned long long at[{}]; }};\n",
            self.vector,
            self.rank - 1,
            slots.total
        );
        if !self.after.roots.is_empty() {
            // A vector of results has one for each lane.
            text.push_str("#define AFTER\n#define GIVEN V\n");
        }
        for (i, function) in self.own_functions().iter().enumerate() {
            text.push_str(&function.definition(&format!("own_{i}")));
        }
        self.coordinates(&slots, &mut text);
        self.inputs(&mut text);
        self.load(&slots, &mut text);
        for (i, stage) in self.stages.iter().enumerate() {
            self.compute(
                &slots,
                &format!("_{i}"),
                &[*stage],
                Use::Reduced,
                &[],
                &mut text,
            );
        }
        // The values that the function of the roots takes, with the arrays that have them.
        let of_rows = self.of_rows();
        let rows = of_rows.iter().enumerate();
        let rows = rows.map(|(place, &value)| (value, format!("row.y{place}")));
        let kept = self.kept.iter().enumerate();
        let kept = kept.map(|(place, &stage)| {
            let value = self.stages[usize::from(stage)];
            (value, format!("kept.y{place}"))
        });
        let given: Vec<(u16, String)> = rows.chain(kept).collect();
        if !self.stages.is_empty() {
            self.compute(&slots, "_of_row", &of_rows, Use::Other, &[], &mut text);
            text.push_str("template <int V> struct Kept {\n");
            for (place, &stage) in self.kept.iter().enumerate() {
                let data = self.data(self.stages[usize::from(stage)]);
                let _ = writeln!(text, "    {} y{place}[V];", data.computed());
            }
            text.push_str("};\n");
        }
        self.compute(&slots, "", &self.roots, used, &given, &mut text);
        let stored = match (self.after.roots.as_slice(), used) {
            ([], Use::Stored) => &self.roots,
            (after, _) => after,
        };
        if !self.after.roots.is_empty() {
            self.give(&mut text);
            self.compute(&slots, "_after", stored, Use::Stored, &[], &mut text);
        }
        if !self.outputs.is_empty() {
            self.store(&slots, stored, &mut text);
        }
        text
    }

    /// Adds the headers that a kernel of the form includes: those of every expression, structs, and
    /// functions in CUDA C++. `used` is the kernel's use of the roots.
    pub(crate) fn add_headers(&self, source: Source, used: Use) -> Source {
        let source = source
            .header("scalar.cuh", include_str!("../kernels/scalar.cuh"))
            .header("array.cuh", ARRAYS)
            .header("complex.cuh", include_str!("../kernels/complex.cuh"))
            .header("random.cuh", include_str!("../kernels/random.cuh"))
            .header("half.cuh", include_str!("../kernels/half.cuh"))
            .header("expression.cuh", self.header(used));
        let structs = self.structs();
        let source = match structs.is_empty() {
            true => source,
            false => source.header(TYPES, format!("#pragma once\n{structs}")),
        };
        let functions = self.own_functions();
        functions
            .iter()
            .fold(source, |source, function| function.add_to(source))
    }

    /// Returns the line that includes the definitions of structs, if there are any.
    pub(super) fn include_types(&self) -> String {
        match self.structs().is_empty() {
            true => String::new(),
            false => format!("#include \"{TYPES}\"\n"),
        }
    }

    /// Returns the definitions of the structs that are elements.
    fn structs(&self) -> String {
        let values = self.values.iter().map(Value::data);
        let outputs = self.outputs.iter().map(|&(data, _)| data);
        definitions(values.chain(outputs))
    }

    fn inputs(&self, text: &mut String) {
        text.push_str("template <int V> struct Inputs {\n");
        for (i, leaf) in self.leaves.iter().enumerate() {
            let _ = match (leaf.source, leaf.is_single()) {
                (LeafSource::Memory, true) => writeln!(text, "    {} x{i};", leaf.data.stored()),
                (LeafSource::Memory, false) => {
                    writeln!(text, "    pack<{}, V> x{i};", leaf.data.stored())
                }
                (LeafSource::Given(_), _) => {
                    writeln!(text, "    {} x{i}[GIVEN];", leaf.data.computed())
                }
                _ => writeln!(text, "    offset_t x{i};"),
            };
        }
        text.push_str("};\n");
    }

    pub(super) fn data(&self, value: u16) -> DataType {
        self.values[usize::from(value)].data()
    }

    /// Writes the coordinates of vectors, which are empty if no access needs them.
    ///
    /// A loop finds the coordinates of its first vector and of its step by division. It then adds the
    /// step with carries, which takes fewer instructions.
    fn coordinates(&self, slots: &Slots, text: &mut String) {
        let leaves = self.leaves.iter().map(|leaf| leaf.access);
        let outputs = self.outputs.iter().map(|&(_, access)| access);
        if !leaves
            .chain(outputs)
            .any(|access| matches!(access, Access::Strided(..)))
        {
            text.push_str(
                "struct Coordinates {};\n\
                 __device__ __forceinline__ Coordinates coordinates(const Words &, index_t) { return {}; }\n\
                 template <int FROM, int TO> __device__ __forceinline__ void advance(const Words &, Coordinates &, const Coordinates &) {}\n",
            );
            return;
        }
        let (rank, axes) = (usize::from(self.rank), slots.axes);
        let _ = writeln!(
            text,
            "struct Coordinates {{ offset_t at[{rank}]; }};\n\
             __device__ __forceinline__ Coordinates coordinates(const Words &w, index_t n) {{\n    \
             Coordinates c;\n    index_t rest = n;"
        );
        for axis in (1..rank).rev() {
            let slot = axes + Self::AXIS * (axis - 1);
            let _ = writeln!(
                text,
                "    const index_t q{axis} = divide(rest, w.at[{slot}], w.at[{}]);\n    \
                 c.at[{axis}] = (offset_t)(rest - q{axis} * (index_t)w.at[{slot}]);\n    rest = q{axis};",
                slot + 1
            );
        }
        let _ = writeln!(
            text,
            "    c.at[0] = (offset_t)rest;\n    return c;\n}}\n\
             // Adds a step that is not 0 only along the axes from FROM to TO, without leaving the lengths of those after FROM.\n\
             template <int FROM, int TO> __device__ __forceinline__ void advance(const Words &w, Coordinates &c, const Coordinates &step) {{\n    \
             offset_t carry = 0;\n\
             #pragma unroll\n    \
             for (int axis = TO; axis > FROM; --axis) {{\n        \
             const offset_t length = (offset_t)w.at[{axes} + {} * (axis - 1)];\n        \
             c.at[axis] += step.at[axis] + carry;\n        \
             carry = c.at[axis] >= length;\n        \
             if (carry) c.at[axis] -= length;\n    \
             }}\n    \
             c.at[FROM] += step.at[FROM] + carry;\n}}",
            Self::AXIS
        );
    }

    /// Returns the offset of an operand's elements of vector `n`.
    fn offset(&self, access: Access, slot: usize) -> String {
        match access {
            Access::Uniform => "0".into(),
            // `n` may be a negative number that wrapped around.
            Access::Linear => "(offset_t)(n * V)".into(),
            Access::Strided(inner, still) => {
                let last = usize::from(self.rank) - 1;
                let along =
                    |axis: usize| format!("c.at[{axis}] * (offset_t)w.at[{}]", slot + 1 + axis);
                let moving = (0..last).filter(|&axis| !still.is_along(axis));
                let mut parts: Vec<String> = moving.map(along).collect();
                match inner {
                    Inner::Same => {}
                    Inner::Next => parts.push(format!("c.at[{last}] * V")),
                    Inner::Any => parts.push(along(last)),
                }
                parts.join(" + ")
            }
        }
    }

    fn load(&self, slots: &Slots, text: &mut String) {
        self.load_leaves(slots, "load", |leaf| !leaf.late, text);
        text.push_str(
            "template <int V> __device__ __forceinline__ void load(const Words &w, index_t n, Inputs<V> &in) {\n    \
             load<V>(w, n, coordinates(w, n), in);\n}\n",
        );
        if !self.stages.is_empty() || !self.after.roots.is_empty() {
            self.load_leaves(slots, "load_late", |leaf| leaf.late, text);
        }
    }

    /// Writes a function that makes the results of reductions or of a scan inputs.
    fn give(&self, text: &mut String) {
        text.push_str(
            "template <int V, class R> __device__ __forceinline__ void give(const R &results, Inputs<V> &in) {\n\
             #pragma unroll\n    for (int lane = 0; lane < V; ++lane) {\n",
        );
        for (i, leaf) in self.leaves.iter().enumerate() {
            if let LeafSource::Given(reduction) = leaf.source {
                let result = rounded(format!("results.y{reduction}[lane]"), leaf.data);
                let _ = writeln!(text, "        in.x{i}[lane] = {result};");
            }
        }
        text.push_str("    }\n}\n");
    }

    /// Writes a function that loads some of the leaves.
    fn load_leaves(
        &self,
        slots: &Slots,
        name: &str,
        loads: impl Fn(&LeafForm) -> bool,
        text: &mut String,
    ) {
        let _ = writeln!(
            text,
            "template <int V> __device__ __forceinline__ void {name}(const Words &w, index_t n, const Coordinates &c, Inputs<V> &in) {{"
        );
        let mut named = vec![false; self.leaves.len()];
        for (i, leaf) in self
            .leaves
            .iter()
            .enumerate()
            .filter(|(_, leaf)| loads(leaf))
        {
            let slot = slots.leaves[i];
            let mut offset = self.offset(leaf.access, slot);
            if matches!(leaf.access, Access::Strided(..)) && !offset.is_empty() {
                let first = leaf.like.map_or(i, usize::from);
                if !named[first] {
                    named[first] = true;
                    let _ = writeln!(text, "    const offset_t o{first} = {offset};");
                }
                offset = format!("o{first}");
            }
            let stored = leaf.data.stored();
            let (offset, load) = match (leaf.through, slots.indirect[i]) {
                (Some(through), Some(words)) => self.through(leaf, through, offset, words),
                _ => (offset, if leaf.apart { "load_each" } else { "LOAD_PACK" }),
            };
            let _ = match (leaf.source, leaf.is_single()) {
                (LeafSource::Memory, true) => writeln!(
                    text,
                    "    in.x{i} = load_one<{stored}>(w.at[{slot}], {offset});"
                ),
                (LeafSource::Memory, false) => {
                    let base = linear(leaf.access, slot, 'x', i);
                    writeln!(text, "    in.x{i} = {load}<{stored}, V>({base}, {offset});")
                }
                (LeafSource::Place, _) => {
                    writeln!(text, "    in.x{i} = (offset_t)w.at[{slot}] + {offset};")
                }
                (LeafSource::Random, _) => writeln!(text, "    in.x{i} = {offset};"),
                (LeafSource::Given(_), _) => Ok(()),
            };
        }
        text.push_str("}\n");
    }

    /// Returns the offset of a leaf's elements with the part that an index adds, and the function that
    /// loads a vector.
    fn through(
        &self,
        leaf: &LeafForm,
        through: Indirect,
        offset: String,
        words: usize,
    ) -> (String, &'static str) {
        let from = through.leaf;
        let (stride, length) = (
            format!("(offset_t)w.at[{words}]"),
            format!("(offset_t)w.at[{}]", words + 1),
        );
        if !through.varies {
            let index = format!("value_of(in.x{from})");
            let offset = format!("{offset} + taken_place({index}, {length}) * {stride}");
            return (offset, if leaf.apart { "load_each" } else { "LOAD_PACK" });
        }
        // Consecutive elements, or one for all lanes, apart from the index.
        let step = usize::from(!leaf.access.is_single());
        let offset = format!("{offset}, in.x{from}, {length}, {stride}, {step}");
        (offset, "load_taken")
    }

    /// Returns the user-defined functions, without duplicates.
    fn own_functions(&self) -> Vec<&OwnFunction> {
        let mut functions = Vec::new();
        for value in &self.values {
            if let Value::Apply {
                operation: Operation::Own(function),
                ..
            } = value
                && !functions.contains(&function)
            {
                functions.push(function);
            }
        }
        functions
    }

    /// Writes the function `compute` with a suffix, which computes these values for this use. Of a form with
    /// stages, the function of the roots takes values that are `given`: the results of `compute_of_row`, and
    /// those that stages have kept.
    fn compute(
        &self,
        slots: &Slots,
        suffix: &str,
        roots: &[u16],
        used: Use,
        given: &[(u16, String)],
        text: &mut String,
    ) {
        let own = self.own_functions();
        let needed = self.needed_besides(given.iter().map(|(value, _)| *value), roots);
        let signs = self.signs(roots, &needed, used);
        let rounded_by_store = self.rounded_by_store(roots, &needed, used);
        let pairs = self.pairs(roots, used == Use::Stored, (&needed, &signs));
        let _ = writeln!(text, "template <int V> struct Outputs{suffix} {{");
        for (i, root) in roots.iter().enumerate() {
            let data = self.data(*root);
            let _ = match &pairs {
                Some(pairs) => writeln!(text, "    {};", pairs.output(i, data)),
                None => writeln!(text, "    {} y{i}[V];", data.computed()),
            };
        }
        let _ = writeln!(
            text,
            "}};\ntemplate <int V> __device__ __forceinline__ void compute{suffix}(const Words &w, const Inputs<V> &in, \
             {}Outputs{suffix}<V> &out) {{",
            match suffix.is_empty() && !self.stages.is_empty() {
                true => "const Outputs_of_row<V> &row, const Kept<V> &kept, ",
                false => "",
            }
        );
        let mut scalars = slots.scalars.iter();
        for (i, value) in self.values.iter().enumerate() {
            if let Value::Scalar { data, .. } = value
                && let Some(slot) = scalars.next()
            {
                let (computed, stored) = (data.computed(), data.stored());
                let _ = writeln!(
                    text,
                    "    const {computed} v{i} = {}(scalar<{stored}>(w.at + {slot}));",
                    reading(*data, signs[i])
                );
                if pairs.as_ref().is_some_and(|pairs| pairs.has_pair(i)) {
                    let _ = writeln!(
                        text,
                        "    const auto p{i} = same_pair<V>(scalar<{stored}>(w.at + {slot}));"
                    );
                }
            }
        }
        self.draw(slots, &needed, text);
        let own = |operation: &Operation| match operation {
            Operation::Own(function) => {
                let place = own.iter().position(|other| *other == function);
                Some(function.called(&format!("own_{}", place.unwrap_or(0))))
            }
            _ => None,
        };
        if let Some(pairs) = pairs {
            pairs.write(roots, given, own, text);
            text.push_str("}\n");
            return;
        }
        text.push_str("#pragma unroll\n    for (int lane = 0; lane < V; ++lane) {\n");
        for (i, value) in self.values.iter().enumerate() {
            if !needed[i] {
                continue;
            }
            let computed = value.data().computed();
            if let Some((_, array)) = given.iter().find(|(value, _)| usize::from(*value) == i) {
                let _ = writeln!(text, "        const {computed} v{i} = {array}[lane];");
                continue;
            }
            let right = match value {
                Value::Scalar { .. } => continue,
                Value::Load { leaf, .. } => self.loaded_lane(*leaf, "lane", signs[i]),
                Value::Apply {
                    operation,
                    inputs,
                    data,
                } => {
                    let from = self.type_of_inputs(operation, inputs, *data);
                    let names: Vec<String> =
                        inputs.iter().map(|input| format!("v{input}")).collect();
                    let unrounded = match own(operation) {
                        Some(name) => format!("{name}({})", names.join(", ")),
                        None => operation.render_for_rounding(&names, from, *data),
                    };
                    match self.is_rounded(i as u16) && !rounded_by_store[i] {
                        true => rounded(unrounded, *data),
                        false => unrounded,
                    }
                }
            };
            let _ = writeln!(text, "        const {computed} v{i} = {right};");
        }
        for (i, root) in roots.iter().enumerate() {
            let _ = writeln!(text, "        out.y{i}[lane] = v{root};");
        }
        text.push_str("    }\n}\n");
    }

    /// Returns the number that a leaf has in a lane. `sign` is whether the sign of NaN matters.
    pub(super) fn loaded_lane(&self, leaf: u16, lane: &str, sign: bool) -> String {
        let form = &self.leaves[usize::from(leaf)];
        let read = reading(form.data, sign);
        let computed = form.data.computed();
        match (form.source, form.is_single()) {
            (LeafSource::Memory, true) => format!("{read}(in.x{leaf})"),
            (LeafSource::Memory, false) => format!("{read}(in.x{leaf}.at[{lane}])"),
            (LeafSource::Place, true) => format!("({computed})in.x{leaf}"),
            (LeafSource::Place, false) => format!("({computed})(in.x{leaf} + {lane})"),
            (LeafSource::Given(_), _) => format!("in.x{leaf}[{lane} % GIVEN]"),
            (LeafSource::Random, true) => format!("r{leaf}[0]"),
            (LeafSource::Random, false) => format!("r{leaf}[{lane}]"),
        }
    }

    /// Generates the random numbers of all lanes together, because the lanes share the generation
    /// of bits.
    fn draw(&self, slots: &Slots, needed: &[bool], text: &mut String) {
        let drawn = self.loaded(needed);
        for (i, leaf) in self.leaves.iter().enumerate() {
            if let (Some(key), true) = (slots.keys[i], drawn[i]) {
                let (computed, start) = (leaf.data.computed(), slots.leaves[i]);
                let lanes = if leaf.is_single() { "1" } else { "V" };
                let _ = writeln!(
                    text,
                    "    {computed} r{i}[{lanes}];\n    \
                     draw(w.at[{key}], w.at[{start}], (index_t)in.x{i}, r{i});"
                );
            }
        }
    }

    /// Writes the function `store`. With ROUNDED, it stores these values, as `compute` leaves them.
    fn store(&self, slots: &Slots, stored: &[u16], text: &mut String) {
        text.push_str(
            "// ROUNDED means that a function above has computed the values.\n\
             template <int V, bool ROUNDED = false, class O> __device__ __forceinline__ void store(const Words &w, index_t n, const Coordinates &c, const O &out) {\n",
        );
        for (i, (data, access)) in self.outputs.iter().enumerate() {
            let slot = slots.outputs[i];
            let offset = self.offset(*access, slot);
            let kind = match stored.get(i) {
                Some(&value) if self.is_rounded(value) => "RESULTS_OF_ARITHMETIC",
                _ => "ROUNDED_VALUES",
            };
            let _ = writeln!(
                text,
                "    store_pack<{}, V, ROUNDED ? {kind} : ANY>({}, {offset}, out.y{i});",
                data.stored(),
                linear(*access, slot, 'y', i)
            );
        }
        text.push_str(
            "}\ntemplate <int V, bool ROUNDED = false, class O> __device__ __forceinline__ void store(const Words &w, index_t n, const O &out) {\n    \
             store<V, ROUNDED>(w, n, coordinates(w, n), out);\n}\n",
        );
    }
}

/// Returns the function that converts a stored number. Only for f16 does the sign of NaN take instructions.
const fn reading(data: DataType, sign: bool) -> &'static str {
    match (data, sign) {
        (DataType::F16, false) => "number_of",
        _ => "value_of",
    }
}

/// Returns the address of an operand, in whose place a kernel may put another if elements are linear.
fn linear(access: Access, slot: usize, kind: char, place: usize) -> String {
    match access {
        Access::Linear => format!("LINEAR({slot}, {kind}{place})"),
        _ => format!("w.at[{slot}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::space::Still, *};

    const STRIDED: Access = Access::Strided(Inner::Next, Still::NONE);

    fn leaf(source: LeafSource, access: Access) -> LeafForm {
        LeafForm::of(source, DataType::F32, access)
    }

    fn form(values: Vec<Value>, leaves: &[LeafForm]) -> Form {
        Form {
            values,
            leaves: leaves.to_vec(),
            outputs: vec![(DataType::F32, STRIDED)],
            rank: 2,
            narrow: true,
            vector: 1,
            ..Form::default()
        }
    }

    #[test]
    fn each_part_of_a_launch_has_its_words() {
        let scalar = |scalar, data| Value::Scalar { scalar, data };
        let values = vec![scalar(0, DataType::Complex64), scalar(1, DataType::U8)];
        let leaves = [
            leaf(LeafSource::Memory, Access::Linear),
            leaf(LeafSource::Memory, STRIDED),
            leaf(LeafSource::Random, Access::Linear),
        ];
        let slots = form(values, &leaves).slots();
        // One axis of two words, addresses and strides, a key, numbers.
        assert_eq!((slots.axes, slots.leaves), (1, vec![3, 4, 7]));
        assert_eq!(
            (slots.outputs, slots.keys),
            (vec![8], vec![None, None, Some(11)])
        );
        assert_eq!((slots.scalars, slots.total), (vec![12, 14], 15));
    }
}
