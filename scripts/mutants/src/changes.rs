//! Tests of finding changes and of writing them into the source.

use crate::find;
use crate::rewrite::rewrite;

/// Returns each change in a text, and the text with this change alone, in which `active` replaces
/// the switch.
fn changes(source: &str) -> Vec<(String, String)> {
    let found = find::search("a/src/x.rs", source).unwrap();
    let count = found.mutants.len();
    (0..count)
        .map(|one| {
            let new = rewrite(source, &found, &|mutant| (mutant == one).then_some(7));
            syn::parse_file(&new.text).unwrap_or_else(|error| panic!("{error}\n{}", new.text));
            let text = new.text.replace("crate::__mutants::active(7)", "active");
            (found.mutants[one].change.clone(), text)
        })
        .collect()
}

/// Returns the new text of the only change whose name starts with `change`.
fn changed(source: &str, change: &str) -> String {
    let mut fitting = changes(source)
        .into_iter()
        .filter(|(name, _)| name.starts_with(change));
    let (Some((_, text)), None) = (fitting.next(), fitting.next()) else {
        panic!("one {change}: {:?}", changes(source));
    };
    text
}

#[test]
fn mutants_without_a_number_change_nothing() {
    let source = "const fn f(a: u8) -> u8 { match a { 1 if !b() => a + 1, _ => 2 } }";
    let found = find::search("a/src/x.rs", source).unwrap();
    assert!(!found.mutants.is_empty());
    let new = rewrite(source, &found, &|_| None);
    assert_eq!(new.text, source);
    assert!(new.inserted.is_empty() && new.enclosing.is_empty());
}

#[test]
fn functions_return_values_immediately() {
    assert_eq!(
        changed("fn f() -> bool { a() }", "returns -> bool: true"),
        "fn f() -> bool { if active { return true; } a() }"
    );
    assert_eq!(
        changed("impl A { fn f(self) { let b = 1; g(b) } }", "returns: ()"),
        "impl A { fn f(self) { if active { return (); } let b = 1; g(b) } }"
    );
    // A function that already returns the value, and an empty one.
    assert!(
        changes("fn f() -> bool { true }")
            .iter()
            .all(|(name, _)| !name.ends_with("true"))
    );
    assert!(changes("fn f() {}").is_empty());
    assert!(changes("impl Default for A { fn default() -> Self { g() } }").is_empty());
}

#[test]
fn iterators_become_either_of_two() {
    let source = "fn f() -> impl Iterator<Item = bool> { let a = 1; g(a) }";
    assert_eq!(
        changed(source, "returns -> impl Iterator<Item = bool>: Some(true)"),
        "fn f() -> impl Iterator<Item = bool> { if active { return \
         crate::__mutants::Either::Left((Some(true)).into_iter()); } let a = 1; \
         crate::__mutants::Either::Right(g(a)) }"
    );
}

#[test]
fn operators_are_replaced() {
    let all = [
        ("a == b", "a != b"),
        ("a && b", "a || b"),
        ("a < b", "a == b,a > b,a <= b"),
        ("a >= b", "a < b"),
        ("a + b", "a - b,a * b"),
        ("a % b", "a / b,a + b"),
        ("a << b", "a >> b"),
        ("a & b", "a | b,a ^ b"),
        ("a += b", "a -= b,a *= b"),
        ("a |= b", "a &= b"),
    ];
    for (now, others) in all {
        let source = format!("fn f() {{ {now}; }}");
        let mut texts = changes(&source);
        texts.retain(|(name, _)| name.contains("becomes"));
        let others: Vec<&str> = others.split(',').collect();
        assert_eq!(texts.len(), others.len(), "{now}");
        for ((_, text), other) in texts.iter().zip(others) {
            let parts: Vec<&str> = other.split(' ').collect();
            let other = format!("({}) {} ({})", parts[0], parts[1], parts[2]);
            let expected = format!("fn f() {{ (if active {{ {other} }} else {{ ({now}) }}); }}");
            assert_eq!(*text, expected);
        }
    }
}

