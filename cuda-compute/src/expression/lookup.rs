//! Tables that functions look numbers up in.

use std::sync::{Arc, Mutex};

use cuda_safe::{DeviceBuffer, Stream, bytemuck};

use crate::{
    array::Memory,
    error::Result,
    kernel::{Kernels, lock},
};

/// A table of numbers, with a copy in each context in which an evaluation needed it.
///
/// The copies exist as long as this object, and so do the streams that they belong to.
#[derive(Debug)]
pub(crate) struct Lookup {
    words: Box<[u32]>,
    copies: Mutex<Vec<Arc<Memory>>>,
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

    /// Returns the copy in the context of `stream`, which the first call enqueues there.
    pub(super) fn on(&self, kernels: &Kernels, stream: &Stream) -> Result<Arc<Memory>> {
        let of_context = |copy: &&Arc<Memory>| copy.stream().context() == stream.context();
        let known = lock(&self.copies).iter().find(of_context).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        // The list is not locked over calls of the driver, which may call a listener of the program.
        let buffer = DeviceBuffer::from_slice(stream, bytemuck::cast_slice(&self.words))?;
        let new = Arc::new(Memory::of(kernels, buffer));
        let mut copies = lock(&self.copies);
        if let Some(known) = copies.iter().find(of_context) {
            let known = known.clone();
            drop(copies);
            return Ok(known); // another thread was faster
        }
        copies.push(new.clone());
        Ok(new)
    }
}
