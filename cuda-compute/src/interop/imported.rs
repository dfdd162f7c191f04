//! Conversion of other libraries' DLPack tensors to arrays.

use std::{ptr::NonNull, slice, sync::Arc};

use cuda_safe::Stream;

use super::{
    dlpack::{
        DLDataType, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned,
        DLPackVersion, DLTensor, FLAG_READ_ONLY, VERSION,
    },
    place::Place,
};
use crate::{
    array::{Array, Foreign, MAX_RANK, Memory},
    element::{DataType, Element},
    error::{Error, Result},
    kernel::Kernels,
};

/// A DLPack tensor that was taken from another library but is not an array yet.
///
/// Dropping it calls the tensor's deleter. So does every error of its methods.
///
/// ```
/// use cuda_compute::{Array, DataType, interop::{ImportedTensor, dlpack::DLManagedTensorVersioned}};
/// use cuda_safe::Stream;
///
/// /// The sum of a tensor of `f32` or `f64`, as `f64`.
/// ///
/// /// # Safety
/// /// The same as for `ImportedTensor::from_versioned` and `ImportedTensor::into_array`.
/// unsafe fn sum(stream: &Stream, raw: *mut DLManagedTensorVersioned) -> cuda_compute::Result<f64> {
///     // SAFETY: by this function's contract.
///     unsafe {
///         let tensor = ImportedTensor::from_versioned(raw)?;
///         match tensor.data_type()? {
///             DataType::F32 => tensor.into_array::<f32>(stream)?.cast::<f64>().sum().eval()?.item(),
///             _ => tensor.into_array::<f64>(stream)?.sum().eval()?.item(),
///         }
///     }
/// }
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&cuda_safe::Context::primary(0)?)?;
/// # let raw = Array::from_slice(&stream, &[1.0f32, 2.0])?.into_dlpack()?.into_raw();
/// # // SAFETY: a tensor that was just made.
/// # assert_eq!(unsafe { sum(&stream, raw)? }, 3.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ImportedTensor {
    tensor: Tensor,
}

/// The tensor's structure, which this value owns.
#[derive(Debug)]
enum Tensor {
    Versioned(NonNull<DLManagedTensorVersioned>),
    Unversioned(NonNull<DLManagedTensor>),
}

// SAFETY: the tensor is only read until it is dropped, and its deleter may be called on any thread,
// by DLPack's rules and the contracts of `ImportedTensor`.
unsafe impl Send for Tensor {}
// SAFETY: as above.
unsafe impl Sync for Tensor {}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: this value owns the live tensor and never uses it again. A null deleter means
        // that there is nothing to do.
        unsafe {
            match *self {
                Self::Versioned(tensor) => {
                    if let Some(delete) = tensor.as_ref().deleter {
                        delete(tensor.as_ptr());
                    }
                }
                Self::Unversioned(tensor) => {
                    if let Some(delete) = tensor.as_ref().deleter {
                        delete(tensor.as_ptr());
                    }
                }
            }
        }
    }
}

impl Tensor {
    fn elements(&self) -> &DLTensor {
        // SAFETY: the tensor is live until `self` is dropped. Its layout is known, because other
        // versions were rejected.
        unsafe {
            match self {
                Self::Versioned(tensor) => &(*tensor.as_ptr()).dl_tensor,
                Self::Unversioned(tensor) => &(*tensor.as_ptr()).dl_tensor,
            }
        }
    }
}

