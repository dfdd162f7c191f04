//! Linux.

mod memory_file;
mod pages;
mod process;
mod reservation;

use super::MapAddresses;
pub use memory_file::{Descriptor, Mapped, MemoryFile, unmap_at};
pub use pages::are_accessible;
pub use process::*;
pub use reservation::Reservation;

/// Whether a process can open the memory files of another one. Pools, IPC memory and events need
/// this when they are shared.
pub const OPENS_FILES_OF_PROCESSES: bool = true;

/// The unit of offsets in files at which they can be mapped.
pub const MAP_UNIT: u64 = super::PAGE;

/// Files can be mapped anywhere inside a reservation.
pub const MAP_ADDRESSES: Option<MapAddresses> = None;
