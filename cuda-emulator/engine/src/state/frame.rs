//! Frames of functions, and fragments of warps: lanes that are at the same place.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Memory aligned to a cache line, zeroed at first.
pub(crate) struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the buffer owns its memory.
unsafe impl Send for Buffer {}
// SAFETY: access goes through raw pointers only, whose users see to ordering.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(crate) fn new(size: usize) -> Buffer {
        let layout = Layout::from_size_align(size.max(64), 64).expect("a size below isize::MAX");
        // SAFETY: the layout's size isn't zero.
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
/// No frame: the caller of a kernel.
pub(crate) const NO_FRAME: FrameId = u32::MAX;

/// One activation of a function, shared by the fragments that are in it.
pub(crate) struct Frame {
    pub memory: Buffer,
    pub function: u32,
    /// Where to go on in the caller, and the call site there.
    pub return_pc: u32,
    pub site: u32,
    pub parent: FrameId,
    pub depth: u32,
    /// Fragments and child frames that hold it.
    pub holders: u32,
    pub local_base: u64,
    pub local_top: u64,
}

/// What a fragment waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nothing.
    Ready,
    /// Block barrier with this number.
    Barrier(u32),
    /// Other lanes at a warp-wide operation; the fragment's pc is still at it.
    Sync,
}

/// Lanes of a warp that are at the same place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub pc: u32,
    pub mask: u32,
    pub frame: FrameId,
    pub wait: Wait,
    /// When it last gave way.
    pub turn: u32,
}
