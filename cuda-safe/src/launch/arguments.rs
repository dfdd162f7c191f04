//! Argument types of kernels.

use std::{ffi::c_void, slice};

use bytemuck::Pod;
use cuda_sys::CUdeviceptr;

use crate::{
    code::parameter::{ArgumentKind, ArgumentType},
    error::Result,
    memory::{
        DeviceMemory, DeviceView, PitchedMemory, PitchedView, PlainData, Storage, StorageMut,
    },
    stream::{Stream, owner::Owner},
};

/// One argument of a kernel.
///
/// Device memory is passed as its 8-byte address. Every other value is passed as its bytes.
/// [`WithLen`](crate::WithLen) fills two parameters. Other crates can implement the trait for
/// references to their own types of device memory, as `cuda-compute` does for arrays.
///
/// # Safety
/// The launch uses the pointers without checks. The implementer must ensure that:
/// - [`Pointers`](Self::Pointers) is `[*mut c_void; 1]`, and the pointer is valid for reads of
///   [`SIZE`](Self::SIZE) bytes as long as the staged value is not moved;
/// - if these bytes are or contain the address of memory that `Self` borrows, the memory stays
///   allocated for work on the stream that [`owner`](Self::owner) returns, or on the launch's stream
///   if it returns none;
/// - [`ORDERED`](Self::ORDERED) is true if `owner` returns anything;
/// - no hidden item is implemented outside this crate.
///
/// An argument of 8 bytes counts as an address if the kernel's parameters are known. Of others, only
/// the size is compared.
///
/// ```
/// use cuda_safe::{DeviceBuffer, launch::KernelArgument};
///
/// assert_eq!(<&DeviceBuffer<f32> as KernelArgument>::SIZE, 8);
/// assert_eq!(<[f32; 3] as KernelArgument>::SIZE, 12);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel argument",
    label = "expected plain data by value, or device memory by reference",
    note = "pass host data as `In(&x)`, `Out(&mut x)` or `InOut(&mut x)`; its elements must be `bytemuck::Pod`",
    note = "pass buffers, views, globals and arrays of cuda-compute by reference: `&x`, `&mut x`; evaluate an expression \
            first: `&x.eval()?`",
    note = "a `DeviceView` is read-only: for `&mut`, use a `DeviceViewMut`, from `view_mut` or `slice_mut`",
    note = "pass page-locked memory as `In(&x)` too; to let the kernel access it over the link, pass a reference to \
            `x.into_mapped(&stream)?`, or the address `x.device_ptr()?`",
    note = "kernels read a `CudaArray` through `&texture` (a `Texture`) and write it through `&surface` (a `Surface`)",
    note = "pass a struct by value, without `&`, and declare it with `#[repr(C)]` and `#[derive(Clone, Copy, \
            bytemuck::Pod, bytemuck::Zeroable)]` (add bytemuck with its feature derive); pass a struct with padding, \
            or a `bool`, as `ByValue(x)`"
)]
pub unsafe trait KernelArgument: Sized {
    /// The argument while the launch is in progress.
    type Staged;
    /// An array with one pointer for each parameter that the argument fills.
    type Pointers;
    /// The size in bytes that the kernel's parameter must have. If the argument fills several
    /// parameters, the size of the first one.
    const SIZE: usize;
    /// The type of each parameter that the argument fills.
    #[doc(hidden)]
    const PARAMETERS: &'static [ArgumentType] = &[ArgumentType::of::<Self>()];
    /// Whether the launch must wait for the kernel.
    #[doc(hidden)]
    const WAITS: bool = false;
    /// Whether the launch must order its stream with the [`owner`](Self::owner). If it is `false`,
    /// as for the memory of this crate, the caller of the launch orders the streams.
    const ORDERED: bool = false;
    /// Returns the kind of the argument. By default, 8 bytes are an address.
    #[doc(hidden)]
    fn kind() -> ArgumentKind {
        match Self::SIZE == size_of::<CUdeviceptr>() {
            true => ArgumentKind::Pointer,
            false => ArgumentKind::Other,
        }
    }
    /// Prepares the argument, and enqueues the work that must precede the kernel. `stream` is the
    /// stream of the launch.
    ///
    /// # Safety
    /// The caller must either drop the returned value, which waits for the copies of borrowed
    /// memory, or settle it. The caller must not forget it.
    ///
    /// # Errors
    /// Returns an error if the argument can't be passed. Nothing is launched then. See
    /// [`Error::launch_argument`](crate::Error::launch_argument).
    unsafe fn stage(self, stream: &Stream) -> Result<Self::Staged>;
    /// Returns pointers into the staged argument.
    fn pointers(staged: &mut Self::Staged) -> Self::Pointers;
    /// Returns the owner of the argument's memory. If it is a stream, the kernel runs after all
    /// work enqueued there so far, and before all work enqueued there later.
    fn owner(staged: &Self::Staged) -> Option<Owner<'_>> {
        let _ = staged;
        None
    }
    /// Enqueues the work that must follow the kernel.
    ///
    /// # Safety
    /// See [`stage`](Self::stage). `stream` must be the same stream.
    #[doc(hidden)]
    unsafe fn unstage(staged: &mut Self::Staged, stream: &Stream) -> Result<()> {
        let _ = (staged, stream);
        Ok(())
    }
    /// Records that the host may use its memory again.
    ///
    /// # Safety
    /// The launch must have waited for everything that it enqueued.
    #[doc(hidden)]
    unsafe fn settle(staged: &mut Self::Staged) {
        let _ = staged;
    }
}

