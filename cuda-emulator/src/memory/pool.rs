//! Memory pools of stream-ordered allocations.

use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::pool_accounts::{Book, FILE_SIZE, PIECE};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::device;
use crate::process::handle::{Object, Table};
use crate::process::memory_file::{Memfd, PAGE};
use crate::process::registry::Owner;
use cuda_emulator_engine::Unpoisoned;

/// Reuse switches and release threshold have this number and the next ones.
const FIRST_SETTING: u32 = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;

/// A pool.
pub struct Pool {
    pub handle: u64,
    /// The device it was made for, or that its memory is charged to.
    pub ordinal: i32,
    /// The device's own, or the host's, which can't be destroyed.
    pub is_default: bool,
    /// What kind of memory it has: `CUmemAllocationType`.
    kind: u32,
    /// Where it was asked to be.
    place: (u32, i32),
    /// Most bytes it may have; `None` for no limit.
    maximum: Option<u64>,
    /// Reuse switches, which have no effect here, since freed addresses rest, and the release threshold.
    settings: Mutex<[u64; 4]>,
    book: Mutex<Book>,
    /// Ids of the streams that have freed memory of it. Those of streams that are gone stay: somebody may wait for an event
    /// that was recorded there.
    freed_on: Mutex<HashSet<u64>>,
    /// Devices beside its own that may use its memory.
    access: Mutex<HashSet<i32>>,
    /// Whose pages its memory is, where other processes may get it.
    file: Option<Memfd>,
    /// It is another process's: nothing can be allocated from it here.
    pub is_imported: bool,
    /// Other processes may have it. Before that, an H200 tells nobody of its memory.
    is_exported: AtomicBool,
}

static POOLS: Table<Pool> = Table::new();

