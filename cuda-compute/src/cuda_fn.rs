//! Functions that users write in CUDA C++.

use std::{fmt, marker::PhantomData, sync::Arc};

use crate::{
    closure::DeviceFn,
    element::{DataType, Element},
    expression::own::{CudaText, OwnFunction},
};

/// A function of 1 to 6 elements that is written in CUDA C++, for what closures of [`device_fn!`](crate::device_fn) lack:
/// halves, complex numbers, structs, functions of CUDA's library, code that is there already.
///
/// `F` is its type in Rust, such as `fn(f32, f32) -> f32`. It can be used where such a closure can: in
/// [`map`](Self::map), and by [`Combination::new`](crate::Combination::new) in reductions and scans. It becomes part of
/// the kernel of the expression, as everything in it.
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
/// The compiler compares the function's type with `F`. Parameters may be values or `const &`.
///
/// | in `F` | in CUDA C++ |
/// | --- | --- |
/// | `bool`, `f32`, `f64` | `bool`, `float`, `double` |
/// | `i8`, `i16`, `i32`, `i64` | `signed char`, `short`, `int`, `long long` |
/// | `u8`, `u16`, `u32`, `u64` | `unsigned char`, `unsigned short`, `unsigned`, `unsigned long long` |
/// | `f16`, `bf16` | `float`: the half's value; the result is rounded to a half |
/// | `Complex<f32>`, `Complex<f64>` | `complex<float>`, `complex<double>`: fields `re` and `im`, the operators `+ - * / == !=` |
/// | a struct that derives [`Element`](derive@crate::Element) | a struct of the same name, with fields of the same names |
///
/// In a struct, halves are `stored_f16` and `stored_bf16`, and complex numbers `stored_complex<float>` and
/// `stored_complex<double>`. They turn into `float` and `complex` by themselves, and these can be assigned to them.
///
/// A name that is a keyword of C++ has an underscore after it: the field `class` is `class_` in the text. So that this is
/// never another field's name, the field `class_` is `class__` there.
///
/// # The text
/// The text has the function, with `__device__`, neither overloaded nor a template, and before it whatever it needs:
/// functions, constants, types, `#include` of headers that the compiler finds. It stands in a namespace of its own, so its
/// names clash with nothing.
///
/// It may be made when the program runs. A kernel is compiled for each different text; two values of the same text share
/// it. Make the value once, and clone it: an evaluation compares no texts then.
///
/// # Errors
/// What the compiler says of the text is the error of the first [`eval`](crate::Expr::eval), with the lines of the text.
pub struct CudaFn<F> {
    own: Arc<CudaText>,
    signature: PhantomData<fn() -> F>,
}

impl<F: Signature> CudaFn<F> {
    /// The function of this name in a text.
    ///
    /// # Safety
    /// The text becomes part of kernels, in which many threads call the function, as often as they like, for whatever
    /// values the arrays hold. For all values of its parameters:
    /// - it returns, and what it does is defined in CUDA C++: no overflow of signed integers, no index beyond an array,
    ///   no variable that is read before it is set, no result that a `bool` can't have;
    /// - it reads and writes no memory but its own variables: no pointer from elsewhere, no shared memory, no variable
    ///   outside that is not constant;
    /// - it works for each thread alone: no barrier, no shuffle or vote, since others may not be there.
    ///
    /// The text leaves the rest of the kernel as it is: it ends no block that it did not begin, and defines no macro that
    /// is left defined. What it includes is held to the same.
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
    /// The function's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.own.name
    }

    /// The text.
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

/// The types of functions that a [`CudaFn`] can have: 1 to 6 elements to one.
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

/// Functions that combine two elements to one: a [`DeviceFn`] or a [`CudaFn`].
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
