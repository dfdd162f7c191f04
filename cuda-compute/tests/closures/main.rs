//! Compares closures on the device with the same closures on the CPU. The tests use a GPU if there
//! is one, otherwise the emulator.

// The closures cover all syntax that the macro accepts, including unidiomatic code.
#![allow(
    clippy::excessive_precision,
    clippy::manual_is_multiple_of,
    clippy::manual_clamp,
    clippy::mut_range_bound,
    clippy::needless_late_init,
    clippy::neg_multiply,
    clippy::unnecessary_cast
)]

#[path = "../shared/checks.rs"]
mod checks;
mod control;
mod integers;
mod reals;
mod suite;

use cuda_compute::{DeviceFn, Fold, device_fn, fold};

/// A closure in a constant.
const HALF: DeviceFn<fn(f32) -> f32> = device_fn!(|x: f32| x / 2.0);

#[test]
fn closures_are_called_on_the_cpu() {
    assert_eq!(HALF.call((3.0,)), 1.5);
    let sum = device_fn!(|a: i32, b: i32, c: i32, d: i32, e: i32, f: i32| a + b + c + d + e + f);
    assert_eq!(sum.call((1, 2, 3, 4, 5, 6)), 21);
    assert_eq!((sum.host())(1, 1, 1, 1, 1, 1), 6);
    assert_eq!(sum.parameters(), ["i32"; 6]);
    let above = device_fn!(|x: f64, bound: f32| x > bound as f64);
    assert_eq!(
        (above.parameters(), above.result()),
        (&["f64", "f32"][..], "bool")
    );
}

#[test]
fn folds_have_an_identity() {
    let largest: Fold<f32> = fold!(|a: f32, b: f32| a.max(b), f32::NEG_INFINITY);
    assert_eq!(largest.call((1.0, 2.0)), 2.0);
    assert_eq!(largest.identity(), f32::NEG_INFINITY);
    assert_eq!(largest.identity_source(), "__int_as_float(0xff800000)");
    let product = fold!(|a: u64, b: u64| a * b, 1);
    assert_eq!((product.identity(), product.identity_source()), (1, "1ull"));
    let all = fold!(|a: bool, b: bool| a & b, true,);
    assert!(all.identity() && all.combine().call((true, true)));
    let lowest = fold!(|a: i64, b: i64| { if a < b { a } else { b } }, i64::MAX);
    assert_eq!(lowest.identity_source(), "9223372036854775807ll");
    let near = fold!(|a: f64, b: f64| a + b, -0.0);
    assert!(near.identity().is_sign_negative() && near.identity_source() == "-0.0");
}

#[test]
fn source_can_be_printed_under_any_name() {
    let text = "__device__ __forceinline__ float @NAME@(float x) { return x / 2.0f; }";
    assert_eq!(HALF.source(), text);
    assert_eq!(HALF.source_named("half"), text.replace("@NAME@", "half"));
    let shown = format!("{HALF:?}");
    assert!(shown.contains("\"f32\"") && shown.contains(text), "{shown}");
    let shown = format!("{:?}", fold!(|a: i32, b: i32| a + b, 7));
    assert!(shown.contains("identity: 7"), "{shown}");
}

#[test]
fn types_are_inferred_like_rustc() {
    // Literals default to `f64` and `i32` unless something else determines their type.
    assert_eq!(
        device_fn!(|x: bool| if x { 1.0 } else { 0.5 }).result(),
        "f64"
    );
    assert_eq!(
        device_fn!(|x: bool| {
            let one = 1;
            if x { one } else { 2 }
        })
        .result(),
        "i32"
    );
    // A later use determines the type.
    let late = device_fn!(|x: f32, n: u8| {
        let mut sum = 0.0;
        let mut count = 0;
        let last;
        while count < n {
            count += 1;
            sum += x;
        }
        last = sum;
        last
    });
    assert_eq!((late.result(), late.call((0.5, 4))), ("f32", 2.0));
    // Type aliases of the program do not affect the closure.
    #[allow(non_camel_case_types, dead_code)]
    type f32 = u8;
    let real = device_fn!(|x: f32| x as f32 * 0.5 + f32::EPSILON);
    assert_eq!(real.call((1.0,)), 0.500_000_1);
}

#[test]
fn macros_can_generate_closures() {
    macro_rules! scaled {
        ($x:ident, $type:ty, $factor:expr) => {
            device_fn!(|$x: $type| {
                let mut sum = $x * $factor;
                for _ in 0..2 {
                    sum += $factor;
                }
                sum
            })
        };
    }
    let scaled = scaled!(x, f32, 1.0 + 0.5);
    assert_eq!(scaled.call((2.0,)), 6.0);
    assert!(scaled.source().contains("float sum_ = x * (1.0f + 0.5f);"));
    macro_rules! passed {
        ($closure:expr) => {
            device_fn!($closure)
        };
    }
    assert_eq!(passed!(|x: u8| x / 2).call((7,)), 3);
}

#[forbid(unsafe_code)]
mod without_unsafe {
    use cuda_compute::{device_fn, fold};

    #[test]
    fn closures_compile_if_unsafe_code_is_forbidden() {
        assert_eq!(device_fn!(|x: u8| x + 1).call((1,)), 2);
        assert_eq!(fold!(|a: u8, b: u8| a | b, 0).call((1, 2)), 3);
    }
}
