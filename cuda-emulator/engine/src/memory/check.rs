//! The optional checks of accesses: uninitialized reads, and races. Also the record of accesses
//! for the driver side's check of streams.

use crate::boundary::{Access, FaultKind, LOCAL_WINDOW, SHARED_WINDOW};
use crate::memory::{cluster, global_race};
use crate::state::clock::Mark;
use crate::state::cluster::Place;
use crate::state::context::Ctx;
use crate::state::launch::Shared;
use crate::state::op::each;
use crate::state::op::{LANES, Op};
use crate::state::shadow::{Unwritten, races};
use crate::state::touch::{Touch, space};

/// Checks an access to shared memory. Sets `ctx.fault` on a violation.
fn shared(ctx: &mut Ctx<'_>, lane: u32, address: u64, size: u64, touch: Touch) {
    let place = cluster::place(ctx, address);
    let Place::Own(offset) = place else {
        peer(ctx, lane, place, size, touch);
        return;
    };
    let thread = (ctx.warp * 32 + lane) as u16;
    let (warp, pc) = (ctx.warp as usize, ctx.pc.wrapping_sub(1));
    let Some(shadow) = ctx.shadow.as_deref_mut() else {
        return;
    };
    let mark = Mark {
        time: 0,
        pc,
        thread,
        touch,
    };
    let bytes = shadow.bytes(offset, size);
    let unwritten = touch.reads() && bytes.contains(&false);
    if touch.writes() && touch != Touch::Pending {
        bytes.fill(true);
    }
    if unwritten {
        shadow
            .unwritten
            .get_or_insert(Unwritten { mark, offset, size });
    }
    let first = shadow.unwritten;
    let Some(races) = &mut shadow.races else {
        if let Some(first) = first.filter(|first| first.is_filled_by(&mark, offset, size)) {
            shadow.unwritten = None;
            ctx.fault = Some(first.fault(written_later(ctx.launch, &first, &mark)));
        }
        return;
    };
    if let Some(found) = races.touch(thread, pc, offset, size, touch) {
        shadow.unwritten = None;
        let early = first.is_some_and(|first| !found.touch.writes() && first.mark.pc == found.pc);
        let text = race(ctx.launch, &mark, offset, size, &found, early);
        ctx.fail(FaultKind::Check, lane, text);
        return;
    } else if touch.strong() {
        races.strong(warp, Some((offset, size)), touch);
    }
    if races.has_foreign() {
        let others = races.others(None, offset, size, touch);
        between(ctx, lane, place, size, touch, &others);
    }
}

/// Reports the first access by another block of the cluster that cannot be ordered before this one.
#[cold]
fn between(
    ctx: &mut Ctx<'_>,
    lane: u32,
    place: Place,
    size: u64,
    touch: Touch,
    others: &[(Option<u32>, Mark)],
) {
    let Some((own, opened)) = ctx.cluster.as_ref().map(|c| (c.rank, c.opened)) else {
        return;
    };
    let (owner, offset) = match place {
        Place::Own(offset) => (own, offset),
        Place::Peer(rank, offset) => (rank, offset),
    };
    for (by, mark) in others {
        let by = by.unwrap_or(owner);
        // The state of an ended block has been discarded.
        let untold = cluster::races(ctx, Place::Peer(by, 0))
            .is_some_and(|races| races.is_untold(mark, opened));
        if !untold || by == own {
            continue;
        }
        let launch = ctx.launch;
        let (this, earlier) = (verb(touch), verb(mark.touch));
        let mut text = format!(
            "race on shared memory of a cluster: {this} of {size} bytes at shared address 0x{offset:x} of block {owner} by \
             {} of block {own}, and nothing orders it after the {earlier} by {} of block {by}\nFix: put a barrier of \
             the cluster between the two, such as cluster.sync()",
            launch.thread_name(ctx.warp * 32 + lane),
            launch.thread_name(mark.thread.into()),
        );
        let at = launch.place_within(mark.pc);
        text += &format!("\n  the {earlier}:{at}\n  the {this} after it:");
        ctx.fail(FaultKind::Check, lane, text);
        return;
    }
}

