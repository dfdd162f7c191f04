//! Functions of numbers that are written in Rust and run on the device and on the CPU.

use std::fmt;

/// Makes a [`DeviceFn`] from a closure: a Rust function, and its translation to CUDA C++.
///
/// ```
/// use cuda_compute::{DeviceFn, device_fn};
///
/// let wave = device_fn!(|x: f32, y: f32| (x * y).sin() + 1.0);
/// assert_eq!(wave.call((0.0, 1.0)), 1.0); // on the CPU
///
/// const STEPS: DeviceFn<fn(u32) -> u32> = device_fn!(|start: u32| -> u32 {
///     let mut n = start;
///     let mut steps = 0;
///     while n > 1 {
///         n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
///         steps += 1;
///     }
///     steps
/// });
/// assert_eq!(STEPS.call((27,)), 111);
/// ```
///
/// The closure is translated when the program is compiled. rustc checks it like any function. If
/// the closure uses something that the device lacks, compilation fails at that place with a message
/// that suggests an alternative. You need no `unsafe`.
///
/// # Supported Rust
///
/// | | |
/// | --- | --- |
/// | parameters | 1 to 6, each with its type. The closure captures nothing |
/// | types | `f32`, `f64`, `i8` to `i64`, `u8` to `u64`, `bool` |
/// | results | one. For several, write a closure for each and compute them in one kernel: `eval((f.map((&x,)), g.map((&x,))))` |
/// | structs | pass their fields: `f.map((x.field(\|value\| &value.mass),))` |
/// | statements | `let`, assignment, `if`, `while`, `loop`, `for` over `a..b` or `a..=b`, `break`, `continue`, `return` |
/// | operators | all operators of numbers and `bool`, and `as` |
/// | real methods | `sin` `cos` `tan` `asin` `acos` `atan` `atan2` `sinh` `cosh` `tanh` `asinh` `acosh` `atanh` `exp` `exp2` `exp_m1` `ln` `ln_1p` `log2` `log10` `sqrt` `cbrt` `powf` `powi` `hypot` `recip` `mul_add` `abs` `signum` `copysign` `max` `min` `clamp` `floor` `ceil` `trunc` `round` `round_ties_even` `fract` `rem_euclid` `div_euclid` `to_degrees` `to_radians` `is_nan` `is_finite` `is_infinite` `is_sign_negative` `to_bits` `from_bits` |
/// | integer methods | `abs` `signum` `max` `min` `clamp` `pow` `abs_diff` `rem_euclid` `div_euclid` `div_ceil` `is_multiple_of` `count_ones` `leading_zeros` `trailing_zeros` `rotate_left` `rotate_right` `saturating_add` `saturating_sub` `wrapping_add` `wrapping_sub` `wrapping_mul` `wrapping_neg` `wrapping_abs` `wrapping_pow` `wrapping_shl` `wrapping_shr` `unbounded_shl` `unbounded_shr` |
/// | constants | associated constants of the types, such as `f32::INFINITY` and `i32::MAX`, and those in `std::f32::consts` and `std::f64::consts` |
///
/// Literals whose type the closure does not determine are `i32` or `f64`, as everywhere in Rust.
/// The macro does not know the type that the context expects. If nothing else determines the type
/// of the result, write it down, as above.
///
/// # Differences between device and CPU
///
/// - **Integers** have the same results.
/// - **The device never panics:**
///   - Overflowing sums, differences and products of integers wrap around, as in a release build.
///   - Shifts take the count modulo the width.
///   - Integer division by zero yields 0, and so does the remainder.
///   - The lowest integer divided by −1 wraps around.
///   - `clamp` returns the upper bound if the bounds are in the wrong order, and NaN if a bound is
///     NaN.
/// - **`+`, `-`, `*`, `/`, `%`, `sqrt`, `mul_add`, rounding and conversions** have the same results
///   to the bit, with two exceptions. The device compiler may compute `a * b + c` with one rounding
///   instead of two. Results then differ by at most the rounding of a product, and
///   [`Program::fmad`](cuda_safe::Program::fmad) describes how to prevent it. A NaN may have
///   different bits.
/// - **`max` and `min`** of zeros with different signs return either zero.
/// - **Transcendental functions** differ in the last few bits. Each side is within the error that
///   its library states. `asinh` and `acosh` of numbers larger than half the largest number are
///   infinite on the CPU and finite on the device.
/// - **An endless loop** keeps the device busy forever, as in any kernel.
///
/// # The expansion and `unsafe`
///
/// The macro expands to an `unsafe` block, because only the macro may state the device's source.
/// The block is allowed in crates with `#![forbid(unsafe_code)]`, because the lint ignores macros
/// of other crates.
pub use cuda_compute_macros::device_fn;

/// Makes a [`Fold`] from a closure that combines two values and from the identity of this
/// combination.
///
/// ```
/// use cuda_compute::fold;
///
/// let largest = fold!(|a: f32, b: f32| a.max(b), f32::NEG_INFINITY);
/// assert_eq!(largest.call((1.0, 2.0)), 2.0);
/// assert_eq!(largest.identity(), f32::NEG_INFINITY);
/// ```
///
/// The closure must be one that [`device_fn!`] accepts. It must combine two values of a type into
/// one value of the same type. The identity is an expression without variables.
///
/// The combination must be associative and commutative, because the device combines values in any
/// order. Otherwise the result depends on that order. Floating-point addition is not exactly
/// associative, so the last bits of a sum depend on the order.
pub use cuda_compute_macros::fold;

