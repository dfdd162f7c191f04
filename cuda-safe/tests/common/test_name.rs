//! The name of a test, to run it again in another process.

use std::any;

/// Returns the name of the test that contains the closure `_body`, as its program lists it.
///
/// The closure's type is named after the function that contains it.
pub fn test_name<F>(_body: &F) -> &'static str {
    let path = any::type_name::<F>();
    let closure = path.find("::{{closure}}").expect("a closure");
    let (_program, test) = path[..closure].split_once("::").expect("a function");
    test
}
