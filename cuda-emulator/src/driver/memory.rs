//! The table of allocations: what every address belongs to, and what it used to belong to.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, RwLock};

use super::arena;
use super::config;
use super::context::Context;
use super::device;
use super::pool::Pool;
use super::registry::{self, Kind, Owner};
use super::shadow::Shadow;
use super::status::{Code, Result};
use crate::lock::Unpoisoned;

/// How memory came to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `cuMemAlloc`, `cuMemAllocPitch`
    Device,
    /// `cuMemAllocAsync` and its relatives
    Stream,
    /// An allocation node of a graph
    Graph,
    /// `cuMemAllocManaged`
    Managed,
    /// `cuMemAllocHost`, `cuMemHostAlloc`
    Host,
    /// `cuMemHostRegister`
    Registered,
    /// A variable of a module
    Variable(String),
    /// Device-side `malloc`
    Heap,
}

impl Origin {
    /// Whether it counts against the device's memory.
    pub fn on_device(&self) -> bool {
        !matches!(self, Origin::Host | Origin::Registered)
    }

    fn describe(&self) -> String {
        match self {
            Origin::Device => "cuMemAlloc".into(),
            Origin::Stream => "cuMemAllocAsync".into(),
            Origin::Graph => "allocation node of a graph".into(),
            Origin::Managed => "cuMemAllocManaged".into(),
            Origin::Host => "cuMemHostAlloc".into(),
            Origin::Registered => "cuMemHostRegister".into(),
            Origin::Variable(name) => format!("module variable `{name}`"),
            Origin::Heap => "malloc in a kernel".into(),
        }
    }
}

