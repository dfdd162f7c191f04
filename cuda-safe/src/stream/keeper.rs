//! The owner of a borrowed stream.

use std::{any::Any, panic::AssertUnwindSafe};

use crate::{capture, context::Context, driver::callback};

/// Keeps a borrowed stream alive until it is dropped.
pub(super) struct Keeper(Option<Kept>);

struct Kept {
    _owner: AssertUnwindSafe<Box<dyn Any + Send + Sync>>,
    /// Dropped after the owner, which may destroy the stream.
    _context: Context,
}

impl Keeper {
    pub(super) fn new(owner: impl Any + Send + Sync, context: Context) -> Self {
        Self(Some(Kept {
            _owner: AssertUnwindSafe(Box::new(owner)),
            _context: context,
        }))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if callback::is_running() {
            // The owner's `drop` may call the driver, which is forbidden here.
            let kept = self.0.take();
            capture::postpone(move || {
                drop(kept);
                Ok(())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{RefUnwindSafe, UnwindSafe},
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use crate::{Context, Stream, driver::callback};

    /// Records whether a host function was running when it was dropped.
    struct Owner(Stream, Arc<AtomicUsize>);

    impl Drop for Owner {
        fn drop(&mut self) {
            assert!(!callback::is_running());
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn owners_are_dropped_outside_of_host_functions() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let dropped = Arc::new(AtomicUsize::new(0));
        let owner = Owner(Stream::new(&context).unwrap(), dropped.clone());
        let raw = owner.0.as_raw();
        // SAFETY: `owner` keeps the stream alive.
        let borrowed = unsafe { Stream::borrow_raw_with(raw, &context, owner) };
        stream.launch_host_function(move || drop(borrowed)).unwrap();
        stream.synchronize().unwrap();
        Stream::new(&context).unwrap().close().unwrap(); // makes postponed releases
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn streams_can_be_used_in_catch_unwind() {
        fn check<T: UnwindSafe + RefUnwindSafe>() {}
        check::<Stream>();
    }
}
