//! Memory that grows where it is.

use std::fmt;
use std::mem::ManuallyDrop;

use cuda_sys::CUdeviceptr;

use super::{part::Part, physical::PhysicalMemory, range::AddressRange};
use crate::{
    capture::{self, release},
    error::{Error, Result, fault::unheard},
    memory::{
        DeviceMemory, MemoryAccess, MemoryLocation, OwnedStorage, PlainData, Storage, StorageMut,
        byte_size,
    },
    raw::flags::options,
    stream::{Owner, Stream},
};

/// Elements in device memory that can become more: nothing is copied, and the address stays. Another name of
/// [`DeviceMemory<Growable, T>`](DeviceMemory).
///
/// At the start it has addresses for all that there may ever be, and no memory. To grow is to put more memory behind
/// further addresses. So the limit given at the start may be generous: all of the device's memory, for instance. Memory
/// comes in pieces of 2 MiB at least, on an H200. Where it is not known how much a kernel will write, [`grow`](Self::grow) to
/// what it may be, and [`truncate`](Self::truncate) to what it was.
///
/// It belongs to the stream that it was created on, as a [`DeviceBuffer`](crate::DeviceBuffer) does.
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
    /// How a growable buffer grows. [`GrowableBuffer::with_capacity`] uses `GrowableOptions::default()`.
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
        /// Bytes of a piece of memory; rounded up to a multiple of [`PhysicalMemory::unit`]. With larger pieces, growing by
        /// little costs a call of the driver more rarely; with smaller ones, [`shrink`](GrowableBuffer::shrink) gives more
        /// back. 0: each piece is what one call of [`grow`](GrowableBuffer::grow) needs, and is given back as a whole.
        piece: usize;
    }
}

/// Memory that grows, in a stream's order: what a [`GrowableBuffer`] holds.
pub struct Growable {
    range: AddressRange,
    stream: Stream,
    /// Pieces of memory, one behind the other.
    parts: Vec<Part>,
    /// Bytes of all of them.
    mapped: usize,
    /// The least that is taken at once.
    unit: usize,
    /// Bytes of each piece, unless it is what one call needs.
    piece: Option<usize>,
}

// SAFETY: memory of the stream's context; unmapped when the stream's work is over.
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

// SAFETY: memory of its own, which is mapped nowhere else.
unsafe impl StorageMut for Growable {}

impl OwnedStorage for Growable {
    fn close(mut self) -> Result<()> {
        self.free()
    }
}

impl Growable {
    /// Has memory for that many bytes, which the range has room for.
    fn cover(&mut self, bytes: usize) -> Result<()> {
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
                // Nothing uses them yet. What can't be unmapped is there for the next time.
                let _ = self.unmap_down_to(before);
                return added;
            }
        }
        Ok(())
    }

    /// Puts another piece behind the last.
    fn add(&mut self, bytes: usize) -> Result<()> {
        let context = self.stream.context();
        let memory = PhysicalMemory::new(context, bytes)?;
        let part = Part::map(&self.range, self.mapped, &memory)?;
        let device = MemoryLocation::device(context.device());
        if let Err(error) = part.set_access(device, MemoryAccess::READ_WRITE) {
            if part.unmap().is_err() {
                // It is in the way of growing further, and is left to the driver.
                part.leak();
            }
            return Err(error);
        }
        self.mapped += bytes;
        self.parts.push(part);
        Ok(())
    }

    /// Gives back the pieces that lie behind so many bytes.
    fn uncover(&mut self, bytes: usize) -> Result<()> {
        let last = self.parts.last();
        if last.is_none_or(|part| self.mapped - part.memory.size() < bytes) {
            return Ok(());
        }
        self.stream.settle_or_leak()?;
        self.unmap_down_to(bytes)
    }

    /// Unmaps the pieces that lie behind so many bytes, which nothing uses.
    fn unmap_down_to(&mut self, bytes: usize) -> Result<()> {
        let goes = |part: &Part, mapped: usize| mapped - part.memory.size() >= bytes;
        while let Some(part) = self.parts.pop_if(|part| goes(part, self.mapped)) {
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
            let freed = own.uncover(0);
            // What is left is in use, or can't be unmapped.
            own.parts.drain(..).for_each(Part::leak);
            drop(ManuallyDrop::into_inner(own)); // its references
            freed
        })
    }
}

impl Drop for Growable {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| self.free());
    }
}

