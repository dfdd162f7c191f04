//! Bulk copies: `cp.async.bulk` between global and shared memory.
//!
//! A copy is checked when it is issued and executed as late as possible: when a thread waits for
//! its barrier or its group, or when the block ends. A program with a missing wait then reads the
//! previous contents. With a seed, some copies are executed at once. That order is also valid, and
//! exposes copies into memory that is still being read.
//!
//! A copy that counts on a barrier of another block of the cluster is in that block's list.

use crate::boundary::FaultKind;
use crate::memory::check;
use crate::memory::cluster::{in_block, place, races as races_of, shadow};
use crate::memory::mbarrier;
use crate::memory::resolve::{Mem, name, resolve, resolve_range};
use crate::memory::tensor_map;
use crate::state::bulk::Bulk;
use crate::state::bulk::Direction;
use crate::state::bulk::End;
use crate::state::cluster::{Place, absolute};
use crate::state::context::Ctx;
use crate::state::op::each;
use crate::state::op::{Flow, LANES, Op};
use crate::state::touch::{Touch, space};

/// Flag in `imm`: the copy goes to several blocks.
pub(crate) const MULTICAST: u64 = 1 << 8;

/// Checks that an address or size is a multiple of 16. Otherwise sets `ctx.fault` and returns
/// false.
fn aligned(ctx: &mut Ctx<'_>, lane: u32, what: &str, value: u64, place: String) -> bool {
    if value & 15 == 0 {
        return true;
    }
    let text = format!("misaligned bulk copy: its {what} {place} is not a multiple of 16");
    ctx.fail(FaultKind::MisalignedAddress, lane, text);
    false
}

