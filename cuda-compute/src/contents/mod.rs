//! The contents of arrays: creation, assignment, copies, fields of structs, and printing.
//!
//! These are methods of [`Array`](crate::Array) that evaluate expressions or copy elements, so this
//! module depends on `expression`. Methods that need only the layout are in `array`.

mod assign;
mod compound;
mod create;
mod dense;
mod diagonal;
mod display;
mod field;
mod host;
mod nested;
mod words;

pub use assign::ArrayMut;
pub use field::FieldMut;
pub use nested::Nested;
