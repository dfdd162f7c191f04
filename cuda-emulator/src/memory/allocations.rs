//! The table of allocations, which maps addresses to live allocations.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Once, OnceLock, RwLock, Weak};

use super::arena;
use super::backing::Backing;
use super::description::Description;
use super::freed_allocations;
use super::managed;
use super::origin::Origin;
use super::permissions::Rights;
use super::pool::Pool;
use super::recorded_work;
use super::shadow::Shadow;
use crate::abi::status::{Code, Result};
use crate::process::caller::Caller;
use crate::process::context::Context;
use crate::process::registry::{self, Kind, Owner};
use crate::process::shared_slots::Slot;
use crate::system;
use cuda_emulator_engine::Unpoisoned;

/// A live allocation.
pub struct Allocation {
    pub base: u64,
    pub size: u64,
    /// Unique in the process.
    pub id: u64,
    pub origin: Origin,
    /// The context it belongs to.
    pub context: Arc<Context>,
    /// Flags of the call that created it. For mapped memory, the `CUmemLocationType` of the
    /// physical memory.
    pub flags: u32,
    /// Whether kernels may write to it.
    pub writable: bool,
    /// The pool of a stream-ordered allocation.
    pub pool: Option<Arc<Pool>>,
    /// False until the stream has reached a stream-ordered allocation.
    pub ready: AtomicBool,
    /// Whether `cuMemFreeAsync` was called.
    pub freeing: AtomicBool,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`
    pub sync_memops: AtomicBool,
    /// The access rights of mapped memory.
    pub rights: Option<Rights>,
    /// The slot that describes it to other processes, once a handle was requested.
    pub shared: OnceLock<Option<Slot>>,
    /// Its addresses and its share of the device's memory, released with it.
    backing: Backing,
    /// The bytes that have been written, with `CUDA_EMULATOR_CHECK=uninit`.
    pub shadow: Option<Shadow>,
    /// The call that created it.
    caller: Option<Arc<Caller>>,
}

/// Live allocations by base address.
type Live = BTreeMap<u64, Arc<Allocation>>;

static LIVE: RwLock<Live> = RwLock::new(Live::new());
static GENERATION: AtomicU64 = AtomicU64::new(1);
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

fn read() -> std::sync::RwLockReadGuard<'static, Live> {
    LIVE.read().unpoisoned()
}

fn write() -> std::sync::RwLockWriteGuard<'static, Live> {
    LIVE.write().unpoisoned()
}

/// Returns a counter that increases whenever an allocation is freed.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// Invalidates cached lookups after access rights have changed.
pub fn invalidate_lookups() {
    GENERATION.fetch_add(1, Ordering::AcqRel);
}

/// The parameters of an allocation.
pub struct Request {
    pub size: u64,
    pub align: u64,
    pub origin: Origin,
    pub flags: u32,
    pub pool: Option<Arc<Pool>>,
    pub ready: bool,
}

impl Request {
    pub fn new(size: u64, origin: Origin) -> Self {
        Request {
            size,
            align: arena::ALIGNMENT,
            origin,
            flags: 0,
            pool: None,
            ready: true,
        }
    }
}

/// Inserts an allocation into the table.
fn enter(tables: &mut Live, allocation: &Arc<Allocation>) {
    static KNOWN: Once = Once::new();
    KNOWN.call_once(|| registry::register(&Memory));
    tables.insert(allocation.base, allocation.clone());
}

/// The registered kind of memory allocations.
struct Memory;

impl Memory {
    /// Returns the live allocations of live contexts.
    fn all(&self) -> Vec<Arc<Allocation>> {
        let mut all: Vec<_> = read().values().cloned().collect();
        all.retain(|one| one.context.is_alive());
        all
    }
}

impl Kind for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn rank(&self) -> u8 {
        // Memory ends after everything that uses it.
        u8::MAX
    }

    fn end(&self, owner: &Owner) {
        let mut all: Vec<_> = read().values().cloned().collect();
        // Access rights may also end with a context.
        invalidate_lookups();
        // Mapped memory belongs to no context.
        all.retain(|one| one.context.id == owner.id && one.rights.is_none());
        for allocation in all {
            free(&allocation, "the end of its context");
        }
    }

    /// Returns whether a stream has not yet reached a `cuMemFreeAsync`.
    fn has_queued_frees(&self) -> bool {
        let all = self.all();
        all.iter().any(|one| one.freeing.load(Ordering::Acquire))
    }

    fn leaks(&self) -> Vec<String> {
        let mut all = self.all();
        all.retain(|one| one.belongs_to_client());
        let line = |one: &Arc<Allocation>| {
            let late = if one.freeing.load(Ordering::Acquire) {
                "; cuMemFreeAsync was called, but its stream has not reached it"
            } else {
                ""
            };
            format!("{}, context {}{late}", one.summary(), one.context.id)
        };
        all.iter().map(line).collect()
    }
}

impl Allocation {
    /// Sets the backing.
    fn on(mut self, backing: Backing) -> Allocation {
        self.backing = backing;
        self
    }

    /// Creates an allocation with default properties.
    fn new(context: &Arc<Context>, base: u64, size: u64, origin: Origin) -> Allocation {
        Allocation {
            base,
            size,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            origin,
            context: context.clone(),
            flags: 0,
            writable: true,
            pool: None,
            ready: AtomicBool::new(true),
            freeing: AtomicBool::new(false),
            sync_memops: AtomicBool::new(false),
            rights: None,
            shared: OnceLock::new(),
            backing: Backing::default(),
            shadow: None,
            caller: Caller::capture(),
        }
    }
}

/// Allocates memory.
///
/// # Errors
/// Returns `CUDA_ERROR_OUT_OF_MEMORY` if the device's memory or the address space is exhausted.
pub fn allocate(context: &Arc<Context>, request: Request) -> Result<Arc<Allocation>> {
    let on_device = request.origin.on_device();
    let has_file = |pool: &Arc<Pool>| pool.file().is_some();
    let in_file = request.pool.as_ref().is_some_and(has_file);
    // The pages of a file are mapped whole.
    let size = match in_file {
        true => request.size.checked_next_multiple_of(system::PAGE),
        false => Some(request.size),
    };
    let size = size.ok_or(Code::ERROR_OUT_OF_MEMORY)?;
    let on_host = request.pool.as_ref().is_some_and(|pool| pool.is_on_host());
    let device = (on_device && !on_host).then_some(context.ordinal);
    let exportable = request.origin == Origin::Device;
    let mut backing = Backing::take(size, request.align, device, exportable)?;
    backing.in_file = in_file;
    // Host memory, managed memory and module variables are excluded, because the host writes them
    // without the emulator's knowledge.
    let is_device_only = |pool: &Arc<Pool>| !pool.is_managed() && !pool.is_on_host();
    let watched = matches!(
        request.origin,
        Origin::Device | Origin::Stream | Origin::Graph | Origin::Heap
    ) && request.pool.as_ref().is_none_or(is_device_only);
    let allocation = Arc::new(
        Allocation {
            flags: request.flags,
            pool: request.pool,
            ready: AtomicBool::new(request.ready),
            sync_memops: AtomicBool::new(on_device),
            shadow: watched.then(|| Shadow::new(request.size)).flatten(),
            ..Allocation::new(context, backing.start(), request.size, request.origin)
        }
        .on(backing),
    );
    enter(&mut write(), &allocation);
    Ok(allocation)
}

/// Adds mapped memory to the table. `flags` is the `CUmemLocationType` of the physical memory.
pub fn place(
    context: &Arc<Context>,
    base: u64,
    size: u64,
    flags: u32,
    rights: Rights,
) -> Arc<Allocation> {
    let allocation = Arc::new(Allocation {
        flags,
        rights: Some(rights),
        ..Allocation::new(context, base, size, Origin::Mapped)
    });
    enter(&mut write(), &allocation);
    allocation
}

/// Adds memory in the pages of a file to the table. It starts `skipped` bytes into the first page.
/// The pages are released with it.
pub fn place_in(
    context: &Arc<Context>,
    backing: Backing,
    skipped: u64,
    size: u64,
    origin: Origin,
    pool: Option<Arc<Pool>>,
) -> Arc<Allocation> {
    let base = backing.start() + skipped;
    let on_device = origin != Origin::Opened;
    let allocation = Arc::new(
        Allocation {
            pool,
            sync_memops: AtomicBool::new(on_device),
            ..Allocation::new(context, base, size, origin)
        }
        .on(backing),
    );
    enter(&mut write(), &allocation);
    allocation
}

/// Adds host memory that the client allocated to the table, for `cuMemHostRegister`.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the range wraps around, and
/// `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED` if it overlaps a live allocation.
pub fn register(
    context: &Arc<Context>,
    base: u64,
    size: u64,
    flags: u32,
    writable: bool,
) -> Result {
    let end = base.checked_add(size).ok_or(Code::ERROR_INVALID_VALUE)?;
    let mut tables = write();
    if let Some((_, other)) = tables.range(..end).next_back()
        && other.base + other.size > base
    {
        return Err(Code::ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    }
    let allocation = Allocation {
        flags,
        writable,
        ..Allocation::new(context, base, size, Origin::Registered)
    };
    enter(&mut tables, &Arc::new(allocation));
    Ok(())
}

/// Returns the live allocation that contains `address`.
pub fn find(address: u64) -> Option<Arc<Allocation>> {
    let tables = read();
    let (_, allocation) = tables.range(..=address).next_back()?;
    (address - allocation.base < allocation.size).then(|| allocation.clone())
}

/// Allocations that a thread has found recently, none of which has been freed since.
struct Recent {
    generation: u64,
    /// The next one to replace.
    next: usize,
    /// The base, the size, and the allocation.
    found: [(u64, u64, Weak<Allocation>); 4],
}

thread_local! {
    static RECENT: RefCell<Recent> = const {
        RefCell::new(Recent {
            generation: 0,
            next: 0,
            found: [const { (0, 0, Weak::new()) }; 4],
        })
    };
}

impl Recent {
    fn find(&mut self, address: u64) -> Option<Arc<Allocation>> {
        let now = generation();
        if self.generation == now {
            for (base, size, allocation) in &self.found {
                if address.wrapping_sub(*base) < *size {
                    return allocation.upgrade();
                }
            }
        } else {
            self.generation = now;
            self.found = Default::default();
        }
        let found = find(address)?;
        self.found[self.next] = (found.base, found.size, Arc::downgrade(&found));
        self.next = (self.next + 1) % self.found.len();
        Some(found)
    }
}

/// Returns the same as [`find`], sooner for one of the allocations that the thread has found before. The
/// checks look up each access of a kernel.
fn find_again(address: u64) -> Option<Arc<Allocation>> {
    // A client's destructor may run after the thread's recent allocations are gone.
    RECENT
        .try_with(|recent| recent.borrow_mut().find(address))
        .unwrap_or_else(|_| find(address))
}

/// Calls `visit` for each live allocation in a range, with the offset and size of its part, until it
/// returns false. Returns whether all calls returned true. The range ends at the first byte that
/// belongs to no allocation.
pub fn parts(
    mut address: u64,
    mut size: u64,
    mut visit: impl FnMut(&Arc<Allocation>, u64, u64) -> bool,
) -> bool {
    while size > 0
        && let Some(allocation) = find_again(address)
    {
        let offset = address - allocation.base;
        let part = size.min(allocation.size - offset);
        if !visit(&allocation, offset, part) {
            return false;
        }
        (address, size) = (address + part, size - part);
    }
    true
}

/// Returns the live allocations before and after an address. One that starts at or contains the
/// address is the first.
pub fn around(address: u64) -> (Option<Arc<Allocation>>, Option<Arc<Allocation>>) {
    let tables = read();
    let before = tables.range(..=address).next_back();
    let after = tables.range(address..).next();
    (
        before.map(|(_, one)| one.clone()),
        after.map(|(_, one)| one.clone()),
    )
}

/// Returns the base and size of the range of adjacent allocations around `at` for which `alike` is
/// true.
pub fn joined(at: &Allocation, alike: impl Fn(&Allocation) -> bool) -> (u64, u64) {
    let tables = read();
    let (mut base, mut end) = (at.base, at.base + at.size);
    while let Some((_, one)) = tables.range(..base).next_back()
        && one.base + one.size == base
        && alike(one)
    {
        base = one.base;
    }
    while let Some(one) = tables.get(&end)
        && alike(one)
    {
        end += one.size;
    }
    (base, end - base)
}

/// Returns the live allocation that starts at `address`.
pub fn starting_at(address: u64) -> Option<Arc<Allocation>> {
    read().get(&address).cloned()
}

/// Checks, as the driver does before a copy, that `size` bytes at `address` belong to one live
/// allocation or to adjacent mappings.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if they do not.
pub fn check(address: u64, size: u64) -> Result<Arc<Allocation>> {
    let allocation = find(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    match (address - allocation.base).checked_add(size) {
        Some(end) if end <= allocation.size => Ok(allocation),
        Some(end) if allocation.rights.is_some() => {
            let end = allocation.base.saturating_add(end);
            let tables = read();
            let mut reached = allocation.base + allocation.size;
            while reached < end {
                let next = tables.get(&reached).filter(|one| one.rights.is_some());
                reached += next.ok_or(Code::ERROR_INVALID_VALUE)?.size;
            }
            Ok(allocation)
        }
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Makes the memory of an allocation accessible or inaccessible while its address stays the same.
pub fn set_ready(allocation: &Allocation, ready: bool) {
    if let Some(shadow) = &allocation.shadow {
        shadow.clear();
    }
    allocation.ready.store(ready, Ordering::Release);
    GENERATION.fetch_add(1, Ordering::AcqRel);
}

/// Frees an allocation. `how` completes the sentence "freed by ..." in later reports. Returns false
/// if it had already been freed.
pub fn free(allocation: &Arc<Allocation>, how: impl Into<String>) -> bool {
    let mut tables = write();
    match tables.get(&allocation.base) {
        Some(live) if live.id == allocation.id => {}
        _ => return false,
    }
    tables.remove(&allocation.base);
    if allocation.is_managed() {
        managed::forget(allocation.id);
    }
    freed_allocations::note(allocation.description(), how.into());
    drop(tables);
    GENERATION.fetch_add(1, Ordering::AcqRel);
    recorded_work::forget(allocation.base, allocation.size);
    if let Some(Some(slot)) = allocation.shared.get() {
        // No process can open it any more.
        slot.retire();
    }
    // The pool is updated before the address can be allocated again.
    if let Some(pool) = &allocation.pool {
        pool.returned(allocation.base);
    }
    allocation.backing.release();
    true
}

impl Allocation {
    /// Returns whether it is mapped memory that nothing may access.
    pub fn is_inaccessible(&self) -> bool {
        self.rights.as_ref().is_some_and(Rights::are_none)
    }

    /// Returns one line about it for reports.
    pub fn summary(&self) -> String {
        self.description().to_string()
    }

    /// Returns its description, which outlives it.
    pub fn description(&self) -> Description {
        Description {
            id: self.id,
            origin: self.origin.clone(),
            base: self.base,
            size: self.size,
            caller: self.caller.clone(),
        }
    }

    /// Returns whether it is managed memory, which accepts prefetches and advice.
    pub fn is_managed(&self) -> bool {
        matches!(self.origin, Origin::Managed | Origin::Variable(_))
            || self.pool.as_ref().is_some_and(|pool| pool.is_managed())
    }

    /// Returns whether the client has to free it.
    pub fn belongs_to_client(&self) -> bool {
        match self.origin {
            Origin::Variable(_) | Origin::Heap => false,
            // The leak report lists the reservation and the physical memory instead.
            Origin::Mapped => false,
            // Between launches it belongs to the graph.
            Origin::Graph => self.ready.load(Ordering::Acquire),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use super::find_again;

    static FINISHED: AtomicU32 = AtomicU32::new(0);

    struct Last;

    impl Drop for Last {
        fn drop(&mut self) {
            assert!(find_again(1).is_none());
            FINISHED.fetch_add(1, Ordering::Relaxed);
        }
    }

    thread_local! {
        static BEFORE: Last = const { Last };
        static AFTER: Last = const { Last };
    }

    #[test]
    fn addresses_are_found_in_destructors_of_threads() {
        let thread = thread::spawn(|| {
            BEFORE.with(|_| ());
            assert!(find_again(1).is_none());
            AFTER.with(|_| ());
        });
        thread.join().unwrap();
        assert_eq!(FINISHED.load(Ordering::Relaxed), 2);
    }
}
