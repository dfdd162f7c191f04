//! What an access may do: from a lane's address to a host pointer, with bounds and alignment checked.

use crate::engine::lanes::arithmetic::each;
pub(in crate::engine) use crate::engine::memory::transfer::Mem;
use crate::engine::state::context::{Buffer, Ctx, LANES, Op};
use crate::engine::{FaultKind, LOCAL_WINDOW, Region, SHARED_WINDOW};

/// Address space of an access, as a constant of the instruction's type.
pub(in crate::engine) mod space {
    pub(in crate::engine) const GENERIC: u8 = 0;
    pub(in crate::engine) const GLOBAL: u8 = 1;
    pub(in crate::engine) const SHARED: u8 = 2;
    pub(in crate::engine) const LOCAL: u8 = 3;
    /// Parameters whose address was taken: host addresses of the frame or of the launch's buffer.
    pub(in crate::engine) const PARAM: u8 = 4;
}

/// The region that an instruction hit last: its first address, and the first at which its access no longer fits. All
/// zeros fit nothing.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Cached {
    pub first: u64,
    pub end: u64,
    pub writable: bool,
}

/// What a worker remembers of [`Device::find`](crate::engine::Device::find).
pub(in crate::engine) struct Regions {
    /// One [`Cached`] for each memory instruction; zeroed memory costs a launch nothing until it is touched.
    cached: Buffer,
    instructions: usize,
    known: Vec<Region>,
    /// Regions that don't come from the device and stay.
    fixed: usize,
    generation: u64,
}

/// Most regions remembered besides each instruction's last.
const KNOWN: usize = 32;

impl Regions {
    pub(in crate::engine) fn new(
        instructions: usize,
        fixed: Vec<Region>,
        generation: u64,
    ) -> Regions {
        Regions {
            cached: Buffer::new(instructions * size_of::<Cached>()),
            instructions,
            fixed: fixed.len(),
            known: fixed,
            generation,
        }
    }

    /// The place of an instruction.
    #[inline(always)]
    pub(in crate::engine) fn cached(&self, instruction: u32) -> *mut Cached {
        debug_assert!((instruction as usize) < self.instructions);
        // SAFETY: the lowering numbers memory instructions from 0 to `instructions`.
        unsafe { self.cached.ptr().cast::<Cached>().add(instruction as usize) }
    }

    /// Forgets everything if something was freed.
    pub(in crate::engine) fn refresh(&mut self, generation: u64) {
        if generation != self.generation {
            self.generation = generation;
            self.known.truncate(self.fixed);
            // SAFETY: the buffer has this size; zeros are valid.
            unsafe {
                std::ptr::write_bytes(
                    self.cached.ptr(),
                    0,
                    self.instructions * size_of::<Cached>(),
                )
            };
        }
    }
}

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Touch {
    Read,
    Write,
    /// A strong read or write (`relaxed`, `acquire`, `release`, `volatile`); doesn't race with its like.
    StrongRead,
    StrongWrite,
    /// Reads and writes in one step; doesn't race with its like.
    Atomic,
    /// Replaces in one step; what was there may be anything.
    Exchange,
    /// Will be written by a bulk copy.
    Pending,
}

impl Touch {
    pub(in crate::engine) fn reads(self) -> bool {
        matches!(self, Touch::Read | Touch::StrongRead | Touch::Atomic)
    }

    pub(in crate::engine) fn writes(self) -> bool {
        !matches!(self, Touch::Read | Touch::StrongRead)
    }

    /// Two such accesses don't race with each other.
    pub(in crate::engine) fn strong(self) -> bool {
        !matches!(self, Touch::Read | Touch::Write | Touch::Pending)
    }
}

/// Resolves each lane on its own: the first access of an instruction, mixed spaces, and faults.
#[cold]
pub(in crate::engine) fn lane_by_lane(
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
    // Inactive lanes must not be left with an address of another space.
    good
}

fn verb(store: bool) -> &'static str {
    if store { "write" } else { "read" }
}

/// The host pointer for one lane's access; None with `ctx.fault` set.
pub(in crate::engine) fn resolve(
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

/// As [`resolve`], for any number of bytes at any address.
pub(in crate::engine) fn resolve_range(
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

/// How a report calls an address.
pub(in crate::engine) fn name(space: u8, address: u64) -> String {
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
    let region = match ctx.regions.known.iter().find(|r| within(r)) {
        Some(region) => Some(*region),
        None => {
            let found = device.find(address).filter(|r| within(r));
            if let Some(region) = found {
                let regions = &mut ctx.regions;
                if regions.known.len() >= KNOWN {
                    let fixed = regions.fixed;
                    regions.known.truncate(fixed);
                }
                regions.known.push(region);
            }
            found
        }
    };
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
            // SAFETY: the instruction's own place.
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