mod sealed {
    /// A tuple of arguments, each of which fills one or two parameters.
    pub trait Tuple {
        /// An array with room for all parameters.
        type Room: 'static;
        /// The parameters and their number.
        const ROOM: &'static (Self::Room, usize);
    }
}
use sealed::Tuple;

/// A `Copy` value that is passed as its bytes.
///
/// For types that are not [`Pod`](https://docs.rs/bytemuck/1/bytemuck/trait.Pod.html), such as
/// structs with padding and `bool`.
///
/// ```
/// # use cuda_safe::{launch::ByValue, Context, LaunchConfig, Module, Out, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let module = Module::compile(&context, r#"
///     struct Choice { bool negate; int value; };
///     extern "C" __global__ void choose(int *x, Choice c) { *x = c.negate ? -c.value : c.value; }"#)?;
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Choice { negate: bool, value: i32 }
///
/// let mut x = [0i32];
/// let choice = ByValue(Choice { negate: true, value: 5 });
/// // SAFETY: the kernel writes one int, and the struct is laid out as its own.
/// unsafe { module.function("choose")?.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut x), choice))? };
/// assert_eq!(x, [-5]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ByValue<T: Copy + 'static>(pub T);

// SAFETY: a value is its own bytes.
// `do_not_recommend`: otherwise the compiler's only message for any other type would be that it is
// not `Pod`.
#[diagnostic::do_not_recommend]
unsafe impl<T: Pod> KernelArgument for T {
    type Staged = T;
    type Pointers = [*mut c_void; 1];
    const SIZE: usize = size_of::<T>();

    fn kind() -> ArgumentKind {
        ArgumentKind::of::<T>()
    }

    #[inline]
    unsafe fn stage(self, _: &Stream) -> Result<T> {
        Ok(self)
    }

    #[inline]
    fn pointers(staged: &mut T) -> [*mut c_void; 1] {
        [(&raw mut *staged).cast()]
    }
}

