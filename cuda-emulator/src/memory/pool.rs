//! Memory pools for stream-ordered allocation.

use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::pool_accounts::{Account, FILE_SIZE, PIECE};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::device;
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use crate::system::{self, Descriptor, MemoryFile, PAGE};
use cuda_emulator_engine::Unpoisoned;

/// The first attribute with a stored setting. The reuse switches and the release threshold have
/// consecutive numbers.
const FIRST_SETTING: u32 = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;

/// A memory pool.
pub struct Pool {
    pub handle: u64,
    /// The device that it was created for, or whose budget its memory counts against.
    pub ordinal: i32,
    /// Whether it is the default pool of a device or of the host, which cannot be destroyed.
    pub is_default: bool,
    /// The kind of its memory: `CUmemAllocationType`.
    kind: u32,
    /// Its requested location.
    place: (u32, i32),
    /// Maximum size in bytes. `None` means no limit.
    maximum: Option<u64>,
    /// The reuse switches and the release threshold. The switches have no effect, because the
    /// emulator delays reuse of freed addresses.
    settings: Mutex<[u64; 4]>,
    account: Mutex<Account>,
    /// Ids of the streams that have freed memory of it. Destroyed streams stay in the set, because
    /// a thread may still wait for an event recorded there.
    freed_on: Mutex<HashSet<u64>>,
    /// Other devices that may access its memory.
    access: Mutex<HashSet<i32>>,
    /// The file that backs its memory, if other processes may open it.
    file: Option<MemoryFile>,
    /// Whether it belongs to another process, so that nothing can be allocated from it here.
    pub is_imported: bool,
    /// Whether it has been exported. Before that, an H200 does not export pointers to its memory.
    is_exported: AtomicBool,
}

static POOLS: Table<Pool> = Table::new();

