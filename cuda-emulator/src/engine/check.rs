//! The optional checks: uninitialised reads, shared-memory races, divergent barriers.

use super::lanes::each;
use super::launch::Shared;
use super::memory::space;
use super::state::{Ctx, LANES, Op, Wait};
use super::worker::{Block, Worker};
use super::{FaultKind, SHARED_WINDOW};

/// Who touched a byte of shared memory since the last barrier, and whether anybody ever wrote it.
#[derive(Clone, Copy, Default)]
struct Byte {
    /// Number of the interval between barriers, from 1.
    epoch: u32,
    /// Thread plus 1 that wrote in this interval, 0 for none.
    writer: u16,
    /// Thread plus 1 that read in this interval, `u16::MAX` for several.
    reader: u16,
    written: bool,
}

/// Shadow of a block's shared memory.
pub(super) struct Shadow {
    bytes: Vec<Byte>,
    epoch: u32,
    race: bool,
    uninit: bool,
}

impl Shadow {
    pub(super) fn new(launch: &Shared<'_>) -> Shadow {
        Shadow {
            bytes: vec![Byte::default(); launch.shared_size as usize],
            epoch: 1,
            race: launch.options.check_race,
            uninit: launch.options.check_uninit,
        }
    }

    pub(super) fn reset(&mut self) {
        self.bytes.fill(Byte::default());
        self.epoch = 1;
    }

    /// A barrier orders what came before it and what comes after.
    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Notes an access; the text of what is wrong with it.
    fn touch(
        &mut self,
        thread: u16,
        warp: u16,
        offset: u64,
        size: u64,
        store: bool,
    ) -> Option<String> {
        let epoch = self.epoch;
        let end = offset.checked_add(size)?;
        let bytes = self.bytes.get_mut(offset as usize..end as usize)?;
        let mut found = None;
        for byte in bytes {
            if byte.epoch != epoch {
                *byte = Byte {
                    epoch,
                    writer: 0,
                    reader: 0,
                    written: byte.written,
                };
            }
            if self.uninit && !store && !byte.written {
                found = Some(format!(
                    "read of {size} bytes at shared address 0x{offset:x}, which no thread has written"
                ));
            }
            // Lanes of one warp are ordered by warp-level synchronisation, which isn't traced: only other warps count.
            let other = |t: u16| t != 0 && t != u16::MAX && (t - 1) / 32 != warp;
            if self.race {
                if other(byte.writer) {
                    found = Some(format!(
                        "race on shared memory: {} of {size} bytes at shared address 0x{offset:x} by thread {thread}, \
                         written by thread {} since the last barrier",
                        if store { "write" } else { "read" },
                        byte.writer - 1
                    ));
                } else if store && (other(byte.reader) || byte.reader == u16::MAX) {
                    let who = if byte.reader == u16::MAX {
                        "several warps".into()
                    } else {
                        format!("thread {}", byte.reader - 1)
                    };
                    found = Some(format!(
                        "race on shared memory: write of {size} bytes at shared address 0x{offset:x} by thread {thread}, \
                         read by {who} since the last barrier"
                    ));
                }
            }
            if store {
                byte.writer = thread + 1;
                byte.written = true;
            } else if byte.reader == 0 || byte.reader == thread + 1 {
                byte.reader = thread + 1;
            } else if byte.reader != u16::MAX && (byte.reader - 1) / 32 != warp {
                byte.reader = u16::MAX;
            }
        }
        found
    }
}

/// Checks an access before it is done; sets `ctx.fault`.
///
/// # Safety
/// Called with the state of the running instruction.
#[cold]
pub(super) unsafe fn access<const S: u8>(
    ctx: &mut Ctx<'_>,
    _: &Op,
    mask: u32,
    addresses: &[u64; LANES],
    bytes: u64,
    store: bool,
) {
    if S == space::SHARED || S == space::GENERIC {
        let (warp, mut shadow) = (ctx.warp, ctx.shadow.take());
        if let Some(shadow) = &mut shadow {
            each(mask, |lane| {
                let address = addresses[lane];
                let offset = if S == space::SHARED {
                    address
                } else {
                    address.wrapping_sub(SHARED_WINDOW)
                };
                if let Some(text) = shadow.touch(
                    (warp * 32) as u16 + lane as u16,
                    warp as u16,
                    offset,
                    bytes,
                    store,
                ) && ctx.fault.is_none()
                {
                    ctx.fail(FaultKind::Check, lane as u32, text);
                }
            });
        }
        ctx.shadow = shadow;
    }
    if ctx.launch.options.check_uninit && (S == space::GLOBAL || S == space::GENERIC) {
        let device = ctx.launch.device;
        each(mask, |lane| {
            let address = addresses[lane];
            if address >> 60 != 0 || ctx.fault.is_some() {
                return;
            }
            if store {
                device.note_write(address, bytes as u32);
            } else if device.find(address).is_some()
                && !device.is_initialised(address, bytes as u32)
            {
                let text = format!(
                    "read of {bytes} bytes at 0x{address:x}, which nobody has written\n{}",
                    device.explain(address, bytes as u32)
                );
                ctx.fail(FaultKind::Check, lane as u32, text);
            }
        });
    }
}

impl Worker<'_> {
    /// With the barrier check on: all threads that wait at a barrier must wait at the same instruction.
    pub(super) fn check_barrier(&mut self, block: &Block, w: usize, number: usize) -> bool {
        if !self.launch.options.check_barrier {
            return true;
        }
        let wait = Wait::Barrier(number as u32);
        let mut places = block
            .warps
            .iter()
            .flat_map(|w| &w.fragments)
            .filter(|f| f.wait == wait)
            .map(|f| f.pc);
        let Some(first) = places.next() else {
            return true;
        };
        if let Some(other) = places.find(|&pc| pc != first) {
            let places = &self.launch.program.places;
            let text = format!(
                "divergent barrier: threads of the block wait at barrier {number} in PTX line {} and in PTX line {}",
                places[first as usize - 1].line,
                places[other as usize - 1].line
            );
            let lane = block.warps[w].live.trailing_zeros() & 31;
            self.ctx.fail(FaultKind::Check, lane, text);
            return false;
        }
        true
    }

    /// With the barrier check on: no thread may end while others of its block wait for all.
    pub(super) fn check_exit(&mut self, block: &Block, number: usize) -> bool {
        if !self.launch.options.check_barrier || block.barriers[number].expected != 0 {
            return true;
        }
        let text = format!(
            "divergent barrier: a thread ended while {} threads of its block wait at barrier {number}",
            block.barriers[number].arrived
        );
        let lane = self.ctx.event_mask.trailing_zeros() & 31;
        self.ctx.fail(FaultKind::Check, lane, text);
        false
    }
}
