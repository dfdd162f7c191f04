//! The contents of arrays: creation, assignment, copies, fields of structs, printing, and use by
//! kernels.
//!
//! These are methods of [`Array`](crate::Array) that evaluate expressions or copy elements, so this
//! module depends on `expression`. Methods that need only the layout are in `array`.

mod argument;
mod assign;
mod compound;
mod create;
mod dense;
mod diagonal;
mod display;
mod field;
mod grid;
mod host;
mod memory;
mod nested;
mod strided;
mod words;

pub use assign::ArrayMut;
pub use field::FieldMut;
pub use grid::{Indexing, meshgrid};
pub use nested::Nested;
pub use strided::{STRIDED_HEADER, Strided, StridedMut};
