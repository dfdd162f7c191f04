//! The optional checks: uninitialised reads, shared-memory races, divergent barriers.

use crate::engine::block::report::place;
use crate::engine::block::worker::{Block, Worker};
use crate::engine::check::race::{Mark, Races};
use crate::engine::lanes::arithmetic::each;
use crate::engine::launch::pool::Shared;
use crate::engine::memory::resolve::{Touch, space};
use crate::engine::state::context::{Ctx, LANES, Op, Wait};
use crate::engine::state::special::thread_index;
use crate::engine::warp::control::CLUSTER;
use crate::engine::{FaultKind, LOCAL_WINDOW, SHARED_WINDOW};

/// Shadow of a block's shared memory.
pub(in crate::engine) struct Shadow {
    /// With the race check: who touched what, and in which order.
    pub races: Option<Races>,
    /// With the check of uninitialised reads: which bytes anybody ever wrote.
    written: Vec<bool>,
}

impl Shadow {
    pub(in crate::engine) fn new(launch: &Shared<'_>) -> Shadow {
        let (options, bytes) = (launch.options, launch.shared_size as usize);
        Shadow {
            races: options.check_race.then(|| Races::new(bytes)),
            written: vec![false; if options.check_uninit { bytes } else { 0 }],
        }
    }

    pub(in crate::engine) fn reset(&mut self) {
        self.written.fill(false);
        if let Some(races) = &mut self.races {
            races.reset();
        }
    }

    /// The bytes of an access, as far as they are watched.
    fn bytes(&mut self, offset: u64, size: u64) -> &mut [bool] {
        let end = offset.saturating_add(size) as usize;
        self.written
            .get_mut(offset as usize..end)
            .unwrap_or_default()
    }

    /// A bulk copy has written.
    pub(in crate::engine) fn written(&mut self, offset: u64, size: u64) {
        self.bytes(offset, size).fill(true);
    }
}

/// What the race check knows of the running block, if that check is on.
pub(in crate::engine) fn races<'a>(ctx: &'a mut Ctx<'_>) -> Option<&'a mut Races> {
    ctx.shadow.as_deref_mut()?.races.as_mut()
}

/// Checks an access to shared memory; sets `ctx.fault`.
fn shared(ctx: &mut Ctx<'_>, lane: u32, offset: u64, size: u64, touch: Touch) {
    let thread = (ctx.warp * 32 + lane) as u16;
    let (warp, pc) = (ctx.warp as usize, ctx.pc.wrapping_sub(1));
    let Some(shadow) = ctx.shadow.as_deref_mut() else {
        return;
    };
    let bytes = shadow.bytes(offset, size);
    if touch.reads() && bytes.contains(&false) {
        let text = format!(
            "read of {size} bytes at shared address 0x{offset:x}, which no thread has written"
        );
        ctx.fail(FaultKind::Check, lane, text);
        return;
    }
    if touch.writes() && touch != Touch::Pending {
        bytes.fill(true);
    }
    let Some(races) = &mut shadow.races else {
        return;
    };
    if let Some(found) = races.touch(thread, pc, offset, size, touch) {
        let text = race(ctx.launch, thread, offset, size, touch, &found);
        ctx.fail(FaultKind::Check, lane, text);
    } else if touch.strong() {
        races.strong(warp, Some((offset, size)), touch);
    }
}

/// The report of a race.
fn race(
    launch: &Shared<'_>,
    thread: u16,
    offset: u64,
    size: u64,
    touch: Touch,
    found: &Mark,
) -> String {
    let name = |thread: u16| {
        let [x, y, z] = thread_index(thread.into(), launch.shape.block);
        format!("thread ({x}, {y}, {z})")
    };
    let verb = |writes| if writes { "write" } else { "read" };
    let earlier = verb(found.wrote);
    let mut text = format!(
        "race on shared memory: {} of {size} bytes at shared address 0x{offset:x} by {}, and no barrier since the {earlier} \
         by {}",
        verb(touch.writes()),
        name(thread),
        name(found.thread)
    );
    if touch.strong() != found.strong {
        text += "\none of the two is atomic, volatile or relaxed, the other isn't: that alone orders nothing";
    }
    text +=
        "\nput a barrier that both threads take part in between the two, such as __syncthreads()";
    let at = place(launch.program, found.pc).replace("\n  ", "\n    ");
    text += &format!("\n  the {earlier}, by {}:{at}", name(found.thread));
    text += &format!("\n  the {} after it:", verb(touch.writes()));
    text
}

/// Checks a warp's access before it is done; sets `ctx.fault`. Of a load, the bytes whose bits are set in `b` don't
/// count.
#[cold]
pub(in crate::engine) fn access(
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
pub(in crate::engine) fn range(
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
        shared(ctx, lane, offset, bytes, touch);
        return;
    }
    if let Some(offset) = local_offset(space, address) {
        local(ctx, lane, offset, bytes, touch);
        return;
    }
    let global = space == space::GLOBAL || space == space::GENERIC && address >> 60 == 0;
    if !global {
        return;
    }
    if touch.strong() {
        let warp = ctx.warp as usize;
        if let Some(races) = races(ctx) {
            races.strong(warp, None, touch);
        }
    }
    if !ctx.launch.options.check_uninit {
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
pub(in crate::engine) fn forget_local(ctx: &mut Ctx<'_>, base: u64, top: u64, mask: u32) {
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
    pub(in crate::engine) fn check_barrier(
        &mut self,
        block: &Block,
        w: usize,
        number: usize,
    ) -> bool {
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
    pub(in crate::engine) fn check_exit(&mut self, block: &Block, number: usize) -> bool {
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
