//! Copies of rectangles and boxes: one description for linear, pitched and host memory, arrays, and other devices.

use std::marker::PhantomData;

use cuda_sys::CUdeviceptr;

use super::{
    explained_write,
    extent::{Extent, Offset, expect_within},
    is_between_devices,
    layout::Layout,
    region::{CopySource, CopyTarget, Place, Region},
    region_call::{BoxCopy, Side},
};
use crate::{
    error::{Error, Result},
    memory::plain::PlainData,
    stream::{Stream, Uncaptured, owner::Owner, settle::HostRange},
};

/// A copy of a rectangle or box: how large it is, and where it begins on either side. What the sides are is said when it
/// is made: any combination of linear memory ([`DeviceMemory`](crate::DeviceMemory), which is a row), rows and slices
/// ([`PitchedMemory`](crate::memory::PitchedMemory)), arrays, and host memory; the device's sides may be of two devices. Both are
/// checked before the driver is asked.
///
/// | | |
/// | --- | --- |
/// | [`enqueue`](Self::enqueue) | from device to device; the host does not wait |
/// | [`upload`](Self::upload), [`download`](Self::download) | from and to borrowed host memory; waits |
/// | [`Scope::upload_region`](crate::memory::Scope::upload_region), [`Scope::download_region`](crate::memory::Scope::download_region) | the same, waited for at the end of a scope |
/// | [`Stream::upload_region`], [`Stream::download_region`] | from and to page-locked memory, which the transfer owns meanwhile |
/// | [`Graph::add_region_copy`](crate::Graph::add_region_copy) | as a node of a graph |
///
/// ```
/// use cuda_safe::{Context, memory::{HostRegion, HostRegionMut, PitchedBuffer, RegionCopy}, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut image = PitchedBuffer::<u32>::zeroed(&stream, [4, 3])?;
/// let host = [
///     1, 2, 3, //
///     4, 5, 6,
/// ];
/// // Its two right columns, into the middle.
/// let copy = RegionCopy::new([2, 2]).source_at([1, 0]).target_at([1, 1]);
/// copy.upload(&stream, &mut image, HostRegion::new(&host, [3, 2])?)?;
/// assert_eq!(image.to_vec(&stream)?, [0, 0, 0, 0, 0, 2, 3, 0, 0, 5, 6, 0]);
///
/// let mut column = [0; 3];
/// let copy = RegionCopy::new([1, 3]).source_at(2);
/// copy.download(&stream, HostRegionMut::new(&mut column, [1, 3])?, &image)?;
/// assert_eq!(column, [0, 3, 6]);
///
/// let error = RegionCopy::new([4, 2]).source_at([0, 2]).download(
///     &stream, HostRegionMut::new(&mut [0; 8], [4, 2])?, &image).unwrap_err();
/// assert!(error.to_string().contains("the source has 3 rows (axis y)"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "a description alone copies nothing"]
pub struct RegionCopy {
    extent: Extent,
    source: Offset,
    target: Offset,
}

/// Host memory as a side of a copy, borrowed for reading: rows and slices of a slice.
#[derive(Clone, Copy, Debug)]
pub struct HostRegion<'a, T> {
    pub(in crate::memory) place: Place,
    pub(in crate::memory) range: HostRange,
    host: PhantomData<&'a [T]>,
}

/// Host memory as a side of a copy, borrowed for writing: rows and slices of a slice.
#[derive(Debug)]
pub struct HostRegionMut<'a, T> {
    pub(in crate::memory) place: Place,
    pub(in crate::memory) range: HostRange,
    host: PhantomData<&'a mut [T]>,
}

/// Where rows and slices of host memory are.
pub(crate) fn host_place<T>(host: *mut [T], layout: Layout, call: &'static str) -> Result<Place> {
    let bytes = host.len() * size_of::<T>();
    let strides = layout.aligned::<T>(bytes, "the host memory", call)?;
    Ok(Place::Host(host.cast(), strides))
}

impl<'a, T: PlainData> HostRegion<'a, T> {
    /// A slice of the host as rows and slices. It may be longer than the layout needs.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the layout needs more elements, contradicts
    /// itself, or has a pitch that is no multiple of the elements' alignment.
    pub fn new(host: &'a [T], layout: impl Into<Layout>) -> Result<Self> {
        let (host, layout) = (std::ptr::from_ref(host).cast_mut(), layout.into());
        Ok(Self {
            place: host_place(host, layout, "HostRegion::new")?,
            range: HostRange::of(host),
            host: PhantomData,
        })
    }
}

