//! Contexts: primary and created, each thread's stack of them, and the error that poisons one.

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
/// Units in which limits are given: recorded on an H200 (driver 580), the L2 cache's as a part of it.
const PRINTF_UNIT: u64 = 256;
const LEAST_PRINTF: u64 = 512 << 10;
const HEAP_UNIT: u64 = 64 << 10;
const LEAST_HEAP: u64 = 4 << 20;
/// Grids that wait, launched by kernels: the fewest and the most.
const PENDING_LAUNCHES: (u64, u64) = (32, 599_186);

/// A context.
pub struct Context {
    pub handle: u64,
    pub id: u64,
    /// What lives in it refers to this.
    pub owner: Owner,
    pub ordinal: i32,
    pub primary: bool,
    pub flags: AtomicU32,
    pub cache_config: AtomicU32,
    pub shared_config: AtomicU32,
    alive: AtomicBool,
    /// The code of a fault of the context itself, which every later call returns. 0 before a fault.
    poison: AtomicU32,
    /// The report of a fault of the context itself.
    report: Mutex<Option<&'static CStr>>,
    limits: Mutex<[u64; LIMITS]>,
    /// Bytes of the device-side heap in use.
    pub heap_used: AtomicU64,
    /// Ids of the contexts of other devices whose memory this one may use.
    peers: RwLock<Vec<u64>>,
    /// How often it is retained, if it is primary. Changed in its device's turn only; the leak check reads it although
    /// somebody may hang in the end of the context.
    retained: AtomicU32,
}

static CONTEXTS: Table<Context> = Table::new();

impl Object for Context {
    const NAME: &'static str = "context";
    const TAG: u8 = 0x11;

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

/// What is current: a context, perhaps by one of its green contexts.
#[derive(Clone)]
pub struct Current {
    pub context: Arc<Context>,
    pub green: Option<Arc<Green>>,
}

impl Current {
    /// The handle that it was made current by.
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

/// What is known of a device's primary context.
struct Primary {
    context: Arc<Context>,
    /// Held while it comes to life or ends.
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

    /// What it is called in reports.
    pub fn name(&self) -> String {
        match self.primary {
            true => format!(
                "context {} (the primary context of device {})",
                self.id, self.ordinal
            ),
            false => format!("context {} (cuCtxCreate)", self.id),
        }
    }

    /// Whether it exists as far as the client is concerned.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// The sticky error, if a fault has happened: that of the context itself, or else the first of the process.
    pub fn fault(&self) -> Option<Code> {
        let first = || first_fault::get().map(|first| first.code);
        self.own_fault().or_else(first)
    }

    /// Whether a fault in another context has ended the calls of this one. Its work goes on.
    pub fn is_ended_by_others(&self) -> bool {
        first_fault::get().is_some() && self.own_fault().is_none()
    }

    /// The code of a fault of the context itself. Only such a fault discards work. After a fault in another context, work
    /// still runs.
    pub fn own_fault(&self) -> Option<Code> {
        match self.poison.load(Ordering::Acquire) {
            0 => None,
            code => Some(Code(code)),
        }
    }

