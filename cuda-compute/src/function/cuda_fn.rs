//! Functions that users write in CUDA C++.

use std::{fmt, marker::PhantomData, sync::Arc};

use crate::{
    closure::DeviceFn,
    element::{DataType, Element},
    expression::own::{CudaText, OwnFunction},
};

/// A function of 1 to 6 elements that is written in CUDA C++.
///
/// Use it if closures of [`device_fn!`](crate::device_fn) lack something: halves, complex numbers,
/// structs, functions of CUDA's library, or existing code.
///
/// `F` is the function's type in Rust, such as `fn(f32, f32) -> f32`. You can use a `CudaFn`
/// wherever you can use such a closure: with [`map`](Self::map), and through
/// [`Combination::new`](crate::Combination::new) in reductions and scans. It becomes part of the
/// kernel of its expression.
///
/// ```
/// use cuda_compute::{Array, CudaFn};
/// # use cuda_safe::{Context, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// // SAFETY: it only computes, and is defined for all values.
/// let bell = unsafe {
///     CudaFn::<fn(f32, f32) -> f32>::new(
///         "bell",
///         "__device__ float square(float x) { return x * x; }
///          __device__ float bell(float x, float width) { return expf(-square(x / width)); }",
///     )
/// };
/// let x = Array::from_slice(&stream, &[0.0f32, 3.0])?;
/// let y = (bell.map((&x, 3.0)) * 2.0).eval()?; // one kernel
/// assert_eq!(y.slice(cuda_compute::s![0])?.item()?, 2.0);
/// assert!((y.slice(cuda_compute::s![1])?.item()? - 0.735_758).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
///
/// # Types
/// The compiler checks the function's type against `F`. Parameters may be values or `const &`.
///
/// | in `F` | in CUDA C++ |
/// | --- | --- |
/// | `bool`, `f32`, `f64` | `bool`, `float`, `double` |
/// | `i8`, `i16`, `i32`, `i64` | `signed char`, `short`, `int`, `long long` |
/// | `u8`, `u16`, `u32`, `u64` | `unsigned char`, `unsigned short`, `unsigned`, `unsigned long long` |
/// | `f16`, `bf16` | `float` with the half's value. The result is rounded to a half |
/// | `Complex<f32>`, `Complex<f64>` | `complex<float>`, `complex<double>`, with the fields `re` and `im` and the operators `+ - * / == !=` |
/// | a struct that derives [`Element`](derive@crate::Element) | a struct of the same name, with fields of the same names |
///
/// In a struct, halves have the types `stored_f16` and `stored_bf16`, and complex numbers
/// `stored_complex<float>` and `stored_complex<double>`. They convert to and from `float` and
/// `complex` implicitly.
///
/// If a name is a keyword of C++, append an underscore: the field `class` is `class_` in CUDA C++.
/// To keep names unique, the field `class_` is then `class__`.
///
/// # The source
/// The source contains the function, with `__device__`. The function must not be overloaded or a
/// template. It may follow anything that it needs: functions, constants, types, and `#include` of
/// headers that the compiler finds. The source is put into a separate namespace, so its names don't
/// collide with others.
///
/// You can generate the source at run time. Each different source compiles to another kernel, and
/// two `CudaFn`s with the same source share a kernel. Create a `CudaFn` once and clone it:
/// evaluations then compare no sources.
///
/// # Errors
/// If the source does not compile, the first [`eval`](crate::Expr::eval) returns
/// [`Error::Cuda`](crate::Error::Cuda) with the compiler's log, which refers to the lines of the
/// source.
pub struct CudaFn<F> {
    own: Arc<CudaText>,
    signature: PhantomData<fn() -> F>,
}

impl<F: Signature> CudaFn<F> {
    /// Creates a function from its name and its source.
    ///
    /// # Safety
    /// The source becomes part of kernels, in which many threads call the function any number of
    /// times with any values of the arrays. The caller must ensure that, for all values of its
    /// parameters, the function:
    /// - returns, and has defined behavior in CUDA C++: no overflow of signed integers, no index
    ///   out of bounds, no uninitialized variable, and no result that is invalid for a `bool`;
    /// - accesses no memory except its own variables: no pointers from elsewhere, no shared memory,
    ///   and no global variables that are not constant;
    /// - works in each thread independently: no barriers, shuffles or votes, because other threads
    ///   may not call it.
    ///
    /// The caller must also ensure that the source does not affect the rest of the kernel: it
    /// closes no block that it did not open, and leaves no macro defined. The same applies to the
    /// headers that it includes.
    #[must_use]
    pub unsafe fn new(name: impl AsRef<str>, text: impl AsRef<str>) -> Self {
        let own = CudaText::new(name.as_ref(), text.as_ref(), F::parameters(), F::result());
        Self {
            own,
            signature: PhantomData,
        }
    }
}

impl<F> CudaFn<F> {
    /// Returns the function's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.own.name
    }

    /// Returns the source.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.own.text
    }

    pub(crate) fn own(&self) -> OwnFunction {
        OwnFunction::Cuda(self.own.clone())
    }
}

impl<F> Clone for CudaFn<F> {
    fn clone(&self) -> Self {
        Self {
            own: self.own.clone(),
            signature: PhantomData,
        }
    }
}

impl<F> fmt::Debug for CudaFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaFn")
            .field("name", &self.own.name)
            .field("parameters", &self.own.parameters)
            .field("result", &self.own.result)
            .field("source", &self.own.text)
            .finish()
    }
}

mod sealed {
    use super::{CudaFn, DeviceFn, OwnFunction};

    pub trait Signature {}

    pub trait Combine<T> {
        fn own(&self) -> OwnFunction;
    }

    impl<T> Combine<T> for DeviceFn<fn(T, T) -> T> {
        fn own(&self) -> OwnFunction {
            OwnFunction::Closure(self.source())
        }
    }

    impl<T> Combine<T> for CudaFn<fn(T, T) -> T> {
        fn own(&self) -> OwnFunction {
            self.own()
        }
    }
}

/// The function types that a [`CudaFn`] can have: from 1 to 6 elements to one element.
pub trait Signature: sealed::Signature {
    #[doc(hidden)]
    fn parameters() -> Vec<DataType>;
    #[doc(hidden)]
    fn result() -> DataType;
}

macro_rules! signatures {
    ($(($($parameter:ident)*))*) => {$(
        impl<$($parameter: Element,)* R: Element> sealed::Signature for fn($($parameter),*) -> R {}
        impl<$($parameter: Element,)* R: Element> Signature for fn($($parameter),*) -> R {
            fn parameters() -> Vec<DataType> {
                vec![$($parameter::DATA_TYPE),*]
            }

            fn result() -> DataType {
                R::DATA_TYPE
            }
        }
    )*};
}

signatures! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E G) }

/// Functions that combine two elements into one: [`DeviceFn`] and [`CudaFn`].
pub trait Combine<T>: sealed::Combine<T> {}

impl<T> Combine<T> for DeviceFn<fn(T, T) -> T> {}
impl<T> Combine<T> for CudaFn<fn(T, T) -> T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_knows_its_name_and_its_text() {
        let text = "__device__ float twice(float x) { return 2 * x; }";
        // SAFETY: it only computes.
        let twice = unsafe { CudaFn::<fn(f32) -> f32>::new("twice", text) };
        assert_eq!((twice.name(), twice.source()), ("twice", text));
        let wanted = format!(
            "CudaFn {{ name: \"twice\", parameters: [F32], result: F32, source: {text:?} }}"
        );
        assert_eq!(format!("{twice:?}"), wanted);
    }
}
