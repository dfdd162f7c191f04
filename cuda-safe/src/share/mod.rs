//! What processes share on one host: memory and events, by handles of plain bytes; semaphores of other interfaces.

pub(crate) mod external_memory;
mod external_semaphore;
mod ipc_event;
mod ipc_memory;
mod opened;

pub(crate) use external_semaphore::RawValues;
pub use external_semaphore::{ExternalSemaphore, ExternalSemaphoreKind};
pub use ipc_event::IpcEventHandle;
pub use ipc_memory::{IpcBuffer, IpcMemory, IpcMemoryHandle};
pub use opened::{Opened, OpenedBuffer};
