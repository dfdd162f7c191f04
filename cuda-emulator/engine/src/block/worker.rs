//! A worker: its resident blocks with their warps, frames and memory.

use crate::program::Slice;
use crate::state::context::Ctx;
use crate::state::frame::{Buffer, Fragment, Frame, FrameId, NO_FRAME, Wait};
use crate::state::launch::Shared;
use crate::state::op::CLUSTER;
use crate::state::op::FULL;
use crate::state::order::scramble;
use crate::state::special;

/// Backward branches per slice.
const SLICE: i32 = 8192;

/// Instructions in a warp's first slice after a barrier, and in its longest short slice. Slices
/// double in between.
pub(crate) const FIRST_LEAD: u32 = 8;
pub(crate) const LAST_LEAD: u32 = 64;
/// Instructions in a warp's very first slice. With fewer, most kernels would take turns before
/// their first barrier.
const START_LEAD: u32 = 32;

/// One of a block's 16 barriers, or the cluster's.
#[derive(Clone, Copy, Default)]
pub(crate) struct BarrierState {
    /// Threads that have arrived.
    pub arrived: u32,
    /// Number of threads to wait for. 0 means all of the block.
    pub expected: u32,
    /// Number of arrived threads whose predicate is true.
    pub holds: u32,
    /// Whether some of the arrived threads use the predicates' reduction.
    pub reduces: bool,
}

/// A warp of a resident block.
pub(crate) struct Warp {
    pub fragments: Vec<Fragment>,
    /// Lanes that have a thread, and of those the ones that have not ended.
    pub present: u32,
    pub live: u32,
    pub area: Buffer,
    pub local: Option<Buffer>,
    /// For each byte of local memory, the lanes that have written it.
    pub local_written: Option<Buffer>,
    /// The kernel's frame, kept from block to block.
    pub frame: FrameId,
    pub turn: u32,
    /// The phase of the cluster's barrier in which each lane arrived (one bit each), and the lanes
    /// that ever arrived.
    pub cluster_phases: u32,
    pub cluster_came: u32,
    /// Whether the next pick selects a fragment by its turn instead of by its position.
    pub fair: bool,
    /// Instructions of the next slice while slices are short, then 0.
    pub lead: u32,
}

/// A resident block.
pub(crate) struct Block {
    pub index: [u32; 3],
    pub warps: Vec<Warp>,
    pub shared: Buffer,
    pub area: Buffer,
    pub barriers: [BarrierState; CLUSTER + 1],
    /// Bit set of the barriers at which threads have arrived.
    pub awaited: u32,
    /// Whether a barrier has opened in this slice.
    pub opened: bool,
    /// All ones after an odd number of phases of the cluster's barrier.
    pub cluster_phase: u32,
    /// How often the barrier of a multi-block cluster has opened, as far as this block has noticed.
    pub cluster_opened: u64,
    pub live: u32,
    pub shadow: Option<Box<crate::state::shadow::Shadow>>,
    pub bulk: Vec<crate::state::bulk::Bulk>,
}

/// The outcome of a block's slice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All threads have ended.
    Done,
    /// The block waits for other blocks, or its slice is used up.
    Waiting,
    /// No thread of the block can continue before others of its cluster do.
    Blocked,
    /// The launch must stop.
    Stop,
}

/// A host thread that runs blocks of a launch.
pub(crate) struct Worker<'l> {
    pub ctx: Ctx<'l>,
    pub launch: &'l Shared<'l>,
    pub frames: Vec<Frame>,
    /// Unused frames.
    pub spare: Vec<FrameId>,
    /// Ended blocks, kept for reuse.
    pub idle: Vec<Block>,
    pub random: u64,
    /// How often the worker has asked whether to stop.
    pub passes: u32,
}

