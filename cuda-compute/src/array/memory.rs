//! The memory that arrays share.

use cuda_safe::{DeviceBuffer, Owner, Stream};

use crate::{
    element::DataType,
    error::{Error, Result},
    kernel::Kernels,
};

/// Device memory in a stream's order, and the kernels of its context.
#[derive(Debug)]
pub(crate) struct Memory {
    buffer: DeviceBuffer<u8>,
    kernels: Kernels,
}

impl Memory {
    /// Room for elements, with unspecified contents.
    pub(crate) fn new(
        kernels: &Kernels,
        stream: &Stream,
        elements: usize,
        data: DataType,
    ) -> Result<Self> {
        let bytes = elements.checked_mul(data.size()).ok_or_else(|| {
            Error::Shape(format!(
                "{elements} elements of {} are more bytes than can be counted",
                data.name()
            ))
        })?;
        Ok(Self::of(kernels, DeviceBuffer::uninit(stream, bytes)?))
    }

    /// Zero bytes.
    pub(crate) fn zeroed(kernels: &Kernels, stream: &Stream, bytes: usize) -> Result<Self> {
        Ok(Self::of(kernels, DeviceBuffer::zeroed(stream, bytes)?))
    }

    pub(crate) fn of(kernels: &Kernels, buffer: DeviceBuffer<u8>) -> Self {
        Self {
            buffer,
            kernels: kernels.clone(),
        }
    }

    pub(crate) fn stream(&self) -> &Stream {
        self.buffer.stream()
    }

    pub(crate) fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    pub(crate) fn address(&self) -> u64 {
        self.buffer.as_device_ptr()
    }

    pub(crate) fn owner(&self) -> Owner<'_> {
        self.buffer.owner()
    }

    pub(crate) fn buffer(&self) -> &DeviceBuffer<u8> {
        &self.buffer
    }

    pub(crate) fn buffer_mut(&mut self) -> &mut DeviceBuffer<u8> {
        &mut self.buffer
    }
}
