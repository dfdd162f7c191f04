//! Memory that arrays share.

use std::ops::{Deref, DerefMut, Range};

use cuda_safe::{DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, Owner, Stream};

use super::Foreign;
use crate::{
    element::DataType,
    error::{Error, Result},
    kernel::{Kernels, SpareBuffer},
};

/// Device memory that belongs to a stream, and the kernels of its context.
#[derive(Debug)]
pub(crate) struct Memory(Held);

#[derive(Debug)]
enum Held {
    Own(Returned),
    /// Memory of another library.
    Foreign(DeviceMemory<Foreign, u8>, Kernels),
}

/// A buffer that goes to the spare memory of these kernels when it is dropped.
#[derive(Debug)]
struct Returned {
    /// `None` only after [`take`](Self::take).
    memory: Option<SpareBuffer>,
    kernels: Kernels,
}

impl Returned {
    fn take(mut self) -> DeviceBuffer<u8> {
        let memory = self.memory.take();
        memory.expect("only this method takes it").buffer
    }
}

impl Deref for Returned {
    type Target = DeviceBuffer<u8>;

    fn deref(&self) -> &DeviceBuffer<u8> {
        let memory = self.memory.as_ref();
        &memory.expect("only `take` takes it").buffer
    }
}

impl DerefMut for Returned {
    fn deref_mut(&mut self) -> &mut DeviceBuffer<u8> {
        let memory = self.memory.as_mut();
        &mut memory.expect("only `take` takes it").buffer
    }
}

impl Drop for Returned {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.kernels.spare().put(memory);
        }
    }
}

impl Memory {
    /// Allocates memory for elements, with unspecified contents.
    pub(crate) fn new(
        kernels: &Kernels,
        stream: &Stream,
        elements: usize,
        data: DataType,
    ) -> Result<Self> {
        let bytes = elements.checked_mul(data.size()).ok_or_else(|| {
            Error::Shape(format!(
                "the size in bytes of {elements} elements of {} overflows",
                data.name()
            ))
        })?;
        let memory = kernels.spare().allocate(stream, bytes)?;
        Ok(Self::returned(kernels, memory))
    }

    /// Allocates zeroed memory.
    pub(crate) fn zeroed(kernels: &Kernels, stream: &Stream, bytes: usize) -> Result<Self> {
        let mut memory = kernels.spare().allocate(stream, bytes)?;
        memory.buffer.fill(stream, 0)?;
        Ok(Self::returned(kernels, memory))
    }

    pub(crate) fn of(kernels: &Kernels, buffer: DeviceBuffer<u8>) -> Self {
        Self::returned(kernels, SpareBuffer::to_free(buffer))
    }

    fn returned(kernels: &Kernels, memory: SpareBuffer) -> Self {
        Self(Held::Own(Returned {
            memory: Some(memory),
            kernels: kernels.clone(),
        }))
    }

    pub(crate) fn foreign(kernels: &Kernels, memory: DeviceMemory<Foreign, u8>) -> Self {
        Self(Held::Foreign(memory, kernels.clone()))
    }

    pub(crate) fn stream(&self) -> &Stream {
        match &self.0 {
            Held::Own(buffer) => buffer.stream(),
            Held::Foreign(memory, _) => memory.storage().stream(),
        }
    }

    pub(crate) fn kernels(&self) -> &Kernels {
        match &self.0 {
            Held::Own(buffer) => &buffer.kernels,
            Held::Foreign(_, kernels) => kernels,
        }
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> usize {
        match &self.0 {
            Held::Own(buffer) => buffer.len(),
            Held::Foreign(memory, _) => memory.len(),
        }
    }

    pub(crate) fn address(&self) -> u64 {
        match &self.0 {
            Held::Own(buffer) => buffer.as_device_ptr(),
            Held::Foreign(memory, _) => memory.as_device_ptr(),
        }
    }

    /// Returns an error if the memory is not aligned for elements of this type.
    pub(crate) fn check_alignment(&self, data: DataType) -> Result<()> {
        if self.address().is_multiple_of(data.alignment() as u64) {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "the memory at {:#x} is not aligned for elements of {}",
            self.address(),
            data.name()
        )))
    }

    pub(crate) fn owner(&self) -> Owner<'_> {
        Owner::Stream(self.stream())
    }

    /// Returns whether an array must be copied before writing even if it is the only user of the
    /// memory.
    pub(crate) fn is_read_only(&self) -> bool {
        match &self.0 {
            Held::Own(_) => false,
            Held::Foreign(memory, _) => memory.storage().is_read_only(),
        }
    }

    /// Returns the buffer if it belongs to this memory and the range is all of it. Otherwise returns
    /// the memory.
    pub(crate) fn into_whole(self, range: &Range<usize>) -> Result<DeviceBuffer<u8>, Self> {
        match self.0 {
            Held::Own(buffer) if *range == (0..buffer.len()) => Ok(buffer.take()),
            held => Err(Self(held)),
        }
    }

    pub(crate) fn bytes(&self, range: Range<usize>) -> Result<DeviceView<'_, u8>> {
        Ok(match &self.0 {
            Held::Own(buffer) => buffer.slice(range)?,
            Held::Foreign(memory, _) => memory.slice(range)?,
        })
    }

    /// Returns writable bytes. The caller may write to them unless the memory [is
    /// read-only](Self::is_read_only).
    pub(crate) fn bytes_mut(&mut self, range: Range<usize>) -> Result<DeviceViewMut<'_, u8>> {
        Ok(match &mut self.0 {
            Held::Own(buffer) => buffer.slice_mut(range)?,
            Held::Foreign(memory, _) => memory.slice_mut(range)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::*;

    #[test]
    fn dropped_memory_is_used_again() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::with_spare_memory(&context);
        let new = || Memory::new(&kernels, &stream, 25, DataType::F32).unwrap();
        let address = |memory: &Memory| memory.address();
        let first = new();
        let used = address(&first);
        assert_ne!(address(&new()), used); // the first one is not dropped yet
        drop(first);
        // The most recently dropped memory is taken first.
        let mut zeroed = Memory::zeroed(&kernels, &stream, 100).unwrap();
        assert_eq!(address(&zeroed), used);
        let ones = [1u8; 100];
        let mut bytes = zeroed.bytes_mut(0..100).unwrap();
        bytes.copy_from_slice(&stream, &ones).unwrap();
        drop(zeroed);
        let zeroed = Memory::zeroed(&kernels, &stream, 100).unwrap();
        assert_eq!(address(&zeroed), used);
        let bytes = zeroed.bytes(0..100).unwrap();
        assert_eq!(bytes.to_vec(&stream).unwrap(), [0; 100]);
        // A buffer that leaves an array, and one that entered it, are not kept.
        let buffer = zeroed.into_whole(&(0..100)).unwrap();
        drop(Memory::of(&kernels, buffer));
        assert!(kernels.spare().free(), "the second memory of `new` is kept");
        drop(Memory::of(
            &kernels,
            DeviceBuffer::uninit(&stream, 100).unwrap(),
        ));
        assert!(!kernels.spare().free());
    }
}
