//! What must not compile: borrows that would outlive their memory, and elements that are not
//! plain data.

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