impl<'l> Worker<'l> {
    pub(crate) fn new(launch: &'l Shared<'l>, number: usize) -> Worker<'l> {
        let image = launch.image;
        let regions = crate::state::regions::Regions::new(
            launch.program.memory_instructions as usize,
            launch.own_regions(),
            launch.device.generation(),
        );
        let null = std::ptr::null_mut();
        let ctx = Ctx {
            bases: [null, image.constants.ptr(), null, null],
            frame_size: 0,
            pc: 0,
            mask: 0,
            live: 0,
            limit: u32::MAX,
            budget: 0,
            polled: false,
            event_mask: 0,
            shared: null,
            shared_size: launch.shared_size,
            shared_window: crate::boundary::SHARED_WINDOW,
            local: null,
            local_stride: launch.local_stride,
            local_written: std::ptr::null_mut(),
            local_base: 0,
            local_top: 0,
            regions,
            executed: 0,
            launch,
            fault: None,
            warp: 0,
            block: [0; 3],
            shadow: None,
            bulk: Vec::new(),
            cluster: None,
        };
        let random = launch
            .options
            .seed
            .map_or(0, |s| scramble(s ^ (number as u64) << 32) | 1);
        Worker {
            ctx,
            launch,
            frames: Vec::new(),
            spare: Vec::new(),
            idle: Vec::new(),
            random,
            passes: 0,
        }
    }

    /// Returns the next number of the seeded sequence (xorshift).
    pub(crate) fn next_random(&mut self) -> u64 {
        let mut x = self.random;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random = x;
        x
    }

    pub(crate) fn slice(&mut self) -> i32 {
        if self.random != 0 {
            (self.next_random() % 8) as i32
        } else {
            SLICE
        }
    }

    /// Makes a block resident: its index and number, the cluster's index, the block's index in the
    /// cluster, and its rank.
    pub(crate) fn start(
        &mut self,
        index: [u32; 3],
        linear: u64,
        cluster: [u32; 3],
        within: [u32; 3],
        rank: u32,
    ) -> Block {
        let launch = self.launch;
        let mut block = match self.idle.pop() {
            Some(block) => block,
            None => self.new_block(),
        };
        block.index = index;
        block.barriers = [BarrierState::default(); CLUSTER + 1];
        block.awaited = 0;
        block.opened = false;
        block.cluster_phase = 0;
        block.cluster_opened = 0;
        block.live = launch.threads;
        block.bulk.clear();
        let sm = match &launch.options.part {
            Some(part) if !part.is_empty() => part[(linear % part.len() as u64) as usize],
            _ => (linear % u64::from(launch.options.multiprocessors.max(1))) as u32,
        };
        // SAFETY: the area has BLOCK_SIZE bytes.
        unsafe {
            special::fill_block(block.area.ptr(), block.index, sm);
            if launch.names_clusters {
                special::fill_rank(block.area.ptr(), cluster, within, rank);
            }
        }
        if let Some(shadow) = &mut block.shadow {
            shadow.reset(linear);
        }
        let entry = &launch.program.functions[launch.entry as usize];
        for warp in &mut block.warps {
            let frame = &mut self.frames[warp.frame as usize];
            frame.holders = 1;
            frame.local_top = u64::from(entry.local_size);
            if let Some(written) = &warp.local_written {
                // SAFETY: the buffer has this size.
                unsafe { std::ptr::write_bytes(written.ptr(), 0, written.size()) };
            }
            warp.live = warp.present;
            warp.fair = false;
            // Until the first barrier, the order only matters to warps that share memory.
            warp.lead = if launch.shared_size > 0 {
                START_LEAD
            } else {
                0
            };
            (warp.cluster_phases, warp.cluster_came) = (0, 0);
            warp.turn = 0;
            warp.fragments.clear();
            warp.fragments.push(Fragment {
                pc: entry.entry_pc,
                mask: warp.present,
                frame: warp.frame,
                wait: Wait::Ready,
                turn: 0,
            });
        }
        block
    }

    fn new_block(&mut self) -> Block {
        let launch = self.launch;
        let area = Buffer::new(special::BLOCK_SIZE);
        // SAFETY: the area has BLOCK_SIZE bytes.
        unsafe { special::fill_launch(area.ptr(), &launch.facts) };
        let warps = launch.threads.div_ceil(32);
        let warps = (0..warps)
            .map(|w| {
                let area = Buffer::new(special::warp::SIZE);
                // SAFETY: the area has warp::SIZE bytes.
                unsafe { special::fill_warp(area.ptr(), w, launch.shape.block) };
                let rest = launch.threads - w * 32;
                let local = (launch.local_stride > 0)
                    .then(|| Buffer::new(launch.local_stride as usize * 32));
                let local_written = (launch.local_stride > 0 && launch.options.check_uninit)
                    .then(|| Buffer::new(launch.local_stride as usize * 4));
                let frame = self.new_frame(launch.entry, NO_FRAME, 0, 0, 0, 0);
                Warp {
                    fragments: Vec::with_capacity(4),
                    present: if rest >= 32 { FULL } else { (1 << rest) - 1 },
                    live: 0,
                    area,
                    local,
                    local_written,
                    frame,
                    turn: 0,
                    cluster_phases: 0,
                    cluster_came: 0,
                    fair: false,
                    lead: 0,
                }
            })
            .collect();
        Block {
            index: [0; 3],
            warps,
            shared: Buffer::new(launch.shared_size as usize),
            area,
            barriers: [BarrierState::default(); CLUSTER + 1],
            awaited: 0,
            opened: false,
            cluster_phase: 0,
            cluster_opened: 0,
            live: 0,
            shadow: launch
                .shadowed()
                .then(|| Box::new(crate::state::shadow::Shadow::new(launch))),
            bulk: Vec::new(),
        }
    }

    /// Returns a frame for a function. Reuses a spare frame if one is large enough.
    pub(crate) fn new_frame(
        &mut self,
        function: u32,
        parent: FrameId,
        return_pc: u32,
        site: u32,
        depth: u32,
        local_base: u64,
    ) -> FrameId {
        let info = &self.launch.program.functions[function as usize];
        let size = info.frame_size as usize;
        let local_top = (local_base + u64::from(info.local_size)).next_multiple_of(16);
        let fits = self
            .spare
            .iter()
            .rposition(|&f| self.frames[f as usize].memory.size() >= size);
        let id = match fits {
            Some(at) => self.spare.swap_remove(at),
            None => {
                self.frames.push(Frame {
                    memory: Buffer::new(size),
                    function,
                    return_pc,
                    site,
                    parent,
                    depth,
                    holders: 0,
                    local_base,
                    local_top,
                });
                self.frames.len() as FrameId - 1
            }
        };
        let frame = &mut self.frames[id as usize];
        (
            frame.function,
            frame.return_pc,
            frame.site,
            frame.parent,
            frame.depth,
        ) = (function, return_pc, site, parent, depth);
        (frame.holders, frame.local_base, frame.local_top) = (1, local_base, local_top);
        id
    }

    /// Releases one reference to a frame. After the last one, also releases the frame's references
    /// to its callers.
    pub(crate) fn release(&mut self, mut id: FrameId) {
        while id != NO_FRAME {
            let frame = &mut self.frames[id as usize];
            frame.holders -= 1;
            if frame.holders > 0 {
                return;
            }
            let parent = frame.parent;
            // A kernel's frame belongs to its warp.
            if parent == NO_FRAME {
                return;
            }
            self.spare.push(id);
            id = parent;
        }
    }

    /// Copies per-lane bytes from one frame to another.
    pub(crate) fn copy_slices(
        &mut self,
        from: FrameId,
        sources: &[Slice],
        to: FrameId,
        targets: &[Slice],
        mask: u32,
    ) {
        let source = self.frames[from as usize].memory.ptr();
        let target = self.frames[to as usize].memory.ptr();
        for (s, t) in sources.iter().zip(targets) {
            let size = s.size.min(t.size) as usize;
            crate::state::op::each(mask, |lane| {
                // SAFETY: slices are within their function's frame, and the frames are distinct.
                unsafe {
                    let s = source.add(s.offset as usize + lane * s.stride as usize);
                    let t = target.add(t.offset as usize + lane * t.stride as usize);
                    std::ptr::copy_nonoverlapping(s, t, size);
                }
            });
        }
    }
}
