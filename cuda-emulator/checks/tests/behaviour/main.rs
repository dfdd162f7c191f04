//! Behavior beyond single calls: order, asynchrony and results of kernels.

mod device_runtime;
mod events;
#[cfg(unix)] // the memory is a file descriptor
mod external_memory;
mod host_functions;
mod launches;
mod linking;
mod memory;
mod modules;
mod order;
mod streams;
mod threads;
