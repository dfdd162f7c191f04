//! Free blocks of an address range or of a file.

use std::collections::{BTreeMap, BTreeSet};

/// A set of free blocks.
pub struct Blocks {
    /// Sizes of free blocks by address.
    by_address: BTreeMap<u64, u64>,
    /// The same blocks as (size, address).
    by_size: BTreeSet<(u64, u64)>,
}

impl Blocks {
    /// Creates a set of one free block.
    pub fn new(address: u64, size: u64) -> Blocks {
        let mut blocks = Blocks {
            by_address: BTreeMap::new(),
            by_size: BTreeSet::new(),
        };
        blocks.add(address, size);
        blocks
    }

    /// Adds a block that is not yet free, and merges it with free neighbors.
    pub fn add(&mut self, mut address: u64, mut size: u64) {
        if let Some((&before, &length)) = self.by_address.range(..address).next_back()
            && before + length == address
        {
            self.take(before, length);
            address = before;
            size += length;
        }
        if let Some(&length) = self.by_address.get(&(address + size)) {
            self.take(address + size, length);
            size += length;
        }
        self.by_address.insert(address, size);
        self.by_size.insert((size, address));
    }

    fn take(&mut self, address: u64, size: u64) {
        self.by_address.remove(&address);
        self.by_size.remove(&(size, address));
    }

    /// Allocates a block. Returns `None` if none is large enough.
    pub fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        // The smallest block that is still large enough after its start is aligned.
        let mut large = self.by_size.range((size, 0)..);
        let (address, length, start) = large.find_map(|&(length, address)| {
            let start = address.next_multiple_of(align);
            (start + size <= address + length).then_some((address, length, start))
        })?;
        self.take(address, length);
        if start > address {
            self.add(address, start - address);
        }
        if start + size < address + length {
            self.add(start + size, address + length - start - size);
        }
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_blocks_merge() {
        let mut blocks = Blocks::new(1 << 20, 1 << 20);
        let taken: Vec<u64> = (0..8)
            .map(|_| blocks.allocate(4096, 512).unwrap())
            .collect();
        for index in [1, 3, 2, 0, 7, 5, 6, 4] {
            blocks.add(taken[index], 4096);
        }
        assert_eq!(blocks.by_address.len(), 1);
        assert_eq!(blocks.by_size.iter().next(), Some(&(1 << 20, 1 << 20)));
    }
}