// SAFETY: a value is its own bytes.
unsafe impl<T: Copy + 'static> KernelArgument for ByValue<T> {
    type Staged = T;
    type Pointers = [*mut c_void; 1];
    const SIZE: usize = size_of::<T>();

    fn kind() -> ArgumentKind {
        ArgumentKind::of::<T>()
    }

    #[inline]
    unsafe fn stage(self, _: &Stream) -> Result<T> {
        Ok(self.0)
    }

    #[inline]
    fn pointers(staged: &mut T) -> [*mut c_void; 1] {
        [(&raw mut *staged).cast()]
    }
}

/// Implements `KernelArgument` for types that are passed as the address returned by
/// `as_device_ptr`.
macro_rules! address_argument {
    ([$($generics:tt)*] $type:ty) => {
        // SAFETY: an address is its own bytes.
        unsafe impl<$($generics)*> $crate::launch::KernelArgument for $type {
            type Staged = cuda_sys::CUdeviceptr;
            type Pointers = [*mut std::ffi::c_void; 1];
            const SIZE: usize = size_of::<cuda_sys::CUdeviceptr>();

            #[inline]
            unsafe fn stage(
                self,
                _: &$crate::stream::Stream,
            ) -> $crate::error::Result<cuda_sys::CUdeviceptr> {
                Ok(self.as_device_ptr())
            }

            #[inline]
            fn pointers(staged: &mut cuda_sys::CUdeviceptr) -> [*mut std::ffi::c_void; 1] {
                [(&raw mut *staged).cast()]
            }
        }
    };
}
pub(crate) use address_argument;

address_argument!([S: Storage, T: PlainData] &DeviceMemory<S, T>);
address_argument!([S: StorageMut, T: PlainData] &mut DeviceMemory<S, T>);
address_argument!([T: PlainData] DeviceView<'_, T>);
address_argument!([S: Storage, T: PlainData] &PitchedMemory<S, T>);
address_argument!([S: StorageMut, T: PlainData] &mut PitchedMemory<S, T>);
address_argument!([T: PlainData] PitchedView<'_, T>);

/// The arguments of a kernel: a tuple of up to 32 [`KernelArgument`]s.
///
/// # Safety
/// This trait is sealed. The launch uses the pointers without checks.
///
/// ```
/// # use cuda_safe::{Context, Function, launch::KernelArguments, LaunchConfig, Module, Out, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// /// Launches one thread and waits for it.
/// ///
/// /// # Safety
/// /// As [`Function::launch`].
/// unsafe fn run(kernel: &Function, stream: &Stream, arguments: impl KernelArguments)
/// -> cuda_safe::Result<()> {
///     // SAFETY: guaranteed by the caller.
///     unsafe { kernel.launch(stream, LaunchConfig::new(1, 1), arguments)? };
///     stream.synchronize()
/// }
/// # let source = "extern \"C\" __global__ void add(int *sum, int a, int b) { *sum = a + b; }";
/// let add = Module::compile(&context, source)?.function("add")?;
/// let mut sum = [0];
/// // SAFETY: the kernel writes one int.
/// unsafe { run(&add, &stream, (Out(&mut sum), 2i32, 3i32))? };
/// assert_eq!(sum, [5]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of up to 32 kernel arguments",
    note = "write a single argument as `(x,)`, and no arguments as `()`"
)]
pub unsafe trait KernelArguments: sealed::Tuple {
    /// The name, size and kind of the value passed for each parameter.
    #[doc(hidden)]
    const TYPES: &'static [ArgumentType];
    /// Whether the launch must wait for the kernel.
    #[doc(hidden)]
    const WAITS: bool;
    /// Whether the launch must order its stream with the owners of arguments.
    #[doc(hidden)]
    const ORDERED: bool;
    /// Keeps the arguments alive while `launch` uses the pointers to them.
    ///
    /// # Safety
    /// `launch` must use the pointers only to enqueue a kernel that takes these arguments.
    #[doc(hidden)]
    unsafe fn with_pointers(
        self,
        stream: &Stream,
        launch: impl FnOnce(&mut [*mut c_void]) -> Result<()>,
    ) -> Result<()>;
}

