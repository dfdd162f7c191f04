//! The operations of expressions, and the CUDA C++ of each.

use crate::element::{Class, DataType};

use super::{
    function::{self, Function, half_call},
    own::OwnFunction,
};

/// The operation of an inner node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// Converts to another type, as Rust's `as` does.
    Cast,
    Negate,
    Absolute,
    /// Negates a bool, or inverts all bits.
    Not,
    Real,
    Imaginary,
    Conjugate,
    /// Combines two parts into a complex number.
    Complex,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Compare(Comparison),
    /// Selects the second input if the first is true, and otherwise the third.
    Select,
    /// Calls a function of `function.rs`.
    Call(&'static Function),
    /// Calls a function of two numbers that `kernels/scalar.cuh` defines under this name with the
    /// prefix `rs_`.
    Scalar(&'static str),
    /// Calls a user-defined function.
    Own(OwnFunction),
    /// Reads the field at this byte offset of a value.
    Field(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// The effect of the sign of an input that is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffectOfSign {
    None,
    /// Only the sign of the result, which is NaN as well.
    OnSign,
    OnValue,
}

impl Comparison {
    const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}

impl Operation {
    /// Returns the name used in error messages.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Cast => "cast",
            Self::Negate => "-",
            Self::Absolute => "abs",
            Self::Not => "!",
            Self::Real => "real",
            Self::Imaginary => "imag",
            Self::Conjugate => "conj",
            Self::Complex => "complex",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Compare(comparison) => comparison.sign(),
            Self::Select => "select",
            Self::Call(function) => function.name,
            Self::Scalar(name) => name,
            Self::Own(_) => "map",
            Self::Field(_) => "field",
        }
    }

    /// Renders the operation. `from` is the type of the inputs and `to` that of the result.
    pub(crate) fn render(&self, inputs: &[String], from: DataType, to: DataType) -> String {
        let value = self.render_unrounded(inputs, from, to);
        match self.is_exact(from, to) {
            true => value,
            false => rounded(value, to),
        }
    }

    /// Renders the operation as [`render`](Self::render) does, for a use that rounds the result to a
    /// half itself.
    pub(crate) fn render_for_rounding(
        &self,
        inputs: &[String],
        from: DataType,
        to: DataType,
    ) -> String {
        match self {
            Self::Cast if self.is_exact(from, to) => format!("to_odd({})", inputs[0]),
            _ => self.render_unrounded(inputs, from, to),
        }
    }

    fn render_unrounded(&self, inputs: &[String], from: DataType, to: DataType) -> String {
        let [a, b, c] = [0, 1, 2].map(|i| inputs.get(i).map_or("", String::as_str));
        match (self, from.class()) {
            (Self::Cast, _) => cast(a, from, to),
            (Self::Negate, Class::Signed) => format!("rs_neg({a})"),
            (Self::Negate, _) => format!("-{a}"),
            (Self::Absolute, Class::Signed | Class::Float) => format!("rs_abs({a})"),
            (Self::Absolute, Class::Complex) => format!("c_abs({a})"),
            (Self::Absolute, _) => a.into(),
            (Self::Not, Class::Bool) => format!("!{a}"),
            (Self::Not, _) => format!("({})~{a}", from.computed()),
            (Self::Real, _) => format!("{a}.re"),
            (Self::Imaginary, _) => format!("{a}.im"),
            (Self::Conjugate, _) => format!("c_conj({a})"),
            (Self::Complex, _) => format!("{}{{{a}, {b}}}", to.computed()),
            (Self::Add, Class::Signed | Class::Unsigned) => format!("rs_add({a}, {b})"),
            (Self::Subtract, Class::Signed | Class::Unsigned) => format!("rs_sub({a}, {b})"),
            (Self::Multiply, Class::Signed | Class::Unsigned) => format!("rs_mul({a}, {b})"),
            (Self::Divide, Class::Signed | Class::Unsigned) => format!("rs_div({a}, {b})"),
            (Self::Add, _) => format!("{a} + {b}"),
            (Self::Subtract, _) => format!("{a} - {b}"),
            (Self::Multiply, _) => format!("{a} * {b}"),
            (Self::Divide, _) if from.is_half() => half_call("half_divide", inputs, from),
            (Self::Divide, _) => format!("{a} / {b}"),
            (Self::Remainder, _) => format!("rs_rem({a}, {b})"),
            // C++'s operators return int for narrower operands.
            (Self::And, _) => format!("({})({a} & {b})", from.computed()),
            (Self::Or, _) => format!("({})({a} | {b})", from.computed()),
            (Self::Xor, _) => format!("({})({a} ^ {b})", from.computed()),
            (Self::ShiftLeft, _) => format!("rs_shl({a}, {b})"),
            (Self::ShiftRight, _) => format!("rs_shr({a}, {b})"),
            (Self::Compare(comparison), _) => format!("{a} {} {b}", comparison.sign()),
            (Self::Select, _) => format!("({a} ? {b} : {c})"),
            (Self::Call(function), _) => function.call(inputs, from),
            (Self::Scalar(name), _) => format!("rs_{name}({a}, {b})"),
            (Self::Own(_), _) => unreachable!("rendered with the name that its function got"),
            (Self::Field(offset), _) => format!(
                "value_of(field_of<{}, {offset}>(storing<{}, {}>::of({a})))",
                to.stored(),
                from.stored(),
                from.computed()
            ),
        }
    }

    /// Returns whether the result is a half whose value is rounded, so that the sign of NaN may change.
    pub(crate) fn rounds(&self, from: DataType, to: DataType) -> bool {
        to.is_half() && (*self == Self::Cast && from != to || !self.is_exact(from, to))
    }

    /// Returns the function of `kernels/half.cuh` that computes the operation on pairs of halves.
    pub(crate) fn on_pairs(&self) -> Option<&'static str> {
        match self {
            Self::Add => Some("pair_add"),
            Self::Subtract => Some("pair_sub"),
            Self::Multiply => Some("pair_mul"),
            Self::Negate => Some("pair_neg"),
            Self::Absolute => Some("pair_abs"),
            Self::Scalar("max") => Some("pair_max"),
            Self::Scalar("min") => Some("pair_min"),
            _ => None,
        }
    }

    /// Returns the effect of the sign of an input that is NaN.
    pub(crate) fn effect_of_sign(&self, to: DataType) -> EffectOfSign {
        let is_float = to.class() == Class::Float;
        match self {
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Remainder
                if is_float =>
            {
                EffectOfSign::None
            }
            Self::Compare(_) => EffectOfSign::None,
            Self::Call(function) if is_float && **function != function::COPYSIGN => {
                EffectOfSign::None
            }
            Self::Negate | Self::Absolute | Self::Select => EffectOfSign::OnSign,
            Self::Cast if is_float => EffectOfSign::OnSign,
            _ => EffectOfSign::OnValue,
        }
    }

    /// Returns whether the result is a number of its type already, so that it need not be rounded.
    fn is_exact(&self, from: DataType, to: DataType) -> bool {
        match self {
            Self::Negate | Self::Absolute | Self::Select => true,
            Self::Scalar(name) => ["max", "min", "maximum_or_nan", "minimum_or_nan"].contains(name),
            Self::Call(function) => **function == function::COPYSIGN,
            // `to_f16` and `to_bf16` round.
            Self::Cast => from.size() > 2 && from.class() != Class::Complex && to.is_half(),
            _ => false,
        }
    }
}

