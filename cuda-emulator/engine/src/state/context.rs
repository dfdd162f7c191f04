//! What executes: lowered instructions, the state that an instruction sees, frames, fragments.

use crate::state::op::Flow;

use crate::state::launch::Shared;
use crate::state::regions::Regions;

/// The state an instruction works on: the running fragment's, and what it may reach.
pub(crate) struct Ctx<'l> {
    /// Start of each [`Area`].
    pub bases: [*mut u8; 4],
    /// Bytes of the frame.
    pub frame_size: u64,
    /// The next instruction.
    pub pc: u32,
    /// Lanes of the running fragment.
    pub mask: u32,
    /// Lanes of the warp that haven't ended.
    pub live: u32,
    /// The nearest instruction where another fragment waits.
    pub limit: u32,
    /// What is left of the slice, in backward branches; polling memory costs more.
    pub budget: i32,
    /// The slice saw an atomic or a volatile read: the warp may be waiting for another.
    pub polled: bool,
    /// The lanes of an event.
    pub event_mask: u32,
    pub shared: *mut u8,
    pub shared_size: u64,
    /// The generic address of the block's shared memory.
    pub shared_window: u64,
    /// Local memory of the warp's lane 0, and the distance to the next lane's.
    pub local: *mut u8,
    pub local_stride: u64,
    /// Which lanes have written each byte of it, for the check of uninitialised reads; null without.
    pub local_written: *mut u32,
    /// Where the frame's local variables begin, and where free stack begins.
    pub local_base: u64,
    pub local_top: u64,
    pub regions: Regions,
    /// Instructions executed.
    pub executed: u64,
    pub launch: &'l Shared<'l>,
    pub fault: Option<Box<Trouble>>,
    /// The warp's index in its block, and the block's in the grid.
    pub warp: u32,
    pub block: [u32; 3],
    /// Shadow of the block's shared memory, for checks; None without.
    pub shadow: Option<Box<crate::state::shadow::Shadow>>,
    /// The block's bulk copies that aren't done.
    pub bulk: Vec<crate::state::bulk::Bulk>,
    /// The cluster that the block belongs to; None if that has no other block.
    pub cluster: Option<Box<crate::state::cluster::Cluster>>,
}

/// A fault before its report is written.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub kind: crate::boundary::FaultKind,
    pub lane: u32,
    /// What happened, one line or more.
    pub text: String,
    /// The warp and the instruction, when it isn't the one before `pc` of the running warp.
    pub at: Option<(u32, u32)>,
}

impl Ctx<'_> {
    /// Pointer to an operand.
    ///
    /// # Safety
    /// The operand was encoded for the function whose frame is loaded.
    #[inline(always)]
    pub(crate) unsafe fn at<T>(&self, operand: u32) -> *mut T {
        // SAFETY: two bits index four bases; the offset lies in the area by the caller's promise.
        unsafe {
            self.bases
                .get_unchecked((operand >> 30) as usize)
                .add((operand & 0x3fff_ffff) as usize)
                .cast()
        }
    }

    /// With a seed, either; without, false.
    pub(crate) fn coin(&self) -> bool {
        let mix = |seed: u64| (seed ^ self.executed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63;
        self.launch.options.seed.is_some_and(|seed| mix(seed) == 1)
    }

    /// Records a fault.
    #[cold]
    pub(crate) fn fail(
        &mut self,
        kind: crate::boundary::FaultKind,
        lane: u32,
        text: String,
    ) -> Flow {
        self.fault = Some(Box::new(Trouble {
            kind,
            lane,
            text,
            at: None,
        }));
        Flow::Fault
    }
}
