//! Loads and stores: from lane addresses to host pointers, with bounds and alignment checked.

use super::lanes::{Reg, each, wide, write, write_some};
use super::state::{Buffer, Ctx, Exec, FULL, Flow, LANES, Op};
pub(super) use super::transfer::{Mem, Widen};
use super::transfer::{copy_run, load_some, masked, store_some};
use super::{FaultKind, LOCAL_WINDOW, Region, SHARED_WINDOW};

/// Address space of an access, as a constant of the instruction's type.
pub(super) mod space {
    pub(in super::super) const GENERIC: u8 = 0;
    pub(in super::super) const GLOBAL: u8 = 1;
    pub(in super::super) const SHARED: u8 = 2;
    pub(in super::super) const LOCAL: u8 = 3;
    /// Parameters whose address was taken: host addresses of the frame or of the launch's buffer.
    pub(in super::super) const PARAM: u8 = 4;
}

/// The region that an instruction hit last: its first address, and the first at which its access no longer fits. All
/// zeros fit nothing.
#[derive(Clone, Copy)]
struct Cached {
    first: u64,
    end: u64,
    writable: bool,
}

/// What a worker remembers of [`Device::find`](super::Device::find).
pub(super) struct Regions {
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
    pub(super) fn new(instructions: usize, fixed: Vec<Region>, generation: u64) -> Regions {
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
    fn cached(&self, instruction: u32) -> *mut Cached {
        debug_assert!((instruction as usize) < self.instructions);
        // SAFETY: the lowering numbers memory instructions from 0 to `instructions`.
        unsafe { self.cached.ptr().cast::<Cached>().add(instruction as usize) }
    }

    /// Forgets everything if something was freed.
    pub(super) fn refresh(&mut self, generation: u64) {
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
pub(super) enum Touch {
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
    pub(super) fn reads(self) -> bool {
        matches!(self, Touch::Read | Touch::StrongRead | Touch::Atomic)
    }

    pub(super) fn writes(self) -> bool {
        !matches!(self, Touch::Read | Touch::StrongRead)
    }

    /// Two such accesses don't race with each other.
    pub(super) fn strong(self) -> bool {
        !matches!(self, Touch::Read | Touch::Write | Touch::Pending)
    }
}

/// The host pointers of a warp's access.
pub(super) struct Access {
    pub hosts: [u64; LANES],
}

/// The host address that lane 0 has, or would have, when each active lane's address lies `step` bytes behind that of
/// the lane before, and all in memory that the instruction is known to reach. None says nothing: [`access`] then looks
/// at each lane.
#[inline(always)]
pub(super) unsafe fn run<A: Reg, const S: u8>(
    ctx: &Ctx<'_>,
    op: &Op,
    mask: u32,
    bytes: u64,
    step: u64,
    store: bool,
) -> Option<u64>
where
    A::Slot: Into<u64>,
{
    if S == space::LOCAL || S == space::PARAM || ctx.launch.checked {
        return None;
    }
    let first = u64::from(mask.trailing_zeros());
    let last = u64::from(31 - mask.leading_zeros());
    // SAFETY: `a` is an address register by the lowering, and the mask isn't empty.
    let origin = unsafe {
        let a = ctx.at::<A::Slot>(op.a);
        let at = |i: usize| -> u64 { (*a.add(i)).into() };
        let origin = at(first as usize & 31).wrapping_sub(first * step);
        let off = |i: usize| at(i) ^ origin.wrapping_add(i as u64 * step);
        // Most that fails fails here.
        if off(last as usize & 31) != 0 {
            return None;
        }
        let mut steps = 0;
        // Not by for_each, whose closure would be compiled without wide registers.
        if mask == FULL {
            for i in 0..LANES {
                steps |= off(i);
            }
        } else {
            for i in 0..LANES {
                steps |= off(i) & 0u64.wrapping_sub(u64::from(mask >> i & 1));
            }
        }
        if steps != 0 {
            return None;
        }
        origin.wrapping_add(op.imm)
    };
    let low = match size_of::<A::Slot>() {
        4 => origin.wrapping_add(first * step) & 0xffff_ffff,
        _ => origin.wrapping_add(first * step),
    };
    let high = low.wrapping_add((last - first) * step);
    if low & (bytes - 1) != 0 || low > high {
        return None;
    }
    let in_shared = |offset: u64, high: u64| {
        (high < ctx.shared_size && high + bytes <= ctx.shared_size).then(|| {
            (ctx.shared as u64)
                .wrapping_add(offset)
                .wrapping_sub(first * step)
        })
    };
    if S == space::SHARED {
        return in_shared(low, high);
    }
    // SAFETY: the lowering gave each memory instruction its place in the table.
    let cached = unsafe { *ctx.regions.cached(op.y) };
    if low >= cached.first && high < cached.end && (cached.writable || !store) {
        return Some(low.wrapping_sub(first * step));
    }
    if S == space::GENERIC && low >> 60 == SHARED_WINDOW >> 60 {
        return in_shared(low - SHARED_WINDOW, high - SHARED_WINDOW);
    }
    None
}

/// Checks an access of `bytes` a lane and gives the host pointers; None with `ctx.fault` set.
#[inline(always)]
pub(super) unsafe fn access<A: Reg, const S: u8>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
    bytes: u64,
    touch: Touch,
) -> Option<Access>
where
    A::Slot: Into<u64>,
{
    let store = touch.writes();
    let mut hosts = [0u64; LANES];
    // SAFETY: `a` is an address register by the lowering.
    unsafe {
        let a = ctx.at::<A::Slot>(op.a);
        for (i, h) in hosts.iter_mut().enumerate() {
            *h = (*a.add(i)).into().wrapping_add(op.imm);
        }
    }
    if size_of::<A::Slot>() == 4 {
        hosts.iter_mut().for_each(|h| *h &= 0xffff_ffff);
    }
    if mask != FULL {
        let first = hosts[mask.trailing_zeros() as usize];
        for (i, h) in hosts.iter_mut().enumerate() {
            *h = if mask >> i & 1 != 0 { *h } else { first };
        }
    }
    let (mut low, mut high, mut bits) = (i64::MAX, i64::MIN, 0);
    for &h in &hosts {
        low = low.min(h as i64);
        high = high.max(h as i64);
        bits |= h;
    }
    let (low, high) = (low as u64, high as u64);
    let aligned = bits & (bytes - 1) == 0;
    if ctx.launch.checked {
        super::check::access::<S>(ctx, mask, &hosts, bytes, touch);
        if ctx.fault.is_some() {
            return None;
        }
    }
    match S {
        space::SHARED
            if aligned
                && high < ctx.shared_size
                && high + bytes <= ctx.shared_size
                && low <= high =>
        {
            let base = ctx.shared as u64;
            hosts.iter_mut().for_each(|h| *h = h.wrapping_add(base));
            return Some(Access { hosts });
        }
        space::LOCAL
            if aligned && high < ctx.local_top && high + bytes <= ctx.local_top && low <= high =>
        {
            let (base, stride) = (ctx.local as u64, ctx.local_stride);
            for (i, h) in hosts.iter_mut().enumerate() {
                *h += base + i as u64 * stride;
            }
            return Some(Access { hosts });
        }
        space::GLOBAL | space::GENERIC => {
            // SAFETY: the lowering gave each memory instruction its place in the table.
            let cached = unsafe { *ctx.regions.cached(op.y) };
            if low >= cached.first
                && high < cached.end
                && low <= high
                && aligned
                && (cached.writable || !store)
            {
                return Some(Access { hosts });
            }
        }
        _ => {}
    }
    // SAFETY: as here.
    unsafe { lane_by_lane(ctx, op, S, mask, &mut hosts, bytes, store) }.then_some(Access { hosts })
}

/// Resolves each lane on its own: the first access of an instruction, mixed spaces, and faults.
#[cold]
unsafe fn lane_by_lane(
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
pub(super) fn resolve(
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
pub(super) fn resolve_range(
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
pub(super) fn name(space: u8, address: u64) -> String {
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
    if ctx.launch.dynamic_shared == 0 && ctx.launch.uses_dynamic {
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

pub(super) use instructions::*;

#[allow(
    clippy::multiple_bound_locations,
    reason = "the clauses come from the macro's user"
)]
mod instructions {
    use super::*;

    macro_rules! memory_instruction {
    ($(#[$doc:meta])* $name:ident<$($g:ident : $($bound:path)|+),*> |$ctx:ident, $op:ident, $mask:ident| where [$($clause:tt)*] $body:block) => {
        $(#[$doc])*
        pub(in super::super) fn $name<$($g: $($bound +)+ 'static,)* const S: u8>() -> Exec
        where $($clause)*
        {
            #[inline(always)]
            unsafe fn body<$($g: $($bound +)+ 'static,)* const S: u8, const W: bool>($ctx: &mut Ctx<'_>, $op: &Op, $mask: u32) -> Flow
            where $($clause)*
            {
                // SAFETY: operands were encoded by the lowering for slots of these types.
                unsafe { $body }
            }
            unsafe fn plain<$($g: $($bound +)+ 'static,)* const S: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow
            where $($clause)*
            {
                // SAFETY: as the caller promises.
                unsafe { body::<$($g,)* S, false>(ctx, op, mask) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
            unsafe fn avx2<$($g: $($bound +)+ 'static,)* const S: u8>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow
            where $($clause)*
            {
                // SAFETY: as the caller promises.
                unsafe { body::<$($g,)* S, true>(ctx, op, mask) }
            }
            #[cfg(target_arch = "x86_64")]
            if wide() {
                return avx2::<$($g,)* S>;
            }
            plain::<$($g,)* S>
        }
    };
}

    memory_instruction! {
        /// `d = [a + imm]`
        load<A: Reg, T: Mem, D: Reg> |ctx, op, mask| where [A::Slot: Into<u64>, T: Widen<D>] {
            let size = size_of::<T>();
            let bytes = size as u64;
            let whole = size == size_of::<D::Slot>();
            let d = ctx.at::<D::Slot>(op.d);
            if let Some(host) = run::<A, S>(ctx, op, mask, bytes, bytes, false) {
                if whole && mask == FULL {
                    copy_run::<W>(host, d as u64, LANES * size);
                } else if whole && masked::<W>(size) {
                    load_some(host, d as u64, mask);
                } else {
                    write_some(d, mask, |i| T::load(host.wrapping_add(i as u64 * bytes)).widen().put());
                }
                return Flow::Next;
            }
            if let Some(host) = run::<A, S>(ctx, op, mask, bytes, 0, false) {
                let value = T::load(host).widen().put();
                write(d, mask, |_| value);
                return Flow::Next;
            }
            let Some(access) = access::<A, S>(ctx, op, mask, bytes, Touch::Read) else { return Flow::Fault };
            write_some(d, mask, |i| T::load(access.hosts[i]).widen().put());
            Flow::Next
        }
    }

    memory_instruction! {
        /// `{lists[x..x+c]} = [a + imm]`
        load_vector<A: Reg, T: Mem, D: Reg> |ctx, op, mask| where [A::Slot: Into<u64>, T: Widen<D>] {
            let _ = W;
            let bytes = size_of::<T>() as u64;
            let Some(access) = access::<A, S>(ctx, op, mask, bytes * u64::from(op.c), Touch::Read) else { return Flow::Fault };
            let list = ctx.launch.list(op.x, op.c);
            for (n, &d) in list.iter().enumerate() {
                let offset = n as u64 * bytes;
                write_some(ctx.at::<D::Slot>(d), mask, |i| T::load(access.hosts[i] + offset).widen().put());
            }
            Flow::Next
        }
    }

    memory_instruction! {
        /// `[a + imm] = b`
        store<A: Reg, T: Mem, D: Reg> |ctx, op, mask| where [A::Slot: Into<u64>, D: Widen<T>] {
            let size = size_of::<T>();
            let bytes = size as u64;
            let whole = size == size_of::<D::Slot>();
            let b = ctx.at::<D::Slot>(op.b);
            if let Some(host) = run::<A, S>(ctx, op, mask, bytes, bytes, true) {
                if whole && mask == FULL {
                    copy_run::<W>(b as u64, host, LANES * size);
                } else if whole && masked::<W>(size) {
                    store_some(b as u64, host, mask);
                } else {
                    each(mask, |i| D::get(*b.add(i)).widen().store(host.wrapping_add(i as u64 * bytes)));
                }
                return Flow::Next;
            }
            let Some(access) = access::<A, S>(ctx, op, mask, bytes, Touch::Write) else { return Flow::Fault };
            each(mask, |i| D::get(*b.add(i)).widen().store(access.hosts[i]));
            Flow::Next
        }
    }

    memory_instruction! {
        /// `[a + imm] = {lists[x..x+c]}`
        store_vector<A: Reg, T: Mem, D: Reg> |ctx, op, mask| where [A::Slot: Into<u64>, D: Widen<T>] {
            let _ = W;
            let bytes = size_of::<T>() as u64;
            let Some(access) = access::<A, S>(ctx, op, mask, bytes * u64::from(op.c), Touch::Write) else { return Flow::Fault };
            let list = ctx.launch.list(op.x, op.c);
            for (n, &b) in list.iter().enumerate() {
                let b = ctx.at::<D::Slot>(b);
                let offset = n as u64 * bytes;
                each(mask, |i| D::get(*b.add(i)).widen().store(access.hosts[i] + offset));
            }
            Flow::Next
        }
    }

    memory_instruction! {
        /// `d = parameter buffer [imm]`, the same for every lane.
        load_param<T: Mem, D: Reg> |ctx, op, mask| where [T: Widen<D>] {
            let value = T::load(ctx.launch.params().0 + op.imm).widen().put();
            write(ctx.at::<D::Slot>(op.d), mask, |_| value);
            let _ = (S, W);
            Flow::Next
        }
    }

    memory_instruction! {
        /// `d = [a + lane * b + imm]` in the frame: a function's parameter.
        load_frame<T: Mem, D: Reg> |ctx, op, mask| where [T: Widen<D>] {
            let a = ctx.at::<u8>(op.a) as u64 + op.imm;
            let _ = (S, W);
            write_some(ctx.at::<D::Slot>(op.d), mask, |i| T::load(a + i as u64 * u64::from(op.b)).widen().put());
            Flow::Next
        }
    }

    memory_instruction! {
        /// `[a + lane * c + imm] = b` in the frame.
        store_frame<T: Mem, D: Reg> |ctx, op, mask| where [D: Widen<T>] {
            let a = ctx.at::<u8>(op.a) as u64 + op.imm;
            let b = ctx.at::<D::Slot>(op.b);
            let _ = (S, W);
            each(mask, |i| D::get(*b.add(i)).widen().store(a + i as u64 * u64::from(op.c)));
            Flow::Next
        }
    }
}
