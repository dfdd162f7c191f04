//! Behavior beyond single calls: order, asynchrony and results of kernels.

mod device_runtime;
mod events;
mod external_memory;
mod host_functions;
mod launches;
mod linking;
mod memory;
mod modules;
mod order;
mod streams;
mod threads;