impl ImportedTensor {
    /// Takes ownership of a DLPack 1.x tensor.
    ///
    /// In Python, the tensor comes from a capsule named
    /// [`CAPSULE_VERSIONED`](super::dlpack::CAPSULE_VERSIONED). The consumer renames the capsule to
    /// [`CAPSULE_VERSIONED_USED`](super::dlpack::CAPSULE_VERSIONED_USED).
    ///
    /// # Safety
    /// The caller must ensure that `tensor` is null, or that:
    /// - it was passed to the caller, and no other consumer takes it;
    /// - it is valid by the definition of its DLPack version, so that its axes can be read;
    /// - its deleter, if it has one, can be called once on any thread;
    /// - its memory stays valid until then.
    ///
    /// # Errors
    /// Returns [`Error::Foreign`] if `tensor` is null, if its major version is not supported, if it
    /// has a negative number of axes, or if it has axes but `shape` is null. After an error, the
    /// deleter has been called.
    pub unsafe fn from_versioned(tensor: *mut DLManagedTensorVersioned) -> Result<Self> {
        let tensor = NonNull::new(tensor).ok_or_else(null)?;
        // From here on, an error drops the tensor, which calls the deleter.
        let taken = Tensor::Versioned(tensor);
        // SAFETY: the version is the first field in every version.
        let version = unsafe { (*tensor.as_ptr()).version };
        if version.major != VERSION.major {
            return Err(Error::Foreign(format!(
                "a tensor of DLPack {}.{}: only {}.x is supported. Fix: ask for max_version=({}, {})",
                version.major, version.minor, VERSION.major, VERSION.major, VERSION.minor
            )));
        }
        Self::checked(taken)
    }

    /// Takes ownership of a tensor of DLPack before 1.0.
    ///
    /// In Python, the tensor comes from a capsule named [`CAPSULE`](super::dlpack::CAPSULE). The
    /// consumer renames the capsule to [`CAPSULE_USED`](super::dlpack::CAPSULE_USED).
    ///
    /// # Safety
    /// The conditions are the same as for [`from_versioned`](Self::from_versioned).
    ///
    /// # Errors
    /// Returns [`Error::Foreign`] if `tensor` is null, if it has a negative number of axes, or if it
    /// has axes but `shape` is null. After an error, the deleter has been called.
    pub unsafe fn from_unversioned(tensor: *mut DLManagedTensor) -> Result<Self> {
        let tensor = NonNull::new(tensor).ok_or_else(null)?;
        Self::checked(Tensor::Unversioned(tensor))
    }

    fn checked(tensor: Tensor) -> Result<Self> {
        let elements = tensor.elements();
        if elements.ndim < 0 {
            return Err(Error::Foreign(format!(
                "a tensor of {} axes",
                elements.ndim
            )));
        }
        if elements.ndim > 0 && elements.shape.is_null() {
            return Err(Error::Foreign(format!(
                "a tensor of {} axes has no lengths: `shape` is null",
                elements.ndim
            )));
        }
        Ok(Self { tensor })
    }

    fn elements(&self) -> &DLTensor {
        self.tensor.elements()
    }

    fn axes(&self, of: *const i64) -> Option<&[i64]> {
        match self.elements().ndim as usize {
            0 => Some(&[]),
            _ if of.is_null() => None,
            // SAFETY: the contract of `from_versioned` guarantees one entry per axis.
            rank => Some(unsafe { slice::from_raw_parts(of, rank) }),
        }
    }

