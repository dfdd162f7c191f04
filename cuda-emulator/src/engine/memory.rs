//! Loads and stores: from lane addresses to host pointers, with bounds and alignment checked.

use std::mem::MaybeUninit;

use super::lanes::{each, wide};
use super::state::{Buffer, Ctx, FULL, LANES, Op};
pub(super) use super::transfer::Mem;
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

/// How an instruction reaches memory, beside its address: `c` of loads and stores, `x` of atomics. Bits 0 to 3, which
/// of [`FIND`]; 4 and 5, flags; from 8, the number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach(u32);

impl Reach {
    const STRONG: u32 = 1 << 4;
    const EXCHANGE: u32 = 1 << 5;
    const COUNT: u32 = 8;

    /// An access in this space; `narrow` for 32-bit addresses.
    pub(super) const fn new(space: u8, narrow: bool) -> Reach {
        Reach(match (space, narrow) {
            (space::SHARED, true) => 0,
            (space::SHARED, false) => 1,
            (space::LOCAL, true) => 2,
            (space::LOCAL, false) => 3,
            (space::GLOBAL, _) => 4,
            (space::PARAM, _) => 5,
            _ => 6,
        })
    }

    /// By the code for this processor.
    pub(super) fn chosen(self) -> Reach {
        Reach(self.0 | u32::from(wide()) << 3)
    }

    pub(super) const fn strong(self, strong: bool) -> Reach {
        Reach(if strong {
            self.0 | Self::STRONG
        } else {
            self.0
        })
    }

    /// An atomic that doesn't look at what was there.
    pub(super) const fn exchange(self, exchange: bool) -> Reach {
        Reach(if exchange {
            self.0 | Self::EXCHANGE
        } else {
            self.0
        })
    }

    /// A vector of so many elements.
    pub(super) const fn elements(self, count: u32) -> Reach {
        Reach(self.0 | count << Self::COUNT)
    }

    /// As it stands in an instruction.
    pub(super) const fn encode(self) -> u32 {
        self.0
    }

    /// From an instruction.
    #[inline(always)]
    pub(super) const fn decode(code: u32) -> Reach {
        Reach(code)
    }

    #[inline(always)]
    pub(super) const fn count(self) -> u32 {
        self.0 >> Self::COUNT
    }

    #[inline(always)]
    pub(super) const fn load(self) -> Touch {
        if self.0 & Self::STRONG != 0 {
            Touch::StrongRead
        } else {
            Touch::Read
        }
    }

    #[inline(always)]
    pub(super) const fn store(self) -> Touch {
        if self.0 & Self::STRONG != 0 {
            Touch::StrongWrite
        } else {
            Touch::Write
        }
    }

    #[inline(always)]
    pub(super) const fn update(self) -> Touch {
        if self.0 & Self::EXCHANGE != 0 {
            Touch::Exchange
        } else {
            Touch::Atomic
        }
    }

    /// Checks an access of `bytes` a lane; where it goes.
    ///
    /// # Safety
    /// `op` is an instruction with an address that has this reach, and its operands are the running function's.
    #[inline(always)]
    pub(super) unsafe fn find(
        self,
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
        bytes: u64,
        touch: Touch,
        hosts: &mut Hosts,
    ) -> Way {
        let find = FIND[self.0 as usize % FIND.len()];
        // SAFETY: as the caller promises; the second half of the table was chosen for the processor.
        unsafe { find(ctx, op, mask, bytes, touch, hosts) }
    }

