//! Memory: on the device, and page-locked on the host.

mod batch;
mod buffer;
pub(crate) mod copy;
mod device;
mod extent;
mod external;
mod fresh;
mod layout;
mod location;
mod managed;
mod mapped;
mod migrate;
mod migrate_batch;
mod owner;
mod pinned;
mod pipeline;
mod pitched;
mod pitched_buffer;
mod pitched_mut;
mod plain;
mod pointer;
mod pool;
mod pool_access;
mod pool_attributes;
mod pool_options;
mod pool_share;
mod region;
mod region_call;
mod region_copy;
mod registered;
mod registration;
mod scope;
pub(crate) mod size;
mod staging;
mod storage;
mod transfer;
mod view;
mod virtual_memory;
pub(crate) mod waited;

pub use batch::{CopyAttributes, CopyBatch, SourceOrder};
pub use buffer::{DeviceBuffer, StreamOrdered};
pub use device::DeviceMemory;
pub use extent::{Extent, Offset};
pub use external::{External, ExternalBuffer, ExternalMemory, ExternalMemoryKind};
pub use layout::Layout;
pub use location::MemoryLocation;
pub use managed::{Managed, ManagedAttachment, ManagedBuffer};
pub use mapped::{Mapped, MappedBuffer, PageLocked};
pub use migrate::{MemoryAdvice, RangeAttribute, RangeAttributes};
pub use migrate_batch::{Discard, Prefetch};
pub use owner::Owner;
pub use pinned::{PinnedBuffer, PinnedFlags};
pub use pipeline::{Outcome, Pipeline};
pub use pitched::{PitchedMemory, PitchedView, PitchedViewMut};
pub use pitched_buffer::{PitchedAllocation, PitchedBuffer};
pub use plain::PlainData;
pub use pointer::{MemoryType, PointerAttribute, PointerInfo};
pub use pool::MemoryPool;
pub use pool_options::{MemoryAccess, MemoryPoolOptions, PoolAttribute, PoolPointer, PoolType};
pub use region::{CopySource, CopyTarget, Region};
pub use region_copy::{HostRegion, HostRegionMut, RegionCopy};
pub use registered::{HostBlock, RegisterError, RegisteredBuffer};
pub use registration::{RegisterFlags, Registration};
pub use scope::Scope;
pub use staging::{Staging, StagingOptions};
pub use storage::{OwnedStorage, Storage, StorageMut};
pub use transfer::{Transfer, TransferError};
pub use view::{Borrowed, BorrowedMut, DeviceView, DeviceViewMut};
pub use virtual_memory::{
    AddressRange, FabricHandle, Granularity, Growable, GrowableBuffer, GrowableOptions, Mapping,
    MulticastObject, MulticastOptions, PhysicalMemory, PhysicalOptions, PhysicalProperties,
    PhysicalUsage, RangeFlags,
};

pub(crate) use batch::{RawAttributes, RawOperation};
pub(crate) use copy::{device_to_host_enqueue, host_to_device_enqueue};
pub(crate) use layout::Strides;
pub(crate) use region::Place;
pub(crate) use region_call::{BoxCopy, Side};
pub(crate) use region_copy::host_place;
pub(crate) use size::{byte_size, expect_equal, range_within};
pub(crate) use virtual_memory::RawMulticast;
pub(crate) use waited::{Free, Release, Waited, waited};