/// `cp.async.bulk`: copies `c` bytes from `b` to `a`. The low byte of `imm` is the [`Direction`].
/// `x` is an mbarrier's address, unless the copy is to global memory. With [`MULTICAST`] in `imm`,
/// the copy goes to the same addresses in the blocks of the cluster given by the bits of `d`.
pub(crate) unsafe fn issue(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let direction = Direction::of(op.imm & 0xff);
    let (source, target) = direction.spaces();
    // SAFETY: `a`, `b` and `x` are 64-bit registers, and `c` is a 32-bit register.
    let (to, from, count, barrier) = unsafe {
        (
            *ctx.at::<[u64; LANES]>(op.a),
            *ctx.at::<[u64; LANES]>(op.b),
            *ctx.at::<[u32; LANES]>(op.c),
            *ctx.at::<[u64; LANES]>(op.x),
        )
    };
    each(mask, |i| {
        if ctx.fault.is_some() {
            return;
        }
        let (lane, to, from, bytes) = (i as u32, to[i], from[i], u64::from(count[i]));
        let good = aligned(ctx, lane, "destination", to, name(target, to))
            && aligned(ctx, lane, "source", from, name(source, from))
            && aligned(ctx, lane, "size", bytes, format!("of {bytes} bytes"));
        if !good {
            return;
        }
        let copy = Bulk {
            to,
            from,
            bytes,
            direction,
            end: End::Group(0),
            thread: ctx.warp * 32 + lane,
            pc: ctx.pc - 1,
            issuer: None,
            tensor: None,
        };
        if op.imm & MULTICAST == 0 {
            issue_one(ctx, copy, barrier[i]);
            return;
        }
        // SAFETY: a multicast has a 16-bit register in `d`, whose slots have 4 bytes.
        let mut blocks = unsafe { *ctx.at::<u32>(op.d).add(i) } & 0xffff;
        while blocks != 0 {
            let rank = blocks.trailing_zeros();
            blocks &= blocks - 1;
            let to = in_block(ctx, to, rank);
            let barrier = in_block(ctx, barrier[i], rank);
            let tensor = None;
            issue_one(ctx, Bulk { to, tensor, ..copy }, barrier);
        }
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// Checks a copy and then calls [`enqueue`].
fn issue_one(ctx: &mut Ctx<'_>, copy: Bulk, barrier: u64) {
    let lane = copy.thread % 32;
    let Bulk {
        to, from, bytes, ..
    } = copy;
    let (source, target) = copy.direction.spaces();
    if ctx.fault.is_some() {
        return;
    }
    // As on an H200, a cluster of one block is enough.
    if copy.direction == Direction::SharedToPeer && ctx.launch.shape.cluster.is_none() {
        let text = "a bulk copy from shared memory to shared memory, and the launch has no cluster dimension";
        ctx.fail(FaultKind::IllegalInstruction, lane, text.into());
        return;
    }
    // An empty copy accesses no memory, but its completion is signaled.
    if bytes > 0 {
        if resolve_range(ctx, None, source, lane, from, bytes, false).is_none()
            || resolve_range(ctx, None, target, lane, to, bytes, true).is_none()
        {
            return;
        }
        check::range(ctx, source, lane, from, bytes, Touch::Read);
        if target == space::SHARED {
            check::range(ctx, target, lane, to, bytes, Touch::Pending);
        }
        if ctx.fault.is_some() {
            return;
        }
    }
    enqueue(ctx, copy, barrier);
}

/// Enqueues a checked copy in the list of the block that waits for it, or executes it at once. The
/// wait is on an mbarrier, unless the copy is to global memory. May set `ctx.fault`.
pub(crate) fn enqueue(ctx: &mut Ctx<'_>, mut copy: Bulk, barrier: u64) {
    let lane = copy.thread % 32;
    let (source, target) = copy.direction.spaces();
    let mut waits = None;
    if copy.direction != Direction::SharedToGlobal {
        if resolve(ctx, None, space::SHARED, lane, barrier, 8, true).is_none() {
            return;
        }
        let (Place::Own(offset) | Place::Peer(_, offset)) = place(ctx, barrier);
        copy.end = End::Barrier(offset);
        if let (Place::Peer(rank, _), Some(cluster)) = (place(ctx, barrier), &ctx.cluster) {
            waits = Some(rank as usize);
            let warp = ctx.warp as usize;
            copy.issuer = Some(cluster.rank);
            // The copy may be executed while another block runs.
            let fixed = |address, space| match space {
                space::SHARED => absolute(address, cluster.rank_of(address)),
                _ => address,
            };
            (copy.from, copy.to) = (fixed(copy.from, source), fixed(copy.to, target));
            if let Some(races) = races_of(ctx, Place::Own(0)) {
                races.leave(warp);
            }
        }
    }
    if ctx.coin() {
        finish(ctx, &copy, waits);
        return;
    }
    let list = match (waits, &mut ctx.cluster) {
        (Some(rank), Some(cluster)) => &mut cluster.peers[rank].bulk,
        _ => &mut ctx.bulk,
    };
    list.push(copy);
}

/// `cp.async.bulk.prefetch`: checks the alignment of `c` bytes at `b`, and does nothing else.
pub(crate) unsafe fn prefetch(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: `b` is a 64-bit register, and `c` is a 32-bit register.
    let (from, count) = unsafe { (*ctx.at::<[u64; LANES]>(op.b), *ctx.at::<[u32; LANES]>(op.c)) };
    each(mask, |i| {
        let (lane, bytes) = (i as u32, u64::from(count[i]));
        if ctx.fault.is_none() && aligned(ctx, lane, "source", from[i], name(0, from[i])) {
            aligned(ctx, lane, "size", bytes, format!("of {bytes} bytes"));
        }
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// `cp.async.bulk.commit_group`: closes the threads' groups.
pub(crate) unsafe fn commit(ctx: &mut Ctx<'_>, _: &Op, mask: u32) -> Flow {
    let warp = ctx.warp;
    for copy in &mut ctx.bulk {
        if let End::Group(age) = &mut copy.end
            && copy.thread / 32 == warp
            && mask >> (copy.thread % 32) & 1 != 0
        {
            *age += 1;
        }
    }
    Flow::Next
}

/// `cp.async.bulk.wait_group`: completes all but the `imm` newest groups of each thread.
pub(crate) unsafe fn wait_group(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let (warp, most) = (ctx.warp, op.imm);
    finish_all(ctx, |copy| match copy.end {
        End::Group(age) => {
            copy.thread / 32 == warp && mask >> (copy.thread % 32) & 1 != 0 && u64::from(age) > most
        }
        End::Barrier(_) => false,
    });
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// Executes the copies that count on the mbarrier at this offset in shared memory. May set
/// `ctx.fault`.
pub(crate) fn finish_barrier(ctx: &mut Ctx<'_>, offset: u64) {
    finish_all(ctx, |copy| copy.end == End::Barrier(offset));
}

/// Executes the block's remaining copies, and those of other blocks that access its memory. May set
/// `ctx.fault`.
pub(crate) fn finish_block(ctx: &mut Ctx<'_>) {
    finish_all(ctx, |_| true);
    let Some(cluster) = &mut ctx.cluster else {
        return;
    };
    let own = cluster.rank;
    let mut rest = Vec::new();
    for (rank, peer) in cluster.peers.iter_mut().enumerate() {
        let of_own = |copy: &mut Bulk| copy.issuer == Some(own);
        rest.extend(peer.bulk.extract_if(.., of_own).map(|copy| (rank, copy)));
    }
    for (rank, copy) in rest {
        finish(ctx, &copy, Some(rank));
        if let Some(trouble) = &mut ctx.fault {
            trouble.at = Some((copy.thread / 32, copy.pc));
            return;
        }
    }
}

/// Executes the selected copies in the order of their issue, up to a fault.
fn finish_all(ctx: &mut Ctx<'_>, chosen: impl Fn(&Bulk) -> bool) {
    let mut n = 0;
    while n < ctx.bulk.len() && ctx.fault.is_none() {
        if chosen(&ctx.bulk[n]) {
            let copy = ctx.bulk.remove(n);
            finish(ctx, &copy, None);
            if let Some(trouble) = &mut ctx.fault {
                trouble.at = Some((copy.thread / 32, copy.pc));
            }
        } else {
            n += 1;
        }
    }
}

/// Executes a copy and signals its completion to the running block or to the one with rank `waits`.
/// May set `ctx.fault`.
fn finish(ctx: &mut Ctx<'_>, copy: &Bulk, waits: Option<usize>) {
    // The race check attributes the accesses to the thread that issued the copy.
    let running = (ctx.warp, ctx.pc);
    (ctx.warp, ctx.pc) = (copy.thread / 32, copy.pc + 1);
    execute(ctx, copy, waits);
    (ctx.warp, ctx.pc) = running;
}

fn execute(ctx: &mut Ctx<'_>, copy: &Bulk, waits: Option<usize>) {
    let lane = copy.thread % 32;
    let (source, target) = copy.direction.spaces();
    if let Some(tensor) = &copy.tensor {
        if tensor_map::transfer(ctx, copy, tensor).is_none() {
            return;
        }
    } else if copy.bytes > 0 {
        // Resolved again, since the global memory may have been freed in the meantime.
        let Some(from) = resolve_range(ctx, None, source, lane, copy.from, copy.bytes, false)
        else {
            return;
        };
        let Some(to) = resolve_range(ctx, None, target, lane, copy.to, copy.bytes, true) else {
            return;
        };
        if target == space::GLOBAL {
            check::range(ctx, target, lane, copy.to, copy.bytes, Touch::Write);
        } else {
            let place = place(ctx, copy.to);
            let (Place::Own(offset) | Place::Peer(_, offset)) = place;
            if let Some(shadow) = shadow(ctx, place) {
                shadow.written(offset, copy.bytes);
            }
        }
        for at in (0..copy.bytes).step_by(8) {
            // SAFETY: both ends were resolved for all bytes, whose number is a multiple of 16, and
            // are aligned to 16.
            unsafe { u64::load(from + at).store(to + at) };
        }
    }
    if let End::Barrier(offset) = copy.end {
        let barrier = waits.map_or(offset, |rank| absolute(offset, rank as u32));
        let place = place(ctx, barrier);
        if let Some(races) = races_of(ctx, place) {
            match copy.issuer {
                None => races.arrive(offset, copy.thread as usize / 32),
                Some(_) => races.arrive_from_peer(offset),
            }
        }
        mbarrier::complete(ctx, lane, barrier, copy.bytes);
    }
}
