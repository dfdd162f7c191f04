//! Compiles the programs in `safe` and `compute`, which must fail with the errors beside them.
//!
//! `TRYBUILD=overwrite cargo test -p cuda-compile-fail` writes the errors of the present compiler.

#[test]
#[cfg_attr(
    windows,
    ignore = "the test starts cargo, which does not run under Wine"
)]
fn misuse_does_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/safe/*.rs");
    cases.compile_fail("tests/compute/*.rs");
}