/// The placeholder for the function's name in a device source.
const NAME: &str = "@NAME@";

/// Returns a device source with the function's name filled in.
pub(crate) fn named(text: &str, name: &str) -> String {
    text.replace(NAME, name)
}

/// A function of 1 to 6 numbers for the device and the CPU. [`device_fn!`] makes one from a
/// closure.
///
/// `F` is the type of the function, such as `fn(f32, f32) -> f32`.
#[derive(Clone, Copy)]
pub struct DeviceFn<F> {
    host: F,
    text: &'static str,
    parameters: &'static [&'static str],
    result: &'static str,
}

impl<F> DeviceFn<F> {
    /// The expansion of [`device_fn!`].
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `text` defines a device function with the name `@NAME@`, in CUDA C++ that uses nothing but
    ///   `kernels/scalar.cuh`;
    /// - its parameters and its result have the types that `F`, `parameters` and `result` name;
    /// - it accesses no memory, and its behavior is defined for all values.
    #[doc(hidden)]
    pub const unsafe fn translated(
        host: F,
        text: &'static str,
        parameters: &'static [&'static str],
        result: &'static str,
    ) -> Self {
        Self {
            host,
            text,
            parameters,
            result,
        }
    }

    /// Returns the function in CUDA C++. Its name is the placeholder `@NAME@`.
    ///
    /// ```
    /// use cuda_compute::device_fn;
    ///
    /// assert_eq!(
    ///     device_fn!(|x: f32, y: f32| (x * y).sin() + 1.0).source(),
    ///     "__device__ __forceinline__ float @NAME@(float x, float y) { return sinf(x * y) + 1.0f; }"
    /// );
    /// ```
    ///
    /// Functions with the prefix `rs_` are defined in `kernels/scalar.cuh`.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.text
    }

    /// Returns the function in CUDA C++ under this name.
    #[must_use]
    pub fn source_named(&self, name: &str) -> String {
        named(self.text, name)
    }

    /// Returns the names of the parameters' types in Rust.
    #[must_use]
    pub const fn parameters(&self) -> &'static [&'static str] {
        self.parameters
    }

    /// Returns the name of the result's type in Rust.
    #[must_use]
    pub const fn result(&self) -> &'static str {
        self.result
    }
}

impl<F: Copy> DeviceFn<F> {
    /// Returns the Rust function.
    #[must_use]
    pub const fn host(&self) -> F {
        self.host
    }
}

impl<F> fmt::Debug for DeviceFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceFn")
            .field("parameters", &self.parameters)
            .field("result", &self.result)
            .field("source", &self.text)
            .finish()
    }
}

macro_rules! calls {
    ($($parameter:ident $argument:ident),*) => {
        impl<$($parameter,)* R> DeviceFn<fn($($parameter),*) -> R> {
            /// Calls the function on the CPU.
            pub fn call(&self, ($($argument,)*): ($($parameter,)*)) -> R {
                (self.host)($($argument),*)
            }
        }
    };
}

calls!(A a);
calls!(A a, B b);
calls!(A a, B b, C c);
calls!(A a, B b, C c, D d);
calls!(A a, B b, C c, D d, E e);
calls!(A a, B b, C c, D d, E e, G g);

/// An associative and commutative combination of two values of a type, and its identity. [`fold!`]
/// makes one from a closure.
#[derive(Clone, Copy)]
pub struct Fold<T> {
    combine: DeviceFn<fn(T, T) -> T>,
    identity: T,
    identity_text: &'static str,
}

impl<T> Fold<T> {
    /// The expansion of [`fold!`].
    ///
    /// # Safety
    /// The caller must ensure that `identity_text` is an expression in CUDA C++ that has the value
    /// `identity` and the type of `combine`'s parameters.
    #[doc(hidden)]
    pub const unsafe fn translated(
        combine: DeviceFn<fn(T, T) -> T>,
        identity: T,
        identity_text: &'static str,
    ) -> Self {
        Self {
            combine,
            identity,
            identity_text,
        }
    }

    /// Returns the combination.
    #[must_use]
    pub const fn combine(&self) -> &DeviceFn<fn(T, T) -> T> {
        &self.combine
    }

    /// Combines two values on the CPU.
    pub fn call(&self, both: (T, T)) -> T {
        self.combine.call(both)
    }

    /// Returns the identity in CUDA C++.
    ///
    /// ```
    /// use cuda_compute::fold;
    ///
    /// let largest = fold!(|a: f32, b: f32| a.max(b), f32::NEG_INFINITY);
    /// assert_eq!(largest.identity_source(), "__int_as_float(0xff800000)");
    /// ```
    #[must_use]
    pub const fn identity_source(&self) -> &'static str {
        self.identity_text
    }
}

impl<T: Copy> Fold<T> {
    /// Returns the identity: combining it with any value yields that value.
    #[must_use]
    pub const fn identity(&self) -> T {
        self.identity
    }
}

impl<T: fmt::Debug> fmt::Debug for Fold<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fold")
            .field("combine", &self.combine)
            .field("identity", &self.identity)
            .finish()
    }
}
