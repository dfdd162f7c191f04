//! Checks of a lane's access: from the address to a host pointer, with bounds and alignment
//! checked.

use crate::boundary::{FaultKind, LOCAL_WINDOW, Region, SHARED_WINDOW};
use crate::memory::cluster;
pub(crate) use crate::memory::transfer::Mem;
use crate::state::context::Ctx;
use crate::state::op::each;
use crate::state::op::{LANES, Op};
use crate::state::regions::Cached;
use crate::state::touch::space;

/// Resolves each lane separately. Needed for the first access of an instruction, mixed spaces, and
/// faults.
#[cold]
pub(crate) fn lane_by_lane(
    ctx: &mut Ctx<'_>,
    op: &Op,
    space: u8,
    mask: u32,
    hosts: &mut [u64; LANES],
    bytes: u64,
    store: bool,
) -> bool {
    let mut good = true;
    each(mask, |lane| {
        if good {
            match resolve(
                ctx,
                Some(op.y),
                space,
                lane as u32,
                hosts[lane],
                bytes,
                store,
            ) {
                Some(host) => hosts[lane] = host,
                None => good = false,
            }
        }
    });
    // Inactive lanes must not keep an address of another space.
    good
}

fn verb(store: bool) -> &'static str {
    if store { "write" } else { "read" }
}

/// Returns the host pointer for one lane's access. None with `ctx.fault` set on a fault.
pub(crate) fn resolve(
    ctx: &mut Ctx<'_>,
    cache: Option<u32>,
    space: u8,
    lane: u32,
    address: u64,
    bytes: u64,
    store: bool,
) -> Option<u64> {
    if address & (bytes - 1) != 0 {
        let text = format!(
            "misaligned {} of {bytes} bytes at {}: the address must be a multiple of {bytes}",
            verb(store),
            name(space, address)
        );
        ctx.fail(FaultKind::MisalignedAddress, lane, text);
        return None;
    }
    resolve_range(ctx, cache, space, lane, address, bytes, store)
}

/// The same as [`resolve`], for any number of bytes at any address.
pub(crate) fn resolve_range(
    ctx: &mut Ctx<'_>,
    cache: Option<u32>,
    space: u8,
    lane: u32,
    address: u64,
    bytes: u64,
    store: bool,
) -> Option<u64> {
    match space {
        space::SHARED => shared(ctx, lane, address, bytes, store),
        space::LOCAL => local(ctx, lane, address, bytes, store),
        space::PARAM => {
            let fits = |base: u64, size: u64| {
                address >= base && address - base < size && size - (address - base) >= bytes
            };
            let params = ctx.launch.params();
            if fits(params.0, params.1) && !store || fits(ctx.bases[0] as u64, ctx.frame_size) {
                return Some(address);
            }
            let text = format!(
                "{} of {bytes} bytes at 0x{address:x}, outside the function's parameters",
                verb(store)
            );
            ctx.fail(FaultKind::IllegalAddress, lane, text);
            None
        }
        space::GENERIC if address >> 60 == SHARED_WINDOW >> 60 => {
            shared(ctx, lane, address - SHARED_WINDOW, bytes, store)
        }
        space::GENERIC if address >> 60 == LOCAL_WINDOW >> 60 => {
            local(ctx, lane, address - LOCAL_WINDOW, bytes, store)
        }
        _ => global(ctx, cache, lane, address, bytes, store),
    }
}

/// Returns the name of an address in reports.
pub(crate) fn name(space: u8, address: u64) -> String {
    match space {
        space::SHARED => format!("shared address 0x{address:x}"),
        space::LOCAL => format!("local address 0x{address:x}"),
        space::GENERIC if address >> 60 == SHARED_WINDOW >> 60 => {
            format!("shared address 0x{:x}", address - SHARED_WINDOW)
        }
        space::GENERIC if address >> 60 == LOCAL_WINDOW >> 60 => {
            format!("local address 0x{:x}", address - LOCAL_WINDOW)
        }
        _ => format!("0x{address:x}"),
    }
}

fn shared(ctx: &mut Ctx<'_>, lane: u32, offset: u64, bytes: u64, store: bool) -> Option<u64> {
    if offset < ctx.shared_size && ctx.shared_size - offset >= bytes {
        return Some(ctx.shared as u64 + offset);
    }
    let peer = cluster::resolve(ctx, lane, offset, bytes, verb(store));
    if peer.is_some() || ctx.fault.is_some() {
        return peer;
    }
    let size = ctx.shared_size;
    let mut text = format!(
        "{} of {bytes} bytes at shared address 0x{offset:x}, ",
        verb(store)
    );
    if size == 0 {
        text += "but the block has no shared memory";
    } else {
        text += &format!(
            "{} bytes past the end of the block's {size} bytes of shared memory",
            offset.saturating_add(bytes) - size
        );
    }
    if ctx.launch.shape.dynamic_shared == 0 && ctx.launch.uses_dynamic {
        text += " (the launch asked for no dynamic shared memory, but the kernel uses it)";
    }
    ctx.fail(FaultKind::IllegalAddress, lane, text);
    None
}

fn local(ctx: &mut Ctx<'_>, lane: u32, offset: u64, bytes: u64, store: bool) -> Option<u64> {
    if offset < ctx.local_top && ctx.local_top - offset >= bytes {
        return Some(ctx.local as u64 + u64::from(lane) * ctx.local_stride + offset);
    }
    let text = format!(
        "{} of {bytes} bytes at local address 0x{offset:x}, outside the {} bytes of the thread's local memory in use",
        verb(store),
        ctx.local_top
    );
    ctx.fail(FaultKind::IllegalAddress, lane, text);
    None
}

fn global(
    ctx: &mut Ctx<'_>,
    cache: Option<u32>,
    lane: u32,
    address: u64,
    bytes: u64,
    store: bool,
) -> Option<u64> {
    let device = ctx.launch.device;
    let within = |r: &Region| address >= r.base && address - r.base < r.size;
    let region = ctx.regions.find(within).or_else(|| {
        let found = device.find(address).filter(|r| within(r))?;
        ctx.regions.remember(found);
        Some(found)
    });
    if let Some(region) = region
        && region.size - (address - region.base) >= bytes
    {
        if store && !region.writable {
            let text = format!(
                "write of {bytes} bytes at 0x{address:x}, which is read-only\n{}",
                device.explain(address, bytes as u32)
            );
            ctx.fail(FaultKind::IllegalAddress, lane, text);
            return None;
        }
        if let Some(cache) = cache {
            let place = Cached {
                first: region.base,
                end: region.base + region.size - bytes + 1,
                writable: region.writable,
            };
            // SAFETY: this is the instruction's own entry.
            unsafe { ctx.regions.cached(cache).write(place) };
        }
        return Some(address);
    }
    let text = format!(
        "{} of {bytes} bytes at 0x{address:x}\n{}",
        verb(store),
        device.explain(address, bytes as u32)
    );
    ctx.fail(FaultKind::IllegalAddress, lane, text);
    None
}
