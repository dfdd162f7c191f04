//! Helpers that the tests of the driver share.

#![allow(
    missing_docs,
    clippy::macro_metavars_in_unsafe,
    clippy::missing_panics_doc,
    clippy::new_without_default,
    clippy::not_unsafe_ptr_arg_deref,
    reason = "the tests are the only users, and pass handles and raw calls"
)]

pub mod abi;
pub mod boxes;
pub mod graphs;
pub mod linker;
pub mod objects;
pub mod pools;
#[path = "../../../cuda-safe/tests/common/semaphore.rs"]
pub mod semaphore;
