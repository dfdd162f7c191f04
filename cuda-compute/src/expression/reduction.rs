//! Reductions and their CUDA C++.

use std::fmt::Write as _;

use super::own::{Identity, OwnFunction};
use crate::{
    array::Shape,
    element::{Class, DataType},
    kernel::Source,
};

/// A reduction along some axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reduction {
    pub(crate) fold: Fold,
    /// A bit for each reduced axis.
    pub(crate) axes: u8,
    /// Whether the result keeps the reduced axes, with length 1.
    pub(crate) keep: bool,
}

/// Returns the number of values that a reduction along these axes combines into each result.
pub(crate) fn elements(shape: Shape, axes: u8) -> usize {
    let folded = (0..shape.rank()).filter(|axis| axes >> axis & 1 == 1);
    folded.map(|axis| shape[axis]).product()
}

/// The treatment of NaN by minima and maxima.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Nan {
    /// NaN is ignored, as by Rust's `f32::max`.
    Ignored,
    /// The result is NaN, as with NumPy's `max`.
    Propagated,
}

/// The operation that combines values into one. Each has a struct in `kernels/folds.cuh`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fold {
    Sum,
    Mean,
    Product,
    Minimum(Nan),
    Maximum(Nan),
    /// The index of the first smallest value, in C order along the reduced axes.
    MinimumPlace(Nan),
    MaximumPlace(Nan),
    All,
    Any,
    /// The variance, with this number subtracted from the divisor.
    Variance(u32),
    /// The square root of the variance.
    Deviation(u32),
    /// A user-defined combination and its identity.
    Own(OwnFunction, Identity),
}

impl Fold {
    /// Returns the name used in error messages.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Product => "product",
            Self::Minimum(Nan::Ignored) => "min",
            Self::Minimum(Nan::Propagated) => "min_or_nan",
            Self::Maximum(Nan::Ignored) => "max",
            Self::Maximum(Nan::Propagated) => "max_or_nan",
            Self::MinimumPlace(Nan::Ignored) => "argmin",
            Self::MinimumPlace(Nan::Propagated) => "argmin_or_nan",
            Self::MaximumPlace(Nan::Ignored) => "argmax",
            Self::MaximumPlace(Nan::Propagated) => "argmax_or_nan",
            Self::All => "all",
            Self::Any => "any",
            Self::Variance(_) => "var",
            Self::Deviation(_) => "std",
            Self::Own(..) => "reduce",
        }
    }

    /// Returns whether the fold of no values has a result.
    pub(crate) const fn has_identity(&self) -> bool {
        !matches!(
            self,
            Self::Minimum(_) | Self::Maximum(_) | Self::MinimumPlace(_) | Self::MaximumPlace(_)
        )
    }

    /// Returns whether the fold also takes the index of each value.
    pub(crate) const fn takes_place(&self) -> bool {
        matches!(self, Self::MinimumPlace(_) | Self::MaximumPlace(_))
    }

    /// Returns whether the result depends on which of two accumulators is merged into the other.
    fn is_ordered(&self, data: DataType) -> bool {
        match self {
            Self::Variance(_) | Self::Deviation(_) | Self::Own(..) => true,
            Self::Product => data.class() == Class::Complex,
            // The first of several zeros of different sign, or of several NaN, is kept.
            Self::Minimum(_) | Self::Maximum(_) => data.class() == Class::Float,
            _ => false,
        }
    }

    /// Returns the struct that folds values of a type.
    fn accumulator(&self, data: DataType, place: usize) -> String {
        let value = data.computed();
        // For types without NaN, both treatments share one kernel.
        let nans = |nan: &Nan| *nan == Nan::Propagated && data.class() == Class::Float;
        match self {
            Self::Own(..) => format!("fold_own_{place}"),
            Self::Sum => format!("fold_sum<{value}>"),
            Self::Mean => format!("fold_mean<{value}>"),
            Self::Product => format!("fold_product<{value}>"),
            Self::Minimum(nan) => format!("fold_extreme<{value}, false, {}>", nans(nan)),
            Self::Maximum(nan) => format!("fold_extreme<{value}, true, {}>", nans(nan)),
            Self::MinimumPlace(nan) => {
                format!("fold_place<{value}, index_t, false, {}>", nans(nan))
            }
            Self::MaximumPlace(nan) => {
                format!("fold_place<{value}, index_t, true, {}>", nans(nan))
            }
            Self::All => "fold_truth<true>".into(),
            Self::Any => "fold_truth<false>".into(),
            Self::Variance(ddof) => format!("fold_variance<{value}, {ddof}, false>"),
            Self::Deviation(ddof) => format!("fold_variance<{value}, {ddof}, true>"),
        }
    }

    /// Returns the maximum size of an accumulator in bytes.
    pub(crate) const fn accumulator_bytes(&self, data: DataType) -> usize {
        match self {
            Self::MinimumPlace(_) | Self::MaximumPlace(_) => 16,
            Self::Variance(_) | Self::Deviation(_) if data.size() == 8 => 32,
            Self::Variance(_) | Self::Deviation(_) => 16,
            _ if data.size() < 4 => 4,
            _ => data.size(),
        }
    }
}

/// A fold of one kernel, and the value that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Folded {
    pub(crate) fold: Fold,
    pub(crate) data: DataType,
    /// The index of the value among the roots.
    pub(crate) value: u8,
    /// The index of the value's place among the roots, for folds that take it.
    pub(crate) place: u8,
}

