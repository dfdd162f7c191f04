//! Virtual memory management: address ranges and physical memory that are allocated separately.
//!
//! Mapping [`PhysicalMemory`] to a part of an [`AddressRange`] creates a [`Mapping`]. A
//! [`GrowableBuffer`] consists of such mappings. See the guide's
//! [chapter](crate::guide::virtual_memory) on virtual memory.
//!
//! - Buffers that grow in place: [`GrowableBuffer`], [`Growable`], [`GrowableOptions`]
//! - Address ranges: [`AddressRange`], [`RangeFlags`], [`Granularity`]
//! - Physical memory: [`PhysicalMemory`], [`PhysicalOptions`], [`PhysicalProperties`],
//!   [`PhysicalUsage`]
//! - Mapped memory: [`Mapping`]
//! - Memory of several devices: [`MulticastObject`], [`MulticastOptions`]
//! - Sharing between hosts: [`FabricHandle`]

mod granularity;
mod growable;
mod mapping;
mod multicast;
mod part;
mod physical;
mod range;
mod shareable;

pub use granularity::Granularity;
pub use growable::{Growable, GrowableBuffer, GrowableOptions};
pub use mapping::Mapping;
pub use multicast::{MulticastObject, MulticastOptions};
pub use physical::{PhysicalMemory, PhysicalOptions, PhysicalProperties, PhysicalUsage};
pub use range::AddressRange;
pub(in crate::memory) use shareable::explain_fabric;
pub use shareable::{FabricHandle, RangeFlags};
