//! Launches, which are checked as in the driver and run by the engine in stream order.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::cluster_limits;
use super::conditional_values;
use super::graph_runs::{self, GraphRun};
use super::occupancy;
use super::texture;
use super::updatable_kernel::{self, Updatable};
use crate::abi::pointers::In;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::code::module::Function;
use crate::memory::access_checks;
use crate::memory::access_set::{Access, AccessRecorder};
use crate::memory::address_report;
use crate::memory::allocations::{self, Request};
use crate::memory::origin::Origin;
use crate::memory::recorded_work::WorkKind;
use crate::memory::stream_races;
use crate::memory::virtual_memory;
use crate::memory::write_coverage::WriteCoverage;
use crate::memory::write_tracking;
use crate::process::call;
use crate::process::caller::Caller;
use crate::process::configuration;
use crate::process::context::Context;
use crate::process::device;
use crate::process::warnings;
use crate::queue::fault::Fault;
use crate::queue::happens_before;
use crate::queue::stream::{How, Piece};
use crate::system;
use cuda_emulator_engine::{self as engine, Shape};

/// Rejects a launch and writes the reason to the trace, because the error code does not show it.
fn reject<T>(function: &Function, code: Code, why: impl FnOnce() -> String) -> Result<T> {
    call::trace(|line| {
        line.push_str(&format!(
            "launch of {} rejected: {}",
            function.info().name,
            why()
        ));
    });
    Err(code)
}

fn check(function: &Function, shape: &Shape) -> Result {
    let info = function.info();
    let Shape {
        grid,
        block,
        dynamic_shared: shared,
        cooperative,
        cluster,
    } = *shape;
    if (0..3).any(|axis| grid[axis] == 0 || grid[axis] > device::MAX_GRID[axis]) {
        return reject(function, Code::ERROR_INVALID_VALUE, || {
            format!(
                "grid {grid:?}: each dimension must be from 1 to {:?}",
                device::MAX_GRID
            )
        });
    }
    if (0..3).any(|axis| block[axis] == 0 || block[axis] > device::MAX_BLOCK[axis]) {
        return reject(function, Code::ERROR_INVALID_VALUE, || {
            format!(
                "block {block:?}: each dimension must be from 1 to {:?}",
                device::MAX_BLOCK
            )
        });
    }
    let threads: u32 = block.iter().product();
    if threads > device::MAX_THREADS {
        return reject(function, Code::ERROR_INVALID_VALUE, || {
            format!(
                "{threads} threads in a block: at most {} are possible",
                device::MAX_THREADS
            )
        });
    }
    if let Some(limit) = info.max_threads
        && threads > limit
    {
        return reject(function, Code::ERROR_INVALID_VALUE, || {
            format!("{threads} threads in a block, but the kernel was compiled for at most {limit}")
        });
    }
    if let Some(required) = info.required_block
        && block != required
    {
        return reject(function, Code::ERROR_INVALID_VALUE, || {
            format!("block {block:?}, but the kernel was compiled for {required:?}")
        });
    }
    if let Some(cluster) = cluster
        && let Err(code) = cluster_limits::check(function, grid, cluster)
    {
        return reject(function, code, || {
            format!(
                "clusters of {cluster:?} blocks in a grid of {grid:?}: a cluster must divide the grid and have at \
                 most 8 blocks (16 with CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), and no \
                 more than the kernel's .maxclusterrank"
            )
        });
    }
    let allowed = function.settings.dynamic_shared.load(Ordering::Relaxed);
    if shared > allowed {
        return reject(function, Code::ERROR_INVALID_VALUE, || {
            format!(
                "{shared} bytes of dynamic shared memory, but {allowed} are allowed. Fix: raise the limit with \
                 cuFuncSetAttribute (MAX_DYNAMIC_SHARED_SIZE_BYTES, at most {})",
                device::architecture()
                    .shared_opt_in
                    .saturating_sub(info.static_shared)
            )
        });
    }
    if cooperative {
        let blocks = grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let most = occupancy::blocks_on_device(function, threads, u64::from(shared));
        let room = match cluster {
            Some(sides) => {
                cluster_limits::blocks_on_device(function, threads, shared.into(), sides)
            }
            None => most,
        };
        if blocks > room {
            return reject(function, Code::ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, || {
                format!(
                    "{blocks} blocks in a cooperative launch, but only {room} fit on the device"
                )
            });
        }
    }
    Ok(())
}

const PARAM_END: u64 = CU_LAUNCH_PARAM_END_AS_INT as u64;
const PARAM_BUFFER_POINTER: u64 = CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT as u64;
const PARAM_BUFFER_SIZE: u64 = CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT as u64;

