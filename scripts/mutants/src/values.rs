//! Values that a function may return instead of its own, by return type.
//!
//! The choice is that of `cargo mutants`. Values that don't compile are excluded later.

use syn::{
    GenericArgument, Ident, Path, PathArguments, ReturnType, Type, TypeImplTrait, TypeParamBound,
};

/// Returns expressions for a return type, or none if no value is known.
pub fn of_return_type(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => texts(&["()"]),
        ReturnType::Type(_, ty) => of_type(ty),
    }
}

/// Returns the item type of `impl Iterator<Item = T>`.
pub fn item_of_iterator(output: &ReturnType) -> Option<&Type> {
    let ReturnType::Type(_, ty) = output else {
        return None;
    };
    let Type::ImplTrait(TypeImplTrait { bounds, .. }) = &**ty else {
        return None;
    };
    bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let last = bound.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(item)
                if last.ident == "Iterator" && item.ident == "Item" =>
            {
                Some(&item.ty)
            }
            _ => None,
        })
    })
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_string()).collect()
}

fn wrapped(inner: &Type, before: &str, after: &str) -> Vec<String> {
    of_type(inner)
        .into_iter()
        .map(|value| format!("{before}{value}{after}"))
        .collect()
}

fn with_first(first: &str, more: Vec<String>) -> Vec<String> {
    let mut all = texts(&[first]);
    all.extend(more);
    all
}

/// Returns expressions for a type.
pub fn of_type(ty: &Type) -> Vec<String> {
    match ty {
        Type::Path(ty) => of_path(&ty.path),
        Type::Array(array) => {
            // The length uses the source text, because it may be a constant.
            let length = array.len.clone();
            let text = expression_text(&length);
            of_type(&array.elem)
                .into_iter()
                .map(|value| format!("[{value}; {text}]"))
                .collect()
        }
        Type::Slice(slice) => leaked_slice(&slice.elem),
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(inner) if reference.mutability.is_none() && inner.path.is_ident("str") => {
                texts(&["\"\"", "\"xyzzy\""])
            }
            Type::Path(inner) if reference.mutability.is_none() && inner.path.is_ident("CStr") => {
                texts(&["c\"\"", "c\"xyzzy\""])
            }
            Type::Slice(slice) => leaked_slice(&slice.elem),
            inner => wrapped(inner, "Box::leak(Box::new(", "))"),
        },
        Type::Tuple(tuple) => {
            let mut all = texts(&[""]);
            for ty in &tuple.elems {
                let values = of_type(ty);
                all = all
                    .iter()
                    .flat_map(|start| values.iter().map(move |value| format!("{start}{value}, ")))
                    .collect();
            }
            all.iter().map(|values| format!("({values})")).collect()
        }
        Type::Paren(inner) => of_type(&inner.elem),
        Type::Group(inner) => of_type(&inner.elem),
        Type::Ptr(pointer) if pointer.mutability.is_some() => texts(&["::std::ptr::null_mut()"]),
        Type::Ptr(_) => texts(&["::std::ptr::null()"]),
        Type::ImplTrait(_) | Type::Never(_) => Vec::new(),
        _ => texts(&["Default::default()"]),
    }
}

fn leaked_slice(element: &Type) -> Vec<String> {
    with_first(
        "Vec::leak(Vec::new())",
        wrapped(element, "Vec::leak(vec![", "])"),
    )
}

fn of_path(path: &Path) -> Vec<String> {
    let Some(last) = path.segments.last() else {
        return Vec::new();
    };
    let name = last.ident.to_string();
    if path.get_ident().is_some() {
        match name.as_str() {
            "bool" => return texts(&["true", "false"]),
            "String" => return texts(&["String::new()", "\"xyzzy\".into()"]),
            "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => return texts(&["0", "1"]),
            "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => return texts(&["0", "1", "-1"]),
            "f32" | "f64" => return texts(&["0.0", "1.0", "-1.0"]),
            _ => {}
        }
    }
    if let Some(number) = name.strip_prefix("NonZero") {
        let unsigned = number.starts_with('U')
            || matches!(arguments(path)[..], [Type::Path(of)]
            if of.path.get_ident().is_some_and(|ident| ident.to_string().starts_with('u')));
        let positive = "1.try_into().unwrap()";
        return if unsigned {
            texts(&[positive])
        } else {
            texts(&[positive, "(-1).try_into().unwrap()"])
        };
    }
    match (name.as_str(), &arguments(path)[..]) {
        ("Result", [inner, ..]) => wrapped(inner, "Ok(", ")"),
        ("Result", []) => texts(&["Ok(Default::default())"]),
        ("Option", [inner]) => with_first("None", wrapped(inner, "Some(", ")")),
        ("Vec", [inner]) => with_first("vec![]", wrapped(inner, "vec![", "]")),
        ("Cow", [inner]) => of_type(inner)
            .into_iter()
            .flat_map(|value| {
                [
                    format!("Cow::Borrowed({value})"),
                    format!("Cow::Owned({value}.to_owned())"),
                ]
            })
            .collect(),
        ("Box" | "Cell" | "RefCell" | "Arc" | "Rc" | "Mutex", [inner]) => {
            wrapped(inner, &format!("{name}::new("), ")")
        }
        ("BinaryHeap" | "BTreeSet" | "HashSet" | "LinkedList" | "VecDeque", [inner]) => with_first(
            &format!("{name}::new()"),
            wrapped(inner, &format!("{name}::from_iter(["), "])"),
        ),
        ("BTreeMap" | "HashMap", [key, value]) => {
            let values = of_type(value);
            let pairs = of_type(key).into_iter().flat_map(|key| {
                values
                    .iter()
                    .map(|value| format!("{name}::from_iter([({key}, {value})])"))
                    .collect::<Vec<_>>()
            });
            with_first(&format!("{name}::new()"), pairs.collect())
        }
        // Other generic types can often, but not always, be created from their contents.
        (_, [inner]) => unknown(&last.ident, inner),
        _ => texts(&["Default::default()"]),
    }
}

