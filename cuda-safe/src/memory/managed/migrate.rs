//! Migration of managed memory: prefetches, advice and range attributes.

use std::ffi::{c_int, c_uint, c_void};

use cuda_sys::{self as sys, CUmem_range_attribute, CUresult};

pub use crate::raw::memory::RangeAttribute;
use crate::{
    capture,
    driver::newer,
    error::{Error, ErrorKind, Result},
    memory::{
        copy::Span, device::DeviceMemory, location::MemoryLocation, plain::PlainData,
        storage::Storage,
    },
    stream::Stream,
};

/// Advice about how a program uses managed memory, for [`DeviceMemory::advise`] (`CUmem_advise`).
///
/// ```
/// # use cuda_safe::{Context, Device, ManagedBuffer, memory::{MemoryAdvice, MemoryLocation}, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let table = ManagedBuffer::<f32>::zeroed(&stream, 1 << 12)?;
/// table.advise(MemoryAdvice::READ_MOSTLY)?;
/// table.advise(MemoryAdvice::accessed_by(context.device()))?;
/// table.slice(..1 << 10)?.advise(MemoryAdvice::preferred_location(MemoryLocation::HOST))?;
/// assert!(table.range_attributes()?.read_mostly);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAdvice {
    /// The driver's number.
    pub advice: c_uint,
    /// The device or host that the advice concerns. Some advice concerns none, but the driver
    /// requires a location anyway.
    pub location: MemoryLocation,
}

impl MemoryAdvice {
    /// The memory is read often and rarely written, so each reader may get its own copy.
    #[doc(alias = "CU_MEM_ADVISE_SET_READ_MOSTLY")]
    pub const READ_MOSTLY: Self = Self::general(1);
    /// Revokes [`READ_MOSTLY`](Self::READ_MOSTLY).
    #[doc(alias = "CU_MEM_ADVISE_UNSET_READ_MOSTLY")]
    pub const NOT_READ_MOSTLY: Self = Self::general(2);
    /// Revokes [`preferred_location`](Self::preferred_location).
    #[doc(alias = "CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION")]
    pub const NO_PREFERRED_LOCATION: Self = Self::general(4);

    const fn general(advice: c_uint) -> Self {
        Self {
            advice,
            location: MemoryLocation::HOST,
        }
    }

    /// Sets the preferred location of the memory. It leaves that location only if necessary.
    #[doc(alias = "CU_MEM_ADVISE_SET_PREFERRED_LOCATION")]
    #[must_use]
    pub fn preferred_location(location: impl Into<MemoryLocation>) -> Self {
        Self {
            advice: 3,
            location: location.into(),
        }
    }

    /// Declares that a device or the host will access the memory, so that it stays mapped there
    /// wherever it resides.
    #[doc(alias = "CU_MEM_ADVISE_SET_ACCESSED_BY")]
    #[must_use]
    pub fn accessed_by(location: impl Into<MemoryLocation>) -> Self {
        Self {
            advice: 5,
            location: location.into(),
        }
    }

    /// Revokes [`accessed_by`](Self::accessed_by).
    #[doc(alias = "CU_MEM_ADVISE_UNSET_ACCESSED_BY")]
    #[must_use]
    pub fn not_accessed_by(location: impl Into<MemoryLocation>) -> Self {
        Self {
            advice: 6,
            location: location.into(),
        }
    }
}

/// The attributes of a range of managed memory. If pages differ, contains only what all pages have
/// in common.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeAttributes {
    /// Whether [`MemoryAdvice::READ_MOSTLY`] is set.
    pub read_mostly: bool,
    /// The location set by [`MemoryAdvice::preferred_location`].
    pub preferred_location: Option<MemoryLocation>,
    /// The target of the last prefetch, which may still be running.
    pub last_prefetch: Option<MemoryLocation>,
    /// The locations set by [`MemoryAdvice::accessed_by`].
    pub accessed_by: Vec<MemoryLocation>,
}

/// Converts a location from the attributes before CUDA 12.2.
fn old_place(number: c_int) -> Option<MemoryLocation> {
    match number {
        -1 => Some(MemoryLocation::HOST),
        device if device >= 0 => Some(MemoryLocation {
            kind: 1,
            id: device,
        }),
        _ => None,
    }
}

/// Converts a location from the newer attributes, whose number is -1 if the type needs none.
fn place(kind: c_int, id: c_int) -> Option<MemoryLocation> {
    let kind = u32::try_from(kind).ok().filter(|&kind| kind != 0)?;
    Some(MemoryLocation {
        kind,
        id: id.max(0),
    })
}

