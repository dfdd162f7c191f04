//! Copies of whole arrays.

use std::{any::type_name, ffi::c_void, mem};

use cuda_sys as sys;

use super::{CudaArray, Described, Texel, TexelFormat};
use crate::{
    context::Settled,
    error::{Error, Result},
    memory::{BoxCopy, DeviceMemory, Extent, PlainData, Side, Storage, StorageMut, Strides},
    stream::{Stream, settle::HostRange},
};

/// All texels of an array, as contiguous rows.
#[derive(Clone, Copy)]
struct Rows {
    /// The bytes of a row, rows of a plane, and planes. For compressed formats, rows of blocks.
    extent: Extent,
    /// The total size in bytes.
    bytes: usize,
}

impl Rows {
    fn at(self, address: sys::CUdeviceptr) -> Side {
        Side::Device(address, Strides::dense(self.extent, 1))
    }

    fn at_host(self, host: *mut c_void) -> Side {
        Side::Host(host, Strides::dense(self.extent, 1))
    }

    /// Enqueues a copy of all rows.
    ///
    /// # Safety
    /// The caller must ensure that both sides are live and otherwise unused until the copy has
    /// finished.
    unsafe fn enqueue(self, stream: &Stream, to: Side, from: Side) -> Result<()> {
        match BoxCopy::new(to, from, self.extent, 1) {
            // SAFETY: guaranteed by this function's contract.
            Some(copy) => unsafe { copy.enqueue(stream) },
            None => Ok(()),
        }
    }
}

impl Described {
    /// Returns the rows, or `None` for an unknown format.
    fn rows(&self) -> Option<Rows> {
        let (shape, side) = (self.shape, self.format.block_side());
        let columns = shape.width().div_ceil(side);
        let extent = Extent {
            width: columns.checked_mul(self.format.block_bytes()?)?,
            height: shape.height().div_ceil(side),
            depth: shape.planes_in_all(),
        };
        let bytes = extent.len()?;
        Some(Rows { extent, bytes })
    }

    /// Returns the size of all texels without gaps, or `None` for an unknown format.
    pub(super) fn bytes(&self) -> Option<usize> {
        Some(self.rows()?.bytes)
    }
}

impl CudaArray {
    /// Returns the size of all texels in bytes, with contiguous rows, or `None` for an unknown
    /// format. The driver may use more memory on the device.
    #[must_use]
    pub fn size_bytes(&self) -> Option<usize> {
        self.described().bytes()
    }

    /// Fills the array with texels from the host: the rows one after another, then the slices or
    /// layers. Waits until the host memory has been read.
    ///
    /// See [`cuMemcpyHtoA`, `cuMemcpy3D`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `T` does not
    /// match the array's format, if `texels` has another length than the array, if the stream
    /// belongs to another context, or if a stream capture forbids the call.
    #[doc(alias = "cuMemcpyHtoA")]
    #[doc(alias = "cuMemcpy3D")]
    pub fn copy_from_slice<T: Texel>(&self, stream: &Stream, texels: &[T]) -> Result<()> {
        const CALL: &str = "CudaArray::copy_from_slice";
        self.expect_format::<T>(CALL)?;
        self.fill_from_host(stream, bytemuck::cast_slice(texels), size_of::<T>(), CALL)
    }

    /// Fills the array with bytes from the host, for any format: the rows of texels or compressed
    /// blocks without gaps, then the slices or layers. Waits until the host memory has been read.
    ///
    /// # Errors
    /// Returns the errors of [`copy_from_slice`](Self::copy_from_slice), and an error if the size
    /// of the format is unknown.
    pub fn copy_from_bytes(&self, stream: &Stream, bytes: &[u8]) -> Result<()> {
        self.fill_from_host(stream, bytes, 1, "CudaArray::copy_from_bytes")
    }

