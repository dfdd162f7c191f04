#![doc = include_str!("../docs/guide.md")]
//!
#![doc = include_str!("../docs/driver-calls.md")]

mod abi;
mod api;
mod code;
mod exports;
mod graph;
mod memory;
mod process;
mod queue;
mod system;
mod work;

pub use queue::pending_host_memory::{HostAccess, HostWork, pending_host_work};
