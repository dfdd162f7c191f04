//! Functions of numbers that are written in Rust, and run on the device and on the CPU alike.

use std::fmt;

/// Makes a [`DeviceFn`] of a closure: a Rust function, and the same in CUDA C++.
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
/// The translation happens when the program is compiled. rustc checks the closure as it checks any function, and what
/// the device lacks is an error at its place, with what to write instead. Nothing about it is `unsafe`.
///
/// # What a closure may hold
///
/// | | |
/// | --- | --- |
/// | parameters | 1 to 6, each with its type; nothing is captured |
/// | types | `f32`, `f64`, `i8` to `i64`, `u8` to `u64`, `bool` |
/// | statements | `let`, assignment, `if`, `while`, `loop`, `for` over `a..b` or `a..=b`, `break`, `continue`, `return` |
/// | operators | all of numbers and truth values, `as` |
/// | real methods | `sin` `cos` `tan` `asin` `acos` `atan` `atan2` `sinh` `cosh` `tanh` `asinh` `acosh` `atanh` `exp` `exp2` `exp_m1` `ln` `ln_1p` `log2` `log10` `sqrt` `cbrt` `powf` `powi` `hypot` `recip` `mul_add` `abs` `signum` `copysign` `max` `min` `clamp` `floor` `ceil` `trunc` `round` `round_ties_even` `fract` `rem_euclid` `div_euclid` `to_degrees` `to_radians` `is_nan` `is_finite` `is_infinite` `is_sign_negative` `to_bits` `from_bits` |
/// | integer methods | `abs` `signum` `max` `min` `clamp` `pow` `abs_diff` `rem_euclid` `div_euclid` `div_ceil` `is_multiple_of` `count_ones` `leading_zeros` `trailing_zeros` `rotate_left` `rotate_right` `saturating_add` `saturating_sub` `wrapping_add` `wrapping_sub` `wrapping_mul` `wrapping_neg` `wrapping_abs` `wrapping_pow` `wrapping_shl` `wrapping_shr` `unbounded_shl` `unbounded_shr` |
/// | constants | of the types, such as `f32::INFINITY` and `i32::MAX`, and `std::f32::consts`, `std::f64::consts` |
///
/// Numbers that nothing in the closure gives a type to are `i32` and `f64`, as everywhere in Rust. The macro does not see
/// what type is expected of the closure: write down the result's, as above, where nothing else decides.
///
/// # How the device's results compare with the CPU's
///
/// - Integers are the same. Where Rust panics, the device goes on: sums, differences and products that overflow wrap
///   around, as in a release build; a shift takes its count modulo the width; division by zero, and its remainder, is
///   0; the lowest value by -1 wraps around. `clamp` gives the upper bound if its bounds are in the wrong order, and
///   NaN if a bound is NaN.
/// - `+`, `-`, `*`, `/`, `%`, `sqrt`, `mul_add`, rounding and conversions are the same to the bit, but for two
///   things: the compiler for the device may compute `a * b + c` with one rounding instead of two, so that results
///   differ by at most the rounding of a product ([`Program::fmad`](cuda_safe::Program::fmad) says how to forbid
///   it); and a NaN may have other bits.
/// - Of zeros with different signs, `max` and `min` return any.
/// - Transcendental functions differ by the last few bits: each side is within the error that its library states.
///   `asinh` and `acosh` of more than half the greatest number are infinite on the CPU, and finite on the device.
/// - A loop without an end keeps the device busy without an end, as in any kernel.
///
/// # The expansion and `unsafe`
///
/// The macro's expansion has an `unsafe` block: only the macro may say what the device's text is. The block is
/// allowed in crates that `#![forbid(unsafe_code)]`, since the lint does not look into macros of other crates.
pub use cuda_compute_macros::device_fn;

/// Makes a [`Fold`] of a closure that combines two values, and of the value that changes nothing.
///
/// ```
/// use cuda_compute::fold;
///
/// let largest = fold!(|a: f32, b: f32| a.max(b), f32::NEG_INFINITY);
/// assert_eq!(largest.call((1.0, 2.0)), 2.0);
/// assert_eq!(largest.identity(), f32::NEG_INFINITY);
/// ```
///
/// The closure is one for [`device_fn!`], from two values of a type to one of the same type. The identity is an
/// expression without variables. The combination has to be associative and commutative, since the device combines in
/// any order; if it is not, the result depends on that order. Sums of real numbers are nearly so: their last bits
/// depend on it.
pub use cuda_compute_macros::fold;

/// The name in a device text that stands for the function's.
const NAME: &str = "@NAME@";

/// A device text under this name.
pub(crate) fn named(text: &str, name: &str) -> String {
    text.replace(NAME, name)
}

/// A function of 1 to 6 numbers, for the device and for the CPU. [`device_fn!`] makes one of a closure.
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
    /// What [`device_fn!`] expands to.
    ///
    /// # Safety
    /// `text` is the definition of a device function that is called `@NAME@`, in CUDA C++ that uses nothing but
    /// `kernels/scalar.cuh`. Its parameters and its result are of the types that `F`, `parameters` and `result` name.
    /// It touches no memory, and what it does is defined for all values.
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

    /// The function in CUDA C++, for the curious. Its name is still open: `@NAME@` stands for it.
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
    /// Functions that begin with `rs_` are those of `kernels/scalar.cuh`.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.text
    }

    /// The same, under this name.
    #[must_use]
    pub fn source_named(&self, name: &str) -> String {
        named(self.text, name)
    }

    /// The names of the parameters' types in Rust.
    #[must_use]
    pub const fn parameters(&self) -> &'static [&'static str] {
        self.parameters
    }

    /// The name of the result's type in Rust.
    #[must_use]
    pub const fn result(&self) -> &'static str {
        self.result
    }
}

impl<F: Copy> DeviceFn<F> {
    /// The Rust function.
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

/// An associative and commutative combination of two values of a type, and its identity. [`fold!`] makes one of a
/// closure.
#[derive(Clone, Copy)]
pub struct Fold<T> {
    combine: DeviceFn<fn(T, T) -> T>,
    identity: T,
    identity_text: &'static str,
}

impl<T> Fold<T> {
    /// What [`fold!`] expands to.
    ///
    /// # Safety
    /// `identity_text` is an expression in CUDA C++, of the type in `combine`'s text, with the value `identity`.
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

    /// The combination.
    #[must_use]
    pub const fn combine(&self) -> &DeviceFn<fn(T, T) -> T> {
        &self.combine
    }

    /// Combines two values on the CPU.
    pub fn call(&self, both: (T, T)) -> T {
        self.combine.call(both)
    }

    /// The identity in CUDA C++.
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
    /// The value that changes nothing: combined with it, every value stays the same.
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