    /// Returns the texels, in the order of [`copy_from_slice`](Self::copy_from_slice). Waits for
    /// the copy.
    ///
    /// See [`cuMemcpyAtoH`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`copy_from_slice`](Self::copy_from_slice).
    #[doc(alias = "cuMemcpyAtoH")]
    pub fn to_vec<T: Texel>(&self, stream: &Stream) -> Result<Vec<T>> {
        const CALL: &str = "CudaArray::to_vec";
        self.expect_format::<T>(CALL)?;
        self.read_to_host(stream, CALL)
    }

    /// Returns the bytes of all texels, in the order of [`copy_from_bytes`](Self::copy_from_bytes).
    /// Waits for the copy.
    ///
    /// # Errors
    /// Returns the errors of [`copy_from_bytes`](Self::copy_from_bytes).
    pub fn to_bytes(&self, stream: &Stream) -> Result<Vec<u8>> {
        self.read_to_host(stream, "CudaArray::to_bytes")
    }

    /// Fills the array with texels of device memory in stream order, arranged as for
    /// [`copy_from_slice`](Self::copy_from_slice).
    ///
    /// See [`cuMemcpyDtoA`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`copy_from_slice`](Self::copy_from_slice), except that a capture
    /// records the copy.
    #[doc(alias = "cuMemcpyDtoA")]
    pub fn copy_from<S: Storage, T: Texel>(
        &self,
        stream: &Stream,
        texels: &DeviceMemory<S, T>,
    ) -> Result<()> {
        const CALL: &str = "CudaArray::copy_from";
        self.expect_format::<T>(CALL)?;
        let rows = self.expect_bytes(texels.size_bytes(), size_of::<T>(), CALL)?;
        let owners = [self.owner(), texels.owner()];
        let (to, from) = (self.side(), rows.at(texels.as_device_ptr()));
        // SAFETY: the memory is live, has the size of the array, and is ordered on this stream.
        stream.ordered(CALL, owners, || unsafe { rows.enqueue(stream, to, from) })
    }

    /// Copies the texels to device memory, in stream order.
    ///
    /// See [`cuMemcpyAtoD`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`copy_from`](Self::copy_from).
    #[doc(alias = "cuMemcpyAtoD")]
    pub fn copy_to<S: StorageMut, T: Texel>(
        &self,
        stream: &Stream,
        texels: &mut DeviceMemory<S, T>,
    ) -> Result<()> {
        const CALL: &str = "CudaArray::copy_to";
        self.expect_format::<T>(CALL)?;
        let rows = self.expect_bytes(texels.size_bytes(), size_of::<T>(), CALL)?;
        let owners = [self.owner(), texels.owner()];
        let (to, from) = (rows.at(texels.as_device_ptr()), self.side());
        // SAFETY: the memory is live, has the size of the array, is borrowed exclusively, and is
        // ordered on this stream.
        stream.ordered(CALL, owners, || unsafe { rows.enqueue(stream, to, from) })
    }

    /// Copies another array of the same format and shape, in stream order.
    ///
    /// See [`cuMemcpyAtoA`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the formats or
    /// shapes differ, if both are the same array, or if one was created without memory. Also
    /// returns the errors of [`copy_from`](Self::copy_from).
    ///
    /// ```
    /// # use cuda_safe::{array::CudaArray, Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let one = CudaArray::from_slice(&stream, [2, 2], &[1u8, 2, 3, 4])?;
    /// let two = CudaArray::uninit::<u8>(&context, [2, 2])?;
    /// two.copy_from_array(&stream, &one)?;
    /// assert_eq!(two.to_vec::<u8>(&stream)?, [1, 2, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyAtoA")]
    pub fn copy_from_array(&self, stream: &Stream, from: &CudaArray) -> Result<()> {
        const CALL: &str = "CudaArray::copy_from_array";
        let (mine, theirs) = (self.described(), from.described());
        if (mine.format, mine.shape) != (theirs.format, theirs.shape) {
            return Err(Error::invalid(
                CALL,
                format!(
                    "the array has {}, {}, but the source has {}, {}",
                    mine.shape, mine.format, theirs.shape, theirs.format
                ),
            ));
        }
        if self == from {
            return Err(Error::invalid(CALL, "the array is its own source"));
        }
        from.expect_memory(CALL)?;
        let rows = self.rows(CALL)?;
        let owners = [self.owner(), from.owner()];
        let (to, from) = (self.side(), from.side());
        // SAFETY: both are live, have memory, and have the same size.
        stream.ordered(CALL, owners, || unsafe { rows.enqueue(stream, to, from) })
    }

