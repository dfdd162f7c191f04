//! Streams and the ordering of their work: worker threads, events, host functions, faults.

pub mod capture_hook;
pub mod event;
pub mod fault;
pub mod fault_output;
pub mod happens_before;
pub mod host_functions;
pub mod pending_host_memory;
pub mod stream;
pub mod stream_attributes;
pub mod stream_table;
