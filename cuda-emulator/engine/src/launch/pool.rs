//! A launch: the state that its workers share, and the thread pool.

use crate::state::launch::Shared;
use crate::state::launch::WORKSPACE;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Instant;

use crate::block::cluster::{ResidentCluster, Unit};
use crate::block::worker::{Block, Outcome, Worker};
use crate::boundary::{Device, Fault, FaultKind, Options, Shape, Stats};
use crate::device_runtime;
use crate::lock::Unpoisoned;
use crate::program::{Launch, Program};
use crate::state::cluster;
use crate::state::frame::Buffer;
use crate::state::grid_race::GridRaces;
use crate::state::order::Order;
use crate::state::special::Facts;

const MAX_CLUSTER: u64 = cluster::MOST as u64;

impl Shared<'_> {
    /// Returns the next block or cluster to start.
    fn take(&self) -> Option<u64> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        if n >= self.units {
            return None;
        }
        Some(self.order.nth(n, self.units))
    }

    /// Runs blocks on this thread until none are left.
    fn work(&self, number: usize) {
        match self.cluster_blocks {
            1 => self.work_on::<Block>(number),
            _ => self.work_on::<ResidentCluster>(number),
        }
    }

    fn work_on<U: Unit>(&self, number: usize) {
        // A worker lives no longer than this call, during which `self` is borrowed.
        let mut worker = Worker::new(self, number);
        let mut resident = VecDeque::new();
        let mut exhausted = false;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            // Start a new block if there is none, or if all resident ones are waiting and may be
            // waiting for it.
            let mut unit = match resident.pop_front() {
                Some(unit) => unit,
                None if exhausted => break,
                None => match self.take() {
                    Some(number) => U::begin(&mut worker, number),
                    None => break,
                },
            };
            match unit.run(&mut worker) {
                Outcome::Done => {
                    unit.retire(&mut worker);
                    let blocks = u64::from(self.cluster_blocks);
                    self.finished.fetch_add(blocks, Ordering::Relaxed);
                }
                Outcome::Stop => break,
                // A single block that cannot continue is a deadlock, which stops the launch.
                Outcome::Waiting | Outcome::Blocked => {
                    resident.push_back(unit);
                    // The block it waits for may be on a worker that currently has no core.
                    if worker.ctx.polled {
                        std::thread::yield_now();
                    }
                    if !exhausted && resident.len() < self.resident {
                        match self.take() {
                            Some(number) => resident.push_front(U::begin(&mut worker, number)),
                            None => exhausted = true,
                        }
                    }
                }
            }
        }
        self.executed
            .fetch_add(worker.ctx.executed, Ordering::Relaxed);
    }
}

