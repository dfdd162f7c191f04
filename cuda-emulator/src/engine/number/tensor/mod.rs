//! What tensor cores compute.

pub(in crate::engine) mod double;
pub(in crate::engine) mod element;
mod fused;
pub(in crate::engine) mod layout;
pub(in crate::engine) mod tile;
pub(in crate::engine) mod quad;
pub(in crate::engine) mod sparse;
mod vector;
mod whole;