fn unknown(name: &Ident, inner: &Type) -> Vec<String> {
    let made = of_type(inner).into_iter().flat_map(|value| {
        [
            format!("{name}::from_iter([{value}])"),
            format!("{name}::new({value})"),
            format!("{name}::from({value})"),
        ]
    });
    with_first(&format!("{name}::new()"), made.collect())
}

/// Returns the types among the last segment's generic arguments.
fn arguments(path: &Path) -> Vec<&Type> {
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.segments.last().map(|last| &last.arguments)
    else {
        return Vec::new();
    };
    arguments
        .args
        .iter()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
        .collect()
}

fn expression_text(expression: &syn::Expr) -> String {
    use syn::spanned::Spanned;
    expression
        .span()
        .source_text()
        .unwrap_or_else(|| String::from("_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(signature: &str) -> Vec<String> {
        let function: syn::Signature = syn::parse_str(&format!("fn f() {signature}")).unwrap();
        of_return_type(&function.output)
    }

    #[test]
    fn values_by_type() {
        for (ty, expected) in [
            ("", &["()"][..]),
            ("-> bool", &["true", "false"]),
            ("-> usize", &["0", "1"]),
            ("-> i64", &["0", "1", "-1"]),
            ("-> f32", &["0.0", "1.0", "-1.0"]),
            ("-> String", &["String::new()", "\"xyzzy\".into()"]),
            ("-> &'static str", &["\"\"", "\"xyzzy\""]),
            ("-> Result<()>", &["Ok(())"]),
            ("-> fmt::Result", &["Ok(Default::default())"]),
            ("-> crate::Result<bool>", &["Ok(true)", "Ok(false)"]),
            ("-> Option<u8>", &["None", "Some(0)", "Some(1)"]),
            ("-> Vec<u8>", &["vec![]", "vec![0]", "vec![1]"]),
            ("-> &Foo", &["Box::leak(Box::new(Default::default()))"]),
            (
                "-> &[Foo]",
                &[
                    "Vec::leak(Vec::new())",
                    "Vec::leak(vec![Default::default()])",
                ],
            ),
            (
                "-> (bool, Foo)",
                &[
                    "(true, Default::default(), )",
                    "(false, Default::default(), )",
                ],
            ),
            ("-> [u8; N + 1]", &["[0; N + 1]", "[1; N + 1]"]),
            ("-> Arc<Foo>", &["Arc::new(Default::default())"]),
            ("-> NonZeroU32", &["1.try_into().unwrap()"]),
            (
                "-> View<'a, Foo>",
                &[
                    "View::new()",
                    "View::from_iter([Default::default()])",
                    "View::new(Default::default())",
                    "View::from(Default::default())",
                ],
            ),
            ("-> Self", &["Default::default()"]),
            ("-> *mut c_void", &["::std::ptr::null_mut()"]),
            ("-> !", &[]),
            ("-> impl Fn()", &[]),
        ] {
            assert_eq!(values(ty), expected, "{ty}");
        }
    }

    #[test]
    fn items_of_iterators() {
        let item = |signature: &str| {
            let function: syn::Signature = syn::parse_str(&format!("fn f() {signature}")).unwrap();
            item_of_iterator(&function.output).map(of_type)
        };
        assert_eq!(
            item("-> impl Iterator<Item = bool> + '_"),
            Some(vec!["true".to_string(), "false".into()])
        );
        assert_eq!(item("-> impl Fn(u8) -> u8"), None);
        assert_eq!(item("-> u8"), None);
    }
}