impl<'a, T: PlainData> HostRegionMut<'a, T> {
    /// A slice of the host as rows and slices, for writing. It may be longer than the layout needs.
    ///
    /// # Errors
    /// As [`HostRegion::new`].
    pub fn new(host: &'a mut [T], layout: impl Into<Layout>) -> Result<Self> {
        Ok(Self {
            range: HostRange::of(&*host),
            place: host_place(host, layout.into(), "HostRegionMut::new")?,
            host: PhantomData,
        })
    }
}

impl RegionCopy {
    /// A copy of so many elements, rows and slices, from the beginning of one side to that of the other.
    pub fn new(extent: impl Into<Extent>) -> Self {
        Self {
            extent: extent.into(),
            source: Offset::default(),
            target: Offset::default(),
        }
    }

    /// Where the box begins in the source.
    pub fn source_at(mut self, at: impl Into<Offset>) -> Self {
        self.source = at.into();
        self
    }

    /// Where the box begins in the destination.
    pub fn target_at(mut self, at: impl Into<Offset>) -> Self {
        self.target = at.into();
        self
    }

    /// How large the box is.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Enqueues the copy from device to device. The host does not wait. The two may be memory of different contexts, those
    /// of two devices for instance, which need no peer access for it; a stream of either can do it. Memory of another
    /// context that belongs to no stream is waited for.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the box does not lie within a side, with
    /// the side, the axis and the numbers; where the sides overlap; where the stream is being captured and memory of
    /// another context belongs to no stream. [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) from one layer or face
    /// to another of the same array: drivers up to 580 report success, and copy nothing. The context is unusable after a
    /// fault.
    #[doc(alias = "cuMemcpy2D")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3D")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpy3DPeer")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[doc(alias = "cuMemcpyPeer")]
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpyAtoA")]
    #[doc(alias = "cuMemcpyAtoD")]
    #[doc(alias = "cuMemcpyDtoA")]
    pub fn enqueue<T: PlainData>(
        self,
        stream: &Stream,
        target: &mut impl CopyTarget<T>,
        source: &impl CopySource<T>,
    ) -> Result<()> {
        const CALL: &str = "RegionCopy::enqueue";
        let (to, from) = (target.region(), source.region());
        let Some(copy) = self.between::<T>(to.place, from.place, CALL)? else {
            return Ok(());
        };
        let here = stream.context();
        // What a stream can't be made to wait for, the host does.
        let foreign = |region: &Region<'_>| matches!(region.owner, Owner::Context(context) if context != here);
        let waits = foreign(&to) || foreign(&from);
        let _uncaptured = match waits {
            true => Some(stream.enter_to_wait(CALL)?),
            false => None,
        };
        let between = is_between_devices(stream, [to.owner, from.owner]);
        let _uncaptured_too = match between {
            true => Some(expect_no_capture(stream, CALL)?),
            false => None,
        };
        let owners = [&to, &from].into_iter().filter(|side| !foreign(side));
        let enqueued = stream.ordered(CALL, owners.map(|side| side.owner), || {
            let (to, from) = (to.owner.context(), from.owner.context());
            // SAFETY: memory of these contexts, within which the box lies; ordered with what else uses it.
            unsafe {
                match between {
                    false => copy.enqueue(stream),
                    true => copy.enqueue_between(stream, to, from),
                }
            }
        });
        if !waits {
            return enqueued;
        }
        let waited = stream.settle().or_abort();
        enqueued.and(waited)
    }

    /// Copies from the host to the device, and waits until the host memory has been read.
    ///
    /// # Errors
    /// As [`enqueue`](Self::enqueue). The stream is being captured. The fault of work that was enqueued earlier.
    #[doc(alias = "cuMemcpy2D")]
    #[doc(alias = "cuMemcpy2DUnaligned")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3D")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpyHtoA")]
    #[doc(alias = "cuMemcpyHtoAAsync")]
    pub fn upload<T: PlainData>(
        self,
        stream: &Stream,
        target: &mut impl CopyTarget<T>,
        source: HostRegion<'_, T>,
    ) -> Result<()> {
        const CALL: &str = "RegionCopy::upload";
        let _current = stream.enter_to_wait(CALL)?;
        // SAFETY: borrowed until the wait below is over, which also follows a failure.
        let enqueued = unsafe { self.upload_enqueue(stream, target, source.place, CALL) };
        let waited = stream.end_borrow([source.range]);
        enqueued.and(waited)
    }

