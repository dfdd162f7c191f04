//! Translation of the syntax tree to CUDA C++.
//!
//! An expression becomes statements that must run before it, and a text without side effects. The
//! order in which C++ evaluates such a text therefore does not matter. Only an operand that
//! precedes one with statements is stored in a variable first.

mod control;
mod literals;
mod operators;

use syn::{Error, Result};

use crate::{
    infer::Inferred,
    names::Names,
    tree::{Declared, Node, What},
    types::{Scalar, Types},
};

/// The placeholder that the renderer replaces by the function's name.
pub const NAME: &str = "@NAME@";

/// The precedence of C++ operators.
mod binds {
    pub const PRIMARY: u8 = 16;
    pub const UNARY: u8 = 15;
    pub const MUL: u8 = 13;
    pub const ADD: u8 = 12;
    pub const RELATION: u8 = 9;
    pub const EQUALITY: u8 = 8;
    pub const BIT_AND: u8 = 7;
    pub const BIT_XOR: u8 = 6;
    pub const BIT_OR: u8 = 5;
    pub const AND: u8 = 4;
    pub const OR: u8 = 3;
    pub const CHOICE: u8 = 2;
}

/// An expression without side effects.
#[derive(Clone)]
struct Value {
    text: String,
    /// The precedence of its outermost operator.
    binds: u8,
    /// Whether its value stays the same, because no variable in it changes.
    stable: bool,
    /// Whether it is a name or a literal.
    simple: bool,
}

struct Emitter<'a> {
    types: &'a Types,
    variables: &'a [Declared],
    names: Names,
    lines: Vec<String>,
    depth: usize,
    /// The variable for each loop's value, the innermost loop last.
    loops: Vec<Option<String>>,
}

/// Returns the device function of a closure.
pub fn function(inferred: &Inferred) -> Result<String> {
    let closure = &inferred.closure;
    let mut emitter = Emitter::new(inferred);
    let mut parameters = Vec::new();
    for &parameter in &closure.parameters {
        let declared = &closure.variables[parameter];
        let scalar = emitter.declared(parameter)?;
        parameters.push(format!("{} {}", scalar.device(), declared.name));
    }
    let result = match inferred.types.decided(closure.result) {
        Some(scalar) => scalar.device(),
        None => {
            return Err(Error::new(
                closure.body.span,
                "the type of the result can't be inferred",
            ));
        }
    };
    emitter.depth = 1;
    let value = emitter.value(&closure.body)?;
    if emitter.has_value(&closure.body) {
        emitter.line(&format!("return {};", value.text));
    }
    let head = format!(
        "__device__ __forceinline__ {result} {NAME}({})",
        parameters.join(", ")
    );
    Ok(match &emitter.lines[..] {
        [line] => format!("{head} {{ {} }}", line.trim_start()),
        lines => format!("{head} {{\n{}\n}}", lines.join("\n")),
    })
}

/// Returns the text of an expression that needs no statements.
pub fn constant(inferred: &Inferred) -> Result<String> {
    let mut emitter = Emitter::new(inferred);
    let value = emitter.value(&inferred.closure.body)?;
    if !emitter.lines.is_empty() {
        return Err(Error::new(
            inferred.closure.body.span,
            "this must be an expression without statements",
        ));
    }
    Ok(value.text)
}

impl<'a> Emitter<'a> {
    fn new(inferred: &'a Inferred) -> Self {
        let variables = &inferred.closure.variables;
        Self {
            types: &inferred.types,
            variables,
            names: Names::default(),
            lines: Vec::new(),
            depth: 0,
            loops: Vec::new(),
        }
    }

    fn line(&mut self, text: &str) {
        self.lines
            .push(format!("{}{text}", "    ".repeat(self.depth)));
    }

    /// Calls `write` and returns the lines that it wrote, indented once.
    fn inside<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(Vec<String>, T)> {
        let outside = std::mem::take(&mut self.lines);
        self.depth += 1;
        let written = write(self);
        self.depth -= 1;
        let lines = std::mem::replace(&mut self.lines, outside);
        Ok((lines, written?))
    }

