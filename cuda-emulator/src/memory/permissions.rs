//! Who may use mapped memory.

use std::sync::atomic::{AtomicU8, Ordering};

/// What devices may do with mapped memory: a `CUmemAccess_flags` of each, of the host behind them.
pub struct Rights([AtomicU8; HOST + 1]);

/// The place of the host among [`Rights`].
pub const HOST: usize = 64;

impl Rights {
    pub fn none() -> Rights {
        Rights([const { AtomicU8::new(0) }; HOST + 1])
    }

    pub fn of(&self, who: usize) -> u8 {
        self.0[who].load(Ordering::Acquire)
    }

    /// Whether nobody may use it.
    pub fn are_none(&self) -> bool {
        (0..=HOST).all(|who| self.of(who) == 0)
    }

    pub fn set(&self, who: usize, flags: u8) {
        self.0[who].store(flags, Ordering::Release);
    }
}
