//! Memory: on the device, and page-locked on the host.

mod buffer;
pub(crate) mod copy;
mod methods;
mod owner;
mod pinned;
mod pool;
mod scope;
pub(crate) mod size;
mod transfer;
mod view;

pub use buffer::DeviceBuffer;
pub use owner::Owner;
pub use pinned::{PinnedBuffer, PinnedFlags};
pub use pool::MemoryPool;
pub use scope::Scope;
pub use transfer::{Transfer, TransferError};
pub use view::{DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};

pub(crate) use copy::{Span, device_to_host_enqueue, host_to_device_enqueue};
pub(crate) use methods::{device_read_methods, device_write_methods};
pub(crate) use size::byte_size;
pub(crate) use view::Sealed;
