#![cfg(test)]

use super::*;

fn scan(source: &str) -> Option<Text> {
    Text::scan(source.as_bytes())
}

/// Formats requests as `"name"` or `<name>`, with `*` if macros may be expanded in the name.
fn requests(text: &Text) -> Vec<String> {
    let shown = |request: &Request| {
        let (open, close) = if request.quoted {
            ("\"", "\"")
        } else {
            ("<", ">")
        };
        let star = if request.expands { "*" } else { "" };
        format!("{open}{}{close}{star}", request.name)
    };
    text.requests.iter().map(shown).collect()
}

#[test]
fn includes_are_found_in_every_form() {
    for (source, expected) in [
        ("#include \"a.h\"", vec!["\"a.h\""]),
        ("#include <a.h>", vec!["<a.h>"]),
        ("#include\"a.h\"\n#include<b>", vec!["\"a.h\"", "<b>"]),
        ("  #  include  \"a b.h\"  ", vec!["\"a b.h\""]),
        ("#include \"../a-1/b.h\"", vec!["\"../a-1/b.h\""]),
        ("#include_next <a.h>", vec!["<a.h>"]),
        ("#/**/include/* */\"a.h\" // b", vec!["\"a.h\""]),
        ("/*\n*/#/*\n*/include/*\n*/<a.h>", vec!["<a.h>"]),
        ("#inc\\\nlude \"a\\\n.h\"", vec!["\"a.h\""]),
        ("#\\\r\ninclude \"a.h\"\r\n", vec!["\"a.h\""]),
        ("%:include \"a.h\"", vec!["\"a.h\""]),
        ("%: include <a.h>", vec!["<a.h>"]),
        ("#if 0\n#include \"a.h\"\n#endif", vec!["\"a.h\""]),
        ("#include \"a.h\" junk", vec!["\"a.h\""]),
        ("#include \"ü.h\"", vec!["\"ü.h\""]),
        ("// #include \"a.h\"\n/*\n#include \"b.h\"\n*/", vec![]),
        ("x #include \"a.h\"", vec![]),
        ("\"\n#include \"a.h\"\n\"", vec!["\"a.h\""]),
        ("R\"(\n#include \"a.h\"\n)\"", vec![]),
    ] {
        let text = scan(source).unwrap_or_else(|| panic!("{source:?}"));
        assert_eq!(requests(&text), expected, "{source:?}");
        assert!(
            text.by_macro.is_empty() && text.aliases.is_empty(),
            "{source:?}"
        );
    }
}

#[test]
fn ambiguous_directives_are_rejected() {
    for source in [
        "#include",
        "#include \"\"",
        "#include <>",
        "#include \"a",
        "#include <a",
        "#include <a//b>",
        "#include <a'b>",
        "#include <a\"b>",
        "#include <a\\b>",
        "#include \"a\\b\"",
        "#include \"a'b\"",
        "#include A(b)",
        "#include A b",
        "#include R\"(a)\"",
        "#include L\"a\"",
        "#include +",
        "#import \"a.h\"",
        "#include_once \"a.h\"",
        "#embed \"a.h\"",
        "#using <a>",
        "#unknown",
        "#1 \"a.cu\"",
        "# 1 \"a.cu\" 1",
        "#!a",
        "##",
        "#include \"\u{0}\"",
        "??=include \"a.h\"",
        "#if 0\n#in\\ \nclude \"a.h\"\n#endif",
        "#if __DATE__",
    ] {
        assert!(scan(source).is_none(), "{source:?}");
    }
    assert!(Text::scan(b"#include \"\xff.h\"").is_none());
    assert!(Text::scan(b"// \xff\n\"\xff\"").is_some());
}

#[test]
fn other_directives_have_no_requests() {
    for directive in [
        "",
        " ",
        "assert a(b)",
        "elif 1",
        "elifdef A",
        "elifndef A",
        "else",
        "endif",
        "error don't",
        "ident \"a.h\"",
        "if <a.h>",
        "ifdef A",
        "ifndef A",
        "line 1 \"a.h\"",
        "pragma include(\"a.h\")",
        "unassert a",
        "undef A",
        "warning \"a.h\"",
    ] {
        let text = scan(&format!("#{directive}\n")).unwrap_or_else(|| panic!("{directive}"));
        assert!(text.requests.is_empty() && text.by_macro.is_empty() && text.macros.is_empty());
    }
}

#[test]
fn macros_are_found() {
    let text = scan(
        "#define A\n# define B( x , y ) x + y \n#define C (1)\n%:define\tD <a.h> // b\n#define E/**/f\n",
    )
    .unwrap();
    let expected = [
        ("A", false, ""),
        ("B", true, "( x , y ) x + y"),
        ("C", false, "(1)"),
        ("D", false, "<a.h>"),
        ("E", false, "f"),
    ];
    let expected = expected.map(|(name, has_parameters, body)| Macro {
        name: name.into(),
        body: body.into(),
        has_parameters,
    });
    assert_eq!(text.macros, expected);
    let text = scan("#include A\n#include_next\tB/**/\n").unwrap();
    assert_eq!(text.by_macro, ["A", "B"]);
    assert!(text.requests.is_empty());
}

