//! Arrays of any layout as arguments of kernels: their address, lengths and strides as a struct.

use std::{ffi::c_void, fmt, marker::PhantomData};

use cuda_safe::{Owner, Stream, launch::KernelArgument};

use super::{ArrayMut, argument::Staged};
use crate::{
    array::Array,
    element::Element,
    error::{Error, Result},
};

/// A header for kernels in CUDA C++, which defines the parameter of an array with strides:
/// `Strided<const float, 2>` for [`Array::strided`] and `Strided<float, 2>` for
/// [`Array::strided_mut`].
///
/// | in the kernel | meaning |
/// | --- | --- |
/// | `x(i, j)` | the element at these indices, one for each axis |
/// | `x[k]` | the element at place `k` in C order |
/// | `x.size()` | the number of elements |
/// | `x.shape[axis]`, `x.strides[axis]` | the length of an axis, and its stride in elements, both `long long` |
/// | `x.data` | a pointer to the first element |
///
/// Indices are not checked. Add the header to a program with [`cuda_safe::Program::header`].
/// [`Array::strided`] has an example.
pub const STRIDED_HEADER: &str = include_str!("../kernels/strided.cuh");

/// The bytes of the argument, which `kernels/strided.cuh` declares.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Raw<const N: usize> {
    address: u64,
    shape: [i64; N],
    strides: [i64; N],
}

/// An array that a kernel reads, with its lengths and strides as a kernel argument. See
/// [`Array::strided`].
#[derive(Clone, Copy)]
pub struct Strided<'a, T, const N: usize> {
    raw: Raw<N>,
    stream: &'a Stream,
    array: PhantomData<&'a Array<T>>,
}

/// An array that a kernel writes, with its lengths and strides as a kernel argument. See
/// [`Array::strided_mut`].
pub struct StridedMut<'a, T, const N: usize> {
    raw: Raw<N>,
    stream: &'a Stream,
    array: PhantomData<&'a mut Array<T>>,
}

impl<T: Element> Array<T> {
    /// Returns the array with its lengths and strides as one argument of a kernel, which reads it
    /// in any layout. `N` is the number of axes.
    ///
    /// Declare the parameter as `Strided<const float, N>` and include [`STRIDED_HEADER`]. As for
    /// `&array`, the launch orders its stream with the array's.
    ///
    /// ```
    /// use cuda_compute::{Array, STRIDED_HEADER};
    /// use cuda_safe::{Context, LaunchConfig, Module, Program, Stream};
    ///
    /// # fn main() -> cuda_compute::Result<()> {
    /// let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let program = Program::new(r#"
    ///     #include "strided.cuh"
    ///     extern "C" __global__ void add_column(Strided<float, 2> x, Strided<const float, 1> y) {
    ///         const int i = threadIdx.y, j = threadIdx.x;
    ///         if (i < x.shape[0] && j < x.shape[1]) x(i, j) += y(i);
    ///     }"#)
    ///     .header("strided.cuh", STRIDED_HEADER);
    /// let add_column = Module::compile(&context, program)?.function("add_column")?;
    ///
    /// let mut x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([3, 2])?.t();
    /// let y = Array::from_slice(&stream, &[10.0f32, 20.0])?;
    /// let arguments = (x.strided_mut::<2>()?, y.strided::<1>()?);
    /// // SAFETY: the kernel checks its indices, and the types are the declared ones.
    /// unsafe { add_column.launch(&stream, LaunchConfig::new(1, (3, 2)), arguments)? };
    /// assert_eq!(x.to_vec()?, [11.0, 13.0, 15.0, 22.0, 24.0, 26.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] unless the array has `N` axes.
    pub fn strided<const N: usize>(&self) -> Result<Strided<'_, T, N>> {
        Ok(Strided {
            raw: self.raw("strided")?,
            stream: self.stream(),
            array: PhantomData,
        })
    }

    /// Returns the array with its lengths and strides as one argument of a kernel, which writes it
    /// in any layout. `N` is the number of axes.
    ///
    /// Declare the parameter as `Strided<float, N>`: see [`strided`](Self::strided). The array is
    /// copied first if others share its memory or if it repeats elements. The copy may have other
    /// strides. A slice or a transpose shares the memory of its array, so the kernel would write to
    /// a copy. To write to a part of an array, call
    /// [`strided_mut` of the part](crate::ArrayMut::strided_mut).
    ///
    /// # Errors
    /// Returns [`Error::Shape`] unless the array has `N` axes. Returns [`Error::Cuda`] if a copy is
    /// needed and device memory runs out.
    pub fn strided_mut<const N: usize>(&mut self) -> Result<StridedMut<'_, T, N>> {
        self.raw::<N>("strided_mut")?;
        self.make_writable(Some(0))?;
        Ok(StridedMut {
            raw: self.raw("strided_mut")?,
            stream: self.stream(),
            array: PhantomData,
        })
    }

    /// Returns the raw argument. `call` is the method that the user called.
    fn raw<const N: usize>(&self, call: &str) -> Result<Raw<N>> {
        const {
            assert!(
                N > 0,
                "an array without axes has no strides: pass it as `&x`"
            )
        };
        if self.rank() == 0 {
            return Err(Error::Shape(format!(
                "{call}::<{N}>: an array without axes has no strides. Fix: pass it as `&x`, or as `&mut x` to write to it"
            )));
        }
        let wrong = |_| {
            Error::Shape(format!(
                "{call}::<{N}>: an array of shape {0} has rank {1}. Fix: {call}::<{1}>(), and declare the kernel's parameter \
                 as `Strided<T, {1}>`",
                self.shape(),
                self.rank()
            ))
        };
        let shape: [usize; N] = self.shape().as_slice().try_into().map_err(wrong)?;
        let strides: [isize; N] = self.strides().try_into().map_err(wrong)?;
        Ok(Raw {
            address: self.as_device_ptr(),
            shape: shape.map(|length| length as i64),
            strides: strides.map(|stride| stride as i64),
        })
    }
}