/// A live allocation.
pub struct Allocation {
    pub base: u64,
    pub size: u64,
    /// Never used twice in a process.
    pub id: u64,
    pub origin: Origin,
    /// The context it belongs to.
    pub context: Arc<Context>,
    /// Flags of the call that made it.
    pub flags: u32,
    /// Kernels may write to it.
    pub writable: bool,
    /// The pool of a stream-ordered allocation.
    pub pool: Option<Arc<Pool>>,
    /// False until a stream-ordered allocation's turn has come.
    pub ready: AtomicBool,
    /// `cuMemFreeAsync` was called.
    pub freeing: AtomicBool,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`
    pub sync_memops: AtomicBool,
    /// Bytes taken from the arena; 0 for memory of the client's own.
    reserved: u64,
    /// Which bytes have been written, with `CUDA_EMULATOR_CHECK=uninit`.
    pub shadow: Option<Shadow>,
}

/// What a freed allocation leaves behind for reports.
struct Freed {
    base: u64,
    size: u64,
    id: u64,
    origin: Origin,
    how: String,
}

struct Tables {
    live: BTreeMap<u64, Arc<Allocation>>,
    freed: VecDeque<Freed>,
}

static TABLES: RwLock<Tables> = RwLock::new(Tables {
    live: BTreeMap::new(),
    freed: VecDeque::new(),
});
static GENERATION: AtomicU64 = AtomicU64::new(1);
static NEXT_ID: AtomicU64 = AtomicU64::new(1);
/// Bytes in use of each device.
static USED: Mutex<[u64; 64]> = Mutex::new([0; 64]);
/// How many freed allocations reports can still name.
const REMEMBERED: usize = 1024;

fn read() -> std::sync::RwLockReadGuard<'static, Tables> {
    TABLES.read().unpoisoned()
}

fn write() -> std::sync::RwLockWriteGuard<'static, Tables> {
    TABLES.write().unpoisoned()
}

/// Counts up whenever an allocation goes.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// Bytes in use on a device.
pub fn used(ordinal: i32) -> u64 {
    USED.lock().unpoisoned()[ordinal as usize]
}

/// What to allocate.
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

/// Puts an allocation into the table.
fn enter(tables: &mut Tables, allocation: &Arc<Allocation>) {
    static KNOWN: Once = Once::new();
    KNOWN.call_once(|| registry::register(&Memory));
    tables.live.insert(allocation.base, allocation.clone());
}

/// Memory, as a kind of thing that the client gives back.
struct Memory;

impl Memory {
    /// The live allocations of contexts that live.
    fn all(&self) -> Vec<Arc<Allocation>> {
        let mut all: Vec<_> = read().live.values().cloned().collect();
        all.retain(|one| one.context.is_alive());
        all
    }
}

impl Kind for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn rank(&self) -> u8 {
        // After all that uses it.
        u8::MAX
    }

    fn end(&self, owner: &Owner) {
        let mut all: Vec<_> = read().live.values().cloned().collect();
        all.retain(|one| one.context.id == owner.id);
        for allocation in all {
            free(&allocation, "the end of its context");
        }
    }

    /// Whether `cuMemFreeAsync` was called for memory whose turn hasn't come.
    fn is_settling(&self) -> bool {
        let all = self.all();
        all.iter().any(|one| one.freeing.load(Ordering::Acquire))
    }

    fn leaks(&self) -> Vec<String> {
        let mut all = self.all();
        all.retain(|one| one.is_clients());
        let line = |one: &Arc<Allocation>| {
            let late = if one.freeing.load(Ordering::Acquire) {
                "; cuMemFreeAsync was called, but its stream has not got there"
            } else {
                ""
            };
            format!("{}, context {}{late}", one.summary(), one.context.id)
        };
        all.iter().map(line).collect()
    }
}

/// Makes an allocation.
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY` when the device's memory or the address space is used up.
pub fn allocate(context: &Arc<Context>, request: Request) -> Result<Arc<Allocation>> {
    let reserved = arena::rounded(request.size).ok_or(Code::ERROR_OUT_OF_MEMORY)?;
    let on_device = request.origin.on_device();
    let ordinal = context.ordinal as usize;
    if on_device {
        let mut used = USED.lock().unpoisoned();
        if reserved > device::total_memory().saturating_sub(used[ordinal]) {
            return Err(Code::ERROR_OUT_OF_MEMORY);
        }
        used[ordinal] += reserved;
    } else if reserved > device::host_memory() {
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    let Some(base) = arena::allocate(reserved, request.align) else {
        if on_device {
            USED.lock().unpoisoned()[ordinal] -= reserved;
        }
        return Err(Code::ERROR_OUT_OF_MEMORY);
    };
    // The host writes its own and managed memory, and modules their variables, where nobody can watch.
    let watched = matches!(
        request.origin,
        Origin::Device | Origin::Stream | Origin::Graph | Origin::Heap
    );
    let allocation = Arc::new(Allocation {
        base,
        size: request.size,
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        origin: request.origin,
        context: context.clone(),
        flags: request.flags,
        writable: true,
        pool: request.pool,
        ready: AtomicBool::new(request.ready),
        freeing: AtomicBool::new(false),
        sync_memops: AtomicBool::new(false),
        reserved,
        shadow: watched.then(|| Shadow::new(request.size)).flatten(),
    });
    enter(&mut write(), &allocation);
    Ok(allocation)
}

/// Makes memory of the client's own known to the device.
///
/// # Errors
/// `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED` when it overlaps a live allocation.
pub fn register(
    context: &Arc<Context>,
    base: u64,
    size: u64,
    flags: u32,
    writable: bool,
) -> Result {
    let end = base.checked_add(size).ok_or(Code::ERROR_INVALID_VALUE)?;
    let mut tables = write();
    if let Some((_, other)) = tables.live.range(..end).next_back()
        && other.base + other.size > base
    {
        return Err(Code::ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    }
    enter(
        &mut tables,
        &Arc::new(Allocation {
            base,
            size,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            origin: Origin::Registered,
            context: context.clone(),
            flags,
            writable,
            pool: None,
            ready: AtomicBool::new(true),
            freeing: AtomicBool::new(false),
            sync_memops: AtomicBool::new(false),
            reserved: 0,
            shadow: None,
        }),
    );
    Ok(())
}

/// The live allocation that contains `address`.
pub fn find(address: u64) -> Option<Arc<Allocation>> {
    let tables = read();
    let (_, allocation) = tables.live.range(..=address).next_back()?;
    (address - allocation.base < allocation.size).then(|| allocation.clone())
}

/// The live allocation that starts at `address`.
pub fn starting_at(address: u64) -> Option<Arc<Allocation>> {
    read().live.get(&address).cloned()
}

/// Checks that `size` bytes at `address` belong to one live allocation, as the driver does before a copy.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` when they don't.
pub fn check(address: u64, size: u64) -> Result<Arc<Allocation>> {
    let allocation = find(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    match (address - allocation.base).checked_add(size) {
        Some(end) if end <= allocation.size => Ok(allocation),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Gives or takes away the memory of an allocation whose address stays.
pub fn set_ready(allocation: &Allocation, ready: bool) {
    if let Some(shadow) = &allocation.shadow {
        shadow.clear();
    }
    allocation.ready.store(ready, Ordering::Release);
    GENERATION.fetch_add(1, Ordering::AcqRel);
}

/// Ends an allocation. `how` completes the sentence "freed by ..." in later reports. False if it was gone already.
pub fn free(allocation: &Arc<Allocation>, how: impl Into<String>) -> bool {
    let mut tables = write();
    match tables.live.get(&allocation.base) {
        Some(live) if live.id == allocation.id => {}
        _ => return false,
    }
    tables.live.remove(&allocation.base);
    if tables.freed.len() == REMEMBERED {
        tables.freed.pop_front();
    }
    tables.freed.push_back(Freed {
        base: allocation.base,
        size: allocation.size,
        id: allocation.id,
        origin: allocation.origin.clone(),
        how: how.into(),
    });
    drop(tables);
    GENERATION.fetch_add(1, Ordering::AcqRel);
    if allocation.reserved > 0 {
        arena::release(allocation.base, allocation.reserved);
        if allocation.origin.on_device() {
            let mut used = USED.lock().unpoisoned();
            used[allocation.context.ordinal as usize] -= allocation.reserved;
        }
    }
    if let Some(pool) = &allocation.pool {
        pool.returned(allocation.size);
    }
    true
}

/// What an access of `size` bytes at `address` met, for a fault report.
pub fn explain(address: u64, size: u32) -> String {
    let tables = read();
    let touches = |base: u64, length: u64| address < base.saturating_add(length) && address >= base;
    if address < 4096 {
        return format!("address {address:#x} is a null pointer, or an offset from one");
    }
    // What was freed last is the likeliest.
    if let Some((_, live)) = tables.live.range(..=address).next_back()
        && touches(live.base, live.size)
    {
        let place = describe(live.id, &live.origin, live.base, live.size);
        if !live.ready.load(Ordering::Acquire) && live.origin == Origin::Graph {
            return format!(
                "{place} is not allocated now: no launch of its graph has got there, or it was freed again"
            );
        }
        if !live.ready.load(Ordering::Acquire) {
            return format!(
                "{place} has not been allocated yet in its stream's order: wait for that stream first"
            );
        }
        let beyond = (address - live.base + u64::from(size)).saturating_sub(live.size);
        return match beyond {
            0 if !live.writable => format!("{place} is read-only"),
            0 => format!("{place} contains it"),
            _ => format!("the last {beyond} of {size} bytes lie beyond the end of {place}"),
        };
    }
    if let Some(freed) = tables
        .freed
        .iter()
        .rev()
        .find(|one| touches(one.base, one.size))
    {
        return format!(
            "it lies {} bytes into {}, which was freed by {}",
            address - freed.base,
            describe(freed.id, &freed.origin, freed.base, freed.size),
            freed.how
        );
    }
    let before = tables
        .live
        .range(..=address)
        .next_back()
        .map(|(_, one)| one);
    let after = tables.live.range(address..).next().map(|(_, one)| one);
    let behind = before.map(|one| (address - (one.base + one.size), one));
    let ahead = after.map(|one| (one.base - address, one));
    match (behind, ahead) {
        (None, None) => "no memory is allocated".into(),
        (Some((gap, one)), other) if other.is_none_or(|(far, _)| gap <= far) => format!(
            "it lies {gap} bytes past the end of {}",
            describe(one.id, &one.origin, one.base, one.size)
        ),
        (_, Some((gap, one))) => format!(
            "it lies {gap} bytes before the start of {}",
            describe(one.id, &one.origin, one.base, one.size)
        ),
        (Some(_), None) => unreachable!("covered by the second arm"),
    }
}

fn describe(id: u64, origin: &Origin, base: u64, size: u64) -> String {
    format!(
        "allocation {id} ({}, {size} bytes at {base:#x})",
        origin.describe()
    )
}

impl Allocation {
    /// One line for the leak report.
    pub fn summary(&self) -> String {
        describe(self.id, &self.origin, self.base, self.size)
    }

    /// Whether it belongs to another context of the same device, and to that alone: all contexts share page-locked and
    /// managed memory, and what comes from a pool is the device's.
    pub fn is_foreign_to(&self, context: &Context) -> bool {
        let shared = !self.origin.on_device()
            || matches!(self.origin, Origin::Managed | Origin::Graph)
            || self.pool.is_some();
        !shared && self.context.id != context.id && self.context.ordinal == context.ordinal
    }

    /// With `CUDA_EMULATOR_CHECK=context`: why work of a context must not touch it at `address`, if so.
    pub fn trespass(&self, context: &Context, address: u64) -> Option<String> {
        (config::get().check_context && self.is_foreign_to(context)).then(|| {
            format!(
                "it lies {} bytes into {}, which belongs to {}; this work is of {}",
                address - self.base,
                self.summary(),
                self.context.name(),
                context.name()
            )
        })
    }

    /// Whether the client has to free it itself.
    pub fn is_clients(&self) -> bool {
        match self.origin {
            Origin::Variable(_) | Origin::Heap => false,
            // Between launches it is the graph's.
            Origin::Graph => self.ready.load(Ordering::Acquire),
            _ => true,
        }
    }
}

/// Marks bytes as written, for the check of uninitialised reads.
pub fn note_write(address: u64, size: u64) {
    if let Some(allocation) = find(address)
        && let Some(shadow) = &allocation.shadow
    {
        shadow.mark(address - allocation.base, size);
    }
}

/// Whether bytes have been written, as far as anybody watched.
pub fn is_initialised(address: u64, size: u64) -> bool {
    match find(address) {
        Some(allocation) => match &allocation.shadow {
            Some(shadow) => shadow.is_marked(address - allocation.base, size),
            None => true,
        },
        None => true,
    }
}

/// Carries the written marks along with a copy.
pub fn note_copy(to: u64, from: u64, size: u64) {
    let Some(target) = find(to) else { return };
    let Some(marks) = &target.shadow else { return };
    match find(from) {
        Some(source) if source.shadow.is_some() => {
            let shadow = source.shadow.as_ref().expect("just seen");
            marks.copy(to - target.base, shadow, from - source.base, size);
        }
        _ => marks.mark(to - target.base, size),
    }
}
