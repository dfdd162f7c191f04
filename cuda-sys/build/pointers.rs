//! `PFN_…`: the types of the functions as pointers, for what is looked up while a program runs.
//!
//! NVIDIA's `cudaTypedefs.h` has them by version (`PFN_cuMemAlloc_v3020`); those are bound like any type. Here every
//! function of the bindings gets one under its own name too, which need not know the version.

use std::collections::BTreeSet;

use syn::{
    File, ForeignItem, ForeignItemFn, GenericArgument, Item, ItemType, PathArguments, Type,
    TypeBareFn, UseTree, parse_quote,
};

use crate::items;

/// Adds to `file` what it lacks, and takes the `Option` off what it has. With `linked`, documentation refers to the
/// functions of `file`.
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

/// `Option<unsafe extern "C" fn()>`, as bindgen binds a pointer that C may leave null, becomes the pointer.
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

/// Says which function and version `name`, as `cuMemAlloc_v3020`, is about.
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

/// The function's type, with the names of its arguments.
pub fn signature(function: &ForeignItemFn) -> TypeBareFn {
    let (arguments, result) = (&function.sig.inputs, &function.sig.output);
    parse_quote!(unsafe extern "C" fn(#arguments) #result)
}

/// For `pub use self::cuMemAlloc_v2 as cuMemAlloc`.
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
