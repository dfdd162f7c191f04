//! The driver side: the C ABI of `libcuda.so.1` over the engine.
//!
//! `api` holds the exported functions, each a few lines over the modules beside it. Handles are looked up in tables
//! (`handle`), work goes through the queues of `stream`, memory is what the table in `memory` says it is.

mod abi;
mod api;
mod architecture;
mod archive;
mod arena;
mod arg;
mod attribute;
mod call;
mod cluster;
mod conditions;
mod config;
mod context;
mod copy;
mod coredump;
mod device;
mod device_runtime;
mod elf;
mod event;
mod exit;
mod fatbin;
mod fault;
mod fill;
mod graph;
mod graph_memory;
mod green;
mod handle;
mod host;
mod image;
mod inject;
mod jit;
mod launch;
mod leak;
mod library;
mod link;
mod linked;
mod log;
mod memory;
mod module;
mod notice;
mod object;
mod occupancy;
mod operation;
mod ordered;
#[cfg(test)]
mod page;
pub mod pending;
mod pool;
mod preferences;
#[cfg(all(cuda_sys_opens_libraries, target_os = "linux"))]
mod provide;
mod registers;
mod registry;
mod shadow;
mod spelling;
mod status;
mod stream;
mod streams;
mod symbols;
mod tensor_map;
mod wishes;
mod words;