/// Runs one grid to its end, on the calling thread and the engine's workers.
///
/// # Errors
///
/// Returns the first [`Fault`] of any thread. The other threads stop as soon as they notice it.
pub(crate) fn run_grid(
    launch: &Launch<'_>,
    device: &dyn Device,
    options: &Options,
    runtime: Option<&device_runtime::Grid<'_>>,
) -> Result<Stats, Fault> {
    let program: &Program = launch.image.program();
    let invalid = |text: String| Fault {
        kind: FaultKind::InvalidLaunch,
        kernel: program
            .kernels
            .get(launch.kernel)
            .map_or(String::new(), |k| k.name.clone()),
        block: [0; 3],
        thread: [0; 3],
        report: text,
    };
    let Some(info) = program.kernels.get(launch.kernel) else {
        return Err(invalid(format!(
            "the program has no kernel with index {}",
            launch.kernel
        )));
    };
    let threads = launch
        .shape
        .block
        .iter()
        .try_fold(1u32, |a, &b| a.checked_mul(b))
        .filter(|&t| t > 0 && t <= 1024);
    let Some(threads) = threads else {
        return Err(invalid(format!(
            "a block of {:?} threads: a block must have 1 to 1024 threads",
            launch.shape.block
        )));
    };
    let blocks = launch
        .shape
        .grid
        .iter()
        .try_fold(1u64, |a, &b| a.checked_mul(u64::from(b)))
        .filter(|&b| b > 0);
    let Some(blocks) = blocks else {
        return Err(invalid(format!(
            "a grid of {:?} blocks: a grid must have 1 to 2^64 - 1 blocks",
            launch.shape.grid
        )));
    };
    let shape = Shape {
        cluster: launch.shape.cluster.or(info.required_cluster),
        ..launch.shape
    };
    let sides = shape.cluster.unwrap_or([1; 3]);
    let divides =
        |axis: usize| sides[axis] > 0 && launch.shape.grid[axis].is_multiple_of(sides[axis]);
    let cluster_blocks = sides.iter().map(|&n| u64::from(n)).product::<u64>();
    if !(0..3).all(divides) || cluster_blocks > MAX_CLUSTER {
        return Err(invalid(format!(
            "clusters of {sides:?} blocks in a grid of {:?}: a cluster must divide the grid and have at most \
             {MAX_CLUSTER} blocks",
            launch.shape.grid
        )));
    }
    if launch.params.len() < info.param_bytes as usize {
        return Err(invalid(format!(
            "{} bytes of parameters, but the kernel takes {}",
            launch.params.len(),
            info.param_bytes
        )));
    }
    let static_shared = info.static_shared.next_multiple_of(16);
    let shared_size = u64::from(static_shared) + u64::from(launch.shape.dynamic_shared);
    let reserved = shared_size.next_multiple_of(16);
    let shared_size = if program.reserved[launch.kernel] {
        reserved + u64::from(crate::state::special::RESERVED_SIZE)
    } else {
        shared_size
    };
    if shared_size > 1 << 24 {
        return Err(invalid(format!(
            "{shared_size} bytes of shared memory per block, but at most {} are possible",
            1 << 24
        )));
    }
    let params = Buffer::new(launch.params.len() + 16);
    // SAFETY: the buffer is longer than the parameters.
    unsafe {
        std::ptr::copy_nonoverlapping(launch.params.as_ptr(), params.ptr(), launch.params.len())
    };
    let entry = program.entries[launch.kernel];
    // A kernel without calls and local variables needs no stack.
    let local = u64::from(info.local_bytes).next_multiple_of(16);
    let local_stride = if local == 0 && !program.calls[launch.kernel] {
        0
    } else {
        local + u64::from(options.stack_size).next_multiple_of(16)
    };
    let host = host_threads();
    let wanted = if options.threads == 0 {
        host
    } else {
        options.threads
    };
    let units = blocks / cluster_blocks;
    let workers = wanted
        .min(usize::try_from(units).unwrap_or(usize::MAX))
        .clamp(1, 1024);
    let resident = if launch.shape.cooperative {
        usize::MAX
    } else {
        (options.resident_blocks / cluster_blocks as usize).max(1)
    };
    let workspace = launch.shape.cooperative.then(|| Buffer::new(WORKSPACE));
    let shared = Shared {
        program,
        image: launch.image,
        device,
        options,
        kernel: launch.kernel,
        entry,
        shape,
        threads,
        uses_dynamic: program.dynamic[launch.kernel],
        shared_size,
        local_stride,
        checked: options.check_uninit
            || options.check_race
            || options.note_writes
            || options.record_accesses,
        races: options.check_race.then(|| Arc::new(GridRaces::new())),
        facts: Facts {
            shape,
            multiprocessors: options.multiprocessors,
            static_shared,
            reserved: reserved as u32,
            workspace: workspace.as_ref().map_or(0, |w| w.ptr() as u64),
        },
        runtime,
        started: Instant::now(),
        params,
        workspace,
        params_size: launch.params.len() as u64,
        cluster: sides,
        cluster_blocks: cluster_blocks as u32,
        names_clusters: program.clustered[launch.kernel] || cluster_blocks > 1,
        units,
        resident,
        next: AtomicU64::new(0),
        finished: AtomicU64::new(0),
        executed: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        late: AtomicBool::new(false),
        noticed: AtomicBool::new(false),
        fault: Mutex::new(None),
        order: Order::new(options.seed, resident),
    };
    if workers == 1 {
        shared.work(0);
    } else {
        share(workers, &|number| shared.work(number));
    }
    match shared.fault.into_inner().unpoisoned() {
        Some(fault) => Err(fault),
        None if shared.stop.into_inner() => Err(invalid(format!(
            "the kernel ran longer than the time limit of {:?}",
            options.time_limit.unwrap_or_default()
        )))
        .map_err(|f| Fault {
            kind: FaultKind::Timeout,
            ..f
        }),
        None if shared.finished.load(Ordering::Relaxed) != blocks => Err(Fault {
            kind: FaultKind::IllegalInstruction,
            ..invalid("a worker of the emulator panicked. This is a bug in the emulator".into())
        }),
        None => Ok(Stats {
            blocks: shared.finished.into_inner(),
            warp_instructions: shared.executed.into_inner(),
        }),
    }
}

