//! Structs as elements of arrays.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, ext::IdentExt, spanned::Spanned};

/// Returns the implementation of `Element` for a struct.
pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "only a struct can be an element: enums and unions have invalid bit patterns",
        ));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(
            &input.ident,
            "the fields of an element need names, which CUDA C++ uses to access them",
        ));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &input.generics,
            "an element can't be generic: kernels need one fixed layout",
        ));
    }
    check_layout(input)?;
    let name = &input.ident;
    let text = known_in_cuda(name)?;
    let mut described = Vec::new();
    for field in &fields.named {
        let (Some(ident), ty) = (&field.ident, &field.ty) else {
            continue;
        };
        let text = known_in_cuda(ident)?;
        described.push(quote::quote_spanned! {ty.span()=>
            ::cuda_compute::StructField {
                name: #text,
                offset: ::core::mem::offset_of!(#name, #ident),
                data: <#ty as ::cuda_compute::ElementField>::FIELD_TYPE,
            }
        });
    }
    // SAFETY of the generated code: the compiler takes the fields' names, offsets and types from
    // the struct itself. `of` checks that they fill the struct, and requires plain data, which has
    // no padding.
    Ok(quote! {
        const _: () = {
            // SAFETY: these are the struct's fields.
            static DESCRIBED: ::cuda_compute::StructType = unsafe {
                ::cuda_compute::StructType::of::<#name>(#text, &[#(#described),*])
            };

            #[automatically_derived]
            unsafe impl ::cuda_compute::Element for #name {
                const DATA_TYPE: ::cuda_compute::DataType =
                    ::cuda_compute::DataType::Struct(&DESCRIBED);
                type Stored = Self;

                #[inline]
                fn to_stored(self) -> Self {
                    self
                }

                fn as_stored(values: &[Self]) -> ::core::option::Option<&[Self]> {
                    ::core::option::Option::Some(values)
                }

                fn as_stored_mut(values: &mut [Self]) -> ::core::option::Option<&mut [Self]> {
                    ::core::option::Option::Some(values)
                }

                fn of_stored(stored: Self) -> Self {
                    stored
                }
            }
        };
    })
}

/// Checks that the struct has C's memory layout.
fn check_layout(input: &DeriveInput) -> Result<()> {
    let (mut as_c, mut packed) = (false, None);
    for attribute in &input.attrs {
        if !attribute.path().is_ident("repr") {
            continue;
        }
        attribute.parse_nested_meta(|meta| {
            as_c |= meta.path.is_ident("C") || meta.path.is_ident("transparent");
            if meta.path.is_ident("packed") {
                packed = Some(meta.path.to_token_stream());
            }
            if meta.input.peek(syn::token::Paren) {
                let inner;
                syn::parenthesized!(inner in meta.input);
                inner.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    if let Some(packed) = packed {
        return Err(Error::new_spanned(
            packed,
            "a packed struct can't be an element: its fields would not be aligned",
        ));
    }
    if !as_c {
        return Err(Error::new_spanned(
            &input.ident,
            "an element needs `#[repr(C)]`: otherwise the order of its fields is unspecified",
        ));
    }
    Ok(())
}

/// Returns the name if it is valid in CUDA C++. Keywords are valid, because `cuda_compute` appends
/// an underscore to them.
fn known_in_cuda(ident: &Ident) -> Result<String> {
    let name = ident.unraw().to_string();
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && !name.contains("__") {
        return Ok(name);
    }
    Err(Error::new_spanned(
        ident,
        format!(
            "`{name}` can't be a name in CUDA C++: use ASCII letters, digits and single underscores"
        ),
    ))
}
