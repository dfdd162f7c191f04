//! Device memory as an argument of typed kernels.

use crate::{
    launch::{In, InOut, KernelArgument, Out},
    memory::{DeviceMemory, DeviceView, PlainData, Storage, StorageMut},
};

mod sealed {
    pub trait Reads<T> {}
    pub trait Writes<T> {}
}

/// The arguments that a kernel declared with [`kernels!`](crate::kernels) accepts for `&[T]`: memory of `T`, which it
/// reads.
///
/// ```
/// # use cuda_safe::{DeviceBuffer, DeviceView, In, typed::Readable};
/// fn is_readable<T>(_: impl Readable<T>) {}
/// # fn all(buffer: &DeviceBuffer<f32>, view: DeviceView<'_, f32>, slice: &[f32]) {
/// is_readable::<f32>(buffer); // a `&DeviceBuffer<f32>`
/// is_readable::<f32>(view);
/// is_readable::<f32>(In(slice)); // copied to the device first
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory of `{T}` that a kernel may read",
    label = "expected a `&DeviceBuffer<{T}>`, a view or a global of `{T}`, or `In` of a host slice",
    note = "page-locked memory is `In(&x)` too, or reached over the link as `x.into_mapped(&stream)?`; an array is read through a \
            `&Texture`"
)]
pub trait Readable<T>: KernelArgument + sealed::Reads<T> {}

/// The arguments that a kernel declared with [`kernels!`](crate::kernels) accepts for `&mut [T]`: memory of `T`,
/// which it writes.
///
/// ```
/// # use cuda_safe::{DeviceBuffer, DeviceViewMut, Out, typed::Writable};
/// fn is_writable<T>(_: impl Writable<T>) {}
/// # fn all(buffer: &mut DeviceBuffer<f32>, mut view: DeviceViewMut<'_, f32>, slice: &mut [f32]) {
/// is_writable::<f32>(buffer); // a `&mut DeviceBuffer<f32>`
/// is_writable::<f32>(&mut view);
/// is_writable::<f32>(Out(slice)); // copied back afterwards
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory of `{T}` that a kernel may write",
    label = "expected a `&mut DeviceBuffer<{T}>`, a `&mut` view or global of `{T}`, or `Out` or `InOut` of a host slice",
    note = "page-locked memory is `Out(&mut x)` too, or reached over the link as `x.into_mapped(&stream)?`; an array is written \
            through a `&Surface`"
)]
pub trait Writable<T>: KernelArgument + sealed::Writes<T> {}

impl<S: Storage, T: PlainData> Readable<T> for &DeviceMemory<S, T> {}
impl<T: PlainData> Readable<T> for DeviceView<'_, T> {}
impl<T: PlainData> Readable<T> for In<'_, T> {}

impl<S: StorageMut, T: PlainData> Writable<T> for &mut DeviceMemory<S, T> {}
impl<T: PlainData> Writable<T> for Out<'_, T> {}
impl<T: PlainData> Writable<T> for InOut<'_, T> {}

impl<S: Storage, T: PlainData> sealed::Reads<T> for &DeviceMemory<S, T> {}
impl<T: PlainData> sealed::Reads<T> for DeviceView<'_, T> {}
impl<T: PlainData> sealed::Reads<T> for In<'_, T> {}
impl<S: StorageMut, T: PlainData> sealed::Writes<T> for &mut DeviceMemory<S, T> {}
impl<T: PlainData> sealed::Writes<T> for Out<'_, T> {}
impl<T: PlainData> sealed::Writes<T> for InOut<'_, T> {}