    /// Copies from the device to the host, and waits for the copy.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpy2D")]
    #[doc(alias = "cuMemcpy2DUnaligned")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3D")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpyAtoH")]
    #[doc(alias = "cuMemcpyAtoHAsync")]
    pub fn download<T: PlainData>(
        self,
        stream: &Stream,
        target: HostRegionMut<'_, T>,
        source: &impl CopySource<T>,
    ) -> Result<()> {
        const CALL: &str = "RegionCopy::download";
        let _current = stream.enter_to_wait(CALL)?;
        let range = target.range;
        // SAFETY: borrowed exclusively until the wait below is over, which also follows a failure.
        let enqueued = unsafe { self.download_enqueue(stream, target.place, source, CALL) };
        let waited = stream.end_borrow([range]);
        enqueued.and(waited)
    }

    /// # Safety
    /// The host memory stays readable until the copy has finished.
    pub(in crate::memory) unsafe fn upload_enqueue<T: PlainData>(
        self,
        stream: &Stream,
        target: &mut impl CopyTarget<T>,
        source: Place,
        call: &'static str,
    ) -> Result<()> {
        let to = target.region();
        let Some(copy) = self.between::<T>(to.place, source, call)? else {
            return Ok(());
        };
        // SAFETY: the box lies within memory of the owner, ordered with what else uses it; the host's is the caller's
        // promise.
        stream.ordered(call, [to.owner], || unsafe {
            with_host(copy, stream, to.owner)
        })
    }

    /// # Safety
    /// The host memory stays writable until the copy has finished, and nobody reads it until then.
    pub(in crate::memory) unsafe fn download_enqueue<T: PlainData>(
        self,
        stream: &Stream,
        target: Place,
        source: &impl CopySource<T>,
        call: &'static str,
    ) -> Result<()> {
        let from = source.region();
        let Some(copy) = self.between::<T>(target, from.place, call)? else {
            return Ok(());
        };
        // SAFETY: as above.
        let enqueued = stream.ordered(call, [from.owner], || unsafe {
            with_host(copy, stream, from.owner)
        });
        match copy.to {
            Side::Host(host, _) => explained_write(enqueued, stream, host.addr() as CUdeviceptr),
            _ => enqueued,
        }
    }

    /// The copy between two places, `None` if there is nothing to copy.
    pub(crate) fn between<T: PlainData>(
        self,
        to: Place,
        from: Place,
        call: &'static str,
    ) -> Result<Option<BoxCopy>> {
        let layers = matches!(from, Place::Array { layers: true, .. });
        let from = self.side::<T>(from, self.source, "the source", call)?;
        let to = self.side::<T>(to, self.target, "the destination", call)?;
        let copy = BoxCopy::new(to, from, self.extent, size_of::<T>());
        match copy {
            Some(copy) if layers && copy.moves_between_slices() => Err(Error::checked(
                crate::error::ErrorKind::Unsupported,
                call,
                "the driver copies nothing from one layer to another of the same array, and reports success: copy by way of \
                 a DeviceBuffer or a PitchedBuffer",
            )),
            Some(copy) if copy.overlaps() => Err(Error::invalid(
                call,
                format!("the source and the destination overlap: {copy}"),
            )),
            copy => Ok(copy),
        }
    }

    /// Where the box lies in a place, and an error if it doesn't.
    fn side<T: PlainData>(
        self,
        place: Place,
        at: Offset,
        what: &str,
        call: &'static str,
    ) -> Result<Side> {
        let (extent, element) = (place.extent(), place.element());
        expect_within(what, at, self.extent, extent, call)?;
        if element != size_of::<T>() {
            return Err(Error::invalid(
                call,
                format!(
                    "{what} has elements of {element} bytes, and the copy of {}",
                    size_of::<T>()
                ),
            ));
        }
        if self.extent.is_empty() {
            return Ok(Side::Nothing);
        }
        Ok(match place {
            Place::Linear(ptr, strides) => {
                Side::Device(ptr + strides.offset(at) as u64, strides.part(self.extent))
            }
            // Within the memory.
            Place::Host(ptr, strides) => Side::Host(
                ptr.wrapping_byte_add(strides.offset(at)),
                strides.part(self.extent),
            ),
            Place::Array { array, .. } => Side::Array(array, at.x * element, at.y, at.z),
        })
    }
}

/// Enqueues a copy between the host and memory of the owner, which may be of another device than the stream.
///
/// # Safety
/// As [`BoxCopy::enqueue`].
unsafe fn with_host(copy: BoxCopy, stream: &Stream, owner: Owner<'_>) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match is_between_devices(stream, [owner; 2]) {
            false => copy.enqueue(stream),
            true => copy.enqueue_between(stream, owner.context(), owner.context()),
        }
    }
}

/// The driver has no nodes for copies that name contexts, and would end the capture.
pub(in crate::memory) fn expect_no_capture(
    stream: &Stream,
    call: &'static str,
) -> Result<Uncaptured> {
    stream.uncaptured(call, "it is a copy between devices: make it outside")
}
