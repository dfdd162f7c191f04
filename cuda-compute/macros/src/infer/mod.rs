//! Translation of Rust's syntax to a tree with inferred types.
//!
//! The inference rules are a subset of rustc's rules for numbers. rustc makes the final decision:
//! the closure is also compiled as a Rust function with the inferred types written at its literals,
//! so a disagreement can't go unnoticed.

mod calls;
mod expressions;
mod refused;
mod statements;

use std::collections::HashMap;

use proc_macro2::Span;
use syn::{Error, Expr, ExprClosure, Ident, Pat, Result, ReturnType, Type, spanned::Spanned};

use crate::{
    names::Names,
    tree::{Closure, Declared, Node, Variable},
    types::{Kind, Scalar, Ty, Types},
};

/// The maximum number of parameters of a closure.
const MOST: usize = 6;

/// A closure whose types are inferred, with the data that `host` needs.
pub struct Inferred {
    pub closure: Closure,
    pub types: Types,
    /// The types of all number literals, in the order in which they are read.
    pub literals: Vec<Ty>,
    /// The variable that each name refers to, in the order in which the names are read.
    pub mentions: Vec<Variable>,
}

/// The state while a closure is read.
#[derive(Default)]
struct Checker {
    types: Types,
    names: Names,
    host_names: Names,
    variables: Vec<Declared>,
    /// The visible variables, the innermost block last.
    scopes: Vec<HashMap<String, Variable>>,
    loops: Vec<Loop>,
    /// The type of the closure's result, or none outside a closure.
    result: Option<Ty>,
    literals: Vec<Ty>,
    mentions: Vec<Variable>,
}

/// A loop that is being read.
struct Loop {
    /// The type of its value.
    ty: Ty,
    /// Whether it is a `loop`, whose `break` may have a value.
    has_value: bool,
    /// Whether it has a `break`.
    ends: bool,
}

/// Reads a closure.
pub fn closure(closure: &ExprClosure) -> Result<Inferred> {
    refused::closure(closure)?;
    let mut checker = Checker::default();
    checker.scopes.push(HashMap::new());
    let parameters: Vec<Variable> = closure
        .inputs
        .iter()
        .map(|input| checker.parameter(input))
        .collect::<Result<_>>()?;
    if parameters.is_empty() || parameters.len() > MOST {
        let message = format!(
            "a closure for the device has 1 to {MOST} parameters, but this one has {}",
            parameters.len()
        );
        return Err(Error::new(closure.or1_token.span(), message));
    }
    let result = match &closure.output {
        ReturnType::Default => checker.types.open(Kind::Any),
        ReturnType::Type(_, ty) => match &**ty {
            Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                return Err(Error::new_spanned(tuple, refused::TUPLE));
            }
            ty => Scalar::written(ty)?.into(),
        },
    };
    checker.result = Some(result);
    let body = checker.expression(&closure.body)?;
    let result = checker.types.join(result, body.ty, body.span)?;
    if checker.types.decided(result).is_none() {
        let message = "the closure returns nothing: end it with an expression without a `;`";
        return Err(Error::new(body.span, message));
    }
    Ok(checker.finish(parameters, body, result))
}

/// Reads an expression of this type without variables.
pub fn constant(expression: &Expr, ty: Scalar) -> Result<Inferred> {
    let mut checker = Checker::default();
    let body = checker.expression(expression)?;
    checker.types.join(ty.into(), body.ty, body.span)?;
    Ok(checker.finish(Vec::new(), body, ty.into()))
}

impl Checker {
    fn finish(self, parameters: Vec<Variable>, body: Node, result: Ty) -> Inferred {
        Inferred {
            closure: Closure {
                parameters,
                variables: self.variables,
                body,
                result,
            },
            types: self.types,
            literals: self.literals,
            mentions: self.mentions,
        }
    }

    fn parameter(&mut self, input: &Pat) -> Result<Variable> {
        match input {
            Pat::Type(typed) => {
                let ty = Scalar::written(&typed.ty)?;
                match self.pattern(&typed.pat, ty.into())? {
                    Some(variable) if self.scopes[0].len() < self.mentions.len() => {
                        let span = self.variables[variable].span;
                        Err(Error::new(span, "another parameter has this name"))
                    }
                    Some(variable) => Ok(variable),
                    // The parameter is unused, but it keeps its position.
                    None => Ok(self.declare("unused", ty.into(), false, typed.pat.span())),
                }
            }
            Pat::Ident(name) => {
                let message = format!(
                    "write the type of the parameter, as in `{}: f32`",
                    name.ident
                );
                Err(Error::new_spanned(name, message))
            }
            other => Err(Error::new_spanned(
                other,
                "write the parameter's name and type, as in `x: f32`",
            )),
        }
    }

    /// Returns the variable that a pattern declares, or none for `_`.
    fn pattern(&mut self, pattern: &Pat, ty: Ty) -> Result<Option<Variable>> {
        match pattern {
            Pat::Wild(_) => Ok(None),
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let variable = self.declare(
                    &name.ident.to_string(),
                    ty,
                    name.mutability.is_some(),
                    name.ident.span(),
                );
                self.mentions.push(variable);
                Ok(Some(variable))
            }
            other => Err(Error::new_spanned(
                other,
                "patterns are not supported on the device: declare one variable by its name",
            )),
        }
    }

    /// Declares a variable in the innermost block.
    fn declare(&mut self, name: &str, ty: Ty, mutable: bool, span: Span) -> Variable {
        let name = name.strip_prefix("r#").unwrap_or(name);
        let variable = self.variables.len();
        self.variables.push(Declared {
            name: self.names.variable(name),
            host: self.host_names.same(name),
            ty,
            mutable,
            span,
        });
        let scope = self.scopes.last_mut().expect("a closure has a scope");
        scope.insert(name.to_string(), variable);
        variable
    }

    /// Returns the variable with this name.
    fn variable(&mut self, name: &Ident) -> Result<Variable> {
        let text = name.to_string();
        let text = text.strip_prefix("r#").unwrap_or(&text);
        let found = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(text).copied());
        let variable = found.ok_or_else(|| refused::captured(name))?;
        self.mentions.push(variable);
        Ok(variable)
    }

    /// Returns the type of `node`, which must be known by now.
    fn known(&self, node: &Node) -> Result<Scalar> {
        self.types.scalar(node.ty).ok_or_else(|| {
            let message = format!(
                "calling a method of {} requires its exact type: write the type, as in `2.0_f32` or \
                 `let x: f32`",
                self.types.describe(node.ty)
            );
            Error::new(node.span, message)
        })
    }
}
