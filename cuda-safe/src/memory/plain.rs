//! What elements of device memory are.

use bytemuck::Pod;

/// What device memory can hold: plain data, of which every bit pattern is a value. Every
/// [`Pod`](https://docs.rs/bytemuck/1/bytemuck/trait.Pod.html) type is, and nothing else; the trait has a name of its own so that the compiler can say what to do about a type that isn't.
///
/// A struct becomes plain data by two derives of bytemuck, which has to be among the dependencies of the crate:
/// `bytemuck = { version = "1", features = ["derive"] }`. A crate that does without it derives those of
/// `cuda_safe::bytemuck`, and says `#[bytemuck(crate = "cuda_safe::bytemuck")]` at the struct.
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

// Else the compiler would speak of `Pod` alone.
#[diagnostic::do_not_recommend]
impl<T: Pod> PlainData for T {}
