//! Errors for Rust syntax that the device lacks, each with an alternative.

use quote::ToTokens;
use syn::{Attribute, Error, Expr, ExprClosure, Ident, Result, visit_mut::VisitMut};

/// Rejects closures with modifiers, and attributes, which could remove parts of the closure.
pub fn closure(closure: &ExprClosure) -> Result<()> {
    if let Some(token) = &closure.asyncness {
        return Err(Error::new_spanned(
            token,
            "`async` is not supported on the device: leave it out",
        ));
    }
    if let Some(token) = &closure.constness {
        return Err(Error::new_spanned(
            token,
            "leave `const` out: the result is a constant anyway",
        ));
    }
    if let Some(token) = &closure.movability {
        return Err(Error::new_spanned(
            token,
            "`static` is not supported on the device: leave it out",
        ));
    }
    if let Some(token) = &closure.capture {
        return Err(Error::new_spanned(
            token,
            "leave `move` out: a closure for the device captures nothing",
        ));
    }
    if let Some(token) = &closure.lifetimes {
        return Err(Error::new_spanned(
            token,
            "lifetimes are not supported on the device: take values",
        ));
    }
    struct Attributes(Result<()>);
    impl VisitMut for Attributes {
        fn visit_attribute_mut(&mut self, attribute: &mut Attribute) {
            self.0 = Err(Error::new_spanned(
                attribute,
                "attributes are not supported on the device: leave it out",
            ));
        }
    }
    let mut attributes = Attributes(Ok(()));
    attributes.visit_expr_closure_mut(&mut closure.clone());
    attributes.0
}

/// Returns the error for a name that is not a variable of the closure.
pub fn captured(name: &Ident) -> Error {
    let constant = name.to_string().chars().all(|c| !c.is_lowercase());
    let message = if constant {
        format!(
            "`{name}` is not supported on the device, and neither are other constants of the program: write its value, or make \
             `{name}` a parameter"
        )
    } else {
        format!(
            "`{name}` is captured, and captured variables are not supported on the device: make `{name}` a parameter"
        )
    };
    Error::new_spanned(name, message)
}

/// The message for tuples, as values and as results.
pub const TUPLE: &str = "tuples are not supported on the device: use variables. To compute several results, write a closure \
                         for each, and compute them in one kernel with `eval((f.map((&x,)), g.map((&x,))))`";

/// Returns the error for an unsupported kind of expression.
pub fn expression(expression: &Expr) -> Error {
    let message = match expression {
        Expr::Array(_) | Expr::Repeat(_) => "arrays are not supported in a closure: use variables",
        Expr::Async(_) | Expr::Await(_) | Expr::Yield(_) => {
            "this is not supported on the device: leave it out"
        }
        Expr::Closure(_) => {
            "closures in closures are not supported on the device: write out what it computes"
        }
        Expr::Field(_) => {
            "fields are not supported on the device: make the field a parameter, and pass it as in \
             `f.map((x.field(|value| &value.mass),))`"
        }
        Expr::Index(_) => {
            "indexing is not supported in a closure, which gets one element of each array: make the element a parameter"
        }
        Expr::Let(_) => "`let` in a condition is not supported on the device: compare numbers",
        Expr::Lit(_) => "the supported literals are numbers, `true` and `false`",
        Expr::Macro(_) => return macros(expression),
        Expr::Match(_) => "`match` is not supported on the device: write `if` and `else`",
        Expr::Range(_) => "ranges are supported only in `for`",
        Expr::RawAddr(_) | Expr::Reference(_) => {
            "references are not supported on the device: use the value"
        }
        Expr::Struct(_) => "structures are not supported on the device: use variables",
        Expr::Try(_) => "`?` is not supported on the device: there is no `Option` and no `Result`",
        Expr::Tuple(_) => TUPLE,
        Expr::Unary(_) => "`*` is not supported on the device: there are no references",
        Expr::Unsafe(_) => "`unsafe` is not supported on the device: leave it out",
        _ => {
            "this is not supported on the device: use numbers, operators, `let`, `if`, loops and methods of numbers"
        }
    };
    Error::new_spanned(expression, message)
}

/// Returns the error for a macro call.
pub fn macros(call: impl ToTokens) -> Error {
    Error::new_spanned(
        call,
        "macros are not supported on the device: leave it out, or write out what it does",
    )
}

/// Returns the error for a label.
pub fn label(label: impl ToTokens) -> Error {
    Error::new_spanned(
        label,
        "labels are not supported on the device: leave the inner loop by a condition, or the closure by `return`",
    )
}
