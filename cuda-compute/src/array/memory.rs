//! Memory that arrays share.

use std::ops::{Deref, DerefMut, Range};

use cuda_safe::{DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, ErrorKind, Owner, Stream};

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
    Own(OwnBuffer),
    /// Memory of another library.
    Foreign(DeviceMemory<Foreign, u8>),
}

/// A buffer that goes to the spare memory of these kernels when it is dropped.
#[derive(Debug)]
struct OwnBuffer {
    /// `None` only after [`take`](Self::take).
    buffer: Option<DeviceBuffer<u8>>,
    kernels: Kernels,
}

impl OwnBuffer {
    fn take(mut self) -> DeviceBuffer<u8> {
        let buffer = self.buffer.take();
        buffer.expect("only this method takes it")
    }
}

impl Deref for OwnBuffer {
    type Target = DeviceBuffer<u8>;

    fn deref(&self) -> &DeviceBuffer<u8> {
        self.buffer.as_ref().expect("only `take` takes it")
    }
}

impl DerefMut for OwnBuffer {
    fn deref_mut(&mut self) -> &mut DeviceBuffer<u8> {
        self.buffer.as_mut().expect("only `take` takes it")
    }
}

impl Drop for OwnBuffer {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.kernels.spare().put(buffer);
        }
    }
}

/// Allocates memory. If there is not enough, frees the spare memory and tries again.
fn allocate(kernels: &Kernels, stream: &Stream, bytes: usize) -> Result<DeviceBuffer<u8>> {
    match DeviceBuffer::uninit(stream, bytes) {
        Err(error) if is_out_of_memory(&error) && kernels.spare().free() => {
            Ok(DeviceBuffer::uninit(stream, bytes)?)
        }
        allocated => Ok(allocated?),
    }
}

fn is_out_of_memory(error: &cuda_safe::Error) -> bool {
    matches!(error.kind(), ErrorKind::OutOfMemory { .. })
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
        let buffer = match kernels.spare().take(stream, bytes) {
            Some(buffer) => buffer,
            None => allocate(kernels, stream, bytes)?,
        };
        Ok(Self::of(kernels, buffer))
    }

    /// Allocates zeroed memory.
    pub(crate) fn zeroed(kernels: &Kernels, stream: &Stream, bytes: usize) -> Result<Self> {
        Ok(Self::of(kernels, DeviceBuffer::zeroed(stream, bytes)?))
    }

    pub(crate) fn of(kernels: &Kernels, buffer: DeviceBuffer<u8>) -> Self {
        Self {
            held: Held::Own(OwnBuffer {
                buffer: Some(buffer),
                kernels: kernels.clone(),
            }),
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
            Held::Own(buffer) if *range == (0..buffer.len()) => Ok(buffer.take()),
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
