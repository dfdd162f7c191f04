//! Contexts: primary contexts, created contexts, each thread's context stack, and sticky errors.

use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, RwLock};

use super::configuration;
use super::device;
use super::first_fault;
use super::green_context::{self, Green};
use super::handle::{self, Object, Table};
use super::registry::{self, Owner};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use cuda_emulator_engine::Unpoisoned;

/// Number of `CUlimit` values.
const LIMITS: usize = 10;
/// Granularity of the limits, recorded on an H200 (driver 580). That of the L2 cache is a fraction
/// of the cache.
const PRINTF_UNIT: u64 = 256;
const LEAST_PRINTF: u64 = 512 << 10;
const HEAP_UNIT: u64 = 64 << 10;
const LEAST_HEAP: u64 = 4 << 20;
/// Minimum and maximum number of pending grids launched by kernels.
const PENDING_LAUNCHES: (u64, u64) = (32, 599_186);

/// A context.
pub struct Context {
    pub handle: u64,
    pub id: u64,
    /// Identifies this context to the objects that live in it.
    pub owner: Owner,
    pub ordinal: i32,
    pub primary: bool,
    pub flags: AtomicU32,
    pub cache_config: AtomicU32,
    pub shared_config: AtomicU32,
    alive: AtomicBool,
    /// The error code of a fault in this context, which every later call returns. 0 before a fault.
    poison: AtomicU32,
    /// The report of a fault in this context.
    report: Mutex<Option<&'static CStr>>,
    limits: Mutex<[u64; LIMITS]>,
    /// Bytes of the device-side heap in use.
    pub heap_used: AtomicU64,
    /// Ids of the contexts on other devices whose memory this one may use.
    peers: RwLock<Vec<u64>>,
    /// Retain count of a primary context. It changes only while its device's `turn` is held. The
    /// leak check reads it without the lock, because a thread may hang while it closes the context.
    retained: AtomicU32,
}

static CONTEXTS: Table<Context> = Table::new();

impl Object for Context {
    const NAME: &'static str = "context";
    const TAG: u8 = 0x11;
    const USED_BY_OTHERS: bool = true;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        if !self.primary {
            return Some(format!("context {} (cuCtxCreate)", self.id));
        }
        let retained = self.retained.load(Ordering::Relaxed);
        (retained > 0).then(|| {
            format!(
                "primary context of device {}, retained {retained} times more than released",
                self.ordinal
            )
        })
    }
}

/// The current context, with the green context through which it is current.
#[derive(Clone)]
pub struct Current {
    pub context: Arc<Context>,
    pub green: Option<Arc<Green>>,
}

impl Current {
    /// Returns the handle with which it was made current.
    pub fn handle(&self) -> u64 {
        let green = self.green.as_ref().map(|green| green.as_context());
        green.unwrap_or(self.context.handle)
    }
}

impl From<Arc<Context>> for Current {
    fn from(context: Arc<Context>) -> Current {
        Current {
            context,
            green: None,
        }
    }
}

thread_local! {
    static STACK: RefCell<Vec<Current>> = const { RefCell::new(Vec::new()) };
}

/// The state of a device's primary context.
struct Primary {
    context: Arc<Context>,
    /// Held while the context is activated or closed.
    turn: Mutex<()>,
}

