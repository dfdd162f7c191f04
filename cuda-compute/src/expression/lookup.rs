//! Tables that functions look numbers up in.

use std::{
    ffi::c_void,
    sync::{Arc, Mutex},
};

use cuda_safe::{LaunchConfig, Stream};

use super::early::launch;
use crate::{
    array::Memory,
    element::DataType,
    error::Result,
    kernel::{ARRAYS, Kernels, Source, Specialisation, lock},
};

/// The words of a table that one launch writes. Every device accepts 4 KiB of parameters.
const WORDS: usize = 1000;
/// The maximum number of streams whose copies are kept.
const STREAMS: usize = 16;
const THREADS: u32 = 256;

/// A table of numbers, with a copy for each stream on which an evaluation needed it.
///
/// The copies exist as long as this object, and so do their streams. If there are more than [`STREAMS`],
/// the oldest copy is freed.
#[derive(Debug)]
pub(crate) struct Lookup {
    words: Box<[u32]>,
    copies: Mutex<Vec<Arc<Memory>>>,
}

/// The kernel that writes a part of a table. It takes the words from the launch's parameters, so that no
/// evaluation waits for a copy of the host's memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WritePart;

impl Specialisation for WritePart {
    fn source(&self) -> Source {
        Source::new("lookup.cu", include_str!("../kernels/lookup.cu"), "lookup")
            .header("scalar.cuh", include_str!("../kernels/scalar.cuh"))
            .header("array.cuh", ARRAYS)
            .define("WORDS", WORDS)
    }
}

impl Lookup {
    pub(crate) fn new(words: Vec<u32>) -> Self {
        Self {
            words: words.into(),
            copies: Mutex::default(),
        }
    }

    /// Returns the numbers.
    #[cfg(test)]
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the copy for `stream`, which the first call enqueues there.
    pub(super) fn on(&self, kernels: &Kernels, stream: &Stream) -> Result<Arc<Memory>> {
        let of_stream = |copy: &&Arc<Memory>| copy.stream() == stream;
        let known = lock(&self.copies).iter().find(of_stream).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        // The list is not locked over calls of the driver, which may call a listener of the program.
        let new = Arc::new(self.copy(kernels, stream)?);
        let mut copies = lock(&self.copies);
        let oldest = (copies.len() == STREAMS).then(|| copies.remove(0));
        copies.push(new.clone());
        drop(copies);
        drop(oldest);
        Ok(new)
    }

    fn copy(&self, kernels: &Kernels, stream: &Stream) -> Result<Memory> {
        let memory = Memory::new(kernels, stream, self.words.len(), DataType::U32)?;
        let kernel = kernels.get(&WritePart)?;
        for (part, words) in self.words.chunks(WORDS).enumerate() {
            let mut own = [0; WORDS];
            own[..words.len()].copy_from_slice(words);
            let mut to = memory.address() + (part * WORDS * size_of::<u32>()) as u64;
            let mut count = words.len() as u64;
            let mut pointers: [*mut c_void; 3] = [
                own.as_mut_ptr().cast(),
                (&raw mut to).cast(),
                (&raw mut count).cast(),
            ];
            let config = LaunchConfig::new(1, THREADS);
            // SAFETY: these are the kernel's parameters. It begins with `wait_for_previous_kernel` and
            // writes `count` words of the memory.
            unsafe {
                launch(
                    &kernel,
                    stream,
                    config,
                    &mut pointers,
                    [&memory].into_iter(),
                )?;
            }
        }
        Ok(memory)
    }
}
