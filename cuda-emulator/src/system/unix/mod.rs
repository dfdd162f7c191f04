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

/// Whether memory, pools and events can be shared with other processes.
pub const SHARES_WITH_PROCESSES: bool = true;

/// Files can be mapped anywhere inside a reservation.
pub const MAP_ADDRESSES: Option<MapAddresses> = None;
