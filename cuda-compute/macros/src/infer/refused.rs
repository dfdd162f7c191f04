//! Errors for the Rust that the device lacks, each with what to write instead.

use quote::ToTokens;
use syn::{Attribute, Error, Expr, ExprClosure, Ident, Result, visit_mut::VisitMut};

/// Refuses closures that are more than parameters and a body, and attributes, which might take parts out.
pub fn closure(closure: &ExprClosure) -> Result<()> {
    if let Some(token) = &closure.asyncness {
        return Err(Error::new_spanned(
            token,
            "`async` is not known on the device: leave it out",
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
            "`static` is not known on the device: leave it out",
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
            "lifetimes are not known on the device: take values",
        ));
    }
    struct Attributes(Result<()>);
    impl VisitMut for Attributes {
        fn visit_attribute_mut(&mut self, attribute: &mut Attribute) {
            self.0 = Err(Error::new_spanned(
                attribute,
                "attributes are not known on the device: leave it out",
            ));
        }
    }
    let mut attributes = Attributes(Ok(()));
    attributes.visit_expr_closure_mut(&mut closure.clone());
    attributes.0
}

/// The error for a name that is no variable of the closure.
pub fn captured(name: &Ident) -> Error {
    let constant = name.to_string().chars().all(|c| !c.is_lowercase());
    let message = if constant {
        format!(
            "`{name}` is not known on the device, nor are other constants of the program: write its value, or make \
             `{name}` a parameter"
        )
    } else {
        format!(
            "`{name}` is captured, and captured variables are not known on the device: make `{name}` a parameter"
        )
    };
    Error::new_spanned(name, message)
}

/// The error for an expression of a kind that the device lacks.
pub fn expression(expression: &Expr) -> Error {
    let message = match expression {
        Expr::Array(_) | Expr::Repeat(_) => "arrays are not known in a closure: use variables",
        Expr::Async(_) | Expr::Await(_) | Expr::Yield(_) => {
            "this is not known on the device: leave it out"
        }
        Expr::Closure(_) => {
            "closures in closures are not known on the device: write out what it computes"
        }
        Expr::Field(_) => "fields are not known on the device: make the value a parameter",
        Expr::Index(_) => {
            "indexing is not known in a closure, which sees one element of each array: make the element a parameter"
        }
        Expr::Let(_) => "`let` in a condition is not known on the device: compare numbers",
        Expr::Lit(_) => "known literals are numbers, `true` and `false`",
        Expr::Macro(_) => return macros(expression),
        Expr::Match(_) => "`match` is not known on the device: write `if` and `else`",
        Expr::Range(_) => "ranges are known only as what a `for` goes through",
        Expr::RawAddr(_) | Expr::Reference(_) => {
            "references are not known on the device: use the value"
        }
        Expr::Struct(_) => "structures are not known on the device: use variables",
        Expr::Try(_) => "`?` is not known on the device: there is no `Option` and no `Result`",
        Expr::Tuple(_) => "tuples are not known on the device: use variables",
        Expr::Unary(_) => "`*` is not known on the device: there are no references",
        Expr::Unsafe(_) => "`unsafe` is not known on the device: leave it out",
        _ => {
            "this is not known on the device: use numbers, operators, `let`, `if`, loops and methods of numbers"
        }
    };
    Error::new_spanned(expression, message)
}

/// The error for a call of a macro.
pub fn macros(call: impl ToTokens) -> Error {
    Error::new_spanned(
        call,
        "macros are not known on the device: leave it out, or write out what it does",
    )
}

/// The error for a label.
pub fn label(label: impl ToTokens) -> Error {
    Error::new_spanned(
        label,
        "labels are not known on the device: leave the inner loop by a condition, or the closure by `return`",
    )
}