fn primaries() -> &'static [Primary] {
    static PRIMARIES: OnceLock<Vec<Primary>> = OnceLock::new();
    PRIMARIES.get_or_init(|| {
        (0..configuration::get().devices as i32)
            .map(|ordinal| Primary {
                context: Context::new(ordinal, 0, true),
                turn: Mutex::new(()),
            })
            .collect()
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unpoisoned()
}

impl Context {
    fn new(ordinal: i32, flags: u32, primary: bool) -> Arc<Context> {
        let owner = Owner::new();
        CONTEXTS.insert(|handle| Context {
            handle,
            id: owner.id,
            owner,
            ordinal,
            primary,
            flags: AtomicU32::new(flags),
            cache_config: AtomicU32::new(0),
            shared_config: AtomicU32::new(1),
            alive: AtomicBool::new(!primary),
            poison: AtomicU32::new(0),
            report: Mutex::new(None),
            limits: Mutex::new(default_limits()),
            heap_used: AtomicU64::new(0),
            peers: RwLock::default(),
            retained: AtomicU32::new(0),
        })
    }

    /// Returns its name for reports.
    pub fn name(&self) -> String {
        match self.primary {
            true => format!(
                "context {} (the primary context of device {})",
                self.id, self.ordinal
            ),
            false => format!("context {} (cuCtxCreate)", self.id),
        }
    }

    /// Returns whether it exists from the client's point of view.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Returns the sticky error: that of this context, or else the first of the process.
    pub fn fault(&self) -> Option<Code> {
        let first = || first_fault::get().map(|first| first.code);
        self.own_fault().or_else(first)
    }

    /// Returns whether a fault in another context has ended the calls of this one. Its work
    /// continues.
    pub fn is_ended_by_others(&self) -> bool {
        first_fault::get().is_some() && self.own_fault().is_none()
    }

    /// Returns the code of a fault in this context. Only such a fault discards work: after a fault
    /// in another context, work still runs.
    pub fn own_fault(&self) -> Option<Code> {
        match self.poison.load(Ordering::Acquire) {
            0 => None,
            code => Some(Code(code)),
        }
    }

    /// Makes every later call of this context fail with `code`. Only the first fault counts.
    pub fn poison(&self, code: Code, report: &str) {
        let mut kept = lock(&self.report);
        // The report is stored before the code, because a thread that sees the code may ask for the
        // report.
        if kept.is_none() {
            *kept = first_fault::into_static(report);
        }
        let _ = self
            .poison
            .compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Returns the report of the fault, if one has happened.
    pub fn report(&self) -> Option<&'static CStr> {
        let first = || first_fault::get().and_then(|first| first.report);
        lock(&self.report).or_else(first)
    }

    /// Checks that the context can be used.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it has been destroyed, or the sticky error
    /// after a fault.
    pub fn usable(&self) -> Result {
        self.alive()?;
        self.fault().map_or(Ok(()), Err)
    }

    /// Checks that the context has not been destroyed. A fault does not matter.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it has been destroyed.
    pub fn alive(&self) -> Result {
        if self.is_alive() {
            return Ok(());
        }
        Err(Code::ERROR_CONTEXT_IS_DESTROYED)
    }

    /// Returns whether kernels of this context may use memory of the other. As on an H200, access
    /// is granted between two contexts, not between their devices.
    pub fn reaches(&self, other: &Context) -> bool {
        self.ordinal == other.ordinal || self.peers.read().unpoisoned().contains(&other.id)
    }

    /// Enables or disables access of this context's kernels to memory of a context on another
    /// device. Returns false if nothing changed.
    pub fn set_peer(&self, other: &Context, enabled: bool) -> bool {
        let mut peers = self.peers.write().unpoisoned();
        let before = peers.contains(&other.id);
        match enabled {
            true if !before => peers.push(other.id),
            false => peers.retain(|id| *id != other.id),
            true => {}
        }
        before != enabled
    }

    /// Waits until all enqueued work is done.
    pub fn drain(&self) {
        registry::drain(&self.owner);
    }

    /// Waits until all enqueued work is done.
    ///
    /// # Errors
    /// Returns the sticky error after a fault.
    pub fn synchronize(&self) -> Result {
        registry::drain_unless(&self.owner, &|| self.is_ended_by_others());
        self.usable()
    }

    /// Closes the context: ends every object in it, and peer access from and to it.
    fn close(&self) {
        // Waits for values in memory end once the context is not alive. After a fault an H100
        // (driver 580) destroys a context without waiting for such values, because the process may
        // have no way left to write them.
        if self.fault().is_some() {
            self.alive.store(false, Ordering::Release);
        }
        self.drain();
        self.alive.store(false, Ordering::Release);
        self.peers.write().unpoisoned().clear();
        for other in CONTEXTS.all() {
            other.set_peer(self, false);
        }
        registry::end(&self.owner);
        *lock(&self.limits) = default_limits();
        self.heap_used.store(0, Ordering::Relaxed);
    }

    /// Returns the value of a `CUlimit`.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_UNSUPPORTED_LIMIT` if the device does not have the limit, and
    /// `CUDA_ERROR_INVALID_VALUE` if the limit does not exist.
    pub fn limit(&self, limit: u32) -> Result<u64> {
        match limit {
            // Kernels cannot wait for the grids they launch.
            CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH if sync_depth().is_none() => {
                Err(Code::ERROR_UNSUPPORTED_LIMIT)
            }
            CU_LIMIT_STACK_SIZE..=CU_LIMIT_PERSISTING_L2_CACHE_SIZE => {
                Ok(lock(&self.limits)[limit as usize])
            }
            // These limits are for contexts that share the device with graphics. The first has a
            // value on any device.
            CU_LIMIT_SHMEM_SIZE => Ok(device::architecture().shared_opt_in.into()),
            CU_LIMIT_CIG_ENABLED => Ok(0),
            CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED => Err(Code::ERROR_UNSUPPORTED_LIMIT),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Sets a `CUlimit`. As in the driver, some values are rounded or clamped.
    ///
    /// # Errors
    /// Returns:
    /// - `CUDA_ERROR_INVALID_VALUE` if the limit does not exist or the value is too large;
    /// - `CUDA_ERROR_UNSUPPORTED_LIMIT` if the device does not have the limit;
    /// - `CUDA_ERROR_NOT_PERMITTED` if the limit cannot be set.
    pub fn set_limit(&self, limit: u32, value: u64) -> Result {
        let value = match limit {
            // The driver rounds the stack size up and rejects more than 512 KiB.
            CU_LIMIT_STACK_SIZE if value > 512 << 10 => return Err(Code::ERROR_INVALID_VALUE),
            CU_LIMIT_STACK_SIZE => value.next_multiple_of(16),
            CU_LIMIT_PRINTF_FIFO_SIZE => rounded(value.max(LEAST_PRINTF), PRINTF_UNIT)?,
            CU_LIMIT_MALLOC_HEAP_SIZE => rounded(value.max(LEAST_HEAP), HEAP_UNIT)?,
            CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH if sync_depth().is_none() => {
                return Err(Code::ERROR_UNSUPPORTED_LIMIT);
            }
            CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH => value,
            CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT => {
                value.clamp(PENDING_LAUNCHES.0, PENDING_LAUNCHES.1)
            }
            CU_LIMIT_MAX_L2_FETCH_GRANULARITY if value > 128 => {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            CU_LIMIT_MAX_L2_FETCH_GRANULARITY => value,
            CU_LIMIT_PERSISTING_L2_CACHE_SIZE if value > device::MAX_PERSISTING => {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            CU_LIMIT_PERSISTING_L2_CACHE_SIZE => rounded(value, device::PERSISTING_UNIT)?,
            CU_LIMIT_SHMEM_SIZE | CU_LIMIT_CIG_ENABLED => return Err(Code::ERROR_NOT_PERMITTED),
            CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED => return Err(Code::ERROR_UNSUPPORTED_LIMIT),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        };
        lock(&self.limits)[limit as usize] = value;
        Ok(())
    }
}

/// Returns the default nesting depth at which kernels may wait for grids they launched, or `None`
/// if the architecture does not support it.
fn sync_depth() -> Option<u64> {
    (device::architecture().capability.0 < 9).then_some(2)
}

fn rounded(value: u64, unit: u64) -> Result<u64> {
    value
        .checked_next_multiple_of(unit)
        .ok_or(Code::ERROR_INVALID_VALUE)
}

fn default_limits() -> [u64; LIMITS] {
    let mut limits = [0; LIMITS];
    limits[CU_LIMIT_STACK_SIZE as usize] = 1024;
    limits[CU_LIMIT_PRINTF_FIFO_SIZE as usize] = 1 << 20;
    limits[CU_LIMIT_MALLOC_HEAP_SIZE as usize] = 8 << 20;
    limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH as usize] = sync_depth().unwrap_or(0);
    limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT as usize] = 2048;
    limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY as usize] = 64;
    limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE as usize] = 3 * device::PERSISTING_UNIT;
    limits
}

/// Returns the calling thread's current context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` if there is no current context,
/// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it has been destroyed, or its sticky error.
pub fn current() -> Result<Arc<Context>> {
    let context = peek().ok_or(Code::ERROR_INVALID_CONTEXT)?;
    context.usable()?;
    Ok(context)
}

/// Returns the calling thread's current context in any state.
pub fn peek() -> Option<Arc<Context>> {
    peek_current().map(|current| current.context)
}

/// Returns the calling thread's current context in any state, with its green context.
pub fn peek_current() -> Option<Current> {
    STACK.with_borrow(|stack| stack.last().cloned())
}

/// Returns the green context through which the calling thread's context is current.
pub fn current_green() -> Option<Arc<Green>> {
    peek_current()?.green
}

/// Returns the context of a handle. For a green context's handle, this is the primary context. The
/// returned context has not been destroyed, but may have faulted.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` if the handle is not that of a live context.
pub fn get(handle: u64) -> Result<Arc<Context>> {
    find(handle).map(|found| found.context)
}

/// Returns the context of a handle, with its green context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` if the handle is not that of a live context.
pub fn find(handle: u64) -> Result<Current> {
    if let Some(green) = green_context::of_context(handle) {
        return Ok(Current {
            context: primary(green.ordinal),
            green: Some(green),
        });
    }
    let context = CONTEXTS.get(handle).ok_or(Code::ERROR_INVALID_CONTEXT)?;
    Ok(context.into())
}

/// Returns the context of a handle, or the current one for null.
///
/// # Errors
/// Returns an error if there is no such context, or if it has been destroyed or has faulted.
pub fn get_or_current(handle: u64) -> Result<Arc<Context>> {
    let context = alive_or_current(handle)?;
    context.usable()?;
    Ok(context)
}

/// Like [`get_or_current`], but accepts a context that has faulted.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` if there is no such context, and
/// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it has been destroyed.
pub fn alive_or_current(handle: u64) -> Result<Arc<Context>> {
    let context = match handle {
        0 => peek().ok_or(Code::ERROR_INVALID_CONTEXT)?,
        handle => get(handle)?,
    };
    context.alive()?;
    Ok(context)
}

/// Returns the context on a device for memory that is allocated from a stream or node of `context`.
///
/// This is `context` itself, the current context, or any live context on the device, because the
/// memory belongs to the device.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the device has no context.
pub fn on(ordinal: i32, context: &Arc<Context>) -> Result<Arc<Context>> {
    if context.ordinal == ordinal {
        return Ok(context.clone());
    }
    let other = current()?;
    let mut others = std::iter::once(other).chain(all());
    others
        .find(|one| one.ordinal == ordinal)
        .ok_or(Code::ERROR_INVALID_VALUE)
}

/// Creates a context and makes it current.
///
/// # Errors
/// Returns the code of the process's first fault, if there was one.
pub fn create(ordinal: i32, flags: u32) -> Result<Arc<Context>> {
    first_fault::check()?;
    let context = Context::new(ordinal, flags, false);
    push(context.clone().into());
    Ok(context)
}

/// Destroys a created context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` for a stale handle or a primary context.
pub fn destroy(handle: u64) -> Result {
    let context = get(handle)?;
    if context.primary {
        return Err(Code::ERROR_INVALID_CONTEXT);
    }
    let context = CONTEXTS.remove(handle).ok_or(Code::ERROR_INVALID_CONTEXT)?;
    context.close();
    STACK.with_borrow_mut(|stack| {
        if stack
            .last()
            .is_some_and(|top| Arc::ptr_eq(&top.context, &context))
        {
            stack.pop();
        }
    });
    Ok(())
}

/// Returns whether a handle has the form of a context handle.
pub fn is_handle(handle: u64) -> bool {
    handle::claims::<Context>(handle)
}

pub fn push(context: Current) {
    STACK.with_borrow_mut(|stack| stack.push(context));
}

pub fn pop() -> Option<Current> {
    STACK.with_borrow_mut(|stack| stack.pop())
}

/// Replaces the top of the stack. `None` removes it.
pub fn set_current(context: Option<Current>) {
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        stack.extend(context);
    });
}

