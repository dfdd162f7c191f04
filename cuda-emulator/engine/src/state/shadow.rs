//! The checks' state of a block's shared memory.

use super::clock::Mark;
use super::context::{Ctx, Trouble};
use super::launch::Shared;
use super::race::Races;
use crate::boundary::FaultKind;

/// Shadow of a block's shared memory.
pub(crate) struct Shadow {
    /// For the race check: the accesses and their order.
    pub races: Option<Races>,
    /// For the check of uninitialized reads: the bytes that have been written.
    written: Vec<bool>,
    /// The first read of bytes that no thread had written. It is reported when a barrier opens, when
    /// the block ends, or instead of a fault, unless another warp writes these bytes before. Then a
    /// barrier is missing.
    pub unwritten: Option<Unwritten>,
}

/// A read of shared memory that no thread has written.
#[derive(Clone, Copy)]
pub(crate) struct Unwritten {
    pub mark: Mark,
    pub offset: u64,
    pub size: u64,
}

impl Unwritten {
    /// Returns the first lines of the report.
    pub(crate) fn text(&self) -> String {
        format!(
            "read of {} bytes at shared address 0x{:x}, which no thread has written",
            self.size, self.offset
        )
    }

    /// Returns the fault, with this text, at the instruction that has read.
    pub(crate) fn fault(&self, text: String) -> Box<Trouble> {
        Box::new(Trouble {
            kind: FaultKind::Check,
            lane: u32::from(self.mark.thread) % 32,
            text,
            at: Some((u32::from(self.mark.thread) / 32, self.mark.pc)),
        })
    }

    /// Returns whether a plain write by a thread of another warp fills some of the bytes.
    pub(crate) fn is_filled_by(&self, write: &Mark, offset: u64, size: u64) -> bool {
        let apart = offset >= self.offset.saturating_add(self.size)
            || self.offset >= offset.saturating_add(size);
        let fills = write.touch.writes() && !write.touch.reads();
        fills && !apart && write.warp() != self.mark.warp()
    }
}

impl Shadow {
    pub(crate) fn new(launch: &Shared<'_>) -> Shadow {
        let (options, bytes) = (launch.options, launch.shared_size as usize);
        let grid = launch.races.clone();
        Shadow {
            races: grid.map(|grid| Races::new(bytes, grid, launch.cluster_blocks > 1)),
            written: vec![false; if options.check_uninit { bytes } else { 0 }],
            unwritten: None,
        }
    }

    /// Resets the state for the block with this linear index.
    pub(crate) fn reset(&mut self, block: u64) {
        self.written.fill(false);
        self.unwritten = None;
        if let Some(races) = &mut self.races {
            // The check would take too long for a grid with more blocks than this.
            races.reset(block as u32);
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

/// Allocates memory of the device's heap. The checks forget its previous contents.
pub(crate) fn allocate(ctx: &Ctx<'_>, size: u64) -> u64 {
    let address = ctx.launch.device.malloc(size);
    if let Some(races) = &ctx.launch.races
        && address != 0
    {
        races.forget(address, size);
    }
    address
}
