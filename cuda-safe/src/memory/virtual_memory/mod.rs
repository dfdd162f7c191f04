//! Virtual memory: addresses and physical memory, each allocated on its own.
//!
//! [`PhysicalMemory`] is mapped to a part of an [`AddressRange`], which gives a [`Mapping`]. A [`GrowableBuffer`] is made of them.
//! The guide has a [chapter](crate::guide::virtual_memory) about it.
//!
//! - Buffers that grow in place: [`GrowableBuffer`], [`Growable`], [`GrowableOptions`]
//! - Addresses: [`AddressRange`], [`RangeFlags`], [`Granularity`]
//! - Physical memory: [`PhysicalMemory`], [`PhysicalOptions`], [`PhysicalProperties`], [`PhysicalUsage`]
//! - Both together: [`Mapping`]
//! - Memory of several devices: [`MulticastObject`], [`MulticastOptions`]
//! - Other processes: [`FabricHandle`]

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
pub(super) use shareable::NamedFile;
pub(in crate::memory) use shareable::fabric_refused;
pub use shareable::{FabricHandle, RangeFlags};