    /// Returns the lengths of the axes, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        self.axes(self.elements().shape).unwrap_or(&[])
    }

    /// Returns the distance between neighbours along each axis, in elements. `None` means C order.
    #[must_use]
    pub fn strides(&self) -> Option<&[i64]> {
        self.axes(self.elements().strides)
    }

    /// Returns the element type as DLPack describes it.
    #[must_use]
    pub fn dtype(&self) -> DLDataType {
        self.elements().dtype
    }

    /// Returns the element type.
    ///
    /// # Errors
    /// Returns [`Error::Foreign`] if arrays have no such elements.
    pub fn data_type(&self) -> Result<DataType> {
        let dtype = self.dtype();
        dtype.data_type().ok_or_else(|| {
            Error::Foreign(format!("a tensor of {dtype}: arrays have no such elements"))
        })
    }

    /// Returns the location of the memory.
    #[must_use]
    pub fn device(&self) -> DLDevice {
        self.elements().device
    }

    /// Returns the address of the first element.
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        let elements = self.elements();
        (elements.data.addr() as u64).wrapping_add(elements.byte_offset)
    }

    /// Returns the version, or `None` before 1.0.
    #[must_use]
    pub fn version(&self) -> Option<DLPackVersion> {
        match self.tensor {
            // SAFETY: the tensor is live until `self` is dropped.
            Tensor::Versioned(tensor) => Some(unsafe { (*tensor.as_ptr()).version }),
            Tensor::Unversioned(_) => None,
        }
    }

    /// Returns [`FLAG_READ_ONLY`] and other flags, or 0 before 1.0.
    #[must_use]
    pub fn flags(&self) -> u64 {
        match self.tensor {
            // SAFETY: the tensor is live until `self` is dropped.
            Tensor::Versioned(tensor) => unsafe { (*tensor.as_ptr()).flags },
            Tensor::Unversioned(_) => 0,
        }
    }

    /// Returns whether the producer forbids writing. Arrays of such a tensor are copied before they
    /// are written.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.flags() & FLAG_READ_ONLY != 0
    }

    /// Creates an array of the tensor's memory on `stream`. Nothing is copied.
    ///
    /// Dropping the last array or expression that uses the memory waits for the stream and then
    /// calls the tensor's deleter, on the same thread. With
    /// [`into_array_with_producer`](Self::into_array_with_producer), the host doesn't wait.
    ///
    /// Writing to the array writes to the tensor's memory if no other array shares it and the
    /// tensor isn't read-only. See [who may write](crate::interop#who-may-write).
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the tensor's memory is device memory of the stream's context and has the size that the
    ///   tensor describes;
    /// - earlier work on the memory is ordered before the stream, for example because its producer
    ///   was given the stream's [`stream_number`](super::stream_number);
    /// - while arrays share the memory, all other writes to it are ordered with the stream (they
    ///   change those arrays), and so are all other reads unless the tensor is read-only.
    ///
    /// # Errors
    /// Returns [`Error::Foreign`] if:
    /// - the tensor's element type is not `T`, or its memory is not aligned for `T`;
    /// - the memory isn't on the stream's device;
    /// - there are more than [`MAX_RANK`] axes;
    /// - lengths or strides are invalid.
    ///
    /// After an error, the deleter has been called.
    pub unsafe fn into_array<T: Element>(self, stream: &Stream) -> Result<Array<T>> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.array(stream, None) }
    }

    /// Creates an array of the tensor's memory like [`into_array`](Self::into_array), but in the
    /// order of the producer's stream.
    ///
    /// `stream` waits for the work enqueued on `producer` so far. When the array is no longer
    /// needed, `producer` waits for `stream`, and the deleter is called at once. The host does not
    /// wait.
    ///
    /// Use it for producers that reuse memory in the order of one stream, as the pools of PyTorch
    /// and CuPy do. Pass the stream on which the memory was allocated.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the conditions of [`into_array`](Self::into_array) hold, except for the ordering that
    ///   `producer` provides;
    /// - the producer reuses the memory in the order of that stream.
    ///
    /// # Errors
    /// Returns an error under the conditions of [`into_array`](Self::into_array), if the producer's
    /// stream belongs to another context, or if memory for an event runs out.
    pub unsafe fn into_array_with_producer<T: Element>(
        self,
        stream: &Stream,
        producer: &Stream,
    ) -> Result<Array<T>> {
        crate::order::same_context(producer, stream.context())?;
        stream.wait_stream(producer)?;
        // SAFETY: guaranteed by the caller.
        unsafe { self.array(stream, Some(producer)) }
    }

    /// Creates the array, with or without the producer's stream.
    ///
    /// # Safety
    /// The conditions are those of [`into_array`](Self::into_array) or
    /// [`into_array_with_producer`](Self::into_array_with_producer).
    unsafe fn array<T: Element>(
        self,
        stream: &Stream,
        producer: Option<&Stream>,
    ) -> Result<Array<T>> {
        self.expect_type(T::DATA_TYPE)?;
        self.expect_device(stream)?;
        let (lengths, elements) = (self.shape(), self.elements());
        if lengths.len() > MAX_RANK {
            return Err(Error::Foreign(format!(
                "a tensor of {} axes: arrays have at most {MAX_RANK}. Fix: reshape it first",
                lengths.len()
            )));
        }
        if elements.data.is_null() && !lengths.contains(&0) {
            return Err(Error::Foreign(format!(
                "a tensor of shape {lengths:?} has no memory: `data` is null"
            )));
        }
        let address = elements.data.addr() as u64;
        let address = address.checked_add(elements.byte_offset).ok_or_else(|| {
            Error::Foreign(format!(
                "a tensor with a byte_offset of {} reaches beyond all memory",
                elements.byte_offset
            ))
        })?;
        let place = Place::of(T::DATA_TYPE, lengths, self.strides(), address)?;
        let kernels = Kernels::of(stream)?;
        let read_only = self.is_read_only();
        let keeper = Box::new(self.tensor);
        // SAFETY: guaranteed by the caller. The deleter is called when the tensor is dropped.
        let memory = unsafe {
            Foreign::memory(
                place.address,
                place.bytes,
                stream,
                read_only,
                producer,
                keeper,
            )
        };
        Ok(Array::of(
            Arc::new(Memory::foreign(&kernels, memory)),
            place.layout,
        ))
    }

    fn expect_type(&self, wanted: DataType) -> Result<()> {
        if self.dtype() == DLDataType::of(wanted) {
            return Ok(());
        }
        Err(Error::Foreign(format!(
            "a tensor of {} can't become an array of {} ({})",
            self.dtype(),
            wanted.name(),
            DLDataType::of(wanted)
        )))
    }

    fn expect_device(&self, stream: &Stream) -> Result<()> {
        let DLDevice {
            device_type,
            device_id,
        } = self.device();
        let own = stream.context().device().ordinal();
        let why = match device_type {
            // Managed memory is accessible from all devices.
            DLDeviceType::CUDA_MANAGED => return Ok(()),
            DLDeviceType::CUDA if device_id as u32 == own => return Ok(()),
            DLDeviceType::CUDA => {
                format!("is on CUDA device {device_id}, but the stream is on device {own}")
            }
            DLDeviceType::CUDA_HOST => {
                "is page-locked memory of the host (kDLCUDAHost). Fix: copy it to the device first"
                    .into()
            }
            DLDeviceType::CPU => {
                "is in host memory (kDLCPU). Fix: copy it to the device first".into()
            }
            DLDeviceType(other) => {
                format!("is on a device of kind {other}, which is not a CUDA device")
            }
        };
        Err(Error::Foreign(format!("a tensor {why}")))
    }
}