impl Drop for Pool {
    fn drop(&mut self) {
        if self.book.get_mut().unpoisoned().pending {
            PENDING.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Object for Pool {
    const NAME: &'static str = "memory pool";
    const TAG: u8 = 0x18;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        (!self.is_default).then(|| format!("memory pool {:#x}", self.handle))
    }
}

struct Choice {
    default: Arc<Pool>,
    current: Mutex<Arc<Pool>>,
}

/// What a default pool is for: a kind of memory, and a place.
type Purpose = (u32, (u32, i32));

/// Those of devices by their numbers, and all others, which come when they are asked for.
static CHOICES: Mutex<Option<HashMap<Purpose, Arc<Choice>>>> = Mutex::new(None);

fn choice(purpose: Purpose) -> Arc<Choice> {
    let mut choices = CHOICES.lock().unpoisoned();
    let choices = choices.get_or_insert_default();
    let (kind, place) = purpose;
    let make = || {
        let default = Pool::new(kind, place, true, 0, None, false);
        let current = Mutex::new(default.clone());
        Arc::new(Choice { default, current })
    };
    choices.entry(purpose).or_insert_with(make).clone()
}

fn of_device(ordinal: i32) -> Purpose {
    let place = (CU_MEM_LOCATION_TYPE_DEVICE, ordinal);
    (CU_MEM_ALLOCATION_TYPE_PINNED, place)
}

/// A device's own pool.
pub fn default_of(ordinal: i32) -> Arc<Pool> {
    default_for(of_device(ordinal))
}

/// The pool that `cuMemAllocAsync` uses on a device.
pub fn current_of(ordinal: i32) -> Arc<Pool> {
    current_for(of_device(ordinal))
}

/// The default pool for a kind of memory and a place.
pub fn default_for(purpose: Purpose) -> Arc<Pool> {
    choice(purpose).default.clone()
}

/// The current pool for a kind of memory and a place.
pub fn current_for(purpose: Purpose) -> Arc<Pool> {
    choice(purpose).current.lock().unpoisoned().clone()
}

/// Chooses the pool that `cuMemAllocAsync` uses on a device.
pub fn set_current(ordinal: i32, pool: Arc<Pool>) -> Result {
    set_current_for(of_device(ordinal), pool)
}

/// Chooses the pool for a kind of memory and a place.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a pool of another kind or place.
pub fn set_current_for(purpose: Purpose, pool: Arc<Pool>) -> Result {
    if pool.purpose() != purpose || pool.is_imported {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    *choice(purpose).current.lock().unpoisoned() = pool;
    Ok(())
}

/// The pool behind a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn get(handle: u64) -> Result<Arc<Pool>> {
    POOLS.get(handle).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Creates a pool; with a file for its memory, if other processes may get it.
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY` where there can be no such file.
pub fn create(kind: u32, place: (u32, i32), maximum: u64, shared: bool) -> Result<Arc<Pool>> {
    let make = || {
        let name = CString::new(format!("{FILE}{}-{}", place.0, place.1));
        let name = name.map_err(|_| Code::ERROR_INVALID_VALUE)?;
        Memfd::create(&name, FILE_SIZE).ok_or(Code::ERROR_OUT_OF_MEMORY)
    };
    let file = shared.then(make).transpose()?;
    Ok(Pool::new(kind, place, false, maximum, file, false))
}

/// Another process's pool, of a device's memory or the host's.
///
/// # Errors
/// `CUDA_ERROR_UNKNOWN` for a file that is no pool.
pub fn import(fd: i32) -> Result<Arc<Pool>> {
    let file = Memfd::adopt_fd(fd).ok_or(Code::ERROR_UNKNOWN)?;
    let name = std::fs::read_link(format!("/proc/self/fd/{fd}"));
    let name = name.ok().map(|name| name.to_string_lossy().into_owned());
    // The place, and " (deleted)" behind it: the file has no name in the file system.
    let place = name.and_then(|name| {
        let place = name.strip_prefix(FILE_LINK)?.split(' ').next()?;
        let (kind, id) = place.split_once('-')?;
        Some((kind.parse::<u32>().ok()?, id.parse::<i32>().ok()?))
    });
    let known = place.filter(|place| match *place {
        (CU_MEM_LOCATION_TYPE_DEVICE, ordinal) => device::check(ordinal).is_ok(),
        place => place == (CU_MEM_LOCATION_TYPE_HOST_NUMA, 0),
    });
    let place = known.ok_or(Code::ERROR_UNKNOWN)?;
    let kind = CU_MEM_ALLOCATION_TYPE_PINNED;
    Ok(Pool::new(kind, place, false, 0, Some(file), true))
}

/// How a pool's file is named, with its place behind (`CUmemLocationType` and number), and how the system shows that.
const FILE: &str = "cuda-emulator-pool-";
const FILE_LINK: &str = "/memfd:cuda-emulator-pool-";

/// How many pools may have something to give back.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Somebody has waited: for a stream, or for a whole device. Pools give back what they don't keep.
pub fn waited(stream: Option<u64>, ordinal: i32) {
    if PENDING.load(Ordering::Acquire) == 0 {
        return; // as nearly always
    }
    for pool in POOLS.all() {
        let concerned = match stream {
            Some(stream) => pool.freed_on.lock().unpoisoned().contains(&stream),
            None => pool.ordinal == ordinal,
        };
        if concerned {
            pool.keep_to_threshold();
        }
    }
}

/// The next wait may find something to give back.
fn expect_release(book: &mut Book) {
    if !std::mem::replace(&mut book.pending, true) {
        PENDING.fetch_add(1, Ordering::AcqRel);
    }
}

/// Destroys a pool; what is allocated from it lives on.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a stale handle or a device's own pool.
pub fn destroy(handle: u64) -> Result {
    let pool = get(handle)?;
    if pool.is_default {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let choice = choice(pool.purpose());
    let mut current = choice.current.lock().unpoisoned();
    if current.handle == handle {
        *current = choice.default.clone();
    }
    POOLS
        .remove(handle)
        .map(drop)
        .ok_or(Code::ERROR_INVALID_VALUE)
}

impl Pool {
    fn new(
        kind: u32,
        place: (u32, i32),
        is_default: bool,
        maximum: u64,
        file: Option<Memfd>,
        is_imported: bool,
    ) -> Arc<Pool> {
        let ordinal = match place {
            (CU_MEM_LOCATION_TYPE_DEVICE, ordinal) => ordinal,
            _ => 0,
        };
        // A maximum is rounded up to what a pool gets at a time.
        let maximum = (maximum != 0).then(|| maximum.div_ceil(PIECE).saturating_mul(PIECE));
        let maximum = match &file {
            Some(_) => Some(maximum.unwrap_or(FILE_SIZE).min(FILE_SIZE)),
            None => maximum,
        };
        POOLS.insert(|handle| Pool {
            handle,
            ordinal,
            is_default,
            kind,
            place,
            maximum,
            settings: Mutex::new([1, 1, 1, 0]),
            book: Mutex::new(Book::new(file.is_some())),
            freed_on: Mutex::default(),
            access: Mutex::default(),
            file,
            is_imported,
            is_exported: AtomicBool::new(false),
        })
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unpoisoned()
    }

    fn purpose(&self) -> Purpose {
        (self.kind, self.place)
    }

    pub fn is_managed(&self) -> bool {
        self.kind == CU_MEM_ALLOCATION_TYPE_MANAGED
    }

    /// Whether its memory is the host's, and stays there.
    pub fn is_on_host(&self) -> bool {
        !self.is_managed() && self.place.0 != CU_MEM_LOCATION_TYPE_DEVICE
    }

    /// Where managed memory of it is best, as the attributes of ranges tell it.
    pub fn preferred(&self) -> Option<(u32, i32)> {
        let (kind, id) = self.place;
        let known = self.is_managed() && kind != CU_MEM_LOCATION_TYPE_NONE;
        known.then_some((kind, id.max(0)))
    }

    /// Whether a device may use its memory.
    pub fn allows(&self, ordinal: i32) -> bool {
        self.is_managed() || self.tells_access(ordinal)
    }

    /// Whether it says so. An H200's driver (580) says it of managed memory only where it was set.
    pub fn tells_access(&self, ordinal: i32) -> bool {
        !self.is_managed() && self.place == (CU_MEM_LOCATION_TYPE_DEVICE, ordinal)
            || self.access.lock().unpoisoned().contains(&ordinal)
    }

    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for another process's pool.
    pub fn expect_own(&self) -> Result {
        match self.is_imported {
            true => Err(Code::ERROR_INVALID_VALUE),
            false => Ok(()),
        }
    }

    /// The file of a pool that goes to other processes.
    pub fn export(&self) -> Option<&Memfd> {
        let file = self.file.as_ref()?;
        self.is_exported.store(true, Ordering::Relaxed);
        Some(file)
    }

    pub fn is_exported(&self) -> bool {
        self.is_exported.load(Ordering::Relaxed)
    }

    /// Whether its memory is a device's own.
    pub fn of_device(&self) -> bool {
        self.purpose() == of_device(self.ordinal)
    }

    /// Whether it is another device's own memory, which this one can't reach.
    pub fn lies_apart_from(&self, ordinal: i32) -> bool {
        let (kind, own) = self.place;
        !self.is_managed()
            && kind == CU_MEM_LOCATION_TYPE_DEVICE
            && own != ordinal
            && !device::are_linked(ordinal, own)
    }

    /// Gives a device access, or takes it.
    pub fn set_access(&self, ordinal: i32, given: bool) {
        let mut access = self.access.lock().unpoisoned();
        if given {
            access.insert(ordinal);
        } else {
            access.remove(&ordinal);
        }
    }

    /// Its file, where other processes may get its memory.
    pub fn file(&self) -> Option<&Memfd> {
        self.file.as_ref()
    }

    /// Where in its file the memory of an allocation lies.
    pub fn place_of(&self, address: u64) -> Option<u64> {
        self.book().place_of(address)
    }

    /// Memory of an allocation has come back.
    pub fn returned(&self, address: u64) {
        let mut book = self.book();
        book.give(address);
        expect_release(&mut book);
    }

    /// Somebody has waited: what is above the threshold goes. Another who waits at the same time gets through when it has.
    fn keep_to_threshold(&self) {
        let settings = self.settings.lock().unpoisoned();
        let mut book = self.book();
        if book.pending {
            let threshold = settings[3];
            self.release(&mut book, |reserved| reserved > threshold);
            book.pending = false;
            PENDING.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Gives back pieces that nothing lies in, for as long as `wanted` says so of the bytes that there are.
    fn release(&self, book: &mut Book, wanted: impl Fn(u64) -> bool) {
        for start in book.release(wanted) {
            // The lock is held: nobody has taken a place there yet.
            if let Some(file) = &self.file {
                file.punch(start, PIECE);
            }
        }
    }

    /// Memory of it is freed on a stream.
    pub fn freed_on(&self, stream: u64) {
        self.freed_on.lock().unpoisoned().insert(stream);
    }

    /// Gives back pieces that nothing lies in, but keeps so many bytes.
    pub fn trim(&self, keep: u64) {
        self.release(&mut self.book(), |reserved| {
            reserved.checked_sub(PIECE).is_some_and(|left| left >= keep)
        });
    }

    /// The value of a `CUmemPool_attribute`, and whether it is 64 bits wide.
    pub fn attribute(&self, attribute: u32) -> Result<(u64, bool)> {
        self.expect_own()?;
        let settings = self.settings.lock().unpoisoned();
        Ok(match attribute {
            FIRST_SETTING..=CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => {
                (settings[(attribute - FIRST_SETTING) as usize], false)
            }
            CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => (settings[3], true),
            CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => (self.book().reserved(), true),
            CU_MEMPOOL_ATTR_USED_MEM_CURRENT => (self.book().used(), true),
            CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH => (self.book().reserved_most(), true),
            CU_MEMPOOL_ATTR_USED_MEM_HIGH => (self.book().used_most(), true),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        })
    }

    /// Whether a `CUmemPool_attribute` is 64 bits wide.
    pub fn is_wide(attribute: u32) -> bool {
        attribute >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    }

    pub fn set_attribute(&self, attribute: u32, value: u64) -> Result {
        self.expect_own()?;
        let mut settings = self.settings.lock().unpoisoned();
        match attribute {
            CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => {
                settings[3] = value;
                expect_release(&mut self.book());
            }
            FIRST_SETTING..CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => {
                settings[(attribute - FIRST_SETTING) as usize] = u64::from(value != 0);
            }
            // The high-water marks may only be reset.
            CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH if value == 0 => self.book().reset_reserved_most(),
            CU_MEMPOOL_ATTR_USED_MEM_HIGH if value == 0 => self.book().reset_used_most(),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        }
        Ok(())
    }

    /// Takes memory for an allocation, which `make` makes: its address is the first result. `undo` ends it where the pool may
    /// not have as much.
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY`; that of `make`.
    pub fn take<T>(
        &self,
        size: u64,
        make: impl FnOnce() -> Result<(u64, T)>,
        undo: impl FnOnce(T),
    ) -> Result<T> {
        let (address, made) = make()?;
        let mut book = self.book();
        let Some(place) = book.take(size, self.maximum) else {
            drop(book);
            undo(made);
            return Err(Code::ERROR_OUT_OF_MEMORY);
        };
        book.bind(address, place, size);
        drop(book);
        if let Some(file) = &self.file {
            // SAFETY: memory just allocated, in whole pages; the file is larger than all places.
            let mapped = unsafe { file.map_at(address, place, size.next_multiple_of(PAGE)) };
            if !mapped {
                undo(made);
                return Err(Code::ERROR_OUT_OF_MEMORY);
            }
        }
        Ok(made)
    }
}
