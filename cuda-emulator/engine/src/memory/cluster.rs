//! Shared memory of the other blocks of a cluster: addresses, conversions and checks.

use crate::boundary::{FaultKind, SHARED_WINDOW};
use crate::ir::Code;
use crate::lanes::arithmetic::{unary_imm, write};
use crate::state::cluster::{Cluster, Place, RANKS, absolute, has_rank};
use crate::state::context::Ctx;
use crate::state::op::each;
use crate::state::op::{Flow, LANES, Op};
use crate::state::race::Races;
use crate::state::shadow::Shadow;

/// Returns the block whose shared memory an address refers to.
pub(crate) fn place(ctx: &Ctx<'_>, address: u64) -> Place {
    match &ctx.cluster {
        Some(cluster) => cluster.place(address),
        None => Place::Own(address),
    }
}

/// Returns the address in the memory of the cluster's block `rank` that corresponds to `address`.
pub(crate) fn in_block(ctx: &Ctx<'_>, address: u64, rank: u32) -> u64 {
    match &ctx.cluster {
        Some(cluster) => cluster.map(address, rank),
        None if rank == 0 => address,
        None => absolute(address, rank),
    }
}

/// The same as [`place`], for a host address in the shared memory of some block of the cluster.
pub(crate) fn place_of_host(ctx: &Ctx<'_>, host: u64) -> Place {
    let own = host.wrapping_sub(ctx.shared as u64);
    match &ctx.cluster {
        Some(cluster) if own >= ctx.shared_size => cluster
            .place_of_host(host, ctx.shared_size)
            .unwrap_or(Place::Own(own)),
        _ => Place::Own(own),
    }
}

/// Returns whether a host address is in another block's shared memory.
#[inline(always)]
pub(crate) fn is_peer(ctx: &Ctx<'_>, host: u64) -> bool {
    match &ctx.cluster {
        Some(cluster) => cluster.place_of_host(host, ctx.shared_size).is_some(),
        None => false,
    }
}

/// Returns the shadow of a place's block.
pub(crate) fn shadow<'a>(ctx: &'a mut Ctx<'_>, place: Place) -> Option<&'a mut Shadow> {
    match place {
        Place::Own(_) => ctx.shadow.as_deref_mut(),
        Place::Peer(rank, _) if ctx.cluster.as_ref().is_some_and(|c| c.rank == rank) => {
            ctx.shadow.as_deref_mut()
        }
        Place::Peer(rank, _) => {
            let peer = ctx.cluster.as_mut()?.peers.get_mut(rank as usize)?;
            peer.shadow.as_deref_mut()
        }
    }
}

/// Returns the race check's state of a place's block.
pub(crate) fn races<'a>(ctx: &'a mut Ctx<'_>, place: Place) -> Option<&'a mut Races> {
    shadow(ctx, place)?.races.as_mut()
}

/// Returns the host pointer for an access past the end of the block's own shared memory, if the
/// address refers to another block. Otherwise returns None, possibly with `ctx.fault` set.
#[cold]
pub(crate) fn resolve(
    ctx: &mut Ctx<'_>,
    lane: u32,
    address: u64,
    bytes: u64,
    verb: &str,
) -> Option<u64> {
    if !has_rank(address) || address > u64::from(u32::MAX) {
        return None;
    }
    let size = ctx.shared_size;
    let cluster = ctx.cluster.as_deref()?;
    let fits = |offset: u64| offset < size && size - offset >= bytes;
    let (rank, offset) = match cluster.place(address) {
        Place::Own(offset) if fits(offset) => return Some(ctx.shared as u64 + offset),
        Place::Own(offset) => (cluster.rank, offset),
        Place::Peer(rank, offset) => (rank, offset),
    };
    let blocks = cluster.peers.len();
    let what = format!(
        "{verb} of {bytes} bytes at shared address 0x{offset:x} of block {rank} of the cluster"
    );
    let (kind, text) = match cluster.peers.get(rank as usize) {
        // The same fault kinds as on an H200.
        None => (
            if rank < RANKS {
                FaultKind::Cluster
            } else {
                FaultKind::IllegalInstruction
            },
            format!("{what}, which has {blocks} blocks, counted from 0"),
        ),
        Some(peer) if peer.live == 0 && rank != cluster.rank => (
            FaultKind::Cluster,
            format!(
                "{what}, which has ended, so its shared memory was freed\nFix: let all blocks wait for each other before one ends, \
                 by cluster.sync() or barrier.cluster"
            ),
        ),
        Some(peer) if fits(offset) => return Some(peer.memory as u64 + offset),
        Some(_) => (
            FaultKind::IllegalAddress,
            format!(
                "{what}, {} bytes past the end of its {size} bytes of shared memory",
                offset.saturating_add(bytes) - size
            ),
        ),
    };
    ctx.fail(kind, lane, text);
    None
}

