//! Misuse that must not compile: borrows that would outlive their memory, elements that are not
//! plain data, and arguments that a typed kernel does not accept.

#[test]
#[cfg_attr(
    windows,
    ignore = "the test starts cargo, which does not run under Wine"
)]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