#[test]
fn operands_are_parenthesized() {
    assert_eq!(
        changed("fn f() { g(a as u32 > b, !c); }", "> becomes < "),
        "fn f() { g((if active { (a as u32) < (b) } else { (a as u32 > b) }), !c); }"
    );
    assert_eq!(
        changed("fn f() { x - a.b() + c; }", "+ becomes *"),
        "fn f() { (if active { (x - a.b()) * (c) } else { (x - a.b() + c) }); }"
    );
}

#[test]
fn simultaneous_changes_are_nested() {
    let source = "fn f() -> bool { a + b == -c }";
    let found = find::search("a/src/x.rs", source).unwrap();
    let new = rewrite(source, &found, &|index| Some(index as u32));
    let text = new.text.replace("crate::__mutants::active", "on");
    assert_eq!(
        text,
        "fn f() -> bool { if on(0) { return true; } if on(1) { return false; } \
         (if on(2) { (a + b) != (-c) } else { (\
         (if on(3) { (a) - (b) } else if on(4) { (a) * (b) } else { (a + b) }) == \
         (if on(5) { (c) } else { (-c) })) }) }"
    );
    syn::parse_file(&new.text).unwrap();
    for mutant in 0..6 {
        let switch = format!("active({mutant}) ");
        let mut own = new
            .inserted
            .iter()
            .filter(|(_, mutants)| *mutants == [mutant]);
        assert!(own.any(|(bytes, _)| new.text[bytes.clone()].contains(&switch)));
    }
    let whole = 0..new.text.len();
    assert!(
        new.enclosing
            .iter()
            .any(|(bytes, mutants)| *bytes == whole && *mutants == [0, 1])
    );
    let sum = "(if crate::__mutants::active(3)";
    assert!(
        new.enclosing.iter().any(|(bytes, mutants)| {
            *mutants == [3, 4] && new.text[bytes.clone()].contains(sum)
        })
    );
}

#[test]
fn signs_are_removed() {
    assert_eq!(
        changed("fn f() { if !a {} }", "! removed"),
        "fn f() { if (if active { (a) } else { (!a) }) {} }"
    );
    assert_eq!(
        changed("fn f() { g(-a.b()) }", "- removed"),
        "fn f() { g((if active { (a.b()) } else { (-a.b()) })) }"
    );
    assert!(changes("fn f() { g(*a) }").len() == 1, "only the value");
}

#[test]
fn arms_and_guards_are_changed() {
    let source = "fn f() { match a { B => 1, C if d => 2, _ => 3 }; }";
    assert_eq!(
        changed(source, "arm removed: B"),
        source.replace("B =>", "B if !active =>")
    );
    assert_eq!(
        changed(source, "guard always true in C if d"),
        source.replace("if d", "if active || (d)")
    );
    assert_eq!(
        changed(source, "guard always false in C if d"),
        source.replace("if d", "if !active && (d)")
    );
    let without = "fn f() { match a { B => 1, _ if d => 2, C => 3 }; }";
    assert!(
        !changes(without)
            .iter()
            .any(|(name, _)| name.starts_with("arm"))
    );
}

#[test]
fn fields_before_a_base_are_removed() {
    assert_eq!(
        changed(
            "fn f() { g(A { b: 1, c: d, ..e() }) }",
            "field removed: A { b: 1 }"
        ),
        "fn f() { g((if active { A { c: d, ..e() } } else { (A { b: 1, c: d, ..e() }) })) }"
    );
    assert_eq!(
        changes("fn f() { g(A { b: 1 }) }").len(),
        1,
        "only the value"
    );
}

#[test]
fn const_functions_lose_the_keyword() {
    let source = "pub const fn f(a: u8) -> u8 { a % 2 }";
    assert!(changed(source, "% becomes /").starts_with("pub       fn f(a: u8)"));
}