/// `mapa`: `d` = the address in block `b` that corresponds to `a`. `imm` is 1 for generic
/// addresses.
pub(crate) unsafe fn map_address<T: Copy + Into<u64> + TryFrom<u64>>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
) -> Flow {
    // SAFETY: `a` and `d` are registers of this width, and `b` is a 32-bit register.
    unsafe {
        let (a, b) = (*ctx.at::<[T; LANES]>(op.a), *ctx.at::<[u32; LANES]>(op.b));
        let d = ctx.at::<T>(op.d);
        each(mask, |i| {
            let address: u64 = a[i].into();
            let window = if op.imm == 1 && size_of::<T>() == 8 {
                SHARED_WINDOW
            } else {
                0
            };
            if window != 0 && address >> 60 != window >> 60 {
                let text = format!("mapa of 0x{address:x}, which is not in shared memory");
                ctx.fail(FaultKind::IllegalAddress, i as u32, text);
                return;
            }
            let mapped = match &ctx.cluster {
                Some(_) if window != 0 => absolute(address, b[i]) + window,
                Some(cluster) => cluster.map(address, b[i]),
                None if b[i] == 0 => address,
                None => {
                    let text = format!("mapa of block {} in a cluster of one block", b[i]);
                    ctx.fail(FaultKind::IllegalAddress, i as u32, text);
                    return;
                }
            };
            // The value has at most 32 bits plus the window.
            if let Ok(mapped) = T::try_from(mapped) {
                d.add(i).write(mapped);
            }
        });
    }
    if ctx.fault.is_some() {
        Flow::Fault
    } else {
        Flow::Next
    }
}

/// `cvta.shared`: `d = a + imm`. In a cluster, the block's rank is added to addresses of its own
/// shared memory.
pub(crate) unsafe fn to_generic<const W: bool>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe {
        converted::<W>(ctx, op, mask, |cluster, a| {
            cluster.with_rank(a).wrapping_add(op.imm)
        })
    }
}

/// `cvta.to.shared`: `d = a + imm`. In a cluster, the block's rank is removed from addresses of its
/// own shared memory.
pub(crate) unsafe fn to_shared<const W: bool>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: guaranteed by the caller.
    unsafe {
        converted::<W>(ctx, op, mask, |cluster, a| {
            cluster.without_rank(a.wrapping_add(op.imm))
        })
    }
}

/// `d = a + imm` for a single block, `d = f(a)` for one in a cluster. `W` means that the processor
/// has AVX2.
#[inline(always)]
unsafe fn converted<const W: bool>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
    f: impl Fn(&Cluster, u64) -> u64,
) -> Flow {
    const ADD: Code = unary_imm(|a: u64, imm| a.wrapping_add(imm));
    let Some(cluster) = &ctx.cluster else {
        let add = if W { ADD.wide } else { ADD.plain };
        // SAFETY: it has the same operands.
        return unsafe { add(ctx, op, mask) };
    };
    // SAFETY: `a` and `d` are 64-bit registers.
    unsafe {
        let a = *ctx.at::<[u64; LANES]>(op.a);
        write(ctx.at::<u64>(op.d), mask, |i| f(cluster, a[i]));
    }
    Flow::Next
}

/// `getctarank`: `d` = the rank of the block whose shared memory `a` is in.
pub(crate) unsafe fn rank_of_address<T: Copy + Into<u64>>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
) -> Flow {
    let rank = |ctx: &Ctx<'_>, address: u64| match &ctx.cluster {
        Some(cluster) => cluster.rank_of(address & 0xffff_ffff),
        None => 0,
    };
    // SAFETY: `a` is a register of this width, and `d` is a 32-bit register.
    unsafe {
        let a = *ctx.at::<[T; LANES]>(op.a);
        write(ctx.at::<u32>(op.d), mask, |i| rank(ctx, a[i].into()));
    }
    Flow::Next
}
