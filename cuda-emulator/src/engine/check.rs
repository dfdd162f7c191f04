//! The optional checks: uninitialised reads, shared-memory races, divergent barriers.

use super::control::CLUSTER;
use super::lanes::each;
use super::launch::Shared;
use super::memory::{Touch, space};
use super::state::{Ctx, LANES, Op, Wait};
use super::worker::{Block, Worker};
use super::{FaultKind, LOCAL_WINDOW, SHARED_WINDOW};

/// Who touched a byte of shared memory since the last barrier, and whether anybody ever wrote it.
#[derive(Clone, Copy, Default)]
struct Byte {
    /// Number of the interval between barriers, from 1.
    epoch: u32,
    /// Thread plus 1 that wrote in this interval, 0 for none.
    writer: u16,
    /// Thread plus 1 that read in this interval, `u16::MAX` for several: by weak accesses, by strong ones.
    reader: u16,
    strong_reader: u16,
    /// All writes were strong accesses.
    strong: bool,
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

    /// A bulk copy has written.
    pub(super) fn written(&mut self, offset: u64, size: u64) {
        let end = offset.saturating_add(size) as usize;
        if let Some(bytes) = self.bytes.get_mut(offset as usize..end) {
            bytes.iter_mut().for_each(|byte| byte.written = true);
        }
    }

    /// Records an access. Returns the text of what is wrong with it.
    fn touch(
        &mut self,
        thread: u16,
        warp: u16,
        offset: u64,
        size: u64,
        touch: Touch,
    ) -> Option<String> {
        let store = touch.writes();
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
                    strong_reader: 0,
                    strong: true,
                    written: byte.written,
                };
            }
            if self.uninit && touch.reads() && !byte.written {
                found = Some(format!(
                    "read of {size} bytes at shared address 0x{offset:x}, which no thread has written"
                ));
            }
            // Lanes of one warp are ordered by warp-level synchronisation, which isn't traced: only other warps count.
            let other = |t: u16| t != 0 && (t == u16::MAX || (t - 1) / 32 != warp);
            // Strong accesses don't race with each other.
            let reader = if other(byte.reader) || touch.strong() {
                byte.reader
            } else {
                byte.strong_reader
            };
            if self.race {
                if other(byte.writer) && !(byte.strong && touch.strong()) {
                    found = Some(format!(
                        "race on shared memory: {} of {size} bytes at shared address 0x{offset:x} by thread {thread}, \
                         written by thread {} since the last barrier",
                        if store { "write" } else { "read" },
                        byte.writer - 1
                    ));
                } else if store && other(reader) {
                    let who = if reader == u16::MAX {
                        "several warps".into()
                    } else {
                        format!("thread {}", reader - 1)
                    };
                    found = Some(format!(
                        "race on shared memory: write of {size} bytes at shared address 0x{offset:x} by thread {thread}, \
                         read by {who} since the last barrier"
                    ));
                }
            }
            if store {
                byte.writer = thread + 1;
                byte.strong &= touch.strong();
                byte.written |= touch != Touch::Pending;
            } else {
                let reader = if touch.strong() {
                    &mut byte.strong_reader
                } else {
                    &mut byte.reader
                };
                *reader = if other(*reader) { u16::MAX } else { thread + 1 };
            }
        }
        found
    }
}

/// Checks a warp's access before it is done; sets `ctx.fault`. Of a load, the bytes whose bits are set in `b` don't
/// count.
#[cold]
pub(super) fn access(
    ctx: &mut Ctx<'_>,
    op: &Op,
    space: u8,
    mask: u32,
    addresses: &[u64; LANES],
    bytes: u64,
    touch: Touch,
) {
    let unused = match touch {
        Touch::Read | Touch::StrongRead => op.b,
        _ => 0,
    };
    each(mask, |lane| {
        let mut at = 0;
        while at < bytes {
            let rest = unused.checked_shr(at as u32).unwrap_or(0);
            let skip = u64::from(rest.trailing_ones());
            let used = u64::from((rest >> (skip & 31)).trailing_zeros());
            let (from, size) = (
                at + skip,
                if used == 32 || skip == 32 {
                    bytes
                } else {
                    used
                },
            );
            let size = size.min(bytes.saturating_sub(from));
            range(
                ctx,
                space,
                lane as u32,
                addresses[lane].wrapping_add(from),
                size,
                touch,
            );
            at = from + size.max(1);
        }
    });
}

