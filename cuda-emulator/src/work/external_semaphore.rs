//! External semaphores imported by `cuImportExternalSemaphore`.
//!
//! The emulator has no graphics interface that could provide semaphores. Instead, a semaphore is a
//! page in memory that every program can create and share. It is a file of `memfd_create` that is
//! sealed against shrinking (`F_SEAL_SHRINK`), or on Windows a section of the page file. It starts
//! with three words of 64 bits: the bytes `emu-sema`, the kind (1 for a binary semaphore, 9 for a
//! timeline, on Windows 2 and 10, as in CUDA's handle types), and the value. All processes that map it access the value by atomic operations.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::{self, Context};
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use crate::queue::happens_before;
use crate::queue::stream::{How, Piece};
use crate::system::{self, Descriptor, Mapped, MemoryFile, PAGE};

/// The first word of a semaphore's page.
const MAGIC: u64 = u64::from_le_bytes(*b"emu-sema");
const TIMELINE: u64 = EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_FILE as u64;

/// An imported semaphore.
pub struct Semaphore {
    pub handle: u64,
    context: Arc<Context>,
    page: Page,
}

/// A page that is mapped until this is dropped.
struct Page(Mapped);

/// An operation on semaphores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Signal,
    Wait,
}

static IMPORTED: Table<Semaphore> = Table::new();

impl Object for Semaphore {
    const NAME: &'static str = "external semaphore";
    const TAG: u8 = 0x35;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn leak(&self) -> Option<String> {
        Some(format!("external semaphore {:#x}", self.handle))
    }
}

impl Page {
    /// Maps the page of a descriptor, if its file is a semaphore of this kind.
    fn of(fd: Descriptor, kind: u32) -> Option<Page> {
        let file = MemoryFile::adopt_fd(fd)?;
        let mapped = (file.size()? >= PAGE).then(|| file.map(0, PAGE))??;
        let page = Page(mapped);
        let is_one = page.word(0).load(Ordering::SeqCst) == MAGIC
            && page.word(1).load(Ordering::SeqCst) == u64::from(kind);
        is_one.then_some(page)
    }

    fn word(&self, index: u64) -> &AtomicU64 {
        // SAFETY: within the page, which stays mapped, and aligned. Other writers are in other
        // processes or use atomics.
        unsafe { &*((self.0.address + 8 * index) as *const AtomicU64) }
    }

    fn is_timeline(&self) -> bool {
        self.word(1).load(Ordering::Relaxed) == TIMELINE
    }

    fn signal(&self, value: u64) {
        let value = if self.is_timeline() { value } else { 1 };
        self.word(2).store(value, Ordering::SeqCst);
    }

    /// Returns whether a wait is over. The wait for a binary semaphore consumes the signal.
    fn passes(&self, value: u64) -> bool {
        let word = self.word(2);
        match self.is_timeline() {
            true => word.load(Ordering::SeqCst) >= value,
            false => word
                .compare_exchange(1, 0, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok(),
        }
    }
}

/// Imports a semaphore from a descriptor, which belongs to the driver from then on.
///
/// # Errors
/// As on an H200 (driver 580), returns `CUDA_ERROR_INVALID_VALUE` for kinds of other systems, and
/// `CUDA_ERROR_UNKNOWN` if the descriptor is not a semaphore. After an error, the client still owns
/// the descriptor. (An H200's driver accepts any object that it exported as a semaphore.)
pub fn import(wanted: &ExternalSemaphoreHandle) -> Result<u64> {
    let context = context::current()?;
    let fd = wanted.handle[0] as Descriptor;
    let known = match wanted.kind {
        EXTERNAL_SEMAPHORE_HANDLE_TYPE_FILE => true,
        EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_FILE => wanted.handle[0] as i32 >= 0,
        _ => false,
    };
    if !known || wanted.flags != 0 || wanted.reserved != [0; 16] {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let page = Page::of(fd, wanted.kind).ok_or(Code::ERROR_UNKNOWN)?;
    // SAFETY: by the call's documentation, the driver now owns the descriptor.
    unsafe { system::close(fd) };
    let made = IMPORTED.insert(|handle| Semaphore {
        handle,
        context,
        page,
    });
    Ok(made.handle)
}

/// Destroys a semaphore after all work of its context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live.
pub fn destroy(handle: u64) -> Result {
    let semaphore = IMPORTED.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    semaphore.context.drain();
    let removed = IMPORTED.remove(handle);
    removed.map(drop).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Checked signals or waits together with the client's parameters, from a stream call or a node.
#[derive(Clone)]
pub struct Semaphores {
    pub act: Act,
    pub handles: Arc<[u64]>,
    pub given: Arc<[ExternalSemaphoreParams]>,
    found: Vec<Arc<Semaphore>>,
}

impl Semaphores {
    /// Looks up the semaphores.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if a handle is not that of a live semaphore. (An H200's
    /// driver dereferences handles.)
    pub fn new(act: Act, handles: &[u64], given: &[ExternalSemaphoreParams]) -> Result<Semaphores> {
        let found = handles
            .iter()
            .map(|&handle| IMPORTED.get(handle).ok_or(Code::ERROR_INVALID_VALUE));
        Ok(Semaphores {
            act,
            found: found.collect::<Result<_>>()?,
            handles: handles.into(),
            given: given.into(),
        })
    }

    /// Checks the operations for a stream of a context. Nodes of graphs are not checked, as on an
    /// H200 (driver 580).
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` for an empty list, for flags, and for semaphores of
    /// another context.
    pub fn expect(&self, context: &Arc<Context>) -> Result {
        let plain = |one: &ExternalSemaphoreParams| one.flags == 0 && one.reserved == [0; 16];
        let own = |one: &Arc<Semaphore>| Arc::ptr_eq(&one.context, context);
        if self.found.is_empty() || !self.given.iter().all(plain) || !self.found.iter().all(own) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(())
    }

    /// Returns the stream work of one run.
    pub fn piece(self, context: &Arc<Context>) -> Piece {
        let context = context.clone();
        // A wait on a helping thread would keep that thread from doing the work it waits for.
        let how = match self.act {
            Act::Signal => How::Soon,
            Act::Wait => How::ByWorker,
        };
        let work = move || {
            for (one, params) in self.found.iter().zip(&*self.given) {
                match self.act {
                    Act::Signal => one.page.signal(params.value),
                    Act::Wait => {
                        while !one.page.passes(params.value)
                            && context.own_fault().is_none()
                            && context.is_alive()
                        {
                            std::thread::sleep(Duration::from_micros(20));
                        }
                        happens_before::acquire_all();
                    }
                }
            }
            Ok(())
        };
        Piece::new(how, Box::new(work))
    }
}