impl<T: Element> Array<T> {
    /// Creates an array of the memory of another library's DLPack tensor:
    /// [`ImportedTensor::from_versioned`], followed by [`ImportedTensor::into_array`].
    ///
    /// # Safety
    /// The caller must ensure the conditions of these two functions.
    ///
    /// # Errors
    /// Returns an error under the conditions of these two functions. After an error, the deleter
    /// has been called, unless `tensor` is null.
    pub unsafe fn from_dlpack(
        stream: &Stream,
        tensor: *mut DLManagedTensorVersioned,
    ) -> Result<Self> {
        // SAFETY: guaranteed by the caller.
        unsafe { ImportedTensor::from_versioned(tensor)?.into_array(stream) }
    }
}

#[cold]
fn null() -> Error {
    Error::Foreign("the tensor is a null pointer".into())
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    /// A tensor without memory of its own, whose fields are read only.
    fn tensor(lengths: &mut [i64], strides: Option<&mut [i64]>) -> DLManagedTensorVersioned {
        DLManagedTensorVersioned {
            version: DLPackVersion { major: 1, minor: 7 },
            manager_ctx: ptr::null_mut(),
            deleter: None,
            flags: FLAG_READ_ONLY,
            dl_tensor: DLTensor {
                data: ptr::without_provenance_mut(0x1000),
                device: DLDevice {
                    device_type: DLDeviceType::CUDA,
                    device_id: 3,
                },
                ndim: lengths.len() as i32,
                dtype: DLDataType::of(DataType::F64),
                shape: lengths.as_mut_ptr(),
                strides: strides.map_or(ptr::null_mut(), <[i64]>::as_mut_ptr),
                byte_offset: 24,
            },
        }
    }

    #[test]
    fn a_tensor_is_described_as_its_producer_does() {
        let (mut lengths, mut strides) = ([2, 3], [3, 1]);
        let mut of = tensor(&mut lengths, Some(&mut strides));
        // SAFETY: it outlives its use, and has no deleter.
        let imported = unsafe { ImportedTensor::from_versioned(&mut of) }.unwrap();
        assert_eq!(imported.as_device_ptr(), 0x1018);
        assert_eq!(
            (imported.shape(), imported.strides()),
            (&[2, 3][..], Some(&[3, 1][..]))
        );
        assert_eq!(imported.data_type().unwrap(), DataType::F64);
        assert_eq!(imported.device().device_id, 3);
        assert_eq!(
            imported.version(),
            Some(DLPackVersion { major: 1, minor: 7 })
        );
        assert_eq!(
            (imported.flags(), imported.is_read_only()),
            (FLAG_READ_ONLY, true)
        );
    }

    #[test]
    fn a_tensor_needs_no_strides_and_no_flags() {
        let mut lengths = [4];
        let mut of = tensor(&mut lengths, None);
        of.flags = 2;
        // SAFETY: as above.
        let imported = unsafe { ImportedTensor::from_versioned(&mut of) }.unwrap();
        assert_eq!((imported.shape(), imported.strides()), (&[4][..], None));
        assert_eq!((imported.flags(), imported.is_read_only()), (2, false));
        let mut of = tensor(&mut [], None);
        of.dl_tensor.shape = ptr::null_mut();
        // SAFETY: as above.
        let imported = unsafe { ImportedTensor::from_versioned(&mut of) }.unwrap();
        assert_eq!(
            (imported.shape(), imported.strides()),
            (&[][..], Some(&[][..]))
        );
    }

    /// Returns the error of importing a changed tensor as an array of `f64`, if any.
    fn taken(lengths: &mut [i64], change: impl Fn(&mut DLManagedTensorVersioned)) -> Result<()> {
        let stream = Stream::new(&cuda_safe::Context::primary(0).unwrap()).unwrap();
        let mut of = tensor(lengths, None);
        of.dl_tensor.device.device_id = 0;
        change(&mut of);
        // SAFETY: it outlives its use, has no deleter, and no elements unless it is rejected.
        unsafe { ImportedTensor::from_versioned(&mut of)?.into_array::<f64>(&stream) }.map(drop)
    }

    fn refused(lengths: &mut [i64], change: impl Fn(&mut DLManagedTensorVersioned)) -> String {
        taken(lengths, change).unwrap_err().to_string()
    }

    #[test]
    fn tensors_that_are_no_arrays_are_refused() {
        assert!(taken(&mut [0; 8], |_| {}).is_ok());
        assert!(refused(&mut [0; 9], |_| {}).contains("a tensor of 9 axes: arrays have at most 8"));
        let error = refused(&mut [0], |of| of.version.major = 2);
        assert!(error.contains("a tensor of DLPack 2.7"), "{error}");
        let error = refused(&mut [0], |of| of.dl_tensor.ndim = -1);
        assert!(error.contains("a tensor of -1 axes"), "{error}");
        let error = refused(&mut [0], |of| of.dl_tensor.shape = ptr::null_mut());
        assert!(error.contains("`shape` is null"), "{error}");
        let error = refused(&mut [0], |of| of.dl_tensor.dtype.bits = 32);
        assert!(
            error.contains("a tensor of float32 can't become an array of f64 (float64)"),
            "{error}"
        );
        let error = refused(&mut [2], |of| of.dl_tensor.data = ptr::null_mut());
        assert!(error.contains("`data` is null"), "{error}");
        assert!(taken(&mut [0], |of| of.dl_tensor.data = ptr::null_mut()).is_ok());
        let error = refused(&mut [2], |of| of.dl_tensor.byte_offset = u64::MAX);
        assert!(error.contains("reaches beyond all memory"), "{error}");
    }

    #[test]
    fn memory_has_to_be_on_the_device_of_the_stream() {
        let on = |device_type, device_id| {
            let device = DLDevice {
                device_type,
                device_id,
            };
            taken(&mut [0], |of| of.dl_tensor.device = device).map_err(|error| error.to_string())
        };
        assert_eq!(on(DLDeviceType::CUDA, 0), Ok(()));
        // Managed memory is on all devices.
        assert_eq!(on(DLDeviceType::CUDA_MANAGED, 5), Ok(()));
        for (device, id, why) in [
            (
                DLDeviceType::CUDA,
                5,
                "is on CUDA device 5, but the stream is on device 0",
            ),
            (
                DLDeviceType::CUDA_HOST,
                0,
                "is page-locked memory of the host",
            ),
            (DLDeviceType::CPU, 0, "is in host memory"),
            (DLDeviceType::ROCM, 0, "is on a device of kind 10"),
        ] {
            let error = on(device, id).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
