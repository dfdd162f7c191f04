//! What the engine needs from the outside while a kernel runs.

use std::sync::Arc;

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

/// What a kernel changes of a kernel's node in a graph.
#[derive(Clone, Copy, Debug)]
pub enum NodeChange<'a> {
    /// Bytes of its parameters, from this place on.
    Param(u64, &'a [u8]),
    /// Whether it runs.
    Enabled(bool),
    /// Its blocks.
    Grid([u32; 3]),
}

/// `cudaErrorNotSupported`
const NOT_SUPPORTED: u32 = 801;

/// What the engine needs from the outside while a kernel runs. Called from the engine's worker threads.
pub trait Device: Sync {
    /// The live allocation that contains `addr` (device, pinned host, managed, module variable).
    ///
    /// The memory must stay valid for reads (and writes when `writable`) until [`generation`](Device::generation)
    /// has changed and every running launch has noticed it, which it does at least every few milliseconds.
    fn find(&self, addr: u64) -> Option<Region>;
    /// Changes whenever an allocation is freed: the engine then drops what it remembers of [`find`](Device::find).
    fn generation(&self) -> u64;
    /// Text for a fault report: which allocation the access missed, and by how much (also for freed allocations).
    fn explain(&self, addr: u64, size: u32) -> String;
    /// Allocates `size` bytes of the device-side heap: an address aligned to 16 bytes, or 0 when the heap is full.
    fn malloc(&self, size: u64) -> u64;
    /// Frees memory from [`malloc`](Device::malloc); false if the address isn't a live heap block.
    fn free(&self, addr: u64) -> bool;
    /// Output of `vprintf`: the whole text of one call.
    fn print(&self, text: &[u8]);
    /// A write of `size` bytes at `addr` is about to happen. Only called with [`Options::check_uninit`](super::Options::check_uninit).
    fn note_write(&self, addr: u64, size: u32) {
        let _ = (addr, size);
    }
    /// Whether all `size` bytes at `addr` have been written. Only called with [`Options::check_uninit`](super::Options::check_uninit).
    fn is_initialised(&self, addr: u64, size: u32) -> bool {
        let _ = (addr, size);
        true
    }
    /// Sets the value of a conditional node of a graph; whether the handle is one's.
    fn set_conditional(&self, handle: u64, value: u32) -> bool {
        let _ = (handle, value);
        false
    }
    /// `cudaGraphLaunch`: launches an executable graph from within a kernel, in one of the modes that `stream` stands for.
    /// The `cudaError_t` that the kernel gets, or the reason of a fault.
    fn launch_graph(&self, exec: u64, stream: u64) -> Result<u32, String> {
        let _ = (exec, stream);
        Ok(NOT_SUPPORTED)
    }
    /// Changes a kernel's node of a graph; whether that is allowed. The reason of a fault for a handle that isn't one's.
    fn change_node(&self, node: u64, change: NodeChange<'_>) -> Result<bool, String> {
        let _ = (node, change);
        Ok(false)
    }
    /// The handle of the executable graph that the kernel belongs to, where kernels may launch that; else 0.
    fn current_graph(&self) -> u64 {
        0
    }
    /// The texture object behind a handle; who has it can read its texels. The reason of a fault for a handle that isn't
    /// one's, and for texels that are gone.
    fn texture(&self, handle: u64) -> Result<Arc<Texture>, String> {
        Err(format!("0x{handle:x} isn't the handle of a texture object"))
    }
    /// The surface object behind a handle, as [`texture`](Device::texture).
    fn surface(&self, handle: u64) -> Result<Arc<Surface>, String> {
        Err(format!("0x{handle:x} isn't the handle of a surface object"))
    }
    /// What the device runtime asks; without it most queries of kernels give `cudaErrorNotSupported`.
    fn host(&self) -> Option<&dyn Host> {
        None
    }
}

/// What the device runtime asks of the driver side.
pub trait Host: Sync {
    /// The device's number, and how many there are.
    fn devices(&self) -> (u32, u32);
    /// A device attribute by its number.
    fn attribute(&self, attribute: u32) -> Option<i32>;
    /// A limit of the context by its number.
    fn limit(&self, limit: u32) -> Option<u64>;
    /// A function attribute of a kernel by its number.
    fn function_attribute(&self, kernel: usize, attribute: u32) -> Option<i32>;
    /// Blocks of a kernel that a multiprocessor holds.
    fn blocks(&self, kernel: usize, threads: u32, dynamic_shared: u64) -> u32;
}
