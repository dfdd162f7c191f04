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
        let Some(allocation) = allocations::find(address).filter(|one| one.belongs_to_client())
        else {
            return;
        };
        let offset = address - allocation.base;
        let mut written = self.0.lock().unpoisoned();
        let (_, shadow) = written.entry(allocation.id).or_insert_with(|| {
            let shadow = Shadow::with_size(allocation.size);
            (allocation, shadow)
        });
        shadow.mark(offset, size);
    }

    /// Returns a sentence for each allocation that was written to in part.
    pub fn gaps(&self) -> Vec<String> {
        let written = self.0.lock().unpoisoned();
        let gap = |(allocation, shadow): &(Arc<Allocation>, Shadow)| {
            let size = allocation.size;
            let (first, count) = shadow.gaps(size)?;
            let which = match first + count == size {
                true => format!("the last {count}"),
                false => format!("{count} others, the first at offset {first}"),
            };
            Some(format!(
                "wrote {} of {size} bytes of {}, and not {which}",
                size - count,
                allocation.summary()
            ))
        };
        written.values().filter_map(gap).collect()
    }
}
