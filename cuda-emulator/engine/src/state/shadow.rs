//! The checks' state of a block's shared memory.

use super::context::Ctx;
use super::launch::Shared;
use super::race::Races;

/// Shadow of a block's shared memory.
pub(crate) struct Shadow {
    /// For the race check: the accesses and their order.
    pub races: Option<Races>,
    /// For the check of uninitialized reads: the bytes that have been written.
    written: Vec<bool>,
}

impl Shadow {
    pub(crate) fn new(launch: &Shared<'_>) -> Shadow {
        let (options, bytes) = (launch.options, launch.shared_size as usize);
        Shadow {
            races: options.check_race.then(|| Races::new(bytes)),
            written: vec![false; if options.check_uninit { bytes } else { 0 }],
        }
    }

    pub(crate) fn reset(&mut self) {
        self.written.fill(false);
        if let Some(races) = &mut self.races {
            races.reset();
        }
    }

    /// Returns the flags of an access's bytes, as far as they are tracked.
    pub(crate) fn bytes(&mut self, offset: u64, size: u64) -> &mut [bool] {
        let end = offset.saturating_add(size) as usize;
        self.written
            .get_mut(offset as usize..end)
            .unwrap_or_default()
    }

    /// Records that a bulk copy has written.
    pub(crate) fn written(&mut self, offset: u64, size: u64) {
        self.bytes(offset, size).fill(true);
    }
}

/// Returns the race check's state of the running block, if that check is enabled.
pub(crate) fn races<'a>(ctx: &'a mut Ctx<'_>) -> Option<&'a mut Races> {
    ctx.shadow.as_deref_mut()?.races.as_mut()
}