/// Retains a device's primary context, and activates it if necessary.
///
/// # Errors
/// Returns the code of the process's first fault if the context is inactive.
pub fn retain_primary(ordinal: i32) -> Result<Arc<Context>> {
    let primary = &primaries()[ordinal as usize];
    let _turn = lock(&primary.turn);
    let context = &primary.context;
    if !context.is_alive() {
        first_fault::check()?;
        context.alive.store(true, Ordering::Release);
    }
    context.retained.fetch_add(1, Ordering::Relaxed);
    Ok(context.clone())
}

/// Returns a device's primary context in any state.
pub fn primary(ordinal: i32) -> Arc<Context> {
    primaries()[ordinal as usize].context.clone()
}

/// Releases a device's primary context. The last release closes it.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` if it is not retained.
pub fn release_primary(ordinal: i32) -> Result {
    let primary = &primaries()[ordinal as usize];
    let _turn = lock(&primary.turn);
    let retained = primary.context.retained.load(Ordering::Relaxed);
    let left = retained.checked_sub(1).ok_or(Code::ERROR_INVALID_CONTEXT)?;
    primary.context.retained.store(left, Ordering::Relaxed);
    if left == 0 && primary.context.is_alive() {
        primary.context.close();
    }
    Ok(())
}

/// Closes a device's primary context. It stays retained, but is inactive until it is retained
/// again.
pub fn reset_primary(ordinal: i32) {
    let primary = &primaries()[ordinal as usize];
    let _turn = lock(&primary.turn);
    if primary.context.is_alive() {
        primary.context.close();
    }
}

/// Returns (flags, active) of a device's primary context.
pub fn primary_state(ordinal: i32) -> (u32, bool) {
    let context = &primaries()[ordinal as usize].context;
    (context.flags.load(Ordering::Relaxed), context.is_alive())
}

/// Sets the flags of a device's primary context.
pub fn set_primary_flags(ordinal: i32, flags: u32) {
    primaries()[ordinal as usize]
        .context
        .flags
        .store(flags, Ordering::Relaxed);
}

/// Returns all live contexts.
pub fn all() -> Vec<Arc<Context>> {
    let mut contexts = CONTEXTS.all();
    contexts.retain(|context| context.is_alive());
    contexts
}
