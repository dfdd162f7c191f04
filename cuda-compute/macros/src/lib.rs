//! The macros of `cuda-compute`: closures in Rust that are translated to CUDA C++ at compile time,
//! and structs as elements.
//!
//! Use them through `cuda_compute`. The supported syntax is described there: for closures at
//! `device_fn!` and `fold!`, for structs at `Element`.

mod element;
mod emit;
mod host;
mod infer;
mod methods;
mod names;
#[cfg(test)]
mod tests;
mod tree;
mod types;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Error, Expr, ExprClosure, Result, Token,
    parse::{Parse, ParseStream},
};

/// Translates a closure to a device function of numbers. See `cuda_compute::device_fn`.
#[proc_macro]
pub fn device_fn(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expanded(device_fn_of(input.into()))
}

/// Translates a closure that combines two numbers, with its identity. See `cuda_compute::fold`.
#[proc_macro]
pub fn fold(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expanded(fold_of(input.into()))
}

/// Makes a struct of plain data an element of arrays. See `cuda_compute::Element`.
#[proc_macro_derive(Element)]
pub fn element(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expanded(syn::parse(input).and_then(|input| element::derive(&input)))
}

fn expanded(result: Result<TokenStream>) -> proc_macro::TokenStream {
    result
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// A closure, optionally followed by a comma.
struct Function(ExprClosure);

/// A closure and the identity of its operation.
struct Combination(ExprClosure, Expr);

fn closure(input: ParseStream<'_>) -> Result<ExprClosure> {
    let mut expression: Expr = input.parse()?;
    while let Expr::Group(inner) = expression {
        expression = *inner.expr;
    }
    match expression {
        Expr::Closure(closure) => Ok(closure),
        other => Err(Error::new_spanned(
            other,
            "a closure is expected here, as in `|x: f32| x + 1.0`, because the macro translates its text",
        )),
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let closure = closure(input)?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Self(closure))
    }
}

impl Parse for Combination {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let closure = closure(input)?;
        if !input.peek(Token![,]) {
            let message = "the identity is missing (the value that leaves the other one unchanged), as in `|a: f32, b: f32| a + b, 0.0`";
            return Err(Error::new(input.span(), message));
        }
        input.parse::<Token![,]>()?;
        let identity = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Self(closure, identity))
    }
}

/// A closure with inferred types, and the expression that creates its `DeviceFn`.
struct Translated {
    inferred: infer::Inferred,
    expression: TokenStream,
}

fn translated(closure: &ExprClosure) -> Result<Translated> {
    let inferred = infer::closure(closure)?;
    let text = emit::function(&inferred)?;
    let function = host::function(closure, &inferred)?;
    let types = host::parameters(&inferred);
    let inputs = types
        .iter()
        .map(|&scalar| host::primitive(scalar, proc_macro2::Span::mixed_site()));
    let names = types.iter().map(|scalar| scalar.rust());
    let result = host::result(&inferred)?;
    let result_name = host::result_scalar(&inferred)?.rust();
    let literal = host::text(&text);
    // The block satisfies the constructor's safety condition: the text is the translation of the
    // function next to it, and contains only arithmetic on its parameters, without pointers, memory
    // or other code. It comes from a macro of another crate, so the lint `unsafe_code` accepts it.
    let expression = quote! {{
        #function
        unsafe {
            ::cuda_compute::DeviceFn::<fn(#(#inputs),*) -> #result>::translated(
                host,
                #literal,
                &[#(#names),*],
                #result_name,
            )
        }
    }};
    Ok(Translated {
        inferred,
        expression,
    })
}

fn device_fn_of(input: TokenStream) -> Result<TokenStream> {
    let Function(closure) = syn::parse2(input)?;
    Ok(translated(&closure)?.expression)
}

fn fold_of(input: TokenStream) -> Result<TokenStream> {
    let Combination(closure, identity) = syn::parse2(input)?;
    let combine = translated(&closure)?;
    let result = host::result_scalar(&combine.inferred)?;
    let parameters = host::parameters(&combine.inferred);
    if parameters != [result, result] {
        let found: Vec<&str> = parameters.iter().map(|scalar| scalar.rust()).collect();
        let message = format!(
            "a fold combines two values of one type to a third, but this closure takes ({}) and returns {}",
            found.join(", "),
            result.rust()
        );
        return Err(Error::new(closure.or1_token.span, message));
    }
    let constant = infer::constant(&identity, result)?;
    let text = host::text(&emit::constant(&constant)?);
    let identity = host::expression(&identity, &constant)?;
    let ty = host::primitive(result, proc_macro2::Span::mixed_site());
    let combine = combine.expression;
    // The safety condition holds for the same reason: the text is the translation of the expression
    // next to it.
    Ok(quote! {{
        let (combine, identity): (_, #ty) = (#combine, #identity);
        unsafe { ::cuda_compute::Fold::<#ty>::translated(combine, identity, #text) }
    }})
}