/// Returns all parameters of `arguments` and their number.
const fn flat<const N: usize>(arguments: &[&[ArgumentType]]) -> ([ArgumentType; N], usize) {
    let mut all = [ArgumentType::of::<u8>(); N];
    let (mut count, mut i) = (0, 0);
    while i < arguments.len() {
        let mut k = 0;
        while k < arguments[i].len() {
            all[count] = arguments[i][k];
            (count, k) = (count + 1, k + 1);
        }
        i += 1;
    }
    (all, count)
}

macro_rules! tuple {
    ($($name:ident)*) => {
        impl<$($name: KernelArgument),*> sealed::Tuple for ($($name,)*) {
            type Room = [ArgumentType; 2 * <[&str]>::len(&[$(stringify!($name)),*])];
            const ROOM: &'static (Self::Room, usize) = &flat(&[$($name::PARAMETERS),*]);
        }

        // SAFETY: each pointer belongs to its argument, which stays alive until `launch` returns.
        unsafe impl<$($name: KernelArgument),*> KernelArguments for ($($name,)*) {
            const TYPES: &'static [ArgumentType] = Self::ROOM.0.split_at(Self::ROOM.1).0;
            const WAITS: bool = false $(|| $name::WAITS)*;
            const ORDERED: bool = false $(|| $name::ORDERED)*;

            #[inline]
            #[allow(non_snake_case, unused_variables, reason = "type names name the variables")]
            unsafe fn with_pointers(
                self,
                stream: &Stream,
                launch: impl FnOnce(&mut [*mut c_void]) -> Result<()>,
            ) -> Result<()> {
                #[repr(C)]
                struct Pointers<$($name),*>([*mut c_void; 0], $($name),*);
                let ($($name,)*) = self;
                let _uncaptured = match const { <Self as KernelArguments>::WAITS } {
                    true => Some(stream.enter_to_wait("Function::launch")?),
                    false => None,
                };
                // If a later argument fails, the earlier ones are dropped, which waits for their
                // copies.
                // SAFETY: the staged values stay here and are dropped at the end.
                $(let mut $name = unsafe { $name.stage(stream)? };)*
                let mut pointers = Pointers([], $($name::pointers(&mut $name)),*);
                let count = size_of_val(&pointers) / size_of::<*mut c_void>();
                let launch = || {
                    // SAFETY: all fields are arrays of pointers by the contract of
                    // `KernelArgument`, stored one after the other.
                    launch(unsafe { slice::from_raw_parts_mut((&raw mut pointers).cast(), count) })
                };
                if const { <Self as KernelArguments>::ORDERED } {
                    let owners: &[Option<Owner<'_>>] = &[$($name::owner(&$name)),*];
                    stream.ordered("Function::launch", owners.iter().flatten().copied(), launch)?;
                } else {
                    launch()?;
                }
                if const { <Self as KernelArguments>::WAITS } {
                    // SAFETY: as above, and the same stream.
                    $(unsafe { $name::unstage(&mut $name, stream)? };)*
                    // If it is unknown whether the copies have finished, the drops protect the
                    // borrowed slices.
                    let waited = stream.settle().or_unknown()?;
                    // SAFETY: the copies have finished.
                    $(unsafe { $name::settle(&mut $name) };)*
                    waited?;
                }
                Ok(())
            }
        }
    };
}

tuple!();
tuple!(A0);
tuple!(A0 A1);
tuple!(A0 A1 A2);
tuple!(A0 A1 A2 A3);
tuple!(A0 A1 A2 A3 A4);
tuple!(A0 A1 A2 A3 A4 A5);
tuple!(A0 A1 A2 A3 A4 A5 A6);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26 A27);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26 A27 A28);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26 A27 A28 A29);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26 A27 A28 A29 A30);
tuple!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26 A27 A28 A29 A30 A31);
