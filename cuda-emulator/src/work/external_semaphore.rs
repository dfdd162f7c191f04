//! External semaphores: what `cuImportExternalSemaphore` makes of a descriptor.
//!
//! There is no other interface here whose semaphores these could be. What stands for them is a page in memory, which every
//! program can make and share: a file of `memfd_create` that can't be shortened (`F_SEAL_SHRINK`), and begins with three
//! words of 64 bits: the bytes `emu-sema`, the kind (1 for a binary semaphore, 9 for a timeline, as CUDA numbers their
//! handles), and the value. Whoever maps it reads and writes the value by atomic operations.

use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::{self, Context};
use crate::process::handle::{Object, Table};
use crate::process::memory_file::{Mapped, Memfd, PAGE};
use crate::process::registry::Owner;
use crate::queue::stream::{How, Piece};

/// What the page of a semaphore begins with.
const MAGIC: u64 = u64::from_le_bytes(*b"emu-sema");
const TIMELINE: u64 = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD as u64;

/// An imported semaphore.
pub struct Semaphore {
    pub handle: u64,
    context: Arc<Context>,
    page: Page,
}

/// A page that is mapped for as long as this lives.
struct Page(Mapped);

/// What is done with semaphores.
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
    /// The page of a descriptor, whose file says that it is a semaphore of this kind.
    fn of(fd: i32, kind: u32) -> Option<Page> {
        let file = Memfd::adopt_fd(fd)?;
        let mapped = (file.size()? >= PAGE).then(|| file.map(0, PAGE))??;
        let page = Page(mapped);
        let is_one = page.word(0).load(Ordering::SeqCst) == MAGIC
            && page.word(1).load(Ordering::SeqCst) == u64::from(kind);
        is_one.then_some(page)
    }

    fn word(&self, index: u64) -> &AtomicU64 {
        // SAFETY: within the page, which stays mapped, and aligned. Whoever else writes to it is another process, or uses
        // atomics.
        unsafe { &*((self.0.address + 8 * index) as *const AtomicU64) }
    }

    fn is_timeline(&self) -> bool {
        self.word(1).load(Ordering::Relaxed) == TIMELINE
    }

    fn signal(&self, value: u64) {
        let value = if self.is_timeline() { value } else { 1 };
        self.word(2).store(value, Ordering::SeqCst);
    }

    /// Whether a wait is over. That of a binary semaphore takes the signal.
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

/// Imports a semaphore by a descriptor, which is the driver's from then on.
///
/// # Errors
/// As of an H200 (driver 580): `CUDA_ERROR_INVALID_VALUE` for kinds of other systems; `CUDA_ERROR_UNKNOWN` for what is no
/// semaphore, which stays the client's. There, any object of the driver's is taken for one.
pub fn import(wanted: &ExternalSemaphoreHandle) -> Result<u64> {
    let context = context::current()?;
    let fd = wanted.handle[0] as i32;
    let known = match wanted.kind {
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD => true,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD => fd >= 0,
        _ => false,
    };
    if !known || wanted.flags != 0 || wanted.reserved != [0; 16] {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let page = Page::of(fd, wanted.kind).ok_or(Code::ERROR_UNKNOWN)?;
    // SAFETY: the client has handed the descriptor over, by this call's documentation.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
    let made = IMPORTED.insert(|handle| Semaphore {
        handle,
        context,
        page,
    });
    Ok(made.handle)
}

/// Ends it, after all work of its context.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn destroy(handle: u64) -> Result {
    let semaphore = IMPORTED.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    semaphore.context.drain();
    let removed = IMPORTED.remove(handle);
    removed.map(drop).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Signals, or waits, that have been checked, as they were given too: what a stream is given, or a node.
#[derive(Clone)]
pub struct Semaphores {
    pub act: Act,
    pub handles: Arc<[u64]>,
    pub given: Arc<[ExternalSemaphoreParams]>,
    found: Vec<Arc<Semaphore>>,
}

impl Semaphores {
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for what is no semaphore. (An H200's driver takes handles for addresses.)
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

    /// Whether a stream of a context can be given them; nodes of graphs are asked nothing, as by an H200 (driver 580).
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for none, for flags, and for semaphores of another context.
    pub fn expect(&self, context: &Arc<Context>) -> Result {
        let plain = |one: &ExternalSemaphoreParams| one.flags == 0 && one.reserved == [0; 16];
        let own = |one: &Arc<Semaphore>| Arc::ptr_eq(&one.context, context);
        if self.found.is_empty() || !self.given.iter().all(plain) || !self.found.iter().all(own) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(())
    }

    /// One run of them.
    pub fn piece(self, context: &Arc<Context>) -> Piece {
        let context = context.clone();
        // A wait would keep a helping thread from doing what it waits for.
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
                    }
                }
            }
            Ok(())
        };
        Piece::new(how, Box::new(work))
    }
}