/// Collects a kernel's arguments into its parameter buffer.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the kernel has parameters and both `pointers` and `extra`
/// are null, if neither is null, if a pointer is null, or if the buffer in `extra` is too short.
pub fn arguments(function: &Function, pointers: In<u64>, extra: In<u64>) -> Result<Arc<[u8]>> {
    let info = function.info();
    let mut buffer = vec![0u8; info.param_bytes as usize];
    if !pointers.is_null() && !extra.is_null() {
        return reject(function, Code::ERROR_INVALID_VALUE, || {
            "both kernelParams and extra are set. Fix: pass null for one of them".into()
        });
    }
    if !extra.is_null() {
        let (mut source, mut size) = (0, 0);
        let mut index = 0;
        loop {
            match extra.at(index)? {
                PARAM_END => break,
                PARAM_BUFFER_POINTER => source = extra.at(index + 1)?,
                // The value is a pointer to a size_t.
                PARAM_BUFFER_SIZE => size = read_word(extra.at(index + 1)?)?,
                _ => return Err(Code::ERROR_INVALID_VALUE),
            }
            index += 2;
        }
        if size > 0 && source == 0 || size < buffer.len() as u64 {
            return reject(function, Code::ERROR_INVALID_VALUE, || {
                format!(
                    "{size} bytes of parameters, but the kernel takes {}",
                    info.param_bytes
                )
            });
        }
        // SAFETY: the client guarantees `size` bytes there, which are at least as many as the
        // kernel takes.
        unsafe {
            std::ptr::copy_nonoverlapping(source as *const u8, buffer.as_mut_ptr(), buffer.len())
        };
        return Ok(buffer.into());
    }
    if pointers.is_null() && !info.params.is_empty() {
        return reject(function, Code::ERROR_INVALID_VALUE, || {
            "the kernel has parameters, but kernelParams and extra are null".into()
        });
    }
    for (index, param) in info.params.iter().enumerate() {
        let source = pointers.at(index)?;
        if source == 0 {
            return reject(function, Code::ERROR_INVALID_VALUE, || {
                format!("the pointer to argument {index} is null")
            });
        }
        let place = &mut buffer[param.offset as usize..][..param.size as usize];
        // SAFETY: the client guarantees that the pointer refers to an argument of the parameter's
        // size.
        unsafe {
            std::ptr::copy_nonoverlapping(source as *const u8, place.as_mut_ptr(), place.len())
        };
    }
    Ok(buffer.into())
}

fn read_word(address: u64) -> Result<u64> {
    if address == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // SAFETY: the client guarantees a size_t there.
    Ok(unsafe { (address as *const u64).read_unaligned() })
}

/// A checked launch, from a stream call or a kernel node.
#[derive(Clone)]
pub struct Launch {
    pub function: Arc<Function>,
    pub shape: Shape,
    /// The arguments as the kernel's parameter buffer.
    pub params: Arc<[u8]>,
    /// The launch attributes.
    pub attributes: Vec<LaunchAttribute>,
    /// The multiprocessors on which it runs, if not all.
    pub part: Option<Arc<[u32]>>,
    /// The changes that kernels may make to a node's launch.
    pub updatable: Option<Arc<Updatable>>,
    /// The call that launched it, or that added it to a graph.
    pub caller: Option<Arc<Caller>>,
}

impl Launch {
    /// Checks a launch. If the shape has no cluster size, the one that the function requires is
    /// used.
    ///
    /// # Errors
    /// Returns:
    /// - `CUDA_ERROR_INVALID_VALUE` if grid, block or dynamic shared memory exceed a limit of the
    ///   device or of the kernel;
    /// - `CUDA_ERROR_INVALID_CLUSTER_SIZE` if the clusters are invalid;
    /// - `CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE` if the blocks of a cooperative launch do not fit
    ///   on the device at once.
    pub fn new(function: Arc<Function>, shape: Shape, params: Arc<[u8]>) -> Result<Launch> {
        let shape = Shape {
            cluster: cluster_limits::choose(&function, shape.cluster)?,
            ..shape
        };
        check(&function, &shape)?;
        Ok(Launch {
            function,
            shape,
            params,
            attributes: Vec::new(),
            part: None,
            updatable: None,
            caller: Caller::capture(),
        })
    }

    /// Restricts the launch to some multiprocessors.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE` if the blocks of a cooperative launch do
    /// not fit on them at once.
    pub fn on(mut self, part: Arc<[u32]>) -> Result<Launch> {
        if self.shape.cooperative {
            let Shape {
                grid,
                block,
                dynamic_shared,
                ..
            } = self.shape;
            let blocks = grid.iter().map(|&n| u64::from(n)).product::<u64>();
            let each = occupancy::of_device(
                &self.function,
                block.iter().product(),
                dynamic_shared.into(),
            );
            let most = u64::from(each) * part.len() as u64;
            if blocks > most {
                return reject(
                    &self.function,
                    Code::ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                    || {
                        format!(
                            "{blocks} blocks in a cooperative launch, but only {most} fit on the green context"
                        )
                    },
                );
            }
        }
        self.part = Some(part);
        Ok(self)
    }

