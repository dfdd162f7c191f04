//! Operators, conversions and calls.

use syn::{Error, Result};

use super::{Emitter, Value, binds};
use crate::{
    methods::Text,
    tree::{Node, Operator},
    types::Scalar::{self, *},
};

/// Returns whether C++ computes this type in `int`.
fn narrow(scalar: Scalar) -> bool {
    matches!(scalar, I8 | I16 | U8 | U16)
}

impl Emitter<'_> {
    pub(super) fn negative(&mut self, operand: &Node) -> Result<Value> {
        let scalar = self.scalar(operand)?;
        let value = self.value(operand)?;
        if scalar.is_real() {
            // The operand needs higher precedence than a minus, because two of them would be
            // another operator.
            let text = format!("-{}", value.within(binds::PRIMARY));
            return Ok(Value::new(text, binds::UNARY, value.stable));
        }
        Ok(helper("rs_neg", scalar, &[value]))
    }

    pub(super) fn not(&mut self, operand: &Node) -> Result<Value> {
        let scalar = self.scalar(operand)?;
        let value = self.value(operand)?;
        let text = value.within(binds::UNARY);
        let text = match scalar {
            Bool => format!("!{text}"),
            scalar if narrow(scalar) => format!("({})~{text}", scalar.device()),
            scalar if scalar.is_integer() => format!("~{text}"),
            _ => {
                return Err(Error::new(
                    operand.span,
                    "`!` requires an integer or a `bool`",
                ));
            }
        };
        Ok(Value::new(text, binds::UNARY, value.stable))
    }

    pub(super) fn binary(
        &mut self,
        operator: Operator,
        left: &Node,
        right: &Node,
    ) -> Result<Value> {
        let scalar = self.scalar(left)?;
        let values = self.values([left, right])?;
        self.combine(operator, scalar, &values[0], &values[1], left)
    }

    /// Applies `operator` to two values. The left one has the type `scalar`.
    pub(super) fn combine(
        &self,
        operator: Operator,
        scalar: Scalar,
        left: &Value,
        right: &Value,
        place: &Node,
    ) -> Result<Value> {
        use Operator::*;
        let both = [left.clone(), right.clone()];
        if scalar == Bool && !operator.compares() && !matches!(operator, BitAnd | BitOr | BitXor) {
            return Err(Error::new(
                place.span,
                "arithmetic is not supported for `bool`",
            ));
        }
        if scalar.is_real() && matches!(operator, BitAnd | BitOr | BitXor | Shl | Shr) {
            return Err(Error::new(
                place.span,
                "floats have no bit operations: convert them to integers with `to_bits`",
            ));
        }
        // C++ wraps around in these types too.
        let direct = scalar.is_real() || matches!(scalar, U32 | U64);
        let (sign, binds) = match operator {
            Add if direct => ("+", binds::ADD),
            Sub if direct => ("-", binds::ADD),
            Mul if direct => ("*", binds::MUL),
            Div if scalar.is_real() => ("/", binds::MUL),
            Add => return Ok(helper("rs_add", scalar, &both)),
            Sub => return Ok(helper("rs_sub", scalar, &both)),
            Mul => return Ok(helper("rs_mul", scalar, &both)),
            Div => return Ok(helper("rs_div", scalar, &both)),
            Rem if scalar.is_real() => return Ok(math("fmod", scalar, &both)),
            Rem => return Ok(helper("rs_rem", scalar, &both)),
            Shl => return Ok(helper("rs_shl", scalar, &both)),
            Shr => return Ok(helper("rs_shr", scalar, &both)),
            BitAnd => ("&", binds::BIT_AND),
            BitOr => ("|", binds::BIT_OR),
            BitXor => ("^", binds::BIT_XOR),
            Eq => ("==", binds::EQUALITY),
            Ne => ("!=", binds::EQUALITY),
            Lt => ("<", binds::RELATION),
            Le => ("<=", binds::RELATION),
            Gt => (">", binds::RELATION),
            Ge => (">=", binds::RELATION),
        };
        // Operators of equal precedence are evaluated from left to right.
        let text = format!("{} {sign} {}", left.within(binds), right.within(binds + 1));
        Ok(Value::new(text, binds, left.stable && right.stable))
    }

    /// Writes `&&` or `||`. The right side is evaluated only if it decides the result.
    pub(super) fn logic(&mut self, left: &Node, right: &Node, and: bool) -> Result<Value> {
        let (sign, binds) = if and {
            ("&&", binds::AND)
        } else {
            ("||", binds::OR)
        };
        let left = self.value(left)?;
        let (lines, right) = self.inside(|emitter| emitter.value(right))?;
        if lines.is_empty() {
            let text = format!("{} {sign} {}", left.within(binds), right.within(binds + 1));
            return Ok(Value::new(text, binds, left.stable && right.stable));
        }
        let (line, truth) = self.put_aside(Bool, &left);
        self.line(&line);
        let not = if and { "" } else { "!" };
        self.line(&format!("if ({not}{}) {{", truth.text));
        self.lines.extend(lines);
        self.line(&format!("    {} = {};", truth.text, right.text));
        self.line("}");
        Ok(truth)
    }

    pub(super) fn cast(&mut self, operand: &Node, to: Scalar) -> Result<Value> {
        let from = self.scalar(operand)?;
        let value = self.value(operand)?;
        if from == to {
            return Ok(value);
        }
        let ty = to.device();
        // This is the only conversion for which C++ leaves some values undefined.
        if from.is_real() && to.is_integer() {
            let text = format!("rs_cast<{ty}>({})", value.text);
            return Ok(Value::new(text, binds::PRIMARY, value.stable));
        }
        if to == Bool {
            return Err(Error::new(
                operand.span,
                "a number can't be converted to `bool`: compare it, as in `x != 0`",
            ));
        }
        let text = format!("({ty}){}", value.within(binds::UNARY));
        Ok(Value::new(text, binds::UNARY, value.stable))
    }

    pub(super) fn call(&mut self, text: Text, arguments: &[Node]) -> Result<Value> {
        let own = self.scalar(&arguments[0])?;
        let values = self.values(arguments)?;
        Ok(match text {
            Text::Math(name) => math(name, own, &values),
            Text::Helper(name, own) => helper(name, own, &values),
            Text::Overloaded(name) => written(name.into(), &values),
            Text::Reciprocal => {
                let one = if own == F32 { "1.0f" } else { "1.0" };
                let text = format!("{one} / {}", values[0].within(binds::MUL + 1));
                Value::new(text, binds::MUL, values[0].stable)
            }
            Text::Operator(_) => {
                return Err(Error::new(arguments[0].span, "an operator can't be called"));
            }
        })
    }
}

/// Returns a call of a CUDA function.
fn math(name: &str, scalar: Scalar, arguments: &[Value]) -> Value {
    let suffix = if scalar == F32 { "f" } else { "" };
    written(format!("{name}{suffix}"), arguments)
}

/// Returns a call of a template of `scalar.cuh`.
fn helper(name: &str, scalar: Scalar, arguments: &[Value]) -> Value {
    written(format!("{name}<{}>", scalar.device()), arguments)
}

fn written(name: String, arguments: &[Value]) -> Value {
    let texts: Vec<&str> = arguments.iter().map(|value| &*value.text).collect();
    Value::new(
        format!("{name}({})", texts.join(", ")),
        binds::PRIMARY,
        arguments.iter().all(|value| value.stable),
    )
}