    /// Makes every later call of this context fail with `code`; the first fault counts.
    pub fn poison(&self, code: Code, report: &str) {
        let mut kept = lock(&self.report);
        // Before the code, since who sees that may ask for the report.
        if kept.is_none() {
            *kept = first_fault::kept(report);
        }
        let _ = self
            .poison
            .compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The report of the fault, if one has happened.
    pub fn report(&self) -> Option<&'static CStr> {
        let first = || first_fault::get().and_then(|first| first.report);
        lock(&self.report).or_else(first)
    }

    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED`, or the sticky error.
    pub fn usable(&self) -> Result {
        self.alive()?;
        self.fault().map_or(Ok(()), Err)
    }

    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
    pub fn alive(&self) -> Result {
        if self.is_alive() {
            return Ok(());
        }
        Err(Code::ERROR_CONTEXT_IS_DESTROYED)
    }

    /// Whether kernels of this context may use memory of the other: as on an H200, access is a matter of two contexts, not
    /// of their devices.
    pub fn reaches(&self, other: &Context) -> bool {
        self.ordinal == other.ordinal || self.peers.read().unpoisoned().contains(&other.id)
    }

    /// Lets kernels of this context use memory of another device's, or no longer; false if that was so already.
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

    /// Waits until everything enqueued so far has been done.
    pub fn drain(&self) {
        registry::drain(&self.owner);
    }

    /// Waits, and reports a fault.
    ///
    /// # Errors
    /// The sticky error.
    pub fn synchronize(&self) -> Result {
        registry::drain_unless(&self.owner, &|| self.is_ended_by_others());
        self.usable()
    }

    /// Ends the context, everything that lives in it, and access from it and to it.
    fn close(&self) {
        // Waits for values in memory end with a context that is no longer alive. After a fault an H100 (driver 580) destroys
        // a context without waiting for the values, which the process may have no means left to write.
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

    pub fn limit(&self, limit: u32) -> Result<u64> {
        match limit {
            // Kernels can't wait for what they launch.
            CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH if sync_depth().is_none() => {
                Err(Code::ERROR_UNSUPPORTED_LIMIT)
            }
            CU_LIMIT_STACK_SIZE..=CU_LIMIT_PERSISTING_L2_CACHE_SIZE => {
                Ok(lock(&self.limits)[limit as usize])
            }
            // These are for contexts that share the device with graphics; the first has a value all the same.
            CU_LIMIT_SHMEM_SIZE => Ok(device::architecture().shared_opt_in.into()),
            CU_LIMIT_CIG_ENABLED => Ok(0),
            CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED => Err(Code::ERROR_UNSUPPORTED_LIMIT),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    pub fn set_limit(&self, limit: u32, value: u64) -> Result {
        let value = match limit {
            // The driver rounds the stack up and refuses more than half a megabyte.
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

/// How deep kernels may wait for what they launch, by default; `None` where they can't.
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

/// The calling thread's current context, usable.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` when there is none, `CUDA_ERROR_CONTEXT_IS_DESTROYED`, or its sticky error.
pub fn current() -> Result<Arc<Context>> {
    let context = peek().ok_or(Code::ERROR_INVALID_CONTEXT)?;
    context.usable()?;
    Ok(context)
}

/// The calling thread's current context in whatever state.
pub fn peek() -> Option<Arc<Context>> {
    peek_current().map(|current| current.context)
}

/// What is the calling thread's current context, as it was made so.
pub fn peek_current() -> Option<Current> {
    STACK.with_borrow(|stack| stack.last().cloned())
}

/// The green context by which the calling thread's context is current.
pub fn current_green() -> Option<Arc<Green>> {
    peek_current()?.green
}

/// The context behind a handle, in whatever state but destroyed: the primary one for a green context's.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` for a handle that isn't a live context's.
pub fn get(handle: u64) -> Result<Arc<Context>> {
    find(handle).map(|found| found.context)
}

/// As [`get`], with the green context.
///
/// # Errors
/// As [`get`].
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

/// The context behind a handle, or the current one for null; usable.
pub fn get_or_current(handle: u64) -> Result<Arc<Context>> {
    let context = alive_or_current(handle)?;
    context.usable()?;
    Ok(context)
}

/// As [`get_or_current`], but the context may have been ended by a fault.
pub fn alive_or_current(handle: u64) -> Result<Arc<Context>> {
    let context = match handle {
        0 => peek().ok_or(Code::ERROR_INVALID_CONTEXT)?,
        handle => get(handle)?,
    };
    context.alive()?;
    Ok(context)
}

/// The context of a device for memory that is allocated from another context's stream or node: that one, the current one, or
/// any that lives, since the memory belongs to the device.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` where the device has none.
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
/// The first fault of the process.
pub fn create(ordinal: i32, flags: u32) -> Result<Arc<Context>> {
    first_fault::check()?;
    let context = Context::new(ordinal, flags, false);
    push(context.clone().into());
    Ok(context)
}

/// Destroys a created context.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` for a stale handle or a primary context.
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

/// Whether a handle claims to be a context's.
pub fn is_handle(handle: u64) -> bool {
    handle::claims::<Context>(handle)
}

pub fn push(context: Current) {
    STACK.with_borrow_mut(|stack| stack.push(context));
}

pub fn pop() -> Option<Current> {
    STACK.with_borrow_mut(|stack| stack.pop())
}

/// Replaces the top of the stack; `None` takes it away.
pub fn set_current(context: Option<Current>) {
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        stack.extend(context);
    });
}

/// Retains a device's primary context, bringing it to life if need be.
///
/// # Errors
/// The first fault of the process, if the context is inactive.
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

/// A device's primary context, in whatever state.
pub fn primary(ordinal: i32) -> Arc<Context> {
    primaries()[ordinal as usize].context.clone()
}

/// Releases a device's primary context; the last release ends all that lives in it.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` when it isn't retained.
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

/// Ends all that lives in a device's primary context. It stays retained, but is inactive until it is retained again.
pub fn reset_primary(ordinal: i32) {
    let primary = &primaries()[ordinal as usize];
    let _turn = lock(&primary.turn);
    if primary.context.is_alive() {
        primary.context.close();
    }
}

/// (flags, active) of a device's primary context.
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

/// Contexts that live.
pub fn all() -> Vec<Arc<Context>> {
    let mut contexts = CONTEXTS.all();
    contexts.retain(|context| context.is_alive());
    contexts
}