/// Returns the number of cores that this process may use. The result is cached, since the query
/// takes longer than a launch.
fn host_threads() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Work that the caller shares with threads of the pool.
struct Job {
    /// The work. Valid until the caller has seen `running` reach zero with the job off the queue.
    work: *const (dyn Fn(usize) + Sync),
    /// The next worker's number, and the maximum number of workers.
    next: AtomicUsize,
    workers: usize,
    running: Mutex<usize>,
    done: Condvar,
}

// SAFETY: the work is Sync, and outlives its use as described at `Job::work`.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

#[derive(Default)]
struct Pool {
    queue: Mutex<(VecDeque<Arc<Job>>, usize)>,
    wake: Condvar,
}

static POOL: OnceLock<Pool> = OnceLock::new();

/// Runs `work(0)` on this thread, and `work(1..workers)` on free threads of the pool.
fn share(workers: usize, work: &(dyn Fn(usize) + Sync)) {
    let pool = POOL.get_or_init(Pool::default);
    // SAFETY: only the lifetime changes, and this function returns after the last use.
    let work_static = unsafe {
        std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(work)
    };
    let job = Arc::new(Job {
        work: work_static,
        next: AtomicUsize::new(1),
        workers,
        running: Mutex::new(0),
        done: Condvar::new(),
    });
    {
        let mut queue = pool.queue.lock().unpoisoned();
        let host = host_threads();
        while queue.1 < (workers - 1).max(host - 1) {
            let name = format!("cuda-emulator-{}", queue.1);
            if std::thread::Builder::new().name(name).spawn(serve).is_err() {
                break;
            }
            queue.1 += 1;
        }
        queue.0.push_back(job.clone());
    }
    if workers == 2 {
        pool.wake.notify_one()
    } else {
        pool.wake.notify_all()
    }
    // Even if the caller's share panics, the others must finish before `work` is dropped.
    struct Finish<'a>(&'a Pool, &'a Arc<Job>);
    impl Drop for Finish<'_> {
        fn drop(&mut self) {
            let mut queue = self.0.queue.lock().unpoisoned();
            queue.0.retain(|j| !Arc::ptr_eq(j, self.1));
            drop(queue);
            let mut running = self.1.running.lock().unpoisoned();
            while *running > 0 {
                running = self.1.done.wait(running).unpoisoned();
            }
        }
    }
    let _finish = Finish(pool, &job);
    work(0);
}

/// Runs jobs from the pool's queue, on a thread of the pool.
fn serve() {
    let Some(pool) = POOL.get() else { return };
    loop {
        let (job, number) = {
            let mut queue = pool.queue.lock().unpoisoned();
            loop {
                if let Some(job) = queue.0.front().cloned() {
                    let number = job.next.fetch_add(1, Ordering::Relaxed);
                    if number + 1 >= job.workers {
                        queue.0.pop_front();
                    }
                    // Counted while the queue is locked, because the caller takes the job off the
                    // queue before it checks.
                    *job.running.lock().unpoisoned() += 1;
                    break (job, number);
                }
                queue = pool.wake.wait(queue).unpoisoned();
            }
        };
        // SAFETY: the caller waits for `running` to reach zero before it drops the work.
        let work = unsafe { &*job.work };
        // A panic must not leave the caller waiting. The blocks of a panicked worker stay
        // unfinished, and `run_grid` reports that as a fault.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(number)));
        let mut running = job.running.lock().unpoisoned();
        *running -= 1;
        if *running == 0 {
            job.done.notify_all();
        }
        drop(running);
        drop(outcome);
    }
}