/// Checks one lane's access before it is done; sets `ctx.fault`.
pub(super) fn range(
    ctx: &mut Ctx<'_>,
    space: u8,
    lane: u32,
    address: u64,
    bytes: u64,
    touch: Touch,
) {
    if ctx.fault.is_some() || bytes == 0 {
        return;
    }
    if let Some(offset) = shared_offset(space, address) {
        let warp = ctx.warp;
        let thread = (warp * 32 + lane) as u16;
        let shadow = ctx.shadow.as_deref_mut();
        let found = shadow.and_then(|s| s.touch(thread, warp as u16, offset, bytes, touch));
        if let Some(text) = found {
            ctx.fail(FaultKind::Check, lane, text);
        }
        return;
    }
    if let Some(offset) = local_offset(space, address) {
        local(ctx, lane, offset, bytes, touch);
        return;
    }
    let global = space == space::GLOBAL || space == space::GENERIC && address >> 60 == 0;
    if !ctx.launch.options.check_uninit || !global {
        return;
    }
    let device = ctx.launch.device;
    if touch.reads()
        && device.find(address).is_some()
        && !device.is_initialised(address, bytes as u32)
    {
        let text = format!(
            "read of {bytes} bytes at 0x{address:x}, which nobody has written\n{}",
            device.explain(address, bytes as u32)
        );
        ctx.fail(FaultKind::Check, lane, text);
    } else if touch.writes() {
        device.note_write(address, bytes as u32);
    }
}

/// Records an access to local memory; a fault if it reads what its thread hasn't written.
fn local(ctx: &mut Ctx<'_>, lane: u32, offset: u64, bytes: u64, touch: Touch) {
    // What lies outside is for the bounds check.
    if ctx.local_written.is_null() || offset.saturating_add(bytes) > ctx.local_stride {
        return;
    }
    // SAFETY: the table has a word for each byte of a lane's local memory.
    let words = unsafe {
        let first = ctx.local_written.add(offset as usize);
        std::slice::from_raw_parts_mut(first, bytes as usize)
    };
    if touch.reads() && words.iter().any(|word| word >> lane & 1 == 0) {
        let text = format!(
            "read of {bytes} bytes at local address 0x{offset:x}, which the thread has not written"
        );
        ctx.fail(FaultKind::Check, lane, text);
    } else if touch.writes() {
        words.iter_mut().for_each(|word| *word |= 1 << lane);
    }
}

/// Local memory from `base` to `top` has been taken into use: nobody has written it.
pub(super) fn forget_local(ctx: &mut Ctx<'_>, base: u64, top: u64, mask: u32) {
    if ctx.local_written.is_null() {
        return;
    }
    for byte in base..top.min(ctx.local_stride) {
        // SAFETY: the table has a word for each byte of a lane's local memory.
        unsafe { *ctx.local_written.add(byte as usize) &= !mask };
    }
}

fn local_offset(space: u8, address: u64) -> Option<u64> {
    match space {
        space::LOCAL => Some(address),
        space::GENERIC if address >> 60 == LOCAL_WINDOW >> 60 => Some(address - LOCAL_WINDOW),
        _ => None,
    }
}

/// The offset in shared memory, if the address lies there.
fn shared_offset(space: u8, address: u64) -> Option<u64> {
    match space {
        space::SHARED => Some(address),
        space::GENERIC if address >> 60 == SHARED_WINDOW >> 60 => Some(address - SHARED_WINDOW),
        _ => None,
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
        // An ended thread has arrived at the cluster's barrier for good.
        if !self.launch.options.check_barrier
            || block.barriers[number].expected != 0
            || number == CLUSTER
        {
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
