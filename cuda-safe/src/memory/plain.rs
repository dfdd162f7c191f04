//! The element type of device memory.

use bytemuck::Pod;

/// A type that can be an element of device memory: plain data for which every bit pattern is a
/// valid value.
///
/// All [`Pod`](https://docs.rs/bytemuck/1/bytemuck/trait.Pod.html) types implement it, and no
/// others. It is a separate trait so that the compiler can explain what to do about a type that is
/// not `Pod`.
///
/// To use your own struct, derive bytemuck's `Pod` and `Zeroable` for it. Add bytemuck to your
/// dependencies: `bytemuck = { version = "1", features = ["derive"] }`. Without that dependency,
/// derive the traits of `cuda_safe::bytemuck` and add `#[bytemuck(crate = "cuda_safe::bytemuck")]`
/// to the struct.
///
/// ```
/// use bytemuck::{Pod, Zeroable};
/// use cuda_safe::PlainData;
///
/// #[derive(Clone, Copy, Pod, Zeroable)]
/// #[repr(C)]
/// struct Particle { position: [f32; 3], mass: f32 }
///
/// fn bytes<T: PlainData>(elements: &[T]) -> usize {
///     size_of_val(elements)
/// }
/// assert_eq!(bytes(&[Particle { position: [0.0; 3], mass: 1.0 }]), 16);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an element of device memory",
    label = "`{Self}` is not plain data (`bytemuck::Pod`)",
    note = "elements are numbers, arrays of them, and structs without padding, with `#[repr(C)]` and \
            `#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]` (add bytemuck with its feature derive)",
    note = "store a `bool` as a `u8`, and name the padding of a struct: `unused: [u8; 3]`"
)]
pub trait PlainData: Pod {}

// Without this, the compiler's message would mention only `Pod`.
#[diagnostic::do_not_recommend]
impl<T: Pod> PlainData for T {}
