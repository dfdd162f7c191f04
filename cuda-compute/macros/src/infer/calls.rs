//! Names and calls: variables, constants of types, methods.

use syn::{
    Error, Expr, ExprCall, ExprMethodCall, ExprPath, Ident, Path, Result, punctuated::Punctuated,
    token::Comma,
};

use super::Checker;
use crate::{
    methods::{self, Text},
    tree::{Node, What},
    types::{Scalar, Ty, unknown},
};

/// The meaning of a path.
enum Named {
    /// `f32::name`.
    OfType(Scalar, Ident),
    /// `std::f32::consts::NAME`.
    OfConsts(Scalar, Ident),
    Other,
}

fn named(path: &Path) -> Result<Named> {
    if let Some(segment) = path
        .segments
        .iter()
        .find(|segment| !segment.arguments.is_none())
    {
        return Err(Error::new_spanned(
            &segment.arguments,
            "type parameters are not supported on the device: leave them out",
        ));
    }
    let names: Vec<String> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let last = &path.segments.last().expect("a path has a segment").ident;
    Ok(match names[..] {
        ["std" | "core", ty @ ("f32" | "f64"), "consts", _]
        | [ty @ ("f32" | "f64"), "consts", _] => {
            Named::OfConsts(Scalar::named(ty).expect("a type's name"), last.clone())
        }
        [
            "f16" | "bf16" | "usize" | "isize" | "i128" | "u128" | "char",
            _,
        ] => {
            return Err(unknown(path, names[0]));
        }
        [ty, _] => match Scalar::named(ty) {
            Some(scalar) => Named::OfType(scalar, last.clone()),
            None => Named::Other,
        },
        _ => Named::Other,
    })
}

impl Checker {
    /// Resolves a variable or a constant.
    pub(super) fn path(&mut self, path: &ExprPath) -> Result<(What, Ty)> {
        if path.qself.is_none() {
            if let Some(name) = path.path.get_ident() {
                let variable = self.variable(name)?;
                return Ok((What::Variable(variable), self.variables[variable].ty));
            }
            let found = match named(&path.path)? {
                Named::OfType(own, name) => methods::associated(own, &name.to_string()),
                Named::OfConsts(own, name) => {
                    methods::mathematical(own, &name.to_string()).map(|constant| (constant, own))
                }
                Named::Other => None,
            };
            if let Some((constant, ty)) = found {
                return Ok((What::Constant(constant), ty.into()));
            }
        }
        let text = quote::quote!(#path).to_string().replace(' ', "");
        let message = format!(
            "`{text}` is not supported on the device: the supported constants are those of the number types, such as `f32::MAX`, and \
             of `std::f32::consts` and `std::f64::consts`. Make any other constant a parameter"
        );
        Err(Error::new_spanned(path, message))
    }

    /// Resolves a method that is called as a function, such as `f32::max(a, b)`.
    pub(super) fn call(&mut self, call: &ExprCall) -> Result<(What, Ty)> {
        let path = match &*call.func {
            Expr::Path(path) if path.qself.is_none() => path,
            other => {
                return Err(Error::new_spanned(
                    other,
                    "only methods of numbers can be called on the device",
                ));
            }
        };
        let Named::OfType(own, name) = named(&path.path)? else {
            let text = quote::quote!(#path).to_string().replace(' ', "");
            let instead = match methods::of_c(&text) {
                Some(method) => {
                    let others = vec!["y"; method.arguments.len()].join(", ");
                    format!("write `x.{}({others})`", method.name)
                }
                None if text.ends_with("rsqrtf") || text.ends_with("rsqrt") => {
                    "write `x.sqrt().recip()`".into()
                }
                None => "write out what it computes".into(),
            };
            let message = format!(
                "`{text}` is not supported on the device, where only methods of numbers can be called: {instead}"
            );
            return Err(Error::new_spanned(path, message));
        };
        match &*name.to_string() {
            "from_bits" if own.is_real() => {
                let text = Text::Helper("rs_from_bits", own);
                let arguments = self.arguments(&name, &call.args, &[own.unsigned()])?;
                Ok((What::Call(text, arguments), own.into()))
            }
            // The conversion is lossless, because rustc rejects others.
            "from" if call.args.len() == 1 => {
                let value = self.operand(&call.args[0])?;
                self.known(&value)?;
                Ok((What::Cast(Box::new(value)), own.into()))
            }
            _ => match call.args.first() {
                Some(first) => {
                    let receiver = self.of_type(first, own)?;
                    let rest: Punctuated<Expr, Comma> = call.args.iter().skip(1).cloned().collect();
                    self.method(own, receiver, &name, &rest)
                }
                None => Err(no_method(own, &name)),
            },
        }
    }

    pub(super) fn method_call(&mut self, call: &ExprMethodCall) -> Result<(What, Ty)> {
        let receiver = self.operand(&call.receiver)?;
        if let Some(parameters) = &call.turbofish {
            return Err(Error::new_spanned(
                parameters,
                "type parameters are not supported on the device: leave them out",
            ));
        }
        let own = self.known(&receiver)?;
        self.method(own, receiver, &call.method, &call.args)
    }

    fn method(
        &mut self,
        own: Scalar,
        receiver: Node,
        name: &Ident,
        arguments: &Punctuated<Expr, Comma>,
    ) -> Result<(What, Ty)> {
        let Some(method) = methods::find(own, &name.to_string()) else {
            return Err(no_method(own, name));
        };
        let types: Vec<Scalar> = method.arguments.iter().map(|part| part.of(own)).collect();
        let mut all = vec![receiver];
        all.extend(self.arguments(name, arguments, &types)?);
        let ty = method.result.of(own).into();
        if let Text::Operator(operator) = method.text {
            let right = Box::new(all.pop().expect("an operator has two operands"));
            let left = Box::new(all.pop().expect("an operator has two operands"));
            return Ok((What::Binary(operator, left, right), ty));
        }
        Ok((What::Call(method.text.of(own), all), ty))
    }

    fn arguments(
        &mut self,
        name: &Ident,
        arguments: &Punctuated<Expr, Comma>,
        types: &[Scalar],
    ) -> Result<Vec<Node>> {
        if arguments.len() != types.len() {
            let count = types.len();
            let plural = if count == 1 { "" } else { "s" };
            let message = format!(
                "`{name}` takes {count} argument{plural}, but got {}",
                arguments.len()
            );
            return Err(Error::new(name.span(), message));
        }
        arguments
            .iter()
            .zip(types)
            .map(|(argument, ty)| self.of_type(argument, *ty))
            .collect()
    }
}

fn no_method(own: Scalar, name: &Ident) -> Error {
    let ty = own.rust();
    let remedy = methods::remedy(own, &name.to_string());
    let message = format!("the method `{name}` of `{ty}` is not supported on the device: {remedy}");
    Error::new(name.span(), message)
}
