//! `PFN_…`: function pointer types, for functions that are looked up at run time.
//!
//! NVIDIA's `cudaTypedefs.h` has them by version (`PFN_cuMemAlloc_v3020`). Those are bound like any
//! other type. This module adds a type for every bound function under the function's own name,
//! which does not require the version.

use std::collections::BTreeSet;

use syn::{
    File, ForeignItem, ForeignItemFn, GenericArgument, Item, ItemType, PathArguments, Type,
    TypeBareFn, UseTree, parse_quote,
};

use super::items;

/// Adds the missing types to `file`, and removes the `Option` from existing ones. With `linked`,
/// the documentation links to the functions of `file`.
pub fn add(file: &mut File, linked: bool) {
    let functions = items::declared(file).functions;
    let known = items::declared(file).types;
    for item in &mut file.items {
        if let Item::Type(item) = item
            && let Some(version) = item.ident.to_string().strip_prefix("PFN_")
        {
            always(item);
            document_version(item, version, linked.then_some(&functions));
        }
    }
    let own: Vec<Item> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::ForeignMod(block) => Some(&block.items),
            _ => None,
        })
        .flatten()
        .filter_map(|item| match item {
            ForeignItem::Fn(function) => Some(of_function(function)),
            _ => None,
        })
        .collect();
    let second: Vec<Item> = file
        .items
        .iter()
        .filter_map(|item| of_second_name(item, &functions))
        .collect();
    let new =
        |item: &Item| matches!(item, Item::Type(item) if !known.contains(&item.ident.to_string()));
    file.items.extend(own.into_iter().chain(second).filter(new));
}

/// Replaces `Option<unsafe extern "C" fn()>`, which bindgen generates for nullable C pointers, by
/// the pointer type.
fn always(item: &mut ItemType) {
    if let Type::Path(path) = &*item.ty
        && let Some(last) = path.path.segments.last()
        && last.ident == "Option"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        *item.ty = inner.clone();
    }
}

/// Documents the function and version that `name`, such as `cuMemAlloc_v3020`, refers to.
fn document_version(item: &mut ItemType, name: &str, functions: Option<&BTreeSet<String>>) {
    let Some((function, rest)) = name.rsplit_once("_v") else {
        return;
    };
    let (number, variant) = rest.split_once('_').unwrap_or((rest, ""));
    let Ok(number) = number.parse::<u32>() else {
        return;
    };
    let function = match functions {
        Some(functions) if functions.contains(function) => format!("[`{function}`]"),
        _ => format!("`{function}`"),
    };
    let version = crate::locate::dotted(number);
    let text = match variant {
        "" => format!(" {function} as of CUDA {version}."),
        _ => format!(" {function} as of CUDA {version}, for per-thread default streams."),
    };
    item.attrs
        .retain(|attribute| !attribute.path().is_ident("doc"));
    item.attrs.push(parse_quote!(#[doc = #text]));
}

fn of_function(function: &ForeignItemFn) -> Item {
    let name = &function.sig.ident;
    let (alias, ty) = (named(&name.to_string()), signature(function));
    let text = format!(" Type of [`{name}`].");
    parse_quote! {
        #[doc = #text]
        pub type #alias = #ty;
    }
}

/// Returns the function's type with the names of its arguments.
pub fn signature(function: &ForeignItemFn) -> TypeBareFn {
    let (arguments, result) = (&function.sig.inputs, &function.sig.output);
    parse_quote!(unsafe extern "C" fn(#arguments) #result)
}

/// Returns the type for an alias such as `pub use self::cuMemAlloc_v2 as cuMemAlloc`.
fn of_second_name(item: &Item, functions: &BTreeSet<String>) -> Option<Item> {
    let Item::Use(item) = item else { return None };
    let mut tree = &item.tree;
    while let UseTree::Path(path) = tree {
        tree = &path.tree;
    }
    let UseTree::Rename(rename) = tree else {
        return None;
    };
    let target = rename.ident.to_string();
    if !functions.contains(&target) {
        return None;
    }
    let (alias, target, text) = (
        named(&rename.rename.to_string()),
        named(&target),
        format!(" Type of [`{}`].", rename.rename),
    );
    Some(parse_quote! {
        #[doc = #text]
        pub type #alias = #target;
    })
}

fn named(function: &str) -> syn::Ident {
    syn::Ident::new(&format!("PFN_{function}"), proc_macro2::Span::call_site())
}