impl<'a, T: Element> ArrayMut<'a, T> {
    /// Returns the part with its lengths and strides as one argument of a kernel, which writes to
    /// the array. `N` is the number of the part's axes.
    ///
    /// The array is copied first in the cases that [`Array::strided_mut`] lists.
    ///
    /// ```
    /// # use cuda_compute::{Array, STRIDED_HEADER, s};
    /// # use cuda_safe::{Context, LaunchConfig, Module, Program, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let program = Program::new(r#"
    ///     #include "strided.cuh"
    ///     extern "C" __global__ void clear(Strided<float, 1> x) { x(threadIdx.x) = 0; }"#)
    ///     .header("strided.cuh", STRIDED_HEADER);
    /// let clear = Module::compile(&context, program)?.function("clear")?;
    /// let mut x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
    /// let column = x.slice_mut(s![.., 1])?.strided_mut::<1>()?;
    /// // SAFETY: one thread for each element, of the declared type.
    /// unsafe { clear.launch(&stream, LaunchConfig::new(1, 2), (column,))? };
    /// assert_eq!(x.to_vec()?, [1.0, 0.0, 3.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] unless the part has `N` axes. Returns [`Error::Cuda`] if a copy is
    /// needed and device memory runs out.
    pub fn strided_mut<const N: usize>(self) -> Result<StridedMut<'a, T, N>> {
        let call = "strided_mut";
        self.array.slice(&self.items)?.raw::<N>(call)?;
        self.array.make_writable(Some(0))?;
        Ok(StridedMut {
            raw: self.array.slice(&self.items)?.raw(call)?,
            stream: self.array.stream(),
            array: PhantomData,
        })
    }
}

macro_rules! argument {
    ($type:ident) => {
        // SAFETY: the pointer points to a struct with the address of the array's memory, which is
        // freed in the order of the array's stream.
        unsafe impl<'a, T: Element, const N: usize> KernelArgument for $type<'a, T, N> {
            type Staged = Staged<'a, Raw<N>>;
            type Pointers = [*mut c_void; 1];
            const SIZE: usize = size_of::<Raw<N>>();
            const ORDERED: bool = true;

            unsafe fn stage(self, stream: &Stream) -> cuda_safe::Result<Self::Staged> {
                Staged::new(self.raw, self.stream, stream)
            }

            fn pointers(staged: &mut Self::Staged) -> [*mut c_void; 1] {
                staged.pointers()
            }

            fn owner(staged: &Self::Staged) -> Option<Owner<'_>> {
                staged.owner()
            }
        }

        impl<T: Element, const N: usize> fmt::Debug for $type<'_, T, N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type))
                    .field("element", &T::DATA_TYPE.name())
                    .field("shape", &self.raw.shape)
                    .field("strides", &self.raw.strides)
                    .finish()
            }
        }
    };
}

argument!(Strided);
argument!(StridedMut);