#[test]
fn uses_of_has_include_are_requests() {
    for (source, expected) in [
        ("#if __has_include(\"a.h\")", vec!["\"a.h\""]),
        ("#if X && __has_include ( <a.h> ) || 1", vec!["<a.h>"]),
        ("#elif __has_include_next(<a.h>)", vec!["<a.h>"]),
        ("int x = __has_include(\"a.h\");", vec!["\"a.h\""]),
        (
            "#if __has_include(<a>) && __has_include(<b>)",
            vec!["<a>", "<b>"],
        ),
        // Macros in a macro's body are expanded with the macro.
        ("#define A __has_include(<a.h>)", vec!["<a.h>*"]),
        (
            "# define A(x) (x && __has_include(\"a.h\"))",
            vec!["\"a.h\"*"],
        ),
        ("#ifdef __has_include", vec![]),
        ("#  ifndef __has_include", vec![]),
        ("#elifdef __has_include\n#elifndef __has_include", vec![]),
        ("#if defined __has_include", vec![]),
        (
            "#if !defined ( __has_include ) || defined(__has_include_next)",
            vec![],
        ),
        ("#define __has_include(x) 0", vec![]),
        ("#undef __has_include", vec![]),
        (
            "#if defined(__has_include) && __has_include(<a>)",
            vec!["<a>"],
        ),
    ] {
        let text = scan(source).unwrap_or_else(|| panic!("{source}"));
        assert_eq!(requests(&text), expected, "{source}");
        assert!(text.aliases.is_empty(), "{source}");
    }
    for source in [
        "#if __has_include",
        "#if __has_include(A)",
        "#if __has_include(A(<a.h>))",
        "#if __has_include(<a.h>",
        "#if __has_include(\"a.h\" A)",
        "#if __has_include <a.h>",
        "#if __has_include(\n<a.h>)",
        "f(__has_include)",
        "#if undefined(__has_include)",
        "#define A(x) f(__has_include)",
        "#if xdefined __has_include",
        "f(defined, __has_include)",
    ] {
        assert!(scan(source).is_none(), "{source}");
    }
}

#[test]
fn aliases_of_has_include_are_found() {
    for source in [
        "#define HAS(x) __has_include(x)",
        "# define HAS( x ) __has_include ( x )  ",
        "#define HAS __has_include",
        "#ifdef __has_include\n#define HAS(x) __has_include(x)\n#else\n#define HAS(x) 0\n#endif",
        "#define HAS __has_include_next",
    ] {
        let text = scan(source).unwrap_or_else(|| panic!("{source}"));
        assert_eq!(text.aliases, ["HAS"], "{source}");
        assert!(text.requests.is_empty(), "{source}");
    }
    for source in [
        "#define HAS(x) __has_include(y)",
        "#define HAS(x) __has_include(x) && 1",
        "#define HAS(x) __has_include(x",
        "#define HAS(x) __has_include x)",
        "#define HAS(x) 1 + __has_include(x)",
        "#define HAS(x, y) __has_include(x)",
        "#define HAS() __has_include()",
        "#define HAS(x __has_include(x)",
        "#define HAS(...) __has_include(__VA_ARGS__)",
        "#define HAS(x) __has_include(#x)",
        "#define HAS __has_include(x)",
        "#define HAS(x) __has_include",
        "#define HAS __has_include +",
        "#if HAS __has_include",
        "#define __has_include_next __has_include",
        "define HAS(x) __has_include(x)",
    ] {
        // The definition of `__has_include_next` is accepted, but is not an alias.
        let understood = scan(source).is_some_and(|text| text.aliases == ["HAS"]);
        assert!(!understood, "{source}");
    }
}

#[test]
fn uses_of_aliases_are_requests() {
    let scan_for = |source: &str, alias: &str| {
        let mut text = scan(source)?;
        text.scan_for(alias)?;
        Some((requests(&text), text.aliases))
    };
    let asked = |names: &[&str], aliases: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|&item| item.to_owned()).collect::<Vec<_>>();
        Some((owned(names), owned(aliases)))
    };
    assert_eq!(
        scan_for("#if HAS(<a.h>) && HAS(\"b.h\") && OTHER(<c.h>)", "HAS"),
        asked(&["<a.h>*", "\"b.h\"*"], &[])
    );
    assert_eq!(scan_for("#if OTHER(x)", "HAS"), asked(&[], &[]));
    assert_eq!(
        scan_for("#ifdef HAS\n#define HAS(x) 0", "HAS"),
        asked(&[], &[])
    );
    assert_eq!(scan_for("// HAS\n\"HAS it\"", "HAS_"), asked(&[], &[]));
    assert_eq!(
        scan_for("#define HAS2(x) HAS(x)", "HAS"),
        asked(&[], &["HAS2"])
    );
    assert_eq!(scan_for("#define HAS2 HAS", "HAS"), asked(&[], &["HAS2"]));
    assert_eq!(scan_for("#if HAS(x)", "HAS"), None);
    assert_eq!(scan_for("int HAS;", "HAS"), None);
}

#[test]
fn pasting_and_pieces_are_reported() {
    assert!(scan("#define A a##b").unwrap().pastes());
    assert!(!scan("#define A a#b").unwrap().pastes());
    assert!(scan("has_include").unwrap().has_pieces());
    assert!(!scan("includes").unwrap().has_pieces());
}
