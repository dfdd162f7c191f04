//! Releases that are postponed because a capture forbids them.

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
    gate::{self, Length, Place, captures_exist},
    mode::relaxed,
};
use crate::{
    driver::callback,
    error::{Result, fault::discarding_errors},
};

/// The streams that must not be captured during a release: one or several streams, all streams of a
/// context, or [`Nothing`].
pub(crate) trait Needs {
    /// Returns whether one of the streams is captured.
    fn is_captured(&self) -> bool;

    /// Returns the place where no capture may begin during the release, and further places.
    fn places(&self) -> (Place, Vec<Place>);

    /// Returns the same requirements for a release that is postponed.
    fn kept(&self) -> Box<dyn Needs + Send>;

    /// Returns whether the release is known not to wait for anything.
    fn is_done(&self) -> bool;

    /// Returns whether the release waits for all work of a context.
    fn is_context(&self) -> bool {
        false
    }
}

/// The requirements of a release that waits for nothing that can be captured.
pub(crate) struct Nothing;

impl Needs for Nothing {
    fn is_captured(&self) -> bool {
        false
    }

    fn places(&self) -> (Place, Vec<Place>) {
        (Place::NONE, Vec::new())
    }

    fn kept(&self) -> Box<dyn Needs + Send> {
        Box::new(Self)
    }

    fn is_done(&self) -> bool {
        true
    }
}

type Release = Box<dyn FnOnce() -> Result<()> + Send>;

/// A postponed release.
struct Later {
    needs: Box<dyn Needs + Send>,
    /// The release. If it is never called, it is leaked, because the device may still use the
    /// memory that it owns.
    release: ManuallyDrop<Release>,
}

/// Calls `work` if no capture is in the way. Returns `work` otherwise.
fn attempt<R, W: FnOnce() -> R>(needs: &(impl Needs + ?Sized), work: W) -> Result<R, W> {
    let _inside = Inside::enter();
    let (first, others) = needs.places();
    let first = gate::enter(first, Length::Long);
    let others = others.into_iter();
    let _entered: (_, Vec<_>) = (
        first,
        others.map(|one| gate::enter(one, Length::Long)).collect(),
    );
    if needs.is_captured() {
        return Err(work);
    }
    Ok(if captures_exist() {
        relaxed(work)
    } else {
        work()
    })
}

thread_local! {
    /// The nesting depth of attempts on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// User objects that are dropped when the outermost attempt has ended.
    static OUTSIDE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// A guard: this thread is in an attempt.
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

/// Drops a user object after the current release has ended. It must not be dropped while this
/// thread keeps captures from beginning, because its drop may wait for a thread that begins one.
pub(crate) fn drop_after_release(value: impl Any) {
    if DEPTH.get() > 0 {
        let value: Box<dyn Any> = Box::new(value);
        // If the thread is ending, the value is dropped here.
        let _ = OUTSIDE.try_with(|outside| outside.borrow_mut().push(value));
    }
}

fn drop_deferred() {
    while DEPTH.get() == 0
        && let Ok(Some(value)) = OUTSIDE.try_with(|outside| outside.borrow_mut().pop())
    {
        drop(value);
    }
}

static LATER: Mutex<Vec<Later>> = Mutex::new(Vec::new());
/// Whether `LATER` has elements, for reading without the lock.
static WAITING: AtomicBool = AtomicBool::new(false);

/// The number of captures of this crate that have ended.
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// Calls `release`, which releases a driver object. If a capture forbids that, or in a host
/// function, postpones the call and returns `Ok`. No capture that affects the streams in `needs`
/// begins meanwhile.
///
/// # Errors
/// Returns the error of `release`.
pub(crate) fn release(
    needs: &(impl Needs + ?Sized),
    release: impl FnOnce() -> Result<()> + Send + 'static,
) -> Result<()> {
    let attempted = match callback::is_running() {
        true => Err(release),
        false => attempt(needs, release),
    };
    let result = attempted.unwrap_or_else(|release| {
        push(needs.kept(), Box::new(release));
        Ok(())
    });
    drop_deferred();
    match needs.is_context() {
        // This release waited for a context anyway.
        true => run(|other| other.is_context() || other.is_done()),
        false => release_later(),
    }
    result
}

/// Postpones the release of an object that a host function drops. The release waits for nothing
/// that can be captured, or checks that itself.
pub(crate) fn postpone(release: impl FnOnce() -> Result<()> + Send + 'static) {
    push(Box::new(Nothing), Box::new(release));
}

fn push(needs: Box<dyn Needs + Send>, release: Release) {
    let release = ManuallyDrop::new(release);
    let mut later = LATER.lock().unwrap_or_else(PoisonError::into_inner);
    later.push(Later { needs, release });
    WAITING.store(true, Ordering::Relaxed);
}

/// Makes all postponed releases that no capture forbids any more and that need no wait. Called when
/// another object is released.
pub(crate) fn release_later() {
    run(|needs| needs.is_done());
}

/// Makes all postponed releases that no capture forbids any more. Waits, as the drops would have
/// done.
pub(super) fn capture_ended() {
    ENDED.fetch_add(1, Ordering::Relaxed);
    run(|_| true);
}

fn run(is_due: impl Fn(&dyn Needs) -> bool) {
    thread_local!(static RUNNING: Cell<bool> = const { Cell::new(false) });
    /// Clears the flag, also after a panic.
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
    // Repeat if a capture has ended meanwhile: its thread did not find the releases that this
    // thread had taken.
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
            if !is_due(needs.as_ref()) {
                push(needs, release);
                continue;
            }
            // The error is ignored, as in a drop.
            if let Err(release) = discarding_errors(|| attempt(needs.as_ref(), release)) {
                push(needs, release);
            }
        }
    }
    drop(end);
    drop_deferred();
}
