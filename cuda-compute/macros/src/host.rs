//! The closure as a Rust function.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Error, Expr, ExprClosure, ExprForLoop, ExprParen, ExprPath, Ident, Lit, LitFloat, LitInt,
    Local, Pat, PatIdent, Path, Result, Type, parse_quote_spanned,
    spanned::Spanned,
    token::Paren,
    visit_mut::{self, VisitMut},
};

use crate::{infer::Inferred, types::Scalar};

/// Adds the inferred types to the closure, so that rustc compares them with its own, and names
/// types by paths that can't be shadowed. A variable that shadows another one gets a unique name.
/// rustc resolves names across macros (hygiene), so it then finds either the variable that was
/// found here or none.
///
/// It visits the closure in the same order as `infer`.
struct Typed<'a> {
    inferred: &'a Inferred,
    /// The number of literals and names visited so far.
    literals: usize,
    mentions: usize,
    failed: Option<Error>,
}

/// Returns the Rust function `host` of a closure.
pub fn function(closure: &ExprClosure, inferred: &Inferred) -> Result<TokenStream> {
    let mut typed = Typed::new(inferred);
    let mut closure = closure.clone();
    for input in &mut closure.inputs {
        typed.visit_pat_mut(input);
    }
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
                "a parameter needs a name and a type",
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
        // The attribute is outside the braces. It silences lints that recommend syntax which the
        // device lacks.
        #[allow(
            unused_parens,
            unused_braces,
            clippy::explicit_counter_loop,
            clippy::manual_range_contains,
            clippy::manual_swap,
            clippy::neg_cmp_op_on_partial_ord
        )]
        fn host(#(#inputs),*) -> #result #body
    })
}

/// Returns whether the expression starts with a block or an `if`. As the last line of a function it
/// would be parsed as a statement.
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

/// Returns an expression with its types written out.
pub fn expression(expression: &Expr, inferred: &Inferred) -> Result<Expr> {
    let mut expression = expression.clone();
    let mut typed = Typed::new(inferred);
    typed.visit_expr_mut(&mut expression);
    typed.finish()?;
    Ok(expression)
}

/// Returns the Rust types of a closure's parameters.
pub fn parameters(inferred: &Inferred) -> Vec<Scalar> {
    let closure = &inferred.closure;
    let types = closure
        .parameters
        .iter()
        .map(|&variable| closure.variables[variable].ty);
    types.filter_map(|ty| inferred.types.decided(ty)).collect()
}

/// Returns the Rust type of a closure's result.
pub fn result(inferred: &Inferred) -> Result<Type> {
    let scalar = result_scalar(inferred)?;
    Ok(primitive(scalar, Span::mixed_site()))
}

pub fn result_scalar(inferred: &Inferred) -> Result<Scalar> {
    let closure = &inferred.closure;
    let found = inferred.types.decided(closure.result);
    found.ok_or_else(|| {
        Error::new(
            closure.body.span,
            "the type of the result can't be inferred",
        )
    })
}

/// Returns a type by a path that can't be shadowed.
pub fn primitive(scalar: Scalar, span: Span) -> Type {
    let name = syn::Ident::new(scalar.rust(), span);
    parse_quote_spanned!(span=> ::core::primitive::#name)
}

impl<'a> Typed<'a> {
    fn new(inferred: &'a Inferred) -> Self {
        Self {
            inferred,
            literals: 0,
            mentions: 0,
            failed: None,
        }
    }

    fn finish(self) -> Result<()> {
        let Inferred {
            literals,
            mentions,
            closure,
            ..
        } = self.inferred;
        match self.failed {
            Some(error) => Err(error),
            None if (self.literals, self.mentions) == (literals.len(), mentions.len()) => Ok(()),
            None => Err(Error::new(
                closure.body.span,
                "internal error: the numbers and names in this closure were counted incorrectly. Please report it",
            )),
        }
    }

    /// Renames the next name for the Rust function.
    fn name(&mut self, name: &mut Ident) {
        let Some(&variable) = self.inferred.mentions.get(self.mentions) else {
            self.failed = Some(Error::new(
                name.span(),
                "internal error: this name was not read. Please report it",
            ));
            return;
        };
        self.mentions += 1;
        let host = &self.inferred.closure.variables[variable].host;
        let text = name.to_string();
        if text.strip_prefix("r#").unwrap_or(&text) != host {
            *name = Ident::new(host, name.span());
        }
    }

    /// Returns the type of the next number.
    fn next(&mut self, span: Span) -> Option<Scalar> {
        let found = self
            .inferred
            .literals
            .get(self.literals)
            .and_then(|ty| self.inferred.types.decided(*ty));
        self.literals += 1;
        if found.is_none() {
            self.failed = Some(Error::new(
                span,
                "the type of this number can't be inferred: write it, as in `1.0_f32`",
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
        let (text, suffix) = match &literal {
            Lit::Int(number) => (number.token().to_string(), number.suffix()),
            Lit::Float(number) => (number.token().to_string(), number.suffix()),
            _ => return,
        };
        let Some(scalar) = self.next(literal.span()) else {
            return;
        };
        if !suffix.is_empty() {
            return;
        }
        // Lints about the form of numbers compare the literal with the source text at its span,
        // which can't match if it comes from a macro.
        let plain = text.len() <= 6 && text.chars().all(|c| c.is_ascii_digit() || c == '.');
        let span = if plain {
            literal.span()
        } else {
            Span::mixed_site().located_at(literal.span())
        };
        let zero = if text.ends_with('.') { "0" } else { "" };
        let text = format!("{text}{zero}_{}", scalar.rust());
        *literal = match literal {
            Lit::Int(_) => Lit::Int(LitInt::new(&text, span)),
            _ => Lit::Float(LitFloat::new(&text, span)),
        };
    }

    /// rustc flattens groups from other macros: `$a * 2.0` would become `1.0 + 0.5 * 2.0`.
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        if let Expr::Group(group) = expression {
            *expression = Expr::Paren(ExprParen {
                attrs: Vec::new(),
                paren_token: Paren(group.expr.span()),
                expr: group.expr.clone(),
            });
        }
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Ok(scalar) = Scalar::written(ty) {
            *ty = primitive(scalar, ty.span());
        }
    }

    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        let single = path.qself.is_none() && path.path.get_ident().is_some();
        match path.path.segments.first_mut() {
            Some(only) if single => self.name(&mut only.ident),
            _ => self.path(&mut path.path),
        }
    }

    fn visit_pat_ident_mut(&mut self, pattern: &mut PatIdent) {
        self.name(&mut pattern.ident);
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.visit_pat_mut(&mut local.pat);
    }

    fn visit_expr_for_loop_mut(&mut self, repeat: &mut ExprForLoop) {
        self.visit_expr_mut(&mut repeat.expr);
        self.visit_pat_mut(&mut repeat.pat);
        self.visit_block_mut(&mut repeat.body);
    }
}

/// Returns a text as a literal without a span in the source.
pub fn text(text: &str) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #text)
}
