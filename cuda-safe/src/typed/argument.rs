//! Device memory as an argument of typed kernels.

use crate::{
    launch::{In, InOut, KernelArgument, Out},
    memory::{DeviceMemory, DeviceView, PlainData, Storage, StorageMut},
};

/// Arguments that a [`kernels!`](crate::kernels) method accepts for `&[T]`: memory of `T` that the
/// kernel reads.
///
/// # Safety
/// The implementer must ensure that the argument is the address of elements of `T`.
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
    message = "`{Self}` is not memory of `{T}` that a kernel can read",
    label = "expected a `&DeviceBuffer<{T}>`, a `&Array<{T}>`, a view or a global of `{T}`, or `In` of a host slice",
    note = "pass page-locked memory as `In(&x)` too, or access it over the link as `x.into_mapped(&stream)?`; kernels read a \
            `CudaArray` through a `&Texture`"
)]
pub unsafe trait Readable<T>: KernelArgument {}

/// Arguments that a [`kernels!`](crate::kernels) method accepts for `&mut [T]`: memory of `T` that
/// the kernel writes.
///
/// # Safety
/// The implementer must ensure that the argument is the address of elements of `T`, which nothing
/// else uses while they are borrowed.
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
    message = "`{Self}` is not memory of `{T}` that a kernel can write",
    label = "expected a `&mut DeviceBuffer<{T}>`, a `&mut DeviceViewMut<{T}>`, a `&mut Array<{T}>`, a `&mut` global of \
             `{T}`, or `Out` or `InOut` of a host slice",
    note = "a `DeviceView` is read-only: use a `DeviceViewMut`, from `view_mut`, `slice_mut` or `split_at_mut`",
    note = "pass page-locked memory as `Out(&mut x)` too, or access it over the link as `x.into_mapped(&stream)?`; kernels \
            write a `CudaArray` through a `&Surface`"
)]
pub unsafe trait Writable<T>: KernelArgument {}

// SAFETY: the argument is the address of these elements.
unsafe impl<S: Storage, T: PlainData> Readable<T> for &DeviceMemory<S, T> {}
// SAFETY: the argument is the address of these elements.
unsafe impl<T: PlainData> Readable<T> for DeviceView<'_, T> {}
// SAFETY: the argument is the address of these elements.
unsafe impl<T: PlainData> Readable<T> for In<'_, T> {}

// SAFETY: the argument is the address of these elements.
unsafe impl<S: StorageMut, T: PlainData> Writable<T> for &mut DeviceMemory<S, T> {}
// SAFETY: the argument is the address of these elements.
unsafe impl<T: PlainData> Writable<T> for Out<'_, T> {}
// SAFETY: the argument is the address of these elements.
unsafe impl<T: PlainData> Writable<T> for InOut<'_, T> {}
