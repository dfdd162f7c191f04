//! Virtual memory: addresses and the memory behind them, each taken on its own.

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
