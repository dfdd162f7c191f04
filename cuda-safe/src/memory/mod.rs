//! Memory: on the device, and page-locked on the host.

mod buffer;
pub(crate) mod copy;
mod device;
mod managed;
mod owner;
mod pinned;
mod pipeline;
mod plain;
mod pool;
mod scope;
pub(crate) mod size;
mod storage;
mod transfer;
mod view;

pub use buffer::{DeviceBuffer, StreamOrdered};
pub use device::DeviceMemory;
pub use managed::{Managed, ManagedBuffer};
pub use owner::Owner;
pub use pinned::{PinnedBuffer, PinnedFlags};
pub use pipeline::{Outcome, Pipeline};
pub use plain::PlainData;
pub use pool::MemoryPool;
pub use scope::Scope;
pub use storage::{OwnedStorage, Storage, StorageMut};
pub use transfer::{Transfer, TransferError};
pub use view::{Borrowed, BorrowedMut, DeviceView, DeviceViewMut};

pub(crate) use copy::{device_to_host_enqueue, host_to_device_enqueue};
pub(crate) use size::{byte_size, expect_equal, range_within};
