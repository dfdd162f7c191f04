//! The race check's clocks, and its marks of accesses.

use super::touch::Touch;

/// Maximum number of warps in a block.
pub(crate) const WARPS: usize = 32;

/// The accesses that are ordered before a point in a block's execution.
#[derive(Clone, Copy, Default)]
pub(crate) struct Clock {
    /// For each warp of the block, the time up to which its accesses are ordered.
    pub warps: [u32; WARPS],
    /// The number of releases by blocks of the grid that may be ordered: those that had happened
    /// when a warp read global memory by a strong access.
    pub releases: u32,
}

impl Clock {
    /// Adds everything that is ordered in another clock.
    pub(crate) fn join(&mut self, other: &Clock) {
        for (mine, theirs) in self.warps.iter_mut().zip(&other.warps) {
            *mine = (*mine).max(*theirs);
        }
        self.releases = self.releases.max(other.releases);
    }

    /// Returns the accesses of the block that are ordered in both clocks.
    pub(crate) fn common(&self, other: &Clock) -> Clock {
        Clock {
            warps: std::array::from_fn(|w| self.warps[w].min(other.warps[w])),
            releases: 0,
        }
    }

    /// Returns whether an access of this block is ordered.
    pub(crate) fn contains(&self, mark: &Mark) -> bool {
        mark.time <= self.warps[mark.warp()]
    }
}

/// An access by a thread of a block.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    /// The time of its warp. 0 means no access.
    pub time: u32,
    pub pc: u32,
    pub thread: u16,
    pub touch: Touch,
}

impl Mark {
    /// Returns the index of the thread's warp.
    pub(crate) fn warp(&self) -> usize {
        usize::from(self.thread / 32) % WARPS
    }
}
