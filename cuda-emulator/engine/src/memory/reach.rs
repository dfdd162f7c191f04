//! The resolution of a warp's access: the common structure of the lanes' addresses, independent of
//! the data.

use std::mem::MaybeUninit;

use crate::memory::consecutive::{Address, run};
use crate::memory::resolve::lane_by_lane;
use crate::state::context::Ctx;
use crate::state::op::wide;
use crate::state::op::{FULL, LANES, Op};
use crate::state::touch::{Touch, space};

/// The way an instruction reaches memory, besides its address: `c` of loads and stores, `x` of
/// atomics. Bits 0 to 3 are an index in [`FIND`], bits 4 and 5 are flags, and bits from 8 on are
/// the number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach(u32);

impl Reach {
    const STRONG: u32 = 1 << 4;
    const EXCHANGE: u32 = 1 << 5;
    const COUNT: u32 = 8;

    /// An access in this space. `narrow` means 32-bit addresses.
    pub(crate) const fn new(space: u8, narrow: bool) -> Reach {
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

    /// Selects the code for this processor.
    pub(crate) fn chosen(self) -> Reach {
        Reach(self.0 | u32::from(wide()) << 3)
    }

    pub(crate) const fn strong(self, strong: bool) -> Reach {
        Reach(if strong {
            self.0 | Self::STRONG
        } else {
            self.0
        })
    }

    /// An atomic that ignores the old value.
    pub(crate) const fn exchange(self, exchange: bool) -> Reach {
        Reach(if exchange {
            self.0 | Self::EXCHANGE
        } else {
            self.0
        })
    }

    /// A vector with this number of elements.
    pub(crate) const fn elements(self, count: u32) -> Reach {
        Reach(self.0 | count << Self::COUNT)
    }

    /// Returns the text for a listing: the space and the flags.
    pub(crate) fn name(self) -> String {
        const SPACES: [&str; 7] = [
            "shared (32-bit address)",
            "shared",
            "local (32-bit address)",
            "local",
            "global",
            "parameters",
            "generic",
        ];
        let mut out = SPACES[(self.0 as usize & 7) % SPACES.len()].to_string();
        if self.0 & Self::STRONG != 0 {
            out += " strong";
        }
        if self.count() > 1 {
            out += &format!(" x{}", self.count());
        }
        out
    }

    /// Encodes the value for an instruction.
    pub(crate) const fn encode(self) -> u32 {
        self.0
    }

    /// Decodes the value of an instruction.
    #[inline(always)]
    pub(crate) const fn decode(code: u32) -> Reach {
        Reach(code)
    }

    #[inline(always)]
    pub(crate) const fn count(self) -> u32 {
        self.0 >> Self::COUNT
    }

    #[inline(always)]
    pub(crate) const fn load(self) -> Touch {
        if self.0 & Self::STRONG != 0 {
            Touch::StrongRead
        } else {
            Touch::Read
        }
    }

    #[inline(always)]
    pub(crate) const fn store(self) -> Touch {
        if self.0 & Self::STRONG != 0 {
            Touch::StrongWrite
        } else {
            Touch::Write
        }
    }

    #[inline(always)]
    pub(crate) const fn update(self) -> Touch {
        if self.0 & Self::EXCHANGE != 0 {
            Touch::Exchange
        } else {
            Touch::Atomic
        }
    }

    /// Checks an access of `bytes` per lane. Returns its destination.
    ///
    /// # Safety
    ///
    /// The caller must ensure that `op` is an instruction whose address has this reach, and that
    /// its operands belong to the running function.
    #[inline(always)]
    pub(crate) unsafe fn find(
        self,
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
        bytes: u64,
        touch: Touch,
        hosts: &mut Hosts,
    ) -> Way {
        let find = FIND[self.0 as usize % FIND.len()];
        // SAFETY: guaranteed by the caller. The second half of the table was chosen for the
        // processor.
        unsafe { find(ctx, op, mask, bytes, touch, hosts) }
    }

    /// The same as [`find`](Reach::find) with the common cases inlined, for an instruction that is
    /// compiled for AVX2.
    ///
    /// # Safety
    ///
    /// The caller must meet the conditions of [`find`](Reach::find).
    #[inline(always)]
    pub(crate) unsafe fn find_fast<const W: bool>(
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
        // SAFETY: guaranteed by the caller.
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

    /// The same as [`find`](Reach::find), lane by lane. Returns None with `ctx.fault` set on a
    /// fault.
    ///
    /// # Safety
    ///
    /// The caller must meet the conditions of [`find`](Reach::find).
    pub(crate) unsafe fn access(
        self,
        ctx: &mut Ctx<'_>,
        op: &Op,
        mask: u32,
        bytes: u64,
        touch: Touch,
    ) -> Option<Access> {
        let mut hosts = Hosts::uninit();
        // SAFETY: guaranteed by the caller.
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

/// Host pointers of all lanes. Those of inactive lanes are arbitrary.
pub(crate) type Hosts = MaybeUninit<[u64; LANES]>;

/// Fills in pointers with a distance of `step` bytes.
#[inline(always)]
pub(crate) fn fill(hosts: &mut Hosts, first: u64, step: u64) {
    hosts.write(std::array::from_fn(|i| first.wrapping_add(i as u64 * step)));
}

/// The destination of a warp's access.
pub(crate) enum Way {
    /// `ctx.fault` is set.
    Fault,
    /// The pointers in `hosts`.
    Lanes,
    /// Each lane's bytes follow those of the previous lane. The value is lane 0's address, even if
    /// lane 0 is inactive.
    Run(u64),
    /// The same address for all lanes.
    Same(u64),
}

/// The host pointers of a warp's access.
pub(crate) struct Access {
    pub hosts: [u64; LANES],
}

type Find = unsafe fn(&mut Ctx<'_>, &Op, u32, u64, Touch, &mut Hosts) -> Way;

/// Indexed by [`Reach`]: functions for the baseline processor, then for one with AVX2.
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

/// Returns the functions that resolve an access, for both kinds of processor. They are independent
/// of the data, so that few are needed.
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
        // SAFETY: guaranteed by the caller.
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
        // SAFETY: guaranteed by the caller.
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
        // SAFETY: guaranteed by the caller.
        unsafe { body::<A, S>(ctx, op, mask, bytes, touch, hosts) }
    }
    #[cfg(target_arch = "x86_64")]
    return (plain::<A, S>, avx2::<A, S>);
    #[cfg(not(target_arch = "x86_64"))]
    return (plain::<A, S>, plain::<A, S>);
}

/// Checks each lane's address and computes the host pointers.
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
    // SAFETY: `a` is an address register, as lowered.
    unsafe {
        let a = ctx.at::<A>(op.a);
        let place = hosts.as_mut_ptr().cast::<u64>();
        for i in 0..LANES {
            place.add(i).write((*a.add(i)).into().wrapping_add(op.imm));
        }
    }
    // SAFETY: all elements were written just now.
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
        crate::memory::check::access(ctx, op, S, mask, hosts, bytes, touch);
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
            // SAFETY: the lowering gave each memory instruction an index in the table.
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
