//! A launch by the host with all launches by its kernels: the order of the grids, and their shared
//! state.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use super::copies;
use super::errors::{self, Error};
use super::grid::{Child, Command, Grid, Origin, Work};
use crate::boundary::texture::{Surface, Texture};
use crate::boundary::{Access, Device, Fault, FaultKind, Host, NodeChange, Options, Region, Stats};
use crate::launch::pool::run_grid;
use crate::lock::Unpoisoned;
use crate::program::{Launch, Program};
use crate::state::special::thread_index;

/// Maximum number of grids with remaining work in a chain of launches, including the host's. An
/// H200 showed no limit. This one protects the process from endless recursion.
pub(super) const MAX_DEPTH: u32 = 1 << 16;
/// Chains up to this length are kept whole, for fault reports.
const WHOLE_CHAIN: usize = 1024;
/// Number of parents that a fault report names on either side of the omitted ones.
const NAMED_PARENTS: usize = 16;
/// Maximum number of waiting commands and parameter buffers of all kinds. An H200 limits only tail
/// launches. This limit protects the process.
const MOST_WAITING: u32 = 1 << 22;
/// `cudaLimitDevRuntimePendingLaunchCount`, and its default if the driver does not report it.
const PENDING_LAUNCHES: u32 = 4;
const DEFAULT_PENDING: u64 = 2048;
/// The first handle of a stream or an event. Lower numbers are predefined streams.
const FIRST_HANDLE: u64 = 0x1000;

/// State that the grids of one launch share. The grids can access its memory in addition to the
/// device's.
pub(super) struct Tree<'t> {
    device: &'t dyn Device,
    /// Counters: parameter buffers and launches, copies and fills that have not begun; the tail
    /// launches among them; existing events.
    waiting: AtomicU32,
    tails: AtomicU32,
    events: AtomicU32,
    /// Maximum number of tail launches.
    most: u32,
    handles: AtomicU64,
    /// Parameter buffers: addresses and sizes.
    memory: RwLock<BTreeMap<u64, u64>>,
}

/// Increments a counter unless it has reached its maximum.
fn take(counter: &AtomicU32, most: u32) -> bool {
    let one_more = |n: u32| (n < most).then_some(n + 1);
    counter
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
        .is_ok()
}

