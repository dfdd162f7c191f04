//! The exported functions by topic: accepted arguments, effects and error codes.

mod arrays;
mod clusters;
mod context_waits;
mod contexts;
mod copies;
mod copies_3d;
mod devices;
mod events;
#[cfg(unix)] // the memory is a file descriptor
mod external_arrays;
mod functions;
mod graphics;
mod green;
mod init;
mod kernels;
mod launches;
mod legacy;
mod libraries;
mod linker;
mod linker_libraries;
mod linker_prototypes;
mod linker_recorded;
mod memory;
mod modules;
mod occupancy;
mod placements;
mod pointers;
mod pools;
#[cfg(unix)] // Windows has no shared pools
mod pools_shared;
mod reports;
mod stream_attributes;
mod stream_memory;
mod streams;
mod tensor_maps;
mod textures;
mod virtual_memory;
#[cfg(windows)]
mod windows;