/// Checks an access to the shared memory of another block of the cluster. Sets `ctx.fault` on a
/// violation.
fn peer(ctx: &mut Ctx<'_>, lane: u32, place: Place, size: u64, touch: Touch) {
    let (warp, pc) = (ctx.warp as usize, ctx.pc.wrapping_sub(1));
    let thread = (ctx.warp * 32 + lane) as u16;
    let own = ctx.cluster.as_ref().map(|cluster| cluster.rank);
    let mut mark = None;
    if let Some(races) = races(ctx) {
        mark = Some(races.mark(thread, pc, touch));
        if touch.strong() {
            races.strong(warp, None, touch);
        }
    }
    let Place::Peer(rank, offset) = place else {
        return;
    };
    // The bounds check reports accesses to missing blocks.
    let Some(shadow) = cluster::shadow(ctx, place) else {
        return;
    };
    let others = match &shadow.races {
        Some(races) => races.others(own, offset, size, touch),
        None => Vec::new(),
    };
    let bytes = shadow.bytes(offset, size);
    let unwritten = touch.reads() && bytes.contains(&false);
    if touch.writes() && touch != Touch::Pending {
        bytes.fill(true);
        if touch.strong()
            && let Some(races) = &mut shadow.races
        {
            races.strong_by_peer(offset, size);
        }
    }
    if let (Some(races), Some(own), Some(mark)) = (&mut shadow.races, own, mark) {
        races.touch_by_peer(own, offset, size, mark);
    }
    if unwritten {
        let text = format!(
            "read of {size} bytes at shared address 0x{offset:x} of block {rank} of the cluster, which no thread has \
             written\n{INITIALIZE_SHARED}"
        );
        ctx.fail(FaultKind::Check, lane, text);
    } else if !others.is_empty() {
        between(ctx, lane, place, size, touch, &others);
    }
}

fn verb(touch: Touch) -> &'static str {
    if touch.writes() { "write" } else { "read" }
}

/// The remedy for a read of shared memory that no thread writes.
pub(crate) const INITIALIZE_SHARED: &str =
    "Fix: let the threads write it before the read, or correct the index";

const MISSING_BARRIER: &str =
    "Fix: put a barrier between the two that both threads reach, such as __syncthreads()";

/// Formats the report of a race. `early` means that the earlier access has read memory that no
/// thread had written.
#[cold]
fn race(
    launch: &Shared<'_>,
    mark: &Mark,
    offset: u64,
    size: u64,
    found: &Mark,
    early: bool,
) -> String {
    let (this, earlier) = (verb(mark.touch), verb(found.touch));
    let (this_name, earlier_name) = (
        launch.thread_name(mark.thread.into()),
        launch.thread_name(found.thread.into()),
    );
    let mut text = format!(
        "race on shared memory: {this} of {size} bytes at shared address 0x{offset:x} by {this_name}, and no barrier since the \
         {earlier} by {earlier_name}"
    );
    if early {
        text += "\nthe read came too early: no thread had written there";
    }
    if mark.touch.strong() != found.touch.strong() {
        text += "\nonly one of the two is atomic, volatile or relaxed, which does not order them";
    }
    let at = launch.place_within(found.pc);
    text += &format!(
        "\n{MISSING_BARRIER}\n  the {earlier}, by {earlier_name}:{at}\n  the {this} after it:"
    );
    text
}

/// Formats the report of a read that another warp's write should have preceded.
#[cold]
fn written_later(launch: &Shared<'_>, read: &Unwritten, write: &Mark) -> String {
    let writer = launch.thread_name(write.thread.into());
    format!(
        "{}\n{writer} writes it later, before any barrier of the block\n{MISSING_BARRIER}\n  the write, by {writer}:{}\n  \
         the read before it:",
        read.text(),
        launch.place_within(write.pc)
    )
}

/// Checks a warp's access before it is executed. Sets `ctx.fault` on a violation. For a load, the
/// bytes whose bits are set in `b` are ignored.
#[cold]
pub(crate) fn access(
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
    let noted = unused == 0 && note_together(ctx, space, mask, addresses, bytes, touch);
    if noted && !ctx.launch.options.check_race {
        return;
    }
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
            let address = addresses[lane].wrapping_add(from);
            match noted {
                true => races_on_global(ctx, lane as u32, address, size, touch),
                false => range(ctx, space, lane as u32, address, size, touch),
            }
            at = from + size.max(1);
        }
    });
}

/// Notes the accesses of lanes to global memory, once for each run of lanes with consecutive or equal
/// elements. Returns false if the access of each lane must be noted, which also reports reads of
/// uninitialized memory.
fn note_together(
    ctx: &Ctx<'_>,
    space: u8,
    mask: u32,
    addresses: &[u64; LANES],
    bytes: u64,
    touch: Touch,
) -> bool {
    let mut first = addresses[mask.trailing_zeros() as usize & 31];
    if ctx.fault.is_some() || !is_global(space, first) {
        return false;
    }
    // The first address and the size of each run.
    let mut runs = [(0, 0); LANES];
    let mut count = 0;
    let mut end = first;
    each(mask, |lane| {
        let (address, next) = (addresses[lane], addresses[lane].wrapping_add(bytes));
        if address != end && next != end {
            runs[count] = (first, end.wrapping_sub(first));
            count += 1;
            first = address;
        }
        end = next;
    });
    runs[count] = (first, end.wrapping_sub(first));
    let runs = runs[..=count].iter().copied();
    let (options, device) = (ctx.launch.options, ctx.launch.device);
    let reads = options.check_uninit && touch.reads();
    let known = |(first, size)| {
        is_global(space, first) && (!reads || device.is_initialized(first, size as u32))
    };
    if !runs.clone().all(known) {
        return false;
    }
    runs.for_each(|(first, size)| {
        record(ctx, first, size, touch);
        if touch.writes() && (options.check_uninit || options.note_writes) {
            device.note_write(first, size as u32);
        }
    });
    true
}

