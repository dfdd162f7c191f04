//! Functions that users write: in CUDA C++, as maps of expressions, and as combinations of two
//! elements. Closures of Rust are in `closure`.

mod combination;
mod cuda_fn;
mod map;

pub use combination::Combination;
pub use cuda_fn::{Combine, CudaFn, Signature};
