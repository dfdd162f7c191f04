//! Frames of functions, and fragments of warps: lanes with the same position.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Zero-initialized memory, aligned to a cache line.
pub(crate) struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the buffer owns its memory.
unsafe impl Send for Buffer {}
// SAFETY: access goes through raw pointers only, whose users ensure ordering.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(crate) fn new(size: usize) -> Buffer {
        let layout = Layout::from_size_align(size.max(64), 64).expect("a size below isize::MAX");
        // SAFETY: the layout's size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        Buffer {
            start: NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout)),
            layout,
        }
    }

    pub(crate) fn ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// Index of a frame in its worker's table.
pub(crate) type FrameId = u32;
/// No frame: the parent of a kernel's frame.
pub(crate) const NO_FRAME: FrameId = u32::MAX;

/// An activation of a function, shared by the fragments in it.
pub(crate) struct Frame {
    pub memory: Buffer,
    pub function: u32,
    /// The return address in the caller, and the call site.
    pub return_pc: u32,
    pub site: u32,
    pub parent: FrameId,
    pub depth: u32,
    /// Number of fragments and child frames that reference it.
    pub holders: u32,
    pub local_base: u64,
    pub local_top: u64,
}

/// The state of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Ready to run.
    Ready,
    /// Waits at the block barrier with this number.
    Barrier(u32),
    /// Waits for other lanes at a warp-wide operation. The fragment's pc is still at it.
    Sync,
}

/// Lanes of a warp with the same position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub pc: u32,
    pub mask: u32,
    pub frame: FrameId,
    pub wait: Wait,
    /// The turn in which it last yielded.
    pub turn: u32,
}