impl fmt::Debug for Growable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Growable({:?}, {} mapped)", self.range, self.mapped)
    }
}

impl<T> GrowableBuffer<T> {
    /// An empty buffer that may grow up to `capacity` elements, of which the addresses are taken now, and the memory isn't. The
    /// addresses are rounded up to whole units of [`PhysicalMemory::unit`]: [`capacity`](Self::capacity) tells how many
    /// elements these have room for.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the device has no virtual memory management.
    /// `CUDA_ERROR_OUT_OF_MEMORY`, of kind [`ErrorKind::Driver`](crate::ErrorKind::Driver), where so many addresses are not left.
    pub fn with_capacity(stream: &Stream, capacity: usize) -> Result<Self>
    where
        T: PlainData,
    {
        Self::with_options(stream, capacity, GrowableOptions::default())
    }

    /// As [`with_capacity`](Self::with_capacity), with options.
    ///
    /// # Errors
    /// As [`with_capacity`](Self::with_capacity).
    pub fn with_options(stream: &Stream, capacity: usize, options: GrowableOptions) -> Result<Self>
    where
        T: PlainData,
    {
        const CALL: &str = "GrowableBuffer::with_capacity";
        let context = stream.context();
        let unit = PhysicalMemory::unit(context)?;
        let rounded = |bytes: usize| {
            let whole = bytes.max(1).checked_next_multiple_of(unit);
            whole.ok_or_else(|| Error::invalid(CALL, format!("{bytes} bytes are too many")))
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
        // SAFETY: no elements.
        unsafe { Self::from_allocation(storage, 0, CALL) }
    }
}

impl<T: PlainData> GrowableBuffer<T> {
    /// The stream in whose order the memory is used.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.storage().stream
    }

    /// How many elements there may be: at least as many as were asked for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        let bytes = self.storage().range.size();
        bytes.checked_div(size_of::<T>()).unwrap_or(usize::MAX)
    }

    /// Bytes of the device's memory that it has.
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        self.storage().mapped
    }

    /// Makes it `len` elements long. Those that it had stay; the new ones have unspecified contents. Nothing waits, and
    /// nothing is copied.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for more than the
    /// [capacity](Self::capacity), or fewer elements than it has.
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), with the bytes requested and free. The buffer is as it
    /// was, then.
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
                "{len} elements are not between its length, {}, and its capacity, {capacity}: give the most that there \
                 may be to with_capacity, and make it shorter by shrink",
                self.len()
            );
            return Err(Error::invalid(CALL, detail));
        }
        let (storage, length) = self.parts_mut();
        storage.cover(bytes)?;
        *length = len;
        Ok(())
    }

    /// Makes it `len` elements long, and keeps the memory. Nothing waits, and growing again costs nothing: for a buffer that
    /// is filled anew, or that was grown to what there may be. [`shrink`](Self::shrink) gives memory back.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for more elements than it has.
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

    /// An error for more elements than there are.
    fn expect_at_most(&self, len: usize, call: &'static str) -> Result<()> {
        if len <= self.len() {
            return Ok(());
        }
        let has = self.len();
        let detail =
            format!("{len} elements are more than the {has} that it has: grow makes it longer");
        Err(Error::invalid(call, detail))
    }

    /// Makes it `len` elements long, and gives the memory back that is needed no more, in whole pieces: a piece is what one
    /// call of [`grow`](Self::grow) took, unless [`GrowableOptions::piece`] says how large they are. Waits for the stream if
    /// there is such memory.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for more elements than it has, and while this thread
    /// captures a stream: nothing changes then. The fault of work that was enqueued earlier, or that the stream is being
    /// captured: the memory is kept then, but the buffer is `len` elements long all the same.
    #[doc(alias = "cuMemUnmap")]
    pub fn shrink(&mut self, len: usize) -> Result<()> {
        const CALL: &str = "GrowableBuffer::shrink";
        self.expect_at_most(len, CALL)?;
        let _allowed = capture::refuse_here(CALL, "shrink before the capture, or after it")?;
        let bytes = byte_size::<T>(len, CALL)?;
        let (storage, length) = self.parts_mut();
        *length = len;
        storage.uncover(bytes)
    }

    /// Adds elements at the end, copied from the host, and waits for the copy.
    ///
    /// # Errors
    /// As [`grow`](Self::grow), and as
    /// [`copy_from_slice`](DeviceMemory::copy_from_slice). The buffer has the elements that it had, then.
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
