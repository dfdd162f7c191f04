#![cfg(test)]

use super::*;

/// Returns the headers as `"name"` or `<name>`.
fn found(source: &str) -> Option<Vec<String>> {
    let shown = |header: Header| match header.quoted {
        true => format!("\"{}\"", header.name),
        false => format!("<{}>", header.name),
    };
    Some(headers(source.as_bytes())?.into_iter().map(shown).collect())
}

#[test]
fn includes_are_found_in_every_form() {
    for (source, expected) in [
        ("#include \"a.h\"", &["\"a.h\""][..]),
        ("#include <a.h>", &["<a.h>"]),
        ("#include\"a.h\"\n#include<b>", &["\"a.h\"", "<b>"]),
        ("  #  include  \"a b.h\"  ", &["\"a b.h\""]),
        (" \t\x0b\x0c#include <a>\r\n", &["<a>"]),
        ("#include \"../a-1/b.h\"", &["\"../a-1/b.h\""]),
        ("/*\n*/ #include <a.h> // b", &["<a.h>"]),
        ("x /*\n*/ #include <a.h>", &["<a.h>"]),
        ("#inc\\\nlude \"a\\\n.h\"", &["\"a.h\""]),
        ("#\\\r\ninclude \"a.h\"\r\n", &["\"a.h\""]),
        ("// a\\\\\n\n\\\n#include <a>", &["<a>"]),
        ("%:include \"a.h\"", &["\"a.h\""]),
        ("%: include <a.h>", &["<a.h>"]),
        ("#if 0\n#include \"a.h\"\n#endif", &["\"a.h\""]),
        ("#include \"a.h\" junk", &["\"a.h\""]),
        ("#include \"ü.h\"", &["\"ü.h\""]),
        ("\u{feff}#include <a>", &["<a>"]),
        ("\0#\0include\0<a>", &["<a>"]),
        // These are comments and strings, but they are not recognized as such.
        ("/*\n#include \"b.h\"\n*/", &["\"b.h\""]),
        ("R\"(\n#include \"a.h\"\n)\"", &["\"a.h\""]),
        // These cannot be directives.
        ("// #include \"a.h\"", &[]),
        ("// a\\\n#include \"a.h\"", &[]),
        ("x #include \"a.h\"", &[]),
        ("x % :include \"a.h\"", &[]),
        ("x\r#include \"a.h\"", &[]),
    ] {
        assert_eq!(found(source).unwrap(), expected, "{source:?}");
    }
}

#[test]
fn uncertain_includes_are_rejected() {
    for source in [
        "#include",
        "#include \"\"",
        "#include <>",
        "#include \"a",
        "#include <a",
        "#include <a\n>",
        "#include <a//b>",
        "#include <a/*b>",
        "#include <a'b>",
        "#include <a\"b>",
        "#include <a\\b>",
        "#include \"a\\b\"",
        "#include \"a'b\"",
        "#include A",
        "#include A(b)",
        "#include R\"(a)\"",
        "#include /**/ <a>",
        "#/**/include <a>",
        "#/*\n*/include <a>",
        "/* include */ #include A",
        "ü #include A",
        "#ü",
        "#include_next <a.h>",
        "#import \"a.h\"",
        "#include_once \"a.h\"",
        "#embed \"a.h\"",
        "#using <a>",
        "# 1 \"a.cu\" 1",
        "#include \"\u{0}\"",
        "??=include \"a.h\"",
        "// ??/\n#include \"a.h\"",
        "#if 0\n#in\\ \nclude \"a.h\"\n#endif",
        "a\\\t\r\nb",
    ] {
        assert_eq!(found(source), None, "{source:?}");
    }
    assert!(headers(b"#include \"\xff.h\"").is_none());
    assert!(headers(b"// \xff\n\"\xff\"").is_some());
}

#[test]
fn other_directives_have_no_headers() {
    for directive in [
        "",
        " ",
        "#",
        "!a",
        "define A \"a.h\"",
        "elifdef A",
        "error don't include",
        "ident \"a.h\"",
        "if <a.h>",
        "line 1 \"a.h\"",
        "pragma include(\"a.h\")",
        "unknown",
    ] {
        let found = found(&format!("#{directive}\n"));
        assert_eq!(found.unwrap(), <[&str; 0]>::default(), "{directive}");
    }
    assert!(found("a\\b \\\rc ??! \\").is_some());
}

#[test]
fn words_with_other_values_are_rejected() {
    for word in REJECTED {
        for source in [
            word.to_owned(),
            format!("#if __{word}(<a.h>)"),
            format!("// x{word}x"),
            format!("a\\\n{}\\\n{}", &word[..3], &word[3..]),
        ] {
            assert_eq!(found(&source), None, "{source:?}");
        }
    }
    assert!(found("__DATE _TIME__ has_embe THRUST_NS").is_some());
}

#[test]
fn pieces_of_pasted_words_are_found() {
    let is_found = |source: &str| has_pieces(source.as_bytes()) || found(source).is_none();
    let all = PASTED.map(|[whole, ..]| whole);
    for whole in all.into_iter().chain(["__has_include"]) {
        // At least one part is found, wherever the word is split into two or three.
        for first in 1..whole.len() {
            let (head, tail) = whole.split_at(first);
            assert!(is_found(&format!("{head} ## {tail}")), "{head} {tail}");
            for second in 1..tail.len() {
                let (middle, tail) = tail.split_at(second);
                let source = format!("C({head}, {middle}, {tail})");
                assert!(is_found(&source), "{source}");
            }
        }
    }
    for source in [
        "C4(__, TI, ME, __)",
        "C(C(__,DA), C(TE,__))",
        "C5(_, _h, as_, in, clude)",
    ] {
        assert!(has_pieces(source.as_bytes()), "{source}");
    }
    for plain in [
        "_T",
        "E_",
        "DATES",
        "time",
        "TIM",
        "__device__",
        "__hash",
        "_next",
        "has",
    ] {
        assert!(!has_pieces(plain.as_bytes()), "{plain}");
    }
    for piece in [
        "__h",
        "E__",
        "x+TIME",
        "has_",
        "s_include",
        "TI\\\nME",
        "a\\ \n",
    ] {
        assert!(has_pieces(piece.as_bytes()), "{piece}");
    }
}

#[test]
fn pasting_is_found() {
    for source in ["a##b", "a ## b", "a%:%:b", "\"##\""] {
        assert!(pastes(source.as_bytes()), "{source}");
    }
    for source in ["#b", "# #", "%:a", "a %: b", "%:%a"] {
        assert!(!pastes(source.as_bytes()), "{source}");
    }
}