/// Checks one lane's access before it is executed. Sets `ctx.fault` on a violation.
pub(crate) fn range(
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
    if !is_global(space, address) {
        return;
    }
    races_on_global(ctx, lane, address, bytes, touch);
    record(ctx, address, bytes, touch);
    if ctx.fault.is_none() {
        uninitialized(ctx, lane, address, bytes, touch);
    }
}

/// Checks one lane's access to global memory for races, if that check is enabled.
fn races_on_global(ctx: &mut Ctx<'_>, lane: u32, address: u64, bytes: u64, touch: Touch) {
    if !ctx.launch.options.check_race || ctx.fault.is_some() {
        return;
    }
    global_race::check(ctx, lane, address, bytes, touch);
    let warp = ctx.warp as usize;
    if touch.strong()
        && let Some(races) = races(ctx)
    {
        races.strong(warp, None, touch);
    }
}

/// Passes an access to global memory to the driver side's check of streams, if it is enabled.
fn record(ctx: &Ctx<'_>, address: u64, size: u64, touch: Touch) {
    if ctx.launch.options.record_accesses {
        ctx.launch.device.note_access(Access {
            address,
            size,
            writes: touch.writes(),
            strong: touch.strong(),
            instruction: Some(ctx.pc.wrapping_sub(1)),
        });
    }
}

/// Checks that global memory was written before it is read. Sets `ctx.fault` on a violation.
pub(super) fn uninitialized(ctx: &mut Ctx<'_>, lane: u32, address: u64, bytes: u64, touch: Touch) {
    let options = ctx.launch.options;
    if !options.check_uninit && !options.note_writes {
        return;
    }
    let device = ctx.launch.device;
    if options.check_uninit
        && touch.reads()
        && device.find(address).is_some()
        && !device.is_initialized(address, bytes as u32)
    {
        let text = format!(
            "read of {bytes} bytes at 0x{address:x}, which has never been written\n{}\nFix: fill the memory before the \
             launch, by a copy or a fill, or correct the index or the kernel that should have written it",
            device.explain(address, bytes as u32)
        );
        ctx.fail(FaultKind::Check, lane, text);
    } else if touch.writes() {
        device.note_write(address, bytes as u32);
    }
}

/// Records an access to local memory. A read of bytes that the thread has not written is a fault.
fn local(ctx: &mut Ctx<'_>, lane: u32, offset: u64, bytes: u64, touch: Touch) {
    // The bounds check reports accesses outside.
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
            "read of {bytes} bytes at local address 0x{offset:x}, which the thread has not written\nFix: initialize the \
             variable, or correct the index"
        );
        ctx.fail(FaultKind::Check, lane, text);
    } else if touch.writes() {
        words.iter_mut().for_each(|word| *word |= 1 << lane);
    }
}

/// Marks local memory from `base` to `top` as uninitialized, since it has just been allocated.
pub(crate) fn forget_local(ctx: &mut Ctx<'_>, base: u64, top: u64, mask: u32) {
    if ctx.local_written.is_null() {
        return;
    }
    for byte in base..top.min(ctx.local_stride) {
        // SAFETY: the table has a word for each byte of a lane's local memory.
        unsafe { *ctx.local_written.add(byte as usize) &= !mask };
    }
}

fn is_global(space: u8, address: u64) -> bool {
    space == space::GLOBAL || space == space::GENERIC && address >> 60 == 0
}

fn local_offset(space: u8, address: u64) -> Option<u64> {
    match space {
        space::LOCAL => Some(address),
        space::GENERIC if address >> 60 == LOCAL_WINDOW >> 60 => Some(address - LOCAL_WINDOW),
        _ => None,
    }
}

/// Returns the offset in shared memory, if the address is there.
fn shared_offset(space: u8, address: u64) -> Option<u64> {
    match space {
        space::SHARED => Some(address),
        space::GENERIC if address >> 60 == SHARED_WINDOW >> 60 => Some(address - SHARED_WINDOW),
        _ => None,
    }
}
