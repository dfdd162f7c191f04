//! The closure as a Rust function.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Error, Expr, ExprClosure, ExprPath, Lit, LitFloat, LitInt, Pat, Path, Result, Type,
    parse_quote_spanned,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

use crate::{infer::Inferred, types::Scalar};

/// Writes down the types that were found, so that rustc compares them with its own, and names types by paths that
/// nothing can shadow.
struct Typed<'a> {
    inferred: &'a Inferred,
    next: usize,
    failed: Option<Error>,
}

/// The Rust function `host` of a closure.
pub fn function(closure: &ExprClosure, inferred: &Inferred) -> Result<TokenStream> {
    let mut typed = Typed::new(inferred);
    let mut closure = closure.clone();
    typed.visit_expr_mut(&mut closure.body);
    typed.finish()?;
    let parameters = closure.inputs.iter().zip(&inferred.closure.parameters);
    let mut inputs = Vec::new();
    for (input, &variable) in parameters {
        let (Pat::Type(input), Some(scalar)) = (
            input,
            inferred
                .types
                .decided(inferred.closure.variables[variable].ty),
        ) else {
            return Err(Error::new_spanned(
                input,
                "a parameter has a name and a type",
            ));
        };
        let (pattern, ty) = (&input.pat, primitive(scalar, input.ty.span()));
        inputs.push(quote!(#pattern: #ty));
    }
    let result = result(inferred)?;
    let body = match &*closure.body {
        Expr::Block(block) if block.label.is_none() => {
            let block = &block.block;
            quote!(#block)
        }
        body if starts_with_block(body) => quote!({ (#body) }),
        body => quote!({ #body }),
    };
    Ok(quote! {
        #[allow(unused_parens, unused_braces)]
        fn host(#(#inputs),*) -> #result #body
    })
}

/// Whether a block or an `if` stands in front: as the last line of a function it would be taken for a statement.
fn starts_with_block(expression: &Expr) -> bool {
    let mut first = expression;
    loop {
        first = match first {
            Expr::Binary(binary) => &binary.left,
            Expr::Cast(cast) => &cast.expr,
            Expr::MethodCall(call) => &call.receiver,
            Expr::Block(_) | Expr::If(_) | Expr::Loop(_) => {
                return !std::ptr::eq(first, expression);
            }
            _ => return false,
        };
    }
}

/// An expression, with its types written down.
pub fn expression(expression: &Expr, inferred: &Inferred) -> Result<Expr> {
    let mut expression = expression.clone();
    let mut typed = Typed::new(inferred);
    typed.visit_expr_mut(&mut expression);
    typed.finish()?;
    Ok(expression)
}

/// The Rust types of a closure's parameters.
pub fn parameters(inferred: &Inferred) -> Vec<Scalar> {
    let closure = &inferred.closure;
    let types = closure
        .parameters
        .iter()
        .map(|&variable| closure.variables[variable].ty);
    types.filter_map(|ty| inferred.types.decided(ty)).collect()
}

/// The Rust type of a closure's result.
pub fn result(inferred: &Inferred) -> Result<Type> {
    let scalar = result_scalar(inferred)?;
    Ok(primitive(scalar, Span::mixed_site()))
}

pub fn result_scalar(inferred: &Inferred) -> Result<Scalar> {
    let closure = &inferred.closure;
    let found = inferred.types.decided(closure.result);
    found.ok_or_else(|| Error::new(closure.body.span, "the type of the result is not known"))
}

/// A type by a path that can't be shadowed.
pub fn primitive(scalar: Scalar, span: Span) -> Type {
    let name = syn::Ident::new(scalar.rust(), span);
    parse_quote_spanned!(span=> ::core::primitive::#name)
}

impl<'a> Typed<'a> {
    fn new(inferred: &'a Inferred) -> Self {
        Self {
            inferred,
            next: 0,
            failed: None,
        }
    }

    fn finish(self) -> Result<()> {
        match self.failed {
            Some(error) => Err(error),
            None if self.next == self.inferred.literals.len() => Ok(()),
            None => Err(Error::new(
                self.inferred.closure.body.span,
                "the numbers in this closure were not counted rightly; please report it",
            )),
        }
    }

    /// The type of the next number.
    fn next(&mut self, span: Span) -> Option<Scalar> {
        let found = self
            .inferred
            .literals
            .get(self.next)
            .and_then(|ty| self.inferred.types.decided(*ty));
        self.next += 1;
        if found.is_none() {
            self.failed = Some(Error::new(
                span,
                "the type of this number is not known: write it, as in `1.0_f32`",
            ));
        }
        found
    }

    fn path(&self, path: &mut Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let span = path.span();
        let segments = &path.segments;
        *path = match names[..] {
            [_, _] if Scalar::named(names[0]).is_some() => {
                parse_quote_spanned!(span=> ::core::primitive::#segments)
            }
            ["std" | "core", _, "consts", _] => {
                let rest = segments.iter().skip(1);
                parse_quote_spanned!(span=> ::core #(::#rest)*)
            }
            ["f32" | "f64", "consts", _] => parse_quote_spanned!(span=> ::core::#segments),
            _ => return,
        };
    }
}

impl VisitMut for Typed<'_> {
    fn visit_lit_mut(&mut self, literal: &mut Lit) {
        // At its place, but not as if the program said so: lints would compare it with the text there.
        let span = Span::mixed_site().located_at(literal.span());
        match literal {
            Lit::Int(number) => {
                let Some(scalar) = self.next(span) else {
                    return;
                };
                if !number.suffix().is_empty() {
                    return;
                }
                let text = format!("{}_{}", number.token(), scalar.rust());
                *number = LitInt::new(&text, span);
            }
            Lit::Float(number) => {
                let Some(scalar) = self.next(span) else {
                    return;
                };
                if !number.suffix().is_empty() {
                    return;
                }
                let text = number.token().to_string();
                let zero = if text.ends_with('.') { "0" } else { "" };
                *number = LitFloat::new(&format!("{text}{zero}_{}", scalar.rust()), span);
            }
            _ => {}
        }
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Ok(scalar) = Scalar::written(ty) {
            *ty = primitive(scalar, ty.span());
        }
    }

    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        self.path(&mut path.path);
        visit_mut::visit_expr_path_mut(self, path);
    }
}

/// A text as a literal, without a place of its own.
pub fn text(text: &str) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #text)
}
