//! Releases that a capture forbids, put off until it has ended.

use std::{
    cell::Cell,
    mem::{self, ManuallyDrop},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{captures_exist, relaxed};
use crate::{
    callback,
    context::{Context, unheard},
    error::Result,
    stream::Stream,
};

/// What must not be captured when something is released.
#[derive(Clone, Copy)]
pub(crate) enum Needs<'a> {
    /// The release waits for these streams, or is enqueued on one of them.
    Streams(&'a [Stream]),
    /// The release waits for all work of this context.
    Context(&'a Context),
    /// The release waits for nothing that can be captured.
    Nothing,
}

type Release = Box<dyn FnOnce() -> Result<()> + Send>;

/// Something that has not been released yet.
struct Later {
    needs: OwnedNeeds,
    /// Leaked if it is never called: the device may still use what it owns.
    release: ManuallyDrop<Release>,
}

enum OwnedNeeds {
    Streams(Vec<Stream>),
    Context(Context),
    Nothing,
}

impl OwnedNeeds {
    fn borrow(&self) -> Needs<'_> {
        match self {
            Self::Streams(streams) => Needs::Streams(streams),
            Self::Context(context) => Needs::Context(context),
            Self::Nothing => Needs::Nothing,
        }
    }
}

impl Needs<'_> {
    fn owned(self) -> OwnedNeeds {
        match self {
            Self::Streams(streams) => OwnedNeeds::Streams(streams.to_vec()),
            Self::Context(context) => OwnedNeeds::Context(context.clone()),
            Self::Nothing => OwnedNeeds::Nothing,
        }
    }

    /// Whether a capture is in the way.
    fn is_captured(&self) -> bool {
        match *self {
            // A stream that cannot be asked belongs to a context that has faulted: the release itself reports that.
            Self::Streams(streams) => {
                let is_captured = |stream: &Stream| stream.is_capturing().unwrap_or(false);
                captures_exist() && streams.iter().any(is_captured)
            }
            Self::Context(context) => context.is_captured(),
            Self::Nothing => false,
        }
    }

    /// Calls `work` while no capture is in the way. Returns it if one is.
    fn attempt<R, W: FnOnce() -> R>(&self, work: W) -> Result<R, W> {
        let (first, others) = match *self {
            Self::Streams([]) | Self::Nothing => (None, &[][..]),
            Self::Streams([first, others @ ..]) => (Some(first.hold_captures_off()), others),
            Self::Context(context) => (Some(context.hold_captures_off()), &[][..]),
        };
        // Allocates only for several streams.
        let _entered: (_, Vec<_>) = (
            first,
            others.iter().map(Stream::hold_captures_off).collect(),
        );
        if self.is_captured() {
            return Err(work);
        }
        Ok(if captures_exist() {
            relaxed(work)
        } else {
            work()
        })
    }
}

static LATER: Mutex<Vec<Later>> = Mutex::new(Vec::new());
/// Whether there is anything in `LATER`, for questions without the lock.
static WAITING: AtomicBool = AtomicBool::new(false);

impl<'a> From<&'a Stream> for Needs<'a> {
    fn from(stream: &'a Stream) -> Self {
        Self::Streams(std::slice::from_ref(stream))
    }
}

/// Calls `release`, which gives something back to the driver. While a capture forbids that, or in a host function, the
/// call is put off, and this returns `Ok`. No capture that affects what it `needs` begins meanwhile.
///
/// # Errors
/// Returns the error of `release`.
pub(crate) fn release<'a>(
    needs: impl Into<Needs<'a>>,
    release: impl FnOnce() -> Result<()> + Send + 'static,
) -> Result<()> {
    let needs = needs.into();
    let attempted = match callback::is_running() {
        true => Err(release),
        false => needs.attempt(release),
    };
    let result = attempted.unwrap_or_else(|release| {
        push(needs.owned(), Box::new(release));
        Ok(())
    });
    // What a host function dropped, or what a capture forbade that has ended just now.
    if !callback::is_running() && !needs.is_captured() {
        release_later();
    }
    result
}

/// Puts off the release of what a host function drops. It waits for nothing that can be captured, or checks that itself.
pub(crate) fn put_off(release: impl FnOnce() -> Result<()> + Send + 'static) {
    push(OwnedNeeds::Nothing, Box::new(release));
}

fn push(needs: OwnedNeeds, release: Release) {
    let release = ManuallyDrop::new(release);
    let mut later = LATER.lock().unwrap_or_else(PoisonError::into_inner);
    later.push(Later { needs, release });
    WAITING.store(true, Ordering::Relaxed);
}

/// Releases what was put off, as far as no capture forbids it any more. Called when a capture has ended, and when
/// something is released outside of host functions.
pub(crate) fn release_later() {
    thread_local!(static RUNNING: Cell<bool> = const { Cell::new(false) });
    /// After a panic too.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            RUNNING.set(false);
        }
    }
    if !WAITING.load(Ordering::Relaxed) || RUNNING.replace(true) {
        return;
    }
    let _end = End;
    let waiting = {
        let mut later = LATER.lock().unwrap_or_else(PoisonError::into_inner);
        WAITING.store(false, Ordering::Relaxed);
        mem::take(&mut *later)
    };
    for Later { needs, release } in waiting {
        // An error here can't be acted upon, as in a drop.
        let release = ManuallyDrop::into_inner(release);
        if let Err(release) = unheard(|| needs.borrow().attempt(release)) {
            push(needs, release);
        }
    }
}