/// Rounds a value to a half's precision if it is a half, which is computed as a float. 8-bit floats
/// have no operations but casts, which round.
pub(crate) fn rounded(value: String, to: DataType) -> String {
    match to {
        DataType::F16 => format!("rounded_f16({value})"),
        DataType::Bf16 => format!("rounded_bf16({value})"),
        _ => value,
    }
}

fn cast(a: &str, from: DataType, to: DataType) -> String {
    match (from.class(), to.class()) {
        _ if from == to => a.into(),
        (Class::Complex, Class::Complex) => format!("c_cast<{}>({a})", to.computed()),
        (_, Class::Complex) => {
            let part = if to == DataType::Complex32 {
                "float"
            } else {
                "double"
            };
            format!("{}{{rs_cast<{part}>({a}), 0}}", to.computed())
        }
        (_, Class::Bool) => format!("{a} != 0"),
        // Converts wider types in one step, because a detour through float would round twice.
        _ => match to.narrow() {
            Some(name) if from.size() > 2 => format!("to_{name}({a})"),
            Some(name) if to.size() == 1 => format!("to_{name}(rs_cast<float>({a}))"),
            _ => format!("rs_cast<{}>({a})", to.computed()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_round_once() {
        let of = |from, to| Operation::Cast.render(&["a".into()], from, to);
        use DataType::{
            Bf16, Bool, Complex32, Complex64, F8E4M3, F8E5M2, F16, F32, F64, I8, I16, I32, U8,
        };
        assert_eq!(of(F32, F32), "a");
        assert_eq!(of(F32, I32), "rs_cast<int>(a)");
        assert_eq!(of(I32, Bool), "a != 0");
        assert_eq!(of(F64, F8E4M3), "to_f8e4m3(a)");
        assert_eq!(of(F16, F8E5M2), "to_f8e5m2(rs_cast<float>(a))");
        assert_eq!(of(F8E5M2, F8E4M3), "to_f8e4m3(rs_cast<float>(a))");
        assert_eq!(of(F8E4M3, F64), "rs_cast<double>(a)");
        // Wider types become halves in one step. Types that fit in a float are converted to a float
        // first.
        assert_eq!(of(F64, F16), "to_f16(a)");
        assert_eq!(of(I32, Bf16), "to_bf16(a)");
        for from in [I8, U8, I16, Bf16] {
            assert_eq!(of(from, F16), "rounded_f16(rs_cast<float>(a))");
        }
        assert_eq!(of(F32, Complex32), "complex<float>{rs_cast<float>(a), 0}");
        assert_eq!(of(F32, Complex64), "complex<double>{rs_cast<double>(a), 0}");
        assert_eq!(of(Complex32, Complex64), "c_cast<complex<double>>(a)");
    }
}
