//! What executes: lowered instructions, the state that an instruction sees, frames, fragments.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use crate::engine::launch::pool::Shared;
use crate::engine::memory::resolve::Regions;

/// Lanes per warp.
pub(in crate::engine) const LANES: usize = 32;
/// Every lane.
pub(in crate::engine) const FULL: u32 = u32::MAX;

/// Where an operand lives: the top two bits of an encoded operand; the rest is a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(in crate::engine) enum Area {
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
    pub(in crate::engine) const fn at(self, offset: u32) -> u32 {
        (self as u32) << 30 | offset
    }
}

/// What the scheduler does after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::engine) enum Flow {
    /// Go on with the next instruction.
    Next,
    /// Go on at `pc`.
    Jump,
    /// `event_mask` lanes jump to `op.x`, the others go on.
    Diverge,
    /// `event_mask` lanes call by call site `op.x`.
    Call,
    /// `event_mask` lanes jump through table `op.x` by the index in `a`.
    Switch,
    /// `event_mask` lanes return from the function.
    Return,
    /// `event_mask` lanes end.
    Exit,
    /// `event_mask` lanes arrive at a block barrier.
    Barrier,
    /// `event_mask` lanes arrive at a warp-wide operation and wait for others.
    Sync,
    /// The slice is used up, or the thread asks to let others run.
    Yield,
    /// `fault` is set.
    Fault,
}

/// An instruction's code: runs it for the lanes of the mask, which is never empty.
pub(in crate::engine) type Exec = unsafe fn(&mut Ctx<'_>, &Op, u32) -> Flow;

/// A lowered instruction.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Op {
    pub exec: Exec,
    /// Immediate: an offset, a packed descriptor.
    pub imm: u64,
    /// The guard predicate, and what it is flipped by.
    pub guard: u32,
    pub flip: u32,
    /// Destination and sources, encoded with [`Area::at`].
    pub d: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// Branch target, table index or a further operand.
    pub x: u32,
    pub y: u32,
}

/// The state an instruction works on: the running fragment's, and what it may reach.
pub(in crate::engine) struct Ctx<'l> {
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
    pub shadow: Option<Box<crate::engine::check::access::Shadow>>,
    /// The block's bulk copies that aren't done.
    pub bulk: Vec<crate::engine::memory::bulk::Bulk>,
}

/// A fault before its report is written.
#[derive(Debug)]
pub(in crate::engine) struct Trouble {
    pub kind: crate::engine::FaultKind,
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
    pub(in crate::engine) unsafe fn at<T>(&self, operand: u32) -> *mut T {
        // SAFETY: two bits index four bases; the offset lies in the area by the caller's promise.
        unsafe {
            self.bases
                .get_unchecked((operand >> 30) as usize)
                .add((operand & 0x3fff_ffff) as usize)
                .cast()
        }
    }

    /// With a seed, either; without, false.
    pub(in crate::engine) fn coin(&self) -> bool {
        let mix = |seed: u64| (seed ^ self.executed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63;
        self.launch.options.seed.is_some_and(|seed| mix(seed) == 1)
    }

    /// Records a fault.
    #[cold]
    pub(in crate::engine) fn fail(
        &mut self,
        kind: crate::engine::FaultKind,
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

/// Memory aligned to a cache line, zeroed at first.
pub(in crate::engine) struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the buffer owns its memory.
unsafe impl Send for Buffer {}
// SAFETY: access goes through raw pointers only, whose users see to ordering.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(in crate::engine) fn new(size: usize) -> Buffer {
        let layout = Layout::from_size_align(size.max(64), 64).expect("a size below isize::MAX");
        // SAFETY: the layout's size isn't zero.
        let start = unsafe { alloc_zeroed(layout) };
        Buffer {
            start: NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout)),
            layout,
        }
    }

    pub(in crate::engine) fn ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(in crate::engine) fn size(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// Index of a frame in its worker's table.
pub(in crate::engine) type FrameId = u32;
/// No frame: the caller of a kernel.
pub(in crate::engine) const NO_FRAME: FrameId = u32::MAX;

/// One activation of a function, shared by the fragments that are in it.
pub(in crate::engine) struct Frame {
    pub memory: Buffer,
    pub function: u32,
    /// Where to go on in the caller, and the call site there.
    pub return_pc: u32,
    pub site: u32,
    pub parent: FrameId,
    pub depth: u32,
    /// Fragments and child frames that hold it.
    pub holders: u32,
    pub local_base: u64,
    pub local_top: u64,
}

/// What a fragment waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Wait {
    /// Nothing.
    Ready,
    /// Block barrier with this number.
    Barrier(u32),
    /// Other lanes at a warp-wide operation; the fragment's pc is still at it.
    Sync,
}

/// Lanes of a warp that are at the same place.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Fragment {
    pub pc: u32,
    pub mask: u32,
    pub frame: FrameId,
    pub wait: Wait,
    /// When it last gave way.
    pub turn: u32,
}