#[test]
fn excluded_items_are_not_changed() {
    for source in [
        "#[cfg(test)] mod tests { fn f() -> u8 { 1 + 1 } }",
        "#[test] fn f() { g(1 + 1) }",
        "const A: u8 = 1 + 1;",
        "static A: u8 = !1;",
        "enum A { B = 1 + 1 }",
        "struct A([u8; 1 + 1]);",
        "impl A { const B: u8 = -1; }",
        "trait A { fn f(); }",
        "macro_rules! a { ($b:expr) => { $b + + }; }",
        "thread_local! { static A: u8 = 1 + 1; }",
    ] {
        assert_eq!(changes(source), [], "{source}");
    }
    // In these, only the function's return value is changed.
    for source in [
        "fn f() { const A: u8 = 1 + 1; g(const { 1 + 1 }) }",
        "fn f() { if let A = b && c {} }",
        "fn f() { let a = [0; 1 + 1]; let b: [u8; 1 + 1]; }",
        "fn f() { if let -1 = a {} }",
        "fn f() { Vec::<[u8; 1 + 1]>::with_capacity(a + b); }",
        "fn f() { assert!(a + b); }",
    ] {
        let names: Vec<String> = changes(source).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["returns: ()"], "{source}");
    }
    let chain = "fn f() { if let A = b && c == d {} }";
    assert!(changed(chain, "==").contains("&& (if active { (c) != (d) } else { (c == d) }) {}"));
}

#[test]
fn macro_bodies_are_changed() {
    let source = "macro_rules! m { ($T:ident, $($x:expr),*) => { \
                  pub fn size(&self) -> $crate::Result<usize> { Ok(self.len * size_of::<$T>()) } }; }";
    assert!(changed(source, "* becomes +").contains(
        "Ok((if active { (self.len) + (size_of::<$T>()) } else { (self.len * size_of::<$T>()) }))"
    ));
    assert!(changed(source, "returns -> $crate::Result<usize>: Ok(1)").contains("return Ok(1);"));

    let repeated = "macro_rules! m { ($($t:ty),*) => {$( impl A for $t { \
                    fn f() -> u8 { $(g($x);)* h() } } )*}; }";
    let found = find::search("a/src/x.rs", repeated).unwrap();
    assert_eq!(found.mutants.len(), 2);
    assert_eq!(found.mutants[0].function, "m!::<impl A for $t>::f");
    let text = changed(repeated, "returns -> u8: 1");
    assert!(text.contains("{ if active { return 1; } $(g($x);)* h() }"));
}

#[test]
fn exported_functions_are_changed() {
    let source = "export! { fn cuA / cuA_ptsz(a: Out<u64>, b: u32) { if b & !1 != 0 { x()?; } a.set(b) } \
                  early fn cuB() { Ok(()) } }";
    let found = find::search("a/src/x.rs", source).unwrap();
    assert!(found.mutants.iter().all(|mutant| mutant.function == "cuA"));
    let text = changed(source, "returns -> Result: Ok(())");
    assert!(text.contains("{ if active { return Ok(()); } if b & !1 != 0"));
    assert!(changed(source, "! removed").contains("b & (if active { (1) } else { (!1) }) != 0"));
}

#[test]
fn identities_do_not_depend_on_surrounding_code() {
    let one = "impl A for B<'_> { fn f(&self) -> bool { self.a\n    == 1 || self.a == 1 } }";
    let names = |source: &str| {
        let found = find::search("a/src/x.rs", source).unwrap();
        found
            .mutants
            .iter()
            .map(|mutant| mutant.identity())
            .collect::<Vec<_>>()
    };
    let before = names(one);
    assert!(
        before.contains(&"a/src/x.rs: <impl A for B<'_>>::f: == becomes != in self.a == 1".into())
    );
    assert!(
        before
            .contains(&"a/src/x.rs: <impl A for B<'_>>::f: == becomes != in self.a == 1 #2".into())
    );
    let moved = format!(
        "// ä\nfn other() -> u8 {{ 1 + 1 }}\n\n{}",
        one.replace('\n', " ")
    );
    assert_eq!(names(&moved)[4..], before);
}
