//! Fault reports.

use std::time::Duration;

use crate::block::worker::{Block, Worker};
use crate::boundary::{Fault, FaultKind};
use crate::state::context::Trouble;
use crate::state::frame::{Fragment, Wait};
use crate::state::op::CLUSTER;
use crate::state::special::thread_index;

impl Worker<'_> {
    /// Turns `ctx.fault` into the launch's fault.
    pub(crate) fn report(&mut self, block: &Block, w: usize) {
        let unwritten = self.unwritten();
        let Some(trouble) = unwritten.or_else(|| self.ctx.fault.take()) else {
            return;
        };
        let Trouble {
            kind,
            lane,
            text,
            at,
        } = *trouble;
        let launch = self.launch;
        let (w, pc) = at.unwrap_or((w as u32, self.ctx.pc.wrapping_sub(1)));
        let thread = thread_index(w * 32 + lane, launch.shape.block);
        let kernel = &launch.program.kernels[launch.kernel].name;
        let ([bx, by, bz], [tx, ty, tz]) = (block.index, thread);
        let function = launch
            .program
            .functions
            .iter()
            .filter(|f| f.entry_pc <= pc)
            .max_by_key(|f| f.entry_pc);
        let within = match function {
            Some(f) if f.name != *kernel => format!(", in function {}", f.name),
            _ => String::new(),
        };
        let report = format!(
            "{text}\n  kernel {kernel}{within}, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz}){}",
            launch.program.place(pc)
        );
        launch.fail(Fault {
            kind,
            kernel: kernel.clone(),
            block: block.index,
            thread,
            report,
        });
    }

    /// Reports a deadlock: every thread of the block waits for another.
    pub(crate) fn deadlock(&mut self, block: &Block) {
        let cluster = self
            .ctx
            .cluster
            .as_ref()
            .map(|cluster| (cluster.arrived, cluster.live()));
        let mut text = String::from(match cluster {
            None => "deadlock: no thread of the block can continue",
            Some(_) => "deadlock: no thread of the cluster can continue. Threads of this block:",
        });
        let mut first = None;
        for (w, warp) in block.warps.iter().enumerate() {
            for f in &warp.fragments {
                let (what, pc) = match f.wait {
                    Wait::Barrier(n) => {
                        let b = block.barriers[n as usize];
                        let expected = if b.expected == 0 {
                            block.live
                        } else {
                            b.expected
                        };
                        let (mut come, mut expected) = (b.arrived, expected);
                        let name = if n as usize == CLUSTER {
                            (come, expected) = cluster.unwrap_or((come, expected));
                            "the cluster's barrier".into()
                        } else {
                            format!("barrier {n}")
                        };
                        (
                            format!("at {name}, where {come} of {expected} threads have arrived"),
                            f.pc - 1,
                        )
                    }
                    _ => (
                        "for other lanes of the warp at a warp-wide operation".into(),
                        f.pc,
                    ),
                };
                first.get_or_insert((w, f.mask.trailing_zeros(), pc));
                if text.len() < 2000 {
                    let line = self.launch.program.places[pc as usize].line;
                    text += &format!(
                        "\n  warp {w}, lanes 0x{:08x}: waits {what} (PTX line {line})",
                        f.mask
                    );
                }
            }
        }
        let (w, lane, pc) = first.unwrap_or_default();
        self.ctx.fault = Some(Box::new(Trouble {
            kind: FaultKind::Timeout,
            lane,
            text,
            at: Some((w as u32, pc)),
        }));
        self.report(block, w);
    }

    /// Reports where this block was if the time limit has stopped the launch.
    pub(crate) fn note_timeout(&mut self, block: &Block) {
        if !self.launch.timed_out() {
            return;
        }
        let Some((w, f)) = running(block) else { return };
        let limit = self.launch.options.time_limit.unwrap_or_default();
        let text = format!("the kernel ran longer than the time limit of {limit:?}");
        self.ctx.fault = Some(Box::new(Trouble {
            kind: FaultKind::Timeout,
            lane: f.mask.trailing_zeros(),
            text,
            at: Some((w as u32, f.pc)),
        }));
        self.report(block, w);
    }

    /// Passes the device a place of a thread of this block, because the launch takes long.
    #[cold]
    pub(crate) fn note_long_run(&self, block: &Block, elapsed: Duration) {
        let Some((w, f)) = running(block) else { return };
        let launch = self.launch;
        let thread = thread_index(w as u32 * 32 + f.mask.trailing_zeros(), launch.shape.block);
        let ([bx, by, bz], [tx, ty, tz]) = (block.index, thread);
        let place = format!(
            "block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz}) is at {}",
            launch.program.short_place(f.pc)
        );
        let kernel = &launch.program.kernels[launch.kernel].name;
        launch.device.note_long_run(kernel, elapsed, &place);
    }
}

/// Returns a warp's index and a fragment of it, preferably one that is not waiting.
fn running(block: &Block) -> Option<(usize, Fragment)> {
    let warps = block.warps.iter().enumerate();
    let all = warps.flat_map(|(w, warp)| warp.fragments.iter().map(move |f| (w, *f)));
    all.min_by_key(|(_, f)| f.wait != Wait::Ready)
}
