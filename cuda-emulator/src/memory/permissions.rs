//! Access rights of mapped memory.

use std::sync::atomic::{AtomicU8, Ordering};

/// The access of each device, and after them of the host, to mapped memory: one `CUmemAccess_flags`
/// each.
pub struct Rights([AtomicU8; HOST + 1]);

/// The index of the host in [`Rights`].
pub const HOST: usize = 64;

impl Rights {
    pub fn none() -> Rights {
        Rights([const { AtomicU8::new(0) }; HOST + 1])
    }

    pub fn of(&self, accessor: usize) -> u8 {
        self.0[accessor].load(Ordering::Acquire)
    }

    /// Returns whether nothing may access it.
    pub fn are_none(&self) -> bool {
        (0..=HOST).all(|accessor| self.of(accessor) == 0)
    }

    pub fn set(&self, accessor: usize, flags: u8) {
        self.0[accessor].store(flags, Ordering::Release);
    }
}
