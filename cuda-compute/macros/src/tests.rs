//! Tests of the device text of closures, and of errors for unsupported ones.

use proc_macro2::TokenStream;
use syn::ExprClosure;

use crate::{device_fn_of, emit, fold_of, host, infer};

/// Returns the device function of a closure.
fn text(closure: &str) -> String {
    let closure: ExprClosure = syn::parse_str(closure).expect("a closure");
    let inferred = infer::closure(&closure).unwrap_or_else(|error| panic!("{error}"));
    emit::function(&inferred).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the device text of the body of a closure with these parameters, if it is one line.
fn line(parameters: &str, body: &str) -> String {
    let text = text(&format!("|{parameters}| {body}"));
    let start = text.find("{ return ").expect("one line") + 9;
    text[start..]
        .strip_suffix("; }")
        .expect("the end")
        .to_string()
}

/// Returns the device text of the body, without the function around it.
fn lines(parameters: &str, body: &str) -> Vec<String> {
    let text = text(&format!("|{parameters}| {body}"));
    let lines: Vec<&str> = text.lines().collect();
    let inner = &lines[1..lines.len() - 1];
    inner.iter().map(|line| line[4..].to_string()).collect()
}

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

/// Returns the error for a closure.
fn error(closure: &str) -> String {
    device_fn_of(tokens(closure))
        .expect_err(closure)
        .to_string()
}

#[test]
fn one_line_closures_become_one_line_functions() {
    assert_eq!(
        text("|x: f32, y: f32| (x * y).sin() + 1.0"),
        "__device__ __forceinline__ float @NAME@(float x, float y) { return sinf(x * y) + 1.0f; }"
    );
    assert_eq!(
        text("|x: u8, big: i64| -> bool { x as i64 > big }"),
        "__device__ __forceinline__ bool @NAME@(unsigned char x, long long big_) { return (long long)x > big_; }"
    );
}

#[test]
fn operator_precedence_is_preserved() {
    let real = |body| line("a: f32, b: f32, c: f32", body);
    assert_eq!(real("a + b * c"), "a + b * c");
    assert_eq!(real("(a + b) * c"), "(a + b) * c");
    assert_eq!(real("a - (b - c)"), "a - (b - c)");
    assert_eq!(real("a - b - c"), "a - b - c");
    assert_eq!(real("a / (b * c)"), "a / (b * c)");
    assert_eq!(real("-(a + b)"), "-(a + b)");
    assert_eq!(real("- -a"), "-(-a)");
    assert_eq!(real("-a.abs()"), "-fabsf(a)");
    assert_eq!(real("a % b"), "fmodf(a, b)");
    assert_eq!(real("a.recip() * b"), "1.0f / a * b");
    assert_eq!(real("b / a.recip()"), "b / (1.0f / a)");
    assert_eq!(real("(a as f64 + 1.0) as f32"), "(float)((double)a + 1.0)");
    assert_eq!(real("(a < b) == (b < c)"), "a < b == b < c");
    assert_eq!(
        real("a < b && (b < c || c > 1.)"),
        "a < b && (b < c || c > 1.0f)"
    );
    let unsigned = |body| line("a: u32, b: u32", body);
    assert_eq!(unsigned("(a & b) == b"), "(a & b) == b");
    assert_eq!(unsigned("a & b | a ^ !b"), "a & b | a ^ ~b");
    assert_eq!(unsigned("a & (b | a)"), "a & (b | a)");
}

#[test]
fn integers_wrap_around() {
    let int = |body| line("a: i32, b: i32", body);
    assert_eq!(int("a + b"), "rs_add<int>(a, b)");
    assert_eq!(int("a - 1"), "rs_sub<int>(a, 1)");
    assert_eq!(int("a * -3"), "rs_mul<int>(a, -3)");
    assert_eq!(int("-a / b"), "rs_div<int>(rs_neg<int>(a), b)");
    assert_eq!(int("a % b"), "rs_rem<int>(a, b)");
    assert_eq!(
        int("a << 3u8 | a >> b"),
        "rs_shl<int>(a, 3) | rs_shr<int>(a, b)"
    );
    assert_eq!(int("!a & b"), "~a & b");
    assert_eq!(int("a.pow(2)"), "rs_pow<int>(a, 2u)");
    assert_eq!(int("a.wrapping_mul(b)"), "rs_mul<int>(a, b)");
    assert_eq!(int("a == i32::MIN"), "a == (-2147483647 - 1)");
    assert_eq!(int("a.abs_diff(b)"), "rs_abs_diff<int>(a, b)");
    assert_eq!(line("a: u32", "a * 2 + 1"), "a * 2u + 1u");
    assert_eq!(line("a: u64", "a - 0xff"), "a - 255ull");
    assert_eq!(
        line("a: i64", "a ^ -9_223_372_036_854_775_808"),
        "a ^ (-9223372036854775807ll - 1)"
    );
    assert_eq!(line("a: i8", "a + -128"), "rs_add<signed char>(a, -128)");
    assert_eq!(line("a: u16", "!a"), "(unsigned short)~a");
    assert_eq!(line("a: bool, b: bool", "!a ^ b"), "!a ^ b");
}

#[test]
fn conversions_become_casts() {
    assert_eq!(line("a: f32", "a as i8"), "rs_cast<signed char>(a)");
    assert_eq!(line("a: f64", "a as f32"), "(float)a");
    assert_eq!(
        line("a: i64", "(a + 1) as u8 as i64"),
        "(long long)(unsigned char)rs_add<long long>(a, 1ll)"
    );
    assert_eq!(line("a: i64", "a as i64"), "a");
    assert_eq!(line("a: u8", "f32::from(a)"), "(float)a");
    assert_eq!(
        line("a: u32", "f32::from_bits(a).to_bits()"),
        "rs_to_bits(rs_from_bits<float>(a))"
    );
    assert_eq!(line("a: bool", "a as u64"), "(unsigned long long)a");
}

#[test]
fn literals_and_constants_keep_their_values() {
    let real = |body| line("x: f32", body);
    assert_eq!(real("x + 1e10"), "x + 10000000000.0f");
    assert_eq!(real("x + 0.1"), "x + 0.1f");
    assert_eq!(real("x + 1_000.5e-3_f32"), "x + 1.0005f");
    assert_eq!(real("x + 2f32"), "x + 2.0f");
    assert_eq!(real("x * -0.0"), "x * -0.0f");
    assert_eq!(real("x + 1e-40"), "x + __int_as_float(0x116c2)");
    assert_eq!(real("x + f32::NAN"), "x + __int_as_float(0x7fc00000)");
    assert_eq!(real("x + std::f32::consts::PI"), "x + 3.1415927f");
    assert_eq!(
        line("x: f64", "x / core::f64::consts::E"),
        "x / 2.718281828459045"
    );
    assert_eq!(
        line("x: f64", "x - f64::INFINITY"),
        "x - __longlong_as_double(0x7ff0000000000000ll)"
    );
    assert_eq!(
        line("x: f64", "x.max(f64::MIN_POSITIVE)"),
        "fmax(x, 2.2250738585072014e-308)"
    );
}

#[test]
fn literals_take_types_inferred_later() {
    let found = lines(
        "n: i64, x: f32",
        "{ let mut s = 0.0; let mut i = 0; while i < n { s += x; i += 1 } s }",
    );
    assert_eq!(found[..2], ["float s = 0.0f;", "long long i = 0ll;"]);
    let found = lines("x: bool", "{ let y; if x { y = 1 } else { y = 2 } y }");
    assert_eq!(found[0], "int y;");
    assert_eq!(
        line("x: bool", "if x { 1.0 } else { 2.0f32 }"),
        "x ? 1.0f : 2.0f"
    );
}

#[test]
fn branches_become_conditional_code() {
    assert_eq!(
        line(
            "x: f32",
            "if x > 0.0 { x } else if x < -1.0 { -1.0 } else { 0.0 }"
        ),
        "x > 0.0f ? x : x < -1.0f ? -1.0f : 0.0f"
    );
    assert_eq!(
        line("x: f32", "2.0 * if x > 0.0 { x } else { 0.0 }"),
        "2.0f * (x > 0.0f ? x : 0.0f)"
    );
    assert_eq!(
        lines("x: f32", "{ if x < 0.0 { return 0.0; } x.sqrt() }"),
        [
            "if (x < 0.0f) {",
            "    return 0.0f;",
            "}",
            "return sqrtf(x);"
        ]
    );
    assert_eq!(
        lines(
            "x: f32",
            "1.0 + if x > 0.0 { let y = x * x; y } else { 0.0 }"
        ),
        [
            "float t1;",
            "if (x > 0.0f) {",
            "    float y = x * x;",
            "    t1 = y;",
            "} else {",
            "    t1 = 0.0f;",
            "}",
            "return 1.0f + t1;"
        ]
    );
}

#[test]
fn loops_are_translated() {
    assert_eq!(
        lines("n: u32", "{ let mut s = 0; for i in 0..n { s += i; } s }"),
        [
            "unsigned s = 0u;",
            "for (unsigned i = 0u; i < n; ++i) {",
            "    s += i;",
            "}",
            "return s;"
        ]
    );
    let found = lines(
        "n: u8",
        "{ let mut s = 0; for i in 1..=8 { s += i; } for i in 1..=n { s -= i } s }",
    );
    assert_eq!(found[1], "for (unsigned char i = 1; i <= 8; ++i) {");
    // Up to the highest value of the type.
    assert_eq!(
        found[4..9],
        [
            "unsigned char t1 = 1;",
            "for (bool t2 = t1 <= n; t2; t2 = t1 < n, t1 += t2) {",
            "    unsigned char i_2 = t1;",
            "    s = rs_sub<unsigned char>(s, i_2);",
            "}"
        ]
    );
    assert_eq!(
        lines("x: f32", "{ let mut y = x; while y > 1.0 { y /= 2.0; } y }")[1..5],
        [
            "while (y > 1.0f) {",
            "    rs_turn();",
            "    y /= 2.0f;",
            "}"
        ]
    );
    assert_eq!(
        lines("x: i32", "loop { if x > 0 { break x; } }"),
        [
            "int t1;",
            "while (true) {",
            "    rs_turn();",
            "    if (x > 0) {",
            "        t1 = x;",
            "        break;",
            "    }",
            "}",
            "return t1;"
        ]
    );
}

#[test]
fn evaluation_order_is_preserved() {
    // `i` is read before it changes, `x` never changes.
    assert_eq!(
        lines("x: u32", "{ let mut i = x; i + x + { i += 1; i } }"),
        [
            "unsigned i = x;",
            "unsigned t1 = i + x;",
            "i += 1u;",
            "return t1 + i;"
        ]
    );
    assert_eq!(
        lines("x: u32", "{ let mut i = x; x + { i += 1; i } }"),
        ["unsigned i = x;", "i += 1u;", "return x + i;"]
    );
    assert_eq!(
        lines("x: u32", "{ let mut i = 0; x > 1 && { i += 1; i > 0 } }"),
        [
            "int i = 0;",
            "bool t1 = x > 1u;",
            "if (t1) {",
            "    i = rs_add<int>(i, 1);",
            "    t1 = i > 0;",
            "}",
            "return t1;"
        ]
    );
}

#[test]
fn names_do_not_collide_with_cuda() {
    assert_eq!(
        line("float: f32, sinf: f32", "float * sinf.sin()"),
        "float_ * sinf(sinf_)"
    );
    let shadows = lines(
        "x: f32",
        "{ let x = x + 1.0; ({ let x = x * 2.0; x }) + x }",
    );
    assert_eq!(
        shadows,
        [
            "float x_2 = x + 1.0f;",
            "float x_3 = x_2 * 2.0f;",
            "return x_3 + x_2;"
        ]
    );
    assert_eq!(line("r#while: f32", "r#while + 1.0"), "while_ + 1.0f");
}

#[test]
fn host_function_contains_inferred_types() {
    let closure: ExprClosure =
        syn::parse_str("|x: f32, n: u8| { let s = 0.; x + s * std::f32::consts::PI * f32::MAX + (n as i64 + 1) as f32 }")
            .unwrap();
    let inferred = infer::closure(&closure).unwrap();
    let function = host::function(&closure, &inferred)
        .unwrap()
        .to_string()
        .replace(' ', "");
    for part in [
        "fnhost(x:::core::primitive::f32,n:::core::primitive::u8)->::core::primitive::f32{",
        "lets=0.0_f32;",
        "::core::f32::consts::PI",
        "::core::primitive::f32::MAX",
        "(nas::core::primitive::i64+1_i64)as::core::primitive::f32",
    ] {
        assert!(function.contains(part), "{part} is not in {function}");
    }
}

#[test]
fn host_function_renames_shadowing_variables() {
    let closure: ExprClosure = syn::parse_str(
        "|x: i32, _: u8| { let x_2 = x; let x = x + x_2; for x in 0..x { let mut r#do = x; r#do += x; } x }",
    )
    .unwrap();
    let inferred = infer::closure(&closure).unwrap();
    let function = host::function(&closure, &inferred).unwrap().to_string();
    let (_, body) = function.split_once("-> ").unwrap();
    let (_, body) = body.split_once('{').unwrap();
    assert_eq!(
        body.split_whitespace().collect::<Vec<_>>().join(" "),
        "let x_2 = x ; let x_3 = x + x_2 ; for x_4 in 0_i32 .. x_3 { let mut r#do = x_4 ; r#do += x_4 ; } x_3 }"
    );
}

#[test]
fn errors_suggest_alternatives() {
    for (closure, part) in [
        ("|x: f32| x * scale", "make `scale` a parameter"),
        ("|x: f32| x * SCALE", "write its value"),
        ("|x: f16| x", "compute in f32"),
        ("|x: usize| x", "x.cast::<u64>()"),
        ("|x: f32| x as usize", "take u64"),
        ("|x: f32| x + 1", "`1.0`"),
        ("|x: f32| x + 1.0f64", "convert it with `as`"),
        ("|x: f32| if x { 1.0 } else { 2.0 }", "`x != 0`"),
        ("|x: f32| if x > 0.0 { 1.0 }", "needs an `else`"),
        ("|x: f32| { x; }", "returns nothing"),
        ("|x: f32| x.sinc()", "the methods of `f32` are sin"),
        ("|x: f32| x.log(2.0)", "divide the logarithms"),
        ("|x: f32| x.into()", "convert with `as`"),
        ("|x: i32| x.checked_add(1)", "operators wrap around"),
        ("|x: f32| x * 2.0.sqrt()", "2.0_f32"),
        ("|x: f32| x.powf(1.0, 2.0)", "takes 1 argument,"),
        ("|x: f32| f32::sin()", "the method `sin`"),
        ("|x: f32| sin(x)", "only methods of numbers"),
        ("|x: f32| sqrtf(x)", "write `x.sqrt()`"),
        ("|x: f32| powf(x, 2.0)", "write `x.powf(y)`"),
        ("|x: f32| fmaxf(x, 2.0)", "write `x.max(y)`"),
        ("|x: f32| __expf(x)", "write `x.exp()`"),
        ("|x: f64| fma(x, x, x)", "write `x.mul_add(y, y)`"),
        ("|x: f32| rsqrtf(x)", "write `x.sqrt().recip()`"),
        ("|x: f32| max(x, 1.0)", "write `x.max(y)`"),
        ("|x: f32| own(x)", "write out what it computes"),
        ("|x: f32| x.max::<f32>(1.0)", "leave them out"),
        ("|x: i32| match x { _ => 1 }", "write `if` and `else`"),
        ("|x: i32| if let 1 = x { 1 } else { 2 }", "compare numbers"),
        ("|x: i32| { let (a, b) = x; a }", "one variable by its name"),
        ("|x: i32| (x, x)", "eval((f.map((&x,)), g.map((&x,))))"),
        (
            "|x: i32| -> (i32, i32) { (x, x) }",
            "write a closure for each",
        ),
        ("|p: Particle| p.mass", "take the fields of a struct"),
        ("|z: Complex<f32>| z.re", "`f.map((z.real(), z.imag()))`"),
        ("|x: i32| [x, x][0]", "make the element a parameter"),
        ("|x: i32| x.y", "x.field(|value| &value.mass)"),
        ("|x: i32| &x", "use the value"),
        ("|x: i32| *x", "no references"),
        ("|x: i32| x?", "no `Option`"),
        ("|x: i32| || x", "closures in closures"),
        ("|x: i32| unsafe { x }", "`unsafe`"),
        ("|x: i32| { assert!(x > 0); x }", "macros"),
        ("|x: i32| vec![x]", "macros"),
        ("|x: i32| { const A: i32 = 1; x }", "items"),
        ("|x: i32| 'a: loop { break 'a x }", "labels"),
        ("|x: i32| { for i in x {} x }", "`0..n`"),
        ("|x: i32| { for i in 0.. {} x }", "both ends"),
        (
            "|x: i32| { while true { break 1; } x }",
            "only a `loop` has a value",
        ),
        ("|x: i32| { break; x }", "no loop to leave"),
        ("|x: i32| { continue; x }", "no loop to continue"),
        ("|x: i32| { return; }", "needs a value"),
        ("|x: i32| { #[cfg(any())] let x = 1; x }", "attributes"),
        (
            "|x: i32| { let Some(y) = x else { return 1 }; y }",
            "`let` with `else`",
        ),
        ("|x: i32| { let y; x }", "write it, as in `let x: f32`"),
        ("|x: i32| { 1 = x; x }", "only variables"),
        ("|x: i32| 'c'", "supported literals"),
        ("|x: u8| x + 256", "256 is not a value of `u8`"),
        ("|x: u8| x + 1 - -1", "-1 is not a value of `u8`"),
        ("|x: i8| x + 128", "128 is not a value of `i8`"),
        ("|x: f32| x + 1e39", "too large for `f32`"),
        ("|x: f32| x + 1.0f16", "`f16`"),
        ("|x: f32| x & x", "`to_bits`"),
        ("|x: f32| x as bool", "`x != 0`"),
        ("|x: bool| x + x", "not supported for `bool`"),
        (
            "|x: f32| x + f32::MAXIMUM",
            "`f32::MAXIMUM` is not supported",
        ),
        ("|x: f32, x: f32| x", "another parameter"),
        ("|x| x", "`x: f32`"),
        ("|x: _| x", "`_` is not a type"),
        ("|x: &f32| 1.0", "take the value"),
        ("|(x, y): (f32, f32)| x", "supported types are f32"),
        ("|| 1.0", "this one has 0"),
        ("move |x: f32| x", "leave `move` out"),
        ("async |x: f32| x", "leave it out"),
        ("f", "a closure is expected"),
    ] {
        let message = error(closure);
        assert!(message.contains(part), "{closure}: {message}");
    }
}

#[test]
fn folds_check_types_and_identity() {
    let expanded = fold_of(tokens("|a: u64, b: u64| a.min(b), u64::MAX"))
        .unwrap()
        .to_string();
    assert!(
        expanded.contains("\"18446744073709551615ull\""),
        "{expanded}"
    );
    for (fold, part) in [
        ("|a: f32, b: f32| a + b", "the identity is missing"),
        (
            "|a: f32, b: f64| b, 0.0",
            "takes (f32, f64) and returns f64",
        ),
        ("|a: f32, b: f32| a + b, 0", "`1.0`"),
        ("|a: f32, b: f32| a + b, start", "make `start` a parameter"),
        (
            "|a: i32, b: i32| a + b, { let x = 0; x }",
            "without statements",
        ),
    ] {
        let message = fold_of(tokens(fold)).expect_err(fold).to_string();
        assert!(message.contains(part), "{fold}: {message}");
    }
}
