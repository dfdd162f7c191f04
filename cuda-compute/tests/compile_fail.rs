//! Code that must not compile: closures that the device cannot run, and unchecked device code.

#[test]
#[cfg_attr(
    windows,
    ignore = "the test starts cargo, which does not run under Wine"
)]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
