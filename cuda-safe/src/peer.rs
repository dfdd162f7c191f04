//! Links between devices, access to memory of other devices, and atomic operations across them.
//!
//! [`Device::link_to`](crate::Device::link_to) describes the link between two devices.
//! [`PeerAccess`] lets kernels of one context use memory of another device.
//!
//! - Access: [`PeerAccess`]
//! - Links: [`PeerLink`], [`PeerAttribute`], [`AtomicOperation`], [`AtomicCapabilities`]
//! - Writes by other devices on the bus: [`FlushScope`]

pub use crate::{
    context::gpu_direct::FlushScope,
    device::peer::{AtomicCapabilities, AtomicOperation, PeerAttribute, PeerLink},
    memory::peer::PeerAccess,
};
