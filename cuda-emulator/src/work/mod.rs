//! The work that streams execute: copies, fills, launches, memory operations and semaphores, and
//! the textures that kernels read.

pub mod cluster_limits;
pub mod conditional_values;
pub mod copy;
mod device_runtime;
pub mod external_semaphore;
pub mod fill;
pub mod graph_runs;
pub mod launch;
pub mod launch_attributes;
pub mod memory_operations;
pub mod occupancy;
pub mod operation;
pub mod tensor_map;
pub mod texture;
mod texture_checks;
pub mod updatable_kernel;