impl Folded {
    pub(crate) fn is_variance(&self) -> bool {
        matches!(self.fold, Fold::Variance(_) | Fold::Deviation(_))
    }
}

/// Returns the size of the accumulators of several folds, in bytes.
pub(crate) fn accumulator_bytes(folds: &[Folded]) -> usize {
    let bytes = folds.iter().map(|f| f.fold.accumulator_bytes(f.data));
    bytes.sum()
}

/// Returns the maximum size of the accumulators in memory, in bytes. Each one is aligned to 16 bytes.
pub(crate) fn accumulator_room(folds: &[Folded]) -> usize {
    let bytes = folds
        .iter()
        .map(|f| f.fold.accumulator_bytes(f.data).next_multiple_of(16));
    bytes.sum()
}

/// Adds the headers that kernels of folds include, and those that the folds' functions need, to a
/// kernel's source.
pub(crate) fn add_to<'a>(source: Source, folds: impl Iterator<Item = &'a Folded>) -> Source {
    let source = source
        .header("folds.cuh", include_str!("../kernels/folds.cuh"))
        .header("shuffle.cuh", include_str!("../kernels/shuffle.cuh"));
    folds.fold(source, |source, folded| match &folded.fold {
        Fold::Own(combine, _) => combine.add_to(source),
        _ => source,
    })
}

/// Returns the header that `kernels/fold.cu` and `kernels/total.cu` include as `fold.cuh`.
pub(crate) fn header(folds: &[Folded]) -> String {
    let mut text = String::from("// Written for the folds of one kernel.\n");
    for (i, folded) in folds.iter().enumerate() {
        if let Fold::Own(combine, identity) = &folded.fold {
            let (value, name) = (folded.data.computed(), format!("combine_{i}"));
            let _ = writeln!(
                text,
                "{}struct pair_own_{i} {{\n    typedef {value} type;\n    \
                 static FOLD type identity() {{ {} }}\n    \
                 static FOLD type of(type a, type b) {{ return {}(a, b); }}\n}};\n\
                 typedef fold_pairs<pair_own_{i}> fold_own_{i};",
                combine.definition(&name),
                identity.returned(folded.data),
                combine.called(&name)
            );
        }
    }
    let ordered = folds.iter().any(|f| f.fold.is_ordered(f.data));
    let _ = writeln!(
        text,
        "struct accumulator {{\n    enum {{ ORDERED = {} }};",
        u8::from(ordered)
    );
    let each = |text: &mut String, line: &dyn Fn(usize, &Folded) -> String| {
        for (i, folded) in folds.iter().enumerate() {
            text.push_str(&line(i, folded));
        }
    };
    each(&mut text, &|i, f| {
        format!("    {} f{i};\n", f.fold.accumulator(f.data, i))
    });
    // Clears the padding too, because copies through memory move it.
    text.push_str("    FOLD void clear() { memset(this, 0, sizeof(*this));");
    each(&mut text, &|i, _| format!(" f{i}.clear();"));
    text.push_str(" }\n    template <class O> FOLD void take(const O &out, int lane) {");
    each(&mut text, &|i, f| match f.fold.takes_place() {
        true => format!(
            " f{i}.take(out.y{}[lane], out.y{}[lane]);",
            f.value, f.place
        ),
        false => format!(" f{i}.take(out.y{}[lane]);", f.value),
    });
    text.push_str(" }\n    template <class V> FOLD void take_all(const V &values) {\n");
    each(&mut text, &|i, f| {
        let value = |value: u8| format!("values.output(i).y{value}[values.lane(i)]");
        match f.fold.takes_place() {
            true => format!(
                "#pragma unroll\n        for (int i = 0; i < V::count; ++i) f{i}.take({}, {});\n",
                value(f.value),
                value(f.place)
            ),
            false => format!(
                "        {} x{i}[V::count];\n#pragma unroll\n        \
                 for (int i = 0; i < V::count; ++i) x{i}[i] = {};\n        f{i}.take_all(x{i});\n",
                f.data.computed(),
                value(f.value)
            ),
        }
    });
    text.push_str("    }\n    FOLD void merge(const accumulator &other) {");
    each(&mut text, &|i, _| format!(" f{i}.merge(other.f{i});"));
    text.push_str(
        " }\n    template <class R> FOLD void finish(R &results, int lane, u64 count) const {",
    );
    each(&mut text, &|i, _| {
        format!(" results.y{i}[lane] = f{i}.result(count);")
    });
    text.push_str(" }\n};\ntemplate <int V> struct Results {\n");
    each(&mut text, &|i, f| {
        let mut line = String::new();
        let _ = writeln!(line, "    {}::type y{i}[V];", f.fold.accumulator(f.data, i));
        line
    });
    text.push_str("};\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulators_are_aligned_in_memory() {
        let folds = [
            (Fold::Sum, DataType::F32),
            (Fold::Variance(1), DataType::F64),
            (Fold::MinimumPlace(Nan::Ignored), DataType::F32),
            (Fold::Any, DataType::Bool),
        ];
        let folds = folds.map(|(fold, data)| Folded {
            fold,
            data,
            value: 0,
            place: 0,
        });
        assert_eq!(accumulator_bytes(&folds), 4 + 32 + 16 + 4);
        assert_eq!(accumulator_room(&folds), 16 + 32 + 16 + 16);
    }
}
