//! The bytes that one kernel writes, for `CUDA_EMULATOR_CHECK=unwritten`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::allocations::{self, Allocation};
use super::shadow::Shadow;
use cuda_emulator_engine::Unpoisoned;

/// The allocations that a launch has written to, by number, with the written bytes.
#[derive(Default)]
pub struct WriteCoverage(Mutex<BTreeMap<u64, (Arc<Allocation>, Shadow)>>);

impl WriteCoverage {
    /// Records a write.
    pub fn note(&self, address: u64, size: u64) {
        let mut written = self.0.lock().unpoisoned();
        allocations::parts(address, size, |allocation, offset, size| {
            if allocation.belongs_to_client() {
                let (_, shadow) = written.entry(allocation.id).or_insert_with(|| {
                    let shadow = Shadow::with_size(allocation.size);
                    (allocation.clone(), shadow)
                });
                shadow.mark(offset, size);
            }
            true
        });
    }

    /// Returns the number of allocations that were written to in part, and a function that describes
    /// the first of them, which takes long.
    pub fn gaps(&self) -> (usize, impl FnOnce() -> String) {
        let written = self.0.lock().unpoisoned();
        let gaps = written.values().filter_map(|(allocation, shadow)| {
            let (first, count) = shadow.gaps(allocation.size)?;
            Some((allocation.clone(), first, count))
        });
        let gaps: Vec<_> = gaps.collect();
        let count = gaps.len();
        let describe = move || {
            let Some((allocation, first, count)) = gaps.into_iter().next() else {
                return String::new();
            };
            let size = allocation.size;
            let which = match first + count == size {
                true => format!("the last {count}"),
                false => format!("{count} others, the first at offset {first}"),
            };
            format!(
                "wrote {} of {size} bytes of {}, and not {which}",
                size - count,
                allocation.summary()
            )
        };
        (count, describe)
    }
}
