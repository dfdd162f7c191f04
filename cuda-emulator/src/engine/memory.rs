//! Loads and stores: from lane addresses to host pointers, with bounds and alignment checked.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::lanes::{Reg, each, wide, write, write_some};
use super::state::{Buffer, Ctx, Exec, FULL, Flow, LANES, Op};
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
    /// Reads and writes in one step; doesn't race with its like.
    Atomic,
    /// Replaces in one step; what was there may be anything.
    Exchange,
    /// Will be written by a bulk copy.
    Pending,
}

impl Touch {
    pub(super) fn reads(self) -> bool {
        matches!(self, Touch::Read | Touch::Atomic)
    }

    pub(super) fn writes(self) -> bool {
        self != Touch::Read
    }

    pub(super) fn atomic(self) -> bool {
        matches!(self, Touch::Atomic | Touch::Exchange)
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

/// A value as it lies in memory. Accesses are relaxed atomics, since other threads may access the same bytes.
pub(super) trait Mem: Copy {
    unsafe fn load(at: u64) -> Self;
    unsafe fn store(self, at: u64);
}

macro_rules! mem {
    ($($t:ty, $u:ty, $atomic:ty;)*) => {$(
        impl Mem for $t {
            #[inline(always)]
            unsafe fn load(at: u64) -> $t {
                // SAFETY: the access was checked: live memory, aligned.
                unsafe { (*(at as *const $atomic)).load(Relaxed) as $t }
            }
            #[inline(always)]
            unsafe fn store(self, at: u64) {
                // SAFETY: as in `load`.
                unsafe { (*(at as *const $atomic)).store(self as $u, Relaxed) }
            }
        }
    )*};
}

mem! {
    u8, u8, AtomicU8;
    i8, u8, AtomicU8;
    u16, u16, AtomicU16;
    i16, u16, AtomicU16;
    u32, u32, AtomicU32;
    i32, u32, AtomicU32;
    u64, u64, AtomicU64;
}

impl Mem for u128 {
    #[inline(always)]
    unsafe fn load(at: u64) -> u128 {
        // SAFETY: as the caller promises; 16 bytes are two of 8.
        unsafe { u128::from(u64::load(at)) | u128::from(u64::load(at + 8)) << 64 }
    }
    #[inline(always)]
    unsafe fn store(self, at: u64) {
        // SAFETY: as the caller promises.
        unsafe {
            (self as u64).store(at);
            ((self >> 64) as u64).store(at + 8);
        }
    }
}

/// Widens what was loaded to what the register holds.
pub(super) trait Widen<D> {
    fn widen(self) -> D;
}

macro_rules! widen {
    ($($t:ty => $($d:ty),*;)*) => {$($(
        impl Widen<$d> for $t {
            #[inline(always)]
            fn widen(self) -> $d { self as $d }
        }
    )*)*};
}

widen! {
    u8 => u32, u64;
    i8 => u32, u64;
    u16 => u32, u64;
    i16 => u32, u64;
    u32 => u8, u16, u32, u64;
    i32 => u64;
    u64 => u8, u16, u32, u64;
    u128 => u128;
}

/// Copies the elements of all lanes between memory that other threads may touch and a register: `bytes` is a multiple
/// of 128. `W` says that the processor has AVX2.
#[inline(always)]
unsafe fn copy_run<const W: bool>(from: u64, to: u64, bytes: usize) {
    // Assembly, since a racing plain copy would be undefined in Rust, and 32 single atomic loads are slower.
    #[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
    // SAFETY: as the caller promises; the code changes the named registers only.
    unsafe {
        if W {
            return copy_wide(from, to, bytes);
        }
        std::arch::asm!(
            "2:",
            "movups {a}, [{from}]",
            "movups {b}, [{from} + 16]",
            "movups {c}, [{from} + 32]",
            "movups {d}, [{from} + 48]",
            "movups [{to}], {a}",
            "movups [{to} + 16], {b}",
            "movups [{to} + 32], {c}",
            "movups [{to} + 48], {d}",
            "add {from}, 64",
            "add {to}, 64",
            "sub {n}, 64",
            "jnz 2b",
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            n = inout(reg) bytes => _,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack)
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(cuda_emulator_tsan))))]
    for i in (0..bytes as u64).step_by(4) {
        // SAFETY: both ends are valid for `bytes` and aligned to 4.
        unsafe { u32::load(from + i).store(to + i) }
    }
}

