//! A lowered instruction, and the lanes that it runs for.

use super::context::Ctx;

/// Lanes per warp.
pub(crate) const LANES: usize = 32;
/// A mask of all lanes.
pub(crate) const FULL: u32 = u32::MAX;

/// The area of an operand, in the top two bits of an encoded operand. The rest is a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Area {
    /// The function's frame: registers, predicates, parameters.
    #[expect(dead_code, reason = "frame operands are written as plain offsets")]
    Frame = 0,
    /// The image's constants, each repeated for every lane.
    Constant = 1,
    /// Values of the warp: thread index.
    Warp = 2,
    /// Values of the block and the launch.
    Block = 3,
}

impl Area {
    /// Encodes an operand.
    pub(crate) const fn at(self, offset: u32) -> u32 {
        (self as u32) << 30 | offset
    }
}

/// The scheduler's action after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Flow {
    /// Continues with the next instruction.
    Next,
    /// Continues at `pc`.
    Jump,
    /// `event_mask` lanes jump to `op.x`, and the others continue.
    Diverge,
    /// `event_mask` lanes call with call site `op.x`.
    Call,
    /// `event_mask` lanes jump through table `op.x`, indexed by `a`.
    Switch,
    /// `event_mask` lanes return from the function.
    Return,
    /// `event_mask` lanes end.
    Exit,
    /// `event_mask` lanes arrive at a block barrier.
    Barrier,
    /// `event_mask` lanes arrive at a warp-wide operation and wait for others.
    Sync,
    /// The slice is used up, or the thread yields.
    Yield,
    /// `fault` is set.
    Fault,
}

/// The function of an instruction. Runs it for the lanes of the mask, which is never empty.
pub(crate) type Exec = unsafe fn(&mut Ctx<'_>, &Op, u32) -> Flow;

/// A lowered instruction.
#[derive(Clone, Copy)]
pub(crate) struct Op {
    pub exec: Exec,
    /// The immediate: an offset or a packed descriptor.
    pub imm: u64,
    /// The guard predicate, and the value that flips it.
    pub guard: u32,
    pub flip: u32,
    /// Destination and sources, encoded with [`Area::at`].
    pub d: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// A branch target, table index or additional operand.
    pub x: u32,
    pub y: u32,
}

/// Calls `f(lane)` for each lane of the mask.
#[inline(always)]
pub(crate) fn each(mask: u32, mut f: impl FnMut(usize)) {
    let mut left = mask;
    while left != 0 {
        f(left.trailing_zeros() as usize);
        left &= left - 1;
    }
}

/// Returns whether the processor supports the features for which the second version of each loop is
/// compiled.
pub(crate) fn wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("fma")
            && std::is_x86_feature_detected!("bmi1")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("popcnt")
            && std::is_x86_feature_detected!("f16c")
            // For atomics. Every processor with AVX has it.
            && std::is_x86_feature_detected!("cmpxchg16b")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// The number of the cluster's barrier, after the block's 16.
pub(crate) const CLUSTER: usize = 16;

/// The cost of polling memory, so that a polling slice ends sooner.
pub(crate) const POLL_COST: i32 = 32;