    /// Checks it again after a change.
    ///
    /// # Errors
    /// Returns the errors of [`Launch::new`].
    pub fn check(&self) -> Result {
        check(&self.function, &self.shape)
    }

    /// Returns the stream work of one run.
    pub fn piece(self) -> Piece {
        let work = Box::new(move || {
            let caller = self.caller.as_ref();
            let ran = run(&self.function, &self.shape, &self.params, self.part, caller);
            let accesses = ran.map_err(|fault| match Caller::place(caller).as_str() {
                "" => fault,
                place => fault.with(&format!("launched{place}")),
            })?;
            let Some(accesses) = accesses else {
                return Ok(());
            };
            let program = self.function.image().program().clone();
            let kind = WorkKind::Kernel(self.function.info().name.clone(), program);
            stream_races::record(kind, || accesses.finish())
        });
        Piece::new(How::Soon, work)
    }

    /// Returns the stream work of one run with the changes that kernels have made by the time it
    /// runs. `enabled` determines whether it runs, unless a kernel has changed that.
    pub fn updatable_piece(mut self, enabled: bool) -> Piece {
        let work = move || match self.updatable.clone() {
            Some(node) if !node.apply(&mut self.shape, &mut self.params, enabled) => Ok(()),
            _ => (self.piece().work)(),
        };
        Piece::new(How::Soon, Box::new(work))
    }
}

/// Runs a kernel. Returns its accesses if they are recorded.
fn run(
    function: &Function,
    shape: &Shape,
    params: &[u8],
    part: Option<Arc<[u32]>>,
    caller: Option<&Arc<Caller>>,
) -> std::result::Result<Option<AccessRecorder>, Fault> {
    let written = configuration::get()
        .check_unwritten
        .then(WriteCoverage::default);
    let launch = engine::Launch {
        image: function.image(),
        kernel: function.kernel,
        shape: *shape,
        params,
    };
    let view = View {
        context: &function.context,
        function,
        graph_run: graph_runs::current(),
        written: written.as_ref(),
        accesses: happens_before::is_tracked().then(AccessRecorder::default),
    };
    let stats = engine::run(&launch, &view, &options(&function.context, part))?;
    if let Some(written) = &written {
        report_unwritten(&function.info().name, shape, written, caller);
    }
    if configuration::get().trace.is_some() {
        call::trace(|line| {
            line.push_str(&format!(
                "{} ran {} blocks, {} warp instructions",
                function.info().name,
                stats.blocks,
                stats.warp_instructions
            ));
        });
    }
    Ok(view.accesses)
}

/// Prints the memory that a kernel has written only in part, once per kernel.
fn report_unwritten(
    kernel: &str,
    shape: &Shape,
    written: &WriteCoverage,
    caller: Option<&Arc<Caller>>,
) {
    let (count, describe) = written.gaps();
    if count == 0 {
        return;
    }
    warnings::found_unwritten(kernel, || {
        let gap = describe();
        let [blocks, threads] =
            [shape.grid, shape.block].map(|n| n.iter().map(|&n| u64::from(n)).product::<u64>());
        let place = Caller::place(caller);
        let more = match count {
            1 => String::new(),
            count => format!(", and {} other allocations in part", count - 1),
        };
        format!(
            "kernel {kernel}, launched{place} with {blocks} blocks of {threads} threads, {gap}{more}. Fix: if it \
             should write all of it, launch more blocks, or compare the element types"
        )
    });
}

/// How long a launch runs before a notice says where it is.
const NOTICE_AFTER: Duration = Duration::from_secs(10);

fn options(context: &Context, part: Option<Arc<[u32]>>) -> engine::Options {
    let config = configuration::get();
    let part_size = part.as_ref().map_or(usize::MAX, |part| part.len());
    engine::Options {
        threads: config.threads.min(part_size),
        seed: config.seed,
        check_uninit: config.check_uninit,
        check_race: config.check_race,
        note_writes: config.check_unwritten,
        check_barrier: config.check_barrier,
        record_accesses: config.check_stream,
        time_limit: config.timeout,
        notice_after: Some(NOTICE_AFTER),
        multiprocessors: device::multiprocessors(),
        part,
        stack_size: context.limit(CU_LIMIT_STACK_SIZE).unwrap_or(1024) as u32,
        clock_khz: device::CLOCK_KHZ as u32,
        ..engine::Options::default()
    }
}

