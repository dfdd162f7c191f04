//! What programs see of the driver beyond single calls: order, asynchrony, results of kernels.

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
