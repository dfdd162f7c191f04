//! Releases that a capture forbids, put off until it has ended.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    mem::{self, ManuallyDrop},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use super::{
    captures_exist,
    gate::{self, Length, Place, Queue},
    relaxed,
};
use crate::{
    context::{Context, unheard},
    driver::callback,
    error::{Result, ends_context},
    stream::Stream,
};

/// The streams that must not be captured when something is released.
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
    /// Leaked if it is never called: the device may still use the memory that it owns.
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

impl OwnedNeeds {
    /// Whether nothing has to be waited for, as far as that can be known without a wait.
    fn is_done(&self) -> bool {
        match self {
            // A stream that cannot be queried has faulted: the release reports that.
            Self::Streams(streams) => relaxed(|| {
                let mut streams = streams.iter();
                streams.all(|stream| unheard(|| stream.query()).unwrap_or(true))
            }),
            Self::Context(_) => false,
            Self::Nothing => true,
        }
    }
}

impl Needs<'_> {
    fn owned(self) -> OwnedNeeds {
        match self {
            // Only its own thread can ask about it, and that may end.
            Self::Streams(streams) if streams.iter().any(Stream::is_per_thread) => {
                OwnedNeeds::Context(streams[0].context().clone())
            }
            Self::Streams(streams) => OwnedNeeds::Streams(streams.to_vec()),
            Self::Context(context) => OwnedNeeds::Context(context.clone()),
            Self::Nothing => OwnedNeeds::Nothing,
        }
    }

    /// Whether a capture is in the way.
    fn is_captured(&self) -> bool {
        match *self {
            Self::Streams(streams) => {
                let is_captured = |stream: &Stream| match stream.is_of_other_thread() {
                    // Only its own thread can ask.
                    true => stream.context().is_captured(),
                    // After a fault the release itself reports it. A stream that cannot be asked may be captured.
                    false => stream
                        .is_capturing()
                        .unwrap_or_else(|error| !error.driver_code().is_some_and(ends_context)),
                };
                captures_exist() && streams.iter().any(is_captured)
            }
            Self::Context(context) => context.is_captured(),
            Self::Nothing => false,
        }
    }

    fn places(&self) -> (Place, Vec<Place>) {
        match *self {
            Self::Streams([first, others @ ..]) => {
                // Allocates only for several streams.
                (first.place(), others.iter().map(Stream::place).collect())
            }
            Self::Context(context) => (Place::new(context, Queue::All), Vec::new()),
            Self::Streams([]) | Self::Nothing => (Place::NONE, Vec::new()),
        }
    }

    /// Calls `work` while no capture is in the way. Returns it if one is.
    fn attempt<R, W: FnOnce() -> R>(&self, work: W) -> Result<R, W> {
        let _inside = Inside::enter();
        let (first, others) = self.places();
        let first = gate::enter(first, Length::Long);
        let others = others.into_iter();
        let _entered: (_, Vec<_>) = (
            first,
            others.map(|one| gate::enter(one, Length::Long)).collect(),
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

thread_local! {
    /// How many attempts this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// User objects that are dropped when the outermost attempt is over.
    static OUTSIDE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// This thread is in an attempt.
struct Inside;

impl Inside {
    fn enter() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Drops an object of the user's when the release under way is over: not while this thread keeps captures from beginning,
/// since the drop may wait for a thread that begins one.
pub(crate) fn drop_outside(value: impl Any) {
    if DEPTH.get() > 0 {
        let value: Box<dyn Any> = Box::new(value);
        // If the thread is ending, dropped here.
        let _ = OUTSIDE.try_with(|outside| outside.borrow_mut().push(value));
    }
}

fn drop_waiting() {
    while DEPTH.get() == 0
        && let Ok(Some(value)) = OUTSIDE.try_with(|outside| outside.borrow_mut().pop())
    {
        drop(value);
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

/// How often a capture of this crate has ended.
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// Calls `release`, which releases a driver object. While a capture forbids that, or in a host function, the call is put
/// off, and this returns `Ok`. No capture that affects the streams that it `needs` begins meanwhile.
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
    drop_waiting();
    match needs {
        // This waited for a context anyway.
        Needs::Context(_) => {
            run(|other| matches!(other, OwnedNeeds::Context(_)) || other.is_done())
        }
        Needs::Streams(_) | Needs::Nothing => release_later(),
    }
    result
}

/// Puts off the release of an object that a host function drops. It waits for nothing that can be captured, or checks that
/// itself.
pub(crate) fn put_off(release: impl FnOnce() -> Result<()> + Send + 'static) {
    push(OwnedNeeds::Nothing, Box::new(release));
}

fn push(needs: OwnedNeeds, release: Release) {
    let release = ManuallyDrop::new(release);
    let mut later = LATER.lock().unwrap_or_else(PoisonError::into_inner);
    later.push(Later { needs, release });
    WAITING.store(true, Ordering::Relaxed);
}

/// Releases everything that was put off, if no capture forbids it any more and it needs no wait. Called when something
/// else is released.
pub(crate) fn release_later() {
    run(OwnedNeeds::is_done);
}

/// Releases everything that was put off, if no capture forbids it any more. Waits, as the drop would have done.
pub(super) fn capture_ended() {
    ENDED.fetch_add(1, Ordering::Relaxed);
    run(|_| true);
}

fn run(is_due: impl Fn(&OwnedNeeds) -> bool) {
    thread_local!(static RUNNING: Cell<bool> = const { Cell::new(false) });
    /// After a panic too.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            RUNNING.set(false);
        }
    }
    if !WAITING.load(Ordering::Relaxed) || callback::is_running() || RUNNING.replace(true) {
        return;
    }
    let end = End;
    // Again if a capture has ended meanwhile: its thread did not find the releases that this one had taken.
    let mut before = None;
    while before != Some(ENDED.load(Ordering::Relaxed)) {
        before = Some(ENDED.load(Ordering::Relaxed));
        let waiting = {
            let mut later = LATER.lock().unwrap_or_else(PoisonError::into_inner);
            WAITING.store(false, Ordering::Relaxed);
            mem::take(&mut *later)
        };
        for Later { needs, release } in waiting {
            let release = ManuallyDrop::into_inner(release);
            if !is_due(&needs) {
                push(needs, release);
                continue;
            }
            // An error here can't be acted upon, as in a drop.
            if let Err(release) = unheard(|| needs.borrow().attempt(release)) {
                push(needs, release);
            }
        }
    }
    drop(end);
    drop_waiting();
}
