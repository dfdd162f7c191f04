//! Tables that map handles to objects.
//!
//! A handle is a number made of kind, generation and index, and never an address. So stale handles,
//! handles of another kind and arbitrary numbers are all recognized, and no handle from the client
//! is ever dereferenced.

use std::sync::{Arc, Once, RwLock};

use super::registry::{self, Kind, Owner};
use cuda_emulator_engine::Unpoisoned;

/// An object in a [`Table`].
pub trait Object: Send + Sync + Sized + 'static {
    /// Its name in reports.
    const NAME: &'static str;

    /// The high byte of its handles, and its [rank](Kind::rank). No two kinds have the same tag. No
    /// user-space address has such a high byte (0x11 to 0x7e), so a client that dereferences a
    /// handle faults at once.
    const TAG: u8;

    /// See [`Kind::is_used_by_others`].
    const USED_BY_OTHERS: bool = false;

    /// Returns the context with which it ends, or `None` if it lives in no context.
    fn owner(&self) -> Option<&Owner>;

    /// Finishes the object when its context ends. Its handle is already stale.
    fn end(self: &Arc<Self>) {}

    /// Returns its line in the leak report, or `None` if the client does not have to free it.
    fn leak(&self) -> Option<String>;
}

/// Returns whether a handle has the form of this kind's handles.
pub fn claims<T: Object>(handle: u64) -> bool {
    (handle >> 56) as u8 == T::TAG
}

/// All live objects of one kind.
pub struct Table<T> {
    slots: RwLock<Slots<T>>,
    known: Once,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

struct Slot<T> {
    generation: u32,
    value: Option<Arc<T>>,
}

impl<T: Object> Table<T> {
    pub const fn new() -> Self {
        Table {
            known: Once::new(),
            slots: RwLock::new(Slots {
                slots: Vec::new(),
                free: Vec::new(),
            }),
        }
    }

    /// Adds the object that `make` builds from its own handle.
    pub fn insert(&'static self, make: impl FnOnce(u64) -> T) -> Arc<T> {
        self.known.call_once(|| registry::register(self));
        let mut table = self.slots.write().unpoisoned();
        let index = match table.free.pop() {
            Some(index) => index,
            None => {
                table.slots.push(Slot {
                    generation: 0,
                    value: None,
                });
                (table.slots.len() - 1) as u32
            }
        };
        let slot = &mut table.slots[index as usize];
        // The generation has 20 bits, so a handle repeats after a million reuses of its slot.
        slot.generation = (slot.generation + 1) & 0xf_ffff;
        let handle =
            u64::from(T::TAG) << 56 | u64::from(slot.generation) << 32 | u64::from(index) << 4 | 8;
        let value = Arc::new(make(handle));
        slot.value = Some(value.clone());
        value
    }

    fn index(&self, handle: u64) -> Option<(usize, u32)> {
        (claims::<T>(handle) && handle & 15 == 8).then_some((
            ((handle & 0xffff_ffff) >> 4) as usize,
            (handle >> 32) as u32 & 0xff_ffff,
        ))
    }

    /// Returns the live object of a handle.
    pub fn get(&self, handle: u64) -> Option<Arc<T>> {
        let (index, generation) = self.index(handle)?;
        let table = self.slots.read().unpoisoned();
        let slot = table.slots.get(index)?;
        if slot.generation == generation {
            slot.value.clone()
        } else {
            None
        }
    }

    /// Removes the object, after which its handle is stale.
    pub fn remove(&self, handle: u64) -> Option<Arc<T>> {
        let (index, generation) = self.index(handle)?;
        let mut table = self.slots.write().unpoisoned();
        let slot = table.slots.get_mut(index)?;
        if slot.generation != generation {
            return None;
        }
        let value = slot.value.take()?;
        table.free.push(index as u32);
        Some(value)
    }

    /// Removes every object for which `condition` returns true.
    pub fn remove_where(&self, condition: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        let mut table = self.slots.write().unpoisoned();
        let mut removed = Vec::new();
        let Slots { slots, free } = &mut *table;
        for (index, slot) in slots.iter_mut().enumerate() {
            if slot.value.as_ref().is_some_and(|value| condition(value)) {
                removed.extend(slot.value.take());
                free.push(index as u32);
            }
        }
        removed
    }

