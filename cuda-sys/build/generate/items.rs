//! Finds the names that generated source declares, and removes duplicates.

use std::collections::BTreeSet;

use syn::{File, ForeignItem, ForeignItemFn, Item, Meta, Type, UseTree};

use super::names::Declared;

/// Returns the names that `file` declares at its top level.
pub fn declared(file: &File) -> Declared {
    let mut declared = Declared::default();
    for item in &file.items {
        if let Some(name) = type_name(item) {
            declared.types.insert(name);
        }
        declared
            .functions
            .extend(functions(item).map(|function| function.sig.ident.to_string()));
    }
    declared
}

/// Returns the name of a type, a constant or an alias, and none for any other item.
fn type_name(item: &Item) -> Option<String> {
    Some(match item {
        Item::Struct(item) => item.ident.to_string(),
        Item::Union(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Const(item) if item.ident != "_" => item.ident.to_string(),
        Item::Use(item) => {
            let mut tree = &item.tree;
            while let UseTree::Path(path) = tree {
                tree = &path.tree;
            }
            let UseTree::Rename(rename) = tree else {
                return None;
            };
            rename.rename.to_string()
        }
        _ => return None,
    })
}

fn functions(item: &Item) -> impl Iterator<Item = &ForeignItemFn> {
    let items = if let Item::ForeignMod(block) = item {
        &block.items[..]
    } else {
        &[]
    };
    items.iter().filter_map(|item| {
        if let ForeignItem::Fn(function) = item {
            Some(function)
        } else {
            None
        }
    })
}

/// Removes the items from `file` that `known` declares.
pub fn keep_unknown(file: &mut File, known: &Declared) {
    let known_type = |ty: &Type| matches!(ty, Type::Path(path) if path.path.get_ident().is_some_and(|name| known.types.contains(&name.to_string())));
    let kept: BTreeSet<String> = file
        .items
        .iter()
        .filter_map(type_name)
        .filter(|name| !known.types.contains(name))
        .collect();
    file.items.retain_mut(|item| match item {
        Item::ForeignMod(block) => {
            block.items.retain(|item| !matches!(item, ForeignItem::Fn(f) if known.functions.contains(&f.sig.ident.to_string())));
            !block.items.is_empty()
        }
        Item::Impl(item) => !known_type(&item.self_ty),
        // A layout test is an unnamed constant that first checks the size of its type.
        Item::Const(item) if item.ident == "_" => {
            let text = quote::ToTokens::to_token_stream(&item.expr).to_string();
            let subject = text.split_once("size_of :: <").and_then(|(_, rest)| rest.split_once('>'));
            subject.is_some_and(|(name, _)| kept.contains(name.trim()))
        }
        item => type_name(item).is_some_and(|name| kept.contains(&name)),
    });
}

/// Removes the derived `Debug` from the given types.
pub fn without_debug(file: &mut File, named: impl Fn(&str) -> bool) {
    for item in &mut file.items {
        let Item::Struct(item) = item else { continue };
        if !named(&item.ident.to_string()) {
            continue;
        }
        for attribute in &mut item.attrs {
            if let Meta::List(list) = &mut attribute.meta
                && list.path.is_ident("derive")
            {
                list.tokens = std::mem::take(&mut list.tokens)
                    .to_string()
                    .split(',')
                    .filter(|derive| derive.trim() != "Debug")
                    .collect::<Vec<_>>()
                    .join(",")
                    .parse()
                    .unwrap_or_default();
            }
        }
    }
}

/// Returns whether an item comes from `nvrtc.h`. All names in that header contain `nvrtc`.
pub fn is_of_nvrtc(item: &Item) -> bool {
    let name = match item {
        Item::Struct(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Const(item) if item.ident != "_" => item.ident.to_string(),
        // A layout test.
        Item::Const(item) => quote::ToTokens::to_token_stream(&item.expr).to_string(),
        Item::Use(item) => quote::ToTokens::to_token_stream(&item.tree).to_string(),
        Item::Impl(item) => match &*item.self_ty {
            Type::Path(path) => path
                .path
                .get_ident()
                .map(ToString::to_string)
                .unwrap_or_default(),
            _ => return false,
        },
        Item::ForeignMod(block) => match block.items.first() {
            Some(ForeignItem::Fn(function)) => function.sig.ident.to_string(),
            _ => return false,
        },
        _ => return false,
    };
    name.contains("nvrtc") || name.contains("NVRTC")
}