/// [`copy_run`] with wide registers. Not by the instructions above: those stall where wide registers are in use.
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn copy_wide(from: u64, to: u64, bytes: usize) {
    // SAFETY: both ends are valid for `bytes`, a multiple of 128; the code changes the named registers only.
    unsafe {
        std::arch::asm!(
            "2:",
            "vmovups {a}, [{from}]",
            "vmovups {b}, [{from} + 32]",
            "vmovups {c}, [{from} + 64]",
            "vmovups {d}, [{from} + 96]",
            "vmovups [{to}], {a}",
            "vmovups [{to} + 32], {b}",
            "vmovups [{to} + 64], {c}",
            "vmovups [{to} + 96], {d}",
            "add {from}, 128",
            "add {to}, 128",
            "sub {n}, 128",
            "jnz 2b",
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            n = inout(reg) bytes => _,
            a = out(ymm_reg) _,
            b = out(ymm_reg) _,
            c = out(ymm_reg) _,
            d = out(ymm_reg) _,
            options(nostack)
        );
    }
}

/// Whether [`load_some`] and [`store_some`] are there.
const fn masked<const W: bool>(size: usize) -> bool {
    W && size == 4 && cfg!(all(target_arch = "x86_64", not(cuda_emulator_tsan)))
}

/// How far to the left a lane's bit goes to become the sign.
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
static TO_SIGN: [u32; LANES] = {
    let mut shifts = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        shifts[lane] = 31 - lane as u32;
        lane += 1;
    }
    shifts
};

/// Copies the 4-byte elements of the lanes of the mask from memory to a register.
///
/// # Safety
/// The processor has AVX2, the memory is valid for those lanes, the register for all.
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_some(from: u64, to: u64, mask: u32) {
    // SAFETY: as the caller promises; masked-off elements of `from` aren't touched.
    unsafe {
        std::arch::asm!(
            "vmovd {all:x}, {mask:e}",
            "vpbroadcastd {all}, {all:x}",
            "2:",
            "vpsllvd {some}, {all}, [{shifts} + {n}]",
            "vpmaskmovd {new}, {some}, [{from} + {n}]",
            "vmovups {old}, [{to} + {n}]",
            "vblendvps {new}, {old}, {new}, {some}",
            "vmovups [{to} + {n}], {new}",
            "add {n}, 32",
            "cmp {n}, 128",
            "jne 2b",
            from = in(reg) from,
            to = in(reg) to,
            shifts = in(reg) &raw const TO_SIGN,
            mask = in(reg) mask,
            n = inout(reg) 0u64 => _,
            all = out(ymm_reg) _,
            some = out(ymm_reg) _,
            new = out(ymm_reg) _,
            old = out(ymm_reg) _,
            options(nostack)
        );
    }
}

/// Copies the 4-byte elements of the lanes of the mask from a register to memory.
///
/// # Safety
/// As [`load_some`].
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store_some(from: u64, to: u64, mask: u32) {
    // SAFETY: as the caller promises; masked-off elements of `to` aren't touched.
    unsafe {
        std::arch::asm!(
            "vmovd {all:x}, {mask:e}",
            "vpbroadcastd {all}, {all:x}",
            "2:",
            "vpsllvd {some}, {all}, [{shifts} + {n}]",
            "vmovups {new}, [{from} + {n}]",
            "vpmaskmovd [{to} + {n}], {some}, {new}",
            "add {n}, 32",
            "cmp {n}, 128",
            "jne 2b",
            from = in(reg) from,
            to = in(reg) to,
            shifts = in(reg) &raw const TO_SIGN,
            mask = in(reg) mask,
            n = inout(reg) 0u64 => _,
            all = out(ymm_reg) _,
            some = out(ymm_reg) _,
            new = out(ymm_reg) _,
            options(nostack)
        );
    }
}

#[cfg(not(all(target_arch = "x86_64", not(cuda_emulator_tsan))))]
unsafe fn load_some(_: u64, _: u64, _: u32) {
    unreachable!("see masked()")
}

#[cfg(not(all(target_arch = "x86_64", not(cuda_emulator_tsan))))]
unsafe fn store_some(_: u64, _: u64, _: u32) {
    unreachable!("see masked()")
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
