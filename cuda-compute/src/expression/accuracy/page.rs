//! The test of the table in `guide/accuracy.md`, which is generated from the rows of `function.rs`.
//!
//! The test fails if the table differs from the rows. With `UPDATE_PAGES=1` it writes the table
//! instead.

use std::fmt::Write as _;

use super::{
    Apart,
    complexes::{PRODUCT, QUOTIENT, SUM},
};
use crate::expression::function::{ALL, Function};

const HEAD: &str = "| function | `f32` | `f64` | complex |\n| --- | --- | --- | --- |\n";

/// Formats a number for the table.
fn exponential(x: f64) -> String {
    let text = format!("{x:e}");
    match text.split_once('e') {
        Some(("1", exponent)) => format!("10<sup>{}</sup>", exponent.replace('-', "−")),
        Some((digits, exponent)) => format!("{digits}·10<sup>{}</sup>", exponent.replace('-', "−")),
        None => text,
    }
}

fn units(units: u8, apart: Option<(&Apart, f64)>) -> String {
    let Some((apart, off)) = apart else {
        return units.to_string();
    };
    let off = exponential(off);
    match apart.even {
        true => format!("{units}, or {off} absolute if |x| ≥ {}", apart.from),
        false => format!(
            "{units}, or {off} absolute for x from {} to {}",
            apart.from, apart.to
        )
        .replace('-', "−"),
    }
}

fn row(function: &Function) -> String {
    let accuracy = &function.accuracy;
    let (mut single, mut double, mut complex) = (String::new(), String::new(), String::new());
    if function.is_real() {
        let apart = accuracy.apart.as_ref();
        single = units(accuracy.single, apart.map(|apart| (apart, apart.single)));
        double = units(accuracy.double, apart.map(|apart| (apart, apart.double)));
    }
    if function.is_complex() {
        complex = accuracy.complex.to_string();
        if function.name == "pow" {
            complex += "·(1 + &#124;b ln a&#124;)";
        }
    }
    // A bar would end the table's cell.
    let [single, double] = [single, double].map(|text| text.replace('|', "&#124;"));
    format!(
        "| [`{0}`](crate::Expr::{0}) | {single} | {double} | {complex} |\n",
        function.name
    )
}

fn table() -> String {
    let mut text = String::from(HEAD);
    let _ = writeln!(text, "| `+`, `-` | 0 | 0 | {SUM} |");
    let _ = writeln!(
        text,
        "| `*` | 0 | 0 | {PRODUCT} |\n| `/` | 0 | 0 | {QUOTIENT} |"
    );
    text.push_str("| `%` | 0 | 0 | |\n");
    // The other functions take integers, which are exact.
    for function in ALL
        .iter()
        .filter(|function| function.is_real() || function.is_complex())
    {
        text.push_str(&row(function));
    }
    text
}

#[test]
fn page_matches_the_rows() {
    // A bundled test program runs without its sources, so the page is compiled in.
    let found = include_str!("../../guide/accuracy.md");
    let (before, rest) = found.split_once(HEAD).expect("the page has the table");
    let after = rest.find("\n\n").map_or("\n", |end| &rest[end + 1..]);
    let wanted = format!("{before}{}{after}", table());
    if std::env::var_os("UPDATE_PAGES").is_some() {
        let package = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
        std::fs::write(format!("{package}/src/guide/accuracy.md"), &wanted).unwrap();
        return;
    }
    assert!(
        found == wanted,
        "guide/accuracy.md differs from the rows of function.rs. Fix: run this test with UPDATE_PAGES=1"
    );
}
