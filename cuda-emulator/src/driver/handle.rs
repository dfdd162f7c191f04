//! Tables that turn handles into objects.
//!
//! A handle is a number, never an address: kind, generation and index. So a stale handle, one of another kind and
//! plain nonsense are all recognised, and nothing that the client passes is ever dereferenced.

use crate::lock::Unpoisoned;
use std::sync::{Arc, RwLock};

/// The high byte of a handle. No user-space address looks like this, so a client that dereferences one faults at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Context = 0x11,
    Stream = 0x12,
    Event = 0x13,
    Module = 0x14,
    Function = 0x15,
    Library = 0x16,
    Kernel = 0x17,
    Pool = 0x18,
    Linker = 0x19,
    Graph = 0x1a,
}

/// The kind a handle claims to be of, as its high byte.
pub fn kind_of(handle: u64) -> u8 {
    (handle >> 56) as u8
}

/// All live objects of one kind.
pub struct Table<T> {
    kind: Kind,
    slots: RwLock<Slots<T>>,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

struct Slot<T> {
    generation: u32,
    value: Option<Arc<T>>,
}

impl<T> Table<T> {
    pub const fn new(kind: Kind) -> Self {
        Table {
            kind,
            slots: RwLock::new(Slots {
                slots: Vec::new(),
                free: Vec::new(),
            }),
        }
    }

    /// Adds the object that `make` builds for its own handle.
    pub fn insert(&self, make: impl FnOnce(u64) -> T) -> Arc<T> {
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
        // 20 bits of generation: a handle comes back after a million reuses of its slot.
        slot.generation = (slot.generation + 1) & 0xf_ffff;
        let handle =
            (self.kind as u64) << 56 | u64::from(slot.generation) << 32 | u64::from(index) << 4 | 8;
        let value = Arc::new(make(handle));
        slot.value = Some(value.clone());
        value
    }

    fn index(&self, handle: u64) -> Option<(usize, u32)> {
        (kind_of(handle) == self.kind as u8 && handle & 15 == 8).then_some((
            ((handle & 0xffff_ffff) >> 4) as usize,
            (handle >> 32) as u32 & 0xff_ffff,
        ))
    }

    /// The live object behind a handle.
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

    /// Takes the object out: its handle is stale from now on.
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

    /// Takes out every object that `condition` picks.
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

    /// Every live object.
    pub fn all(&self) -> Vec<Arc<T>> {
        let table = self.slots.read().unpoisoned();
        table
            .slots
            .iter()
            .filter_map(|slot| slot.value.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_foreign_and_wild_handles_are_told_apart() {
        let table = Table::new(Kind::Event);
        let first = table.insert(|handle| handle);
        assert_eq!(*table.get(*first).unwrap(), *first);
        assert!(table.remove(*first).is_some());
        assert!(table.get(*first).is_none());
        assert!(table.remove(*first).is_none());
        let second = table.insert(|handle| handle);
        assert_ne!(*first, *second, "the slot is reused, the handle isn't");
        let foreign = Table::<u64>::new(Kind::Stream);
        assert!(foreign.get(*second).is_none());
        for wild in [
            0,
            1,
            2,
            8,
            u64::MAX,
            *second + 1,
            *second ^ 1 << 40,
            *second + (1 << 4),
            0x7fff_1234_5678,
        ] {
            assert!(table.get(wild).is_none(), "{wild:#x}");
        }
    }

    #[test]
    fn a_slot_that_is_used_again_never_gives_the_same_handle() {
        let table = Table::new(Kind::Event);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..1000 {
            let handle = *table.insert(|handle| handle);
            assert!(seen.insert(handle), "{handle:#x} again");
            assert_eq!(handle & 0xffff_ffff, 8, "the first slot");
            assert_eq!(kind_of(handle), Kind::Event as u8);
            table.remove(handle);
        }
    }

    #[test]
    fn each_of_many_handles_leads_to_its_own() {
        let table = Table::new(Kind::Event);
        let handles: Vec<u64> = (0..300).map(|_| *table.insert(|handle| handle)).collect();
        for handle in handles.iter().step_by(2) {
            assert_eq!(table.remove(*handle).map(|value| *value), Some(*handle));
        }
        let again: Vec<u64> = (0..50).map(|_| *table.insert(|handle| handle)).collect();
        for (at, handle) in handles.iter().enumerate() {
            let live = (at % 2 == 1).then_some(*handle);
            assert_eq!(table.get(*handle).map(|value| *value), live);
        }
        for handle in again {
            assert_eq!(table.get(handle).map(|value| *value), Some(handle));
        }
        assert_eq!(table.all().len(), 150 + 50);
    }

    #[test]
    fn removal_by_condition() {
        let table = Table::new(Kind::Event);
        let values: Vec<_> = (0..6).map(|n| table.insert(|_| n)).collect();
        assert_eq!(table.remove_where(|n| n % 2 == 0).len(), 3);
        assert_eq!(
            table.all().iter().map(|n| **n).collect::<Vec<_>>(),
            [1, 3, 5]
        );
        drop(values);
    }
}
