//! Memory that arrays share.

use std::ops::Range;

use cuda_safe::{DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, Owner, Stream};

use super::Foreign;
use crate::{
    element::DataType,
    error::{Error, Result},
    kernel::Kernels,
};

/// Device memory that belongs to a stream, and the kernels of its context.
#[derive(Debug)]
pub(crate) struct Memory {
    held: Held,
    kernels: Kernels,
}

#[derive(Debug)]
enum Held {
    Own(DeviceBuffer<u8>),
    /// Memory of another library.
    Foreign(DeviceMemory<Foreign, u8>),
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
        Ok(Self::of(kernels, DeviceBuffer::uninit(stream, bytes)?))
    }

    /// Allocates zeroed memory.
    pub(crate) fn zeroed(kernels: &Kernels, stream: &Stream, bytes: usize) -> Result<Self> {
        Ok(Self::of(kernels, DeviceBuffer::zeroed(stream, bytes)?))
    }

    pub(crate) fn of(kernels: &Kernels, buffer: DeviceBuffer<u8>) -> Self {
        Self {
            held: Held::Own(buffer),
            kernels: kernels.clone(),
        }
    }

    pub(crate) fn foreign(kernels: &Kernels, memory: DeviceMemory<Foreign, u8>) -> Self {
        Self {
            held: Held::Foreign(memory),
            kernels: kernels.clone(),
        }
    }

    pub(crate) fn stream(&self) -> &Stream {
        match &self.held {
            Held::Own(buffer) => buffer.stream(),
            Held::Foreign(memory) => memory.storage().stream(),
        }
    }

    pub(crate) fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    pub(crate) fn address(&self) -> u64 {
        match &self.held {
            Held::Own(buffer) => buffer.as_device_ptr(),
            Held::Foreign(memory) => memory.as_device_ptr(),
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
        match &self.held {
            Held::Own(_) => false,
            Held::Foreign(memory) => memory.storage().is_read_only(),
        }
    }

    /// Returns the buffer if it belongs to this memory and the range is all of it. Otherwise returns
    /// the memory.
    pub(crate) fn into_whole(self, range: &Range<usize>) -> Result<DeviceBuffer<u8>, Self> {
        match self.held {
            Held::Own(buffer) if *range == (0..buffer.len()) => Ok(buffer),
            held => Err(Self { held, ..self }),
        }
    }

    pub(crate) fn bytes(&self, range: Range<usize>) -> Result<DeviceView<'_, u8>> {
        Ok(match &self.held {
            Held::Own(buffer) => buffer.slice(range)?,
            Held::Foreign(memory) => memory.slice(range)?,
        })
    }

    /// Returns writable bytes. The caller may write to them unless the memory [is
    /// read-only](Self::is_read_only).
    pub(crate) fn bytes_mut(&mut self, range: Range<usize>) -> Result<DeviceViewMut<'_, u8>> {
        Ok(match &mut self.held {
            Held::Own(buffer) => buffer.slice_mut(range)?,
            Held::Foreign(memory) => memory.slice_mut(range)?,
        })
    }
}
