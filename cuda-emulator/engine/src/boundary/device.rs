//! The interface through which a running kernel uses the driver side.

use std::sync::Arc;
use std::time::Duration;

use super::texture::{Surface, Texture};

/// A live allocation, as the device reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether kernels may write to it.
    pub writable: bool,
    /// Identity of the allocation, for checks.
    pub id: u64,
}

/// An access of a kernel to memory of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// First address.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic, volatile, relaxed or stronger. Two such accesses do not race.
    pub strong: bool,
    /// The instruction, for [`Program::place`](crate::Program::place). `None` for a copy or a fill
    /// that a kernel enqueues.
    pub instruction: Option<u32>,
}

/// A change that a kernel makes to a kernel node of a graph.
#[derive(Clone, Copy, Debug)]
pub enum NodeChange<'a> {
    /// Writes these bytes into the node's parameters, from this offset on.
    Param(u64, &'a [u8]),
    /// Enables or disables the node.
    Enabled(bool),
    /// Sets the node's grid.
    Grid([u32; 3]),
}

/// `cudaErrorNotSupported`
const NOT_SUPPORTED: u32 = 801;

/// The services that the engine needs from the driver side while a kernel runs. The engine calls
/// them from its worker threads.
pub trait Device: Sync {
    /// Returns the live allocation that contains `addr` (device, pinned host, managed, module
    /// variable).
    ///
    /// The memory must stay valid for reads, and for writes if `writable` is set, until
    /// [`generation`](Device::generation) has changed and every running launch has noticed the
    /// change. A launch checks at least every few milliseconds.
    fn find(&self, addr: u64) -> Option<Region>;
    /// Returns a number that changes whenever an allocation is freed. The engine then drops its
    /// cached results of [`find`](Device::find).
    fn generation(&self) -> u64;
    /// Returns text for a fault report: which allocation the access missed and by how much, also
    /// for freed allocations.
    fn explain(&self, addr: u64, size: u32) -> String;
    /// Allocates `size` bytes of the device-side heap. Returns an address aligned to 16 bytes, or 0
    /// if the heap is full.
    fn malloc(&self, size: u64) -> u64;
    /// Frees memory from [`malloc`](Device::malloc). Returns false if the address is not a live
    /// heap block.
    fn free(&self, addr: u64) -> bool;
    /// Prints the output of one call of `vprintf`.
    fn print(&self, text: &[u8]);
    /// Records that a kernel has been running for a long time. `place` describes where one of its
    /// threads is. Called once per launch, after
    /// [`Options::notice_after`](super::Options::notice_after).
    fn note_long_run(&self, kernel: &str, elapsed: Duration, place: &str) {
        let _ = (kernel, elapsed, place);
    }
    /// Records that `size` bytes at `addr` are about to be written. Only called with
    /// [`Options::check_uninit`](super::Options::check_uninit) or
    /// [`Options::note_writes`](super::Options::note_writes).
    fn note_write(&self, addr: u64, size: u32) {
        let _ = (addr, size);
    }
    /// Returns whether all `size` bytes at `addr` have been written. Only called with
    /// [`Options::check_uninit`](super::Options::check_uninit).
    fn is_initialized(&self, addr: u64, size: u32) -> bool {
        let _ = (addr, size);
        true
    }
    /// Records an access to memory outside of the launch's own. Only called with
    /// [`Options::record_accesses`](super::Options::record_accesses).
    fn note_access(&self, access: Access) {
        let _ = access;
    }
    /// Sets the value of a graph's conditional node. Returns whether the handle is valid.
    fn set_conditional(&self, handle: u64, value: u32) -> bool {
        let _ = (handle, value);
        false
    }
    /// Launches an executable graph from within a kernel (`cudaGraphLaunch`). `stream` selects the
    /// launch mode. Returns the `cudaError_t` for the kernel.
    ///
    /// # Errors
    ///
    /// Returns the reason for a fault.
    fn launch_graph(&self, exec: u64, stream: u64) -> Result<u32, String> {
        let _ = (exec, stream);
        Ok(NOT_SUPPORTED)
    }
    /// Changes a kernel node of a graph. Returns whether the change is allowed.
    ///
    /// # Errors
    ///
    /// Returns the reason for a fault if the handle is invalid.
    fn change_node(&self, node: u64, change: NodeChange<'_>) -> Result<bool, String> {
        let _ = (node, change);
        Ok(false)
    }
    /// Returns the handle of the kernel's executable graph if kernels may launch that graph,
    /// otherwise 0.
    fn current_graph(&self) -> u64 {
        0
    }
    /// Returns the texture object of a handle. The texels stay readable while the object exists.
    ///
    /// # Errors
    ///
    /// Returns the reason for a fault if the handle is invalid or the texels have been freed.
    fn texture(&self, handle: u64) -> Result<Arc<Texture>, String> {
        Err(format!(
            "0x{handle:x} is not the handle of a texture object"
        ))
    }
    /// Returns the surface object of a handle, under the conditions of
    /// [`texture`](Device::texture).
    ///
    /// # Errors
    ///
    /// Returns the reason for a fault if the handle is invalid or the texels have been freed.
    fn surface(&self, handle: u64) -> Result<Arc<Surface>, String> {
        Err(format!(
            "0x{handle:x} is not the handle of a surface object"
        ))
    }
    /// Returns the object that answers the device runtime's queries. Without it, most queries by
    /// kernels return `cudaErrorNotSupported`.
    fn host(&self) -> Option<&dyn Host> {
        None
    }
}

/// The driver side's answers to queries of the device runtime.
pub trait Host: Sync {
    /// Returns the device's ordinal and the number of devices.
    fn devices(&self) -> (u32, u32);
    /// Returns the device attribute with this number.
    fn attribute(&self, attribute: u32) -> Option<i32>;
    /// Returns the context's limit with this number.
    fn limit(&self, limit: u32) -> Option<u64>;
    /// Returns the kernel's function attribute with this number.
    fn function_attribute(&self, kernel: usize, attribute: u32) -> Option<i32>;
    /// Returns the number of blocks of a kernel that fit a multiprocessor.
    fn blocks(&self, kernel: usize, threads: u32, dynamic_shared: u64) -> u32;
}