impl<'t> Tree<'t> {
    fn new(device: &'t dyn Device) -> Tree<'t> {
        let most = device.host().and_then(|host| host.limit(PENDING_LAUNCHES));
        let region = errors::region();
        Tree {
            device,
            waiting: AtomicU32::new(0),
            tails: AtomicU32::new(0),
            events: AtomicU32::new(0),
            most: u32::try_from(most.unwrap_or(DEFAULT_PENDING)).unwrap_or(u32::MAX),
            handles: AtomicU64::new(FIRST_HANDLE),
            memory: RwLock::new(BTreeMap::from([(region.base, region.size)])),
        }
    }

    /// Reserves the place of a command.
    pub(super) fn reserve(&self) -> Result<(), Error> {
        match take(&self.waiting, MOST_WAITING) {
            true => Ok(()),
            false => Err(Error::LaunchPendingCountExceeded),
        }
    }

    pub(super) fn release(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Reserves the place of a tail launch, in addition.
    pub(super) fn reserve_tail(&self) -> Result<(), Error> {
        match take(&self.tails, self.most) {
            true => Ok(()),
            false => Err(Error::LaunchPendingCountExceeded),
        }
    }

    pub(super) fn release_tail(&self) {
        self.tails.fetch_sub(1, Ordering::Relaxed);
    }

    /// Reserves the place of an event. There are twice as many places as for tail launches.
    pub(super) fn reserve_event(&self) -> Result<(), Error> {
        match take(&self.events, self.most.saturating_mul(2)) {
            true => Ok(()),
            false => Err(Error::MemoryAllocation),
        }
    }

    pub(super) fn release_event(&self) {
        self.events.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns a new handle.
    pub(super) fn handle(&self) -> u64 {
        self.handles.fetch_add(16, Ordering::Relaxed)
    }

    pub(super) fn add_memory(&self, base: u64, size: u64) {
        self.memory.write().unpoisoned().insert(base, size);
    }

    pub(super) fn remove_memory(&self, base: u64) {
        self.memory.write().unpoisoned().remove(&base);
    }

    fn own(&self, address: u64) -> Option<Region> {
        let memory = self.memory.read().unpoisoned();
        let (&base, &size) = memory.range(..=address).next_back()?;
        (address - base < size).then_some(Region {
            base,
            size,
            writable: base != errors::region().base,
            id: 0,
        })
    }
}

impl Device for Tree<'_> {
    fn find(&self, addr: u64) -> Option<Region> {
        self.own(addr).or_else(|| self.device.find(addr))
    }

    fn generation(&self) -> u64 {
        self.device.generation()
    }

    fn explain(&self, addr: u64, size: u32) -> String {
        match self.own(addr) {
            Some(region) => format!(
                "it is in the {} bytes at 0x{:x} in which the device runtime keeps launch parameters or texts",
                region.size, region.base
            ),
            None => self.device.explain(addr, size),
        }
    }

    fn malloc(&self, size: u64) -> u64 {
        self.device.malloc(size)
    }

    fn free(&self, addr: u64) -> bool {
        self.device.free(addr)
    }

    fn print(&self, text: &[u8]) {
        self.device.print(text);
    }

    fn note_long_run(&self, kernel: &str, elapsed: Duration, place: &str) {
        self.device.note_long_run(kernel, elapsed, place);
    }

    fn note_write(&self, addr: u64, size: u32) {
        if self.own(addr).is_none() {
            self.device.note_write(addr, size);
        }
    }

    fn note_access(&self, access: Access) {
        if self.own(access.address).is_none() {
            self.device.note_access(access);
        }
    }

    fn is_initialized(&self, addr: u64, size: u32) -> bool {
        self.own(addr).is_some() || self.device.is_initialized(addr, size)
    }

    fn texture(&self, handle: u64) -> Result<Arc<Texture>, String> {
        self.device.texture(handle)
    }

    fn surface(&self, handle: u64) -> Result<Arc<Surface>, String> {
        self.device.surface(handle)
    }

    fn host(&self) -> Option<&dyn Host> {
        self.device.host()
    }

    fn set_conditional(&self, handle: u64, value: u32) -> bool {
        self.device.set_conditional(handle, value)
    }

    fn launch_graph(&self, exec: u64, stream: u64) -> Result<u32, String> {
        self.device.launch_graph(exec, stream)
    }

    fn change_node(&self, node: u64, change: NodeChange<'_>) -> Result<bool, String> {
        self.device.change_node(node, change)
    }

    fn current_graph(&self) -> u64 {
        self.device.current_graph()
    }
}

/// A grid that has ended, and its enqueued commands.
struct Level {
    kernel: usize,
    block: [u32; 3],
    /// The commands. None once a command has run.
    commands: Vec<Option<Command>>,
    /// All commands before this index have run.
    first: usize,
    /// The thread that enqueued the running command.
    current: Option<Origin>,
}

impl Level {
    fn new(grid: &Grid<'_>, kernel: usize, block: [u32; 3]) -> Level {
        let commands = grid.take().into_iter().map(Some).collect();
        Level {
            kernel,
            block,
            commands,
            first: 0,
            current: None,
        }
    }

    /// Returns whether all commands have run.
    fn is_done(&mut self) -> bool {
        while let Some(None) = self.commands.get(self.first) {
            self.first += 1;
        }
        self.first == self.commands.len()
    }

    /// Returns whether a command that is not a tail launch may run.
    fn is_ready(&self, command: &Command) -> bool {
        !command.tail && command.after.iter().all(|&n| self.commands[n].is_none())
    }

    /// Returns the next command: in enqueue order, or any ready one with a seed. Tail launches come
    /// last.
    fn next(&mut self, random: &mut u64) -> Option<Command> {
        if self.is_done() {
            return None;
        }
        let left = || self.commands.iter().enumerate().skip(self.first);
        let mut ready = left().filter(|(_, c)| c.as_ref().is_some_and(|c| self.is_ready(c)));
        let number = if *random == 0 {
            ready.next()
        } else {
            let ready: Vec<_> = ready.collect();
            // xorshift
            *random ^= *random << 13;
            *random ^= *random >> 7;
            *random ^= *random << 17;
            let pick = *random as usize % ready.len().max(1);
            ready.get(pick).copied()
        };
        let number = number.or_else(|| left().find(|(_, c)| c.is_some()))?.0;
        let command = self.commands[number].take()?;
        self.current = Some(command.origin);
        Some(command)
    }
}

/// The chain of grids from the host's launch to the running one. An endless chain of tail launches
/// is not recursion.
struct Chain {
    levels: Vec<Level>,
    /// Number of grids that left the chain because they had no remaining work, and the length of
    /// the chain at which others may leave.
    ended: usize,
    bound: usize,
}

impl Chain {
    fn push(&mut self, level: Level) {
        if self.levels.len() >= self.bound {
            let before = self.levels.len();
            self.levels.retain_mut(|level| !level.is_done());
            self.ended += before - self.levels.len();
            self.bound = (2 * self.levels.len()).max(WHOLE_CHAIN);
        }
        self.levels.push(level);
    }

    /// Adds the chain of launching kernels to a report.
    fn explain(&self, mut fault: Fault, program: &Program) -> Fault {
        let parents = self.levels.iter().rev();
        let parents: Vec<_> = parents.filter_map(|l| Some((l, l.current?))).collect();
        for (at, (level, origin)) in parents.iter().enumerate() {
            if at == NAMED_PARENTS && parents.len() > 2 * NAMED_PARENTS {
                let more = parents.len() - 2 * NAMED_PARENTS;
                fault.report += &format!("\n  (and {more} more)");
            }
            if at >= NAMED_PARENTS && at + NAMED_PARENTS < parents.len() {
                continue;
            }
            let kernel = &program.kernels[level.kernel].name;
            let [x, y, z] = origin.block;
            let [tx, ty, tz] = thread_index(origin.thread, level.block);
            fault.report += &format!(
                "\n  enqueued by kernel {kernel}, block ({x}, {y}, {z}), thread ({tx}, {ty}, {tz}){}",
                program.place(origin.pc)
            );
        }
        if self.ended > 0 {
            fault.report += &format!("\n  ({} ended grids omitted)", self.ended);
        }
        fault
    }
}

/// Runs a launch and all launches by its kernels, to the end of the last grid.
///
/// # Errors
///
/// Returns the first [`Fault`] of any thread.
pub fn run(launch: &Launch<'_>, device: &dyn Device, options: &Options) -> Result<Stats, Fault> {
    if !launch.image.program().device_runtime {
        return run_grid(launch, device, options, None);
    }
    let started = Instant::now();
    let tree = Tree::new(device);
    let mut random = options
        .seed
        .map_or(0, |seed| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let grid = Grid::new(&tree, 1);
    let mut stats = run_grid(launch, &tree, options, Some(&grid))?;
    let mut chain = Chain {
        levels: vec![Level::new(&grid, launch.kernel, launch.shape.block)],
        ended: 0,
        bound: WHOLE_CHAIN,
    };
    drop(grid);
    while let Some(level) = chain.levels.last_mut() {
        let Some(command) = level.next(&mut random) else {
            chain.levels.pop();
            continue;
        };
        tree.release();
        if command.tail {
            tree.release_tail();
        }
        let result = match command.work {
            Work::Launch(Child { kernel, shape }, params) => {
                let child = Launch {
                    image: launch.image,
                    kernel,
                    shape,
                    params: &params,
                };
                let options = Options {
                    time_limit: options
                        .time_limit
                        .map(|t| t.saturating_sub(started.elapsed())),
                    ..options.clone()
                };
                let grid = Grid::new(&tree, chain.levels.len() as u32 + 1);
                run_grid(&child, &tree, &options, Some(&grid)).map(|more| {
                    stats.blocks += more.blocks;
                    stats.warp_instructions += more.warp_instructions;
                    chain.push(Level::new(&grid, kernel, shape.block));
                })
            }
            Work::Copy { to, from } => copies::run_copy(&tree, options, &to, &from),
            Work::Clear { to } => copies::run_clear(&tree, options, &to),
        };
        result.map_err(|fault| chain.explain(fault, launch.image.program()))?;
    }
    Ok(stats)
}

/// Returns the fault of a copy or a fill.
pub(super) fn fault(text: String) -> Fault {
    Fault {
        kind: FaultKind::IllegalAddress,
        kernel: String::new(),
        block: [0; 3],
        thread: [0; 3],
        report: text,
    }
}