    /// As [`find`](Reach::find), with the usual ways in place, for an instruction that is compiled for AVX2.
    ///
    /// # Safety
    /// As for [`find`](Reach::find).
    #[inline(always)]
    pub(super) unsafe fn find_fast<const W: bool>(
        self,
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
        bytes: u64,
        touch: Touch,
        hosts: &mut Hosts,
    ) -> Way {
        const NARROW: u32 = Reach::new(space::SHARED, true).0;
        const SHARED: u32 = Reach::new(space::SHARED, false).0;
        const GLOBAL: u32 = Reach::new(space::GLOBAL, false).0;
        const GENERIC: u32 = Reach::new(space::GENERIC, false).0;
        let store = touch.writes();
        // SAFETY: as the caller promises.
        unsafe {
            if W {
                let way = match self.0 & 7 {
                    kind @ (SHARED | GLOBAL | GENERIC) => {
                        let space = if kind == SHARED {
                            space::SHARED
                        } else {
                            space::GLOBAL
                        };
                        run::<u64>(ctx, op, space, mask, bytes, store)
                    }
                    NARROW => run::<u32>(ctx, op, space::SHARED, mask, bytes, store),
                    _ => None,
                };
                if let Some(way) = way {
                    return way;
                }
            }
            self.find(ctx, op, mask, bytes, touch, hosts)
        }
    }

    /// As [`find`](Reach::find), lane by lane; None with `ctx.fault` set.
    ///
    /// # Safety
    /// As for [`find`](Reach::find).
    pub(super) unsafe fn access(
        self,
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
        bytes: u64,
        touch: Touch,
    ) -> Option<Access> {
        let mut hosts = Hosts::uninit();
        // SAFETY: as the caller promises.
        unsafe {
            match self.find(ctx, op, mask, bytes, touch, &mut hosts) {
                Way::Fault => return None,
                Way::Lanes => {}
                Way::Run(host) => fill(&mut hosts, host, bytes),
                Way::Same(host) => fill(&mut hosts, host, 0),
            }
            Some(Access {
                hosts: hosts.assume_init(),
            })
        }
    }
}

/// Host pointers of all lanes; those of inactive ones may be anything.
pub(super) type Hosts = MaybeUninit<[u64; LANES]>;

/// Pointers that lie `step` bytes apart.
#[inline(always)]
pub(super) fn fill(hosts: &mut Hosts, first: u64, step: u64) {
    hosts.write(std::array::from_fn(|i| first.wrapping_add(i as u64 * step)));
}

/// Where a warp's access goes.
pub(super) enum Way {
    /// `ctx.fault` is set.
    Fault,
    /// To what is now in `hosts`.
    Lanes,
    /// Each lane's bytes follow those of the lane before; where lane 0's are, or would be.
    Run(u64),
    /// All to the same place.
    Same(u64),
}

/// The host pointers of a warp's access.
pub(super) struct Access {
    pub hosts: [u64; LANES],
}

type Find = unsafe fn(&mut Ctx<'_>, &Op, u32, u64, Touch, &mut Hosts) -> Way;

/// By [`Reach`]: for the baseline processor, then for one with AVX2.
static FIND: [Find; 16] = {
    use space::{GENERIC, GLOBAL, LOCAL, PARAM, SHARED};
    const ANY: (Find, Find) = find::<u64, GENERIC>();
    const ALL: [(Find, Find); 8] = [
        find::<u32, SHARED>(),
        find::<u64, SHARED>(),
        find::<u32, LOCAL>(),
        find::<u64, LOCAL>(),
        find::<u64, GLOBAL>(),
        find::<u64, PARAM>(),
        ANY,
        ANY,
    ];
    let mut table = [ANY.0; 16];
    let mut i = 0;
    while i < ALL.len() {
        table[i] = ALL[i].0;
        table[i + 8] = ALL[i].1;
        i += 1;
    }
    table
};

/// What an address register holds.
trait Address: Copy + Into<u64> + Eq + 'static {
    /// What each lane's address is past lane 0's, when lanes lie apart by nothing, or by the power of two that is the
    /// index minus 1.
    const STEPS: &'static [[Self; LANES]; 7];
    fn add(self, other: Self) -> Self;
    fn cut(value: u64) -> Self;
    /// What isn't as expected, if the lane counts.
    fn off(self, expected: Self, counts: bool) -> Self;
    fn or(self, other: Self) -> Self;
}