impl Drop for Pool {
    fn drop(&mut self) {
        if self.account.get_mut().unpoisoned().pending {
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

/// The purpose of a default pool: kind of memory and location.
type Purpose = (u32, (u32, i32));

/// Default and current pools of devices and other locations, created on first use.
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

/// Returns a device's default pool.
pub fn default_of(ordinal: i32) -> Arc<Pool> {
    default_for(of_device(ordinal))
}

/// Returns the pool that `cuMemAllocAsync` uses on a device.
pub fn current_of(ordinal: i32) -> Arc<Pool> {
    current_for(of_device(ordinal))
}

/// Returns the default pool for a kind of memory and a location.
pub fn default_for(purpose: Purpose) -> Arc<Pool> {
    choice(purpose).default.clone()
}

/// Returns the current pool for a kind of memory and a location.
pub fn current_for(purpose: Purpose) -> Arc<Pool> {
    choice(purpose).current.lock().unpoisoned().clone()
}

/// Sets the pool that `cuMemAllocAsync` uses on a device.
///
/// # Errors
/// Returns the errors of [`set_current_for`].
pub fn set_current(ordinal: i32, pool: Arc<Pool>) -> Result {
    set_current_for(of_device(ordinal), pool)
}

/// Sets the current pool for a kind of memory and a location.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the pool has another kind or location, or is imported.
pub fn set_current_for(purpose: Purpose, pool: Arc<Pool>) -> Result {
    if pool.purpose() != purpose || pool.is_imported {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    *choice(purpose).current.lock().unpoisoned() = pool;
    Ok(())
}

/// Returns the pool of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not that of a live pool.
pub fn get(handle: u64) -> Result<Arc<Pool>> {
    POOLS.get(handle).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Creates a pool. Its memory is in a file if other processes may open it.
///
/// # Errors
/// Returns `CUDA_ERROR_OUT_OF_MEMORY` if the file cannot be created.
pub fn create(kind: u32, place: (u32, i32), maximum: u64, shared: bool) -> Result<Arc<Pool>> {
    let make = || {
        let name = CString::new(format!("{FILE}{}-{}", place.0, place.1));
        let name = name.map_err(|_| Code::ERROR_INVALID_VALUE)?;
        MemoryFile::create(&name, FILE_SIZE).ok_or(Code::ERROR_OUT_OF_MEMORY)
    };
    let file = shared.then(make).transpose()?;
    Ok(Pool::new(kind, place, false, maximum, file, false))
}

/// Imports another process's pool of device or host memory.
///
/// # Errors
/// Returns `CUDA_ERROR_UNKNOWN` if the file is not a pool.
pub fn import(fd: Descriptor) -> Result<Arc<Pool>> {
    let file = MemoryFile::adopt_fd(fd).ok_or(Code::ERROR_UNKNOWN)?;
    let place = system::memory_file_name(fd).and_then(|name| {
        let (kind, id) = name.strip_prefix(FILE)?.split_once('-')?;
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

/// Prefix of the name of a pool's file, which ends in the pool's location (`CUmemLocationType` and
/// id).
const FILE: &str = "cuda-emulator-pool-";

/// Number of pools that may have memory to release.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Releases memory of pools after a wait for a stream or a whole device.
pub fn release_after_wait(stream: Option<u64>, ordinal: i32) {
    if PENDING.load(Ordering::Acquire) == 0 {
        return; // the usual case
    }
    for pool in POOLS.all() {
        let concerned = match stream {
            Some(stream) => pool.freed_on.lock().unpoisoned().contains(&stream),
            None => pool.ordinal == ordinal,
        };
        if concerned {
            pool.trim_to_threshold();
        }
    }
}

/// Makes the next wait check the pool for memory to release.
fn expect_release(account: &mut Account) {
    if !std::mem::replace(&mut account.pending, true) {
        PENDING.fetch_add(1, Ordering::AcqRel);
    }
}

/// Destroys a pool. Memory allocated from it stays valid.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for a stale handle or a default pool.
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
        file: Option<MemoryFile>,
        is_imported: bool,
    ) -> Arc<Pool> {
        let ordinal = match place {
            (CU_MEM_LOCATION_TYPE_DEVICE, ordinal) => ordinal,
            _ => 0,
        };
        // The maximum is rounded up to the size in which a pool grows.
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
            account: Mutex::new(Account::new(file.is_some())),
            freed_on: Mutex::default(),
            access: Mutex::default(),
            file,
            is_imported,
            is_exported: AtomicBool::new(false),
        })
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unpoisoned()
    }

    fn purpose(&self) -> Purpose {
        (self.kind, self.place)
    }

    pub fn is_managed(&self) -> bool {
        self.kind == CU_MEM_ALLOCATION_TYPE_MANAGED
    }

    /// Returns whether its memory is host memory and not managed.
    pub fn is_on_host(&self) -> bool {
        !self.is_managed() && self.place.0 != CU_MEM_LOCATION_TYPE_DEVICE
    }

    /// Returns the preferred location of its managed memory, as range attributes report it.
    pub fn preferred(&self) -> Option<(u32, i32)> {
        let (kind, id) = self.place;
        let known = self.is_managed() && kind != CU_MEM_LOCATION_TYPE_NONE;
        known.then_some((kind, id.max(0)))
    }

    /// Returns whether a device may access its memory.
    pub fn allows(&self, ordinal: i32) -> bool {
        self.is_managed() || self.reports_access(ordinal)
    }

    /// Returns whether it reports access of a device. For managed memory, an H200's driver (580)
    /// reports access only if it was set.
    pub fn reports_access(&self, ordinal: i32) -> bool {
        !self.is_managed() && self.place == (CU_MEM_LOCATION_TYPE_DEVICE, ordinal)
            || self.access.lock().unpoisoned().contains(&ordinal)
    }

    /// Checks that the pool belongs to this process.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is imported.
    pub fn expect_own(&self) -> Result {
        match self.is_imported {
            true => Err(Code::ERROR_INVALID_VALUE),
            false => Ok(()),
        }
    }

    /// Returns the pool's file for export, and marks the pool as exported.
    pub fn export(&self) -> Option<&MemoryFile> {
        let file = self.file.as_ref()?;
        self.is_exported.store(true, Ordering::Relaxed);
        Some(file)
    }

    pub fn is_exported(&self) -> bool {
        self.is_exported.load(Ordering::Relaxed)
    }

    /// Returns whether it has plain memory of a device.
    pub fn of_device(&self) -> bool {
        self.purpose() == of_device(self.ordinal)
    }

    /// Returns whether it has plain memory of another device to which `ordinal` has no link.
    pub fn is_unreachable_from(&self, ordinal: i32) -> bool {
        let (kind, own) = self.place;
        !self.is_managed()
            && kind == CU_MEM_LOCATION_TYPE_DEVICE
            && own != ordinal
            && !device::are_linked(ordinal, own)
    }

    /// Grants or revokes a device's access.
    pub fn set_access(&self, ordinal: i32, given: bool) {
        let mut access = self.access.lock().unpoisoned();
        if given {
            access.insert(ordinal);
        } else {
            access.remove(&ordinal);
        }
    }

    /// Returns its file, if other processes may open it.
    pub fn file(&self) -> Option<&MemoryFile> {
        self.file.as_ref()
    }

    /// Returns the offset of an allocation in its file.
    pub fn place_of(&self, address: u64) -> Option<u64> {
        self.account().place_of(address)
    }

    /// Records that an allocation was freed.
    pub fn returned(&self, address: u64) {
        let mut account = self.account();
        account.remove(address);
        expect_release(&mut account);
    }

    /// Releases the memory above the threshold after a wait. Another waiting thread continues only
    /// when the release is done.
    fn trim_to_threshold(&self) {
        let settings = self.settings.lock().unpoisoned();
        let mut account = self.account();
        if account.pending {
            let threshold = settings[3];
            self.release(&mut account, |reserved| reserved > threshold);
            account.pending = false;
            PENDING.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Releases unused pieces while `wanted` is true for the reserved bytes.
    fn release(&self, account: &mut Account, wanted: impl Fn(u64) -> bool) {
        for start in account.release(wanted) {
            // The lock is held, so nothing has been allocated there yet.
            if let Some(file) = &self.file {
                file.punch(start, PIECE);
            }
        }
    }

    /// Records that memory of the pool is freed on a stream.
    pub fn freed_on(&self, stream: u64) {
        self.freed_on.lock().unpoisoned().insert(stream);
    }

    /// Releases unused pieces, but keeps at least `keep` bytes.
    pub fn trim(&self, keep: u64) {
        self.release(&mut self.account(), |reserved| {
            reserved.checked_sub(PIECE).is_some_and(|left| left >= keep)
        });
    }

    /// Returns the value of a `CUmemPool_attribute`, and whether it is 64 bits wide.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pool is imported or the attribute does not exist.
    pub fn attribute(&self, attribute: u32) -> Result<(u64, bool)> {
        self.expect_own()?;
        let settings = self.settings.lock().unpoisoned();
        Ok(match attribute {
            FIRST_SETTING..=CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => {
                (settings[(attribute - FIRST_SETTING) as usize], false)
            }
            CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => (settings[3], true),
            CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => (self.account().reserved(), true),
            CU_MEMPOOL_ATTR_USED_MEM_CURRENT => (self.account().used(), true),
            CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH => (self.account().reserved_most(), true),
            CU_MEMPOOL_ATTR_USED_MEM_HIGH => (self.account().used_most(), true),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        })
    }

    /// Returns whether a `CUmemPool_attribute` is 64 bits wide.
    pub fn is_wide(attribute: u32) -> bool {
        attribute >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    }

    /// Sets a `CUmemPool_attribute`.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pool is imported, if the attribute cannot be set,
    /// or if the value of a high-water mark is not 0.
    pub fn set_attribute(&self, attribute: u32, value: u64) -> Result {
        self.expect_own()?;
        let mut settings = self.settings.lock().unpoisoned();
        match attribute {
            CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => {
                settings[3] = value;
                expect_release(&mut self.account());
            }
            FIRST_SETTING..CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => {
                settings[(attribute - FIRST_SETTING) as usize] = u64::from(value != 0);
            }
            // High-water marks can only be reset.
            CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH if value == 0 => self.account().reset_reserved_most(),
            CU_MEMPOOL_ATTR_USED_MEM_HIGH if value == 0 => self.account().reset_used_most(),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        }
        Ok(())
    }

    /// Makes an allocation with `make`, whose first result is the address, and accounts for it. If
    /// the pool has no room, `undo` frees it again.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_OUT_OF_MEMORY` if the pool has no room, or the error of `make`.
    pub fn take<T>(
        &self,
        size: u64,
        make: impl FnOnce() -> Result<(u64, T)>,
        undo: impl FnOnce(T),
    ) -> Result<T> {
        let (address, made) = make()?;
        let mut account = self.account();
        let Some(place) = account.take(size, self.maximum) else {
            drop(account);
            undo(made);
            return Err(Code::ERROR_OUT_OF_MEMORY);
        };
        account.bind(address, place, size);
        drop(account);
        if let Some(file) = &self.file {
            // SAFETY: memory just allocated, in whole pages. The file is larger than all places.
            let mapped = unsafe { file.map_at(address, place, size.next_multiple_of(PAGE)) };
            if !mapped {
                undo(made);
                return Err(Code::ERROR_OUT_OF_MEMORY);
            }
        }
        Ok(made)
    }
}
