//! Memory: addresses, allocations, pools, arrays, permissions, and memory shared with other processes.

pub mod access_checks;
pub mod address_report;
pub mod allocations;
mod arena;
pub mod array;
mod array_shape;
mod backing;
pub mod budget;
pub mod external_memory;
mod free_blocks;
mod freed_allocations;
pub mod graph_allocations;
pub mod ipc;
pub mod managed;
pub mod origin;
mod permissions;
pub mod physical_memory;
pub mod pool;
mod pool_accounts;
mod private_memory_file;
pub mod resident_pages;
mod shadow;
pub mod stream_ordered;
pub mod texel_format;
pub mod virtual_memory;
pub mod write_coverage;
pub mod write_tracking;
