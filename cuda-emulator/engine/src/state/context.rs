//! The state of execution: instructions, frames, fragments.

use crate::state::op::Flow;

use crate::state::launch::Shared;
use crate::state::regions::Regions;

/// The state that an instruction works on: the running fragment, and the memory that it can access.
pub(crate) struct Ctx<'l> {
    /// The start of each [`Area`].
    pub bases: [*mut u8; 4],
    /// Size of the frame in bytes.
    pub frame_size: u64,
    /// The next instruction.
    pub pc: u32,
    /// Lanes of the running fragment.
    pub mask: u32,
    /// Lanes of the warp that have not ended.
    pub live: u32,
    /// The nearest instruction at which another fragment waits.
    pub limit: u32,
    /// The rest of the slice, in backward branches. Polling memory costs more.
    pub budget: i32,
    /// Whether the slice executed an atomic or a volatile read. The warp may be waiting for
    /// another.
    pub polled: bool,
    /// The lanes of an event.
    pub event_mask: u32,
    pub shared: *mut u8,
    pub shared_size: u64,
    /// The generic address of the block's shared memory.
    pub shared_window: u64,
    /// Local memory of the warp's lane 0, and the distance between lanes.
    pub local: *mut u8,
    pub local_stride: u64,
    /// The lanes that have written each byte of it, for the check of uninitialized reads. Null
    /// without the check.
    pub local_written: *mut u32,
    /// The start of the frame's local variables, and the start of free stack.
    pub local_base: u64,
    pub local_top: u64,
    pub regions: Regions,
    /// Number of instructions executed.
    pub executed: u64,
    pub launch: &'l Shared<'l>,
    pub fault: Option<Box<Trouble>>,
    /// The warp's index in its block, and the block's in the grid.
    pub warp: u32,
    pub block: [u32; 3],
    /// Shadow of the block's shared memory, for checks. None without them.
    pub shadow: Option<Box<crate::state::shadow::Shadow>>,
    /// The block's pending bulk copies.
    pub bulk: Vec<crate::state::bulk::Bulk>,
    /// The cluster of the block. None if the cluster has no other block.
    pub cluster: Option<Box<crate::state::cluster::Cluster>>,
}

/// A fault whose report has not been written yet.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub kind: crate::boundary::FaultKind,
    pub lane: u32,
    /// The description, one or more lines.
    pub text: String,
    /// The warp and the instruction, unless it is the one before `pc` of the running warp.
    pub at: Option<(u32, u32)>,
}

impl Ctx<'_> {
    /// Returns a pointer to an operand.
    ///
    /// # Safety
    ///
    /// The caller must ensure that the operand was encoded for the function whose frame is loaded.
    #[inline(always)]
    pub(crate) unsafe fn at<T>(&self, operand: u32) -> *mut T {
        // SAFETY: two bits index four bases. The caller guarantees that the offset is in the area.
        unsafe {
            self.bases
                .get_unchecked((operand >> 30) as usize)
                .add((operand & 0x3fff_ffff) as usize)
                .cast()
        }
    }

    /// Returns a random bit with a seed, and false without.
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
