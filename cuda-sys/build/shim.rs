//! For the feature `dynamic-loading`: replaces bindgen's function declarations by definitions that
//! look up the function at the first call.
//!
//! Each definition has the path, the signature and the documentation of the declaration. Its body
//! reads an address, which the first call looks up, and jumps to it. No C name is exported, so that
//! a search for `cuInit` in the process does not find this one.

use proc_macro2::Span;
use syn::{
    BareFnArg, File, FnArg, ForeignItem, ForeignItemFn, Item, LitCStr, Pat, Token, parse_quote,
    punctuated::Punctuated,
};

use crate::pointers;

/// Returns `file` with all declared functions defined.
pub fn define(file: &File) -> File {
    let mut file = file.clone();
    file.items = file
        .items
        .into_iter()
        .flat_map(|item| match item {
            Item::ForeignMod(block) => block
                .items
                .into_iter()
                .map(|item| match item {
                    ForeignItem::Fn(function) => define_one(&function),
                    // The headers declare no variables. If one did, the linker would report it.
                    other => parse_quote!(unsafe extern "C" { #other }),
                })
                .collect(),
            item => vec![item],
        })
        .collect();
    file
}

fn define_one(function: &ForeignItemFn) -> Item {
    let name = &function.sig.ident;
    let (arguments, result) = (&function.sig.inputs, &function.sig.output);
    let documentation = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"));
    let given = arguments.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => match &*argument.pat {
            Pat::Ident(pattern) => Some(&pattern.ident),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let mut pointer = pointers::signature(function);
    pointer.inputs = pointer
        .inputs
        .into_iter()
        .map(|argument| BareFnArg {
            name: None,
            ..argument
        })
        .collect::<Punctuated<_, Token![,]>>();
    let symbol = LitCStr::new(
        &std::ffi::CString::new(name.to_string()).unwrap_or_default(),
        Span::call_site(),
    );
    let library: syn::Path = if name.to_string().starts_with("nvrtc") {
        parse_quote!(crate::loading::NVRTC)
    } else {
        parse_quote!(crate::loading::DRIVER)
    };
    parse_quote! {
        #(#documentation)*
        #[inline]
        pub unsafe extern "C" fn #name(#arguments) #result {
            static SYMBOL: crate::loading::Symbol = crate::loading::Symbol::new(#symbol);
            match SYMBOL.address(&#library) {
                Some(address) => unsafe {
                    ::core::mem::transmute::<::core::ptr::NonNull<::core::ffi::c_void>, #pointer>(address)(#(#given),*)
                },
                None => crate::loading::Answer::without(&#library),
            }
        }
    }
}
