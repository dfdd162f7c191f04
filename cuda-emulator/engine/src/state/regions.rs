//! The memory that a launch has reached so far.

use super::frame::Buffer;
use crate::boundary::Region;

/// The region that an instruction hit last: its first address, and the first at which its access no longer fits. All
/// zeros fit nothing.
#[derive(Clone, Copy)]
pub(crate) struct Cached {
    pub first: u64,
    pub end: u64,
    pub writable: bool,
}

/// What a worker remembers of [`Device::find`](crate::boundary::Device::find).
pub(crate) struct Regions {
    /// One [`Cached`] for each memory instruction; zeroed memory costs a launch nothing until it is touched.
    cached: Buffer,
    instructions: usize,
    known: Vec<Region>,
    /// Regions that don't come from the device and stay.
    fixed: usize,
    generation: u64,
}

/// Most regions remembered besides each instruction's last.
const KNOWN: usize = 32;

impl Regions {
    pub(crate) fn new(instructions: usize, fixed: Vec<Region>, generation: u64) -> Regions {
        Regions {
            cached: Buffer::new(instructions * size_of::<Cached>()),
            instructions,
            fixed: fixed.len(),
            known: fixed,
            generation,
        }
    }

    /// The place of an instruction.
    #[inline(always)]
    pub(crate) fn cached(&self, instruction: u32) -> *mut Cached {
        debug_assert!((instruction as usize) < self.instructions);
        // SAFETY: the lowering numbers memory instructions from 0 to `instructions`.
        unsafe { self.cached.ptr().cast::<Cached>().add(instruction as usize) }
    }

    /// A region that was met before.
    pub(crate) fn find(&self, wanted: impl Fn(&Region) -> bool) -> Option<Region> {
        self.known.iter().find(|r| wanted(r)).copied()
    }

    pub(crate) fn remember(&mut self, region: Region) {
        if self.known.len() >= KNOWN {
            self.known.truncate(self.fixed);
        }
        self.known.push(region);
    }

    /// Forgets everything if something was freed.
    pub(crate) fn refresh(&mut self, generation: u64) {
        if generation != self.generation {
            self.generation = generation;
            self.known.truncate(self.fixed);
            // SAFETY: the buffer has this size; zeros are valid.
            unsafe {
                std::ptr::write_bytes(
                    self.cached.ptr(),
                    0,
                    self.instructions * size_of::<Cached>(),
                )
            };
        }
    }
}
