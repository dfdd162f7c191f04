//! Code that must not compile: closures that the device cannot run, and unchecked device code.

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
