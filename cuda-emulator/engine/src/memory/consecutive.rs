//! Accesses whose lanes' addresses are consecutive or all equal.

use crate::boundary::SHARED_WINDOW;
use crate::memory::reach::Way;
use crate::state::context::Ctx;
use crate::state::op::{FULL, LANES, Op};
use crate::state::touch::space;

/// The type of an address register.
pub(crate) trait Address: Copy + Into<u64> + Eq + 'static {
    /// Each lane's offset from lane 0, for seven distances between neighboring lanes. The distance
    /// is 0 at index 0, and 2^(i − 1) at any other index i.
    const STEPS: &'static [[Self; LANES]; 7];
    fn add(self, other: Self) -> Self;
    fn cut(value: u64) -> Self;
    /// Returns the difference from the expected value, or zero if the lane is inactive.
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

/// The fast path of an access whose lanes' addresses are consecutive, or of a load with equal
/// addresses, in memory that the instruction is known to reach. If it returns None, [`scattered`]
/// checks each lane.
#[inline(always)]
pub(crate) unsafe fn run<A: Address>(
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
    let last = (31 - mask.leading_zeros() as usize) & 31;
    // SAFETY: `a` is an address register, as lowered, and the mask is not empty.
    let (low, step) = unsafe {
        let a = ctx.at::<A>(op.a);
        let (low, high) = (*a.add(first), *a.add(last));
        let before = |step: u64| A::cut(low.into().wrapping_sub(first as u64 * step));
        let mut step = bytes;
        let mut origin = before(step);
        // Most failures are found here.
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
        // Not with for_each, whose closure would be compiled without wide registers.
        if mask == FULL {
            for (i, &step) in steps.iter().enumerate() {
                off = off.or((*a.add(i)).off(origin.add(step), true));
            }
        } else {
            for (i, &step) in steps.iter().enumerate() {
                off = off.or((*a.add(i)).off(origin.add(step), mask >> i & 1 != 0));
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
    // SAFETY: the lowering gave each memory instruction an index in the table.
    let cached = unsafe { *ctx.regions.cached(op.y) };
    if low >= cached.first && high < cached.end && (cached.writable || !store) {
        return Some(way(low));
    }
    if space == space::GENERIC && low >> 60 == SHARED_WINDOW >> 60 {
        // In a cluster, addresses below this window belong to other blocks.
        let window = ctx.shared_window;
        if low < window {
            return None;
        }
        return in_shared(low - window, high - window);
    }
    None
}