#[cold]
fn unsupported_location(call: &'static str, location: MemoryLocation) -> Error {
    Error::checked(
        ErrorKind::Unsupported,
        call,
        format!(
            "drivers before CUDA 12.2 support only devices and the host as locations, not {location:?}"
        ),
    )
}

/// Adds the reason if the memory is not managed.
fn explain(error: Error, span: Span<'_>) -> Error {
    if error.driver_code() != Some(CUresult::CUDA_ERROR_INVALID_VALUE) {
        return error;
    }
    match span.owner.context().pointer_info(span.ptr) {
        Ok(info) if !info.is_managed => error.with_kind(ErrorKind::InvalidArgument).with_detail(
            "the memory is not managed, and only managed memory migrates. Fix: use a ManagedBuffer",
        ),
        _ => error,
    }
}

fn is_unsupported(error: &Error) -> bool {
    *error.kind() == ErrorKind::Unsupported
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// Enqueues moving managed memory to a device or to the host before it is used there.
    ///
    /// This only affects speed. The driver moves whole pages, including pages that contain only a
    /// part of this memory.
    ///
    /// See [`cuMemPrefetchAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the memory is not managed, or if the stream is
    /// capturing. Returns `CUDA_ERROR_INVALID_DEVICE` or `CUDA_ERROR_INVALID_VALUE` if the location
    /// does not exist.
    ///
    /// ```
    /// # use cuda_safe::{Context, ManagedBuffer, memory::MemoryLocation, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = ManagedBuffer::<f32>::zeroed(&stream, 1 << 12)?;
    /// x.host_mut()?.fill(1.0);
    /// x.prefetch(&stream, context.device())?;
    /// // ... kernels ...
    /// x.prefetch(&stream, MemoryLocation::HOST)?;
    /// assert_eq!(x.host()?[7], 1.0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPrefetchAsync")]
    pub fn prefetch(&self, stream: &Stream, location: impl Into<MemoryLocation>) -> Result<()> {
        const CALL: &str = "cuMemPrefetchAsync";
        let (span, location) = (self.span(), location.into());
        if span.bytes == 0 {
            return Ok(());
        }
        let _uncaptured = stream.uncaptured("DeviceMemory::prefetch", capture::REMEDY)?;
        stream.ordered("DeviceMemory::prefetch", [span.owner], || {
            let _current = stream.enter("cuMemPrefetchAsync_v2")?;
            let code = match newer::cuMemPrefetchAsync_v2() {
                // SAFETY: the memory is live. The driver checks that it is managed.
                Ok(prefetch) => unsafe {
                    prefetch(span.ptr, span.bytes, location.raw(), 0, stream.as_raw())
                },
                Err(error) if is_unsupported(&error) => {
                    let device = location
                        .old_number()
                        .ok_or_else(|| unsupported_location(CALL, location))?;
                    // SAFETY: as above.
                    unsafe {
                        newer::cuMemPrefetchAsync()?(span.ptr, span.bytes, device, stream.as_raw())
                    }
                }
                Err(error) => return Err(error),
            };
            stream
                .check(CALL, code)
                .map_err(|error| explain(error, span))
        })
    }

    /// Advises the driver how managed memory will be used. This only affects where the memory
    /// resides.
    ///
    /// See [`cuMemAdvise`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the memory is not managed. Returns
    /// `CUDA_ERROR_INVALID_VALUE` if the location does not exist or does not suit this advice.
    /// Returns `CUDA_ERROR_NOT_SUPPORTED` if a device does not support the advice.
    #[doc(alias = "cuMemAdvise")]
    pub fn advise(&self, advice: MemoryAdvice) -> Result<()> {
        const CALL: &str = "cuMemAdvise";
        let span = self.span();
        if span.bytes == 0 {
            return Ok(());
        }
        let context = span.owner.context();
        let _current = context.enter("cuMemAdvise_v2")?;
        let MemoryAdvice { advice, location } = advice;
        let code = match newer::cuMemAdvise_v2() {
            // SAFETY: the memory is live. The driver checks that it is managed.
            Ok(advise) => unsafe { advise(span.ptr, span.bytes, advice, location.raw()) },
            Err(error) if is_unsupported(&error) => {
                let device = location
                    .old_number()
                    .ok_or_else(|| unsupported_location(CALL, location))?;
                // SAFETY: as above.
                unsafe { newer::cuMemAdvise()?(span.ptr, span.bytes, advice, device) }
            }
            Err(error) => return Err(error),
        };
        context
            .check(CALL, code)
            .map_err(|error| explain(error, span))
    }

    /// Returns one attribute of this range of managed memory as the driver's number.
    ///
    /// See [`cuMemRangeGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the memory is not managed or is empty. Returns
    /// `CUDA_ERROR_INVALID_VALUE` if the driver does not know the attribute.
    ///
    /// ```
    /// # use cuda_safe::{Context, ManagedBuffer, memory::{MemoryLocation, RangeAttribute}, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let x = ManagedBuffer::<f32>::zeroed(&stream, 1 << 12)?;
    /// x.prefetch(&stream, MemoryLocation::HOST)?;
    /// assert_eq!(x.range_attribute(RangeAttribute::LAST_PREFETCH_LOCATION)?, -1);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemRangeGetAttribute")]
    pub fn range_attribute(&self, attribute: RangeAttribute) -> Result<i32> {
        let span = self.some_span("DeviceMemory::range_attribute")?;
        let context = span.owner.context();
        let _current = context.enter("cuMemRangeGetAttribute")?;
        let mut value: c_int = 0;
        // SAFETY: these attributes are written as an int.
        let code = unsafe {
            sys::cuMemRangeGetAttribute(
                (&raw mut value).cast(),
                size_of::<c_int>(),
                CUmem_range_attribute(attribute.0),
                span.ptr,
                span.bytes,
            )
        };
        let checked = context.check("cuMemRangeGetAttribute", code);
        checked.map_err(|error| explain(error, span))?;
        Ok(value)
    }

    /// Returns all attributes of this range of managed memory.
    ///
    /// See [`cuMemRangeGetAttributes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the memory is not managed or is empty.
    ///
    /// ```
    /// # use cuda_safe::{Context, ManagedBuffer, memory::MemoryLocation, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let x = ManagedBuffer::<u8>::zeroed(&stream, 1 << 16)?;
    /// x.slice(..1 << 15)?.prefetch(&stream, MemoryLocation::HOST)?;
    /// let first = x.slice(..1 << 15)?.range_attributes()?;
    /// assert_eq!(first.last_prefetch, Some(MemoryLocation::HOST));
    /// assert_eq!(x.range_attributes()?.last_prefetch, None); // the halves differ
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemRangeGetAttributes")]
    pub fn range_attributes(&self) -> Result<RangeAttributes> {
        const CALL: &str = "cuMemRangeGetAttributes";
        /// The most locations that can access a range: all devices and the host.
        const MOST: usize = 65;
        let span = self.some_span("DeviceMemory::range_attributes")?;
        let context = span.owner.context();
        let _current = context.enter("cuMemRangeGetAttributes")?;
        let mut accessors = [-2 as c_int; MOST];
        let mut values = [0 as c_int; 5];
        let ask = |attributes: &mut [c_uint], values: &mut [c_int], accessors: &mut [c_int]| {
            // The first attribute is the list of locations.
            let mut places = vec![accessors.as_mut_ptr().cast::<c_void>()];
            places.extend(
                values
                    .iter_mut()
                    .map(|value| (&raw mut *value).cast::<c_void>()),
            );
            let mut sizes = vec![size_of_val(accessors)];
            sizes.resize(places.len(), size_of::<c_int>());
            // SAFETY: there are as many places as attributes, with these sizes, and the enumeration
            // is a number.
            unsafe {
                sys::cuMemRangeGetAttributes(
                    places.as_mut_ptr(),
                    sizes.as_mut_ptr(),
                    attributes.as_mut_ptr().cast(),
                    attributes.len(),
                    span.ptr,
                    span.bytes,
                )
            }
        };
        let newer = ask(&mut [3, 1, 5, 6, 7, 8], &mut values, &mut accessors);
        let (preferred_location, last_prefetch) = if newer == CUresult::CUDA_ERROR_INVALID_VALUE {
            // The driver is older than CUDA 12.2, or the memory is not managed.
            let code = ask(&mut [3, 1, 2, 4], &mut values[..3], &mut accessors);
            let checked = context.check(CALL, code);
            checked.map_err(|error| explain(error, span))?;
            (old_place(values[1]), old_place(values[2]))
        } else {
            context.check(CALL, newer)?;
            (place(values[1], values[2]), place(values[3], values[4]))
        };
        Ok(RangeAttributes {
            read_mostly: values[0] != 0,
            preferred_location,
            last_prefetch,
            accessed_by: accessors.into_iter().filter_map(old_place).collect(),
        })
    }

    fn some_span(&self, call: &'static str) -> Result<Span<'_>> {
        match self.span() {
            span if span.bytes == 0 => Err(Error::invalid(call, "the memory is empty")),
            span => Ok(span),
        }
    }
}
