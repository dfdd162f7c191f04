//! Buffers that grow in place.

use std::fmt;
use std::mem::ManuallyDrop;

use cuda_sys::CUdeviceptr;

use super::{part::Part, physical::PhysicalMemory, range::AddressRange};
use crate::{
    capture::{self, release},
    error::{Error, Result, fault::discarding_errors},
    memory::{
        DeviceMemory, MemoryAccess, MemoryLocation, OwnedStorage, PlainData, Storage, StorageMut,
        byte_size,
    },
    raw::flags::options,
    stream::{Owner, Stream},
};

/// A device buffer that can grow without copying its elements or changing its address. An alias of
/// [`DeviceMemory<Growable, T>`](DeviceMemory).
///
/// At first, the buffer reserves addresses for its capacity and has no memory. Growing maps memory
/// to further addresses. The capacity can therefore be generous, such as the size of the device's
/// memory. Memory is allocated in pieces, of at least 2 MiB on an H200. If you do not know how much
/// a kernel will write, [`grow`](Self::grow) the buffer to the maximum, and then
/// [`truncate`](Self::truncate) it to the actual length.
///
/// The buffer belongs to the stream on which it was created, like a
/// [`DeviceBuffer`](crate::DeviceBuffer).
///
/// ```
/// use cuda_safe::{Context, memory::virtual_memory::GrowableBuffer, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut numbers = GrowableBuffer::<u32>::with_capacity(&stream, 1 << 28)?; // 1 GiB of addresses
/// let address = numbers.as_device_ptr();
/// for round in 0..4 {
///     numbers.extend_from_slice(&[round; 1000])?;
/// }
/// assert_eq!((numbers.len(), numbers.as_device_ptr()), (4000, address));
/// assert_eq!(numbers.slice(2999..3001)?.to_vec(&stream)?, [2, 3]);
/// numbers.shrink(10)?;
/// assert_eq!(numbers.to_vec(&stream)?, [0; 10]);
/// # Ok(())
/// # }
/// ```
pub type GrowableBuffer<T> = DeviceMemory<Growable, T>;

options! {
    /// Options of a growable buffer. [`GrowableBuffer::with_capacity`] uses
    /// `GrowableOptions::default()`.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::virtual_memory::{GrowableBuffer, GrowableOptions}, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = GrowableOptions::default().piece(16 << 20);
    /// let mut bytes = GrowableBuffer::<u8>::with_options(&stream, 1 << 30, options)?;
    /// bytes.grow(1)?;
    /// assert_eq!(bytes.allocated_bytes(), 16 << 20);
    /// # Ok(())
    /// # }
    /// ```
    pub struct GrowableOptions {
        /// The size of a piece of memory in bytes, rounded up to a multiple of
        /// [`PhysicalMemory::unit`]. With larger pieces, growing by small steps needs fewer driver
        /// calls. With smaller pieces, [`shrink`](GrowableBuffer::shrink) can free more memory. If
        /// it is 0, each call of [`grow`](GrowableBuffer::grow) allocates one piece of the required
        /// size, which is freed as a whole.
        piece: usize;
    }
}

/// The storage of a [`GrowableBuffer`]: growing memory ordered by a stream.
pub struct Growable {
    range: AddressRange,
    stream: Stream,
    /// Consecutive pieces of memory.
    parts: Vec<Part>,
    /// The total size of the pieces in bytes.
    mapped: usize,
    /// The smallest size of a piece.
    unit: usize,
    /// The size of each piece in bytes, or `None` if each call allocates one piece of the needed
    /// size.
    piece: Option<usize>,
}

// SAFETY: the memory belongs to the stream's context, and is unmapped after the stream's work.
unsafe impl Storage for Growable {
    const NAME: &'static str = "GrowableBuffer";

    #[inline]
    fn as_device_ptr(&self) -> CUdeviceptr {
        self.range.as_device_ptr()
    }

    #[inline]
    fn owner(&self) -> Owner<'_> {
        Owner::Stream(&self.stream)
    }
}

// SAFETY: the memory is owned and mapped nowhere else.
unsafe impl StorageMut for Growable {}

impl OwnedStorage for Growable {
    fn close(mut self) -> Result<()> {
        self.free()
    }
}

impl Growable {
    /// Ensures that at least `bytes` bytes are mapped. The range must have room for them.
    fn map_up_to(&mut self, bytes: usize) -> Result<()> {
        if bytes <= self.mapped {
            return Ok(());
        }
        let before = self.mapped;
        let whole = bytes.checked_next_multiple_of(self.piece.unwrap_or(self.unit));
        let whole = whole.unwrap_or(usize::MAX).min(self.range.size());
        while self.mapped < whole {
            let rest = whole - self.mapped;
            let added = self.add(self.piece.map_or(rest, |piece| piece.min(rest)));
            if added.is_err() {
                // Nothing uses the new pieces yet. A piece that cannot be unmapped remains for the
                // next call.
                let _ = self.unmap_down_to(before);
                return added;
            }
        }
        Ok(())
    }