    fn side(&self) -> Side {
        Side::Array(self.as_raw(), 0, 0, 0)
    }

    pub(super) fn expect_format<T: Texel>(&self, call: &'static str) -> Result<()> {
        let format = self.format();
        if format.holds::<T>() {
            return Ok(());
        }
        let given = TexelFormat::of::<T>();
        Err(Error::invalid(
            call,
            format!(
                "the array's texels are {format}, and `{}` is {given}. Fix: {}copy bytes (CudaArray::copy_from_bytes, CudaArray::to_bytes)",
                type_name::<T>(),
                match format.element() {
                    Some(element) => format!("use elements of type `{element}`, or "),
                    None => String::new(),
                }
            ),
        ))
    }

    /// Returns the rows, or an error if the array has no memory or the length of its rows is
    /// unknown.
    fn rows(&self, call: &'static str) -> Result<Rows> {
        self.expect_memory(call)?;
        self.described().rows().ok_or_else(|| {
            Error::invalid(
                call,
                format!(
                    "the size of texels of {} is unknown. Fix: copy with raw calls",
                    self.format()
                ),
            )
        })
    }

    /// Returns an error unless `given` bytes fill the array. Messages count in units of `unit`
    /// bytes: texels, or bytes.
    fn expect_bytes(&self, given: usize, unit: usize, call: &'static str) -> Result<Rows> {
        let rows = self.rows(call)?;
        if rows.bytes == given {
            return Ok(rows);
        }
        Err(Error::invalid(
            call,
            format!(
                "an array of {}, {}, has {} {}, but {} were passed",
                self.shape(),
                self.format(),
                rows.bytes / unit,
                if unit == 1 { "bytes" } else { "texels" },
                given / unit
            ),
        ))
    }

    fn fill_from_host(
        &self,
        stream: &Stream,
        bytes: &[u8],
        unit: usize,
        call: &'static str,
    ) -> Result<()> {
        let rows = self.expect_bytes(bytes.len(), unit, call)?;
        stream
            .context()
            .expect_same(self.context(), call, "the stream and the array")?;
        let _current = stream.enter_to_wait(call)?;
        let from = rows.at_host(bytes.as_ptr().cast_mut().cast());
        let enqueued = stream.ordered(call, [self.owner()], || {
            // SAFETY: the memory has the size of the array. It is borrowed until the wait below
            // ends, also after a failure.
            unsafe { rows.enqueue(stream, self.side(), from) }
        });
        let waited = stream.end_borrow([HostRange::of(bytes)]);
        enqueued.and(waited)
    }

    fn read_to_host<T: PlainData>(&self, stream: &Stream, call: &'static str) -> Result<Vec<T>> {
        let rows = self.rows(call)?;
        stream
            .context()
            .expect_same(self.context(), call, "the stream and the array")?;
        let len = rows.bytes / size_of::<T>();
        let mut host = Vec::<T>::with_capacity(len);
        let _current = stream.enter_to_wait(call)?;
        let to = rows.at_host(host.as_mut_ptr().cast());
        let enqueued = stream.ordered(call, [self.owner()], || {
            // SAFETY: the memory has room for the array's bytes, and lives until the wait below
            // ends, or forever.
            unsafe { rows.enqueue(stream, to, self.side()) }
        });
        match stream.settle() {
            Settled::Done => enqueued?,
            Settled::Failed(error) | Settled::Faulted(error) => {
                return Err(enqueued.err().unwrap_or(error));
            }
            Settled::Unknown(error) => {
                mem::forget(host); // the copy may still write to it
                return Err(enqueued.err().unwrap_or(error));
            }
        }
        // SAFETY: the copy has written all elements, and any bits are valid for `T`.
        unsafe { host.set_len(len) };
        Ok(host)
    }
}
