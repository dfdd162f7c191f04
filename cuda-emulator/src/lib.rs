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

// For the programs that cargo runs: see the build script.
cuda_emulator_link::link_library!();

pub use queue::pending_host_memory::{HostAccess, HostWork, pending_host_work};
