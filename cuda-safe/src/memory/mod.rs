//! Device memory, host memory, and copies between them.
//!
//! All device memory has one type, [`DeviceMemory`]. Its [`Storage`] parameter says where the
//! memory came from. Methods copy, fill and slice it, and a launch accepts it as a kernel argument.
//! The guide compares the [kinds of memory](crate::guide::kinds_of_memory).
//!
//! - Device memory: [`DeviceBuffer`], [`DeviceView`], [`DeviceViewMut`], [`DeviceMemory`]
//! - Storages of device memory: [`StreamOrdered`], [`Borrowed`], [`BorrowedMut`], [`Storage`],
//!   [`StorageMut`], [`OwnedStorage`]
//! - Host memory: [`PinnedBuffer`], [`PinnedFlags`], [`MappedBuffer`], [`Mapped`], [`PageLocked`],
//!   [`RegisteredBuffer`], [`HostBlock`], [`Registration`], [`RegisterFlags`], [`RegisterError`]
//! - Managed memory: [`ManagedBuffer`], [`Managed`], [`ManagedAttachment`], [`MemoryAdvice`],
//!   [`RangeAttribute`], [`RangeAttributes`], [`Prefetch`], [`Discard`], [`MemoryLocation`]
//! - Memory pools: [`MemoryPool`], [`MemoryPoolOptions`], [`PoolType`], [`PoolAttribute`],
//!   [`PoolPointer`], [`MemoryAccess`]
//! - Pitched memory (aligned rows): [`PitchedBuffer`], [`PitchedView`], [`PitchedViewMut`],
//!   [`PitchedMemory`], [`PitchedAllocation`]
//! - Copies of sub-regions: [`RegionCopy`], [`HostRegion`], [`HostRegionMut`], [`Region`],
//!   [`Extent`], [`Offset`], [`Layout`], [`CopySource`], [`CopyTarget`]
//! - Batches of copies: [`CopyBatch`], [`CopyAttributes`], [`SourceAccessOrder`]
//! - Asynchronous host copies: [`Transfer`], [`TransferError`], [`Scope`]
//! - Fast copies of pageable memory: [`Staging`], [`StagingOptions`]
//! - Copies and kernels that overlap in chunks: [`Pipeline`], [`Outcome`]
//! - Words that streams write and wait for: [`Signal`], [`SignalWord`], [`MemoryOperation`],
//!   [`WaitUntil`], [`BarrierScope`]
//! - Information about addresses: [`PointerInfo`], [`PointerAttribute`], [`MemoryType`]
//! - Element types: [`PlainData`]
//! - Separate address ranges and physical memory: the module [`virtual_memory`]

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
pub mod virtual_memory;
pub(crate) mod waited;

pub use copy::batch::{CopyAttributes, CopyBatch, SourceAccessOrder};
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
pub use operation::{BarrierScope, MemoryOperation, WaitUntil};
pub use pitched::buffer::{PitchedAllocation, PitchedBuffer};
pub use pitched::{PitchedMemory, PitchedView, PitchedViewMut};
pub use plain::PlainData;
pub use pointer::{MemoryType, PointerAttribute, PointerInfo};
pub use pool::MemoryPool;
pub use pool::options::{MemoryAccess, MemoryPoolOptions, PoolAttribute, PoolPointer, PoolType};
pub use signal::{Signal, SignalWord};
pub use storage::{OwnedStorage, Storage, StorageMut};

pub(crate) use alignment::{expect_aligned, expect_guaranteed};
pub(crate) use copy::layout::Strides;
pub(crate) use copy::region::Place;
pub(crate) use copy::region_call::{BoxCopy, Side};
pub(crate) use copy::region_copy::host_place;
pub(crate) use copy::{enqueue_download, enqueue_upload};
pub(crate) use size::{byte_size, expect_equal, range_within};
pub(crate) use waited::{Free, Release, Waited, waited};
