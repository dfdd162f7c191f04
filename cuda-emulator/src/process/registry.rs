//! The kinds of objects that a client creates and has to free.
//!
//! Each kind registers itself when its first object is created. So closing a context and the leak
//! report reach all kinds without depending on them, and a new kind of handle needs only one file.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, RwLock};

use cuda_emulator_engine::Unpoisoned;

/// A kind of object that clients create. Methods that take an [`Owner`] concern the objects that
/// live in its context.
pub trait Kind: Sync {
    /// Returns the kind's name. No two kinds share a name or a rank.
    fn name(&self) -> &'static str;

    /// Returns the position in which the kind ends with its context, lowest first. The leak report
    /// uses the opposite order.
    fn rank(&self) -> u8;

    /// Waits until all enqueued work is done, or until `ended` returns true.
    fn drain(&self, owner: &Owner, ended: &dyn Fn() -> bool) {
        let _ = (owner, ended);
    }

    /// Ends the objects of a context. Nothing more is enqueued there.
    fn end(&self, owner: &Owner);

    /// Starts enqueued work that is being delayed.
    fn start_delayed(&self) {}

    /// Returns whether a free is still queued, so that the leak report should wait a moment.
    fn has_queued_frees(&self) -> bool {
        false
    }

    /// Returns a line for each object that the client has not freed.
    fn leaks(&self) -> Vec<String>;

    /// Returns whether clients keep an object of this kind alive while objects of other kinds use
    /// it. If those leak, it leaks too.
    fn is_used_by_others(&self) -> bool {
        false
    }
}

static KINDS: RwLock<Vec<&'static dyn Kind>> = RwLock::new(Vec::new());

/// Registers a kind. Registering it again has no effect.
///
/// # Panics
/// Panics if another kind has the same rank, which is a defect of this crate.
pub fn register(kind: &'static dyn Kind) {
    let mut kinds = KINDS.write().unpoisoned();
    match kinds.binary_search_by_key(&kind.rank(), |one| one.rank()) {
        Ok(at) => assert_eq!(
            kinds[at].name(),
            kind.name(),
            "two kinds have the same rank"
        ),
        Err(at) => kinds.insert(at, kind),
    }
}

/// Returns the kinds in use, lowest rank first. The lock is released before their methods are
/// called.
fn kinds() -> Vec<&'static dyn Kind> {
    KINDS.read().unpoisoned().clone()
}

/// Waits until all work enqueued in a context is done.
pub fn drain(owner: &Owner) {
    drain_unless(owner, &|| false);
}

/// Like [`drain`], but returns early once `ended` returns true.
pub fn drain_unless(owner: &Owner, ended: &dyn Fn() -> bool) {
    kinds().iter().for_each(|kind| kind.drain(owner, ended));
}

/// Ends all objects that live in a context.
pub fn end(owner: &Owner) {
    drain(owner);
    kinds().iter().for_each(|kind| kind.end(owner));
}

/// Starts all enqueued work that is being delayed.
pub fn start_delayed() {
    kinds().iter().for_each(|kind| kind.start_delayed());
}

/// Returns whether a free is still queued.
pub fn has_queued_frees() -> bool {
    kinds().iter().any(|kind| kind.has_queued_frees())
}

/// Returns a line for each object that the client has not freed: of the kinds that no other object
/// uses, and of those that others use.
pub fn leaks() -> (Vec<String>, Vec<String>) {
    let (mut plain, mut used) = (Vec::new(), Vec::new());
    for kind in kinds().iter().rev() {
        let lines = if kind.is_used_by_others() {
            &mut used
        } else {
            &mut plain
        };
        lines.extend(kind.leaks());
    }
    (plain, used)
}

/// The identity of a context for the objects that live in it.
pub struct Owner {
    /// Unique in the process.
    pub id: u64,
    /// Data of the stream module for each context. Contexts do not need to know its type.
    pub streams: Slot,
}

impl Owner {
    pub fn new() -> Owner {
        Owner {
            id: next_number(),
            streams: Slot(OnceLock::new()),
        }
    }
}

/// A place for one value of a type that its owner does not know.
pub struct Slot(OnceLock<Box<dyn Any + Send + Sync>>);

impl Slot {
    /// Returns the value, creating it on the first call.
    ///
    /// # Panics
    /// Panics if the slot holds a value of another type, which is a defect of this crate.
    pub fn get<T: Default + Send + Sync + 'static>(&self) -> &T {
        let value = self.0.get_or_init(|| Box::<T>::default());
        value.downcast_ref().expect("a slot has one type")
    }

    /// Returns the value if it exists.
    pub fn existing<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.get()?.downcast_ref()
    }
}

/// Returns a process-wide unique number.
pub fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    struct Things(u8, &'static str, Mutex<Vec<u64>>);

    static ENDED: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

    impl Kind for Things {
        fn name(&self) -> &'static str {
            self.1
        }
        fn rank(&self) -> u8 {
            self.0
        }
        fn end(&self, owner: &Owner) {
            let mut things = self.2.lock().unpoisoned();
            let before = things.len();
            things.retain(|one| *one != owner.id);
            if things.len() < before {
                ENDED.lock().unpoisoned().push(self.1);
            }
        }
        fn leaks(&self) -> Vec<String> {
            let things = self.2.lock().unpoisoned();
            things.iter().map(|_| self.1.to_string()).collect()
        }
        fn is_used_by_others(&self) -> bool {
            self.1 == "first"
        }
    }

    #[test]
    fn kinds_end_by_rank_and_leaks_of_used_kinds_are_separate() {
        static FIRST: Things = Things(0xf0, "first", Mutex::new(Vec::new()));
        static SECOND: Things = Things(0xf1, "second", Mutex::new(Vec::new()));
        let (owner, other) = (Owner::new(), Owner::new());
        for kind in [&SECOND, &FIRST, &SECOND] {
            register(kind);
            let mut things = kind.2.lock().unpoisoned();
            *things = vec![owner.id, other.id];
        }
        end(&owner);
        assert_eq!(*ENDED.lock().unpoisoned(), ["first", "second"]);
        let (mut left, used) = leaks();
        left.retain(|one| one == "first" || one == "second");
        assert_eq!(left, ["second"], "objects in the other context");
        assert!(used.contains(&"first".to_string()), "{used:?}");
    }

    #[test]
    #[should_panic(expected = "two kinds have the same rank")]
    fn registering_two_kinds_of_one_rank_panics() {
        static ONE: Things = Things(0xf2, "one", Mutex::new(Vec::new()));
        static OTHER: Things = Things(0xf2, "other", Mutex::new(Vec::new()));
        register(&ONE);
        register(&OTHER);
    }

    #[test]
    fn slot_is_initialized_once() {
        let owner = Owner::new();
        assert!(owner.streams.existing::<Mutex<u8>>().is_none());
        *owner.streams.get::<Mutex<u8>>().lock().unpoisoned() = 7;
        let kept = owner.streams.existing::<Mutex<u8>>().unwrap();
        assert_eq!(*kept.lock().unpoisoned(), 7);
    }
}