    /// Maps another piece after the last one.
    fn add(&mut self, bytes: usize) -> Result<()> {
        let context = self.stream.context();
        let memory = PhysicalMemory::new(context, bytes)?;
        let part = Part::map(&self.range, self.mapped, &memory)?;
        let device = MemoryLocation::device(context.device());
        if let Err(error) = part.set_access(device, MemoryAccess::READ_WRITE) {
            if part.unmap().is_err() {
                // The piece prevents further growth, and is left to the driver.
                part.leak();
            }
            return Err(error);
        }
        self.mapped += bytes;
        self.parts.push(part);
        Ok(())
    }

    /// Unmaps the pieces that begin at or after `bytes` bytes, once the stream is idle.
    fn shrink_to(&mut self, bytes: usize) -> Result<()> {
        let last = self.parts.last();
        if last.is_none_or(|part| self.mapped - part.memory.size() < bytes) {
            return Ok(());
        }
        self.stream.settle_or_leak()?;
        self.unmap_down_to(bytes)
    }

    /// Unmaps the pieces that begin at or after `bytes` bytes, which nothing uses.
    fn unmap_down_to(&mut self, bytes: usize) -> Result<()> {
        let is_past = |part: &Part, mapped: usize| mapped - part.memory.size() >= bytes;
        while let Some(part) = self.parts.pop_if(|part| is_past(part, self.mapped)) {
            if let Err(error) = part.unmap() {
                self.parts.push(part);
                return Err(error);
            }
            self.mapped -= part.memory.size();
        }
        Ok(())
    }

    fn free(&mut self) -> Result<()> {
        if self.parts.is_empty() {
            return Ok(());
        }
        let mut own = ManuallyDrop::new(Self {
            range: self.range.clone(),
            stream: self.stream.clone(),
            parts: std::mem::take(&mut self.parts),
            ..*self
        });
        release(&self.stream, move || {
            let freed = own.shrink_to(0);
            // The remaining pieces are in use or cannot be unmapped.
            own.parts.drain(..).for_each(Part::leak);
            drop(ManuallyDrop::into_inner(own)); // drops its references
            freed
        })
    }
}

impl Drop for Growable {
    fn drop(&mut self) {
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| self.free());
    }
}

impl fmt::Debug for Growable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Growable({:?}, {} mapped)", self.range, self.mapped)
    }
}

impl<T> GrowableBuffer<T> {
    /// Creates an empty buffer that can grow up to `capacity` elements.
    ///
    /// It reserves the addresses but allocates no memory. The range is rounded up to a multiple of
    /// [`PhysicalMemory::unit`]. [`capacity`](Self::capacity) returns how many elements fit into
    /// it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device has no
    /// virtual memory management. Returns `CUDA_ERROR_OUT_OF_MEMORY`, of kind
    /// [`ErrorKind::Driver`](crate::ErrorKind::Driver), if there are not enough free addresses.
    pub fn with_capacity(stream: &Stream, capacity: usize) -> Result<Self>
    where
        T: PlainData,
    {
        Self::with_options(stream, capacity, GrowableOptions::default())
    }

    /// Creates an empty buffer like [`with_capacity`](Self::with_capacity), with options.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device has no
    /// virtual memory management. Also returns the other errors of
    /// [`with_capacity`](Self::with_capacity).
    pub fn with_options(stream: &Stream, capacity: usize, options: GrowableOptions) -> Result<Self>
    where
        T: PlainData,
    {
        const CALL: &str = "GrowableBuffer::with_capacity";
        let context = stream.context();
        let unit = PhysicalMemory::unit(context)?;
        let rounded = |bytes: usize| {
            let whole = bytes.max(1).checked_next_multiple_of(unit);
            whole.ok_or_else(|| {
                Error::invalid(
                    CALL,
                    format!("{bytes} bytes do not fit into the address space"),
                )
            })
        };
        let size = rounded(byte_size::<T>(capacity, CALL)?)?;
        let storage = Growable {
            range: AddressRange::reserve(context, size)?,
            stream: stream.clone(),
            parts: Vec::new(),
            mapped: 0,
            unit,
            piece: match options.piece {
                0 => None,
                piece => Some(rounded(piece)?),
            },
        };
        // SAFETY: the buffer has no elements yet.
        unsafe { Self::from_allocation(storage, 0, CALL) }
    }
}

