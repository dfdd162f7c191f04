//! Where managed memory is: prefetching, advice, and what is known of a range.

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

/// What a program tells of how it uses managed memory, for [`DeviceMemory::advise`] (`CUmem_advise`).
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
    /// Whom it is about. Some advice is about nobody in particular; the driver wants a place all the same.
    pub location: MemoryLocation,
}

impl MemoryAdvice {
    /// The memory is read often and hardly ever written: each reader may get a copy of its own.
    #[doc(alias = "CU_MEM_ADVISE_SET_READ_MOSTLY")]
    pub const READ_MOSTLY: Self = Self::general(1);
    /// Takes [`READ_MOSTLY`](Self::READ_MOSTLY) back.
    #[doc(alias = "CU_MEM_ADVISE_UNSET_READ_MOSTLY")]
    pub const NOT_READ_MOSTLY: Self = Self::general(2);
    /// Takes [`preferred_location`](Self::preferred_location) back.
    #[doc(alias = "CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION")]
    pub const NO_PREFERRED_LOCATION: Self = Self::general(4);

    const fn general(advice: c_uint) -> Self {
        Self {
            advice,
            location: MemoryLocation::HOST,
        }
    }

    /// The memory is best there: it moves away only where it must.
    #[doc(alias = "CU_MEM_ADVISE_SET_PREFERRED_LOCATION")]
    #[must_use]
    pub fn preferred_location(location: impl Into<MemoryLocation>) -> Self {
        Self {
            advice: 3,
            location: location.into(),
        }
    }

    /// The device, or the host, will access the memory: it is mapped there, wherever it is.
    #[doc(alias = "CU_MEM_ADVISE_SET_ACCESSED_BY")]
    #[must_use]
    pub fn accessed_by(location: impl Into<MemoryLocation>) -> Self {
        Self {
            advice: 5,
            location: location.into(),
        }
    }

    /// Takes [`accessed_by`](Self::accessed_by) back.
    #[doc(alias = "CU_MEM_ADVISE_UNSET_ACCESSED_BY")]
    #[must_use]
    pub fn not_accessed_by(location: impl Into<MemoryLocation>) -> Self {
        Self {
            advice: 6,
            location: location.into(),
        }
    }
}

/// What is known of a range of managed memory. Of a range whose pages differ, only what all of them have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeAttributes {
    /// [`MemoryAdvice::READ_MOSTLY`].
    pub read_mostly: bool,
    /// [`MemoryAdvice::preferred_location`].
    pub preferred_location: Option<MemoryLocation>,
    /// Where it was prefetched last. The prefetch need not be over.
    pub last_prefetch: Option<MemoryLocation>,
    /// [`MemoryAdvice::accessed_by`].
    pub accessed_by: Vec<MemoryLocation>,
}

/// A place as the attributes before CUDA 12.2 name it.
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

/// A place as newer attributes name it: they give -1 where the kind says it all.
fn place(kind: c_int, id: c_int) -> Option<MemoryLocation> {
    let kind = u32::try_from(kind).ok().filter(|&kind| kind != 0)?;
    Some(MemoryLocation {
        kind,
        id: id.max(0),
    })
}

#[cold]
fn unnamed(call: &'static str, location: MemoryLocation) -> Error {
    Error::checked(
        ErrorKind::Unsupported,
        call,
        format!("drivers before CUDA 12.2 know devices and the host, not {location:?}"),
    )
}

/// The reason where the memory is not managed.
fn explain(error: Error, span: Span<'_>) -> Error {
    if error.driver_code() != Some(CUresult::CUDA_ERROR_INVALID_VALUE) {
        return error;
    }
    match span.owner.context().pointer_info(span.ptr) {
        Ok(info) if !info.is_managed => error
            .with_kind(ErrorKind::InvalidArgument)
            .with_detail("this is not managed memory, which alone moves: use a ManagedBuffer"),
        _ => error,
    }
}

fn is_unsupported(error: &Error) -> bool {
    *error.kind() == ErrorKind::Unsupported
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// Enqueues moving managed memory to a device or to the host, so that it need not be moved when it is used there. Nothing
    /// else changes by it. The unit is a page; a page that is partly of this memory is moved as a whole.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for memory that is not managed. `CUDA_ERROR_INVALID_DEVICE` or
    /// `CUDA_ERROR_INVALID_VALUE` for a place that does not exist. The stream is being captured.
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
                // SAFETY: live memory; the driver checks whether it is managed.
                Ok(prefetch) => unsafe {
                    prefetch(span.ptr, span.bytes, location.raw(), 0, stream.as_raw())
                },
                Err(error) if is_unsupported(&error) => {
                    let device = location
                        .old_number()
                        .ok_or_else(|| unnamed(CALL, location))?;
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

    /// Tells the driver how managed memory will be used. It changes where the memory is, and nothing else.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for memory that is not managed. `CUDA_ERROR_INVALID_VALUE` for a place that does not
    /// exist, or that this advice can't name. `CUDA_ERROR_NOT_SUPPORTED` where a device can't do it.
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
            // SAFETY: live memory; the driver checks whether it is managed.
            Ok(advise) => unsafe { advise(span.ptr, span.bytes, advice, location.raw()) },
            Err(error) if is_unsupported(&error) => {
                let device = location
                    .old_number()
                    .ok_or_else(|| unnamed(CALL, location))?;
                // SAFETY: as above.
                unsafe { newer::cuMemAdvise()?(span.ptr, span.bytes, advice, device) }
            }
            Err(error) => return Err(error),
        };
        context
            .check(CALL, code)
            .map_err(|error| explain(error, span))
    }

    /// One attribute of this range of managed memory, as the driver's number.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for memory that is not managed, or if there is none.
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that the driver does not know.
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

    /// All that is known of this range of managed memory.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for memory that is not managed, or if there is none.
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
        /// All devices, and the host.
        const MOST: usize = 65;
        let span = self.some_span("DeviceMemory::range_attributes")?;
        let context = span.owner.context();
        let _current = context.enter("cuMemRangeGetAttributes")?;
        let mut accessors = [-2 as c_int; MOST];
        let mut values = [0 as c_int; 5];
        let ask = |attributes: &mut [c_uint], values: &mut [c_int], accessors: &mut [c_int]| {
            // The first is the list.
            let mut places = vec![accessors.as_mut_ptr().cast::<c_void>()];
            places.extend(
                values
                    .iter_mut()
                    .map(|value| (&raw mut *value).cast::<c_void>()),
            );
            let mut sizes = vec![size_of_val(accessors)];
            sizes.resize(places.len(), size_of::<c_int>());
            // SAFETY: as many places as attributes, of the sizes said; the enumeration is a number.
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
            // A driver before CUDA 12.2, or a range of no managed memory.
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
            span if span.bytes == 0 => Err(Error::invalid(call, "there is no memory to ask about")),
            span => Ok(span),
        }
    }
}
