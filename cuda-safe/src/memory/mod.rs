//! Memory: on the device, and page-locked on the host.

mod access_policy;
mod alignment;
pub(crate) mod copy;
pub(crate) mod device;
pub(crate) mod host;
mod location;
mod managed;
pub(crate) mod operation;
pub(crate) mod peer;
mod pitched;
pub(crate) mod plain;
mod pointer;
mod pool;
pub(crate) mod signal;
pub(crate) mod size;
mod storage;
mod virtual_memory;
pub(crate) mod waited;

pub use crate::share::external_memory::{
    External, ExternalBuffer, ExternalMemory, ExternalMemoryKind,
};
pub use crate::stream::owner::Owner;
pub use copy::batch::{CopyAttributes, CopyBatch, SourceOrder};
pub use copy::extent::{Extent, Offset};
pub use copy::layout::Layout;
pub use copy::pipeline::{Outcome, Pipeline};
pub use copy::region::{CopySource, CopyTarget, Region};
pub use copy::region_copy::{HostRegion, HostRegionMut, RegionCopy};
pub use copy::scope::Scope;
pub use copy::staging::{Staging, StagingOptions};
pub use copy::transfer::{Transfer, TransferError};
pub use device::DeviceMemory;
pub use device::buffer::{DeviceBuffer, StreamOrdered};
pub use device::view::{Borrowed, BorrowedMut, DeviceView, DeviceViewMut};
pub use host::mapped::{Mapped, MappedBuffer, PageLocked};
pub use host::pinned::{PinnedBuffer, PinnedFlags};
pub use host::registered::{HostBlock, RegisterError, RegisteredBuffer};
pub use host::registration::{RegisterFlags, Registration};
pub use location::MemoryLocation;
pub use managed::batch::{Discard, Prefetch};
pub use managed::migrate::{MemoryAdvice, RangeAttribute, RangeAttributes};
pub use managed::{Managed, ManagedAttachment, ManagedBuffer};
pub use pitched::buffer::{PitchedAllocation, PitchedBuffer};
pub use pitched::{PitchedMemory, PitchedView, PitchedViewMut};
pub use plain::PlainData;
pub use pointer::{MemoryType, PointerAttribute, PointerInfo};
pub use pool::MemoryPool;
pub use pool::options::{MemoryAccess, MemoryPoolOptions, PoolAttribute, PoolPointer, PoolType};
pub use storage::{OwnedStorage, Storage, StorageMut};
pub use virtual_memory::{
    AddressRange, FabricHandle, Granularity, Growable, GrowableBuffer, GrowableOptions, Mapping,
    MulticastObject, MulticastOptions, PhysicalMemory, PhysicalOptions, PhysicalProperties,
    PhysicalUsage, RangeFlags,
};

pub(crate) use alignment::{expect_aligned, expect_guaranteed};
pub(crate) use copy::layout::Strides;
pub(crate) use copy::region::Place;
pub(crate) use copy::region_call::{BoxCopy, Side};
pub(crate) use copy::region_copy::host_place;
pub(crate) use copy::{enqueue_download, enqueue_upload};
pub(crate) use size::{byte_size, expect_equal, range_within};
pub(crate) use waited::{Free, Release, Waited, waited};