macro_rules! address {
    ($($t:ty),*) => {$(
        impl Address for $t {
            const STEPS: &'static [[$t; LANES]; 7] = &{
                let mut steps = [[0; LANES]; 7];
                let mut power = 0;
                while power < 6 {
                    let mut lane = 0;
                    while lane < LANES {
                        steps[power + 1][lane] = (lane as $t) << power;
                        lane += 1;
                    }
                    power += 1;
                }
                steps
            };
            #[inline(always)]
            fn add(self, other: $t) -> $t { self.wrapping_add(other) }
            #[inline(always)]
            fn cut(value: u64) -> $t { value as $t }
            #[inline(always)]
            fn off(self, expected: $t, counts: bool) -> $t {
                (self ^ expected) & <$t>::wrapping_sub(0, <$t>::from(counts))
            }
            #[inline(always)]
            fn or(self, other: $t) -> $t { self | other }
        }
    )*};
}

address!(u32, u64);

/// The function that finds where an access goes, for both kinds of processor. It knows nothing of the data, so that
/// there are few of it.
const fn find<A: Address, const S: u8>() -> (Find, Find) {
    #[inline(always)]
    unsafe fn body<A: Address, const S: u8>(
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
        bytes: u64,
        touch: Touch,
        hosts: &mut Hosts,
    ) -> Way {
        // SAFETY: as the caller promises.
        unsafe {
            match run::<A>(ctx, op, S, mask, bytes, touch.writes()) {
                Some(way) => way,
                None => scattered::<A, S>(ctx, op, mask, bytes, touch, hosts),
            }
        }
    }
    unsafe fn plain<A: Address, const S: u8>(
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
        bytes: u64,
        touch: Touch,
        hosts: &mut Hosts,
    ) -> Way {
        // SAFETY: as the caller promises.
        unsafe { body::<A, S>(ctx, op, mask, bytes, touch, hosts) }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
    unsafe fn avx2<A: Address, const S: u8>(
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
        bytes: u64,
        touch: Touch,
        hosts: &mut Hosts,
    ) -> Way {
        // SAFETY: as the caller promises.
        unsafe { body::<A, S>(ctx, op, mask, bytes, touch, hosts) }
    }
    #[cfg(target_arch = "x86_64")]
    return (plain::<A, S>, avx2::<A, S>);
    #[cfg(not(target_arch = "x86_64"))]
    return (plain::<A, S>, plain::<A, S>);
}

/// The way of an access whose lanes' addresses follow each other, or of a load whose addresses are the same, and that
/// lies in memory which the instruction is known to reach. None says nothing: [`scattered`] then looks at each lane.
#[inline(always)]
unsafe fn run<A: Address>(
    ctx: &Ctx<'_>,
    op: &Op,
    space: u8,
    mask: u32,
    bytes: u64,
    store: bool,
) -> Option<Way> {
    if space == space::LOCAL || space == space::PARAM || ctx.launch.checked {
        return None;
    }
    let first = mask.trailing_zeros() as usize & 31;
    let last = 31 - mask.leading_zeros() as usize & 31;
    // SAFETY: `a` is an address register by the lowering, and the mask isn't empty.
    let (low, step) = unsafe {
        let a = ctx.at::<A>(op.a);
        let (low, high) = (*a.add(first), *a.add(last));
        let before = |step: u64| A::cut(low.into().wrapping_sub(first as u64 * step));
        let mut step = bytes;
        let mut origin = before(step);
        // Most that fails fails here.
        if origin.add(A::cut(last as u64 * step)) != high {
            if store || low != high {
                return None;
            }
            step = 0;
            origin = low;
        }
        let steps = match step {
            0 => &A::STEPS[0],
            _ => A::STEPS.get_unchecked(bytes.trailing_zeros() as usize + 1),
        };
        let mut off = A::cut(0);
        // Not by for_each, whose closure would be compiled without wide registers.
        if mask == FULL {
            for i in 0..LANES {
                off = off.or((*a.add(i)).off(origin.add(steps[i]), true));
            }
        } else {
            for i in 0..LANES {
                off = off.or((*a.add(i)).off(origin.add(steps[i]), mask >> i & 1 != 0));
            }
        }
        if off != A::cut(0) {
            return None;
        }
        let low: u64 = low.into();
        let low = low.wrapping_add(op.imm);
        let low = if size_of::<A>() == 4 {
            low & 0xffff_ffff
        } else {
            low
        };
        (low, step)
    };
    let high = low.wrapping_add((last - first) as u64 * step);
    if low & (bytes - 1) != 0 || low > high {
        return None;
    }
    let way = |host: u64| {
        if step == 0 {
            Way::Same(host)
        } else {
            Way::Run(host.wrapping_sub(first as u64 * bytes))
        }
    };
    let in_shared = |low: u64, high: u64| {
        (high < ctx.shared_size && high + bytes <= ctx.shared_size)
            .then(|| way((ctx.shared as u64).wrapping_add(low)))
    };
    if space == space::SHARED {
        return in_shared(low, high);
    }
    // SAFETY: the lowering gave each memory instruction its place in the table.
    let cached = unsafe { *ctx.regions.cached(op.y) };
    if low >= cached.first && high < cached.end && (cached.writable || !store) {
        return Some(way(low));
    }
    if space == space::GENERIC && low >> 60 == SHARED_WINDOW >> 60 {
        return in_shared(low - SHARED_WINDOW, high - SHARED_WINDOW);
    }
    None
}

/// Checks each lane's address and gives the host pointers.
#[inline(always)]
unsafe fn scattered<A: Address, const S: u8>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
    bytes: u64,
    touch: Touch,
    hosts: &mut Hosts,
) -> Way {
    let store = touch.writes();
    // SAFETY: `a` is an address register by the lowering.
    unsafe {
        let a = ctx.at::<A>(op.a);
        let place = hosts.as_mut_ptr().cast::<u64>();
        for i in 0..LANES {
            place.add(i).write((*a.add(i)).into().wrapping_add(op.imm));
        }
    }
    // SAFETY: all written just now.
    let hosts = unsafe { hosts.assume_init_mut() };
    if size_of::<A>() == 4 {
        hosts.iter_mut().for_each(|h| *h &= 0xffff_ffff);
    }
    if mask != FULL {
        let first = hosts[mask.trailing_zeros() as usize & 31];
        for (i, h) in hosts.iter_mut().enumerate() {
            *h = if mask >> i & 1 != 0 { *h } else { first };
        }
    }
    let (mut low, mut high, mut bits) = (i64::MAX, i64::MIN, 0);
    for &h in hosts.iter() {
        low = low.min(h as i64);
        high = high.max(h as i64);
        bits |= h;
    }
    let (low, high) = (low as u64, high as u64);
    let aligned = bits & (bytes - 1) == 0;
    if ctx.launch.checked {
        super::check::access(ctx, op, S, mask, hosts, bytes, touch);
        if ctx.fault.is_some() {
            return Way::Fault;
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
            return Way::Lanes;
        }
        space::LOCAL
            if aligned && high < ctx.local_top && high + bytes <= ctx.local_top && low <= high =>
        {
            let (base, stride) = (ctx.local as u64, ctx.local_stride);
            for (i, h) in hosts.iter_mut().enumerate() {
                *h += base + i as u64 * stride;
            }
            return Way::Lanes;
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
                return Way::Lanes;
            }
        }
        _ => {}
    }
    if lane_by_lane(ctx, op, S, mask, hosts, bytes, store) {
        Way::Lanes
    } else {
        Way::Fault
    }
}

/// [`Reach::access`] for an instruction that has its address's width and space in its type.
///
/// # Safety
/// As for [`Reach::find`].
pub(super) unsafe fn access<A, const S: u8>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    mask: u32,
    bytes: u64,
    touch: Touch,
) -> Option<Access> {
    // SAFETY: as the caller promises.
    unsafe { Reach::new(S, size_of::<A>() == 4).access(ctx, op, mask, bytes, touch) }
}

/// Resolves each lane on its own: the first access of an instruction, mixed spaces, and faults.
#[cold]
fn lane_by_lane(
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