    /// Returns all live objects.
    pub fn all(&self) -> Vec<Arc<T>> {
        let table = self.slots.read().unpoisoned();
        table
            .slots
            .iter()
            .filter_map(|slot| slot.value.clone())
            .collect()
    }
}

impl<T: Object> Kind for Table<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn rank(&self) -> u8 {
        T::TAG
    }

    fn end(&self, owner: &Owner) {
        let ended = self.remove_where(|one| one.owner().is_some_and(|own| own.id == owner.id));
        ended.iter().for_each(T::end);
    }

    fn leaks(&self) -> Vec<String> {
        self.all().iter().filter_map(|one| one.leak()).collect()
    }

    fn is_used_by_others(&self) -> bool {
        T::USED_BY_OTHERS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(u64);
    struct Foreign;

    impl Object for Thing {
        const NAME: &'static str = "thing";
        const TAG: u8 = 0x7d;
        fn owner(&self) -> Option<&Owner> {
            None
        }
        fn leak(&self) -> Option<String> {
            None
        }
    }
    impl Object for Foreign {
        const NAME: &'static str = "foreign";
        const TAG: u8 = 0x7e;
        fn owner(&self) -> Option<&Owner> {
            None
        }
        fn leak(&self) -> Option<String> {
            None
        }
    }

    fn table() -> &'static Table<Thing> {
        Box::leak(Box::new(Table::new()))
    }

    #[test]
    fn stale_foreign_and_arbitrary_handles_are_rejected() {
        let table = table();
        let first = table.insert(Thing);
        assert_eq!(table.get(first.0).unwrap().0, first.0);
        assert!(table.remove(first.0).is_some());
        assert!(table.get(first.0).is_none());
        assert!(table.remove(first.0).is_none());
        let second = table.insert(Thing);
        assert_ne!(first.0, second.0, "the slot is reused, the handle isn't");
        let foreign = Table::<Foreign>::new();
        assert!(foreign.get(second.0).is_none());
        for wild in [
            0,
            1,
            2,
            8,
            u64::MAX,
            second.0 + 1,
            second.0 ^ 1 << 40,
            second.0 + (1 << 4),
            0x7fff_1234_5678,
        ] {
            assert!(table.get(wild).is_none(), "{wild:#x}");
        }
    }

    #[test]
    fn reused_slot_gets_a_new_handle() {
        let table = table();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..1000 {
            let handle = table.insert(Thing).0;
            assert!(seen.insert(handle), "{handle:#x} again");
            assert_eq!(handle & 0xffff_ffff, 8, "the first slot");
            assert!(claims::<Thing>(handle) && !claims::<Foreign>(handle));
            table.remove(handle);
        }
    }

    #[test]
    fn each_handle_finds_its_own_object() {
        let table = table();
        let handles: Vec<u64> = (0..300).map(|_| table.insert(Thing).0).collect();
        for handle in handles.iter().step_by(2) {
            assert_eq!(table.remove(*handle).map(|value| value.0), Some(*handle));
        }
        let again: Vec<u64> = (0..50).map(|_| table.insert(Thing).0).collect();
        for (at, handle) in handles.iter().enumerate() {
            let live = (at % 2 == 1).then_some(*handle);
            assert_eq!(table.get(*handle).map(|value| value.0), live);
        }
        for handle in again {
            assert_eq!(table.get(handle).map(|value| value.0), Some(handle));
        }
        assert_eq!(table.all().len(), 150 + 50);
    }

    #[test]
    fn remove_where_removes_matching_objects() {
        let table = table();
        let values: Vec<_> = (0..6).map(|n| table.insert(|_| Thing(n))).collect();
        assert_eq!(table.remove_where(|one| one.0 % 2 == 0).len(), 3);
        assert_eq!(
            table.all().iter().map(|one| one.0).collect::<Vec<_>>(),
            [1, 3, 5]
        );
        drop(values);
    }
}
