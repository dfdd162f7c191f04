//! Storage for physical memory that no other process can open. All of it shares one file, so that
//! thousands of pieces do not each need a descriptor.

use std::sync::{Mutex, OnceLock};

use super::free_blocks::Blocks;
use crate::system::{MemoryFile, PAGE};
use cuda_emulator_engine::Unpoisoned;

struct Store {
    file: MemoryFile,
    free: Mutex<Blocks>,
}

/// A part of the file, returned when this is dropped.
pub struct Part {
    store: &'static Store,
    offset: u64,
    size: u64,
}

/// Returns the file, which is as large as the system allows.
fn store() -> Option<&'static Store> {
    static STORE: OnceLock<Option<Store>> = OnceLock::new();
    let make = || {
        let sizes = std::iter::successors(Some(1u64 << 46), |size| Some(size / 2));
        let mut sizes = sizes.take_while(|&size| size >= 1 << 26);
        sizes.find_map(|size| {
            Some(Store {
                file: MemoryFile::create(c"cuda-emulator-physical", size)?,
                free: Mutex::new(Blocks::new(0, size)),
            })
        })
    };
    STORE.get_or_init(make).as_ref()
}

impl Part {
    /// Allocates whole pages of zeros. Returns `None` if there is no room.
    pub fn take(size: u64) -> Option<Part> {
        let store = store()?;
        let offset = store.free.lock().unpoisoned().allocate(size, PAGE)?;
        Some(Part {
            store,
            offset,
            size,
        })
    }

    /// Returns the file and the offset of the part.
    pub fn place(&self) -> (&MemoryFile, u64) {
        (&self.store.file, self.offset)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.store.file.punch(self.offset, self.size);
        let mut free = self.store.free.lock().unpoisoned();
        free.add(self.offset, self.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(
        windows,
        ignore = "a file of this size would take memory before it is used"
    )]
    fn reused_parts_are_zeroed() {
        let size = 2 << 20;
        let part = Part::take(size).unwrap();
        let (file, first) = part.place();
        file.write(&[7; 8], first + 4096).unwrap();
        drop(part);
        let again = Part::take(size).unwrap();
        let (file, offset) = again.place();
        let mut bytes = [1; 8];
        file.read(&mut bytes, offset + 4096).unwrap();
        assert_eq!(bytes, [0; 8]);
        let other = Part::take(size).unwrap();
        assert!(other.place().1.abs_diff(offset) >= size);
    }
}
