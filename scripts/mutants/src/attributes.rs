//! Attributes that decide whether an item is compiled.

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Token};

/// Returns whether an item with these attributes is compiled on this machine and is not a test.
pub fn compiled(attributes: &[Attribute]) -> bool {
    attributes.iter().all(|attribute| {
        let path = attribute.path();
        if path.is_ident("cfg") {
            return attribute
                .parse_args::<Meta>()
                .map_or(true, |meta| holds(&meta));
        }
        path.segments.last().is_none_or(|last| last.ident != "test")
    })
}

/// Evaluates a `cfg` condition. All features are enabled, and unknown conditions are true.
fn holds(meta: &Meta) -> bool {
    match meta {
        Meta::Path(path) => !path.is_ident("test") && !path.is_ident("windows"),
        Meta::NameValue(pair) => {
            let Expr::Lit(ExprLit {
                lit: Lit::Str(value),
                ..
            }) = &pair.value
            else {
                return true;
            };
            let value = value.value();
            if pair.path.is_ident("target_os") {
                value == std::env::consts::OS
            } else if pair.path.is_ident("target_arch") {
                value == std::env::consts::ARCH
            } else {
                true
            }
        }
        Meta::List(list) => {
            let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
            let Ok(conditions) = list.parse_args_with(parse) else {
                return true;
            };
            if list.path.is_ident("not") {
                !conditions.iter().all(holds)
            } else if list.path.is_ident("any") {
                conditions.iter().any(holds)
            } else {
                conditions.iter().all(holds)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_other_systems_are_excluded() {
        for (attribute, expected) in [
            ("#[test]", false),
            ("#[cfg(test)]", false),
            ("#[cfg(all(test, unix))]", false),
            ("#[cfg(not(test))]", true),
            ("#[cfg(windows)]", false),
            ("#[cfg(any(windows, unix))]", true),
            ("#[cfg(target_os = \"beos\")]", false),
            ("#[cfg(not(target_os = \"beos\"))]", true),
            ("#[cfg(feature = \"nvrtc\")]", true),
            ("#[inline]", true),
        ] {
            let item: syn::ItemFn = syn::parse_str(&format!("{attribute} fn f() {{}}")).unwrap();
            assert_eq!(compiled(&item.attrs), expected, "{attribute}");
        }
    }
}
