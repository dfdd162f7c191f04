#![cfg(test)]

use super::*;

fn text(source: &str) -> Option<String> {
    clean(source.as_bytes()).map(|clean| String::from_utf8(clean.text).unwrap())
}

/// Returns the text of each directive after its `#`.
fn directives(source: &str) -> Vec<String> {
    let clean = clean(source.as_bytes()).unwrap();
    let rest = |&at: &usize| String::from_utf8(clean.text[at..clean.line(at).end].to_vec());
    clean
        .directives
        .iter()
        .map(|at| rest(at).unwrap())
        .collect()
}

#[test]
fn comments_are_blanks() {
    for (source, expected) in [
        ("", ""),
        ("a/**/b", "a b"),
        ("a/*x*y/*/b\nc", "a b\nc"),
        ("a/*\n\n*/b", "a b"),
        ("a//b\nc", "a\nc"),
        ("a//b", "a"),
        ("a//b\\\nc\nd", "a\nd"),
        ("a/b/ c/", "a/b/ c/"),
        ("/*//*/a", " a"),
        ("///*\na", "\na"),
        ("/**//**/a", "  a"),
    ] {
        assert_eq!(text(source).as_deref(), Some(expected), "{source:?}");
    }
    for open in ["/*", "a/*b*", "/*/"] {
        assert_eq!(text(open), None, "{open:?}");
    }
}

#[test]
fn lines_are_joined() {
    for (source, expected) in [
        ("in\\\nclude", "include"),
        ("in\\\r\nclude", "include"),
        ("a\\\n\\\nb\\\nc", "abc"),
        ("a\\b", "a\\b"),
        ("a\\\rb", "a\\\rb"),
        ("a\\ b\n", "a\\ b\n"),
        ("a\\", "a\\"),
        ("a\\ ", "a\\ "),
        ("\\\n", ""),
    ] {
        assert_eq!(text(source).as_deref(), Some(expected), "{source:?}");
    }
    for blank in [" ", "\t", " \t ", "\x0b", "\x0c", "\r\r"] {
        let source = format!("a\\{blank}\nb");
        assert_eq!(text(&source), None, "{source:?}");
    }
}

#[test]
fn ambiguous_characters_are_rejected() {
    for third in "=/'()!<>-".chars() {
        assert_eq!(text(&format!("a\n // ??{third}")), None, "{third}");
        assert_eq!(text(&format!("???{third}")), None, "{third}");
    }
    for source in ["a ?? b", "??", "???", "a ? b : c", "?=", "? ?="] {
        assert_eq!(text(source).as_deref(), Some(source));
    }
    assert_eq!(text("a\0b"), None);
    for source in ["ü", "aü", "1ü", "#ü"] {
        assert_eq!(text(source), None, "{source}");
    }
    for source in ["\"ü\"", "'ü'", "\"ü"] {
        assert!(text(source).is_some(), "{source}");
    }
    assert_eq!(text("// ü\n/* ü */").as_deref(), Some("\n "));
    assert_eq!(text("\u{feff}#a").as_deref(), Some("#a"));
    assert_eq!(directives("\u{feff}#a"), ["a"]);
}

