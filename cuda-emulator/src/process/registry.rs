//! The kinds of things that the client makes and has to give back.
//!
//! Each kind registers itself when the first of it is made. So the end of a context, and the report of what is left at
//! exit, reach all kinds without knowing any of them, and a new kind of handle is one file.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, RwLock};

use cuda_emulator_engine::Unpoisoned;

/// A kind of thing that the client makes. What takes an [`Owner`] concerns the things that live in that one's context.
pub trait Kind: Sync {
    /// What it is called; no two kinds share a name or a rank.
    fn name(&self) -> &'static str;

    /// The order in which kinds end with their context, lowest first. The leak report has the opposite order.
    fn rank(&self) -> u8;

    /// Waits until everything that has been enqueued is done.
    fn drain(&self, owner: &Owner, ended: &dyn Fn() -> bool) {
        let _ = (owner, ended);
    }

    /// Ends the things of a context. Nothing is enqueued there any more.
    fn end(&self, owner: &Owner);

    /// Has enqueued work begin where it is held back.
    fn hurry(&self) {}

    /// Whether something is about to be given back, so that the leak report had better wait a moment.
    fn is_settling(&self) -> bool {
        false
    }

    /// A line for each thing that the client hasn't given back.
    fn leaks(&self) -> Vec<String>;
}

static KINDS: RwLock<Vec<&'static dyn Kind>> = RwLock::new(Vec::new());

/// Makes a kind known. Once is enough; more do no harm.
///
/// # Panics
/// If another kind has the same rank: a defect of this crate.
pub fn register(kind: &'static dyn Kind) {
    let mut kinds = KINDS.write().unpoisoned();
    match kinds.binary_search_by_key(&kind.rank(), |one| one.rank()) {
        Ok(at) => assert_eq!(kinds[at].name(), kind.name(), "two kinds of one rank"),
        Err(at) => kinds.insert(at, kind),
    }
}

/// The kinds that are in use, lowest rank first. No lock is held while they are asked.
fn kinds() -> Vec<&'static dyn Kind> {
    KINDS.read().unpoisoned().clone()
}

/// Waits until everything that has been enqueued in a context is done.
pub fn drain(owner: &Owner) {
    drain_unless(owner, &|| false);
}

/// As [`drain`], until `ended` is true.
pub fn drain_unless(owner: &Owner, ended: &dyn Fn() -> bool) {
    kinds().iter().for_each(|kind| kind.drain(owner, ended));
}

/// Ends everything that lives in a context.
pub fn end(owner: &Owner) {
    drain(owner);
    kinds().iter().for_each(|kind| kind.end(owner));
}

/// Has all enqueued work begin where it is held back.
pub fn hurry() {
    kinds().iter().for_each(|kind| kind.hurry());
}

/// Whether something is about to be given back.
pub fn is_settling() -> bool {
    kinds().iter().any(|kind| kind.is_settling())
}

/// A line for each thing that the client hasn't given back.
pub fn leaks() -> Vec<String> {
    kinds().iter().rev().flat_map(|kind| kind.leaks()).collect()
}

/// What a context is to the things that live in it.
pub struct Owner {
    /// Never used twice in a process.
    pub id: u64,
    /// What the streams keep with a context. It is of their own type, which contexts needn't know.
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

/// A place for one value of a type that its owner doesn't know.
pub struct Slot(OnceLock<Box<dyn Any + Send + Sync>>);

impl Slot {
    /// The value, made at the first call.
    ///
    /// # Panics
    /// If the slot holds a value of another type: a defect of this crate.
    pub fn get<T: Default + Send + Sync + 'static>(&self) -> &T {
        let value = self.0.get_or_init(|| Box::<T>::default());
        value.downcast_ref().expect("a slot has one type")
    }

    /// The value if there is one.
    pub fn existing<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.get()?.downcast_ref()
    }
}

/// A process-wide number for things that need an identity of their own.
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
    }

    #[test]
    fn kinds_end_by_rank_and_leak_the_other_way_round() {
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
        let mut left = leaks();
        left.retain(|one| one == "first" || one == "second");
        assert_eq!(left, ["second", "first"], "what lives in the other context");
    }

    #[test]
    #[should_panic(expected = "two kinds of one rank")]
    fn two_kinds_of_one_rank_are_a_defect() {
        static ONE: Things = Things(0xf2, "one", Mutex::new(Vec::new()));
        static OTHER: Things = Things(0xf2, "other", Mutex::new(Vec::new()));
        register(&ONE);
        register(&OTHER);
    }

    #[test]
    fn a_slot_is_filled_once() {
        let owner = Owner::new();
        assert!(owner.streams.existing::<Mutex<u8>>().is_none());
        *owner.streams.get::<Mutex<u8>>().lock().unpoisoned() = 7;
        let kept = owner.streams.existing::<Mutex<u8>>().unwrap();
        assert_eq!(*kept.lock().unpoisoned(), 7);
    }
}
