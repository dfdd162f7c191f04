//! What must not compile: closures that the device can't run, device text from elsewhere.

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
