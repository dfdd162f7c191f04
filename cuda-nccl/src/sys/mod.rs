//! NCCL's C interface: types, values, and the table of functions that [`library`](crate::Library::get) fills when NCCL is
//! opened.
//!
//! bindgen has made it of NCCL 2.32's header, under the names of [NVIDIA's documentation]. Nothing is linked. A function
//! that the library at hand lacks is `None`. Enumerations are numbers with names: a library may return others.
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
