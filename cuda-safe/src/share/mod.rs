//! Memory, events and semaphores shared with other processes and interfaces.
//!
//! Processes on the same host share device memory and events through 64-byte handles. Interfaces
//! such as Vulkan export memory and semaphores as files, which this module imports.
//!
//! - Memory of another process: [`IpcMemory`], [`IpcMemoryHandle`], [`IpcBuffer`],
//!   [`OpenedBuffer`], [`OpenedMemory`]
//! - Events of another process: [`IpcEventHandle`]
//! - Memory of another interface: [`ExternalMemory`], [`ExternalMemoryKind`], [`ExternalBuffer`],
//!   [`ExternalMapping`]
//! - Semaphores of another interface: [`ExternalSemaphore`], [`ExternalSemaphoreKind`]
//! - Kinds of handles for exporting memory: [`ShareableHandles`]

pub(crate) mod external_memory;
mod external_semaphore;
mod ipc_event;
mod ipc_memory;
mod opened;

pub use crate::raw::device::ShareableHandles;
pub use external_memory::{ExternalBuffer, ExternalMapping, ExternalMemory, ExternalMemoryKind};
pub(crate) use external_semaphore::RawValues;
pub use external_semaphore::{ExternalSemaphore, ExternalSemaphoreKind};
pub use ipc_event::IpcEventHandle;
pub use ipc_memory::{IpcBuffer, IpcMemory, IpcMemoryHandle};
pub use opened::{OpenedBuffer, OpenedMemory};
