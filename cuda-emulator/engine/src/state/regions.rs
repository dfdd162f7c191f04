//! The memory that a launch has accessed so far.

use super::frame::Buffer;
use crate::boundary::Region;

/// The region that an instruction accessed last: its first address, and the first address at which
/// an access no longer fits. All zeros match nothing.
#[derive(Clone, Copy)]
pub(crate) struct Cached {
    pub first: u64,
    pub end: u64,
    pub writable: bool,
}

/// A worker's cached results of [`Device::find`](crate::boundary::Device::find).
pub(crate) struct Regions {
    /// A [`Cached`] for each memory instruction. Zeroed memory costs a launch nothing until it is
    /// accessed.
    cached: Buffer,
    instructions: usize,
    known: Vec<Region>,
    /// Number of regions that do not come from the device and stay.
    fixed: usize,
    generation: u64,
}

/// Maximum number of cached regions, in addition to each instruction's last.
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

    /// Returns the cache entry of an instruction.
    #[inline(always)]
    pub(crate) fn cached(&self, instruction: u32) -> *mut Cached {
        debug_assert!((instruction as usize) < self.instructions);
        // SAFETY: the lowering numbers memory instructions from 0 to `instructions`.
        unsafe { self.cached.ptr().cast::<Cached>().add(instruction as usize) }
    }

    /// Returns a cached region.
    pub(crate) fn find(&self, wanted: impl Fn(&Region) -> bool) -> Option<Region> {
        self.known.iter().find(|r| wanted(r)).copied()
    }

    pub(crate) fn remember(&mut self, region: Region) {
        if self.known.len() >= KNOWN {
            self.known.truncate(self.fixed);
        }
        self.known.push(region);
    }

    /// Drops all entries if memory was freed.
    pub(crate) fn refresh(&mut self, generation: u64) {
        if generation != self.generation {
            self.generation = generation;
            self.known.truncate(self.fixed);
            // SAFETY: the buffer has this size, and zeros are valid.
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
