//! The shared state of a launch's workers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::context::Ctx;
use super::frame::Buffer;
use super::grid_race::GridRaces;
use super::order::Order;
use super::special::{Facts, thread_index};
use crate::boundary::{Device, Fault, Options, Region, Shape};
use crate::device_runtime;
use crate::lock::Unpoisoned;
use crate::program::{Image, Program};

/// Size of a cooperative launch's workspace in bytes. It contains its size and the barrier, in the
/// layout of cooperative groups.
pub(crate) const WORKSPACE: usize = 64;

/// The shared state of a launch's workers.
pub(crate) struct Shared<'l> {
    pub program: &'l Program,
    pub image: &'l Image,
    pub device: &'l dyn Device,
    pub options: &'l Options,
    pub kernel: usize,
    /// The kernel's function.
    pub entry: u32,
    pub shape: Shape,
    pub threads: u32,
    pub uses_dynamic: bool,
    pub shared_size: u64,
    pub local_stride: u64,
    /// Whether a check that examines every access is enabled.
    pub checked: bool,
    /// The race check's records of global memory, if that check is enabled.
    pub races: Option<Arc<GridRaces>>,
    pub facts: Facts,
    /// The grid of the device runtime, for programs that use it.
    pub runtime: Option<&'l device_runtime::Grid<'l>>,
    pub started: Instant,
    pub params: Buffer,
    pub workspace: Option<Buffer>,
    pub params_size: u64,
    /// Blocks per cluster.
    pub cluster: [u32; 3],
    pub cluster_blocks: u32,
    /// Whether blocks must know their cluster's index.
    pub names_clusters: bool,
    /// Number of blocks or clusters that are started individually.
    pub units: u64,
    pub resident: usize,
    pub next: AtomicU64,
    pub finished: AtomicU64,
    pub executed: AtomicU64,
    pub stop: AtomicBool,
    pub late: AtomicBool,
    /// Whether the device has received the note that the launch takes long.
    pub noticed: AtomicBool,
    pub fault: Mutex<Option<Fault>>,
    pub order: Order,
}

impl<'l> Shared<'l> {
    /// Returns the address and size of the parameter buffer.
    #[inline(always)]
    pub(crate) fn params(&self) -> (u64, u64) {
        (self.params.ptr() as u64, self.params_size)
    }

    /// Returns memory that kernels may access and that is not part of the device.
    pub(crate) fn own_regions(&self) -> Vec<Region> {
        let params = Region {
            base: self.params.ptr() as u64,
            size: self.params_size,
            writable: false,
            id: 0,
        };
        let workspace = self.workspace.as_ref();
        let workspace = workspace.map(|w| Region {
            base: w.ptr() as u64,
            size: WORKSPACE as u64,
            writable: true,
            id: 0,
        });
        std::iter::once(params).chain(workspace).collect()
    }

    pub(crate) fn list(&self, start: u32, count: u32) -> &'l [u32] {
        &self.program.lists[start as usize..(start + count) as usize]
    }

    /// Returns the name of a thread in reports.
    pub(crate) fn thread_name(&self, thread: u32) -> String {
        let [x, y, z] = thread_index(thread, self.shape.block);
        format!("thread ({x}, {y}, {z})")
    }

    /// Returns an instruction's source as lines of a report, indented below another line.
    pub(crate) fn place_within(&self, pc: u32) -> String {
        self.program.place(pc).replace("\n  ", "\n    ")
    }

    pub(crate) fn shadowed(&self) -> bool {
        self.races.is_some() || self.options.check_uninit && self.shared_size > 0
    }

    /// Checks the clock and faults of other workers. Also drops stale regions.
    pub(crate) fn should_stop(&self, ctx: &mut Ctx<'_>) -> bool {
        ctx.regions.refresh(self.device.generation());
        if let Some(limit) = self.options.time_limit
            && self.started.elapsed() > limit
        {
            self.late.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        }
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns how long the launch has been running, if that must be noted now. Returns it to one
    /// worker only.
    pub(crate) fn takes_long(&self) -> Option<Duration> {
        let after = self.options.notice_after?;
        if self.noticed.load(Ordering::Relaxed) {
            return None;
        }
        let elapsed = self.started.elapsed();
        let first = elapsed > after && !self.noticed.swap(true, Ordering::Relaxed);
        first.then_some(elapsed)
    }

    pub(crate) fn timed_out(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }

    /// Keeps the first fault and stops all workers.
    pub(crate) fn fail(&self, fault: Fault) {
        self.fault.lock().unpoisoned().get_or_insert(fault);
        self.stop.store(true, Ordering::Relaxed);
    }
}
