//! Memory and its length as one argument for two parameters, such as `T *x, int n`.

use std::{ffi::c_void, marker::PhantomData};

use bytemuck::Pod;

use super::{
    arguments::KernelArgument,
    host::{In, InOut, Out},
};
use crate::{
    code::parameter::{ArgumentKind, ArgumentType},
    error::{Error, ErrorKind, Result},
    memory::{DeviceMemory, DeviceView, Storage, StorageMut},
    stream::{Stream, owner::Owner},
};

/// Memory and its number of elements, as one argument for two parameters of the kernel.
///
/// The memory can be any argument with a length: a buffer or view by reference, or [`In`], [`Out`]
/// or [`InOut`]. The constructor's name is the integer type that the kernel declares:
///
/// | argument | in the kernel |
/// | --- | --- |
/// | `WithLen::i32(&x)` | `const T *x, int n` |
/// | `WithLen::u32(&mut x)` | `T *x, unsigned n` |
/// | `WithLen::i64(&x)` | `const T *x, long long n` |
/// | `WithLen::u64(&x)`, `WithLen::usize(&x)` | `const T *x, size_t n` |
///
/// The launch checks both parameters like other arguments and counts them as two in messages. If
/// the integer type cannot hold the length, the launch returns [`ErrorKind::LaunchArguments`].
///
/// `WithLen` saves a variable: `(&mut x, x.len() as i32)` does not compile, because `x` is already
/// borrowed when `x.len()` is called.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, WithLen};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let module = Module::compile(&context, r#"
///     extern "C" __global__ void scale(float *x, int n, float factor) {
///         const int i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) x[i] *= factor;
///     }"#)?;
/// let mut x = DeviceBuffer::from_slice(&stream, &[1.0f32; 1000])?;
/// let config = LaunchConfig::for_elements(x.len());
/// // SAFETY: the kernel changes n floats, as many as the buffer has.
/// unsafe { module.function("scale")?.launch(&stream, config, (WithLen::i32(&mut x), 3.0f32))? };
/// assert_eq!(x.to_vec(&stream)?, [3.0; 1000]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WithLen<A, N> {
    argument: A,
    integer: PhantomData<N>,
}

/// Arguments that [`WithLen`] accepts: memory of a known length.
///
/// # Safety
/// The implementer must ensure that [`length`](Self::length) returns the number of elements at the
/// argument's address.
///
/// ```
/// # use cuda_safe::{DeviceBuffer, DeviceView, launch::HasLength, In};
/// fn has_length(_: impl HasLength) {}
/// # fn all(buffer: &DeviceBuffer<f32>, view: DeviceView<'_, f32>, slice: &[f32]) {
/// has_length(buffer);
/// has_length(view);
/// has_length(In(slice));
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel together with its length",
    label = "expected `&x` or `&mut x` of a buffer or an array, a view, or `In`, `Out` or `InOut` of a host slice"
)]
pub unsafe trait HasLength: KernelArgument<Pointers = [*mut c_void; 1]> {
    /// Returns the number of elements.
    fn length(&self) -> usize;
}

macro_rules! integers {
    ($($integer:ident, $in_cpp:literal;)*) => {$(
        impl<A: HasLength> WithLen<A, $integer> {
            #[doc = concat!("Passes the length as `", $in_cpp, "`.")]
            #[inline]
            pub const fn $integer(argument: A) -> Self {
                Self { argument, integer: PhantomData }
            }
        }

        // SAFETY: the pointers point to the memory's own argument and to an integer.
        unsafe impl<A: HasLength> KernelArgument for WithLen<A, $integer> {
            type Staged = (A::Staged, $integer);
            type Pointers = [*mut c_void; 2];
            const SIZE: usize = A::SIZE;
            const PARAMETERS: &'static [ArgumentType] = &[
                ArgumentType::of::<A>(),
                ArgumentType {
                    name: || concat!("the length as ", stringify!($integer)),
                    size: size_of::<$integer>(),
                    kind: || ArgumentKind::Integer,
                },
            ];
            const WAITS: bool = A::WAITS;
            const ORDERED: bool = A::ORDERED;

            #[inline]
            unsafe fn stage(self, stream: &Stream) -> Result<Self::Staged> {
                let len = self.argument.length();
                let length = $integer::try_from(len)
                    .map_err(|_| too_long(len, stringify!($integer), $in_cpp))?;
                // SAFETY: the caller guarantees the same contract.
                Ok((unsafe { self.argument.stage(stream)? }, length))
            }

            #[inline]
            fn pointers(staged: &mut Self::Staged) -> [*mut c_void; 2] {
                let [memory] = A::pointers(&mut staged.0);
                [memory, (&raw mut staged.1).cast()]
            }

            fn owner(staged: &Self::Staged) -> Option<Owner<'_>> {
                A::owner(&staged.0)
            }

            #[inline]
            unsafe fn unstage(staged: &mut Self::Staged, stream: &Stream) -> Result<()> {
                // SAFETY: the caller guarantees the same contract.
                unsafe { A::unstage(&mut staged.0, stream) }
            }

            #[inline]
            unsafe fn settle(staged: &mut Self::Staged) {
                // SAFETY: the caller guarantees the same contract.
                unsafe { A::settle(&mut staged.0) }
            }
        }
    )*};
}

integers! {
    i32, "int";
    u32, "unsigned int";
    i64, "long long";
    u64, "unsigned long long";
    usize, "size_t";
}

#[cold]
fn too_long(len: usize, integer: &str, in_cpp: &str) -> Error {
    Error::checked(
        ErrorKind::LaunchArguments,
        "Function::launch",
        format!(
            "a length of {len} elements is more than `WithLen::{integer}` can pass. Fix: declare the kernel's parameter \
             as a wider type than `{in_cpp}` and use `WithLen::u64`, or pass a part of the memory"
        ),
    )
}

/// Implements `HasLength` for arguments that are memory or hold it in field 0.
macro_rules! has_length {
    ($([$($generics:tt)*] $type:ty, $self:ident => $memory:expr;)*) => {$(
        // SAFETY: the length is that of the memory.
        unsafe impl<$($generics)*> HasLength for $type {
            #[inline]
            fn length(&$self) -> usize {
                $memory.len()
            }
        }
    )*};
}

has_length! {
    [S: Storage, T: Pod] &DeviceMemory<S, T>, self => self;
    [S: StorageMut, T: Pod] &mut DeviceMemory<S, T>, self => self;
    [T: Pod] DeviceView<'_, T>, self => self;
    [T: Pod] In<'_, T>, self => self.0;
    [T: Pod] Out<'_, T>, self => self.0;
    [T: Pod] InOut<'_, T>, self => self.0;
}