impl<T: PlainData> GrowableBuffer<T> {
    /// Returns the stream that orders the use of the memory.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.storage().stream
    }

    /// Returns the maximum number of elements, which is at least the requested capacity.
    #[must_use]
    pub fn capacity(&self) -> usize {
        let bytes = self.storage().range.size();
        bytes.checked_div(size_of::<T>()).unwrap_or(usize::MAX)
    }

    /// Returns how many bytes of device memory the buffer has.
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        self.storage().mapped
    }

    /// Grows the buffer to `len` elements, without waiting or copying. Existing elements keep their
    /// values, and new ones have unspecified contents.
    ///
    /// See [`cuMemMap`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `len` is
    /// greater than the [capacity](Self::capacity) or less than the length. Returns
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) with the requested and free bytes
    /// if the allocation fails. In these cases the buffer does not change.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::virtual_memory::GrowableBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = GrowableBuffer::<f64>::with_capacity(&stream, 1000)?;
    /// assert!(x.capacity() >= 1000);
    /// x.grow(3)?;
    /// x.fill(&stream, 1.5)?;
    /// assert_eq!(x.to_vec(&stream)?, [1.5; 3]);
    /// assert!(x.grow(x.capacity() + 1).is_err());
    /// assert_eq!(x.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemMap")]
    pub fn grow(&mut self, len: usize) -> Result<()> {
        const CALL: &str = "GrowableBuffer::grow";
        let bytes = byte_size::<T>(len, CALL)?;
        let capacity = self.capacity();
        if len < self.len() || len > capacity {
            let detail = format!(
                "the new length {len} is not between the length {} and the capacity {capacity}. Fix: pass the maximum \
                 length to with_capacity, and use shrink to reduce the length",
                self.len()
            );
            return Err(Error::invalid(CALL, detail));
        }
        let (storage, length) = self.parts_mut();
        storage.map_up_to(bytes)?;
        *length = len;
        Ok(())
    }

    /// Shortens the buffer to `len` elements, without waiting, and keeps the memory.
    ///
    /// Growing again then needs no allocation. Use it for a buffer that is refilled, or that was
    /// grown to a maximum. To free memory, use [`shrink`](Self::shrink).
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `len` is
    /// greater than the length.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::virtual_memory::GrowableBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = GrowableBuffer::<u8>::with_capacity(&stream, 1000)?;
    /// x.extend_from_slice(&[1, 2, 3])?;
    /// x.truncate(2)?;
    /// assert_eq!(x.to_vec(&stream)?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn truncate(&mut self, len: usize) -> Result<()> {
        self.expect_at_most(len, "GrowableBuffer::truncate")?;
        *self.parts_mut().1 = len;
        Ok(())
    }

    /// Returns an error if `len` is greater than the length.
    fn expect_at_most(&self, len: usize, call: &'static str) -> Result<()> {
        if len <= self.len() {
            return Ok(());
        }
        let has = self.len();
        let detail = format!(
            "the new length {len} is greater than the length {has}. Fix: use grow to lengthen the buffer"
        );
        Err(Error::invalid(call, detail))
    }

    /// Shortens the buffer to `len` elements, and frees whole pieces of memory that are no longer
    /// needed.
    ///
    /// A piece is the memory that one call of [`grow`](Self::grow) allocated, unless
    /// [`GrowableOptions::piece`] sets its size. If there are pieces to free, waits for the stream.
    ///
    /// See [`cuMemUnmap`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `len` is
    /// greater than the length, or if this thread is capturing a stream. The buffer then does not
    /// change. Returns an error if work enqueued earlier has faulted, or if the buffer's stream is
    /// capturing. The buffer is then shortened, but keeps its memory.
    #[doc(alias = "cuMemUnmap")]
    pub fn shrink(&mut self, len: usize) -> Result<()> {
        const CALL: &str = "GrowableBuffer::shrink";
        self.expect_at_most(len, CALL)?;
        let _allowed = capture::reject_during_capture(CALL, "shrink before or after the capture")?;
        let bytes = byte_size::<T>(len, CALL)?;
        let (storage, length) = self.parts_mut();
        *length = len;
        storage.shrink_to(bytes)
    }

    /// Appends elements copied from the host, and waits for the copy.
    ///
    /// # Errors
    /// Returns the errors of [`grow`](Self::grow) and
    /// [`copy_from_slice`](DeviceMemory::copy_from_slice). The buffer then keeps its previous
    /// elements.
    pub fn extend_from_slice(&mut self, elements: &[T]) -> Result<()> {
        let before = self.len();
        self.grow(before.saturating_add(elements.len()))?;
        let stream = self.stream().clone();
        let copied = self
            .slice_mut(before..)
            .and_then(|mut end| end.copy_from_slice(&stream, elements));
        if copied.is_err() {
            *self.parts_mut().1 = before;
        }
        copied
    }
}
