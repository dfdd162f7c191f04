//! Windows. It was only tried under Wine.

mod map_addresses;
mod memory_file;
mod pages;
mod process;
mod reservation;

use super::MapAddresses;
pub use map_addresses::{MAP_UNIT, unmap_at};
pub use memory_file::{Descriptor, Mapped, MemoryFile};
pub use pages::are_accessible;
pub use process::*;
pub use reservation::Reservation;

/// Whether a process can open the memory files of another one. Pools, IPC memory and events need
/// this when they are shared.
pub const OPENS_FILES_OF_PROCESSES: bool = false;

/// Files can be mapped only at addresses that are reserved for it.
pub const MAP_ADDRESSES: Option<MapAddresses> = Some(MapAddresses {
    reserve: map_addresses::reserve,
    release: map_addresses::release,
});