/// The device as seen by a kernel of one context.
pub struct View<'a> {
    pub context: &'a Arc<Context>,
    pub function: &'a Function,
    /// The graph run to which the launch belongs.
    graph_run: Option<Arc<dyn GraphRun>>,
    /// The bytes that the launch writes, with the check of unwritten memory.
    written: Option<&'a WriteCoverage>,
    /// The accesses so far, with `CUDA_EMULATOR_CHECK=stream`.
    accesses: Option<AccessRecorder>,
}

impl engine::Device for View<'_> {
    fn find(&self, addr: u64) -> Option<engine::Region> {
        let allocation = allocations::find(addr)?;
        if let Some(rights) = &allocation.rights {
            let accessor = self.context.ordinal as usize;
            let flags = u32::from(rights.of(accessor));
            let (base, size) = access_checks::uniform_range(&allocation, accessor);
            return (flags != CU_MEM_ACCESS_FLAGS_PROT_NONE).then_some(engine::Region {
                base,
                size,
                writable: flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
                id: allocation.id,
            });
        }
        let open = allocation.is_open_to(self.context);
        if configuration::get().check_context && allocation.is_foreign_to(self.context) {
            return None;
        }
        let writable = open.filter(|_| allocation.ready.load(Ordering::Acquire))?;
        Some(engine::Region {
            base: allocation.base,
            size: allocation.size,
            writable,
            id: allocation.id,
        })
    }

    fn generation(&self) -> u64 {
        allocations::generation()
    }

    fn explain(&self, addr: u64, size: u32) -> String {
        allocations::find(addr)
            .and_then(|allocation| allocation.foreign_access(self.context, addr))
            .or_else(|| virtual_memory::explain(addr, self.context.ordinal))
            .or_else(|| address_report::closed(self.context, addr))
            .unwrap_or_else(|| address_report::explain(addr, size))
    }

    fn malloc(&self, size: u64) -> u64 {
        let limit = self.context.limit(CU_LIMIT_MALLOC_HEAP_SIZE).unwrap_or(0);
        let taken = self.context.heap_used.fetch_add(size, Ordering::AcqRel);
        if size == 0 || size > limit.saturating_sub(taken) {
            self.context.heap_used.fetch_sub(size, Ordering::AcqRel);
            return 0;
        }
        match allocations::allocate(self.context, Request::new(size, Origin::Heap)) {
            Ok(allocation) => allocation.base,
            Err(_) => {
                self.context.heap_used.fetch_sub(size, Ordering::AcqRel);
                0
            }
        }
    }

    fn free(&self, addr: u64) -> bool {
        match allocations::starting_at(addr) {
            Some(allocation) if allocation.origin == Origin::Heap => {
                let freed = allocations::free(&allocation, "free in a kernel");
                if freed {
                    self.context
                        .heap_used
                        .fetch_sub(allocation.size, Ordering::AcqRel);
                }
                freed
            }
            _ => false,
        }
    }

    fn print(&self, text: &[u8]) {
        system::write_output(text);
    }

    fn note_long_run(&self, kernel: &str, elapsed: Duration, place: &str) {
        warnings::note_long_run(kernel, elapsed, place);
    }

    fn note_write(&self, addr: u64, size: u32) {
        write_tracking::note_write(addr, u64::from(size));
        if let Some(written) = self.written {
            written.note(addr, u64::from(size));
        }
    }

    fn is_initialized(&self, addr: u64, size: u32) -> bool {
        write_tracking::is_initialized(addr, u64::from(size))
    }

    fn note_access(&self, access: engine::Access) {
        if let Some(accesses) = &self.accesses {
            let kind = Access::new(access.writes, access.strong);
            accesses.add(access.address, access.size, kind, access.instruction);
        }
    }

    fn texture(&self, handle: u64) -> std::result::Result<Arc<engine::texture::Texture>, String> {
        texture::for_kernel(self.context, handle)
    }

    fn surface(&self, handle: u64) -> std::result::Result<Arc<engine::texture::Surface>, String> {
        texture::surface_for_kernel(self.context, handle)
    }

    fn host(&self) -> Option<&dyn engine::Host> {
        Some(self)
    }

    fn set_conditional(&self, handle: u64, value: u32) -> bool {
        conditional_values::set(handle, value)
    }

    fn launch_graph(&self, exec: u64, stream: u64) -> std::result::Result<u32, String> {
        graph_runs::launch(self.graph_run.as_ref(), exec, stream)
    }

    fn change_node(
        &self,
        node: u64,
        change: engine::NodeChange<'_>,
    ) -> std::result::Result<bool, String> {
        updatable_kernel::change(node, change)
    }

    fn current_graph(&self) -> u64 {
        self.graph_run.as_ref().map_or(0, |run| run.current())
    }
}
