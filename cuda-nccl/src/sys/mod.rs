//! NCCL's C interface: types, values, and the function table that
//! [`Library::get`](crate::Library::get) fills when it opens NCCL.
//!
//! bindgen generated it from the header of NCCL 2.32, with the names of [NVIDIA's documentation].
//! Nothing is linked. A function that the installed library lacks is `None`. Enumerations are
//! numbers with named constants, because a library may return other values.
//!
//! [NVIDIA's documentation]: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html
#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc
)]

include!("../../bindings/nccl.rs");
