//! The macros of `cuda-compute`: closures in Rust, translated to CUDA C++ when the program is compiled, and structs as
//! elements.
//!
//! Use them through `cuda_compute`, whose documentation of `device_fn!` and `fold!` says what a closure may hold, and that of
//! `Element` what a struct.

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

/// A function of numbers for the device, from a closure: see `cuda_compute::device_fn`.
#[proc_macro]
pub fn device_fn(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expanded(device_fn_of(input.into()))
}

/// A combination of two numbers and its identity: see `cuda_compute::fold`.
#[proc_macro]
pub fn fold(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expanded(fold_of(input.into()))
}

/// A struct of plain data as an element of arrays: see `cuda_compute::Element`.
#[proc_macro_derive(Element)]
pub fn element(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expanded(syn::parse(input).and_then(|input| element::derive(&input)))
}

fn expanded(result: Result<TokenStream>) -> proc_macro::TokenStream {
    result
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// A closure, maybe with a comma behind it.
struct Function(ExprClosure);

/// A closure, and the identity of what it computes.
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
            "a closure is expected, written here: only its text can be translated, as in `|x: f32| x + 1.0`",
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
            let message = "the identity is missing, the value that changes nothing, as in `|a: f32, b: f32| a + b, 0.0`";
            return Err(Error::new(input.span(), message));
        }
        input.parse::<Token![,]>()?;
        let identity = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Self(closure, identity))
    }
}

/// A closure whose types are known, and the expression that makes a `DeviceFn` of it.
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
    // The block is right, as the constructor asks, because the text is the translation of the function beside it, and
    // only arithmetic of its parameters: no pointer, no memory, no code of anybody else. It comes from a macro of
    // another crate, which the lint `unsafe_code` lets pass.
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
            "a fold combines two values of a type to one of it, and this takes ({}) and returns {}",
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
    // Right for the same reason: the text is the translation of the expression beside it.
    Ok(quote! {{
        let (combine, identity): (_, #ty) = (#combine, #identity);
        unsafe { ::cuda_compute::Fold::<#ty>::translated(combine, identity, #text) }
    }})
}