#[test]
fn quotes_hide_comments() {
    for source in [
        r#""/*" a"#,
        r#""//" a"#,
        r#""a\"/*" b"#,
        r#""a\\" b"#,
        r#"'"' b"#,
        r"'\'' b",
        r"'\\' b",
        r#"u8"/*" b"#,
        r#""" b"#,
        r#""'" b"#,
    ] {
        assert_eq!(text(source).as_deref(), Some(source));
    }
    assert_eq!(text(r#""\\"/*"*/a"#).as_deref(), Some(r#""\\" a"#));
    assert_eq!(text(r"'\\'/*'*/a").as_deref(), Some(r"'\\' a"));
}

#[test]
fn unclosed_quotes_end_at_the_end_of_the_line() {
    for (source, expected) in [
        ("don't // x\n#a", "don'\n#a"),
        ("don't", "don'"),
        ("\"x\n\"y\"", "\"\n\"y\""),
        ("\"x\\\"\ny", "\"\ny"),
        ("\"x\\", "\""),
        ("\"", "\""),
        ("'\n'", "'\n'"),
    ] {
        assert_eq!(text(source).as_deref(), Some(expected), "{source:?}");
    }
    // The quote is an apostrophe or begins a character, so `/*` may or may not begin a comment.
    for source in [
        "don't /* x\n*/",
        "don't /* can't */",
        "\" /*\n*/",
        "'/*'",
        "don't /*",
    ] {
        assert_eq!(text(source), None, "{source:?}");
    }
    assert_eq!(text("'*/' a").as_deref(), Some("'*/' a"));
}

#[test]
fn raw_strings_are_empty() {
    for (source, expected) in [
        ("R\"(/*\n#a)\" b", "R\"\" b"),
        ("x = u8R\"ab()\" )ab\" b", "x = u8R\"\" b"),
        ("LR\"()\"uR\"()\"UR\"()\"", "LR\"\"uR\"\"UR\"\""),
        ("R\"0123456789abcdef(x)0123456789abcdef\"", "R\"\""),
        ("R\"(a\n#b\n)\"\n#c", "R\"\"\n#c"),
        // Not raw strings: a different word, or no quote directly after it.
        ("xR\"(\" b", "xR\"(\" b"),
        ("R \"(\" b", "R \"(\" b"),
        ("R + 1", "R + 1"),
        ("R", "R"),
    ] {
        assert_eq!(text(source).as_deref(), Some(expected), "{source:?}");
    }
    for source in [
        "R\"(",
        "R\"x(a)\"",
        "R\"a b(x)a b\"",
        "R\"a\\(x)a\\\"",
        "R\"0123456789abcdefg(x)0123456789abcdefg\"",
        "R\"abc\"",
        "R\"(a\\\nb)\"",
        "R\"(\\\n)\"",
        "R\"(a)\\\n\"",
    ] {
        assert_eq!(text(source), None, "{source:?}");
    }
    // Joined lines outside of the string are accepted.
    assert_eq!(text("a\\\nR\"()\"\\\nb").as_deref(), Some("aR\"()\"b"));
    assert_eq!(text("\\\nR\"(x)\"\\\n b").as_deref(), Some("R\"\" b"));
}

#[test]
fn numbers_may_contain_separators() {
    for source in [
        "1'000'000 + x",
        "0x1'ff",
        "1.5'5e+3",
        "x = 1'0; y = 'a'",
        "1 /1",
        "1_a",
        "1'a",
    ] {
        assert_eq!(text(source).as_deref(), Some(source));
    }
    assert_eq!(text("1 /* x */ \"a\"").as_deref(), Some("1   \"a\""));
    assert_eq!(text("1'0 // x\n").as_deref(), Some("1'0 \n"));
    assert_eq!(text("1'0\n/* x */").as_deref(), Some("1'0\n "));
    assert_eq!(text("1'0\n\"\"").as_deref(), Some("1'0\n\"\""));
    for source in [
        "1'000 /* ' */",
        "1'0 \"a\"",
        "1'0_a",
        "1'a'__TIME__'b",
        "1' /*\n*/",
    ] {
        assert_eq!(text(source), None, "{source:?}");
    }
    // NVRTC does not accept `$` in identifiers.
    assert_eq!(words("$__TIME__"), None);
    // Letters after digits belong to the number and are not a word.
    assert_eq!(words("1__has_include"), Some((vec![], false)));
    assert_eq!(words("1.__has_include"), Some((vec![], false)));
}

#[test]
fn directives_begin_lines() {
    for (source, expected) in [
        ("#a", vec!["a"]),
        (" \t\x0b\x0c#a\n# b\r\n", vec!["a", " b\r"]),
        ("%:a", vec!["a"]),
        ("/* x */ /*\n*/ #/* y */a // z", vec![" a "]),
        ("x\n#a\\\nb\n#c", vec!["ab", "c"]),
        ("x #a", vec![]),
        ("x /*\n*/ #a", vec![]),
        ("\"\" #a", vec![]),
        ("1 #a", vec![]),
        ("; #a", vec![]),
        ("x %:a", vec![]),
        ("% :a", vec![]),
        (": #a", vec![]),
        ("#a #b", vec!["a #b"]),
        ("##a", vec!["#a"]),
        ("// #a", vec![]),
        ("don't\n#a", vec!["a"]),
        ("R\"(\n#a)\"", vec![]),
    ] {
        assert_eq!(directives(source), expected, "{source:?}");
    }
}

/// Returns the words of `PROBES` in a text, and whether it contains pieces of such words.
fn words(source: &str) -> Option<(Vec<String>, bool)> {
    let clean = clean(source.as_bytes())?;
    let word = |place: &Range<usize>| String::from_utf8(clean.text[place.clone()].to_vec());
    let words = clean.probes.iter().map(|place| word(place).unwrap());
    Some((words.collect(), clean.pieces))
}

#[test]
fn probes_and_unknowable_words_are_found() {
    let found = |words_found: &[&str]| {
        let words_found = words_found.iter().map(|&word| word.to_owned());
        Some((words_found.collect::<Vec<_>>(), false))
    };
    assert_eq!(
        words("/**/__has_include(<a>) + __has_include_next(\"b\")"),
        found(&["__has_include", "__has_include_next"])
    );
    assert_eq!(words("x__has_include __has_includes a::b"), found(&[]));
    assert_eq!(words("\"__has_include\" // __has_include"), found(&[]));
    assert_eq!(words("\"__TIME__\" /* __DATE__ */"), found(&[]));
    for word in ["__DATE__", "__TIME__", "__TIMESTAMP__", "__has_embed"] {
        assert_eq!(words(&format!("x {word} y")), None, "{word}");
        assert_eq!(words(word), None, "{word}");
        assert_eq!(
            words(&format!("{word}x x{word} 1{word}")),
            found(&[]),
            "{word}"
        );
    }
}

#[test]
fn pieces_of_probes_and_unknowable_words_are_found() {
    for whole in [
        "__has_include",
        "__has_include_next",
        "__has_embed",
        "__DATE__",
        "__TIME__",
        "__TIMESTAMP__",
    ] {
        // At least one of the two parts is found, wherever the word is split.
        for cut in 1..whole.len() {
            let (head, tail) = whole.split_at(cut);
            let source = format!("{head} ## {tail}");
            let found = words(&source);
            assert!(
                found.is_none_or(|(words, pieces)| pieces || !words.is_empty()),
                "{source}"
            );
        }
        let middle = whole.trim_matches('_');
        assert_eq!(words(middle), Some((vec![], true)), "{middle}");
    }
    for plain in [
        "__h",
        "__D",
        "__T",
        "E__",
        "ME__",
        "clude",
        "_",
        "__",
        "DATES",
        "time",
        "__device__",
        "a",
        "IT",
        "__hash",
        "TIMED",
        "__Tx__",
        "__DATES",
        "a__DATE__",
        "ude",
        "_next",
        "has_inc",
        "TE__",
    ] {
        assert_eq!(words(plain), Some((vec![], false)), "{plain}");
    }
    for piece in [
        "__ha",
        "__DA",
        "__TI",
        "ATE__",
        "IME__",
        "IMESTAMP__",
        "as_include",
        "as_embed",
    ] {
        assert_eq!(words(piece), Some((vec![], true)), "{piece}");
    }
}

#[test]
fn pasting_is_found() {
    let pastes = |source: &str| clean(source.as_bytes()).unwrap().pastes;
    for source in [
        "#define A a##b",
        "#define A a ## b",
        "#define A a%:%:b",
        "x ## y",
    ] {
        assert!(pastes(source), "{source}");
    }
    for source in [
        "#define A #b",
        "# #",
        "%:a",
        "a %: b",
        "\"##\"",
        "// ##",
        "a # # b",
        "%:%a",
    ] {
        assert!(!pastes(source), "{source}");
    }
}

#[test]
fn occurrences_and_line_return_positions() {
    let found = clean(b"HAS\nxHAS HASx HAS(HAS) _HAS\nHAS").unwrap();
    assert_eq!(found.occurrences(b"HAS"), [0..3, 14..17, 18..21, 28..31]);
    assert_eq!(found.occurrences(b"x"), Vec::<Range<usize>>::new());
    assert_eq!(found.line(0), 0..3);
    assert_eq!(found.line(3), 0..3);
    assert_eq!(found.line(4), 4..27);
    assert_eq!(found.line(20), 4..27);
    assert_eq!(found.line(29), 28..31);
    assert_eq!(find(b"aab", b"ab"), Some(1));
    assert_eq!(find(b"ababc", b"abc"), Some(2));
    assert_eq!(find(b"ab", b"abc"), None);
    assert_eq!(find(b"a", b"a"), Some(0));
}
