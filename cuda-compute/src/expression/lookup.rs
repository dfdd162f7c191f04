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
        let mut copies = lock(&self.copies);
        let known = copies
            .iter()
            .find(|copy| copy.stream().context() == stream.context());
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let buffer = DeviceBuffer::from_slice(stream, bytemuck::cast_slice(&self.words))?;
        let copy = Arc::new(Memory::of(kernels, buffer));
        copies.push(copy.clone());
        Ok(copy)
    }
}
