//! The exported functions, by chapter of the driver's documentation.
//!
//! The build script reads these files. Every `fn cu...` in them counts as implemented. Every other
//! function of the header is exported as one that returns `CUDA_ERROR_NOT_SUPPORTED`.

#![allow(
    non_snake_case,
    reason = "arguments have the names of the documentation, which the trace shows"
)]

pub mod array;
pub mod capture;
pub mod checkpoint;
pub mod context;
pub mod copy;
pub mod coredump;
pub mod device;
pub mod event;
pub mod external;
pub mod function;
pub mod graph;
pub mod graph_exec;
pub mod graph_nodes;
pub mod graphics;
pub mod green;
pub mod init;
pub mod ipc;
pub mod launch;
pub mod legacy;
pub mod library;
pub mod link;
pub mod log;
pub mod managed;
pub mod memory;
pub mod module;
pub mod multicast;
pub mod pool;
pub mod stream;
pub mod tensor_map;
pub mod texture;
pub mod virtual_memory;