    fn scalar(&self, node: &Node) -> Result<Scalar> {
        self.types.decided(node.ty).ok_or_else(|| {
            let message = format!(
                "this is {}, but a number is expected",
                self.types.describe(node.ty)
            );
            Error::new(node.span, message)
        })
    }

    fn declared(&self, variable: usize) -> Result<Scalar> {
        let declared = &self.variables[variable];
        self.types.decided(declared.ty).ok_or_else(|| {
            Error::new(
                declared.span,
                "the type of this variable can't be inferred: write it, as in `let x: f32`",
            )
        })
    }

    fn has_value(&self, node: &Node) -> bool {
        self.types.decided(node.ty).is_some()
    }

    /// Stores a value in a new variable.
    fn put_aside(&mut self, scalar: Scalar, value: &Value) -> (String, Value) {
        let name = self.names.temporary();
        let line = format!("{} {name} = {};", scalar.device(), value.text);
        (line, Value::name(&name, true))
    }

    /// Returns the values of operands, which are evaluated from left to right.
    fn values<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) -> Result<Vec<Value>> {
        let mut before: Vec<(&Node, Value)> = Vec::new();
        for node in nodes {
            let mark = self.lines.len();
            let value = self.value(node)?;
            if self.lines.len() > mark {
                let mut place = mark;
                for (earlier, value) in &mut before {
                    if !value.stable && self.has_value(earlier) {
                        let (line, aside) = self.put_aside(self.scalar(earlier)?, value);
                        let indent = "    ".repeat(self.depth);
                        self.lines.insert(place, format!("{indent}{line}"));
                        place += 1;
                        *value = aside;
                    }
                }
            }
            before.push((node, value));
        }
        Ok(before.into_iter().map(|(_, value)| value).collect())
    }

    /// Writes the statements of an expression, and returns its value.
    fn value(&mut self, node: &Node) -> Result<Value> {
        match &node.what {
            What::Integer { value, negative } => {
                literals::integer(*value, *negative, self.scalar(node)?, node.span)
            }
            What::Real(digits) => literals::real(digits, self.scalar(node)?, node.span),
            What::Truth(truth) => Ok(Value::literal(truth.to_string())),
            What::Constant(constant) => {
                literals::constant(*constant, self.scalar(node)?, node.span)
            }
            What::Variable(variable) => {
                let declared = &self.variables[*variable];
                Ok(Value::name(&declared.name, !declared.mutable))
            }
            What::Negative(operand) => self.negative(operand),
            What::Not(operand) => self.not(operand),
            What::Binary(operator, left, right) => self.binary(*operator, left, right),
            What::And(left, right) => self.logic(left, right, true),
            What::Or(left, right) => self.logic(left, right, false),
            What::Cast(operand) => self.cast(operand, self.scalar(node)?),
            What::Call(text, arguments) => self.call(*text, arguments),
            _ => self.control(node),
        }
    }
}

impl Value {
    fn new(text: String, binds: u8, stable: bool) -> Self {
        Self {
            text,
            binds,
            stable,
            simple: false,
        }
    }

    fn name(name: &str, stable: bool) -> Self {
        Self {
            text: name.into(),
            binds: binds::PRIMARY,
            stable,
            simple: true,
        }
    }

    fn literal(text: String) -> Self {
        let binds = if text.starts_with('-') {
            binds::UNARY
        } else {
            binds::PRIMARY
        };
        Self {
            text,
            binds,
            stable: true,
            simple: true,
        }
    }

    /// The value of an expression without one. It serves as a number in unreachable code.
    fn none() -> Self {
        Self::literal("0".into())
    }

    /// Returns the text as an operand that requires at least this precedence.
    fn within(&self, binds: u8) -> String {
        if self.binds >= binds {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}
